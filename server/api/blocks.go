package api

import (
	"math"

	"ballast/compute/risk"
)

// flags writes the names of the raised flags in the order of the flag table.
func (w *Writer) flags(s *risk.FlagSet) {
	w.Raw(`,"flags":[`)
	n := 0
	for f := range risk.FlagCount {
		if s.Has(f) {
			w.comma(n)
			w.word(`"`, risk.FlagTable[f].Name)
			n++
		}
	}
	w.Raw(`]`)
}

func (w *Writer) slippage(s *risk.Slippage) {
	w.fixed(`,"slippage":{"bps":`, s.Bps)
	w.Exact(`,"fill_price":`, s.FillPrice)
	w.Exact(`,"mid_price":`, s.MidPrice)
	w.fixed(`,"depth_50bps":`, s.Depth50Bps)
	w.fixed(`,"depth_100bps":`, s.Depth100Bps)
	w.fixed(`,"bid_ask_imbalance":`, s.Imbalance)
	w.end()
}

func (w *Writer) liquidation(l *risk.Liquidation) {
	w.Exact(`,"liquidation":{"price":`, l.Price)
	w.finer(`,"distance_pct":`, l.DistancePct)
	w.fixed(`,"margin_used_pct":`, l.MarginUsedPct)
	w.fixed(`,"effective_leverage":`, l.EffectiveLeverage)
	w.probabilities(l)
	w.fixedIf(`,"pool_equity_usd":`, l.PoolEquityUSD, l.HasProbability)
	w.fixedIf(`,"loss_at_usd":`, l.PnLAtUSD, l.HasProbability && l.Price > 0)
	w.fixedIf(`,"loss_after_usd":`, l.PnLAfterUSD, l.HasProbability && l.Price > 0)
	w.word(`,"mode":"`, l.Mode.String())
	w.end()
}

// probabilities writes the probabilities of liquidation, null if they are unknown.
func (w *Writer) probabilities(l *risk.Liquidation) {
	w.fixedIf(`,"probability_24h":`, l.Probability24h, l.HasProbability)
	w.fixedIf(`,"probability_7d":`, l.Probability7d, l.HasProbability)
}

func (w *Writer) funding(f *risk.Funding) {
	w.Exact(`,"funding":{"funding_rate":`, f.RateHourly)
	w.fixed(`,"annualized_pct":`, f.AnnualizedPct)
	w.fixed(`,"vs_cex_divergence":`, f.VsCEXDivergence)
	if f.LongsPay {
		w.Raw(`,"direction":"longs_pay"`)
	} else {
		w.Raw(`,"direction":"shorts_pay"`)
	}
	w.Boolean(`,"agent_pays":`, f.AgentPays)
	w.fixedIf(`,"cost_24h_usd":`, f.Cost24hUSD, f.Known)
	w.end()
}

func (w *Writer) impact(i *risk.Impact) {
	w.fixed(`,"impact":{"expected_bps":`, i.ExpectedBps)
	w.fixed(`,"participation_pct":`, i.ParticipationPct)
	w.end()
}

// day writes the distribution of the asset's move within a day, null without a fit.
func (w *Writer) day(d *risk.DayMove) {
	if !d.Known {
		w.null(`,"day":`)
		return
	}
	w.fixedIf(`,"day":{"down_999_pct":`, d.Down999, d.HasExtreme)
	w.fixed(`,"down_99_pct":`, d.Down99)
	w.fixed(`,"down_95_pct":`, d.Down95)
	w.fixed(`,"median_pct":`, d.Median)
	w.fixed(`,"up_95_pct":`, d.Up95)
	w.fixed(`,"up_99_pct":`, d.Up99)
	w.fixedIf(`,"up_999_pct":`, d.Up999, d.HasExtreme)
	w.end()
}

// valueAtRisk writes the losses of a position. readable: the equity of its pool is known.
func (w *Writer) valueAtRisk(v *risk.VaR, readable bool) {
	w.fixed(`,"var":{"pct_95_24h":`, v.Pct95_24h)
	w.fixed(`,"pct_99_24h":`, v.Pct99_24h)
	w.fixed(`,"dollar_95_24h":`, v.Dollar95_24h)
	w.fixed(`,"dollar_99_24h":`, v.Dollar99_24h)
	w.fixed(`,"lvar_95_24h":`, v.LVaR95_24h)
	w.fixed(`,"lvar_99_24h":`, v.LVaR99_24h)
	w.finer(`,"pct_99_4h":`, v.Pct99_4h)
	w.fixed(`,"pct_99_7d":`, v.Pct99_7d)
	w.fixed(`,"dollar_99_4h":`, v.Dollar99_4h)
	w.fixed(`,"dollar_99_7d":`, v.Dollar99_7d)
	w.fixed(`,"es_95_24h":`, v.ES95_24h)
	w.fixed(`,"es_99_24h":`, v.ES99_24h)
	w.fixed(`,"margin_var_99_pct":`, v.MarginVaR99Pct)
	w.fixedIf(`,"loss_99_capped_usd":`, v.Loss99CappedUSD, readable)
	w.word(`,"volatility_regime":"`, v.Regime.String())
	w.session(&v.Session)
	if !v.HasForecast {
		w.Raw(`,"volatility_forecast":null}`)
		return
	}
	f := &v.Forecast
	w.fixed(`,"volatility_forecast":{"sigma_1h":`, f.Sigma1h)
	w.fixed(`,"sigma_4h":`, f.Sigma4h)
	w.fixed(`,"sigma_1d":`, f.Sigma1d)
	w.fixed(`,"sigma_7d":`, f.Sigma7d)
	w.fixed(`,"long_run_sigma":`, f.LongRunSigma)
	w.Raw(`}}`)
}

func (w *Writer) openInterest(o *risk.OpenInterest) {
	w.fixed(`,"oi":{"current":`, o.CurrentUSD)
	w.fixed(`,"utilization_pct":`, o.UtilizationPct)
	w.Boolean(`,"at_cap":`, o.AtCap)
	w.end()
}

// scenarioHeads are the starts of the stress entries, by scenario and side of the position (flat, long, short),
// on which funding depends. The other four numbers are written together.
var scenarioHeads = func() (heads [risk.ScenarioCount][3]string) {
	for i := range risk.Scenarios {
		sc := &risk.Scenarios[i]
		for side, sign := range [3]float64{0, +1, -1} {
			w := NewWriter(nil)
			w.Text(`{"scenario":`, sc.ID)
			w.Text(`,"description":`, sc.Description)
			w.fixed(`,"funding_cost_pct":`, sign*sc.FundingPct())
			heads[i][side] = string(w.Bytes())
		}
	}
	return heads
}()

func (w *Writer) stress(results *[risk.ScenarioCount]risk.StressResult) {
	side := 0
	switch f := risk.Scenarios[0].FundingPct() * results[0].FundingCostPct; {
	case f > 0:
		side = 1
	case f < 0:
		side = 2
	}
	w.Raw(`,"stress":[`)
	for i := range results {
		r := &results[i]
		w.comma(i)
		w.Raw(scenarioHeads[i][side])
		w.fixed(`,"pnl_pct":`, r.PnLPct)
		w.fixed(`,"pnl_usd":`, r.PnLUSD)
		w.fixed(`,"liquidity_cost_pct":`, r.LiquidityCostPct)
		w.fixed(`,"liquidation_distance_pct":`, r.LiquidationDistancePct)
		w.Boolean(`,"survives":`, r.Survives)
		w.TextOrNull(`,"died_by":`, r.DiedBy)
		w.end()
	}
	w.Raw(`]`)
}

func (w *Writer) fees(f *risk.Fees) {
	w.fixed(`,"fees":{"taker_fee_bps":`, f.TakerBps)
	w.fixed(`,"estimated_fee_usd":`, f.EstimatedUSD)
	w.fixed(`,"fee_pct_of_margin":`, f.PctOfMargin)
	w.end()
}

func (w *Writer) cost(c *risk.Cost) {
	w.fixed(`,"cost_analysis":{"total_entry_cost_bps":`, c.EntryBps)
	w.fixed(`,"total_round_trip_cost_bps":`, c.RoundTripBps)
	w.fixed(`,"breakeven_move_pct":`, c.BreakevenMovePct)
	w.fixed(`,"funding_drag_24h_pct":`, c.FundingDrag24hPct)
	w.fixed(`,"cost_score":`, c.Score)
	w.end()
}

func (w *Writer) sizing(s *risk.Sizing, d *risk.Deposit) {
	w.fixed(`,"sizing":{"max_safe_size_usd":`, s.MaxSafeUSD)
	w.fixed(`,"suggested_size_usd":`, s.SuggestedUSD)
	w.word(`,"size_limit_reason":"`, s.Limit.String())
	if s.Rule != "" {
		w.word(`,"policy_rule":"`, s.Rule)
	}
	switch {
	case d == nil:
	case d.Known:
		w.fixed(`,"deposit_usd":`, d.USD)
	default:
		w.null(`,"deposit_usd":`)
	}
	w.end()
}

// change writes what the trade does to the position and to the wallet's margin, and whether the venue
// would accept it.
func (w *Writer) change(a *risk.Assessment) {
	w.position(`,"position":{"before":`, &a.Position.Before)
	w.position(`,"after":`, &a.Position.After)
	w.Raw(`},"margin":{"before":{`)
	w.marginState(&a.Margin.Before)
	w.Raw(`},"after":{`)
	w.marginState(&a.Margin.After)
	w.fixed(`},"delta_initial_usd":`, a.Margin.DeltaInitialUSD)
	w.held(a.Margin.HeldUSD, a.Margin.HeldMostUSD)
	w.marketMove(&a.Margin.Move)
	w.end()
	w.admissibility(&a.Admissibility)
	w.orderExits(&a.Order)
	w.orderFill(&a.Execution)
	w.openOrders(&a.OpenOrders)
}

func (w *Writer) position(key string, p *risk.PositionState) {
	if !w.side(key, p.Side) {
		return
	}
	w.fixed(`,"size_coin":`, p.SizeCoin)
	w.fixed(`,"notional_usd":`, p.NotionalUSD)
	w.fixed(`,"leverage":`, p.Leverage)
	w.word(`,"mode":"`, p.Mode.String())
	w.price(`,"entry_price":`, p.EntryPrice)
	w.price(`,"liquidation_price":`, p.LiquidationPrice)
	w.end()
}

// side writes the start of a position, null if there is none.
func (w *Writer) side(key string, side float64) (open bool) {
	w.Raw(key)
	switch {
	case side > 0:
		w.Raw(`{"side":"long"`)
		return true
	case side < 0:
		w.Raw(`{"side":"short"`)
		return true
	}
	w.Raw("null")
	return false
}

// price writes a price, null for 0: the venue gave none, or there is none.
func (w *Writer) price(key string, price float64) {
	if price == 0 {
		w.null(key)
		return
	}
	w.Exact(key, price)
}

func (w *Writer) marginState(m *risk.MarginState) {
	w.fixed(`"account_value":`, m.AccountValue)
	w.fixed(`,"initial":`, m.Initial)
	w.fixed(`,"maintenance":`, m.Maintenance)
	w.fixed(`,"free":`, m.Free)
	w.fixed(`,"maintenance_ratio_pct":`, m.MaintenanceRatioPct)
}

func (w *Writer) admissibility(a *risk.Admissibility) {
	w.word(`,"admissibility":{"verdict":"`, a.Verdict.String())
	w.fixed(`,"order_size_coin":`, a.OrderSizeCoin)
	w.fixed(`,"order_size_usd":`, a.OrderSizeUSD)
	w.Raw(`,"issues":[`)
	for i := range a.Issues[:a.Count] {
		w.comma(i)
		w.issue(&a.Issues[i])
	}
	w.Raw(`]}`)
}

// figure writes a figure of an issue, a price with all its digits.
func (w *Writer) figure(key string, i *risk.Issue, x float64, known bool) {
	if i.Code.Field() == "order.price" {
		w.exactOrNull(key, x, known)
		return
	}
	w.fixedIf(key, x, known)
}

func (w *Writer) issue(i *risk.Issue) {
	w.word(`{"code":"`, i.Code.String())
	w.word(`,"field":"`, i.Code.Field())
	if i.Text != "" {
		w.Text(`,"got":`, i.Text)
	} else {
		w.figure(`,"got":`, i, i.Got, !i.NoGot)
	}
	w.figure(`,"limit":`, i, i.Limit, !i.NoLimit)
	w.figure(`,"fix":`, i, i.Fix, i.Fix != 0)
	switch i.Code {
	case risk.IssueInsufficientMargin:
		w.fixedOrNull(`,"fix_leverage":`, i.FixLeverage)
		w.fixedOrNull(`,"fix_deposit_usd":`, i.FixDepositUSD)
		w.fixedIf(`,"fix_deposit_probability_24h":`, i.FixDepositProbability24h,
			!math.IsNaN(i.FixDepositProbability24h))
	case risk.IssueLeverageNotWhole: // Fix is the whole number below
		w.fixed(`,"allowed":[`, i.Fix)
		w.fixed(`,`, i.Fix+1)
		w.Raw(`]`)
	}
	w.end()
}
