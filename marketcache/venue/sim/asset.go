package sim

import (
	"math"
	"sync"
)

// asset is one perpetual: its catalog row, what is derived from that, and the live state. market.step
// alone writes the live state, under the market's lock.
type asset struct {
	spec
	dex    string
	index  int // position in its dex's universe
	id     uint64
	digits int // price decimals; prices are integers of 10^-digits USD ("units")
	tiers  []tier

	base  float64 // log of the price to which the path reverts
	own   *process
	fund  key // premium innovations
	noise key // slow changes of depth, spread and open interest
	size  key // sizes of single levels

	// Hours with candles: from <= hour < until.
	from, until int64

	depth                  depthCurve
	premiumMean, premiumSD float64 // of the hourly premium, fraction of oracle

	state live

	once sync.Once
	bars []bar // closed before the start; generated on first use
}

// live is the state that changes at every step.
type live struct {
	mid     float64 // USD, unrounded
	ladder  ladder
	mark    int64 // units
	oracle  int64 // units
	funding float64
	// openInterest is in size units (10^-szDecimals base units).
	openInterest int64
}

// stepOf returns the price step for a price, both in units: five significant figures, but whole USD are
// always allowed.
func stepOf(units int64, digits int) int64 {
	return min(pow10[max(digitsOf(units)-5, 0)], pow10[digits])
}

// toUnits rounds a USD price to the nearest valid price, in units, at least 1.
func (a *asset) toUnits(price float64) int64 {
	u := max(int64(math.Round(price*float64(pow10[a.digits]))), 1)
	step := stepOf(u, a.digits)
	return max((u+step/2)/step*step, step)
}

// px formats a price and usdOf converts it to USD; markUSD is the mark, exactly as on the wire.
func (a *asset) px(units int64) string     { return unitsString(units, a.digits) }
func (a *asset) usdOf(units int64) float64 { return float64(units) / float64(pow10[a.digits]) }
func (a *asset) markUSD() float64          { return a.usdOf(a.state.mark) }

// sz formats a size and baseUnits converts it to base units.
func (a *asset) sz(units int64) string        { return unitsString(units, a.szDecimals) }
func (a *asset) baseUnits(size int64) float64 { return float64(size) / float64(pow10[a.szDecimals]) }

// newAsset derives an asset from its catalog row, without its path. d is the index of its dex, start the
// hour in which the exchange starts.
func newAsset(s spec, dex string, d, index int, seed uint64, start int64) *asset {
	id := uint64(index) + 1 + uint64(d)<<20
	a := &asset{
		spec: s, dex: dex, index: index, id: id,
		digits: 6 - s.szDecimals, base: math.Log(s.price),
		tiers: findTable(dex, s.table).tiers,
		fund:  newKey(seed, 6, id),
		noise: newKey(seed, 7, id),
		size:  newKey(seed, 8, id),
		until: math.MaxInt64,
	}
	a.depth = newDepthCurve(a)
	// Illiquid assets have a wider premium: 0.0002 for BTC, 0.0008 at a million USD a day.
	a.premiumSD = 0.0008 * math.Pow(max(a.volumeMUSD, 0.3), -0.16)
	a.premiumMean = 0.3 * a.premiumSD * a.fund.normal(-1)
	a.from = start - closedBars[s.life]
	switch s.life {
	case delisted:
		// Depends on the calendar only, so that a restart gives the same last day.
		a.until = floorDiv(start, 1000)*1000 - 500
		a.from = max(start-listedBars, a.until-2000)
	case unopened:
		a.until = start
	}
	return a
}
