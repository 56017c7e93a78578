package calib

import (
	"math"
	"slices"

	"ballast/marketcache"
)

const (
	drawdownBars    = 8760 // number of newest closes used
	minDrawdownBars = 30   // minimum number of bars for a result
	minCalmarBars   = 720
	maxCalmar       = 100
	rangeBars       = 14 // true ranges in Wilder's average
	rangeHours      = 4  // hours per bar of the average true range
	drawdownYearHrs = 8760
)

// closes holds the newest drawdownBars closes.
type closes struct {
	n    int // total number of closes added
	ring []float64
}

func (c *closes) add(price float64) {
	if len(c.ring) < drawdownBars {
		c.ring = append(c.ring, price)
	} else {
		c.ring[c.n%drawdownBars] = price
	}
	c.n++
}

// drawdown returns the drawdown statistics of the closes, without ATR. Of equal drawdowns the
// first counts.
func (c *closes) drawdown() (d marketcache.DrawdownStats) {
	if len(c.ring) < minDrawdownBars {
		return d
	}
	d.Known = true
	oldest := c.n % drawdownBars // the end of a ring that is not full
	held := slices.Concat(c.ring[oldest:], c.ring[:oldest])
	n, first := len(held), held[0]
	last := held[n-1]
	d.PeakClose, d.TroughClose = first, first
	var peak, fall float64
	peakAt := 0
	for i, p := range held {
		if p >= peak {
			peak, peakAt = p, i
		}
		if f := 1 - p/peak; f > fall {
			fall, d.PeakClose, d.TroughClose = f, peak, p
		}
	}
	d.MaxPct = 100 * fall
	d.CurrentPct = 100 * (1 - last/peak)
	d.DurationHours = n - 1 - peakAt
	if n >= minCalmarBars && fall > 0 {
		growth := math.Pow(last/first, float64(drawdownYearHrs)/float64(n-1)) - 1
		d.Calmar = max(-maxCalmar, min(maxCalmar, growth/fall))
	}
	return d
}

// trueRange is Wilder's average true range of 4-hour bars aligned to midnight UTC, over all history.
//
// Source: Wilder, New Concepts in Technical Trading Systems, 1978.
type trueRange struct {
	high, low float64 // of the unfinished bar
	hours     int     // hours in the unfinished bar; only whole bars count
	bars      int     // whole bars so far
	previous  float64 // close of the last whole bar
	first     float64 // range of the first bar, which has no previous close
	average   float64 // mean of the true ranges after the first, later Wilder's average
}

func (a *trueRange) add(b marketcache.Bar) {
	slot := int(b.Hour() % rangeHours)
	if slot == 0 {
		a.high, a.low, a.hours = b.High, b.Low, 0
	} else {
		a.high, a.low = max(a.high, b.High), min(a.low, b.Low)
	}
	a.hours++
	if slot != rangeHours-1 {
		return
	}
	if a.hours == rangeHours { // false for an incomplete first bar
		a.closeBar(b.Close)
	}
	a.hours = 0
}

func (a *trueRange) closeBar(last float64) {
	if a.bars == 0 {
		a.first = a.high - a.low
	} else {
		r := max(a.high, a.previous) - min(a.low, a.previous)
		n := float64(min(a.bars, rangeBars))
		a.average += (r - a.average) / n
	}
	a.previous = last
	a.bars++
}

// atr returns the average true range, USD. With too few bars for Wilder's average it is the plain
// mean of all ranges, the first bar's included; 0 without any.
func (a *trueRange) atr() float64 {
	switch {
	case a.bars == 0:
		return 0
	case a.bars <= rangeBars:
		later := float64(a.bars - 1)
		return (a.first + a.average*later) / (later + 1)
	}
	return a.average
}
