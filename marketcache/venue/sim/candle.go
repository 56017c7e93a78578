package sim

import (
	"math"
	"time"

	"ballast/marketcache/venue/hyperliquid"
)

// candleMax is the newest candles of an interval that exist.
const candleMax = 5000

// intervals in minutes; 1M is a calendar month and stands apart.
var intervals = map[string]int64{
	"1m": 1, "3m": 3, "5m": 5, "15m": 15, "30m": 30, "1h": 60, "2h": 120, "4h": 240,
	"8h": 480, "12h": 720, "1d": 1440, "3d": 4320, "1w": 10080, "1M": 0,
}

// span returns the bounds in ms of the candle of an interval that holds ms: whole
// multiples from 1970, weeks from Monday, months by the calendar.
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

// candles prints an asset's candles whose span overlaps [startMs, endMs], oldest first.
func (m *market) candles(a *asset, interval string, startMs, endMs int64, f *faults) []hyperliquid.Candle {
	endMs = min(endMs, m.nowMs)
	rows := []hyperliquid.Candle{}
	var last bar
	var end int64
	emit := func(b *bar, open, next int64) {
		rows = append(rows, hyperliquid.Candle{
			OpenMs: open, CloseMs: next - 1, Coin: a.name, Period: interval,
			Open: a.px(int64(b.open)), Close: a.px(int64(b.close)), High: a.px(int64(b.high)), Low: a.px(int64(b.low)),
			Volume: a.sz(b.size), Trades: int(b.trades),
		})
		last, end = *b, next
	}
	if minutes := intervals[interval]; minutes > 0 && minutes < 60 {
		m.minutes(a, minutes*60_000, startMs, endMs, emit)
	} else {
		m.hours(a, interval, startMs, endMs, emit)
	}
	if f.on("future-bars", a.name) && len(rows) > 0 {
		for range 2 {
			_, next := span(interval, end)
			emit(&last, end, next)
		}
	}
	return rows
}

// hours emits candles of an hour or more, merged from hourly bars.
func (m *market) hours(a *asset, interval string, startMs, endMs int64, emit func(b *bar, open, next int64)) {
	first, _ := span(interval, startMs)
	if interval == "1h" {
		first = max(first, (floorDiv(m.nowMs, hourMs)-candleMax+1)*hourMs)
	}
	_, last := span(interval, endMs)
	var sum bar
	open, next := int64(0), int64(math.MinInt64)
	for _, b := range m.hourly(a, first, last-1) {
		if b.hour*hourMs < next {
			sum.high, sum.low, sum.close = max(sum.high, b.high), min(sum.low, b.low), b.close
			sum.usd, sum.size, sum.trades = sum.usd+b.usd, sum.size+b.size, sum.trades+b.trades
			continue
		}
		if next > open {
			emit(&sum, open, next)
		}
		sum = b
		open, next = span(interval, b.hour*hourMs)
	}
	if next > open {
		emit(&sum, open, next)
	}
}

// minutes emits candles shorter than an hour. Their opens and closes are points of
// the path, their extremes the ends and a drawn overshoot, held inside the hourly
// candle's; unlike the hourly ones they are made anew at each call.
func (m *market) minutes(a *asset, width, startMs, endMs int64, emit func(b *bar, open, next int64)) {
	bars := m.hourly(a, startMs-hourMs, endMs)
	oldest := floorDiv(m.nowMs, width)*width - (candleMax-1)*width
	for i := range bars {
		hour := &bars[i]
		for open := hour.hour * hourMs; open < (hour.hour+1)*hourMs; open += width {
			if open+width <= startMs || open > endMs || open < oldest {
				continue
			}
			b := m.minute(a, hour, open, min(open+width, m.nowMs))
			emit(&b, open, open+width)
		}
	}
}

// minute makes one short candle inside an hourly one.
func (m *market) minute(a *asset, hour *bar, open, end int64) bar {
	p := m.logAt(a, open)
	q, top, bottom := m.segment(a, p, open, end, -open)
	b := a.newBar(hour.hour, p, top, bottom, q)
	for _, price := range []*int32{&b.open, &b.high, &b.low, &b.close} {
		*price = min(max(*price, hour.low), hour.high)
	}
	b.trade(a, hour.usd*float64(end-open)/hourMs)
	return b
}
