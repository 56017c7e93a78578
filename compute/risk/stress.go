package risk

import (
	"math"
	"slices"

	"ballast/compute/vol"
	"ballast/marketcache"
)

// StressResult is the effect of one scenario on the position after the fill. The scenario
// has the same index in Scenarios.
type StressResult struct {
	PnLPct                 float64 // percent of position, signed
	PnLUSD                 float64
	FundingCostPct         float64 // percent of position, positive: paid
	LiquidityCostPct       float64 // percent of position
	LiquidationDistancePct float64 // at the shocked price
	Survives               bool
}

// Columns of the scenario table (Scenario.Shocks).
const (
	tierBTC = iota
	tierETH
	tierLiquid
	tierOther
)

const (
	liquidVolumeUSD  = 25e6 // a day, 7-day average
	liquidBars       = 4320 // 180 days
	builderSigmas    = 6    // builder-deployed assets move at most this many daily standard deviations
	maxShockSigmas   = 20   // the same for other assets except BTC, ETH and those whose price stands still
	maxFundingPctH   = 4    // the venue's cap on funding, percent an hour
	maxLiquidityCost = 50
)

// floorVariance24 is the variance of an asset whose price stands still.
var floorVariance24 = vol.AverageVariance(vol.H24, [4]float64{}, 0)

// stressRule selects an asset's shocks: a column of the table, and a bound.
type stressRule struct {
	tier     int
	maxShock float64 // fraction of price, either direction
}

func stressRuleOf(in *AssetInput) stressRule {
	a, m := in.Market.Asset, in.Model
	rule := stressRule{tierOther, math.Inf(1)}
	if m != nil && m.VolumeUSD7d/7 >= liquidVolumeUSD && m.Bars >= liquidBars {
		rule.tier = tierLiquid
	}
	switch {
	case a != nil && a.Dex != "":
		rule.tier, rule.maxShock = tierOther, builderSigmas*math.Sqrt(m.Variance[marketcache.H24])
	case a != nil && a.Name == "BTC":
		rule.tier = tierBTC
	case a != nil && a.Name == "ETH":
		rule.tier = tierETH
	case m != nil && m.Variance[marketcache.H24] > floorVariance24:
		rule.maxShock = maxShockSigmas * math.Sqrt(m.Variance[marketcache.H24])
	}
	return rule
}

// shock returns an asset's fractional extreme move in scenario i, and the move at which its P&L
// is marked.
func (r *stressRule) shock(i int) (extreme, mark float64) {
	c := &shockColumns[r.tier]
	extreme, mark = c.extreme[i], c.mark[i]
	if r.maxShock < c.max {
		extreme, mark = min(max(extreme, -r.maxShock), r.maxShock), min(max(mark, -r.maxShock), r.maxShock)
	}
	return extreme, mark
}

// shockColumns are the columns of the scenario table as fractions, with the largest move of
// each, and the worst scenario for a position on each side when no bound applies.
var shockColumns = func() (columns [tierOther + 1]struct {
	extreme, mark [ScenarioCount]float64
	max           float64
	worst         [2]int
}) {
	for tier := range columns {
		c := &columns[tier]
		for i := range Scenarios {
			sc := &Scenarios[i]
			c.extreme[i], c.mark[i] = sc.Shocks[tier].Extreme/pctPerUnit, sc.MarkPct(tier)/pctPerUnit
			c.max = max(c.max, math.Abs(c.extreme[i]), math.Abs(c.mark[i]))
		}
		for _, side := range [2]float64{+1, -1} {
			c.worst[tailSide(side)] = worstOf(func(i int) float64 { return side * (c.mark[i] - fundingPct[i]/pctPerUnit) })
		}
	}
	return columns
}()

// fundingPct is the funding of each scenario in percent of a long position.
var fundingPct = func() (pct [ScenarioCount]float64) {
	for i := range Scenarios {
		pct[i] = Scenarios[i].FundingPct()
	}
	return pct
}()

// worst is the worst scenario for a position by itself; it does not depend on the position's size.
func (r *stressRule) worst(side float64) int {
	if c := &shockColumns[r.tier]; side != 0 && r.maxShock >= c.max {
		return c.worst[tailSide(side)]
	}
	return worstOf(func(i int) float64 {
		_, mark := r.shock(i)
		return side * (mark - fundingPct[i]/pctPerUnit)
	})
}

// worstOf is the scenario with the lowest net P&L, the first of equals.
func worstOf(net func(int) float64) (worst int) {
	for i := range Scenarios {
		if net(i) < net(worst) {
			worst = i
		}
	}
	return worst
}

// rest sums the positions of a wallet except the trade's.
type rest struct {
	count           int
	margin          marginSum
	crossNotional   float64
	gross           float64 // sum of |notional|, USD
	isolatedCapital float64 // sum of max(equity, 0) of isolated positions, USD
	scenarios       [ScenarioCount]restShock
}

// restShock is the effect of one scenario on the positions of a rest, USD.
type restShock struct {
	crossPnL     float64 // at the scenario's mark
	isolatedPnL  float64 // at the scenario's mark; each loss at most the position's equity
	isolatedRaw  float64 // isolatedPnL without that limit
	crossMove    float64 // change of the cross equity at the scenario's extreme
	maintenance  float64 // of cross positions at the extreme
	crossFunding float64 // of cross positions, positive: paid
	funding      float64 // of all positions, positive: paid
	liquidated   int     // number of isolated positions liquidated
}

// sum makes r the sum of all positions except the one at index target.
func (r *rest) sum(positions []position, target int) {
	if len(positions) == 0 || len(positions) == 1 && target == 0 {
		r.count, r.margin, r.crossNotional, r.gross, r.isolatedCapital = 0, marginSum{}, 0, 0, 0
		return
	}
	*r = rest{}
	for i := range positions {
		if i == target {
			continue
		}
		p := &positions[i]
		r.count++
		r.margin.add(p)
		n := p.notional()
		r.gross += n
		if p.isolated {
			r.isolatedCapital += max(p.equity, 0)
		} else {
			r.crossNotional += n
		}
		for j := range Scenarios {
			r.scenarios[j].add(j, p)
		}
	}
}

// add adds one position's result in scenario i.
func (r *restShock) add(i int, p *position) {
	extreme, mark := p.stress.shock(i)
	signed := p.units * p.mark
	n := math.Abs(signed)
	maintenance := p.tiers.maintenance(n * (1 + extreme))
	funding := p.side() * fundingPct[i] / pctPerUnit * n
	r.funding += funding
	if !p.isolated {
		r.crossPnL += signed * mark
		r.crossMove += signed * extreme
		r.maintenance += maintenance
		r.crossFunding += funding
		return
	}
	r.isolatedRaw += signed * mark
	if p.other { // not bounded here: its pool bounds the joint loss of its positions
		r.isolatedPnL += signed * mark
	} else {
		r.isolatedPnL += max(signed*mark, -max(p.equity, 0))
	}
	if !(p.equity+signed*extreme-max(0, funding) > maintenance) {
		r.liquidated++
	}
}

// stress applies every scenario to the position after the fill; price is its liquidation price.
func (mk *marketView) stress(out *[ScenarioCount]StressResult, t *tradePlan, after *poolAfterFill, rest *rest, price float64) {
	if t.after == 0 {
		for i := range out {
			out[i] = StressResult{LiquidationDistancePct: pctPerUnit, Survives: true}
		}
		return
	}
	// A position cannot lose more than its collateral.
	collateral := after.equity
	if t.mode == Cross {
		collateral = max(after.equity, t.valueAfter/t.leverage)
	}
	minPct := -pctPerUnit * max(collateral, 0) / t.valueAfter
	var exits [ScenarioCount]float64 // slippage, bps; one per depth multiple, at its first scenario
	var others restShock
	n, units := t.valueAfter, math.Abs(t.after)
	for i := range Scenarios {
		r, sc, first := &out[i], &Scenarios[i], sameDepth[i]
		if first == i {
			exits[i] = mk.exitOf(t.side, units/sc.DepthTimes)
		}
		if !after.alone {
			others = rest.scenarios[i]
		}
		extreme, move := mk.rule.shock(i)
		if r.PnLPct = pctPerUnit * t.side * move; r.PnLPct < minPct {
			r.PnLPct = minPct
		}
		r.PnLUSD = r.PnLPct / pctPerUnit * n
		r.FundingCostPct = t.side * fundingPct[i]
		r.LiquidityCostPct = (exits[first] + (sc.SpreadTimes-1)*mk.spreadBps/2) / pctPerUnit
		if r.LiquidityCostPct > maxLiquidityCost {
			r.LiquidityCostPct = maxLiquidityCost
		}

		shocked := t.mark * (1 + extreme)
		equity := after.equity + t.after*(shocked-t.mark) + others.crossMove
		if after.alone { // its liquidation price does not depend on the mark
			r.LiquidationDistancePct = distancePct(price, t.after, shocked)
		} else {
			_, r.LiquidationDistancePct, _ = t.tiers.distance(equity, others.maintenance, t.after, shocked)
		}
		if paid := r.FundingCostPct/pctPerUnit*n + others.crossFunding; paid > 0 {
			equity -= paid
		}
		r.Survives = equity > t.tiers.maintenance(units*shocked)+others.maintenance
	}
}

// sameDepth maps each scenario to the first one with the same depth multiple, in which an exit has
// the same slippage.
var sameDepth = func() (first [ScenarioCount]int) {
	for i := range Scenarios {
		first[i] = slices.IndexFunc(Scenarios[:], func(sc Scenario) bool { return sc.DepthTimes == Scenarios[i].DepthTimes })
	}
	return first
}()

// PortfolioStress is the worst scenario for all positions after the trade. The capital at risk is the
// equity of isolated positions plus, if there is a cross position, that of the cross pool.
type PortfolioStress struct {
	Known               bool    // false when the wallet has no position before the trade
	Scenario            int     // index into Scenarios
	TotalPnLUSD         float64 // a loss is at most the capital at risk
	TotalPnLPct         float64 // percent of the capital at risk, at least -100
	FundingCostPct      float64 // of the gross notional
	AccountSurvives     bool
	PositionsLiquidated int
	// Failed has bit i set when the account does not survive scenario i.
	Failed uint32
}

// worse reports whether r is worse than the result of another pool: not survived, or else the larger loss.
// Any result is worse than one that is not known.
func (r *PortfolioStress) worse(than *PortfolioStress) bool {
	if !than.Known || r.AccountSurvives != than.AccountSurvives {
		return !than.Known || !r.AccountSurvives
	}
	return r.TotalPnLUSD < than.TotalPnLUSD
}

// stressBook applies every scenario to all positions after the trade and fills out with the
// scenario of the lowest P&L after funding, the first of equals. The comparison counts losses
// beyond the collateral in full.
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

// stressBookOne applies one scenario. It returns the result and the P&L minus funding, USD, by
// which scenarios are compared. p is the trade's position.
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
