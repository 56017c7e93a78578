package risk

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"ballast/compute/joint"
	"ballast/compute/vol"
	mc "ballast/marketcache"
)

// within reports whether got differs from want by at most 1e-9, relative or absolute.
func within(got, want float64) bool {
	return math.Abs(got-want) <= 1e-9 || math.Abs(got-want) <= 1e-9*math.Abs(want)
}

// same fails the test unless got is within 1e-9 of want.
func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !within(got, want) {
		t.Errorf("%s = %.17g, want %.17g", what, got, want)
	}
}

// caseMarket is a market of a reference file.
type caseMarket struct {
	Asset   string                        `json:"asset"`
	Mark    float64                       `json:"mark"`
	Tiers   [][2]float64                  `json:"tiers"`
	Bids    [][2]float64                  `json:"bids"`
	Asks    [][2]float64                  `json:"asks"`
	LossPct map[string]map[string]float64 `json:"loss_pct"`

	OIUSD   float64 `json:"oi_usd"`
	CapUSD  float64 `json:"oi_cap_usd"`
	V24     float64 `json:"volume_24h_usd"`
	Sigma1d float64 `json:"sigma_1d_fraction"`
	Regime  string  `json:"regime"`
	AtCap   bool    `json:"at_cap"`
	Tier    string  `json:"stress_tier"`

	Variance24 float64              `json:"V24"` // 0: no volatility, so that no shock is capped
	Average24  float64              `json:"V0_24"`
	Class      string               `json:"class"`
	Digits     *int                 `json:"sz_decimals"`
	Excursions map[string][]float64 `json:"excursions_24h"`
}

type casePosition struct {
	Asset       string  `json:"asset"`
	Q           float64 `json:"q"`
	Entry       float64 `json:"entry"`
	Leverage    float64 `json:"leverage"`
	Mode        string  `json:"mode"`
	RawUSD      float64 `json:"raw_usd"`
	MaxLeverage float64 `json:"maxLeverage"`
}

type caseRequest struct {
	Asset, Action, Mode string
	Size, Leverage      float64
	Held                bool
}

func (r *caseRequest) trade(id mc.AssetID) Trade {
	t := Trade{
		Asset: id, SizeUSD: r.Size, Leverage: r.Leverage, ModeGiven: r.Mode != "",
		Action: map[string]Action{"long": ActionLong, "short": ActionShort, "close": ActionClose}[r.Action],
	}
	if r.Mode == "isolated" {
		t.Mode = Isolated
	}
	return t
}

type caseInput struct {
	Markets []string `json:"markets"`
	Account struct {
		ABefore   float64        `json:"A_before"`
		TakerBps  float64        `json:"taker_fee_bps"`
		Positions []casePosition `json:"positions"`
		// OtherPools are the equities of the cross pools of other dexes.
		OtherPools map[string]float64 `json:"other_pools"`
		Pooled     string             `json:"pooled"`
		Collateral []struct {
			Asset string  `json:"asset"`
			Units float64 `json:"units"`
		} `json:"collateral"`
		Settings map[string]*struct {
			Type  string  `json:"type"`
			Value float64 `json:"value"`
		} `json:"settings"`
	} `json:"account"`
	Request caseRequest                `json:"request"`
	Changes map[string]json.RawMessage `json:"changes"`
}

func levels(rows [][2]float64) []mc.Level {
	out := make([]mc.Level, len(rows))
	for i, r := range rows {
		out[i] = mc.Level{Price: r[0], Units: r[1]}
	}
	return out
}

// tiersOfRows returns the margin tiers of rows of a lower bound and a maximum leverage.
func tiersOfRows(rows [][2]float64) []mc.Tier {
	var lower, leverage []float64
	for _, r := range rows {
		lower, leverage = append(lower, r[0]), append(leverage, r[1])
	}
	return mc.NewTiers(lower, leverage)
}

// input returns a market of a reference file as a snapshot.
func (m *caseMarket) input(id mc.AssetID) AssetInput {
	asset := &mc.Asset{
		ID: id, Name: m.Asset, MaxLeverage: m.Tiers[0][1], Tiers: tiersOfRows(m.Tiers),
		FeeMultiplier: 1, SizeDigits: 12, // so fine that no size is near a lot
	}
	if dex, _, found := strings.Cut(m.Asset, ":"); found {
		asset.Dex = dex
	}
	if m.Digits != nil {
		asset.SizeDigits = *m.Digits
	}
	model := &mc.AssetModel{Asset: id, Name: m.Asset, Bars: 9000, RegimeProb: [3]float64{1, 0, 0}}
	model.Kappa2 = [4]float64{1, 1, 1, 1}
	sigma := m.Sigma1d
	if sigma == 0 {
		sigma = 0.03
	}
	model.DailySigma = sigma
	variance := vol.AverageVariance(mc.H24, [4]float64{}, 0)
	if m.Variance24 > 0 {
		variance = m.Variance24
	}
	for h, hours := range mc.Horizons {
		model.Variance[h] = variance * float64(hours) / 24
		model.AverageVariance[h] = model.Variance[h]
		if m.Average24 > 0 {
			model.AverageVariance[h] = m.Average24 * float64(hours) / 24
		}
		model.Kappa2[h] = sigma * sigma / model.AverageVariance[mc.H24]
	}
	for c := range mc.ClassCount {
		if c.String() == m.Class {
			model.Class = c
		}
	}
	model.Joint = standingJoint() // a portfolio loses nothing on this asset
	for side, name := range []string{"long", "short"} {
		loss := m.LossPct[name]
		model.Tail[mc.H24][side][mc.P95].PctVaR = loss["pct_95_24h"]
		model.Tail[mc.H24][side][mc.P99].PctVaR = loss["pct_99_24h"]
		model.Tail[mc.H4][side][mc.P99].PctVaR = loss["pct_99_4h"]
		model.Tail[mc.H1][side][mc.P99].PctVaR = loss["pct_99_1h"]
		for h := range model.Excursions {
			copy(model.Excursions[h][side][:], m.Excursions[name])
		}
	}
	switch m.Regime {
	case "stressed":
		model.RegimeState, model.RegimeProb = mc.RegimeStressed, [3]float64{0, 1, 0}
	case "crisis":
		model.RegimeState, model.RegimeProb = mc.RegimeCrisis, [3]float64{0, 0, 1}
	}
	if m.Tier == "T3" {
		model.VolumeUSD7d = 7 * liquidVolumeUSD
	}
	book := mc.MergeBooks(
		[][]mc.Level{levels(m.Bids)}, [][]mc.Level{levels(m.Asks)}, 0)
	return AssetInput{Model: model, Market: mc.Market{
		Asset: asset, Book: book, AtCap: m.AtCap,
		Context: &mc.Context{
			MarkPrice: m.Mark, OraclePrice: m.Mark, MidPrice: m.Mark,
			OpenInterestUnits: m.OIUSD / m.Mark, DayVolumeUSD: m.V24,
		},
		Funding: &mc.FundingStats{},
		// A cap inferred from the last 30 days is only an estimate, and has no weight in the score.
		Interest: &mc.OpenInterestStats{AtCapUSD30d: m.CapUSD},
	}}
}

// snapshot builds the Input of a reference case.
func (c *caseInput) snapshot(t *testing.T, markets map[string]json.RawMessage) *Input {
	t.Helper()
	inputs := map[string]AssetInput{}
	ids := map[string]mc.AssetID{}
	for i, name := range c.Markets {
		var m caseMarket
		for _, raw := range []json.RawMessage{markets[name], c.Changes[name]} {
			if raw == nil {
				continue
			}
			if err := json.Unmarshal(raw, &m); err != nil {
				t.Fatal(err)
			}
		}
		ids[name] = mc.AssetID(i)
		inputs[name] = m.input(ids[name])
	}
	acct := &mc.Account{
		Mode: mc.ModeDisabled, CrossAccountValueUSD: c.Account.ABefore,
		TakerRate: c.Account.TakerBps / 1e4,
	}
	in := &Input{Account: acct, Target: inputs[c.Request.Asset], AsHeld: c.Request.Held}
	c.pools(acct, inputs)
	in.Rows = in.Target.Model
	for _, p := range c.Account.Positions {
		a := inputs[p.Asset]
		max := p.MaxLeverage
		if max == 0 {
			max = a.Market.Asset.MaxLeverage
		}
		acct.Positions = append(acct.Positions, mc.Position{
			Asset: ids[p.Asset], Name: p.Asset, Units: p.Q, EntryPrice: p.Entry,
			ValueUSD: math.Abs(p.Q) * a.Market.Context.MarkPrice, Leverage: p.Leverage,
			Isolated: p.Mode == "isolated", RawUSD: p.RawUSD, MaxLeverage: max,
			Pool: acct.PoolOf(a.Market.Asset),
		})
		in.Held = append(in.Held, a)
	}
	in.Trade = c.Request.trade(ids[c.Request.Asset])
	for name, set := range c.Account.Settings {
		if set != nil {
			acct.Settings = append(acct.Settings, mc.LeverageSetting{
				Asset: ids[name], Leverage: set.Value, Isolated: set.Type == "isolated", ModeKnown: set.Type != "",
			})
		}
	}
	for _, l := range c.Account.Collateral {
		a := inputs[l.Asset]
		acct.Collateral = append(acct.Collateral, mc.Collateral{
			Asset: ids[l.Asset], Name: l.Asset, Units: l.Units, Mark: a.Market.Context.MarkPrice,
		})
		in.Backing = append(in.Backing, a)
	}
	return in
}

// pools lists the account's cross pools, unless there is only that of the main dex.
func (c *caseInput) pools(acct *mc.Account, inputs map[string]AssetInput) {
	c.Account.Collateral = c.Account.Collateral[:len(c.Account.Collateral):len(c.Account.Collateral)]
	switch {
	case c.Account.Pooled == "unified":
		acct.Mode = mc.ModeUnified
	case c.Account.Pooled == "portfolio" || len(c.Account.Collateral) > 0:
		acct.Mode = mc.ModePortfolioMargin
	default:
		acct.Pools = []mc.Pool{{EquityUSD: c.Account.ABefore}}
		for _, name := range c.Markets {
			dex := inputs[name].Market.Asset.Dex
			if equity, listed := c.Account.OtherPools[dex]; listed && acct.PoolOf(inputs[name].Market.Asset) < 0 {
				acct.Pools = append(acct.Pools, mc.Pool{Dex: dex, EquityUSD: equity})
			}
		}
		return
	}
	acct.Pools = []mc.Pool{{Dex: mc.Everywhere, EquityUSD: c.Account.ABefore, CashUSD: c.Account.ABefore}}
}

// standingJoint is the joint history of an asset whose price never moved.
func standingJoint() *mc.Joint {
	m := &mc.AssetModel{Z24: mc.HourlySeries{Values: make([]float64, 100)}}
	m.Variance[mc.H24], m.Variance[mc.H168] = 1e-4, 7e-4
	return joint.Align(m, m)
}

func number(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN() // an invalid level, which MergeBooks must drop
	}
	return x
}
