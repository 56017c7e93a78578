package stats

import (
	"math"
	"slices"
)

// Quantile returns the type-7 sample quantile of x at p in [0, 1]: linear interpolation at position
// 1+(n-1)p of the sorted sample, R's default (Hyndman and Fan 1996). It selects instead of sorting; the
// result has the same bits. x is reordered. An empty x gives 0.
func Quantile(x []float64, p float64) float64 {
	if len(x) == 0 {
		return 0
	}
	lo, g := position(len(x), p)
	a := Select(x, lo)
	if g == 0 {
		return a
	}
	// After Select no element after x[lo] is smaller, so their minimum is the next order statistic.
	return interpolate(a, slices.Min(x[lo+1:]), g)
}

// QuantileSorted is Quantile for an x in ascending order, which it does not change.
func QuantileSorted(x []float64, p float64) float64 {
	if len(x) == 0 {
		return 0
	}
	lo, g := position(len(x), p)
	if g == 0 {
		return x[lo]
	}
	return interpolate(x[lo], x[lo+1], g)
}

// position returns the index of the lower order statistic and the weight of the next one. With weight 0
// the lower one alone is the quantile.
func position(n int, p float64) (lo int, g float64) {
	at := 1 + float64(float64(n-1)*p)
	fl := math.Floor(at)
	lo, g = int(fl)-1, at-fl
	if lo < 0 {
		return 0, 0
	}
	if lo >= n-1 {
		return n - 1, 0
	}
	return lo, g
}

// UpperCount returns how many of n >= 1 observations, if all differ, are at or above the lower of the two
// order statistics between which the type-7 quantile at p lies.
func UpperCount(n int, p float64) int {
	lo, _ := position(n, p)
	return n - lo
}

func interpolate(a, b, g float64) float64 { return a + float64(g*(b-a)) }

// LowerTailMean returns the mean of the observations of x that are <= q, summed in index order; 0 if
// there are none. If q is a quantile of x, this is the expected shortfall of the lower tail.
func LowerTailMean(x []float64, q float64) float64 {
	var s [4]float64
	n := 0
	for _, v := range x {
		if v <= q {
			s[n&3] += v
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return ((s[0] + s[1]) + (s[2] + s[3])) / float64(n)
}

// AppendLowerTail appends the observations of x that are <= q to dst, in index order.
func AppendLowerTail(dst, x []float64, q float64) []float64 {
	for _, v := range x {
		if v <= q {
			dst = append(dst, v)
		}
	}
	return dst
}

// Median returns the sample median of x, for an even count the mean of the two middle values. x is
// reordered. An empty x gives 0.
func Median(x []float64) float64 {
	n := len(x)
	if n == 0 {
		return 0
	}
	upper := Select(x, n/2)
	if n&1 == 1 {
		return upper
	}
	return (slices.Max(x[:n/2]) + upper) / 2
}

// MedianSorted is Median for an x in ascending order.
func MedianSorted(x []float64) float64 {
	n := len(x)
	if n == 0 {
		return 0
	}
	if n&1 == 1 {
		return x[n/2]
	}
	return (x[n/2-1] + x[n/2]) / 2
}

// TailQuantile returns the type-7 quantile at p of n observations of which only the smallest len(tail)
// are given, in any order. tail is reordered. It panics when the tail is too short.
func TailQuantile(tail []float64, n int, p float64) float64 {
	lo, g := position(n, p)
	a := Select(tail, lo)
	if g == 0 {
		return a
	}
	return interpolate(a, slices.Min(tail[lo+1:]), g)
}
