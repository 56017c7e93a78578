package api

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
)

// fillFloats sets every float64 reachable from v to a value of next.
func fillFloats(v reflect.Value, next func() float64) {
	switch v.Kind() {
	case reflect.Float64:
		if v.CanSet() {
			v.SetFloat(next())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fillFloats(v.Field(i), next)
		}
	case reflect.Array:
		for i := range v.Len() {
			fillFloats(v.Index(i), next)
		}
	}
}

func randomAssessment(rng *rand.Rand) *risk.Assessment {
	a := &risk.Assessment{}
	fillFloats(reflect.ValueOf(a).Elem(), func() float64 {
		x := math.Pow(10, -9+18*rng.Float64())
		if rng.IntN(2) == 0 {
			return -x
		}
		return x
	})
	a.Recommendation = risk.Recommendation(rng.IntN(3))
	a.Liquidation.Mode, a.Liquidation.HasProbability = risk.LiquidationMode(rng.IntN(3)), true
	a.Explanation.Weights = &risk.Weights
	side := float64(rng.IntN(3) - 1)
	for i := range a.Stress { // depends only on the scenario and the side
		a.Stress[i].FundingCostPct = side * risk.Scenarios[i].FundingPct()
	}
	for _, p := range []*risk.PositionState{&a.Position.Before, &a.Position.After} {
		p.Side, p.Mode = float64(rng.IntN(3)-1), risk.Mode(rng.IntN(2))
		if rng.IntN(2) == 0 { // as after an opening trade
			p.EntryPrice, p.LiquidationPrice = a.Slippage.FillPrice, a.Liquidation.Price
		}
		if rng.IntN(4) == 0 {
			p.LiquidationPrice = 0
		}
	}
	d := &a.Admissibility
	d.Verdict, d.Count = risk.Verdict(rng.IntN(3)), rng.IntN(len(d.Issues)+1)
	for i := range d.Issues {
		d.Issues[i].Code = risk.IssueCode((i + d.Count) % len(d.Issues))
		if rng.IntN(2) == 0 {
			d.Issues[i].Fix, d.Issues[i].FixLeverage = 0, 0
		}
	}
	a.Funding.LongsPay, a.Funding.AgentPays = rng.IntN(2) == 0, rng.IntN(2) == 0
	a.VaR.Regime, a.VaR.HasForecast = marketcache.VolatilityRegime(rng.IntN(3)), true
	a.OpenInterest.AtCap = rng.IntN(2) == 0
	for i := range a.Stress {
		a.Stress[i].Survives = rng.IntN(2) == 0
	}
	a.Sizing.Limit = risk.SizeLimit(rng.IntN(4))
	a.Regime.Known, a.Regime.State = true, marketcache.LiquidityRegime(rng.IntN(3))
	a.Drawdown.Known, a.Drawdown.DurationHours = true, rng.IntN(9000)
	a.EVT.Known = true
	a.MonteCarlo.Known, a.MonteCarlo.Simulations = true, 10000
	a.PortfolioStress.Known, a.PortfolioStress.Scenario = true, rng.IntN(risk.ScenarioCount)
	a.PortfolioStress.AccountSurvives, a.PortfolioStress.PositionsLiquidated = rng.IntN(2) == 0, rng.IntN(5)
	a.PortfolioRisk.Known, a.PortfolioRisk.PositionCount = true, 2
	a.PortfolioRisk.TailDependence = []risk.TailDependence{
		pair("BTC", "ETH", marketcache.TailPair{Known: true, Lambda: rng.Float64(), Pearson: rng.Float64(),
			Nu: rng.Float64()}),
		pair("BTC", `a"b`, marketcache.TailPair{Known: true, Lambda: rng.Float64(), Pearson: -rng.Float64(),
			Nu: rng.Float64()}),
	}
	sim := &a.PortfolioRisk.Simulation
	sim.Known, sim.Draws = true, 8192
	sim.Positions = []risk.SimulatedPosition{{Asset: "BTC", MarginalVaR: rng.Float64(), ComponentVaR: rng.Float64()},
		{Asset: "ETH"}}
	a.Attribution.Known = true
	a.Attribution.Positions = []risk.PositionVaR{{Asset: "BTC", MarginalVaR: rng.Float64(), ComponentVaR: rng.Float64(),
		ComponentPct: rng.Float64()}, {Asset: "ETH"}}
	a.Meta.Asset, a.Meta.AsOfUnixMs = "BTC", 1763719200123
	randomWallet(a, rng)
	a.ModelVersion = risk.ModelVersion{EngineVersion: risk.EngineVersion, CalibrationName: "fhs-px \"x\"",
		CalibrationHash: marketcache.HashCalibration([]byte("x"))}
	return a
}

func pair(a, b string, p marketcache.TailPair) risk.TailDependence {
	return risk.TailDependence{A: a, B: b, TailPair: &p}
}

func encode(t testing.TB, a *risk.Assessment, e Envelope) (text []byte, tree map[string]any) {
	t.Helper()
	text, err := AppendAssessment(nil, a, &e)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !strict(text) {
		t.Fatalf("our own reader refuses the answer: %s", text)
	}
	return text, tree
}

// about is a number that may differ by the printed precision. Other values, including float64, must
// be equal.
type about float64

// expected returns the whole answer with the field names of the specification.
func expected(a *risk.Assessment) map[string]any {
	type m = map[string]any
	v, f := &a.VaR, &a.VaR.Forecast
	stress := []any{}
	for i, r := range a.Stress {
		stress = append(stress, m{
			"scenario": risk.Scenarios[i].ID, "description": risk.Scenarios[i].Description,
			"pnl_pct": about(r.PnLPct), "pnl_usd": about(r.PnLUSD), "funding_cost_pct": about(r.FundingCostPct),
			"liquidity_cost_pct": about(r.LiquidityCostPct), "liquidation_distance_pct": about(r.LiquidationDistancePct),
			"survives": r.Survives,
		})
	}
	d, sim := &a.Drawdown, &a.PortfolioRisk.Simulation
	pairs, simulated, attributed := []any{}, []any{}, []any{}
	for _, p := range a.PortfolioRisk.TailDependence {
		pairs = append(pairs, m{
			"asset_a": p.A, "asset_b": p.B, "lambda_lower": about(p.Lambda), "lambda_upper": about(p.Lambda),
			"pearson_rho": about(p.Pearson), "nu": about(p.Nu),
		})
	}
	for _, p := range sim.Positions {
		simulated = append(simulated, m{"asset": p.Asset, "marginal_var": about(p.MarginalVaR),
			"component_var": about(p.ComponentVaR)})
	}
	for _, p := range a.Attribution.Positions {
		position := m{"asset": p.Asset, "marginal_var": about(p.MarginalVaR), "component_var": about(p.ComponentVaR),
			"component_var_pct": about(p.ComponentPct)}
		if p.Collateral {
			position["collateral"] = true
		}
		attributed = append(attributed, position)
	}
	margin := func(s *risk.MarginState) m {
		return m{
			"account_value": about(s.AccountValue), "initial": about(s.Initial), "maintenance": about(s.Maintenance),
			"free":                  about(s.Free),
			"maintenance_ratio_pct": about(s.MaintenanceRatioPct),
		}
	}
	issues := []any{}
	for i := range a.Admissibility.Issues[:a.Admissibility.Count] {
		issues = append(issues, expectedIssue(&a.Admissibility.Issues[i]))
	}
	direction := "shorts_pay"
	if a.Funding.LongsPay {
		direction = "longs_pay"
	}
	return m{
		"pools": expectedPools(a.Pools), "open_orders": expectedOrders(&a.OpenOrders),
		"book_before": expectedBook(&a.BookBefore),
		"risk_score":  about(a.RiskScore), "recommendation": a.Recommendation.String(), "flags": []any{},
		"slippage": m{
			"bps": about(a.Slippage.Bps), "fill_price": a.Slippage.FillPrice, "mid_price": a.Slippage.MidPrice,
			"depth_50bps":  about(a.Slippage.Depth50Bps),
			"depth_100bps": about(a.Slippage.Depth100Bps), "bid_ask_imbalance": about(a.Slippage.Imbalance),
		},
		"liquidation": m{
			"price": a.Liquidation.Price, "distance_pct": about(a.Liquidation.DistancePct),
			"margin_used_pct":    about(a.Liquidation.MarginUsedPct),
			"effective_leverage": about(a.Liquidation.EffectiveLeverage), "mode": a.Liquidation.Mode.String(),
			"probability_24h": about(a.Liquidation.Probability24h), "probability_7d": about(a.Liquidation.Probability7d),
		},
		"funding": m{
			"funding_rate": a.Funding.RateHourly, "annualized_pct": about(a.Funding.AnnualizedPct),
			"vs_cex_divergence": about(a.Funding.VsCEXDivergence),
			"direction":         direction, "agent_pays": a.Funding.AgentPays,
		},
		"impact": m{"expected_bps": about(a.Impact.ExpectedBps), "participation_pct": about(a.Impact.ParticipationPct)},
		"var": m{
			"pct_95_24h": about(v.Pct95_24h), "pct_99_24h": about(v.Pct99_24h), "dollar_95_24h": about(v.Dollar95_24h),
			"dollar_99_24h": about(v.Dollar99_24h),
			"lvar_95_24h":   about(v.LVaR95_24h), "lvar_99_24h": about(v.LVaR99_24h), "pct_99_4h": about(v.Pct99_4h),
			"pct_99_7d":    about(v.Pct99_7d),
			"dollar_99_4h": about(v.Dollar99_4h), "dollar_99_7d": about(v.Dollar99_7d), "es_95_24h": about(v.ES95_24h),
			"es_99_24h":         about(v.ES99_24h),
			"margin_var_99_pct": about(v.MarginVaR99Pct), "volatility_regime": v.Regime.String(),
			"session": expectedSession(&v.Session),
			"volatility_forecast": m{
				"sigma_1h": about(f.Sigma1h), "sigma_4h": about(f.Sigma4h), "sigma_1d": about(f.Sigma1d),
				"sigma_7d": about(f.Sigma7d), "long_run_sigma": about(f.LongRunSigma),
			},
		},
		"oi": m{"current": about(a.OpenInterest.CurrentUSD), "at_cap": a.OpenInterest.AtCap,
			"utilization_pct": about(a.OpenInterest.UtilizationPct)},
		"stress": stress,
		"fees": m{"taker_fee_bps": about(a.Fees.TakerBps), "estimated_fee_usd": about(a.Fees.EstimatedUSD),
			"fee_pct_of_margin": about(a.Fees.PctOfMargin)},
		"cost_analysis": m{
			"total_entry_cost_bps": about(a.Cost.EntryBps), "total_round_trip_cost_bps": about(a.Cost.RoundTripBps),
			"breakeven_move_pct":   about(a.Cost.BreakevenMovePct),
			"funding_drag_24h_pct": about(a.Cost.FundingDrag24hPct), "cost_score": about(a.Cost.Score),
		},
		"sizing": m{"max_safe_size_usd": about(a.Sizing.MaxSafeUSD), "suggested_size_usd": about(a.Sizing.SuggestedUSD),
			"size_limit_reason": a.Sizing.Limit.String()},
		"position": m{"before": expectedPosition(&a.Position.Before), "after": expectedPosition(&a.Position.After)},
		"margin": m{
			"before": margin(&a.Margin.Before), "after": margin(&a.Margin.After),
			"delta_initial_usd": about(a.Margin.DeltaInitialUSD), "held_usd": about(a.Margin.HeldUSD),
			"held_most_usd": ifKnown(about(a.Margin.HeldMostUSD), !math.IsInf(a.Margin.HeldMostUSD, 1)),
			"market_move":   expectedMove(&a.Margin.Move),
		},
		"admissibility": m{
			"verdict": a.Admissibility.Verdict.String(), "order_size_coin": about(a.Admissibility.OrderSizeCoin),
			"order_size_usd": about(a.Admissibility.OrderSizeUSD),
			"issues":         issues,
		},
		"portfolio_risk": m{
			"portfolio_var_99_24h": about(a.PortfolioRisk.VaR99), "portfolio_es_99_24h": about(a.PortfolioRisk.ES99),
			"position_count": 2.0,
			"monte_carlo": m{
				"simulations": 8192.0, "var_95": about(sim.VaR95), "var_99": about(sim.VaR99), "es_95": about(sim.ES95),
				"es_99":                   about(sim.ES99),
				"liquidation_probability": about(sim.LiquidationProbability), "positions": simulated,
				"copula": m{"family": "t", "nu": about(sim.Nu)},
			},
			"tail_dependence": pairs,
		},
		"portfolio_stress": m{
			"scenario": risk.Scenarios[a.PortfolioStress.Scenario].ID, "total_pnl_usd": about(a.PortfolioStress.TotalPnLUSD),
			"total_pnl_pct":          about(a.PortfolioStress.TotalPnLPct),
			"total_funding_cost_pct": about(a.PortfolioStress.FundingCostPct),
			"account_survives":       a.PortfolioStress.AccountSurvives,
			"positions_liquidated":   float64(a.PortfolioStress.PositionsLiquidated),
			"failed_scenarios":       expectedFailed(a.PortfolioStress.Failed),
		},
		"monte_carlo": m{
			"simulations": 10000.0, "var_95": about(a.MonteCarlo.VaR95), "var_99": about(a.MonteCarlo.VaR99),
			"expected_shortfall_95": about(a.MonteCarlo.ES95), "expected_shortfall_99": about(a.MonteCarlo.ES99),
			"median_return": about(a.MonteCarlo.Median), "worst_case": about(a.MonteCarlo.Worst),
			"confidence_interval": []any{about(a.MonteCarlo.Lower), about(a.MonteCarlo.Upper)},
		},
		"evt": m{"var_99_9": about(a.EVT.VaR999), "expected_shortfall_99_9": about(a.EVT.ES999)},
		"greeks": m{"delta": a.Greeks.Delta, "gamma": a.Greeks.Gamma, "vega": a.Greeks.Vega, "theta": a.Greeks.Theta,
			"liquidation_gamma": a.Greeks.LiquidationGamma},
		"regime": m{"state": a.Regime.State.String(), "confidence": about(a.Regime.Confidence)},
		"drawdown": m{
			"max_drawdown_pct": about(d.MaxPct), "current_drawdown_pct": about(d.CurrentPct),
			"peak_equity":   about(d.PeakEquityUSD),
			"trough_equity": about(d.TroughEquityUSD), "drawdown_duration_hours": float64(d.DurationHours),
			"calmar_ratio":               about(d.Calmar),
			"trailing_stop_distance_pct": about(d.TrailingStopPct), "suggested_stop_loss_pct": about(d.StopLossPct),
		},
		"portfolio_attribution": m{
			"total_var_99":                about(a.Attribution.TotalVaR99),
			"diversification_benefit_pct": about(a.Attribution.DiversificationPct), "positions": attributed,
		},
		"meta": m{
			"asset": "BTC", "mark_price": a.Meta.MarkPrice, "max_leverage": about(a.Meta.MaxLeverage), "request_id": `id"1`,
			"venue":         "simulated",
			"market_age_ms": about(a.Meta.MarketAgeMs), "wallet_age_ms": about(a.Meta.WalletAgeMs),
			"as_of":        "2025-11-21T10:00:00.123Z",
			"venue_notice": ifKnown(a.Meta.VenueNotice, a.Meta.VenueNotice != ""), "wallet_role": ifKnown(a.Meta.WalletRole,
				a.Meta.WalletRole != ""),
		},
		"model_version": m{
			"engine_version": risk.EngineVersion, "calibration_name": a.ModelVersion.CalibrationName,
			"calibration_hash": string(a.ModelVersion.CalibrationHash[:]),
		},
	}
}

// expectedPosition returns one side of the block position; null without a position.
func expectedPosition(p *risk.PositionState) any {
	if p.Side == 0 {
		return nil
	}
	liquidation := any(p.LiquidationPrice)
	if p.LiquidationPrice == 0 {
		liquidation = nil
	}
	return map[string]any{
		"side": map[float64]string{1: "long", -1: "short"}[p.Side], "size_coin": about(p.SizeCoin),
		"notional_usd": about(p.NotionalUSD),
		"leverage":     about(p.Leverage), "mode": p.Mode.String(), "entry_price": p.EntryPrice,
		"liquidation_price": liquidation,
	}
}

func aboutOrNull(x float64) any {
	if x == 0 {
		return nil
	}
	return about(x)
}

func compare(t *testing.T, path string, got, want any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		tree, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s is %T", path, got)
			return
		}
		for k := range want {
			if _, ok := tree[k]; !ok {
				t.Errorf("%s.%s is missing", path, k)
				continue
			}
			compare(t, path+"."+k, tree[k], want[k])
		}
		for k := range tree {
			if _, ok := want[k]; !ok {
				t.Errorf("%s.%s should not be there", path, k)
			}
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			t.Errorf("%s is %v", path, got)
			return
		}
		for i := range want {
			compare(t, path+"[]", list[i], want[i])
		}
	case about:
		if x, ok := got.(float64); !ok || !withinPrecision(float64(want), x) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s: %v (%T), want %v", path, got, got, want)
		}
	}
}

func TestAssessmentNamesAndValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		a := randomAssessment(rng)
		_, tree := encode(t, a, Envelope{RequestID: []byte(`id"1`), Venue: "simulated", Started: time.Now()})
		meta := tree["meta"].(map[string]any)
		if l, ok := meta["latency_ms"].(float64); !ok || l < 0 || l > 1000 {
			t.Errorf("latency_ms: %v", meta["latency_ms"])
		}
		delete(meta, "latency_ms")
		compare(t, "", tree, expected(a))
		if t.Failed() {
			return
		}
	}
}

func TestTopLevelOrder(t *testing.T) {
	text, _ := encode(t, randomAssessment(rand.New(rand.NewPCG(1, 1))), Envelope{Started: time.Now(), Explain: true})
	d := json.NewDecoder(strings.NewReader(string(text)))
	var keys []string
	d.Token()
	for d.More() {
		k, _ := d.Token()
		keys = append(keys, k.(string))
		var skip json.RawMessage
		d.Decode(&skip)
	}
	want := []string{
		"risk_score", "recommendation", "flags", "slippage", "liquidation", "funding", "impact", "var", "oi", "stress",
		"portfolio_risk", "portfolio_stress", "fees",
		"cost_analysis", "sizing", "position", "margin", "admissibility", "open_orders", "pools", "book_before",
		"monte_carlo", "evt", "greeks", "regime", "drawdown", "portfolio_attribution", "meta", "model_version",
		"explanation",
	}
	if !slices.Equal(keys, want) {
		t.Errorf("order %v", keys)
	}
}

func TestNoForecastIsNull(t *testing.T) {
	a := randomAssessment(rand.New(rand.NewPCG(1, 1)))
	a.VaR.HasForecast = false
	_, tree := encode(t, a, Envelope{Started: time.Now()})
	if v, there := tree["var"].(map[string]any)["volatility_forecast"]; !there || v != nil {
		t.Errorf("volatility_forecast: %v", v)
	}
}

// A block that the wallet or the request does not need is left out; a block that cannot be computed
// is null.
func TestOptionalBlocks(t *testing.T) {
	a := &risk.Assessment{}
	_, tree := encode(t, a, Envelope{Started: time.Now()})
	liquidation := tree["liquidation"].(map[string]any)
	for _, name := range []string{"probability_24h", "probability_7d"} {
		if v, there := liquidation[name]; !there || v != nil {
			t.Errorf("liquidation.%s: %v", name, v)
		}
	}
	for _, name := range []string{"portfolio_risk", "portfolio_stress", "monte_carlo", "pools", "book_before"} {
		if v, there := tree[name]; there {
			t.Errorf("%s: %v", name, v)
		}
	}
	for _, name := range []string{"evt", "regime", "drawdown", "portfolio_attribution", "open_orders"} {
		if v, there := tree[name]; !there || v != nil {
			t.Errorf("%s: %v", name, v)
		}
	}
	a.PortfolioRisk.Known = true
	_, tree = encode(t, a, Envelope{Started: time.Now()})
	block := tree["portfolio_risk"].(map[string]any)
	if v, there := block["monte_carlo"]; !there || v != nil {
		t.Errorf("portfolio_risk.monte_carlo: %v", v)
	}
	if list, ok := block["tail_dependence"].([]any); !ok || len(list) != 0 {
		t.Errorf("tail_dependence: %v", block["tail_dependence"])
	}
}

func TestExplanation(t *testing.T) {
	for seed, guess := range []bool{false, true} {
		a := randomAssessment(rand.New(rand.NewPCG(7, uint64(seed))))
		a.Liquidation.HasProbability = !guess
		if guess {
			compose(&a.Explanation)
			d := &a.Explanation.Divergence
			d.With, d.MarkAge, d.OtherAge = "mid", time.Second, 1500*time.Millisecond
			a.Explanation.HedgeWeight = 0
		}
		checkExplanation(t, a)
	}
}

// compose fills in the explanation of a score with an estimated open-interest cap.
func compose(x *risk.Explanation) { (&risk.ScoreInput{}).Compose(&x.Terms) }

func checkExplanation(t *testing.T, a *risk.Assessment) {
	t.Helper()
	a.Explanation.Market = &marketcache.Market{BookAge: 1500 * time.Microsecond, DepthAge: -1, ContextAge: time.Second,
		SlowAge: 13 * time.Second, Funding: &marketcache.FundingStats{Rows: 71}}
	x := &a.Explanation
	divergence := any(nil)
	if d := &x.Divergence; d.With != "" {
		divergence = map[string]any{"with": d.With, "mark": d.Mark, "other": d.Other, "pct": d.Pct,
			"mark_age_ms": float64(d.MarkAge) / 1e6, "other_age_ms": float64(d.OtherAge) / 1e6}
	}
	probability := any(a.Liquidation.Probability24h)
	if !a.Liquidation.HasProbability {
		probability = nil
	}
	components := []any{}
	for c := range risk.ComponentCount {
		raw := map[string]any{}
		for i, name := range risk.RawNames[c] {
			if name != "" {
				raw[name] = x.Raw[c][i]
			}
		}
		components = append(components, map[string]any{
			"name": c.String(), "raw": raw, "score": x.Scores[c], "weight": x.Weights[c], "contribution": x.Weights[c] *
				x.Scores[c],
		})
	}
	hard := map[string]any{}
	for i, name := range risk.HardRuleNames {
		hard[name] = x.HardRules[i]
	}
	x.BookAfter = risk.BookBefore{Known: true, PoolKnown: true, Probability24h: 0.5, PoolVaR99USD: 1.0 / 3,
		PortfolioVaR99USD: 7}
	x.SizeRule, x.ModeSource, x.LeverageSource = "H7", risk.SourceSetting, risk.SourceDefault
	x.Loading = []risk.LoadingPart{{What: "candles", Asset: "BTC", ReadyInS: 12}, {What: "pairs", ReadyInS: -1}}
	_, tree := encode(t, a, Envelope{Started: time.Now(), Explain: true})
	compare(t, "explanation", tree["explanation"], map[string]any{
		"components": components, "base": x.Base, "interaction": x.Interaction, "portfolio": x.Portfolio, "regime": x.Regime,
		"hard_rules": hard, "hedge_weight": x.HedgeWeight, "score_before": ifKnown(x.ScoreBefore, x.HedgeWeight > 0),
		"portfolio_loss_99": x.PortfolioLoss99,
		"book_after": map[string]any{
			"probability_24h": nil, "probability_7d": nil, "pool_var_99_usd": 1.0 / 3, "stress_loss_usd": 0.0,
			"portfolio_var_99_usd": 7.0,
		},
		"failed_scenarios": expectedFailed(x.Failed), "size_rule": "H7", "mode_source": "setting",
		"leverage_source": "default",
		"loading": []any{
			map[string]any{"what": "candles", "asset": "BTC", "ready_in_s": 12.0}, map[string]any{"what": "pairs", "asset": nil,
				"ready_in_s": nil},
		},
		"divergence": divergence, "slippage": map[string]any{"book_age_ms": 1.5, "depth_age_ms": nil},
		"context":          map[string]any{"mark_age_ms": 1000.0, "slow_age_ms": 13000.0},
		"funding":          map[string]any{"paid_rates": 71.0},
		"oi_cap_estimated": x.Weights[risk.ComponentOI] == 0, "score_leverage": x.Leverage,
		"inputs": map[string]any{
			"pct_99_24h": a.VaR.Pct99_24h, "pct_99_4h": a.VaR.Pct99_4h, "probability_24h": probability,
			"probability_7d": ifKnown(a.Liquidation.Probability7d, a.Liquidation.HasProbability), "stress_load": x.StressLoad,
			"funding_share":             x.FundingShare,
			"total_round_trip_cost_bps": a.Cost.RoundTripBps, "participation_pct": a.Impact.ParticipationPct,
		},
		"account_value": x.AccountValue, "positions_after": float64(x.PositionsAfter),
		"portfolio_var_99_24h": x.PortfolioVaR99,
		"regime_probabilities": map[string]any{"normal": x.RegimeProb[0], "stressed": x.RegimeProb[1],
			"crisis": x.RegimeProb[2]},
		"floor": x.Floor, "raw_score": x.RawScore, "breakeven_move_pct_of_margin": x.BreakevenPct,
		"sizing": map[string]any{
			"book_depth": a.Sizing.BookDepth, "oi_capacity": a.Sizing.OICapacity, "margin_headroom": a.Sizing.MarginHeadroom,
			"market_impact": a.Sizing.MarketImpact,
		},
		"monte_carlo": map[string]any{"var_95_se": a.MonteCarlo.SE95, "var_99_se": a.MonteCarlo.SE99,
			"liquidated_share": a.MonteCarlo.LiquidatedShare},
		"greeks": map[string]any{"touch_probability": a.Greeks.TouchProbability,
			"loss_at_touch_usd": a.Greeks.LossAtTouchUSD},
		"flags": []any{},
	})
}

// A NaN in any printed number is detected.
func TestNotFiniteIsRefused(t *testing.T) {
	printed := 0
	for at := 0; ; at++ {
		a := randomAssessment(rand.New(rand.NewPCG(1, 1)))
		n := 0
		fillFloats(reflect.ValueOf(a).Elem(), func() float64 {
			n++
			if n-1 == at {
				return []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[at%3]
			}
			return 1
		})
		if at >= n {
			break
		}
		text, err := AppendAssessment(nil, a, &Envelope{Started: time.Now(), Explain: true})
		if err != nil {
			printed++
		} else if !json.Valid(text) {
			t.Fatalf("number %d reached the text: %s", at, text)
		}
	}
	if printed < 210 {
		t.Errorf("only %d numbers are printed", printed)
	}
}

// A price that occurs several times in the answer has the same digits everywhere, after any text
// and for any number of prices.
func TestRepeatedPrices(t *testing.T) {
	for _, price := range []float64{67132.89729, 60558.379746835446, 1.0 / 3, 5e-324, 1.7976931348623157e308, 3} {
		a := typicalAssessment()
		a.Slippage.FillPrice, a.Position.After.EntryPrice = price, price
		a.Liquidation.Price, a.Position.After.LiquidationPrice = price/2, price/2
		a.Position.Before = a.Position.After
		a.Position.Before.EntryPrice = 2
		text, err := AppendAssessment([]byte(`[`), a, &Envelope{Started: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		var tree []struct {
			Position struct{ Before, After map[string]any }
		}
		if err := json.Unmarshal(append(text, ']'), &tree); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		after, before := tree[0].Position.After, tree[0].Position.Before
		liquidation := any(price / 2)
		if price/2 == 0 {
			liquidation = nil
		}
		if after["entry_price"] != price || after["liquidation_price"] != liquidation ||
			before["liquidation_price"] != liquidation || before["entry_price"] != 2.0 {
			t.Errorf("%v: before %v, after %v", price, before, after)
		}
	}
}

// In a monitor report, unknown probabilities of liquidation are null.
func TestHeldProbabilities(t *testing.T) {
	for _, known := range []bool{false, true} {
		r := &risk.WalletReport{Positions: make([]risk.HeldPosition, 1), Margin: risk.MarginState{AccountValue: 5,
			Initial: 4, Maintenance: 3, Free: 2, MaintenanceRatioPct: 1}}
		r.Positions[0].Liquidation = risk.Liquidation{HasProbability: known, Probability24h: 0.25, Probability7d: 0.5}
		text, err := AppendMonitor(nil, "0x", r, &Envelope{Started: time.Now(), Venue: "custom"})
		if err != nil {
			t.Fatal(err)
		}
		var tree struct {
			Margin    map[string]any
			Positions []map[string]any
			Meta      map[string]any
		}
		if err := json.Unmarshal(text, &tree); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		p := tree.Positions[0]
		day, week := any(nil), any(nil)
		if known {
			day, week = 0.25, 0.5
		}
		if _, there := p["probability_24h"]; !there || p["probability_24h"] != day || p["probability_7d"] != week ||
			p["liquidation_price"] != nil {
			t.Errorf("%v: %v", known, p)
		}
		if tree.Meta["venue"] != "custom" {
			t.Errorf("venue %v", tree.Meta["venue"])
		}
		compare(t, "margin", any(tree.Margin), map[string]any{
			"account_value": 5.0, "initial": 4.0, "maintenance": 3.0, "free": 2.0, "maintenance_ratio_pct": 1.0,
			"held_usd": 0.0, "held_most_usd": 0.0,
			"market_move": map[string]any{"down_pct": 0.0, "up_pct": 0.0},
		})
	}
}

func TestAppendTime(t *testing.T) {
	check := func(ms int64) {
		t.Helper()
		want := time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
		if got := string(AppendTime(nil, ms)); got != want {
			t.Fatalf("%d: %s, want %s", ms, got, want)
		}
	}
	const dayMs = 24 * 3600 * 1000
	for day := int64(0); day < 8040*366; day++ { // beyond the year 9999; every day of the first years
		check(day * dayMs)
		check(day*dayMs + day*7919%dayMs)
		if day > 50_000 {
			day += 96
		}
	}
	for _, ms := range []int64{-1, -62135596800000, 1, 999, 86399999, 1763719200123, 1709164800000, 4102444799999} {
		check(ms)
	}
}

func TestAppendError(t *testing.T) {
	for _, row := range [][3]string{
		{CodeNotFound, "no such route", `{"error":"not_found","detail":"no such route"}`},
		{MissingAuthorization, "x", `{"error":"missing or invalid Authorization header"}`},
		{InvalidKey, "x", `{"error":"invalid API key"}`},
		{CodeValidation, `a "b"`, `{"error":"validation_error","detail":"a \"b\""}`},
	} {
		if got := string(AppendError(nil, row[0], row[1])); got != row[2] {
			t.Errorf("%s, want %s", got, row[2])
		}
	}
	if RuleOf("no such code").Status != 500 {
		t.Error("an unknown code is not answered as an internal error")
	}
}

func TestAssessmentAllocs(t *testing.T) {
	a := randomAssessment(rand.New(rand.NewPCG(1, 1)))
	e := &Envelope{RequestID: []byte("req_1"), Started: time.Now(), Explain: true}
	buf := make([]byte, 0, 16384)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := AppendAssessment(buf, a, e); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAssessment(b *testing.B) {
	a := randomAssessment(rand.New(rand.NewPCG(1, 1)))
	fillFloats(reflect.ValueOf(a).Elem(), func() float64 { return 1234.56789 * rand.Float64() })
	e := &Envelope{RequestID: []byte("req_01JD7Q2V3W4X5Y6Z7A8B9C0D1E"), Started: time.Now()}
	buf := make([]byte, 0, 16384)
	b.ReportAllocs()
	for b.Loop() {
		out, err := AppendAssessment(buf, a, e)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(out)))
	}
}
