package joint

import (
	"math"
	"slices"

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

// maxSlack is where single precision, in which coarse shortfalls are summed, may overflow.
const maxSlack = 1e30

// MaxShortfallProbability returns what ShortfallProbability is never above when each
// shortfall is known within slack, USD.
func MaxShortfallProbability(shortfall []float64, slack float64) float64 {
	if !(slack <= maxSlack) {
		return 1
	}
	// The tail begins with the share behind its first level.
	return max(float64(asm.CountAbove(shortfall, -slack))/float64(len(shortfall)), 1-tailLevel1)
}

// Refine replaces shortfalls that are known within slack, USD, by the exact ones wherever
// ShortfallProbability could tell the difference. work is as long and comes back overwritten.
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
			if math.Abs(v) <= slack { // which side of 0 is it on?
				shortfall[i] = exact(i)
			}
		}
	}
	// Only what is within slack of the order statistics on both sides of a quantile, which are
	// themselves within slack, can be one of them.
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
