package sim

import "time"

// Bar is a closed hourly candle, prices in USD.
type Bar struct {
	OpenMs                         int64
	Open, High, Low, Close, Volume float64
}

// Bars returns the hourly candles of the assets of a market's main dex that trade throughout, by name: those before
// the hour of start, and those of a number of hours from it on.
func Bars(seed uint64, assets int, start time.Time, hours int) map[string][]Bar {
	startMs := floorDiv(start.UnixMilli(), hourMs) * hourMs
	m := newMarket(assets, 0, seed, 1, startMs)
	m.moveTo(startMs + int64(hours)*hourMs)
	out := map[string][]Bar{}
	for _, a := range m.assets {
		if a.life != listed {
			continue
		}
		for _, b := range m.hourly(a, (m.startHour-listedBars)*hourMs, m.nowMs-1) {
			out[a.name] = append(out[a.name], Bar{
				OpenMs: b.openMs, Open: a.usdOf(int64(b.open)), High: a.usdOf(int64(b.high)),
				Low: a.usdOf(int64(b.low)), Close: a.usdOf(int64(b.close)), Volume: a.baseUnits(b.size),
			})
		}
	}
	return out
}
