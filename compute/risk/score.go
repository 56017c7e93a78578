package risk

import (
	"math"

	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// Recommendation is the verdict on a trade.
type Recommendation uint8

const (
	Proceed Recommendation = iota
	ProceedWithCaution
	Abort
)

// String returns proceed, proceed_with_caution or abort.
func (r Recommendation) String() string {
	return [...]string{"proceed", "proceed_with_caution", "abort"}[r]
}

// Bands of the rounded score.
const (
	proceedUpTo = 40
	cautionUpTo = 70
	// reduceCap is the highest score of a trade that only reduces a position. It is below
	// proceedUpTo, so that exits are never blocked.
	reduceCap = 30
	maxScore  = 100
)

// Component is one of the six parts of the score.
type Component uint8

const (
	ComponentLiquidation Component = iota
	ComponentVaR
	ComponentOI
	ComponentSlippage
	ComponentFunding
	ComponentImpact
	ComponentCount
)

// String returns the component's public name.
func (c Component) String() string {
	return [...]string{"liquidation", "var", "oi", "slippage", "funding", "impact"}[c]
}

// Weights of the components; they sum to 1. Published by a similar product.
var Weights = [ComponentCount]float64{0.35, 0.25, 0.15, 0.10, 0.10, 0.05}

// weightsWithoutOI are the weights while the open-interest cap is a guess: the open-interest
// component has weight 0, and its weight is spread over the others in proportion.
var weightsWithoutOI = func() (w [ComponentCount]float64) {
	for i := range w {
		w[i] = Weights[i] / (1 - Weights[ComponentOI])
	}
	w[ComponentOI] = 0
	return w
}()

// Curves from a raw figure to a score of 0 to 100. Each is monotone, so that a trade
// that is worse or equal in every raw figure never scores lower.
var (
	curveRho = []stats.Knot{
		{X: 0, Y: 100}, {X: 0.25, Y: 92}, {X: 0.5, Y: 80}, {X: 1, Y: 55}, {X: 1.5, Y: 35}, {X: 2.5, Y: 15},
		{X: 5, Y: 0},
	}
	curveDistance = []stats.Knot{
		{X: 0, Y: 100}, {X: 2, Y: 90}, {X: 5, Y: 65}, {X: 10, Y: 35}, {X: 20, Y: 15}, {X: 50, Y: 0},
	}
	curveMarginVaR = []stats.Knot{
		{X: 0, Y: 0}, {X: 25, Y: 15}, {X: 50, Y: 35}, {X: 100, Y: 65}, {X: 200, Y: 90}, {X: 400, Y: 100},
	}
	curveUtilization = []stats.Knot{{X: 0, Y: 0}, {X: 50, Y: 5}, {X: 80, Y: 40}, {X: 95, Y: 80}, {X: 100, Y: 95}}
	curveIncrease    = []stats.Knot{{X: 0, Y: 0}, {X: 1, Y: 10}, {X: 5, Y: 40}, {X: 10, Y: 65}, {X: 25, Y: 100}}
	curveSlippage    = []stats.Knot{
		{X: 0, Y: 0}, {X: 5, Y: 8}, {X: 10, Y: 18}, {X: 25, Y: 45}, {X: 50, Y: 70}, {X: 100, Y: 90}, {X: 300, Y: 100},
	}
	curveDrag       = []stats.Knot{{X: 0, Y: 0}, {X: 0.25, Y: 15}, {X: 1, Y: 45}, {X: 3, Y: 80}, {X: 10, Y: 100}}
	curveAnnualized = []stats.Knot{{X: 0, Y: 0}, {X: 11, Y: 8}, {X: 30, Y: 30}, {X: 100, Y: 70}, {X: 300, Y: 100}}
	curveImpact     = []stats.Knot{
		{X: 0, Y: 0}, {X: 10, Y: 15}, {X: 25, Y: 40}, {X: 50, Y: 70}, {X: 100, Y: 90}, {X: 300, Y: 100},
	}
	curvePortfolio = []stats.Knot{{X: 10, Y: 0}, {X: 25, Y: 3}, {X: 50, Y: 8}, {X: 100, Y: 15}, {X: 200, Y: 25}}
)

const (
	scoreAtCap       = 100 // open-interest component of an increase at the cap
	minDailyMovePct  = 0.5
	interactionFrom  = 50 // components above this level reinforce each other
	interactionScale = 50
	interactionPairs = 3
	maxInteraction   = 20
	stressedPoints   = 3
	crisisPoints     = 5
	scoreDigits      = 1e4
	minRatioUSD      = 1 // lower bound of the score's denominators, USD
	// minPortfolioPositions: figures about several positions need this many.
	minPortfolioPositions = 2
)

// ScoreInput holds every raw figure of the score. Percent figures are 0-100.
type ScoreInput struct {
	// Held: the position as held, without a trade. Only rules H1, H6, H7, H7b, H8, H9 and H14
	// apply, and the score is not capped.
	Held                bool
	DistancePct         float64
	Pct99_24h, Pct99_4h float64
	MarginVaRPct        float64 // Pct99_24h times the leverage used by the score
	IncreaseUSD         float64 // Q_inc; 0: the trade only reduces
	OpenInterestUSD     float64
	AtCap, CapObserved  bool
	UtilizationPct      float64
	SlippageBps         float64
	AgentPays           bool
	FundingDragPct      float64 // a day's funding, percent of notional, times the leverage used by the score
	AnnualizedPct       float64
	ImpactBps           float64
	PositionsAfter      int
	AccountValueUSD     float64 // AV
	// what the wallet loses at 99 % after the trade, each other pool at most its equity, USD
	PortfolioLoss99  float64
	RegimeProb       [3]float64
	MarginShort      bool
	LeverageOverTier bool
	// Probability24h and Probability7d are of the trade's pool; 0 when not known.
	Probability24h, Probability7d float64
	// StressLoad is the largest share of the pool's room that a scenario takes; 1: the pool dies. For an
	// isolated position it is weighted by its share of the wallet, and 0 for an empty account.
	StressLoad       float64
	NegativeEquity   bool
	PricesDiverge    bool
	RoundTripBps     float64
	ParticipationPct float64
	AssumedMarginUSD float64 // deposit assumed for an empty account
	FundingShare     float64 // share of the pool's room to liquidation that a day's funding takes
	// PoolUnread: the pool is a portfolio-margin account that could not be read. Rules H1, H7, H7b,
	// H8, H9 and H14 do not apply.
	PoolUnread bool
	Hedge      Hedge
	FlipToLess bool // a flip to a smaller position that frees margin
}

// Terms are the terms of a score: the components, what is added to them, and the hard rules.
type Terms struct {
	Raw         [ComponentCount][2]float64 // the raw figures, named by RawNames
	Scores      [ComponentCount]float64
	Weights     *[ComponentCount]float64 // the weights in use
	Base        float64
	Interaction float64
	Portfolio   float64
	Regime      float64
	HardRules   [hardRuleCount]float64 // named by HardRuleNames; 0 where a rule does not apply
	Floor       float64                // the largest of HardRules
	RawScore    float64                // before rounding
	Capped      bool                   // the score of a trade that only reduces would be above reduceCap
	HedgeWeight float64                // lam: how far the trade counts as one that lowers its pool's risk
	ScoreBefore float64                // the highest of the pool's positions as held; counts with HedgeWeight above 0
}

// Explanation has the terms of the answer's score, and the inputs of these that are not in the answer's blocks.
type Explanation struct {
	Terms
	Leverage                   float64    // used by the score
	AccountValue               float64    // USD, before the trade
	PositionsAfter             int        // number of positions after the trade
	PortfolioVaR99             float64    // of these positions, USD
	RegimeProb                 [3]float64 // filtered: normal, stressed, crisis
	BreakevenPct               float64    // breakeven move in percent of margin
	BookAfter                  BookBefore // the figures of Assessment.BookBefore after the trade
	PortfolioLoss99            float64    // USD: what the wallet loses at 99 %, each other pool at most its equity
	StressLoad, FundingShare   float64    // of H8 and H14
	PoolUnread                 bool       // ScoreInput.PoolUnread
	LoadBefore, LoadAfter      float64    // of the trade's cross pool: the largest in a scenario; 0 without one
	ModeSource, LeverageSource Source
	Pool                       string // marginPool.name of the cross pool that carries the trade, or its margin
	Loading                    []LoadingPart
	// the hard rule, or "score", that kept the suggested size down; "" where none did
	SizeRule   string
	Failed     uint32 // PortfolioStress.Failed, also for a wallet's first trade
	Lateness   Lateness
	Divergence mc.Divergence
	Market     *mc.Market // the target's, for the ages of its parts
}

// Source tells where margin mode or leverage come from.
type Source uint8

const (
	SourceRequest Source = iota
	SourcePosition
	SourceSetting
	SourceDefault
)

// String returns request, position, setting or default.
func (s Source) String() string { return [...]string{"request", "position", "setting", "default"}[s] }

// LoadingPart is an input of the answer that is still to be read.
type LoadingPart struct {
	What     string  // candles, funding or pairs
	Asset    string  // "" for pairs
	ReadyInS float64 // negative: not known
}

// OICapEstimated reports that the open-interest cap was a guess and had no weight.
func (x *Terms) OICapEstimated() bool { return x.Weights == &weightsWithoutOI }

// RawNames names the raw figures of each component in an Explanation; "" when there is only one figure.
var RawNames = [ComponentCount][2]string{
	{"distance_over_var_99_24h", "distance_pct"},
	{"margin_var_99_pct", ""},
	{"utilization_pct", "increase_pct_of_oi"},
	{"bps", ""},
	{"funding_drag_24h_pct", "annualized_pct"},
	{"expected_bps", ""},
}

// Compose computes the composite score and fills in its terms.
func (in *ScoreInput) Compose(x *Terms) (rounded float64, verdict Recommendation) {
	x.Weights = &Weights
	if !in.CapObserved {
		x.Weights = &weightsWithoutOI
	}
	in.components(x)
	x.Base = 0
	for i, w := range x.Weights {
		x.Base += w * x.Scores[i]
	}
	x.Interaction = interaction(&x.Scores, x.Weights)
	x.Portfolio = 0
	if in.countsBook() {
		share := pctPerUnit * in.PortfolioLoss99 / max(in.AccountValueUSD, minRatioUSD)
		x.Portfolio = stats.PiecewiseLinear(share, curvePortfolio)
	}
	p := &in.RegimeProb
	x.Regime = stressedPoints*(p[1]+p[2]) + crisisPoints*p[2]

	state, others := in.hardRules(x)
	x.Floor = max(state, others)
	x.RawScore = max(x.overall(), x.Floor)
	in.relieve(x, others)
	x.RawScore = min(maxScore, x.RawScore)
	reduces := in.IncreaseUSD <= 0 && !in.Held
	if x.Capped = reduces && x.RawScore > reduceCap; x.Capped {
		x.RawScore = reduceCap
	}
	rounded = math.Floor(x.RawScore*scoreDigits+0.5) / scoreDigits
	switch {
	case reduces || rounded <= proceedUpTo:
		return rounded, Proceed
	case rounded <= cautionUpTo:
		return rounded, ProceedWithCaution
	}
	return rounded, Abort
}

// countsBook reports whether the loss of the whole book counts.
func (in *ScoreInput) countsBook() bool {
	return in.PositionsAfter > 0 && in.AccountValueUSD >= minEquity
}

// overall is the score without hard rules.
func (x *Terms) overall() float64 { return x.Base + x.Interaction + x.Portfolio + x.Regime }

func (in *ScoreInput) components(x *Terms) {
	pl := stats.PiecewiseLinear
	rho := in.DistancePct / max(in.Pct99_24h, minDailyMovePct)
	x.Raw[ComponentLiquidation] = [2]float64{rho, in.DistancePct}
	x.Scores[ComponentLiquidation] = max(pl(rho, curveRho), pl(in.DistancePct, curveDistance))

	x.Raw[ComponentVaR][0] = in.MarginVaRPct
	x.Scores[ComponentVaR] = pl(in.MarginVaRPct, curveMarginVaR)

	share := pctPerUnit * in.IncreaseUSD / max(in.OpenInterestUSD, minRatioUSD)
	x.Raw[ComponentOI] = [2]float64{in.UtilizationPct, share}
	x.Scores[ComponentOI] = max(pl(in.UtilizationPct, curveUtilization), pl(share, curveIncrease))
	if in.AtCap && in.IncreaseUSD > 0 {
		x.Scores[ComponentOI] = scoreAtCap
	}

	x.Raw[ComponentSlippage][0] = in.SlippageBps
	x.Scores[ComponentSlippage] = pl(in.SlippageBps, curveSlippage)

	x.Raw[ComponentFunding] = [2]float64{in.FundingDragPct, in.AnnualizedPct}
	if x.Scores[ComponentFunding] = 0; in.AgentPays {
		x.Scores[ComponentFunding] = max(pl(in.FundingDragPct, curveDrag), pl(in.AnnualizedPct, curveAnnualized))
	}

	x.Raw[ComponentImpact][0] = in.ImpactBps
	x.Scores[ComponentImpact] = pl(in.ImpactBps, curveImpact)
}

// interaction adds up to 20 points when several components are high at once. Components
// without weight are ignored.
func interaction(scores, weights *[ComponentCount]float64) float64 {
	sum, before := 0.0, 0.0 // sum of the products of all pairs; sum of the excesses so far
	for i, c := range scores {
		if c > interactionFrom && weights[i] > 0 {
			excess := (c - interactionFrom) / interactionScale
			sum += before * excess
			before += excess
		}
	}
	return maxInteraction * min(1, sum/interactionPairs)
}

// figures are the raw figures of the score for an outcome. poolVaR is the joint VaR of the trade's pool then,
// loss99 what the wallet loses at 99 % when each other pool loses at most its equity.
func (s *Scratch) figures(o *outcome, poolVaR, loss99 float64) ScoreInput {
	v, acct := &s.view, &s.account
	t, after, liq := &o.plan, &o.after, &o.liquidation
	leverage, positions := o.leverage(), acct.rest.count
	if t.kind != held && t.after != 0 {
		positions++
	}
	in := ScoreInput{
		Held:        t.kind == held,
		DistancePct: liq.DistancePct, Pct99_24h: o.loss.pct99_24h, Pct99_4h: o.loss.pct99_4h,
		MarginVaRPct: o.loss.pct99_24h * leverage, IncreaseUSD: t.increaseUSD,
		OpenInterestUSD: v.interest.CurrentUSD, AtCap: v.interest.AtCap,
		CapObserved: v.interest.CapObserved, UtilizationPct: v.interest.UtilizationPct,
		SlippageBps: o.execution.slippageBps, RoundTripBps: o.execution.roundTripBps,
		ImpactBps: o.execution.impact.ExpectedBps, ParticipationPct: o.execution.impact.ParticipationPct,
		AgentPays: o.funding.AgentPays, AnnualizedPct: o.funding.AnnualizedPct,
		FundingDragPct: pctPerUnit * t.side * o.funding.Expected24h * leverage, FundingShare: s.fundingShare(o),
		PositionsAfter: positions, AccountValueUSD: acct.value, PortfolioLoss99: loss99,
		RegimeProb: v.regime.prob, MarginShort: after.marginShort, LeverageOverTier: t.asked > t.tierMax,
		Probability24h: liq.Probability24h, Probability7d: liq.Probability7d, PoolUnread: !liq.HasProbability,
		StressLoad: o.stressLoad(), NegativeEquity: acct.negative, PricesDiverge: v.diverge,
		FlipToLess: o.flipsToLess(acct),
	}
	if after.assumed {
		in.AssumedMarginUSD = after.equity
	}
	if t.increaseUSD > 0 && v.before.PoolKnown {
		then := o.poolRisk(poolVaR)
		in.Hedge = Hedge{Known: true, Before: v.before.poolFigures(), After: then.poolFigures()}
		if in.Hedge.weight() > 0 {
			in.Hedge.ScoreBefore = s.heldScore()
		}
	}
	return in
}

// flipsToLess reports whether the trade flips the position to a smaller one that frees margin.
func (o *outcome) flipsToLess(acct *account) bool {
	t := &o.plan
	return t.kind == flips && t.valueAfter < math.Abs(t.before)*t.mark && t.deltaInitial(acct, &o.after) < 0
}

// leverage is what the score uses: in a cross pool the setting carries no risk; the effective leverage does.
func (o *outcome) leverage() float64 {
	if o.plan.mode == Cross {
		return o.liquidation.EffectiveLeverage
	}
	return o.plan.leverage
}

// score fills in the answer's score and explains its inputs. var99 is the joint VaR of the wallet after the
// trade; for poolVaR and loss99 see figures.
func (s *Scratch) score(o *outcome, var99, poolVaR, loss99 float64) {
	out, x := &s.Out, &s.Out.Explanation
	in := s.figures(o, poolVaR, loss99)
	out.RiskScore, out.Recommendation = in.Compose(&x.Terms)
	x.AccountValue, x.PositionsAfter, x.RegimeProb = in.AccountValueUSD, in.PositionsAfter, in.RegimeProb
	x.PortfolioVaR99, x.PortfolioLoss99 = var99, loss99
	x.StressLoad, x.FundingShare, x.PoolUnread = in.StressLoad, in.FundingShare, in.PoolUnread
	x.Leverage, x.BreakevenPct = o.leverage(), out.Cost.BreakevenMovePct*o.plan.leverage
}
