package api

import "ballast/compute/risk"

// flags writes the names of the raised flags in the order of the table.
func (w *writer) flags(s *risk.FlagSet) {
	w.raw(`,"flags":[`)
	if !s.Empty() {
		separator := `"`
		for f := range risk.FlagCount {
			if s.Has(f) {
				w.word(separator, risk.FlagTable[f].Name)
				separator = `,"`
			}
		}
	}
	w.raw(`]`)
}

func (w *writer) slippage(s *risk.Slippage) {
	w.fixed(`,"slippage":{"bps":`, s.Bps)
	w.exact(`,"fill_price":`, s.FillPrice)
	w.exact(`,"mid_price":`, s.MidPrice)
	w.fixed(`,"depth_50bps":`, s.Depth50Bps)
	w.fixed(`,"depth_100bps":`, s.Depth100Bps)
	w.fixed(`,"bid_ask_imbalance":`, s.Imbalance)
	w.raw(`}`)
}

func (w *writer) liquidation(l *risk.Liquidation) {
	w.exact(`,"liquidation":{"price":`, l.Price)
	w.finer(`,"distance_pct":`, l.DistancePct)
	w.fixed(`,"margin_used_pct":`, l.MarginUsedPct)
	w.fixed(`,"effective_leverage":`, l.EffectiveLeverage)
	w.word(`,"mode":"`, l.Mode.String())
	w.raw(`}`)
}

func (w *writer) funding(f *risk.Funding) {
	w.exact(`,"funding":{"funding_rate":`, f.RateHourly)
	w.fixed(`,"annualized_pct":`, f.AnnualizedPct)
	w.fixed(`,"vs_cex_divergence":`, f.VsCEXDivergence)
	if f.LongsPay {
		w.raw(`,"direction":"longs_pay"`)
	} else {
		w.raw(`,"direction":"shorts_pay"`)
	}
	w.boolean(`,"agent_pays":`, f.AgentPays)
	w.raw(`}`)
}

func (w *writer) impact(i *risk.Impact) {
	w.fixed(`,"impact":{"expected_bps":`, i.ExpectedBps)
	w.fixed(`,"participation_pct":`, i.ParticipationPct)
	w.raw(`}`)
}

var varKeys = keysOf(
	`{"pct_95_24h":`,
	`,"pct_99_24h":`,
	`,"dollar_95_24h":`,
	`,"dollar_99_24h":`,
	`,"lvar_95_24h":`,
	`,"lvar_99_24h":`,
	`,"pct_99_7d":`,
	`,"dollar_99_4h":`,
	`,"dollar_99_7d":`,
	`,"es_95_24h":`,
	`,"es_99_24h":`,
	`,"margin_var_99_pct":`,
)

var forecastKeys = keysOf(
	`"sigma_1h":`,
	`,"sigma_4h":`,
	`,"sigma_1d":`,
	`,"sigma_7d":`,
	`,"long_run_sigma":`,
)

func (w *writer) valueAtRisk(key string, v *risk.VaR) {
	w.raw(key)
	w.numbers(varKeys[:6],
		v.Pct95_24h,
		v.Pct99_24h,
		v.Dollar95_24h,
		v.Dollar99_24h,
		v.LVaR95_24h,
		v.LVaR99_24h,
	)
	w.finer(`,"pct_99_4h":`, v.Pct99_4h)
	w.numbers(varKeys[6:],
		v.Pct99_7d,
		v.Dollar99_4h,
		v.Dollar99_7d,
		v.ES95_24h,
		v.ES99_24h,
		v.MarginVaR99Pct,
	)
	w.word(`,"volatility_regime":"`, v.Regime.String())
	if !v.HasForecast {
		w.raw(`,"volatility_forecast":null}`)
		return
	}
	f := &v.Forecast
	w.raw(`,"volatility_forecast":{`)
	w.numbers(forecastKeys,
		f.Sigma1h,
		f.Sigma4h,
		f.Sigma1d,
		f.Sigma7d,
		f.LongRunSigma,
	)
	w.raw(`}}`)
}

func (w *writer) openInterest(o *risk.OpenInterest) {
	w.fixed(`,"oi":{"current":`, o.CurrentUSD)
	w.boolean(`,"at_cap":`, o.AtCap)
	w.fixed(`,"utilization_pct":`, o.UtilizationPct)
	w.raw(`}`)
}

// scenarioHeads are the beginnings of the stress entries, which never change.
var scenarioHeads = func() (heads [risk.ScenarioCount]string) {
	for i := range risk.Scenarios {
		b := []byte(`,{"scenario":`)
		if i == 0 {
			b = []byte(`,"stress":[{"scenario":`)
		}
		b = AppendString(b, risk.Scenarios[i].ID)
		b = append(b, `,"description":`...)
		b = AppendString(b, risk.Scenarios[i].Description)
		heads[i] = string(append(b, `,"pnl_pct":`...))
	}
	return heads
}()

// stressKeys are those behind pnl_pct.
var stressKeys = keysOf(
	`,"pnl_usd":`,
	`,"funding_cost_pct":`,
	`,"liquidity_cost_pct":`,
	`,"liquidation_distance_pct":`,
)

func (w *writer) stress(results *[risk.ScenarioCount]risk.StressResult) {
	for i := range results {
		r := &results[i]
		w.fixed(scenarioHeads[i], r.PnLPct)
		w.numbers(stressKeys,
			r.PnLUSD,
			r.FundingCostPct,
			r.LiquidityCostPct,
			r.LiquidationDistancePct,
		)
		if r.Survives {
			w.raw(`,"survives":true}`)
		} else {
			w.raw(`,"survives":false}`)
		}
	}
	w.raw(`]`)
}

func (w *writer) fees(f *risk.Fees) {
	w.fixed(`,"fees":{"taker_fee_bps":`, f.TakerBps)
	w.fixed(`,"estimated_fee_usd":`, f.EstimatedUSD)
	w.fixed(`,"fee_pct_of_margin":`, f.PctOfMargin)
	w.raw(`}`)
}

func (w *writer) cost(c *risk.Cost) {
	w.fixed(`,"cost_analysis":{"total_entry_cost_bps":`, c.EntryBps)
	w.fixed(`,"total_round_trip_cost_bps":`, c.RoundTripBps)
	w.fixed(`,"breakeven_move_pct":`, c.BreakevenMovePct)
	w.fixed(`,"funding_drag_24h_pct":`, c.FundingDrag24hPct)
	w.fixed(`,"cost_score":`, c.Score)
	w.raw(`}`)
}

func (w *writer) sizing(s *risk.Sizing) {
	w.fixed(`,"sizing":{"max_safe_size_usd":`, s.MaxSafeUSD)
	w.fixed(`,"suggested_size_usd":`, s.SuggestedUSD)
	w.word(`,"size_limit_reason":"`, s.Limit.String())
	w.raw(`}`)
}
