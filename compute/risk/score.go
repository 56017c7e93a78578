package risk

import (
	"math"

	"ballast/compute/stats"
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
	// closeCap is the highest score of a close: exits are never blocked.
	closeCap = 30
	maxScore = 100
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

// Curves from a raw figure to a score of 0 to 100. Each is monotone, so that a trade
// that is worse or equal in every raw figure never scores lower.
var (
	curveRho         = []stats.Knot{{X: 0, Y: 100}, {X: 0.25, Y: 92}, {X: 0.5, Y: 80}, {X: 1, Y: 55}, {X: 1.5, Y: 35}, {X: 2.5, Y: 15}, {X: 5, Y: 0}}
	curveDistance    = []stats.Knot{{X: 0, Y: 100}, {X: 2, Y: 90}, {X: 5, Y: 65}, {X: 10, Y: 35}, {X: 20, Y: 15}, {X: 50, Y: 0}}
	curveMarginVaR   = []stats.Knot{{X: 0, Y: 0}, {X: 25, Y: 15}, {X: 50, Y: 35}, {X: 100, Y: 65}, {X: 200, Y: 90}, {X: 400, Y: 100}}
	curveUtilization = []stats.Knot{{X: 0, Y: 0}, {X: 50, Y: 5}, {X: 80, Y: 40}, {X: 95, Y: 80}, {X: 100, Y: 95}}
	curveIncrease    = []stats.Knot{{X: 0, Y: 0}, {X: 1, Y: 10}, {X: 5, Y: 40}, {X: 10, Y: 65}, {X: 25, Y: 100}}
	curveSlippage    = []stats.Knot{{X: 0, Y: 0}, {X: 5, Y: 8}, {X: 10, Y: 18}, {X: 25, Y: 45}, {X: 50, Y: 70}, {X: 100, Y: 90}, {X: 300, Y: 100}}
	curveDrag        = []stats.Knot{{X: 0, Y: 0}, {X: 0.25, Y: 15}, {X: 1, Y: 45}, {X: 3, Y: 80}, {X: 10, Y: 100}}
	curveAnnualized  = []stats.Knot{{X: 0, Y: 0}, {X: 11, Y: 8}, {X: 30, Y: 30}, {X: 100, Y: 70}, {X: 300, Y: 100}}
	curveImpact      = []stats.Knot{{X: 0, Y: 0}, {X: 10, Y: 15}, {X: 25, Y: 40}, {X: 50, Y: 70}, {X: 100, Y: 90}, {X: 300, Y: 100}}
	curvePortfolio   = []stats.Knot{{X: 10, Y: 0}, {X: 25, Y: 3}, {X: 50, Y: 8}, {X: 100, Y: 15}, {X: 200, Y: 25}}

	// Hard rules: floors under the score.
	curveH1 = []stats.Knot{{X: 0, Y: 98}, {X: 0.5, Y: 90}, {X: 1, Y: 75}, {X: 1.25, Y: 60}, {X: 1.5, Y: 0}}
	curveH4 = []stats.Knot{{X: 100, Y: 0}, {X: 150, Y: 60}, {X: 200, Y: 75}, {X: 500, Y: 90}}
	curveH6 = []stats.Knot{{X: 0.8, Y: 0}, {X: 1, Y: 75}, {X: 2, Y: 90}}
)

const (
	scoreAtCap        = 100 // open-interest component of an increase at the cap
	minDailyMovePct   = 0.5
	min4hMovePct      = 0.25
	interactionFrom   = 50 // components above it reinforce each other
	interactionScale  = 50
	interactionPairs  = 3
	maxInteraction    = 20
	stressedPoints    = 3
	crisisPoints      = 5
	floorAtCap        = 85 // H2
	floorMarginShort  = 85 // H3
	floorTierLeverage = 80 // H5
	hardRuleCount     = 6
	scoreDigits       = 1e4
	minPortfolioLegs  = 2
	minRatioUSD       = 1 // floor of a denominator, USD
)

// scoreInput is every raw figure that the score depends on.
type scoreInput struct {
	action              Action
	held                bool // the position as held: rules H1 and H6 only, no cap of a close
	distancePct         float64
	pct99_24h, pct99_4h float64
	marginVaR99Pct      float64
	increaseUSD         float64
	interestUSD         float64
	atCap               bool
	utilizationPct      float64
	slippageBps         float64
	agentPays           bool
	fundingDragPct      float64
	annualizedPct       float64
	impactBps           float64
	positionsAfter      int
	equity              float64 // AV
	portfolioVaR99      float64
	regimeProb          [3]float64
	marginShort         bool
	leverageOverTier    bool
}

// Explanation recomputes a score: each component, the terms beside them, and the floor.
type Explanation struct {
	Raw         [ComponentCount][2]float64 // the raw figures, named by RawNames
	Scores      [ComponentCount]float64
	Base        float64
	Interaction float64
	Portfolio   float64
	Regime      float64
	HardRules   [hardRuleCount]float64 // H1 to H6, 0 where a rule does not apply
	Floor       float64
	RawScore    float64 // before rounding
	// What Portfolio, Regime and H6 follow from, beside the book's VaR.
	AccountValue   float64    // USD, before the trade
	PositionsAfter int        // in the book after the trade
	PortfolioVaR99 float64    // of that book, USD
	RegimeProb     [3]float64 // filtered: normal, stressed, crisis
	BreakevenPct   float64    // breakeven move in percent of margin
}

// RawNames names the raw figures of each component in an Explanation; "" where there is
// only one.
var RawNames = [ComponentCount][2]string{
	{"distance_over_var_99_24h", "distance_pct"},
	{"margin_var_99_pct", ""},
	{"utilization_pct", "increase_pct_of_oi"},
	{"bps", ""},
	{"funding_drag_24h_pct", "annualized_pct"},
	{"expected_bps", ""},
}

// compose computes the composite score and explains it in x, which is zero.
func (in *scoreInput) compose(x *Explanation) (rounded float64, verdict Recommendation) {
	in.components(x)
	for i, w := range Weights {
		x.Base += w * x.Scores[i]
	}
	x.Interaction = interaction(&x.Scores)
	ratio := 0.0
	weighBook := in.positionsAfter >= minPortfolioLegs && in.equity >= noEquity
	if weighBook {
		ratio = in.portfolioVaR99 / max(in.equity, minRatioUSD)
		x.Portfolio = stats.PiecewiseLinear(pctPerUnit*ratio, curvePortfolio)
	}
	p := &in.regimeProb
	x.Regime = stressedPoints*(p[1]+p[2]) + crisisPoints*p[2]
	x.AccountValue, x.PositionsAfter, x.PortfolioVaR99, x.RegimeProb = in.equity, in.positionsAfter, in.portfolioVaR99, *p
	in.hardRules(x, weighBook)
	for _, f := range x.HardRules {
		x.Floor = max(x.Floor, f)
	}
	x.RawScore = min(maxScore, max(x.Base+x.Interaction+x.Portfolio+x.Regime, x.Floor))
	closing := in.action == ActionClose && !in.held
	if closing {
		x.RawScore = min(closeCap, x.RawScore)
	}
	rounded = math.Floor(x.RawScore*scoreDigits+0.5) / scoreDigits
	switch {
	case closing || rounded <= proceedUpTo:
		return rounded, Proceed
	case rounded <= cautionUpTo:
		return rounded, ProceedWithCaution
	}
	return rounded, Abort
}

func (in *scoreInput) components(x *Explanation) {
	pl := stats.PiecewiseLinear
	rho := in.distancePct / max(in.pct99_24h, minDailyMovePct)
	x.Raw[ComponentLiquidation] = [2]float64{rho, in.distancePct}
	x.Scores[ComponentLiquidation] = max(pl(rho, curveRho), pl(in.distancePct, curveDistance))

	x.Raw[ComponentVaR] = [2]float64{in.marginVaR99Pct}
	x.Scores[ComponentVaR] = pl(in.marginVaR99Pct, curveMarginVaR)

	share := pctPerUnit * in.increaseUSD / max(in.interestUSD, minRatioUSD)
	x.Raw[ComponentOI] = [2]float64{in.utilizationPct, share}
	x.Scores[ComponentOI] = max(pl(in.utilizationPct, curveUtilization), pl(share, curveIncrease))
	if in.atCap && in.increaseUSD > 0 {
		x.Scores[ComponentOI] = scoreAtCap
	}

	x.Raw[ComponentSlippage] = [2]float64{in.slippageBps}
	x.Scores[ComponentSlippage] = pl(in.slippageBps, curveSlippage)

	x.Raw[ComponentFunding] = [2]float64{in.fundingDragPct, in.annualizedPct}
	if in.agentPays {
		x.Scores[ComponentFunding] = max(pl(in.fundingDragPct, curveDrag), pl(in.annualizedPct, curveAnnualized))
	}

	x.Raw[ComponentImpact] = [2]float64{in.impactBps}
	x.Scores[ComponentImpact] = pl(in.impactBps, curveImpact)
}

// interaction adds up to 20 points when several components are bad at once.
func interaction(scores *[ComponentCount]float64) float64 {
	var excess [ComponentCount]float64
	for i, c := range scores {
		excess[i] = max(0, (c-interactionFrom)/interactionScale)
	}
	sum := 0.0
	for i := range excess {
		for j := i + 1; j < len(excess); j++ {
			sum += excess[i] * excess[j]
		}
	}
	return maxInteraction * min(1, sum/interactionPairs)
}

// hardRules fills the floors. They apply to trades that add exposure; a position as held
// knows only H1 and H6.
func (in *scoreInput) hardRules(x *Explanation, weighBook bool) {
	if !(in.increaseUSD > 0) && !in.held {
		return
	}
	pl := stats.PiecewiseLinear
	x.HardRules[0] = pl(in.distancePct/max(in.pct99_4h, min4hMovePct), curveH1)
	if weighBook {
		x.HardRules[5] = pl(in.portfolioVaR99/in.equity, curveH6)
	}
	if in.held {
		return
	}
	if in.atCap {
		x.HardRules[1] = floorAtCap
	}
	if in.marginShort {
		x.HardRules[2] = floorMarginShort
	}
	x.HardRules[3] = pl(in.slippageBps, curveH4)
	if in.leverageOverTier {
		x.HardRules[4] = floorTierLeverage
	}
}

// score gathers the raw figures of an assessment and fills in its score.
func score(acct *account, t *tradePlan, pos *position, out *Assessment, regime *regimeView, book *book) {
	in := scoreInput{
		action: t.action, held: t.kind == holdsFor,
		distancePct: out.Liquidation.DistancePct,
		pct99_24h:   out.VaR.Pct99_24h, pct99_4h: out.VaR.Pct99_4h,
		marginVaR99Pct: out.VaR.MarginVaR99Pct,
		increaseUSD:    t.increaseUSD,
		interestUSD:    out.OpenInterest.CurrentUSD,
		atCap:          out.OpenInterest.AtCap,
		utilizationPct: out.OpenInterest.UtilizationPct,
		slippageBps:    out.Slippage.Bps,
		agentPays:      out.Funding.AgentPays,
		fundingDragPct: out.Cost.FundingDrag24hPct,
		annualizedPct:  out.Funding.AnnualizedPct,
		impactBps:      out.Impact.ExpectedBps,
		positionsAfter: len(book.legs),
		equity:         acct.value,
		portfolioVaR99: book.var99,
		regimeProb:     regime.prob,
		marginShort:    pos.marginShort, leverageOverTier: t.asked > t.tierMax,
	}
	out.RiskScore, out.Recommendation = in.compose(&out.Explanation)
	out.Explanation.BreakevenPct = out.Cost.BreakevenMovePct * t.leverage
}
