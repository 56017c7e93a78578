package risk

// Assessment is the answer to one request. Every block is filled by Assess; its JSON
// names are those of the public interface and stand in package server/api.
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

// Meta says what the answer is about and how old its inputs were.
type Meta struct {
	Asset       string
	MarkPrice   float64 // USD
	MaxLeverage float64
	MarketAgeMs float64 // the oldest price input used
	WalletAgeMs float64
	AsOfUnixMs  int64 // when the photograph was taken, our wall clock
}

// ModelVersion identifies the engine and the parameters behind an answer.
type ModelVersion struct {
	EngineVersion   string
	CalibrationName string
	// CalibrationHash changes exactly when a constant, or a fitted parameter of an
	// asset that took part in the answer, does.
	CalibrationHash [32]byte
}

// EngineVersion is the semantic version of the formulas in this package.
const EngineVersion = "1.1.0"

// Assess computes s.Out from s.In. It allocates nothing once the scratch and the
// engine's memo have seen the wallet's set of assets.
func (e *Engine) Assess(s *Scratch) {
	v := e.assessPosition(s)
	in, out := &s.In, &s.Out
	out.EVT = v.market.extreme(&v.plan, &out.VaR)
	out.Greeks = v.market.greeks(&v.plan, out)
	out.Drawdown = v.market.drawdown(in.Trade.SizeUSD, &v.plan, out)

	book := s.bookAfter(&v.plan, &v.filled)
	e.measure(s, &book)
	out.PortfolioRisk = e.portfolioRisk(s, &book)
	out.PortfolioStress = book.stressBook()
	out.Attribution = e.attribute(s, &book)

	e.judge(s, &book)
	v.market.meta(&out.Meta, in)
	e.modelVersion(&out.ModelVersion, s)
	if in.Trade.MonteCarlo {
		e.simulate(s, &book)
	}
}

// view is what the blocks of one assessment share.
type view struct {
	market marketView
	plan   tradePlan  // the trade against the wallet
	priced *tradePlan // the trade whose execution the cost blocks price: plan, or closing
	// closing, for a position as held, is the trade that would close it whole.
	closing tradePlan
	filled  position // after the fill
	regime  regimeView
	taker   float64 // fraction of notional

	headroom headroom
}

// assessPosition fills the blocks that look at the trade and its position alone: all
// that the score and the flags need, but for the rest of the book.
func (e *Engine) assessPosition(s *Scratch) *view {
	in, out, acct, v := &s.In, &s.Out, &s.account, &s.view
	*out = Assessment{}

	acct.read(in)
	mk := &v.market
	mk.look(&in.Target, e.figuresOf(in.Target.Model))
	v.taker = acct.takerRate * mk.asset.FeeMultiplier
	t := &v.plan
	t.resolve(&in.Trade, in.AsHeld, in.Account, acct, mk)
	v.priced = t
	if t.kind == holdsFor {
		v.closing = *t
		v.closing.closeWhole()
		v.priced = &v.closing
	}
	out.Slippage = mk.slippage(v.priced)
	t.fill(&v.filled, acct, out.Slippage.FillPrice, v.taker, true)
	out.Fees = fees(t, &v.filled, v.taker)
	out.VaR = mk.valueAtRisk(t)
	out.Liquidation = v.filled.liquidation(t, acct, out.VaR.Pct99_1h)
	out.Funding = mk.funding(t)
	out.Impact = mk.impact(v.priced.notional)
	out.OpenInterest = mk.openInterest()
	out.Cost = mk.cost(t, out)
	s.others = acct.appendOthers(s.others[:0], t)
	mk.stress(&out.Stress, t, &v.filled, s.others)
	mk.regime(&v.regime)
	out.Regime = Regime{Known: mk.model.Bars > 0, State: v.regime.state, Confidence: v.regime.confidence}
	if t.kind != holdsFor { // nothing to size in a position as held
		out.Sizing = mk.sizing(&v.headroom, acct, t, v.taker, out, v.regime.state)
	}
	return v
}

// judge scores the finished blocks and raises the flags.
func (e *Engine) judge(s *Scratch, book *book) {
	v, out := &s.view, &s.Out
	score(&s.account, &v.plan, &v.filled, out, &v.regime, book)
	e.raiseFlags(&s.In, &s.account, &v.market, &v.plan, v.priced, &v.filled, out, book)
}

// meta fills the block.
func (mk *marketView) meta(m *Meta, in *Input) {
	m.Asset, m.MarkPrice, m.MaxLeverage = mk.asset.Name, mk.mark, mk.asset.MaxLeverage
	m.date(in)
}

// date says when the photograph was taken, and how old what is on it was.
func (m *Meta) date(in *Input) {
	m.MarketAgeMs, m.WalletAgeMs = in.MarketAge.Seconds()*1e3, in.WalletAge.Seconds()*1e3
	m.AsOfUnixMs = in.AsOfUnixMs
}

// modelVersion fills the block.
func (e *Engine) modelVersion(m *ModelVersion, s *Scratch) {
	m.EngineVersion, m.CalibrationName = EngineVersion, s.In.ModelName
	m.CalibrationHash = e.calibrationHash(s)
}
