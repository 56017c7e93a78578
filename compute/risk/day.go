package risk

import mc "ballast/marketcache"

// DayMove is the distribution of an asset's move within 24 hours, by the model of VaR, percent of the price: falls
// are negative or 0, rises positive or 0.
type DayMove struct {
	Known                   bool // there is a fit
	Down999, Down99, Down95 float64
	Median                  float64
	Up95, Up99, Up999       float64
	HasExtreme              bool // Down999 and Up999 are known
}

// DayMoveOf returns the moves of an asset. A long's loss at 99 % is the fall, a short's the rise.
func DayMoveOf(m *mc.AssetModel) DayMove {
	if m == nil {
		return DayMove{}
	}
	down95, down99 := lossPct24h(m, mc.Long)
	up95, up99 := lossPct24h(m, mc.Short)
	return DayMove{
		Known: true, HasExtreme: m.HasExtreme,
		Down999: -max(m.ExtremePct[mc.Long].VaR, down99), Down99: -down99, Down95: -down95,
		Median: min(max(m.MedianPct, -down95), up95),
		Up95:   up95, Up99: up99, Up999: max(m.ExtremePct[mc.Short].VaR, up99),
	}
}

// Range is an asset's moves that one of 100 exceeds within some hours, percent of the price: the fall is negative or
// 0, the rise positive or 0.
type Range struct{ Down99, Up99 float64 }

// RangesOf returns the ranges of four hours and of a week: the losses of var.pct_99_4h and var.pct_99_7d.
func RangesOf(m *mc.AssetModel) (hours, week Range) {
	at := func(horizon, side int) float64 { return m.Tail[horizon][side][mc.P99].PctVaR }
	day := DayMoveOf(m)
	hours = Range{Down99: -at(mc.H4, mc.Long), Up99: at(mc.H4, mc.Short)}
	week = Range{Down99: -max(at(mc.H168, mc.Long), -day.Down99), Up99: max(at(mc.H168, mc.Short), day.Up99)}
	return hours, week
}
