package stats

import (
	"math"

	"ballast/asm"
)

// LeaveOneOut computes the upper quantile of a sum without one of its terms, for each term in turn. Only
// two kinds of observations can be among the largest after the removal: those with a large sum, and
// those whose sum rises much by the removal. Only these are examined; a bound excludes the rest, so the
// order statistics are exact.
//
// The zero value is ready for use. Its memory grows as needed. Not safe for concurrent use.
type LeaveOneOut struct {
	total []float64
	need  int     // the quantile lies between the need-th largest sum and the next larger one
	g     float64 // weight of the larger of these two sums

	cut    float64 // values holds the elements of total that are >= cut
	values []float64
	rows   []int32 // observation indexes of values, ascending
	kept   []float64
	spare  []float64
	near   float64 // the last threshold; the next is usually near it
}

// candidateRank is the rank in the sample of a threshold whose few candidates, those of the largest sums, are
// examined for every term.
const candidateRank = 6

// Prepare sets total, the sum of all terms for each observation, and the level p of the quantile. It returns
// what UpperTail does. total must not change until the last Quantile.
func (w *LeaveOneOut) Prepare(total []float64, p float64) (quantile, mean float64) {
	n := len(total)
	w.total = total
	if n == 0 {
		return 0, 0
	}
	lo, g := position(n, p)
	w.need, w.g, w.near = n-lo, g, math.Inf(1)
	w.values, w.kept, w.spare = AtLeast(w.values, n), AtLeast(w.kept, n), AtLeast(w.spare, n)
	w.rows = AtLeast(w.rows, n)
	w.cut = math.Inf(-1)
	if n >= minFiltered && 1.5*float64(w.need)*tailSample < float64(candidateRank*n) {
		w.cut = upperGuess(total, candidateRank)
	}
	count := asm.AboveRows(w.values, w.rows, total, w.cut)
	if count < w.need {
		w.cut = math.Inf(-1)
		count = asm.AboveRows(w.values, w.rows, total, w.cut)
	}
	w.values, w.rows = w.values[:count], w.rows[:count]
	return UpperTailOf(w.kept[:copy(w.kept, w.values)], n, p, w.spare)
}

// Quantile returns the type-7 quantile of total[i] + scale*x[i], the same as function Quantile. If largest
// lists the observations with the largest scale*x[i], in descending order, the others need not be
// examined; it may be empty.
func (w *LeaveOneOut) Quantile(scale float64, x []float64, largest []int32) float64 {
	n := len(w.total)
	if n == 0 {
		return 0
	}
	x = x[:n]
	rows := w.rows
	kept, values := w.kept[:len(rows)], w.values[:len(rows)]
	for j, row := range rows {
		kept[j] = values[j] + float64(scale*x[row])
	}
	// At least need sums reach the threshold t, so both order statistics reach it.
	low, high := asm.Extremes(kept)
	t, _ := upperThreshold(kept, w.need, low, high, w.near)
	w.near = t
	count := asm.Above(kept, kept, t)
	if w.cut > math.Inf(-1) {
		more, all := w.belowCutoff(w.kept[count:n], scale, x, largest, t)
		count += more
		if !all {
			count = asm.AboveSum(w.kept[:n], w.total, x, scale, t)
		}
	}
	q, _ := upperOrder(w.kept[:count], w.need, w.g, w.spare[:n])
	return q
}

// belowCutoff writes to kept the sums of at least t among the observations whose total is below the
// cut. It follows the order of largest, and stops where cut plus term falls below t: no later
// observation can reach t. all reports that no such sum is missing; it is false when largest ended
// before that.
func (w *LeaveOneOut) belowCutoff(
	kept []float64, scale float64, x []float64, largest []int32, t float64,
) (count int, all bool) {
	for _, row := range largest {
		term := float64(scale * x[row])
		if w.cut+term < t {
			return count, true
		}
		if total := w.total[row]; total < w.cut && total+term >= t {
			kept[count] = total + term
			count++
		}
	}
	return count, len(largest) == len(x)
}

// AtLeast returns a slice of n elements, in the memory of x if its capacity suffices.
func AtLeast[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}
