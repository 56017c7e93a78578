package risk

import "math"

// EVT is the extreme tail of the position after the fill: the loss of one day in a
// thousand, percent of notional.
type EVT struct {
	Known         bool // false with less than a day of candles
	VaR999, ES999 float64
}

// extremeShare is 1 - 0.999, written out.
const extremeShare = 0.001

// extreme extrapolates the tail of the standardised losses beyond its 95 % quantile with
// a generalised Pareto distribution and scales it with today's volatility. Neither figure
// is below the 99 % VaR.
//
// Source: McNeil and Frey, J. Empirical Finance 2000.
func (mk *marketView) extreme(t *tradePlan, v *VaR) EVT {
	m := mk.model
	out := EVT{Known: m.HasExtreme}
	if !m.HasExtreme || t.after == 0 {
		return out
	}
	raw := &mk.fit.extreme[tailSide(t.side)]
	out.VaR999 = max(raw.VaR999, v.Pct99_24h)
	out.ES999 = max(raw.ES999, out.VaR999)
	return out
}

// Most that a day may lose, percent of notional.
const (
	maxLossPctLong  = 100
	maxLossPctShort = 500
)

// lossPct turns a log loss of a side into percent of notional, within its bounds.
func lossPct(s, logLoss float64) float64 {
	if s < 0 {
		return min(max(pctPerUnit*math.Expm1(logLoss), 0), maxLossPctShort)
	}
	return min(max(-pctPerUnit*math.Expm1(-logLoss), 0), maxLossPctLong)
}
