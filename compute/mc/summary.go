package mc

import (
	"math"

	"ballast/asm"
	"ballast/compute/stats"
)

// Tail shares as literals: the double 1-0.95 is not the nearest to 0.05.
const (
	share95, share99       = 0.05, 0.01
	lowerShare, upperShare = 0.025, 0.975
	// The density at the quantile of tail share a is estimated from the part of the sample between
	// the quantiles of (1-densityShare)*a and (1+densityShare)*a: 50 of 10,000 paths for a = 1 %.
	// The bias is 3 % for a tail of exponent 3.
	densityShare = 0.25
	// tailShare is slightly above the largest tail share whose quantile is needed.
	tailShare = 0.07
)

// Summary describes simulated P&L, percent of notional. VaR, ES and SE are positive
// losses, the others signed P&L. ES >= VaR always.
type Summary struct {
	VaR95, VaR99 float64 // max(0, -type-7 quantile at 5 and 1 %)
	ES95, ES99   float64 // minus the mean of the P&L at or below that quantile
	Median       float64
	Worst        float64 // the smallest P&L
	Lower, Upper float64 // quantiles at 2.5 and 97.5 %: an interval of outcomes
	// SE95 and SE99 are the standard errors of VaR95 and VaR99 for the same number of
	// independent paths: sqrt(a(1-a)/n)/f (Glasserman 2004, 9.1) with the sample density
	// f = 2h/(q(a+h)-q(a-h)), h = a/4. With antithetic pairs the error is slightly smaller. 0
	// when the quantile lies among paths with equal losses.
	SE95, SE99 float64
}

// Summarise describes pnl. It sorts nothing; the sums for ES run over the tail in path
// order. scratch has the length of pnl and is overwritten. An empty pnl gives zeros.
func Summarise(pnl, scratch []float64) Summary {
	n := len(pnl)
	if n == 0 {
		return Summary{}
	}
	scratch = scratch[:n]
	s := Summary{Median: stats.MedianOf(pnl, scratch)}
	s.Upper, _ = stats.UpperTail(pnl, upperShare, scratch)

	tail := stats.LowerTail(pnl, tailShare, scratch)
	below := func(q float64) float64 { return stats.LowerTailMean(pnl, q) }
	if 2*len(tail) <= n { // a copy of the tail, because quantiles reorder it
		ordered := scratch[len(tail):][:copy(scratch[len(tail):], tail)]
		below = func(q float64) float64 { return stats.LowerTailMean(ordered, q) }
	}
	const half95, half99 = densityShare * share95, densityShare * share99
	q := [...]float64{share95 + half95, share95, share95 - half95, lowerShare, share99 + half99, share99, share99 -
		half99}
	stats.TailQuantiles(tail, n, q[:])
	q95, q99 := q[1], q[5]
	s.Lower = q[3]
	s.SE95, s.SE99 = quantileError(q[0]-q[2], n, share95), quantileError(q[4]-q[6], n, share99)
	s.Worst, _ = asm.Extremes(tail)

	s.VaR95, s.VaR99 = max(0, -q95), max(0, -q99)
	s.ES95 = max(s.VaR95, -below(q95))
	s.ES99 = max(s.VaR99, -below(q99))
	return s
}

// quantileError returns the standard error of the quantile at share a of n observations from
// the width of the interval around it.
func quantileError(width float64, n int, a float64) float64 {
	return math.Sqrt(float64(a*(1-a))/float64(n)) * width / (2 * float64(densityShare*a))
}
