package risk

// Fees are the taker fees of the trade.
type Fees struct {
	TakerBps     float64
	EstimatedUSD float64
	PctOfMargin  float64 // of the margin that the traded units post or release
}

func fees(t *tradePlan, after *poolAfterFill, takerRate float64) Fees {
	out := Fees{TakerBps: takerRate * bpsPerUnit, EstimatedUSD: after.feeUSD}
	if margin := t.notional / t.leverage; margin > 0 {
		out.PctOfMargin = pctPerUnit * after.feeUSD / margin
	}
	return out
}
