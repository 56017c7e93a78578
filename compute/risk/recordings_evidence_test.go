//go:build evidence

package risk

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"ballast/compute/joint"
	"ballast/internal/reference"
	mc "ballast/marketcache"
)

func readRecording(t *testing.T, name string, into any) {
	t.Helper()
	if err := json.Unmarshal(reference.Recording(t, name), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// venueTables reads the margin tables of a recorded universe.
func venueTables(t *testing.T) map[string]*mc.Asset {
	var answer []json.RawMessage
	readRecording(t, "metaAndAssetCtxs-2026-02-06.json", &answer)
	var meta struct {
		Universe []struct {
			Name        string
			MaxLeverage float64
			TableID     int `json:"marginTableId"`
		}
		MarginTables [][2]json.RawMessage
	}
	if err := json.Unmarshal(answer[0], &meta); err != nil {
		t.Fatal(err)
	}
	tables := map[int][]mc.Tier{}
	for _, row := range meta.MarginTables {
		var id int
		var table struct {
			MarginTiers []struct {
				LowerBound  string
				MaxLeverage float64
			}
		}
		if json.Unmarshal(row[0], &id) != nil || json.Unmarshal(row[1], &table) != nil {
			t.Fatal("margin table does not parse")
		}
		var lower, lev []float64
		for _, tier := range table.MarginTiers {
			lower, lev = append(lower, number(tier.LowerBound)), append(lev, tier.MaxLeverage)
		}
		tables[id] = mc.NewTiers(lower, lev)
	}
	assets := map[string]*mc.Asset{}
	for i, u := range meta.Universe {
		tiers := tables[u.TableID]
		if tiers == nil {
			tiers = mc.NewTiers([]float64{0}, []float64{u.MaxLeverage})
		}
		assets[u.Name] = &mc.Asset{ID: mc.AssetID(i), Name: u.Name, MaxLeverage: u.MaxLeverage, Tiers: tiers,
			FeeMultiplier: 1}
	}
	return assets
}

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

// relative returns the relative difference of two prices.
func relative(got, want float64) float64 { return math.Abs(got/want - 1) }

func TestEvidenceAccount(t *testing.T) {
	assets := venueTables(t)
	var state struct {
		CrossMarginSummary struct{ AccountValue decimal }
		AssetPositions     []struct {
			Position struct {
				Coin string
				venuePosition
			}
		}
	}
	readRecording(t, "clearinghouseState-hypersdk-2026-01-14.json", &state)
	account := &mc.Account{
		Mode: mc.ModeDisabled, CrossAccountValueUSD: float64(state.CrossMarginSummary.AccountValue),
	}
	for i := range state.AssetPositions {
		p := &state.AssetPositions[i].Position
		account.Positions = append(account.Positions, p.position(assets[p.Coin].ID, p.Coin))
	}
	e, s := NewEngine(DefaultAges()), NewScratch(16)
	cross, isolated := 0, 0
	for i, pos := range account.Positions {
		s.In = *heldInput(account, assets, i)
		e.Assess(s)
		got := s.Out.Liquidation.Price
		// The venue prints ten decimals.
		if math.Abs(got-pos.LiquidationPrice) > 1e-9*pos.LiquidationPrice &&
			math.Abs(got-pos.LiquidationPrice) > 5.1e-11 {
			t.Errorf("%s: liquidation price %.12g, the venue says %.12g", pos.Name, got, pos.LiquidationPrice)
		}
		if pos.Isolated {
			isolated++
		} else {
			cross++
		}
	}
	if cross != 14 || isolated != 2 {
		t.Errorf("checked %d cross and %d isolated positions, want 14 and 2", cross, isolated)
	}
}

// TestEvidenceAccounts recomputes the liquidation prices of recorded accounts. The recording lacks
// their collateral, so it is inferred from each quoted price, and an account counts when its prices
// agree on one collateral.
func TestEvidenceAccounts(t *testing.T) {
	assets := venueTables(t)
	var clean, majority tally
	files, err := filepath.Glob(filepath.Join(reference.Recordings(t), "accounts-*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("recorded accounts: %d, %v", len(files), err)
	}
	for _, file := range files {
		var snapshot struct {
			Accounts []struct {
				Positions []struct {
					Coin, Direction string
					Size            float64
					EntryPx         string
					Leverage        float64
					PositionValue   float64
					LiquidationPx   decimal
				}
			}
		}
		readRecording(t, filepath.Base(file), &snapshot)
		for _, a := range snapshot.Accounts {
			account := &mc.Account{Mode: mc.ModeDefault}
			for _, p := range a.Positions {
				asset := assets[p.Coin]
				if asset == nil {
					account.Positions = nil
					break
				}
				pos := mc.Position{
					Asset: asset.ID, Name: p.Coin, Units: p.Size, ValueUSD: p.PositionValue,
					Leverage: p.Leverage, MaxLeverage: asset.MaxLeverage, LiquidationPrice: float64(p.LiquidationPx),
				}
				if p.Direction == "Short" {
					pos.Units = -p.Size
				}
				account.Positions = append(account.Positions, pos)
			}
			checkQuoted(account, assets, &clean, &majority)
		}
	}
	t.Logf("within 1e-6 of the venue's price: %v where all prices agree on the collateral, %v where most do", clean,
		majority)
	if clean.checked < 2000 || clean.share() < 0.99 {
		t.Errorf("%v within 1e-6, want 99 %% of at least 2,000", clean)
	}
	// Where only most prices agree, the others belong to isolated positions (the recording does not
	// say which) or to margin tables that have changed since.
	if majority.checked < 5000 || majority.share() < 0.94 {
		t.Errorf("%v within 1e-6, want 94 %% of at least 5,000", majority)
	}
}

// tally counts the prices compared and those found equal.
type tally struct{ right, checked int }

func (c *tally) add(got, want float64) {
	c.checked++
	if relative(got, want) < 1e-6 {
		c.right++
	}
}

func (c tally) share() float64 { return float64(c.right) / float64(c.checked) }

// checkQuoted compares the quoted positions of an account with at least three quoted prices. If all
// prices give the same collateral (to 1e-6), the engine infers it from the account itself; if most
// do, the test supplies their median.
func checkQuoted(account *mc.Account, assets map[string]*mc.Asset, clean, majority *tally) {
	var equities []float64
	quoted := []int{}
	for i := range account.Positions {
		if account.Positions[i].LiquidationPrice <= 0 {
			continue
		}
		quoted = append(quoted, i)
		alone := *account // a copy of the account with one quoted price at a time
		alone.Positions = slices.Clone(account.Positions)
		for j := range alone.Positions {
			if j != i {
				alone.Positions[j].LiquidationPrice = 0
			}
		}
		equity, _ := invertEquity(heldInput(&alone, assets, i))
		equities = append(equities, equity)
	}
	if len(quoted) < 3 {
		return
	}
	sorted := slices.Clone(equities)
	slices.Sort(sorted)
	median := sorted[len(sorted)/2]
	agree := 0
	for _, a := range equities {
		if relative(a, median) < 1e-6 {
			agree++
		}
	}
	e, s := NewEngine(DefaultAges()), NewScratch(64)
	compare := func(account *mc.Account, c *tally) {
		for _, i := range quoted {
			s.In = *heldInput(account, assets, i)
			e.Assess(s)
			c.add(s.Out.Liquidation.Price, account.Positions[i].LiquidationPrice)
		}
	}
	if agree == len(equities) {
		compare(account, clean)
	}
	if 2*agree > len(equities) {
		given := *account
		given.Mode, given.CrossAccountValueUSD = mc.ModeDisabled, median
		compare(&given, majority)
	}
}
