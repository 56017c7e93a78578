package joint

import (
	"math"

	"ballast/asm"
	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// Book replays the positions of a wallet, except that of the assessed trade, on the recorded hours and
// computes their joint loss over 24 hours. Sums of rounded outcomes select the hours that matter; the
// results use exact outcomes only. The zero value is an empty book; reuse it after Reset. Not safe for concurrent use.
type Book struct {
	joints  []*mc.Joint
	weights []float64 // loss for an outcome of one standard deviation, USD

	sums    []float64 // [rows] joint loss of the positions, USD, exact within slack
	slack   float64   // error bound of sums; 0: exact
	maxLoss float64   // maximum joint loss, USD
	// The position added by the last call of Tail (nil: none), its weight, and the joint loss
	// including it, USD, exact within slack.
	own    *mc.Joint
	weight float64
	loss   []float64 // [rows]

	work    []float64   // [rows]
	terms   [][]float64 // empty between uses, so that no old outcomes are kept alive
	without stats.LeaveOneOut

	// Used only with rounded sums.
	coarse  coarse
	exact   []float64 // [rows] exact sums, where known
	known   []bool    // [rows]
	tail    []float64 // [rows]
	rows    []int32   // [rows] row numbers of tail
	unknown []int32
}

// Reset empties the book.
func (b *Book) Reset() {
	clear(b.joints)
	b.joints, b.weights, b.own = b.joints[:0], b.weights[:0], nil
}

// Add adds a position: its asset's outcomes, and its loss in USD for an outcome of one standard
// deviation.
func (b *Book) Add(j *mc.Joint, weight float64) {
	b.joints, b.weights = append(b.joints, j), append(b.weights, weight)
}

// Len returns the number of positions.
func (b *Book) Len() int { return len(b.joints) }

// Sum sums the outcomes of the positions. rows is BTC's Joint, which has every row.
func (b *Book) Sum(rows *mc.Joint) {
	n := len(rows.Z)
	b.sums = grown(b.sums, padded(n))
	b.slack = b.sum(n)
	b.sums = b.sums[:n]
	_, highest := asm.Extremes(b.sums)
	b.maxLoss = highest + b.slack
	b.loss, b.work = grown(b.loss, n), grown(b.work, n)
	if b.slack > 0 {
		b.exact, b.known = grown(b.exact, n), grown(b.known, n)
		clear(b.known)
		b.tail, b.rows = grown(b.tail, n), grown(b.rows, n)
	}
}

// sum sums n rows and returns the error bound of the sums, USD.
func (b *Book) sum(n int) (slack float64) {
	const few = 4 // up to this number exact sums are cheaper
	if len(b.joints) > few {
		for i, j := range b.joints {
			b.coarse.add(b.weights[i], j.StepZ, j.CoarseZ)
		}
		if slack, ok := b.coarse.sum(b.sums); ok {
			return slack
		}
	}
	for _, j := range b.joints {
		b.terms = append(b.terms, j.Z)
	}
	stats.WeightedSum(b.sums[:n], b.weights, b.terms)
	clear(b.terms)
	b.terms = b.terms[:0]
	return 0
}

// MaxLoss returns the maximum joint loss, USD.
func (b *Book) MaxLoss() float64 { return b.maxLoss }

// Tail returns the type-7 quantile at Level of the joint loss, and the mean of the losses beyond it,
// USD. The loss includes one more position: own, with its weight as in Add; nil for none.
func (b *Book) Tail(own *mc.Joint, weight float64) (quantile, mean float64) {
	b.own, b.weight = own, weight
	weights, terms := [2]float64{1, weight}, [2][]float64{b.sums}
	k := 1
	if own != nil {
		terms[1], k = own.Z, 2
	}
	stats.WeightedSum(b.loss, weights[:k], terms[:k])
	if b.slack == 0 {
		return stats.UpperTail(b.loss, Level, b.work)
	}
	// threshold is the k-th largest rounded loss, for k losses in the tail. So the exact tail losses are
	// at least threshold-slack, and their rounded losses at least threshold-2*slack.
	n := len(b.loss)
	threshold := stats.UpperRank(b.loss, stats.UpperCount(n, Level), b.work)
	count := asm.AboveRows(b.tail, b.rows, b.loss, threshold-2*b.lossSlack())
	b.unknown = append(b.unknown[:0], b.rows[:count]...)
	b.know(b.unknown)
	for i, row := range b.rows[:count] {
		b.tail[i] = b.lossAt(int(row))
	}
	return stats.UpperTailOf(b.tail[:count], n, Level, b.work)
}

// lossSlack is the error bound of b.loss, floating-point rounding included, USD.
func (b *Book) lossSlack() float64 {
	slack := b.slack
	if b.own != nil {
		slack += 1e-15 * math.Abs(b.weight) * math.MaxInt16 * b.own.StepZ
	}
	return slack
}

// know computes the exact sums of those rows that are not known yet. It overwrites the slice rows.
func (b *Book) know(rows []int32) {
	n := 0
	for _, row := range rows {
		if !b.known[row] {
			b.exact[row], b.known[row], rows[n] = 0, true, row
			n++
		}
	}
	rows = rows[:n]
	for _, j := range b.joints {
		asm.Prefetch(j.Z, rows)
	}
	for i, j := range b.joints {
		weight, z := b.weights[i], j.Z
		for _, row := range rows {
			b.exact[row] += float64(weight * z[row])
		}
	}
}

// lossAt returns the exact joint loss in a row, including the position of the last Tail, USD.
func (b *Book) lossAt(row int) float64 {
	if !b.known[row] {
		b.know([]int32{int32(row)})
	}
	if b.own == nil {
		return b.exact[row]
	}
	return b.exact[row] + float64(b.weight*b.own.Z[row])
}

// PrepareWithout prepares Without for the positions of the last Tail.
func (b *Book) PrepareWithout() {
	if b.slack == 0 {
		b.without.Prepare(b.loss, Level, len(b.joints)+1)
	} else {
		b.without.PrepareWithin(b.loss, Level, len(b.joints)+1)
	}
}

// Without returns the quantile of the last Tail with one of its positions removed, USD. The position
// is given by its outcomes, its loss in USD for an outcome of one standard deviation, and its side.
func (b *Book) Without(j *mc.Joint, weight float64, side int) float64 {
	if b.slack == 0 {
		return b.without.Quantile(-weight, j.Z, j.Best[side])
	}
	unit := -weight * j.StepZ
	slack := b.lossSlack() + math.Abs(unit)*(0.5+roundingSteps)
	return b.without.QuantileWithin(slack, unit, j.CoarseZ, j.Best[side], func(row int32) float64 {
		return b.lossAt(int(row)) + float64(-weight*j.Z[row])
	})
}
