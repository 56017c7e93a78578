package marketcache

import (
	"math"
	"sort"
	"time"
)

// Level is one price level of a book, as the venue sends it.
type Level struct {
	Price float64 // USD
	Units float64 // base units resting
}

// maxBooks is the number of precisions in a merged book, maxBookLevels the number of levels per side
// that the venue sends for each precision.
const (
	maxBooks      = 4
	maxBookLevels = 20
	// MaxSideLevels is the maximum number of levels of a merged side.
	MaxSideLevels = maxBooks * maxBookLevels
)

// Side is one side of a merged book, best price first, with inclusive prefix sums. All slices have
// the same length. Fields that Rebuild computes are not sent to replicas.
type Side struct {
	Price    []float64 // USD
	Units    []float64 // base units at the level
	CumUnits []float64 `json:"-"` // base units up to and including the level
	CumUSD   []float64 `json:"-"` // USD up to and including the level
	// Depth50USD and Depth100USD are the notional within 50 and 100 bps of the book's mid; 0 without a mid.
	Depth50USD, Depth100USD float64 `json:"-"`
}

// Len returns the number of levels.
func (s *Side) Len() int { return len(s.Price) }

// Book is the merged order book of one asset. Immutable once published.
type Book struct {
	Bids, Asks Side
	// MidPrice and SpreadBps come from the best merged levels. On each side these are the finest
	// book's, unless its side is empty. Both are 0 when a merged side is empty or the merged book is
	// crossed or locked; the mark is then used as mid.
	MidPrice  float64
	SpreadBps float64
	VenueMs   int64 // venue time of the best levels
	// Cadence is the interval between updates of the best levels, 0 if unknown.
	Cadence time.Duration
	// The levels behind the best ones come from slower sources. DepthProof is the oldest of the times at
	// which each source was last confirmed, 0 if one never was. DepthCadence is the longest update
	// interval of these sources; 0: no slower source, the depth is as old as the best levels.
	DepthProof   Instant
	DepthCadence time.Duration
}

// TwoSided reports whether the book has a mid of its own.
func (b *Book) TwoSided() bool { return b.MidPrice > 0 }

// depthSlack widens the depth bound by rounding error only, so that a level exactly at the bound counts.
const depthSlack = 1 + 1e-12

// DepthUSD returns the USD on this side within bps basis points of mid, that is at levels with
// |P-mid| <= mid*bps*1e-4.
func (s *Side) DepthUSD(mid, bps float64) float64 {
	bound := mid * bps * 1e-4 * depthSlack
	if len(s.Price) == 0 {
		return 0
	}
	if math.Abs(s.Price[0]-mid) > bound {
		// Usually nothing is within the bound; in a crossed book the best levels may lie on the other
		// side of the mid.
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

// MeasureDepth sets Depth50USD and Depth100USD. Call it after changing the levels of a copy.
func (s *Side) MeasureDepth(mid float64) {
	s.Depth50USD, s.Depth100USD = s.DepthUSD(mid, 50), s.DepthUSD(mid, 100)
}

// MergeBooks merges the venue's books of one asset, finest precision first. Levels are as received;
// the slices are overwritten. Levels with a price or size that is not positive and
// finite, or outside 1e-30 to 1e30, are dropped.
//
// For each side, start with the finest book. Then go through each coarser book with C, the cumulative
// size of its own levels, and M, the merged cumulative size so far. A level beyond the last merged price
// adds C-M at its own price if C-M exceeds 1e-12*C. An aggregated level has the worse end of its bucket
// as price, so nothing is counted twice and the error is at most one bucket, towards a worse price.
func MergeBooks(bids, asks [][]Level, venueMs int64) *Book {
	b := &Book{VenueMs: venueMs}
	var bid, ask ladder
	bid.merge(bids, -1)
	ask.merge(asks, +1)
	store := make([]float64, 4*(bid.n+ask.n)) // one allocation for both sides
	bid.fill(&b.Bids, store[:4*bid.n])
	ask.fill(&b.Asks, store[4*bid.n:])
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

// Bounds of plausible prices and sizes. Within them no sum, product or ratio of a book's numbers can
// overflow.
const (
	minPlausible = 1e-30
	maxPlausible = 1e+30
)

func plausible(x float64) bool { return x >= minPlausible && x <= maxPlausible }

// cleanLevels drops impossible levels and sorts best first; dir is +1 for asks.
func cleanLevels(levels []Level, dir float64) []Level {
	kept := levels[:0]
	for _, l := range levels {
		if plausible(l.Price) && plausible(l.Units) {
			kept = append(kept, l)
		}
	}
	for i := 1; i < len(kept); i++ { // insertion sort: levels are nearly always sorted already
		for j := i; j > 0 && dir*kept[j].Price < dir*kept[j-1].Price; j-- {
			kept[j], kept[j-1] = kept[j-1], kept[j]
		}
	}
	return kept
}

// ladder is one side of a book during merging.
type ladder struct {
	n            int
	price, units [MaxSideLevels]float64
}

// merge merges the books of one side.
func (m *ladder) merge(books [][]Level, dir float64) {
	merged := 0.0 // cumulative units
	for i, book := range books {
		own := 0.0
		for _, l := range cleanLevels(book, dir) {
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

// fill sets the slices of a side, which share store (4 numbers per level).
func (m *ladder) fill(s *Side, store []float64) {
	n := m.n
	s.Price, s.Units = store[:n:n], store[n:2*n:2*n]
	copy(s.Price, m.price[:n])
	copy(s.Units, m.units[:n])
	s.sum(store[2*n:])
}

// Rebuild computes prefix sums and depths from the levels and the mid of a book.
func (b *Book) Rebuild() {
	for _, s := range [...]*Side{&b.Bids, &b.Asks} {
		s.sum(make([]float64, 2*len(s.Price)))
		if b.TwoSided() {
			s.MeasureDepth(b.MidPrice)
		}
	}
}

// sum computes the prefix sums. Their slices share store, which has two numbers per level.
func (s *Side) sum(store []float64) {
	n := len(s.Price)
	s.CumUnits, s.CumUSD = store[:n:n], store[n:2*n:2*n]
	units, usd := 0.0, 0.0
	for i, p := range s.Price {
		units += s.Units[i]
		usd += p * s.Units[i]
		s.CumUnits[i], s.CumUSD[i] = units, usd
	}
}
