package api

import "ballast/compute/risk"

// Optional blocks. A block that does not apply to the wallet or the request is left out; one that
// applies but is unknown is null.

var tailKeys = keysOf(`,`, "lambda_lower", "lambda_upper", "pearson_rho", "nu")

func (w *Writer) portfolioRisk(p *risk.PortfolioRisk) {
	if !p.Known {
		return
	}
	w.fixed(`,"portfolio_risk":{"portfolio_var_99_24h":`, p.VaR99)
	w.fixed(`,"portfolio_es_99_24h":`, p.ES99)
	w.Integer(`,"position_count":`, p.PositionCount)
	w.simulation(&p.Simulation)
	w.tailDependence(p.TailDependence)
	w.end()
}

func (w *Writer) tailDependence(pairs []risk.TailDependence) {
	w.Raw(`,"tail_dependence":[`)
	head := `{"asset_a":`
	for i := range pairs {
		p := &pairs[i]
		w.Text(head, p.A)
		w.Text(`,"asset_b":`, p.B)
		w.numbers(tailKeys, p.Lambda, p.Lambda, p.Pearson, p.Nu)
		w.end()
		head = `,{"asset_a":`
	}
	w.Raw(`]`)
}

var simulationKeys = keysOf(`,`, "var_95", "var_99", "es_95", "es_99", "liquidation_probability")

// shareKeys are the keys of a position's share of the portfolio's VaR.
var shareKeys = keysOf(`,`, "marginal_var", "component_var", "component_var_pct")

func (w *Writer) simulation(s *risk.PortfolioSimulation) {
	if !s.Known {
		w.Raw(`,"monte_carlo":null`)
		return
	}
	w.Integer(`,"monte_carlo":{"simulations":`, s.Draws)
	w.numbers(simulationKeys, s.VaR95, s.VaR99, s.ES95, s.ES99, s.LiquidationProbability)
	w.Raw(`,"positions":[`)
	head := `{"asset":`
	for i := range s.Positions {
		p := &s.Positions[i]
		w.Text(head, p.Asset)
		w.numbers(shareKeys[:2], p.MarginalVaR, p.ComponentVaR)
		w.end()
		head = `,{"asset":`
	}
	w.fixed(`],"copula":{"family":"t","nu":`, s.Nu)
	w.Raw(`}}`)
}

var portfolioStressKeys = keysOf(`,`, "total_pnl_usd", "total_pnl_pct", "total_funding_cost_pct")

func (w *Writer) portfolioStress(p *risk.PortfolioStress) {
	if !p.Known {
		return
	}
	w.word(`,"portfolio_stress":{"scenario":"`, risk.Scenarios[p.Scenario].ID)
	w.numbers(portfolioStressKeys, p.TotalPnLUSD, p.TotalPnLPct, p.FundingCostPct)
	w.Boolean(`,"account_survives":`, p.AccountSurvives)
	w.Integer(`,"positions_liquidated":`, p.PositionsLiquidated)
	w.failedScenarios(p.Failed)
	w.end()
}

var monteCarloKeys = keysOf(`,`, "var_95", "var_99", "expected_shortfall_95", "expected_shortfall_99",
	"median_return", "worst_case")

func (w *Writer) monteCarlo(m *risk.MonteCarlo) {
	if !m.Known {
		return
	}
	w.Integer(`,"monte_carlo":{"simulations":`, m.Simulations)
	w.numbers(monteCarloKeys, m.VaR95, m.VaR99, m.ES95, m.ES99, m.Median, m.Worst)
	w.fixed(`,"confidence_interval":[`, m.Lower)
	w.fixed(`,`, m.Upper)
	w.Raw(`]}`)
}

var evtKeys = keysOf(`,"evt":{`, "var_99_9", "expected_shortfall_99_9")

func (w *Writer) evt(x *risk.EVT) {
	if !x.Known {
		w.Raw(`,"evt":null`)
		return
	}
	w.numbers(evtKeys, x.VaR999, x.ES999)
	w.end()
}

func (w *Writer) greeks(g *risk.Greeks) {
	w.Exact(`,"greeks":{"delta":`, g.Delta)
	w.Exact(`,"gamma":`, g.Gamma)
	w.Exact(`,"vega":`, g.Vega)
	w.Exact(`,"theta":`, g.Theta)
	w.Exact(`,"liquidation_gamma":`, g.LiquidationGamma)
	w.end()
}

func (w *Writer) regime(r *risk.Regime) {
	if !r.Known {
		w.Raw(`,"regime":null`)
		return
	}
	w.word(`,"regime":{"state":"`, r.State.String())
	w.fixed(`,"confidence":`, r.Confidence)
	w.end()
}

var drawdownKeys = keysOf(``, "max_drawdown_pct", "current_drawdown_pct", "peak_equity", "trough_equity",
	"drawdown_duration_hours", "calmar_ratio", "trailing_stop_distance_pct", "suggested_stop_loss_pct")

func (w *Writer) drawdown(d *risk.Drawdown) {
	if !d.Known {
		w.Raw(`,"drawdown":null`)
		return
	}
	w.Raw(`,"drawdown":{`)
	w.numbers(drawdownKeys, d.MaxPct, d.CurrentPct, d.PeakEquityUSD, d.TroughEquityUSD,
		float64(d.DurationHours), d.Calmar, d.TrailingStopPct, d.StopLossPct)
	w.end()
}

var attributionKeys = keysOf(``, "total_var_99", "diversification_benefit_pct")

func (w *Writer) attribution(a *risk.Attribution) {
	if !a.Known {
		w.Raw(`,"portfolio_attribution":null`)
		return
	}
	w.Raw(`,"portfolio_attribution":{`)
	w.numbers(attributionKeys, a.TotalVaR99, a.DiversificationPct)
	w.Raw(`,"positions":[`)
	head := `{"asset":`
	for i := range a.Positions {
		p := &a.Positions[i]
		w.Text(head, p.Asset)
		w.numbers(shareKeys, p.MarginalVaR, p.ComponentVaR, p.ComponentPct)
		w.collateral(p.Collateral)
		w.end()
		head = `,{"asset":`
	}
	w.Raw(`]}`)
}

// collateral marks a balance that counts as collateral among positions.
func (w *Writer) collateral(is bool) {
	if is {
		w.Raw(`,"collateral":true`)
	}
}
