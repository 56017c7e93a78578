package risk

import (
	"math"
	"testing"

	"ballast/internal/reference"
)

// scoreCase is one case of the golden file of the score.
type scoreCase struct {
	Name   string
	Input  scoreCaseInput
	Output struct {
		Weights                              map[string]float64
		Components                           map[string]float64
		Base, Interaction, Portfolio, Regime float64
		Hard                                 map[string]float64
		HedgeWeight                          float64 `json:"hedge_weight"`
		Raw                                  float64 `json:"raw_score"`
		Score                                float64 `json:"risk_score"`
		Recommendation                       string
		AtRisk                               bool `json:"leaves_book_at_risk"`
	}
}

type scoreCaseInput struct {
	Action     string
	Distance   float64    `json:"distance_pct"`
	P24        float64    `json:"pct_99_24h"`
	P4         float64    `json:"pct_99_4h"`
	Margin     float64    `json:"margin_var_99_pct"`
	QInc       float64    `json:"q_inc_usd"`
	OI         float64    `json:"oi_usd"`
	AtCap      bool       `json:"at_cap"`
	Util       float64    `json:"utilization_pct"`
	Slippage   float64    `json:"slippage_bps"`
	Pays       bool       `json:"agent_pays"`
	Drag       float64    `json:"funding_drag_24h_pct"`
	Annual     float64    `json:"annualized_pct"`
	Impact     float64    `json:"impact_bps"`
	Positions  int        `json:"positions_after"`
	Equity     float64    `json:"equity"`
	Loss       float64    `json:"portfolio_loss_99"`
	VaR        float64    `json:"portfolio_var_99"`
	Prob       [3]float64 `json:"regime_prob"`
	Short      bool       `json:"margin_short"`
	Over       bool       `json:"leverage_over_tier"`
	P24h       *float64   `json:"probability_24h"`
	P7d        *float64   `json:"probability_7d"`
	Guess      bool       `json:"oi_estimated"`
	Load       float64    `json:"stress_load"`
	Share      float64    `json:"funding_share"`
	Negative   bool       `json:"negative_equity"`
	RoundTrip  float64    `json:"round_trip_bps"`
	Part       float64    `json:"participation_pct"`
	Assumed    float64    `json:"assumed_margin_usd"`
	PoolVaR    float64    `json:"pool_var_99"`
	StressLoss float64    `json:"stress_loss"`
	FlipToLess bool       `json:"flip_smaller"`
	FillsNone  bool       `json:"nothing_fills"`
	Held       bool
	Before     *struct {
		P24h       *float64 `json:"probability_24h"`
		P7d        *float64 `json:"probability_7d"`
		PoolVaR    float64  `json:"pool_var_99"`
		StressLoss float64  `json:"stress_loss"`
		Load       float64  `json:"stress_load"`
		VaR        float64  `json:"portfolio_var_99"`
		Score      float64
	}
}

// orElse returns the value of p, or other without one.
func orElse(p *float64, other float64) float64 {
	if p == nil {
		return other
	}
	return *p
}

func (i *scoreCaseInput) score() ScoreInput {
	in := ScoreInput{
		Held: i.Held, DistancePct: i.Distance, Pct99_24h: i.P24, Pct99_4h: i.P4, MarginVaRPct: i.Margin,
		IncreaseUSD: i.QInc, OpenInterestUSD: i.OI, AtCap: i.AtCap, CapObserved: !i.Guess, UtilizationPct: i.Util,
		SlippageBps: i.Slippage, AgentPays: i.Pays, FundingDragPct: i.Drag, AnnualizedPct: i.Annual,
		ImpactBps: i.Impact, PositionsAfter: i.Positions, AccountValueUSD: i.Equity, PortfolioLoss99: i.Loss,
		RegimeProb: i.Prob, MarginShort: i.Short, LeverageOverTier: i.Over,
		Probability24h: orElse(i.P24h, 0), Probability7d: orElse(i.P7d, 0), StressLoad: i.Load, FundingShare: i.Share,
		NegativeEquity: i.Negative, RoundTripBps: i.RoundTrip, ParticipationPct: i.Part, AssumedMarginUSD: i.Assumed,
		FlipToLess: i.FlipToLess,
	}
	if b := i.Before; b != nil {
		null := math.NaN()
		in.Hedge = Hedge{
			Known:       true,
			Before:      [4]float64{orElse(b.P24h, null), orElse(b.P7d, null), b.PoolVaR, b.StressLoss},
			After:       [4]float64{orElse(i.P24h, null), orElse(i.P7d, null), i.PoolVaR, i.StressLoss},
			ScoreBefore: b.Score,
		}
	}
	return in
}

// leavesBookAtRisk applies the rule of the flag to a case in which something fills and nothing is added.
func (i *scoreCaseInput) leavesBookAtRisk() bool {
	var before exitRisk
	if b := i.Before; b != nil {
		before.load, before.portfolioVaR = b.Load, b.VaR
	}
	after := exitRisk{orElse(i.P24h, 0), i.Load, i.VaR}
	return i.QInc == 0 && !i.Held && !i.FillsNone && leavesBookAtRisk(before, after, i.Equity)
}

func TestGoldenScore(t *testing.T) {
	var file struct{ Cases []scoreCase }
	reference.Golden(t, "score", &file)
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			var x Terms
			in := c.Input.score()
			score, verdict := in.Compose(&x)
			for comp := range ComponentCount {
				same(t, comp.String(), x.Scores[comp], c.Output.Components[comp.String()])
				same(t, comp.String()+" weight", x.Weights[comp], c.Output.Weights[comp.String()])
			}
			same(t, "base", x.Base, c.Output.Base)
			same(t, "interaction", x.Interaction, c.Output.Interaction)
			same(t, "portfolio", x.Portfolio, c.Output.Portfolio)
			same(t, "regime", x.Regime, c.Output.Regime)
			for i, name := range HardRuleNames { // the file has no H13
				same(t, name, x.HardRules[i], c.Output.Hard[name])
			}
			about(t, "hedge weight", x.HedgeWeight, c.Output.HedgeWeight, 1e-9)
			same(t, "raw", x.RawScore, c.Output.Raw)
			same(t, "score", score, c.Output.Score)
			if verdict.String() != c.Output.Recommendation {
				t.Errorf("recommendation %s, want %s", verdict, c.Output.Recommendation)
			}
			if got := c.Input.leavesBookAtRisk(); got != c.Output.AtRisk {
				t.Errorf("leaves the book at risk: %v, want %v", got, c.Output.AtRisk)
			}
		})
	}
}
