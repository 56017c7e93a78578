package main

// answer is the part of a validate response that the terminal report shows.
type answer struct {
	RiskScore      float64  `json:"risk_score"`
	Recommendation string   `json:"recommendation"`
	Flags          []string `json:"flags"`
	Slippage       struct {
		Bps       float64 `json:"bps"`
		FillPrice float64 `json:"fill_price"`
		MidPrice  float64 `json:"mid_price"`
		Depth100  float64 `json:"depth_100bps"`
	} `json:"slippage"`
	Liquidation struct {
		Price             float64 `json:"price"`
		DistancePct       float64 `json:"distance_pct"`
		MarginUsedPct     float64 `json:"margin_used_pct"`
		EffectiveLeverage float64 `json:"effective_leverage"`
		// null when not known
		Probability24h *float64 `json:"probability_24h"`
		Probability7d  *float64 `json:"probability_7d"`
		Mode           string   `json:"mode"`
	} `json:"liquidation"`
	Funding struct {
		AnnualizedPct float64 `json:"annualized_pct"`
		AgentPays     bool    `json:"agent_pays"`
	} `json:"funding"`
	Impact struct {
		ExpectedBps      float64 `json:"expected_bps"`
		ParticipationPct float64 `json:"participation_pct"`
	} `json:"impact"`
	VaR struct {
		Pct95     float64   `json:"pct_95_24h"`
		Pct99     float64   `json:"pct_99_24h"`
		Dollar95  float64   `json:"dollar_95_24h"`
		Dollar99  float64   `json:"dollar_99_24h"`
		LVaR99    float64   `json:"lvar_99_24h"`
		ES99      float64   `json:"es_99_24h"`
		MarginPct float64   `json:"margin_var_99_pct"`
		Regime    string    `json:"volatility_regime"`
		Session   *struct { // null: the asset trades at all hours
			Class     string `json:"class"`
			Resting   bool   `json:"resting"`
			RestsAt   int64  `json:"rests_at"` // ms since 1970
			ReopensAt int64  `json:"reopens_at"`
		} `json:"session"`
	} `json:"var"`
	OI struct {
		Current        float64 `json:"current"`
		AtCap          bool    `json:"at_cap"`
		UtilizationPct float64 `json:"utilization_pct"`
	} `json:"oi"`
	Stress []struct {
		Scenario    string  `json:"scenario"`
		PnLPct      float64 `json:"pnl_pct"`
		PnLUSD      float64 `json:"pnl_usd"`
		DistancePct float64 `json:"liquidation_distance_pct"`
		Survives    bool    `json:"survives"`
	} `json:"stress"`
	Fees struct {
		TakerBps float64 `json:"taker_fee_bps"`
		USD      float64 `json:"estimated_fee_usd"`
	} `json:"fees"`
	Cost struct {
		EntryBps     float64 `json:"total_entry_cost_bps"`
		RoundTripBps float64 `json:"total_round_trip_cost_bps"`
		BreakevenPct float64 `json:"breakeven_move_pct"`
		DragPct      float64 `json:"funding_drag_24h_pct"`
	} `json:"cost_analysis"`
	Sizing *struct {
		MaxSafe   float64 `json:"max_safe_size_usd"`
		Suggested float64 `json:"suggested_size_usd"`
		Reason    string  `json:"size_limit_reason"`
	} `json:"sizing"`
	Position struct {
		Before, After *positionAnswer // null: no position
	} `json:"position"`
	Margin struct {
		Before, After marginAnswer
		DeltaInitial  float64  `json:"delta_initial_usd"`
		Held          float64  `json:"held_usd"`
		HeldMost      *float64 `json:"held_most_usd"` // null: no bound
		Move          struct {
			Down *float64 `json:"down_pct"` // null: none
			Up   *float64 `json:"up_pct"`
		} `json:"market_move"`
	} `json:"margin"`
	Pools      []poolAnswer `json:"pools"`
	BookBefore *struct {
		Probability24h *float64 `json:"probability_24h"`
	} `json:"book_before"`
	Admissibility struct {
		Verdict   string        `json:"verdict"`
		OrderCoin float64       `json:"order_size_coin"`
		OrderUSD  float64       `json:"order_size_usd"`
		Issues    []issueAnswer `json:"issues"`
	} `json:"admissibility"`
	Meta struct {
		Asset       string  `json:"asset"`
		Venue       string  `json:"venue"`
		MarkPrice   float64 `json:"mark_price"`
		MaxLeverage float64 `json:"max_leverage"`
		LatencyMs   float64 `json:"latency_ms"` // 0: not shown
		RequestID   string  `json:"request_id"`
		MarketAgeMs float64 `json:"market_age_ms"`
		WalletAgeMs float64 `json:"wallet_age_ms"`
		AsOf        string  `json:"as_of"`
		Notice      string  `json:"venue_notice"`
		Role        string  `json:"wallet_role"`
	} `json:"meta"`
	ModelVersion struct {
		Engine      string `json:"engine_version"`
		Calibration string `json:"calibration_hash"`
	} `json:"model_version"`
	EVT *struct {
		VaR float64 `json:"var_99_9"`
		ES  float64 `json:"expected_shortfall_99_9"`
	} `json:"evt"`
	Regime *struct {
		State      string  `json:"state"`
		Confidence float64 `json:"confidence"`
	} `json:"regime"`
	Drawdown *struct {
		MaxPct      float64 `json:"max_drawdown_pct"`
		CurrentPct  float64 `json:"current_drawdown_pct"`
		TrailingPct float64 `json:"trailing_stop_distance_pct"`
		StopPct     float64 `json:"suggested_stop_loss_pct"`
	} `json:"drawdown"`
	MonteCarlo *struct {
		Simulations int        `json:"simulations"`
		VaR95       float64    `json:"var_95"`
		VaR99       float64    `json:"var_99"`
		ES99        float64    `json:"expected_shortfall_99"`
		Median      float64    `json:"median_return"`
		Worst       float64    `json:"worst_case"`
		Interval    [2]float64 `json:"confidence_interval"`
	} `json:"monte_carlo"`
	Attribution *struct {
		Total              float64 `json:"total_var_99"`
		DiversificationPct float64 `json:"diversification_benefit_pct"`
		Positions          []struct {
			Asset    string  `json:"asset"`
			Marginal float64 `json:"marginal_var"`
			Pct      float64 `json:"component_var_pct"`
			Backs    bool    `json:"collateral"`
		} `json:"positions"`
	} `json:"portfolio_attribution"`
	PortfolioStress *struct {
		Scenario   string   `json:"scenario"`
		PnLUSD     float64  `json:"total_pnl_usd"`
		PnLPct     float64  `json:"total_pnl_pct"`
		Survives   bool     `json:"account_survives"`
		Liquidated int      `json:"positions_liquidated"`
		Failed     []string `json:"failed_scenarios"`
	} `json:"portfolio_stress"`
	Explanation *struct {
		Components  []component        `json:"components"`
		Base        float64            `json:"base"`
		Interaction float64            `json:"interaction"`
		Portfolio   float64            `json:"portfolio"`
		Regime      float64            `json:"regime"`
		HardRules   map[string]float64 `json:"hard_rules"`
		Floor       float64            `json:"floor"`
		RawScore    float64            `json:"raw_score"`
		CapGuessed  bool               `json:"oi_cap_estimated"`
		Flags       []flagAnswer       `json:"flags"`
		SizeRule    string             `json:"size_rule"`
	} `json:"explanation"`
}

// positionAnswer and marginAnswer are the position and the wallet's margin before or after the trade.
type (
	positionAnswer struct {
		Side        string   `json:"side"`
		SizeCoin    float64  `json:"size_coin"`
		NotionalUSD float64  `json:"notional_usd"`
		Leverage    float64  `json:"leverage"`
		Mode        string   `json:"mode"`
		Entry       float64  `json:"entry_price"`
		Liquidation *float64 `json:"liquidation_price"` // null: none
	}
	marginAnswer struct {
		AccountValue float64 `json:"account_value"`
		Initial      float64 `json:"initial"`
		Maintenance  float64 `json:"maintenance"`
		Free         float64 `json:"free"`
		RatioPct     float64 `json:"maintenance_ratio_pct"`
	}
)

// poolAnswer is what the venue liquidates together.
type poolAnswer struct {
	Dex         *string  `json:"dex"` // null: several
	Mode        string   `json:"mode"`
	Asset       string   `json:"asset"`
	Equity      float64  `json:"equity_usd"`
	RatioPct    float64  `json:"maintenance_ratio_pct"`
	Probability *float64 `json:"probability_24h"`
	Survives    bool     `json:"survives"`
	WorstUSD    float64  `json:"worst_pnl_usd"`
}

// issueAnswer is a venue rule that the order breaks. Fixes are null when no value would pass.
type issueAnswer struct {
	Code        string    `json:"code"`
	Got         any       `json:"got"` // a number, the venue's text, or null
	Limit       float64   `json:"limit"`
	Fix         *float64  `json:"fix"`
	FixLeverage *float64  `json:"fix_leverage"`
	Deposit     *float64  `json:"fix_deposit_usd"`
	Probability *float64  `json:"fix_deposit_probability_24h"`
	Allowed     []float64 `json:"allowed"`
}

// flagAnswer is a raised flag.
type flagAnswer struct {
	Name      string  `json:"name"`
	Severity  string  `json:"severity"`
	Value     float64 `json:"value"`
	Threshold float64 `json:"threshold"`
	Unit      string  `json:"unit"` // "": the flag has no figure
	Meaning   string  `json:"meaning"`
}

// component is one part of the score.
type component struct {
	Name         string  `json:"name"`
	Score        float64 `json:"score"` // 0 to 100
	Weight       float64 `json:"weight"`
	Contribution float64 `json:"contribution"`
}
