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
	weekBars     = 168  // bars behind VolumeUSD7d
	monthBars    = 720  // bars behind VolumeUSD30d
	hourlyU1Kept = 2160 // hours of U1: the correlations look back 90 days
	pairHours    = 8640 // hours of returns behind a pair: 360 days
	minTailBars  = 24   // bars below which no extreme tail is given

	// extremeShare is 1-0.999, the share of the losses beyond ExtremePct, written out.
	extremeShare = 0.001
)

// youngHour is what the regime filter needs of an hour that it cannot take yet.
type youngHour struct{ r, volumeUSD float64 }

// History is everything remembered of one asset's bars. The zero value is not
// usable: see NewHistory. It belongs to one goroutine.
type History struct {
	state   *vol.State
	filter  hmm.Filter
	young   []youngHour        // while the memories of the first hours are not final
	volume  [monthBars]float64 // USD of the newest bars, by bar number mod monthBars
	closes  closes
	ranges  trueRange
	daily   *marketcache.HourlySeries // returns behind the pairs, of the day below
	day     int64                     // UTC days since 1970 in which daily was taken
	fill    []vol.Bar                 // scratch
	filled  int
	refused int
}

// NewHistory returns the history of an asset without bars.
func NewHistory() *History { return &History{state: vol.NewState()} }

// Bars returns the number of closed bars, filled ones among them.
func (h *History) Bars() int { return h.state.Bars() }

// Filled returns how many of the bars are flat ones for missing hours, and Refused
// how many bars were left out because they cannot be.
func (h *History) Filled() int { return h.filled }

// Refused: see Filled.
func (h *History) Refused() int { return h.refused }

// State returns the volatility state, for readers of what no AssetModel carries. It
// must not be pushed to.
func (h *History) State() *vol.State { return h.state }

// Regime returns the liquidity regime from candles, for readers of no AssetModel.
func (h *History) Regime() hmm.Regime { return h.regime() }

// Extend takes further closed bars, oldest first and newer than those held. An error
// wraps vol.ErrBarOrder or vol.ErrGap; the bars before the offending one have then
// been taken.
func (h *History) Extend(bars []marketcache.Bar) error {
	h.state.Reserve(len(bars))
	for _, b := range bars {
		if vol.Bar(b).Check() != nil {
			h.refused++
			continue
		}
		if err := h.extend(vol.Bar(b)); err != nil {
			return err
		}
	}
	return nil
}

// extend takes one possible bar, behind flat ones for the hours missing before it.
func (h *History) extend(b vol.Bar) (err error) {
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

// FlatThrough fills the hours between the last bar and the time up to which the
// history is known complete (ms): hours that have closed without a trade. A history
// without bars stays empty. The error wraps vol.ErrGap.
func (h *History) FlatThrough(throughMs int64) error {
	if h.Bars() == 0 {
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

// lastClosedHour returns the open time (hours since 1970) of the newest bar that has
// closed at a venue time.
func lastClosedHour(ms int64) int64 { return ms/hourMs - 1 }

// push moves every part of the history on by one bar.
func (h *History) push(b vol.Bar) {
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

// follow keeps the regime filter in step. The memories of the first hours move with
// the seed until it is final; the filter, which cannot go back, takes all of them then.
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

// regime returns the liquidity regime from candles, before any live overlay.
func (h *History) regime() hmm.Regime {
	if h.Bars()-1 < vol.SeedReturns {
		e := h.state.RawMemories()
		return hmm.ThresholdRegime(hmm.VolatilityRatio(e[0], e[3]))
	}
	return h.filter.Regime()
}

// dailyReturns returns the returns behind the pairs. They stay those of the first fit
// and then of the first bar that closes on or after midnight UTC, so that a pair is fitted
// once a day.
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

// volumeUSD returns the USD volume of the newest n bars, all when there are fewer;
// n is at most monthBars.
func (h *History) volumeUSD(n int) float64 {
	var newest [monthBars]float64
	n = min(n, h.Bars())
	for i := range n {
		newest[i] = h.volume[(h.Bars()-n+i)%monthBars]
	}
	return stats.Sum(newest[:n])
}
