package risk

import (
	"math"
	"sort"

	mc "ballast/marketcache"
)

// maxOffset is the largest assumed distance from mid of a price beyond the visible book, as a
// fraction of mid. An order against an empty side fills at this distance.
const maxOffset = 0.50

// bookSide is one side of a book as a cost curve. Beyond the last visible level the density
// of the visible part is assumed to continue: the unit at cumulative position x costs
// mid*(1 + direction*min(offset*x/visible, maxOffset)).
//
// Units that earlier trades of a batch took are gone: later orders start behind them.
type bookSide struct {
	levels    *mc.Side
	direction float64 // of orders filled from this side: +1 buy, -1 sell
	mid       float64 // USD
	visible   float64 // B: visible units
	offset    float64 // o: |price/mid - 1| of the last visible level
	taken     float64 // E: units taken by earlier trades of a batch
	takenUSD  float64 // cost of the taken units, USD
}

func (b *bookSide) read(levels *mc.Side, direction, mid, taken float64) {
	*b = bookSide{levels: levels, direction: direction, mid: mid, taken: taken}
	if n := levels.Len(); n > 0 {
		b.visible, b.offset = levels.CumUnits[n-1], math.Abs(levels.Price[n-1]/mid-1)
		if taken > 0 {
			b.takenUSD = b.cost(taken)
		}
	}
}

// empty reports that the snapshot shows no level.
func (b *bookSide) empty() bool { return b.levels.Len() == 0 }

// inSight reports whether an order of the given units fills within the visible levels.
func (b *bookSide) inSight(units float64) bool {
	return !b.empty() && b.taken+units <= b.visible
}

// fill returns the average price of an order of the given units, USD; mid for 0 units.
func (b *bookSide) fill(units float64) float64 {
	switch {
	case units <= 0:
		return b.mid
	case b.empty():
		return b.mid * (1 + maxOffset*b.direction)
	case b.taken > 0:
		return b.costFrom(b.taken, b.taken+units) / units
	}
	return b.cost(units) / units
}

// cost returns the cost of the first x units of the side, USD.
func (b *bookSide) cost(x float64) float64 {
	s := b.levels
	if x > b.visible {
		return s.CumUSD[s.Len()-1] + b.beyond(b.visible, x)
	}
	i := firstAtLeast(s.CumUnits, x)
	if i == 0 {
		return s.Price[0] * x
	}
	return s.CumUSD[i-1] + s.Price[i]*(x-s.CumUnits[i-1])
}

// firstAtLeast returns the index of the first element of an ascending x that is at least v, len(x)
// when there is none: sort.SearchFloat64s without a function call per element.
func firstAtLeast(x []float64, v float64) int {
	lo, hi := 0, len(x)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); x[mid] < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// costFrom returns the cost of the units from position from to position to, USD. It sums the
// levels, because subtracting two cumulative costs would lose precision for a small order.
func (b *bookSide) costFrom(from, to float64) (usd float64) {
	s := b.levels
	for i := sort.Search(s.Len(), func(i int) bool { return s.CumUnits[i] > from }); i < s.Len() && from < to; i++ {
		end := min(s.CumUnits[i], to)
		usd += s.Price[i] * (end - from)
		from = end
	}
	if from < to {
		usd += b.beyond(from, to)
	}
	return usd
}

// beyond returns the cost of the units from position from to position to, both beyond the
// visible levels, USD.
func (b *bookSide) beyond(from, to float64) float64 {
	flat := math.Inf(1) // from this position on, every unit costs the maximum
	if b.offset > 0 {
		flat = max(b.visible, maxOffset*b.visible/b.offset)
	}
	lo, hi := min(from, flat), min(to, flat)
	rising := b.offset * (hi*hi - lo*lo) / (2 * b.visible)
	capped := maxOffset * (to - min(max(from, flat), to))
	return b.mid * ((to - from) + b.direction*(rising+capped))
}

// depthUSD returns the USD resting within bps of mid, without units taken by a batch.
func (b *bookSide) depthUSD(bps float64, twoSided bool) float64 {
	s := b.levels
	depth := 0.0
	switch {
	case twoSided && bps == 50: // precomputed around the book's mid
		depth = s.Depth50USD
	case twoSided && bps == 100:
		depth = s.Depth100USD
	default:
		depth = s.DepthUSD(b.mid, bps)
	}
	if b.taken > 0 {
		depth = max(0, depth-b.takenUSD)
	}
	return depth
}

// sizeWithin returns the largest order, units, whose average price is not worse than
// target; infinite when every size qualifies.
func (b *bookSide) sizeWithin(target float64) float64 {
	s, d := b.levels, b.direction
	n := s.Len()
	// worse reports whether the average price up to and including level i is worse than target.
	worse := func(i int) bool {
		return s.CumUnits[i] > b.taken && d*(s.CumUSD[i]-b.takenUSD-target*(s.CumUnits[i]-b.taken)) > 0
	}
	i := sort.Search(n, worse)
	if i == n {
		return b.sizeBeyond(target)
	}
	units, cost := 0.0, 0.0 // of the units left in the levels before i
	if i > 0 && s.CumUnits[i-1] > b.taken {
		units, cost = s.CumUnits[i-1]-b.taken, s.CumUSD[i-1]-b.takenUSD
	}
	if units == 0 { // even the first unit costs too much
		return 0
	}
	return units + (cost-target*units)/(target-s.Price[i])
}

// sizeBeyond is sizeWithin when all visible units together are within the target: the
// additional units r solve
//
//	cost + beyond(from, from+r) = target*(units + r)
//
// a quadratic equation in r.
func (b *bookSide) sizeBeyond(target float64) float64 {
	n := b.levels.Len()
	d, from := b.direction, max(b.taken, b.visible)
	units, cost := 0.0, 0.0
	if b.taken < b.visible {
		units, cost = b.visible-b.taken, b.levels.CumUSD[n-1]-b.takenUSD
	}
	slope := b.mid * b.offset / b.visible // of the price beyond the visible levels, USD per unit
	first := d*(b.mid-target) + slope*from
	spare := d * (target*units - cost) // USD: what the visible units save against target, not negative
	if units == 0 && first > 0 {
		return 0
	}
	// slope/2*r^2 + first*r - spare = 0
	disc := first*first + 2*slope*spare
	switch {
	case first > 0:
		return units + 2*spare/(first+math.Sqrt(disc)) // avoids cancellation
	case slope > 0:
		return units + (math.Sqrt(disc)-first)/slope
	}
	return math.Inf(1)
}
