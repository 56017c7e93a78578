package api

import "ballast/compute/risk"

// AppendShocks appends the report on a wallet after price moves of the caller's own. After ErrNotFinite the
// text is unusable.
func AppendShocks(dst []byte, wallet string, r *risk.ShockReport, e *Envelope) ([]byte, error) {
	w := NewWriter(dst)
	w.Text(`{"wallet":`, wallet)
	w.Raw(`,"shocks":{`)
	for i := range r.Applied {
		w.comma(i)
		w.Text(``, r.Applied[i].Asset)
		w.fixed(`:`, r.Applied[i].Pct)
	}
	w.Raw(`},"unused":[`)
	for i, name := range r.Unused {
		w.comma(i)
		w.Text(``, name)
	}
	w.fixed(`],"pnl_usd":`, r.PnLUSD)
	w.fixed(`,"account_value_usd":`, r.AccountValueUSD)
	w.Boolean(`,"account_survives":`, r.AccountSurvives)
	w.shockedPools(r.Pools)
	w.shockedPositions(r.Positions)
	w.fixed(`,"meta":{"latency_ms":`, e.latencyMs())
	w.fixed(`,"market_age_ms":`, r.Meta.MarketAgeMs)
	w.fixed(`,"wallet_age_ms":`, r.Meta.WalletAgeMs)
	w.about(&r.Meta, e)
	w.Raw(`}}`)
	return w.finished()
}

func (w *Writer) shockedPools(pools []risk.ShockedPool) {
	w.Raw(`,"pools":[`)
	for i := range pools {
		p := &pools[i]
		w.comma(i)
		w.pool(p.Dex, p.Mode, p.Asset)
		w.fixed(`,"equity_usd":`, p.EquityUSD)
		w.fixed(`,"maintenance_usd":`, p.MaintenanceUSD)
		w.fixed(`,"maintenance_ratio_pct":`, p.MaintenanceRatioPct)
		w.fixed(`,"pnl_usd":`, p.PnLUSD)
		w.Boolean(`,"survives":`, p.Survives)
		w.Integer(`,"positions_liquidated":`, p.PositionsLiquidated)
		w.end()
	}
	w.Raw(`]`)
}

func (w *Writer) shockedPositions(positions []risk.ShockedPosition) {
	w.Raw(`,"positions":[`)
	for i := range positions {
		p := &positions[i]
		w.comma(i)
		w.Text(`{"asset":`, p.Asset)
		w.fixed(`,"notional_usd":`, p.NotionalUSD)
		w.fixed(`,"shock_pct":`, p.ShockPct)
		w.fixed(`,"pnl_usd":`, p.PnLUSD)
		w.Boolean(`,"liquidated":`, p.Liquidated)
		w.collateral(p.Collateral)
		w.end()
	}
	w.Raw(`]`)
}
