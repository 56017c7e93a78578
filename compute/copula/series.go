package copula

import (
	"slices"

	"ballast/compute/stats"
)

// Series is one asset's 4-hour returns, ranked for use in any number of pairs. It never changes and
// may be read by several goroutines.
type Series struct {
	returns []float64
	ranking stats.Ranking
	cells   []int32 // index of each average rank in a table of this length
	ties    []tie
}

// tie is a group of equal returns with the ranks low+1 to high. cell is the index of their average
// rank in a table.
type tie struct{ low, high, cell int32 }

// Prepare ranks the 4-hour returns of an asset, oldest first. They are copied.
func Prepare(returns []float64) *Series {
	s := &Series{returns: slices.Clone(returns)}
	s.ranking.Rank(s.returns)
	s.locate()
	return s
}

// Points returns the number of 4-hour returns.
func (s *Series) Points() int { return len(s.returns) }

// setNewest makes s the newest n points of full.
func (s *Series) setNewest(full *Series, n int) {
	skip := len(full.returns) - n
	s.returns = full.returns[skip:]
	s.ranking.RankSuffix(&full.ranking, skip)
	s.locate()
}

// locate finds the cells and the ties of the ranking.
func (s *Series) locate() {
	r, n := &s.ranking, len(s.returns)
	s.cells = slices.Grow(s.cells[:0], n)[:n]
	for i := range s.cells {
		s.cells[i] = cell(r.Low[i]+1+r.High[i], n)
	}
	s.ties = s.ties[:0]
	for at := 0; at < n; {
		i := r.Order[at]
		at = int(r.High[i])
		if r.High[i]-r.Low[i] > 1 {
			s.ties = append(s.ties, tie{r.Low[i], r.High[i], s.cells[i]})
		}
	}
}

// constant reports whether all returns are the same.
func (s *Series) constant() bool {
	return len(s.ties) == 1 && int(s.ties[0].high-s.ties[0].low) == len(s.returns)
}

// cell returns the index of a rank, given doubled, in a table of n points: whole ranks 1..n come
// first, because a series without ties needs no others, then 1.5..n-0.5.
func cell(doubled int32, n int) int32 {
	if doubled&1 == 0 {
		return doubled/2 - 1
	}
	return int32(n) + (doubled-3)/2
}
