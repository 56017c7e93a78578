package calib

import (
	"fmt"

	"ballast/compute/hmm"
	"ballast/compute/stats"
	"ballast/compute/vol"
	"ballast/marketcache"
)

const (
	hourMs       = 3_600_000
	hoursPerDay  = 24
	hoursPerYear = 8760
	weekBars     = 168  // bars in VolumeUSD7d
	monthBars    = 720  // bars in VolumeUSD30d
	hourlyU1Kept = 2160 // hours of U1: correlations use 90 days
	pairHours    = 8640 // hours of returns used for a pair: 360 days
	minTailBars  = 24   // minimum number of bars for an extreme tail

	// extremeShare is 1-0.999 as a literal: the share of losses beyond ExtremePct.
	extremeShare = 0.001
)

// youngHour is the input of the regime filter for an hour it cannot process yet.
type youngHour struct{ r, volumeUSD float64 }

// History holds the state computed from one asset's bars. Create it with NewHistory. It belongs to one goroutine.
type History struct {
	state   *vol.State
	filter  hmm.Filter
	young   []youngHour        // hours of the warm-up, whose variance memories (package vol) are not final
	volume  [monthBars]float64 // USD volume of the newest bars, by bar number mod monthBars
	closes  closes
	ranges  trueRange
	daily   *marketcache.HourlySeries // returns for the pairs, fixed for one day
	day     int64                     // the day of daily, UTC days since 1970
	fill    []marketcache.Bar         // scratch
	filled  int
	refused int
}

// NewHistory returns the history of an asset without bars.
func NewHistory(class marketcache.Class) *History { return &History{state: vol.NewState(class)} }

// Bars returns the number of closed bars, flat bars for missing hours included.
func (h *History) Bars() int { return h.state.Bars() }

// Filled returns the number of flat bars for missing hours.
func (h *History) Filled() int { return h.filled }

// Refused returns the number of bars left out because they are invalid.
func (h *History) Refused() int { return h.refused }

// State returns the volatility state, for data that an AssetModel lacks. The caller must not push to it.
func (h *History) State() *vol.State { return h.state }

// Extend adds closed bars, oldest first, newer than the last one. An error wraps vol.ErrBarOrder
// or vol.ErrGap; the bars before the offending one have been added.
func (h *History) Extend(bars []marketcache.Bar) error {
	for _, b := range bars {
		if vol.CheckBar(b) != nil {
			h.refused++
			continue
		}
		if err := h.extend(b); err != nil {
			return err
		}
	}
	return nil
}

// extend adds one valid bar, after flat bars for the missing hours before it.
func (h *History) extend(b marketcache.Bar) (err error) {
	h.fill = h.fill[:0]
	if h.Bars() > 0 {
		h.fill = append(h.fill, h.state.Last())
	}
	held := len(h.fill)
	if h.fill, err = vol.AppendFilled(h.fill, b); err != nil {
		return err
	}
	h.filled += len(h.fill) - held - 1
	for _, b := range h.fill[held:] {
		h.push(b)
	}
	return nil
}

// FlatThrough adds a flat bar for each hour between the last bar and throughMs (ms since 1970). All bars
// up to throughMs are known, so these hours closed without a trade. A history without bars stays
// empty; its forecasts begin after throughMs. The error wraps vol.ErrGap.
func (h *History) FlatThrough(throughMs int64) error {
	if h.Bars() == 0 {
		h.state.Await(lastClosedHour(throughMs) + 1)
		return nil
	}
	missing := lastClosedHour(throughMs) - h.state.Last().Hour()
	if missing > vol.MaxGapHours {
		return fmt.Errorf("%w: %d hours without a bar at the end", vol.ErrGap, missing)
	}
	for range missing {
		h.push(vol.FlatAfter(h.state.Last()))
		h.filled++
	}
	return nil
}

// lastClosedHour returns the open time (hours since 1970) of the newest bar that is closed at
// the venue's time ms.
func lastClosedHour(ms int64) int64 { return ms/hourMs - 1 }

// push adds one bar to every part of the history.
func (h *History) push(b marketcache.Bar) {
	if err := h.state.Push(b); err != nil {
		panic("BUG: a checked and filled bar was refused: " + err.Error())
	}
	usd := float64(b.Volume * b.Close)
	h.volume[(h.Bars()-1)%monthBars] = usd
	h.closes.add(b.Close)
	h.ranges.add(b)
	if h.Bars() > 1 {
		h.follow(h.state.LastReturn(), usd)
	}
}

// follow updates the regime filter. During the warm-up every bar changes the variance memories of
// earlier hours, and the filter cannot go back. So it processes all these hours at the warm-up's end.
func (h *History) follow(r, volumeUSD float64) {
	if early := h.Bars() - 1; early > vol.SeedReturns {
		e := h.state.RawMemories()
		h.filter.Push(r, volumeUSD, e[0], e[3])
		return
	}
	h.young = append(h.young, youngHour{r, volumeUSD})
	if len(h.young) == vol.SeedReturns {
		for i, e := range h.state.AppendEarlyMemories(nil) {
			h.filter.Push(h.young[i].r, h.young[i].volumeUSD, e[0], e[3])
		}
		h.young = nil
	}
}

// Regime returns the liquidity regime from candles, without the live book.
func (h *History) Regime() hmm.Regime {
	if h.Bars()-1 < vol.SeedReturns {
		e := h.state.RawMemories()
		return hmm.ThresholdRegime(hmm.VolatilityRatio(e[0], e[3]))
	}
	return h.filter.Regime()
}

// dailyReturns returns the hourly returns for the pair fits. They change only with the first bar
// that closes at or after midnight UTC, so that each pair is fitted once a day.
func (h *History) dailyReturns() *marketcache.HourlySeries {
	first, r := h.state.HourlyReturns(pairHours)
	if len(r) == 0 {
		return nil
	}
	if day := (h.state.Last().Hour() + 1) / hoursPerDay; h.daily == nil || day != h.day {
		h.day = day
		h.daily = &marketcache.HourlySeries{FirstHour: h.state.FirstHour() + int64(first) + 1, Values: r}
	}
	return h.daily
}

// volumeUSD returns the USD volume of the newest n bars, or of all when there are fewer; n is
// at most monthBars.
func (h *History) volumeUSD(n int) float64 {
	var newest [monthBars]float64
	n = min(n, h.Bars())
	for i := range n {
		newest[i] = h.volume[(h.Bars()-n+i)%monthBars]
	}
	return stats.Sum(newest[:n])
}
