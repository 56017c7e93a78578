package risk

import "math"

// Cost adds up what the trade costs.
type Cost struct {
	EntryBps          float64 // slippage + impact + fee of the trade
	RoundTripBps      float64 // plus the cost of the later exit
	BreakevenMovePct  float64 // price move that covers the round trip and a day of funding
	FundingDrag24hPct float64 // percent of margin, negative: received
	Score             float64 // 0 negligible, approaches 1 for extreme cost
}

// costScaleBps is the cost at which the score is 1-1/e.
const costScaleBps = 40

// execution is what entering a trade and leaving it later costs, bps of each notional.
type execution struct {
	slippageBps       float64
	impact            Impact
	entryBps, exitBps float64
	roundTripBps      float64
}

// execution prices the trade that fills at a price and a fee, and the exit of what t opens. What rests moves
// nothing.
func (mk *marketView) execution(t, priced *tradePlan, fillPrice, feeBps, takerBps float64) execution {
	x := execution{slippageBps: mk.slippageBps(priced.direction, fillPrice), impact: mk.impact(priced.notional)}
	if priced.rests > 0 {
		taken, usd := priced.taking()
		x.impact.ExpectedBps = mk.impactBps(usd) * taken / math.Abs(priced.units)
	}
	x.entryBps = x.slippageBps + x.impact.ExpectedBps + feeBps
	x.roundTripBps = x.entryBps
	if units := t.exitUnits(); units > 0 {
		x.exitBps = mk.exitBps(t.side, units) + mk.impactBps(units*mk.mark) + takerBps
		x.roundTripBps += x.exitBps
	}
	return x
}

// cost returns the block; expectedFunding is a day's. BreakevenMovePct is a price move: leverage multiplies
// costs and profits alike, so it is the same at 1x and 20x.
func cost(t *tradePlan, x *execution, expectedFunding float64) Cost {
	funding := t.side * expectedFunding // 0 when flat
	paid := max(0, funding)
	return Cost{
		EntryBps: x.entryBps, RoundTripBps: x.roundTripBps,
		BreakevenMovePct:  x.roundTripBps/pctPerUnit + pctPerUnit*paid,
		FundingDrag24hPct: pctPerUnit * funding * t.leverage,
		Score:             -math.Expm1(-(x.roundTripBps + bpsPerUnit*paid) / costScaleBps),
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
