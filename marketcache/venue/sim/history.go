package sim

import "math"

// bar is one candle. Prices in units.
type bar struct {
	openMs                 int64
	open, high, low, close int32
	usd                    float64 // traded notional
	size                   int64   // traded size units
	trades                 int32
}

// trade sets the bar's volume: a notional in USD, and the size it buys at the close.
func (b *bar) trade(a *asset, usd float64) {
	b.usd = usd
	b.size = int64(b.usd / a.usdOf(int64(b.close)) * float64(pow10[a.szDecimals]))
	if usd > 0 {
		b.trades = int32(b.usd/(400+0.00002*a.volumeMUSD*1e6)) + 1
	}
}

// past returns the closed hourly bars before the start hour, oldest first.
func (m *market) past(a *asset) []bar {
	a.once.Do(func() {
		for h := a.from; h < min(m.startHour, a.until); h++ {
			a.bars = append(a.bars, m.hourBar(a, h))
		}
	})
	return a.bars
}

// hourly returns an asset's hourly candles that overlap [startMs, endMs], oldest first, the forming one
// last. The caller holds the read lock.
func (m *market) hourly(a *asset, startMs, endMs int64) []bar {
	var all []bar
	last := min(a.until-1, floorDiv(min(endMs, m.nowMs), hourMs))
	for h := max(a.from, floorDiv(startMs, hourMs)); h <= last; h++ {
		if h < m.startHour {
			all = append(all, m.past(a)[h-a.from])
		} else {
			all = append(all, m.hourBar(a, h))
		}
	}
	return all
}

// rangeSteps is the number of points of an hour's path from which its high and low are taken.
const rangeSteps = 16

// hourBar returns the candle of an hour that has begun.
func (m *market) hourBar(a *asset, h int64) bar {
	at, end := h*hourMs, min((h+1)*hourMs, m.nowMs)
	open := m.logAt(a, at)
	last, high, low := open, open, open
	for at < end {
		at = min(at+hourMs/rangeSteps, end)
		last = m.logAt(a, at)
		high, low = max(high, last), min(low, last)
	}
	units := func(x float64) int32 { return int32(a.toUnits(math.Exp(x))) }
	b := bar{openMs: h * hourMs, open: units(open), high: units(high), low: units(low), close: units(last)}
	b.trade(a, m.traded(a, h))
	return b
}

// traded returns the notional traded in an hour so far, USD.
func (m *market) traded(a *asset, h int64) float64 {
	if h < a.from || h >= a.until {
		return 0
	}
	return a.volumeMUSD * 1e6 / 24 * float64(min((h+1)*hourMs, m.nowMs)-h*hourMs) / hourMs
}
