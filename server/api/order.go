package api

import "ballast/compute/risk"

// orderExits writes what a stop and a take-profit price do; nothing when the request has neither.
func (w *Writer) orderExits(o *risk.OrderExits) {
	if !o.Known {
		return
	}
	w.exitLevel(`,"order":{"stop_loss":`, &o.StopLoss)
	w.exitLevel(`,"take_profit":`, &o.TakeProfit)
	w.fixedIf(`,"p_stop_first":`, o.StopFirst24h, o.StopLoss.Price > 0)
	w.Boolean(`,"stop_beyond_liquidation":`, o.StopBeyondLiquidation)
	w.end()
}

func (w *Writer) exitLevel(key string, l *risk.ExitLevel) {
	w.Raw(key)
	if l.Price == 0 {
		w.Raw("null")
		return
	}
	w.Exact(`{"price":`, l.Price)
	w.fixed(`,"distance_pct":`, l.DistancePct)
	w.fixed(`,"pnl_usd":`, l.PnLUSD)
	w.fixed(`,"fees_usd":`, l.FeesUSD)
	w.fixed(`,"funding_24h_usd":`, l.FundingUSD)
	w.end()
}

// exits writes the same for the compact view.
func (c *compact) exits(o *risk.OrderExits) {
	if !o.Known {
		return
	}
	c.level(`,"order":{"stop_loss":`, &o.StopLoss)
	c.level(`,"take_profit":`, &o.TakeProfit)
	c.numberOrNull(`,"p_stop_first":`, o.StopFirst24h, o.StopLoss.Price > 0)
	c.Boolean(`,"stop_beyond_liquidation":`, o.StopBeyondLiquidation)
	c.end()
}

func (c *compact) level(key string, l *risk.ExitLevel) {
	c.Raw(key)
	if l.Price == 0 {
		c.Raw("null")
		return
	}
	c.number(`{"price":`, l.Price)
	c.number(`,"pnl_usd":`, l.PnLUSD)
	c.end()
}
