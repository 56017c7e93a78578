package api

import (
	"math"

	"ballast/compute/risk"
)

// What an answer says about the wallet as a whole: its pools, its resting orders, its risk before the trade.

// pools writes what the venue liquidates together, with what they need in a report on a wallet as held; nothing for
// fewer than two pools with a position.
func (w *Writer) pools(pools []risk.PoolState, actions []risk.PoolAction) {
	if len(pools) == 0 {
		return
	}
	w.Raw(`,"pools":[`)
	for i := range pools {
		p := &pools[i]
		w.comma(i)
		w.pool(p.Dex, p.Mode, p.Asset)
		w.fixed(`,"equity_usd":`, p.EquityUSD)
		w.fixed(`,"maintenance_ratio_pct":`, p.MaintenanceRatioPct)
		w.fixedIf(`,"probability_24h":`, p.Probability24h, p.HasProbability)
		w.Boolean(`,"survives":`, p.Failed == 0)
		w.failedScenarios(p.Failed)
		w.fixed(`,"worst_pnl_usd":`, p.WorstPnLUSD)
		if i < len(actions) {
			w.action(&actions[i])
		}
		w.end()
	}
	w.Raw(`]`)
}

// action writes what brings a pool to its target, null for a pool that could not be read.
func (w *Writer) action(a *risk.PoolAction) {
	if !a.Known {
		w.null(`,"action":`)
		return
	}
	w.Text(`,"action":{"pool":`, a.Pool)
	w.word(`,"kind":"`, a.Kind.String())
	w.fixedOrNull(`,"reduce_pct":`, a.ReducePct)
	w.fixedOrNull(`,"reduce_usd":`, a.ReduceUSD)
	w.IntegerOrNull(`,"reduce_orders":`, a.ReduceOrders, a.ReduceOrders > 0)
	w.fixedOrNull(`,"add_margin_usd":`, a.AddMarginUSD)
	if a.Kind == risk.Hold {
		w.null(`,"assets":`)
	} else {
		for i := range w.Each(`,"assets":`, len(a.Assets)) {
			w.Text(``, a.Assets[i])
		}
	}
	w.Exact(`,"until":{"max_probability_24h":`, a.Until.MaxProbability24h)
	w.Boolean(`,"survive":`, a.Until.Survive)
	w.Raw(`}}`)
}

// pool writes the start of a pool. One over several dexes has no dex, only an isolated one has an asset.
func (w *Writer) pool(dex string, mode risk.PoolMode, asset string) {
	if mode == risk.PoolUnified || mode == risk.PoolPortfolio {
		w.null(`{"dex":`)
	} else {
		w.Text(`{"dex":`, dex)
	}
	w.word(`,"mode":"`, mode.String())
	w.TextOrNull(`,"asset":`, asset)
}

// TextOrNull writes null for an empty text.
func (w *Writer) TextOrNull(key, text string) {
	if text == "" {
		w.null(key)
		return
	}
	w.Text(key, text)
}

// fixedIf writes a number in fixed point, null if it is not known.
func (w *Writer) fixedIf(key string, x float64, known bool) {
	if known {
		w.fixed(key, x)
		return
	}
	w.null(key)
}

// held writes the margin held for resting orders: an interval, whose end is null without an upper bound.
func (w *Writer) held(least, most float64) {
	w.fixed(`,"held_usd":`, least)
	w.fixedIf(`,"held_most_usd":`, most, !math.IsInf(most, 1))
}

// marketMove writes the common moves at which a cross pool is liquidated, null where there is none.
func (w *Writer) marketMove(m *risk.MarketMove) {
	w.fixedIf(`,"market_move":{"down_pct":`, m.DownPct, !math.IsNaN(m.DownPct))
	w.fixedIf(`,"up_pct":`, m.UpPct, !math.IsNaN(m.UpPct))
	w.end()
}

// openOrders writes null with --open-orders off.
func (w *Writer) openOrders(o *risk.OpenOrders) {
	switch {
	case !o.Known:
		w.null(`,"open_orders":`)
		return
	case !o.Read:
		w.Raw(`,"open_orders":{"source":"derived"`)
		if o.Reason != "" {
			w.word(`,"reason":"`, o.Reason)
		}
	default:
		w.fixed(`,"open_orders":{"source":"read","age_ms":`, o.AgeMs)
		w.Integer(`,"count":`, o.Count)
	}
	w.held(o.HeldUSD, o.HeldMostUSD)
	w.Boolean(`,"exact":`, o.Exact)
	if o.Read {
		w.ordersFilled(`,"if_all_buys_fill":`, &o.Buys)
		w.ordersFilled(`,"if_all_sells_fill":`, &o.Sells)
		w.protections(o.Positions)
	}
	w.end()
}

func (w *Writer) ordersFilled(key string, f *risk.OrdersFilled) {
	w.Raw(key)
	w.Integer(`{"orders":`, f.Orders)
	w.fixed(`,"notional_usd":`, f.NotionalUSD)
	w.fixed(`,"gross_notional_usd":`, f.GrossNotionalUSD)
	w.fixed(`,"net_notional_usd":`, f.NetNotionalUSD)
	w.fixed(`,"pool_equity_usd":`, f.PoolEquityUSD)
	w.fixed(`,"initial_usd":`, f.InitialUSD)
	w.fixed(`,"maintenance_ratio_pct":`, f.MaintenanceRatioPct)
	w.Boolean(`,"funded":`, f.Funded)
	w.end()
}

func (w *Writer) protections(list []risk.Protection) {
	w.Raw(`,"positions":[`)
	for i := range list {
		p := &list[i]
		w.comma(i)
		w.Text(`{"asset":`, p.Asset)
		w.fixed(`,"covered_pct":`, p.CoveredPct)
		w.exactOrNull(`,"stop_price":`, p.StopPrice, p.StopPrice != 0)
		w.Boolean(`,"stop_limit":`, p.StopLimit)
		w.Integer(`,"beyond_liquidation":`, p.BeyondLiquidation)
		w.Boolean(`,"protected":`, p.Protected)
		w.end()
	}
	w.Raw(`]`)
}

// bookBefore writes the wallet's risk before the trade; nothing for a wallet without a position.
func (w *Writer) bookBefore(b *risk.BookBefore) {
	if !b.Known {
		return
	}
	probable := b.PoolKnown && b.HasProbability
	w.fixedIf(`,"book_before":{"probability_24h":`, b.Probability24h, probable)
	w.fixedIf(`,"probability_7d":`, b.Probability7d, probable)
	w.fixedIf(`,"pool_var_99_usd":`, b.PoolVaR99USD, b.PoolKnown)
	w.fixedIf(`,"stress_loss_usd":`, b.StressLossUSD, b.PoolKnown)
	w.fixed(`,"portfolio_var_99_usd":`, b.PortfolioVaR99USD)
	w.end()
}

// bookAfter writes the same figures after the trade, with all digits.
func (w *Writer) bookAfter(b *risk.BookBefore) {
	probable := b.PoolKnown && b.HasProbability
	w.exactOrNull(`,"book_after":{"probability_24h":`, b.Probability24h, probable)
	w.exactOrNull(`,"probability_7d":`, b.Probability7d, probable)
	w.exactOrNull(`,"pool_var_99_usd":`, b.PoolVaR99USD, b.PoolKnown)
	w.exactOrNull(`,"stress_loss_usd":`, b.StressLossUSD, b.PoolKnown)
	w.exactOrNull(`,"portfolio_var_99_usd":`, b.PortfolioVaR99USD, b.Known)
	w.end()
}

// failedScenarios writes the ids of the scenarios whose bits are set.
func (w *Writer) failedScenarios(failed uint32) {
	w.Raw(`,"failed_scenarios":[`)
	n := 0
	for i := range risk.Scenarios {
		if failed>>i&1 != 0 {
			w.comma(n)
			w.word(`"`, risk.Scenarios[i].ID)
			n++
		}
	}
	w.Raw(`]`)
}

// session writes when the asset's oracle rests, null for an asset that trades at all hours.
func (w *Writer) session(s *risk.Session) {
	if !s.Known {
		w.null(`,"session":`)
		return
	}
	w.word(`,"session":{"class":"`, s.Class.String())
	w.Boolean(`,"resting":`, s.Resting)
	w.Integer(`,"rests_at":`, int(s.RestsAtMs))
	w.Integer(`,"reopens_at":`, int(s.ReopensAtMs))
	w.end()
}
