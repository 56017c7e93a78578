package sim

import (
	"math"
	"sync"
)

// asset is one perpetual: its row of the catalog, what follows from it, and the live
// state. The live state is written by market.step alone, under the market's lock.
type asset struct {
	spec
	dex    string
	index  int // position in its dex's universe
	rule   fundingRule
	id     uint64
	digits int // price decimals: prices are whole numbers of 10^-digits USD ("units")
	tiers  []tier

	base   float64 // log of the price that the path reverts to
	own    *process
	volume key // hourly volume
	ranges key // extremes inside an hour
	fund   key // premium innovations
	noise  key // slow changes of depth, spread, interest
	size   key // sizes of single levels

	// from and until bound the hours with candles: from <= hour < until.
	from, until int64

	depth depthCurve
	fundP premiumLaw

	state live

	once sync.Once
	bars []bar // closed before the start, made once they are asked for
}

// live is what changes at every step.
type live struct {
	mid     float64 // USD, unrounded
	ladder  ladder
	mark    int64 // units
	oracle  int64 // units
	slot    int64 // of the time that mark and oracle are of
	funding float64
	// interest is the open interest in size units (10^-szDecimals base units).
	interest int64
}

// stepOf returns the price step in units for a price in units: five significant
// figures, but whole USD are always allowed.
func stepOf(units int64, digits int) int64 {
	return min(pow10[max(digitsOf(units)-5, 0)], pow10[digits])
}

// toUnits rounds a USD price to the nearest valid price, in units, at least one.
func (a *asset) toUnits(price float64) int64 {
	u := max(int64(math.Round(price*float64(pow10[a.digits]))), 1)
	step := stepOf(u, a.digits)
	return max((u+step/2)/step*step, step)
}

// usdOf converts price units to USD.
func (a *asset) usdOf(units int64) float64 { return float64(units) / float64(pow10[a.digits]) }

// px prints a price.
func (a *asset) px(units int64) string { return unitsString(units, a.digits) }

// markUSD is the mark price in USD, exactly as printed.
func (a *asset) markUSD() float64 { return a.usdOf(a.state.mark) }

// sz prints a size.
func (a *asset) sz(units int64) string { return unitsString(units, a.szDecimals) }

// sizeUSD converts size units at a USD price.
func (a *asset) baseUnits(size int64) float64 { return float64(size) / float64(pow10[a.szDecimals]) }

// trades reports whether the asset has any volume.
func (a *asset) trades() bool { return a.volumeMUSD > 0 }

// newAsset derives an asset from its row but for its path; d is the index of its dex, start
// the hour in which the exchange starts.
func newAsset(s spec, dex string, d, index int, seed uint64, start int64) *asset {
	id := uint64(index) + 1 + uint64(d)<<20
	a := &asset{
		spec: s, dex: dex, index: index, id: id, rule: ruleOf(dex, s.name),
		digits: 6 - s.szDecimals, base: math.Log(s.price),
		tiers:  findTable(dex, s.table).tiers,
		volume: newKey(seed, 4, id),
		ranges: newKey(seed, 5, id),
		fund:   newKey(seed, 6, id),
		noise:  newKey(seed, 7, id),
		size:   newKey(seed, 8, id),
		until:  math.MaxInt64,
	}
	a.depth = newDepthCurve(a)
	a.fundP = newPremiumLaw(a)
	switch s.life {
	case delisted:
		// Tied to the calendar, so that a restart finds the same last day.
		a.until = floorDiv(start, 1000)*1000 - 500
		a.from = max(start-listedBars, a.until-2000)
	case fresh:
		a.from = start - freshBars
	case young:
		a.from = start - youngBars
	case unopened:
		a.from, a.until = start, start
	default:
		a.from = start - listedBars + 1 // and the forming one
	}
	return a
}

// ownVol is the annual volatility that is not the common factor's.
func (a *asset) ownVol() float64 {
	common := a.beta * factorVol
	return math.Sqrt(max(a.vol*a.vol-common*common, 0))
}
