package risk

import (
	"math"
	"testing"

	"ballast/compute/calib"
	"ballast/compute/joint"
	mc "ballast/marketcache"
)

var fits int // number of fits made so far, to give each its own id

// fit returns a model with volatility sigma over 24 h, outcomes z from hour first on, and a 99 % loss of
// 2.3 times sigma on both sides.
func fit(sigma float64, first int64, z ...float64) *mc.AssetModel {
	fits++
	m := &mc.AssetModel{Asset: mc.AssetID(fits % 1000), Z24: mc.HourlySeries{FirstHour: first, Values: z}}
	m.Kappa2[mc.H24] = 1
	m.Variance[mc.H24] = sigma * sigma
	for side := range m.Tail[mc.H24] {
		m.Tail[mc.H24][side][mc.P99].PctVaR = 230 * sigma
	}
	return m
}

// fitMoves returns a model of an asset: moves are the fractions by which its price moved, hour by hour from hour
// 100 on; long and short are the 99 % losses of a position on either side, percent.
func fitMoves(long, short float64, moves ...float64) *mc.AssetModel {
	m := fit(0.02, 100, make([]float64, len(moves))...)
	for i, x := range moves {
		m.Z24.Values[i] = math.Log1p(x) / 0.02
	}
	m.Tail[mc.H24][mc.Long][mc.P99].PctVaR, m.Tail[mc.H24][mc.Short][mc.P99].PctVaR = long, short
	return m
}

// bookOf returns the portfolio of positions with the given notionals, with its joint loss computed.
func bookOf(rows *mc.AssetModel, notional []float64, fits ...*mc.AssetModel) (*Scratch, *portfolio) {
	s := NewScratch(len(fits))
	s.In.Rows, s.account.target = rows, -1
	for i, f := range fits {
		f.Joint = joint.Align(rows, f)
		calib.Derive(f)
		s.account.positions = append(s.account.positions, position{id: f.Asset, units: notional[i], mark: 1,
			leverage: 1, tiers: tiersOf(&mc.Position{}, &AssetInput{}), in: &AssetInput{Model: f}})
	}
	var none position
	s.account.pools = []marginPool{{position: -1}}
	s.view.plan = tradePlan{kind: held, index: -1}
	s.sumReplay(&s.view.plan)
	s.listLegs(&s.portfolio, &none)
	s.portfolio.var99, s.portfolio.es99 = s.portfolioLoss(&none)
	s.correlate(&s.portfolio)
	return s, &s.portfolio
}

// jointOf returns the joint VaR in USD of positions with the given notionals.
func jointOf(rows *mc.AssetModel, notional []float64, fits ...*mc.AssetModel) float64 {
	if rows != nil {
		rows.Joint = joint.Align(rows, rows)
	}
	_, b := bookOf(rows, notional, fits...)
	if b.es99 < b.var99 {
		panic("expected shortfall below value at risk")
	}
	return b.var99
}

// Five hours computed by hand. The type-7 quantile at 99 % of five losses is the largest loss less
// 4 % of its distance to the second largest.
func TestJointVaRByHand(t *testing.T) {
	btc := fitMoves(3.92, 5.84, -0.04, -0.02, 0, 0.02, 0.06)
	eth := fitMoves(11.68, 7.84, -0.12, 0, 0.04, -0.04, 0.08)
	rows := []struct {
		name     string
		notional []float64
		fits     []*mc.AssetModel
		want     float64
	}{
		// Losses 400, 200, 0, -200, -600.
		{"one long", []float64{10_000}, []*mc.AssetModel{btc}, 400 - 0.04*200},
		// Losses -400, -200, 0, 200, 600.
		{"one short", []float64{-10_000}, []*mc.AssetModel{btc}, 600 - 0.04*400},
		// ETH at 5,000: 600, 0, -200, 200, -400. Together with BTC: 1000, 200, -200, 0, -1000.
		{"two longs", []float64{10_000, 5_000}, []*mc.AssetModel{btc, eth}, 1000 - 0.04*800},
		// BTC minus ETH: -200, 200, 200, -400, -200.
		{"long and short", []float64{10_000, -5_000}, []*mc.AssetModel{btc, eth}, 200},
		{"a perfect hedge", []float64{10_000, -10_000}, []*mc.AssetModel{btc, btc}, 0},
		{"two legs of one asset", []float64{10_000, -15_000}, []*mc.AssetModel{btc, btc}, 0.0584 * 5_000},
		{"a hedge of the same risk", []float64{10_000, -5_000},
			[]*mc.AssetModel{btc, fitMoves(7.84, 11.68, -0.08, -0.04, 0, 0.04, 0.12)}, 0},
		// The rows are scaled to the position's own loss, by a tenth to ten times.
		{"a larger loss of its own", []float64{10_000},
			[]*mc.AssetModel{fitMoves(6, 0, -0.04, -0.02, 0, 0.02, 0.06)}, 600},
		{"of one in two", []float64{10_000, 5_000},
			[]*mc.AssetModel{btc, fitMoves(23.36, 0, -0.12, 0, 0.04, -0.04, 0.08)}, 1600 - 0.04*1400},
		{"at most ten times", []float64{10_000}, []*mc.AssetModel{fitMoves(50, 0, -0.04, -0.02, 0, 0.02, 0.06)}, 3920},
		{"at least a tenth", []float64{10_000}, []*mc.AssetModel{fitMoves(0.1, 0, -0.04, -0.02, 0, 0.02, 0.06)}, 39.2},
		// Losses -50000, 0, 0, 0, 0: a price rises at most fivefold.
		{"a rise", []float64{-10_000}, []*mc.AssetModel{fitMoves(0, 480, 9, 0, 0, 0, 0)}, 48_000},
		{"nothing", nil, nil, 0},
	}
	for _, r := range rows {
		about(t, r.name, jointOf(btc, r.notional, r.fits...), r.want, 1e-9)
	}
	t.Run("losses only", func(t *testing.T) {
		about(t, "gain every hour", jointOf(btc, []float64{1000}, fit(0.02, 100, 1, 2, 1, 2, 1)), 0, 0)
	})
}

func TestBookAfterTheTrade(t *testing.T) {
	s := newSituation(100_000, ActionLong, 30_000)
	s.holds(holding(1, "ETH", -10, 3_000, 10))                       // -30,000
	s.holds(isolatedAt(holding(0, "BTC", 0.5, testMark, 10), 5_000)) // +30,000, and +60,000 after the trade
	s.holds(holding(2, "SOL", 10, 100, 10))                          // +1,000: less than 5 % of gross
	s.in.Rows = s.in.Target.Model
	e, scratch := NewEngine(DefaultAges()), NewScratch(4)
	a := assessWith(t, e, scratch, &s.in)
	if n := len(scratch.portfolio.legs); n != 3 {
		t.Fatalf("%d positions", n)
	}
	for i, want := range []float64{-30_000, 60_000, 1_000} {
		p := &scratch.portfolio.legs[i]
		about(t, "position", p.units*p.mark, want, 1e-6)
	}
	if !a.Flags.Has(FlagConcentrationRisk) { // 60,000 of 91,000
		t.Errorf("flags %v", raised(&a.Flags))
	}
	// SOL's correlation with BTC does not count, because the position is too small.
	s.in.Held[2].Model = s.in.Target.Model
	if a := assessWith(t, e, scratch, &s.in); a.Flags.Has(FlagCorrelatedExposure) {
		t.Error("a position of 1 % of gross raised correlated_exposure")
	}
	s.in.Held[0].Model = s.in.Target.Model // ETH is correlated with BTC, but the position is short
	if a := assessWith(t, e, scratch, &s.in); a.Flags.Has(FlagCorrelatedExposure) {
		t.Error("a hedge raised correlated_exposure")
	}
	s.in.Account.Positions[0].Units = 10
	if a := assessWith(t, e, scratch, &s.in); !a.Flags.Has(FlagCorrelatedExposure) {
		t.Errorf("flags %v for two positions with equal returns", raised(&a.Flags))
	}
	t.Run("closing leaves the others", func(t *testing.T) {
		s.in.Trade = Trade{Asset: 0, Action: ActionClose, SizeUSD: 1e6}
		assessWith(t, e, scratch, &s.in)
		if n := len(scratch.portfolio.legs); n != 2 {
			t.Errorf("%d positions", n)
		}
	})
}
