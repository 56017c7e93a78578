package joint

import (
	"math"

	"ballast/asm"
	"ballast/compute/stats"
)

// ShortfallProbability returns the chance, a fraction in [0, 1], that an account falls short
// of its maintenance margin, given the shortfall of each row of the replay (USD, positive:
// short of it): the share of the rows above 0 when the quantile at 0.999 is not below 0,
// else a generalised Pareto tail through the quantiles at 0.99 and 0.999. gross is the sum
// of the notionals, USD. It is 0 without a row.
//
// shortfall is not changed; work is as long and comes back overwritten.
func ShortfallProbability(shortfall, work []float64, gross float64) float64 {
	n := len(shortfall)
	if n == 0 {
		return 0
	}
	positive := float64(asm.CountAbove(shortfall, math.SmallestNonzeroFloat64))
	share := positive / float64(n)
	if positive > float64((1-tailLevel2)*float64(n))+2 {
		return share // the rows on both sides of the quantile at 0.999 are above 0
	}
	q1, q2 := stats.UpperQuantiles(shortfall, tailLevel1, tailLevel2, work)
	if q2 >= 0 {
		return share
	}
	scale := tailXi * max(q2-q1, minTailShare*gross) / tailGrowth
	return (1 - tailLevel1) * math.Pow(1-float64(tailXi*q1/scale), -1/tailXi)
}

// tailGrowth is (S1/S2)^xi - 1 for the shares behind the two levels of the tail.
var tailGrowth = math.Pow(10, tailXi) - 1

// Weight returns the share, in [0, 1], of the replay in the chance of a liquidation when it
// has the given number of rows; the rest is that of the position alone.
func Weight(rows int) float64 {
	if rows < minWeight {
		return 0
	}
	return min(1, float64(rows)/fullWeight)
}
