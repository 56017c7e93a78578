package risk

import "math"

// Slippage is the expected execution of the trade against the visible book.
type Slippage struct {
	Bps           float64 // expected slippage against mid, half the spread included; 0 to 5,000
	FillPrice     float64 // average fill, USD
	MidPrice      float64 // USD; the mark when the book has no mid
	Depth50Bps    float64 // USD within 50 bps of mid, both sides
	Depth100Bps   float64
	Imbalance     float64 // -1 to 1, positive: bid-heavy
	BeyondVisible bool    // the trade exceeds the visible side, or the side is empty
}

const (
	maxSlippageBps = 5000
	// roundingSlack is the relative difference up to which two computations of the same figure
	// count as equal.
	roundingSlack = 1e-9
)

// slippageBps returns the bounded slippage of a fill in basis points of mid.
func (mk *marketView) slippageBps(d, fill float64) float64 {
	bps := d * (fill/mk.mid - 1) * bpsPerUnit
	if bps > 0 {
		return min(bps, maxSlippageBps)
	}
	return 0
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

// exitOf is exitBps for positive units, without the cache.
func (mk *marketView) exitOf(s, units float64) float64 {
	return mk.slippageBps(-s, mk.side(-s).fill(units))
}

// dearerSide returns the direction with the larger slippage for the given units, buying when
// both are equal.
func (mk *marketView) dearerSide(units float64) float64 {
	buy, sell := mk.slippageBps(+1, mk.asks.fill(units)), mk.slippageBps(-1, mk.bids.fill(units))
	if sell > buy*(1+roundingSlack) { // a symmetric book must give a buy
		return -1
	}
	return +1
}

// depth returns the USD within bps of mid on each side.
func (mk *marketView) depth(bps float64) (bids, asks float64) {
	twoSided := mk.book.TwoSided()
	return mk.bids.depthUSD(bps, twoSided), mk.asks.depthUSD(bps, twoSided)
}

// fillPrice is the average price of a trade against the order book; mid for a trade of nothing.
func (mk *marketView) fillPrice(t *tradePlan) float64 {
	return mk.side(t.direction).fill(math.Abs(t.units))
}

// slippage returns the block of a trade that fills at a price.
func (mk *marketView) slippage(t *tradePlan, fillPrice float64) Slippage {
	bids50, asks50 := mk.depth(50)
	bids100, asks100 := mk.depth(100)
	out := Slippage{
		Bps: mk.slippageBps(t.direction, fillPrice), FillPrice: fillPrice, MidPrice: mk.mid,
		Depth50Bps: bids50 + asks50, Depth100Bps: bids100 + asks100,
	}
	if out.Depth50Bps > 0 {
		out.Imbalance = (bids50 - asks50) / out.Depth50Bps
	}
	if units, _ := t.taking(); units > 0 {
		out.BeyondVisible = !mk.side(t.direction).inSight(units)
	}
	return out
}
