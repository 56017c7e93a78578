package risk

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func drawScoreInput(t *rapid.T) scoreInput {
	f := func(label string, hi float64) float64 {
		// Knots and zero are as likely as anything between.
		return rapid.OneOf(rapid.Float64Range(0, hi), rapid.SampledFrom([]float64{0, hi / 2, hi, 1, 5, 50, 100})).Draw(t, label)
	}
	p := rapid.Float64Range(0, 1).Draw(t, "p1")
	q := rapid.Float64Range(0, 1-p).Draw(t, "p2")
	return scoreInput{
		action: Action(rapid.IntRange(0, 2).Draw(t, "action")), held: rapid.IntRange(0, 3).Draw(t, "held") == 0,
		distancePct: f("distance", 100), pct99_24h: f("move 24h", 30), pct99_4h: f("move 4h", 20),
		marginVaR99Pct: f("margin VaR", 500), increaseUSD: f("increase", 1e6), interestUSD: f("interest", 1e7),
		atCap: rapid.Bool().Draw(t, "at cap"), utilizationPct: f("utilization", 100), slippageBps: f("slippage", 600),
		agentPays: rapid.Bool().Draw(t, "pays"), fundingDragPct: f("drag", 20), annualizedPct: f("annualized", 400),
		impactBps: f("impact", 400), positionsAfter: rapid.IntRange(0, 4).Draw(t, "positions"),
		equity: f("equity", 1e5), portfolioVaR99: f("portfolio", 2e5),
		regimeProb:  [3]float64{1 - p - q, p, q},
		marginShort: rapid.Bool().Draw(t, "short"), leverageOverTier: rapid.Bool().Draw(t, "over"),
	}
}

// worse names every raw figure and how it gets worse by x >= 0.
var worse = map[string]func(in *scoreInput, x float64){
	"distance":          func(in *scoreInput, x float64) { in.distancePct = max(0, in.distancePct-x) },
	"daily move":        func(in *scoreInput, x float64) { in.pct99_24h += x },
	"4 h move":          func(in *scoreInput, x float64) { in.pct99_4h += x },
	"margin VaR":        func(in *scoreInput, x float64) { in.marginVaR99Pct += x },
	"increase":          func(in *scoreInput, x float64) { in.increaseUSD += 1e4 * x },
	"open interest":     func(in *scoreInput, x float64) { in.interestUSD /= 1 + x },
	"at the cap":        func(in *scoreInput, x float64) { in.atCap = true },
	"utilization":       func(in *scoreInput, x float64) { in.utilizationPct += x },
	"slippage":          func(in *scoreInput, x float64) { in.slippageBps += x },
	"paying":            func(in *scoreInput, x float64) { in.agentPays = true },
	"drag":              func(in *scoreInput, x float64) { in.fundingDragPct += x },
	"annualized":        func(in *scoreInput, x float64) { in.annualizedPct += x },
	"impact":            func(in *scoreInput, x float64) { in.impactBps += x },
	"portfolio VaR":     func(in *scoreInput, x float64) { in.portfolioVaR99 += 1e3 * x },
	"margin short":      func(in *scoreInput, x float64) { in.marginShort = true },
	"leverage":          func(in *scoreInput, x float64) { in.leverageOverTier = true },
	"stressed likelier": func(in *scoreInput, x float64) { in.regimeProb[1] = min(1, in.regimeProb[1]+x/100) },
	"crisis likelier":   func(in *scoreInput, x float64) { in.regimeProb[2] = min(1, in.regimeProb[2]+x/100) },
	"less equity, if any is left": func(in *scoreInput, x float64) {
		if in.equity >= noEquity {
			in.equity = max(noEquity, in.equity/(1+x))
		}
	},
}

// scored is the outcome of the score.
type scored struct {
	rounded        float64
	recommendation Recommendation
	explanation    Explanation
}

func (in *scoreInput) scored() (s scored) {
	s.rounded, s.recommendation = in.compose(&s.explanation)
	return s
}

// A trade that is worse in one raw figure never scores lower.
func TestScoreIsMonotone(t *testing.T) {
	names := make([]string, 0, len(worse))
	for name := range worse {
		names = append(names, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		in := drawScoreInput(t)
		before := in.scored()
		x := rapid.Float64Range(0, 100).Draw(t, "by")
		for _, name := range names {
			bad := in
			worse[name](&bad, x)
			after := bad.scored()
			if after.explanation.RawScore < before.explanation.RawScore-1e-9 {
				t.Fatalf("%s worse by %v: %v falls to %v", name, x, before.explanation.RawScore, after.explanation.RawScore)
			}
			if after.recommendation < before.recommendation {
				t.Fatalf("%s worse: %s becomes %s", name, before.recommendation, after.recommendation)
			}
		}
	})
}

// A reader can recompute the score from its explanation.
func TestExplanationAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawScoreInput(t)
		got := in.scored()
		x := &got.explanation
		base := 0.0
		for i, w := range []float64{0.35, 0.25, 0.15, 0.10, 0.10, 0.05} {
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
		closing := in.action == ActionClose && !in.held
		if closing {
			raw = math.Min(raw, 30)
		}
		if math.Abs(raw-x.RawScore) > 1e-9 || math.Abs(got.rounded-raw) > 0.5e-4+1e-9 || x.Floor != floor {
			t.Fatalf("recomputed %v, raw %v, rounded %v", raw, x.RawScore, got.rounded)
		}
		want := Proceed
		switch {
		case closing || got.rounded <= 40:
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

// A calm trade: nothing of what follows is raised in it.
func calm() scoreInput {
	return scoreInput{
		distancePct: 60, pct99_24h: 5, pct99_4h: 2.5, increaseUSD: 100, interestUSD: 1e9,
		equity: 1e4, regimeProb: [3]float64{1, 0, 0},
	}
}

func TestHardRules(t *testing.T) {
	rows := []struct {
		name   string
		change func(in *scoreInput)
		want   [hardRuleCount]float64
	}{
		{"none", func(in *scoreInput) {}, [6]float64{}},
		{"H1 at 1.5 moves", func(in *scoreInput) { in.distancePct = 3.75 }, [6]float64{}},
		{"H1 at one move", func(in *scoreInput) { in.distancePct = 2.5 }, [6]float64{75}},
		{"H1 past", func(in *scoreInput) { in.distancePct = 0 }, [6]float64{98}},
		{"H1 has a floor under the move", func(in *scoreInput) { in.distancePct, in.pct99_4h = 0.25, 0 }, [6]float64{75}},
		{"H2", func(in *scoreInput) { in.atCap = true }, [6]float64{1: 85}},
		{"H3", func(in *scoreInput) { in.marginShort = true }, [6]float64{2: 85}},
		{"H4 at 100 bps", func(in *scoreInput) { in.slippageBps = 100 }, [6]float64{}},
		{"H4 at 150 bps", func(in *scoreInput) { in.slippageBps = 150 }, [6]float64{3: 60}},
		{"H4 far out", func(in *scoreInput) { in.slippageBps = 5000 }, [6]float64{3: 90}},
		{"H5", func(in *scoreInput) { in.leverageOverTier = true }, [6]float64{4: 80}},
		{"H6", func(in *scoreInput) { in.positionsAfter, in.portfolioVaR99 = 2, 1e4 }, [6]float64{5: 75}},
		{"H6 of a small account", func(in *scoreInput) { in.positionsAfter, in.portfolioVaR99, in.equity = 2, 0.5, 0.5 }, [6]float64{5: 75}},
		{"H6 of one position", func(in *scoreInput) { in.positionsAfter, in.portfolioVaR99 = 1, 1e4 }, [6]float64{}},
		{"H6 without equity", func(in *scoreInput) { in.positionsAfter, in.portfolioVaR99, in.equity = 2, 1e4, 0.0099 }, [6]float64{}},
		{"nothing increases: no rule", func(in *scoreInput) {
			in.increaseUSD, in.distancePct, in.atCap, in.marginShort, in.slippageBps, in.leverageOverTier = 0, 0, true, true, 500, true
			in.positionsAfter, in.portfolioVaR99 = 2, 1e5
		}, [6]float64{}},
		{"as held: H1 and H6", func(in *scoreInput) {
			in.held, in.increaseUSD, in.distancePct, in.atCap, in.marginShort, in.slippageBps, in.leverageOverTier = true, 0, 0, true, true, 500, true
			in.positionsAfter, in.portfolioVaR99 = 2, 1e4
		}, [6]float64{98, 0, 0, 0, 0, 75}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			in := calm()
			r.change(&in)
			got := in.scored()
			for h, want := range r.want {
				about(t, "rule", got.explanation.HardRules[h], want, 1e-9)
				if got.explanation.RawScore < want {
					t.Errorf("score %v under its floor %v", got.explanation.RawScore, want)
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
		{"none above 50", [6]float64{50, 50, 50, 50, 50, 50}, 0},
		{"one alone", [6]float64{100}, 0},
		{"two at 100", [6]float64{100, 100}, 20.0 / 3},
		{"three at 100", [6]float64{100, 100, 100}, 20},
		{"all at 100: bounded", [6]float64{100, 100, 100, 100, 100, 100}, 20},
		{"two at 75", [6]float64{75, 0, 75}, 20 * 0.25 / 3},
	}
	for _, r := range rows {
		about(t, r.name, interaction(&r.scores), r.want, 1e-12)
	}
}

func TestBandsAndCap(t *testing.T) {
	at := func(action Action, held bool, floor float64) scored {
		in := calm()
		in.action, in.held = action, held
		in.distancePct = 2.5 * 1.5 * (1 - floor/150) // whatever: only the bands count here
		return in.scored()
	}
	if s := at(ActionClose, false, 150); s.rounded > 30 || s.recommendation != Proceed {
		t.Errorf("close: %v %s", s.rounded, s.recommendation)
	}
	if s := at(ActionClose, true, 150); s.rounded <= 70 || s.recommendation != Abort {
		t.Errorf("held: %v %s", s.rounded, s.recommendation)
	}
	t.Run("regime", func(t *testing.T) {
		in := calm()
		before := in.scored().explanation.RawScore
		in.regimeProb = [3]float64{0.2, 0.5, 0.3}
		about(t, "add-on", in.scored().explanation.RawScore-before, 3*0.8+5*0.3, 1e-9)
	})
	t.Run("portfolio", func(t *testing.T) {
		in := calm()
		before := in.scored().explanation.RawScore
		in.positionsAfter, in.portfolioVaR99 = 2, 2_500 // a quarter of the account
		about(t, "add-on", in.scored().explanation.RawScore-before, 3, 1e-9)
	})
}
