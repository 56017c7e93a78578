package risk

import (
	"fmt"
	"math"
	"testing"

	mc "ballast/marketcache"
)

// ofBook gives the target a book.
func ofBook(bids, asks []mc.Level) func(s *situation) {
	return func(s *situation) {
		s.in.Target.Market.Book = mc.MergeBooks([][]mc.Level{bids}, [][]mc.Level{asks}, 0)
	}
}

// atMark moves the target to another mark, at which its position keeps its notional.
func atMark(p float64) func(s *situation) {
	return func(s *situation) {
		s.in.Target = testInput(0, "BTC", p)
		if len(s.in.Account.Positions) > 0 {
			pos := &s.in.Account.Positions[0]
			pos.Units *= pos.ValueUSD / math.Abs(pos.Units) / p
		}
	}
}

// degenerateStates should not occur in a market.
var degenerateStates = []struct {
	name   string
	change func(s *situation)
	opens  []Flag // flags that an opening trade must have
}{
	{"empty book", ofBook(nil, nil), []Flag{FlagThinBook, FlagExtremeSlippage, FlagHighSlippage}},
	{"no asks", ofBook([]mc.Level{{Price: 59_990, Units: 100}}, nil), nil},
	{"no bids", ofBook(nil, []mc.Level{{Price: 60_010, Units: 100}}), nil},
	{"crossed", ofBook([]mc.Level{{Price: 60_100, Units: 100}}, []mc.Level{{Price: 59_900, Units: 100}}), nil},
	{"locked", ofBook([]mc.Level{{Price: 60_000, Units: 100}}, []mc.Level{{Price: 60_000, Units: 100}}), nil},
	{"one level exactly at mid's side", ofBook([]mc.Level{{Price: 60_000, Units: 1e-20}}, nil),
		[]Flag{FlagThinBook}},
	{"dust in the book", ofBook([]mc.Level{{Price: 59_990, Units: 1e-25}},
		[]mc.Level{{Price: 60_010, Units: 1e-25}}),
		[]Flag{FlagThinBook}},
	{"book far from mark", ofBook([]mc.Level{{Price: 1e-20, Units: 1}}, []mc.Level{{Price: 1e20, Units: 1}}),
		[]Flag{FlagThinBook}},
	{"no volume", func(s *situation) {
		s.in.Target.Market.Context.DayVolumeUSD = 0
		s.in.Target.Model.VolumeUSD7d, s.in.Target.Model.VolumeUSD30d = 0, 0
	}, []Flag{FlagLowVolume}},
	{"hardly any volume", func(s *situation) {
		s.in.Target.Market.Context.DayVolumeUSD, s.in.Target.Model.VolumeUSD7d = 5e-324, 0
	}, []Flag{FlagLowVolume, FlagHighImpact}},
	{"no funding", func(s *situation) {
		s.in.Target.Market.Context.HasFunding, s.in.Target.Market.Funding, s.in.Target.Market.CEX = false,
			&mc.FundingStats{}, nil
	}, nil},
	{"no statistics", func(s *situation) {
		s.in.Target.Market.Samples, s.in.Target.Market.Interest = nil, nil
	}, nil},
	{"nothing open", func(s *situation) { s.in.Target.Market.Context.OpenInterestUnits = 0 }, nil},
	{"at the cap", func(s *situation) { s.in.Target.Market.AtCap = true }, []Flag{FlagOIAtCap}},
	{"nothing known of the asset", func(s *situation) {
		s.in.Target.Model = unknownModel()
	}, []Flag{FlagNewListing, FlagLimitedHistory}},
	{"no volatility", func(s *situation) {
		models := []*mc.AssetModel{s.in.Target.Model}
		for i := range s.in.Held {
			models = append(models, s.in.Held[i].Model)
		}
		for _, m := range models {
			m.Variance, m.Kappa2, m.Tail = [4]float64{}, [4]float64{}, [4][2][2]mc.TailQuantile{}
		}
	}, nil},
	{"all that can be lost", func(s *situation) {
		for h := range s.in.Target.Model.Tail {
			s.in.Target.Model.Variance[h] = 100
			for l := range mc.LevelCount {
				s.in.Target.Model.Tail[h][mc.Long][l] = mc.TailQuantile{PctVaR: 100, PctES: 100}
				s.in.Target.Model.Tail[h][mc.Short][l] = mc.TailQuantile{PctVaR: 500, PctES: 500}
			}
		}
	}, []Flag{FlagHighVaR, FlagNearLiquidation, FlagNearBackstop}},
	{"mark tiny", atMark(1e-9), nil},
	{"mark huge", atMark(1e12), nil},
	{"mark at the edge of numbers", atMark(1e-25), nil},
	{"mark at the other edge", atMark(1e25), nil},
	{"no equity", func(s *situation) { s.in.Account.CrossAccountValueUSD = 0 }, []Flag{FlagNoAccountEquity}},
	{"negative equity", func(s *situation) {
		s.in.Account.CrossAccountValueUSD = -1e7
	}, []Flag{FlagNegativeAccountEquity, FlagInsufficientMargin}},
	{"infinite wealth, nearly", func(s *situation) { s.in.Account.CrossAccountValueUSD = 1e15 }, nil},
	{"one tier at 1x", func(s *situation) { oneTier(&s.in.Target, 1) }, nil},
	{"stale", func(s *situation) { s.in.Stale = true }, []Flag{FlagStaleMarketData}},
}

// Degenerate states with every action: all figures must be finite and within bounds, and the flags must name
// the problem.
func TestDegenerateStates(t *testing.T) {
	positions := []struct {
		name string
		set  func(s *situation)
	}{
		{"flat", func(s *situation) {}},
		{"long", func(s *situation) { s.holds(holding(0, "BTC", 1, testMark, 10)) }},
		{"long in a pool", func(s *situation) {
			s.holds(holding(0, "BTC", 1, testMark, 10)).holds(holding(1, "ETH", -10, 3_000, 10))
		}},
		{"short isolated", func(s *situation) { s.holds(isolatedAt(holding(0, "BTC", -1, testMark, 10), 6_000)) }},
	}
	sizes := []float64{5e-324, 1e-300, 1e-9, 1, 50_000, MaxSizeUSD}
	for _, r := range degenerateStates {
		t.Run(r.name, func(t *testing.T) {
			for _, p := range positions {
				s := newSituation(20_000, ActionLong, 1)
				p.set(s)
				r.change(s)
				if len(s.in.Held) > 0 {
					s.in.Held[0] = s.in.Target
				}
				s.in.Rows = s.in.Target.Model
				tie(&s.in)
				e, scratch := NewEngine(DefaultAges()), NewScratch(2)
				for i := range 3 * 2 * len(sizes) {
					action, mode, size := Action(i%3), Mode(i/3%2), sizes[i/6]
					s.in.Trade = Trade{Action: action, SizeUSD: size, Leverage: 10, Mode: mode, ModeGiven: true}
					scratch.In = s.in
					e.Assess(scratch)
					what := fmt.Sprintf("%s of %v %s, %s", action, size, mode, p.name)
					a := &scratch.Out
					if why := broken(a); why != "" {
						t.Errorf("%s: %s", what, why)
					}
					if action == ActionClose && (a.RiskScore > 30 || a.Recommendation != Proceed) {
						t.Errorf("%s: %v %s", what, a.RiskScore, a.Recommendation)
					}
					if action == ActionClose || p.name != "flat" || size != 50_000 {
						continue
					}
					for _, f := range r.opens {
						if !a.Flags.Has(f) {
							t.Errorf("%s: %s is not raised: %v", what, f, raised(&a.Flags))
						}
					}
				}
			}
		})
	}
}

// holdsMany adds two hundred positions to a wallet, a third of them in delisted and a third in unknown assets.
func (s *situation) holdsMany() {
	unknown := unknownModel()
	for i := 1; i <= 200; i++ {
		name, units := fmt.Sprint("A", i), float64(10*(1-2*(i%2)))
		switch i % 3 {
		case 0: // unknown: no market data at all, valued at the venue's mark
			p := holding(mc.NoAsset, name, units, 100, 10)
			p.MaxLeverage = 0
			s.in.Account.Positions = append(s.in.Account.Positions, p)
			s.in.Held = append(s.in.Held, AssetInput{Model: unknown})
		case 1:
			s.holds(holding(mc.AssetID(i), name, units, 100, 10))
		case 2: // delisted: listed earlier, receives no context any more
			s.holds(isolatedAt(holding(mc.AssetID(i), name, units, 100, 10), 100))
			h := &s.in.Held[i-1]
			a := *h.Market.Asset
			a.Delisted = true
			*h = AssetInput{Model: unknown, Market: mc.Market{Asset: &a, BookAge: -1, ContextAge: -1}}
		}
	}
}

// An unknown asset has the strictest margin there is, unless its position tells a maximum leverage.
func TestMarginOfAnUnknownAsset(t *testing.T) {
	for maxLeverage, want := range map[float64]float64{0: 500, 5: 100} {
		p := holding(mc.NoAsset, "GONE", 10, 100, 10)
		p.MaxLeverage = maxLeverage
		tiers := tiersOf(&p, &AssetInput{})
		about(t, "maintenance", tiers.maintenance(1_000), want, 1e-9)
	}
}

// Two delisted assets share the fit of an unknown asset, but are not one asset: 0.6 with each other, too.
func TestDelistedAssetsAreDistinct(t *testing.T) {
	s := newSituation(1e6, ActionLong, 50_000)
	unknown := unknownModel()
	for id, name := range map[mc.AssetID]string{1: "OLD", 2: "GONE"} {
		s.holds(holding(id, name, 10, 100, 10))
		s.in.Held[len(s.in.Held)-1].Model = unknown
	}
	scratch := NewScratch(3)
	assessWith(t, NewEngine(DefaultAges()), scratch, &s.in)
	for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
		about(t, fmt.Sprint("correlation of ", pair), scratch.portfolio.correlation(pair[0], pair[1]), 0.6, 1e-12)
	}
}
