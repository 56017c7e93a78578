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
	DiedBy                 string // what ends the trade's pool: an asset, or the pool (poolName); "" when it survives
}

const maxLiquidityCost = 50

// squeezeScenario is the scenario in which one asset of a pool moves and the others stand: the first.
const squeezeScenario = 0

// sameDepth maps each scenario to the first one with the same depth multiple, in which an exit has
// the same slippage.
var sameDepth = func() (first [ScenarioCount]int) {
	for i := range Scenarios {
		first[i] = slices.IndexFunc(Scenarios[:], func(sc Scenario) bool {
			return sc.DepthTimes == Scenarios[i].DepthTimes
		})
	}
	return first
}()

// poolStresser gives the effect of each scenario on the trade's pool after the trade.
type poolStresser struct {
	rest     *rest
	own      shockedLeg // the trade's position
	joins    bool       // the rest does not contain it
	squeezed bool       // it is the one that is squeezed
	squeeze  poolShock  // what that scenario changes by the squeezed asset
	prey     int        // its index, with the trade's position last if it is new; -1 for none
}

// noRest stands in where no other position counts: the trade's position is alone.
var noRest rest

// stresser prepares the scenarios for a position after the trade.
func (s *Scratch) stresser(t *tradePlan, p *position) poolStresser {
	out := poolStresser{rest: &s.account.rest, joins: p.units != 0 && (t.kind != held || p.isolated)}
	if p.isolated {
		out.rest = &noRest
	}
	at := t.index
	if at < 0 {
		at = len(s.account.positions)
	}
	q := out.rest.shocks.squeezed
	if out.joins {
		out.own = p.shocked()
		collateral := 0.0
		if !p.isolated {
			collateral = s.account.collateralIn(s.account.pool, p)
		}
		q.consider(at, p, collateral)
	}
	out.squeezed, out.squeeze, out.prey = q.found && q.at == at && p.units != 0, q.change, -1
	if q.found {
		out.prey = q.at
	}
	return out
}

// moves reports whether the price of the trade's position moves in scenario i.
func (s *poolStresser) moves(i int) bool { return i != squeezeScenario || s.squeezed }

// at returns the effect of scenario i.
func (s *poolStresser) at(i int) poolShock {
	total := s.rest.shocks.shocks[i]
	if s.joins {
		total.add(i, &s.own)
	}
	if i == squeezeScenario {
		total = total.plus(&s.squeeze)
	}
	return total
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

// worst returns the largest load and the largest loss of the trade's pool, of the given equity. It begins with
// scenario first, and ends where the load is above enough and the loss not below least.
func (s *poolStresser) worst(equity float64, first int, enough, least float64) heaviest {
	h := heaviest{equity: equity, at: first}
	for i := first; ; {
		total := s.at(i)
		h.see(i, total.loss(), total.maintenance)
		if i = (i + 1) % ScenarioCount; i == first || h.load > enough && !(h.loss < least) {
			return h
		}
	}
}

// stress applies every scenario to the wallet after the trade and, unless results is nil, to the position.
func (s *Scratch) stress(o *outcome, results *[ScenarioCount]StressResult) {
	w := s.stressOf(o)
	var exits [ScenarioCount]float64 // slippage of the exit, bps; one per depth multiple, at its first scenario
	for i := range Scenarios {
		total := w.at(i)
		w.see(i, &total)
		if results == nil {
			continue
		}
		if t := &o.plan; t.after != 0 && sameDepth[i] == i {
			exits[i] = s.view.market.exitOf(t.side, math.Abs(t.after)/Scenarios[i].DepthTimes)
		}
		s.view.market.stressPosition(&results[i], i, o, w.moves(i), exits[sameDepth[i]], &total)
		if !results[i].Survives {
			results[i].DiedBy = s.diedBy(i, o, &w.poolStresser)
		}
	}
	o.stressed = w.result(o)
}

// stressPosition is the effect of scenario i on the position after the fill. exitBps is the slippage of its
// exit, total the effect on its pool. Nothing is left to stress of a flat position, but its cross pool survives
// or not.
func (mk *marketView) stressPosition(
	r *StressResult, i int, o *outcome, moves bool, exitBps float64, total *poolShock,
) {
	t, after, sc := &o.plan, &o.after, &Scenarios[i]
	positions := after.others
	if t.after == 0 {
		_, dies := total.on(after.equity, positions)
		*r = StressResult{LiquidationDistancePct: pctPerUnit, Survives: !dies}
		return
	}
	_, dies := total.on(after.equity, positions+1)
	extreme, move := 0.0, 0.0
	if moves {
		extreme, move = o.position.stress.shock(i)
	}
	r.Survives = !dies
	r.PnLPct = max(pctPerUnit*t.side*move, -pctPerUnit*max(after.equity, 0)/t.valueAfter)
	r.PnLUSD = r.PnLPct / pctPerUnit * t.valueAfter
	r.FundingCostPct = t.side * sc.FundingPct()
	r.LiquidityCostPct = min((exitBps+(sc.SpreadTimes-1)*mk.spreadBps/2)/pctPerUnit, maxLiquidityCost)
	shocked := t.mark * (1 + extreme)
	if after.alone && total.move <= 0 { // its liquidation price does not depend on the mark
		r.LiquidationDistancePct = distancePct(o.liquidation.Price, t.after, shocked)
	} else {
		others := total.maintenance - t.tiers.maintenance(t.valueAfter*(1+extreme))
		_, r.LiquidationDistancePct, _ = t.tiers.distance(after.equity+total.move, others, t.after, shocked)
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
	poolStresser
	all      *rest      // the wallet without the trade's position
	cross    marginPool // the trade's cross pool after the trade
	isolated marginPool // the trade's position as a pool of its own
	// crossLegs: the cross pool has a leg. own: the trade's pool is the isolated position. added: the rest of
	// the wallet does not contain the position.
	crossLegs, own, added bool
	equity                float64 // sum of max(equity, 0) of all pools, USD
	gross                 float64 // sum of |notional| of all positions, USD
	positions             int

	heaviest heaviest
	worst    walletShock
	scenario int    // of worst
	failed   uint32 // PortfolioStress.Failed
}

// stressOf prepares the scenarios for the wallet after a trade.
func (s *Scratch) stressOf(o *outcome) walletStress {
	t, p, after, r := &o.plan, &o.position, &o.after, &s.account.rest
	w := walletStress{
		poolStresser: s.stresser(t, p), all: r,
		own: t.mode == Isolated && p.units != 0, added: p.units != 0 && t.kind != held,
		cross:    marginPool{mode: PoolCross, equity: after.counted, positions: r.cross.positions},
		isolated: marginPool{mode: PoolIsolated, equity: after.equity, positions: 1},
		equity:   s.equityAfter(o), gross: r.gross, positions: r.count,
		heaviest: heaviest{equity: after.equity},
	}
	if w.added {
		w.gross, w.positions = w.gross+t.valueAfter, w.positions+1
		if !w.own {
			w.cross.positions++
		}
	}
	w.crossLegs = w.cross.positions+r.cross.collateral > 0
	return w
}

// equityAfter is the sum of max(equity, 0) of all pools after the trade, USD.
func (s *Scratch) equityAfter(o *outcome) float64 {
	equity := s.account.rest.positive + max(o.after.counted, 0)
	if o.plan.mode == Isolated && o.position.units != 0 && o.plan.kind != held {
		equity += max(o.after.equity, 0)
	}
	return equity
}

// wallet sets sum to the wallet in scenario i, whose effect on the trade's pool is total.
func (w *walletStress) wallet(sum *walletShock, i int, total *poolShock) {
	*sum = w.all.others[i]
	if w.crossLegs {
		cross := total
		if w.rest == &noRest { // the trade's pool is the isolated position, or was
			at := w.all.shocks.at(i)
			cross = &at
		}
		sum.add(i, &w.cross, cross)
	}
	if w.own && w.added {
		sum.add(i, &w.isolated, total)
	}
}

// see takes in scenario i.
func (w *walletStress) see(i int, total *poolShock) {
	var sum walletShock
	w.heaviest.see(i, total.loss(), total.maintenance)
	w.wallet(&sum, i, total)
	if w.positions > 0 && sum.fails(w.equity) {
		w.failed |= 1 << i
	}
	if i == 0 || sum.worse(&w.worst) {
		w.worst, w.scenario = sum, i
	}
}

// result sums up all scenarios. A pool without a position has no load, one without a leg no loss.
func (w *walletStress) result(o *outcome) stressed {
	out := stressed{cross: w.cross.stress, own: w.isolated.stress, equity: w.equity, at: w.heaviest.at}
	if w.own || o.plan.mode == Cross && w.crossLegs {
		out.loss = w.heaviest.loss
	}
	if w.own || o.plan.mode == Cross && w.cross.positions > 0 {
		out.load = w.heaviest.load
	}
	out.worst.Scenario, out.worst.Failed = w.scenario, w.failed
	out.report(&w.worst, w.gross)
	return out
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

// stressLoad is the load that the score sees. The loss of an isolated position is its margin, but nine tenths
// of the wallet as margin is the wallet. What is assumed for an empty account says nothing.
func (o *outcome) stressLoad() float64 {
	s := &o.stressed
	switch {
	case o.after.assumed || o.plan.mode == Isolated && s.equity < minEquity:
		return 0
	case o.plan.mode == Isolated:
		return min(s.load, 1) * min(1, max(o.after.equity, 0)/(deadShare*s.equity))
	}
	return s.load
}
