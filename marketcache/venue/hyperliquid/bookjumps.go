package hyperliquid

import (
	"math"

	"ballast/marketcache"
)

// The venue tells one book in several precisions. A book whose sizes or best price jump from one message of a
// precision to the next is used only if another precision says the same; of a book in one precision, if the next
// message does. Of the others the one with whole prices counts. A read by REST is asked for. Until then the last book
// stays, which ages.

const (
	sizeJump  = 100  // factor on the sizes of one side
	priceJump = 0.05 // of the best price, beside the rounding of the precision
)

// jumped reports whether two books of a precision differ by more than any market moves between two
// messages. An empty side is no jump: it is told by itself.
func (p precision) jumped(a, b *[2]bookSide) bool {
	for side := range a {
		if x, y := &a[side], &b[side]; x.n > 0 && y.n > 0 && (p.farBest(x, y) || farSizes(x.units(x.n), y.units(y.n))) {
			return true
		}
	}
	return false
}

// resembles reports whether a book of a precision is like the finer one of the same asset, as far as that reaches.
func (p precision) resembles(fine, coarse *[2]bookSide) bool {
	for side := range fine {
		x, y := &fine[side], &coarse[side]
		if x.n == 0 || y.n == 0 {
			continue
		}
		within, last := 1, x.levels[x.n-1].Price
		for within < y.n && (y.levels[within].Price-last)*float64(2*side-1) <= 0 {
			within++
		}
		if p.farBest(x, y) || farSizes(x.units(x.n), y.units(within)) {
			return false
		}
	}
	return true
}

// farBest reports whether the best prices of two books are too far apart for a move; p is the precision of the coarser
// one, whose rounding is added to the bound.
func (p precision) farBest(a, b *bookSide) bool {
	bound := priceJump
	if figures := sigFigs[p]; figures > 0 {
		bound += math.Pow10(1 - figures)
	}
	return math.Abs(a.levels[0].Price/b.levels[0].Price-1) > bound
}

func farSizes(a, b float64) bool { return max(a, b) > sizeJump*min(a, b) }

// units returns the size of the best n levels, base units.
func (b *bookSide) units(n int) (sum float64) {
	for i := range n {
		sum += b.levels[i].Units
	}
	return sum
}

// said returns the newest book of a precision, used or not; nil if there is none that is young enough.
func (c *bookCell) said(p precision, now marketcache.Instant) *bookPart {
	part := c.parts[p]
	if w := c.waiting[p]; w != nil {
		part = w
	}
	if part == nil || now.Sub(part.proof) > 2*c.every[p]+depthSlack {
		return nil
	}
	return part
}

// believes reports whether a book of one precision may be used.
func (c *bookCell) believes(p precision, m *bookMessage, now marketcache.Instant) bool {
	held := c.parts[p]
	if held != nil && !p.jumped(&held.sides, &m.sides) {
		return true
	}
	for _, q := range [...]precision{full, fast, figures4, figures3, figures2} { // the first that there is decides
		switch other := c.said(q, now); {
		case q == p || other == nil:
		case q < p:
			return p.resembles(&other.sides, &m.sides)
		default:
			return q.resembles(&m.sides, &other.sides)
		}
	}
	w := c.waiting[p]
	return held == nil || w != nil && !p.jumped(&w.sides, &m.sides)
}

// waits reports whether the newest book of any precision is not used.
func (c *bookCell) waits(now marketcache.Instant) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p, w := range c.waiting {
		if w != nil && c.said(precision(p), now) == w {
			return true
		}
	}
	return false
}
