// Package sample holds an example of a validation: a real answer of the service for a wallet
// without positions, as JSON and as Go types. The yardsticks answer with it.
package sample

import _ "embed"

// JSON is the answer, 6.8 KB.
//
//go:embed answer.json
var JSON []byte

// Request is the body of POST /v1/validate.
type Request struct {
	Asset      string  `json:"asset"`
	Action     string  `json:"action"`
	Size       float64 `json:"size"`
	Leverage   float64 `json:"leverage"`
	Wallet     string  `json:"wallet"`
	Mode       string  `json:"mode"`
	MonteCarlo bool    `json:"monte_carlo"`
}

// Answer is the shape of JSON, the fields in the same order.
type Answer struct {
	RiskScore      float64  `json:"risk_score"`
	Recommendation string   `json:"recommendation"`
	Flags          []string `json:"flags"`
	Slippage       struct {
		Bps             float64 `json:"bps"`
		FillPrice       float64 `json:"fill_price"`
		MidPrice        float64 `json:"mid_price"`
		Depth50bps      float64 `json:"depth_50bps"`
		Depth100bps     float64 `json:"depth_100bps"`
		BidAskImbalance float64 `json:"bid_ask_imbalance"`
	} `json:"slippage"`
	Liquidation struct {
		Price             float64 `json:"price"`
		DistancePct       float64 `json:"distance_pct"`
		MarginUsedPct     float64 `json:"margin_used_pct"`
		EffectiveLeverage float64 `json:"effective_leverage"`
		Probability24h    float64 `json:"probability_24h"`
		Probability7d     float64 `json:"probability_7d"`
		Mode              string  `json:"mode"`
	} `json:"liquidation"`
	Funding struct {
		FundingRate     float64 `json:"funding_rate"`
		AnnualizedPct   float64 `json:"annualized_pct"`
		VsCEXDivergence float64 `json:"vs_cex_divergence"`
		Direction       string  `json:"direction"`
		AgentPays       bool    `json:"agent_pays"`
	} `json:"funding"`
	Impact struct {
		ExpectedBps      float64 `json:"expected_bps"`
		ParticipationPct float64 `json:"participation_pct"`
	} `json:"impact"`
	VaR struct {
		Pct9524h           float64  `json:"pct_95_24h"`
		Pct9924h           float64  `json:"pct_99_24h"`
		Dollar9524h        float64  `json:"dollar_95_24h"`
		Dollar9924h        float64  `json:"dollar_99_24h"`
		LVaR9524h          float64  `json:"lvar_95_24h"`
		LVaR9924h          float64  `json:"lvar_99_24h"`
		Pct994h            float64  `json:"pct_99_4h"`
		Pct997d            float64  `json:"pct_99_7d"`
		Dollar994h         float64  `json:"dollar_99_4h"`
		Dollar997d         float64  `json:"dollar_99_7d"`
		ES9524h            float64  `json:"es_95_24h"`
		ES9924h            float64  `json:"es_99_24h"`
		MarginVaR99Pct     float64  `json:"margin_var_99_pct"`
		VolatilityRegime   string   `json:"volatility_regime"`
		Session            *Session `json:"session"`
		VolatilityForecast struct {
			Sigma1h      float64 `json:"sigma_1h"`
			Sigma4h      float64 `json:"sigma_4h"`
			Sigma1d      float64 `json:"sigma_1d"`
			Sigma7d      float64 `json:"sigma_7d"`
			LongRunSigma float64 `json:"long_run_sigma"`
		} `json:"volatility_forecast"`
	} `json:"var"`
	OI struct {
		Current        float64 `json:"current"`
		UtilizationPct float64 `json:"utilization_pct"`
		AtCap          bool    `json:"at_cap"`
	} `json:"oi"`
	Stress []struct {
		Scenario               string  `json:"scenario"`
		Description            string  `json:"description"`
		FundingCostPct         float64 `json:"funding_cost_pct"`
		PnLPct                 float64 `json:"pnl_pct"`
		PnLUSD                 float64 `json:"pnl_usd"`
		LiquidityCostPct       float64 `json:"liquidity_cost_pct"`
		LiquidationDistancePct float64 `json:"liquidation_distance_pct"`
		Survives               bool    `json:"survives"`
	} `json:"stress"`
	Fees struct {
		TakerFeeBps     float64 `json:"taker_fee_bps"`
		EstimatedFeeUSD float64 `json:"estimated_fee_usd"`
		FeePctOfMargin  float64 `json:"fee_pct_of_margin"`
	} `json:"fees"`
	CostAnalysis struct {
		TotalEntryCostBps     float64 `json:"total_entry_cost_bps"`
		TotalRoundTripCostBps float64 `json:"total_round_trip_cost_bps"`
		BreakevenMovePct      float64 `json:"breakeven_move_pct"`
		FundingDrag24hPct     float64 `json:"funding_drag_24h_pct"`
		CostScore             float64 `json:"cost_score"`
	} `json:"cost_analysis"`
	Sizing struct {
		MaxSafeSizeUSD   float64 `json:"max_safe_size_usd"`
		SuggestedSizeUSD float64 `json:"suggested_size_usd"`
		SizeLimitReason  string  `json:"size_limit_reason"`
	} `json:"sizing"`
	Position struct {
		Before *Position `json:"before"`
		After  *Position `json:"after"`
	} `json:"position"`
	Margin struct {
		Before          Margin   `json:"before"`
		After           Margin   `json:"after"`
		DeltaInitialUSD float64  `json:"delta_initial_usd"`
		HeldUSD         float64  `json:"held_usd"`
		HeldMostUSD     *float64 `json:"held_most_usd"`
		MarketMove      struct {
			DownPct *float64 `json:"down_pct"`
			UpPct   *float64 `json:"up_pct"`
		} `json:"market_move"`
	} `json:"margin"`
	Admissibility struct {
		Verdict       string  `json:"verdict"`
		OrderSizeCoin float64 `json:"order_size_coin"`
		OrderSizeUSD  float64 `json:"order_size_usd"`
		Issues        []struct {
			Code                     string   `json:"code"`
			Field                    string   `json:"field"`
			Got                      float64  `json:"got"`
			Limit                    float64  `json:"limit"`
			Fix                      *float64 `json:"fix"`
			FixLeverage              *float64 `json:"fix_leverage"`
			FixDepositUSD            *float64 `json:"fix_deposit_usd"`
			FixDepositProbability24h *float64 `json:"fix_deposit_probability_24h"`
		} `json:"issues"`
	} `json:"admissibility"`
	OpenOrders struct {
		Source      string   `json:"source"`
		HeldUSD     float64  `json:"held_usd"`
		HeldMostUSD *float64 `json:"held_most_usd"`
		Exact       bool     `json:"exact"`
	} `json:"open_orders"`
	EVT struct {
		VaR999               float64 `json:"var_99_9"`
		ExpectedShortfall999 float64 `json:"expected_shortfall_99_9"`
	} `json:"evt"`
	Greeks struct {
		Delta            float64 `json:"delta"`
		Gamma            float64 `json:"gamma"`
		Vega             float64 `json:"vega"`
		Theta            float64 `json:"theta"`
		LiquidationGamma float64 `json:"liquidation_gamma"`
	} `json:"greeks"`
	Regime struct {
		State      string  `json:"state"`
		Confidence float64 `json:"confidence"`
	} `json:"regime"`
	Drawdown struct {
		MaxDrawdownPct          float64 `json:"max_drawdown_pct"`
		CurrentDrawdownPct      float64 `json:"current_drawdown_pct"`
		PeakEquity              float64 `json:"peak_equity"`
		TroughEquity            float64 `json:"trough_equity"`
		DrawdownDurationHours   float64 `json:"drawdown_duration_hours"`
		CalmarRatio             float64 `json:"calmar_ratio"`
		TrailingStopDistancePct float64 `json:"trailing_stop_distance_pct"`
		SuggestedStopLossPct    float64 `json:"suggested_stop_loss_pct"`
	} `json:"drawdown"`
	PortfolioAttribution struct {
		TotalVaR99                float64 `json:"total_var_99"`
		DiversificationBenefitPct float64 `json:"diversification_benefit_pct"`
		Positions                 []struct {
			Asset           string  `json:"asset"`
			MarginalVaR     float64 `json:"marginal_var"`
			ComponentVaR    float64 `json:"component_var"`
			ComponentVaRPct float64 `json:"component_var_pct"`
		} `json:"positions"`
	} `json:"portfolio_attribution"`
	Meta struct {
		Asset       string  `json:"asset"`
		MarkPrice   float64 `json:"mark_price"`
		MaxLeverage float64 `json:"max_leverage"`
		LatencyMs   float64 `json:"latency_ms"`
		MarketAgeMs float64 `json:"market_age_ms"`
		WalletAgeMs float64 `json:"wallet_age_ms"`
		RequestID   string  `json:"request_id"`
		Venue       string  `json:"venue"`
		VenueNotice *string `json:"venue_notice"`
		WalletRole  *string `json:"wallet_role"`
		AsOf        string  `json:"as_of"`
	} `json:"meta"`
	ModelVersion struct {
		EngineVersion   string `json:"engine_version"`
		CalibrationHash string `json:"calibration_hash"`
		CalibrationName string `json:"calibration_name"`
	} `json:"model_version"`
}

// Session says when the oracle of an asset rests.
type Session struct {
	Class     string `json:"class"`
	Resting   bool   `json:"resting"`
	RestsAt   int64  `json:"rests_at"`
	ReopensAt int64  `json:"reopens_at"`
}

// Position is the position in the trade's asset, before or after the trade.
type Position struct {
	Side             string   `json:"side"`
	SizeCoin         float64  `json:"size_coin"`
	NotionalUSD      float64  `json:"notional_usd"`
	Leverage         float64  `json:"leverage"`
	Mode             string   `json:"mode"`
	EntryPrice       float64  `json:"entry_price"`
	LiquidationPrice *float64 `json:"liquidation_price"`
}

// Margin is the margin of the wallet, before or after the trade.
type Margin struct {
	AccountValue        float64 `json:"account_value"`
	Initial             float64 `json:"initial"`
	Maintenance         float64 `json:"maintenance"`
	Free                float64 `json:"free"`
	MaintenanceRatioPct float64 `json:"maintenance_ratio_pct"`
}
