package risk

import (
	"math"

	mc "ballast/marketcache"
)

// VaR is the loss distribution of the position after the fill. Percent figures are of
// notional; all are losses, positive.
type VaR struct {
	Pct95_24h, Pct99_24h       float64
	Pct99_4h, Pct99_7d         float64
	ES95_24h, ES99_24h         float64 // percent of notional
	Dollar95_24h, Dollar99_24h float64
	Dollar99_4h, Dollar99_7d   float64
	LVaR95_24h, LVaR99_24h     float64 // USD, with the cost of getting out
	MarginVaR99Pct             float64 // percent of margin
	Regime                     mc.VolatilityRegime

	// Pct99_1h is the raw 1-hour figure that the backstop test uses; not published.
	Pct99_1h float64

	HasForecast bool // false only when no candle at all is known
	Forecast    VolatilityForecast
}

// VolatilityForecast holds annualised volatilities as fractions.
type VolatilityForecast struct {
	Sigma1h, Sigma4h, Sigma1d, Sigma7d, LongRunSigma float64
}

// Without enough spread samples the exogenous spread cost is this many times the
// spread of the moment, at 95 and 99 %.
const (
	minSpreadSamples = 100
	spreadMultiple95 = 2
	spreadMultiple99 = 3
)

// tailSide is the index of the loss tail of a position side.
func tailSide(s float64) int {
	if s < 0 {
		return mc.Short
	}
	return mc.Long
}

// lossPct returns the raw VaR of a side in percent (before the maxima between fields).
func (mk *marketView) lossPct(s float64, horizon, level int) float64 {
	return mk.model.Tail[horizon][tailSide(s)][level].PctVaR
}

// loss24h returns the 24 h 95 and 99 % VaR of a side in percent, after the maxima: the
// 99 % figure is never below the 95 % one nor below the 4 h one.
func (mk *marketView) loss24h(s float64) (pct95, pct99 float64) {
	pct95 = mk.lossPct(s, mc.H24, mc.P95)
	pct99 = max(mk.lossPct(s, mc.H24, mc.P99), mk.lossPct(s, mc.H4, mc.P99), pct95)
	return pct95, pct99
}

// valueAtRisk fills the block. A flat position has no loss; volatility stays.
func (mk *marketView) valueAtRisk(t *tradePlan) VaR {
	m := mk.model
	out := VaR{Regime: m.VolRegime, HasForecast: m.Bars > 0, Forecast: mk.fit.forecast}
	if t.after == 0 {
		return out
	}
	s, side := t.side, tailSide(t.side)
	out.Pct99_1h = mk.lossPct(s, mc.H1, mc.P99)
	out.Pct99_4h = mk.lossPct(s, mc.H4, mc.P99)
	out.Pct95_24h, out.Pct99_24h = mk.loss24h(s)
	out.Pct99_7d = max(mk.lossPct(s, mc.H168, mc.P99), out.Pct99_24h)
	out.ES95_24h = max(m.Tail[mc.H24][side][mc.P95].PctES, out.Pct95_24h)
	out.ES99_24h = max(m.Tail[mc.H24][side][mc.P99].PctES, out.Pct99_24h)

	n := t.valueAfter / pctPerUnit
	out.Dollar95_24h, out.Dollar99_24h = out.Pct95_24h*n, out.Pct99_24h*n
	out.Dollar99_4h, out.Dollar99_7d = out.Pct99_4h*n, out.Pct99_7d*n
	out.MarginVaR99Pct = out.Pct99_24h * t.leverage

	// Bangia et al. 1999: half the spread that the level may bring (exogenous), plus
	// what the size itself adds on the way out (endogenous).
	spread95, spread99 := spreadMultiple95*mk.spreadBps, spreadMultiple99*mk.spreadBps
	if st := mk.in.Market.Samples; st != nil && st.N >= minSpreadSamples {
		spread95, spread99 = st.SpreadBps95, st.SpreadBps99
	}
	endogenous := max(0, mk.exitBps(s, math.Abs(t.after))-mk.spreadBps/2)
	out.LVaR95_24h = out.Dollar95_24h + t.valueAfter/bpsPerUnit*(spread95/2+endogenous)
	out.LVaR99_24h = out.Dollar99_24h + t.valueAfter/bpsPerUnit*(spread99/2+endogenous)
	return out
}
