package stats

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// AverageRanks writes the ranks of x to dst, from 1 for the smallest. Equal values have the mean of
// their ranks, so every rank is a multiple of 1/2. dst and work must be at least as long as x; work is
// scratch.
func AverageRanks(dst, x []float64, work []int) {
	order := work[:len(x)]
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && x[order[hi]] == x[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			dst[i] = 0.5 * float64(lo+1+hi) // the mean of lo+1..hi
		}
		lo = hi
	}
}

// Ranking is the order of a sample. Rank statistics use it instead of sorting again. Its memory is reused.
// Any number of goroutines may read it.
type Ranking struct {
	// Order holds the indexes of the sample by ascending value.
	Order []int32
	// Position[i] is the index of element i in Order.
	Position []int32
	// The elements with the value of element i, including itself, are at indexes Low[i] to High[i]-1 of
	// Order; their average rank is (Low[i]+1+High[i])/2.
	Low, High []int32
	// TiedPairs is the number of pairs of equal values.
	TiedPairs int64
}

// Rank makes r the ranking of x.
func (r *Ranking) Rank(x []float64) {
	r.resize(len(x))
	for i := range r.Order {
		r.Order[i] = int32(i)
	}
	slices.SortFunc(r.Order, func(i, j int32) int { return cmp.Compare(x[i], x[j]) })
	for lo := 0; lo < len(x); {
		hi := lo + 1
		for hi < len(x) && x[r.Order[hi]] == x[r.Order[lo]] {
			hi++
		}
		r.group(lo, hi)
		lo = hi
	}
}

// RankSuffix makes r the ranking of full's sample without its first skip elements, without sorting: the
// order of the rest is unchanged.
func (r *Ranking) RankSuffix(full *Ranking, skip int) {
	r.resize(len(full.Order) - skip)
	at, lo := 0, 0
	same := int32(-1) // start of the current group in full
	for _, i := range full.Order {
		if int(i) < skip {
			continue
		}
		if full.Low[i] != same {
			r.group(lo, at)
			lo, same = at, full.Low[i]
		}
		r.Order[at] = i - int32(skip)
		at++
	}
	r.group(lo, at)
}

func (r *Ranking) resize(n int) {
	for _, s := range []*[]int32{&r.Order, &r.Position, &r.Low, &r.High} {
		*s = slices.Grow((*s)[:0], n)[:n]
	}
	r.TiedPairs = 0
}

// group records that the elements at lo to hi-1 of Order are equal.
func (r *Ranking) group(lo, hi int) {
	for at := lo; at < hi; at++ {
		i := r.Order[at]
		r.Position[i], r.Low[i], r.High[i] = int32(at), int32(lo), int32(hi)
	}
	m := int64(hi - lo)
	r.TiedPairs += m * (m - 1) / 2
}

// KendallScratch is the scratch of Tau. The zero value is ready for use; its memory grows as needed. Not
// safe for concurrent use.
type KendallScratch struct{ set prefixSet }

// Tau returns Kendall's rank correlation of two ranked samples in [-1, 1], corrected for ties (tau-b); 0
// when one of them is constant. It panics when the lengths differ. Pairs are counted by inserting one
// sample in the order of the other (Knight, JASA 1966, with a counting set in place of merge sort).
// Exchanging x and y gives the same bits.
func (w *KendallScratch) Tau(x, y *Ranking) float64 {
	n := len(x.Order)
	if n != len(y.Order) {
		panic("BUG: stats.KendallScratch.Tau of unequal lengths")
	}
	// A pair is concordant when the element inserted earlier (smaller x) has the smaller y. Elements
	// with equal x are all looked up before any of them is inserted.
	balance := int64(0) // concordant minus discordant pairs
	w.set.reset(n)
	for lo := 0; lo < n; {
		hi := int(x.High[x.Order[lo]])
		group := x.Order[lo:hi]
		for _, i := range group {
			below := w.set.below(y.Low[i])
			notAbove := below
			if y.High[i]-y.Low[i] > 1 {
				notAbove = w.set.below(y.High[i])
			}
			balance += int64(below + notAbove - lo)
		}
		for _, i := range group {
			w.set.add(y.Position[i])
		}
		lo = hi
	}
	pairs := int64(n) * int64(n-1) / 2
	if pairs == x.TiedPairs || pairs == y.TiedPairs {
		return 0
	}
	d := math.Sqrt(float64(pairs-x.TiedPairs)) * math.Sqrt(float64(pairs-y.TiedPairs))
	return max(-1, min(1, float64(balance)/d))
}

// prefixSet is a set of small numbers that counts its members below a bound. It has a bit for each
// number, and for every word of bits the number of members in earlier words. An insertion changes n/128
// of these counts on average, which is less work here than a tree.
type prefixSet struct {
	words  []uint64
	before []int32
}

func (s *prefixSet) reset(n int) {
	words := n/64 + 1
	s.words = slices.Grow(s.words[:0], words)[:words]
	s.before = slices.Grow(s.before[:0], words)[:words]
	clear(s.words)
	clear(s.before)
}

func (s *prefixSet) add(v int32) {
	word := int(v >> 6)
	s.words[word] |= 1 << (uint(v) & 63)
	after := s.before[word+1:]
	for i := range after {
		after[i]++
	}
}

// below returns the number of members less than v.
func (s *prefixSet) below(v int32) int {
	word := v >> 6
	return int(s.before[word]) + bits.OnesCount64(s.words[word]&(1<<(uint(v)&63)-1))
}
