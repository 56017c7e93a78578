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
	in, out, acct := &s.In, &s.Out, &s.account
	*out = Assessment{}

	acct.read(in)
	mk := newMarketView(&in.Target)
	takerRate := acct.takerRate * mk.asset.FeeMultiplier
	t := planTrade(&in.Trade, in.AsHeld, in.Account, acct, &mk)
	priced := t.priced()
	out.Slippage = mk.slippage(&priced)
	pos := t.fill(acct, out.Slippage.FillPrice, takerRate, true)
	out.Fees = fees(&t, &pos, takerRate)
	out.VaR = mk.valueAtRisk(&t)
	out.Liquidation = pos.liquidation(&t, acct, out.VaR.Pct99_1h)
	out.Funding = mk.funding(&t)
	out.Impact = mk.impact(priced.notional)
	out.OpenInterest = mk.openInterest()
	out.Cost = mk.cost(&t, out)
	s.others = acct.appendOthers(s.others[:0], &t)
	out.Stress = mk.stress(&t, &pos, s.others)
	regime := mk.regime()
	out.Regime = Regime{Known: mk.model.Bars > 0, State: regime.state, Confidence: regime.confidence}
	if t.kind != holdsFor { // nothing to size in a position as held
		out.Sizing = mk.sizing(acct, &t, takerRate, out, regime.state)
	}

	out.EVT = mk.extreme(&t, &out.VaR)
	out.Greeks = mk.greeks(&t, out)
	out.Drawdown = mk.drawdown(in.Trade.SizeUSD, &t, out)

	book := s.bookAfter(&t, &pos)
	e.measure(s, &book)
	out.PortfolioRisk = e.portfolioRisk(s, &book)
	out.PortfolioStress = book.stressBook()
	out.Attribution = e.attribute(s, &book)

	verdict := score(acct, &t, &pos, out, &regime, &book)
	out.RiskScore, out.Recommendation, out.Explanation = verdict.rounded, verdict.recommendation, verdict.explanation
	e.raiseFlags(in, acct, &mk, &t, &priced, &pos, out, &book)

	out.Meta = Meta{
		Asset: mk.asset.Name, MarkPrice: mk.mark, MaxLeverage: mk.asset.MaxLeverage,
		MarketAgeMs: in.MarketAge.Seconds() * 1e3, WalletAgeMs: in.WalletAge.Seconds() * 1e3,
		AsOfUnixMs: in.AsOfUnixMs,
	}
	out.ModelVersion = ModelVersion{
		EngineVersion: EngineVersion, CalibrationName: in.ModelName, CalibrationHash: e.calibrationHash(s),
	}
	if in.Trade.MonteCarlo {
		e.simulate(s, &mk, &t, &book)
	}
}
