package api

import "ballast/compute/risk"

// AppendSizes appends the answer to a request for the largest size; out is the assessment of that size, or of
// the smallest order where none meets the target. After ErrNotFinite the text is unusable.
func AppendSizes(dst []byte, q *risk.SizeQuestion, a *risk.SizeAnswer, out *risk.Assessment,
	e *Envelope) ([]byte, error) {
	w := NewWriter(dst)
	w.fixed(`{"size_usd":`, a.SizeUSD)
	w.fixed(`,"size_coin":`, a.SizeCoin)
	w.fixed(`,"leverage":`, a.Leverage)
	w.word(`,"binding":"`, a.Binding)
	if w.Raw(`,"nearest":`); a.SizeUSD > 0 {
		w.Raw(`null`)
	} else {
		w.nearest(q, &a.Nearest)
	}
	w.fixedOrNull(`,"venue_limit_usd":`, a.VenueLimitUSD)
	w.fixedOrNull(`,"policy_limit_usd":`, a.PolicyLimitUSD)
	w.curve(a.Curve)
	w.ladder(a.Ladder)
	w.Raw(`,"assessment":`)
	if w.bad {
		return w.b, ErrNotFinite
	}
	text, err := AppendAssessment(w.b, out, e)
	return append(text, '}'), err
}

// nearest writes the figures of the smallest order, the one that the target bounds among them.
func (w *Writer) nearest(q *risk.SizeQuestion, f *risk.SizeFigures) {
	w.fixed(`{"size_usd":`, f.SizeUSD)
	w.fixed(`,"size_coin":`, f.SizeCoin)
	w.fixed(`,"risk_score":`, f.RiskScore)
	w.chance(f)
	w.fixed(`,"loss_99_pct_of_account":`, f.Loss99Pct)
	w.fixed(`,"breakeven_pct":`, f.BreakevenPct)
	w.fixed(`,"limit":`, q.Limit)
	w.end()
}

// curve writes the figures of sizes, none when they were not asked for.
func (w *Writer) curve(points []risk.SizeFigures) {
	for i := range w.Each(`,"curve":`, len(points)) {
		f := &points[i]
		w.fixed(`{"size_usd":`, f.SizeUSD)
		w.fixed(`,"risk_score":`, f.RiskScore)
		w.chance(f)
		w.fixed(`,"liquidation_distance_pct":`, f.DistancePct)
		w.fixed(`,"entry_cost_bps":`, f.EntryBps)
		w.TextOrNull(`,"rule":`, f.Rule)
		if f.Forbidden != "" {
			w.word(`,"policy_rule":"`, f.Forbidden)
		}
		w.end()
	}
}

// ladder writes the largest order with each leverage; where there is none, its figures are null.
func (w *Writer) ladder(rungs []risk.Rung) {
	for i := range w.Each(`,"ladder":`, len(rungs)) {
		r := &rungs[i]
		w.fixed(`{"leverage":`, r.Leverage)
		w.word(`,"mode":"`, r.Mode.String())
		w.fixed(`,"size_usd":`, r.SizeUSD)
		w.fixed(`,"size_coin":`, r.SizeCoin)
		if r.SizeUSD > 0 {
			w.fixed(`,"risk_score":`, r.RiskScore)
			w.chance(&r.SizeFigures)
			w.price(`,"liquidation_price":`, r.LiquidationPrice)
		} else {
			w.Raw(`,"risk_score":null,"probability_24h":null,"liquidation_price":null`)
		}
		w.word(`,"binding":"`, r.Binding)
		w.end()
	}
}

// chance writes the probability of liquidation, null if it is not known.
func (w *Writer) chance(f *risk.SizeFigures) {
	if f.HasProbability {
		w.fixed(`,"probability_24h":`, f.Probability24h)
		return
	}
	w.null(`,"probability_24h":`)
}
