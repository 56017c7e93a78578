package api

import "ballast/compute/risk"

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
	w.numbers(marginKeys, r.Margin.AccountValue, r.Margin.Initial, r.Margin.Maintenance, r.Margin.Free,
		r.Margin.MaintenanceRatioPct)
	w.held(r.HeldUSD, r.HeldMostUSD)
	w.marketMove(&r.Move)
	w.Raw(`},"positions":[`)
	for i := range r.Positions {
		if i > 0 {
			w.Raw(`,`)
		}
		w.heldPosition(&r.Positions[i])
	}
	w.Raw(`]`)
	w.openOrders(&r.OpenOrders)
	w.pools(r.Pools)
	w.portfolioRisk(&r.PortfolioRisk)
	w.portfolioStress(&r.PortfolioStress)
	w.numbers(reportMetaKeys, e.latencyMs(), r.Meta.MarketAgeMs, r.Meta.WalletAgeMs)
	w.about(&r.Meta, e)
	w.end()
	w.modelVersion(&r.ModelVersion)
	w.end()
	return w.finished()
}

var reportMetaKeys = keysOf(`,"meta":{`, "latency_ms", "market_age_ms", "wallet_age_ms")

var heldDistanceKeys = keysOf(`,`, "liquidation_distance_pct", "funding_drag_24h_pct", "probability_24h",
	"probability_7d")

func (w *Writer) heldPosition(p *risk.HeldPosition) {
	w.Text(`{"asset":`, p.Asset)
	w.Exact(`,"size":`, p.Units)
	w.entryPrice(p.EntryPrice)
	w.Exact(`,"mark_price":`, p.Mark)
	w.fixedIf(`,"unrealized_pnl":`, p.UnrealizedUSD, p.EntryPrice != 0)
	w.fixedIf(`,"unrealized_pnl_pct":`, p.UnrealizedPct, p.EntryPrice != 0)
	w.fixed(`,"risk_score":`, p.RiskScore)
	w.word(`,"recommendation":"`, p.Recommendation.String())
	w.flags(&p.Flags)
	l := &p.Liquidation
	w.liquidationPrice(l.Price)
	if l.HasProbability {
		w.numbers(heldDistanceKeys, l.DistancePct, p.FundingDrag24h, l.Probability24h, l.Probability7d)
	} else {
		w.numbers(heldDistanceKeys[:2], l.DistancePct, p.FundingDrag24h)
		w.Raw(noProbabilities)
	}
	w.regime(&p.Regime)
	w.valueAtRisk(&p.VaR)
	w.end()
}
