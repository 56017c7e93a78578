// Written by clients/generate.py from the contract in server/spec. Do not edit.

package ballast

// ValidationRequest: A trade to be assessed before it is sent to the venue. `null` for an optional field
// equals leaving it out; an unknown or repeated key is an error.
type ValidationRequest struct {
	// The venue's ticker, case-sensitive, as in `GET /v1/assets`. Listed, not delisted.
	Asset string `json:"asset"`
	// `long` and `short` add to the position of the wallet; `close` reduces it by up to the size.
	Action Action `json:"action"`
	// USD at mark, over 0. Exactly one of `size` and `size_coin`.
	Size float64 `json:"size,omitzero"`
	// Coins of the asset, over 0, in place of `size`; turned into USD at the mark.
	SizeCoin float64 `json:"size_coin,omitzero"`
	// Address of the account: `0x` and 40 hexadecimal digits, compared without case. It need not exist at the
	// venue.
	Wallet string `json:"wallet"`
	// Multiple, up to the asset's maximum. Left out: that of the open position, else the wallet's setting at the
	// venue, else 20 or the asset's maximum, whichever is less.
	Leverage float64 `json:"leverage,omitzero"`
	// Margin mode of a new position; an open position keeps its own. Left out: the wallet's setting at the
	// venue, else `cross`. An asset that is isolated only wants `isolated`.
	Mode Mode `json:"mode,omitzero"`
	// Add simulations to the answer. Left out: false.
	MonteCarlo bool `json:"monte_carlo,omitzero"`
	// How the trade is sent. Left out: as a market order that may increase a position.
	Order *Order `json:"order,omitzero"`
}

// BatchTrade: One trade of a batch: a validation request without `wallet`.
type BatchTrade struct {
	// The venue's ticker, case-sensitive, as in `GET /v1/assets`. Listed, not delisted.
	Asset string `json:"asset"`
	// `long` and `short` add to the position of the wallet; `close` reduces it by up to the size.
	Action Action `json:"action"`
	// USD at mark, over 0. Exactly one of `size` and `size_coin`.
	Size float64 `json:"size,omitzero"`
	// Coins of the asset, over 0, in place of `size`; turned into USD at the mark.
	SizeCoin float64 `json:"size_coin,omitzero"`
	// Multiple, up to the asset's maximum. Left out: that of the open position, else the wallet's setting at the
	// venue, else 20 or the asset's maximum, whichever is less.
	Leverage float64 `json:"leverage,omitzero"`
	// Margin mode of a new position; an open position keeps its own. Left out: the wallet's setting at the
	// venue, else `cross`. An asset that is isolated only wants `isolated`.
	Mode Mode `json:"mode,omitzero"`
	// Add simulations to the answer. Left out: false.
	MonteCarlo bool `json:"monte_carlo,omitzero"`
	// How the trade is sent. Left out: as a market order that may increase a position.
	Order *Order `json:"order,omitzero"`
}

// Order: How a trade is sent, and what is to close it. Left out members: a market order.
type Order struct {
	// Left out: `market`.
	Type OrderType `json:"type,omitzero"`
	// Of a limit order, USD: the worst price at which it fills. Required with `limit`, not allowed with
	// `market`.
	Price *float64 `json:"price,omitzero"`
	// What becomes of the part of a limit order that does not fill at once. `gtc` (left out): it rests; `ioc`:
	// it is cancelled; `alo`: it rests, and an order that would fill at once is refused.
	Tif OrderTif `json:"tif,omitzero"`
	// The order may only reduce a position, by at most the whole of it. Left out: false.
	ReduceOnly bool `json:"reduce_only,omitzero"`
	// Price at which the position is closed with a gain, over 0, USD: above the mark for a long, below for a
	// short.
	TakeProfitPrice float64 `json:"take_profit_price,omitzero"`
	// Price at which the position is closed with a loss, over 0, USD: below the mark for a long, above for a
	// short.
	StopLossPrice float64 `json:"stop_loss_price,omitzero"`
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
	// Chance that the position's pool is liquidated at any time within 24 hours, fraction. Of the trade's pool
	// after the trade, flat trades too; null only in a portfolio-margin account that could not be read.
	Probability24h *float64 `json:"probability_24h"`
	// Chance that the position's pool is liquidated at any time within 7 days, fraction. Of the trade's pool
	// after the trade, flat trades too; null only in a portfolio-margin account that could not be read.
	Probability7d *float64 `json:"probability_7d"`
	// Equity of the position's pool after the fill, USD; may be negative. Null only in a portfolio-margin
	// account that could not be read.
	PoolEquityUSD *float64 `json:"pool_equity_usd"`
	// Profit or loss of the position from the mark to the liquidation price, USD, negative: a loss. Null without
	// a liquidation price.
	LossAtUSD *float64 `json:"loss_at_usd"`
	// The same once the venue has liquidated the pool and its equity is gone: minus `pool_equity_usd`, USD,
	// negative: a loss. Null without a liquidation price.
	LossAfterUSD *float64 `json:"loss_after_usd"`
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
	// Expected funding of 24 h of the position after the fill, USD, positive: you pay; 0 when flat. Null when
	// the venue gives no rate.
	Cost24hUSD *float64 `json:"cost_24h_usd"`
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
	// `dollar_99_24h`, but at most the equity of the position's pool: what a bad day can take, USD, a loss is
	// positive. Null only in a portfolio-margin account that could not be read.
	Loss99CappedUSD *float64 `json:"loss_99_capped_usd"`
	// Today's volatility against the asset's own history.
	VolatilityRegime VolatilityRegime `json:"volatility_regime"`
	// Null for an asset that trades at all hours.
	Session *Session `json:"session"`
	// Null without candles.
	VolatilityForecast *VolatilityForecast `json:"volatility_forecast"`
}

// Session: When the asset's oracle rests: the price then comes from the venue's own book, and may jump when
// the market reopens.
type Session struct {
	// What the oracle follows.
	Class SessionClass `json:"class"`
	// It rests now.
	Resting bool `json:"resting"`
	// Start of this rest, or of the next, ms since 1970.
	RestsAt int64 `json:"rests_at"`
	// Its end, ms since 1970.
	ReopensAt int64 `json:"reopens_at"`
}

// DayMove: The distribution of the asset's move within 24 hours, percent of the price, by the model of `var`:
// the loss of a long is the fall, that of a short the rise. Falls are negative or 0, rises positive or 0.
type DayMove struct {
	// A fall that one day in 1,000 exceeds, negative; null with less than a day of candles.
	Down999Pct *float64 `json:"down_999_pct"`
	// A fall that one day in 100 exceeds, negative: minus `var.pct_99_24h` of a long.
	Down99Pct float64 `json:"down_99_pct"`
	// A fall that one day in 20 exceeds, negative.
	Down95Pct float64 `json:"down_95_pct"`
	// The median move, negative: a fall.
	MedianPct float64 `json:"median_pct"`
	// A rise that one day in 20 exceeds, positive.
	Up95Pct float64 `json:"up_95_pct"`
	// A rise that one day in 100 exceeds, positive: `var.pct_99_24h` of a short.
	Up99Pct float64 `json:"up_99_pct"`
	// A rise that one day in 1,000 exceeds, positive; null with less than a day of candles.
	Up999Pct *float64 `json:"up_999_pct"`
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
	// What ends the position's pool: the asset whose move costs it most, which may be another than the trade's.
	// Where the pool is below its maintenance margin before any price moves, its name: `main`, another dex,
	// `unified` or `portfolio`. Null when it survives.
	DiedBy *string `json:"died_by"`
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
	// One entry for each pair of the book after the trade with enough common history; of more than 50 pairs, the
	// 50 with the largest tail dependence.
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
	// Share of scenarios in which the pool is below its maintenance margin at the end of the day, fraction; not
	// `probability_24h`, which counts any time within it.
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

// PortfolioStress: The worst scenario of the wallet after the trade, over all its pools; the same for every
// trade that leaves the same book. Left out when the wallet has no position before the trade.
type PortfolioStress struct {
	Scenario Scenario `json:"scenario"`
	// Profit or loss of the book, USD, negative: a loss.
	TotalPnLUSD float64 `json:"total_pnl_usd"`
	// The same in percent of the equity of all pools, negative: a loss.
	TotalPnLPct float64 `json:"total_pnl_pct"`
	// Funding over the scenario, percent of the gross notional, positive: paid.
	TotalFundingCostPct float64 `json:"total_funding_cost_pct"`
	// No scenario ends a cross pool, or the wallet: `failed_scenarios` is empty.
	AccountSurvives bool `json:"account_survives"`
	// Positions liquidated in this scenario, in all pools.
	PositionsLiquidated int64 `json:"positions_liquidated"`
	// Scenarios that the account does not survive, in the order of the table.
	FailedScenarios []Scenario `json:"failed_scenarios"`
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
	// made smaller where the score allows nothing near it, and within the operator's limits. Its score is not
	// itself checked: the answer at this size may be `abort`. Send `suggested_size_usd`.
	MaxSafeSizeUSD float64 `json:"max_safe_size_usd"`
	// The size to send, USD: at this size the answer is `proceed`, unless the market changes. At most
	// `max_safe_size_usd`, and within the operator's limits; 0: there is none.
	SuggestedSizeUSD float64 `json:"suggested_size_usd"`
	// The constraint that binds.
	SizeLimitReason SizeLimitReason `json:"size_limit_reason"`
	// The rule of the operator that keeps the sizes below that constraint, such as `max_order_usd` or
	// `kill_switch`; `policy_unread` while the limits are not known yet. Left out where none does.
	PolicyRule string `json:"policy_rule,omitzero"`
	// With `?deposit=true`: the least that must be paid into the trade's cross pool, whole USD, so that the
	// answer is `proceed` and the venue takes the order, limits of an operator aside; 0: it does as it is, null:
	// no deposit up to 100,000,000 helps.
	DepositUSD *float64 `json:"deposit_usd,omitzero"`
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
	// Average entry price, USD; null when the venue gives none.
	EntryPrice *float64 `json:"entry_price"`
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
	// Equity of all pools, USD; may be negative.
	AccountValue float64 `json:"account_value"`
	// Initial margin of all positions, USD.
	Initial float64 `json:"initial"`
	// Maintenance margin of all positions, USD.
	Maintenance float64 `json:"maintenance"`
	// Equity of the trade's cross pool less the initial margin of its positions and the margin held for resting
	// orders, USD; of a wallet as held the sum over its cross pools.
	Free float64 `json:"free"`
	// Maintenance margin in percent of equity, the largest of all pools; the venue liquidates at 100. 1000
	// without equity.
	MaintenanceRatioPct float64 `json:"maintenance_ratio_pct"`
}

// MarginChange: What the trade does to the wallet's margin.
type MarginChange struct {
	Before Margin `json:"before"`
	After  Margin `json:"after"`
	// Initial margin that the trade takes, USD, negative: it frees margin.
	DeltaInitialUSD float64 `json:"delta_initial_usd"`
	// Margin that the venue keeps for resting orders, USD: at least this much.
	HeldUSD float64 `json:"held_usd"`
	// At most this much, USD; null: no bound is known. Equal to `held_usd`: exact.
	HeldMostUSD *float64   `json:"held_most_usd"`
	MarketMove  MarketMove `json:"market_move"`
}

// WalletMargin: Margin of the wallet as it is, at marks.
type WalletMargin struct {
	// Equity of all pools, USD; may be negative.
	AccountValue float64 `json:"account_value"`
	// Initial margin of all positions, USD.
	Initial float64 `json:"initial"`
	// Maintenance margin of all positions, USD.
	Maintenance float64 `json:"maintenance"`
	// Equity of the cross pools less the initial margin of their positions and the margin held for resting
	// orders, USD.
	Free float64 `json:"free"`
	// Maintenance margin in percent of equity, the largest of all pools; the venue liquidates at 100. 1000
	// without equity.
	MaintenanceRatioPct float64 `json:"maintenance_ratio_pct"`
	// Margin that the venue keeps for resting orders, USD: at least this much.
	HeldUSD float64 `json:"held_usd"`
	// At most this much, USD; null: no bound is known. Equal to `held_usd`: exact.
	HeldMostUSD *float64   `json:"held_most_usd"`
	MarketMove  MarketMove `json:"market_move"`
}

// MarketMove: The smallest common move of all assets at which a cross pool of the wallet is liquidated; both
// 0 when one is past that already.
type MarketMove struct {
	// A fall, percent; null when there is none.
	DownPct *float64 `json:"down_pct"`
	// A rise, percent; null when there is none up to 1000.
	UpPct *float64 `json:"up_pct"`
}

// Pool: Positions that the venue liquidates together.
type Pool struct {
	// Dex, empty for the main one; null for a pool over several.
	Dex *string `json:"dex"`
	// How its collateral is shared.
	Mode Mode `json:"mode"`
	// Ticker of an isolated position; null otherwise.
	Asset *string `json:"asset"`
	// USD; may be negative.
	EquityUSD float64 `json:"equity_usd"`
	// Maintenance margin in percent of equity; the venue liquidates at 100.
	MaintenanceRatioPct float64 `json:"maintenance_ratio_pct"`
	// Chance that it is liquidated within 24 hours, fraction; null for a portfolio-margin pool that could not be
	// read.
	Probability24h *float64 `json:"probability_24h"`
	// It survives every stress scenario.
	Survives bool `json:"survives"`
	// The scenarios that it does not survive.
	FailedScenarios []Scenario `json:"failed_scenarios"`
	// Its own worst stress result, USD, negative: a loss.
	WorstPnLUSD float64 `json:"worst_pnl_usd"`
	// What it needs; in a report on a wallet as held only. Null for a portfolio-margin pool that could not be
	// read.
	Action *PoolAction `json:"action,omitzero"`
}

// PoolAction: The least that brings a pool to a target: a reduction, or a deposit, each alone. A lot or a
// cent less does not.
type PoolAction struct {
	// `main` or another dex; `unified` or `portfolio` for a pool over several; the ticker of an isolated
	// position.
	Pool string `json:"pool"`
	// `hold`: the pool is at the target, and the figures are null. `reduce`: reduce, or add margin where that is
	// given too. `add_margin`: reducing does not help.
	Kind PoolActionKind `json:"kind"`
	// Percent by which to reduce every position of `assets`, each rounded down to the venue's lot; fills and
	// fees are counted. Null where reducing does not help: that of an isolated position frees its margin with
	// it, so that only closing it whole (100) may help.
	ReducePct *float64 `json:"reduce_pct"`
	// The same, notional at mark of all of them, USD.
	ReduceUSD *float64 `json:"reduce_usd"`
	// Deposit in the pool, USD, whole cents. Null where none helps.
	AddMarginUSD *float64 `json:"add_margin_usd"`
	// Positions of the pool; null with `hold`.
	Assets []string     `json:"assets"`
	Until  ActionTarget `json:"until"`
}

// ActionTarget: What the pool is brought to.
type ActionTarget struct {
	// Its chance of liquidation within 24 hours is at most this, fraction.
	MaxProbability24h float64 `json:"max_probability_24h"`
	// It survives every stress scenario.
	Survive bool `json:"survive"`
}

// BookBefore: The wallet's risk before the trade, to compare with: the first four figures are of the trade's
// pool. Left out for a wallet without a position.
type BookBefore struct {
	// Chance of liquidation within 24 hours, fraction; null when the pool has no position.
	Probability24h *float64 `json:"probability_24h"`
	// Chance of liquidation within 7 days, fraction; null when the pool has no position.
	Probability7d *float64 `json:"probability_7d"`
	// VaR 99 % over 24 h of the pool's positions, USD; null when it has none.
	PoolVaR99USD *float64 `json:"pool_var_99_usd"`
	// Largest loss of the pool in a stress scenario, USD, not limited to its equity; null when it has no
	// position.
	StressLossUSD *float64 `json:"stress_loss_usd"`
	// VaR 99 % over 24 h of all positions, USD.
	PortfolioVaR99USD float64 `json:"portfolio_var_99_usd"`
}

// OpenOrders: What the wallet's resting orders mean for it.
type OpenOrders struct {
	// `read`: the orders were listed (`--open-orders full`); `derived`: only the margin held for them is known.
	Source OpenOrdersSource `json:"source"`
	// Why the orders could not be listed; left out when they were not asked for.
	Reason OpenOrdersReason `json:"reason,omitzero"`
	// Age of the list, ms; only with `read`.
	AgeMs *float64 `json:"age_ms,omitzero"`
	// Resting orders; only with `read`.
	Count *int64 `json:"count,omitzero"`
	// Margin held for them, USD: at least this much. Of the trade's pool; of a wallet as held the sum over its
	// pools.
	HeldUSD float64 `json:"held_usd"`
	// At most this much, USD; null: no bound is known.
	HeldMostUSD *float64 `json:"held_most_usd"`
	// Both are the same.
	Exact          bool          `json:"exact"`
	IfAllBuysFill  *OrdersFilled `json:"if_all_buys_fill,omitzero"`
	IfAllSellsFill *OrdersFilled `json:"if_all_sells_fill,omitzero"`
	// How far stop orders protect each held position; only with `read`.
	Positions []Protection `json:"positions,omitzero"`
}

// OrdersFilled: The wallet once every resting order of one side has filled; only with `read`.
type OrdersFilled struct {
	// Orders of that side; 0: the wallet as it is.
	Orders int64 `json:"orders"`
	// Their notional, USD.
	NotionalUSD float64 `json:"notional_usd"`
	// Of all positions then, USD.
	GrossNotionalUSD float64 `json:"gross_notional_usd"`
	// Longs less shorts then, USD.
	NetNotionalUSD float64 `json:"net_notional_usd"`
	// Equity of the pool then, USD.
	PoolEquityUSD float64 `json:"pool_equity_usd"`
	// Initial margins then, USD.
	InitialUSD float64 `json:"initial_usd"`
	// Percent; the venue liquidates at 100.
	MaintenanceRatioPct float64 `json:"maintenance_ratio_pct"`
	// The equity covers the initial margins; the venue cancels what is not covered when it fills.
	Funded bool `json:"funded"`
}

// Protection: How far stop orders protect a position.
type Protection struct {
	// Ticker.
	Asset string `json:"asset"`
	// Part of the position that stops close, percent.
	CoveredPct float64 `json:"covered_pct"`
	// Trigger of the nearest stop, USD; null without one.
	StopPrice *float64 `json:"stop_price"`
	// One of them is a limit order: it may not fill.
	StopLimit bool `json:"stop_limit"`
	// Stops that liquidation would beat.
	BeyondLiquidation int64 `json:"beyond_liquidation"`
	// All but less than a lot is covered.
	Protected bool `json:"protected"`
}

// Admissibility: Whether the venue would take the order.
type Admissibility struct {
	// `unknown`: it depends on what the service cannot know: collateral or held margin that could not be read
	// exactly, a notice of the venue.
	Verdict Verdict `json:"verdict"`
	// What to send: the size rounded down to the venue's lot, coins; a reduction within one lot of the whole
	// position is all of it.
	OrderSizeCoin float64 `json:"order_size_coin"`
	// Its notional at mark, USD.
	OrderSizeUSD float64 `json:"order_size_usd"`
	// Why the venue would refuse it, or may.
	Issues []Issue `json:"issues"`
}

// OrderFill: What becomes of a limit order against the book. The first three, USD at mark, add up to the size
// of the trade. All other figures are of the whole order filled: what the book does not fill at once, at the
// order's price.
type OrderFill struct {
	// Filled at once, USD at mark.
	TakerUSD float64 `json:"taker_usd"`
	// Resting until the price meets it, USD at mark.
	MakerUSD float64 `json:"maker_usd"`
	// Cancelled or refused by the venue, USD at mark: the rest of an `ioc` order, an `alo` order that would fill
	// at once, an order that may only reduce and finds nothing.
	UnfilledUSD float64 `json:"unfilled_usd"`
	// Average price of the filled and the resting part, USD; null when nothing fills.
	FillPrice *float64 `json:"fill_price"`
	// Fee of both parts, the resting one at the wallet's maker rate, USD; negative: a rebate.
	FeeUSD float64 `json:"fee_usd"`
	// Chance that all of the order has filled within 24 hours, fraction: that the price touches the order's.
	PFill24h float64 `json:"p_fill_24h"`
}

// OrderExits: What the stop and the take-profit price of the request do. All members but the last are null
// when no position is left after the trade.
type OrderExits struct {
	// The whole position closed at the stop; null without one.
	StopLoss *ExitLevel `json:"stop_loss"`
	// The whole position closed at the take-profit price; null without one.
	TakeProfit *ExitLevel `json:"take_profit"`
	// Chance that the price touches the stop within 24 hours of the fill, before the take-profit price if there
	// is one, fraction. 0 when liquidation comes before the stop; null without a stop.
	PStopFirst *float64 `json:"p_stop_first"`
	// The stop lies beyond the liquidation price after the trade: it would never be reached.
	StopBeyondLiquidation bool `json:"stop_beyond_liquidation"`
}

// ExitLevel: The whole position after the trade, closed at a price by a market order.
type ExitLevel struct {
	// USD.
	Price float64 `json:"price"`
	// From mark, percent of it, not signed.
	DistancePct float64 `json:"distance_pct"`
	// Change of the wallet's value from before the trade, net of slippage at entry, fees and a day of expected
	// funding, USD; negative: a loss.
	PnLUSD float64 `json:"pnl_usd"`
	// Fees of the trade and of the exit, USD; positive: a cost.
	FeesUSD float64 `json:"fees_usd"`
	// Expected funding of 24 hours, USD; positive: the position pays.
	Funding24hUSD float64 `json:"funding_24h_usd"`
}

// Issue: One reason for which the venue would refuse the order, and what would mend it.
type Issue struct {
	// Rule of the venue that the order breaks.
	Code IssueCode `json:"code"`
	// Field of the request to change.
	Field string `json:"field"`
	// What the request comes to, in the unit of the rule: USD, or a multiple for leverage; a price for
	// `order.price`; the venue's own text with `market_post_only` and `venue_notice`; null when it is not known.
	Got any `json:"got"`
	// What the venue allows, in the same unit; null when there is no such figure, or it is not known.
	Limit *float64 `json:"limit"`
	// A value of `field` that the venue would take; null when there is none.
	Fix *float64 `json:"fix"`
	// Only with `insufficient_margin`: the smallest whole leverage that carries the size; null when there is
	// none.
	FixLeverage float64 `json:"fix_leverage,omitzero"`
	// Only with `insufficient_margin`: the deposit that is needed at this size and leverage, USD, up to whole
	// cents.
	FixDepositUSD *float64 `json:"fix_deposit_usd,omitzero"`
	// Only with `insufficient_margin`: chance of liquidation within 24 hours after that deposit, fraction; null
	// when it is not known.
	FixDepositProbability24h *float64 `json:"fix_deposit_probability_24h,omitzero"`
	// Only with `leverage_not_whole`: the whole numbers on both sides.
	Allowed []float64 `json:"allowed,omitzero"`
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
	// It is a balance that counts as collateral; left out for a position.
	Collateral *bool `json:"collateral,omitzero"`
}

// PortfolioAttribution: Which position carries the risk of the book after the trade.
type PortfolioAttribution struct {
	// VaR 99 % over 24 h of the book, USD.
	TotalVaR99 float64 `json:"total_var_99"`
	// How much less than the sum of the positions' own VaR, percent.
	DiversificationBenefitPct float64 `json:"diversification_benefit_pct"`
	// In the account's order, collateral last.
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
	// What the venue announces about itself now, such as that it takes post-only orders alone; null: nothing, or
	// it is not known.
	VenueNotice *string `json:"venue_notice"`
	// The venue's word for the address of a wallet that holds nothing: `user`, `agent`, `vault`, `subAccount`,
	// `missing`; `unknown` when it could not be read, null when nothing was asked.
	WalletRole *string `json:"wallet_role"`
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
	// No price was used.
	MarketAgeMs any `json:"market_age_ms"`
	// No account was used.
	WalletAgeMs any `json:"wallet_age_ms"`
	// That of the header `X-Request-Id`.
	RequestID string `json:"request_id"`
	// Where the data come from; `custom` is another address.
	Venue Venue `json:"venue"`
	// What the venue announces about itself now, such as that it takes post-only orders alone; null: nothing, or
	// it is not known.
	VenueNotice *string `json:"venue_notice"`
	// The venue's word for the address of a wallet that holds nothing: `user`, `agent`, `vault`, `subAccount`,
	// `missing`; `unknown` when it could not be read, null when nothing was asked.
	WalletRole *string `json:"wallet_role"`
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
	// What the venue announces about itself now, such as that it takes post-only orders alone; null: nothing, or
	// it is not known.
	VenueNotice *string `json:"venue_notice"`
	// The venue's word for the address of a wallet that holds nothing: `user`, `agent`, `vault`, `subAccount`,
	// `missing`; `unknown` when it could not be read, null when nothing was asked.
	WalletRole *string `json:"wallet_role"`
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
	// `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the operator's
	// limits (`policy`) do not allow the trade. A trade that only reduces a position is always `proceed`.
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
	Policy          *PolicyVerdict   `json:"policy,omitzero"`
	PortfolioRisk   *PortfolioRisk   `json:"portfolio_risk,omitzero"`
	PortfolioStress *PortfolioStress `json:"portfolio_stress,omitzero"`
	Fees            Fees             `json:"fees"`
	CostAnalysis    CostAnalysis     `json:"cost_analysis"`
	Sizing          Sizing           `json:"sizing"`
	Position        PositionChange   `json:"position"`
	Margin          MarginChange     `json:"margin"`
	Admissibility   Admissibility    `json:"admissibility"`
	Order           *OrderExits      `json:"order,omitzero"`
	Execution       *OrderFill       `json:"execution,omitzero"`
	// Null with `--open-orders off`.
	OpenOrders *OpenOrders `json:"open_orders"`
	// What the venue liquidates together, after the trade; cross pools first. Left out when fewer than two have
	// a position.
	Pools      []Pool      `json:"pools,omitzero"`
	BookBefore *BookBefore `json:"book_before,omitzero"`
	MonteCarlo *MonteCarlo `json:"monte_carlo,omitzero"`
	Day        DayMove     `json:"day"`
	// Null with less than a day of candles.
	EVT    *ExtremeValue `json:"evt"`
	Greeks Greeks        `json:"greeks"`
	// Null without a candle.
	Regime *Regime `json:"regime"`
	// `regime.state` under a name of its own, beside `var.volatility_regime`: how liquid the market is, not how
	// much it moves. Null without a candle.
	LiquidityRegime *LiquidityRegime `json:"liquidity_regime"`
	// Null below 30 bars.
	Drawdown *Drawdown `json:"drawdown"`
	// Null when nothing is held after the trade.
	PortfolioAttribution *PortfolioAttribution `json:"portfolio_attribution"`
	Meta                 Meta                  `json:"meta"`
	ModelVersion         ModelVersion          `json:"model_version"`
	Explanation          *Explanation          `json:"explanation,omitzero"`
	Receipt              *Receipt              `json:"receipt,omitzero"`
}

// PolicyVerdict: What the operator's policy of the wallet and the kill switch say; left out when neither
// applies. `deny` and `unknown` make the recommendation `abort`, with the flag `policy_violation`, or
// `kill_switch`. A trade that only reduces a position always passes. Of a wallet (`GET /v1/monitor`): what
// every increase meets, whatever its asset and size.
type PolicyVerdict struct {
	// `unknown`: no rule is known to be broken, but a figure that a rule needs is not known.
	Verdict PolicyVerdictVerdict `json:"verdict"`
	// The newest revision of the policies that hold for the wallet; null when only the kill switch, or a halt,
	// applies.
	Revision *int64 `json:"revision"`
	// Rules that are broken or cannot be judged. In a compact view the first four.
	Violations []PolicyViolation `json:"violations"`
	// What the numbers of the policy were compared with, broken or not, by the name of the rule and in its unit;
	// of what is not known none. Left out of compact views.
	Facts map[string]float64 `json:"facts,omitzero"`
}

// PolicyViolation: A rule that is broken, or that cannot be judged.
type PolicyViolation struct {
	// The rule's name in the policy, or `kill_switch`.
	Rule PolicyViolationRule `json:"rule"`
	// The limit in the policy, in the unit of the rule; of `expires_at` a time (RFC 3339); null for lists of
	// assets, `halt` and `kill_switch`.
	Limit any `json:"limit"`
	// What was compared with it, in the same unit; of a list the asset, of `expires_at` the time of the answer,
	// of `halt` and `kill_switch` true. Null when it is not known.
	Value any `json:"value"`
	// When the loss has set a halt, which stays until an operator lifts it; `limit` and `value` are of then.
	// Left out where it has set none.
	HaltedAt string `json:"halted_at,omitzero"`
}

// Decisions: A page of recorded decisions, newest first.
type Decisions struct {
	// The decisions. May be none with a `next_cursor`: a search stops after a second.
	Decisions []Decision `json:"decisions"`
	// Parameter `cursor` of the next page, null when there is no more.
	NextCursor *string `json:"next_cursor"`
	// Blocks, of 256 decisions at most, that are damaged on disk: what they had is missing here.
	UnreadableBlocks int64 `json:"unreadable_blocks"`
}

// Decision: What was asked, what was answered, and what the gate did. Figures are those of the answer; null:
// the answer did not have it.
type Decision struct {
	// Id of the request, `meta.request_id` of its answer.
	RequestID string `json:"request_id"`
	// `meta.as_of` of the answer; of the gate without an assessment, when the action arrived, by the venue's
	// clock.
	At string `json:"at"`
	// What was asked. `size`: the largest size that was answered. `gate`: an action through the gate; its
	// figures are those of the order that was refused, or was assessed last.
	Kind Kind `json:"kind"`
	// Of a trade of a batch, its place from 0; left out for 0.
	Index int64 `json:"index,omitzero"`
	// Id of the key that asked; empty for none, as at a gate that asks for no key.
	KeyID string `json:"key_id"`
	// Account in lower case; empty if the gate did not learn it.
	Wallet string `json:"wallet"`
	// Ticker; empty when nothing was assessed.
	Asset string `json:"asset"`
	// Direction; empty when nothing was assessed.
	Action string `json:"action"`
	// Size of the trade, USD at the mark.
	SizeUSD float64 `json:"size_usd"`
	// The same in coins of the asset.
	SizeCoin float64 `json:"size_coin"`
	// Leverage that the assessment used; 0 when nothing was assessed.
	Leverage float64 `json:"leverage"`
	// The request, JSON as it was sent; of a batch the trade in its array, of the gate the action as it was
	// passed on.
	Request any `json:"request"`
	// As answered; empty when nothing was assessed.
	Recommendation string `json:"recommendation"`
	// Risk score.
	RiskScore *float64 `json:"risk_score"`
	// Probability of liquidation within 24 hours, fraction.
	Probability24h *float64 `json:"probability_24h"`
	// The same within 7 days.
	Probability7d *float64 `json:"probability_7d"`
	// Liquidation price of the position after the trade, USD; null: there is none.
	LiquidationPrice *float64 `json:"liquidation_price"`
	// Side of the position after the trade; empty when nothing was assessed.
	Side string `json:"side"`
	// Mark price, USD.
	MarkPrice *float64 `json:"mark_price"`
	// Value of the position after the trade, USD at the mark.
	PositionUSD *float64 `json:"position_usd"`
	// Margin of the trade: its size divided by the leverage, USD.
	MarginUSD *float64 `json:"margin_usd"`
	// Loss of the position after the trade that 1 % of days exceed, positive, USD.
	VaR99_24hUSD *float64 `json:"var_99_24h_usd"`
	// Variance of the log price that the fit forecast for 24 hours of average activity, from ranges: what the
	// alarm of `GET /v1/accuracy` compares the market with. Null in decisions of versions before.
	Variance24h *float64 `json:"variance_24h"`
	// Flags of the answer.
	Flags []Flag `json:"flags"`
	// Figures that rules of a policy are compared with, by the rule's name and in its unit, whether a policy
	// applied or not; a missing one was not known. `duplicate_window_s` is 1000000000 when the same order was
	// not sent before.
	Facts map[string]float64 `json:"facts"`
	// What the operator's limits said; null: none applied.
	Policy *DecisionPolicy `json:"policy"`
	// What the gate did with the action; null: not through the gate.
	Gate *DecisionGate `json:"gate"`
	// Version of the model.
	EngineVersion string `json:"engine_version"`
	// `model_version.calibration_hash` of the answer; empty when nothing was assessed.
	CalibrationHash string `json:"calibration_hash"`
	// SHA-256, hexadecimal. Of a photographed decision over everything the answer was computed from; of others
	// over what names it: request, time, mark price, calibration hash, the venue's times of wallet and book.
	// Empty when nothing was assessed.
	InputsDigest string `json:"inputs_digest"`
	// SHA-256 of the answer without `meta.latency_ms`, of a photographed decision; else empty.
	AnswerDigest string `json:"answer_digest"`
	// What the answer was computed from is kept (`--journal full`): `ballast replay` computes it again.
	Photographed bool `json:"photographed"`
	// What became of it; null: nothing is known yet.
	Outcome *DecisionOutcome `json:"outcome"`
	// Of `GET /v1/decisions/{request_id}` of a batch: the decisions of all its assessed trades, in order. Left
	// out otherwise.
	Batch []Decision `json:"batch,omitzero"`
}

// DecisionPolicy: What the operator's limits said; null: none applied.
type DecisionPolicy struct {
	// pass, deny or unknown, as in `PolicyVerdict`.
	Verdict string `json:"verdict"`
	// Revision of the policy; 0 when only the kill switch or a halt applied.
	Revision int64 `json:"revision"`
	// Rules that were broken or could not be judged.
	Violations []DecisionPolicyViolation `json:"violations"`
}

// DecisionPolicyViolation: A rule.
type DecisionPolicyViolation struct {
	// Its name, as in `PolicyViolation`.
	Rule string `json:"rule"`
	// The limit, in the unit of the rule; of `expires_at` ms since 1970; null for a rule without a number.
	Limit *float64 `json:"limit"`
	// What was compared with it; 1 for a rule without a number. Null: not known, so it could not be judged.
	Value *float64 `json:"value"`
}

// DecisionGate: What the gate did with the action; null: not through the gate.
type DecisionGate struct {
	// `passed`: it cannot add risk; `allowed`: it was judged and handed on.
	Did DecisionGateDid `json:"did"`
	// What the action can do: increase, never_enlarges, margin, funds, signers, abstraction, cost or unknown.
	Class string `json:"class"`
	// Type of the action, as the venue names it.
	Type string `json:"type"`
	// Why it was refused, or what of it could not be judged; else empty.
	Reason string `json:"reason"`
	// Address that signed it; empty: not recovered.
	Signer string `json:"signer"`
	// HTTP status of the venue's answer; 0: none, or the decision was on disk before (`--gate-journal strict`).
	VenueStatus int64 `json:"venue_status"`
}

// DecisionOutcome: What became of a decision, as it is known when it is asked for.
type DecisionOutcome struct {
	// What the market made of the position within 24 hours; null: they are not over, bars are missing, or the
	// answer promised nothing about a position.
	After24h *MarketOutcome `json:"after_24h"`
	// The same within 7 days.
	After7d *MarketOutcome `json:"after_7d"`
	// What the key that asked has reported with `POST /v1/outcome`, oldest first, at most 100.
	Reported []ReportedOutcome `json:"reported"`
}

// MarketOutcome: What the venue's hourly bars say, whoever sent the order. The window begins with the first
// full hour at or after the answer.
type MarketOutcome struct {
	// `unknown`: bars of the window are missing 48 hours after its end; all figures are null.
	Status MarketOutcomeStatus `json:"status"`
	// End of the window, UTC.
	Until string `json:"until"`
	// A price of the window reached the liquidation price that was given.
	Liquidated *bool `json:"liquidated"`
	// The hour in which it did; null: it did not.
	LiquidatedAt *string `json:"liquidated_at"`
	// The loss at the end of the day was larger than `var_99_24h_usd`; null after 7 days, and without a VaR.
	VaRExceeded *bool `json:"var_exceeded"`
	// Last close, or the liquidation price, USD.
	EndPrice *float64 `json:"end_price"`
	// P&L of the position from the mark to `end_price`, USD, without fees and funding.
	PnLUSD *float64 `json:"pnl_usd"`
	// The same in percent of the margin, at the margin of the trade.
	PnLPct *float64 `json:"pnl_pct"`
}

// ReportedOutcome: A report about the decision, as in `OutcomeReport`.
type ReportedOutcome struct {
	// The client's name of the trade.
	TradeID string `json:"trade_id"`
	// When it was recorded, UTC.
	RecordedAt string `json:"recorded_at"`
	// USD.
	EntryPrice float64 `json:"entry_price"`
	// USD.
	ExitPrice float64 `json:"exit_price"`
	// P&L, USD, negative for a loss.
	PnLUSD float64 `json:"pnl_usd"`
	// P&L in percent of the margin.
	PnLPct float64 `json:"pnl_pct"`
	// Hours from the entry to the exit.
	HoldingPeriodHours float64 `json:"holding_period_hours"`
	// The venue closed the position.
	Liquidated bool `json:"liquidated"`
	// USD, negative for a rebate; null: not reported.
	FeesPaidUSD *float64 `json:"fees_paid_usd"`
	// USD, negative for funding received; null: not reported.
	FundingPaidUSD *float64 `json:"funding_paid_usd"`
}

// Audit: Who changed which key, policy or kill switch, and when.
type Audit struct {
	// Newest first.
	Events []AuditEvent `json:"events"`
	// `cursor` of the next page; null: there is none.
	NextCursor *string `json:"next_cursor"`
}

// AuditEvent: A change.
type AuditEvent struct {
	// When, UTC.
	Time string `json:"time"`
	// The user who ran the command, or e-mail address and id of the key; `ballast` for a halt that a loss has
	// set.
	Who string `json:"who"`
	// key_issued, key_revoked, policy_set, policy_removed, kill_switch_on, kill_switch_off, halt_set or
	// halt_lifted; more may come.
	Event string `json:"event"`
	// What was changed: the id of a key, a wallet or `*`, or `kill switch`.
	Subject string `json:"subject"`
	// Of a key: whom it is for; of a policy its rules; of the switch the reason.
	Detail string `json:"detail"`
}

// Receipt: A signed receipt of the decision, for another program that must know that this service made it.
// Left out unless the service is started with `--receipt-key`. What is signed, and how to verify it:
// docs/api.md, Receipts.
type Receipt struct {
	// The form of what is signed.
	Version string `json:"version"`
	// Which key of `GET /v1/receipt-key` verifies it.
	KeyID string `json:"key_id"`
	// What was asked; `gate` stands in the header `X-Ballast-Receipt` of an answer of the gate.
	Kind Kind `json:"kind"`
	// Which trade of a batch, from 0; otherwise 0.
	Index int64 `json:"index"`
	// SHA-256 of the request's body in the canonical form of RFC 8785, hexadecimal.
	RequestDigest string `json:"request_digest"`
	// The wallet; empty where the gate passed an action without looking at its account.
	Account string `json:"account"`
	// The recommendation; of the gate what it did: `passed` at once, what cannot add risk; `allowed` after it
	// was judged; or `refused`.
	Verdict ReceiptVerdict `json:"verdict"`
	// Revision of the operator's policy that was applied, 0 without one.
	PolicyRevision int64 `json:"policy_revision"`
	// Semantic version of the risk engine.
	EngineVersion string `json:"engine_version"`
	// As in `meta.request_id`.
	RequestID string `json:"request_id"`
	// Moment that the decision is of, by the venue's clock.
	AsOf string `json:"as_of"`
	// Do not act on the decision after this moment: `as_of` and `--receipt-valid`; of a decision on stale data
	// `as_of`.
	ValidUntil string `json:"valid_until"`
	// Ed25519, base64.
	Signature string `json:"signature"`
}

// ReceiptKey: The public key that verifies receipts.
type ReceiptKey struct {
	// The first 16 hexadecimal digits of the SHA-256 of the raw key.
	KeyID string `json:"key_id"`
	// RFC 8032.
	Algorithm string `json:"algorithm"`
	// PEM, SubjectPublicKeyInfo.
	Pem string `json:"pem"`
	// The 32 bytes of the key, base64.
	Raw string `json:"raw"`
	// The form of what is signed.
	Version string `json:"version"`
	// How long a receipt holds after its decision, ms.
	ValidMs int64 `json:"valid_ms"`
}

// PolicyTest: What recorded decisions would have been under another policy.
type PolicyTest struct {
	// Whose policy was tried, in lower case; `*`: that of all wallets.
	Wallet string `json:"wallet"`
	// The first moment of the decisions.
	From string `json:"from"`
	// The end of the time, not included.
	To string `json:"to"`
	// How many decisions were judged again.
	Decisions int64 `json:"decisions"`
	// Actions of the gate without figures, because they were passed on or refused without an assessment; they
	// are not judged.
	NotAssessed int64 `json:"not_assessed"`
	// Damaged blocks, of 256 decisions at most, which are left out.
	UnreadableBlocks int64        `json:"unreadable_blocks"`
	Before           PolicyCounts `json:"before"`
	After            PolicyCounts `json:"after"`
	// How many have another verdict.
	Changed int64 `json:"changed"`
	// The first 1,000 of them, oldest first.
	Changes []PolicyTestChange `json:"changes"`
}

// PolicyTestChange: A decision with another verdict.
type PolicyTestChange struct {
	// Request id of the decision.
	RequestID string `json:"request_id"`
	// Which trade of a batch, from 0; otherwise 0.
	Index int64 `json:"index"`
	// Moment of the decision, UTC.
	At string `json:"at"`
	// What was asked.
	Kind Kind `json:"kind"`
	// The wallet, lower case.
	Wallet string `json:"wallet"`
	// Ticker.
	Asset string `json:"asset"`
	// What was to be done.
	Action Action `json:"action"`
	// Size of the trade, USD.
	SizeUSD float64 `json:"size_usd"`
	// The verdict as recorded.
	Before PolicyTestChangeBefore `json:"before"`
	// The verdict under the policy that is tried.
	After PolicyTestChangeAfter `json:"after"`
	// The rules of it that are broken, or that could not be judged.
	Violations []PolicyViolation `json:"violations"`
}

// PolicyTestRequest: A policy to try on recorded decisions.
type PolicyTestRequest struct {
	Rules PolicyRules `json:"rules"`
	// The first moment of the decisions, RFC 3339. Left out: a day before `to`.
	From string `json:"from,omitzero"`
	// The end of the time, not included. Left out: now.
	To string `json:"to,omitzero"`
}

// PolicyCounts: Decisions by the verdict of the policy.
type PolicyCounts struct {
	// Also those to which no policy applied.
	Pass int64 `json:"pass"`
	// A rule is broken.
	Deny int64 `json:"deny"`
	// A figure that a rule needs is not known.
	Unknown int64 `json:"unknown"`
}

// RejectedTrade: What stands for a trade of a batch that breaks a rule: zeros, score 100, `abort`, and the
// rule in `meta.error`. It changes nothing for the trades behind it.
type RejectedTrade struct {
	// Composite score, 0 (lowest risk) to 100 (highest).
	RiskScore float64 `json:"risk_score"`
	// `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the operator's
	// limits (`policy`) do not allow the trade. A trade that only reduces a position is always `proceed`.
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
	// Not assessed.
	OpenOrders   any          `json:"open_orders"`
	Meta         RejectedMeta `json:"meta"`
	ModelVersion ModelVersion `json:"model_version"`
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
	// The trade only reduces, and without the cap of such trades its score would be higher.
	Capped bool `json:"capped"`
	// The open-interest cap is a guess: `oi` has no weight.
	OICapEstimated bool `json:"oi_cap_estimated"`
	// Leverage that the score sees, multiple.
	ScoreLeverage float64 `json:"score_leverage"`
	// Figures of other blocks as computed.
	Inputs ExplanationInputs `json:"inputs"`
	// How far the trade counts as one that lowers the risk of its pool, fraction.
	HedgeWeight float64 `json:"hedge_weight"`
	// Score of the pool's positions as held, towards which `hedge_weight` pulls; null without such a weight.
	ScoreBefore *float64 `json:"score_before"`
	// The figures of `book_before` after the trade.
	BookAfter ExplanationBookAfter `json:"book_after"`
	// What the wallet loses at 99 % over 24 h, each other pool at most its equity, USD; behind the portfolio
	// term and H6.
	PortfolioLoss99 float64 `json:"portfolio_loss_99"`
	// Those of `portfolio_stress`, also for the first trade of a wallet.
	FailedScenarios []Scenario `json:"failed_scenarios"`
	// What kept the suggested size down: a hard rule, or `score`; null where neither did.
	SizeRule *string `json:"size_rule"`
	// Where the margin mode comes from. The venue opens in the wallet's setting until it is changed there: an
	// order carries no mode.
	ModeSource ModeSource `json:"mode_source"`
	// Where the leverage comes from.
	LeverageSource LeverageSource `json:"leverage_source"`
	// What the answer would use and is still to be read.
	Loading []ExplanationLoading `json:"loading"`
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
	H7b float64 `json:"H7b"`
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
	// Points.
	H14 float64 `json:"H14"`
}

// ExplanationInputs: Figures of other blocks as computed.
type ExplanationInputs struct {
	// Percent.
	Pct99_24h float64 `json:"pct_99_24h"`
	// Percent.
	Pct99_4h float64 `json:"pct_99_4h"`
	// Fraction.
	Probability24h *float64 `json:"probability_24h"`
	// Fraction.
	Probability7d *float64 `json:"probability_7d"`
	// Share of the room to liquidation that the worst stress scenario takes, of the trade's pool after the
	// trade; of an isolated position at most 1, times its share of the wallet. 1 and more: it dies.
	StressLoad float64 `json:"stress_load"`
	// Share of the room to liquidation that a day's funding takes.
	FundingShare float64 `json:"funding_share"`
	// Basis points.
	TotalRoundTripCostBps float64 `json:"total_round_trip_cost_bps"`
	// Percent.
	ParticipationPct float64 `json:"participation_pct"`
}

// ExplanationBookAfter: The figures of `book_before` after the trade.
type ExplanationBookAfter struct {
	// Fraction; null when the pool has no position.
	Probability24h *float64 `json:"probability_24h"`
	// Fraction; null when the pool has no position.
	Probability7d *float64 `json:"probability_7d"`
	// USD; null when the pool has no position.
	PoolVaR99USD *float64 `json:"pool_var_99_usd"`
	// USD; null when the pool has no position.
	StressLossUSD *float64 `json:"stress_loss_usd"`
	// USD; null when nothing is held.
	PortfolioVaR99USD *float64 `json:"portfolio_var_99_usd"`
}

// ExplanationLoading: An input.
type ExplanationLoading struct {
	// Older bars, paid funding rates, or the pairs of the book.
	What ExplanationLoadingWhat `json:"what"`
	// Ticker; null for pairs.
	Asset *string `json:"asset"`
	// Estimate, seconds; null when it is not known.
	ReadyInS *float64 `json:"ready_in_s"`
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
	// Share of the simulated paths that reach the liquidation price, fraction. Their hours are no larger than
	// last year's: smaller than `probability_24h`.
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
	// USD; null when the venue gives none.
	EntryPrice *float64 `json:"entry_price"`
	// USD.
	MarkPrice float64 `json:"mark_price"`
	// USD, negative: a loss; null without an entry price.
	UnrealizedPnL *float64 `json:"unrealized_pnl"`
	// Percent of the margin used, negative: a loss; null without an entry price.
	UnrealizedPnLPct *float64 `json:"unrealized_pnl_pct"`
	// Composite score, 0 (lowest risk) to 100 (highest).
	RiskScore float64 `json:"risk_score"`
	// `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the operator's
	// limits (`policy`) do not allow the trade. A trade that only reduces a position is always `proceed`.
	Recommendation Recommendation `json:"recommendation"`
	// Concerns raised, critical ones first.
	Flags  []Flag         `json:"flags"`
	Policy *PolicyVerdict `json:"policy,omitzero"`
	// USD; null when there is none.
	LiquidationPrice *float64 `json:"liquidation_price"`
	// Percent of mark; 100 when there is none.
	LiquidationDistancePct float64 `json:"liquidation_distance_pct"`
	// Funding of 24 h in percent of margin, positive: you pay.
	FundingDrag24hPct float64 `json:"funding_drag_24h_pct"`
	// Chance that the position's pool is liquidated at any time within 24 hours, fraction. Of the trade's pool
	// after the trade, flat trades too; null only in a portfolio-margin account that could not be read.
	Probability24h *float64 `json:"probability_24h"`
	// Chance that the position's pool is liquidated at any time within 7 days, fraction. Of the trade's pool
	// after the trade, flat trades too; null only in a portfolio-margin account that could not be read.
	Probability7d *float64 `json:"probability_7d"`
	// Null without a candle.
	Regime *Regime `json:"regime"`
	// `regime.state` under a name of its own. Null without a candle.
	LiquidityRegime *LiquidityRegime `json:"liquidity_regime"`
	VaR             ValueAtRisk      `json:"var"`
	// What its pool needs. Null for a portfolio-margin pool that could not be read.
	Action *PoolAction `json:"action"`
}

// WalletReport: The wallet as held.
type WalletReport struct {
	// Lower case.
	Wallet string `json:"wallet"`
	// Equity, USD; may be negative.
	AccountValue float64 `json:"account_value"`
	// Initial margin of cross positions plus equity of isolated ones, USD.
	TotalMarginUsed float64      `json:"total_margin_used"`
	Margin          WalletMargin `json:"margin"`
	// In the account's order.
	Positions []HeldPosition `json:"positions"`
	Policy    *PolicyVerdict `json:"policy,omitzero"`
	// Null with `--open-orders off`.
	OpenOrders *OpenOrders `json:"open_orders"`
	// What the venue liquidates together; cross pools first. Left out when fewer than two have a position.
	Pools           []Pool           `json:"pools,omitzero"`
	PortfolioRisk   *PortfolioRisk   `json:"portfolio_risk,omitzero"`
	PortfolioStress *PortfolioStress `json:"portfolio_stress,omitzero"`
	Meta            ReportMeta       `json:"meta"`
	ModelVersion    ModelVersion     `json:"model_version"`
}

// SizeRequest: A trade of which the size is asked for. `null` for an optional field equals leaving it out.
type SizeRequest struct {
	// The venue's ticker, case-sensitive, as in `GET /v1/assets`. Listed, not delisted.
	Asset string `json:"asset"`
	// Adds to the position of the wallet; against a position it reduces it first, then turns it.
	Action Action `json:"action"`
	// Address of the account: `0x` and 40 hexadecimal digits, compared without case. It need not exist at the
	// venue.
	Wallet string `json:"wallet"`
	// Multiple, up to the asset's maximum. Left out: the one with which the size is the largest is searched.
	Leverage float64 `json:"leverage,omitzero"`
	// Margin mode of a new position; an open position keeps its own. Left out: the wallet's setting at the
	// venue, else `cross`. An asset that is isolated only wants `isolated`.
	Mode Mode `json:"mode,omitzero"`
	// A market order that may increase a position, perhaps with a stop or a take-profit price, which the
	// assessment then has.
	Order *Order `json:"order,omitzero"`
	// Only false: sizes are searched without a simulation.
	MonteCarlo bool       `json:"monte_carlo,omitzero"`
	Target     SizeTarget `json:"target"`
	// Add `curve`. Left out: true.
	Curve *bool `json:"curve,omitzero"`
	// Add `ladder`. Left out: true without `leverage`, false with it.
	Ladder *bool `json:"ladder,omitzero"`
}

// SizeTarget: What the size must meet: exactly one limit. Figures are compared as answers show them.
type SizeTarget struct {
	// Highest `risk_score`, over 0, points; 40 is the highest that proceeds.
	MaxScore float64 `json:"max_score,omitzero"`
	// Highest `liquidation.probability_24h`, over 0, fraction: 0.05 is 5 %.
	MaxProbability24h float64 `json:"max_probability_24h,omitzero"`
	// Highest loss of the whole wallet within a day at 99 %, over 0, another pool at most its equity, percent of
	// the account value before the trade: `explanation.portfolio_loss_99` over `explanation.account_value`,
	// times 100.
	MaxLoss99PctOfAccount float64 `json:"max_loss_99_pct_of_account,omitzero"`
	// Highest `cost_analysis.breakeven_move_pct`, over 0, percent of price.
	MaxBreakevenPct float64 `json:"max_breakeven_pct,omitzero"`
}

// SizeAnswer: The largest order that the venue and the operator's limits allow and that meets the target.
type SizeAnswer struct {
	// The largest size, USD at mark; 0 when no order meets the target.
	SizeUSD float64 `json:"size_usd"`
	// The same in coins, whole lots.
	SizeCoin float64 `json:"size_coin"`
	// Of the request; without one, the smallest whole leverage with which the size is the largest.
	Leverage float64 `json:"leverage"`
	// What stops one lot more: the name of the target; a rule of the venue, by its code in
	// `admissibility.issues` (`insufficient_margin`, `tier_leverage`, `oi_cap`, `max_market_order`, ...); a rule
	// of the operator, by its name in a policy (`max_order_usd`, `halt`, ...), `kill_switch`, or `policy_unread`
	// while the limits are not known yet; or `max_size`, the largest size of a request. Of a size of 0: what
	// stops the smallest order.
	Binding string `json:"binding"`
	// The smallest order, when `size_usd` is 0; null otherwise.
	Nearest *NearestSize `json:"nearest"`
	// Size from which on the venue would refuse the order, USD; null when that is above the curve. The curve
	// goes on beyond it.
	VenueLimitUSD *float64 `json:"venue_limit_usd"`
	// 33 sizes at `leverage`, evenly spaced in their logarithm, from the smallest order to three times the
	// answer; without an answer, to three times the largest order that the venue takes. Empty when not asked
	// for.
	Curve []SizePoint `json:"curve"`
	// The largest order with each of up to twelve of the asset's whole leverages, smallest first; 0 with those
	// that the operator forbids. Empty when not asked for.
	Ladder []SizeRung `json:"ladder"`
	// Of the answer; when `size_usd` is 0, of the smallest order, which does not meet the target or which the
	// venue or the operator refuses.
	Assessment Assessment `json:"assessment"`
}

// CompactSizeAnswer: The compact view of `SizeAnswer`: its assessment is compact.
type CompactSizeAnswer struct {
	// The largest size, USD at mark; 0 when no order meets the target.
	SizeUSD float64 `json:"size_usd"`
	// The same in coins, whole lots.
	SizeCoin float64 `json:"size_coin"`
	// Of the request; without one, the smallest whole leverage with which the size is the largest.
	Leverage float64 `json:"leverage"`
	// What stops one lot more: the name of the target; a rule of the venue, by its code in
	// `admissibility.issues` (`insufficient_margin`, `tier_leverage`, `oi_cap`, `max_market_order`, ...); a rule
	// of the operator, by its name in a policy (`max_order_usd`, `halt`, ...), `kill_switch`, or `policy_unread`
	// while the limits are not known yet; or `max_size`, the largest size of a request. Of a size of 0: what
	// stops the smallest order.
	Binding string `json:"binding"`
	// The smallest order, when `size_usd` is 0; null otherwise.
	Nearest *NearestSize `json:"nearest"`
	// Size from which on the venue would refuse the order, USD; null when that is above the curve. The curve
	// goes on beyond it.
	VenueLimitUSD *float64 `json:"venue_limit_usd"`
	// 33 sizes at `leverage`, evenly spaced in their logarithm, from the smallest order to three times the
	// answer; without an answer, to three times the largest order that the venue takes. Empty when not asked
	// for.
	Curve []SizePoint `json:"curve"`
	// The largest order with each of up to twelve of the asset's whole leverages, smallest first; 0 with those
	// that the operator forbids. Empty when not asked for.
	Ladder []SizeRung `json:"ladder"`
	// Of the answer; when `size_usd` is 0, of the smallest order, which does not meet the target or which the
	// venue or the operator refuses.
	Assessment CompactAssessment `json:"assessment"`
}

// NearestSize: The smallest order, with every figure that a target can bound.
type NearestSize struct {
	// USD at mark.
	SizeUSD float64 `json:"size_usd"`
	// Coins, whole lots.
	SizeCoin float64 `json:"size_coin"`
	// Points.
	RiskScore float64 `json:"risk_score"`
	// Chance of liquidation within 24 hours, fraction; null only in a portfolio-margin account that could not be
	// read.
	Probability24h *float64 `json:"probability_24h"`
	// Loss of the wallet within a day at 99 %, percent of the account value, positive: a loss.
	Loss99PctOfAccount float64 `json:"loss_99_pct_of_account"`
	// Move that covers the costs of a round trip, percent of price.
	BreakevenPct float64 `json:"breakeven_pct"`
	// The limit of the request's target.
	Limit float64 `json:"limit"`
}

// SizePoint: Figures of one size, those of its validation.
type SizePoint struct {
	// USD at mark; not rounded to whole lots.
	SizeUSD float64 `json:"size_usd"`
	// Points.
	RiskScore float64 `json:"risk_score"`
	// Chance of liquidation within 24 hours, fraction; null only in a portfolio-margin account that could not be
	// read.
	Probability24h *float64 `json:"probability_24h"`
	// Distance from mark to liquidation price, percent of mark; 100 when there is none.
	LiquidationDistancePct float64 `json:"liquidation_distance_pct"`
	// Total cost of entry, basis points of the size, positive: a cost.
	EntryCostBps float64 `json:"entry_cost_bps"`
	// The hard rule that sets the score (`H1` to `H14`, `H7b`); null when none does.
	Rule *string `json:"rule"`
	// The rule of the operator that forbids the size. Left out where none does.
	PolicyRule string `json:"policy_rule,omitzero"`
}

// SizeRung: The largest order with one leverage. The figures are those of its validation, null when
// `size_usd` is 0.
type SizeRung struct {
	// Multiple.
	Leverage float64 `json:"leverage"`
	// Margin mode of the position.
	Mode Mode `json:"mode"`
	// USD at mark; 0 when no order meets the target.
	SizeUSD float64 `json:"size_usd"`
	// Coins, whole lots.
	SizeCoin float64 `json:"size_coin"`
	// Points.
	RiskScore *float64 `json:"risk_score"`
	// Chance of liquidation within 24 hours, fraction.
	Probability24h *float64 `json:"probability_24h"`
	// USD; null also when there is none.
	LiquidationPrice *float64 `json:"liquidation_price"`
	// As in the answer.
	Binding string `json:"binding"`
}

// ShockRequest: Price moves of your own for a wallet.
type ShockRequest struct {
	// Address of the account: `0x` and 40 hexadecimal digits, compared without case. It need not exist at the
	// venue.
	Wallet string `json:"wallet"`
	// The wallet after this trade, filled at its estimated price. Left out: the wallet as it is.
	Trade *BatchTrade `json:"trade,omitzero"`
	// Move of each asset, percent of its mark, above -100, by ticker; `*` stands for every asset that is not
	// named, collateral included. An asset neither named nor covered by `*` stays.
	Shocks map[string]float64 `json:"shocks"`
}

// ShockReport: The wallet after the moves.
type ShockReport struct {
	// Lower case.
	Wallet string `json:"wallet"`
	// Move applied to each asset of the wallet, percent.
	Shocks map[string]float64 `json:"shocks"`
	// Named assets that the wallet does not hold.
	Unused []string `json:"unused"`
	// Profit or loss of all pools, USD, negative: a loss; a pool that dies loses its equity.
	PnLUSD float64 `json:"pnl_usd"`
	// Account value then, USD.
	AccountValueUSD float64 `json:"account_value_usd"`
	// No cross pool dies, nor isolated ones that are nine tenths of the wallet, and a dollar is left.
	AccountSurvives bool `json:"account_survives"`
	// Those with a position, cross pools first.
	Pools []ShockedPool `json:"pools"`
	// Cross positions, collateral, then isolated ones.
	Positions []ShockedPosition `json:"positions"`
	Meta      ReportMeta        `json:"meta"`
}

// ShockedPool: One pool after the moves.
type ShockedPool struct {
	// Dex, empty for the main one; null for a pool over several.
	Dex *string `json:"dex"`
	// How its collateral is shared.
	Mode Mode `json:"mode"`
	// Ticker of an isolated position; null otherwise.
	Asset *string `json:"asset"`
	// Then, USD; 0 or its debt when it dies.
	EquityUSD float64 `json:"equity_usd"`
	// Maintenance margin at the moved prices, USD.
	MaintenanceUSD float64 `json:"maintenance_usd"`
	// In percent of the equity before anything is liquidated; the venue liquidates at 100.
	MaintenanceRatioPct float64 `json:"maintenance_ratio_pct"`
	// USD, negative: a loss.
	PnLUSD float64 `json:"pnl_usd"`
	// It is not liquidated.
	Survives bool `json:"survives"`
	// All of a pool that dies.
	PositionsLiquidated int64 `json:"positions_liquidated"`
}

// ShockedPosition: One position after the moves.
type ShockedPosition struct {
	// Ticker.
	Asset string `json:"asset"`
	// Before the moves, USD.
	NotionalUSD float64 `json:"notional_usd"`
	// Its move, percent.
	ShockPct float64 `json:"shock_pct"`
	// USD, negative: a loss; not limited to the equity of its pool.
	PnLUSD float64 `json:"pnl_usd"`
	// Its pool dies.
	Liquidated bool `json:"liquidated"`
	// It is a balance that counts as collateral; left out for a position.
	Collateral *bool `json:"collateral,omitzero"`
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
	// The asset's number in the venue's orders; null when it is not known.
	Number *int64 `json:"number"`
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
	// Age of the mark price, ms; null when nobody knows.
	MarkAgeMs *int64 `json:"mark_age_ms"`
	// Open interest is at its cap, so nothing can be opened; null until the caps are read.
	AtCap *bool `json:"at_cap"`
	// Best ask less best bid, basis points of the mid; null while a side of the book is empty.
	SpreadBps *float64 `json:"spread_bps"`
	// What rests within 10 bps of the mid on the thinner side, USD; null while a side of the book is empty.
	Depth10bpsUSD *float64 `json:"depth_10bps_usd"`
	// State of the market by the last fit; null without a fit.
	LiquidityRegime *LiquidityRegime `json:"liquidity_regime"`
	// Forecast volatility of the next day, annualised fraction; null without a fit.
	Sigma1d *float64 `json:"sigma_1d"`
	// Null when no fresh book is known.
	Book *AssetBook `json:"book"`
	// With four decimals. Null without candles.
	Day *DayMove `json:"day"`
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

// MoveRange: How far an asset may move within some hours, percent of the price: one time in 100 it ends
// lower, one in 100 higher.
type MoveRange struct {
	// The fall, negative or 0.
	Down99Pct float64 `json:"down_99_pct"`
	// The rise, positive or 0.
	Up99Pct float64 `json:"up_99_pct"`
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
	// `regime.state` under a name of its own. Null without a fit.
	LiquidityRegime *LiquidityRegime `json:"liquidity_regime"`
	// Null without a fit.
	VolatilityForecast *VolatilityForecast `json:"volatility_forecast"`
	// By the last fit. Null without candles.
	Day *DayMove `json:"day"`
	// Within four hours, by the last fit. Null without candles.
	FourHours *MoveRange `json:"four_hours"`
	// Within seven days, by the last fit. Null without candles.
	Week *MoveRange `json:"week"`
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

// CompactRejectedMeta: About the answer.
type CompactRejectedMeta struct {
	// That of the header `X-Request-Id`.
	RequestID string `json:"request_id"`
	// Moment that all figures are of, UTC with milliseconds.
	AsOf string `json:"as_of"`
	// Where the data come from; `custom` is another address.
	Venue Venue `json:"venue"`
	// No price was used.
	MarketAgeMs any `json:"market_age_ms"`
	// No account was used.
	WalletAgeMs any `json:"wallet_age_ms"`
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

// CompactStress: The worst scenario of the wallet; of the trade where the wallet has no position before it.
type CompactStress struct {
	Scenario Scenario `json:"scenario"`
	// USD, negative: a loss.
	PnLUSD float64 `json:"pnl_usd"`
	// The account, or else the trade's pool, survives it.
	Survives bool `json:"survives"`
}

// CompactAssessment: The assessment of one trade in at most 1,200 bytes, with `?view=compact`, in up to 2,000
// where the texts of critical flags need it, and `receipt` besides. Numbers have six significant digits at
// most.
type CompactAssessment struct {
	// Composite score, 0 (lowest risk) to 100 (highest).
	RiskScore float64 `json:"risk_score"`
	// `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the operator's
	// limits (`policy`) do not allow the trade. A trade that only reduces a position is always `proceed`.
	Recommendation Recommendation `json:"recommendation"`
	// That the answer is stale, if it is; the margin that the venue wants first, with its remedy; verdict, what
	// drives it, what would be acceptable.
	Summary string         `json:"summary"`
	Policy  *PolicyVerdict `json:"policy,omitzero"`
	Receipt *Receipt       `json:"receipt,omitzero"`
	// Chance that the position's pool is liquidated at any time within 24 hours, fraction. Of the trade's pool
	// after the trade, flat trades too; null only in a portfolio-margin account that could not be read.
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
	// made smaller where the score allows nothing near it, and within the operator's limits. Its score is not
	// itself checked: the answer at this size may be `abort`. Send `suggested_size_usd`.
	MaxSafeSizeUSD float64 `json:"max_safe_size_usd"`
	// The constraint that binds.
	SizeLimitReason SizeLimitReason `json:"size_limit_reason"`
	// `sizing.policy_rule`: the rule of the operator that keeps the sizes below that constraint. Left out where
	// none does.
	SizePolicyRule string `json:"size_policy_rule,omitzero"`
	// The position after the fill; null when flat.
	PositionAfter *CompactAssessmentPositionAfter `json:"position_after"`
	MarginAfter   CompactMargin                   `json:"margin_after"`
	WorstStress   CompactStress                   `json:"worst_stress"`
	// What the stop and the take-profit price of the request do; left out when it has neither.
	Order *CompactAssessmentOrder `json:"order,omitzero"`
	// What becomes of a limit order; left out for a market order. Parts of 0 USD are left out.
	Execution *CompactAssessmentExecution `json:"execution,omitzero"`
	// Pools at risk besides the trade's; left out when there is none.
	OtherPools int64 `json:"other_pools,omitzero"`
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
	// Average entry price, USD; null when the venue gives none.
	EntryPrice *float64 `json:"entry_price"`
}

// CompactAssessmentOrder: What the stop and the take-profit price of the request do; left out when it has
// neither.
type CompactAssessmentOrder struct {
	// Net change of the wallet's value when the stop closes the position, USD, negative: a loss; null without a
	// stop or a position.
	StopPnLUSD *float64 `json:"stop_pnl_usd"`
	// The same at the take-profit price.
	TakeProfitPnLUSD *float64 `json:"take_profit_pnl_usd"`
	// Chance that the price touches the stop within 24 hours of the fill, before the take-profit price if there
	// is one, fraction; null without a stop or a position.
	PStopFirst *float64 `json:"p_stop_first"`
	// Liquidation comes before the stop; left out when it does not.
	StopBeyondLiquidation *bool `json:"stop_beyond_liquidation,omitzero"`
}

// CompactAssessmentExecution: What becomes of a limit order; left out for a market order. Parts of 0 USD are
// left out.
type CompactAssessmentExecution struct {
	// Chance that all of the order has filled within 24 hours, fraction.
	PFill24h float64 `json:"p_fill_24h"`
	// Filled at once, USD at mark.
	TakerUSD *float64 `json:"taker_usd,omitzero"`
	// Resting until the price meets it, USD at mark.
	MakerUSD *float64 `json:"maker_usd,omitzero"`
	// Cancelled or refused by the venue, USD at mark.
	UnfilledUSD *float64 `json:"unfilled_usd,omitzero"`
	// Average price of the filled and the resting part, USD; null when nothing fills.
	FillPrice *float64 `json:"fill_price"`
	// Fee of both parts, USD; negative: a rebate.
	FeeUSD float64 `json:"fee_usd"`
}

// CompactAssessmentAdmissibility: Whether the venue would take the order.
type CompactAssessmentAdmissibility struct {
	// `unknown`: it depends on what the service cannot know: collateral or held margin that could not be read
	// exactly, a notice of the venue.
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
	Flags []CompactFlag       `json:"flags"`
	Meta  CompactRejectedMeta `json:"meta"`
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
	// USD, negative: a loss; null without an entry price.
	UnrealizedPnLUSD *float64 `json:"unrealized_pnl_usd"`
	// Composite score, 0 (lowest risk) to 100 (highest).
	RiskScore float64 `json:"risk_score"`
	// `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the operator's
	// limits (`policy`) do not allow the trade. A trade that only reduces a position is always `proceed`.
	Recommendation Recommendation `json:"recommendation"`
	// Chance that the position's pool is liquidated at any time within 24 hours, fraction. Of the trade's pool
	// after the trade, flat trades too; null only in a portfolio-margin account that could not be read.
	Probability24h *float64 `json:"probability_24h"`
	// USD; null when there is none.
	LiquidationPrice *float64 `json:"liquidation_price"`
	// Percent of mark; 100 when there is none.
	LiquidationDistancePct float64 `json:"liquidation_distance_pct"`
	// Funding of 24 h in percent of margin, positive: you pay.
	FundingDrag24hPct float64 `json:"funding_drag_24h_pct"`
	// Concerns raised, critical ones first.
	Flags  []CompactFlag  `json:"flags"`
	Policy *PolicyVerdict `json:"policy,omitzero"`
	Action *CompactAction `json:"action,omitzero"`
}

// CompactAction: What the position's pool needs; left out where it needs nothing. Figures are rounded up to
// six digits.
type CompactAction struct {
	// `main` or another dex; `unified` or `portfolio` for a pool over several; the ticker of an isolated
	// position.
	Pool string `json:"pool"`
	// `reduce`: reduce, or add margin where that is given too. `add_margin`: reducing does not help.
	Kind CompactActionKind `json:"kind"`
	// Percent by which to reduce every position of the pool; null where that does not help.
	ReducePct *float64 `json:"reduce_pct"`
	// Deposit in the pool, USD; null where none helps.
	AddMarginUSD *float64 `json:"add_margin_usd"`
}

// CompactWalletReport: The wallet as held, with `?view=compact`.
type CompactWalletReport struct {
	// Lower case.
	Wallet string `json:"wallet"`
	// What the pools need that are not at the target, or the position with the highest score.
	Summary string         `json:"summary"`
	Policy  *PolicyVerdict `json:"policy,omitzero"`
	Margin  CompactMargin  `json:"margin"`
	// VaR 99 % over 24 h of the book, USD.
	VaR99_24hUSD float64 `json:"var_99_24h_usd"`
	// In the account's order.
	Positions []CompactPosition `json:"positions"`
	// Left out without positions.
	WorstStress *CompactStress `json:"worst_stress,omitzero"`
	Meta        CompactMeta    `json:"meta"`
}

// McpError: An error of JSON-RPC 2.0.
type McpError struct {
	// Version.
	Jsonrpc string `json:"jsonrpc"`
	// That of the request, byte by byte; null when it has none that can be read.
	ID any `json:"id"`
	// The message could not be answered.
	Error McpErrorError `json:"error"`
}

// McpErrorError: The message could not be answered.
type McpErrorError struct {
	// By JSON-RPC and the protocol.
	Code int64 `json:"code"`
	// A sentence.
	Message string `json:"message"`
	// By the code. Of a refusal by the service (-32000): the members of an error of HTTP, with `retry_after_s`.
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
	// `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the operator's
	// limits (`policy`) do not allow the trade. A trade that only reduces a position is always `proceed`.
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
	// Moves of assets that were recorded themselves in the window, by ticker; they apply in place of the tier's.
	// Left out when there are none.
	Recorded map[string]ModelInfoScenarioRecordedValue `json:"recorded,omitzero"`
}

// ModelInfoScenarioShock: A price move.
type ModelInfoScenarioShock struct {
	// The low, or the high of a squeeze, percent.
	ExtremePct float64 `json:"extreme_pct"`
	// At the end, percent.
	FinalPct float64 `json:"final_pct"`
}

// ModelInfoScenarioRecordedValue: Move of one asset.
type ModelInfoScenarioRecordedValue struct {
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
	// Verdict on all assets together: `breached` when a pooled rate lies above its level with a p-value of
	// Kupiec's test below 0.01, `fits_old` when a fit failed or its newest bar closed more than two hours ago,
	// `insufficient_data` below 100 forecasts.
	Status CalibrationHealthStatus `json:"status"`
	// Name of the calibration.
	Model string `json:"model"`
	// Assets with a fit.
	AssetsCalibrated int64 `json:"assets_calibrated"`
	// Assets whose newest fit failed; they keep the last good one.
	AssetsFailed int64 `json:"assets_failed"`
	// Assets whose newest fit failed or is more than two hours behind.
	AssetsOld int64 `json:"assets_old"`
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
	// p-value of Kupiec's test of the rate; 1 without a forecast.
	KupiecP float64 `json:"kupiec_p"`
	// The rate lies above its level, by Kupiec's test at 0.01.
	Breached bool `json:"breached"`
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
	// Were the answers right? `GET /v1/accuracy` says more. Null where no outcomes are kept.
	Accuracy *HealthAccuracy `json:"accuracy,omitzero"`
	// The kill switch; null while it has not been read.
	KillSwitch *HealthKillSwitch `json:"kill_switch"`
	// What operators have set; null while it has not been read.
	Policies *HealthPolicies `json:"policies"`
	// The record of decisions.
	Journal HealthJournal `json:"journal"`
	// Who talks to the venue, and with how much request weight.
	Feed HealthFeed `json:"feed"`
	// Age of the oldest best price of a listed asset, and of wallets. Assets without any price are not in it:
	// `assets.fresh` is less than `assets.listed`.
	Ages HealthAges `json:"ages"`
	// How far the histories have come that answers are computed from.
	Warmup HealthWarmup `json:"warmup"`
	// Wallets that the service watches by itself.
	Watches HealthWatches `json:"watches"`
	// Alert sockets.
	Alerts HealthAlerts `json:"alerts"`
	// Accounts of the service's own simulated venue (`--venue sim`); left out with every other venue.
	DemoWallets []HealthDemoWallet `json:"demo_wallets,omitzero"`
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
	// The newest failure to connect to the venue or to get an answer; null when there was none since the start.
	LastError *HealthVenueLastError `json:"last_error"`
	// Wallets that are followed by the venue's streams; null when none are (`--wallet-streams 0`, or another
	// replica does it).
	WalletStreams *HealthVenueWalletStreams `json:"wallet_streams"`
}

// HealthVenueLastError: The newest failure to connect to the venue or to get an answer; null when there was
// none since the start.
type HealthVenueLastError struct {
	// What failed and why.
	Text string `json:"text"`
	// When, UTC.
	At string `json:"at"`
}

// HealthVenueWalletStreams: Wallets that are followed by the venue's streams; null when none are (`--wallet-
// streams 0`, or another replica does it).
type HealthVenueWalletStreams struct {
	// Wallets now.
	Followed int64 `json:"followed"`
	// Wallets at most: as configured, or what the venue accepted.
	Limit int64 `json:"limit"`
	// Wallets that the venue refused, since the start.
	Refused int64 `json:"refused"`
	// Time between two states of a wallet.
	GapMs HealthVenueWalletStreamsGapMs `json:"gap_ms"`
	// Comparisons with a read in which the streams were right, since the start.
	Confirmed int64 `json:"confirmed"`
	// Those in which they were not, since the start.
	Differed int64 `json:"differed"`
}

// HealthVenueWalletStreamsGapMs: Time between two states of a wallet.
type HealthVenueWalletStreamsGapMs struct {
	// Median, ms; null before the first.
	P50 *int64 `json:"p50"`
	// 90 % quantile, ms; null before the first.
	P90 *int64 `json:"p90"`
}

// HealthAssets: Counts.
type HealthAssets struct {
	// Assets listed.
	Listed int64 `json:"listed"`
	// With live context and book.
	Fresh int64 `json:"fresh"`
	// With a fit.
	Calibrated int64 `json:"calibrated"`
	// With a fit of their whole history; answers about the others have the flag `history_loading`.
	WithHistory int64 `json:"with_history"`
}

// HealthAccuracy: Were the answers right? `GET /v1/accuracy` says more. Null where no outcomes are kept.
type HealthAccuracy struct {
	// Markets move further than told (`volatility`), or a recommendation breaks its promise (`broken_promises`).
	Alarm bool `json:"alarm"`
	// Markets move further than the answers of the last day told.
	Volatility bool `json:"volatility"`
	// Recommendations.
	BrokenPromises []string `json:"broken_promises"`
	// Decisions before this time are closed, or wait for missing bars; null before the first look.
	ClosedThrough *string `json:"closed_through"`
	// Decisions that wait for missing bars.
	Open int64 `json:"open"`
	// Why outcomes cannot be closed, null if nothing is wrong.
	Trouble *string `json:"trouble"`
}

// HealthKillSwitch: The kill switch; null while it has not been read.
type HealthKillSwitch struct {
	// Nothing may increase.
	On bool `json:"on"`
	// When it was turned, null: never.
	Since *string `json:"since"`
}

// HealthPolicies: What operators have set; null while it has not been read.
type HealthPolicies struct {
	// Policies of wallets, that of all wallets included.
	Count int64 `json:"count"`
	// Number of the newest change of a policy or the kill switch.
	Revision int64 `json:"revision"`
	// Why changes made elsewhere may not be known here, null if nothing is wrong. The last known state stays in
	// force.
	Trouble *string `json:"trouble"`
}

// HealthJournal: The record of decisions.
type HealthJournal struct {
	// What is recorded (`--journal`).
	Mode HealthJournalMode `json:"mode"`
	// The gate hands on what may add risk when its decision is on disk (`--gate-journal strict`).
	Strict bool `json:"strict"`
	// Decisions recorded since the start.
	Recorded int64 `json:"recorded"`
	// Decisions that could not be recorded since the start.
	Dropped int64 `json:"dropped"`
	// How often a reader met a damaged block since the start.
	UnreadableBlocks int64 `json:"unreadable_blocks"`
	// The oldest decision that is kept, null: there is none.
	Oldest *string `json:"oldest"`
	// Size of what is kept.
	Bytes int64 `json:"bytes"`
	// The newest failure to write or read decisions, null: there was none.
	LastError *HealthJournalLastError `json:"last_error"`
}

// HealthJournalLastError: The newest failure to write or read decisions, null: there was none.
type HealthJournalLastError struct {
	// What went wrong.
	Text string `json:"text"`
	// When.
	At string `json:"at"`
}

// HealthFeed: Who talks to the venue, and with how much request weight.
type HealthFeed struct {
	// Replica that follows the venue for all (`--feed shared`); null when replicas share no feed, or none is
	// heard.
	Leader *string `json:"leader"`
	// This process talks to the venue.
	Here bool `json:"here"`
	// Request weight of the last minute at the venue, by what was read, requests in flight included; null when
	// the leader is not heard.
	WeightPerMinute *HealthFeedWeightPerMinute `json:"weight_per_minute"`
}

// HealthFeedWeightPerMinute: Request weight of the last minute at the venue, by what was read, requests in
// flight included; null when the leader is not heard.
type HealthFeedWeightPerMinute struct {
	// Wallets.
	Wallets int64 `json:"wallets"`
	// Books that no stream carries.
	Live int64 `json:"live"`
	// Lists of assets with their prices, caps, predicted funding, the venue's clock.
	Tables int64 `json:"tables"`
	// Candles and paid funding. What a previous process had spent when this one started counts here.
	Histories int64 `json:"histories"`
	// Actions and questions that the gate handed on, and its own questions whose signer is whose; 0 without a
	// gate.
	Clients int64 `json:"clients"`
	// For the sum of the five; null for no limit.
	Limit *int64 `json:"limit"`
}

// HealthAges: Age of the oldest best price of a listed asset, and of wallets. Assets without any price are
// not in it: `assets.fresh` is less than `assets.listed`.
type HealthAges struct {
	// Now, seconds; null without a price.
	OldestS *float64 `json:"oldest_s"`
	// Age from which an answer about that asset has the flag `stale_market_data`, seconds; null without a price.
	LimitS *float64 `json:"limit_s"`
	// Wallets behind the answers of the last minute.
	Wallets HealthAgesWallets `json:"wallets"`
	// The last 60 minutes, the oldest first; the last is the present minute.
	LastHour []float64 `json:"last_hour"`
}

// HealthAgesWallets: Wallets behind the answers of the last minute.
type HealthAgesWallets struct {
	// Largest age of a wallet in an answer, seconds; null when no answer used one.
	OldestS *float64 `json:"oldest_s"`
	// Age from which an answer has the flag `stale_market_data`, seconds.
	LimitS float64 `json:"limit_s"`
}

// HealthWarmup: How far the histories have come that answers are computed from.
type HealthWarmup struct {
	// Share of the venue's open interest whose assets are calibrated; ready needs 0.8.
	OpenInterestShare float64 `json:"open_interest_share"`
	// Share of the venue's open interest in the assets of `assets.with_history`.
	ShareWithHistory float64 `json:"share_with_history"`
	// Estimate until ready, seconds, at the pace of the last minutes; 0 when ready, null when it is not known or
	// something else is waited for.
	ReadyInS *int64 `json:"ready_in_s"`
	// Estimate until every listed asset is calibrated with its whole history of candles and paid funding, and
	// its pairs are fitted, seconds; 0 when all are, null when it is not known.
	CompleteInS *int64 `json:"complete_in_s"`
}

// HealthWatches: Wallets that the service watches by itself.
type HealthWatches struct {
	// Watches of all keys, on all replicas.
	Count int64 `json:"count"`
	// This replica makes their calls and posts.
	Here bool `json:"here"`
	// Those whose last monitor call failed: their wallets are not watched.
	Failing int64 `json:"failing"`
	// Events that wait to be posted.
	Waiting int64 `json:"waiting"`
	// Events that were given up and are still listed.
	Dead int64 `json:"dead"`
	// What is found cannot be kept, and so is not posted.
	Trouble bool `json:"trouble"`
}

// HealthAlerts: Alert sockets.
type HealthAlerts struct {
	// Open sockets.
	Connections int64 `json:"connections"`
	// Wallets subscribed, over all sockets.
	Subscriptions int64 `json:"subscriptions"`
}

// HealthDemoWallet: One account.
type HealthDemoWallet struct {
	// Its address, lower case.
	Wallet string `json:"wallet"`
	// In a word.
	Name string `json:"name"`
	// What it shows.
	About string `json:"about"`
}

// OutcomeReport: What became of a trade.
type OutcomeReport struct {
	// Your name of the trade, with which it is reported once.
	TradeID string `json:"trade_id"`
	// `meta.request_id` of the answer about it.
	RequestID string `json:"request_id"`
	// Of a trade of a batch: its place, counted from 0. Left out: 0.
	Index *int64 `json:"index,omitzero"`
	// USD, more than 0.
	EntryPrice float64 `json:"entry_price"`
	// USD, more than 0.
	ExitPrice float64 `json:"exit_price"`
	// P&L, USD, negative for a loss.
	PnLUSD float64 `json:"pnl_usd"`
	// P&L in percent of the margin, with the sign of `pnl_usd`.
	PnLPct float64 `json:"pnl_pct"`
	// Hours from the entry to the exit.
	HoldingPeriodHours float64 `json:"holding_period_hours"`
	// The venue closed the position.
	Liquidated bool `json:"liquidated"`
	// USD, negative for a rebate.
	FeesPaidUSD *float64 `json:"fees_paid_usd,omitzero"`
	// USD, negative for funding received.
	FundingPaidUSD *float64 `json:"funding_paid_usd,omitzero"`
}

// OutcomeAnswer: A recorded outcome. What is taken from the decision is null when it is not verified.
type OutcomeAnswer struct {
	// As reported.
	TradeID string `json:"trade_id"`
	// As reported.
	RequestID string `json:"request_id"`
	// The answer is recorded here, and was this key's.
	Verified bool `json:"verified"`
	// Who told it.
	Source string `json:"source"`
	// When it was recorded first, UTC.
	RecordedAt string `json:"recorded_at"`
	// What was recommended.
	Recommendation *Recommendation `json:"recommendation"`
	// The score.
	RiskScore *float64 `json:"risk_score"`
	// The probability of liquidation within 24 hours, fraction; also null where the answer had none.
	Probability24h *float64 `json:"probability_24h"`
	// The asset.
	Asset *string `json:"asset"`
	// long, short or close.
	Action *string `json:"action"`
	// Size of the trade, USD.
	SizeUSD *float64 `json:"size_usd"`
	// Leverage.
	Leverage *float64 `json:"leverage"`
	// The calibration that the answer came from.
	CalibrationHash *string `json:"calibration_hash"`
}

// AccuracyHeadline: Figures of some outcomes.
type AccuracyHeadline struct {
	// Outcomes.
	Count int64 `json:"count"`
	// Mean squared difference of the probability and the outcome (1: liquidated, 0: not); null without an
	// outcome that has a probability.
	BrierScore *float64 `json:"brier_score"`
	// Mean predicted probability of liquidation, fraction; null without an outcome that has one.
	PredictedMean *float64 `json:"predicted_mean"`
	// Share that was liquidated, fraction.
	LiquidatedRate *float64 `json:"liquidated_rate"`
	// Share with a P&L below 0, fraction.
	LossRate *float64 `json:"loss_rate"`
	// Mean P&L, percent of the margin, negative for a loss.
	AvgPnLPct *float64 `json:"avg_pnl_pct"`
	// Mean P&L, USD, negative for a loss.
	AvgPnLUSD *float64 `json:"avg_pnl_usd"`
	// Those with a P&L above 0, percent.
	ProfitablePct *float64 `json:"profitable_pct"`
}

// CalibrationBin: The outcomes of a range of predicted probability.
type CalibrationBin struct {
	// Bounds, fractions; the lower one belongs to the range.
	PredictedRange []float64 `json:"predicted_range"`
	// Outcomes.
	Count int64 `json:"count"`
	// Mean predicted probability of liquidation, fraction; null without an outcome that has one.
	PredictedMean *float64 `json:"predicted_mean"`
	// Share that was liquidated, fraction; null without an outcome.
	ActualRate *float64 `json:"actual_rate"`
	// 95 % interval of the rate (Wilson), fractions, as if the outcomes were independent, which they are not;
	// null without one.
	Wilson95 []float64 `json:"wilson_95"`
}

// BandStats: The outcomes of a recommendation; figures are null without an outcome that has them.
type BandStats struct {
	// What was recommended.
	Recommendation Recommendation `json:"recommendation"`
	// Outcomes.
	Count int64 `json:"count"`
	// Mean predicted probability of liquidation, fraction; null without an outcome that has one.
	PredictedMean *float64 `json:"predicted_mean"`
	// Share that was liquidated, fraction.
	LiquidatedRate *float64 `json:"liquidated_rate"`
	// Share with a P&L below 0, fraction.
	LossRate *float64 `json:"loss_rate"`
	// Mean P&L, percent of the margin, negative for a loss.
	AvgPnLPct *float64 `json:"avg_pnl_pct"`
	// Mean P&L, USD, negative for a loss.
	AvgPnLUSD *float64 `json:"avg_pnl_usd"`
	// Those with a P&L above 0, percent.
	ProfitablePct *float64 `json:"profitable_pct"`
}

// ScoreDecile: The outcomes of a tenth of the score; figures are null without an outcome that has them.
type ScoreDecile struct {
	// Bounds; the lower one belongs to the range, 100 to the last.
	ScoreRange []int64 `json:"score_range"`
	// Outcomes.
	Count int64 `json:"count"`
	// Mean predicted probability of liquidation, fraction; null without an outcome that has one.
	PredictedMean *float64 `json:"predicted_mean"`
	// Share that was liquidated, fraction.
	LiquidatedRate *float64 `json:"liquidated_rate"`
	// Share with a P&L below 0, fraction.
	LossRate *float64 `json:"loss_rate"`
	// Mean P&L, percent of the margin, negative for a loss.
	AvgPnLPct *float64 `json:"avg_pnl_pct"`
	// Mean P&L, USD, negative for a loss.
	AvgPnLUSD *float64 `json:"avg_pnl_usd"`
	// Those with a P&L above 0, percent.
	ProfitablePct *float64 `json:"profitable_pct"`
}

// BandAlarm: A recommendation and its promise, over the newest 30 days of closed decisions.
type BandAlarm struct {
	// `abort` promises nothing.
	Recommendation Recommendation `json:"recommendation"`
	// More is liquidated than promised, with 99 % confidence: `p_value` below 0.01.
	Raised bool `json:"raised"`
	// Newest hours of decisions that were compared.
	WindowHours int64 `json:"window_hours"`
	// Answers that were compared.
	Units int64 `json:"units"`
	// Share of them that may be liquidated within 24 hours, fraction: the mean probability that was told, each
	// at least 0.0015.
	PromisedRate *float64 `json:"promised_rate"`
	// Share that was, fraction.
	ActualRate *float64 `json:"actual_rate"`
	// Hours of decisions of which some were liquidated.
	Events int64 `json:"events"`
	// At most the chance of such an excess at any hour of ten months if the promise is kept.
	PValue float64 `json:"p_value"`
}

// Accuracy: What became of answers. Rates are fractions, null without an outcome that has the figure.
type Accuracy struct {
	// Outcomes of 24 hours, and reported ones.
	TotalOutcomes int64 `json:"total_outcomes"`
	// Those whose answer is recorded here: every other figure is about them.
	Verified int64 `json:"verified"`
	// Who told them. A trade that was closed by the market and reported counts once for each.
	BySource AccuracyBySource `json:"by_source"`
	// Decisions whose hourly bars never came: in no other figure.
	Unknown int64 `json:"unknown"`
	// Mean squared difference of the probability and the outcome (1: liquidated, 0: not); null without an
	// outcome that has a probability.
	BrierScore *float64 `json:"brier_score"`
	// Mean predicted probability of liquidation, fraction; null without an outcome that has one.
	PredictedMean *float64 `json:"predicted_mean"`
	// Share that was liquidated, fraction.
	LiquidatedRate *float64 `json:"liquidated_rate"`
	// Share with a P&L below 0, fraction.
	LossRate *float64 `json:"loss_rate"`
	// Mean P&L, percent of the margin, negative for a loss.
	AvgPnLPct *float64 `json:"avg_pnl_pct"`
	// Mean P&L, USD, negative for a loss.
	AvgPnLUSD *float64 `json:"avg_pnl_usd"`
	// Those with a P&L above 0, percent.
	ProfitablePct *float64 `json:"profitable_pct"`
	// Predicted and actual rate by `probability_24h`.
	CalibrationCurve []CalibrationBin `json:"calibration_curve"`
	// By recommendation.
	BandStats []BandStats `json:"band_stats"`
	// By `risk_score`.
	ByScoreDecile []ScoreDecile `json:"by_score_decile"`
	// Was the day's loss larger than the 99 % VaR of the position? Wanted: 1 %.
	VaR99_24h AccuracyVar9924h `json:"var_99_24h"`
	// Of the newest seven UTC days of closing; null without data.
	Recent7d *AccuracyHeadline `json:"recent_7d"`
	// Outcomes after 7 days, against `probability_7d`; null without one.
	SevenDays *AccuracySevenDays `json:"seven_days"`
	// Is what was told wrong? Of the answers to all keys.
	Alarm AccuracyAlarm `json:"alarm"`
	// Decisions before this time are closed, or wait for missing bars; null before the first look.
	ClosedThrough *string `json:"closed_through"`
	// Now, UTC.
	ComputedAt string `json:"computed_at"`
}

// AccuracyBySource: Who told them. A trade that was closed by the market and reported counts once for each.
type AccuracyBySource struct {
	// Hourly bars of the venue: did the price reach the liquidation price that was given?
	Market int64 `json:"market"`
	// `POST /v1/outcome`, unverified ones included.
	Reported int64 `json:"reported"`
}

// AccuracyVar9924h: Was the day's loss larger than the 99 % VaR of the position? Wanted: 1 %.
type AccuracyVar9924h struct {
	// Outcomes with a VaR.
	Count int64 `json:"count"`
	// Losses beyond it.
	Exceeded int64 `json:"exceeded"`
	// Their share, fraction.
	ExceededRate *float64 `json:"exceeded_rate"`
	// 95 % interval of the rate (Wilson), fractions, as if the outcomes were independent, which they are not;
	// null without one.
	Wilson95 []float64 `json:"wilson_95"`
}

// AccuracySevenDays: Outcomes after 7 days, against `probability_7d`; null without one.
type AccuracySevenDays struct {
	// Outcomes.
	Count int64 `json:"count"`
	// Decisions whose hourly bars never came: in no other figure.
	Unknown int64 `json:"unknown"`
	// Mean squared difference of the probability and the outcome (1: liquidated, 0: not); null without an
	// outcome that has a probability.
	BrierScore *float64 `json:"brier_score"`
	// Mean predicted probability of liquidation, fraction; null without an outcome that has one.
	PredictedMean *float64 `json:"predicted_mean"`
	// Share that was liquidated, fraction.
	LiquidatedRate *float64 `json:"liquidated_rate"`
	// Share with a P&L below 0, fraction.
	LossRate *float64 `json:"loss_rate"`
	// Mean P&L, percent of the margin, negative for a loss.
	AvgPnLPct *float64 `json:"avg_pnl_pct"`
	// Mean P&L, USD, negative for a loss.
	AvgPnLUSD *float64 `json:"avg_pnl_usd"`
	// Those with a P&L above 0, percent.
	ProfitablePct *float64 `json:"profitable_pct"`
	// Predicted and actual rate by `probability_7d`.
	CalibrationCurve []CalibrationBin `json:"calibration_curve"`
	// By recommendation.
	BandStats []BandStats `json:"band_stats"`
}

// AccuracyAlarm: Is what was told wrong? Of the answers to all keys.
type AccuracyAlarm struct {
	// `volatility` rings, or one of `bands`.
	Raised bool `json:"raised"`
	// Do markets move further than the answers of the last day told? Rings before a day is over.
	Volatility AccuracyAlarmVolatility `json:"volatility"`
	// Each that promises something.
	Bands []BandAlarm `json:"bands"`
}

// AccuracyAlarmVolatility: Do markets move further than the answers of the last day told? Rings before a day
// is over.
type AccuracyAlarmVolatility struct {
	// Markets moved further than told, with 99 % confidence: `p_value` is below 0.01.
	Raised bool `json:"raised"`
	// Hours since the answers that speak most for it; 0 without answers.
	Hours int64 `json:"hours"`
	// Mean variance of these hours over the one told; a market counts at most 4 in an hour. Null without
	// answers.
	VarianceRatio *float64 `json:"variance_ratio"`
	// At most the chance of such hours within ten months if what was told is right.
	PValue float64 `json:"p_value"`
}

// PolicyRules: The limits of a wallet. Every rule is optional; what only reduces a position always passes.
type PolicyRules struct {
	// Leverage of the position after the trade, at most.
	MaxLeverage *float64 `json:"max_leverage,omitzero"`
	// Notional of one trade, USD, at most.
	MaxOrderUSD *float64 `json:"max_order_usd,omitzero"`
	// Notional of the position in the asset after the trade, USD, at most.
	MaxPositionUSD *float64 `json:"max_position_usd,omitzero"`
	// Gross notional of the wallet over its account value, at most.
	MaxGrossLeverage *float64 `json:"max_gross_leverage,omitzero"`
	// Share of the asset in the gross notional of the wallet, percent, at most.
	MaxAssetSharePct *float64 `json:"max_asset_share_pct,omitzero"`
	// Loss since the first reading of the UTC day, net of deposits and withdrawals, percent, at most.
	MaxDailyLossPct *float64 `json:"max_daily_loss_pct,omitzero"`
	// Loss from the highest account value, net of deposits and withdrawals, percent, at most.
	MaxDrawdownPct *float64 `json:"max_drawdown_pct,omitzero"`
	// Risk score, at most.
	MaxScore *float64 `json:"max_score,omitzero"`
	// Chance of liquidation within 24 hours, fraction, at most.
	MaxProbability24h *float64 `json:"max_probability_24h,omitzero"`
	// Chance of liquidation within 7 days, fraction, at most.
	MaxProbability7d *float64 `json:"max_probability_7d,omitzero"`
	// Distance of the liquidation price from the mark, percent, at least.
	MinLiquidationDistancePct *float64 `json:"min_liquidation_distance_pct,omitzero"`
	// Distance of an order's price from the mark, percent, at most.
	PriceCollarPct *float64 `json:"price_collar_pct,omitzero"`
	// Orders within a minute, at most.
	OrdersPerMinute *int64 `json:"orders_per_minute,omitzero"`
	// Trades within a UTC day, at most.
	TradesPerDay *int64 `json:"trades_per_day,omitzero"`
	// Time between two equal orders, s, at least.
	DuplicateWindowS *float64 `json:"duplicate_window_s,omitzero"`
	// The only assets that may be traded, as the venue writes them; of an empty list none.
	AllowedAssets []string `json:"allowed_assets,omitzero"`
	// Assets that may not be traded.
	DeniedAssets []string `json:"denied_assets,omitzero"`
	// True: nothing may increase.
	Halt *bool `json:"halt,omitzero"`
	// From then on nothing may increase.
	ExpiresAt string `json:"expires_at,omitzero"`
}

// Policy: The policy of a wallet or of all wallets.
type Policy struct {
	// Address in lower case, or `*` for all wallets.
	Wallet string `json:"wallet"`
	// Number of the change that made it so, also the `ETag`; no number occurs twice. 0: there is no policy.
	Revision int64 `json:"revision"`
	// When it was set, null if it was not.
	Since *string `json:"since"`
	// Who set it: e-mail address and id of the key, or the user who ran the command.
	Who *string `json:"who"`
	// Its own rules, null if there is no policy.
	Rules *PolicyRules `json:"rules"`
	// The rules that hold: of each rule the narrower of its own and that of all wallets; null: none.
	Effective *PolicyRules `json:"effective"`
	// The key of the request may change it: its role is `operator`.
	MayChange bool `json:"may_change"`
}

// KillSwitch: The kill switch.
type KillSwitch struct {
	// Nothing may increase.
	On bool `json:"on"`
	// Why it was turned, null if nobody said.
	Reason *string `json:"reason"`
	// When it was turned, null: never.
	Since *string `json:"since"`
	// Who turned it: e-mail address and id of the key, or the user who ran the command.
	Who *string `json:"who"`
	// Number of the change that made it so, also the `ETag`; 0: it was never turned.
	Revision int64 `json:"revision"`
	// The key of the request may change it: its role is `operator`.
	MayChange bool `json:"may_change"`
}

// KillSwitchChange: Turns the kill switch.
type KillSwitchChange struct {
	// True stops every increase.
	On bool `json:"on"`
	// Why, one line of at most 280 characters; required to turn it on.
	Reason string `json:"reason,omitzero"`
}

// WatchRequest: What to watch a wallet for.
type WatchRequest struct {
	// Seconds between two monitor calls. Left out: 10.
	EveryS int64 `json:"every_s,omitzero"`
	// As in the configuration of an alert socket; what is left out has its default.
	Thresholds *WatchRequestThresholds `json:"thresholds,omitzero"`
	// Where to post what begins, turns critical and ends. Left out: nowhere, only the alert sockets hear.
	Webhook *WatchRequestWebhook `json:"webhook,omitzero"`
}

// WatchRequestThresholds: As in the configuration of an alert socket; what is left out has its default.
type WatchRequestThresholds struct {
	// A position's risk score above it is a breach. 100 and more: never. Left out: 70.
	MaxRiskScore *int64 `json:"max_risk_score,omitzero"`
	// A position nearer to liquidation, percent, is a breach. Left out: 5.
	MinLiquidationDistancePct *float64 `json:"min_liquidation_distance_pct,omitzero"`
	// VaR 99 % over 24 h of the book above this percentage of the account value is a breach. Left out: 50.
	MaxPortfolioVaRPct *float64 `json:"max_portfolio_var_pct,omitzero"`
	// A position that pays more than this percentage of its margin a day is a breach. Left out: 1.
	MaxFundingDragDailyPct *float64 `json:"max_funding_drag_daily_pct,omitzero"`
}

// WatchRequestWebhook: Where to post what begins, turns critical and ends. Left out: nowhere, only the alert
// sockets hear.
type WatchRequestWebhook struct {
	// `https://` URL of a public host, without user and password.
	Url string `json:"url"`
	// Signs the posts: `whsec_` and the base64 of 24 to 64 bytes. Left out: the one that is set stays, or one is
	// made and shown once.
	Secret string `json:"secret,omitzero"`
}

// Watch: A wallet that the service watches by itself.
type Watch struct {
	// Address in lower case.
	Wallet string `json:"wallet"`
	// Id of the key that has set it.
	Key string `json:"key"`
	// When it was first set, UTC.
	SetAt string `json:"set_at"`
	// Seconds between two monitor calls. Of several watches of a wallet the shortest counts for all.
	EveryS int64 `json:"every_s"`
	// In full, with what was left out.
	Thresholds WatchThresholds `json:"thresholds"`
	// Null: nothing is posted.
	Webhook *WatchWebhook `json:"webhook"`
	// How the monitor calls of this wallet go; on a replica that does not make them up to a minute old.
	Calls WatchCalls `json:"calls"`
	// The breaches that stand by these thresholds, oldest first.
	Standing []WatchStanding `json:"standing"`
	// How the posts go.
	Deliveries WatchDeliveries `json:"deliveries"`
}

// WatchThresholds: In full, with what was left out.
type WatchThresholds struct {
	// A position's risk score above it is a breach. 100 and more: never.
	MaxRiskScore int64 `json:"max_risk_score"`
	// A position nearer to liquidation, percent, is a breach.
	MinLiquidationDistancePct float64 `json:"min_liquidation_distance_pct"`
	// VaR 99 % over 24 h of the book above this percentage of the account value is a breach.
	MaxPortfolioVaRPct float64 `json:"max_portfolio_var_pct"`
	// A position that pays more than this percentage of its margin a day is a breach.
	MaxFundingDragDailyPct float64 `json:"max_funding_drag_daily_pct"`
}

// WatchWebhook: Null: nothing is posted.
type WatchWebhook struct {
	// Where it is posted.
	Url string `json:"url"`
	// There is a secret. It is never shown again.
	SecretSet bool `json:"secret_set"`
	// Only in the answer to the PUT that had it made.
	Secret string `json:"secret,omitzero"`
}

// WatchCalls: How the monitor calls of this wallet go; on a replica that does not make them up to a minute
// old.
type WatchCalls struct {
	// When the last one ended, UTC; null: none was made yet.
	LastAt *string `json:"last_at"`
	// When the last one that succeeded ended, UTC; null: none did since the start.
	SucceededAt *string `json:"succeeded_at"`
	// How many in a row have failed: while it is not 0 the wallet is not watched.
	Failures int64 `json:"failures"`
	// Error and detail of the last one, null if it did not fail.
	Error *string `json:"error"`
}

// WatchStanding: A breach.
type WatchStanding struct {
	// What is breached.
	AlertType AlertType `json:"alert_type"`
	// Ticker; null for the book as a whole.
	Asset *string `json:"asset"`
	// The highest that it has had.
	Severity Severity `json:"severity"`
	// `timestamp` of the first result that found it.
	Since string `json:"since"`
}

// WatchDeliveries: How the posts go.
type WatchDeliveries struct {
	// Events that the receiver has taken.
	Posted int64 `json:"posted"`
	// Events that wait to be posted, in their order.
	Waiting int64 `json:"waiting"`
	// Since when the first of them waits, UTC; null: none waits.
	WaitingSince *string `json:"waiting_since"`
	// Posts in a row that the receiver did not take.
	Failures int64 `json:"failures"`
	// Why the last post failed, null if it did not.
	Error *string `json:"error"`
	// When it is posted again, UTC; null: at once.
	RetryAt *string `json:"retry_at"`
	// Events given up: not taken for 24 hours, or more than 1,000 waited.
	DeadTotal int64 `json:"dead_total"`
	// The newest 20 of these, oldest first.
	Dead []WatchDeliveriesDead `json:"dead"`
}

// WatchDeliveriesDead: An event that was given up.
type WatchDeliveriesDead struct {
	// Its `webhook-id`.
	ID string `json:"id"`
	// It is not posted any more.
	Status string `json:"status"`
	// What it told.
	Type string `json:"type"`
	// Of what.
	AlertType AlertType `json:"alert_type"`
	// Ticker; null for the book as a whole.
	Asset *string `json:"asset"`
	// When it was found, UTC.
	QueuedAt string `json:"queued_at"`
	// When it was given up, UTC.
	GaveUpAt string `json:"gave_up_at"`
	// How often it was posted; 0: those before it were not taken.
	Attempts int64 `json:"attempts"`
	// Why it was not taken.
	Error string `json:"error"`
}

// WatchEvent: What is posted to the webhook of a watch, with the headers `webhook-id`, `webhook-timestamp`
// and `webhook-signature` of Standard Webhooks.
type WatchEvent struct {
	// What happened to the breach.
	Type string `json:"type"`
	// The moment that the figures are of, UTC with milliseconds.
	Timestamp string `json:"timestamp"`
	// The alert.
	Data WatchEventData `json:"data"`
}

// WatchEventData: The alert.
type WatchEventData struct {
	// What is breached.
	AlertType AlertType `json:"alert_type"`
	// Address in lower case.
	Wallet string `json:"wallet"`
	// Ticker; null for the book as a whole.
	Asset *string `json:"asset"`
	// Of an `alert.ended` the highest that it had.
	Severity Severity `json:"severity"`
	// For people; may change. Decide by the other fields.
	Message string `json:"message"`
	// As outside.
	Timestamp string `json:"timestamp"`
	// The metric now: score in points; distance, funding or VaR in percent; rank of the new regime (0 normal, 1
	// stressed, 2 crisis); stops left. Null when the position is gone.
	CurrentValue *float64 `json:"current_value"`
	// Yours, in the same unit; rank of the previous regime for `regime_shift`; 1 for `stop_removed`.
	Threshold float64 `json:"threshold"`
	// `timestamp` of the first call that found the breach.
	Since string `json:"since"`
}

// WatchList: What the service watches by itself.
type WatchList struct {
	// This replica makes the calls and the posts.
	Here bool `json:"here"`
	// By wallet.
	Watches []Watch `json:"watches"`
}

// WatchRemoved: A watch that was removed.
type WatchRemoved struct {
	// Address in lower case.
	Wallet string `json:"wallet"`
	// Always true.
	Removed bool `json:"removed"`
}

// Unauthorized: A fixed sentence in place of a code, and how to mend the request.
type Unauthorized struct {
	// Which it is.
	Error string `json:"error"`
	// A sentence. Nothing of the header is repeated.
	Detail string `json:"detail"`
	// The header.
	Field string `json:"field"`
	// Its form, and where a key comes from.
	Suggestion string `json:"suggestion"`
}

// Allowed: Which values it may have; members that say nothing about it are left out.
type Allowed struct {
	// JSON type.
	Type string `json:"type,omitzero"`
	// Regular expression.
	Pattern string `json:"pattern,omitzero"`
	// It must be greater.
	ExclusiveMin *float64 `json:"exclusive_min,omitzero"`
	// It must be less.
	ExclusiveMax *float64 `json:"exclusive_max,omitzero"`
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
	// Its value, a text or a number.
	Got any `json:"got,omitzero"`
	// A value of the field that would do, or a sentence: what would do, or where to find it. It never changes
	// the unit of the value.
	Suggestion any `json:"suggestion,omitzero"`
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

// RiskAlert: A breach that a monitor call has found: every call emits for every breach that stands, and
// `regime_shift` is told once. `stop_removed` is told once, when the gate has seen the cancellation of a
// position's last stop.
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
	// The moment that the figures are of, UTC with milliseconds: `meta.as_of` of the monitor call; for
	// `stop_removed` when the venue listed no stop any more.
	Timestamp string `json:"timestamp"`
	// The metric: score in points; distance, funding or VaR in percent; rank of the new regime (0 normal, 1
	// stressed, 2 crisis); for `stop_removed` the stops left, 0.
	CurrentValue float64 `json:"current_value"`
	// Yours, in the same unit; rank of the previous regime for `regime_shift`; 1 for `stop_removed`.
	Threshold float64 `json:"threshold"`
	// With `?details=true` only: `timestamp` of the first of the results in a row that found this breach by
	// these thresholds, on this replica, while a socket with details watched the wallet with them or had done so
	// within ten minutes. The moment of the alert for `regime_shift` and `stop_removed`.
	Since string `json:"since,omitzero"`
	// With `?details=true` only: how many results in a row have found it since then. 1 for `regime_shift` and
	// `stop_removed`.
	Count int64 `json:"count,omitzero"`
}

// InvalidConfig: The message before was no configuration; the connection closes with 1008.
type InvalidConfig struct {
	// Stable code.
	Error string `json:"error"`
	// A sentence with the offending value.
	Detail string `json:"detail"`
	// What to change, where it is an unknown field: its path; `wallet` for the address of an API wallet.
	Field string `json:"field,omitzero"`
	// The address of the API wallet.
	Got string `json:"got,omitzero"`
	// The fields that there are.
	Allowed *InvalidConfigAllowed `json:"allowed,omitzero"`
	// The field that was probably meant, or the account of the API wallet.
	Suggestion string `json:"suggestion,omitzero"`
}

// InvalidConfigAllowed: The fields that there are.
type InvalidConfigAllowed struct {
	// Their paths.
	Values []string `json:"values"`
}

// PolicyViolationRule is a value of rule.
type PolicyViolationRule string

// Values of PolicyViolationRule.
const (
	PolicyViolationRuleMaxLeverage               PolicyViolationRule = "max_leverage"
	PolicyViolationRuleMaxOrderUSD               PolicyViolationRule = "max_order_usd"
	PolicyViolationRuleMaxPositionUSD            PolicyViolationRule = "max_position_usd"
	PolicyViolationRuleMaxGrossLeverage          PolicyViolationRule = "max_gross_leverage"
	PolicyViolationRuleMaxAssetSharePct          PolicyViolationRule = "max_asset_share_pct"
	PolicyViolationRuleMaxDailyLossPct           PolicyViolationRule = "max_daily_loss_pct"
	PolicyViolationRuleMaxDrawdownPct            PolicyViolationRule = "max_drawdown_pct"
	PolicyViolationRuleMaxScore                  PolicyViolationRule = "max_score"
	PolicyViolationRuleMaxProbability24h         PolicyViolationRule = "max_probability_24h"
	PolicyViolationRuleMaxProbability7d          PolicyViolationRule = "max_probability_7d"
	PolicyViolationRuleMinLiquidationDistancePct PolicyViolationRule = "min_liquidation_distance_pct"
	PolicyViolationRulePriceCollarPct            PolicyViolationRule = "price_collar_pct"
	PolicyViolationRuleOrdersPerMinute           PolicyViolationRule = "orders_per_minute"
	PolicyViolationRuleTradesPerDay              PolicyViolationRule = "trades_per_day"
	PolicyViolationRuleDuplicateWindowS          PolicyViolationRule = "duplicate_window_s"
	PolicyViolationRuleAllowedAssets             PolicyViolationRule = "allowed_assets"
	PolicyViolationRuleDeniedAssets              PolicyViolationRule = "denied_assets"
	PolicyViolationRuleHalt                      PolicyViolationRule = "halt"
	PolicyViolationRuleExpiresAt                 PolicyViolationRule = "expires_at"
	PolicyViolationRuleKillSwitch                PolicyViolationRule = "kill_switch"
)

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
	IssueCodeMaxMarketOrder          IssueCode = "max_market_order"
	IssueCodeNoLiquidity             IssueCode = "no_liquidity"
	IssueCodeLeverageNotWhole        IssueCode = "leverage_not_whole"
	IssueCodeIsolatedLeverageTooLow  IssueCode = "isolated_leverage_too_low"
	IssueCodeMarketPostOnly          IssueCode = "market_post_only"
	IssueCodeVenueNotice             IssueCode = "venue_notice"
	IssueCodeMarginUnknown           IssueCode = "margin_unknown"
	IssueCodeTick                    IssueCode = "tick"
	IssueCodePriceTooFar             IssueCode = "price_too_far"
	IssueCodeWouldCross              IssueCode = "would_cross"
)

// ReceiptVerdict is a value of verdict.
type ReceiptVerdict string

// Values of ReceiptVerdict.
const (
	ReceiptVerdictProceed            ReceiptVerdict = "proceed"
	ReceiptVerdictProceedWithCaution ReceiptVerdict = "proceed_with_caution"
	ReceiptVerdictAbort              ReceiptVerdict = "abort"
	ReceiptVerdictPassed             ReceiptVerdict = "passed"
	ReceiptVerdictAllowed            ReceiptVerdict = "allowed"
	ReceiptVerdictRefused            ReceiptVerdict = "refused"
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
	AlertTypeStopRemoved          AlertType = "stop_removed"
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

// Mode is a value of mode.
type Mode string

// Values of Mode.
const (
	ModeCross     Mode = "cross"
	ModeIsolated  Mode = "isolated"
	ModeUnified   Mode = "unified"
	ModePortfolio Mode = "portfolio"
)

// OpenOrdersReason is a value of reason.
type OpenOrdersReason string

// Values of OpenOrdersReason.
const (
	OpenOrdersReasonBudget  OpenOrdersReason = "budget"
	OpenOrdersReasonError   OpenOrdersReason = "error"
	OpenOrdersReasonTimeout OpenOrdersReason = "timeout"
	OpenOrdersReasonTooMany OpenOrdersReason = "too_many"
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

// Kind is a value of kind.
type Kind string

// Values of Kind.
const (
	KindValidate Kind = "validate"
	KindBatch    Kind = "batch"
	KindSize     Kind = "size"
	KindGate     Kind = "gate"
)

// ModeSource is a value of mode_source.
type ModeSource string

// Values of ModeSource.
const (
	ModeSourceRequest  ModeSource = "request"
	ModeSourcePosition ModeSource = "position"
	ModeSourceSetting  ModeSource = "setting"
	ModeSourceDefault  ModeSource = "default"
)

// LeverageSource is a value of leverage_source.
type LeverageSource string

// Values of LeverageSource.
const (
	LeverageSourceRequest  LeverageSource = "request"
	LeverageSourcePosition LeverageSource = "position"
	LeverageSourceSetting  LeverageSource = "setting"
	LeverageSourceDefault  LeverageSource = "default"
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

// CalibrationHealthStatus is a value of status.
type CalibrationHealthStatus string

// Values of CalibrationHealthStatus.
const (
	CalibrationHealthStatusOk               CalibrationHealthStatus = "ok"
	CalibrationHealthStatusInsufficientData CalibrationHealthStatus = "insufficient_data"
	CalibrationHealthStatusFitsOld          CalibrationHealthStatus = "fits_old"
	CalibrationHealthStatusBreached         CalibrationHealthStatus = "breached"
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

// OrderTif is a value of tif.
type OrderTif string

// Values of OrderTif.
const (
	OrderTifGtc OrderTif = "gtc"
	OrderTifIoc OrderTif = "ioc"
	OrderTifAlo OrderTif = "alo"
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

// SessionClass is a value of class.
type SessionClass string

// Values of SessionClass.
const (
	SessionClassEquity SessionClass = "equity"
	SessionClassMetal  SessionClass = "metal"
	SessionClassEnergy SessionClass = "energy"
)

// PoolActionKind is a value of kind.
type PoolActionKind string

// Values of PoolActionKind.
const (
	PoolActionKindHold      PoolActionKind = "hold"
	PoolActionKindReduce    PoolActionKind = "reduce"
	PoolActionKindAddMargin PoolActionKind = "add_margin"
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

// LiquidityRegime is a value of liquidity_regime.
type LiquidityRegime string

// Values of LiquidityRegime.
const (
	LiquidityRegimeNormal   LiquidityRegime = "normal"
	LiquidityRegimeStressed LiquidityRegime = "stressed"
	LiquidityRegimeCrisis   LiquidityRegime = "crisis"
)

// PolicyVerdictVerdict is a value of verdict.
type PolicyVerdictVerdict string

// Values of PolicyVerdictVerdict.
const (
	PolicyVerdictVerdictPass    PolicyVerdictVerdict = "pass"
	PolicyVerdictVerdictDeny    PolicyVerdictVerdict = "deny"
	PolicyVerdictVerdictUnknown PolicyVerdictVerdict = "unknown"
)

// DecisionGateDid is a value of did.
type DecisionGateDid string

// Values of DecisionGateDid.
const (
	DecisionGateDidPassed  DecisionGateDid = "passed"
	DecisionGateDidAllowed DecisionGateDid = "allowed"
	DecisionGateDidRefused DecisionGateDid = "refused"
)

// PolicyTestChangeBefore is a value of before.
type PolicyTestChangeBefore string

// Values of PolicyTestChangeBefore.
const (
	PolicyTestChangeBeforePass    PolicyTestChangeBefore = "pass"
	PolicyTestChangeBeforeDeny    PolicyTestChangeBefore = "deny"
	PolicyTestChangeBeforeUnknown PolicyTestChangeBefore = "unknown"
)

// PolicyTestChangeAfter is a value of after.
type PolicyTestChangeAfter string

// Values of PolicyTestChangeAfter.
const (
	PolicyTestChangeAfterPass    PolicyTestChangeAfter = "pass"
	PolicyTestChangeAfterDeny    PolicyTestChangeAfter = "deny"
	PolicyTestChangeAfterUnknown PolicyTestChangeAfter = "unknown"
)

// Severity is a value of severity.
type Severity string

// Values of Severity.
const (
	SeverityCritical Severity = "critical"
	SeverityWarning  Severity = "warning"
	SeverityInfo     Severity = "info"
)

// ExplanationLoadingWhat is a value of what.
type ExplanationLoadingWhat string

// Values of ExplanationLoadingWhat.
const (
	ExplanationLoadingWhatCandles ExplanationLoadingWhat = "candles"
	ExplanationLoadingWhatFunding ExplanationLoadingWhat = "funding"
	ExplanationLoadingWhatPairs   ExplanationLoadingWhat = "pairs"
)

// ExplanationDivergenceWith is a value of with.
type ExplanationDivergenceWith string

// Values of ExplanationDivergenceWith.
const (
	ExplanationDivergenceWithMid    ExplanationDivergenceWith = "mid"
	ExplanationDivergenceWithOracle ExplanationDivergenceWith = "oracle"
	ExplanationDivergenceWithWallet ExplanationDivergenceWith = "wallet"
)

// HealthJournalMode is a value of mode.
type HealthJournalMode string

// Values of HealthJournalMode.
const (
	HealthJournalModeOff      HealthJournalMode = "off"
	HealthJournalModeVerdicts HealthJournalMode = "verdicts"
	HealthJournalModeFull     HealthJournalMode = "full"
)

// OrderType is a value of type.
type OrderType string

// Values of OrderType.
const (
	OrderTypeMarket OrderType = "market"
	OrderTypeLimit  OrderType = "limit"
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

// OpenOrdersSource is a value of source.
type OpenOrdersSource string

// Values of OpenOrdersSource.
const (
	OpenOrdersSourceDerived OpenOrdersSource = "derived"
	OpenOrdersSourceRead    OpenOrdersSource = "read"
)

// MarketOutcomeStatus is a value of status.
type MarketOutcomeStatus string

// Values of MarketOutcomeStatus.
const (
	MarketOutcomeStatusClosed  MarketOutcomeStatus = "closed"
	MarketOutcomeStatusUnknown MarketOutcomeStatus = "unknown"
)

// CompactActionKind is a value of kind.
type CompactActionKind string

// Values of CompactActionKind.
const (
	CompactActionKindReduce    CompactActionKind = "reduce"
	CompactActionKindAddMargin CompactActionKind = "add_margin"
)

// Values of Flag.
const (
	FlagStaleMarketData       Flag = "stale_market_data"
	FlagKillSwitch            Flag = "kill_switch"
	FlagPolicyViolation       Flag = "policy_violation"
	FlagPriceDivergence       Flag = "price_divergence"
	FlagExtremeSlippage       Flag = "extreme_slippage"
	FlagNearLiquidation       Flag = "near_liquidation"
	FlagNearBackstop          Flag = "near_backstop"
	FlagLikelyLiquidation     Flag = "likely_liquidation"
	FlagFundingLiquidates     Flag = "funding_liquidates"
	FlagNegativeAccountEquity Flag = "negative_account_equity"
	FlagOtherPoolAtRisk       Flag = "other_pool_at_risk"
	FlagLeavesBookAtRisk      Flag = "leaves_book_at_risk"
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
	FlagLikelyWithinWeek      Flag = "likely_within_week"
	FlagConcentrationRisk     Flag = "concentration_risk"
	FlagCorrelatedExposure    Flag = "correlated_exposure"
	FlagAccountFailsStress    Flag = "account_fails_stress"
	FlagTierLeverageExceeded  Flag = "tier_leverage_exceeded"
	FlagNoAccountEquity       Flag = "no_account_equity"
	FlagAccountModeEstimated  Flag = "account_mode_estimated"
	FlagMarginModeDiffers     Flag = "margin_mode_differs"
	FlagSettingNotRead        Flag = "setting_not_read"
	FlagVenuePostOnly         Flag = "venue_post_only"
	FlagPositionsNotFollowed  Flag = "positions_not_followed"
	FlagStopBeyondLiquidation Flag = "stop_beyond_liquidation"
	FlagOutsideSession        Flag = "outside_session"
	FlagHistoryLoading        Flag = "history_loading"
	FlagLimitedHistory        Flag = "limited_history"
	FlagNewListing            Flag = "new_listing"
	FlagSizeExceedsPosition   Flag = "size_exceeds_position"
	FlagNoOpenPosition        Flag = "no_open_position"
	FlagUnprotectedPosition   Flag = "unprotected_position"
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
	ScenarioReboundMay2021      Scenario = "rebound_may_2021"
	ScenarioRallyMay2025        Scenario = "rally_may_2025"
)
