package risk

// EVT is the extreme tail of the position after the fill: the loss of one day in a
// thousand, percent of notional.
type EVT struct {
	Known         bool // false with less than a day of candles
	VaR999, ES999 float64
}

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
	raw := &m.ExtremePct[tailSide(t.side)]
	out.VaR999 = max(raw.VaR, v.Pct99_24h)
	out.ES999 = max(raw.ES, out.VaR999)
	return out
}
