package risk

import "math"

// PortfolioStress is the scenario that hurts the book after the trade most.
type PortfolioStress struct {
	Known               bool    // false when the wallet has no position before the trade
	Scenario            int     // index into Scenarios
	TotalPnLUSD         float64 // not below what can be lost
	TotalPnLPct         float64 // of what can be lost, not below -100
	FundingCostPct      float64 // of the gross notional
	AccountSurvives     bool
	PositionsLiquidated int
}

// stressBook moves every position of the book after the trade in every scenario and fills
// out with the one of the lowest P&L after funding, the first of equals. The comparison
// takes losses beyond the collateral at their full size.
func stressBook(out *PortfolioStress, t *tradePlan, p *position, after *poolAfterFill, rest *rest, before int) {
	if rest.count == 0 {
		*out, _ = stressBookOne(p.stress.worst(t.side), t, p, after, rest)
	} else {
		lowest := math.Inf(1)
		for i := range Scenarios {
			if r, net := stressBookOne(i, t, p, after, rest); net < lowest {
				lowest, *out = net, r
			}
		}
	}
	out.Known = before > 0
}

// stressBookOne runs one scenario and returns it with the P&L less funding by which
// scenarios are compared, USD. p is the trade's position.
func stressBookOne(i int, t *tradePlan, p *position, after *poolAfterFill, rest *rest) (out PortfolioStress, net float64) {
	book := restShock{}
	cross, gross, capital := 0, 0.0, 0.0
	if rest.count > 0 {
		book, cross, gross, capital = rest.scenarios[i], rest.margin.cross, rest.gross, rest.isolatedCapital
	}
	if t.after != 0 {
		book.add(i, p)
		gross += t.valueAfter
		if p.isolated {
			capital += max(p.equity, 0)
		} else {
			cross++
		}
	}
	pool := max(after.cross, 0)
	if after.assumed {
		pool = after.crossToppedUp
	}
	if cross > 0 {
		capital += pool
	}
	out = PortfolioStress{Scenario: i, AccountSurvives: true, PositionsLiquidated: book.liquidated}
	out.TotalPnLUSD = max(book.crossPnL, -pool) + book.isolatedPnL
	raw := book.crossPnL + book.isolatedRaw
	switch {
	case capital >= minEquity:
		out.TotalPnLPct = max(pctPerUnit*out.TotalPnLUSD/capital, -pctPerUnit)
	case raw < 0:
		out.TotalPnLPct = -pctPerUnit
	}
	if gross > 0 {
		out.FundingCostPct = pctPerUnit * book.funding / gross
	}
	if cross > 0 && !(after.crossToppedUp+book.crossMove-max(0, book.crossFunding) > book.maintenance) {
		out.AccountSurvives = false
		out.PositionsLiquidated += cross
	}
	return out, raw - book.funding
}
