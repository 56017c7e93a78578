package risk

import mc "ballast/marketcache"

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
	in, out, v, book := &s.In, &s.Out, &s.view, &s.book
	s.begin()
	t := &v.plan
	s.sumReplay(t)
	s.assessPosition()
	out.EVT = v.market.extreme(t, &out.VaR)
	out.Greeks = v.market.greeks(t, out)
	out.Drawdown = v.market.drawdown(in.Trade.SizeUSD, t, out)

	s.before(out)
	s.bookAfter(book, &v.position)
	book.var99, book.es99 = s.portfolioLoss(&v.position) // last, because the attribution uses its sums
	s.correlate(book)
	out.Attribution = s.attribute(book)
	out.PortfolioRisk = s.portfolioRisk(book)
	out.Margin = s.account.marginAfter(t, &v.position, &v.after)
	out.Margin.Move = s.moveAfter(t, &v.position, &v.after)
	s.otherChances()
	out.Pools = s.poolsAfter(t, &v.position, &v.after, &out.Liquidation)
	s.ordersOf(&out.OpenOrders, s.account.held, s.account.heldMost)
	v.market.meta(&out.Meta, in)
	s.explain(&out.Explanation)
	s.bookFigures(out, book.var99)
	loss99 := s.limitedLoss(t, &v.position, &v.after, book.var99)
	s.score(t, &v.position, &v.after, out, &v.stressed, book.var99, loss99)
	v.raiseFlags(in, &s.account, out, book, s.pools)
	s.admissibility(&out.Admissibility)
	s.changes(&out.Position)
	s.size(&out.Sizing)
	e.modelVersion(&out.ModelVersion, s)
	if in.Trade.MonteCarlo {
		e.simulate(s, book)
	}
}

// view holds intermediate results that several blocks of one assessment use.
type view struct {
	market marketView
	plan   tradePlan  // the trade applied to the wallet
	priced *tradePlan // the trade whose execution is priced: &plan, or &closing for a held position
	// closing is the trade that closes a position assessed as held.
	closing  tradePlan
	after    poolAfterFill
	position position // the position after the trade
	stressed stressed
	regime   regimeView
	taker    float64 // fraction of notional
	diverge  bool    // prices in the snapshot contradict each other
	// scoreBefore is the highest score of the positions of the trade's pool as held; negative: not computed.
	scoreBefore float64
}

// begin reads the wallet, the market and the trade.
func (s *Scratch) begin() {
	s.Out = Assessment{}
	s.account.read(&s.In)
	s.beginTrade()
}

// beginTrade reads the market and the trade.
func (s *Scratch) beginTrade() {
	in, acct, v := &s.In, &s.account, &s.view
	v.market.read(&in.Target)
	v.diverge = in.Divergence.Pct > mc.DivergingPct
	v.taker = acct.takerRate * v.market.asset.FeeMultiplier
	v.market.regime(&v.regime)
	v.scoreBefore = -1
	t := &v.plan
	t.resolve(&in.Trade, in.AsHeld, in.Account, acct, &v.market)
	v.priced = t
	if t.kind == held {
		v.closing = *t
		v.closing.closeWhole()
		v.priced = &v.closing
	}
}

// assessPosition fills the blocks that depend only on the trade and its position, and the stress of the
// wallet, which the score needs.
func (s *Scratch) assessPosition() {
	out, acct, v := &s.Out, &s.account, &s.view
	mk, t := &v.market, &v.plan
	out.Slippage = mk.slippage(v.priced)
	t.fill(&v.after, acct, out.Slippage.FillPrice, v.taker)
	t.positionAfter(&v.position, mk, acct, &v.after, out.Slippage.FillPrice)
	out.Fees = fees(t, &v.after, v.taker)
	mk.valueAtRisk(&out.VaR, t)
	out.VaR.Session = mk.session(s.In.AsOfUnixMs)
	t.liquidation(&out.Liquidation, acct, &v.after, out.VaR.Pct99_1h)
	s.probability(&out.Liquidation, t, &v.position, &v.after, &[mc.ExcursionHorizons]float64{}, false)
	out.Funding = mk.funding(t)
	out.Impact = mk.impact(v.priced.notional)
	out.OpenInterest = mk.openInterest()
	mk.cost(&out.Cost, t, out)
	w := s.stressOf(t, &v.position, &v.after)
	s.stress(&out.Stress, t, &w, &v.after, out.Liquidation.Price)
	s.stressWallet(&v.stressed, t, &w, &v.after)
	out.PortfolioStress = v.stressed.worst
	out.PortfolioStress.Known = len(acct.positions) > 0
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
