package risk

import (
	"math"
	"slices"
	"testing"
)

// Figures recomputed from docs/model.md in the simplest way, by none of the code that they check.

// agree compares two computations of a figure.
func agree(t *testing.T, what string, got, want float64) {
	t.Helper()
	agreeTo(t, what, got, want, math.Abs(want))
}

// agreeTo compares two computations of a figure that is a small difference of numbers as large as
// scale.
func agreeTo(t *testing.T, what string, got, want, scale float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*scale+1e-12) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

// plainQuantile returns the type-7 quantile.
func plainQuantile(x []float64, p float64) float64 {
	y := slices.Sorted(slices.Values(x))
	h := p * float64(len(y)-1)
	lo := int(h)
	if lo+1 == len(y) {
		return y[lo]
	}
	return y[lo] + (h-float64(lo))*(y[lo+1]-y[lo])
}

// plainUpperMean returns the mean of the values that are at least q.
func plainUpperMean(x []float64, q float64) float64 {
	sum, n := 0.0, 0.0
	for _, v := range x {
		if v >= q {
			sum, n = sum+v, n+1
		}
	}
	return sum / n
}

// plainBps returns the slippage in bps on one side of the test book: 20 levels of usd each (at
// mid), 1 bp apart, with the same density beyond. An order of x times the visible book walks 20*x
// levels.
func plainBps(usd, mid, units float64) float64 {
	left, offset := units, 0.0
	for i := 1; i <= 20 && left > 0; i++ {
		take := min(left, usd/mid)
		offset, left = offset+take*float64(i), left-take
	}
	if left > 0 {
		all := 20 * usd / mid
		end := units / all
		rising := min(end, 5000.0/20)
		offset += all * (20*(rising*rising-1)/2 + 5000*(end-rising))
	}
	if units <= 0 {
		return 0
	}
	return offset / units
}

// plainFunding returns the expected funding of 24 hours for the hourly rate f, which reverts to the
// mean.
func plainFunding(f, mean float64) float64 {
	sum, deviation := 0.0, f-mean
	for range 24 {
		deviation *= 0.95
		sum += mean + deviation
	}
	return sum
}
