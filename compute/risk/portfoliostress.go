package risk

import "math"

// PortfolioStress is the scenario that hurts the book after the trade most.
type PortfolioStress struct {
	Known               bool // false when the wallet has no position before the trade
	Scenario            int  // index into Scenarios
	TotalPnLUSD         float64
	TotalPnLPct         float64 // of the account value
	FundingCostPct      float64 // of the gross notional
	AccountSurvives     bool
	PositionsLiquidated int
}

// stressBook moves every position by its tier in every scenario and returns the one with
// the lowest P&L after funding, the first of equals.
func (b *book) stressBook() PortfolioStress {
	if b.before == 0 {
		return PortfolioStress{}
	}
	var worst PortfolioStress
	lowest := math.Inf(1)
	for i := range Scenarios {
		r, funding := b.stressOne(&Scenarios[i])
		if net := r.TotalPnLUSD - funding; net < lowest {
			lowest, worst = net, r
			worst.Known, worst.Scenario = true, i
		}
	}
	return worst
}

// stressOne runs one scenario and returns it with the funding of all positions, USD.
func (b *book) stressOne(sc *Scenario) (out PortfolioStress, funding float64) {
	var equity, maintenance, crossFunding float64 // of the cross pool
	cross := 0
	equity = b.crossPool
	for i := range b.legs {
		l := &b.legs[i]
		n, s := math.Abs(l.signed), sign(l.signed)
		extreme, final := sc.shock(l.in, l.stress)
		move := extreme
		if sc.MarkAtFinal {
			move = final
		}
		collateral := l.equity
		if !l.isolated {
			collateral = max(b.crossPool, n/l.leverage)
		}
		out.TotalPnLUSD += max(l.signed*move, -max(collateral, 0))
		paid := s * sc.fundingPct() / pctPerUnit * n
		funding += paid
		need := l.tiers.maintenance(n * (1 + extreme))
		if l.isolated {
			if !(l.equity+l.signed*extreme-max(0, paid) > need) {
				out.PositionsLiquidated++
			}
			continue
		}
		cross++
		equity += l.signed * extreme
		maintenance += need
		crossFunding += paid
	}
	out.AccountSurvives = cross == 0 || equity-max(0, crossFunding) > maintenance
	if !out.AccountSurvives {
		out.PositionsLiquidated += cross
	}
	base := b.value
	if base < noEquity {
		base = b.gross
	}
	if base > 0 {
		out.TotalPnLPct = pctPerUnit * out.TotalPnLUSD / base
	}
	if b.gross > 0 {
		out.FundingCostPct = pctPerUnit * funding / b.gross
	}
	return out, funding
}
