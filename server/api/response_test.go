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
	a.Funding.Known, a.Day.Known, a.Day.HasExtreme = rng.IntN(2) == 0, rng.IntN(4) > 0, rng.IntN(2) == 0
	a.VaR.Regime, a.VaR.HasForecast = marketcache.VolatilityRegime(rng.IntN(3)), true
	a.OpenInterest.AtCap = rng.IntN(2) == 0
	for i := range a.Stress {
		if a.Stress[i].Survives = rng.IntN(2) == 0; !a.Stress[i].Survives {
			a.Stress[i].DiedBy = `xyz:"TSLA`
		}
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

type m = map[string]any

// about is a number that may differ by the printed precision. Other values, including float64, must
// be equal.
type about float64

// expected returns the whole answer with the field names of the specification.
func expected(a *risk.Assessment) m {
	d, direction := &a.Drawdown, "shorts_pay"
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
			"probability_24h": about(a.Liquidation.Probability24h),
			"probability_7d":  about(a.Liquidation.Probability7d),
			"pool_equity_usd": about(a.Liquidation.PoolEquityUSD),
			"loss_at_usd":     ifKnown(about(a.Liquidation.PnLAtUSD), a.Liquidation.Price > 0),
			"loss_after_usd":  ifKnown(about(a.Liquidation.PnLAfterUSD), a.Liquidation.Price > 0),
		},
		"funding": m{
			"funding_rate": a.Funding.RateHourly, "annualized_pct": about(a.Funding.AnnualizedPct),
			"vs_cex_divergence": about(a.Funding.VsCEXDivergence),
			"direction":         direction, "agent_pays": a.Funding.AgentPays,
			"cost_24h_usd": ifKnown(about(a.Funding.Cost24hUSD), a.Funding.Known),
		},
		"impact": m{"expected_bps": about(a.Impact.ExpectedBps), "participation_pct": about(a.Impact.ParticipationPct)},
		"var":    expectedVaR(&a.VaR, true),
		"oi": m{"current": about(a.OpenInterest.CurrentUSD), "at_cap": a.OpenInterest.AtCap,
			"utilization_pct": about(a.OpenInterest.UtilizationPct)},
		"stress": expectedStress(a),
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
		"margin":   expectedMargin(&a.Margin), "admissibility": expectedAdmissibility(&a.Admissibility),
		"portfolio_risk":   expectedPortfolio(&a.PortfolioRisk),
		"portfolio_stress": expectedPortfolioStress(&a.PortfolioStress),
		"monte_carlo":      expectedMonteCarlo(&a.MonteCarlo),
		"evt":              m{"var_99_9": about(a.EVT.VaR999), "expected_shortfall_99_9": about(a.EVT.ES999)},
		"greeks": m{"delta": a.Greeks.Delta, "gamma": a.Greeks.Gamma, "vega": a.Greeks.Vega, "theta": a.Greeks.Theta,
			"liquidation_gamma": a.Greeks.LiquidationGamma},
		"regime":           m{"state": a.Regime.State.String(), "confidence": about(a.Regime.Confidence)},
		"liquidity_regime": a.Regime.State.String(), "day": expectedDay(&a.Day),
		"drawdown": m{
			"max_drawdown_pct": about(d.MaxPct), "current_drawdown_pct": about(d.CurrentPct),
			"peak_equity":   about(d.PeakEquityUSD),
			"trough_equity": about(d.TroughEquityUSD), "drawdown_duration_hours": float64(d.DurationHours),
			"calmar_ratio":               about(d.Calmar),
			"trailing_stop_distance_pct": about(d.TrailingStopPct), "suggested_stop_loss_pct": about(d.StopLossPct),
		},
		"portfolio_attribution": expectedAttribution(&a.Attribution), "meta": expectedMeta(&a.Meta),
		"model_version": m{
			"engine_version": risk.EngineVersion, "calibration_name": a.ModelVersion.CalibrationName,
			"calibration_hash": string(a.ModelVersion.CalibrationHash[:]),
		},
	}
}

func expectedMonteCarlo(x *risk.MonteCarlo) m {
	return m{
		"simulations": 10000.0, "var_95": about(x.VaR95), "var_99": about(x.VaR99),
		"expected_shortfall_95": about(x.ES95), "expected_shortfall_99": about(x.ES99),
		"median_return": about(x.Median), "worst_case": about(x.Worst),
		"confidence_interval": []any{about(x.Lower), about(x.Upper)},
	}
}

func expectedDay(d *risk.DayMove) any {
	if !d.Known {
		return nil
	}
	return m{
		"down_999_pct": ifKnown(about(d.Down999), d.HasExtreme), "down_99_pct": about(d.Down99),
		"down_95_pct": about(d.Down95), "median_pct": about(d.Median), "up_95_pct": about(d.Up95),
		"up_99_pct": about(d.Up99), "up_999_pct": ifKnown(about(d.Up999), d.HasExtreme),
	}
}

func expectedVaR(v *risk.VaR, readable bool) m {
	f := &v.Forecast
	return m{
		"pct_95_24h": about(v.Pct95_24h), "pct_99_24h": about(v.Pct99_24h), "dollar_95_24h": about(v.Dollar95_24h),
		"dollar_99_24h": about(v.Dollar99_24h),
		"lvar_95_24h":   about(v.LVaR95_24h), "lvar_99_24h": about(v.LVaR99_24h), "pct_99_4h": about(v.Pct99_4h),
		"pct_99_7d":    about(v.Pct99_7d),
		"dollar_99_4h": about(v.Dollar99_4h), "dollar_99_7d": about(v.Dollar99_7d), "es_95_24h": about(v.ES95_24h),
		"es_99_24h":          about(v.ES99_24h),
		"margin_var_99_pct":  about(v.MarginVaR99Pct),
		"loss_99_capped_usd": ifKnown(about(v.Loss99CappedUSD), readable), "volatility_regime": v.Regime.String(),
		"session": expectedSession(&v.Session),
		"volatility_forecast": m{
			"sigma_1h": about(f.Sigma1h), "sigma_4h": about(f.Sigma4h), "sigma_1d": about(f.Sigma1d),
			"sigma_7d": about(f.Sigma7d), "long_run_sigma": about(f.LongRunSigma),
		},
	}
}

func expectedStress(a *risk.Assessment) []any {
	stress := []any{}
	for i, r := range a.Stress {
		stress = append(stress, m{
			"scenario": risk.Scenarios[i].ID, "description": risk.Scenarios[i].Description,
			"pnl_pct": about(r.PnLPct), "pnl_usd": about(r.PnLUSD), "funding_cost_pct": about(r.FundingCostPct),
			"liquidity_cost_pct":       about(r.LiquidityCostPct),
			"liquidation_distance_pct": about(r.LiquidationDistancePct),
			"survives":                 r.Survives, "died_by": ifKnown(r.DiedBy, !r.Survives),
		})
	}
	return stress
}

func expectedMargin(b *risk.Margin) m {
	margin := func(s *risk.MarginState) m {
		return m{
			"account_value": about(s.AccountValue), "initial": about(s.Initial), "maintenance": about(s.Maintenance),
			"free":                  about(s.Free),
			"maintenance_ratio_pct": about(s.MaintenanceRatioPct),
		}
	}
	return m{
		"before": margin(&b.Before), "after": margin(&b.After),
		"delta_initial_usd": about(b.DeltaInitialUSD), "held_usd": about(b.HeldUSD),
		"held_most_usd": ifKnown(about(b.HeldMostUSD), !math.IsInf(b.HeldMostUSD, 1)),
		"market_move":   expectedMove(&b.Move),
	}
}

func expectedAdmissibility(b *risk.Admissibility) m {
	issues := []any{}
	for i := range b.Issues[:b.Count] {
		issues = append(issues, expectedIssue(&b.Issues[i]))
	}
	return m{
		"verdict": b.Verdict.String(), "order_size_coin": about(b.OrderSizeCoin),
		"order_size_usd": about(b.OrderSizeUSD),
		"issues":         issues,
	}
}

func expectedPortfolio(b *risk.PortfolioRisk) m {
	sim, pairs, simulated := &b.Simulation, []any{}, []any{}
	for _, p := range b.TailDependence {
		pairs = append(pairs, m{
			"asset_a": p.A, "asset_b": p.B, "lambda_lower": about(p.Lambda), "lambda_upper": about(p.Lambda),
			"pearson_rho": about(p.Pearson), "nu": about(p.Nu),
		})
	}
	for _, p := range sim.Positions {
		simulated = append(simulated, m{"asset": p.Asset, "marginal_var": about(p.MarginalVaR),
			"component_var": about(p.ComponentVaR)})
	}
	return m{
		"portfolio_var_99_24h": about(b.VaR99), "portfolio_es_99_24h": about(b.ES99), "position_count": 2.0,
		"monte_carlo": m{
			"simulations": 8192.0, "var_95": about(sim.VaR95), "var_99": about(sim.VaR99),
			"es_95":                   about(sim.ES95),
			"es_99":                   about(sim.ES99),
			"liquidation_probability": about(sim.LiquidationProbability), "positions": simulated,
			"copula": m{"family": "t", "nu": about(sim.Nu)},
		},
		"tail_dependence": pairs,
	}
}

func expectedPortfolioStress(b *risk.PortfolioStress) m {
	return m{
		"scenario":               risk.Scenarios[b.Scenario].ID,
		"total_pnl_usd":          about(b.TotalPnLUSD),
		"total_pnl_pct":          about(b.TotalPnLPct),
		"total_funding_cost_pct": about(b.FundingCostPct),
		"account_survives":       b.AccountSurvives,
		"positions_liquidated":   float64(b.PositionsLiquidated),
		"failed_scenarios":       expectedFailed(b.Failed),
	}
}

func expectedAttribution(b *risk.Attribution) m {
	attributed := []any{}
	for _, p := range b.Positions {
		position := m{"asset": p.Asset, "marginal_var": about(p.MarginalVaR), "component_var": about(p.ComponentVaR),
			"component_var_pct": about(p.ComponentPct)}
		if p.Collateral {
			position["collateral"] = true
		}
		attributed = append(attributed, position)
	}
	return m{
		"total_var_99":                about(b.TotalVaR99),
		"diversification_benefit_pct": about(b.DiversificationPct), "positions": attributed,
	}
}

func expectedMeta(b *risk.Meta) m {
	return m{
		"asset": "BTC", "mark_price": b.MarkPrice, "max_leverage": about(b.MaxLeverage), "request_id": `id"1`,
		"venue": "simulated", "market_age_ms": about(b.MarketAgeMs), "wallet_age_ms": about(b.WalletAgeMs),
		"as_of":        "2025-11-21T10:00:00.123Z",
		"venue_notice": ifKnown(b.VenueNotice, b.VenueNotice != ""),
		"wallet_role":  ifKnown(b.WalletRole, b.WalletRole != ""),
	}
}

// expectedPosition returns one side of the block position; null without a position.
func expectedPosition(p *risk.PositionState) any {
	if p.Side == 0 {
		return nil
	}
	return map[string]any{
		"side": map[float64]string{1: "long", -1: "short"}[p.Side], "size_coin": about(p.SizeCoin),
		"notional_usd": about(p.NotionalUSD),
		"leverage":     about(p.Leverage), "mode": p.Mode.String(), "entry_price": p.EntryPrice,
		"liquidation_price": ifKnown(p.LiquidationPrice, p.LiquidationPrice != 0),
	}
}

func aboutOrNull(x float64) any { return ifKnown(about(x), x != 0) }

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
		"monte_carlo", "day", "evt", "greeks", "regime", "liquidity_regime", "drawdown", "portfolio_attribution",
		"meta",
		"model_version",
		"explanation",
	}
	if !slices.Equal(keys, want) {
		t.Errorf("order %v", keys)
	}
}

// A block that the wallet or the request does not need is left out; a block that cannot be computed
// is null.
func TestOptionalBlocks(t *testing.T) {
	a := &risk.Assessment{}
	_, tree := encode(t, a, Envelope{Started: time.Now()})
	for _, path := range [][2]string{{"liquidation", "probability_24h"}, {"liquidation", "probability_7d"},
		{"liquidation", "pool_equity_usd"}, {"liquidation", "loss_at_usd"}, {"liquidation", "loss_after_usd"},
		{"funding", "cost_24h_usd"}, {"var", "loss_99_capped_usd"}, {"var", "volatility_forecast"},
		{"var", "session"}} {
		if v, there := tree[path[0]].(m)[path[1]]; !there || v != nil {
			t.Errorf("%v: %v", path, v)
		}
	}
	for _, name := range []string{"portfolio_risk", "portfolio_stress", "monte_carlo", "pools", "book_before"} {
		if v, there := tree[name]; there {
			t.Errorf("%s: %v", name, v)
		}
	}
	for _, name := range []string{"day", "evt", "regime", "liquidity_regime", "drawdown", "portfolio_attribution",
		"open_orders"} {
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
