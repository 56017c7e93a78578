package risk

import (
	"math"

	"ballast/compute/stats"
)

// Hard rules, in the order of the array of an Explanation. Each is a minimum for the score.
const (
	ruleLiquidation    = iota // H1: liquidation within the 4 h 99 % move
	ruleAtCap                 // H2: open interest at its cap
	ruleMarginShort           // H3: free margin too small
	ruleSlippage              // H4
	ruleTierLeverage          // H5
	ruleBookLoss              // H6: loss of the whole wallet
	ruleProbability           // H7: liquidation within 24 hours
	ruleProbability7d         // H7b: within a week
	ruleStress                // H8: room that the worst scenario takes
	ruleNegativeEquity        // H9
	ruleRoundTrip             // H10
	ruleParticipation         // H11
	ruleBigDeposit            // H12
	ruleDivergence            // H13
	ruleFunding               // H14: room that a day's funding takes
	hardRuleCount
)

// HardRuleNames are the public names of the rules in Explanation.HardRules.
var HardRuleNames = [hardRuleCount]string{
	"H1", "H2", "H3", "H4", "H5", "H6", "H7", "H7b", "H8", "H9", "H10", "H11", "H12", "H13", "H14",
}

// Minimum scores by the continuous rules.
var (
	curveH1  = []stats.Knot{{X: 0, Y: 98}, {X: 0.5, Y: 90}, {X: 1, Y: 75}, {X: 1.25, Y: 60}, {X: 1.5, Y: 0}}
	curveH4  = []stats.Knot{{X: 100, Y: 0}, {X: 150, Y: 60}, {X: 200, Y: 75}, {X: 500, Y: 90}}
	curveH6  = []stats.Knot{{X: 0.8, Y: 0}, {X: 1, Y: 75}, {X: 2, Y: 90}}
	curveH7  = []stats.Knot{{X: 0.005, Y: 0}, {X: 0.02, Y: 41}, {X: 0.10, Y: 71}, {X: 0.30, Y: 85}, {X: 0.60, Y: 95}}
	curveH7b = []stats.Knot{{X: 0.05, Y: 0}, {X: 0.15, Y: 41}, {X: 0.50, Y: 71}}
	curveH8  = []stats.Knot{{X: 0.8, Y: 0}, {X: 1, Y: 41}, {X: 3, Y: 50}, {X: 8, Y: 65}}
	curveH10 = []stats.Knot{{X: 100, Y: 0}, {X: 200, Y: 60}, {X: 500, Y: 90}}
	curveH11 = []stats.Knot{{X: 25, Y: 0}, {X: 100, Y: 60}, {X: 300, Y: 75}}
	curveH14 = []stats.Knot{{X: 0.25, Y: 0}, {X: 0.5, Y: 41}, {X: 1, Y: 85}}
)

const (
	min4hMovePct      = 0.25
	floorAtCap        = 85
	floorMarginShort  = 85
	floorTierLeverage = 80
	floorNegative     = 95
	floorBigDeposit   = 41
	floorDivergence   = 71
	// maxAssumedMarginUSD is the largest deposit assumed for an empty account before H12 applies.
	maxAssumedMarginUSD = 100_000
	// hedgeShare: a trade after which each figure of its pool is lower by this share counts fully as
	// one that lowers the pool's risk.
	hedgeShare = 0.1
	// Probabilities up to these do not count as risk after a trade. H7 and H7b begin there.
	harmless24h = 0.005
	harmless7d  = 0.05
)

// hardRules fills in the minimum score of each rule. state is the largest of the rules on the state of
// the wallet, others of the other rules.
func (in *ScoreInput) hardRules(x *Terms) (state, others float64) {
	h := &x.HardRules
	*h = [hardRuleCount]float64{}
	if in.IncreaseUSD <= 0 && !in.Held {
		return 0, 0
	}
	pl := stats.PiecewiseLinear
	if in.countsBook() {
		h[ruleBookLoss] = pl(in.PortfolioLoss99/in.AccountValueUSD, curveH6)
	}
	if !in.PoolUnread {
		h[ruleLiquidation] = pl(in.DistancePct/max(in.Pct99_4h, min4hMovePct), curveH1)
		h[ruleProbability] = pl(in.Probability24h, curveH7)
		h[ruleProbability7d] = pl(in.Probability7d, curveH7b)
		h[ruleStress] = pl(in.StressLoad, curveH8)
		h[ruleNegativeEquity] = floorWhen(in.NegativeEquity, floorNegative)
		h[ruleFunding] = pl(in.FundingShare, curveH14)
	}
	if !in.Held {
		h[ruleAtCap] = floorWhen(in.AtCap, floorAtCap)
		h[ruleMarginShort] = floorWhen(in.MarginShort, floorMarginShort)
		h[ruleSlippage] = pl(in.SlippageBps, curveH4)
		h[ruleTierLeverage] = floorWhen(in.LeverageOverTier, floorTierLeverage)
		h[ruleRoundTrip] = pl(in.RoundTripBps, curveH10)
		h[ruleParticipation] = pl(in.ParticipationPct, curveH11)
		h[ruleBigDeposit] = floorWhen(in.AssumedMarginUSD > maxAssumedMarginUSD, floorBigDeposit)
		h[ruleDivergence] = floorWhen(in.PricesDiverge, floorDivergence)
	}
	for i, f := range h {
		switch i {
		case ruleLiquidation, ruleBookLoss, ruleProbability, ruleProbability7d, ruleStress:
			state = max(state, f)
		default:
			others = max(others, f)
		}
	}
	return state, others
}

func floorWhen(on bool, floor float64) float64 {
	if on {
		return floor
	}
	return 0
}

// Decisive names what decides the score: the hard rule with the largest minimum, the first of equals, or
// "score" when the score without hard rules is higher.
func (x *Terms) Decisive() string {
	if x.Floor < x.overall() {
		return "score"
	}
	largest := 0
	for i, f := range x.HardRules {
		if f > x.HardRules[largest] {
			largest = i
		}
	}
	return HardRuleNames[largest]
}

// relieve lowers the score of a trade that lowers its pool's risk, and of a flip to a smaller position.
// others is the largest of the rules that are not on the state of the book: no relief goes below it.
func (in *ScoreInput) relieve(x *Terms, others float64) {
	x.HedgeWeight = 0
	if in.IncreaseUSD <= 0 {
		return
	}
	if in.Hedge.Known {
		x.HedgeWeight = in.Hedge.weight()
		x.ScoreBefore = in.Hedge.ScoreBefore
		least := max(min(x.overall(), in.Hedge.ScoreBefore, cautionUpTo), others)
		x.RawScore += float64(x.HedgeWeight * (min(x.RawScore, least) - x.RawScore))
	}
	if in.FlipToLess {
		x.RawScore = min(x.RawScore, max(cautionUpTo, others))
	}
}

// Hedge compares the trade's pool before and after the trade.
type Hedge struct {
	Known bool // the pool had a position before
	// Before and After are the probabilities of liquidation within 24 hours and 7 days, the joint VaR of
	// the pool's positions and its largest loss in a scenario, USD; NaN where a figure is not known.
	Before, After [4]float64
	ScoreBefore   float64 // the highest score of the pool's positions as held
}

// poolFigures are the figures of the trade's pool that a hedge lowers.
func (b *BookBefore) poolFigures() [4]float64 {
	f := [4]float64{b.Probability24h, b.Probability7d, b.PoolVaR99USD, b.StressLossUSD}
	if !b.HasProbability {
		f[0], f[1] = math.NaN(), math.NaN()
	}
	return f
}

// weight is how far the trade counts as one that lowers its pool's risk: 1 when every figure that counts
// is lower by hedgeShare or more, 0 when one is not lower at all, or not known.
func (h *Hedge) weight() float64 {
	if h.Before == [4]float64{} {
		return 0
	}
	harmless := [4]float64{harmless24h, harmless7d, 0, 0}
	worst := 0.0 // the largest ratio of a figure after to before
	for i, after := range h.After {
		before := h.Before[i]
		switch {
		case math.IsNaN(before) || math.IsNaN(after):
			return 0
		case after <= harmless[i]: // does not count
		case before == 0:
			return 0
		default:
			worst = max(worst, after/before)
		}
	}
	return min(max((1-worst)/hedgeShare, 0), 1)
}
