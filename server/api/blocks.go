package api

import (
	"math"
	"slices"

	"ballast/compute/risk"
)

// flags writes the names of the raised flags in the order of the flag table.
func (w *Writer) flags(s *risk.FlagSet) {
	if s.Empty() {
		w.Raw(`,"flags":[]`)
		return
	}
	prefix := `,"flags":["`
	for f := range risk.FlagCount {
		if s.Has(f) {
			w.word(prefix, risk.FlagTable[f].Name)
			prefix = `,"`
		}
	}
	w.Raw(`]`)
}

var depthKeys = keysOf(`,`, "depth_50bps", "depth_100bps", "bid_ask_imbalance")

func (w *Writer) slippage(s *risk.Slippage) {
	w.fixed(`,"slippage":{"bps":`, s.Bps)
	w.Exact(`,"fill_price":`, s.FillPrice)
	w.Exact(`,"mid_price":`, s.MidPrice)
	w.numbers(depthKeys, s.Depth50Bps, s.Depth100Bps, s.Imbalance)
	w.end()
}

var liquidationKeys = keysOf(`,`, "margin_used_pct", "effective_leverage", "probability_24h", "probability_7d")

// noProbabilities is written when the probabilities of liquidation are unknown.
const noProbabilities = `,"probability_24h":null,"probability_7d":null`

func (w *Writer) liquidation(l *risk.Liquidation) {
	w.Exact(`,"liquidation":{"price":`, l.Price)
	w.finer(`,"distance_pct":`, l.DistancePct)
	if l.HasProbability {
		w.numbers(liquidationKeys, l.MarginUsedPct, l.EffectiveLeverage, l.Probability24h, l.Probability7d)
	} else {
		w.numbers(liquidationKeys[:2], l.MarginUsedPct, l.EffectiveLeverage)
		w.Raw(noProbabilities)
	}
	w.word(`,"mode":"`, l.Mode.String())
	w.end()
}

var fundingKeys = keysOf(`,`, "annualized_pct", "vs_cex_divergence")

func (w *Writer) funding(f *risk.Funding) {
	w.Exact(`,"funding":{"funding_rate":`, f.RateHourly)
	w.numbers(fundingKeys, f.AnnualizedPct, f.VsCEXDivergence)
	if f.LongsPay {
		w.Raw(`,"direction":"longs_pay"`)
	} else {
		w.Raw(`,"direction":"shorts_pay"`)
	}
	w.Boolean(`,"agent_pays":`, f.AgentPays)
	w.end()
}

var impactKeys = keysOf(`,"impact":{`, "expected_bps", "participation_pct")

func (w *Writer) impact(i *risk.Impact) {
	w.numbers(impactKeys, i.ExpectedBps, i.ParticipationPct)
	w.end()
}

var (
	dayVaRKeys = keysOf(`,"var":{`, "pct_95_24h", "pct_99_24h", "dollar_95_24h", "dollar_99_24h", "lvar_95_24h",
		"lvar_99_24h")
	otherVaRKeys = keysOf(`,`, "pct_99_7d", "dollar_99_4h", "dollar_99_7d", "es_95_24h", "es_99_24h",
		"margin_var_99_pct")
	forecastKeys = keysOf(``, "sigma_1h", "sigma_4h", "sigma_1d", "sigma_7d", "long_run_sigma")
)

func (w *Writer) valueAtRisk(v *risk.VaR) {
	w.numbers(dayVaRKeys, v.Pct95_24h, v.Pct99_24h, v.Dollar95_24h, v.Dollar99_24h, v.LVaR95_24h, v.LVaR99_24h)
	w.finer(`,"pct_99_4h":`, v.Pct99_4h)
	w.numbers(otherVaRKeys, v.Pct99_7d, v.Dollar99_4h, v.Dollar99_7d, v.ES95_24h, v.ES99_24h, v.MarginVaR99Pct)
	w.word(`,"volatility_regime":"`, v.Regime.String())
	w.session(&v.Session)
	if !v.HasForecast {
		w.Raw(`,"volatility_forecast":null}`)
		return
	}
	f := &v.Forecast
	w.Raw(`,"volatility_forecast":{`)
	w.numbers(forecastKeys, f.Sigma1h, f.Sigma4h, f.Sigma1d, f.Sigma7d, f.LongRunSigma)
	w.Raw(`}}`)
}

var openInterestKeys = keysOf(`,"oi":{`, "current", "utilization_pct")

func (w *Writer) openInterest(o *risk.OpenInterest) {
	w.numbers(openInterestKeys, o.CurrentUSD, o.UtilizationPct)
	w.Boolean(`,"at_cap":`, o.AtCap)
	w.end()
}

// scenarioHeads are the starts of the stress entries, by scenario and side of the position (flat, long, short),
// on which funding depends. The other four numbers are written together.
var scenarioHeads = func() (heads [risk.ScenarioCount][3]string) {
	key := `,"stress":[{"scenario":`
	for i := range risk.Scenarios {
		sc := &risk.Scenarios[i]
		for side, sign := range [3]float64{0, +1, -1} {
			w := NewWriter(nil)
			w.Text(key, sc.ID)
			w.Text(`,"description":`, sc.Description)
			w.fixed(`,"funding_cost_pct":`, sign*sc.FundingPct())
			heads[i][side] = string(w.Bytes())
		}
		key = `,{"scenario":`
	}
	return heads
}()

var stressKeys = keysOf(`,`, "pnl_pct", "pnl_usd", "liquidity_cost_pct", "liquidation_distance_pct")

func (w *Writer) stress(results *[risk.ScenarioCount]risk.StressResult) {
	side := 0
	switch f := risk.Scenarios[0].FundingPct() * results[0].FundingCostPct; {
	case f > 0:
		side = 1
	case f < 0:
		side = 2
	}
	for i := range results {
		r := &results[i]
		w.Raw(scenarioHeads[i][side])
		w.numbers(stressKeys, r.PnLPct, r.PnLUSD, r.LiquidityCostPct, r.LiquidationDistancePct)
		w.Boolean(`,"survives":`, r.Survives)
		w.end()
	}
	w.Raw(`]`)
}

var feeKeys = keysOf(`,"fees":{`, "taker_fee_bps", "estimated_fee_usd", "fee_pct_of_margin")

func (w *Writer) fees(f *risk.Fees) {
	w.numbers(feeKeys, f.TakerBps, f.EstimatedUSD, f.PctOfMargin)
	w.end()
}

var costKeys = keysOf(``, "total_entry_cost_bps", "total_round_trip_cost_bps", "breakeven_move_pct",
	"funding_drag_24h_pct", "cost_score")

func (w *Writer) cost(c *risk.Cost) {
	w.Raw(`,"cost_analysis":{`)
	w.numbers(costKeys, c.EntryBps, c.RoundTripBps, c.BreakevenMovePct, c.FundingDrag24hPct, c.Score)
	w.end()
}

var sizingKeys = keysOf(`,"sizing":{`, "max_safe_size_usd", "suggested_size_usd")

func (w *Writer) sizing(s *risk.Sizing) {
	w.numbers(sizingKeys, s.MaxSafeUSD, s.SuggestedUSD)
	w.word(`,"size_limit_reason":"`, s.Limit.String())
	w.end()
}

// change writes what the trade does to the position and to the wallet's margin, and whether the venue
// would accept it.
func (w *Writer) change(a *risk.Assessment) {
	w.position(`,"position":{"before":`, &a.Position.Before)
	w.position(`,"after":`, &a.Position.After)
	w.Raw(`},"margin":{"before":{`)
	before, after := &a.Margin.Before, &a.Margin.After
	w.numbers(marginChangeKeys,
		before.AccountValue, before.Initial, before.Maintenance, before.Free, before.MaintenanceRatioPct,
		after.AccountValue, after.Initial, after.Maintenance, after.Free, after.MaintenanceRatioPct,
		a.Margin.DeltaInitialUSD)
	w.held(a.Margin.HeldUSD, a.Margin.HeldMostUSD)
	w.marketMove(&a.Margin.Move)
	w.end()
	w.admissibility(&a.Admissibility)
	w.openOrders(&a.OpenOrders)
}

var positionKeys = keysOf(`,`, "size_coin", "notional_usd", "leverage")

func (w *Writer) position(key string, p *risk.PositionState) {
	if !w.side(key, p.Side) {
		return
	}
	w.numbers(positionKeys, p.SizeCoin, p.NotionalUSD, p.Leverage)
	w.word(`,"mode":"`, p.Mode.String())
	w.entryPrice(p.EntryPrice)
	w.liquidationPrice(p.LiquidationPrice)
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

// entryPrice writes null if the venue gave none.
func (w *Writer) entryPrice(price float64) {
	if price == 0 {
		w.null(`,"entry_price":`)
		return
	}
	w.Exact(`,"entry_price":`, price)
}

// liquidationPrice writes null if there is no liquidation price.
func (w *Writer) liquidationPrice(price float64) {
	if price == 0 {
		w.null(`,"liquidation_price":`)
		return
	}
	w.Exact(`,"liquidation_price":`, price)
}

var (
	marginNames = []string{"account_value", "initial", "maintenance", "free", "maintenance_ratio_pct"}
	marginKeys  = keysOf(``, marginNames...)
	// marginChangeKeys are for the wallet's margin before and after the trade, and the difference.
	marginChangeKeys = slices.Concat(marginKeys, keysOf(`},"after":{`, marginNames...),
		keysOf(`},`, "delta_initial_usd"))
)

var orderKeys = keysOf(`,`, "order_size_coin", "order_size_usd")

func (w *Writer) admissibility(a *risk.Admissibility) {
	w.word(`,"admissibility":{"verdict":"`, a.Verdict.String())
	w.numbers(orderKeys, a.OrderSizeCoin, a.OrderSizeUSD)
	if a.Count == 0 {
		w.Raw(`,"issues":[]}`)
		return
	}
	prefix := `,"issues":[{"code":"`
	for i := range a.Issues[:a.Count] {
		w.issue(prefix, &a.Issues[i])
		prefix = `,{"code":"`
	}
	w.Raw(`]}`)
}

func (w *Writer) issue(head string, i *risk.Issue) {
	w.word(head, i.Code.String())
	w.word(`,"field":"`, i.Code.Field())
	if i.Text != "" {
		w.Text(`,"got":`, i.Text)
	} else {
		w.fixedIf(`,"got":`, i.Got, !i.NoGot)
	}
	w.fixedIf(`,"limit":`, i.Limit, !i.NoLimit)
	w.fixedOrNull(`,"fix":`, i.Fix)
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
