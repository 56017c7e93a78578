package marketcache

import (
	"math"
	"sort"
	"time"
)

// Level is one price level of a book as the venue prints it.
type Level struct {
	Price float64 // USD
	Units float64 // base units resting
}

// maxBooks is the number of views that a merged book holds whole, maxBookLevels the levels a
// side that the venue shows of each.
const (
	maxBooks      = 4
	maxBookLevels = 20
	// MaxSideLevels bounds a merged side.
	MaxSideLevels = maxBooks * maxBookLevels
)

// Side is one side of a merged book, best price first, with inclusive prefix sums.
// All slices have the same length. What Rebuild sets is not sent to other replicas.
type Side struct {
	Price    []float64 // USD
	Units    []float64 // base units at the level
	CumUnits []float64 `json:"-"` // base units up to and including the level
	CumUSD   []float64 `json:"-"` // USD up to and including the level
	// Depth50USD and Depth100USD are what rests within 50 and 100 bps of the book's own mid;
	// 0 when it has none.
	Depth50USD, Depth100USD float64 `json:"-"`
}

// Len returns the number of levels.
func (s *Side) Len() int { return len(s.Price) }

// Book is the merged order book of one asset. Immutable once published.
type Book struct {
	Bids, Asks Side
	// MidPrice and SpreadBps come from the best merged levels, which are those of the
	// finest book unless it shows none on that side. Both are 0 when a side is empty or
	// the book is crossed: then the mark stands in for the mid.
	MidPrice  float64
	SpreadBps float64
	VenueMs   int64 // the venue's time of the best levels
	// Cadence is how often the best levels are renewed, 0 where nobody has said.
	Cadence time.Duration
	// The levels behind the best ones come more seldom. DepthProof is the last proof of the
	// oldest of their sources, 0 before there was one; DepthCadence how often they are renewed,
	// 0 where they are as old as the best levels.
	DepthProof   Instant
	DepthCadence time.Duration
}

// TwoSided reports whether the book has a mid of its own.
func (b *Book) TwoSided() bool { return b.MidPrice > 0 }

// depthSlack widens the depth bound by rounding error only, so that a level printed
// exactly at the bound counts.
const depthSlack = 1 + 1e-12

// DepthUSD returns the USD resting on the side within bps basis points of mid,
// without extrapolation: levels with |P-mid| <= mid*bps*1e-4.
func (s *Side) DepthUSD(mid, bps float64) float64 {
	bound := mid * bps * 1e-4 * depthSlack
	if len(s.Price) == 0 {
		return 0
	}
	if math.Abs(s.Price[0]-mid) > bound {
		// Nothing within the bound, unless the book is crossed and its best levels lie
		// on the other side of the mid.
		sum := 0.0
		for i, p := range s.Price {
			if math.Abs(p-mid) <= bound {
				sum += p * s.Units[i]
			}
		}
		return sum
	}
	n := sort.Search(len(s.Price), func(i int) bool { return math.Abs(s.Price[i]-mid) > bound })
	return s.CumUSD[n-1]
}

// MeasureDepth sets Depth50USD and Depth100USD by the book's own mid. Whoever changes the
// levels of a copy calls it.
func (s *Side) MeasureDepth(mid float64) {
	s.Depth50USD, s.Depth100USD = s.DepthUSD(mid, 50), s.DepthUSD(mid, 100)
}

// MergeBooks builds the merged book of one asset from the venue's books of falling
// precision: the finest first. Levels are as received; the slices are sorted and
// cleaned in place. Levels whose price or size is not finite, not positive or outside
// 1e-30 to 1e30 are dropped.
//
// Per side: start with the finest book; run down each coarser book with the
// cumulative size C of its own first levels; a level beyond the last merged price
// adds C-M at its printed price when that exceeds 1e-12*C, M being the merged
// cumulative size so far. An aggregated level prints the worse end of its bucket, so
// nothing is counted twice and the error is at most one bucket, to the safe side.
func MergeBooks(bids, asks [][]Level, venueMs int64) *Book {
	b := &Book{VenueMs: venueMs}
	for i := range bids {
		bids[i] = cleanLevels(bids[i], -1)
	}
	for i := range asks {
		asks[i] = cleanLevels(asks[i], +1)
	}
	var bid, ask ladder
	bid.merge(bids, -1)
	ask.merge(asks, +1)
	store := make([]float64, 4*(bid.n+ask.n)) // one allocation for both sides
	bid.print(&b.Bids, store[:4*bid.n])
	ask.print(&b.Asks, store[4*bid.n:])
	if b.Bids.Len() > 0 && b.Asks.Len() > 0 {
		if bid, ask := b.Bids.Price[0], b.Asks.Price[0]; bid < ask {
			b.MidPrice = (bid + ask) / 2
			b.SpreadBps = (ask - bid) / b.MidPrice * 1e4
			b.Bids.MeasureDepth(b.MidPrice)
			b.Asks.MeasureDepth(b.MidPrice)
		}
	}
	return b
}

// Prices and sizes outside these bounds are no market's. Inside them no sum, product or
// ratio that is made of a book can overflow.
const (
	leastPlausible = 1e-30
	mostPlausible  = 1e+30
)

func plausible(x float64) bool { return x >= leastPlausible && x <= mostPlausible }

// cleanLevels drops impossible levels and sorts best first; dir is +1 for asks.
func cleanLevels(levels []Level, dir float64) []Level {
	kept := levels[:0]
	for _, l := range levels {
		if plausible(l.Price) && plausible(l.Units) {
			kept = append(kept, l)
		}
	}
	for i := 1; i < len(kept); i++ { // insertion sort: nearly always sorted already
		for j := i; j > 0 && dir*kept[j].Price < dir*kept[j-1].Price; j-- {
			kept[j], kept[j-1] = kept[j-1], kept[j]
		}
	}
	return kept
}

// ladder is a merged side in the making.
type ladder struct {
	n            int
	price, units [MaxSideLevels]float64
}

// merge merges the books of one side.
func (m *ladder) merge(books [][]Level, dir float64) {
	merged := 0.0 // cumulative units so far
	for i, book := range books {
		own := 0.0
		for _, l := range book {
			own += l.Units
			add := l.Units
			if i > 0 {
				if m.n > 0 && dir*(l.Price-m.price[m.n-1]) <= 0 {
					continue
				}
				add = own - merged
				if add <= 1e-12*own {
					continue
				}
			}
			if m.n == MaxSideLevels {
				break
			}
			m.price[m.n], m.units[m.n] = l.Price, add
			m.n++
			if i > 0 {
				merged = own
			} else {
				merged += add
			}
		}
	}
}

// print fills a side that lies in store, of 4 n numbers.
func (m *ladder) print(s *Side, store []float64) {
	n := m.n
	s.Price, s.Units, s.CumUnits, s.CumUSD = store[:n:n], store[n:2*n:2*n], store[2*n:3*n:3*n], store[3*n:4*n:4*n]
	units, usd := 0.0, 0.0
	for i := range n {
		p, u := m.price[i], m.units[i]
		units += u
		usd += p * u
		s.Price[i], s.Units[i], s.CumUnits[i], s.CumUSD[i] = p, u, units, usd
	}
}
