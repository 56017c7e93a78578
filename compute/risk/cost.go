package risk

import "math"

// Cost adds up what the trade costs.
type Cost struct {
	EntryBps          float64 // slippage + impact + fee of the trade
	RoundTripBps      float64 // plus those of the exit that the trade leaves to be made
	ExitBps           float64 // of that exit alone, of its own notional; not part of the answer
	BreakevenMovePct  float64 // price move that pays for the round trip and a day of funding
	FundingDrag24hPct float64 // percent of margin, negative: received
	Score             float64 // 0 negligible, towards 1 extremely expensive
}

// costScaleBps is the cost at which the score has reached 1-1/e.
const costScaleBps = 40

// cost fills the block.
//
// Breakeven is a price move: leverage multiplies costs and profits alike, so it is the
// same at 1x and 20x.
func (mk *marketView) cost(t *tradePlan, out *Assessment) Cost {
	c := Cost{EntryBps: out.Slippage.Bps + out.Impact.ExpectedBps + out.Fees.TakerBps}
	c.RoundTripBps = c.EntryBps
	if units := t.exitUnits(); units > 0 {
		exitSide := t.side
		c.ExitBps = mk.exitBps(exitSide, units) + mk.impactBps(units*mk.mark) + out.Fees.TakerBps
		c.RoundTripBps += c.ExitBps
	}
	funding := t.side * out.Funding.Expected24h // 0 when flat
	paid := max(0, funding)
	c.BreakevenMovePct = c.RoundTripBps/pctPerUnit + pctPerUnit*paid
	c.FundingDrag24hPct = pctPerUnit * funding * t.leverage
	c.Score = -math.Expm1(-(c.RoundTripBps + bpsPerUnit*paid) / costScaleBps)
	return c
}

// exitUnits are the units that the trade leaves to be exited later.
func (t *tradePlan) exitUnits() float64 {
	switch t.kind {
	case opens, increases:
		return math.Abs(t.units)
	case flips:
		return math.Abs(t.after)
	}
	return 0
}
