package calib

import (
	"math"
	"slices"
	"testing"

	"ballast/compute/evt"
	"ballast/compute/vol"
	"ballast/marketcache"
)

// The hours in which a market was silent have no outcome: the series name them, the sorted outcomes and the
// innovations leave them out, and the hourly outcomes for correlations begin after them.
func TestFitOfSilentHours(t *testing.T) {
	bars := busyMarket(5, 1000, 4000)
	for i := 1500; i < 2100; i++ {
		bars[i] = vol.FlatAfter(bars[i-1])
	}
	m := fit(t, bars)
	silent := 0
	for i, z := range m.Z24.Values {
		_, ok := m.Z24.At(m.Z24.FirstHour + int64(i))
		if ok == math.IsNaN(z) {
			t.Fatal("an hour without outcome has a value")
		}
		_, low := m.Low24.At(m.Z24.FirstHour + int64(i))
		_, high := m.High24.At(m.Z24.FirstHour + int64(i))
		if low != ok || high != ok {
			t.Fatal("outcome and excursions differ in the hours that they have")
		}
		if !ok {
			silent++
		}
	}
	if silent < 590 || silent > 610 || m.Outcomes[marketcache.H24] != len(m.Z24.Values)-silent ||
		len(m.Z24Sorted) != len(m.Z24.Values)-silent || m.Extreme[0].N != len(m.Z24Sorted) ||
		len(m.Innovations) != m.Bars-1-silent {
		t.Errorf("%d of %d hours silent; %v outcomes, %d sorted, %d innovations",
			silent, len(m.Z24.Values), m.Outcomes, len(m.Z24Sorted), len(m.Innovations))
	}
	if last := m.U1.FirstHour + int64(len(m.U1.Values)) - 1; last != m.LastHour ||
		slices.ContainsFunc(m.U1.Values, math.IsNaN) {
		t.Errorf("hourly outcomes from %d to %d", m.U1.FirstHour, last)
	}
}

// While the variance stands at its floor, the extreme tail is not below the pooled one.
func TestExtremeAtTheFloor(t *testing.T) {
	bars := busyMarket(5, 1000, 4000)
	for i := range bars {
		bars[i].Open, bars[i].High, bars[i].Low, bars[i].Close = 10, 10*(1+1e-9), 10, 10
	}
	m := fit(t, bars)
	if !vol.AtFloor(marketcache.H24, m.AverageVariance[marketcache.H24]) {
		t.Fatal("not at the floor")
	}
	sd := math.Sqrt(m.Variance[marketcache.H24])
	for side := range marketcache.SideCount {
		q, es := evt.Quantile(evt.Pooled(side), 0.001)
		if want := (marketcache.TailPct{VaR: vol.LossPct(-q, side, sd),
			ES: vol.LossPct(-es, side, sd)}); m.ExtremePct[side] != want {
			t.Errorf("side %d: %+v, want %+v", side, m.ExtremePct[side], want)
		}
	}
	m.AverageVariance[marketcache.H24] *= 1.01
	m.Extreme[0] = marketcache.ExtremeTail{U: 0.1, Beta: 0.1, Xi: 0.1}
	if Derive(m); !(m.ExtremePct[0].VaR < vol.LossPct(-1.614, marketcache.Long, sd)) {
		t.Errorf("above the floor: %+v", m.ExtremePct[0])
	}
}
