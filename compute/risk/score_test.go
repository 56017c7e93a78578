package risk

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func drawScoreInput(t *rapid.T) ScoreInput {
	f := func(label string, hi float64) float64 {
		// Knots of curves and zero are drawn as often as values in between.
		return rapid.OneOf(rapid.Float64Range(0, hi), rapid.SampledFrom([]float64{0, hi / 2, hi, 1, 5, 50, 100})).Draw(
			t,
			label)
	}
	p := rapid.Float64Range(0, 1).Draw(t, "p1")
	q := rapid.Float64Range(0, 1-p).Draw(t, "p2")
	return ScoreInput{
		Held:        rapid.IntRange(0, 3).Draw(t, "held") == 0,
		DistancePct: f("distance", 100), Pct99_24h: f("move 24h", 30), Pct99_4h: f("move 4h", 20),
		MarginVaRPct: f("margin VaR", 500), IncreaseUSD: f("increase", 1e6), CapObserved: rapid.Bool().Draw(t,
			"cap observed"), OpenInterestUSD: f("interest", 1e7),
		AtCap: rapid.Bool().Draw(t, "at cap"), UtilizationPct: f("utilization", 100), SlippageBps: f("slippage", 600),
		AgentPays: rapid.Bool().Draw(t, "pays"), FundingDragPct: f("drag", 20), AnnualizedPct: f("annualized", 400),
		ImpactBps: f("impact", 400), PositionsAfter: rapid.IntRange(0, 4).Draw(t, "positions"),
		AccountValueUSD: f("equity", 1e5), PortfolioLoss99: f("portfolio", 2e5),
		RegimeProb:  [3]float64{1 - p - q, p, q},
		MarginShort: rapid.Bool().Draw(t, "short"), LeverageOverTier: rapid.Bool().Draw(t, "over"),
		Probability24h: f("probability", 1), Probability7d: f("probability of a week", 1),
		StressLoad: f("load", 10), FundingShare: f("funding share", 2), NegativeEquity: rapid.Bool().Draw(t,
			"negative"),
		RoundTripBps: f("round trip", 600), ParticipationPct: f("participation", 200), AssumedMarginUSD: f("assumed",
			2e5),
	}
}

// worse holds, for every raw figure, a function that makes it worse by x >= 0.
var worse = map[string]func(in *ScoreInput, x float64){
	"distance":          func(in *ScoreInput, x float64) { in.DistancePct = max(0, in.DistancePct-x) },
	"daily move":        func(in *ScoreInput, x float64) { in.Pct99_24h += x },
	"4 h move":          func(in *ScoreInput, x float64) { in.Pct99_4h += x },
	"margin VaR":        func(in *ScoreInput, x float64) { in.MarginVaRPct += x },
	"increase":          func(in *ScoreInput, x float64) { in.IncreaseUSD += 1e4 * x },
	"open interest":     func(in *ScoreInput, x float64) { in.OpenInterestUSD /= 1 + x },
	"at the cap":        func(in *ScoreInput, x float64) { in.AtCap = true },
	"utilization":       func(in *ScoreInput, x float64) { in.UtilizationPct += x },
	"slippage":          func(in *ScoreInput, x float64) { in.SlippageBps += x },
	"paying":            func(in *ScoreInput, x float64) { in.AgentPays = true },
	"drag":              func(in *ScoreInput, x float64) { in.FundingDragPct += x },
	"annualized":        func(in *ScoreInput, x float64) { in.AnnualizedPct += x },
	"impact":            func(in *ScoreInput, x float64) { in.ImpactBps += x },
	"portfolio loss":    func(in *ScoreInput, x float64) { in.PortfolioLoss99 += 1e3 * x },
	"probability":       func(in *ScoreInput, x float64) { in.Probability24h = min(1, in.Probability24h+x/100) },
	"a week's":          func(in *ScoreInput, x float64) { in.Probability7d = min(1, in.Probability7d+x/100) },
	"stress load":       func(in *ScoreInput, x float64) { in.StressLoad += x / 10 },
	"funding share":     func(in *ScoreInput, x float64) { in.FundingShare += x / 100 },
	"negative equity":   func(in *ScoreInput, x float64) { in.NegativeEquity = true },
	"round trip":        func(in *ScoreInput, x float64) { in.RoundTripBps += 10 * x },
	"participation":     func(in *ScoreInput, x float64) { in.ParticipationPct += x },
	"assumed deposit":   func(in *ScoreInput, x float64) { in.AssumedMarginUSD += 1e4 * x },
	"margin short":      func(in *ScoreInput, x float64) { in.MarginShort = true },
	"leverage":          func(in *ScoreInput, x float64) { in.LeverageOverTier = true },
	"stressed likelier": func(in *ScoreInput, x float64) { in.RegimeProb[1] = min(1, in.RegimeProb[1]+x/100) },
	"crisis likelier":   func(in *ScoreInput, x float64) { in.RegimeProb[2] = min(1, in.RegimeProb[2]+x/100) },
	"less equity, if any is left": func(in *ScoreInput, x float64) {
		if in.AccountValueUSD >= minEquity {
			in.AccountValueUSD = max(minEquity, in.AccountValueUSD/(1+x))
		}
	},
}

// scored holds the results of the score.
type scored struct {
	rounded        float64
	recommendation Recommendation
	terms          Terms
}

func scoreOf(in ScoreInput) (s scored) {
	s.rounded, s.recommendation = in.Compose(&s.terms)
	return s
}

// A trade that is worse in one raw figure never has a lower score.
func TestScoreIsMonotone(t *testing.T) {
	names := make([]string, 0, len(worse))
	for name := range worse {
		names = append(names, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		in := drawScoreInput(t)
		before := scoreOf(in)
		x := rapid.Float64Range(0, 100).Draw(t, "by")
		for _, name := range names {
			bad := in
			worse[name](&bad, x)
			after := scoreOf(bad)
			if after.terms.RawScore < before.terms.RawScore-1e-9 {
				t.Fatalf("%s worse by %v: %v falls to %v", name, x, before.terms.RawScore, after.terms.RawScore)
			}
			if after.recommendation < before.recommendation {
				t.Fatalf("%s worse: %s becomes %s", name, before.recommendation, after.recommendation)
			}
		}
	})
}

// The score can be recomputed from its explanation.
func TestExplanationAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawScoreInput(t)
		got := scoreOf(in)
		x := &got.terms
		base := 0.0
		weights := []float64{0.35, 0.25, 0.15, 0.10, 0.10, 0.05}
		if !in.CapObserved { // an estimated cap has no weight, and the other components share its weight
			weights = []float64{0.35 / 0.85, 0.25 / 0.85, 0, 0.10 / 0.85, 0.10 / 0.85, 0.05 / 0.85}
		}
		if x.OICapEstimated() == in.CapObserved {
			t.Fatal("oi_cap_estimated is wrong")
		}
		for i, w := range weights {
			if c := x.Scores[i]; !(c >= 0 && c <= 100) {
				t.Fatalf("component %s is %v", Component(i), c)
			}
			base += w * x.Scores[i]
		}
		floor := 0.0
		for _, f := range x.HardRules {
			floor = max(floor, f)
		}
		raw := math.Min(100, math.Max(base+x.Interaction+x.Portfolio+x.Regime, floor))
		reduces := in.IncreaseUSD == 0 && !in.Held
		if reduces {
			raw = math.Min(raw, 30)
		}
		if math.Abs(raw-x.RawScore) > 1e-9 || math.Abs(got.rounded-raw) > 0.5e-4+1e-9 || x.Floor != floor {
			t.Fatalf("recomputed %v, raw %v, rounded %v", raw, x.RawScore, got.rounded)
		}
		want := Proceed
		switch {
		case reduces || got.rounded <= 40:
		case got.rounded <= 70:
			want = ProceedWithCaution
		default:
			want = Abort
		}
		if got.recommendation != want {
			t.Fatalf("%v is %s", got.rounded, got.recommendation)
		}
	})
}

// calm returns the inputs of a trade for which no component or rule is raised.
func calm() ScoreInput {
	return ScoreInput{
		DistancePct: 60, Pct99_24h: 5, Pct99_4h: 2.5, IncreaseUSD: 100, OpenInterestUSD: 1e9,
		CapObserved:     true,
		AccountValueUSD: 1e4, RegimeProb: [3]float64{1, 0, 0},
	}
}

func TestHardRules(t *testing.T) {
	rows := []struct {
		name   string
		change func(in *ScoreInput)
		want   [hardRuleCount]float64
	}{
		{"none", func(in *ScoreInput) {}, [hardRuleCount]float64{}},
		{"H1 at 1.5 moves", func(in *ScoreInput) { in.DistancePct = 3.75 }, [hardRuleCount]float64{}},
		{"H1 at one move", func(in *ScoreInput) { in.DistancePct = 2.5 }, [hardRuleCount]float64{75}},
		{"H1 past", func(in *ScoreInput) { in.DistancePct = 0 }, [hardRuleCount]float64{98}},
		{"H1 has a floor under the move", func(in *ScoreInput) {
			in.DistancePct, in.Pct99_4h = 0.25, 0
		}, [hardRuleCount]float64{75}},
		{"H2", func(in *ScoreInput) { in.AtCap = true }, [hardRuleCount]float64{1: 85}},
		{"H3", func(in *ScoreInput) { in.MarginShort = true }, [hardRuleCount]float64{2: 85}},
		{"H13", func(in *ScoreInput) { in.PricesDiverge = true }, [hardRuleCount]float64{ruleDivergence: 71}},
		{"H4 at 100 bps", func(in *ScoreInput) { in.SlippageBps = 100 }, [hardRuleCount]float64{}},
		{"H4 at 150 bps", func(in *ScoreInput) { in.SlippageBps = 150 }, [hardRuleCount]float64{3: 60}},
		{"H4 far out", func(in *ScoreInput) { in.SlippageBps = 5000 }, [hardRuleCount]float64{3: 90}},
		{"H5", func(in *ScoreInput) { in.LeverageOverTier = true }, [hardRuleCount]float64{4: 80}},
		{"H6", func(in *ScoreInput) { in.PositionsAfter, in.PortfolioLoss99 = 1, 1e4 }, [hardRuleCount]float64{5: 75}},
		{"H6 of a small account", func(in *ScoreInput) {
			in.PositionsAfter, in.PortfolioLoss99, in.AccountValueUSD = 2, 0.5, 0.5
		}, [hardRuleCount]float64{5: 75}},
		{"H6 of no position", func(in *ScoreInput) {
			in.PositionsAfter, in.PortfolioLoss99 = 0, 1e4
		}, [hardRuleCount]float64{}},
		{"H6 without equity", func(in *ScoreInput) {
			in.PositionsAfter, in.PortfolioLoss99, in.AccountValueUSD = 2, 1e4, 0.0099
		}, [hardRuleCount]float64{}},
		{"H7b", func(in *ScoreInput) { in.Probability7d = 0.15 }, [hardRuleCount]float64{ruleProbability7d: 41}},
		{"H8", func(in *ScoreInput) { in.StressLoad = 3 }, [hardRuleCount]float64{ruleStress: 50}},
		{"H11", func(in *ScoreInput) { in.ParticipationPct = 100 }, [hardRuleCount]float64{ruleParticipation: 60}},
		{"H14", func(in *ScoreInput) { in.FundingShare = 0.5 }, [hardRuleCount]float64{ruleFunding: 41}},
		{"a pool that could not be read", func(in *ScoreInput) {
			in.PoolUnread, in.DistancePct, in.Probability24h, in.Probability7d, in.StressLoad = true, 0, 1, 1, 9
			in.NegativeEquity, in.FundingShare, in.AtCap = true, 9, true
		}, [hardRuleCount]float64{ruleAtCap: 85}},
		{"nothing increases: no rule", func(in *ScoreInput) {
			in.IncreaseUSD, in.DistancePct, in.AtCap, in.MarginShort, in.SlippageBps, in.LeverageOverTier,
				in.PricesDiverge = 0,
				0, true, true, 500, true, true
			in.PositionsAfter, in.PortfolioLoss99 = 2, 1e5
		}, [hardRuleCount]float64{}},
		{"as Held: H1 and H6", func(in *ScoreInput) {
			in.Held, in.IncreaseUSD, in.DistancePct, in.AtCap, in.MarginShort, in.SlippageBps,
				in.LeverageOverTier = true, 0, 0,
				true, true, 500, true
			in.PositionsAfter, in.PortfolioLoss99 = 2, 1e4
		}, [hardRuleCount]float64{98, 0, 0, 0, 0, 75}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			in := calm()
			r.change(&in)
			got := scoreOf(in)
			for h, want := range r.want {
				about(t, "rule", got.terms.HardRules[h], want, 1e-9)
				if got.terms.RawScore < want {
					t.Errorf("score %v under its floor %v", got.terms.RawScore, want)
				}
			}
		})
	}
}

func TestInteraction(t *testing.T) {
	rows := []struct {
		name   string
		scores [ComponentCount]float64
		want   float64
	}{
		{"none above 50", [ComponentCount]float64{50, 50, 50, 50, 50, 50}, 0},
		{"one alone", [ComponentCount]float64{100}, 0},
		{"two at 100", [ComponentCount]float64{100, 100}, 20.0 / 3},
		{"three at 100", [ComponentCount]float64{100, 100, 100}, 20},
		{"all at 100: bounded", [ComponentCount]float64{100, 100, 100, 100, 100, 100}, 20},
		{"two at 75", [ComponentCount]float64{75, 0, 75}, 20 * 0.25 / 3},
	}
	for _, r := range rows {
		about(t, r.name, interaction(&r.scores, &Weights), r.want, 1e-12)
	}
	// The third component is open interest, whose cap is an estimate.
	about(t, "a component without weight", interaction(&[ComponentCount]float64{100, 0, 100}, &weightsWithoutOI), 0, 0)
}

func TestBandsAndCap(t *testing.T) {
	at := func(held bool, increaseUSD float64) scored {
		in := calm()
		in.Held, in.IncreaseUSD = held, increaseUSD
		in.DistancePct = 0
		return scoreOf(in)
	}
	if s := at(false, 0); s.rounded > 30 || s.recommendation != Proceed {
		t.Errorf("reduction: %v %s", s.rounded, s.recommendation)
	}
	if s := at(false, 1); s.rounded < 98 || s.recommendation != Abort {
		t.Errorf("increase: %v %s", s.rounded, s.recommendation)
	}
	if s := at(true, 0); s.rounded < 98 || s.recommendation != Abort {
		t.Errorf("held: %v %s", s.rounded, s.recommendation)
	}
	// H7 is 41*(p-0.005)/0.015 below 2 %, then 41 + 30*(p-0.02)/0.08 up to 10 %.
	for floor, want := range map[float64]Recommendation{40: Proceed, 40.00004: Proceed, 40.0001: ProceedWithCaution,
		70: ProceedWithCaution, 70.00004: ProceedWithCaution, 70.0001: Abort} {
		in := calm()
		in.Probability24h = 0.005 + 0.015*floor/41
		if floor > 41 {
			in.Probability24h = 0.02 + 0.08*(floor-41)/30
		}
		if s := scoreOf(in); math.Abs(s.rounded-floor) > 1e-4 || s.recommendation != want {
			t.Errorf("%v is %s", s.rounded, s.recommendation)
		}
	}
	t.Run("regime", func(t *testing.T) {
		in := calm()
		before := scoreOf(in).terms.RawScore
		in.RegimeProb = [3]float64{0.2, 0.5, 0.3}
		about(t, "add-on", scoreOf(in).terms.RawScore-before, 3*0.8+5*0.3, 1e-9)
	})
	t.Run("portfolio", func(t *testing.T) {
		in := calm()
		before := scoreOf(in).terms.RawScore
		in.PositionsAfter, in.PortfolioLoss99 = 1, 2_500 // a quarter of the account
		about(t, "add-on", scoreOf(in).terms.RawScore-before, 3, 1e-9)
	})
}

// The rule that decides is the first of the largest, if it is not below the score without rules.
func TestDecisive(t *testing.T) {
	for name, c := range map[string]struct {
		change func(in *ScoreInput)
		want   string
	}{
		"no rule":         {func(in *ScoreInput) { in.SlippageBps = 60 }, "score"},
		"one rule":        {func(in *ScoreInput) { in.Probability7d = 0.3 }, "H7b"},
		"first of equals": {func(in *ScoreInput) { in.AtCap, in.MarginShort = true, true }, "H2"},
		"a rule too small": {func(in *ScoreInput) {
			in.Probability7d, in.MarginVaRPct, in.SlippageBps = 0.051, 400, 60
		}, "score"},
		"funding": {func(in *ScoreInput) { in.StressLoad, in.FundingShare = 8, 2 }, "H14"},
	} {
		in := calm()
		c.change(&in)
		got := scoreOf(in)
		if d := got.terms.Decisive(); d != c.want {
			t.Errorf("%s: %s decides, want %s", name, d, c.want)
		}
	}
}

// With all four figures down by a tenth the score is at most that of the book before, caution at most; the
// less they fall, the higher it is. The rules of the venue stay.
func TestHedgeIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawScoreInput(t)
		in.IncreaseUSD = max(in.IncreaseUSD, 1)
		in.Hedge = Hedge{Known: true, ScoreBefore: rapid.Float64Range(0, 100).Draw(t, "score before")}
		for i := range in.Hedge.Before {
			in.Hedge.Before[i] = rapid.Float64Range(0, 1).Draw(t, "before")
			in.Hedge.After[i] = in.Hedge.Before[i] * rapid.Float64Range(0, 1.2).Draw(t, "times")
		}
		got := scoreOf(in)
		x := &got.terms
		others := 0.0
		for _, r := range []int{ruleAtCap, ruleMarginShort, ruleSlippage, ruleTierLeverage, ruleNegativeEquity,
			ruleRoundTrip,
			ruleParticipation, ruleBigDeposit, ruleDivergence, ruleFunding} {
			others = max(others, x.HardRules[r])
		}
		if x.RawScore < others-1e-9 || x.RawScore > min(100, max(x.overall(), x.Floor))+1e-9 {
			t.Fatalf("raw %v, other rules %v, floor %v", x.RawScore, others, x.Floor)
		}
		if most := max(min(in.Hedge.ScoreBefore, 70), others); x.HedgeWeight == 1 && !in.Held &&
			x.RawScore > most+1e-9 {
			t.Fatalf("raw %v of a full hedge, at most %v", x.RawScore, most)
		}
		i := rapid.IntRange(0, 3).Draw(t, "figure")
		in.Hedge.After[i] += rapid.Float64Range(0, 0.5).Draw(t, "by")
		if worse := scoreOf(in); worse.terms.RawScore < x.RawScore-1e-9 {
			t.Fatalf("figure %d rises: %v falls to %v", i, x.RawScore, worse.terms.RawScore)
		}
		in.Hedge.After[i] = math.NaN()
		if unknown := scoreOf(in); unknown.terms.HedgeWeight != 0 {
			t.Fatalf("figure %d is not known, and the trade counts as a hedge", i)
		}
	})
}
