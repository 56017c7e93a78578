package sim

// candles returns an asset's hourly candles that overlap [startMs, endMs], oldest first, at most the newest
// listedBars.
func (m *market) candles(a *asset, startMs, endMs int64) []wireCandle {
	oldest := (floorDiv(m.nowMs, hourMs) - listedBars + 1) * hourMs
	return each(m.hourly(a, max(startMs, oldest), endMs), func(b bar) wireCandle {
		return wireCandle{
			OpenMs: b.openMs, CloseMs: b.openMs + hourMs - 1, Coin: a.name, Period: "1h",
			Open: a.px(int64(b.open)), Close: a.px(int64(b.close)), High: a.px(int64(b.high)), Low: a.px(int64(b.low)),
			Volume: a.sz(b.size), Trades: int(b.trades),
		}
	})
}
