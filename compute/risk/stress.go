package risk

import (
	"math"
	"slices"
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

const maxLiquidityCost = 50

// squeezeScenario is the scenario in which one asset of a pool moves and the others stand: the first.
const squeezeScenario = 0

// sameDepth maps each scenario to the first one with the same depth multiple, in which an exit has
// the same slippage.
var sameDepth = func() (first [ScenarioCount]int) {
	for i := range Scenarios {
		first[i] = slices.IndexFunc(Scenarios[:], func(sc Scenario) bool { return sc.DepthTimes == Scenarios[i].DepthTimes })
	}
	return first
}()

// poolParts is the effect of a scenario on the trade's pool after the trade: on the trade's position and
// on the others.
type poolParts struct{ own, others poolShock }

// splitter splits the effect of scenarios on the trade's pool.
type splitter struct {
	rest     *rest
	p        *position
	held     bool // the rest contains the position
	squeezed bool // the position is the one that is squeezed
	change   poolShock
}

// split prepares the parts for a position after the trade.
func (s *Scratch) split(t *tradePlan, p *position) splitter {
	out := splitter{rest: &s.account.rest, p: p, held: t.kind == held && !p.isolated}
	if p.isolated {
		out.rest = &noRest
	}
	at := t.index
	if at < 0 {
		at = len(s.account.positions)
	}
	q := out.rest.shocks.squeezed
	if !out.held && p.units < 0 {
		collateral := 0.0
		if !p.isolated {
			collateral = s.account.collateralIn(s.account.pool, p)
		}
		q.consider(at, p, collateral)
	}
	out.squeezed, out.change = q.found && q.at == at && p.units != 0, q.change
	return out
}

// noRest stands in where no other position counts: the trade's position is alone.
var noRest rest

// parts is the effect of scenario i.
func (s *splitter) parts(i int) (out poolParts) {
	if s.p.units == 0 {
		out.others = s.rest.shocks.at(i)
		return out
	}
	if i != squeezeScenario {
		out.own.of(i, s.p)
		out.others = s.rest.shocks.shocks[i]
		if s.held {
			out.others = out.others.minus(&out.own)
		}
		return out
	}
	out.own.ofUnmoved(i, s.p)
	out.others = s.rest.shocks.shocks[i]
	if s.held {
		out.others = out.others.minus(&out.own)
	}
	if s.squeezed {
		out.own = out.own.plus(&s.change)
	} else if s.rest.shocks.squeezed.found {
		out.others = out.others.plus(&s.rest.shocks.squeezed.change)
	}
	return out
}

// total is the sum of the parts of scenario i.
func (s *splitter) total(i int) poolShock {
	parts := s.parts(i)
	return parts.own.plus(&parts.others)
}

// maxLoad bounds the share of a pool's room that a scenario takes.
const maxLoad = 1000

// heaviest is the largest load and the largest loss of a pool so far. The load is the share of the pool's room
// above its maintenance margin that a scenario takes; from 1 on the pool dies.
type heaviest struct {
	equity     float64
	load, loss float64
	at         int // the scenario of load
}

// see takes in scenario i. NaN is never passed over: it stays, or counts as maxLoad.
func (h *heaviest) see(i int, loss, maintenance float64) {
	if !(loss <= h.loss) {
		h.loss = max(h.loss, loss)
	}
	switch room := h.equity - maintenance; {
	case !(room > 0):
		h.load, h.at = maxLoad, i
	case !(loss <= h.load*room):
		h.load, h.at = min(max(h.load, loss/room), maxLoad), i
	}
}

// worst returns the largest load and the largest loss of the trade's pool, of the given equity.
func (s *splitter) worst(equity float64) heaviest {
	h := heaviest{equity: equity}
	if s.p.units == 0 || s.held {
		for i := range Scenarios {
			shock := s.total(i)
			h.see(i, shock.loss(), shock.maintenance)
		}
		return h
	}
	squeeze := s.total(squeezeScenario)
	h.see(squeezeScenario, squeeze.loss(), squeeze.maintenance)
	var bounded, losses [ScenarioCount]float64
	moves := s.p.stress.extremes(&bounded)
	signed, side, tiers := s.p.signed(), s.p.side(), s.p.tiers.list()
	n := math.Abs(signed)
	largest := 1
	for i := 1; i < ScenarioCount; i++ {
		others := &s.rest.shocks.shocks[i]
		losses[i] = -(kept(signed*moves[i]) + others.move)
		if funding := side*fundingOf[i]*n + others.funding; !(funding <= 0) {
			losses[i] += funding
		}
		if losses[i] > losses[largest] {
			largest = i
		}
	}
	full := func(i int) {
		h.see(i, losses[i], maintenanceIn(tiers, n*(1+moves[i]))+s.rest.shocks.shocks[i].maintenance)
	}
	full(largest)
	most := maintenanceIn(tiers, n*(1+s.p.stress.column.highest)) // no scenario's is above it
	for i := 1; i < ScenarioCount; i++ {
		if room := equity - most - s.rest.shocks.shocks[i].maintenance; !(room > 0) || !(losses[i] <= h.load*room) {
			full(i)
		}
	}
	return h
}

// stress applies every scenario to the position after the fill; price is its liquidation price. Nothing
// is left to stress of a flat position, but its cross pool survives or not.
func (s *Scratch) stress(
	out *[ScenarioCount]StressResult, t *tradePlan, w *walletStress, after *poolAfterFill, price float64,
) {
	mk := &s.view.market
	minPct := -pctPerUnit * max(after.equity, 0) / t.valueAfter
	positions := 1 + after.others
	var exits [ScenarioCount]float64 // slippage, bps; one per depth multiple, at its first scenario
	for i := range Scenarios {
		r, total := &out[i], &w.totals[i]
		if t.after == 0 {
			dies := false
			if t.mode == Cross {
				_, dies = total.on(after.counted, s.account.rest.cross.positions)
			}
			*r = StressResult{LiquidationDistancePct: pctPerUnit, Survives: !dies}
			continue
		}
		sc, first := &Scenarios[i], sameDepth[i]
		if first == i {
			exits[i] = mk.exitOf(t.side, math.Abs(t.after)/sc.DepthTimes)
		}
		extreme, move := 0.0, 0.0
		if i != squeezeScenario || w.squeezed {
			extreme, move = w.p.stress.shock(i)
		}
		r.PnLPct = max(pctPerUnit*t.side*move, minPct)
		r.PnLUSD = r.PnLPct / pctPerUnit * t.valueAfter
		r.FundingCostPct = t.side * fundingPct[i]
		r.LiquidityCostPct = min((exits[first]+(sc.SpreadTimes-1)*mk.spreadBps/2)/pctPerUnit, maxLiquidityCost)
		shocked := t.mark * (1 + extreme)
		if after.alone && total.move <= 0 { // its liquidation price does not depend on the mark
			r.LiquidationDistancePct = distancePct(price, t.after, shocked)
		} else {
			parts := w.parts(i)
			equity, others := after.equity+total.move, parts.others.maintenance
			_, r.LiquidationDistancePct, _ = t.tiers.distance(equity, others, t.after, shocked)
		}
		_, dies := total.on(after.equity, positions)
		r.Survives = !dies
	}
}

// PortfolioStress is the worst scenario of the wallet: of all pools after the trade.
type PortfolioStress struct {
	Known               bool    // false when the wallet has no position before the trade
	Scenario            int     // index into Scenarios
	TotalPnLUSD         float64 // a pool loses at most its equity
	TotalPnLPct         float64 // percent of the wallet's equity, at least -100
	FundingCostPct      float64 // of the gross notional of positions
	AccountSurvives     bool    // in every scenario
	PositionsLiquidated int
	// Failed has bit i set when the account does not survive scenario i.
	Failed uint32
}

const (
	// deadShare: isolated pools that hold this share of the wallet's equity are the wallet.
	deadShare = 0.9
	// minLeftUSD: a wallet with less than this left has not survived.
	minLeftUSD = 1
)

// stressed is the wallet after a trade in all scenarios, and the trade's pool among its pools.
type stressed struct {
	worst  PortfolioStress
	load   float64 // largest share of the room of the trade's pool that a scenario takes
	at     int     // that scenario
	loss   float64 // largest loss of the trade's pool, USD
	cross  poolStress
	own    poolStress // of the trade's isolated position
	equity float64    // sum of max(equity, 0) of all pools, USD
}

// walletStress applies scenarios to the wallet after a trade.
type walletStress struct {
	splitter
	totals   [ScenarioCount]poolShock // effect on the trade's pool
	cross    marginPool               // the trade's cross pool after the trade
	isolated marginPool               // the trade's position as a pool of its own
	// crossLegs: the cross pool has a leg. own: the trade's pool is the isolated position; joins: the
	// rest of the wallet does not contain it.
	crossLegs, own, joins bool
	equity                float64 // sum of max(equity, 0) of all pools, USD
	gross                 float64 // sum of |notional| of all positions, USD
	positions             int
}

// stressOf prepares the scenarios for the wallet after a trade; p is the trade's position.
func (s *Scratch) stressOf(t *tradePlan, p *position, after *poolAfterFill) walletStress {
	r, added := &s.account.rest, p.units != 0 && t.kind != held
	w := walletStress{
		splitter: s.split(t, p), own: t.mode == Isolated && p.units != 0,
		cross:    marginPool{mode: PoolCross, equity: after.counted, positions: r.cross.positions},
		isolated: marginPool{mode: PoolIsolated, equity: after.equity, positions: 1},
		equity:   r.positive + max(after.counted, 0), gross: r.gross, positions: r.count,
	}
	if added {
		w.gross, w.positions = w.gross+t.valueAfter, w.positions+1
	}
	if w.joins = w.own && added; w.joins {
		w.equity += max(after.equity, 0)
	} else if added {
		w.cross.positions++
	}
	w.crossLegs = w.cross.positions+r.cross.collateral > 0
	if p.units == 0 || w.held {
		for i := range w.totals {
			w.totals[i] = w.total(i)
		}
		return w
	}
	w.totals = w.rest.shocks.shocks
	addTo(&w.totals, p)
	w.totals[squeezeScenario] = w.total(squeezeScenario)
	return w
}

// at adds scenario i to the result of the other pools.
func (w *walletStress) at(r *rest, i int, sum *walletShock) {
	shock := &w.totals[i]
	if w.crossLegs {
		cross := shock
		if w.rest == &noRest { // the trade's pool is the isolated position, or was
			at := r.shocks.at(i)
			cross = &at
		}
		pnl, dies := cross.on(w.cross.equity, w.cross.positions)
		w.cross.stress.see(pnl, dies)
		sum.add(&w.cross, cross, pnl, dies)
	}
	if w.joins {
		pnl, dies := shock.on(w.isolated.equity, 1)
		w.isolated.stress.see(pnl, dies)
		sum.add(&w.isolated, shock, pnl, dies)
	}
}

// stressWallet applies every scenario to the wallet after the trade.
func (s *Scratch) stressWallet(out *stressed, t *tradePlan, w *walletStress, after *poolAfterFill) {
	*out = stressed{equity: w.equity}
	var worst walletShock
	h := heaviest{equity: after.equity}
	for i := range Scenarios {
		sum, shock := s.account.rest.others[i], &w.totals[i]
		w.at(&s.account.rest, i, &sum)
		h.see(i, shock.loss(), shock.maintenance)
		if w.positions > 0 && sum.fails(w.equity) {
			out.worst.Failed |= 1 << i
		}
		if i == 0 || sum.worse(&worst) {
			worst, out.worst.Scenario = sum, i
		}
	}
	if w.own || t.mode == Cross && w.crossLegs {
		out.loss = h.loss
	}
	if w.own || t.mode == Cross && w.cross.positions > 0 {
		out.load = h.load
	}
	out.at = h.at
	out.cross, out.own = w.cross.stress, w.isolated.stress
	out.report(&worst, w.gross)
}

// fails reports whether the wallet, with the given sum of positive equities, does not survive: a cross
// pool dies, isolated pools die that are the wallet, or nothing is left.
func (w *walletShock) fails(equity float64) bool {
	return w.crossDies || equity+w.pnl < minLeftUSD || equity > 0 && w.isolatedDead >= deadShare*equity
}

// worse reports whether w is worse than another scenario: a lower P&L, then more dead pools, then the
// lower P&L without limits.
func (w *walletShock) worse(than *walletShock) bool {
	switch {
	case w.pnl != than.pnl:
		return w.pnl < than.pnl
	case w.dead != than.dead:
		return w.dead > than.dead
	}
	return w.net < than.net
}

// stressPool fills in the load and the loss of the trade's pool alone.
func (s *Scratch) stressPool(out *stressed, t *tradePlan, p *position, after *poolAfterFill) {
	w := s.split(t, p)
	h := w.worst(after.equity)
	s.keepPool(out, t, p, &h)
	out.equity = s.equityAfter(t, after)
}

// stressOne is stressPool by scenario i alone, a lower bound of both.
func (s *Scratch) stressOne(out *stressed, i int, t *tradePlan, p *position, after *poolAfterFill) {
	w := s.split(t, p)
	h, shock := heaviest{equity: after.equity}, w.total(i)
	h.see(i, shock.loss(), shock.maintenance)
	s.keepPool(out, t, p, &h)
	out.equity, out.at = s.equityAfter(t, after), i
}

// keepPool sets out to the load and the loss of the trade's pool. A pool without a position has no load, one
// without a leg no loss.
func (s *Scratch) keepPool(out *stressed, t *tradePlan, p *position, h *heaviest) {
	*out = stressed{}
	counts := p.units != 0 || t.mode == Cross && s.account.rest.cross.positions > 0
	if counts {
		out.load, out.at = h.load, h.at
	}
	if counts || s.account.rest.cross.collateral > 0 {
		out.loss = h.loss
	}
}

// report fills in the worst scenario; gross is the sum of |notional|, USD.
func (s *stressed) report(worst *walletShock, gross float64) {
	out := &s.worst
	out.TotalPnLUSD, out.PositionsLiquidated = worst.pnl, worst.liquidated
	switch {
	case s.equity >= minEquity:
		out.TotalPnLPct = max(pctPerUnit*worst.pnl/s.equity, -pctPerUnit)
	case worst.net < 0:
		out.TotalPnLPct = -pctPerUnit
	}
	if gross > 0 {
		out.FundingCostPct = pctPerUnit * worst.funding / gross
	}
	out.AccountSurvives = out.Failed == 0
}
