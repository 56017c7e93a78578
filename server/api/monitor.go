package api

import (
	"ballast/compute/risk"
	"ballast/policy"
)

// AppendMonitor appends the report on a wallet's open positions. After ErrNotFinite the text is unusable.
func AppendMonitor(dst []byte, wallet string, r *risk.WalletReport, e *Envelope) ([]byte, error) {
	if e.Compact {
		return appendCompactMonitor(dst, wallet, r, e)
	}
	w := NewWriter(dst)
	w.Text(`{"wallet":`, wallet)
	w.fixed(`,"account_value":`, r.AccountValueUSD)
	w.fixed(`,"total_margin_used":`, r.MarginUsedUSD)
	w.Raw(`,"margin":{`)
	w.marginState(&r.Margin)
	w.held(r.HeldUSD, r.HeldMostUSD)
	w.marketMove(&r.Move)
	for i := range w.Each(`},"positions":`, len(r.Positions)) {
		w.heldPosition(&r.Positions[i], e.heldVerdict(i))
	}
	w.policy(e.Policy)
	w.openOrders(&r.OpenOrders)
	w.pools(r.Pools, r.Actions)
	w.portfolioRisk(&r.PortfolioRisk)
	w.portfolioStress(&r.PortfolioStress)
	w.fixed(`,"meta":{"latency_ms":`, e.latencyMs())
	w.fixed(`,"market_age_ms":`, r.Meta.MarketAgeMs)
	w.fixed(`,"wallet_age_ms":`, r.Meta.WalletAgeMs)
	w.about(&r.Meta, e)
	w.end()
	w.modelVersion(&r.ModelVersion)
	w.end()
	return w.finished()
}

func (w *Writer) heldPosition(p *risk.HeldPosition, v *policy.Verdict) {
	w.Text(`{"asset":`, p.Asset)
	w.Exact(`,"size":`, p.Units)
	w.price(`,"entry_price":`, p.EntryPrice)
	w.Exact(`,"mark_price":`, p.Mark)
	w.fixedIf(`,"unrealized_pnl":`, p.UnrealizedUSD, p.EntryPrice != 0)
	w.fixedIf(`,"unrealized_pnl_pct":`, p.UnrealizedPct, p.EntryPrice != 0)
	w.fixed(`,"risk_score":`, p.RiskScore)
	w.word(`,"recommendation":"`, p.Recommendation.String())
	w.flags(&p.Flags)
	w.policy(v)
	l := &p.Liquidation
	w.price(`,"liquidation_price":`, l.Price)
	w.fixed(`,"liquidation_distance_pct":`, l.DistancePct)
	w.fixed(`,"funding_drag_24h_pct":`, p.FundingDrag24h)
	w.probabilities(l)
	w.regime(&p.Regime)
	w.valueAtRisk(&p.VaR, l.HasProbability)
	w.action(&p.Action)
	w.end()
}
