package risk

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	mc "ballast/marketcache"
)

// about compares a figure with a value computed by hand to a limited number of digits.
func about(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

// oneLevel returns a book of one large level per side, bps away from mid.
func oneLevel(mid, bps, units float64) *mc.Book {
	return mc.MergeBooks(
		[][]mc.Level{{{Price: mid * (1 - bps*1e-4), Units: units}}},
		[][]mc.Level{{{Price: mid * (1 + bps*1e-4), Units: units}}}, 0)
}

// oneTier gives the asset a single margin tier.
func oneTier(a *AssetInput, maxLeverage float64) {
	asset := *a.Market.Asset
	asset.MaxLeverage, asset.Tiers = maxLeverage, mc.NewTiers([]float64{0}, []float64{maxLeverage})
	a.Market.Asset = &asset
}

// The worked example of docs/model.md: an account of 20,000 USD without positions, BTC at 60,000,
// one margin tier of 40x, long 50,000 USD at 10x isolated.
func TestWorkedExample(t *testing.T) {
	setUp := func(bps float64) *situation {
		s := newSituation(20_000, ActionLong, 50_000)
		s.in.Trade.Mode, s.in.Trade.ModeGiven = Isolated, true
		oneTier(&s.in.Target, 40)
		s.in.Target.Market.Book = oneLevel(60_000, bps, 1e6)
		return s
	}
	t.Run("filled at mark", func(t *testing.T) {
		a := setUp(0).assess(t)
		// (0 - 5,000 + 50,000) / (0.83333*(1 - 1/80))
		about(t, "liquidation price", a.Liquidation.Price, 54683.544303797, 1e-6)
		about(t, "distance", a.Liquidation.DistancePct, 8.860759493671, 1e-9)
		about(t, "margin used", a.Liquidation.MarginUsedPct, 25, 1e-9)
		about(t, "effective leverage", a.Liquidation.EffectiveLeverage, 10, 1e-9)
		about(t, "slippage", a.Slippage.Bps, 0, 0)
		about(t, "annualised funding", a.Funding.AnnualizedPct, 10.95, 1e-9)
		about(t, "expected funding", a.Funding.Expected24h, 0.0003, 1e-15)
		about(t, "drag", a.Cost.FundingDrag24hPct, 0.30, 1e-9)
		about(t, "impact", a.Impact.ExpectedBps, 1.178511301978, 1e-9)
		about(t, "participation", a.Impact.ParticipationPct, 0.005, 1e-12)
		about(t, "fee", a.Fees.EstimatedUSD, 22.50, 1e-9)
		about(t, "fee in bps", a.Fees.TakerBps, 4.5, 1e-12)
		about(t, "fee of margin", a.Fees.PctOfMargin, 0.45, 1e-9)
		about(t, "VaR", a.VaR.Pct99_24h, 6.2, 0)
		about(t, "VaR in USD", a.VaR.Dollar99_24h, 3_100, 1e-9)
		about(t, "margin VaR", a.VaR.MarginVaR99Pct, 62, 1e-12)
		about(t, "open interest", a.OpenInterest.CurrentUSD, 1e9, 1e-3)
		// the estimated cap is 1.5 times the largest open interest seen, 4e9
		about(t, "utilization", a.OpenInterest.UtilizationPct, 100.0/6, 1e-9)
	})
	t.Run("filled 1.2 bps from mid", func(t *testing.T) {
		a := setUp(1.2).assess(t)
		about(t, "slippage", a.Slippage.Bps, 1.2, 1e-8)
		about(t, "entry cost", a.Cost.EntryBps, 6.878511, 1e-6)
		about(t, "round trip", a.Cost.RoundTripBps, 13.757023, 1e-6)
		about(t, "breakeven", a.Cost.BreakevenMovePct, 0.16757023, 1e-8)
		about(t, "cost score", a.Cost.Score, 1-math.Exp(-(13.757022604+3)/40), 1e-9)
		// Isolated margin 5,000 less 0.83333*(60,007.2-60,000) = 6.00 of slippage:
		// (-4,994 + 50,000)/(0.83333*(1-1/80)).
		about(t, "liquidation price", a.Liquidation.Price, 54690.835443038, 1e-6)
	})
}

// raised returns the names of the flags of a set.
func raised(f *FlagSet) (out []string) {
	for i := range FlagCount {
		if f.Has(i) {
			out = append(out, i.String())
		}
	}
	return out
}

// liq computes the venue's liquidation price by hand, for one margin tier of 40x.
func liq(equity, others, q, mark float64) float64 {
	return (others - equity + q*mark) / (q - math.Abs(q)/80)
}

// Trades that leave no position, and the flags of a close of too much or of nothing. A lot is 1e-5 BTC, 0.60 USD.
func TestNothingLeft(t *testing.T) {
	for _, r := range []struct {
		name    string
		held    float64
		action  Action
		sizeUSD float64
		flag    Flag // FlagCount: none
	}{
		{"opposite of exactly the position", 1, ActionShort, 60_000, FlagCount},
		{"opposite of less than a lot more", -1, ActionLong, 60_000 + 0.59, FlagCount},
		{"close all but less than a lot", 1, ActionClose, 60_000 - 0.59, FlagCount},
		{"close more than there is", 1, ActionClose, 1e6, FlagSizeExceedsPosition},
		{"close without a position", 0, ActionClose, 60_000, FlagNoOpenPosition},
	} {
		t.Run(r.name, func(t *testing.T) {
			s := newSituation(20_000, r.action, r.sizeUSD)
			if r.held != 0 {
				s.holds(holding(0, "BTC", r.held, 60_000, 10))
			}
			a := s.assess(t)
			checkFlat(t, a)
			for _, f := range []Flag{FlagSizeExceedsPosition, FlagNoOpenPosition} {
				if a.Flags.Has(f) != (f == r.flag) {
					t.Errorf("flags %v", raised(&a.Flags))
				}
			}
			if a.RiskScore > 30 || a.Recommendation != Proceed {
				t.Errorf("a trade that only reduces scores %v, %s", a.RiskScore, a.Recommendation)
			}
		})
	}
}

// A size one lot away from the whole is not the whole, whatever the rounding of large sizes.
func TestWithinLot(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 20_000 {
		digits := r.IntN(6)
		lots, lot, mark := math.Floor(math.Exp(24*r.Float64())), lotOf(digits), math.Exp(10*r.Float64())
		decimal := strconv.FormatFloat(lots*lot, 'f', digits, 64)
		whole, err := strconv.ParseFloat(decimal, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []float64{(lots - 1) * lot, whole - lot, (whole - lot) * mark / mark} {
			if withinLot(size, whole, lot) || withinLot(whole, whole+whole-size, lot) {
				t.Fatalf("%v is the whole of %s", size, decimal)
			}
		}
		if part := whole - 0.9*lot; !withinLot(part, whole, lot) || !withinLot(whole, part, lot) {
			t.Fatalf("%v is not the whole of %s", part, decimal)
		}
	}
}

// checkFlat checks the figures after a position is closed completely.
func checkFlat(t *testing.T, a *Assessment) {
	t.Helper()
	if a.Liquidation.Price != 0 || a.Liquidation.DistancePct != 100 || a.Liquidation.EffectiveLeverage != 0 ||
		a.Liquidation.NearBackstop {
		t.Errorf("liquidation %+v of a flat position", a.Liquidation)
	}
	v := a.VaR
	if v.Pct95_24h+v.Pct99_24h+v.Pct99_4h+v.Pct99_7d+v.ES95_24h+v.ES99_24h+v.Dollar99_7d+v.LVaR99_24h != 0 ||
		v.MarginVaR99Pct != 0 {
		t.Errorf("VaR %+v of a flat position", v)
	}
	if !v.HasForecast || v.Forecast.Sigma1d == 0 {
		t.Error("the volatility forecast is missing without a position")
	}
	for i, r := range a.Stress {
		if r != (StressResult{LiquidationDistancePct: 100, Survives: true}) {
			t.Errorf("%s: %+v of a flat position", Scenarios[i].ID, r)
		}
	}
	if a.Cost.RoundTripBps != a.Cost.EntryBps || a.Cost.FundingDrag24hPct != 0 {
		t.Errorf("cost %+v of a flat position", a.Cost)
	}
}

// A position assessed as held has the cost of closing it completely.
func TestHeldPosition(t *testing.T) {
	s := newSituation(20_000, ActionLong, 1)
	s.holds(holding(0, "BTC", -50, 60_000, 10)) // 3 M USD against levels of 1 M
	s.in.AsHeld = true
	a := s.assess(t)
	closing := newSituation(20_000, ActionClose, 1e8)
	closing.holds(holding(0, "BTC", -50, 60_000, 10))
	c := closing.assess(t)
	if a.Slippage != c.Slippage || a.Slippage.Bps < 1 {
		t.Errorf("slippage %+v, that of closing it whole is %+v", a.Slippage, c.Slippage)
	}
	if a.Impact != c.Impact || a.Impact.ExpectedBps == 0 {
		t.Errorf("impact %+v, that of closing it whole is %+v", a.Impact, c.Impact)
	}
	x := &a.Explanation
	if x.Scores[ComponentSlippage] == 0 || x.Scores[ComponentImpact] == 0 {
		t.Errorf("components %v: the exit cost is not in the score", x.Scores)
	}
	if x.HardRules[ruleLiquidation] == 0 || a.RiskScore <= 30 || a.Recommendation == Proceed {
		t.Errorf("score %v (%v) of a position in deep loss as held: no limit of 30 may apply", a.RiskScore,
			x.HardRules)
	}
	for h, f := range x.HardRules {
		held := []int{ruleLiquidation, ruleBookLoss, ruleProbability, ruleProbability7d, ruleStress,
			ruleNegativeEquity, ruleFunding}
		if f != 0 && !slices.Contains(held, h) {
			t.Errorf("rule %s applies to a position as held", HardRuleNames[h])
		}
	}
	about(t, "fee", a.Fees.EstimatedUSD, 0, 0)
	about(t, "equity kept", a.Liquidation.EffectiveLeverage, 150, 1e-9)
	if a.Sizing != (Sizing{}) {
		t.Errorf("sizing %+v of a position as held", a.Sizing)
	}
	t.Run("thin book for its way out", func(t *testing.T) {
		s.in.Target.Market.Book = testBook(60_000, 5e4)
		if a := s.assess(t); !a.Flags.Has(FlagThinBook) || !a.Flags.Has(FlagHighSlippage) {
			t.Errorf("flags %v", raised(&a.Flags))
		}
	})
	t.Run("the position is gone", func(t *testing.T) {
		s := newSituation(20_000, ActionLong, 1)
		s.in.AsHeld = true
		checkFlat(t, s.assess(t))
		s.holds(isolatedAt(holding(1, "ETH", 1, 3_000, 10), 300)).holds(holding(2, "SOL", 1, 100, 10)) // other pools
		checkFlat(t, s.assess(t))
	})
}

func TestZeroEquity(t *testing.T) {
	s := newSituation(0, ActionLong, 60_000)
	s.in.Target.Market.Book = oneLevel(60_000, 0, 1e6)
	oneTier(&s.in.Target, 40)
	a := s.assess(t)
	if !a.Flags.Has(FlagNoAccountEquity) || a.Liquidation.MarginUsedPct != 100 {
		t.Errorf("flags %v, margin used %v", raised(&a.Flags), a.Liquidation.MarginUsedPct)
	}
	about(t, "price", a.Liquidation.Price, liq(6_000, 0, 1, 60_000), 1e-6)
	about(t, "effective leverage", a.Liquidation.EffectiveLeverage, 10, 1e-9)
	for _, h := range []int{ruleMarginShort, ruleBookLoss, ruleStress} { // a deposit of 6,000 fails every crash
		if a.Explanation.HardRules[h] != 0 || a.Flags.Has(FlagAccountFailsStress) {
			t.Errorf("%s applies to an empty account: %v, flags %v", HardRuleNames[h], a.Explanation.HardRules,
				raised(&a.Flags))
		}
	}
	if a.Explanation.Failed == 0 || a.Sizing.MaxSafeUSD != 0 {
		t.Errorf("failed scenarios %b, %+v", a.Explanation.Failed, a.Sizing)
	}
	t.Run("an underwater position stays underwater", func(t *testing.T) {
		s := newSituation(-500, ActionShort, 6_000)
		s.holds(holding(0, "BTC", 1, 60_000, 10))
		a := s.assess(t)
		if a.Liquidation.DistancePct != 0 || !a.Flags.Has(FlagNegativeAccountEquity) ||
			a.Flags.Has(FlagNoAccountEquity) ||
			a.Liquidation.EffectiveLeverage != 1000 {
			t.Errorf("%+v, flags %v", a.Liquidation, raised(&a.Flags))
		}
	})
	t.Run("less than a dollar is none", func(t *testing.T) {
		s := newSituation(0.99, ActionLong, 60_000)
		if a := s.assess(t); !a.Flags.Has(FlagNoAccountEquity) || a.Explanation.HardRules[ruleMarginShort] != 0 {
			t.Errorf("flags %v, rules %v", raised(&a.Flags), a.Explanation.HardRules)
		}
	})
	t.Run("one dollar is equity", func(t *testing.T) {
		s := newSituation(1, ActionLong, 60_000)
		if a := s.assess(t); a.Flags.Has(FlagNoAccountEquity) || a.Explanation.HardRules[ruleMarginShort] != 85 {
			t.Errorf("flags %v, rules %v", raised(&a.Flags), a.Explanation.HardRules)
		}
	})
	t.Run("isolated counts the whole account", func(t *testing.T) {
		s := newSituation(0, ActionLong, 60_000)
		s.holds(isolatedAt(holding(1, "ETH", 1, 3_000, 10), 500))
		s.in.Trade.Mode, s.in.Trade.ModeGiven = Isolated, true
		if a := s.assess(t); a.Flags.Has(FlagNoAccountEquity) || a.Explanation.HardRules[ruleMarginShort] != 85 {
			t.Errorf("flags %v, rules %v", raised(&a.Flags), a.Explanation.HardRules)
		}
	})
}

func TestLeverageOmitted(t *testing.T) {
	rows := []struct {
		name   string
		change func(s *situation)
		asked  float64
		used   float64
	}{
		{"the request's", func(s *situation) { s.in.Trade.Leverage = 7 }, 7, 7},
		{"the venue's default", func(s *situation) {}, 20, 20},
		{"the asset's maximum where that is less", func(s *situation) { oneTier(&s.in.Target, 5) }, 5, 5},
		{"the wallet's setting", func(s *situation) {
			s.in.Account.Settings = []mc.LeverageSetting{{Asset: 1, Leverage: 9}, {Asset: 0, Leverage: 3}}
		}, 3, 3},
		{"a setting of nothing does not count", func(s *situation) {
			s.in.Account.Settings = []mc.LeverageSetting{{Asset: 0, Leverage: 0}}
		}, 20, 20},
		{"the position's, before the setting", func(s *situation) {
			s.in.Account.Settings = []mc.LeverageSetting{{Asset: 0, Leverage: 3}}
			s.holds(holding(0, "BTC", 0.1, 60_000, 12))
		}, 12, 12},
		{"the request's before the position's", func(s *situation) {
			s.in.Trade.Leverage = 7
			s.holds(holding(0, "BTC", 0.1, 60_000, 12))
		}, 7, 7},
		{"another asset's position says nothing", func(s *situation) {
			s.holds(holding(1, "ETH", 1, 3_000, 12))
		}, 20, 20},
		{"above the tier: its maximum is used", func(s *situation) {
			s.in.Trade.Leverage, s.in.Trade.SizeUSD = 40, 1e8
			s.holds(holding(0, "BTC", 1000, 60_000, 12))
		}, 40, 20},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := newSituation(20_000, ActionLong, 10_000)
			s.in.Trade.Leverage = 0
			r.change(s)
			var acct account
			acct.read(&s.in)
			mk := viewOf(&s.in.Target)
			p := planOf(&s.in.Trade, false, s.in.Account, &acct, &mk)
			if p.asked != r.asked || p.leverage != r.used {
				t.Errorf("leverage %v, used %v; want %v, %v", p.asked, p.leverage, r.asked, r.used)
			}
			a := s.assess(t)
			if over := r.asked > r.used; a.Flags.Has(FlagTierLeverageExceeded) != over ||
				(a.Explanation.HardRules[ruleTierLeverage] == 80) != over {
				t.Errorf("flags %v, rules %v", raised(&a.Flags), a.Explanation.HardRules)
			}
		})
	}
}
