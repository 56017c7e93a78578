package sim

import (
	"time"

	"ballast/marketcache/venue/hyperliquid"
)

// candleMax is the number of newest candles kept of each interval.
const candleMax = 5000

// intervals are the candle intervals in minutes; 1M is a calendar month, here its maximum.
var intervals = map[string]int64{
	"1m": 1, "3m": 3, "5m": 5, "15m": 15, "30m": 30, "1h": 60, "2h": 120, "4h": 240,
	"8h": 480, "12h": 720, "1d": 1440, "3d": 4320, "1w": 10080, "1M": 44640,
}

// span returns the bounds (ms) of the candle that contains ms: multiples of the interval since 1970,
// weeks from Monday, calendar months.
func span(interval string, ms int64) (open, next int64) {
	switch interval {
	case "1M":
		t := time.UnixMilli(ms).UTC()
		first := time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
		return first.UnixMilli(), first.AddDate(0, 1, 0).UnixMilli()
	case "1w":
		const week, monday = 7 * 24 * hourMs, 4 * 24 * hourMs // 1970-01-05 was a Monday
		open = floorDiv(ms-monday, week)*week + monday
		return open, open + week
	}
	width := intervals[interval] * 60_000
	open = floorDiv(ms, width) * width
	return open, open + width
}

// candles returns an asset's candles that overlap [startMs, endMs], oldest first.
func (m *market) candles(a *asset, interval string, startMs, endMs int64, f *faults) []hyperliquid.Candle {
	endMs = min(endMs, m.nowMs)
	width := intervals[interval] * 60_000
	first, _ := span(interval, startMs)
	newest, _ := span(interval, m.nowMs)
	first = max(first, newest-(candleMax-1)*width)
	_, end := span(interval, endMs)
	parts := m.hourly(a, first, end-1)
	if width < hourMs {
		parts = m.minutes(a, parts, width, first, endMs)
	}
	var bars []bar
	for _, b := range parts {
		b.openMs, _ = span(interval, b.openMs)
		if n := len(bars); n > 0 && bars[n-1].openMs == b.openMs {
			bars[n-1].merge(&b)
		} else {
			bars = append(bars, b)
		}
	}
	if f.on("future-bars", a.name) && len(bars) > 0 {
		for range 2 {
			next := bars[len(bars)-1]
			_, next.openMs = span(interval, next.openMs)
			bars = append(bars, next)
		}
	}
	return each(bars, func(b bar) hyperliquid.Candle {
		_, next := span(interval, b.openMs)
		return hyperliquid.Candle{
			OpenMs: b.openMs, CloseMs: next - 1, Coin: a.name, Period: interval,
			Open: a.px(int64(b.open)), Close: a.px(int64(b.close)), High: a.px(int64(b.high)), Low: a.px(int64(b.low)),
			Volume: a.sz(b.size), Trades: int(b.trades),
		}
	})
}

func (b *bar) merge(next *bar) {
	b.high, b.low, b.close = max(b.high, next.high), min(b.low, next.low), next.close
	b.usd, b.size, b.trades = b.usd+next.usd, b.size+next.size, b.trades+next.trades
}

// minutes splits hourly bars into candles of width ms that open in [firstMs, endMs]. Opens and closes
// are points of the path; highs and lows add a random overshoot, limited to the hourly candle's range.
// Unlike hourly bars they are generated at each call.
func (m *market) minutes(a *asset, hours []bar, width, firstMs, endMs int64) (bars []bar) {
	for _, hour := range hours {
		for open := max(hour.openMs, firstMs); open < hour.openMs+hourMs && open <= endMs; open += width {
			p, end := m.logAt(a, open), min(open+width, m.nowMs)
			q, top, bottom := m.segment(a, p, open, end, -open)
			b := a.newBar(open, p, top, bottom, q)
			for _, price := range []*int32{&b.open, &b.high, &b.low, &b.close} {
				*price = min(max(*price, hour.low), hour.high)
			}
			b.trade(a, hour.usd*float64(end-open)/hourMs)
			bars = append(bars, b)
		}
	}
	return bars
}
