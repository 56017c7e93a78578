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
