package risk

import (
	"math"

	mc "ballast/marketcache"
)

// Assessment is the answer to one request. Its struct fields, such as Slippage, are called blocks.
// Package server/api has the JSON names.
type Assessment struct {
	RiskScore      float64 // 0 lowest risk, 100 highest
	Recommendation Recommendation
	Flags          FlagSet

	Slippage     Slippage
	Liquidation  Liquidation
	Funding      Funding
	Impact       Impact
	VaR          VaR
	Day          DayMove
	OpenInterest OpenInterest
	Stress       [ScenarioCount]StressResult
	Fees         Fees
	Cost         Cost
	Sizing       Sizing

	Position      PositionChange
	Margin        Margin
	Admissibility Admissibility

	// Pools are what the venue liquidates together, after the trade; empty when fewer than two have a position.
	Pools           []PoolState
	OpenOrders      OpenOrders
	Order           OrderExits
	Execution       OrderFill
	BookBefore      BookBefore
	PortfolioRisk   PortfolioRisk
	PortfolioStress PortfolioStress
	MonteCarlo      MonteCarlo
	EVT             EVT
	Greeks          Greeks
	Regime          Regime
	Drawdown        Drawdown
	Attribution     Attribution

	Meta         Meta
	ModelVersion ModelVersion
	Explanation  Explanation
}

// Meta describes the subject of the answer and the age of its inputs.
type Meta struct {
	Asset       string
	MarkPrice   float64 // USD
	MaxLeverage float64
	MarketAgeMs float64 // age of the oldest price input used
	WalletAgeMs float64
	AsOfUnixMs  int64  // time of the snapshot by the venue's clock
	VenueNotice string // text of the venue's special status; "" when there is none, or it is not known
	WalletRole  string // marketcache.Account.Role; "" when nothing was asked
}

// ModelVersion identifies the engine and the parameters behind an answer.
type ModelVersion struct {
	EngineVersion   string
	CalibrationName string
	// CalibrationHash changes if and only if a constant changes, or a fitted parameter of an
	// asset used in the answer.
	CalibrationHash mc.CalibrationHash
}

// EngineVersion is the semantic version of the formulas in this package.
const EngineVersion = "3.0.0"

// Assess computes s.Out from s.In. It allocates nothing once the scratch has grown to the
// number of the wallet's legs, and uses no memory outside the scratch.
func (e *Engine) Assess(s *Scratch) {
	in, out, v, portfolio := &s.In, &s.Out, &s.view, &s.portfolio
	s.Late = false
	if s.begin(); s.Refused != nil {
		return
	}
	o := &v.outcome
	s.sumReplay(&o.plan)
	if s.large() && s.late() {
		return
	}
	s.assessPosition(&out.Stress)
	out.Day = DayMoveOf(v.market.model)
	out.EVT = v.market.extreme(&o.plan, &out.VaR)
	out.Greeks = v.market.greeks(o)
	out.Drawdown = v.market.drawdown(in.Trade.SizeUSD, o)

	x := &out.Explanation
	v.before, x.LoadBefore = s.before(o)
	out.BookBefore = v.before
	s.listLegs(portfolio, &o.position)
	if len(portfolio.legs) > 2 {
		s.replay.whole.PrepareWithout()
	}
	portfolio.var99, portfolio.es99 = s.portfolioLoss(&o.position) // last, because the attribution uses its sums
	if s.large() && s.late() {
		return
	}
	s.correlate(portfolio)
	out.Attribution = s.attribute(portfolio)
	out.PortfolioRisk = s.portfolioRisk(portfolio)
	out.Margin = s.account.marginAfter(o)
	out.Margin.Move = s.moveAfter(o)
	s.otherChances()
	out.Pools = s.poolsAfter(o)
	s.ordersOf(&out.OpenOrders, s.account.held, s.account.heldMost)
	s.orderExits(&out.Order)
	s.orderFill(&out.Execution)
	v.market.meta(&out.Meta, in)
	s.explain(x)
	poolVaR := portfolio.var99
	if s.replay.separate || o.plan.mode == Isolated {
		poolVaR = s.poolVaR(o.plan.mode, &o.position)
	}
	x.BookAfter = o.poolRisk(poolVaR)
	x.BookAfter.PortfolioVaR99USD = portfolio.var99
	if o.plan.mode == Cross && (s.account.rest.cross.positions > 0 || o.position.units != 0) {
		x.LoadAfter = o.stressed.load
	}
	s.score(o, portfolio.var99, poolVaR, s.limitedLoss(o, portfolio.var99))
	v.raiseFlags(in, &s.account, out, portfolio, s.pools)
	s.admissibility(&out.Admissibility)
	out.Position = s.positionChange(o, out.Admissibility.OrderSizeCoin)
	if s.large() && s.late() {
		return
	}
	s.size(&out.Sizing)
	e.modelVersion(&out.ModelVersion, s)
	if in.Trade.MonteCarlo {
		e.simulate(s, portfolio)
	}
	if s.large() {
		s.late()
	}
}

// outcome is the trade at one size: the plan, what its fill leaves, and the figures that the score needs. The
// trade as asked has one, and each size that sizing tries.
type outcome struct {
	plan      tradePlan
	fillPrice float64 // USD, average
	feeRate   float64 // of the trade, a fraction of its cost
	limit     limitFill
	after     poolAfterFill
	position  position // after the trade; 0 units: none is left

	execution   execution
	loss        lossPct
	funding     Funding
	liquidation Liquidation
	stressed    stressed
}

// view holds intermediate results that several blocks of one assessment use.
type view struct {
	market  marketView
	outcome            // of the trade as asked
	priced  *tradePlan // the trade whose execution is priced: &plan, or &closing for a held position
	// closing is the trade that closes a position assessed as held.
	closing  tradePlan
	regime   regimeView
	interest OpenInterest
	before   BookBefore
	taker    float64 // fraction of notional
	diverge  bool    // prices in the snapshot contradict each other
	// scoreBefore is the highest score of the positions of the trade's pool as held; negative: not computed.
	scoreBefore float64
}

// begin reads the wallet, the market and the trade. It sets Refused.
func (s *Scratch) begin() {
	s.Out = Assessment{}
	s.account.read(&s.In)
	s.beginTrade()
	s.Refused = s.view.plan.refusedExit()
}

// beginTrade reads the market and the trade.
func (s *Scratch) beginTrade() {
	in, acct, v := &s.In, &s.account, &s.view
	v.market.read(&in.Target)
	v.diverge = in.Divergence.Pct > mc.DivergingPct
	v.taker = acct.takerRate * v.market.asset.FeeMultiplier
	v.market.regime(&v.regime)
	v.interest = v.market.openInterest()
	v.scoreBefore, v.before = -1, BookBefore{}
	t := &v.plan
	t.resolve(&in.Trade, in.AsHeld, in.Account, acct, &v.market)
	v.priced = t
	if t.kind == held {
		v.closing = *t
		v.closing.closeWhole()
		v.priced = &v.closing
	}
}

// fill fills an outcome's plan against the order book. priced is the trade that is executed.
func (s *Scratch) fill(o *outcome, priced *tradePlan) {
	v := &s.view
	if priced.order.Limit {
		o.limit = v.market.fillLimit(priced, v.taker, s.maker())
		o.plan.rests = math.Abs(priced.units) - o.limit.taken
		o.fillPrice, o.feeRate = o.limit.price, o.limit.feeRate
	} else {
		o.fillPrice, o.feeRate = v.market.fillPrice(priced), v.taker
	}
	o.plan.fill(&o.after, &s.account, o.fillPrice, o.feeRate)
}

// complete fills in what the score needs of a filled outcome, but its stress and its probabilities.
func (s *Scratch) complete(o *outcome, priced *tradePlan) {
	mk, t := &s.view.market, &o.plan
	o.execution = mk.execution(t, priced, o.fillPrice, o.feeRate*bpsPerUnit, s.view.taker*bpsPerUnit)
	o.loss = mk.lossPct(t)
	o.funding = mk.funding(t)
	o.liquidation = t.liquidation(&s.account, &o.after, o.loss.pct99_1h)
}

// assessPosition fills the blocks that depend only on the trade and its position, and the stress of the
// wallet, which the score needs; that of the position unless stress is nil.
func (s *Scratch) assessPosition(stress *[ScenarioCount]StressResult) {
	out, v := &s.Out, &s.view
	mk, o := &v.market, &v.outcome
	s.fill(o, v.priced)
	o.plan.positionAfter(&o.position, mk, &s.account, &o.after, o.fillPrice)
	s.complete(o, v.priced)
	s.probability(o, &[mc.ExcursionHorizons]float64{}, &noLimit)
	s.stress(o, stress)

	out.Slippage = mk.slippage(v.priced, o.fillPrice)
	out.Fees = fees(&o.plan, &o.after, v.taker)
	out.VaR = mk.valueAtRisk(&o.plan, &o.loss)
	out.VaR.Loss99CappedUSD = min(out.VaR.Dollar99_24h, max(o.after.equity, 0))
	out.VaR.Session = mk.session(s.In.AsOfUnixMs)
	out.Liquidation, out.Funding, out.Impact, out.OpenInterest = o.liquidation, o.funding, o.execution.impact,
		v.interest
	out.Cost = cost(&o.plan, &o.execution, o.funding.Expected24h)
	out.PortfolioStress = o.stressed.worst
	out.PortfolioStress.Known = len(s.account.positions) > 0
	out.Regime = Regime{Known: mk.model.Bars > 0, State: v.regime.state, Confidence: v.regime.confidence}
}

func (mk *marketView) meta(m *Meta, in *Input) {
	m.Asset, m.MarkPrice, m.MaxLeverage = mk.asset.Name, mk.mark, mk.asset.MaxLeverage
	m.date(in)
}

// date fills in the time of the snapshot and the ages of its inputs.
func (m *Meta) date(in *Input) {
	m.MarketAgeMs, m.WalletAgeMs = float64(in.MarketAge)/1e6, float64(in.WalletAge)/1e6
	m.AsOfUnixMs, m.VenueNotice, m.WalletRole = in.AsOfUnixMs, in.Notice, in.Account.Role
}

func (e *Engine) modelVersion(m *ModelVersion, s *Scratch) {
	m.EngineVersion, m.CalibrationName = EngineVersion, s.In.ModelName
	m.CalibrationHash = e.calibrationHash(s)
}
