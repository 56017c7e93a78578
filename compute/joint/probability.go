package joint

import (
	"math"
	"slices"

	"ballast/asm"
	"ballast/compute/stats"
)

// ShortfallProbability returns the probability, 0 to 1, that an account falls below its maintenance
// margin, from the shortfall of each replayed row (USD, positive: below it). If the quantile at 0.999 is
// not negative, it is the share of positive rows; otherwise the probability above 0 of a generalised
// Pareto tail through the quantiles at 0.99 and 0.999. gross is the sum of the notionals, USD. Without rows it is 0.
//
// shortfall is not changed; work has the same length and is overwritten.
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

// maxSlack is the slack above which sums in single precision may overflow.
const maxSlack = 1e30

// MaxShortfallProbability returns an upper bound of ShortfallProbability when each shortfall is
// exact within slack, USD.
func MaxShortfallProbability(shortfall []float64, slack float64) float64 {
	if !(slack <= maxSlack) {
		return 1
	}
	// The Pareto tail is used only if both quantiles are negative; then it gives at most 1-tailLevel1.
	return max(float64(asm.CountAbove(shortfall, -slack))/float64(len(shortfall)), 1-tailLevel1)
}

// Refine replaces shortfalls that are exact within slack, USD, by exact values wherever that
// could change ShortfallProbability. work has the same length and is overwritten.
func Refine(shortfall, work []float64, slack float64, exact func(row int) float64) {
	n := len(shortfall)
	if n == 0 || !(slack <= maxSlack) {
		for i := range shortfall {
			shortfall[i] = exact(i)
		}
		return
	}
	if asm.CountAbove(shortfall, -slack) != asm.CountAbove(shortfall, math.Nextafter(slack, math.Inf(1))) {
		for i, v := range shortfall {
			if math.Abs(v) <= slack { // its sign is not certain
				shortfall[i] = exact(i)
			}
		}
	}
	// The two order statistics around a quantile are known within slack, as every value is. So only
	// values within 2*slack of them can be the exact order statistics.
	rank := stats.UpperCount(n, tailLevel1)
	tail := work[:asm.Above(work[:n], shortfall, stats.UpperRank(shortfall, rank, work))]
	slices.Sort(tail)
	var low, high [2]float64
	for i, level := range [2]float64{tailLevel1, tailLevel2} {
		at := len(tail) - stats.UpperCount(n, level)
		low[i], high[i] = tail[at]-2*slack, tail[min(at+1, len(tail)-1)]+2*slack
	}
	for i, v := range shortfall {
		if v >= low[0] && (v <= high[0] || v >= low[1] && v <= high[1]) {
			shortfall[i] = exact(i)
		}
	}
}

// tailGrowth is (S1/S2)^tailXi - 1, with the tail shares S1 = 1-tailLevel1 and S2 = 1-tailLevel2.
var tailGrowth = math.Pow(10, tailXi) - 1

// Weight returns the weight, 0 to 1, of the replay of so many rows in the probability of liquidation;
// the probability computed for the position alone has the remaining weight.
func Weight(rows int) float64 {
	if rows < minWeight {
		return 0
	}
	return min(1, float64(rows)/fullWeight)
}
