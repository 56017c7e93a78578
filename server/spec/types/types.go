// Written by clients/generate.py from the contract in server/spec. Do not edit.

package types

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
	Side PositionStateSide `json:"side"`
	// Coins, not signed.
	SizeCoin float64 `json:"size_coin"`
	// USD at mark.
	NotionalUSD float64 `json:"notional_usd"`
	// Leverage setting, multiple.
	Leverage float64 `json:"leverage"`
	// Margin mode.
	Mode PositionStateMode `json:"mode"`
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
	Mode PoolMode `json:"mode"`
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
	Verdict AdmissibilityVerdict `json:"verdict"`
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
	Venue MetaVenue `json:"venue"`
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
	Recommendation AssessmentRecommendation `json:"recommendation"`
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

// Receipt: A signed receipt of the decision, for another program that must know that this service made it.
// Left out unless the service is started with `--receipt-key`. What is signed, and how to verify it:
// docs/api.md, Receipts.
type Receipt struct {
	// The form of what is signed.
	Version string `json:"version"`
	// Which key of `GET /v1/receipt-key` verifies it.
	KeyID string `json:"key_id"`
	// What was asked; `gate` stands in the header `X-Ballast-Receipt` of an answer of the gate.
	Kind ReceiptKind `json:"kind"`
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
	Severity RaisedFlagSeverity `json:"severity"`
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

// SizeLimitReason is a value of size_limit_reason.
type SizeLimitReason string

// Values of SizeLimitReason.
const (
	SizeLimitReasonBookDepth      SizeLimitReason = "book_depth"
	SizeLimitReasonOICapacity     SizeLimitReason = "oi_capacity"
	SizeLimitReasonMarginHeadroom SizeLimitReason = "margin_headroom"
	SizeLimitReasonMarketImpact   SizeLimitReason = "market_impact"
)

// PoolMode is a value of mode.
type PoolMode string

// Values of PoolMode.
const (
	PoolModeCross     PoolMode = "cross"
	PoolModeIsolated  PoolMode = "isolated"
	PoolModeUnified   PoolMode = "unified"
	PoolModePortfolio PoolMode = "portfolio"
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

// MetaVenue is a value of venue.
type MetaVenue string

// Values of MetaVenue.
const (
	MetaVenueHyperliquidMainnet MetaVenue = "hyperliquid-mainnet"
	MetaVenueHyperliquidTestnet MetaVenue = "hyperliquid-testnet"
	MetaVenueSimulated          MetaVenue = "simulated"
	MetaVenueCustom             MetaVenue = "custom"
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

// AdmissibilityVerdict is a value of verdict.
type AdmissibilityVerdict string

// Values of AdmissibilityVerdict.
const (
	AdmissibilityVerdictOk         AdmissibilityVerdict = "ok"
	AdmissibilityVerdictWillReject AdmissibilityVerdict = "will_reject"
	AdmissibilityVerdictUnknown    AdmissibilityVerdict = "unknown"
)

// RegimeState is a value of state.
type RegimeState string

// Values of RegimeState.
const (
	RegimeStateNormal   RegimeState = "normal"
	RegimeStateStressed RegimeState = "stressed"
	RegimeStateCrisis   RegimeState = "crisis"
)

// AssessmentRecommendation is a value of recommendation.
type AssessmentRecommendation string

// Values of AssessmentRecommendation.
const (
	AssessmentRecommendationProceed            AssessmentRecommendation = "proceed"
	AssessmentRecommendationProceedWithCaution AssessmentRecommendation = "proceed_with_caution"
	AssessmentRecommendationAbort              AssessmentRecommendation = "abort"
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

// ReceiptKind is a value of kind.
type ReceiptKind string

// Values of ReceiptKind.
const (
	ReceiptKindValidate ReceiptKind = "validate"
	ReceiptKindBatch    ReceiptKind = "batch"
	ReceiptKindGate     ReceiptKind = "gate"
)

// RaisedFlagSeverity is a value of severity.
type RaisedFlagSeverity string

// Values of RaisedFlagSeverity.
const (
	RaisedFlagSeverityCritical RaisedFlagSeverity = "critical"
	RaisedFlagSeverityWarning  RaisedFlagSeverity = "warning"
	RaisedFlagSeverityInfo     RaisedFlagSeverity = "info"
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

// FundingDirection is a value of direction.
type FundingDirection string

// Values of FundingDirection.
const (
	FundingDirectionLongsPay  FundingDirection = "longs_pay"
	FundingDirectionShortsPay FundingDirection = "shorts_pay"
)

// PositionStateSide is a value of side.
type PositionStateSide string

// Values of PositionStateSide.
const (
	PositionStateSideLong  PositionStateSide = "long"
	PositionStateSideShort PositionStateSide = "short"
)

// PositionStateMode is a value of mode.
type PositionStateMode string

// Values of PositionStateMode.
const (
	PositionStateModeCross    PositionStateMode = "cross"
	PositionStateModeIsolated PositionStateMode = "isolated"
)

// OpenOrdersSource is a value of source.
type OpenOrdersSource string

// Values of OpenOrdersSource.
const (
	OpenOrdersSourceDerived OpenOrdersSource = "derived"
	OpenOrdersSourceRead    OpenOrdersSource = "read"
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
