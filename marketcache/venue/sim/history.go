package sim

import (
	"math"
	"sync"
)

// bar is one candle. Prices in units.
type bar struct {
	hour                   int64
	open, high, low, close int32
	usd                    float64 // traded notional
	size                   int64   // traded size units
	trades                 int32
}

// see widens the bar to a price and makes it the close.
func (b *bar) see(price int64) {
	b.close = int32(price)
	b.high, b.low = max(b.high, b.close), min(b.low, b.close)
}

// trade adds traded notional at the close.
func (b *bar) trade(a *asset, usd float64) {
	b.usd += usd
	b.size = int64(b.usd / a.usdOf(int64(b.close)) * float64(pow10[a.szDecimals]))
	b.trades = int32(b.usd/(400+0.00002*a.volumeMUSD*1e6)) + 1
	if b.usd == 0 {
		b.trades = 0
	}
}

// history is the closed bars before the start, made when first asked for.
type history struct {
	once sync.Once
	bars []bar
}

// past returns the closed hourly bars before the start hour, oldest first.
func (m *market) past(a *asset) []bar {
	a.history.once.Do(func() {
		end := min(m.startHour, a.until)
		if end <= a.from {
			return
		}
		bars := make([]bar, 0, end-a.from)
		for h := a.from; h < end; h++ {
			bars = append(bars, m.pastBar(a, h))
		}
		a.history.bars = bars
	})
	return a.history.bars
}

// rangeSteps is the segments an hour is cut into to find its extremes.
const rangeSteps = 8

// pastBar makes one closed hour of the past: open and close are the grid's, the
// extremes are drawn from the exact law of a Brownian bridge's maximum on each of
// rangeSteps segments of the path, so that high and low are those of a continuous
// path and not of eight points.
func (m *market) pastBar(a *asset, h int64) bar {
	var common, own [rangeSteps + 1]float64
	m.factor.grid(common[:], h)
	a.own.grid(own[:], h)
	for i := range own {
		own[i] = a.logPrice(common[i], own[i])
	}
	variance := m.hourVariance(a, h) / rangeSteps
	top, bottom := own[0], own[0]
	for i := range rangeSteps {
		p, q := own[i], own[i+1]
		k := h*rangeSteps + int64(i)
		top = max(top, bridgeMax(p, q, variance, a.ranges.uniform(2*k)))
		bottom = min(bottom, -bridgeMax(-p, -q, variance, a.ranges.uniform(2*k+1)))
	}
	b := bar{hour: h, open: int32(a.toUnits(math.Exp(own[0])))}
	b.high, b.low, b.close = b.open, b.open, b.open
	b.see(a.toUnits(math.Exp(top)))
	b.see(a.toUnits(math.Exp(bottom)))
	b.see(a.toUnits(math.Exp(own[rangeSteps])))
	b.trade(a, m.hourUSD(a, h, own[rangeSteps]-own[0]))
	return b
}

// bridgeMax draws the maximum of a Brownian bridge from p to q with the given total
// variance: the inverse of P(max > x) = exp(-2 (x-p)(x-q)/variance).
func bridgeMax(p, q, variance, u float64) float64 {
	return (p + q + math.Sqrt((p-q)*(p-q)-2*variance*math.Log(u))) / 2
}

// hourVariance is the conditional variance of an asset's log return in an hour.
func (m *market) hourVariance(a *asset, h int64) float64 {
	common := a.beta * m.factor.sd * m.factor.v[h-m.factor.first]
	own := a.own.sd * a.own.v[h-a.own.first]
	return common*common + own*own
}

// hourRate is the USD an hour that an asset would trade at an ordinary pace: daily
// and weekly seasons and an hour's own luck.
func (a *asset) hourRate(h int64) float64 {
	day := 1 + 0.35*math.Sin(2*math.Pi*float64(h%24-10)/24) // busiest at 16h UTC
	if d := floorDiv(h, 24) % 7; d == 2 || d == 3 {         // 1970-01-01 was a Thursday
		day *= 0.7
	}
	return a.volumeMUSD * 1e6 / 24 * day * math.Exp(0.45*a.volume.normal(h)-0.1)
}

// pace is how much a move, in ordinary standard deviations, speeds trading up. Its
// mean is about one.
func pace(move, sd float64) float64 {
	if sd == 0 {
		return 1
	}
	return 0.35 + 0.65*math.Abs(move)/(0.8*sd)
}

// hourUSD is the notional traded in an hour that moved by the given log return.
func (m *market) hourUSD(a *asset, h int64, move float64) float64 {
	if !a.trades() {
		return 0
	}
	return a.hourRate(h) * pace(move, a.vol/math.Sqrt(hoursPerYear))
}

// dayWindow keeps the last 25 hours by hour modulo 25: enough for a rolling day.
type dayWindow struct {
	usd, size [25]float64 // size in base units
	open      [25]float64 // USD
}

func (d *dayWindow) slot(h int64) int { return int(((h % 25) + 25) % 25) }

// set records an hour.
func (d *dayWindow) set(h int64, usd, size, open float64) {
	i := d.slot(h)
	d.usd[i], d.size[i], d.open[i] = usd, size, open
}

// total sums the 24 hours that end at a fraction of hour h: the hour itself, 23
// before it and the rest of the 24th.
func (d *dayWindow) total(h int64, frac float64) (usd, size, open float64) {
	for j := range int64(24) {
		i := d.slot(h - j)
		usd, size = usd+d.usd[i], size+d.size[i]
	}
	last := d.slot(h - 24)
	usd, size = usd+d.usd[last]*(1-frac), size+d.size[last]*(1-frac)
	next := d.slot(h - 23)
	return usd, size, d.open[last] + (d.open[next]-d.open[last])*frac
}
