package risk

import (
	"math"

	"ballast/compute/vol"
	mc "ballast/marketcache"
)

// VaR is the loss distribution of the position after the fill. Percent figures are percent of
// notional. All figures are losses, positive.
type VaR struct {
	Pct95_24h, Pct99_24h       float64
	Pct99_4h, Pct99_7d         float64
	ES95_24h, ES99_24h         float64 // percent of notional
	Dollar95_24h, Dollar99_24h float64
	Dollar99_4h, Dollar99_7d   float64
	LVaR95_24h, LVaR99_24h     float64 // USD, exit cost included
	MarginVaR99Pct             float64 // percent of margin
	// Loss99CappedUSD is Dollar99_24h, at most the equity of the position's pool.
	Loss99CappedUSD float64
	Regime          mc.VolatilityRegime

	Session Session

	HasForecast bool // false without any candle
	Forecast    VolatilityForecast
}

// Session tells whether the asset's oracle rests. Known is false for assets that trade at all hours.
type Session struct {
	Known                  bool
	Class                  mc.Class
	Resting                bool
	RestsAtMs, ReopensAtMs int64 // of this rest or of the next
}

// session tells when the asset's oracle rests.
func (mk *marketView) session(nowMs int64) Session {
	s, ok := vol.SessionAt(mk.model.Class, nowMs)
	return Session{
		Known: ok, Class: mk.model.Class, Resting: s.Resting, RestsAtMs: s.RestsAtMs, ReopensAtMs: s.ReopensAtMs,
	}
}

// VolatilityForecast holds annualised volatilities as fractions.
type VolatilityForecast struct {
	Sigma1h, Sigma4h, Sigma1d, Sigma7d, LongRunSigma float64
}

// With fewer than minSpreadSamples, LVaR takes this multiple of the current spread as the spread
// quantile at 95 and 99 %.
const (
	minSpreadSamples = 100
	spreadMultiple95 = 2
	spreadMultiple99 = 3
)

// tailSide is the index of the loss tail for a position side.
func tailSide(s float64) int {
	if s < 0 {
		return mc.Short
	}
	return mc.Long
}

// lossPct24h returns a side's 24 h VaR at 95 and 99 %, in percent. The 99 % figure is at
// least the 95 % one and at least the 4 h one.
func lossPct24h(m *mc.AssetModel, side int) (pct95, pct99 float64) {
	day := &m.Tail[mc.H24][side]
	pct95 = day[mc.P95].PctVaR
	return pct95, max(day[mc.P99].PctVaR, m.Tail[mc.H4][side][mc.P99].PctVaR, pct95)
}

// lossPct is what the position's side loses at 95 or 99 % within some hours, percent of notional.
type lossPct struct{ pct95_24h, pct99_24h, pct99_4h, pct99_1h float64 }

// lossPct returns the losses that score and liquidation need; without a position they are 0.
func (mk *marketView) lossPct(t *tradePlan) (out lossPct) {
	if t.after == 0 {
		return out
	}
	m, side := mk.model, tailSide(t.side)
	out.pct99_1h, out.pct99_4h = m.Tail[mc.H1][side][mc.P99].PctVaR, m.Tail[mc.H4][side][mc.P99].PctVaR
	out.pct95_24h, out.pct99_24h = lossPct24h(m, side)
	return out
}

// valueAtRisk returns the block. Without a position the losses are 0, and only volatility is filled in.
func (mk *marketView) valueAtRisk(t *tradePlan, loss *lossPct) VaR {
	m := mk.model
	out := VaR{
		Pct95_24h: loss.pct95_24h, Pct99_24h: loss.pct99_24h, Pct99_4h: loss.pct99_4h,
		Regime: m.VolRegime, HasForecast: m.Bars > 0,
		Forecast: VolatilityForecast{
			Sigma1h: m.Sigma[mc.H1], Sigma4h: m.Sigma[mc.H4], Sigma1d: m.Sigma[mc.H24], Sigma7d: m.Sigma[mc.H168],
			LongRunSigma: m.LongRunSigma,
		},
	}
	if t.after == 0 {
		return out
	}
	s, side := t.side, tailSide(t.side)
	out.Pct99_7d = max(m.Tail[mc.H168][side][mc.P99].PctVaR, out.Pct99_24h)
	out.ES95_24h = max(m.Tail[mc.H24][side][mc.P95].PctES, out.Pct95_24h)
	out.ES99_24h = max(m.Tail[mc.H24][side][mc.P99].PctES, out.Pct99_24h)

	n := t.valueAfter / pctPerUnit
	out.Dollar95_24h, out.Dollar99_24h = out.Pct95_24h*n, out.Pct99_24h*n
	out.Dollar99_4h, out.Dollar99_7d = out.Pct99_4h*n, out.Pct99_7d*n
	out.MarginVaR99Pct = out.Pct99_24h * t.leverage

	// Bangia et al. 1999: half the spread's quantile at the level (exogenous), plus the slippage
	// that the exit itself adds to the half spread (endogenous).
	spread95, spread99 := spreadMultiple95*mk.spreadBps, spreadMultiple99*mk.spreadBps
	if st := mk.in.Market.Samples; st != nil && st.N >= minSpreadSamples {
		spread95, spread99 = st.SpreadBps95, st.SpreadBps99
	}
	endogenous := max(0, mk.exitBps(s, math.Abs(t.after))-mk.spreadBps/2)
	out.LVaR95_24h = out.Dollar95_24h + t.valueAfter/bpsPerUnit*(spread95/2+endogenous)
	out.LVaR99_24h = out.Dollar99_24h + t.valueAfter/bpsPerUnit*(spread99/2+endogenous)
	return out
}

// EVT is the extreme tail of the position after the fill: the loss on one day in a
// thousand, percent of notional.
type EVT struct {
	Known         bool // false with less than a day of candles
	VaR999, ES999 float64
}

// extreme extrapolates the tail of the standardised losses beyond its 95 % quantile with a generalised
// Pareto distribution and scales it with today's volatility. Neither figure is below its 99 % counterpart of 24 hours.
//
// Source: McNeil and Frey, J. Empirical Finance 2000.
func (mk *marketView) extreme(t *tradePlan, v *VaR) EVT {
	m := mk.model
	out := EVT{Known: m.HasExtreme}
	if !m.HasExtreme || t.after == 0 {
		return out
	}
	raw := &m.ExtremePct[tailSide(t.side)]
	out.VaR999 = max(raw.VaR, v.Pct99_24h)
	out.ES999 = max(raw.ES, out.VaR999, v.ES99_24h)
	return out
}
