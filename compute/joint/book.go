package joint

import (
	"math"

	"ballast/asm"
	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// Book is the positions of a wallet but the trade's, replayed together: what they lose in 24
// hours on each recorded hour. Coarse outcomes choose the rows that decide; what comes out
// follows from exact outcomes alone. The zero value is an empty book; it is used again after
// Reset, by one goroutine at a time.
type Book struct {
	joints  []*mc.Joint
	weights []float64 // loss for an outcome of one standard deviation, USD

	sums  []float64 // [rows] what the positions lose, USD, within slack
	slack float64   // 0: these are exact
	most  float64   // what the positions lose at most, USD
	// The position of the newest Tail, nil for none, its weight, and the loss of the book with
	// it, USD, within slack.
	own    *mc.Joint
	weight float64
	loss   []float64 // [rows]

	work    []float64   // [rows]
	terms   [][]float64 // empty between uses: a book keeps no outcomes of hours gone by
	without stats.LeaveOneOut

	// Of coarse sums alone.
	coarse  coarse
	exact   []float64 // [rows] sums to the bit, where known
	known   []bool    // [rows]
	tail    []float64 // [rows]
	rows    []int32   // [rows] those of tail
	unknown []int32
}

// Reset empties the book.
func (b *Book) Reset() {
	clear(b.joints)
	b.joints, b.weights, b.own = b.joints[:0], b.weights[:0], nil
}

// Add adds a position: its asset's outcomes, and its loss for an outcome of one standard
// deviation, USD.
func (b *Book) Add(j *mc.Joint, weight float64) {
	b.joints, b.weights = append(b.joints, j), append(b.weights, weight)
}

// Len returns how many positions were added.
func (b *Book) Len() int { return len(b.joints) }

// Sum sums the outcomes of the positions added. rows is the Joint of BTC, which has them all.
func (b *Book) Sum(rows *mc.Joint) {
	n := len(rows.Z)
	b.sums = grown(b.sums, padded(n))
	b.slack = b.sum(n)
	b.sums = b.sums[:n]
	_, highest := asm.Extremes(b.sums)
	b.most = highest + b.slack
	b.loss, b.work = grown(b.loss, n), grown(b.work, n)
	if b.slack > 0 {
		b.exact, b.known = grown(b.exact, n), grown(b.known, n)
		clear(b.known)
		b.tail, b.rows = grown(b.tail, n), grown(b.rows, n)
	}
}

// sum sums n rows and returns how far off the sums may be, USD.
func (b *Book) sum(n int) (slack float64) {
	const few = 4 // up to here exact sums cost less than coarse ones and exact rows
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

// MaxLoss returns what the book loses at most, USD.
func (b *Book) MaxLoss() float64 { return b.most }

// Tail returns the type-7 quantile at Level of the loss of the book with one position more
// (own, which may be nil, by its weight) and the mean of the losses from there on, USD.
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
	// As many losses as the tail has reach the threshold, so its least reaches it but for
	// slack, and so does all that is above.
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

// lossSlack is how far off b.loss may be, rounding included, USD.
func (b *Book) lossSlack() float64 {
	slack := b.slack
	if b.own != nil {
		slack += 1e-15 * math.Abs(b.weight) * math.MaxInt16 * b.own.StepZ
	}
	return slack
}

// know fills in what the positions lose in some rows; rows come back as those of them that
// were not known.
func (b *Book) know(rows []int32) {
	n := 0
	for _, row := range rows {
		if !b.known[row] {
			b.exact[row], b.known[row], rows[n] = 0, true, row
			n++
		}
	}
	rows = rows[:n]
	for i, j := range b.joints {
		weight, z := b.weights[i], j.Z
		for _, row := range rows {
			b.exact[row] += float64(weight * z[row])
		}
	}
}

// lossAt returns what the book of the newest Tail loses in a row, USD.
func (b *Book) lossAt(row int) float64 {
	if !b.known[row] {
		b.know([]int32{int32(row)})
	}
	if b.own == nil {
		return b.exact[row]
	}
	return b.exact[row] + float64(b.weight*b.own.Z[row])
}

// PrepareWithout prepares Without for the book of the newest Tail.
func (b *Book) PrepareWithout() {
	if b.slack == 0 {
		b.without.Prepare(b.loss, Level, len(b.joints)+1)
	} else {
		b.without.PrepareWithin(b.loss, Level, len(b.joints)+1)
	}
}

// Without returns the quantile of the newest Tail as it would be without one of the
// positions, USD: its outcomes, and its loss for an outcome of one standard deviation, of
// which side's losses are gains.
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
