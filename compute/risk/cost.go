package risk

import "math"

// Cost adds up what the trade costs.
type Cost struct {
	EntryBps          float64 // slippage + impact + fee of the trade
	RoundTripBps      float64 // plus the cost of the later exit
	ExitBps           float64 // the exit alone, in bps of the exit's notional; not part of the answer
	BreakevenMovePct  float64 // price move that covers the round trip and a day of funding
	FundingDrag24hPct float64 // percent of margin, negative: received
	Score             float64 // 0 negligible, approaches 1 for extreme cost
}

// costScaleBps is the cost at which the score is 1-1/e.
const costScaleBps = 40

// cost computes the block. BreakevenMovePct is a price move: leverage multiplies costs and profits
// alike, so it is the same at 1x and 20x.
func (mk *marketView) cost(out *Cost, t *tradePlan, a *Assessment) {
	mk.executionCost(out, t, a)
	funding := t.side * a.Funding.Expected24h // 0 when flat
	paid := max(0, funding)
	out.BreakevenMovePct = out.RoundTripBps/pctPerUnit + pctPerUnit*paid
	out.FundingDrag24hPct = pctPerUnit * funding * t.leverage
	out.Score = -math.Expm1(-(out.RoundTripBps + bpsPerUnit*paid) / costScaleBps)
}

// executionCost fills in the costs of entry and exit.
func (mk *marketView) executionCost(out *Cost, t *tradePlan, a *Assessment) {
	out.EntryBps = a.Slippage.Bps + a.Impact.ExpectedBps + a.Fees.TakerBps
	out.RoundTripBps, out.ExitBps = out.EntryBps, 0
	if units := t.exitUnits(); units > 0 {
		out.ExitBps = mk.exitBps(t.side, units) + mk.impactBps(units*mk.mark) + a.Fees.TakerBps
		out.RoundTripBps += out.ExitBps
	}
}

// exitUnits returns the units that the trade opens and that must be closed later.
func (t *tradePlan) exitUnits() float64 {
	switch t.kind {
	case opens, increases:
		return math.Abs(t.units)
	case flips:
		return math.Abs(t.after)
	}
	return 0
}

// Fees are the taker fees of the trade.
type Fees struct {
	TakerBps     float64
	EstimatedUSD float64
	PctOfMargin  float64 // percent of the margin that the traded units post or release
}

func fees(t *tradePlan, after *poolAfterFill, takerRate float64) Fees {
	out := Fees{TakerBps: takerRate * bpsPerUnit, EstimatedUSD: after.feeUSD}
	if margin := t.notional / t.leverage; margin > 0 {
		out.PctOfMargin = pctPerUnit * after.feeUSD / margin
	}
	return out
}
