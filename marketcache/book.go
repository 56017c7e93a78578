package marketcache

import (
	"cmp"
	"math"
	"slices"
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
func (s *Side) DepthUSD(mid, bps float64) (usd float64) {
	bound := mid * bps * 1e-4 * depthSlack
	for i, p := range s.Price {
		if math.Abs(p-mid) <= bound {
			usd += p * s.Units[i]
		}
	}
	return usd
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
	b := &Book{VenueMs: venueMs, Bids: mergeSide(bids, -1), Asks: mergeSide(asks, +1)}
	if b.Bids.Len() > 0 && b.Asks.Len() > 0 {
		if bid, ask := b.Bids.Price[0], b.Asks.Price[0]; bid < ask {
			b.MidPrice = (bid + ask) / 2
			b.SpreadBps = (ask - bid) / b.MidPrice * 1e4
		}
	}
	b.Rebuild()
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
	kept := slices.DeleteFunc(levels, func(l Level) bool { return !plausible(l.Price) || !plausible(l.Units) })
	slices.SortStableFunc(kept, func(a, b Level) int { return cmp.Compare(dir*a.Price, dir*b.Price) })
	return kept
}

// mergeSide merges the books of one side; dir is +1 for asks.
func mergeSide(books [][]Level, dir float64) Side {
	var price, units [MaxSideLevels]float64
	n, merged := 0, 0.0 // merged: cumulative units
	for i, book := range books {
		own := 0.0
		for _, l := range cleanLevels(book, dir) {
			own += l.Units
			add := own - merged
			if i == 0 {
				add = l.Units // exactly
			} else if n > 0 && dir*(l.Price-price[n-1]) <= 0 || add <= 1e-12*own {
				continue
			}
			if n == MaxSideLevels {
				break
			}
			price[n], units[n] = l.Price, add
			merged = own
			n++
		}
	}
	return Side{Price: slices.Clone(price[:n]), Units: slices.Clone(units[:n])}
}

// Rebuild computes prefix sums and depths from the levels and the mid of a book.
func (b *Book) Rebuild() {
	for _, s := range [...]*Side{&b.Bids, &b.Asks} {
		n := s.Len()
		sums := make([]float64, 2*n)
		s.CumUnits, s.CumUSD = sums[:n:n], sums[n:]
		units, usd := 0.0, 0.0
		for i, p := range s.Price {
			units += s.Units[i]
			usd += p * s.Units[i]
			s.CumUnits[i], s.CumUSD[i] = units, usd
		}
		if b.TwoSided() {
			s.MeasureDepth(b.MidPrice)
		}
	}
}
