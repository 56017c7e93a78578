package stats

import (
	"math"
	"slices"
)

const (
	smallSelect = 48 // below this sorting is faster than another pass
	sampleSize  = 63
	// passBudget is the maximum number of elements examined, in multiples of the length. A random order
	// needs about 2. Beyond the budget the rest is sorted, so that an unlucky order (or a NaN, which
	// no pivot can place) costs n log n and ends.
	passBudget = 12
)

// Select returns the k-th smallest element of x, k from 0, and reorders x so that it is at x[k],
// with nothing greater before it and nothing smaller after it. It panics when k is outside x.
//
// The pivot is an order statistic of a small sample, chosen so that rank k probably falls into the
// smaller part (Floyd and Rivest 1975). The partition has no data-dependent branch. Selecting in a
// tail of a few percent therefore costs little more than one pass.
func Select(x []float64, k int) float64 {
	_ = x[k]
	lo, hi := 0, len(x)
	budget := passBudget * len(x)
	for hi-lo > smallSelect {
		a := x[lo:hi]
		if budget -= len(a); budget < 0 {
			slices.Sort(a)
			return x[k]
		}
		pivot := aimedPivot(a, k-lo)
		less := partition(a, math.Nextafter(pivot, math.Inf(-1)))
		if k < lo+less {
			hi = lo + less
			continue
		}
		lo += less
		equal := partition(x[lo:hi], pivot)
		if k < lo+equal {
			return pivot
		}
		lo += equal
	}
	slices.Sort(x[lo:hi])
	return x[k]
}

// aimedPivot returns a sampled value that probably leaves rank k in the smaller part: about 1.5 standard
// deviations above rank k if k is in the lower half, below it otherwise.
func aimedPivot(a []float64, k int) float64 {
	var sample [sampleSize]float64
	m := min(sampleSize, len(a)/4|1)
	stride := len(a) / m
	for i := range m {
		sample[i] = a[i*stride+stride/2]
	}
	s := sample[:m]
	slices.Sort(s)
	f := (float64(k) + 0.5) / float64(len(a))
	margin := 0.5 + 1.5*math.Sqrt(float64(m)*f*(1-f))
	at := f * float64(m)
	if f < 0.5 {
		at += margin
	} else {
		at -= margin
	}
	return s[max(0, min(m-1, int(at)))]
}

// partition moves the elements not above pivot to the front and returns their number.
func partition(a []float64, pivot float64) int {
	j := 0
	for i, v := range a {
		a[i], a[j] = a[j], v
		step := 0
		if v <= pivot {
			step = 1
		}
		j += step
	}
	return j
}
