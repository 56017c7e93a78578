package api

import "ballast/compute/risk"

// Optional blocks. A block that does not apply to the wallet or the request is left out; one that
// applies but is unknown is null.

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
	for i := range w.Each(`,"tail_dependence":`, len(pairs)) {
		p := &pairs[i]
		w.Text(`{"asset_a":`, p.A)
		w.Text(`,"asset_b":`, p.B)
		w.fixed(`,"lambda_lower":`, p.Lambda)
		w.fixed(`,"lambda_upper":`, p.Lambda)
		w.fixed(`,"pearson_rho":`, p.Pearson)
		w.fixed(`,"nu":`, p.Nu)
		w.end()
	}
}

func (w *Writer) simulation(s *risk.PortfolioSimulation) {
	if !s.Known {
		w.Raw(`,"monte_carlo":null`)
		return
	}
	w.Integer(`,"monte_carlo":{"simulations":`, s.Draws)
	w.fixed(`,"var_95":`, s.VaR95)
	w.fixed(`,"var_99":`, s.VaR99)
	w.fixed(`,"es_95":`, s.ES95)
	w.fixed(`,"es_99":`, s.ES99)
	w.fixed(`,"liquidation_probability":`, s.LiquidationProbability)
	for i := range w.Each(`,"positions":`, len(s.Positions)) {
		p := &s.Positions[i]
		w.Text(`{"asset":`, p.Asset)
		w.fixed(`,"marginal_var":`, p.MarginalVaR)
		w.fixed(`,"component_var":`, p.ComponentVaR)
		w.end()
	}
	w.fixed(`,"copula":{"family":"t","nu":`, s.Nu)
	w.Raw(`}}`)
}

func (w *Writer) portfolioStress(p *risk.PortfolioStress) {
	if !p.Known {
		return
	}
	w.word(`,"portfolio_stress":{"scenario":"`, risk.Scenarios[p.Scenario].ID)
	w.fixed(`,"total_pnl_usd":`, p.TotalPnLUSD)
	w.fixed(`,"total_pnl_pct":`, p.TotalPnLPct)
	w.fixed(`,"total_funding_cost_pct":`, p.FundingCostPct)
	w.Boolean(`,"account_survives":`, p.AccountSurvives)
	w.Integer(`,"positions_liquidated":`, p.PositionsLiquidated)
	w.failedScenarios(p.Failed)
	w.end()
}

func (w *Writer) monteCarlo(m *risk.MonteCarlo) {
	if !m.Known {
		return
	}
	w.Integer(`,"monte_carlo":{"simulations":`, m.Simulations)
	w.fixed(`,"var_95":`, m.VaR95)
	w.fixed(`,"var_99":`, m.VaR99)
	w.fixed(`,"expected_shortfall_95":`, m.ES95)
	w.fixed(`,"expected_shortfall_99":`, m.ES99)
	w.fixed(`,"median_return":`, m.Median)
	w.fixed(`,"worst_case":`, m.Worst)
	w.fixed(`,"confidence_interval":[`, m.Lower)
	w.fixed(`,`, m.Upper)
	w.Raw(`]}`)
}

func (w *Writer) evt(x *risk.EVT) {
	if !x.Known {
		w.Raw(`,"evt":null`)
		return
	}
	w.fixed(`,"evt":{"var_99_9":`, x.VaR999)
	w.fixed(`,"expected_shortfall_99_9":`, x.ES999)
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
		w.Raw(`,"regime":null,"liquidity_regime":null`)
		return
	}
	w.word(`,"regime":{"state":"`, r.State.String())
	w.fixed(`,"confidence":`, r.Confidence)
	w.word(`},"liquidity_regime":"`, r.State.String())
}

func (w *Writer) drawdown(d *risk.Drawdown) {
	if !d.Known {
		w.Raw(`,"drawdown":null`)
		return
	}
	w.fixed(`,"drawdown":{"max_drawdown_pct":`, d.MaxPct)
	w.fixed(`,"current_drawdown_pct":`, d.CurrentPct)
	w.fixed(`,"peak_equity":`, d.PeakEquityUSD)
	w.fixed(`,"trough_equity":`, d.TroughEquityUSD)
	w.fixed(`,"drawdown_duration_hours":`, float64(d.DurationHours))
	w.fixed(`,"calmar_ratio":`, d.Calmar)
	w.fixed(`,"trailing_stop_distance_pct":`, d.TrailingStopPct)
	w.fixed(`,"suggested_stop_loss_pct":`, d.StopLossPct)
	w.end()
}

func (w *Writer) attribution(a *risk.Attribution) {
	if !a.Known {
		w.Raw(`,"portfolio_attribution":null`)
		return
	}
	w.fixed(`,"portfolio_attribution":{"total_var_99":`, a.TotalVaR99)
	w.fixed(`,"diversification_benefit_pct":`, a.DiversificationPct)
	for i := range w.Each(`,"positions":`, len(a.Positions)) {
		p := &a.Positions[i]
		w.Text(`{"asset":`, p.Asset)
		w.fixed(`,"marginal_var":`, p.MarginalVaR)
		w.fixed(`,"component_var":`, p.ComponentVaR)
		w.fixed(`,"component_var_pct":`, p.ComponentPct)
		w.collateral(p.Collateral)
		w.end()
	}
	w.end()
}

// collateral marks a balance that counts as collateral among positions.
func (w *Writer) collateral(is bool) {
	if is {
		w.Raw(`,"collateral":true`)
	}
}
