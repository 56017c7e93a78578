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

// exits writes the same for the compact view, without what the request says.
func (c *compact) exits(o *risk.OrderExits) {
	if !o.Known {
		return
	}
	stop, profit := o.StopLoss.Price > 0, o.TakeProfit.Price > 0
	c.numberOrNull(`,"order":{"stop_pnl_usd":`, o.StopLoss.PnLUSD, stop)
	c.numberOrNull(`,"take_profit_pnl_usd":`, o.TakeProfit.PnLUSD, profit)
	c.numberOrNull(`,"p_stop_first":`, o.StopFirst24h, stop)
	if o.StopBeyondLiquidation {
		c.Raw(`,"stop_beyond_liquidation":true`)
	}
	c.end()
}

// orderFill writes what becomes of a limit order; nothing for a market order.
func (w *Writer) orderFill(f *risk.OrderFill) {
	if !f.Known {
		return
	}
	w.fixed(`,"execution":{"taker_usd":`, f.TakerUSD)
	w.fixed(`,"maker_usd":`, f.MakerUSD)
	w.fixed(`,"unfilled_usd":`, f.UnfilledUSD)
	w.price(`,"fill_price":`, f.FillPrice)
	w.fixed(`,"fee_usd":`, f.FeeUSD)
	w.fixed(`,"p_fill_24h":`, f.FillProbability24h)
	w.end()
}

// execution writes the same for the compact view, without parts of nothing.
func (c *compact) execution(f *risk.OrderFill) {
	if !f.Known {
		return
	}
	c.number(`,"execution":{"p_fill_24h":`, f.FillProbability24h)
	for _, part := range [...]struct {
		key string
		usd float64
	}{{`,"taker_usd":`, f.TakerUSD}, {`,"maker_usd":`, f.MakerUSD}, {`,"unfilled_usd":`, f.UnfilledUSD}} {
		if part.usd > 0 {
			c.number(part.key, part.usd)
		}
	}
	c.numberOrNull(`,"fill_price":`, f.FillPrice, f.FillPrice > 0)
	c.number(`,"fee_usd":`, f.FeeUSD)
	c.end()
}
