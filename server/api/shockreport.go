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
	for i := range w.Each(`},"unused":`, len(r.Unused)) {
		w.Text(``, r.Unused[i])
	}
	w.fixed(`,"pnl_usd":`, r.PnLUSD)
	w.fixed(`,"account_value_usd":`, r.AccountValueUSD)
	w.Boolean(`,"account_survives":`, r.AccountSurvives)
	w.shockedPools(r.Pools)
	w.shockedPositions(r.Positions)
	w.flags(&r.Flags)
	w.fixed(`,"meta":{"latency_ms":`, e.latencyMs())
	w.fixed(`,"market_age_ms":`, r.Meta.MarketAgeMs)
	w.fixed(`,"wallet_age_ms":`, r.Meta.WalletAgeMs)
	w.about(&r.Meta, e)
	w.Raw(`}}`)
	return w.finished()
}

func (w *Writer) shockedPools(pools []risk.ShockedPool) {
	for i := range w.Each(`,"pools":`, len(pools)) {
		p := &pools[i]
		w.pool(p.Dex, p.Mode, p.Asset)
		w.fixed(`,"equity_usd":`, p.EquityUSD)
		w.fixed(`,"maintenance_usd":`, p.MaintenanceUSD)
		w.fixed(`,"maintenance_ratio_pct":`, p.MaintenanceRatioPct)
		w.fixed(`,"pnl_usd":`, p.PnLUSD)
		w.Boolean(`,"survives":`, p.Survives)
		w.Integer(`,"positions_liquidated":`, p.PositionsLiquidated)
		w.end()
	}
}

func (w *Writer) shockedPositions(positions []risk.ShockedPosition) {
	for i := range w.Each(`,"positions":`, len(positions)) {
		p := &positions[i]
		w.Text(`{"asset":`, p.Asset)
		w.fixed(`,"notional_usd":`, p.NotionalUSD)
		w.fixed(`,"shock_pct":`, p.ShockPct)
		w.fixed(`,"pnl_usd":`, p.PnLUSD)
		w.Boolean(`,"liquidated":`, p.Liquidated)
		w.collateral(p.Collateral)
		w.end()
	}
}
