"""What the service takes and answers. Written by clients/generate.py from the contract in server/spec. Do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class ValidationRequest(TypedDict):
    """A trade to be assessed before it is sent to the venue. `null` for an optional field equals leaving
    it out; an unknown or repeated key is an error."""

    # The venue's ticker, case-sensitive, as in `GET /v1/assets`. Listed, not delisted.
    asset: str
    # `long` and `short` add to the position of the wallet; `close` reduces it by up to the size.
    action: Literal["long", "short", "close"]
    # USD at mark, over 0. Exactly one of `size` and `size_coin`.
    size: NotRequired[float | None]
    # Coins of the asset, over 0, in place of `size`; turned into USD at the mark.
    size_coin: NotRequired[float | None]
    # Address of the account: `0x` and 40 hexadecimal digits, compared without case. It need not exist at
    # the venue.
    wallet: str
    # Multiple, up to the asset's maximum. Left out: that of the open position, else the wallet's setting
    # at the venue, else 20 or the asset's maximum, whichever is less.
    leverage: NotRequired[float | None]
    # Margin mode of a new position; an open position keeps its own. Left out: the wallet's setting at the
    # venue, else `cross`. An asset that is isolated only wants `isolated`.
    mode: NotRequired[Literal["cross", "isolated"] | None]
    # Add simulations to the answer. Left out: false.
    monte_carlo: NotRequired[bool | None]
    # How the trade is sent. Left out: as a market order that may increase a position.
    order: NotRequired[Order | None]


class BatchTrade(TypedDict):
    """One trade of a batch: a validation request without `wallet`."""

    # The venue's ticker, case-sensitive, as in `GET /v1/assets`. Listed, not delisted.
    asset: str
    # `long` and `short` add to the position of the wallet; `close` reduces it by up to the size.
    action: Literal["long", "short", "close"]
    # USD at mark, over 0. Exactly one of `size` and `size_coin`.
    size: NotRequired[float | None]
    # Coins of the asset, over 0, in place of `size`; turned into USD at the mark.
    size_coin: NotRequired[float | None]
    # Multiple, up to the asset's maximum. Left out: that of the open position, else the wallet's setting
    # at the venue, else 20 or the asset's maximum, whichever is less.
    leverage: NotRequired[float | None]
    # Margin mode of a new position; an open position keeps its own. Left out: the wallet's setting at the
    # venue, else `cross`. An asset that is isolated only wants `isolated`.
    mode: NotRequired[Literal["cross", "isolated"] | None]
    # Add simulations to the answer. Left out: false.
    monte_carlo: NotRequired[bool | None]
    # How the trade is sent. Left out: as a market order that may increase a position.
    order: NotRequired[Order | None]


class Order(TypedDict):
    """How a trade is sent, and what is to close it. Left out members: a market order."""

    # Left out: `market`.
    type: NotRequired[Literal["market", "limit"] | None]
    # Of a limit order, USD: the worst price at which it fills. Required with `limit`, not allowed with
    # `market`.
    price: NotRequired[float | None]
    # What becomes of the part of a limit order that does not fill at once. `gtc` (left out): it rests;
    # `ioc`: it is cancelled; `alo`: it rests, and an order that would fill at once is refused.
    tif: NotRequired[Literal["gtc", "ioc", "alo"] | None]
    # The order may only reduce a position, by at most the whole of it. Left out: false.
    reduce_only: NotRequired[bool | None]
    # Price at which the position is closed with a gain, over 0, USD: above the mark for a long, below for
    # a short.
    take_profit_price: NotRequired[float | None]
    # Price at which the position is closed with a loss, over 0, USD: below the mark for a long, above for
    # a short.
    stop_loss_price: NotRequired[float | None]


class BatchRequest(TypedDict):
    """A plan of trades, checked as a sequence."""

    # Address of the account: `0x` and 40 hexadecimal digits, compared without case. It need not exist at
    # the venue.
    wallet: str
    # In the order in which they would be sent; each is assessed as if those before it had filled.
    trades: list[BatchTrade]


# Name of a concern. Rules, units and meaning: `GET /v1/model-info`.
Flag = Literal[
    "stale_market_data",
    "kill_switch",
    "policy_violation",
    "price_divergence",
    "extreme_slippage",
    "near_liquidation",
    "near_backstop",
    "likely_liquidation",
    "funding_liquidates",
    "negative_account_equity",
    "other_pool_at_risk",
    "leaves_book_at_risk",
    "insufficient_margin",
    "untradeable_cost",
    "thin_market",
    "oi_at_cap",
    "thin_book",
    "high_slippage",
    "high_leverage",
    "funding_anomaly",
    "funding_expensive",
    "cex_funding_divergence",
    "high_impact",
    "low_volume",
    "high_var",
    "high_portfolio_var",
    "oi_near_cap",
    "likely_within_week",
    "concentration_risk",
    "correlated_exposure",
    "account_fails_stress",
    "tier_leverage_exceeded",
    "no_account_equity",
    "account_mode_estimated",
    "margin_mode_differs",
    "setting_not_read",
    "venue_post_only",
    "positions_not_followed",
    "stop_beyond_liquidation",
    "outside_session",
    "history_loading",
    "limited_history",
    "new_listing",
    "size_exceeds_position",
    "no_open_position",
    "unprotected_position",
    "margin_mode_kept",
]


# Historical stress window. Shocks of each: `GET /v1/model-info`.
Scenario = Literal[
    "jelly_squeeze",
    "luna_collapse",
    "ftx_crash",
    "short_squeeze",
    "flash_recovery",
    "black_thursday_2020",
    "may_2021_deleveraging",
    "celsius_3ac_2022",
    "yen_unwind_2024",
    "tariff_shock_feb_2025",
    "october_2025_cascade",
    "rebound_may_2021",
    "rally_may_2025",
]


class Slippage(TypedDict):
    """What the order book makes of the order."""

    # Average fill against mid price, basis points, positive: a cost.
    bps: float
    # Estimated average fill price, USD.
    fill_price: float
    # Mid price of the book, USD; of a book with one empty side its best price.
    mid_price: float
    # Liquidity of both sides within 50 bps of mid, USD.
    depth_50bps: float
    # Liquidity of both sides within 100 bps of mid, USD.
    depth_100bps: float
    # Positive: more bids than asks near the mid price.
    bid_ask_imbalance: float


class Liquidation(TypedDict):
    """How far liquidation is, of the position after the fill."""

    # Mark price at which the position is liquidated, USD; 0 when there is none.
    price: float
    # Distance from mark to liquidation price, percent of mark; 100 when there is none.
    distance_pct: float
    # Initial margin that the trade takes, percent of the free margin.
    margin_used_pct: float
    # Gross notional over equity of the pool that carries the position, multiple.
    effective_leverage: float
    # Chance that the position's pool is liquidated at any time within 24 hours, fraction. Of the trade's
    # pool after the trade, flat trades too; null only in a portfolio-margin account that could not be
    # read.
    probability_24h: float | None
    # Chance that the position's pool is liquidated at any time within 7 days, fraction. Of the trade's
    # pool after the trade, flat trades too; null only in a portfolio-margin account that could not be
    # read.
    probability_7d: float | None
    # Equity of the position's pool after the fill, USD; may be negative. Null only in a portfolio-margin
    # account that could not be read.
    pool_equity_usd: float | None
    # Profit or loss of the position from the mark to the liquidation price, USD, negative: a loss. Null
    # without a liquidation price.
    loss_at_usd: float | None
    # The same once the venue has liquidated the pool and its equity is gone: minus `pool_equity_usd`,
    # USD, negative: a loss. Null without a liquidation price.
    loss_after_usd: float | None
    # Margin mode used; `close` when nothing is left.
    mode: Literal["cross", "isolated", "close"]


class Funding(TypedDict):
    """What holding the position costs or earns in funding."""

    # Rate of the current hour, fraction per hour, positive: longs pay.
    funding_rate: float
    # Funding of the position after the fill, percent a year, positive: you pay.
    annualized_pct: float
    # Rate over the mean rate of centralised exchanges, times; 0 when rates are negligible.
    vs_cex_divergence: float
    # Who pays whom.
    direction: Literal["longs_pay", "shorts_pay"]
    # The requester pays.
    agent_pays: bool
    # Expected funding of 24 h of the position after the fill, USD, positive: you pay; 0 when flat. Null
    # when the venue gives no rate.
    cost_24h_usd: float | None


class Impact(TypedDict):
    """How the trade moves the market."""

    # Expected price impact, basis points.
    expected_bps: float
    # Trade size in percent of 24 h volume.
    participation_pct: float


class VolatilityForecast(TypedDict):
    """Volatility forecast by horizon."""

    # Forecast over 1 hour, annualised, fraction.
    sigma_1h: float
    # Forecast over 4 hours, annualised, fraction.
    sigma_4h: float
    # Forecast over 1 day, annualised, fraction.
    sigma_1d: float
    # Forecast over 7 days, annualised, fraction.
    sigma_7d: float
    # Long-run volatility, annualised, fraction.
    long_run_sigma: float


class ValueAtRisk(TypedDict):
    """Value at risk and expected shortfall of the position after the fill."""

    # VaR 95 % over 24 h, percent of notional, a loss is positive; of a short it may exceed 100.
    pct_95_24h: float
    # VaR 99 % over 24 h, percent of notional, a loss is positive; of a short it may exceed 100.
    pct_99_24h: float
    # VaR 95 % over 24 h, USD, a loss is positive.
    dollar_95_24h: float
    # VaR 99 % over 24 h, USD, a loss is positive.
    dollar_99_24h: float
    # VaR 95 % over 24 h plus the cost of leaving, USD.
    lvar_95_24h: float
    # VaR 99 % over 24 h plus the cost of leaving, USD.
    lvar_99_24h: float
    # VaR 99 % over 4 h, percent of notional, a loss is positive; of a short it may exceed 100.
    pct_99_4h: float
    # VaR 99 % over 7 days, percent of notional, a loss is positive; of a short it may exceed 100.
    pct_99_7d: float
    # VaR 99 % over 4 h, USD, a loss is positive.
    dollar_99_4h: float
    # VaR 99 % over 7 days, USD, a loss is positive.
    dollar_99_7d: float
    # Expected shortfall beyond VaR 95 % over 24 h, percent of notional.
    es_95_24h: float
    # Expected shortfall beyond VaR 99 % over 24 h, percent of notional.
    es_99_24h: float
    # VaR 99 % over 24 h in percent of the position's margin.
    margin_var_99_pct: float
    # `dollar_99_24h`, but at most the equity of the position's pool: what a bad day can take, USD, a loss
    # is positive. Null only in a portfolio-margin account that could not be read.
    loss_99_capped_usd: float | None
    # Today's volatility against the asset's own history.
    volatility_regime: Literal["low", "normal", "high"]
    # Null for an asset that trades at all hours.
    session: Session | None
    # Null without candles.
    volatility_forecast: VolatilityForecast | None


# When the asset's oracle rests: the price then comes from the venue's own book, and may jump when the market
# reopens.
Session = TypedDict(
    "Session",
    {
        # What the oracle follows.
        "class": 'Literal["equity", "metal", "energy"]',
        # It rests now.
        "resting": 'bool',
        # Start of this rest, or of the next, ms since 1970.
        "rests_at": 'int',
        # Its end, ms since 1970.
        "reopens_at": 'int',
    },
)


class DayMove(TypedDict):
    """The distribution of the asset's move within 24 hours, percent of the price, by the model of `var`:
    the loss of a long is the fall, that of a short the rise. Falls are negative or 0, rises positive or
    0."""

    # A fall that one day in 1,000 exceeds, negative; null with less than a day of candles.
    down_999_pct: float | None
    # A fall that one day in 100 exceeds, negative: minus `var.pct_99_24h` of a long.
    down_99_pct: float
    # A fall that one day in 20 exceeds, negative.
    down_95_pct: float
    # The median move, negative: a fall.
    median_pct: float
    # A rise that one day in 20 exceeds, positive.
    up_95_pct: float
    # A rise that one day in 100 exceeds, positive: `var.pct_99_24h` of a short.
    up_99_pct: float
    # A rise that one day in 1,000 exceeds, positive; null with less than a day of candles.
    up_999_pct: float | None


class OpenInterest(TypedDict):
    """Open interest of the asset."""

    # USD, one side.
    current: float
    # Percent of the cap, which is an estimate where the venue publishes none.
    utilization_pct: float
    # The venue takes no increase.
    at_cap: bool


class StressResult(TypedDict):
    """The position in one historical scenario."""

    scenario: Scenario
    # The scenario in words.
    description: str
    # Funding over the scenario, percent of notional, positive: paid.
    funding_cost_pct: float
    # Profit or loss, percent of notional, negative: a loss.
    pnl_pct: float
    # Profit or loss, USD, negative: a loss.
    pnl_usd: float
    # Cost of leaving in that market, percent of notional.
    liquidity_cost_pct: float
    # Distance to liquidation after the shock, percent; 0 when it is liquidated.
    liquidation_distance_pct: float
    # The position is not liquidated on the way.
    survives: bool
    # What ends the position's pool: the asset whose move costs it most, which may be another than the
    # trade's. Where the pool is below its maintenance margin before any price moves, its name: `main`,
    # another dex, `unified` or `portfolio`. Null when it survives.
    died_by: str | None


class PortfolioRisk(TypedDict):
    """The book after the trade. Left out when the wallet has fewer than two open positions."""

    # VaR 99 % over 24 h of the book, with correlations, USD.
    portfolio_var_99_24h: float
    # Expected shortfall beyond it, USD.
    portfolio_es_99_24h: float
    # Open positions now.
    position_count: int
    # Null unless `monte_carlo` was asked for.
    monte_carlo: PortfolioSimulation | None
    # One entry for each pair of the book after the trade with enough common history; of more than 50
    # pairs, the 50 with the largest tail dependence.
    tail_dependence: list[TailDependence]


class PortfolioSimulation(TypedDict):
    """Simulated day of the book after the trade."""

    # Scenarios drawn.
    simulations: int
    # VaR 95 %, USD.
    var_95: float
    # VaR 99 %, USD.
    var_99: float
    # Expected shortfall beyond VaR 95 %, USD.
    es_95: float
    # Expected shortfall beyond VaR 99 %, USD.
    es_99: float
    # Share of scenarios in which the pool is below its maintenance margin at the end of the day,
    # fraction; not `probability_24h`, which counts any time within it.
    liquidation_probability: float
    # Each position's share.
    positions: list[SimulatedShare]
    copula: Copula


class SimulatedShare(TypedDict):
    """One position's share of the simulated VaR 99 %."""

    # Ticker.
    asset: str
    # VaR less that of the book without it, USD.
    marginal_var: float
    # Its part of the VaR, USD; the parts add up.
    component_var: float


class Copula(TypedDict):
    """How the assets move together in the simulation."""

    # Student t.
    family: Literal["t"]
    # Degrees of freedom.
    nu: float


class TailDependence(TypedDict):
    """How two assets of the book fall together."""

    # Ticker.
    asset_a: str
    # Ticker.
    asset_b: str
    # Coefficient of lower tail dependence, fraction.
    lambda_lower: float
    # Coefficient of upper tail dependence, fraction.
    lambda_upper: float
    # Correlation of hourly returns.
    pearson_rho: float
    # Degrees of freedom of the fitted t copula.
    nu: float


class PortfolioStress(TypedDict):
    """The worst scenario of the wallet after the trade, over all its pools; the same for every trade that
    leaves the same book. Left out when the wallet has no position before the trade."""

    scenario: Scenario
    # Profit or loss of the book, USD, negative: a loss.
    total_pnl_usd: float
    # The same in percent of the equity of all pools, negative: a loss.
    total_pnl_pct: float
    # Funding over the scenario, percent of the gross notional, positive: paid.
    total_funding_cost_pct: float
    # No scenario ends a cross pool, or the wallet: `failed_scenarios` is empty.
    account_survives: bool
    # Positions liquidated in this scenario, in all pools.
    positions_liquidated: int
    # Scenarios that the account does not survive, in the order of the table.
    failed_scenarios: list[Scenario]


class Fees(TypedDict):
    """Fee of the trade."""

    # The wallet's taker rate, basis points, negative: a rebate.
    taker_fee_bps: float
    # USD.
    estimated_fee_usd: float
    # Percent of the trade's initial margin.
    fee_pct_of_margin: float


class CostAnalysis(TypedDict):
    """Costs together."""

    # Slippage, impact and fee, basis points.
    total_entry_cost_bps: float
    # Entry and exit, basis points.
    total_round_trip_cost_bps: float
    # Price move that pays for all costs, percent.
    breakeven_move_pct: float
    # Funding of 24 h in percent of margin, negative: received.
    funding_drag_24h_pct: float
    # 0 negligible, 1 extremely expensive.
    cost_score: float


class Sizing(TypedDict):
    """How large the trade may be."""

    # Largest size within the four limits (book depth, open interest, margin with the loss, market
    # impact), USD, made smaller where the score allows nothing near it, and within the operator's limits.
    # Its score is not itself checked: the answer at this size may be `abort`. Send `suggested_size_usd`.
    max_safe_size_usd: float
    # The size to send, USD: at this size the answer is `proceed`, unless the market changes. At most
    # `max_safe_size_usd`, and within the operator's limits; 0: there is none.
    suggested_size_usd: float
    # The constraint that binds.
    size_limit_reason: Literal["book_depth", "oi_capacity", "margin_headroom", "market_impact"]
    # The rule of the operator that keeps the sizes below that constraint, such as `max_order_usd` or
    # `kill_switch`; `policy_unread` while the limits are not known yet. Left out where none does.
    policy_rule: NotRequired[str]
    # With `?deposit=true`: the least that must be paid into the trade's cross pool, whole USD, so that
    # the answer is `proceed` and the venue takes the order, limits of an operator aside; 0: it does as it
    # is, null: no deposit up to 100,000,000 helps.
    deposit_usd: NotRequired[float | None]


class PositionState(TypedDict):
    """A position in the asset."""

    # Direction.
    side: Literal["long", "short"]
    # Coins, not signed.
    size_coin: float
    # USD at mark.
    notional_usd: float
    # Leverage setting, multiple.
    leverage: float
    # Margin mode.
    mode: Literal["cross", "isolated"]
    # Average entry price, USD; null when the venue gives none.
    entry_price: float | None
    # USD; null when there is none.
    liquidation_price: float | None


class PositionChange(TypedDict):
    """The position in the asset as read and as the trade leaves it."""

    # Null when flat.
    before: PositionState | None
    # Null when flat.
    after: PositionState | None


class Margin(TypedDict):
    """Margin of the whole wallet at marks."""

    # Equity of all pools, USD; may be negative.
    account_value: float
    # Initial margin of all positions, USD.
    initial: float
    # Maintenance margin of all positions, USD.
    maintenance: float
    # Equity of the trade's cross pool less the initial margin of its positions and the margin held for
    # resting orders, USD; of a wallet as held the sum over its cross pools.
    free: float
    # Maintenance margin in percent of equity, the largest of all pools; the venue liquidates at 100. 1000
    # without equity.
    maintenance_ratio_pct: float


class MarginChange(TypedDict):
    """What the trade does to the wallet's margin."""

    before: Margin
    after: Margin
    # Initial margin that the trade takes, USD, negative: it frees margin.
    delta_initial_usd: float
    # Margin that the venue keeps for resting orders, USD: at least this much.
    held_usd: float
    # At most this much, USD; null: no bound is known. Equal to `held_usd`: exact.
    held_most_usd: float | None
    market_move: MarketMove


class WalletMargin(TypedDict):
    """Margin of the wallet as it is, at marks."""

    # Equity of all pools, USD; may be negative.
    account_value: float
    # Initial margin of all positions, USD.
    initial: float
    # Maintenance margin of all positions, USD.
    maintenance: float
    # Equity of the cross pools less the initial margin of their positions and the margin held for resting
    # orders, USD.
    free: float
    # Maintenance margin in percent of equity, the largest of all pools; the venue liquidates at 100. 1000
    # without equity.
    maintenance_ratio_pct: float
    # Margin that the venue keeps for resting orders, USD: at least this much.
    held_usd: float
    # At most this much, USD; null: no bound is known. Equal to `held_usd`: exact.
    held_most_usd: float | None
    market_move: MarketMove


class MarketMove(TypedDict):
    """The smallest common move of all assets at which a cross pool of the wallet is liquidated; both 0
    when one is past that already."""

    # A fall, percent; null when there is none.
    down_pct: float | None
    # A rise, percent; null when there is none up to 1000.
    up_pct: float | None


class Pool(TypedDict):
    """Positions that the venue liquidates together."""

    # Dex, empty for the main one; null for a pool over several.
    dex: str | None
    # How its collateral is shared.
    mode: Literal["cross", "isolated", "unified", "portfolio"]
    # Ticker of an isolated position; null otherwise.
    asset: str | None
    # USD; may be negative.
    equity_usd: float
    # Maintenance margin in percent of equity; the venue liquidates at 100.
    maintenance_ratio_pct: float
    # Chance that it is liquidated within 24 hours, fraction; null for a portfolio-margin pool that could
    # not be read.
    probability_24h: float | None
    # It survives every stress scenario.
    survives: bool
    # The scenarios that it does not survive.
    failed_scenarios: list[Scenario]
    # Its own worst stress result, USD, negative: a loss.
    worst_pnl_usd: float
    # What it needs; in a report on a wallet as held only. Null for a portfolio-margin pool that could not
    # be read.
    action: NotRequired[PoolAction | None]


class PoolAction(TypedDict):
    """The least that brings a pool to a target: a reduction, or a deposit, each alone. A lot or a cent
    less does not."""

    # `main` or another dex; `unified` or `portfolio` for a pool over several; the ticker of an isolated
    # position.
    pool: str
    # `hold`: the pool is at the target, and the figures are null. `reduce`: reduce, or add margin where
    # that is given too. `add_margin`: reducing does not help.
    kind: Literal["hold", "reduce", "add_margin"]
    # Percent by which to reduce every position of `assets`, each rounded down to the venue's lot; fills
    # and fees are counted. Null where reducing does not help: that of an isolated position frees its
    # margin with it, so that only closing it whole (100) may help.
    reduce_pct: float | None
    # The same, notional at mark of all of them, USD.
    reduce_usd: float | None
    # Deposit in the pool, USD, whole cents. Null where none helps.
    add_margin_usd: float | None
    # Positions of the pool; null with `hold`.
    assets: list[str] | None
    until: ActionTarget


class ActionTarget(TypedDict):
    """What the pool is brought to."""

    # Its chance of liquidation within 24 hours is at most this, fraction.
    max_probability_24h: float
    # It survives every stress scenario.
    survive: bool


class BookBefore(TypedDict):
    """The wallet's risk before the trade, to compare with: the first four figures are of the trade's
    pool. Left out for a wallet without a position."""

    # Chance of liquidation within 24 hours, fraction; null when the pool has no position.
    probability_24h: float | None
    # Chance of liquidation within 7 days, fraction; null when the pool has no position.
    probability_7d: float | None
    # VaR 99 % over 24 h of the pool's positions, USD; null when it has none.
    pool_var_99_usd: float | None
    # Largest loss of the pool in a stress scenario, USD, not limited to its equity; null when it has no
    # position.
    stress_loss_usd: float | None
    # VaR 99 % over 24 h of all positions, USD.
    portfolio_var_99_usd: float


class OpenOrders(TypedDict):
    """What the wallet's resting orders mean for it."""

    # `read`: the orders were listed (`--open-orders full`); `derived`: only the margin held for them is
    # known.
    source: Literal["derived", "read"]
    # Why the orders could not be listed; left out when they were not asked for.
    reason: NotRequired[Literal["budget", "error", "timeout", "too_many"]]
    # Age of the list, ms; only with `read`.
    age_ms: NotRequired[float]
    # Resting orders; only with `read`.
    count: NotRequired[int]
    # Margin held for them, USD: at least this much. Of the trade's pool; of a wallet as held the sum over
    # its pools.
    held_usd: float
    # At most this much, USD; null: no bound is known.
    held_most_usd: float | None
    # Both are the same.
    exact: bool
    if_all_buys_fill: NotRequired[OrdersFilled]
    if_all_sells_fill: NotRequired[OrdersFilled]
    # How far stop orders protect each held position; only with `read`.
    positions: NotRequired[list[Protection]]


class OrdersFilled(TypedDict):
    """The wallet once every resting order of one side has filled; only with `read`."""

    # Orders of that side; 0: the wallet as it is.
    orders: int
    # Their notional, USD.
    notional_usd: float
    # Of all positions then, USD.
    gross_notional_usd: float
    # Longs less shorts then, USD.
    net_notional_usd: float
    # Equity of the pool then, USD.
    pool_equity_usd: float
    # Initial margins then, USD.
    initial_usd: float
    # Percent; the venue liquidates at 100.
    maintenance_ratio_pct: float
    # The equity covers the initial margins; the venue cancels what is not covered when it fills.
    funded: bool


class Protection(TypedDict):
    """How far stop orders protect a position."""

    # Ticker.
    asset: str
    # Part of the position that stops close, percent.
    covered_pct: float
    # Trigger of the nearest stop, USD; null without one.
    stop_price: float | None
    # One of them is a limit order: it may not fill.
    stop_limit: bool
    # Stops that liquidation would beat.
    beyond_liquidation: int
    # All but less than a lot is covered.
    protected: bool


class Admissibility(TypedDict):
    """Whether the venue would take the order."""

    # `unknown`: it depends on what the service cannot know: collateral or held margin that could not be
    # read exactly, a notice of the venue.
    verdict: Literal["ok", "will_reject", "unknown"]
    # What to send: the size rounded down to the venue's lot, coins; a reduction within one lot of the
    # whole position is all of it.
    order_size_coin: float
    # Its notional at mark, USD.
    order_size_usd: float
    # Why the venue would refuse it, or may.
    issues: list[Issue]


class OrderFill(TypedDict):
    """What becomes of a limit order against the book. The first three, USD at mark, add up to the size of
    the trade. All other figures are of the whole order filled: what the book does not fill at once, at
    the order's price."""

    # Filled at once, USD at mark.
    taker_usd: float
    # Resting until the price meets it, USD at mark.
    maker_usd: float
    # Cancelled or refused by the venue, USD at mark: the rest of an `ioc` order, an `alo` order that
    # would fill at once, an order that may only reduce and finds nothing.
    unfilled_usd: float
    # Average price of the filled and the resting part, USD; null when nothing fills.
    fill_price: float | None
    # Fee of both parts, the resting one at the wallet's maker rate, USD; negative: a rebate.
    fee_usd: float
    # Chance that all of the order has filled within 24 hours, fraction: that the price touches the
    # order's.
    p_fill_24h: float


class OrderExits(TypedDict):
    """What the stop and the take-profit price of the request do. All members but the last are null when
    no position is left after the trade."""

    # The whole position closed at the stop; null without one.
    stop_loss: ExitLevel | None
    # The whole position closed at the take-profit price; null without one.
    take_profit: ExitLevel | None
    # Chance that the price touches the stop within 24 hours of the fill, before the take-profit price if
    # there is one, fraction. 0 when liquidation comes before the stop; null without a stop.
    p_stop_first: float | None
    # The stop lies beyond the liquidation price after the trade: it would never be reached.
    stop_beyond_liquidation: bool


class ExitLevel(TypedDict):
    """The whole position after the trade, closed at a price by a market order."""

    # USD.
    price: float
    # From mark, percent of it, not signed.
    distance_pct: float
    # Change of the wallet's value from before the trade, net of slippage at entry, fees and a day of
    # expected funding, USD; negative: a loss.
    pnl_usd: float
    # Fees of the trade and of the exit, USD; positive: a cost.
    fees_usd: float
    # Expected funding of 24 hours, USD; positive: the position pays.
    funding_24h_usd: float


class Issue(TypedDict):
    """One reason for which the venue would refuse the order, and what would mend it."""

    # Rule of the venue that the order breaks.
    code: Literal["reduce_only_would_increase", "lot", "min_notional", "max_leverage", "tier_leverage", "insufficient_margin", "oi_cap", "max_market_order", "no_liquidity", "leverage_not_whole", "isolated_leverage_too_low", "market_post_only", "venue_notice", "margin_unknown", "tick", "price_too_far", "would_cross"]
    # Field of the request to change.
    field: Literal["action", "size", "leverage", "asset", "order.price"]
    # What the request comes to, in the unit of the rule: USD, or a multiple for leverage; a price for
    # `order.price`; the venue's own text with `market_post_only` and `venue_notice`; null when it is not
    # known.
    got: Any
    # What the venue allows, in the same unit; null when there is no such figure, or it is not known.
    limit: float | None
    # A value of `field` that the venue would take; null when there is none.
    fix: float | None
    # Only with `insufficient_margin`: the smallest whole leverage that carries the size; null when there
    # is none.
    fix_leverage: NotRequired[float | None]
    # Only with `insufficient_margin`: the deposit that is needed at this size and leverage, USD, up to
    # whole cents.
    fix_deposit_usd: NotRequired[float | None]
    # Only with `insufficient_margin`: chance of liquidation within 24 hours after that deposit, fraction;
    # null when it is not known.
    fix_deposit_probability_24h: NotRequired[float | None]
    # Only with `leverage_not_whole`: the whole numbers on both sides.
    allowed: NotRequired[list[float]]


class MonteCarlo(TypedDict):
    """Simulated day of the position. Left out unless `monte_carlo` was asked for."""

    # Paths.
    simulations: int
    # VaR 95 %, percent of notional.
    var_95: float
    # VaR 99 %, percent of notional.
    var_99: float
    # Beyond VaR 95 %, percent of notional.
    expected_shortfall_95: float
    # Beyond VaR 99 %, percent of notional.
    expected_shortfall_99: float
    # Percent of notional.
    median_return: float
    # Worst path, percent of notional, negative: a loss.
    worst_case: float
    # Bounds of the central 95 % of outcomes: lower, upper.
    confidence_interval: list[float]


class ExtremeValue(TypedDict):
    """Tail beyond the quantiles, by extreme value theory."""

    # VaR 99.9 % over 24 h, percent of notional.
    var_99_9: float
    # Beyond it, percent of notional.
    expected_shortfall_99_9: float


class Greeks(TypedDict):
    """Sensitivities of the position after the fill."""

    # Profit in USD for each USD of price; positive: long.
    delta: float
    # Change of delta for each USD of price.
    gamma: float
    # Profit in USD for each point of annual volatility.
    vega: float
    # Profit in USD a day from funding and costs; negative: it costs.
    theta: float
    # Change of the liquidation distance, in points, for each percent of price.
    liquidation_gamma: float


class Regime(TypedDict):
    """Liquidity regime of the asset."""

    # State.
    state: Literal["normal", "stressed", "crisis"]
    # Probability of that state, fraction.
    confidence: float


class Drawdown(TypedDict):
    """History of the asset, and stops that follow from it."""

    # Largest drawdown, percent.
    max_drawdown_pct: float
    # From the recent peak, percent.
    current_drawdown_pct: float
    # Equity of the position at the peak, USD.
    peak_equity: float
    # At the trough, USD.
    trough_equity: float
    # Of the current drawdown, hours.
    drawdown_duration_hours: int
    # Annual return over the largest drawdown.
    calmar_ratio: float
    # From the average true range, percent.
    trailing_stop_distance_pct: float
    # From volatility and leverage, percent.
    suggested_stop_loss_pct: float


class AttributedPosition(TypedDict):
    """One position's share of the book's risk."""

    # Ticker.
    asset: str
    # VaR less that of the book without it, USD.
    marginal_var: float
    # Its part of the VaR, USD; the parts add up.
    component_var: float
    # Its part in percent of the VaR.
    component_var_pct: float
    # It is a balance that counts as collateral; left out for a position.
    collateral: NotRequired[Literal[True]]


class PortfolioAttribution(TypedDict):
    """Which position carries the risk of the book after the trade."""

    # VaR 99 % over 24 h of the book, USD.
    total_var_99: float
    # How much less than the sum of the positions' own VaR, percent.
    diversification_benefit_pct: float
    # In the account's order, collateral last.
    positions: list[AttributedPosition]


class Meta(TypedDict):
    """About the answer."""

    # Ticker; of a trade that was not assessed the text of the request.
    asset: str
    # USD.
    mark_price: float
    # The asset's maximum, multiple.
    max_leverage: float
    # Time that the service took, ms.
    latency_ms: float
    # Age of the oldest price used, ms: best levels and mark prices, of all assets of the answer.
    market_age_ms: float
    # Age of the account, ms.
    wallet_age_ms: float
    # That of the header `X-Request-Id`.
    request_id: str
    # Where the data come from; `custom` is another address.
    venue: Literal["hyperliquid-mainnet", "hyperliquid-testnet", "simulated", "custom"]
    # What the venue announces about itself now, such as that it takes post-only orders alone; null:
    # nothing, or it is not known.
    venue_notice: str | None
    # The venue's word for the address of a wallet that holds nothing: `user`, `agent`, `vault`,
    # `subAccount`, `missing`; `unknown` when it could not be read, null when nothing was asked.
    wallet_role: str | None
    # Moment that all figures are of, UTC with milliseconds.
    as_of: str


class RejectedMeta(TypedDict):
    """About the answer."""

    # Ticker; of a trade that was not assessed the text of the request.
    asset: str
    # USD.
    mark_price: float
    # The asset's maximum, multiple.
    max_leverage: float
    # Time that the service took, ms.
    latency_ms: float
    # No price was used.
    market_age_ms: None
    # No account was used.
    wallet_age_ms: None
    # That of the header `X-Request-Id`.
    request_id: str
    # Where the data come from; `custom` is another address.
    venue: Literal["hyperliquid-mainnet", "hyperliquid-testnet", "simulated", "custom"]
    # What the venue announces about itself now, such as that it takes post-only orders alone; null:
    # nothing, or it is not known.
    venue_notice: str | None
    # The venue's word for the address of a wallet that holds nothing: `user`, `agent`, `vault`,
    # `subAccount`, `missing`; `unknown` when it could not be read, null when nothing was asked.
    wallet_role: str | None
    # Moment that all figures are of, UTC with milliseconds.
    as_of: str
    # The rule that the trade breaks, as in `detail` of a validation error.
    error: str


class ReportMeta(TypedDict):
    """About the answer."""

    # Time that the service took, ms.
    latency_ms: float
    # Age of the oldest price used, ms: best levels and mark prices, of all assets of the answer.
    market_age_ms: float
    # Age of the account, ms.
    wallet_age_ms: float
    # That of the header `X-Request-Id`.
    request_id: str
    # Where the data come from; `custom` is another address.
    venue: Literal["hyperliquid-mainnet", "hyperliquid-testnet", "simulated", "custom"]
    # What the venue announces about itself now, such as that it takes post-only orders alone; null:
    # nothing, or it is not known.
    venue_notice: str | None
    # The venue's word for the address of a wallet that holds nothing: `user`, `agent`, `vault`,
    # `subAccount`, `missing`; `unknown` when it could not be read, null when nothing was asked.
    wallet_role: str | None
    # Moment that all figures are of, UTC with milliseconds.
    as_of: str


class ModelVersion(TypedDict):
    """Which engine and which parameters are behind the answer."""

    # Semantic version of the risk engine.
    engine_version: str
    # SHA-256 of the parameters behind this answer; zeros when nothing was assessed.
    calibration_hash: str
    # Name of the calibration.
    calibration_name: str


class Assessment(TypedDict):
    """The assessment of one trade. Liquidation, VaR, stress and funding are of the position after the
    fill; slippage, impact and fees are of the trade."""

    # Composite score, 0 (lowest risk) to 100 (highest).
    risk_score: float
    # `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the
    # operator's limits (`policy`) do not allow the trade. A trade that only reduces a position is always
    # `proceed`.
    recommendation: Literal["proceed", "proceed_with_caution", "abort"]
    # Concerns raised, critical ones first.
    flags: list[Flag]
    slippage: Slippage
    liquidation: Liquidation
    funding: Funding
    impact: Impact
    var: ValueAtRisk
    oi: OpenInterest
    # One entry for each scenario.
    stress: list[StressResult]
    policy: NotRequired[PolicyVerdict]
    portfolio_risk: NotRequired[PortfolioRisk]
    portfolio_stress: NotRequired[PortfolioStress]
    fees: Fees
    cost_analysis: CostAnalysis
    sizing: Sizing
    position: PositionChange
    margin: MarginChange
    admissibility: Admissibility
    order: NotRequired[OrderExits]
    execution: NotRequired[OrderFill]
    # Null with `--open-orders off`.
    open_orders: OpenOrders | None
    # What the venue liquidates together, after the trade; cross pools first. Left out when fewer than two
    # have a position.
    pools: NotRequired[list[Pool]]
    book_before: NotRequired[BookBefore]
    monte_carlo: NotRequired[MonteCarlo]
    day: DayMove
    # Null with less than a day of candles.
    evt: ExtremeValue | None
    greeks: Greeks
    # Null without a candle.
    regime: Regime | None
    # `regime.state` under a name of its own, beside `var.volatility_regime`: how liquid the market is,
    # not how much it moves. Null without a candle.
    liquidity_regime: Literal["normal", "stressed", "crisis"] | None
    # Null below 30 bars.
    drawdown: Drawdown | None
    # Null when nothing is held after the trade.
    portfolio_attribution: PortfolioAttribution | None
    meta: Meta
    model_version: ModelVersion
    explanation: NotRequired[Explanation]
    receipt: NotRequired[Receipt]


class PolicyVerdict(TypedDict):
    """What the operator's policy of the wallet and the kill switch say; left out when neither applies.
    `deny` and `unknown` make the recommendation `abort`, with the flag `policy_violation`, or
    `kill_switch`. A trade that only reduces a position always passes. Of a wallet (`GET /v1/monitor`):
    what every increase meets, whatever its asset and size."""

    # `unknown`: no rule is known to be broken, but a figure that a rule needs is not known.
    verdict: Literal["pass", "deny", "unknown"]
    # The newest revision of the policies that hold for the wallet; null when only the kill switch, or a
    # halt, applies.
    revision: int | None
    # Rules that are broken or cannot be judged. In a compact view the first four.
    violations: list[PolicyViolation]
    # What the numbers of the policy were compared with, broken or not, by the name of the rule and in its
    # unit; of what is not known none. Left out of compact views.
    facts: NotRequired[dict[str, float]]


class PolicyViolation(TypedDict):
    """A rule that is broken, or that cannot be judged."""

    # The rule's name in the policy, or `kill_switch`.
    rule: Literal["max_leverage", "max_order_usd", "max_position_usd", "max_gross_leverage", "max_asset_share_pct", "max_daily_loss_pct", "max_drawdown_pct", "max_score", "max_probability_24h", "max_probability_7d", "min_liquidation_distance_pct", "price_collar_pct", "orders_per_minute", "trades_per_day", "duplicate_window_s", "allowed_assets", "denied_assets", "halt", "expires_at", "kill_switch"]
    # The limit in the policy, in the unit of the rule; of `expires_at` a time (RFC 3339); null for lists
    # of assets, `halt` and `kill_switch`.
    limit: Any
    # What was compared with it, in the same unit; of a list the asset, of `expires_at` the time of the
    # answer, of `halt` and `kill_switch` true. Null when it is not known.
    value: Any
    # When the loss has set a halt, which stays until an operator lifts it; `limit` and `value` are of
    # then. Left out where it has set none.
    halted_at: NotRequired[str]


class Decisions(TypedDict):
    """A page of recorded decisions, newest first."""

    # The decisions. May be none with a `next_cursor`: a search stops after a second.
    decisions: list[Decision]
    # Parameter `cursor` of the next page, null when there is no more.
    next_cursor: str | None
    # Blocks, of 256 decisions at most, that are damaged on disk: what they had is missing here.
    unreadable_blocks: int


class Decision(TypedDict):
    """What was asked, what was answered, and what the gate did. Figures are those of the answer; null:
    the answer did not have it."""

    # Id of the request, `meta.request_id` of its answer.
    request_id: str
    # `meta.as_of` of the answer; of the gate without an assessment, when the action arrived, by the
    # venue's clock.
    at: str
    # What was asked. `size`: the largest size that was answered. `gate`: an action through the gate; its
    # figures are those of the order that was refused, or was assessed last.
    kind: Literal["validate", "batch", "size", "gate"]
    # Of a trade of a batch, its place from 0; left out for 0.
    index: NotRequired[int]
    # Id of the key that asked; empty for none, as at a gate that asks for no key.
    key_id: str
    # Account in lower case; empty if the gate did not learn it.
    wallet: str
    # Ticker; empty when nothing was assessed.
    asset: str
    # Direction; empty when nothing was assessed.
    action: Literal["long", "short", "close", ""]
    # Size of the trade, USD at the mark.
    size_usd: float
    # The same in coins of the asset.
    size_coin: float
    # Leverage that the assessment used; 0 when nothing was assessed.
    leverage: float
    # The request, JSON as it was sent; of a batch the trade in its array, of the gate the action as it
    # was passed on.
    request: Any
    # As answered; empty when nothing was assessed.
    recommendation: Literal["proceed", "proceed_with_caution", "abort", ""]
    # Risk score.
    risk_score: float | None
    # Probability of liquidation within 24 hours, fraction.
    probability_24h: float | None
    # The same within 7 days.
    probability_7d: float | None
    # Liquidation price of the position after the trade, USD; null: there is none.
    liquidation_price: float | None
    # Side of the position after the trade; empty when nothing was assessed.
    side: Literal["long", "short", "flat", ""]
    # Mark price, USD.
    mark_price: float | None
    # Value of the position after the trade, USD at the mark.
    position_usd: float | None
    # Margin of the trade: its size divided by the leverage, USD.
    margin_usd: float | None
    # Loss of the position after the trade that 1 % of days exceed, positive, USD.
    var_99_24h_usd: float | None
    # Variance of the log price that the fit forecast for 24 hours of average activity, from ranges: what
    # the alarm of `GET /v1/accuracy` compares the market with. Null in decisions of versions before.
    variance_24h: float | None
    # Flags of the answer.
    flags: list[Flag]
    # Figures that rules of a policy are compared with, by the rule's name and in its unit, whether a
    # policy applied or not; a missing one was not known. `duplicate_window_s` is 1000000000 when the same
    # order was not sent before.
    facts: dict[str, float]
    # What the operator's limits said; null: none applied.
    policy: DecisionPolicy | None
    # What the gate did with the action; null: not through the gate.
    gate: DecisionGate | None
    # Version of the model.
    engine_version: str
    # `model_version.calibration_hash` of the answer; empty when nothing was assessed.
    calibration_hash: str
    # SHA-256, hexadecimal. Of a photographed decision over everything the answer was computed from; of
    # others over what names it: request, time, mark price, calibration hash, the venue's times of wallet
    # and book. Empty when nothing was assessed.
    inputs_digest: str
    # SHA-256 of the answer without `meta.latency_ms`, of a photographed decision; else empty.
    answer_digest: str
    # What the answer was computed from is kept (`--journal full`): `ballast replay` computes it again.
    photographed: bool
    # What became of it; null: nothing is known yet.
    outcome: DecisionOutcome | None
    # Of `GET /v1/decisions/{request_id}` of a batch: the decisions of all its assessed trades, in order.
    # Left out otherwise.
    batch: NotRequired[list[Decision]]


class DecisionPolicy(TypedDict):
    """What the operator's limits said; null: none applied."""

    # pass, deny or unknown, as in `PolicyVerdict`.
    verdict: str
    # Revision of the policy; 0 when only the kill switch or a halt applied.
    revision: int
    # Rules that were broken or could not be judged.
    violations: list[DecisionPolicyViolation]


class DecisionPolicyViolation(TypedDict):
    """A rule."""

    # Its name, as in `PolicyViolation`.
    rule: str
    # The limit, in the unit of the rule; of `expires_at` ms since 1970; null for a rule without a number.
    limit: float | None
    # What was compared with it; 1 for a rule without a number. Null: not known, so it could not be
    # judged.
    value: float | None


# What the gate did with the action; null: not through the gate.
DecisionGate = TypedDict(
    "DecisionGate",
    {
        # `passed`: it cannot add risk; `allowed`: it was judged and handed on.
        "did": 'Literal["passed", "allowed", "refused"]',
        # What the action can do: increase, never_enlarges, margin, funds, signers, abstraction, cost
        # or unknown.
        "class": 'str',
        # Type of the action, as the venue names it.
        "type": 'str',
        # Why it was refused, or what of it could not be judged; else empty.
        "reason": 'str',
        # Address that signed it; empty: not recovered.
        "signer": 'str',
        # HTTP status of the venue's answer; 0: none, or the decision was on disk before (`--gate-
        # journal strict`).
        "venue_status": 'int',
    },
)


class DecisionOutcome(TypedDict):
    """What became of a decision, as it is known when it is asked for."""

    # What the market made of the position within 24 hours; null: they are not over, bars are missing, or
    # the answer promised nothing about a position.
    after_24h: MarketOutcome | None
    # The same within 7 days.
    after_7d: MarketOutcome | None
    # What the key that asked has reported with `POST /v1/outcome`, oldest first, at most 100.
    reported: list[ReportedOutcome]


class MarketOutcome(TypedDict):
    """What the venue's hourly bars say, whoever sent the order. The window begins with the first full
    hour at or after the answer."""

    # `unknown`: bars of the window are missing 48 hours after its end; all figures are null.
    status: Literal["closed", "unknown"]
    # End of the window, UTC.
    until: str
    # A price of the window reached the liquidation price that was given.
    liquidated: bool | None
    # The hour in which it did; null: it did not.
    liquidated_at: str | None
    # The loss at the end of the day was larger than `var_99_24h_usd`; null after 7 days, and without a
    # VaR.
    var_exceeded: bool | None
    # Last close, or the liquidation price, USD.
    end_price: float | None
    # P&L of the position from the mark to `end_price`, USD, without fees and funding.
    pnl_usd: float | None
    # The same in percent of the margin, at the margin of the trade.
    pnl_pct: float | None


class ReportedOutcome(TypedDict):
    """A report about the decision, as in `OutcomeReport`."""

    # The client's name of the trade.
    trade_id: str
    # When it was recorded, UTC.
    recorded_at: str
    # USD.
    entry_price: float
    # USD.
    exit_price: float
    # P&L, USD, negative for a loss.
    pnl_usd: float
    # P&L in percent of the margin.
    pnl_pct: float
    # Hours from the entry to the exit.
    holding_period_hours: float
    # The venue closed the position.
    liquidated: bool
    # USD, negative for a rebate; null: not reported.
    fees_paid_usd: float | None
    # USD, negative for funding received; null: not reported.
    funding_paid_usd: float | None


class Audit(TypedDict):
    """Who changed which key, policy or kill switch, and when."""

    # Newest first.
    events: list[AuditEvent]
    # `cursor` of the next page; null: there is none.
    next_cursor: str | None


class AuditEvent(TypedDict):
    """A change."""

    # When, UTC.
    time: str
    # The user who ran the command, or e-mail address and id of the key; `ballast` for a halt that a loss
    # has set.
    who: str
    # key_issued, key_revoked, policy_set, policy_removed, kill_switch_on, kill_switch_off, halt_set or
    # halt_lifted; more may come.
    event: str
    # What was changed: the id of a key, a wallet or `*`, or `kill switch`.
    subject: str
    # Of a key: whom it is for; of a policy its rules; of the switch the reason.
    detail: str


class Receipt(TypedDict):
    """A signed receipt of the decision, for another program that must know that this service made it.
    Left out unless the service is started with `--receipt-key`. What is signed, and how to verify it:
    docs/api.md, Receipts."""

    # The form of what is signed.
    version: Literal["ballast-receipt-v1"]
    # Which key of `GET /v1/receipt-key` verifies it.
    key_id: str
    # What was asked; `gate` stands in the header `X-Ballast-Receipt` of an answer of the gate.
    kind: Literal["validate", "batch", "gate"]
    # Which trade of a batch, from 0; otherwise 0.
    index: int
    # SHA-256 of the request's body in the canonical form of RFC 8785, hexadecimal.
    request_digest: str
    # The wallet; empty where the gate passed an action without looking at its account.
    account: str
    # The recommendation; of the gate what it did: `passed` at once, what cannot add risk; `allowed` after
    # it was judged; or `refused`.
    verdict: Literal["proceed", "proceed_with_caution", "abort", "passed", "allowed", "refused"]
    # Revision of the operator's policy that was applied, 0 without one.
    policy_revision: int
    # Semantic version of the risk engine.
    engine_version: str
    # As in `meta.request_id`.
    request_id: str
    # Moment that the decision is of, by the venue's clock.
    as_of: str
    # Do not act on the decision after this moment: `as_of` and `--receipt-valid`; of a decision on stale
    # data `as_of`.
    valid_until: str
    # Ed25519, base64.
    signature: str


class ReceiptKey(TypedDict):
    """The public key that verifies receipts."""

    # The first 16 hexadecimal digits of the SHA-256 of the raw key.
    key_id: str
    # RFC 8032.
    algorithm: Literal["Ed25519"]
    # PEM, SubjectPublicKeyInfo.
    pem: str
    # The 32 bytes of the key, base64.
    raw: str
    # The form of what is signed.
    version: Literal["ballast-receipt-v1"]
    # How long a receipt holds after its decision, ms.
    valid_ms: int


# What recorded decisions would have been under another policy.
PolicyTest = TypedDict(
    "PolicyTest",
    {
        # Whose policy was tried, in lower case; `*`: that of all wallets.
        "wallet": 'str',
        # The first moment of the decisions.
        "from": 'str',
        # The end of the time, not included.
        "to": 'str',
        # How many decisions were judged again.
        "decisions": 'int',
        # Actions of the gate without figures, because they were passed on or refused without an
        # assessment; they are not judged.
        "not_assessed": 'int',
        # Damaged blocks, of 256 decisions at most, which are left out.
        "unreadable_blocks": 'int',
        "before": 'PolicyCounts',
        "after": 'PolicyCounts',
        # How many have another verdict.
        "changed": 'int',
        # The first 1,000 of them, oldest first.
        "changes": 'list[PolicyTestChange]',
    },
)


class PolicyTestChange(TypedDict):
    """A decision with another verdict."""

    # Request id of the decision.
    request_id: str
    # Which trade of a batch, from 0; otherwise 0.
    index: int
    # Moment of the decision, UTC.
    at: str
    # What was asked.
    kind: Literal["validate", "batch", "size", "gate"]
    # The wallet, lower case.
    wallet: str
    # Ticker.
    asset: str
    # What was to be done.
    action: Literal["long", "short", "close"]
    # Size of the trade, USD.
    size_usd: float
    # The verdict as recorded.
    before: Literal["pass", "deny", "unknown"]
    # The verdict under the policy that is tried.
    after: Literal["pass", "deny", "unknown"]
    # The rules of it that are broken, or that could not be judged.
    violations: list[PolicyViolation]


# A policy to try on recorded decisions.
PolicyTestRequest = TypedDict(
    "PolicyTestRequest",
    {
        "rules": 'PolicyRules',
        # The first moment of the decisions, RFC 3339. Left out: a day before `to`.
        "from": 'NotRequired[str | None]',
        # The end of the time, not included. Left out: now.
        "to": 'NotRequired[str | None]',
    },
)


# Decisions by the verdict of the policy.
PolicyCounts = TypedDict(
    "PolicyCounts",
    {
        # Also those to which no policy applied.
        "pass": 'int',
        # A rule is broken.
        "deny": 'int',
        # A figure that a rule needs is not known.
        "unknown": 'int',
    },
)


class RejectedTrade(TypedDict):
    """What stands for a trade of a batch that breaks a rule: zeros, score 100, `abort`, and the rule in
    `meta.error`. It changes nothing for the trades behind it."""

    # Composite score, 0 (lowest risk) to 100 (highest).
    risk_score: float
    # `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the
    # operator's limits (`policy`) do not allow the trade. A trade that only reduces a position is always
    # `proceed`.
    recommendation: Literal["proceed", "proceed_with_caution", "abort"]
    # Concerns raised, critical ones first.
    flags: list[Flag]
    slippage: Slippage
    liquidation: Liquidation
    funding: Funding
    impact: Impact
    var: ValueAtRisk
    oi: OpenInterest
    # One entry for each scenario.
    stress: list[StressResult]
    fees: Fees
    cost_analysis: CostAnalysis
    position: PositionChange
    margin: MarginChange
    admissibility: Admissibility
    # Not assessed.
    open_orders: None
    meta: RejectedMeta
    model_version: ModelVersion


class BatchAnswer(TypedDict):
    """Assessments in the order of the trades."""

    # One for each trade.
    results: list[Assessment | RejectedTrade]


class Component(TypedDict):
    """One component of the score."""

    # Component.
    name: Literal["liquidation", "var", "oi", "slippage", "funding", "impact"]
    # Its figures as computed.
    raw: ComponentRaw
    # Points.
    score: float
    # The weight used, fraction.
    weight: float
    # Weight times score, points.
    contribution: float


class ComponentRaw(TypedDict):
    """Its figures as computed."""

    # Distance over VaR 99 % of 24 h.
    distance_over_var_99_24h: NotRequired[float]
    # Distance to liquidation, percent.
    distance_pct: NotRequired[float]
    # VaR 99 % in percent of notional times `score_leverage`.
    margin_var_99_pct: NotRequired[float]
    # Open interest in percent of the cap.
    utilization_pct: NotRequired[float]
    # Increase in percent of open interest.
    increase_pct_of_oi: NotRequired[float]
    # Slippage, basis points.
    bps: NotRequired[float]
    # Funding of 24 h in percent of notional times `score_leverage`.
    funding_drag_24h_pct: NotRequired[float]
    # Funding, percent a year.
    annualized_pct: NotRequired[float]
    # Impact, basis points.
    expected_bps: NotRequired[float]


class RaisedFlag(TypedDict):
    """A raised flag with its figures."""

    name: Flag
    # Severity.
    severity: Literal["critical", "warning", "info"]
    # The figure that raised it; 1 for a rule without a figure.
    value: float
    # What it was held against; 0 for a rule without a figure.
    threshold: float
    # Unit of both, empty for a rule without a figure.
    unit: str
    # In a few words.
    meaning: str


class Explanation(TypedDict):
    """How the score came about, in numbers that round-trip. With `?explain=true`."""

    # All six.
    components: list[Component]
    # Sum of contributions, points.
    base: float
    # Added for components that are bad together, points.
    interaction: float
    # Added for the book, points.
    portfolio: float
    # Added for the regime, points.
    regime: float
    # The floor under the score that each hard rule sets, 0 where it does not apply. Rules: docs/model.md.
    hard_rules: ExplanationHardRules
    # The highest floor, points.
    floor: float
    # The score before its rounding to 1e-4.
    raw_score: float
    # The trade only reduces, and without the cap of such trades its score would be higher.
    capped: bool
    # The open-interest cap is a guess: `oi` has no weight.
    oi_cap_estimated: bool
    # Leverage that the score sees, multiple.
    score_leverage: float
    # Figures of other blocks as computed.
    inputs: ExplanationInputs
    # How far the trade counts as one that lowers the risk of its pool, fraction.
    hedge_weight: float
    # Score of the pool's positions as held, towards which `hedge_weight` pulls; null without such a
    # weight.
    score_before: float | None
    # The figures of `book_before` after the trade.
    book_after: ExplanationBookAfter
    # What the wallet loses at 99 % over 24 h, each other pool at most its equity, USD; behind the
    # portfolio term and H6.
    portfolio_loss_99: float
    # Those of `portfolio_stress`, also for the first trade of a wallet.
    failed_scenarios: list[Scenario]
    # What kept the suggested size down: a hard rule, or `score`; null where neither did.
    size_rule: str | None
    # Where the margin mode comes from. The venue opens in the wallet's setting until it is changed there:
    # an order carries no mode.
    mode_source: Literal["request", "position", "setting", "default"]
    # Where the leverage comes from.
    leverage_source: Literal["request", "position", "setting", "default"]
    # What the answer would use and is still to be read.
    loading: list[ExplanationLoading]
    # Before the trade, USD.
    account_value: float
    # Open positions after the trade.
    positions_after: int
    # Joint loss of the book after the trade, USD.
    portfolio_var_99_24h: float
    # Filtered probabilities, fractions.
    regime_probabilities: ExplanationRegimeProbabilities
    # Breakeven move, percent of margin.
    breakeven_move_pct_of_margin: float
    # Ages of the book.
    slippage: ExplanationSlippage
    # Ages of the asset's context.
    context: ExplanationContext
    # History of funding.
    funding: ExplanationFunding
    # The widest gap between a mark and another reading of the same price; null when all are equal.
    divergence: ExplanationDivergence | None
    # Each constraint on the size, USD.
    sizing: ExplanationSizing
    # Sampling errors, only with a simulation.
    monte_carlo: NotRequired[ExplanationMonteCarlo]
    # Behind the Greeks.
    greeks: ExplanationGreeks
    # In the order of `flags`.
    flags: list[RaisedFlag]


class ExplanationHardRules(TypedDict):
    """The floor under the score that each hard rule sets, 0 where it does not apply. Rules:
    docs/model.md."""

    # Points.
    H1: float
    # Points.
    H2: float
    # Points.
    H3: float
    # Points.
    H4: float
    # Points.
    H5: float
    # Points.
    H6: float
    # Points.
    H7: float
    # Points.
    H7b: float
    # Points.
    H8: float
    # Points.
    H9: float
    # Points.
    H10: float
    # Points.
    H11: float
    # Points.
    H12: float
    # Points.
    H13: float
    # Points.
    H14: float


class ExplanationInputs(TypedDict):
    """Figures of other blocks as computed."""

    # Percent.
    pct_99_24h: float
    # Percent.
    pct_99_4h: float
    # Fraction.
    probability_24h: float | None
    # Fraction.
    probability_7d: float | None
    # Share of the room to liquidation that the worst stress scenario takes, of the trade's pool after the
    # trade; of an isolated position at most 1, times its share of the wallet. 1 and more: it dies.
    stress_load: float
    # Share of the room to liquidation that a day's funding takes.
    funding_share: float
    # Basis points.
    total_round_trip_cost_bps: float
    # Percent.
    participation_pct: float


class ExplanationBookAfter(TypedDict):
    """The figures of `book_before` after the trade."""

    # Fraction; null when the pool has no position.
    probability_24h: float | None
    # Fraction; null when the pool has no position.
    probability_7d: float | None
    # USD; null when the pool has no position.
    pool_var_99_usd: float | None
    # USD; null when the pool has no position.
    stress_loss_usd: float | None
    # USD; null when nothing is held.
    portfolio_var_99_usd: float | None


class ExplanationLoading(TypedDict):
    """An input."""

    # Older bars, paid funding rates, or the pairs of the book.
    what: Literal["candles", "funding", "pairs"]
    # Ticker; null for pairs.
    asset: str | None
    # Estimate, seconds; null when it is not known.
    ready_in_s: float | None


class ExplanationRegimeProbabilities(TypedDict):
    """Filtered probabilities, fractions."""

    # Fraction.
    normal: float
    # Fraction.
    stressed: float
    # Fraction.
    crisis: float


class ExplanationSlippage(TypedDict):
    """Ages of the book."""

    # Best levels, ms.
    book_age_ms: float
    # Levels behind them, ms; null before any has come.
    depth_age_ms: float | None


class ExplanationContext(TypedDict):
    """Ages of the asset's context."""

    # Mark price, ms.
    mark_age_ms: float
    # Oracle price, funding rate, open interest and volume, ms; null before any has come.
    slow_age_ms: float | None


class ExplanationFunding(TypedDict):
    """History of funding."""

    # Paid hourly rates known.
    paid_rates: int


# The widest gap between a mark and another reading of the same price; null when all are equal.
ExplanationDivergence = TypedDict(
    "ExplanationDivergence",
    {
        # The other reading.
        "with": 'Literal["mid", "oracle", "wallet"]',
        # USD.
        "mark": 'float',
        # USD.
        "other": 'float',
        # Gap, percent of the mark.
        "pct": 'float',
        # Age of the mark that was compared, ms.
        "mark_age_ms": 'float | None',
        # Age of the other reading, ms.
        "other_age_ms": 'float | None',
    },
)


class ExplanationSizing(TypedDict):
    """Each constraint on the size, USD."""

    # USD.
    book_depth: float
    # USD.
    oi_capacity: float
    # USD.
    margin_headroom: float
    # USD.
    market_impact: float


class ExplanationMonteCarlo(TypedDict):
    """Sampling errors, only with a simulation."""

    # Standard error of VaR 95 %, percent.
    var_95_se: float
    # Standard error of VaR 99 %, percent.
    var_99_se: float
    # Share of the simulated paths that reach the liquidation price, fraction. Their hours are no larger
    # than last year's: smaller than `probability_24h`.
    liquidated_share: float


class ExplanationGreeks(TypedDict):
    """Behind the Greeks."""

    # Chance that the price touches liquidation, fraction.
    touch_probability: float
    # Loss then, USD.
    loss_at_touch_usd: float


class HeldPosition(TypedDict):
    """A position as held, assessed without a trade and priced at the cost of closing it whole."""

    # Ticker.
    asset: str
    # Coins, negative: short.
    size: float
    # USD; null when the venue gives none.
    entry_price: float | None
    # USD.
    mark_price: float
    # USD, negative: a loss; null without an entry price.
    unrealized_pnl: float | None
    # Percent of the margin used, negative: a loss; null without an entry price.
    unrealized_pnl_pct: float | None
    # Composite score, 0 (lowest risk) to 100 (highest).
    risk_score: float
    # `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the
    # operator's limits (`policy`) do not allow the trade. A trade that only reduces a position is always
    # `proceed`.
    recommendation: Literal["proceed", "proceed_with_caution", "abort"]
    # Concerns raised, critical ones first.
    flags: list[Flag]
    policy: NotRequired[PolicyVerdict]
    # USD; null when there is none.
    liquidation_price: float | None
    # Percent of mark; 100 when there is none.
    liquidation_distance_pct: float
    # Funding of 24 h in percent of margin, positive: you pay.
    funding_drag_24h_pct: float
    # Chance that the position's pool is liquidated at any time within 24 hours, fraction. Of the trade's
    # pool after the trade, flat trades too; null only in a portfolio-margin account that could not be
    # read.
    probability_24h: float | None
    # Chance that the position's pool is liquidated at any time within 7 days, fraction. Of the trade's
    # pool after the trade, flat trades too; null only in a portfolio-margin account that could not be
    # read.
    probability_7d: float | None
    # Null without a candle.
    regime: Regime | None
    # `regime.state` under a name of its own. Null without a candle.
    liquidity_regime: Literal["normal", "stressed", "crisis"] | None
    var: ValueAtRisk
    # What its pool needs. Null for a portfolio-margin pool that could not be read.
    action: PoolAction | None


class WalletReport(TypedDict):
    """The wallet as held."""

    # Lower case.
    wallet: str
    # Equity, USD; may be negative.
    account_value: float
    # Initial margin of cross positions plus equity of isolated ones, USD.
    total_margin_used: float
    margin: WalletMargin
    # In the account's order.
    positions: list[HeldPosition]
    policy: NotRequired[PolicyVerdict]
    # Null with `--open-orders off`.
    open_orders: OpenOrders | None
    # What the venue liquidates together; cross pools first. Left out when fewer than two have a position.
    pools: NotRequired[list[Pool]]
    portfolio_risk: NotRequired[PortfolioRisk]
    portfolio_stress: NotRequired[PortfolioStress]
    meta: ReportMeta
    model_version: ModelVersion


class SizeRequest(TypedDict):
    """A trade of which the size is asked for. `null` for an optional field equals leaving it out."""

    # The venue's ticker, case-sensitive, as in `GET /v1/assets`. Listed, not delisted.
    asset: str
    # Adds to the position of the wallet; against a position it reduces it first, then turns it.
    action: Literal["long", "short"]
    # Address of the account: `0x` and 40 hexadecimal digits, compared without case. It need not exist at
    # the venue.
    wallet: str
    # Multiple, up to the asset's maximum. Left out: the one with which the size is the largest is
    # searched.
    leverage: NotRequired[float | None]
    # Margin mode of a new position; an open position keeps its own. Left out: the wallet's setting at the
    # venue, else `cross`. An asset that is isolated only wants `isolated`.
    mode: NotRequired[Literal["cross", "isolated"] | None]
    # A market order that may increase a position, perhaps with a stop or a take-profit price, which the
    # assessment then has.
    order: NotRequired[Order | None]
    # Only false: sizes are searched without a simulation.
    monte_carlo: NotRequired[bool | None]
    target: SizeTarget
    # Add `curve`. Left out: true.
    curve: NotRequired[bool | None]
    # Add `ladder`. Left out: true without `leverage`, false with it.
    ladder: NotRequired[bool | None]


class SizeTarget(TypedDict):
    """What the size must meet: exactly one limit. Figures are compared as answers show them."""

    # Highest `risk_score`, over 0, points; 40 is the highest that proceeds.
    max_score: NotRequired[float]
    # Highest `liquidation.probability_24h`, over 0, fraction: 0.05 is 5 %.
    max_probability_24h: NotRequired[float]
    # Highest loss of the whole wallet within a day at 99 %, over 0, another pool at most its equity,
    # percent of the account value before the trade: `explanation.portfolio_loss_99` over
    # `explanation.account_value`, times 100.
    max_loss_99_pct_of_account: NotRequired[float]
    # Highest `cost_analysis.breakeven_move_pct`, over 0, percent of price.
    max_breakeven_pct: NotRequired[float]


class SizeAnswer(TypedDict):
    """The largest order that the venue and the operator's limits allow and that meets the target."""

    # The largest size, USD at mark; 0 when no order meets the target.
    size_usd: float
    # The same in coins, whole lots.
    size_coin: float
    # Of the request; without one, the smallest whole leverage with which the size is the largest.
    leverage: float
    # What stops one lot more: the name of the target; a rule of the venue, by its code in
    # `admissibility.issues` (`insufficient_margin`, `tier_leverage`, `oi_cap`, `max_market_order`, ...);
    # a rule of the operator, by its name in a policy (`max_order_usd`, `halt`, ...), `kill_switch`, or
    # `policy_unread` while the limits are not known yet; or `max_size`, the largest size of a request. Of
    # a size of 0: what stops the smallest order.
    binding: str
    # The smallest order, when `size_usd` is 0; null otherwise.
    nearest: NearestSize | None
    # Size from which on the venue would refuse the order, USD; null when that is above the curve. The
    # curve goes on beyond it.
    venue_limit_usd: float | None
    # 33 sizes at `leverage`, evenly spaced in their logarithm, from the smallest order to three times the
    # answer; without an answer, to three times the largest order that the venue takes. Empty when not
    # asked for.
    curve: list[SizePoint]
    # The largest order with each of up to twelve of the asset's whole leverages, smallest first; 0 with
    # those that the operator forbids. Empty when not asked for.
    ladder: list[SizeRung]
    # Of the answer; when `size_usd` is 0, of the smallest order, which does not meet the target or which
    # the venue or the operator refuses.
    assessment: Assessment


class CompactSizeAnswer(TypedDict):
    """The compact view of `SizeAnswer`: its assessment is compact."""

    # The largest size, USD at mark; 0 when no order meets the target.
    size_usd: float
    # The same in coins, whole lots.
    size_coin: float
    # Of the request; without one, the smallest whole leverage with which the size is the largest.
    leverage: float
    # What stops one lot more: the name of the target; a rule of the venue, by its code in
    # `admissibility.issues` (`insufficient_margin`, `tier_leverage`, `oi_cap`, `max_market_order`, ...);
    # a rule of the operator, by its name in a policy (`max_order_usd`, `halt`, ...), `kill_switch`, or
    # `policy_unread` while the limits are not known yet; or `max_size`, the largest size of a request. Of
    # a size of 0: what stops the smallest order.
    binding: str
    # The smallest order, when `size_usd` is 0; null otherwise.
    nearest: NearestSize | None
    # Size from which on the venue would refuse the order, USD; null when that is above the curve. The
    # curve goes on beyond it.
    venue_limit_usd: float | None
    # 33 sizes at `leverage`, evenly spaced in their logarithm, from the smallest order to three times the
    # answer; without an answer, to three times the largest order that the venue takes. Empty when not
    # asked for.
    curve: list[SizePoint]
    # The largest order with each of up to twelve of the asset's whole leverages, smallest first; 0 with
    # those that the operator forbids. Empty when not asked for.
    ladder: list[SizeRung]
    # Of the answer; when `size_usd` is 0, of the smallest order, which does not meet the target or which
    # the venue or the operator refuses.
    assessment: CompactAssessment


class NearestSize(TypedDict):
    """The smallest order, with every figure that a target can bound."""

    # USD at mark.
    size_usd: float
    # Coins, whole lots.
    size_coin: float
    # Points.
    risk_score: float
    # Chance of liquidation within 24 hours, fraction; null only in a portfolio-margin account that could
    # not be read.
    probability_24h: float | None
    # Loss of the wallet within a day at 99 %, percent of the account value, positive: a loss.
    loss_99_pct_of_account: float
    # Move that covers the costs of a round trip, percent of price.
    breakeven_pct: float
    # The limit of the request's target.
    limit: float


class SizePoint(TypedDict):
    """Figures of one size, those of its validation."""

    # USD at mark; not rounded to whole lots.
    size_usd: float
    # Points.
    risk_score: float
    # Chance of liquidation within 24 hours, fraction; null only in a portfolio-margin account that could
    # not be read.
    probability_24h: float | None
    # Distance from mark to liquidation price, percent of mark; 100 when there is none.
    liquidation_distance_pct: float
    # Total cost of entry, basis points of the size, positive: a cost.
    entry_cost_bps: float
    # The hard rule that sets the score (`H1` to `H14`, `H7b`); null when none does.
    rule: str | None
    # The rule of the operator that forbids the size. Left out where none does.
    policy_rule: NotRequired[str]


class SizeRung(TypedDict):
    """The largest order with one leverage. The figures are those of its validation, null when `size_usd`
    is 0."""

    # Multiple.
    leverage: float
    # Margin mode of the position.
    mode: Literal["cross", "isolated"]
    # USD at mark; 0 when no order meets the target.
    size_usd: float
    # Coins, whole lots.
    size_coin: float
    # Points.
    risk_score: float | None
    # Chance of liquidation within 24 hours, fraction.
    probability_24h: float | None
    # USD; null also when there is none.
    liquidation_price: float | None
    # As in the answer.
    binding: str


class ShockRequest(TypedDict):
    """Price moves of your own for a wallet."""

    # Address of the account: `0x` and 40 hexadecimal digits, compared without case. It need not exist at
    # the venue.
    wallet: str
    # The wallet after this trade, filled at its estimated price. Left out: the wallet as it is.
    trade: NotRequired[BatchTrade | None]
    # Move of each asset, percent of its mark, above -100, by ticker; `*` stands for every asset that is
    # not named, collateral included. An asset neither named nor covered by `*` stays.
    shocks: dict[str, float]


class ShockReport(TypedDict):
    """The wallet after the moves."""

    # Lower case.
    wallet: str
    # Move applied to each asset of the wallet, percent.
    shocks: dict[str, float]
    # Named assets that the wallet does not hold.
    unused: list[str]
    # Profit or loss of all pools, USD, negative: a loss; a pool that dies loses its equity.
    pnl_usd: float
    # Account value then, USD.
    account_value_usd: float
    # No cross pool dies, nor isolated ones that are nine tenths of the wallet, and a dollar is left.
    account_survives: bool
    # Those with a position, cross pools first.
    pools: list[ShockedPool]
    # Cross positions, collateral, then isolated ones.
    positions: list[ShockedPosition]
    meta: ReportMeta


class ShockedPool(TypedDict):
    """One pool after the moves."""

    # Dex, empty for the main one; null for a pool over several.
    dex: str | None
    # How its collateral is shared.
    mode: Literal["cross", "isolated", "unified", "portfolio"]
    # Ticker of an isolated position; null otherwise.
    asset: str | None
    # Then, USD; 0 or its debt when it dies.
    equity_usd: float
    # Maintenance margin at the moved prices, USD.
    maintenance_usd: float
    # In percent of the equity before anything is liquidated; the venue liquidates at 100.
    maintenance_ratio_pct: float
    # USD, negative: a loss.
    pnl_usd: float
    # It is not liquidated.
    survives: bool
    # All of a pool that dies.
    positions_liquidated: int


class ShockedPosition(TypedDict):
    """One position after the moves."""

    # Ticker.
    asset: str
    # Before the moves, USD.
    notional_usd: float
    # Its move, percent.
    shock_pct: float
    # USD, negative: a loss; not limited to the equity of its pool.
    pnl_usd: float
    # Its pool dies.
    liquidated: bool
    # It is a balance that counts as collateral; left out for a position.
    collateral: NotRequired[Literal[True]]


class MarginTier(TypedDict):
    """Largest leverage from a notional on."""

    # Notional from which it holds, USD.
    lower_bound: float
    # Multiple.
    max_leverage: float


class AssetBook(TypedDict):
    """How precisely the book is known."""

    # Levels on the thinner side.
    levels: int
    # How far they reach from the mid, percent; null while one side is empty.
    depth_pct: float | None
    # How often the best levels are renewed, ms; null when nobody knows.
    cadence_ms: int | None
    # Age of the best levels, ms.
    age_ms: int
    # How often the levels behind them are renewed, ms; null when nobody knows.
    depth_cadence_ms: int | None
    # Age of the levels behind them, ms; null when nobody knows.
    depth_age_ms: int | None


class Asset(TypedDict):
    """One listed asset. Live figures are null when nothing fresh is known."""

    # Ticker.
    name: str
    # The asset's number in the venue's orders; null when it is not known.
    number: int | None
    # USD.
    mark_price: float | None
    # Multiple.
    max_leverage: float
    # The hourly rate under its old name; use `funding_rate`.
    funding_rate_8h: float | None
    # Fraction per hour, positive: longs pay.
    funding_rate: float | None
    # Open interest, USD, one side.
    oi: float | None
    # USD.
    volume_24h: float | None
    # Mark price against that of 24 h ago, percent; null when the venue gives none.
    change_24h_pct: float | None
    # Isolated margin only.
    only_isolated: bool
    # By rising bound.
    margin_tiers: list[MarginTier]
    # Age of the mark price, ms; null when nobody knows.
    mark_age_ms: int | None
    # Open interest is at its cap, so nothing can be opened; null until the caps are read.
    at_cap: bool | None
    # Best ask less best bid, basis points of the mid; null while a side of the book is empty.
    spread_bps: float | None
    # What rests within 10 bps of the mid on the thinner side, USD; null while a side of the book is
    # empty.
    depth_10bps_usd: float | None
    # State of the market by the last fit; null without a fit.
    liquidity_regime: Literal["normal", "stressed", "crisis"] | None
    # Forecast volatility of the next day, annualised fraction; null without a fit.
    sigma_1d: float | None
    # Null when no fresh book is known.
    book: AssetBook | None
    # With four decimals. Null without candles.
    day: DayMove | None


class Assets(TypedDict):
    """All assets that are not delisted."""

    # In the venue's order.
    assets: list[Asset]


class DepthSide(TypedDict):
    """What rests on one side of the book."""

    # Within 10 bps of the mid, USD.
    usd_10bps: float
    # Within 50 bps, USD.
    usd_50bps: float
    # Within 100 bps, USD.
    usd_100bps: float


class MoveRange(TypedDict):
    """How far an asset may move within some hours, percent of the price: one time in 100 it ends lower,
    one in 100 higher."""

    # The fall, negative or 0.
    down_99_pct: float
    # The rise, positive or 0.
    up_99_pct: float


class MarketData(TypedDict):
    """What is known of one asset. What is missing or older than 30 s is null."""

    # Ticker.
    asset: str
    # USD.
    mark_price: float | None
    # USD.
    oracle_price: float | None
    # Of the book; of a book with one empty side that which the venue tells, USD.
    mid_price: float | None
    # Best ask less best bid, basis points of the mid.
    spread_bps: float | None
    # What rests near the mid. Null when a side of the book is empty.
    depth: MarketDataDepth | None
    # Of the depth within 50 bps; positive: more bids.
    imbalance: float | None
    # Fraction per hour, positive: longs pay.
    funding_rate: float | None
    # USD, one side.
    open_interest_usd: float | None
    # USD.
    volume_24h_usd: float | None
    # By the last fit; that of an assessment also looks at the book. Null without a fit.
    regime: Regime | None
    # `regime.state` under a name of its own. Null without a fit.
    liquidity_regime: Literal["normal", "stressed", "crisis"] | None
    # Null without a fit.
    volatility_forecast: VolatilityForecast | None
    # By the last fit. Null without candles.
    day: DayMove | None
    # Within four hours, by the last fit. Null without candles.
    four_hours: MoveRange | None
    # Within seven days, by the last fit. Null without candles.
    week: MoveRange | None
    # How old each part is.
    ages: MarketDataAges
    # The last ones held, newest first.
    mids: list[MarketDataMid]


class MarketDataDepth(TypedDict):
    """What rests near the mid. Null when a side of the book is empty."""

    bids: DepthSide
    asks: DepthSide


class MarketDataAges(TypedDict):
    """How old each part is."""

    # Mark price, ms; null when nobody knows.
    mark_ms: int | None
    # Oracle price, funding rate, open interest and volume, ms; null when nobody knows.
    slow_ms: int | None
    # Best levels of the book, ms; null when nobody knows.
    book_ms: int | None
    # Levels behind them, ms; null when nobody knows.
    depth_ms: int | None
    # Close of the newest bar behind regime and forecast, ms; null when nobody knows.
    fit_ms: int | None


class MarketDataMid(TypedDict):
    """A mid price that the venue has told."""

    # When it was received, ms since 1970.
    at_ms: int
    # USD.
    mid_price: float


class CompactMeta(TypedDict):
    """About the answer."""

    # That of the header `X-Request-Id`.
    request_id: str
    # Moment that all figures are of, UTC with milliseconds.
    as_of: str
    # Where the data come from; `custom` is another address.
    venue: Literal["hyperliquid-mainnet", "hyperliquid-testnet", "simulated", "custom"]
    # Age of the oldest price used, ms: best levels and mark prices, of all assets of the answer.
    market_age_ms: float
    # Age of the account, ms.
    wallet_age_ms: float


class CompactRejectedMeta(TypedDict):
    """About the answer."""

    # That of the header `X-Request-Id`.
    request_id: str
    # Moment that all figures are of, UTC with milliseconds.
    as_of: str
    # Where the data come from; `custom` is another address.
    venue: Literal["hyperliquid-mainnet", "hyperliquid-testnet", "simulated", "custom"]
    # No price was used.
    market_age_ms: None
    # No account was used.
    wallet_age_ms: None


class CompactFlag(TypedDict):
    """A raised flag."""

    name: Flag
    # Severity.
    severity: Literal["critical", "warning", "info"]
    # Meaning, with figure, threshold and unit where it has them; left out where there is no room.
    text: NotRequired[str]


class CompactMargin(TypedDict):
    """Margin of the wallet."""

    # USD; may be negative.
    account_value: float
    # USD.
    free: float
    # Percent; the venue liquidates at 100.
    maintenance_ratio_pct: float


class CompactStress(TypedDict):
    """The worst scenario of the wallet; of the trade where the wallet has no position before it."""

    scenario: Scenario
    # USD, negative: a loss.
    pnl_usd: float
    # The account, or else the trade's pool, survives it.
    survives: bool


class CompactAssessment(TypedDict):
    """The assessment of one trade in at most 1,200 bytes, with `?view=compact`, in up to 2,000 where the
    texts of critical flags need it, and `receipt` besides. Numbers have six significant digits at
    most."""

    # Composite score, 0 (lowest risk) to 100 (highest).
    risk_score: float
    # `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the
    # operator's limits (`policy`) do not allow the trade. A trade that only reduces a position is always
    # `proceed`.
    recommendation: Literal["proceed", "proceed_with_caution", "abort"]
    # That the answer is stale, if it is; the margin that the venue wants first, with its remedy; verdict,
    # what drives it, what would be acceptable.
    summary: str
    policy: NotRequired[PolicyVerdict]
    receipt: NotRequired[Receipt]
    # Chance that the position's pool is liquidated at any time within 24 hours, fraction. Of the trade's
    # pool after the trade, flat trades too; null only in a portfolio-margin account that could not be
    # read.
    probability_24h: float | None
    # USD; null when there is none.
    liquidation_price: float | None
    # Percent of mark; 100 when there is none.
    liquidation_distance_pct: float
    # VaR 99 % over 24 h of the position after the fill, USD.
    var_99_24h_usd: float
    # Slippage, impact and fee, basis points.
    entry_cost_bps: float
    # Entry and exit, basis points.
    round_trip_cost_bps: float
    # Expected funding of 24 h of the position after the fill, USD, positive: you pay.
    funding_24h_usd: float
    # The size to send, USD: at this size the answer is `proceed`, unless the market changes; 0: there is
    # none.
    suggested_size_usd: float
    # Largest size within the four limits (book depth, open interest, margin with the loss, market
    # impact), USD, made smaller where the score allows nothing near it, and within the operator's limits.
    # Its score is not itself checked: the answer at this size may be `abort`. Send `suggested_size_usd`.
    max_safe_size_usd: float
    # The constraint that binds.
    size_limit_reason: Literal["book_depth", "oi_capacity", "margin_headroom", "market_impact"]
    # `sizing.policy_rule`: the rule of the operator that keeps the sizes below that constraint. Left out
    # where none does.
    size_policy_rule: NotRequired[str]
    # The position after the fill; null when flat.
    position_after: CompactAssessmentPositionAfter | None
    margin_after: CompactMargin
    worst_stress: CompactStress
    # What the stop and the take-profit price of the request do; left out when it has neither.
    order: NotRequired[CompactAssessmentOrder]
    # What becomes of a limit order; left out for a market order. Parts of 0 USD are left out.
    execution: NotRequired[CompactAssessmentExecution]
    # Pools at risk besides the trade's; left out when there is none.
    other_pools: NotRequired[int]
    # Whether the venue would take the order.
    admissibility: CompactAssessmentAdmissibility
    meta: CompactMeta
    # Concerns raised, critical ones first.
    flags: list[CompactFlag]
    # Flags for which there was no room.
    more_flags: NotRequired[int]


class CompactAssessmentPositionAfter(TypedDict):
    """The position after the fill; null when flat."""

    # Direction.
    side: Literal["long", "short"]
    # Coins, not signed.
    size_coin: float
    # USD at mark.
    notional_usd: float
    # Leverage setting, multiple.
    leverage: float
    # Margin mode.
    mode: Literal["cross", "isolated"]
    # Average entry price, USD; null when the venue gives none.
    entry_price: float | None


class CompactAssessmentOrder(TypedDict):
    """What the stop and the take-profit price of the request do; left out when it has neither."""

    # Net change of the wallet's value when the stop closes the position, USD, negative: a loss; null
    # without a stop or a position.
    stop_pnl_usd: float | None
    # The same at the take-profit price.
    take_profit_pnl_usd: float | None
    # Chance that the price touches the stop within 24 hours of the fill, before the take-profit price if
    # there is one, fraction; null without a stop or a position.
    p_stop_first: float | None
    # Liquidation comes before the stop; left out when it does not.
    stop_beyond_liquidation: NotRequired[bool]


class CompactAssessmentExecution(TypedDict):
    """What becomes of a limit order; left out for a market order. Parts of 0 USD are left out."""

    # Chance that all of the order has filled within 24 hours, fraction.
    p_fill_24h: float
    # Filled at once, USD at mark.
    taker_usd: NotRequired[float]
    # Resting until the price meets it, USD at mark.
    maker_usd: NotRequired[float]
    # Cancelled or refused by the venue, USD at mark.
    unfilled_usd: NotRequired[float]
    # Average price of the filled and the resting part, USD; null when nothing fills.
    fill_price: float | None
    # Fee of both parts, USD; negative: a rebate.
    fee_usd: float


class CompactAssessmentAdmissibility(TypedDict):
    """Whether the venue would take the order."""

    # `unknown`: it depends on what the service cannot know: collateral or held margin that could not be
    # read exactly, a notice of the venue.
    verdict: Literal["ok", "will_reject", "unknown"]


class CompactRejectedTrade(TypedDict):
    """What stands for a trade of a batch that breaks a rule."""

    # The highest.
    risk_score: Literal[100]
    # Not assessed.
    recommendation: Literal["abort"]
    # The rule in a sentence.
    summary: str
    # The rule that the trade breaks.
    error: str
    # None.
    flags: list[CompactFlag]
    meta: CompactRejectedMeta


class CompactBatchAnswer(TypedDict):
    """Compact views in the order of the trades."""

    # One for each trade.
    results: list[CompactAssessment | CompactRejectedTrade]


class CompactPosition(TypedDict):
    """A position as held."""

    # Ticker.
    asset: str
    # Coins, negative: short.
    size_coin: float
    # USD at mark.
    notional_usd: float
    # USD, negative: a loss; null without an entry price.
    unrealized_pnl_usd: float | None
    # Composite score, 0 (lowest risk) to 100 (highest).
    risk_score: float
    # `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the
    # operator's limits (`policy`) do not allow the trade. A trade that only reduces a position is always
    # `proceed`.
    recommendation: Literal["proceed", "proceed_with_caution", "abort"]
    # Chance that the position's pool is liquidated at any time within 24 hours, fraction. Of the trade's
    # pool after the trade, flat trades too; null only in a portfolio-margin account that could not be
    # read.
    probability_24h: float | None
    # USD; null when there is none.
    liquidation_price: float | None
    # Percent of mark; 100 when there is none.
    liquidation_distance_pct: float
    # Funding of 24 h in percent of margin, positive: you pay.
    funding_drag_24h_pct: float
    # Concerns raised, critical ones first.
    flags: list[CompactFlag]
    policy: NotRequired[PolicyVerdict]
    action: NotRequired[CompactAction]


class CompactAction(TypedDict):
    """What the position's pool needs; left out where it needs nothing. Figures are rounded up to six
    digits."""

    # `main` or another dex; `unified` or `portfolio` for a pool over several; the ticker of an isolated
    # position.
    pool: str
    # `reduce`: reduce, or add margin where that is given too. `add_margin`: reducing does not help.
    kind: Literal["reduce", "add_margin"]
    # Percent by which to reduce every position of the pool; null where that does not help.
    reduce_pct: float | None
    # Deposit in the pool, USD; null where none helps.
    add_margin_usd: float | None


class CompactWalletReport(TypedDict):
    """The wallet as held, with `?view=compact`."""

    # Lower case.
    wallet: str
    # What the pools need that are not at the target, or the position with the highest score.
    summary: str
    policy: NotRequired[PolicyVerdict]
    margin: CompactMargin
    # VaR 99 % over 24 h of the book, USD.
    var_99_24h_usd: float
    # In the account's order.
    positions: list[CompactPosition]
    # Left out without positions.
    worst_stress: NotRequired[CompactStress]
    meta: CompactMeta


class McpError(TypedDict):
    """An error of JSON-RPC 2.0."""

    # Version.
    jsonrpc: Literal["2.0"]
    # That of the request, byte by byte; null when it has none that can be read.
    id: Any
    # The message could not be answered.
    error: McpErrorError


class McpErrorError(TypedDict):
    """The message could not be answered."""

    # By JSON-RPC and the protocol.
    code: int
    # A sentence.
    message: str
    # By the code. Of a refusal by the service (-32000): the members of an error of HTTP, with
    # `retry_after_s`.
    data: NotRequired[Any]


class Weights(TypedDict):
    """Weights of the components, fractions that add up to 1."""

    # Fraction.
    liquidation: float
    # Fraction.
    var: float
    # Fraction.
    oi: float
    # Fraction.
    slippage: float
    # Fraction.
    funding: float
    # Fraction.
    impact: float


class ModelInfo(TypedDict):
    """The model behind the answers."""

    # Semantic version of the risk engine.
    engine_version: str
    # Name of the calibration.
    calibration_name: str
    # SHA-256 of all parameters.
    calibration_hash: str
    # Assets with a fit.
    calibrated_assets: int
    # Constants of the fits, by part; left out before the first fit.
    calibration_constants: NotRequired[dict[str, Any]]
    weights: Weights
    # Used while the open-interest cap is a guess.
    weights_without_oi: Weights
    # By rising score.
    bands: list[ModelInfoBand]
    # Highest score of a trade that only reduces a position, points.
    close_score_cap: float
    # All scenarios.
    scenarios: list[ModelInfoScenario]
    # All flags, in the order in which they are printed.
    flags: list[ModelInfoFlag]
    # All curves of the score.
    curves: list[ModelInfoCurve]
    # All constants of the engine.
    constants: list[ModelInfoConstant]


class ModelInfoBand(TypedDict):
    """A recommendation and the highest score that gets it."""

    # `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the
    # operator's limits (`policy`) do not allow the trade. A trade that only reduces a position is always
    # `proceed`.
    recommendation: Literal["proceed", "proceed_with_caution", "abort"]
    # Points.
    score_up_to: float


class ModelInfoScenario(TypedDict):
    """A historical stress window."""

    id: Scenario
    # In words.
    description: str
    # When it was.
    window_utc: str
    # By tier: BTC, ETH, large assets, all others.
    shocks: list[ModelInfoScenarioShock]
    # Length, hours.
    hours: float
    # Mean funding, percent an hour, positive: longs pay.
    funding_pct_per_hour: float
    # Spread against today, times.
    spread_multiple: float
    # Depth against today, times.
    depth_multiple: float
    # Marked at the final move instead of the extreme.
    mark_at_final: bool
    # Moves of assets that were recorded themselves in the window, by ticker; they apply in place of the
    # tier's. Left out when there are none.
    recorded: NotRequired[dict[str, ModelInfoScenarioRecordedValue]]


class ModelInfoScenarioShock(TypedDict):
    """A price move."""

    # The low, or the high of a squeeze, percent.
    extreme_pct: float
    # At the end, percent.
    final_pct: float


class ModelInfoScenarioRecordedValue(TypedDict):
    """Move of one asset."""

    # The low, or the high of a squeeze, percent.
    extreme_pct: float
    # At the end, percent.
    final_pct: float


class ModelInfoFlag(TypedDict):
    """A flag and what raises it."""

    name: Flag
    # Severity.
    severity: Literal["critical", "warning", "info"]
    # The rule.
    raised_when: str
    # In a few words.
    meaning: str
    # Unit of value and threshold, empty without any.
    unit: str


class ModelInfoCurve(TypedDict):
    """A piecewise linear curve, flat outside its knots."""

    # Name.
    name: str
    # By rising x.
    knots: list[ModelInfoCurveKnot]


class ModelInfoCurveKnot(TypedDict):
    """A knot."""

    # Figure.
    x: float
    # Points or factor.
    y: float


class ModelInfoConstant(TypedDict):
    """A constant of the engine."""

    # Name; its end is its unit.
    name: str
    # Value.
    value: float


class CoverageRow(TypedDict):
    """How the VaR of one side and level has fared."""

    # Side of the position.
    side: Literal["long", "short"]
    # Level of the VaR.
    level: float
    # Forecasts.
    n: int
    # Days on which the loss exceeded the VaR.
    hits: int
    # Hits over forecasts, fraction.
    rate: float
    # p-value: the rate is right.
    kupiec_p: float
    # p-value: hits are independent.
    christoffersen_p: float


# How the 24-hour VaR that the service would have given each day has fared.
Coverage = TypedDict(
    "Coverage",
    {
        # Ticker.
        "asset": 'str',
        # Name of the calibration.
        "model": 'str',
        # Hours.
        "horizon_hours": 'Literal[24]',
        # Hourly bars behind the fit.
        "bars": 'int',
        # Bar that had just closed at the first forecast, ms since 1970; null without a forecast.
        "from": 'int | None',
        # Bar that had just closed at the last forecast, ms since 1970; null without a forecast.
        "to": 'int | None',
        # Verdict: `insufficient_data` below 100 forecasts, `failing` when a test is rejected at 1 %,
        # `warning` at 5 %.
        "status": 'Literal["ok", "insufficient_data", "warning", "failing"]',
        # Both sides, both levels.
        "results": 'list[CoverageRow]',
        # Of each result, the forecasts whose VaR was exceeded, ms since 1970, rising: one entry a
        # hit.
        "hit_times": 'list[list[int]]',
    },
)


class CalibrationHealth(TypedDict):
    """State of every fit, and the record of its forecasts."""

    # Verdict on all assets together: `breached` when a pooled rate lies above its level with a p-value of
    # Kupiec's test below 0.01, `fits_old` when a fit failed or its newest bar closed more than two hours
    # ago, `insufficient_data` below 100 forecasts.
    status: Literal["ok", "insufficient_data", "fits_old", "breached"]
    # Name of the calibration.
    model: str
    # Assets with a fit.
    assets_calibrated: int
    # Assets whose newest fit failed; they keep the last good one.
    assets_failed: int
    # Assets whose newest fit failed or is more than two hours behind.
    assets_old: int
    # Time of all fits, ms.
    fit_ms_total: float
    # Assets with that verdict.
    ok: int
    # Assets with that verdict.
    insufficient_data: int
    # Assets with that verdict.
    warning: int
    # Assets with that verdict.
    failing: int
    # Both sides, both levels.
    pooled: list[CalibrationHealthPooled]
    # All assets with a fit.
    assets: list[CalibrationHealthAsset]


class CalibrationHealthPooled(TypedDict):
    """All assets together."""

    # Side of the position.
    side: Literal["long", "short"]
    # Level of the VaR.
    level: float
    # Forecasts.
    n: int
    # Days on which the loss exceeded the VaR.
    hits: int
    # Hits over forecasts, fraction.
    rate: float
    # p-value of Kupiec's test of the rate; 1 without a forecast.
    kupiec_p: float
    # The rate lies above its level, by Kupiec's test at 0.01.
    breached: bool


# One asset.
CalibrationHealthAsset = TypedDict(
    "CalibrationHealthAsset",
    {
        # Ticker.
        "asset": 'str',
        # Open time of the newest bar, ms since 1970; null without bars.
        "last_bar": 'int | None',
        # Time of the fit, ms.
        "fit_ms": 'float',
        # Why the newest fit failed; null when it did not.
        "fit_error": 'str | None',
        # Hourly bars behind the fit.
        "bars": 'int',
        # Bar that had just closed at the first forecast, ms since 1970; null without a forecast.
        "from": 'int | None',
        # Bar that had just closed at the last forecast, ms since 1970; null without a forecast.
        "to": 'int | None',
        # Verdict: `insufficient_data` below 100 forecasts, `failing` when a test is rejected at 1 %,
        # `warning` at 5 %.
        "status": 'Literal["ok", "insufficient_data", "warning", "failing"]',
        # Both sides, both levels.
        "results": 'list[CoverageRow]',
    },
)


class Health(TypedDict):
    """How the service is."""

    # In one word.
    status: Literal["ok", "starting", "degraded", "draining"]
    # Requests will be answered.
    ready: bool
    # Of the program.
    version: str
    # Of the risk engine.
    engine_version: str
    # Seconds.
    uptime_s: int
    # The connection to the venue.
    venue: HealthVenue
    # Counts.
    assets: HealthAssets
    # Were the answers right? `GET /v1/accuracy` says more. Null where no outcomes are kept.
    accuracy: NotRequired[HealthAccuracy | None]
    # The kill switch; null while it has not been read.
    kill_switch: HealthKillSwitch | None
    # What operators have set; null while it has not been read.
    policies: HealthPolicies | None
    # The record of decisions.
    journal: HealthJournal
    # Who talks to the venue, and with how much request weight.
    feed: HealthFeed
    # Age of the oldest best price of a listed asset, and of wallets. Assets without any price are not in
    # it: `assets.fresh` is less than `assets.listed`.
    ages: HealthAges
    # How far the histories have come that answers are computed from.
    warmup: HealthWarmup
    # Wallets that the service watches by itself.
    watches: HealthWatches
    # Alert sockets.
    alerts: HealthAlerts
    # Accounts of the service's own simulated venue (`--venue sim`); left out with every other venue.
    demo_wallets: NotRequired[list[HealthDemoWallet]]


class HealthVenue(TypedDict):
    """The connection to the venue."""

    # As configured.
    name: str
    # As `meta.venue` of the answers.
    kind: Literal["hyperliquid-mainnet", "hyperliquid-testnet", "simulated", "custom"]
    # A socket is open.
    connected: bool
    # ms; null before the first message.
    last_message_age_ms: int | None
    # The venue's clock less ours, ms.
    clock_skew_ms: int
    # What the venue says of its state, such as that only post-only orders are accepted; null for nothing,
    # or when it was not read within a minute.
    notice: str | None
    # The newest failure to connect to the venue or to get an answer; null when there was none since the
    # start.
    last_error: HealthVenueLastError | None
    # Wallets that are followed by the venue's streams; null when none are (`--wallet-streams 0`, or
    # another replica does it).
    wallet_streams: HealthVenueWalletStreams | None


class HealthVenueLastError(TypedDict):
    """The newest failure to connect to the venue or to get an answer; null when there was none since the
    start."""

    # What failed and why.
    text: str
    # When, UTC.
    at: str


class HealthVenueWalletStreams(TypedDict):
    """Wallets that are followed by the venue's streams; null when none are (`--wallet-streams 0`, or
    another replica does it)."""

    # Wallets now.
    followed: int
    # Wallets at most: as configured, or what the venue accepted.
    limit: int
    # Wallets that the venue refused, since the start.
    refused: int
    # Time between two states of a wallet.
    gap_ms: HealthVenueWalletStreamsGapMs
    # Comparisons with a read in which the streams were right, since the start.
    confirmed: int
    # Those in which they were not, since the start.
    differed: int


class HealthVenueWalletStreamsGapMs(TypedDict):
    """Time between two states of a wallet."""

    # Median, ms; null before the first.
    p50: int | None
    # 90 % quantile, ms; null before the first.
    p90: int | None


class HealthAssets(TypedDict):
    """Counts."""

    # Assets listed.
    listed: int
    # With live context and book.
    fresh: int
    # With a fit.
    calibrated: int
    # With a fit of their whole history; answers about the others have the flag `history_loading`.
    with_history: int


class HealthAccuracy(TypedDict):
    """Were the answers right? `GET /v1/accuracy` says more. Null where no outcomes are kept."""

    # Markets move further than told (`volatility`), or a recommendation breaks its promise
    # (`broken_promises`).
    alarm: bool
    # Markets move further than the answers of the last day told.
    volatility: bool
    # Recommendations.
    broken_promises: list[Literal["proceed", "proceed_with_caution"]]
    # Decisions before this time are closed, or wait for missing bars; null before the first look.
    closed_through: str | None
    # Decisions that wait for missing bars.
    open: int
    # Why outcomes cannot be closed, null if nothing is wrong.
    trouble: str | None


class HealthKillSwitch(TypedDict):
    """The kill switch; null while it has not been read."""

    # Nothing may increase.
    on: bool
    # When it was turned, null: never.
    since: str | None


class HealthPolicies(TypedDict):
    """What operators have set; null while it has not been read."""

    # Policies of wallets, that of all wallets included.
    count: int
    # Number of the newest change of a policy or the kill switch.
    revision: int
    # Why changes made elsewhere may not be known here, null if nothing is wrong. The last known state
    # stays in force.
    trouble: str | None


class HealthJournal(TypedDict):
    """The record of decisions."""

    # What is recorded (`--journal`).
    mode: Literal["off", "verdicts", "full"]
    # The gate hands on what may add risk when its decision is on disk (`--gate-journal strict`).
    strict: bool
    # Decisions recorded since the start.
    recorded: int
    # Decisions that could not be recorded since the start.
    dropped: int
    # How often a reader met a damaged block since the start.
    unreadable_blocks: int
    # The oldest decision that is kept, null: there is none.
    oldest: str | None
    # Size of what is kept.
    bytes: int
    # The newest failure to write or read decisions, null: there was none.
    last_error: HealthJournalLastError | None


class HealthJournalLastError(TypedDict):
    """The newest failure to write or read decisions, null: there was none."""

    # What went wrong.
    text: str
    # When.
    at: str


class HealthFeed(TypedDict):
    """Who talks to the venue, and with how much request weight."""

    # Replica that follows the venue for all (`--feed shared`); null when replicas share no feed, or none
    # is heard.
    leader: str | None
    # This process talks to the venue.
    here: bool
    # Request weight of the last minute at the venue, by what was read, requests in flight included; null
    # when the leader is not heard.
    weight_per_minute: HealthFeedWeightPerMinute | None


class HealthFeedWeightPerMinute(TypedDict):
    """Request weight of the last minute at the venue, by what was read, requests in flight included; null
    when the leader is not heard."""

    # Wallets.
    wallets: int
    # Books that no stream carries.
    live: int
    # Lists of assets with their prices, caps, predicted funding, the venue's clock.
    tables: int
    # Candles and paid funding. What a previous process had spent when this one started counts here.
    histories: int
    # Actions and questions that the gate handed on, and its own questions whose signer is whose; 0
    # without a gate.
    clients: int
    # For the sum of the five; null for no limit.
    limit: int | None


class HealthAges(TypedDict):
    """Age of the oldest best price of a listed asset, and of wallets. Assets without any price are not in
    it: `assets.fresh` is less than `assets.listed`."""

    # Now, seconds; null without a price.
    oldest_s: float | None
    # Age from which an answer about that asset has the flag `stale_market_data`, seconds; null without a
    # price.
    limit_s: float | None
    # Wallets behind the answers of the last minute.
    wallets: HealthAgesWallets
    # The last 60 minutes, the oldest first; the last is the present minute.
    last_hour: list[float | None]


class HealthAgesWallets(TypedDict):
    """Wallets behind the answers of the last minute."""

    # Largest age of a wallet in an answer, seconds; null when no answer used one.
    oldest_s: float | None
    # Age from which an answer has the flag `stale_market_data`, seconds.
    limit_s: float


class HealthWarmup(TypedDict):
    """How far the histories have come that answers are computed from."""

    # Share of the venue's open interest whose assets are calibrated; ready needs 0.8.
    open_interest_share: float
    # Share of the venue's open interest in the assets of `assets.with_history`.
    share_with_history: float
    # Estimate until ready, seconds, at the pace of the last minutes; 0 when ready, null when it is not
    # known or something else is waited for.
    ready_in_s: int | None
    # Estimate until every listed asset is calibrated with its whole history of candles and paid funding,
    # and its pairs are fitted, seconds; 0 when all are, null when it is not known.
    complete_in_s: int | None


class HealthWatches(TypedDict):
    """Wallets that the service watches by itself."""

    # Watches of all keys, on all replicas.
    count: int
    # This replica makes their calls and posts.
    here: bool
    # Those whose last monitor call failed: their wallets are not watched.
    failing: int
    # Events that wait to be posted.
    waiting: int
    # Events that were given up and are still listed.
    dead: int
    # What is found cannot be kept, and so is not posted.
    trouble: bool


class HealthAlerts(TypedDict):
    """Alert sockets."""

    # Open sockets.
    connections: int
    # Wallets subscribed, over all sockets.
    subscriptions: int


class HealthDemoWallet(TypedDict):
    """One account."""

    # Its address, lower case.
    wallet: str
    # In a word.
    name: str
    # What it shows.
    about: str


class OutcomeReport(TypedDict):
    """What became of a trade."""

    # Your name of the trade, with which it is reported once.
    trade_id: str
    # `meta.request_id` of the answer about it.
    request_id: str
    # Of a trade of a batch: its place, counted from 0. Left out: 0.
    index: NotRequired[int | None]
    # USD, more than 0.
    entry_price: float
    # USD, more than 0.
    exit_price: float
    # P&L, USD, negative for a loss.
    pnl_usd: float
    # P&L in percent of the margin, with the sign of `pnl_usd`.
    pnl_pct: float
    # Hours from the entry to the exit.
    holding_period_hours: float
    # The venue closed the position.
    liquidated: bool
    # USD, negative for a rebate.
    fees_paid_usd: NotRequired[float | None]
    # USD, negative for funding received.
    funding_paid_usd: NotRequired[float | None]


class OutcomeAnswer(TypedDict):
    """A recorded outcome. What is taken from the decision is null when it is not verified."""

    # As reported.
    trade_id: str
    # As reported.
    request_id: str
    # The answer is recorded here, and was this key's.
    verified: bool
    # Who told it.
    source: Literal["reported"]
    # When it was recorded first, UTC.
    recorded_at: str
    # What was recommended.
    recommendation: Literal["proceed", "proceed_with_caution", "abort", None]
    # The score.
    risk_score: float | None
    # The probability of liquidation within 24 hours, fraction; also null where the answer had none.
    probability_24h: float | None
    # The asset.
    asset: str | None
    # long, short or close.
    action: str | None
    # Size of the trade, USD.
    size_usd: float | None
    # Leverage.
    leverage: float | None
    # The calibration that the answer came from.
    calibration_hash: str | None


class AccuracyHeadline(TypedDict):
    """Figures of some outcomes."""

    # Outcomes.
    count: int
    # Mean squared difference of the probability and the outcome (1: liquidated, 0: not); null without an
    # outcome that has a probability.
    brier_score: float | None
    # Mean predicted probability of liquidation, fraction; null without an outcome that has one.
    predicted_mean: float | None
    # Share that was liquidated, fraction.
    liquidated_rate: float | None
    # Share with a P&L below 0, fraction.
    loss_rate: float | None
    # Mean P&L, percent of the margin, negative for a loss.
    avg_pnl_pct: float | None
    # Mean P&L, USD, negative for a loss.
    avg_pnl_usd: float | None
    # Those with a P&L above 0, percent.
    profitable_pct: float | None


class CalibrationBin(TypedDict):
    """The outcomes of a range of predicted probability."""

    # Bounds, fractions; the lower one belongs to the range.
    predicted_range: list[float]
    # Outcomes.
    count: int
    # Mean predicted probability of liquidation, fraction; null without an outcome that has one.
    predicted_mean: float | None
    # Share that was liquidated, fraction; null without an outcome.
    actual_rate: float | None
    # 95 % interval of the rate (Wilson), fractions, as if the outcomes were independent, which they are
    # not; null without one.
    wilson_95: list[float] | None


class BandStats(TypedDict):
    """The outcomes of a recommendation; figures are null without an outcome that has them."""

    # What was recommended.
    recommendation: Literal["proceed", "proceed_with_caution", "abort"]
    # Outcomes.
    count: int
    # Mean predicted probability of liquidation, fraction; null without an outcome that has one.
    predicted_mean: float | None
    # Share that was liquidated, fraction.
    liquidated_rate: float | None
    # Share with a P&L below 0, fraction.
    loss_rate: float | None
    # Mean P&L, percent of the margin, negative for a loss.
    avg_pnl_pct: float | None
    # Mean P&L, USD, negative for a loss.
    avg_pnl_usd: float | None
    # Those with a P&L above 0, percent.
    profitable_pct: float | None


class ScoreDecile(TypedDict):
    """The outcomes of a tenth of the score; figures are null without an outcome that has them."""

    # Bounds; the lower one belongs to the range, 100 to the last.
    score_range: list[int]
    # Outcomes.
    count: int
    # Mean predicted probability of liquidation, fraction; null without an outcome that has one.
    predicted_mean: float | None
    # Share that was liquidated, fraction.
    liquidated_rate: float | None
    # Share with a P&L below 0, fraction.
    loss_rate: float | None
    # Mean P&L, percent of the margin, negative for a loss.
    avg_pnl_pct: float | None
    # Mean P&L, USD, negative for a loss.
    avg_pnl_usd: float | None
    # Those with a P&L above 0, percent.
    profitable_pct: float | None


class BandAlarm(TypedDict):
    """A recommendation and its promise, over the newest 30 days of closed decisions."""

    # `abort` promises nothing.
    recommendation: Literal["proceed", "proceed_with_caution"]
    # More is liquidated than promised, with 99 % confidence: `p_value` below 0.01.
    raised: bool
    # Newest hours of decisions that were compared.
    window_hours: Literal[720]
    # Answers that were compared.
    units: int
    # Share of them that may be liquidated within 24 hours, fraction: the mean probability that was told,
    # each at least 0.0015.
    promised_rate: float | None
    # Share that was, fraction.
    actual_rate: float | None
    # Hours of decisions of which some were liquidated.
    events: int
    # At most the chance of such an excess at any hour of ten months if the promise is kept.
    p_value: float


class Accuracy(TypedDict):
    """What became of answers. Rates are fractions, null without an outcome that has the figure."""

    # Outcomes of 24 hours, and reported ones.
    total_outcomes: int
    # Those whose answer is recorded here: every other figure is about them.
    verified: int
    # Who told them. A trade that was closed by the market and reported counts once for each.
    by_source: AccuracyBySource
    # Decisions whose hourly bars never came: in no other figure.
    unknown: int
    # Mean squared difference of the probability and the outcome (1: liquidated, 0: not); null without an
    # outcome that has a probability.
    brier_score: float | None
    # Mean predicted probability of liquidation, fraction; null without an outcome that has one.
    predicted_mean: float | None
    # Share that was liquidated, fraction.
    liquidated_rate: float | None
    # Share with a P&L below 0, fraction.
    loss_rate: float | None
    # Mean P&L, percent of the margin, negative for a loss.
    avg_pnl_pct: float | None
    # Mean P&L, USD, negative for a loss.
    avg_pnl_usd: float | None
    # Those with a P&L above 0, percent.
    profitable_pct: float | None
    # Predicted and actual rate by `probability_24h`.
    calibration_curve: list[CalibrationBin]
    # By recommendation.
    band_stats: list[BandStats]
    # By `risk_score`.
    by_score_decile: list[ScoreDecile]
    # Was the day's loss larger than the 99 % VaR of the position? Wanted: 1 %.
    var_99_24h: AccuracyVar9924h
    # Of the newest seven UTC days of closing; null without data.
    recent_7d: AccuracyHeadline | None
    # Outcomes after 7 days, against `probability_7d`; null without one.
    seven_days: AccuracySevenDays | None
    # Is what was told wrong? Of the answers to all keys.
    alarm: AccuracyAlarm
    # Decisions before this time are closed, or wait for missing bars; null before the first look.
    closed_through: str | None
    # Now, UTC.
    computed_at: str


class AccuracyBySource(TypedDict):
    """Who told them. A trade that was closed by the market and reported counts once for each."""

    # Hourly bars of the venue: did the price reach the liquidation price that was given?
    market: int
    # `POST /v1/outcome`, unverified ones included.
    reported: int


class AccuracyVar9924h(TypedDict):
    """Was the day's loss larger than the 99 % VaR of the position? Wanted: 1 %."""

    # Outcomes with a VaR.
    count: int
    # Losses beyond it.
    exceeded: int
    # Their share, fraction.
    exceeded_rate: float | None
    # 95 % interval of the rate (Wilson), fractions, as if the outcomes were independent, which they are
    # not; null without one.
    wilson_95: list[float] | None


class AccuracySevenDays(TypedDict):
    """Outcomes after 7 days, against `probability_7d`; null without one."""

    # Outcomes.
    count: int
    # Decisions whose hourly bars never came: in no other figure.
    unknown: int
    # Mean squared difference of the probability and the outcome (1: liquidated, 0: not); null without an
    # outcome that has a probability.
    brier_score: float | None
    # Mean predicted probability of liquidation, fraction; null without an outcome that has one.
    predicted_mean: float | None
    # Share that was liquidated, fraction.
    liquidated_rate: float | None
    # Share with a P&L below 0, fraction.
    loss_rate: float | None
    # Mean P&L, percent of the margin, negative for a loss.
    avg_pnl_pct: float | None
    # Mean P&L, USD, negative for a loss.
    avg_pnl_usd: float | None
    # Those with a P&L above 0, percent.
    profitable_pct: float | None
    # Predicted and actual rate by `probability_7d`.
    calibration_curve: list[CalibrationBin]
    # By recommendation.
    band_stats: list[BandStats]


class AccuracyAlarm(TypedDict):
    """Is what was told wrong? Of the answers to all keys."""

    # `volatility` rings, or one of `bands`.
    raised: bool
    # Do markets move further than the answers of the last day told? Rings before a day is over.
    volatility: AccuracyAlarmVolatility
    # Each that promises something.
    bands: list[BandAlarm]


class AccuracyAlarmVolatility(TypedDict):
    """Do markets move further than the answers of the last day told? Rings before a day is over."""

    # Markets moved further than told, with 99 % confidence: `p_value` is below 0.01.
    raised: bool
    # Hours since the answers that speak most for it; 0 without answers.
    hours: int
    # Mean variance of these hours over the one told; a market counts at most 4 in an hour. Null without
    # answers.
    variance_ratio: float | None
    # At most the chance of such hours within ten months if what was told is right.
    p_value: float


class PolicyRules(TypedDict):
    """The limits of a wallet. Every rule is optional; what only reduces a position always passes."""

    # Leverage of the position after the trade, at most.
    max_leverage: NotRequired[float | None]
    # Notional of one trade, USD, at most.
    max_order_usd: NotRequired[float | None]
    # Notional of the position in the asset after the trade, USD, at most.
    max_position_usd: NotRequired[float | None]
    # Gross notional of the wallet over its account value, at most.
    max_gross_leverage: NotRequired[float | None]
    # Share of the asset in the gross notional of the wallet, percent, at most.
    max_asset_share_pct: NotRequired[float | None]
    # Loss since the first reading of the UTC day, net of deposits and withdrawals, percent, at most.
    max_daily_loss_pct: NotRequired[float | None]
    # Loss from the highest account value, net of deposits and withdrawals, percent, at most.
    max_drawdown_pct: NotRequired[float | None]
    # Risk score, at most.
    max_score: NotRequired[float | None]
    # Chance of liquidation within 24 hours, fraction, at most.
    max_probability_24h: NotRequired[float | None]
    # Chance of liquidation within 7 days, fraction, at most.
    max_probability_7d: NotRequired[float | None]
    # Distance of the liquidation price from the mark, percent, at least.
    min_liquidation_distance_pct: NotRequired[float | None]
    # Distance of an order's price from the mark, percent, at most.
    price_collar_pct: NotRequired[float | None]
    # Orders within a minute, at most.
    orders_per_minute: NotRequired[int | None]
    # Trades within a UTC day, at most.
    trades_per_day: NotRequired[int | None]
    # Time between two equal orders, s, at least.
    duplicate_window_s: NotRequired[float | None]
    # The only assets that may be traded, as the venue writes them; of an empty list none.
    allowed_assets: NotRequired[list[str] | None]
    # Assets that may not be traded.
    denied_assets: NotRequired[list[str] | None]
    # True: nothing may increase.
    halt: NotRequired[bool | None]
    # From then on nothing may increase.
    expires_at: NotRequired[str | None]


class Policy(TypedDict):
    """The policy of a wallet or of all wallets."""

    # Address in lower case, or `*` for all wallets.
    wallet: str
    # Number of the change that made it so, also the `ETag`; no number occurs twice. 0: there is no
    # policy.
    revision: int
    # When it was set, null if it was not.
    since: str | None
    # Who set it: e-mail address and id of the key, or the user who ran the command.
    who: str | None
    # Its own rules, null if there is no policy.
    rules: PolicyRules | None
    # The rules that hold: of each rule the narrower of its own and that of all wallets; null: none.
    effective: PolicyRules | None
    # The key of the request may change it: its role is `operator`.
    may_change: bool


class KillSwitch(TypedDict):
    """The kill switch."""

    # Nothing may increase.
    on: bool
    # Why it was turned, null if nobody said.
    reason: str | None
    # When it was turned, null: never.
    since: str | None
    # Who turned it: e-mail address and id of the key, or the user who ran the command.
    who: str | None
    # Number of the change that made it so, also the `ETag`; 0: it was never turned.
    revision: int
    # The key of the request may change it: its role is `operator`.
    may_change: bool


class KillSwitchChange(TypedDict):
    """Turns the kill switch."""

    # True stops every increase.
    on: bool
    # Why, one line of at most 280 characters; required to turn it on.
    reason: NotRequired[str | None]


class WatchRequest(TypedDict):
    """What to watch a wallet for."""

    # Seconds between two monitor calls. Left out: 10.
    every_s: NotRequired[int | None]
    # As in the configuration of an alert socket; what is left out has its default.
    thresholds: NotRequired[WatchRequestThresholds | None]
    # Where to post what begins, turns critical and ends. Left out: nowhere, only the alert sockets hear.
    webhook: NotRequired[WatchRequestWebhook | None]


class WatchRequestThresholds(TypedDict):
    """As in the configuration of an alert socket; what is left out has its default."""

    # A position's risk score above it is a breach. 100 and more: never. Left out: 70.
    max_risk_score: NotRequired[int | None]
    # A position nearer to liquidation, percent, is a breach. Left out: 5.
    min_liquidation_distance_pct: NotRequired[float | None]
    # VaR 99 % over 24 h of the book above this percentage of the account value is a breach. Left out: 50.
    max_portfolio_var_pct: NotRequired[float | None]
    # A position that pays more than this percentage of its margin a day is a breach. Left out: 1.
    max_funding_drag_daily_pct: NotRequired[float | None]


class WatchRequestWebhook(TypedDict):
    """Where to post what begins, turns critical and ends. Left out: nowhere, only the alert sockets
    hear."""

    # `https://` URL of a public host, without user and password.
    url: str
    # Signs the posts: `whsec_` and the base64 of 24 to 64 bytes. Left out: the one that is set stays, or
    # one is made and shown once.
    secret: NotRequired[str | None]


class Watch(TypedDict):
    """A wallet that the service watches by itself."""

    # Address in lower case.
    wallet: str
    # Id of the key that has set it.
    key: str
    # When it was first set, UTC.
    set_at: str
    # Seconds between two monitor calls. Of several watches of a wallet the shortest counts for all.
    every_s: int
    # In full, with what was left out.
    thresholds: WatchThresholds
    # Null: nothing is posted.
    webhook: WatchWebhook | None
    # How the monitor calls of this wallet go; on a replica that does not make them up to a minute old.
    calls: WatchCalls
    # The breaches that stand by these thresholds, oldest first.
    standing: list[WatchStanding]
    # How the posts go.
    deliveries: WatchDeliveries


class WatchThresholds(TypedDict):
    """In full, with what was left out."""

    # A position's risk score above it is a breach. 100 and more: never.
    max_risk_score: int
    # A position nearer to liquidation, percent, is a breach.
    min_liquidation_distance_pct: float
    # VaR 99 % over 24 h of the book above this percentage of the account value is a breach.
    max_portfolio_var_pct: float
    # A position that pays more than this percentage of its margin a day is a breach.
    max_funding_drag_daily_pct: float


class WatchWebhook(TypedDict):
    """Null: nothing is posted."""

    # Where it is posted.
    url: str
    # There is a secret. It is never shown again.
    secret_set: bool
    # Only in the answer to the PUT that had it made.
    secret: NotRequired[str]


class WatchCalls(TypedDict):
    """How the monitor calls of this wallet go; on a replica that does not make them up to a minute
    old."""

    # When the last one ended, UTC; null: none was made yet.
    last_at: str | None
    # When the last one that succeeded ended, UTC; null: none did since the start.
    succeeded_at: str | None
    # How many in a row have failed: while it is not 0 the wallet is not watched.
    failures: int
    # Error and detail of the last one, null if it did not fail.
    error: str | None


class WatchStanding(TypedDict):
    """A breach."""

    # What is breached.
    alert_type: Literal["high_risk_score", "liquidation_proximity", "funding_drag_excessive", "regime_shift", "portfolio_var_breach", "stop_removed"]
    # Ticker; null for the book as a whole.
    asset: str | None
    # The highest that it has had.
    severity: Literal["warning", "critical"]
    # `timestamp` of the first result that found it.
    since: str


class WatchDeliveries(TypedDict):
    """How the posts go."""

    # Events that the receiver has taken.
    posted: int
    # Events that wait to be posted, in their order.
    waiting: int
    # Since when the first of them waits, UTC; null: none waits.
    waiting_since: str | None
    # Posts in a row that the receiver did not take.
    failures: int
    # Why the last post failed, null if it did not.
    error: str | None
    # When it is posted again, UTC; null: at once.
    retry_at: str | None
    # Events given up: not taken for 24 hours, or more than 1,000 waited.
    dead_total: int
    # The newest 20 of these, oldest first.
    dead: list[WatchDeliveriesDead]


class WatchDeliveriesDead(TypedDict):
    """An event that was given up."""

    # Its `webhook-id`.
    id: str
    # It is not posted any more.
    status: Literal["dead"]
    # What it told.
    type: Literal["alert.began", "alert.critical", "alert.ended", "regime.shifted", "stop.removed"]
    # Of what.
    alert_type: Literal["high_risk_score", "liquidation_proximity", "funding_drag_excessive", "regime_shift", "portfolio_var_breach", "stop_removed"]
    # Ticker; null for the book as a whole.
    asset: str | None
    # When it was found, UTC.
    queued_at: str
    # When it was given up, UTC.
    gave_up_at: str
    # How often it was posted; 0: those before it were not taken.
    attempts: int
    # Why it was not taken.
    error: str


class WatchEvent(TypedDict):
    """What is posted to the webhook of a watch, with the headers `webhook-id`, `webhook-timestamp` and
    `webhook-signature` of Standard Webhooks."""

    # What happened to the breach.
    type: Literal["alert.began", "alert.critical", "alert.ended", "regime.shifted", "stop.removed"]
    # The moment that the figures are of, UTC with milliseconds.
    timestamp: str
    # The alert.
    data: WatchEventData


class WatchEventData(TypedDict):
    """The alert."""

    # What is breached.
    alert_type: Literal["high_risk_score", "liquidation_proximity", "funding_drag_excessive", "regime_shift", "portfolio_var_breach", "stop_removed"]
    # Address in lower case.
    wallet: str
    # Ticker; null for the book as a whole.
    asset: str | None
    # Of an `alert.ended` the highest that it had.
    severity: Literal["warning", "critical"]
    # For people; may change. Decide by the other fields.
    message: str
    # As outside.
    timestamp: str
    # The metric now: score in points; distance, funding or VaR in percent; rank of the new regime (0
    # normal, 1 stressed, 2 crisis); stops left. Null when the position is gone.
    current_value: float | None
    # Yours, in the same unit; rank of the previous regime for `regime_shift`; 1 for `stop_removed`.
    threshold: float
    # `timestamp` of the first call that found the breach.
    since: str


class WatchList(TypedDict):
    """What the service watches by itself."""

    # This replica makes the calls and the posts.
    here: bool
    # By wallet.
    watches: list[Watch]


class WatchRemoved(TypedDict):
    """A watch that was removed."""

    # Address in lower case.
    wallet: str
    # Always true.
    removed: bool


class Unauthorized(TypedDict):
    """A fixed sentence in place of a code, and how to mend the request."""

    # Which it is.
    error: Literal["missing or invalid Authorization header", "invalid API key"]
    # A sentence. Nothing of the header is repeated.
    detail: str
    # The header.
    field: Literal["Authorization"]
    # Its form, and where a key comes from.
    suggestion: str


class Allowed(TypedDict):
    """Which values it may have; members that say nothing about it are left out."""

    # JSON type.
    type: NotRequired[str]
    # Regular expression.
    pattern: NotRequired[str]
    # It must be greater.
    exclusive_min: NotRequired[float]
    # It must be less.
    exclusive_max: NotRequired[float]
    # Smallest value.
    min: NotRequired[float]
    # Largest value; for `trades` of a batch their number, for a body its bytes.
    max: NotRequired[float]
    # All values, or all names of fields.
    values: NotRequired[list[str]]


class Problem(TypedDict):
    """One of several mistakes."""

    # Field of the request.
    field: str
    # A sentence with the offending value.
    detail: str
    # Its value, a text or a number.
    got: NotRequired[Any]
    # A value of the field that would do, or a sentence: what would do, or where to find it. It never
    # changes the unit of the value.
    suggestion: NotRequired[Any]


class AlertConfig(TypedDict):
    """Tell me about this wallet. A further message adds a wallet, or replaces the thresholds of one that
    is subscribed."""

    # Address: `0x` and 40 hexadecimal digits, compared without case.
    wallet: str
    # When this subscriber wants to be told; what is left out has its default. A value that equals its
    # threshold does not breach it.
    thresholds: NotRequired[AlertConfigThresholds | None]


class AlertConfigThresholds(TypedDict):
    """When this subscriber wants to be told; what is left out has its default. A value that equals its
    threshold does not breach it."""

    # A position's risk score above it raises `high_risk_score`. 100 and more: never.
    max_risk_score: NotRequired[int | None]
    # A position nearer to liquidation, percent, raises `liquidation_proximity`. 0 and less: never; over
    # 100: always.
    min_liquidation_distance_pct: NotRequired[float | None]
    # VaR 99 % over 24 h of the book above this percentage of the account value raises
    # `portfolio_var_breach`.
    max_portfolio_var_pct: NotRequired[float | None]
    # A position that pays more than this percentage of its margin a day raises `funding_drag_excessive`.
    # Below 0: also one that receives.
    max_funding_drag_daily_pct: NotRequired[float | None]


class Subscribed(TypedDict):
    """The wallet is watched from now on."""

    # Its address in lower case.
    subscribed: str


class RiskAlert(TypedDict):
    """A breach that a monitor call has found: every call emits for every breach that stands, and
    `regime_shift` is told once. `stop_removed` is told once, when the gate has seen the cancellation of a
    position's last stop."""

    # What is breached.
    alert_type: Literal["high_risk_score", "liquidation_proximity", "funding_drag_excessive", "regime_shift", "portfolio_var_breach", "stop_removed"]
    # Address in lower case.
    wallet: str
    # Ticker; null for the book as a whole.
    asset: str | None
    # `critical` from a risk score of 85, below a liquidation distance of 2 %, and for a shift to crisis.
    severity: Literal["warning", "critical"]
    # For people; may change. Decide by the other fields.
    message: str
    # The moment that the figures are of, UTC with milliseconds: `meta.as_of` of the monitor call; for
    # `stop_removed` when the venue listed no stop any more.
    timestamp: str
    # The metric: score in points; distance, funding or VaR in percent; rank of the new regime (0 normal,
    # 1 stressed, 2 crisis); for `stop_removed` the stops left, 0.
    current_value: float
    # Yours, in the same unit; rank of the previous regime for `regime_shift`; 1 for `stop_removed`.
    threshold: float
    # With `?details=true` only: `timestamp` of the first of the results in a row that found this breach
    # by these thresholds, on this replica, while a socket with details watched the wallet with them or
    # had done so within ten minutes. The moment of the alert for `regime_shift` and `stop_removed`.
    since: NotRequired[str]
    # With `?details=true` only: how many results in a row have found it since then. 1 for `regime_shift`
    # and `stop_removed`.
    count: NotRequired[int]


class InvalidConfig(TypedDict):
    """The message before was no configuration; the connection closes with 1008."""

    # Stable code.
    error: Literal["invalid_config"]
    # A sentence with the offending value.
    detail: str
    # What to change, where it is an unknown field: its path; `wallet` for the address of an API wallet.
    field: NotRequired[str]
    # The address of the API wallet.
    got: NotRequired[str]
    # The fields that there are.
    allowed: NotRequired[InvalidConfigAllowed]
    # The field that was probably meant, or the account of the API wallet.
    suggestion: NotRequired[str]


class InvalidConfigAllowed(TypedDict):
    """The fields that there are."""

    # Their paths.
    values: list[str]
