// Written by clients/generate.py from the contract in server/spec. Do not edit.

package ballast

// ValidationRequest: A trade to be assessed before it is sent to the venue. `null` for an optional field
// equals leaving it out; an unknown or repeated key is an error.
type ValidationRequest struct {
	// The venue's ticker, case-sensitive, as in `GET /v1/assets`. Listed, not delisted.
	Asset string `json:"asset"`
	// `long` and `short` add to the position of the wallet; `close` reduces it by up to `size`.
	Action Action `json:"action"`
	// USD at mark, over 0.
	Size float64 `json:"size"`
	// Address of the account: `0x` and 40 hexadecimal digits, compared without case. It need not exist at the
	// venue.
	Wallet string `json:"wallet"`
	// Multiple, up to the asset's maximum. Left out: that of the open position, else the wallet's setting at the
	// venue, else 20 or the asset's maximum, whichever is less.
	Leverage float64 `json:"leverage,omitzero"`
	// Margin mode of a new position; an open position keeps its own. Left out: `cross`.
	Mode Mode `json:"mode,omitzero"`
	// Add simulations to the answer. Left out: false.
	MonteCarlo bool `json:"monte_carlo,omitzero"`
}

// BatchTrade: One trade of a batch: a validation request without `wallet`.
type BatchTrade struct {
	// The venue's ticker, case-sensitive, as in `GET /v1/assets`. Listed, not delisted.
	Asset string `json:"asset"`
	// `long` and `short` add to the position of the wallet; `close` reduces it by up to `size`.
	Action Action `json:"action"`
	// USD at mark, over 0.
	Size float64 `json:"size"`
	// Multiple, up to the asset's maximum. Left out: that of the open position, else the wallet's setting at the
	// venue, else 20 or the asset's maximum, whichever is less.
	Leverage float64 `json:"leverage,omitzero"`
	// Margin mode of a new position; an open position keeps its own. Left out: `cross`.
	Mode Mode `json:"mode,omitzero"`
	// Add simulations to the answer. Left out: false.
	MonteCarlo bool `json:"monte_carlo,omitzero"`
}

// BatchRequest: A plan of trades, checked as a sequence.
type BatchRequest struct {
	// Address of the account: `0x` and 40 hexadecimal digits, compared without case. It need not exist at the
	// venue.
	Wallet string `json:"wallet"`
	// In the order in which they would be sent; each is assessed as if those before it had filled.
	Trades []BatchTrade `json:"trades"`
}

// Flag: Name of a concern. Rules, units and meaning: `GET /v1/model-info`.
type Flag string

// Scenario: Historical stress window. Shocks of each: `GET /v1/model-info`.
type Scenario string

// Slippage: What the order book makes of the order.
type Slippage struct {
	// Average fill against mid price, basis points, positive: a cost.
	Bps float64 `json:"bps"`
	// Estimated average fill price, USD.
	FillPrice float64 `json:"fill_price"`
	// Mid price of the book, USD; of a book with one empty side its best price.
	MidPrice float64 `json:"mid_price"`
	// Liquidity of both sides within 50 bps of mid, USD.
	Depth50bps float64 `json:"depth_50bps"`
	// Liquidity of both sides within 100 bps of mid, USD.
	Depth100bps float64 `json:"depth_100bps"`
	// Positive: more bids than asks near the mid price.
	BidAskImbalance float64 `json:"bid_ask_imbalance"`
}

// Liquidation: How far liquidation is, of the position after the fill.
type Liquidation struct {
	// Mark price at which the position is liquidated, USD; 0 when there is none.
	Price float64 `json:"price"`
	// Distance from mark to liquidation price, percent of mark; 100 when there is none.
	DistancePct float64 `json:"distance_pct"`
	// Initial margin that the trade takes, percent of the free margin.
	MarginUsedPct float64 `json:"margin_used_pct"`
	// Gross notional over equity of the pool that carries the position, multiple.
	EffectiveLeverage float64 `json:"effective_leverage"`
	// Chance that the price reaches liquidation within 24 hours, fraction. 0 when flat, null without candles of
	// every asset involved.
	Probability24h *float64 `json:"probability_24h"`
	// Chance that the price reaches liquidation within 7 days, fraction. 0 when flat, null without candles of
	// every asset involved.
	Probability7d *float64 `json:"probability_7d"`
	// Margin mode used; `close` when nothing is left.
	Mode LiquidationMode `json:"mode"`
}

// Funding: What holding the position costs or earns in funding.
type Funding struct {
	// Rate of the current hour, fraction per hour, positive: longs pay.
	FundingRate float64 `json:"funding_rate"`
	// Funding of the position after the fill, percent a year, positive: you pay.
	AnnualizedPct float64 `json:"annualized_pct"`
	// Rate over the mean rate of centralised exchanges, times; 0 when rates are negligible.
	VsCEXDivergence float64 `json:"vs_cex_divergence"`
	// Who pays whom.
	Direction FundingDirection `json:"direction"`
	// The requester pays.
	AgentPays bool `json:"agent_pays"`
}

// Impact: How the trade moves the market.
type Impact struct {
	// Expected price impact, basis points.
	ExpectedBps float64 `json:"expected_bps"`
	// Trade size in percent of 24 h volume.
	ParticipationPct float64 `json:"participation_pct"`
}

// VolatilityForecast: Volatility forecast by horizon.
type VolatilityForecast struct {
	// Forecast over 1 hour, annualised, fraction.
	Sigma1h float64 `json:"sigma_1h"`
	// Forecast over 4 hours, annualised, fraction.
	Sigma4h float64 `json:"sigma_4h"`
	// Forecast over 1 day, annualised, fraction.
	Sigma1d float64 `json:"sigma_1d"`
	// Forecast over 7 days, annualised, fraction.
	Sigma7d float64 `json:"sigma_7d"`
	// Long-run volatility, annualised, fraction.
	LongRunSigma float64 `json:"long_run_sigma"`
}

// ValueAtRisk: Value at risk and expected shortfall of the position after the fill.
type ValueAtRisk struct {
	// VaR 95 % over 24 h, percent of notional, a loss is positive; of a short it may exceed 100.
	Pct95_24h float64 `json:"pct_95_24h"`
	// VaR 99 % over 24 h, percent of notional, a loss is positive; of a short it may exceed 100.
	Pct99_24h float64 `json:"pct_99_24h"`
	// VaR 95 % over 24 h, USD, a loss is positive.
	Dollar95_24h float64 `json:"dollar_95_24h"`
	// VaR 99 % over 24 h, USD, a loss is positive.
	Dollar99_24h float64 `json:"dollar_99_24h"`
	// VaR 95 % over 24 h plus the cost of leaving, USD.
	Lvar95_24h float64 `json:"lvar_95_24h"`
	// VaR 99 % over 24 h plus the cost of leaving, USD.
	Lvar99_24h float64 `json:"lvar_99_24h"`
	// VaR 99 % over 4 h, percent of notional, a loss is positive; of a short it may exceed 100.
	Pct99_4h float64 `json:"pct_99_4h"`
	// VaR 99 % over 7 days, percent of notional, a loss is positive; of a short it may exceed 100.
	Pct99_7d float64 `json:"pct_99_7d"`
	// VaR 99 % over 4 h, USD, a loss is positive.
	Dollar99_4h float64 `json:"dollar_99_4h"`
	// VaR 99 % over 7 days, USD, a loss is positive.
	Dollar99_7d float64 `json:"dollar_99_7d"`
	// Expected shortfall beyond VaR 95 % over 24 h, percent of notional.
	Es95_24h float64 `json:"es_95_24h"`
	// Expected shortfall beyond VaR 99 % over 24 h, percent of notional.
	Es99_24h float64 `json:"es_99_24h"`
	// VaR 99 % over 24 h in percent of the position's margin.
	MarginVaR99Pct float64 `json:"margin_var_99_pct"`
	// Today's volatility against the asset's own history.
	VolatilityRegime VolatilityRegime `json:"volatility_regime"`
	// Null without candles.
	VolatilityForecast *VolatilityForecast `json:"volatility_forecast"`
}

// OpenInterest: Open interest of the asset.
type OpenInterest struct {
	// USD, one side.
	Current float64 `json:"current"`
	// Percent of the cap, which is an estimate where the venue publishes none.
	UtilizationPct float64 `json:"utilization_pct"`
	// The venue takes no increase.
	AtCap bool `json:"at_cap"`
}

// StressResult: The position in one historical scenario.
type StressResult struct {
	Scenario Scenario `json:"scenario"`
	// The scenario in words.
	Description string `json:"description"`
	// Funding over the scenario, percent of notional, positive: paid.
	FundingCostPct float64 `json:"funding_cost_pct"`
	// Profit or loss, percent of notional, negative: a loss.
	PnLPct float64 `json:"pnl_pct"`
	// Profit or loss, USD, negative: a loss.
	PnLUSD float64 `json:"pnl_usd"`
	// Cost of leaving in that market, percent of notional.
	LiquidityCostPct float64 `json:"liquidity_cost_pct"`
	// Distance to liquidation after the shock, percent; 0 when it is liquidated.
	LiquidationDistancePct float64 `json:"liquidation_distance_pct"`
	// The position is not liquidated on the way.
	Survives bool `json:"survives"`
}

// PortfolioRisk: The book after the trade. Left out when the wallet has fewer than two open positions.
type PortfolioRisk struct {
	// VaR 99 % over 24 h of the book, with correlations, USD.
	PortfolioVaR99_24h float64 `json:"portfolio_var_99_24h"`
	// Expected shortfall beyond it, USD.
	PortfolioEs99_24h float64 `json:"portfolio_es_99_24h"`
	// Open positions now.
	PositionCount int64 `json:"position_count"`
	// Null unless `monte_carlo` was asked for.
	MonteCarlo *PortfolioSimulation `json:"monte_carlo"`
	// One entry for each pair of the book after the trade; a pair with too little common history has none.
	TailDependence []TailDependence `json:"tail_dependence"`
}

// PortfolioSimulation: Simulated day of the book after the trade.
type PortfolioSimulation struct {
	// Scenarios drawn.
	Simulations int64 `json:"simulations"`
	// VaR 95 %, USD.
	VaR95 float64 `json:"var_95"`
	// VaR 99 %, USD.
	VaR99 float64 `json:"var_99"`
	// Expected shortfall beyond VaR 95 %, USD.
	Es95 float64 `json:"es_95"`
	// Expected shortfall beyond VaR 99 %, USD.
	Es99 float64 `json:"es_99"`
	// Share of scenarios in which some position is liquidated, fraction.
	LiquidationProbability float64 `json:"liquidation_probability"`
	// Each position's share.
	Positions []SimulatedShare `json:"positions"`
	Copula    Copula           `json:"copula"`
}

// SimulatedShare: One position's share of the simulated VaR 99 %.
type SimulatedShare struct {
	// Ticker.
	Asset string `json:"asset"`
	// VaR less that of the book without it, USD.
	MarginalVaR float64 `json:"marginal_var"`
	// Its part of the VaR, USD; the parts add up.
	ComponentVaR float64 `json:"component_var"`
}

// Copula: How the assets move together in the simulation.
type Copula struct {
	// Student t.
	Family string `json:"family"`
	// Degrees of freedom.
	Nu float64 `json:"nu"`
}

// TailDependence: How two assets of the book fall together.
type TailDependence struct {
	// Ticker.
	AssetA string `json:"asset_a"`
	// Ticker.
	AssetB string `json:"asset_b"`
	// Coefficient of lower tail dependence, fraction.
	LambdaLower float64 `json:"lambda_lower"`
	// Coefficient of upper tail dependence, fraction.
	LambdaUpper float64 `json:"lambda_upper"`
	// Correlation of hourly returns.
	PearsonRho float64 `json:"pearson_rho"`
	// Degrees of freedom of the fitted t copula.
	Nu float64 `json:"nu"`
}

// PortfolioStress: The worst scenario of the book. Left out when the wallet has no position.
type PortfolioStress struct {
	Scenario Scenario `json:"scenario"`
	// Profit or loss of the book, USD, negative: a loss.
	TotalPnLUSD float64 `json:"total_pnl_usd"`
	// The same in percent of the account value, negative: a loss.
	TotalPnLPct float64 `json:"total_pnl_pct"`
	// Funding over the scenario, percent of the account value, positive: paid.
	TotalFundingCostPct float64 `json:"total_funding_cost_pct"`
	// The account keeps its maintenance margin.
	AccountSurvives bool `json:"account_survives"`
	// Positions liquidated.
	PositionsLiquidated int64 `json:"positions_liquidated"`
}

// Fees: Fee of the trade.
type Fees struct {
	// The wallet's taker rate, basis points, negative: a rebate.
	TakerFeeBps float64 `json:"taker_fee_bps"`
	// USD.
	EstimatedFeeUSD float64 `json:"estimated_fee_usd"`
	// Percent of the trade's initial margin.
	FeePctOfMargin float64 `json:"fee_pct_of_margin"`
}

// CostAnalysis: Costs together.
type CostAnalysis struct {
	// Slippage, impact and fee, basis points.
	TotalEntryCostBps float64 `json:"total_entry_cost_bps"`
	// Entry and exit, basis points.
	TotalRoundTripCostBps float64 `json:"total_round_trip_cost_bps"`
	// Price move that pays for all costs, percent.
	BreakevenMovePct float64 `json:"breakeven_move_pct"`
	// Funding of 24 h in percent of margin, negative: received.
	FundingDrag24hPct float64 `json:"funding_drag_24h_pct"`
	// 0 negligible, 1 extremely expensive.
	CostScore float64 `json:"cost_score"`
}

// Sizing: How large the trade may be.
type Sizing struct {
	// Largest size within the four limits (book depth, open interest, margin with the loss, market impact), USD,
	// made smaller where the score allows nothing near it. It is not itself checked: the answer at this size may
	// be `abort`. Send `suggested_size_usd`.
	MaxSafeSizeUSD float64 `json:"max_safe_size_usd"`
	// The size to send, USD: at this size the answer is `proceed`, unless the market changes. At most
	// `max_safe_size_usd`; 0: there is none.
	SuggestedSizeUSD float64 `json:"suggested_size_usd"`
	// The constraint that binds.
	SizeLimitReason SizeLimitReason `json:"size_limit_reason"`
}

// PositionState: A position in the asset.
type PositionState struct {
	// Direction.
	Side Side `json:"side"`
	// Coins, not signed.
	SizeCoin float64 `json:"size_coin"`
	// USD at mark.
	NotionalUSD float64 `json:"notional_usd"`
	// Leverage setting, multiple.
	Leverage float64 `json:"leverage"`
	// Margin mode.
	Mode Mode `json:"mode"`
	// Average entry price, USD.
	EntryPrice float64 `json:"entry_price"`
	// USD; null when there is none.
	LiquidationPrice *float64 `json:"liquidation_price"`
}

// PositionChange: The position in the asset as read and as the trade leaves it.
type PositionChange struct {
	// Null when flat.
	Before *PositionState `json:"before"`
	// Null when flat.
	After *PositionState `json:"after"`
}

// Margin: Margin of the whole wallet at marks.
type Margin struct {
	// Equity of the cross pool plus that of isolated positions, USD; may be negative.
	AccountValue float64 `json:"account_value"`
	// Initial margin of all positions, USD.
	Initial float64 `json:"initial"`
	// Maintenance margin of all positions, USD.
	Maintenance float64 `json:"maintenance"`
	// Equity of the cross pool less the initial margin of its positions, USD.
	Free float64 `json:"free"`
	// Maintenance margin in percent of equity, the largest of the cross pool's and of each isolated position's;
	// the venue liquidates at 100. 1000 without equity.
	MaintenanceRatioPct float64 `json:"maintenance_ratio_pct"`
}

// MarginChange: What the trade does to the wallet's margin.
type MarginChange struct {
	Before Margin `json:"before"`
	After  Margin `json:"after"`
	// Initial margin that the trade takes, USD, negative: it frees margin.
	DeltaInitialUSD float64 `json:"delta_initial_usd"`
}

// Admissibility: Whether the venue would take the order.
type Admissibility struct {
	// `unknown`: the account's collateral could not be read exactly.
	Verdict Verdict `json:"verdict"`
	// What to send: the size rounded down to the venue's lot, coins.
	OrderSizeCoin float64 `json:"order_size_coin"`
	// Its notional at mark, USD.
	OrderSizeUSD float64 `json:"order_size_usd"`
	// Why the venue would refuse it.
	Issues []Issue `json:"issues"`
}

// Issue: One reason for which the venue would refuse the order, and what would mend it.
type Issue struct {
	// Rule of the venue that the order breaks.
	Code IssueCode `json:"code"`
	// Field of the request to change.
	Field IssueField `json:"field"`
	// What the request comes to, in the unit of the rule: USD, or a multiple for leverage.
	Got float64 `json:"got"`
	// What the venue allows, in the same unit.
	Limit float64 `json:"limit"`
	// A value of `field` that the venue would take; null when there is none.
	Fix *float64 `json:"fix"`
	// Only with `insufficient_margin`: the smallest whole leverage that carries the size; null when there is
	// none.
	FixLeverage float64 `json:"fix_leverage,omitzero"`
}

// MonteCarlo: Simulated day of the position. Left out unless `monte_carlo` was asked for.
type MonteCarlo struct {
	// Paths.
	Simulations int64 `json:"simulations"`
	// VaR 95 %, percent of notional.
	VaR95 float64 `json:"var_95"`
	// VaR 99 %, percent of notional.
	VaR99 float64 `json:"var_99"`
	// Beyond VaR 95 %, percent of notional.
	ExpectedShortfall95 float64 `json:"expected_shortfall_95"`
	// Beyond VaR 99 %, percent of notional.
	ExpectedShortfall99 float64 `json:"expected_shortfall_99"`
	// Percent of notional.
	MedianReturn float64 `json:"median_return"`
	// Worst path, percent of notional, negative: a loss.
	WorstCase float64 `json:"worst_case"`
	// Bounds of the central 95 % of outcomes: lower, upper.
	ConfidenceInterval []float64 `json:"confidence_interval"`
}

// ExtremeValue: Tail beyond the quantiles, by extreme value theory.
type ExtremeValue struct {
	// VaR 99.9 % over 24 h, percent of notional.
	VaR99_9 float64 `json:"var_99_9"`
	// Beyond it, percent of notional.
	ExpectedShortfall99_9 float64 `json:"expected_shortfall_99_9"`
}

// Greeks: Sensitivities of the position after the fill.
type Greeks struct {
	// Profit in USD for each USD of price; positive: long.
	Delta float64 `json:"delta"`
	// Change of delta for each USD of price.
	Gamma float64 `json:"gamma"`
	// Profit in USD for each point of annual volatility.
	Vega float64 `json:"vega"`
	// Profit in USD a day from funding and costs; negative: it costs.
	Theta float64 `json:"theta"`
	// Change of the liquidation distance, in points, for each percent of price.
	LiquidationGamma float64 `json:"liquidation_gamma"`
}

// Regime: Liquidity regime of the asset.
type Regime struct {
	// State.
	State RegimeState `json:"state"`
	// Probability of that state, fraction.
	Confidence float64 `json:"confidence"`
}

// Drawdown: History of the asset, and stops that follow from it.
type Drawdown struct {
	// Largest drawdown, percent.
	MaxDrawdownPct float64 `json:"max_drawdown_pct"`
	// From the recent peak, percent.
	CurrentDrawdownPct float64 `json:"current_drawdown_pct"`
	// Equity of the position at the peak, USD.
	PeakEquity float64 `json:"peak_equity"`
	// At the trough, USD.
	TroughEquity float64 `json:"trough_equity"`
	// Of the current drawdown, hours.
	DrawdownDurationHours int64 `json:"drawdown_duration_hours"`
	// Annual return over the largest drawdown.
	CalmarRatio float64 `json:"calmar_ratio"`
	// From the average true range, percent.
	TrailingStopDistancePct float64 `json:"trailing_stop_distance_pct"`
	// From volatility and leverage, percent.
	SuggestedStopLossPct float64 `json:"suggested_stop_loss_pct"`
}

// AttributedPosition: One position's share of the book's risk.
type AttributedPosition struct {
	// Ticker.
	Asset string `json:"asset"`
	// VaR less that of the book without it, USD.
	MarginalVaR float64 `json:"marginal_var"`
	// Its part of the VaR, USD; the parts add up.
	ComponentVaR float64 `json:"component_var"`
	// Its part in percent of the VaR.
	ComponentVaRPct float64 `json:"component_var_pct"`
}

// PortfolioAttribution: Which position carries the risk of the book after the trade.
type PortfolioAttribution struct {
	// VaR 99 % over 24 h of the book, USD.
	TotalVaR99 float64 `json:"total_var_99"`
	// How much less than the sum of the positions' own VaR, percent.
	DiversificationBenefitPct float64 `json:"diversification_benefit_pct"`
	// In the account's order.
	Positions []AttributedPosition `json:"positions"`
}

// Meta: About the answer.
type Meta struct {
	// Ticker; of a trade that was not assessed the text of the request.
	Asset string `json:"asset"`
	// USD.
	MarkPrice float64 `json:"mark_price"`
	// The asset's maximum, multiple.
	MaxLeverage float64 `json:"max_leverage"`
	// Time that the service took, ms.
	LatencyMs float64 `json:"latency_ms"`
	// Age of the oldest price used, ms: best levels and mark prices, of all assets of the answer.
	MarketAgeMs float64 `json:"market_age_ms"`
	// Age of the account, ms.
	WalletAgeMs float64 `json:"wallet_age_ms"`
	// That of the header `X-Request-Id`.
	RequestID string `json:"request_id"`
	// Where the data come from; `custom` is another address.
	Venue Venue `json:"venue"`
	// Moment that all figures are of, UTC with milliseconds.
	AsOf string `json:"as_of"`
}

// RejectedMeta: About the answer.
type RejectedMeta struct {
	// Ticker; of a trade that was not assessed the text of the request.
	Asset string `json:"asset"`
	// USD.
	MarkPrice float64 `json:"mark_price"`
	// The asset's maximum, multiple.
	MaxLeverage float64 `json:"max_leverage"`
	// Time that the service took, ms.
	LatencyMs float64 `json:"latency_ms"`
	// Age of the oldest price used, ms: best levels and mark prices, of all assets of the answer.
	MarketAgeMs float64 `json:"market_age_ms"`
	// Age of the account, ms.
	WalletAgeMs float64 `json:"wallet_age_ms"`
	// That of the header `X-Request-Id`.
	RequestID string `json:"request_id"`
	// Where the data come from; `custom` is another address.
	Venue Venue `json:"venue"`
	// Moment that all figures are of, UTC with milliseconds.
	AsOf string `json:"as_of"`
	// The rule that the trade breaks, as in `detail` of a validation error.
	Error string `json:"error"`
}

// ReportMeta: About the answer.
type ReportMeta struct {
	// Time that the service took, ms.
	LatencyMs float64 `json:"latency_ms"`
	// Age of the oldest price used, ms: best levels and mark prices, of all assets of the answer.
	MarketAgeMs float64 `json:"market_age_ms"`
	// Age of the account, ms.
	WalletAgeMs float64 `json:"wallet_age_ms"`
	// That of the header `X-Request-Id`.
	RequestID string `json:"request_id"`
	// Where the data come from; `custom` is another address.
	Venue Venue `json:"venue"`
	// Moment that all figures are of, UTC with milliseconds.
	AsOf string `json:"as_of"`
}

// ModelVersion: Which engine and which parameters are behind the answer.
type ModelVersion struct {
	// Semantic version of the risk engine.
	EngineVersion string `json:"engine_version"`
	// SHA-256 of the parameters behind this answer; zeros when nothing was assessed.
	CalibrationHash string `json:"calibration_hash"`
	// Name of the calibration.
	CalibrationName string `json:"calibration_name"`
}

// Assessment: The assessment of one trade. Liquidation, VaR, stress and funding are of the position after the
// fill; slippage, impact and fees are of the trade.
type Assessment struct {
	// Composite score, 0 (lowest risk) to 100 (highest).
	RiskScore float64 `json:"risk_score"`
	// `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above. A trade that only reduces
	// a position is always `proceed`.
	Recommendation Recommendation `json:"recommendation"`
	// Concerns raised, critical ones first.
	Flags       []Flag       `json:"flags"`
	Slippage    Slippage     `json:"slippage"`
	Liquidation Liquidation  `json:"liquidation"`
	Funding     Funding      `json:"funding"`
	Impact      Impact       `json:"impact"`
	VaR         ValueAtRisk  `json:"var"`
	OI          OpenInterest `json:"oi"`
	// One entry for each scenario.
	Stress          []StressResult   `json:"stress"`
	PortfolioRisk   *PortfolioRisk   `json:"portfolio_risk,omitzero"`
	PortfolioStress *PortfolioStress `json:"portfolio_stress,omitzero"`
	Fees            Fees             `json:"fees"`
	CostAnalysis    CostAnalysis     `json:"cost_analysis"`
	Sizing          Sizing           `json:"sizing"`
	Position        PositionChange   `json:"position"`
	Margin          MarginChange     `json:"margin"`
	Admissibility   Admissibility    `json:"admissibility"`
	MonteCarlo      *MonteCarlo      `json:"monte_carlo,omitzero"`
	// Null with less than a day of candles.
	EVT    *ExtremeValue `json:"evt"`
	Greeks Greeks        `json:"greeks"`
	// Null without a candle.
	Regime *Regime `json:"regime"`
	// Null below 30 bars.
	Drawdown *Drawdown `json:"drawdown"`
	// Null when nothing is held after the trade.
	PortfolioAttribution *PortfolioAttribution `json:"portfolio_attribution"`
	Meta                 Meta                  `json:"meta"`
	ModelVersion         ModelVersion          `json:"model_version"`
	Explanation          *Explanation          `json:"explanation,omitzero"`
}

// RejectedTrade: What stands for a trade of a batch that breaks a rule: zeros, score 100, `abort`, and the
// rule in `meta.error`. It changes nothing for the trades behind it.
type RejectedTrade struct {
	// Composite score, 0 (lowest risk) to 100 (highest).
	RiskScore float64 `json:"risk_score"`
	// `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above. A trade that only reduces
	// a position is always `proceed`.
	Recommendation Recommendation `json:"recommendation"`
	// Concerns raised, critical ones first.
	Flags       []Flag       `json:"flags"`
	Slippage    Slippage     `json:"slippage"`
	Liquidation Liquidation  `json:"liquidation"`
	Funding     Funding      `json:"funding"`
	Impact      Impact       `json:"impact"`
	VaR         ValueAtRisk  `json:"var"`
	OI          OpenInterest `json:"oi"`
	// One entry for each scenario.
	Stress        []StressResult `json:"stress"`
	Fees          Fees           `json:"fees"`
	CostAnalysis  CostAnalysis   `json:"cost_analysis"`
	Position      PositionChange `json:"position"`
	Margin        MarginChange   `json:"margin"`
	Admissibility Admissibility  `json:"admissibility"`
	Meta          RejectedMeta   `json:"meta"`
	ModelVersion  ModelVersion   `json:"model_version"`
}

// BatchAnswer: Assessments in the order of the trades.
type BatchAnswer struct {
	// One for each trade.
	Results []TradeResult[Assessment, RejectedTrade] `json:"results"`
}

// Component: One component of the score.
type Component struct {
	// Component.
	Name ComponentName `json:"name"`
	// Its figures as computed.
	Raw ComponentRaw `json:"raw"`
	// Points.
	Score float64 `json:"score"`
	// The weight used, fraction.
	Weight float64 `json:"weight"`
	// Weight times score, points.
	Contribution float64 `json:"contribution"`
}

// ComponentRaw: Its figures as computed.
type ComponentRaw struct {
	// Distance over VaR 99 % of 24 h.
	DistanceOverVaR99_24h *float64 `json:"distance_over_var_99_24h,omitzero"`
	// Distance to liquidation, percent.
	DistancePct *float64 `json:"distance_pct,omitzero"`
	// VaR 99 % in percent of notional times `score_leverage`.
	MarginVaR99Pct *float64 `json:"margin_var_99_pct,omitzero"`
	// Open interest in percent of the cap.
	UtilizationPct *float64 `json:"utilization_pct,omitzero"`
	// Increase in percent of open interest.
	IncreasePctOfOI *float64 `json:"increase_pct_of_oi,omitzero"`
	// Slippage, basis points.
	Bps *float64 `json:"bps,omitzero"`
	// Funding of 24 h in percent of notional times `score_leverage`.
	FundingDrag24hPct *float64 `json:"funding_drag_24h_pct,omitzero"`
	// Funding, percent a year.
	AnnualizedPct *float64 `json:"annualized_pct,omitzero"`
	// Impact, basis points.
	ExpectedBps *float64 `json:"expected_bps,omitzero"`
}

// RaisedFlag: A raised flag with its figures.
type RaisedFlag struct {
	Name Flag `json:"name"`
	// Severity.
	Severity Severity `json:"severity"`
	// The figure that raised it; 1 for a rule without a figure.
	Value float64 `json:"value"`
	// What it was held against; 0 for a rule without a figure.
	Threshold float64 `json:"threshold"`
	// Unit of both, empty for a rule without a figure.
	Unit string `json:"unit"`
	// In a few words.
	Meaning string `json:"meaning"`
}

// Explanation: How the score came about, in numbers that round-trip. With `?explain=true`.
type Explanation struct {
	// All six.
	Components []Component `json:"components"`
	// Sum of contributions, points.
	Base float64 `json:"base"`
	// Added for components that are bad together, points.
	Interaction float64 `json:"interaction"`
	// Added for the book, points.
	Portfolio float64 `json:"portfolio"`
	// Added for the regime, points.
	Regime float64 `json:"regime"`
	// The floor under the score that each hard rule sets, 0 where it does not apply. Rules: docs/model.md.
	HardRules ExplanationHardRules `json:"hard_rules"`
	// The highest floor, points.
	Floor float64 `json:"floor"`
	// The score before its rounding to 1e-4.
	RawScore float64 `json:"raw_score"`
	// The open-interest cap is a guess: `oi` has no weight.
	OICapEstimated bool `json:"oi_cap_estimated"`
	// Leverage that the score sees, multiple.
	ScoreLeverage float64 `json:"score_leverage"`
	// Figures of other blocks as computed.
	Inputs ExplanationInputs `json:"inputs"`
	// Before the trade, USD.
	AccountValue float64 `json:"account_value"`
	// Open positions after the trade.
	PositionsAfter int64 `json:"positions_after"`
	// Joint loss of the book after the trade, USD.
	PortfolioVaR99_24h float64 `json:"portfolio_var_99_24h"`
	// Filtered probabilities, fractions.
	RegimeProbabilities ExplanationRegimeProbabilities `json:"regime_probabilities"`
	// Breakeven move, percent of margin.
	BreakevenMovePctOfMargin float64 `json:"breakeven_move_pct_of_margin"`
	// Ages of the book.
	Slippage ExplanationSlippage `json:"slippage"`
	// Ages of the asset's context.
	Context ExplanationContext `json:"context"`
	// History of funding.
	Funding ExplanationFunding `json:"funding"`
	// The widest gap between a mark and another reading of the same price; null when all are equal.
	Divergence *ExplanationDivergence `json:"divergence"`
	// Each constraint on the size, USD.
	Sizing ExplanationSizing `json:"sizing"`
	// Sampling errors, only with a simulation.
	MonteCarlo *ExplanationMonteCarlo `json:"monte_carlo,omitzero"`
	// Behind the Greeks.
	Greeks ExplanationGreeks `json:"greeks"`
	// In the order of `flags`.
	Flags []RaisedFlag `json:"flags"`
}

// ExplanationHardRules: The floor under the score that each hard rule sets, 0 where it does not apply. Rules:
// docs/model.md.
type ExplanationHardRules struct {
	// Points.
	H1 float64 `json:"H1"`
	// Points.
	H2 float64 `json:"H2"`
	// Points.
	H3 float64 `json:"H3"`
	// Points.
	H4 float64 `json:"H4"`
	// Points.
	H5 float64 `json:"H5"`
	// Points.
	H6 float64 `json:"H6"`
	// Points.
	H7 float64 `json:"H7"`
	// Points.
	H8 float64 `json:"H8"`
	// Points.
	H9 float64 `json:"H9"`
	// Points.
	H10 float64 `json:"H10"`
	// Points.
	H11 float64 `json:"H11"`
	// Points.
	H12 float64 `json:"H12"`
	// Points.
	H13 float64 `json:"H13"`
}

// ExplanationInputs: Figures of other blocks as computed.
type ExplanationInputs struct {
	// Percent.
	Pct99_24h float64 `json:"pct_99_24h"`
	// Percent.
	Pct99_4h float64 `json:"pct_99_4h"`
	// Fraction.
	Probability24h *float64 `json:"probability_24h"`
	// Basis points.
	TotalRoundTripCostBps float64 `json:"total_round_trip_cost_bps"`
	// Percent.
	ParticipationPct float64 `json:"participation_pct"`
}

// ExplanationRegimeProbabilities: Filtered probabilities, fractions.
type ExplanationRegimeProbabilities struct {
	// Fraction.
	Normal float64 `json:"normal"`
	// Fraction.
	Stressed float64 `json:"stressed"`
	// Fraction.
	Crisis float64 `json:"crisis"`
}

// ExplanationSlippage: Ages of the book.
type ExplanationSlippage struct {
	// Best levels, ms.
	BookAgeMs float64 `json:"book_age_ms"`
	// Levels behind them, ms; null before any has come.
	DepthAgeMs *float64 `json:"depth_age_ms"`
}

// ExplanationContext: Ages of the asset's context.
type ExplanationContext struct {
	// Mark price, ms.
	MarkAgeMs float64 `json:"mark_age_ms"`
	// Oracle price, funding rate, open interest and volume, ms; null before any has come.
	SlowAgeMs *float64 `json:"slow_age_ms"`
}

// ExplanationFunding: History of funding.
type ExplanationFunding struct {
	// Paid hourly rates known.
	PaidRates int64 `json:"paid_rates"`
}

// ExplanationDivergence: The widest gap between a mark and another reading of the same price; null when all
// are equal.
type ExplanationDivergence struct {
	// The other reading.
	With ExplanationDivergenceWith `json:"with"`
	// USD.
	Mark float64 `json:"mark"`
	// USD.
	Other float64 `json:"other"`
	// Gap, percent of the mark.
	Pct float64 `json:"pct"`
	// Age of the mark that was compared, ms.
	MarkAgeMs *float64 `json:"mark_age_ms"`
	// Age of the other reading, ms.
	OtherAgeMs *float64 `json:"other_age_ms"`
}

// ExplanationSizing: Each constraint on the size, USD.
type ExplanationSizing struct {
	// USD.
	BookDepth float64 `json:"book_depth"`
	// USD.
	OICapacity float64 `json:"oi_capacity"`
	// USD.
	MarginHeadroom float64 `json:"margin_headroom"`
	// USD.
	MarketImpact float64 `json:"market_impact"`
}

// ExplanationMonteCarlo: Sampling errors, only with a simulation.
type ExplanationMonteCarlo struct {
	// Standard error of VaR 95 %, percent.
	VaR95Se float64 `json:"var_95_se"`
	// Standard error of VaR 99 %, percent.
	VaR99Se float64 `json:"var_99_se"`
	// Share of paths that are liquidated, fraction.
	LiquidatedShare float64 `json:"liquidated_share"`
}

// ExplanationGreeks: Behind the Greeks.
type ExplanationGreeks struct {
	// Chance that the price touches liquidation, fraction.
	TouchProbability float64 `json:"touch_probability"`
	// Loss then, USD.
	LossAtTouchUSD float64 `json:"loss_at_touch_usd"`
}

// HeldPosition: A position as held, assessed without a trade and priced at the cost of closing it whole.
type HeldPosition struct {
	// Ticker.
	Asset string `json:"asset"`
	// Coins, negative: short.
	Size float64 `json:"size"`
	// USD.
	EntryPrice float64 `json:"entry_price"`
	// USD.
	MarkPrice float64 `json:"mark_price"`
	// USD, negative: a loss.
	UnrealizedPnL float64 `json:"unrealized_pnl"`
	// Percent of the margin used, negative: a loss.
	UnrealizedPnLPct float64 `json:"unrealized_pnl_pct"`
	// Composite score, 0 (lowest risk) to 100 (highest).
	RiskScore float64 `json:"risk_score"`
	// `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above. A trade that only reduces
	// a position is always `proceed`.
	Recommendation Recommendation `json:"recommendation"`
	// Concerns raised, critical ones first.
	Flags []Flag `json:"flags"`
	// USD; null when there is none.
	LiquidationPrice *float64 `json:"liquidation_price"`
	// Percent of mark; 100 when there is none.
	LiquidationDistancePct float64 `json:"liquidation_distance_pct"`
	// Funding of 24 h in percent of margin, positive: you pay.
	FundingDrag24hPct float64 `json:"funding_drag_24h_pct"`
	// Chance that the price reaches liquidation within 24 hours, fraction. 0 when flat, null without candles of
	// every asset involved.
	Probability24h *float64 `json:"probability_24h"`
	// Chance that the price reaches liquidation within 7 days, fraction. 0 when flat, null without candles of
	// every asset involved.
	Probability7d *float64 `json:"probability_7d"`
	// Null without a candle.
	Regime *Regime     `json:"regime"`
	VaR    ValueAtRisk `json:"var"`
}

// WalletReport: The wallet as held.
type WalletReport struct {
	// Lower case.
	Wallet string `json:"wallet"`
	// Equity, USD; may be negative.
	AccountValue float64 `json:"account_value"`
	// Initial margin of cross positions plus equity of isolated ones, USD.
	TotalMarginUsed float64 `json:"total_margin_used"`
	Margin          Margin  `json:"margin"`
	// In the account's order.
	Positions       []HeldPosition   `json:"positions"`
	PortfolioRisk   *PortfolioRisk   `json:"portfolio_risk,omitzero"`
	PortfolioStress *PortfolioStress `json:"portfolio_stress,omitzero"`
	Meta            ReportMeta       `json:"meta"`
	ModelVersion    ModelVersion     `json:"model_version"`
}

// MarginTier: Largest leverage from a notional on.
type MarginTier struct {
	// Notional from which it holds, USD.
	LowerBound float64 `json:"lower_bound"`
	// Multiple.
	MaxLeverage float64 `json:"max_leverage"`
}

// AssetBook: How precisely the book is known.
type AssetBook struct {
	// Levels on the thinner side.
	Levels int64 `json:"levels"`
	// How far they reach from the mid, percent; null while one side is empty.
	DepthPct *float64 `json:"depth_pct"`
	// How often the best levels are renewed, ms; null when nobody knows.
	CadenceMs *int64 `json:"cadence_ms"`
	// Age of the best levels, ms.
	AgeMs int64 `json:"age_ms"`
	// How often the levels behind them are renewed, ms; null when nobody knows.
	DepthCadenceMs *int64 `json:"depth_cadence_ms"`
	// Age of the levels behind them, ms; null when nobody knows.
	DepthAgeMs *int64 `json:"depth_age_ms"`
}

// Asset: One listed asset. Live figures are null when nothing fresh is known.
type Asset struct {
	// Ticker.
	Name string `json:"name"`
	// USD.
	MarkPrice *float64 `json:"mark_price"`
	// Multiple.
	MaxLeverage float64 `json:"max_leverage"`
	// The hourly rate under its old name; use `funding_rate`.
	FundingRate8h *float64 `json:"funding_rate_8h"`
	// Fraction per hour, positive: longs pay.
	FundingRate *float64 `json:"funding_rate"`
	// Open interest, USD, one side.
	OI *float64 `json:"oi"`
	// USD.
	Volume24h *float64 `json:"volume_24h"`
	// Mark price against that of 24 h ago, percent; null when the venue gives none.
	Change24hPct *float64 `json:"change_24h_pct"`
	// Isolated margin only.
	OnlyIsolated bool `json:"only_isolated"`
	// By rising bound.
	MarginTiers []MarginTier `json:"margin_tiers"`
	// Null when no fresh book is known.
	Book *AssetBook `json:"book"`
}

// Assets: All assets that are not delisted.
type Assets struct {
	// In the venue's order.
	Assets []Asset `json:"assets"`
}

// DepthSide: What rests on one side of the book.
type DepthSide struct {
	// Within 10 bps of the mid, USD.
	USD10bps float64 `json:"usd_10bps"`
	// Within 50 bps, USD.
	USD50bps float64 `json:"usd_50bps"`
	// Within 100 bps, USD.
	USD100bps float64 `json:"usd_100bps"`
}

// MarketData: What is known of one asset. What is missing or older than 30 s is null.
type MarketData struct {
	// Ticker.
	Asset string `json:"asset"`
	// USD.
	MarkPrice *float64 `json:"mark_price"`
	// USD.
	OraclePrice *float64 `json:"oracle_price"`
	// Of the book; of a book with one empty side that which the venue tells, USD.
	MidPrice *float64 `json:"mid_price"`
	// Best ask less best bid, basis points of the mid.
	SpreadBps *float64 `json:"spread_bps"`
	// What rests near the mid. Null when a side of the book is empty.
	Depth *MarketDataDepth `json:"depth"`
	// Of the depth within 50 bps; positive: more bids.
	Imbalance *float64 `json:"imbalance"`
	// Fraction per hour, positive: longs pay.
	FundingRate *float64 `json:"funding_rate"`
	// USD, one side.
	OpenInterestUSD *float64 `json:"open_interest_usd"`
	// USD.
	Volume24hUSD *float64 `json:"volume_24h_usd"`
	// By the last fit; that of an assessment also looks at the book. Null without a fit.
	Regime *Regime `json:"regime"`
	// Null without a fit.
	VolatilityForecast *VolatilityForecast `json:"volatility_forecast"`
	// How old each part is.
	Ages MarketDataAges `json:"ages"`
	// The last ones held, newest first.
	Mids []MarketDataMid `json:"mids"`
}

// MarketDataDepth: What rests near the mid. Null when a side of the book is empty.
type MarketDataDepth struct {
	Bids DepthSide `json:"bids"`
	Asks DepthSide `json:"asks"`
}

// MarketDataAges: How old each part is.
type MarketDataAges struct {
	// Mark price, ms; null when nobody knows.
	MarkMs *int64 `json:"mark_ms"`
	// Oracle price, funding rate, open interest and volume, ms; null when nobody knows.
	SlowMs *int64 `json:"slow_ms"`
	// Best levels of the book, ms; null when nobody knows.
	BookMs *int64 `json:"book_ms"`
	// Levels behind them, ms; null when nobody knows.
	DepthMs *int64 `json:"depth_ms"`
	// Close of the newest bar behind regime and forecast, ms; null when nobody knows.
	FitMs *int64 `json:"fit_ms"`
}

// MarketDataMid: A mid price that the venue has told.
type MarketDataMid struct {
	// When it was received, ms since 1970.
	AtMs int64 `json:"at_ms"`
	// USD.
	MidPrice float64 `json:"mid_price"`
}

// CompactMeta: About the answer.
type CompactMeta struct {
	// That of the header `X-Request-Id`.
	RequestID string `json:"request_id"`
	// Moment that all figures are of, UTC with milliseconds.
	AsOf string `json:"as_of"`
	// Where the data come from; `custom` is another address.
	Venue Venue `json:"venue"`
	// Age of the oldest price used, ms: best levels and mark prices, of all assets of the answer.
	MarketAgeMs float64 `json:"market_age_ms"`
	// Age of the account, ms.
	WalletAgeMs float64 `json:"wallet_age_ms"`
}

// CompactFlag: A raised flag.
type CompactFlag struct {
	Name Flag `json:"name"`
	// Severity.
	Severity Severity `json:"severity"`
	// Meaning, with figure, threshold and unit where it has them; left out where there is no room.
	Text string `json:"text,omitzero"`
}

// CompactMargin: Margin of the wallet.
type CompactMargin struct {
	// USD; may be negative.
	AccountValue float64 `json:"account_value"`
	// USD.
	Free float64 `json:"free"`
	// Percent; the venue liquidates at 100.
	MaintenanceRatioPct float64 `json:"maintenance_ratio_pct"`
}

// CompactStress: The scenario with the largest loss.
type CompactStress struct {
	Scenario Scenario `json:"scenario"`
	// USD, negative: a loss.
	PnLUSD float64 `json:"pnl_usd"`
	// The position, or the account, survives it.
	Survives bool `json:"survives"`
}

// CompactAssessment: The assessment of one trade in at most 1,200 bytes, with `?view=compact`. Numbers have
// six digits that count.
type CompactAssessment struct {
	// Composite score, 0 (lowest risk) to 100 (highest).
	RiskScore float64 `json:"risk_score"`
	// `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above. A trade that only reduces
	// a position is always `proceed`.
	Recommendation Recommendation `json:"recommendation"`
	// One or two sentences: verdict, what drives it, what would be acceptable.
	Summary string `json:"summary"`
	// Chance that the price reaches liquidation within 24 hours, fraction. 0 when flat, null without candles of
	// every asset involved.
	Probability24h *float64 `json:"probability_24h"`
	// USD; null when there is none.
	LiquidationPrice *float64 `json:"liquidation_price"`
	// Percent of mark; 100 when there is none.
	LiquidationDistancePct float64 `json:"liquidation_distance_pct"`
	// VaR 99 % over 24 h of the position after the fill, USD.
	VaR99_24hUSD float64 `json:"var_99_24h_usd"`
	// Slippage, impact and fee, basis points.
	EntryCostBps float64 `json:"entry_cost_bps"`
	// Entry and exit, basis points.
	RoundTripCostBps float64 `json:"round_trip_cost_bps"`
	// Expected funding of 24 h of the position after the fill, USD, positive: you pay.
	Funding24hUSD float64 `json:"funding_24h_usd"`
	// The size to send, USD: at this size the answer is `proceed`, unless the market changes; 0: there is none.
	SuggestedSizeUSD float64 `json:"suggested_size_usd"`
	// Largest size within the four limits (book depth, open interest, margin with the loss, market impact), USD,
	// made smaller where the score allows nothing near it. It is not itself checked: the answer at this size may
	// be `abort`. Send `suggested_size_usd`.
	MaxSafeSizeUSD float64 `json:"max_safe_size_usd"`
	// The constraint that binds.
	SizeLimitReason SizeLimitReason `json:"size_limit_reason"`
	// The position after the fill; null when flat.
	PositionAfter *CompactAssessmentPositionAfter `json:"position_after"`
	MarginAfter   CompactMargin                   `json:"margin_after"`
	WorstStress   CompactStress                   `json:"worst_stress"`
	// Whether the venue would take the order.
	Admissibility CompactAssessmentAdmissibility `json:"admissibility"`
	Meta          CompactMeta                    `json:"meta"`
	// Concerns raised, critical ones first.
	Flags []CompactFlag `json:"flags"`
	// Flags for which there was no room.
	MoreFlags int64 `json:"more_flags,omitzero"`
}

// CompactAssessmentPositionAfter: The position after the fill; null when flat.
type CompactAssessmentPositionAfter struct {
	// Direction.
	Side Side `json:"side"`
	// Coins, not signed.
	SizeCoin float64 `json:"size_coin"`
	// USD at mark.
	NotionalUSD float64 `json:"notional_usd"`
	// Leverage setting, multiple.
	Leverage float64 `json:"leverage"`
	// Margin mode.
	Mode Mode `json:"mode"`
	// Average entry price, USD.
	EntryPrice float64 `json:"entry_price"`
}

// CompactAssessmentAdmissibility: Whether the venue would take the order.
type CompactAssessmentAdmissibility struct {
	// `unknown`: the account's collateral could not be read exactly.
	Verdict Verdict `json:"verdict"`
}

// CompactRejectedTrade: What stands for a trade of a batch that breaks a rule.
type CompactRejectedTrade struct {
	// The highest.
	RiskScore float64 `json:"risk_score"`
	// Not assessed.
	Recommendation Recommendation `json:"recommendation"`
	// The rule in a sentence.
	Summary string `json:"summary"`
	// The rule that the trade breaks.
	Error string `json:"error"`
	// None.
	Flags []CompactFlag `json:"flags"`
	Meta  CompactMeta   `json:"meta"`
}

// CompactBatchAnswer: Compact views in the order of the trades.
type CompactBatchAnswer struct {
	// One for each trade.
	Results []TradeResult[CompactAssessment, CompactRejectedTrade] `json:"results"`
}

// CompactPosition: A position as held.
type CompactPosition struct {
	// Ticker.
	Asset string `json:"asset"`
	// Coins, negative: short.
	SizeCoin float64 `json:"size_coin"`
	// USD at mark.
	NotionalUSD float64 `json:"notional_usd"`
	// USD, negative: a loss.
	UnrealizedPnLUSD float64 `json:"unrealized_pnl_usd"`
	// Composite score, 0 (lowest risk) to 100 (highest).
	RiskScore float64 `json:"risk_score"`
	// `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above. A trade that only reduces
	// a position is always `proceed`.
	Recommendation Recommendation `json:"recommendation"`
	// Chance that the price reaches liquidation within 24 hours, fraction. 0 when flat, null without candles of
	// every asset involved.
	Probability24h *float64 `json:"probability_24h"`
	// USD; null when there is none.
	LiquidationPrice *float64 `json:"liquidation_price"`
	// Percent of mark; 100 when there is none.
	LiquidationDistancePct float64 `json:"liquidation_distance_pct"`
	// Funding of 24 h in percent of margin, positive: you pay.
	FundingDrag24hPct float64 `json:"funding_drag_24h_pct"`
	// Concerns raised, critical ones first.
	Flags []CompactFlag `json:"flags"`
}

// CompactWalletReport: The wallet as held, with `?view=compact`.
type CompactWalletReport struct {
	// Lower case.
	Wallet string `json:"wallet"`
	// The position with the highest score.
	Summary string        `json:"summary"`
	Margin  CompactMargin `json:"margin"`
	// VaR 99 % over 24 h of the book, USD.
	VaR99_24hUSD float64 `json:"var_99_24h_usd"`
	// In the account's order.
	Positions []CompactPosition `json:"positions"`
	// Left out without positions.
	WorstStress *CompactStress `json:"worst_stress,omitzero"`
	Meta        CompactMeta    `json:"meta"`
}

// McpAnswer: A message of JSON-RPC 2.0: `result` or `error`.
type McpAnswer struct {
	// Version.
	Jsonrpc string `json:"jsonrpc"`
	// That of the request.
	ID *TradeResult[string, int64] `json:"id,omitzero"`
	// By the protocol. Of `tools/call`: `content`, `structuredContent` and, for an error of the tool, `isError`;
	// the contents are those of the tool's output schema.
	Result map[string]any `json:"result,omitzero"`
	// The message could not be answered.
	Error *McpAnswerError `json:"error,omitzero"`
}

// McpAnswerError: The message could not be answered.
type McpAnswerError struct {
	// By JSON-RPC and the protocol.
	Code int64 `json:"code"`
	// A sentence.
	Message string `json:"message"`
	// By the code.
	Data any `json:"data,omitzero"`
}

// Weights: Weights of the components, fractions that add up to 1.
type Weights struct {
	// Fraction.
	Liquidation float64 `json:"liquidation"`
	// Fraction.
	VaR float64 `json:"var"`
	// Fraction.
	OI float64 `json:"oi"`
	// Fraction.
	Slippage float64 `json:"slippage"`
	// Fraction.
	Funding float64 `json:"funding"`
	// Fraction.
	Impact float64 `json:"impact"`
}

// ModelInfo: The model behind the answers.
type ModelInfo struct {
	// Semantic version of the risk engine.
	EngineVersion string `json:"engine_version"`
	// Name of the calibration.
	CalibrationName string `json:"calibration_name"`
	// SHA-256 of all parameters.
	CalibrationHash string `json:"calibration_hash"`
	// Assets with a fit.
	CalibratedAssets int64 `json:"calibrated_assets"`
	// Constants of the fits, by part; left out before the first fit.
	CalibrationConstants map[string]any `json:"calibration_constants,omitzero"`
	Weights              Weights        `json:"weights"`
	// Used while the open-interest cap is a guess.
	WeightsWithoutOI Weights `json:"weights_without_oi"`
	// By rising score.
	Bands []ModelInfoBand `json:"bands"`
	// Highest score of a trade that only reduces a position, points.
	CloseScoreCap float64 `json:"close_score_cap"`
	// All scenarios.
	Scenarios []ModelInfoScenario `json:"scenarios"`
	// All flags, in the order in which they are printed.
	Flags []ModelInfoFlag `json:"flags"`
	// All curves of the score.
	Curves []ModelInfoCurve `json:"curves"`
	// All constants of the engine.
	Constants []ModelInfoConstant `json:"constants"`
}

// ModelInfoBand: A recommendation and the highest score that gets it.
type ModelInfoBand struct {
	// `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above. A trade that only reduces
	// a position is always `proceed`.
	Recommendation Recommendation `json:"recommendation"`
	// Points.
	ScoreUpTo float64 `json:"score_up_to"`
}

// ModelInfoScenario: A historical stress window.
type ModelInfoScenario struct {
	ID Scenario `json:"id"`
	// In words.
	Description string `json:"description"`
	// When it was.
	WindowUTC string `json:"window_utc"`
	// By tier: BTC, ETH, large assets, all others.
	Shocks []ModelInfoScenarioShock `json:"shocks"`
	// Length, hours.
	Hours float64 `json:"hours"`
	// Mean funding, percent an hour, positive: longs pay.
	FundingPctPerHour float64 `json:"funding_pct_per_hour"`
	// Spread against today, times.
	SpreadMultiple float64 `json:"spread_multiple"`
	// Depth against today, times.
	DepthMultiple float64 `json:"depth_multiple"`
	// Marked at the final move instead of the extreme.
	MarkAtFinal bool `json:"mark_at_final"`
}

// ModelInfoScenarioShock: A price move.
type ModelInfoScenarioShock struct {
	// The low, or the high of a squeeze, percent.
	ExtremePct float64 `json:"extreme_pct"`
	// At the end, percent.
	FinalPct float64 `json:"final_pct"`
}

// ModelInfoFlag: A flag and what raises it.
type ModelInfoFlag struct {
	Name Flag `json:"name"`
	// Severity.
	Severity Severity `json:"severity"`
	// The rule.
	RaisedWhen string `json:"raised_when"`
	// In a few words.
	Meaning string `json:"meaning"`
	// Unit of value and threshold, empty without any.
	Unit string `json:"unit"`
}

// ModelInfoCurve: A piecewise linear curve, flat outside its knots.
type ModelInfoCurve struct {
	// Name.
	Name string `json:"name"`
	// By rising x.
	Knots []ModelInfoCurveKnot `json:"knots"`
}

// ModelInfoCurveKnot: A knot.
type ModelInfoCurveKnot struct {
	// Figure.
	X float64 `json:"x"`
	// Points or factor.
	Y float64 `json:"y"`
}

// ModelInfoConstant: A constant of the engine.
type ModelInfoConstant struct {
	// Name; its end is its unit.
	Name string `json:"name"`
	// Value.
	Value float64 `json:"value"`
}

// CoverageRow: How the VaR of one side and level has fared.
type CoverageRow struct {
	// Side of the position.
	Side Side `json:"side"`
	// Level of the VaR.
	Level float64 `json:"level"`
	// Forecasts.
	N int64 `json:"n"`
	// Days on which the loss exceeded the VaR.
	Hits int64 `json:"hits"`
	// Hits over forecasts, fraction.
	Rate float64 `json:"rate"`
	// p-value: the rate is right.
	KupiecP float64 `json:"kupiec_p"`
	// p-value: hits are independent.
	ChristoffersenP float64 `json:"christoffersen_p"`
}

// Coverage: How the 24-hour VaR that the service would have given each day has fared.
type Coverage struct {
	// Ticker.
	Asset string `json:"asset"`
	// Name of the calibration.
	Model string `json:"model"`
	// Hours.
	HorizonHours int64 `json:"horizon_hours"`
	// Hourly bars behind the fit.
	Bars int64 `json:"bars"`
	// Bar that had just closed at the first forecast, ms since 1970; null without a forecast.
	From *int64 `json:"from"`
	// Bar that had just closed at the last forecast, ms since 1970; null without a forecast.
	To *int64 `json:"to"`
	// Verdict: `insufficient_data` below 100 forecasts, `failing` when a test is rejected at 1 %, `warning` at 5
	// %.
	Status Status `json:"status"`
	// Both sides, both levels.
	Results []CoverageRow `json:"results"`
	// Of each result, the forecasts whose VaR was exceeded, ms since 1970, rising: one entry a hit.
	HitTimes [][]int64 `json:"hit_times"`
}

// CalibrationHealth: State of every fit, and the record of its forecasts.
type CalibrationHealth struct {
	// Verdict on all assets together.
	Status Status `json:"status"`
	// Name of the calibration.
	Model string `json:"model"`
	// Assets with a fit.
	AssetsCalibrated int64 `json:"assets_calibrated"`
	// Assets whose newest fit failed; they keep the last good one.
	AssetsFailed int64 `json:"assets_failed"`
	// Time of all fits, ms.
	FitMsTotal float64 `json:"fit_ms_total"`
	// Assets with that verdict.
	Ok int64 `json:"ok"`
	// Assets with that verdict.
	InsufficientData int64 `json:"insufficient_data"`
	// Assets with that verdict.
	Warning int64 `json:"warning"`
	// Assets with that verdict.
	Failing int64 `json:"failing"`
	// Both sides, both levels.
	Pooled []CalibrationHealthPooled `json:"pooled"`
	// All assets with a fit.
	Assets []CalibrationHealthAsset `json:"assets"`
}

// CalibrationHealthPooled: All assets together.
type CalibrationHealthPooled struct {
	// Side of the position.
	Side Side `json:"side"`
	// Level of the VaR.
	Level float64 `json:"level"`
	// Forecasts.
	N int64 `json:"n"`
	// Days on which the loss exceeded the VaR.
	Hits int64 `json:"hits"`
	// Hits over forecasts, fraction.
	Rate float64 `json:"rate"`
}

// CalibrationHealthAsset: One asset.
type CalibrationHealthAsset struct {
	// Ticker.
	Asset string `json:"asset"`
	// Open time of the newest bar, ms since 1970; null without bars.
	LastBar *int64 `json:"last_bar"`
	// Time of the fit, ms.
	FitMs float64 `json:"fit_ms"`
	// Why the newest fit failed; null when it did not.
	FitError *string `json:"fit_error"`
	// Hourly bars behind the fit.
	Bars int64 `json:"bars"`
	// Bar that had just closed at the first forecast, ms since 1970; null without a forecast.
	From *int64 `json:"from"`
	// Bar that had just closed at the last forecast, ms since 1970; null without a forecast.
	To *int64 `json:"to"`
	// Verdict: `insufficient_data` below 100 forecasts, `failing` when a test is rejected at 1 %, `warning` at 5
	// %.
	Status Status `json:"status"`
	// Both sides, both levels.
	Results []CoverageRow `json:"results"`
}

// Health: How the service is.
type Health struct {
	// In one word.
	Status HealthStatus `json:"status"`
	// Requests will be answered.
	Ready bool `json:"ready"`
	// Of the program.
	Version string `json:"version"`
	// Of the risk engine.
	EngineVersion string `json:"engine_version"`
	// Seconds.
	UptimeS int64 `json:"uptime_s"`
	// The connection to the venue.
	Venue HealthVenue `json:"venue"`
	// Counts.
	Assets HealthAssets `json:"assets"`
	// How far the histories have come that answers are computed from.
	Warmup HealthWarmup `json:"warmup"`
	// Alert sockets.
	Alerts HealthAlerts `json:"alerts"`
}

// HealthVenue: The connection to the venue.
type HealthVenue struct {
	// As configured.
	Name string `json:"name"`
	// As `meta.venue` of the answers.
	Kind HealthVenueKind `json:"kind"`
	// A socket is open.
	Connected bool `json:"connected"`
	// ms; null before the first message.
	LastMessageAgeMs *int64 `json:"last_message_age_ms"`
	// The venue's clock less ours, ms.
	ClockSkewMs int64 `json:"clock_skew_ms"`
	// What the venue says of its state, such as that only post-only orders are accepted; null for nothing, or
	// when it was not read within a minute.
	Notice *string `json:"notice"`
}

// HealthAssets: Counts.
type HealthAssets struct {
	// Assets listed.
	Listed int64 `json:"listed"`
	// With live context and book.
	Fresh int64 `json:"fresh"`
	// With a fit.
	Calibrated int64 `json:"calibrated"`
}

// HealthWarmup: How far the histories have come that answers are computed from.
type HealthWarmup struct {
	// Share of the venue's open interest whose assets are calibrated; ready needs 0.8.
	OpenInterestShare float64 `json:"open_interest_share"`
	// Estimate until ready, seconds, at the pace of the last minutes; 0 when ready, null when it is not known or
	// something else is waited for.
	ReadyInS *int64 `json:"ready_in_s"`
	// Estimate until every listed asset is calibrated with its whole history of candles and paid funding, and
	// its pairs are fitted, seconds; 0 when all are, null when it is not known.
	CompleteInS *int64 `json:"complete_in_s"`
}

// HealthAlerts: Alert sockets.
type HealthAlerts struct {
	// Open sockets.
	Connections int64 `json:"connections"`
	// Wallets subscribed, over all sockets.
	Subscriptions int64 `json:"subscriptions"`
}

// Unauthorized: The only member is a fixed sentence.
type Unauthorized struct {
	// Which it is.
	Error string `json:"error"`
}

// Allowed: Which values it may have; members that say nothing about it are left out.
type Allowed struct {
	// JSON type.
	Type string `json:"type,omitzero"`
	// Regular expression.
	Pattern string `json:"pattern,omitzero"`
	// It must be greater.
	ExclusiveMin *float64 `json:"exclusive_min,omitzero"`
	// Smallest value.
	Min *float64 `json:"min,omitzero"`
	// Largest value; for `trades` of a batch their number, for a body its bytes.
	Max *float64 `json:"max,omitzero"`
	// All values, or all names of fields.
	Values []string `json:"values,omitzero"`
}

// Problem: One of several mistakes.
type Problem struct {
	// Field of the request.
	Field string `json:"field"`
	// A sentence with the offending value.
	Detail string `json:"detail"`
}

// AlertConfig: Tell me about this wallet. A further message adds a wallet, or replaces the thresholds of one
// that is subscribed.
type AlertConfig struct {
	// Address: `0x` and 40 hexadecimal digits, compared without case.
	Wallet string `json:"wallet"`
	// When this subscriber wants to be told; what is left out has its default. A value that equals its threshold
	// does not breach it.
	Thresholds *AlertConfigThresholds `json:"thresholds,omitzero"`
}

// AlertConfigThresholds: When this subscriber wants to be told; what is left out has its default. A value
// that equals its threshold does not breach it.
type AlertConfigThresholds struct {
	// A position's risk score above it raises `high_risk_score`. 100 and more: never.
	MaxRiskScore *int64 `json:"max_risk_score,omitzero"`
	// A position nearer to liquidation, percent, raises `liquidation_proximity`. 0 and less: never; over 100:
	// always.
	MinLiquidationDistancePct *float64 `json:"min_liquidation_distance_pct,omitzero"`
	// VaR 99 % over 24 h of the book above this percentage of the account value raises `portfolio_var_breach`.
	MaxPortfolioVaRPct *float64 `json:"max_portfolio_var_pct,omitzero"`
	// A position that pays more than this percentage of its margin a day raises `funding_drag_excessive`. Below
	// 0: also one that receives.
	MaxFundingDragDailyPct *float64 `json:"max_funding_drag_daily_pct,omitzero"`
}

// Subscribed: The wallet is watched from now on.
type Subscribed struct {
	// Its address in lower case.
	Subscribed string `json:"subscribed"`
}

// RiskAlert: A breach that a monitor call has found. Every call emits for every breach that stands;
// `regime_shift` is told once.
type RiskAlert struct {
	// What is breached.
	AlertType AlertType `json:"alert_type"`
	// Address in lower case.
	Wallet string `json:"wallet"`
	// Ticker; null for the book as a whole.
	Asset *string `json:"asset"`
	// `critical` from a risk score of 85, below a liquidation distance of 2 %, and for a shift to crisis.
	Severity Severity `json:"severity"`
	// For people; may change. Decide by the other fields.
	Message string `json:"message"`
	// The moment that the figures are of, UTC with milliseconds: `meta.as_of` of the monitor call.
	Timestamp string `json:"timestamp"`
	// The metric: score in points; distance, funding or VaR in percent; rank of the new regime (0 normal, 1
	// stressed, 2 crisis).
	CurrentValue float64 `json:"current_value"`
	// Yours, in the same unit; rank of the previous regime for `regime_shift`.
	Threshold float64 `json:"threshold"`
}

// InvalidConfig: The message before was no configuration; the connection closes with 1008.
type InvalidConfig struct {
	// Stable code.
	Error string `json:"error"`
	// A sentence with the offending value.
	Detail string `json:"detail"`
	// What to change, where it is an unknown field: its path.
	Field string `json:"field,omitzero"`
	// The fields that there are.
	Allowed *InvalidConfigAllowed `json:"allowed,omitzero"`
	// The field that was probably meant.
	Suggestion string `json:"suggestion,omitzero"`
}

// InvalidConfigAllowed: The fields that there are.
type InvalidConfigAllowed struct {
	// Their paths.
	Values []string `json:"values"`
}

// IssueCode is a value of code.
type IssueCode string

// Values of IssueCode.
const (
	IssueCodeReduceOnlyWouldIncrease IssueCode = "reduce_only_would_increase"
	IssueCodeLot                     IssueCode = "lot"
	IssueCodeMinNotional             IssueCode = "min_notional"
	IssueCodeMaxLeverage             IssueCode = "max_leverage"
	IssueCodeTierLeverage            IssueCode = "tier_leverage"
	IssueCodeInsufficientMargin      IssueCode = "insufficient_margin"
	IssueCodeOICap                   IssueCode = "oi_cap"
)

// ComponentName is a value of name.
type ComponentName string

// Values of ComponentName.
const (
	ComponentNameLiquidation ComponentName = "liquidation"
	ComponentNameVaR         ComponentName = "var"
	ComponentNameOI          ComponentName = "oi"
	ComponentNameSlippage    ComponentName = "slippage"
	ComponentNameFunding     ComponentName = "funding"
	ComponentNameImpact      ComponentName = "impact"
)

// AlertType is a value of alert_type.
type AlertType string

// Values of AlertType.
const (
	AlertTypeHighRiskScore        AlertType = "high_risk_score"
	AlertTypeLiquidationProximity AlertType = "liquidation_proximity"
	AlertTypeFundingDragExcessive AlertType = "funding_drag_excessive"
	AlertTypeRegimeShift          AlertType = "regime_shift"
	AlertTypePortfolioVaRBreach   AlertType = "portfolio_var_breach"
)

// SizeLimitReason is a value of size_limit_reason.
type SizeLimitReason string

// Values of SizeLimitReason.
const (
	SizeLimitReasonBookDepth      SizeLimitReason = "book_depth"
	SizeLimitReasonOICapacity     SizeLimitReason = "oi_capacity"
	SizeLimitReasonMarginHeadroom SizeLimitReason = "margin_headroom"
	SizeLimitReasonMarketImpact   SizeLimitReason = "market_impact"
)

// IssueField is a value of field.
type IssueField string

// Values of IssueField.
const (
	IssueFieldAction   IssueField = "action"
	IssueFieldSize     IssueField = "size"
	IssueFieldLeverage IssueField = "leverage"
	IssueFieldAsset    IssueField = "asset"
)

// Venue is a value of venue.
type Venue string

// Values of Venue.
const (
	VenueHyperliquidMainnet Venue = "hyperliquid-mainnet"
	VenueHyperliquidTestnet Venue = "hyperliquid-testnet"
	VenueSimulated          Venue = "simulated"
	VenueCustom             Venue = "custom"
)

// Status is a value of status.
type Status string

// Values of Status.
const (
	StatusOk               Status = "ok"
	StatusInsufficientData Status = "insufficient_data"
	StatusWarning          Status = "warning"
	StatusFailing          Status = "failing"
)

// HealthStatus is a value of status.
type HealthStatus string

// Values of HealthStatus.
const (
	HealthStatusOk       HealthStatus = "ok"
	HealthStatusStarting HealthStatus = "starting"
	HealthStatusDegraded HealthStatus = "degraded"
	HealthStatusDraining HealthStatus = "draining"
)

// HealthVenueKind is a value of kind.
type HealthVenueKind string

// Values of HealthVenueKind.
const (
	HealthVenueKindHyperliquidMainnet HealthVenueKind = "hyperliquid-mainnet"
	HealthVenueKindHyperliquidTestnet HealthVenueKind = "hyperliquid-testnet"
	HealthVenueKindSimulated          HealthVenueKind = "simulated"
	HealthVenueKindCustom             HealthVenueKind = "custom"
)

// Action is a value of action.
type Action string

// Values of Action.
const (
	ActionLong  Action = "long"
	ActionShort Action = "short"
	ActionClose Action = "close"
)

// LiquidationMode is a value of mode.
type LiquidationMode string

// Values of LiquidationMode.
const (
	LiquidationModeCross    LiquidationMode = "cross"
	LiquidationModeIsolated LiquidationMode = "isolated"
	LiquidationModeClose    LiquidationMode = "close"
)

// VolatilityRegime is a value of volatility_regime.
type VolatilityRegime string

// Values of VolatilityRegime.
const (
	VolatilityRegimeLow    VolatilityRegime = "low"
	VolatilityRegimeNormal VolatilityRegime = "normal"
	VolatilityRegimeHigh   VolatilityRegime = "high"
)

// Verdict is a value of verdict.
type Verdict string

// Values of Verdict.
const (
	VerdictOk         Verdict = "ok"
	VerdictWillReject Verdict = "will_reject"
	VerdictUnknown    Verdict = "unknown"
)

// RegimeState is a value of state.
type RegimeState string

// Values of RegimeState.
const (
	RegimeStateNormal   RegimeState = "normal"
	RegimeStateStressed RegimeState = "stressed"
	RegimeStateCrisis   RegimeState = "crisis"
)

// Recommendation is a value of recommendation.
type Recommendation string

// Values of Recommendation.
const (
	RecommendationProceed            Recommendation = "proceed"
	RecommendationProceedWithCaution Recommendation = "proceed_with_caution"
	RecommendationAbort              Recommendation = "abort"
)

// Severity is a value of severity.
type Severity string

// Values of Severity.
const (
	SeverityCritical Severity = "critical"
	SeverityWarning  Severity = "warning"
	SeverityInfo     Severity = "info"
)

// ExplanationDivergenceWith is a value of with.
type ExplanationDivergenceWith string

// Values of ExplanationDivergenceWith.
const (
	ExplanationDivergenceWithMid    ExplanationDivergenceWith = "mid"
	ExplanationDivergenceWithOracle ExplanationDivergenceWith = "oracle"
	ExplanationDivergenceWithWallet ExplanationDivergenceWith = "wallet"
)

// Mode is a value of mode.
type Mode string

// Values of Mode.
const (
	ModeCross    Mode = "cross"
	ModeIsolated Mode = "isolated"
)

// FundingDirection is a value of direction.
type FundingDirection string

// Values of FundingDirection.
const (
	FundingDirectionLongsPay  FundingDirection = "longs_pay"
	FundingDirectionShortsPay FundingDirection = "shorts_pay"
)

// Side is a value of side.
type Side string

// Values of Side.
const (
	SideLong  Side = "long"
	SideShort Side = "short"
)

// Values of Flag.
const (
	FlagStaleMarketData       Flag = "stale_market_data"
	FlagPriceDivergence       Flag = "price_divergence"
	FlagExtremeSlippage       Flag = "extreme_slippage"
	FlagNearLiquidation       Flag = "near_liquidation"
	FlagNearBackstop          Flag = "near_backstop"
	FlagLikelyLiquidation     Flag = "likely_liquidation"
	FlagNegativeAccountEquity Flag = "negative_account_equity"
	FlagInsufficientMargin    Flag = "insufficient_margin"
	FlagUntradeableCost       Flag = "untradeable_cost"
	FlagThinMarket            Flag = "thin_market"
	FlagOIAtCap               Flag = "oi_at_cap"
	FlagThinBook              Flag = "thin_book"
	FlagHighSlippage          Flag = "high_slippage"
	FlagHighLeverage          Flag = "high_leverage"
	FlagFundingAnomaly        Flag = "funding_anomaly"
	FlagFundingExpensive      Flag = "funding_expensive"
	FlagCEXFundingDivergence  Flag = "cex_funding_divergence"
	FlagHighImpact            Flag = "high_impact"
	FlagLowVolume             Flag = "low_volume"
	FlagHighVaR               Flag = "high_var"
	FlagHighPortfolioVaR      Flag = "high_portfolio_var"
	FlagOINearCap             Flag = "oi_near_cap"
	FlagConcentrationRisk     Flag = "concentration_risk"
	FlagCorrelatedExposure    Flag = "correlated_exposure"
	FlagAccountFailsStress    Flag = "account_fails_stress"
	FlagTierLeverageExceeded  Flag = "tier_leverage_exceeded"
	FlagNoAccountEquity       Flag = "no_account_equity"
	FlagAccountModeEstimated  Flag = "account_mode_estimated"
	FlagPositionsNotFollowed  Flag = "positions_not_followed"
	FlagLimitedHistory        Flag = "limited_history"
	FlagNewListing            Flag = "new_listing"
	FlagSizeExceedsPosition   Flag = "size_exceeds_position"
	FlagNoOpenPosition        Flag = "no_open_position"
	FlagMarginModeKept        Flag = "margin_mode_kept"
)

// Values of Scenario.
const (
	ScenarioJellySqueeze        Scenario = "jelly_squeeze"
	ScenarioLunaCollapse        Scenario = "luna_collapse"
	ScenarioFtxCrash            Scenario = "ftx_crash"
	ScenarioShortSqueeze        Scenario = "short_squeeze"
	ScenarioFlashRecovery       Scenario = "flash_recovery"
	ScenarioBlackThursday2020   Scenario = "black_thursday_2020"
	ScenarioMay2021Deleveraging Scenario = "may_2021_deleveraging"
	ScenarioCelsius3ac2022      Scenario = "celsius_3ac_2022"
	ScenarioYenUnwind2024       Scenario = "yen_unwind_2024"
	ScenarioTariffShockFeb2025  Scenario = "tariff_shock_feb_2025"
	ScenarioOctober2025Cascade  Scenario = "october_2025_cascade"
)
