package risk

import (
	"math"
	"testing"

	"ballast/internal/reference"
)

// scoreInput are the figures of a case of the file, by name. A figure that it leaves out is zero.
type scoreInput map[string]any

func (i scoreInput) is(name string) bool { x, _ := i[name].(bool); return x }

func (i scoreInput) number(name string) float64 { x, _ := i[name].(float64); return x }

// orNaN returns NaN for null.
func (i scoreInput) orNaN(name string) float64 {
	if i[name] == nil {
		return math.NaN()
	}
	return i.number(name)
}

func (i scoreInput) before() (b scoreInput, ok bool) {
	b, ok = i["before"].(map[string]any)
	return b, ok
}

func (i scoreInput) score() ScoreInput {
	in := ScoreInput{
		Held: i.is("held"), DistancePct: i.number("distance_pct"), Pct99_24h: i.number("pct_99_24h"),
		Pct99_4h: i.number("pct_99_4h"), MarginVaRPct: i.number("margin_var_99_pct"),
		IncreaseUSD: i.number("q_inc_usd"), OpenInterestUSD: i.number("oi_usd"), AtCap: i.is("at_cap"),
		CapObserved: !i.is("oi_estimated"), UtilizationPct: i.number("utilization_pct"),
		SlippageBps: i.number("slippage_bps"), AgentPays: i.is("agent_pays"),
		FundingDragPct: i.number("funding_drag_24h_pct"), AnnualizedPct: i.number("annualized_pct"),
		ImpactBps: i.number("impact_bps"), PositionsAfter: int(i.number("positions_after")),
		AccountValueUSD: i.number("equity"), PortfolioLoss99: i.number("portfolio_loss_99"),
		MarginShort: i.is("margin_short"), LeverageOverTier: i.is("leverage_over_tier"),
		Probability24h: i.number("probability_24h"), Probability7d: i.number("probability_7d"),
		StressLoad: i.number("stress_load"), FundingShare: i.number("funding_share"),
		NegativeEquity: i.is("negative_equity"), RoundTripBps: i.number("round_trip_bps"),
		ParticipationPct: i.number("participation_pct"), AssumedMarginUSD: i.number("assumed_margin_usd"),
		FlipToLess: i.is("flip_smaller"),
	}
	for k, p := range i["regime_prob"].([]any) {
		in.RegimeProb[k] = p.(float64)
	}
	if b, ok := i.before(); ok {
		figures := func(x scoreInput) [4]float64 {
			return [4]float64{x.orNaN("probability_24h"), x.orNaN("probability_7d"), x.number("pool_var_99"),
				x.number("stress_loss")}
		}
		in.Hedge = Hedge{Known: true, Before: figures(b), After: figures(i), ScoreBefore: b.number("score")}
	}
	return in
}

// leavesBookAtRisk applies the rule of the flag to a case in which something fills and nothing is added.
func (i scoreInput) leavesBookAtRisk() bool {
	b, _ := i.before()
	before := exitRisk{load: b.number("stress_load"), portfolioVaR: b.number("portfolio_var_99")}
	after := exitRisk{i.number("probability_24h"), i.number("stress_load"), i.number("portfolio_var_99")}
	return i.number("q_inc_usd") == 0 && !i.is("held") && !i.is("nothing_fills") &&
		leavesBookAtRisk(before, after, i.number("equity"))
}

func TestGoldenScore(t *testing.T) {
	var file struct{ Cases golden[scoreInput] }
	reference.Golden(t, "score", &file)
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			var x Terms
			in := c.Input.score()
			score, verdict := in.Compose(&x)
			components, weights, hard := reference.Fields{}, reference.Fields{}, reference.Fields{}
			for comp := range ComponentCount {
				components[comp.String()], weights[comp.String()] = x.Scores[comp], x.Weights[comp]
			}
			for i, name := range HardRuleNames { // the file has no H13
				hard[name] = x.HardRules[i]
			}
			inNineDigits.Match(t, c.Output, reference.Fields{
				"components": components, "weights": weights, "hard": hard, "base": x.Base,
				"interaction": x.Interaction, "portfolio": x.Portfolio, "regime": x.Regime,
				"hedge_weight": x.HedgeWeight, "raw_score": x.RawScore,
				"risk_score": score, "recommendation": verdict, "leaves_book_at_risk": c.Input.leavesBookAtRisk(),
			})
		})
	}
}
