package stats

import (
	"math"
	"slices"
)

// Quantile returns the type-7 sample quantile of x at p in [0, 1]: linear
// interpolation at position 1+(n-1)p of the sorted sample, as R's default
// does (Hyndman and Fan 1996). It selects instead of sorting, which gives the
// same bits: order statistics do not depend on how they were found. x is
// scratch of the caller and comes back reordered. An empty x gives 0.
func Quantile(x []float64, p float64) float64 {
	if len(x) == 0 {
		return 0
	}
	lo, g := position(len(x), p)
	a := Select(x, lo)
	if g == 0 {
		return a
	}
	// Select leaves everything not smaller behind lo, so the next order
	// statistic is the least of the rest.
	return interpolate(a, slices.Min(x[lo+1:]), g)
}

// QuantileSorted returns what Quantile does, for an x that is already in
// ascending order; x is not changed.
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

// position returns the lower order statistic (from 0) and the weight of the
// one above it. A weight of 0 means that lo alone is the answer.
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

// UpperCount returns how many of n observations, at least 1, are not below the lower of the
// two between which the type-7 quantile at p lies.
func UpperCount(n int, p float64) int {
	lo, _ := position(n, p)
	return n - lo
}

func interpolate(a, b, g float64) float64 { return a + float64(g*(b-a)) }

// LowerTailMean returns the mean of the observations of x that are <= q, summed
// over the selected tail in index order; this is the lower-tail expected
// shortfall when q is a quantile of x. 0 when nothing is selected.
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

// AppendLowerTail appends the observations of x that are <= q to dst, in index
// order, and returns the extended slice.
func AppendLowerTail(dst, x []float64, q float64) []float64 {
	for _, v := range x {
		if v <= q {
			dst = append(dst, v)
		}
	}
	return dst
}

// Median returns the sample median of x, the mean of the two middle values for
// an even count. x is scratch and comes back reordered. An empty x gives 0.
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

// MedianSorted returns what Median does, for an x already in ascending order.
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

// MAD returns the median of x and the median absolute deviation about it,
// unscaled (the factor 1.4826 for a normal sample is the caller's). x is
// scratch: it comes back holding the absolute deviations, reordered.
func MAD(x []float64) (median, mad float64) {
	median = Median(x)
	for i, v := range x {
		x[i] = math.Abs(v - median)
	}
	return median, Median(x)
}

// TailQuantile returns the type-7 quantile at p of a sample of n observations of
// which only the smallest len(tail) are given, in any order. tail is scratch and
// comes back reordered. It panics when the tail does not reach the quantile.
func TailQuantile(tail []float64, n int, p float64) float64 {
	lo, g := position(n, p)
	a := Select(tail, lo)
	if g == 0 {
		return a
	}
	return interpolate(a, slices.Min(tail[lo+1:]), g)
}
