package asm

import "math"

// Selection keeps the elements that reach a threshold. A threshold slightly below the wanted
// order statistic reduces many thousand elements to a few hundred candidates in one pass. No
// loop branches on the data, so branch mispredictions cannot slow it down.

// Above writes the elements of x that are at least t to the front of values, in their order,
// and returns their number. values has the length of x; its other elements are overwritten with
// arbitrary values. values may be x. No element is NaN.
func Above(values, x []float64, t float64) int {
	_ = values[:len(x)]
	n := len(x) &^ 3
	count := 0
	if avx2 && n > 0 {
		count = aboveAVX2(&values[0], &x[0], n, t)
		x = x[n:]
	}
	return aboveGeneric(values, x, t, count)
}

func aboveGeneric(values, x []float64, t float64, count int) int {
	for _, v := range x {
		values[count] = v
		count += kept(v, t)
	}
	return count
}

// Below does what Above does with the elements that are at most t.
func Below(values, x []float64, t float64) int {
	_ = values[:len(x)]
	n := len(x) &^ 3
	count := 0
	if avx2 && n > 0 {
		count = belowAVX2(&values[0], &x[0], n, t)
		x = x[n:]
	}
	return belowGeneric(values, x, t, count)
}

func belowGeneric(values, x []float64, t float64, count int) int {
	for _, v := range x {
		values[count] = v
		count += kept(t, v)
	}
	return count
}

// AboveRows does what Above does and writes the index of each kept element to rows. The
// three slices have the same length; values must not overlap x.
func AboveRows(values []float64, rows []int32, x []float64, t float64) int {
	_, _ = values[:len(x)], rows[:len(x)]
	n := len(x) &^ 3
	count := 0
	if avx2 && n > 0 {
		count = aboveRowsAVX2(&values[0], &rows[0], &x[0], n, t)
	} else {
		n = 0
	}
	return aboveRowsGeneric(values, rows, x, t, n, count)
}

func aboveRowsGeneric(values []float64, rows []int32, x []float64, t float64, from, count int) int {
	for i := from; i < len(x); i++ {
		values[count], rows[count] = x[i], int32(i)
		count += kept(x[i], t)
	}
	return count
}

// AboveSum does what Above does with the sums x[i] + scale*y[i]. x, y and values have the
// same length; values must not overlap y, and may be x.
func AboveSum(values, x, y []float64, scale, t float64) int {
	_, _ = values[:len(x)], y[:len(x)]
	n := len(x) &^ 3
	count := 0
	if avx2 && n > 0 {
		count = aboveSumAVX2(&values[0], &x[0], &y[0], n, scale, t)
		x, y = x[n:], y[n:]
	}
	return aboveSumGeneric(values, x, y, scale, t, count)
}

func aboveSumGeneric(values, x, y []float64, scale, t float64, count int) int {
	y = y[:len(x)]
	for i, v := range x {
		v += float64(scale * y[i])
		values[count] = v
		count += kept(v, t)
	}
	return count
}

// CountAbove returns how many elements of x are at least t.
func CountAbove(x []float64, t float64) int {
	n := len(x) &^ 3
	count := 0
	if avx2 && n > 0 {
		count = countAboveAVX2(&x[0], n, t)
		x = x[n:]
	}
	return count + countAboveGeneric(x, t)
}

func countAboveGeneric(x []float64, t float64) int {
	count := 0
	for _, v := range x {
		count += kept(v, t)
	}
	return count
}

// Extremes returns the minimum and the maximum of x, which must not be empty.
func Extremes(x []float64) (smallest, largest float64) {
	smallest, largest = x[0], x[0]
	if n := len(x) &^ 3; avx2 && n > 0 {
		smallest, largest = extremesAVX2(&x[0], n)
		x = x[n:]
	}
	return extremesGeneric(x, smallest, largest)
}

// extremesGeneric keeps four minima and four maxima, because a comparison with a single minimum
// would have to wait for the comparison before.
func extremesGeneric(x []float64, smallest, largest float64) (float64, float64) {
	l0, l1, l2, l3 := smallest, smallest, smallest, smallest
	h0, h1, h2, h3 := largest, largest, largest, largest
	for ; len(x) >= 4; x = x[4:] {
		v0, v1, v2, v3 := x[0], x[1], x[2], x[3]
		l0, l1, l2, l3 = lower(v0, l0), lower(v1, l1), lower(v2, l2), lower(v3, l3)
		h0, h1, h2, h3 = higher(v0, h0), higher(v1, h1), higher(v2, h2), higher(v3, h3)
	}
	for _, v := range x {
		l0, h0 = lower(v, l0), higher(v, h0)
	}
	return lower(lower(l0, l1), lower(l2, l3)), higher(higher(h0, h1), higher(h2, h3))
}

// NextAbove returns the smallest element of x that is greater than t; +Inf if there is none.
func NextAbove(x []float64, t float64) float64 {
	if avx2 && len(x) >= 16 {
		return nextAboveAVX2(&x[0], len(x), t)
	}
	return nextAboveGeneric(x, t)
}

func nextAboveGeneric(x []float64, t float64) float64 {
	next := math.Inf(1)
	for _, v := range x {
		if v > t {
			next = lower(v, next)
		}
	}
	return next
}

func lower(a, b float64) float64 {
	if a < b {
		return a
	}
	return b
}

func higher(a, b float64) float64 {
	if a > b {
		return a
	}
	return b
}

// kept is 1 for an element that reaches the threshold.
func kept(v, t float64) int {
	if v >= t {
		return 1
	}
	return 0
}
