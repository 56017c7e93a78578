package risk

import (
	_ "embed"
	"encoding/json"
	"math"
	"testing"

	"ballast/compute/joint"
	mc "ballast/marketcache"
)

//go:embed testdata/accounts.json
var accountsJSON []byte

// heldInput returns the snapshot of one position of an account as held, at the marks of the
// account's answer.
func heldInput(account *mc.Account, assets map[string]*mc.Asset, target int) *Input {
	in := &Input{Account: account, AsHeld: true}
	for i := range account.Positions {
		pos := &account.Positions[i]
		a := AssetInput{
			Model: &mc.AssetModel{Name: pos.Name, Kappa2: [4]float64{1, 1, 1, 1}, Variance: [4]float64{1e-4, 1e-4,
				1e-4, 1e-4}},
			Market: mc.Market{
				Asset:   assets[pos.Name],
				Book:    &mc.Book{},
				Context: &mc.Context{MarkPrice: readMark(pos)},
			},
		}
		a.Model.Joint = joint.Align(nil, a.Model)
		in.Held = append(in.Held, a)
	}
	in.Target = in.Held[target]
	in.Trade = Trade{Asset: account.Positions[target].Asset}
	return in
}

// Compares liquidation prices of accounts with testdata/reference.py, which finds them by numerical
// search.
func TestAccountsAgainstReference(t *testing.T) {
	var g struct {
		Tables   map[string][][2]float64 // lower bound in USD, maximum leverage
		Accounts []struct {
			Name       string
			CrossValue float64 `json:"cross_value"`
			Positions  []struct {
				Coin        string
				Units, Mark float64
				Leverage    float64
				MaxLeverage float64  `json:"max_leverage"`
				RawUSD      *float64 `json:"raw_usd"` // of an isolated position
				Price       *float64 `json:"liquidation_price"`
			}
		}
	}
	if err := json.Unmarshal(accountsJSON, &g); err != nil {
		t.Fatal(err)
	}
	assets := map[string]*mc.Asset{}
	for name, table := range g.Tables {
		var lower, leverage []float64
		for _, row := range table {
			lower, leverage = append(lower, row[0]), append(leverage, row[1])
		}
		assets[name] = &mc.Asset{
			ID: mc.AssetID(len(assets)), Name: name, MaxLeverage: leverage[0],
			Tiers: mc.NewTiers(lower, leverage), FeeMultiplier: 1,
		}
	}
	e, s := NewEngine(DefaultAges()), NewScratch(4)
	compared := 0
	for _, c := range g.Accounts {
		account := &mc.Account{Mode: mc.ModeDisabled, CrossAccountValueUSD: c.CrossValue}
		for _, p := range c.Positions {
			pos := mc.Position{
				Asset: assets[p.Coin].ID, Name: p.Coin, Units: p.Units, EntryPrice: p.Mark,
				ValueUSD: math.Abs(p.Units) * p.Mark,
				Leverage: p.Leverage, MaxLeverage: p.MaxLeverage, Isolated: p.RawUSD != nil,
			}
			if pos.Isolated {
				pos.RawUSD = *p.RawUSD
			}
			account.Positions = append(account.Positions, pos)
		}
		for i, p := range c.Positions {
			s.In = *heldInput(account, assets, i)
			e.Assess(s)
			want := 0.0 // 0 stands for no price
			if p.Price != nil {
				want = *p.Price
			}
			if got := s.Out.Liquidation.Price; !(math.Abs(got-want) <= 1e-9*want) {
				t.Errorf("%s, %s: liquidation price %.12g, want %.12g", c.Name, p.Coin, got, want)
			}
			compared++
		}
	}
	if compared != 14 {
		t.Errorf("%d positions compared", compared)
	}
}
