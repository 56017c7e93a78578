package risk

import (
	"math"
	"sort"

	"ballast/marketcache"
)

// Slippage is what the visible book says about executing the trade.
type Slippage struct {
	Bps           float64 // expected slippage against mid, half the spread included; 0 to 5,000
	FillPrice     float64 // average fill, USD
	MidPrice      float64 // USD; the mark where the book has no mid
	Depth50Bps    float64 // USD within 50 bps of mid, both sides
	Depth100Bps   float64
	Imbalance     float64 // -1 to 1, positive: bid-heavy
	BeyondVisible bool    // the trade is larger than the side, or the side is empty
}

const (
	maxSlippageBps = 5000
	// maxOffset is how far from mid the unseen part of a book is priced at most, and
	// where an empty side fills.
	maxOffset = 0.50
	// roundingSlack is the relative difference that counts as equal where two ways of
	// computing one figure must give one answer.
	roundingSlack = 1e-9
)

// marketView is the target's photograph with what several blocks need of it.
type marketView struct {
	asset *marketcache.Asset
	in    *AssetInput
	book  *marketcache.Book
	model *marketcache.AssetModel
	fit   *figures // of model

	mark      float64 // p
	mid       float64 // m: the book's, or the mark
	spreadBps float64 // S_now: 0 where the book has no mid

	exit struct{ side, units, bps float64 } // the last one asked about; side 0: none
}

// look makes mk the view of a photograph.
func (mk *marketView) look(in *AssetInput, fit *figures) {
	*mk = marketView{}
	mk.asset, mk.in, mk.book = in.Market.Asset, in, in.Market.Book
	mk.model, mk.fit = in.Model, fit
	mk.mark = in.Market.Context.MarkPrice
	mk.mid, mk.spreadBps = mk.book.MidPrice, mk.book.SpreadBps
	if !mk.book.TwoSided() {
		mk.mid, mk.spreadBps = mk.mark, 0
	}
}

// side returns the side of the book that an order of direction d takes from.
func (mk *marketView) side(d float64) *marketcache.Side {
	if d > 0 {
		return &mk.book.Asks
	}
	return &mk.book.Bids
}

// walk returns the average fill of an order of direction d (+1 buy) and the given
// units, and whether it reaches beyond the visible book.
func (mk *marketView) walk(d, units float64) (fill float64, beyond bool) {
	fill, level := mk.walkTo(d, units)
	return fill, level == mk.side(d).Len() && units > 0
}

// walkTo is walk that returns the level at which the order ends, the number of levels
// when it reaches beyond the visible book. The unseen rest is priced with the density of
// the visible part: its mean offset from mid is o_K*(1+units/visible)/2. Zero units fill
// at mid.
func (mk *marketView) walkTo(d, units float64) (fill float64, level int) {
	if units <= 0 {
		return mk.mid, 0
	}
	s := mk.side(d)
	n := s.Len()
	if n == 0 {
		return mk.mid * (1 + maxOffset*d), 0
	}
	visible, cost := s.CumUnits[n-1], s.CumUSD[n-1]
	if units > visible {
		last := math.Abs(s.Price[n-1]/mk.mid - 1)
		offset := last * (1 + units/visible) / 2
		rest := mk.mid * (1 + d*min(offset, maxOffset))
		return (cost + (units-visible)*rest) / units, n
	}
	i := sort.Search(n, func(i int) bool { return s.CumUnits[i] >= units })
	if i == 0 {
		return s.Price[0], 0
	}
	return (s.CumUSD[i-1] + s.Price[i]*(units-s.CumUnits[i-1])) / units, i
}

// slippageBps returns the bounded slippage of a fill in basis points of mid.
func (mk *marketView) slippageBps(d, fill float64) float64 {
	return min(max(d*(fill/mk.mid-1)*bpsPerUnit, 0), maxSlippageBps)
}

// exitBps returns the slippage of closing the given units of a position on side s.
func (mk *marketView) exitBps(s, units float64) float64 {
	if units <= 0 {
		return 0
	}
	if last := &mk.exit; last.side != s || last.units != units {
		last.side, last.units, last.bps = s, units, mk.exitOf(s, units)
	}
	return mk.exit.bps
}

// exitOf is exitBps of units above 0, not remembered.
func (mk *marketView) exitOf(s, units float64) float64 {
	fill, _ := mk.walk(-s, units)
	return mk.slippageBps(-s, fill)
}

// dearerSide returns the direction in which the given units fill at the larger
// slippage, buying when both cost the same.
func (mk *marketView) dearerSide(units float64) float64 {
	buy, _ := mk.walk(+1, units)
	sell, _ := mk.walk(-1, units)
	// The comparison allows for rounding: mirrored books must give a buy.
	if mk.slippageBps(-1, sell) > mk.slippageBps(+1, buy)*(1+roundingSlack) {
		return -1
	}
	return +1
}

// depth returns the USD within bps of mid on each side.
func (mk *marketView) depth(bps float64) (bids, asks float64) {
	return mk.within(&mk.book.Bids, bps), mk.within(&mk.book.Asks, bps)
}

// within returns the USD within bps of mid on one side.
func (mk *marketView) within(s *marketcache.Side, bps float64) float64 {
	if mk.book.TwoSided() { // the mid is the book's own
		switch bps {
		case 50:
			return s.Depth50USD
		case 100:
			return s.Depth100USD
		}
	}
	return s.DepthUSD(mk.mid, bps)
}

// slippage walks the trade through the book.
func (mk *marketView) slippage(t *tradePlan) Slippage {
	bids50, asks50 := mk.depth(50)
	bids100, asks100 := mk.depth(100)
	out := Slippage{MidPrice: mk.mid, Depth50Bps: bids50 + asks50, Depth100Bps: bids100 + asks100}
	if out.Depth50Bps > 0 {
		out.Imbalance = (bids50 - asks50) / out.Depth50Bps
	}
	out.FillPrice, out.BeyondVisible = mk.walk(t.direction, math.Abs(t.units))
	out.Bps = mk.slippageBps(t.direction, out.FillPrice)
	if t.units == 0 {
		out.Bps = 0
	}
	return out
}
