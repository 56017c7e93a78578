package api

import "ballast/compute/risk"

// Blocks that may be missing. A block that the wallet or the request does not call for is
// left out; one that cannot be known is null.

func (w *writer) portfolioRisk(p *risk.PortfolioRisk) {
	if !p.Known {
		return
	}
	w.fixed(`,"portfolio_risk":{"portfolio_var_99_24h":`, p.VaR99)
	w.fixed(`,"portfolio_es_99_24h":`, p.ES99)
	w.integer(`,"position_count":`, p.PositionCount)
	w.simulation(&p.Simulation)
	w.raw(`,"tail_dependence":[`)
	head := `{"asset_a":`
	for i := range p.TailDependence {
		t := &p.TailDependence[i]
		w.text(head, t.A)
		w.text(`,"asset_b":`, t.B)
		w.fixed(`,"lambda_lower":`, t.Lambda)
		w.fixed(`,"lambda_upper":`, t.Lambda)
		w.fixed(`,"pearson_rho":`, t.Pearson)
		w.fixed(`,"nu":`, t.Nu)
		w.raw(`}`)
		head = `,{"asset_a":`
	}
	w.raw(`]}`)
}

func (w *writer) simulation(s *risk.PortfolioSimulation) {
	if !s.Known {
		w.raw(`,"monte_carlo":null`)
		return
	}
	w.integer(`,"monte_carlo":{"simulations":`, s.Draws)
	w.fixed(`,"var_95":`, s.VaR95)
	w.fixed(`,"var_99":`, s.VaR99)
	w.fixed(`,"es_95":`, s.ES95)
	w.fixed(`,"es_99":`, s.ES99)
	w.fixed(`,"liquidation_probability":`, s.LiquidationProbability)
	w.raw(`,"positions":[`)
	head := `{"asset":`
	for i := range s.Positions {
		p := &s.Positions[i]
		w.text(head, p.Asset)
		w.fixed(`,"marginal_var":`, p.MarginalVaR)
		w.fixed(`,"component_var":`, p.ComponentVaR)
		w.raw(`}`)
		head = `,{"asset":`
	}
	w.fixed(`],"copula":{"family":"t","nu":`, s.Nu)
	w.raw(`}}`)
}

func (w *writer) portfolioStress(p *risk.PortfolioStress) {
	if !p.Known {
		return
	}
	w.word(`,"portfolio_stress":{"scenario":"`, risk.Scenarios[p.Scenario].ID)
	w.fixed(`,"total_pnl_usd":`, p.TotalPnLUSD)
	w.fixed(`,"total_pnl_pct":`, p.TotalPnLPct)
	w.fixed(`,"total_funding_cost_pct":`, p.FundingCostPct)
	w.boolean(`,"account_survives":`, p.AccountSurvives)
	w.integer(`,"positions_liquidated":`, p.PositionsLiquidated)
	w.raw(`}`)
}

func (w *writer) monteCarlo(m *risk.MonteCarlo) {
	if !m.Known {
		return
	}
	w.integer(`,"monte_carlo":{"simulations":`, m.Simulations)
	w.fixed(`,"var_95":`, m.VaR95)
	w.fixed(`,"var_99":`, m.VaR99)
	w.fixed(`,"expected_shortfall_95":`, m.ES95)
	w.fixed(`,"expected_shortfall_99":`, m.ES99)
	w.fixed(`,"median_return":`, m.Median)
	w.fixed(`,"worst_case":`, m.Worst)
	w.fixed(`,"confidence_interval":[`, m.Lower)
	w.fixed(`,`, m.Upper)
	w.raw(`]}`)
}

func (w *writer) evt(x *risk.EVT) {
	if !x.Known {
		w.raw(`,"evt":null`)
		return
	}
	w.fixed(`,"evt":{"var_99_9":`, x.VaR999)
	w.fixed(`,"expected_shortfall_99_9":`, x.ES999)
	w.raw(`}`)
}

func (w *writer) greeks(g *risk.Greeks) {
	w.exact(`,"greeks":{"delta":`, g.Delta)
	w.exact(`,"gamma":`, g.Gamma)
	w.exact(`,"vega":`, g.Vega)
	w.exact(`,"theta":`, g.Theta)
	w.exact(`,"liquidation_gamma":`, g.LiquidationGamma)
	w.raw(`}`)
}

func (w *writer) regime(r *risk.Regime) {
	if !r.Known {
		w.raw(`,"regime":null`)
		return
	}
	w.word(`,"regime":{"state":"`, r.State.String())
	w.fixed(`,"confidence":`, r.Confidence)
	w.raw(`}`)
}

func (w *writer) drawdown(d *risk.Drawdown) {
	if !d.Known {
		w.raw(`,"drawdown":null`)
		return
	}
	w.fixed(`,"drawdown":{"max_drawdown_pct":`, d.MaxPct)
	w.fixed(`,"current_drawdown_pct":`, d.CurrentPct)
	w.fixed(`,"peak_equity":`, d.PeakEquityUSD)
	w.fixed(`,"trough_equity":`, d.TroughEquityUSD)
	w.integer(`,"drawdown_duration_hours":`, d.DurationHours)
	w.fixed(`,"calmar_ratio":`, d.Calmar)
	w.fixed(`,"trailing_stop_distance_pct":`, d.TrailingStopPct)
	w.fixed(`,"suggested_stop_loss_pct":`, d.StopLossPct)
	w.raw(`}`)
}

func (w *writer) attribution(a *risk.Attribution) {
	if !a.Known {
		w.raw(`,"portfolio_attribution":null`)
		return
	}
	w.fixed(`,"portfolio_attribution":{"total_var_99":`, a.TotalVaR99)
	w.fixed(`,"diversification_benefit_pct":`, a.DiversificationPct)
	w.raw(`,"positions":[`)
	head := `{"asset":`
	for i := range a.Positions {
		p := &a.Positions[i]
		w.text(head, p.Asset)
		w.fixed(`,"marginal_var":`, p.MarginalVaR)
		w.fixed(`,"component_var":`, p.ComponentVaR)
		w.fixed(`,"component_var_pct":`, p.ComponentPct)
		w.raw(`}`)
		head = `,{"asset":`
	}
	w.raw(`]}`)
}
