// Written by gen.mjs from the contract in server/spec. Do not edit.

export interface paths {
    "/v1/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Assess a trade before it is sent
         * @description Nothing is sent to the venue. Exits are never blocked: a close, and every other trade that only reduces the position, never scores over 30.
         */
        post: operations["validate"];
        delete?: never;
        /**
         * What a browser asks before a page of another origin may call
         * @description Every path has it, with `--cors-origin` only.
         */
        options: operations["preflight"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/validate/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Assess a plan of up to 50 trades
         * @description Each trade is assessed as if those before it had filled. A trade that breaks a rule does not stop the batch: its element says so in `meta.error`.
         */
        post: operations["validateBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/size": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The largest order that meets a target
         * @description A validation turned round: the largest order, in whole lots, that the venue would take and whose assessment meets `target`, as every smaller size that the search tried. The same size sent to `POST /v1/validate` with the leverage of the answer gives the same figures while the data are the same. Nothing is sent to the venue.
         */
        post: operations["size"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What price moves of your own do to a wallet
         * @description The wallet as it is, or after `trade`, after the given moves: everything at once, without funding and without a path. Nothing is sent to the venue.
         */
        post: operations["stress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/monitor/{wallet}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Assess a wallet as held, and alert whoever watches it
         * @description Every open position is assessed without a trade. Sockets that watch the wallet hear of every breach before this call is answered; nothing is emitted on a schedule.
         */
        get: operations["monitor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Alert socket (WebSocket)
         * @description Send `{"wallet": "0x…", "thresholds": {"max_risk_score": 60}}`; the answer is `{"subscribed": "0x…"}`, and alerts follow each monitor call that finds a breach. All messages and close codes: [/asyncapi.json](/asyncapi.json).
         */
        get: operations["alerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Listed assets with live figures
         * @description Never refused for overload.
         */
        get: operations["assets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/market/{asset}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Newest market data of one asset
         * @description Straight from memory; never refused for overload.
         */
        get: operations["market"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/model-info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The model: weights, flags, scenarios, curves, constants */
        get: operations["modelInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backtest/{asset}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How the VaR of an asset has fared */
        get: operations["backtest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/calibration/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * State and record of every fit
         * @description The first call of a day takes some milliseconds an asset.
         */
        get: operations["calibrationHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Health and readiness */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The process serves */
        get: operations["live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Requests will be answered */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics for Prometheus
         * @description With `--metrics-listen` they are on a listener of their own, without a key.
         */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tools for language models, by the Model Context Protocol
         * @description Streamable HTTP without sessions or streams: one message of JSON-RPC 2.0 a request, or in versions of the protocol before 2025-06-18 a batch, whose messages count as requests one by one. Tools: `validate_trade`, `validate_plan`, `check_wallet`, `list_markets`, `get_market`, `explain_flag`; all of them only read. An error of a tool is a result with `isError`.
         */
        post: operations["mcp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This contract, OpenAPI 3.1 */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/asyncapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Contract of the alert socket, AsyncAPI 3.0 */
        get: operations["asyncapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/llms.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a language model needs to use the service */
        get: operations["llms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/llms-full.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The same with every field, rule and error, for a language model that has room for it */
        get: operations["llmsFull"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/operations.md": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How to run the service, and what to do about each of its Prometheus alerts */
        get: operations["operationsPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Console: markets, a trade form, wallets, evidence, health. 404 with --no-console */
        get: operations["console"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reference page */
        get: operations["docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/redoc.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Script of the reference page */
        get: operations["docsScript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A trade to be assessed before it is sent to the venue. `null` for an optional field equals leaving it out; an unknown or repeated key is an error. */
        ValidationRequest: {
            /** @description The venue's ticker, case-sensitive, as in `GET /v1/assets`. Listed, not delisted. */
            asset: string;
            /**
             * @description `long` and `short` add to the position of the wallet; `close` reduces it by up to the size.
             * @enum {string}
             */
            action: "long" | "short" | "close";
            /** @description USD at mark, over 0. Exactly one of `size` and `size_coin`. */
            size?: number | null;
            /** @description Coins of the asset, over 0, in place of `size`; turned into USD at the mark. */
            size_coin?: number | null;
            /** @description Address of the account: `0x` and 40 hexadecimal digits, compared without case. It need not exist at the venue. */
            wallet: string;
            /** @description Multiple, up to the asset's maximum. Left out: that of the open position, else the wallet's setting at the venue, else 20 or the asset's maximum, whichever is less. */
            leverage?: number | null;
            /** @description Margin mode of a new position; an open position keeps its own. Left out: the wallet's setting at the venue, else `cross`. An asset that is isolated only wants `isolated`. */
            mode?: ("cross" | "isolated") | null;
            /**
             * @description Add simulations to the answer. Left out: false.
             * @default false
             */
            monte_carlo?: boolean | null;
            /** @description How the trade is sent. Left out: as a market order that may increase a position. */
            order?: components["schemas"]["Order"] | null;
        };
        /** @description One trade of a batch: a validation request without `wallet`. */
        BatchTrade: {
            /** @description The venue's ticker, case-sensitive, as in `GET /v1/assets`. Listed, not delisted. */
            asset: string;
            /**
             * @description `long` and `short` add to the position of the wallet; `close` reduces it by up to the size.
             * @enum {string}
             */
            action: "long" | "short" | "close";
            /** @description USD at mark, over 0. Exactly one of `size` and `size_coin`. */
            size?: number | null;
            /** @description Coins of the asset, over 0, in place of `size`; turned into USD at the mark. */
            size_coin?: number | null;
            /** @description Multiple, up to the asset's maximum. Left out: that of the open position, else the wallet's setting at the venue, else 20 or the asset's maximum, whichever is less. */
            leverage?: number | null;
            /** @description Margin mode of a new position; an open position keeps its own. Left out: the wallet's setting at the venue, else `cross`. An asset that is isolated only wants `isolated`. */
            mode?: ("cross" | "isolated") | null;
            /**
             * @description Add simulations to the answer. Left out: false.
             * @default false
             */
            monte_carlo?: boolean | null;
            /** @description How the trade is sent. Left out: as a market order that may increase a position. */
            order?: components["schemas"]["Order"] | null;
        };
        /** @description How a trade is sent, and what is to close it. */
        Order: {
            /** @description Left out: `market`. */
            type?: "market" | null;
            /**
             * @description The order may only reduce a position, by at most the whole of it. Left out: false.
             * @default false
             */
            reduce_only?: boolean | null;
            /** @description Price at which the position is closed with a gain, USD: above the mark for a long, below for a short. */
            take_profit_price?: number | null;
            /** @description Price at which the position is closed with a loss, USD: below the mark for a long, above for a short. */
            stop_loss_price?: number | null;
        };
        /** @description A plan of trades, checked as a sequence. */
        BatchRequest: {
            /** @description Address of the account: `0x` and 40 hexadecimal digits, compared without case. It need not exist at the venue. */
            wallet: string;
            /** @description In the order in which they would be sent; each is assessed as if those before it had filled. */
            trades: components["schemas"]["BatchTrade"][];
        };
        /**
         * @description Name of a concern. Rules, units and meaning: `GET /v1/model-info`.
         * @enum {string}
         */
        Flag: "stale_market_data" | "price_divergence" | "extreme_slippage" | "near_liquidation" | "near_backstop" | "likely_liquidation" | "funding_liquidates" | "negative_account_equity" | "other_pool_at_risk" | "leaves_book_at_risk" | "insufficient_margin" | "untradeable_cost" | "thin_market" | "oi_at_cap" | "thin_book" | "high_slippage" | "high_leverage" | "funding_anomaly" | "funding_expensive" | "cex_funding_divergence" | "high_impact" | "low_volume" | "high_var" | "high_portfolio_var" | "oi_near_cap" | "likely_within_week" | "concentration_risk" | "correlated_exposure" | "account_fails_stress" | "tier_leverage_exceeded" | "no_account_equity" | "account_mode_estimated" | "margin_mode_differs" | "setting_not_read" | "venue_post_only" | "positions_not_followed" | "stop_beyond_liquidation" | "outside_session" | "history_loading" | "limited_history" | "new_listing" | "size_exceeds_position" | "no_open_position" | "unprotected_position" | "margin_mode_kept";
        /**
         * @description Historical stress window. Shocks of each: `GET /v1/model-info`.
         * @enum {string}
         */
        Scenario: "jelly_squeeze" | "luna_collapse" | "ftx_crash" | "short_squeeze" | "flash_recovery" | "black_thursday_2020" | "may_2021_deleveraging" | "celsius_3ac_2022" | "yen_unwind_2024" | "tariff_shock_feb_2025" | "october_2025_cascade" | "rebound_may_2021" | "rally_may_2025";
        /** @description What the order book makes of the order. */
        Slippage: {
            /** @description Average fill against mid price, basis points, positive: a cost. */
            bps: number;
            /** @description Estimated average fill price, USD. */
            fill_price: number;
            /** @description Mid price of the book, USD; of a book with one empty side its best price. */
            mid_price: number;
            /** @description Liquidity of both sides within 50 bps of mid, USD. */
            depth_50bps: number;
            /** @description Liquidity of both sides within 100 bps of mid, USD. */
            depth_100bps: number;
            /** @description Positive: more bids than asks near the mid price. */
            bid_ask_imbalance: number;
        };
        /** @description How far liquidation is, of the position after the fill. */
        Liquidation: {
            /** @description Mark price at which the position is liquidated, USD; 0 when there is none. */
            price: number;
            /** @description Distance from mark to liquidation price, percent of mark; 100 when there is none. */
            distance_pct: number;
            /** @description Initial margin that the trade takes, percent of the free margin. */
            margin_used_pct: number;
            /** @description Gross notional over equity of the pool that carries the position, multiple. */
            effective_leverage: number;
            /** @description Chance that the position's pool is liquidated at any time within 24 hours, fraction. Of the trade's pool after the trade, flat trades too; null only in a portfolio-margin account that could not be read. */
            probability_24h: number | null;
            /** @description Chance that the position's pool is liquidated at any time within 7 days, fraction. Of the trade's pool after the trade, flat trades too; null only in a portfolio-margin account that could not be read. */
            probability_7d: number | null;
            /** @description Equity of the position's pool after the fill, USD; may be negative. Null only in a portfolio-margin account that could not be read. */
            pool_equity_usd: number | null;
            /** @description Profit or loss of the position from the mark to the liquidation price, USD, negative: a loss. Null without a liquidation price. */
            loss_at_usd: number | null;
            /** @description The same once the venue has liquidated the pool and its equity is gone: minus `pool_equity_usd`, USD, negative: a loss. Null without a liquidation price. */
            loss_after_usd: number | null;
            /**
             * @description Margin mode used; `close` when nothing is left.
             * @enum {string}
             */
            mode: "cross" | "isolated" | "close";
        };
        /** @description What holding the position costs or earns in funding. */
        Funding: {
            /** @description Rate of the current hour, fraction per hour, positive: longs pay. */
            funding_rate: number;
            /** @description Funding of the position after the fill, percent a year, positive: you pay. */
            annualized_pct: number;
            /** @description Rate over the mean rate of centralised exchanges, times; 0 when rates are negligible. */
            vs_cex_divergence: number;
            /**
             * @description Who pays whom.
             * @enum {string}
             */
            direction: "longs_pay" | "shorts_pay";
            /** @description The requester pays. */
            agent_pays: boolean;
            /** @description Expected funding of 24 h of the position after the fill, USD, positive: you pay; 0 when flat. Null when the venue gives no rate. */
            cost_24h_usd: number | null;
        };
        /** @description How the trade moves the market. */
        Impact: {
            /** @description Expected price impact, basis points. */
            expected_bps: number;
            /** @description Trade size in percent of 24 h volume. */
            participation_pct: number;
        };
        /** @description Volatility forecast by horizon. */
        VolatilityForecast: {
            /** @description Forecast over 1 hour, annualised, fraction. */
            sigma_1h: number;
            /** @description Forecast over 4 hours, annualised, fraction. */
            sigma_4h: number;
            /** @description Forecast over 1 day, annualised, fraction. */
            sigma_1d: number;
            /** @description Forecast over 7 days, annualised, fraction. */
            sigma_7d: number;
            /** @description Long-run volatility, annualised, fraction. */
            long_run_sigma: number;
        };
        /** @description Value at risk and expected shortfall of the position after the fill. */
        ValueAtRisk: {
            /** @description VaR 95 % over 24 h, percent of notional, a loss is positive; of a short it may exceed 100. */
            pct_95_24h: number;
            /** @description VaR 99 % over 24 h, percent of notional, a loss is positive; of a short it may exceed 100. */
            pct_99_24h: number;
            /** @description VaR 95 % over 24 h, USD, a loss is positive. */
            dollar_95_24h: number;
            /** @description VaR 99 % over 24 h, USD, a loss is positive. */
            dollar_99_24h: number;
            /** @description VaR 95 % over 24 h plus the cost of leaving, USD. */
            lvar_95_24h: number;
            /** @description VaR 99 % over 24 h plus the cost of leaving, USD. */
            lvar_99_24h: number;
            /** @description VaR 99 % over 4 h, percent of notional, a loss is positive; of a short it may exceed 100. */
            pct_99_4h: number;
            /** @description VaR 99 % over 7 days, percent of notional, a loss is positive; of a short it may exceed 100. */
            pct_99_7d: number;
            /** @description VaR 99 % over 4 h, USD, a loss is positive. */
            dollar_99_4h: number;
            /** @description VaR 99 % over 7 days, USD, a loss is positive. */
            dollar_99_7d: number;
            /** @description Expected shortfall beyond VaR 95 % over 24 h, percent of notional. */
            es_95_24h: number;
            /** @description Expected shortfall beyond VaR 99 % over 24 h, percent of notional. */
            es_99_24h: number;
            /** @description VaR 99 % over 24 h in percent of the position's margin. */
            margin_var_99_pct: number;
            /** @description `dollar_99_24h`, but at most the equity of the position's pool: what a bad day can take, USD, a loss is positive. Null only in a portfolio-margin account that could not be read. */
            loss_99_capped_usd: number | null;
            /**
             * @description Today's volatility against the asset's own history.
             * @enum {string}
             */
            volatility_regime: "low" | "normal" | "high";
            /** @description Null for an asset that trades at all hours. */
            session: components["schemas"]["Session"] | null;
            /** @description Null without candles. */
            volatility_forecast: components["schemas"]["VolatilityForecast"] | null;
        };
        /** @description When the asset's oracle rests: the price then comes from the venue's own book, and may jump when the market reopens. */
        Session: {
            /**
             * @description What the oracle follows.
             * @enum {string}
             */
            class: "equity" | "metal" | "energy";
            /** @description It rests now. */
            resting: boolean;
            /** @description Start of this rest, or of the next, ms since 1970. */
            rests_at: number;
            /** @description Its end, ms since 1970. */
            reopens_at: number;
        };
        /** @description The distribution of the asset's move within 24 hours, percent of the price, by the model of `var`: the loss of a long is the fall, that of a short the rise. Falls are negative or 0, rises positive or 0. */
        DayMove: {
            /** @description A fall that one day in 1,000 exceeds, negative; null with less than a day of candles. */
            down_999_pct: number | null;
            /** @description A fall that one day in 100 exceeds, negative: minus `var.pct_99_24h` of a long. */
            down_99_pct: number;
            /** @description A fall that one day in 20 exceeds, negative. */
            down_95_pct: number;
            /** @description The median move, negative: a fall. */
            median_pct: number;
            /** @description A rise that one day in 20 exceeds, positive. */
            up_95_pct: number;
            /** @description A rise that one day in 100 exceeds, positive: `var.pct_99_24h` of a short. */
            up_99_pct: number;
            /** @description A rise that one day in 1,000 exceeds, positive; null with less than a day of candles. */
            up_999_pct: number | null;
        };
        /** @description Open interest of the asset. */
        OpenInterest: {
            /** @description USD, one side. */
            current: number;
            /** @description Percent of the cap, which is an estimate where the venue publishes none. */
            utilization_pct: number;
            /** @description The venue takes no increase. */
            at_cap: boolean;
        };
        /** @description The position in one historical scenario. */
        StressResult: {
            scenario: components["schemas"]["Scenario"];
            /** @description The scenario in words. */
            description: string;
            /** @description Funding over the scenario, percent of notional, positive: paid. */
            funding_cost_pct: number;
            /** @description Profit or loss, percent of notional, negative: a loss. */
            pnl_pct: number;
            /** @description Profit or loss, USD, negative: a loss. */
            pnl_usd: number;
            /** @description Cost of leaving in that market, percent of notional. */
            liquidity_cost_pct: number;
            /** @description Distance to liquidation after the shock, percent; 0 when it is liquidated. */
            liquidation_distance_pct: number;
            /** @description The position is not liquidated on the way. */
            survives: boolean;
            /** @description What ends the position's pool: the asset whose move costs it most, which may be another than the trade's. Where the pool is below its maintenance margin before any price moves, its name: `main`, another dex, `unified` or `portfolio`. Null when it survives. */
            died_by: string | null;
        };
        /** @description The book after the trade. Left out when the wallet has fewer than two open positions. */
        PortfolioRisk: {
            /** @description VaR 99 % over 24 h of the book, with correlations, USD. */
            portfolio_var_99_24h: number;
            /** @description Expected shortfall beyond it, USD. */
            portfolio_es_99_24h: number;
            /** @description Open positions now. */
            position_count: number;
            /** @description Null unless `monte_carlo` was asked for. */
            monte_carlo: components["schemas"]["PortfolioSimulation"] | null;
            /** @description One entry for each pair of the book after the trade with enough common history; of more than 50 pairs, the 50 with the largest tail dependence. */
            tail_dependence: components["schemas"]["TailDependence"][];
        };
        /** @description Simulated day of the book after the trade. */
        PortfolioSimulation: {
            /** @description Scenarios drawn. */
            simulations: number;
            /** @description VaR 95 %, USD. */
            var_95: number;
            /** @description VaR 99 %, USD. */
            var_99: number;
            /** @description Expected shortfall beyond VaR 95 %, USD. */
            es_95: number;
            /** @description Expected shortfall beyond VaR 99 %, USD. */
            es_99: number;
            /** @description Share of scenarios in which the pool is below its maintenance margin at the end of the day, fraction; not `probability_24h`, which counts any time within it. */
            liquidation_probability: number;
            /** @description Each position's share. */
            positions: components["schemas"]["SimulatedShare"][];
            copula: components["schemas"]["Copula"];
        };
        /** @description One position's share of the simulated VaR 99 %. */
        SimulatedShare: {
            /** @description Ticker. */
            asset: string;
            /** @description VaR less that of the book without it, USD. */
            marginal_var: number;
            /** @description Its part of the VaR, USD; the parts add up. */
            component_var: number;
        };
        /** @description How the assets move together in the simulation. */
        Copula: {
            /**
             * @description Student t.
             * @constant
             */
            family: "t";
            /** @description Degrees of freedom. */
            nu: number;
        };
        /** @description How two assets of the book fall together. */
        TailDependence: {
            /** @description Ticker. */
            asset_a: string;
            /** @description Ticker. */
            asset_b: string;
            /** @description Coefficient of lower tail dependence, fraction. */
            lambda_lower: number;
            /** @description Coefficient of upper tail dependence, fraction. */
            lambda_upper: number;
            /** @description Correlation of hourly returns. */
            pearson_rho: number;
            /** @description Degrees of freedom of the fitted t copula. */
            nu: number;
        };
        /** @description The worst scenario of the wallet after the trade, over all its pools; the same for every trade that leaves the same book. Left out when the wallet has no position before the trade. */
        PortfolioStress: {
            scenario: components["schemas"]["Scenario"];
            /** @description Profit or loss of the book, USD, negative: a loss. */
            total_pnl_usd: number;
            /** @description The same in percent of the equity of all pools, negative: a loss. */
            total_pnl_pct: number;
            /** @description Funding over the scenario, percent of the gross notional, positive: paid. */
            total_funding_cost_pct: number;
            /** @description No scenario ends a cross pool, or the wallet: `failed_scenarios` is empty. */
            account_survives: boolean;
            /** @description Positions liquidated in this scenario, in all pools. */
            positions_liquidated: number;
            /** @description Scenarios that the account does not survive, in the order of the table. */
            failed_scenarios: components["schemas"]["Scenario"][];
        };
        /** @description Fee of the trade. */
        Fees: {
            /** @description The wallet's taker rate, basis points, negative: a rebate. */
            taker_fee_bps: number;
            /** @description USD. */
            estimated_fee_usd: number;
            /** @description Percent of the trade's initial margin. */
            fee_pct_of_margin: number;
        };
        /** @description Costs together. */
        CostAnalysis: {
            /** @description Slippage, impact and fee, basis points. */
            total_entry_cost_bps: number;
            /** @description Entry and exit, basis points. */
            total_round_trip_cost_bps: number;
            /** @description Price move that pays for all costs, percent. */
            breakeven_move_pct: number;
            /** @description Funding of 24 h in percent of margin, negative: received. */
            funding_drag_24h_pct: number;
            /** @description 0 negligible, 1 extremely expensive. */
            cost_score: number;
        };
        /** @description How large the trade may be. */
        Sizing: {
            /** @description Largest size within the four limits (book depth, open interest, margin with the loss, market impact), USD, made smaller where the score allows nothing near it. It is not itself checked: the answer at this size may be `abort`. Send `suggested_size_usd`. */
            max_safe_size_usd: number;
            /** @description The size to send, USD: at this size the answer is `proceed`, unless the market changes. At most `max_safe_size_usd`; 0: there is none. */
            suggested_size_usd: number;
            /**
             * @description The constraint that binds.
             * @enum {string}
             */
            size_limit_reason: "book_depth" | "oi_capacity" | "margin_headroom" | "market_impact";
        };
        /** @description A position in the asset. */
        PositionState: {
            /**
             * @description Direction.
             * @enum {string}
             */
            side: "long" | "short";
            /** @description Coins, not signed. */
            size_coin: number;
            /** @description USD at mark. */
            notional_usd: number;
            /** @description Leverage setting, multiple. */
            leverage: number;
            /**
             * @description Margin mode.
             * @enum {string}
             */
            mode: "cross" | "isolated";
            /** @description Average entry price, USD; null when the venue gives none. */
            entry_price: number | null;
            /** @description USD; null when there is none. */
            liquidation_price: number | null;
        };
        /** @description The position in the asset as read and as the trade leaves it. */
        PositionChange: {
            /** @description Null when flat. */
            before: components["schemas"]["PositionState"] | null;
            /** @description Null when flat. */
            after: components["schemas"]["PositionState"] | null;
        };
        /** @description Margin of the whole wallet at marks. */
        Margin: {
            /** @description Equity of all pools, USD; may be negative. */
            account_value: number;
            /** @description Initial margin of all positions, USD. */
            initial: number;
            /** @description Maintenance margin of all positions, USD. */
            maintenance: number;
            /** @description Equity of the trade's cross pool less the initial margin of its positions and the margin held for resting orders, USD; of a wallet as held the sum over its cross pools. */
            free: number;
            /** @description Maintenance margin in percent of equity, the largest of all pools; the venue liquidates at 100. 1000 without equity. */
            maintenance_ratio_pct: number;
        };
        /** @description What the trade does to the wallet's margin. */
        MarginChange: {
            before: components["schemas"]["Margin"];
            after: components["schemas"]["Margin"];
            /** @description Initial margin that the trade takes, USD, negative: it frees margin. */
            delta_initial_usd: number;
            /** @description Margin that the venue keeps for resting orders, USD: at least this much. */
            held_usd: number;
            /** @description At most this much, USD; null: no bound is known. Equal to `held_usd`: exact. */
            held_most_usd: number | null;
            market_move: components["schemas"]["MarketMove"];
        };
        /** @description Margin of the wallet as it is, at marks. */
        WalletMargin: {
            /** @description Equity of all pools, USD; may be negative. */
            account_value: number;
            /** @description Initial margin of all positions, USD. */
            initial: number;
            /** @description Maintenance margin of all positions, USD. */
            maintenance: number;
            /** @description Equity of the cross pools less the initial margin of their positions and the margin held for resting orders, USD. */
            free: number;
            /** @description Maintenance margin in percent of equity, the largest of all pools; the venue liquidates at 100. 1000 without equity. */
            maintenance_ratio_pct: number;
            /** @description Margin that the venue keeps for resting orders, USD: at least this much. */
            held_usd: number;
            /** @description At most this much, USD; null: no bound is known. Equal to `held_usd`: exact. */
            held_most_usd: number | null;
            market_move: components["schemas"]["MarketMove"];
        };
        /** @description The smallest common move of all assets at which a cross pool of the wallet is liquidated; both 0 when one is past that already. */
        MarketMove: {
            /** @description A fall, percent; null when there is none. */
            down_pct: number | null;
            /** @description A rise, percent; null when there is none up to 1000. */
            up_pct: number | null;
        };
        /** @description Positions that the venue liquidates together. */
        Pool: {
            /** @description Dex, empty for the main one; null for a pool over several. */
            dex: string | null;
            /**
             * @description How its collateral is shared.
             * @enum {string}
             */
            mode: "cross" | "isolated" | "unified" | "portfolio";
            /** @description Ticker of an isolated position; null otherwise. */
            asset: string | null;
            /** @description USD; may be negative. */
            equity_usd: number;
            /** @description Maintenance margin in percent of equity; the venue liquidates at 100. */
            maintenance_ratio_pct: number;
            /** @description Chance that it is liquidated within 24 hours, fraction; null for a portfolio-margin pool that could not be read. */
            probability_24h: number | null;
            /** @description It survives every stress scenario. */
            survives: boolean;
            /** @description The scenarios that it does not survive. */
            failed_scenarios: components["schemas"]["Scenario"][];
            /** @description Its own worst stress result, USD, negative: a loss. */
            worst_pnl_usd: number;
            /** @description What it needs; in a report on a wallet as held only. Null for a portfolio-margin pool that could not be read. */
            action?: components["schemas"]["PoolAction"] | null;
        };
        /** @description The least that brings a pool to a target: a reduction, or a deposit, each alone. A lot or a cent less does not. */
        PoolAction: {
            /** @description `main` or another dex; `unified` or `portfolio` for a pool over several; the ticker of an isolated position. */
            pool: string;
            /**
             * @description `hold`: the pool is at the target, and the figures are null. `reduce`: reduce, or add margin where that is given too. `add_margin`: reducing does not help.
             * @enum {string}
             */
            kind: "hold" | "reduce" | "add_margin";
            /** @description Percent by which to reduce every position of `assets`, each rounded down to the venue's lot; fills and fees are counted. Null where reducing does not help: that of an isolated position frees its margin with it, so that only closing it whole (100) may help. */
            reduce_pct: number | null;
            /** @description The same, notional at mark of all of them, USD. */
            reduce_usd: number | null;
            /** @description Deposit in the pool, USD, whole cents. Null where none helps. */
            add_margin_usd: number | null;
            /** @description Positions of the pool; null with `hold`. */
            assets: string[] | null;
            until: components["schemas"]["ActionTarget"];
        };
        /** @description What the pool is brought to. */
        ActionTarget: {
            /** @description Its chance of liquidation within 24 hours is at most this, fraction. */
            max_probability_24h: number;
            /** @description It survives every stress scenario. */
            survive: boolean;
        };
        /** @description The wallet's risk before the trade, to compare with: the first four figures are of the trade's pool. Left out for a wallet without a position. */
        BookBefore: {
            /** @description Chance of liquidation within 24 hours, fraction; null when the pool has no position. */
            probability_24h: number | null;
            /** @description Chance of liquidation within 7 days, fraction; null when the pool has no position. */
            probability_7d: number | null;
            /** @description VaR 99 % over 24 h of the pool's positions, USD; null when it has none. */
            pool_var_99_usd: number | null;
            /** @description Largest loss of the pool in a stress scenario, USD, not limited to its equity; null when it has no position. */
            stress_loss_usd: number | null;
            /** @description VaR 99 % over 24 h of all positions, USD. */
            portfolio_var_99_usd: number;
        };
        /** @description What the wallet's resting orders mean for it. */
        OpenOrders: {
            /**
             * @description `read`: the orders were listed (`--open-orders full`); `derived`: only the margin held for them is known.
             * @enum {string}
             */
            source: "derived" | "read";
            /**
             * @description Why the orders could not be listed; left out when they were not asked for.
             * @enum {string}
             */
            reason?: "budget" | "error" | "timeout" | "too_many";
            /** @description Age of the list, ms; only with `read`. */
            age_ms?: number;
            /** @description Resting orders; only with `read`. */
            count?: number;
            /** @description Margin held for them, USD: at least this much. Of the trade's pool; of a wallet as held the sum over its pools. */
            held_usd: number;
            /** @description At most this much, USD; null: no bound is known. */
            held_most_usd: number | null;
            /** @description Both are the same. */
            exact: boolean;
            if_all_buys_fill?: components["schemas"]["OrdersFilled"];
            if_all_sells_fill?: components["schemas"]["OrdersFilled"];
            /** @description How far stop orders protect each held position; only with `read`. */
            positions?: components["schemas"]["Protection"][];
        };
        /** @description The wallet once every resting order of one side has filled; only with `read`. */
        OrdersFilled: {
            /** @description Orders of that side; 0: the wallet as it is. */
            orders: number;
            /** @description Their notional, USD. */
            notional_usd: number;
            /** @description Of all positions then, USD. */
            gross_notional_usd: number;
            /** @description Longs less shorts then, USD. */
            net_notional_usd: number;
            /** @description Equity of the pool then, USD. */
            pool_equity_usd: number;
            /** @description Initial margins then, USD. */
            initial_usd: number;
            /** @description Percent; the venue liquidates at 100. */
            maintenance_ratio_pct: number;
            /** @description The equity covers the initial margins; the venue cancels what is not covered when it fills. */
            funded: boolean;
        };
        /** @description How far stop orders protect a position. */
        Protection: {
            /** @description Ticker. */
            asset: string;
            /** @description Part of the position that stops close, percent. */
            covered_pct: number;
            /** @description Trigger of the nearest stop, USD; null without one. */
            stop_price: number | null;
            /** @description One of them is a limit order: it may not fill. */
            stop_limit: boolean;
            /** @description Stops that liquidation would beat. */
            beyond_liquidation: number;
            /** @description All but less than a lot is covered. */
            protected: boolean;
        };
        /** @description Whether the venue would take the order. */
        Admissibility: {
            /**
             * @description `unknown`: it depends on what the service cannot know: collateral or held margin that could not be read exactly, a notice of the venue.
             * @enum {string}
             */
            verdict: "ok" | "will_reject" | "unknown";
            /** @description What to send: the size rounded down to the venue's lot, coins; a reduction within one lot of the whole position is all of it. */
            order_size_coin: number;
            /** @description Its notional at mark, USD. */
            order_size_usd: number;
            /** @description Why the venue would refuse it, or may. */
            issues: components["schemas"]["Issue"][];
        };
        /** @description What the stop and the take-profit price of the request do. All members but the last are null when no position is left after the trade. */
        OrderExits: {
            /** @description The whole position closed at the stop; null without one. */
            stop_loss: components["schemas"]["ExitLevel"] | null;
            /** @description The whole position closed at the take-profit price; null without one. */
            take_profit: components["schemas"]["ExitLevel"] | null;
            /** @description Chance that the price touches the stop within 24 hours of the fill, before the take-profit price if there is one, fraction. 0 when liquidation comes before the stop; null without a stop. */
            p_stop_first: number | null;
            /** @description The stop lies beyond the liquidation price after the trade: it would never be reached. */
            stop_beyond_liquidation: boolean;
        };
        /** @description The whole position after the trade, closed at a price by a market order. */
        ExitLevel: {
            /** @description USD. */
            price: number;
            /** @description From mark, percent of it, not signed. */
            distance_pct: number;
            /** @description Change of the wallet's value from before the trade, net of slippage at entry, fees and a day of expected funding, USD; negative: a loss. */
            pnl_usd: number;
            /** @description Fees of the trade and of the exit, USD; positive: a cost. */
            fees_usd: number;
            /** @description Expected funding of 24 hours, USD; positive: the position pays. */
            funding_24h_usd: number;
        };
        /** @description One reason for which the venue would refuse the order, and what would mend it. */
        Issue: {
            /**
             * @description Rule of the venue that the order breaks.
             * @enum {string}
             */
            code: "reduce_only_would_increase" | "lot" | "min_notional" | "max_leverage" | "tier_leverage" | "insufficient_margin" | "oi_cap" | "max_market_order" | "no_liquidity" | "leverage_not_whole" | "isolated_leverage_too_low" | "market_post_only" | "venue_notice" | "margin_unknown";
            /**
             * @description Field of the request to change.
             * @enum {string}
             */
            field: "action" | "size" | "leverage" | "asset";
            /** @description What the request comes to, in the unit of the rule: USD, or a multiple for leverage; the venue's own text with `market_post_only` and `venue_notice`; null when it is not known. */
            got: unknown;
            /** @description What the venue allows, in the same unit; null when there is no such figure, or it is not known. */
            limit: number | null;
            /** @description A value of `field` that the venue would take; null when there is none. */
            fix: number | null;
            /** @description Only with `insufficient_margin`: the smallest whole leverage that carries the size; null when there is none. */
            fix_leverage?: number | null;
            /** @description Only with `insufficient_margin`: the deposit that is needed at this size and leverage, USD, up to whole cents. */
            fix_deposit_usd?: number | null;
            /** @description Only with `insufficient_margin`: chance of liquidation within 24 hours after that deposit, fraction; null when it is not known. */
            fix_deposit_probability_24h?: number | null;
            /** @description Only with `leverage_not_whole`: the whole numbers on both sides. */
            allowed?: number[];
        };
        /** @description Simulated day of the position. Left out unless `monte_carlo` was asked for. */
        MonteCarlo: {
            /** @description Paths. */
            simulations: number;
            /** @description VaR 95 %, percent of notional. */
            var_95: number;
            /** @description VaR 99 %, percent of notional. */
            var_99: number;
            /** @description Beyond VaR 95 %, percent of notional. */
            expected_shortfall_95: number;
            /** @description Beyond VaR 99 %, percent of notional. */
            expected_shortfall_99: number;
            /** @description Percent of notional. */
            median_return: number;
            /** @description Worst path, percent of notional, negative: a loss. */
            worst_case: number;
            /** @description Bounds of the central 95 % of outcomes: lower, upper. */
            confidence_interval: number[];
        };
        /** @description Tail beyond the quantiles, by extreme value theory. */
        ExtremeValue: {
            /** @description VaR 99.9 % over 24 h, percent of notional. */
            var_99_9: number;
            /** @description Beyond it, percent of notional. */
            expected_shortfall_99_9: number;
        };
        /** @description Sensitivities of the position after the fill. */
        Greeks: {
            /** @description Profit in USD for each USD of price; positive: long. */
            delta: number;
            /** @description Change of delta for each USD of price. */
            gamma: number;
            /** @description Profit in USD for each point of annual volatility. */
            vega: number;
            /** @description Profit in USD a day from funding and costs; negative: it costs. */
            theta: number;
            /** @description Change of the liquidation distance, in points, for each percent of price. */
            liquidation_gamma: number;
        };
        /** @description Liquidity regime of the asset. */
        Regime: {
            /**
             * @description State.
             * @enum {string}
             */
            state: "normal" | "stressed" | "crisis";
            /** @description Probability of that state, fraction. */
            confidence: number;
        };
        /** @description History of the asset, and stops that follow from it. */
        Drawdown: {
            /** @description Largest drawdown, percent. */
            max_drawdown_pct: number;
            /** @description From the recent peak, percent. */
            current_drawdown_pct: number;
            /** @description Equity of the position at the peak, USD. */
            peak_equity: number;
            /** @description At the trough, USD. */
            trough_equity: number;
            /** @description Of the current drawdown, hours. */
            drawdown_duration_hours: number;
            /** @description Annual return over the largest drawdown. */
            calmar_ratio: number;
            /** @description From the average true range, percent. */
            trailing_stop_distance_pct: number;
            /** @description From volatility and leverage, percent. */
            suggested_stop_loss_pct: number;
        };
        /** @description One position's share of the book's risk. */
        AttributedPosition: {
            /** @description Ticker. */
            asset: string;
            /** @description VaR less that of the book without it, USD. */
            marginal_var: number;
            /** @description Its part of the VaR, USD; the parts add up. */
            component_var: number;
            /** @description Its part in percent of the VaR. */
            component_var_pct: number;
            /**
             * @description It is a balance that counts as collateral; left out for a position.
             * @constant
             */
            collateral?: true;
        };
        /** @description Which position carries the risk of the book after the trade. */
        PortfolioAttribution: {
            /** @description VaR 99 % over 24 h of the book, USD. */
            total_var_99: number;
            /** @description How much less than the sum of the positions' own VaR, percent. */
            diversification_benefit_pct: number;
            /** @description In the account's order, collateral last. */
            positions: components["schemas"]["AttributedPosition"][];
        };
        /** @description About the answer. */
        Meta: {
            /** @description Ticker; of a trade that was not assessed the text of the request. */
            asset: string;
            /** @description USD. */
            mark_price: number;
            /** @description The asset's maximum, multiple. */
            max_leverage: number;
            /** @description Time that the service took, ms. */
            latency_ms: number;
            /** @description Age of the oldest price used, ms: best levels and mark prices, of all assets of the answer. */
            market_age_ms: number;
            /** @description Age of the account, ms. */
            wallet_age_ms: number;
            /** @description That of the header `X-Request-Id`. */
            request_id: string;
            /**
             * @description Where the data come from; `custom` is another address.
             * @enum {string}
             */
            venue: "hyperliquid-mainnet" | "hyperliquid-testnet" | "simulated" | "custom";
            /** @description What the venue announces about itself now, such as that it takes post-only orders alone; null: nothing, or it is not known. */
            venue_notice: string | null;
            /** @description The venue's word for the address of a wallet that holds nothing: `user`, `agent`, `vault`, `subAccount`, `missing`; `unknown` when it could not be read, null when nothing was asked. */
            wallet_role: string | null;
            /**
             * Format: date-time
             * @description Moment that all figures are of, UTC with milliseconds.
             */
            as_of: string;
        };
        /** @description About the answer. */
        RejectedMeta: {
            /** @description Ticker; of a trade that was not assessed the text of the request. */
            asset: string;
            /** @description USD. */
            mark_price: number;
            /** @description The asset's maximum, multiple. */
            max_leverage: number;
            /** @description Time that the service took, ms. */
            latency_ms: number;
            /** @description Age of the oldest price used, ms: best levels and mark prices, of all assets of the answer. */
            market_age_ms: number;
            /** @description Age of the account, ms. */
            wallet_age_ms: number;
            /** @description That of the header `X-Request-Id`. */
            request_id: string;
            /**
             * @description Where the data come from; `custom` is another address.
             * @enum {string}
             */
            venue: "hyperliquid-mainnet" | "hyperliquid-testnet" | "simulated" | "custom";
            /** @description What the venue announces about itself now, such as that it takes post-only orders alone; null: nothing, or it is not known. */
            venue_notice: string | null;
            /** @description The venue's word for the address of a wallet that holds nothing: `user`, `agent`, `vault`, `subAccount`, `missing`; `unknown` when it could not be read, null when nothing was asked. */
            wallet_role: string | null;
            /**
             * Format: date-time
             * @description Moment that all figures are of, UTC with milliseconds.
             */
            as_of: string;
            /** @description The rule that the trade breaks, as in `detail` of a validation error. */
            error: string;
        };
        /** @description About the answer. */
        ReportMeta: {
            /** @description Time that the service took, ms. */
            latency_ms: number;
            /** @description Age of the oldest price used, ms: best levels and mark prices, of all assets of the answer. */
            market_age_ms: number;
            /** @description Age of the account, ms. */
            wallet_age_ms: number;
            /** @description That of the header `X-Request-Id`. */
            request_id: string;
            /**
             * @description Where the data come from; `custom` is another address.
             * @enum {string}
             */
            venue: "hyperliquid-mainnet" | "hyperliquid-testnet" | "simulated" | "custom";
            /** @description What the venue announces about itself now, such as that it takes post-only orders alone; null: nothing, or it is not known. */
            venue_notice: string | null;
            /** @description The venue's word for the address of a wallet that holds nothing: `user`, `agent`, `vault`, `subAccount`, `missing`; `unknown` when it could not be read, null when nothing was asked. */
            wallet_role: string | null;
            /**
             * Format: date-time
             * @description Moment that all figures are of, UTC with milliseconds.
             */
            as_of: string;
        };
        /** @description Which engine and which parameters are behind the answer. */
        ModelVersion: {
            /** @description Semantic version of the risk engine. */
            engine_version: string;
            /** @description SHA-256 of the parameters behind this answer; zeros when nothing was assessed. */
            calibration_hash: string;
            /** @description Name of the calibration. */
            calibration_name: string;
        };
        /** @description The assessment of one trade. Liquidation, VaR, stress and funding are of the position after the fill; slippage, impact and fees are of the trade. */
        Assessment: {
            /** @description Composite score, 0 (lowest risk) to 100 (highest). */
            risk_score: number;
            /**
             * @description `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above. A trade that only reduces a position is always `proceed`.
             * @enum {string}
             */
            recommendation: "proceed" | "proceed_with_caution" | "abort";
            /** @description Concerns raised, critical ones first. */
            flags: components["schemas"]["Flag"][];
            slippage: components["schemas"]["Slippage"];
            liquidation: components["schemas"]["Liquidation"];
            funding: components["schemas"]["Funding"];
            impact: components["schemas"]["Impact"];
            var: components["schemas"]["ValueAtRisk"];
            oi: components["schemas"]["OpenInterest"];
            /** @description One entry for each scenario. */
            stress: components["schemas"]["StressResult"][];
            portfolio_risk?: components["schemas"]["PortfolioRisk"];
            portfolio_stress?: components["schemas"]["PortfolioStress"];
            fees: components["schemas"]["Fees"];
            cost_analysis: components["schemas"]["CostAnalysis"];
            sizing: components["schemas"]["Sizing"];
            position: components["schemas"]["PositionChange"];
            margin: components["schemas"]["MarginChange"];
            admissibility: components["schemas"]["Admissibility"];
            order?: components["schemas"]["OrderExits"];
            /** @description Null with `--open-orders off`. */
            open_orders: components["schemas"]["OpenOrders"] | null;
            /** @description What the venue liquidates together, after the trade; cross pools first. Left out when fewer than two have a position. */
            pools?: components["schemas"]["Pool"][];
            book_before?: components["schemas"]["BookBefore"];
            monte_carlo?: components["schemas"]["MonteCarlo"];
            day: components["schemas"]["DayMove"];
            /** @description Null with less than a day of candles. */
            evt: components["schemas"]["ExtremeValue"] | null;
            greeks: components["schemas"]["Greeks"];
            /** @description Null without a candle. */
            regime: components["schemas"]["Regime"] | null;
            /** @description `regime.state` under a name of its own, beside `var.volatility_regime`: how liquid the market is, not how much it moves. Null without a candle. */
            liquidity_regime: ("normal" | "stressed" | "crisis") | null;
            /** @description Null below 30 bars. */
            drawdown: components["schemas"]["Drawdown"] | null;
            /** @description Null when nothing is held after the trade. */
            portfolio_attribution: components["schemas"]["PortfolioAttribution"] | null;
            meta: components["schemas"]["Meta"];
            model_version: components["schemas"]["ModelVersion"];
            explanation?: components["schemas"]["Explanation"];
        };
        /** @description What stands for a trade of a batch that breaks a rule: zeros, score 100, `abort`, and the rule in `meta.error`. It changes nothing for the trades behind it. */
        RejectedTrade: {
            /** @description Composite score, 0 (lowest risk) to 100 (highest). */
            risk_score: number;
            /**
             * @description `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above. A trade that only reduces a position is always `proceed`.
             * @enum {string}
             */
            recommendation: "proceed" | "proceed_with_caution" | "abort";
            /** @description Concerns raised, critical ones first. */
            flags: components["schemas"]["Flag"][];
            slippage: components["schemas"]["Slippage"];
            liquidation: components["schemas"]["Liquidation"];
            funding: components["schemas"]["Funding"];
            impact: components["schemas"]["Impact"];
            var: components["schemas"]["ValueAtRisk"];
            oi: components["schemas"]["OpenInterest"];
            /** @description One entry for each scenario. */
            stress: components["schemas"]["StressResult"][];
            fees: components["schemas"]["Fees"];
            cost_analysis: components["schemas"]["CostAnalysis"];
            position: components["schemas"]["PositionChange"];
            margin: components["schemas"]["MarginChange"];
            admissibility: components["schemas"]["Admissibility"];
            /** @description Not assessed. */
            open_orders: null;
            meta: components["schemas"]["RejectedMeta"];
            model_version: components["schemas"]["ModelVersion"];
        };
        /** @description Assessments in the order of the trades. */
        BatchAnswer: {
            /** @description One for each trade. */
            results: (components["schemas"]["Assessment"] | components["schemas"]["RejectedTrade"])[];
        };
        /** @description One component of the score. */
        Component: {
            /**
             * @description Component.
             * @enum {string}
             */
            name: "liquidation" | "var" | "oi" | "slippage" | "funding" | "impact";
            /** @description Its figures as computed. */
            raw: {
                /** @description Distance over VaR 99 % of 24 h. */
                distance_over_var_99_24h?: number;
                /** @description Distance to liquidation, percent. */
                distance_pct?: number;
                /** @description VaR 99 % in percent of notional times `score_leverage`. */
                margin_var_99_pct?: number;
                /** @description Open interest in percent of the cap. */
                utilization_pct?: number;
                /** @description Increase in percent of open interest. */
                increase_pct_of_oi?: number;
                /** @description Slippage, basis points. */
                bps?: number;
                /** @description Funding of 24 h in percent of notional times `score_leverage`. */
                funding_drag_24h_pct?: number;
                /** @description Funding, percent a year. */
                annualized_pct?: number;
                /** @description Impact, basis points. */
                expected_bps?: number;
            };
            /** @description Points. */
            score: number;
            /** @description The weight used, fraction. */
            weight: number;
            /** @description Weight times score, points. */
            contribution: number;
        };
        /** @description A raised flag with its figures. */
        RaisedFlag: {
            name: components["schemas"]["Flag"];
            /**
             * @description Severity.
             * @enum {string}
             */
            severity: "critical" | "warning" | "info";
            /** @description The figure that raised it; 1 for a rule without a figure. */
            value: number;
            /** @description What it was held against; 0 for a rule without a figure. */
            threshold: number;
            /** @description Unit of both, empty for a rule without a figure. */
            unit: string;
            /** @description In a few words. */
            meaning: string;
        };
        /** @description How the score came about, in numbers that round-trip. With `?explain=true`. */
        Explanation: {
            /** @description All six. */
            components: components["schemas"]["Component"][];
            /** @description Sum of contributions, points. */
            base: number;
            /** @description Added for components that are bad together, points. */
            interaction: number;
            /** @description Added for the book, points. */
            portfolio: number;
            /** @description Added for the regime, points. */
            regime: number;
            /** @description The floor under the score that each hard rule sets, 0 where it does not apply. Rules: docs/model.md. */
            hard_rules: {
                /** @description Points. */
                H1: number;
                /** @description Points. */
                H2: number;
                /** @description Points. */
                H3: number;
                /** @description Points. */
                H4: number;
                /** @description Points. */
                H5: number;
                /** @description Points. */
                H6: number;
                /** @description Points. */
                H7: number;
                /** @description Points. */
                H7b: number;
                /** @description Points. */
                H8: number;
                /** @description Points. */
                H9: number;
                /** @description Points. */
                H10: number;
                /** @description Points. */
                H11: number;
                /** @description Points. */
                H12: number;
                /** @description Points. */
                H13: number;
                /** @description Points. */
                H14: number;
            };
            /** @description The highest floor, points. */
            floor: number;
            /** @description The score before its rounding to 1e-4. */
            raw_score: number;
            /** @description The open-interest cap is a guess: `oi` has no weight. */
            oi_cap_estimated: boolean;
            /** @description Leverage that the score sees, multiple. */
            score_leverage: number;
            /** @description Figures of other blocks as computed. */
            inputs: {
                /** @description Percent. */
                pct_99_24h: number;
                /** @description Percent. */
                pct_99_4h: number;
                /** @description Fraction. */
                probability_24h: number | null;
                /** @description Fraction. */
                probability_7d: number | null;
                /** @description Share of the room to liquidation that the worst stress scenario takes, of the trade's pool after the trade; of an isolated position at most 1, times its share of the wallet. 1 and more: it dies. */
                stress_load: number;
                /** @description Share of the room to liquidation that a day's funding takes. */
                funding_share: number;
                /** @description Basis points. */
                total_round_trip_cost_bps: number;
                /** @description Percent. */
                participation_pct: number;
            };
            /** @description How far the trade counts as one that lowers the risk of its pool, fraction. */
            hedge_weight: number;
            /** @description Score of the pool's positions as held, towards which `hedge_weight` pulls; null without such a weight. */
            score_before: number | null;
            /** @description The figures of `book_before` after the trade. */
            book_after: {
                /** @description Fraction; null when the pool has no position. */
                probability_24h: number | null;
                /** @description Fraction; null when the pool has no position. */
                probability_7d: number | null;
                /** @description USD; null when the pool has no position. */
                pool_var_99_usd: number | null;
                /** @description USD; null when the pool has no position. */
                stress_loss_usd: number | null;
                /** @description USD; null when nothing is held. */
                portfolio_var_99_usd: number | null;
            };
            /** @description What the wallet loses at 99 % over 24 h, each other pool at most its equity, USD; behind the portfolio term and H6. */
            portfolio_loss_99: number;
            /** @description Those of `portfolio_stress`, also for the first trade of a wallet. */
            failed_scenarios: components["schemas"]["Scenario"][];
            /** @description What kept the suggested size down: a hard rule, or `score`; null where neither did. */
            size_rule: string | null;
            /**
             * @description Where the margin mode comes from. The venue opens in the wallet's setting until it is changed there: an order carries no mode.
             * @enum {string}
             */
            mode_source: "request" | "position" | "setting" | "default";
            /**
             * @description Where the leverage comes from.
             * @enum {string}
             */
            leverage_source: "request" | "position" | "setting" | "default";
            /** @description What the answer would use and is still to be read. */
            loading: {
                /**
                 * @description Older bars, paid funding rates, or the pairs of the book.
                 * @enum {string}
                 */
                what: "candles" | "funding" | "pairs";
                /** @description Ticker; null for pairs. */
                asset: string | null;
                /** @description Estimate, seconds; null when it is not known. */
                ready_in_s: number | null;
            }[];
            /** @description Before the trade, USD. */
            account_value: number;
            /** @description Open positions after the trade. */
            positions_after: number;
            /** @description Joint loss of the book after the trade, USD. */
            portfolio_var_99_24h: number;
            /** @description Filtered probabilities, fractions. */
            regime_probabilities: {
                /** @description Fraction. */
                normal: number;
                /** @description Fraction. */
                stressed: number;
                /** @description Fraction. */
                crisis: number;
            };
            /** @description Breakeven move, percent of margin. */
            breakeven_move_pct_of_margin: number;
            /** @description Ages of the book. */
            slippage: {
                /** @description Best levels, ms. */
                book_age_ms: number;
                /** @description Levels behind them, ms; null before any has come. */
                depth_age_ms: number | null;
            };
            /** @description Ages of the asset's context. */
            context: {
                /** @description Mark price, ms. */
                mark_age_ms: number;
                /** @description Oracle price, funding rate, open interest and volume, ms; null before any has come. */
                slow_age_ms: number | null;
            };
            /** @description History of funding. */
            funding: {
                /** @description Paid hourly rates known. */
                paid_rates: number;
            };
            /** @description The widest gap between a mark and another reading of the same price; null when all are equal. */
            divergence: {
                /**
                 * @description The other reading.
                 * @enum {string}
                 */
                with: "mid" | "oracle" | "wallet";
                /** @description USD. */
                mark: number;
                /** @description USD. */
                other: number;
                /** @description Gap, percent of the mark. */
                pct: number;
                /** @description Age of the mark that was compared, ms. */
                mark_age_ms: number | null;
                /** @description Age of the other reading, ms. */
                other_age_ms: number | null;
            } | null;
            /** @description Each constraint on the size, USD. */
            sizing: {
                /** @description USD. */
                book_depth: number;
                /** @description USD. */
                oi_capacity: number;
                /** @description USD. */
                margin_headroom: number;
                /** @description USD. */
                market_impact: number;
            };
            /** @description Sampling errors, only with a simulation. */
            monte_carlo?: {
                /** @description Standard error of VaR 95 %, percent. */
                var_95_se: number;
                /** @description Standard error of VaR 99 %, percent. */
                var_99_se: number;
                /** @description Share of the simulated paths that reach the liquidation price, fraction. Their hours are no larger than last year's: smaller than `probability_24h`. */
                liquidated_share: number;
            };
            /** @description Behind the Greeks. */
            greeks: {
                /** @description Chance that the price touches liquidation, fraction. */
                touch_probability: number;
                /** @description Loss then, USD. */
                loss_at_touch_usd: number;
            };
            /** @description In the order of `flags`. */
            flags: components["schemas"]["RaisedFlag"][];
        };
        /** @description A position as held, assessed without a trade and priced at the cost of closing it whole. */
        HeldPosition: {
            /** @description Ticker. */
            asset: string;
            /** @description Coins, negative: short. */
            size: number;
            /** @description USD; null when the venue gives none. */
            entry_price: number | null;
            /** @description USD. */
            mark_price: number;
            /** @description USD, negative: a loss; null without an entry price. */
            unrealized_pnl: number | null;
            /** @description Percent of the margin used, negative: a loss; null without an entry price. */
            unrealized_pnl_pct: number | null;
            /** @description Composite score, 0 (lowest risk) to 100 (highest). */
            risk_score: number;
            /**
             * @description `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above. A trade that only reduces a position is always `proceed`.
             * @enum {string}
             */
            recommendation: "proceed" | "proceed_with_caution" | "abort";
            /** @description Concerns raised, critical ones first. */
            flags: components["schemas"]["Flag"][];
            /** @description USD; null when there is none. */
            liquidation_price: number | null;
            /** @description Percent of mark; 100 when there is none. */
            liquidation_distance_pct: number;
            /** @description Funding of 24 h in percent of margin, positive: you pay. */
            funding_drag_24h_pct: number;
            /** @description Chance that the position's pool is liquidated at any time within 24 hours, fraction. Of the trade's pool after the trade, flat trades too; null only in a portfolio-margin account that could not be read. */
            probability_24h: number | null;
            /** @description Chance that the position's pool is liquidated at any time within 7 days, fraction. Of the trade's pool after the trade, flat trades too; null only in a portfolio-margin account that could not be read. */
            probability_7d: number | null;
            /** @description Null without a candle. */
            regime: components["schemas"]["Regime"] | null;
            /** @description `regime.state` under a name of its own. Null without a candle. */
            liquidity_regime: ("normal" | "stressed" | "crisis") | null;
            var: components["schemas"]["ValueAtRisk"];
            /** @description What its pool needs. Null for a portfolio-margin pool that could not be read. */
            action: components["schemas"]["PoolAction"] | null;
        };
        /** @description The wallet as held. */
        WalletReport: {
            /** @description Lower case. */
            wallet: string;
            /** @description Equity, USD; may be negative. */
            account_value: number;
            /** @description Initial margin of cross positions plus equity of isolated ones, USD. */
            total_margin_used: number;
            margin: components["schemas"]["WalletMargin"];
            /** @description In the account's order. */
            positions: components["schemas"]["HeldPosition"][];
            /** @description Null with `--open-orders off`. */
            open_orders: components["schemas"]["OpenOrders"] | null;
            /** @description What the venue liquidates together; cross pools first. Left out when fewer than two have a position. */
            pools?: components["schemas"]["Pool"][];
            portfolio_risk?: components["schemas"]["PortfolioRisk"];
            portfolio_stress?: components["schemas"]["PortfolioStress"];
            meta: components["schemas"]["ReportMeta"];
            model_version: components["schemas"]["ModelVersion"];
        };
        /** @description A trade of which the size is asked for. `null` for an optional field equals leaving it out. */
        SizeRequest: {
            /**
             * @description The venue's ticker, case-sensitive, as in `GET /v1/assets`. Listed, not delisted.
             * @example BTC
             */
            asset: string;
            /**
             * @description Adds to the position of the wallet; against a position it reduces it first, then turns it.
             * @enum {string}
             */
            action: "long" | "short";
            /** @description Address of the account: `0x` and 40 hexadecimal digits, compared without case. It need not exist at the venue. */
            wallet: string;
            /** @description Multiple, up to the asset's maximum. Left out: the one with which the size is the largest is searched. */
            leverage?: number | null;
            /** @description Margin mode of a new position; an open position keeps its own. Left out: the wallet's setting at the venue, else `cross`. An asset that is isolated only wants `isolated`. */
            mode?: ("cross" | "isolated") | null;
            /**
             * @description Only false: sizes are searched without a simulation.
             * @default false
             */
            monte_carlo?: boolean | null;
            target: components["schemas"]["SizeTarget"];
            /**
             * @description Add `curve`. Left out: true.
             * @default true
             */
            curve?: boolean | null;
            /** @description Add `ladder`. Left out: true without `leverage`, false with it. */
            ladder?: boolean | null;
        };
        /** @description What the size must meet: exactly one limit. Figures are compared as answers show them. */
        SizeTarget: {
            /** @description Highest `risk_score`, points; 40 is the highest that proceeds. */
            max_score?: number;
            /** @description Highest `liquidation.probability_24h`, fraction: 0.05 is 5 %. */
            max_probability_24h?: number;
            /** @description Highest loss of the whole wallet within a day at 99 %, another pool at most its equity, percent of the account value before the trade: `explanation.portfolio_loss_99` over `explanation.account_value`, times 100. */
            max_loss_99_pct_of_account?: number;
            /** @description Highest `cost_analysis.breakeven_move_pct`, percent of price. */
            max_breakeven_pct?: number;
        };
        /** @description The largest order that the venue takes and that meets the target. */
        SizeAnswer: {
            /** @description The largest size, USD at mark; 0 when no order meets the target. */
            size_usd: number;
            /** @description The same in coins, whole lots. */
            size_coin: number;
            /** @description Of the request; without one, the smallest whole leverage with which the size is the largest. */
            leverage: number;
            /** @description What stops one lot more: the name of the target; a rule of the venue, by its code in `admissibility.issues` (`insufficient_margin`, `tier_leverage`, `oi_cap`, `max_market_order`, ...); or `max_size`, the largest size of a request. Of a size of 0: what stops the smallest order. */
            binding: string;
            /** @description The smallest order, when `size_usd` is 0; null otherwise. */
            nearest: components["schemas"]["NearestSize"] | null;
            /** @description Size from which on the venue would refuse the order, USD; null when that is above the curve. The curve goes on beyond it. */
            venue_limit_usd: number | null;
            /** @description 33 sizes at `leverage`, evenly spaced in their logarithm, from the smallest order to three times the answer; without an answer, to three times the largest order that the venue takes. Empty when not asked for. */
            curve: components["schemas"]["SizePoint"][];
            /** @description The largest order with each of up to twelve of the asset's whole leverages, smallest first. Empty when not asked for. */
            ladder: components["schemas"]["SizeRung"][];
            /** @description Of the answer; when `size_usd` is 0, of the smallest order, which does not meet the target or which the venue refuses. */
            assessment: components["schemas"]["Assessment"];
        };
        /** @description The compact view of `SizeAnswer`: its assessment is compact. */
        CompactSizeAnswer: {
            /** @description The largest size, USD at mark; 0 when no order meets the target. */
            size_usd: number;
            /** @description The same in coins, whole lots. */
            size_coin: number;
            /** @description Of the request; without one, the smallest whole leverage with which the size is the largest. */
            leverage: number;
            /** @description What stops one lot more: the name of the target; a rule of the venue, by its code in `admissibility.issues` (`insufficient_margin`, `tier_leverage`, `oi_cap`, `max_market_order`, ...); or `max_size`, the largest size of a request. Of a size of 0: what stops the smallest order. */
            binding: string;
            /** @description The smallest order, when `size_usd` is 0; null otherwise. */
            nearest: components["schemas"]["NearestSize"] | null;
            /** @description Size from which on the venue would refuse the order, USD; null when that is above the curve. The curve goes on beyond it. */
            venue_limit_usd: number | null;
            /** @description 33 sizes at `leverage`, evenly spaced in their logarithm, from the smallest order to three times the answer; without an answer, to three times the largest order that the venue takes. Empty when not asked for. */
            curve: components["schemas"]["SizePoint"][];
            /** @description The largest order with each of up to twelve of the asset's whole leverages, smallest first. Empty when not asked for. */
            ladder: components["schemas"]["SizeRung"][];
            /** @description Of the answer; when `size_usd` is 0, of the smallest order, which does not meet the target or which the venue refuses. */
            assessment: components["schemas"]["CompactAssessment"];
        };
        /** @description The smallest order, with every figure that a target can bound. */
        NearestSize: {
            /** @description USD at mark. */
            size_usd: number;
            /** @description Coins, whole lots. */
            size_coin: number;
            /** @description Points. */
            risk_score: number;
            /** @description Chance of liquidation within 24 hours, fraction; null only in a portfolio-margin account that could not be read. */
            probability_24h: number | null;
            /** @description Loss of the wallet within a day at 99 %, percent of the account value, positive: a loss. */
            loss_99_pct_of_account: number;
            /** @description Move that covers the costs of a round trip, percent of price. */
            breakeven_pct: number;
            /** @description The limit of the request's target. */
            limit: number;
        };
        /** @description Figures of one size, those of its validation. */
        SizePoint: {
            /** @description USD at mark; not rounded to whole lots. */
            size_usd: number;
            /** @description Points. */
            risk_score: number;
            /** @description Chance of liquidation within 24 hours, fraction; null only in a portfolio-margin account that could not be read. */
            probability_24h: number | null;
            /** @description Distance from mark to liquidation price, percent of mark; 100 when there is none. */
            liquidation_distance_pct: number;
            /** @description Total cost of entry, basis points of the size, positive: a cost. */
            entry_cost_bps: number;
            /** @description The hard rule that sets the score (`H1` to `H14`, `H7b`); null when none does. */
            rule: string | null;
        };
        /** @description The largest order with one leverage. The figures are those of its validation, null when `size_usd` is 0. */
        SizeRung: {
            /** @description Multiple. */
            leverage: number;
            /**
             * @description Margin mode of the position.
             * @enum {string}
             */
            mode: "cross" | "isolated";
            /** @description USD at mark; 0 when no order meets the target. */
            size_usd: number;
            /** @description Coins, whole lots. */
            size_coin: number;
            /** @description Points. */
            risk_score: number | null;
            /** @description Chance of liquidation within 24 hours, fraction. */
            probability_24h: number | null;
            /** @description USD; null also when there is none. */
            liquidation_price: number | null;
            /** @description As in the answer. */
            binding: string;
        };
        /** @description Price moves of your own for a wallet. */
        ShockRequest: {
            /** @description Address of the account: `0x` and 40 hexadecimal digits, compared without case. It need not exist at the venue. */
            wallet: string;
            /** @description The wallet after this trade, filled at its estimated price. Left out: the wallet as it is. */
            trade?: components["schemas"]["BatchTrade"] | null;
            /** @description Move of each asset, percent of its mark, above -100, by ticker; `*` stands for every asset that is not named, collateral included. An asset neither named nor covered by `*` stays. */
            shocks: {
                [key: string]: number;
            };
        };
        /** @description The wallet after the moves. */
        ShockReport: {
            /** @description Lower case. */
            wallet: string;
            /** @description Move applied to each asset of the wallet, percent. */
            shocks: {
                [key: string]: number;
            };
            /** @description Named assets that the wallet does not hold. */
            unused: string[];
            /** @description Profit or loss of all pools, USD, negative: a loss; a pool that dies loses its equity. */
            pnl_usd: number;
            /** @description Account value then, USD. */
            account_value_usd: number;
            /** @description No cross pool dies, nor isolated ones that are nine tenths of the wallet, and a dollar is left. */
            account_survives: boolean;
            /** @description Those with a position, cross pools first. */
            pools: components["schemas"]["ShockedPool"][];
            /** @description Cross positions, collateral, then isolated ones. */
            positions: components["schemas"]["ShockedPosition"][];
            meta: components["schemas"]["ReportMeta"];
        };
        /** @description One pool after the moves. */
        ShockedPool: {
            /** @description Dex, empty for the main one; null for a pool over several. */
            dex: string | null;
            /**
             * @description How its collateral is shared.
             * @enum {string}
             */
            mode: "cross" | "isolated" | "unified" | "portfolio";
            /** @description Ticker of an isolated position; null otherwise. */
            asset: string | null;
            /** @description Then, USD; 0 or its debt when it dies. */
            equity_usd: number;
            /** @description Maintenance margin at the moved prices, USD. */
            maintenance_usd: number;
            /** @description In percent of the equity before anything is liquidated; the venue liquidates at 100. */
            maintenance_ratio_pct: number;
            /** @description USD, negative: a loss. */
            pnl_usd: number;
            /** @description It is not liquidated. */
            survives: boolean;
            /** @description All of a pool that dies. */
            positions_liquidated: number;
        };
        /** @description One position after the moves. */
        ShockedPosition: {
            /** @description Ticker. */
            asset: string;
            /** @description Before the moves, USD. */
            notional_usd: number;
            /** @description Its move, percent. */
            shock_pct: number;
            /** @description USD, negative: a loss; not limited to the equity of its pool. */
            pnl_usd: number;
            /** @description Its pool dies. */
            liquidated: boolean;
            /**
             * @description It is a balance that counts as collateral; left out for a position.
             * @constant
             */
            collateral?: true;
        };
        /** @description Largest leverage from a notional on. */
        MarginTier: {
            /** @description Notional from which it holds, USD. */
            lower_bound: number;
            /** @description Multiple. */
            max_leverage: number;
        };
        /** @description How precisely the book is known. */
        AssetBook: {
            /** @description Levels on the thinner side. */
            levels: number;
            /** @description How far they reach from the mid, percent; null while one side is empty. */
            depth_pct: number | null;
            /** @description How often the best levels are renewed, ms; null when nobody knows. */
            cadence_ms: number | null;
            /** @description Age of the best levels, ms. */
            age_ms: number;
            /** @description How often the levels behind them are renewed, ms; null when nobody knows. */
            depth_cadence_ms: number | null;
            /** @description Age of the levels behind them, ms; null when nobody knows. */
            depth_age_ms: number | null;
        };
        /** @description One listed asset. Live figures are null when nothing fresh is known. */
        Asset: {
            /** @description Ticker. */
            name: string;
            /** @description USD. */
            mark_price: number | null;
            /** @description Multiple. */
            max_leverage: number;
            /**
             * @deprecated
             * @description The hourly rate under its old name; use `funding_rate`.
             */
            funding_rate_8h: number | null;
            /** @description Fraction per hour, positive: longs pay. */
            funding_rate: number | null;
            /** @description Open interest, USD, one side. */
            oi: number | null;
            /** @description USD. */
            volume_24h: number | null;
            /** @description Mark price against that of 24 h ago, percent; null when the venue gives none. */
            change_24h_pct: number | null;
            /** @description Isolated margin only. */
            only_isolated: boolean;
            /** @description By rising bound. */
            margin_tiers: components["schemas"]["MarginTier"][];
            /** @description Age of the mark price, ms; null when nobody knows. */
            mark_age_ms: number | null;
            /** @description Open interest is at its cap, so nothing can be opened; null until the caps are read. */
            at_cap: boolean | null;
            /** @description Best ask less best bid, basis points of the mid; null while a side of the book is empty. */
            spread_bps: number | null;
            /** @description What rests within 10 bps of the mid on the thinner side, USD; null while a side of the book is empty. */
            depth_10bps_usd: number | null;
            /** @description State of the market by the last fit; null without a fit. */
            liquidity_regime: ("normal" | "stressed" | "crisis") | null;
            /** @description Forecast volatility of the next day, annualised fraction; null without a fit. */
            sigma_1d: number | null;
            /** @description Null when no fresh book is known. */
            book: components["schemas"]["AssetBook"] | null;
            /** @description With four decimals. Null without candles. */
            day: components["schemas"]["DayMove"] | null;
        };
        /** @description All assets that are not delisted. */
        Assets: {
            /** @description In the venue's order. */
            assets: components["schemas"]["Asset"][];
        };
        /** @description What rests on one side of the book. */
        DepthSide: {
            /** @description Within 10 bps of the mid, USD. */
            usd_10bps: number;
            /** @description Within 50 bps, USD. */
            usd_50bps: number;
            /** @description Within 100 bps, USD. */
            usd_100bps: number;
        };
        /** @description How far an asset may move within some hours, percent of the price: one time in 100 it ends lower, one in 100 higher. */
        MoveRange: {
            /** @description The fall, negative or 0. */
            down_99_pct: number;
            /** @description The rise, positive or 0. */
            up_99_pct: number;
        };
        /** @description What is known of one asset. What is missing or older than 30 s is null. */
        MarketData: {
            /** @description Ticker. */
            asset: string;
            /** @description USD. */
            mark_price: number | null;
            /** @description USD. */
            oracle_price: number | null;
            /** @description Of the book; of a book with one empty side that which the venue tells, USD. */
            mid_price: number | null;
            /** @description Best ask less best bid, basis points of the mid. */
            spread_bps: number | null;
            /** @description What rests near the mid. Null when a side of the book is empty. */
            depth: {
                bids: components["schemas"]["DepthSide"];
                asks: components["schemas"]["DepthSide"];
            } | null;
            /** @description Of the depth within 50 bps; positive: more bids. */
            imbalance: number | null;
            /** @description Fraction per hour, positive: longs pay. */
            funding_rate: number | null;
            /** @description USD, one side. */
            open_interest_usd: number | null;
            /** @description USD. */
            volume_24h_usd: number | null;
            /** @description By the last fit; that of an assessment also looks at the book. Null without a fit. */
            regime: components["schemas"]["Regime"] | null;
            /** @description `regime.state` under a name of its own. Null without a fit. */
            liquidity_regime: ("normal" | "stressed" | "crisis") | null;
            /** @description Null without a fit. */
            volatility_forecast: components["schemas"]["VolatilityForecast"] | null;
            /** @description By the last fit. Null without candles. */
            day: components["schemas"]["DayMove"] | null;
            /** @description Within four hours, by the last fit. Null without candles. */
            four_hours: components["schemas"]["MoveRange"] | null;
            /** @description Within seven days, by the last fit. Null without candles. */
            week: components["schemas"]["MoveRange"] | null;
            /** @description How old each part is. */
            ages: {
                /** @description Mark price, ms; null when nobody knows. */
                mark_ms: number | null;
                /** @description Oracle price, funding rate, open interest and volume, ms; null when nobody knows. */
                slow_ms: number | null;
                /** @description Best levels of the book, ms; null when nobody knows. */
                book_ms: number | null;
                /** @description Levels behind them, ms; null when nobody knows. */
                depth_ms: number | null;
                /** @description Close of the newest bar behind regime and forecast, ms; null when nobody knows. */
                fit_ms: number | null;
            };
            /** @description The last ones held, newest first. */
            mids: {
                /** @description When it was received, ms since 1970. */
                at_ms: number;
                /** @description USD. */
                mid_price: number;
            }[];
        };
        /** @description About the answer. */
        CompactMeta: {
            /** @description That of the header `X-Request-Id`. */
            request_id: string;
            /**
             * Format: date-time
             * @description Moment that all figures are of, UTC with milliseconds.
             */
            as_of: string;
            /**
             * @description Where the data come from; `custom` is another address.
             * @enum {string}
             */
            venue: "hyperliquid-mainnet" | "hyperliquid-testnet" | "simulated" | "custom";
            /** @description Age of the oldest price used, ms: best levels and mark prices, of all assets of the answer. */
            market_age_ms: number;
            /** @description Age of the account, ms. */
            wallet_age_ms: number;
        };
        /** @description A raised flag. */
        CompactFlag: {
            name: components["schemas"]["Flag"];
            /**
             * @description Severity.
             * @enum {string}
             */
            severity: "critical" | "warning" | "info";
            /** @description Meaning, with figure, threshold and unit where it has them; left out where there is no room. */
            text?: string;
        };
        /** @description Margin of the wallet. */
        CompactMargin: {
            /** @description USD; may be negative. */
            account_value: number;
            /** @description USD. */
            free: number;
            /** @description Percent; the venue liquidates at 100. */
            maintenance_ratio_pct: number;
        };
        /** @description The worst scenario of the wallet; of the trade where the wallet has no position before it. */
        CompactStress: {
            scenario: components["schemas"]["Scenario"];
            /** @description USD, negative: a loss. */
            pnl_usd: number;
            /** @description The account, or else the trade's pool, survives it. */
            survives: boolean;
        };
        /** @description The whole position closed at a price. */
        CompactExitLevel: {
            /** @description USD. */
            price: number;
            /** @description Net change of the wallet's value, USD; negative: a loss. */
            pnl_usd: number;
        };
        /** @description The assessment of one trade in at most 1,200 bytes, with `?view=compact`, longer only where the texts of critical flags need it. Numbers have six digits that count. */
        CompactAssessment: {
            /** @description Composite score, 0 (lowest risk) to 100 (highest). */
            risk_score: number;
            /**
             * @description `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above. A trade that only reduces a position is always `proceed`.
             * @enum {string}
             */
            recommendation: "proceed" | "proceed_with_caution" | "abort";
            /** @description One or two sentences: verdict, what drives it, what would be acceptable. */
            summary: string;
            /** @description Chance that the position's pool is liquidated at any time within 24 hours, fraction. Of the trade's pool after the trade, flat trades too; null only in a portfolio-margin account that could not be read. */
            probability_24h: number | null;
            /** @description USD; null when there is none. */
            liquidation_price: number | null;
            /** @description Percent of mark; 100 when there is none. */
            liquidation_distance_pct: number;
            /** @description VaR 99 % over 24 h of the position after the fill, USD. */
            var_99_24h_usd: number;
            /** @description Slippage, impact and fee, basis points. */
            entry_cost_bps: number;
            /** @description Entry and exit, basis points. */
            round_trip_cost_bps: number;
            /** @description Expected funding of 24 h of the position after the fill, USD, positive: you pay. */
            funding_24h_usd: number;
            /** @description The size to send, USD: at this size the answer is `proceed`, unless the market changes; 0: there is none. */
            suggested_size_usd: number;
            /** @description Largest size within the four limits (book depth, open interest, margin with the loss, market impact), USD, made smaller where the score allows nothing near it. It is not itself checked: the answer at this size may be `abort`. Send `suggested_size_usd`. */
            max_safe_size_usd: number;
            /**
             * @description The constraint that binds.
             * @enum {string}
             */
            size_limit_reason: "book_depth" | "oi_capacity" | "margin_headroom" | "market_impact";
            /** @description The position after the fill; null when flat. */
            position_after: {
                /**
                 * @description Direction.
                 * @enum {string}
                 */
                side: "long" | "short";
                /** @description Coins, not signed. */
                size_coin: number;
                /** @description USD at mark. */
                notional_usd: number;
                /** @description Leverage setting, multiple. */
                leverage: number;
                /**
                 * @description Margin mode.
                 * @enum {string}
                 */
                mode: "cross" | "isolated";
                /** @description Average entry price, USD; null when the venue gives none. */
                entry_price: number | null;
            } | null;
            margin_after: components["schemas"]["CompactMargin"];
            worst_stress: components["schemas"]["CompactStress"];
            /** @description What the stop and the take-profit price of the request do; left out when it has neither. */
            order?: {
                /** @description Null without a stop, or without a position. */
                stop_loss: components["schemas"]["CompactExitLevel"] | null;
                /** @description Null without a take-profit price, or without a position. */
                take_profit: components["schemas"]["CompactExitLevel"] | null;
                /** @description Chance that the price touches the stop within 24 hours of the fill, before the take-profit price if there is one, fraction; null without a stop. */
                p_stop_first: number | null;
                /** @description Liquidation comes before the stop. */
                stop_beyond_liquidation: boolean;
            };
            /** @description Pools at risk besides the trade's; left out when there is none. */
            other_pools?: number;
            /** @description Whether the venue would take the order. */
            admissibility: {
                /**
                 * @description `unknown`: it depends on what the service cannot know: collateral or held margin that could not be read exactly, a notice of the venue.
                 * @enum {string}
                 */
                verdict: "ok" | "will_reject" | "unknown";
            };
            meta: components["schemas"]["CompactMeta"];
            /** @description Concerns raised, critical ones first. */
            flags: components["schemas"]["CompactFlag"][];
            /** @description Flags for which there was no room. */
            more_flags?: number;
        };
        /** @description What stands for a trade of a batch that breaks a rule. */
        CompactRejectedTrade: {
            /**
             * @description The highest.
             * @constant
             */
            risk_score: 100;
            /**
             * @description Not assessed.
             * @constant
             */
            recommendation: "abort";
            /** @description The rule in a sentence. */
            summary: string;
            /** @description The rule that the trade breaks. */
            error: string;
            /** @description None. */
            flags: components["schemas"]["CompactFlag"][];
            meta: components["schemas"]["CompactMeta"];
        };
        /** @description Compact views in the order of the trades. */
        CompactBatchAnswer: {
            /** @description One for each trade. */
            results: (components["schemas"]["CompactAssessment"] | components["schemas"]["CompactRejectedTrade"])[];
        };
        /** @description A position as held. */
        CompactPosition: {
            /** @description Ticker. */
            asset: string;
            /** @description Coins, negative: short. */
            size_coin: number;
            /** @description USD at mark. */
            notional_usd: number;
            /** @description USD, negative: a loss; null without an entry price. */
            unrealized_pnl_usd: number | null;
            /** @description Composite score, 0 (lowest risk) to 100 (highest). */
            risk_score: number;
            /**
             * @description `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above. A trade that only reduces a position is always `proceed`.
             * @enum {string}
             */
            recommendation: "proceed" | "proceed_with_caution" | "abort";
            /** @description Chance that the position's pool is liquidated at any time within 24 hours, fraction. Of the trade's pool after the trade, flat trades too; null only in a portfolio-margin account that could not be read. */
            probability_24h: number | null;
            /** @description USD; null when there is none. */
            liquidation_price: number | null;
            /** @description Percent of mark; 100 when there is none. */
            liquidation_distance_pct: number;
            /** @description Funding of 24 h in percent of margin, positive: you pay. */
            funding_drag_24h_pct: number;
            /** @description Concerns raised, critical ones first. */
            flags: components["schemas"]["CompactFlag"][];
            action?: components["schemas"]["CompactAction"];
        };
        /** @description What the position's pool needs; left out where it needs nothing. Figures are rounded up to six digits. */
        CompactAction: {
            /** @description `main` or another dex; `unified` or `portfolio` for a pool over several; the ticker of an isolated position. */
            pool: string;
            /**
             * @description `reduce`: reduce, or add margin where that is given too. `add_margin`: reducing does not help.
             * @enum {string}
             */
            kind: "reduce" | "add_margin";
            /** @description Percent by which to reduce every position of the pool; null where that does not help. */
            reduce_pct: number | null;
            /** @description Deposit in the pool, USD; null where none helps. */
            add_margin_usd: number | null;
        };
        /** @description The wallet as held, with `?view=compact`. */
        CompactWalletReport: {
            /** @description Lower case. */
            wallet: string;
            /** @description What the pools need that are not at the target, or the position with the highest score. */
            summary: string;
            margin: components["schemas"]["CompactMargin"];
            /** @description VaR 99 % over 24 h of the book, USD. */
            var_99_24h_usd: number;
            /** @description In the account's order. */
            positions: components["schemas"]["CompactPosition"][];
            /** @description Left out without positions. */
            worst_stress?: components["schemas"]["CompactStress"];
            meta: components["schemas"]["CompactMeta"];
        };
        /** @description An error of JSON-RPC 2.0. */
        McpError: {
            /**
             * @description Version.
             * @constant
             */
            jsonrpc: "2.0";
            /** @description That of the request, byte by byte; null when it has none that can be read. */
            id: unknown;
            /** @description The message could not be answered. */
            error: {
                /** @description By JSON-RPC and the protocol. */
                code: number;
                /** @description A sentence. */
                message: string;
                /** @description By the code. Of a refusal by the service (-32000): the members of an error of HTTP, with `retry_after_s`. */
                data?: unknown;
            };
        };
        /** @description Weights of the components, fractions that add up to 1. */
        Weights: {
            /** @description Fraction. */
            liquidation: number;
            /** @description Fraction. */
            var: number;
            /** @description Fraction. */
            oi: number;
            /** @description Fraction. */
            slippage: number;
            /** @description Fraction. */
            funding: number;
            /** @description Fraction. */
            impact: number;
        };
        /** @description The model behind the answers. */
        ModelInfo: {
            /** @description Semantic version of the risk engine. */
            engine_version: string;
            /** @description Name of the calibration. */
            calibration_name: string;
            /** @description SHA-256 of all parameters. */
            calibration_hash: string;
            /** @description Assets with a fit. */
            calibrated_assets: number;
            /** @description Constants of the fits, by part; left out before the first fit. */
            calibration_constants?: {
                [key: string]: unknown;
            };
            weights: components["schemas"]["Weights"];
            /** @description Used while the open-interest cap is a guess. */
            weights_without_oi: components["schemas"]["Weights"];
            /** @description By rising score. */
            bands: {
                /**
                 * @description `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above. A trade that only reduces a position is always `proceed`.
                 * @enum {string}
                 */
                recommendation: "proceed" | "proceed_with_caution" | "abort";
                /** @description Points. */
                score_up_to: number;
            }[];
            /** @description Highest score of a trade that only reduces a position, points. */
            close_score_cap: number;
            /** @description All scenarios. */
            scenarios: {
                id: components["schemas"]["Scenario"];
                /** @description In words. */
                description: string;
                /** @description When it was. */
                window_utc: string;
                /** @description By tier: BTC, ETH, large assets, all others. */
                shocks: {
                    /** @description The low, or the high of a squeeze, percent. */
                    extreme_pct: number;
                    /** @description At the end, percent. */
                    final_pct: number;
                }[];
                /** @description Length, hours. */
                hours: number;
                /** @description Mean funding, percent an hour, positive: longs pay. */
                funding_pct_per_hour: number;
                /** @description Spread against today, times. */
                spread_multiple: number;
                /** @description Depth against today, times. */
                depth_multiple: number;
                /** @description Marked at the final move instead of the extreme. */
                mark_at_final: boolean;
                /** @description Moves of assets that were recorded themselves in the window, by ticker; they apply in place of the tier's. Left out when there are none. */
                recorded?: {
                    [key: string]: {
                        /** @description The low, or the high of a squeeze, percent. */
                        extreme_pct: number;
                        /** @description At the end, percent. */
                        final_pct: number;
                    };
                };
            }[];
            /** @description All flags, in the order in which they are printed. */
            flags: {
                name: components["schemas"]["Flag"];
                /**
                 * @description Severity.
                 * @enum {string}
                 */
                severity: "critical" | "warning" | "info";
                /** @description The rule. */
                raised_when: string;
                /** @description In a few words. */
                meaning: string;
                /** @description Unit of value and threshold, empty without any. */
                unit: string;
            }[];
            /** @description All curves of the score. */
            curves: {
                /** @description Name. */
                name: string;
                /** @description By rising x. */
                knots: {
                    /** @description Figure. */
                    x: number;
                    /** @description Points or factor. */
                    y: number;
                }[];
            }[];
            /** @description All constants of the engine. */
            constants: {
                /** @description Name; its end is its unit. */
                name: string;
                /** @description Value. */
                value: number;
            }[];
        };
        /** @description How the VaR of one side and level has fared. */
        CoverageRow: {
            /**
             * @description Side of the position.
             * @enum {string}
             */
            side: "long" | "short";
            /**
             * @description Level of the VaR.
             * @enum {number}
             */
            level: 0.95 | 0.99;
            /** @description Forecasts. */
            n: number;
            /** @description Days on which the loss exceeded the VaR. */
            hits: number;
            /** @description Hits over forecasts, fraction. */
            rate: number;
            /** @description p-value: the rate is right. */
            kupiec_p: number;
            /** @description p-value: hits are independent. */
            christoffersen_p: number;
        };
        /** @description How the 24-hour VaR that the service would have given each day has fared. */
        Coverage: {
            /** @description Ticker. */
            asset: string;
            /** @description Name of the calibration. */
            model: string;
            /**
             * @description Hours.
             * @constant
             */
            horizon_hours: 24;
            /** @description Hourly bars behind the fit. */
            bars: number;
            /** @description Bar that had just closed at the first forecast, ms since 1970; null without a forecast. */
            from: number | null;
            /** @description Bar that had just closed at the last forecast, ms since 1970; null without a forecast. */
            to: number | null;
            /**
             * @description Verdict: `insufficient_data` below 100 forecasts, `failing` when a test is rejected at 1 %, `warning` at 5 %.
             * @enum {string}
             */
            status: "ok" | "insufficient_data" | "warning" | "failing";
            /** @description Both sides, both levels. */
            results: components["schemas"]["CoverageRow"][];
            /** @description Of each result, the forecasts whose VaR was exceeded, ms since 1970, rising: one entry a hit. */
            hit_times: number[][];
        };
        /** @description State of every fit, and the record of its forecasts. */
        CalibrationHealth: {
            /**
             * @description Verdict on all assets together: `breached` when a pooled rate lies above its level with a p-value of Kupiec's test below 0.01, `fits_old` when a fit failed or its newest bar closed more than two hours ago, `insufficient_data` below 100 forecasts.
             * @enum {string}
             */
            status: "ok" | "insufficient_data" | "fits_old" | "breached";
            /** @description Name of the calibration. */
            model: string;
            /** @description Assets with a fit. */
            assets_calibrated: number;
            /** @description Assets whose newest fit failed; they keep the last good one. */
            assets_failed: number;
            /** @description Assets whose newest fit failed or is more than two hours behind. */
            assets_old: number;
            /** @description Time of all fits, ms. */
            fit_ms_total: number;
            /** @description Assets with that verdict. */
            ok: number;
            /** @description Assets with that verdict. */
            insufficient_data: number;
            /** @description Assets with that verdict. */
            warning: number;
            /** @description Assets with that verdict. */
            failing: number;
            /** @description Both sides, both levels. */
            pooled: {
                /**
                 * @description Side of the position.
                 * @enum {string}
                 */
                side: "long" | "short";
                /**
                 * @description Level of the VaR.
                 * @enum {number}
                 */
                level: 0.95 | 0.99;
                /** @description Forecasts. */
                n: number;
                /** @description Days on which the loss exceeded the VaR. */
                hits: number;
                /** @description Hits over forecasts, fraction. */
                rate: number;
                /** @description p-value of Kupiec's test of the rate; 1 without a forecast. */
                kupiec_p: number;
                /** @description The rate lies above its level, by Kupiec's test at 0.01. */
                breached: boolean;
            }[];
            /** @description All assets with a fit. */
            assets: {
                /** @description Ticker. */
                asset: string;
                /** @description Open time of the newest bar, ms since 1970; null without bars. */
                last_bar: number | null;
                /** @description Time of the fit, ms. */
                fit_ms: number;
                /** @description Why the newest fit failed; null when it did not. */
                fit_error: string | null;
                /** @description Hourly bars behind the fit. */
                bars: number;
                /** @description Bar that had just closed at the first forecast, ms since 1970; null without a forecast. */
                from: number | null;
                /** @description Bar that had just closed at the last forecast, ms since 1970; null without a forecast. */
                to: number | null;
                /**
                 * @description Verdict: `insufficient_data` below 100 forecasts, `failing` when a test is rejected at 1 %, `warning` at 5 %.
                 * @enum {string}
                 */
                status: "ok" | "insufficient_data" | "warning" | "failing";
                /** @description Both sides, both levels. */
                results: components["schemas"]["CoverageRow"][];
            }[];
        };
        /** @description How the service is. */
        Health: {
            /**
             * @description In one word.
             * @enum {string}
             */
            status: "ok" | "starting" | "degraded" | "draining";
            /** @description Requests will be answered. */
            ready: boolean;
            /** @description Of the program. */
            version: string;
            /** @description Of the risk engine. */
            engine_version: string;
            /** @description Seconds. */
            uptime_s: number;
            /** @description The connection to the venue. */
            venue: {
                /** @description As configured. */
                name: string;
                /**
                 * @description As `meta.venue` of the answers.
                 * @enum {string}
                 */
                kind: "hyperliquid-mainnet" | "hyperliquid-testnet" | "simulated" | "custom";
                /** @description A socket is open. */
                connected: boolean;
                /** @description ms; null before the first message. */
                last_message_age_ms: number | null;
                /** @description The venue's clock less ours, ms. */
                clock_skew_ms: number;
                /** @description What the venue says of its state, such as that only post-only orders are accepted; null for nothing, or when it was not read within a minute. */
                notice: string | null;
                /** @description The newest failure to connect to the venue or to get an answer; null when there was none since the start. */
                last_error: {
                    /** @description What failed and why. */
                    text: string;
                    /**
                     * Format: date-time
                     * @description When, UTC.
                     */
                    at: string;
                } | null;
                /** @description Wallets that are followed by the venue's streams; null when none are (`--wallet-streams 0`, or another replica does it). */
                wallet_streams: {
                    /** @description Wallets now. */
                    followed: number;
                    /** @description Wallets at most: as configured, or what the venue accepted. */
                    limit: number;
                    /** @description Wallets that the venue refused, since the start. */
                    refused: number;
                    /** @description Time between two states of a wallet. */
                    gap_ms: {
                        /** @description Median, ms; null before the first. */
                        p50: number | null;
                        /** @description 90 % quantile, ms; null before the first. */
                        p90: number | null;
                    };
                    /** @description Comparisons with a read in which the streams were right, since the start. */
                    confirmed: number;
                    /** @description Those in which they were not, since the start. */
                    differed: number;
                } | null;
            };
            /** @description Counts. */
            assets: {
                /** @description Assets listed. */
                listed: number;
                /** @description With live context and book. */
                fresh: number;
                /** @description With a fit. */
                calibrated: number;
                /** @description With a fit of their whole history; answers about the others have the flag `history_loading`. */
                with_history: number;
            };
            /** @description Who talks to the venue, and with how much request weight. */
            feed: {
                /** @description Replica that follows the venue for all (`--feed shared`); null when replicas share no feed, or none is heard. */
                leader: string | null;
                /** @description This process talks to the venue. */
                here: boolean;
                /** @description Request weight of the last minute at the venue, by what was read, requests in flight included; null when the leader is not heard. */
                weight_per_minute: {
                    /** @description Wallets. */
                    wallets: number;
                    /** @description Books that no stream carries. */
                    live: number;
                    /** @description Lists of assets with their prices, caps, predicted funding, the venue's clock. */
                    tables: number;
                    /** @description Candles and paid funding. What a previous process had spent when this one started counts here. */
                    histories: number;
                    /** @description For the sum of the four; null for no limit. */
                    limit: number | null;
                } | null;
            };
            /** @description Age of the oldest best price of a listed asset. Assets without any price are not in it: `assets.fresh` is less than `assets.listed`. */
            ages: {
                /** @description Now, seconds; null without a price. */
                oldest_s: number | null;
                /** @description Age from which an answer about that asset has the flag `stale_market_data`, seconds; null without a price. */
                limit_s: number | null;
                /** @description The last 60 minutes, the oldest first; the last is the present minute. */
                last_hour: (number | null)[];
            };
            /** @description How far the histories have come that answers are computed from. */
            warmup: {
                /** @description Share of the venue's open interest whose assets are calibrated; ready needs 0.8. */
                open_interest_share: number;
                /** @description Share of the venue's open interest in the assets of `assets.with_history`. */
                share_with_history: number;
                /** @description Estimate until ready, seconds, at the pace of the last minutes; 0 when ready, null when it is not known or something else is waited for. */
                ready_in_s: number | null;
                /** @description Estimate until every listed asset is calibrated with its whole history of candles and paid funding, and its pairs are fitted, seconds; 0 when all are, null when it is not known. */
                complete_in_s: number | null;
            };
            /** @description Alert sockets. */
            alerts: {
                /** @description Open sockets. */
                connections: number;
                /** @description Wallets subscribed, over all sockets. */
                subscriptions: number;
            };
            /** @description Accounts of the service's own simulated venue (`--venue sim`); left out with every other venue. */
            demo_wallets?: {
                /** @description Its address, lower case. */
                wallet: string;
                /** @description In a word. */
                name: string;
                /** @description What it shows. */
                about: string;
            }[];
        };
        /** @description The only member is a fixed sentence. */
        Unauthorized: {
            /**
             * @description Which it is.
             * @enum {string}
             */
            error: "missing or invalid Authorization header" | "invalid API key";
        };
        /** @description Which values it may have; members that say nothing about it are left out. */
        Allowed: {
            /** @description JSON type. */
            type?: string;
            /** @description Regular expression. */
            pattern?: string;
            /** @description It must be greater. */
            exclusive_min?: number;
            /** @description It must be less. */
            exclusive_max?: number;
            /** @description Smallest value. */
            min?: number;
            /** @description Largest value; for `trades` of a batch their number, for a body its bytes. */
            max?: number;
            /** @description All values, or all names of fields. */
            values?: string[];
        };
        /** @description One of several mistakes. */
        Problem: {
            /** @description Field of the request. */
            field: string;
            /** @description A sentence with the offending value. */
            detail: string;
            /** @description Its value, a text or a number. */
            got?: unknown;
            /** @description A value of the field that would do, or a sentence: what would do, or where to find it. It never changes the unit of the value. */
            suggestion?: unknown;
        };
    };
    responses: {
        /** @description The document. */
        JSONDocument: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                "Content-Encoding": components["headers"]["Content-Encoding"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        /** @description The document. */
        TextDocument: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                "Content-Encoding": components["headers"]["Content-Encoding"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                [name: string]: unknown;
            };
            content: {
                "text/plain; charset=utf-8": string;
            };
        };
        /** @description The document. */
        Page: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                Vary: components["headers"]["Vary"];
                "Content-Encoding": components["headers"]["Content-Encoding"];
                "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "Referrer-Policy": components["headers"]["Referrer-Policy"];
                [name: string]: unknown;
            };
            content: {
                "text/html; charset=utf-8": string;
            };
        };
        /** @description No usable key, or one that is unknown or revoked. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Unauthorized"];
            };
        };
        /** @description `validation_error`: a field or a query parameter breaks a rule. `api_wallet`: the wallet is the address of a key, which holds nothing by design; `suggestion` is its account. `invalid_json`: not one JSON object, or broken strictness. `batch_too_large`: more than 50 trades. `bad_request`: HTTP that two readers may read differently; the connection closes. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "Sec-WebSocket-Version": components["headers"]["Sec-WebSocket-Version"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /**
                     * @description Stable code.
                     * @enum {string}
                     */
                    error: "validation_error" | "api_wallet" | "invalid_json" | "batch_too_large" | "bad_request";
                    /** @description A sentence with the offending value. */
                    detail: string;
                    /** @description What to change: a field of the request, a query parameter, or a header. */
                    field?: string;
                    /** @description Its value, a text or a number. */
                    got?: unknown;
                    allowed?: components["schemas"]["Allowed"];
                    /** @description A value of the field that would do, or a sentence: what would do, or where to find it. It never changes the unit of the value. */
                    suggestion?: unknown;
                    /** @description When several fields are wrong: all of them, the first one first. */
                    problems?: components["schemas"]["Problem"][];
                };
            };
        };
        /** @description No such route, or no data about that asset. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /**
                     * @description Stable code.
                     * @enum {string}
                     */
                    error: "not_found";
                    /** @description A sentence with the offending value. */
                    detail: string;
                    /** @description What to change: a field of the request, a query parameter, or a header. */
                    field?: string;
                    /** @description Its value, a text or a number. */
                    got?: unknown;
                    /** @description A value that would do, or where to find one. */
                    suggestion?: string;
                };
            };
        };
        /** @description The route has other methods. */
        MethodNotAllowed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                Allow: components["headers"]["Allow"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /**
                     * @description Stable code.
                     * @enum {string}
                     */
                    error: "method_not_allowed";
                    /** @description A sentence with the offending value. */
                    detail: string;
                    /** @description Its value, a text or a number. */
                    got?: unknown;
                    allowed?: components["schemas"]["Allowed"];
                };
            };
        };
        /** @description The request did not arrive within 10 s; the connection closes. */
        RequestTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /**
                     * @description Stable code.
                     * @enum {string}
                     */
                    error: "request_timeout";
                    /** @description A sentence with the offending value. */
                    detail: string;
                };
            };
        };
        /** @description Over 64 KiB, a batch over 512 KiB; the connection closes. */
        BodyTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /**
                     * @description Stable code.
                     * @enum {string}
                     */
                    error: "body_too_large";
                    /** @description A sentence with the offending value. */
                    detail: string;
                    allowed?: components["schemas"]["Allowed"];
                };
            };
        };
        /** @description The request line is over 8 KiB; the connection closes. */
        URITooLong: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /**
                     * @description Stable code.
                     * @enum {string}
                     */
                    error: "uri_too_long";
                    /** @description A sentence with the offending value. */
                    detail: string;
                };
            };
        };
        /** @description The body is not `application/json`, or compressed. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /**
                     * @description Stable code.
                     * @enum {string}
                     */
                    error: "unsupported_media_type";
                    /** @description A sentence with the offending value. */
                    detail: string;
                    /** @description What to change: a field of the request, a query parameter, or a header. */
                    field?: string;
                    /** @description Its value, a text or a number. */
                    got?: unknown;
                    allowed?: components["schemas"]["Allowed"];
                };
            };
        };
        /** @description Over 600 refused keys a minute from one address, or over the limit of the key. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /**
                     * @description Stable code.
                     * @enum {string}
                     */
                    error: "rate_limited";
                    /** @description A sentence with the offending value. */
                    detail: string;
                };
            };
        };
        /** @description An `Expect` header with more than `100-continue`; the connection closes. */
        ExpectationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /**
                     * @description Stable code.
                     * @enum {string}
                     */
                    error: "expectation_failed";
                    /** @description A sentence. */
                    detail: string;
                    /**
                     * @description What to change.
                     * @constant
                     */
                    field?: "Expect";
                    /** @description Its value. */
                    got?: string;
                    allowed?: components["schemas"]["Allowed"];
                };
            };
        };
        /** @description The headers, or trailers of a chunked body, are over 8 KiB; the connection closes. */
        HeadersTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /**
                     * @description Stable code.
                     * @enum {string}
                     */
                    error: "headers_too_large";
                    /** @description A sentence with the offending value. */
                    detail: string;
                };
            };
        };
        /** @description A bug, logged under the request id. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /**
                     * @description Stable code.
                     * @enum {string}
                     */
                    error: "internal";
                    /** @description A sentence with the offending value. */
                    detail: string;
                };
            };
        };
        /** @description The venue answered with an error or garbage, and there is no copy that is fresh enough. */
        VenueError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /**
                     * @description Stable code.
                     * @enum {string}
                     */
                    error: "venue_error";
                    /** @description A sentence with the offending value. */
                    detail: string;
                };
            };
        };
        /** @description Not now: something has not been loaded yet (`starting`), the service was ready and is not now (`not_ready`, of `/readyz` only), an input is older than its hard limit, prices of one asset contradict each other, too many requests, or the venue is out of reach. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /**
                     * @description Stable code.
                     * @enum {string}
                     */
                    error: "starting" | "not_ready" | "stale_market_data" | "inconsistent_market_data" | "overloaded" | "venue_unavailable";
                    /** @description A sentence with the offending value. */
                    detail: string;
                };
            };
        };
        /** @description Over the request timeout of 10 s. */
        DeadlineExceeded: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /**
                     * @description Stable code.
                     * @enum {string}
                     */
                    error: "deadline_exceeded";
                    /** @description A sentence with the offending value. */
                    detail: string;
                };
            };
        };
        /** @description This service speaks HTTP/1.1; the connection closes. */
        HTTPVersion: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /**
                     * @description Stable code.
                     * @enum {string}
                     */
                    error: "http_version_not_supported";
                    /** @description A sentence with the offending value. */
                    detail: string;
                };
            };
        };
        /** @description A browser may call; only with `--cors-origin`. */
        Preflight: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Allow-Methods": components["headers"]["Access-Control-Allow-Methods"];
                "Access-Control-Allow-Headers": components["headers"]["Access-Control-Allow-Headers"];
                "Access-Control-Max-Age": components["headers"]["Access-Control-Max-Age"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The copy named by `If-None-Match` is the newest. */
        NotModified: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Traceparent: components["headers"]["Traceparent"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content?: never;
        };
    };
    parameters: {
        /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
        RequestId: string;
        /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
        Traceparent: string;
        /** @description `ETag` of a copy that you have. */
        IfNoneMatch: string;
    };
    requestBodies: never;
    headers: {
        /** @description Yours, when you sent one of 1 to 64 visible ASCII characters, else one of ours. Quote it when you report a fault. A connection that is refused before its request was read is told none. */
        "X-Request-Id": string;
        /** @description That of the request, when it has the form of W3C Trace Context; it is in the log of a failure. */
        Traceparent: string;
        /** @description Seconds after which it makes sense to try again. */
        "Retry-After": number;
        /** @description The scheme; with the error for a key that is not valid. */
        "WWW-Authenticate": "Bearer" | "Bearer error=\"invalid_token\"";
        /** @description The methods of this route. */
        Allow: "GET, HEAD" | "POST";
        /** @description Requests a minute of this key; only with a limit set. */
        "RateLimit-Limit": number;
        /** @description What is left of it now. */
        "RateLimit-Remaining": number;
        /** @description Seconds until it is whole again. */
        "RateLimit-Reset": number;
        /** @description The other replicas have not confirmed the result within 250 ms. */
        "X-Alert-Fanout": "local";
        /** @description Version of the document. */
        ETag: string;
        /** @description How long a copy may be used. */
        "Cache-Control": string;
        /** @description What the body depends on. */
        Vary: "Accept-Encoding";
        /** @description Compression; only when the request accepts gzip. */
        "Content-Encoding": "gzip";
        /** @description What the page may load: nothing from elsewhere. */
        "Content-Security-Policy": string;
        /** @description The type is what it says. */
        "X-Content-Type-Options": "nosniff";
        /** @description The page tells nobody where it is. */
        "Referrer-Policy": "no-referrer";
        /** @description The version of the handshake. */
        "Sec-WebSocket-Version": "13";
        /** @description The origin of `--cors-origin`. */
        "Access-Control-Allow-Origin": string;
        /** @description What a page may read. */
        "Access-Control-Expose-Headers": string;
        /** @description In answer to a preflight. */
        "Access-Control-Allow-Methods": "GET, HEAD" | "POST";
        /** @description In answer to a preflight. */
        "Access-Control-Allow-Headers": string;
        /** @description Seconds for which the answer to a preflight holds. */
        "Access-Control-Max-Age": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    validate: {
        parameters: {
            query?: {
                /** @description `true` adds `explanation` to each assessment. */
                explain?: "true" | "false";
                /** @description `compact`: what a language model or a chat needs, in about 1,200 bytes a trade; `explain` has no effect then. */
                view?: "compact";
            };
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "asset": "BTC",
                 *       "action": "long",
                 *       "size": 50000,
                 *       "leverage": 10,
                 *       "wallet": "0xba11a57000000000000000000000000000000001"
                 *     }
                 */
                "application/json": components["schemas"]["ValidationRequest"];
            };
        };
        responses: {
            /** @description The assessment. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "risk_score": 7.291,
                     *       "recommendation": "proceed",
                     *       "flags": [
                     *         "concentration_risk",
                     *         "history_loading"
                     *       ],
                     *       "slippage": {
                     *         "bps": 0.181120046,
                     *         "fill_price": 55213,
                     *         "mid_price": 55212,
                     *         "depth_50bps": 62637000.22469,
                     *         "depth_100bps": 115785505.83369,
                     *         "bid_ask_imbalance": 0.094005268
                     *       },
                     *       "liquidation": {
                     *         "price": 19500.78219066437,
                     *         "distance_pct": 64.67953453,
                     *         "margin_used_pct": 3.080334395,
                     *         "effective_leverage": 2.819388683,
                     *         "probability_24h": 0.000029835,
                     *         "probability_7d": 0.000374046,
                     *         "pool_equity_usd": 250043.499222676,
                     *         "loss_at_usd": -239310.476053039,
                     *         "loss_after_usd": -250043.499222676,
                     *         "mode": "cross"
                     *       },
                     *       "funding": {
                     *         "funding_rate": 0.0000125,
                     *         "annualized_pct": 10.95,
                     *         "vs_cex_divergence": 1,
                     *         "direction": "longs_pay",
                     *         "agent_pays": true,
                     *         "cost_24h_usd": 110.998236672
                     *       },
                     *       "impact": {
                     *         "expected_bps": 0.738708825,
                     *         "participation_pct": 0.001666667
                     *       },
                     *       "var": {
                     *         "pct_95_24h": 4.412480678,
                     *         "pct_99_24h": 6.781146639,
                     *         "dollar_95_24h": 16325.919153095,
                     *         "dollar_99_24h": 25089.84398408,
                     *         "lvar_95_24h": 16339.32182361,
                     *         "lvar_99_24h": 25109.947989853,
                     *         "pct_99_4h": 2.8075913414,
                     *         "pct_99_7d": 18.575341019,
                     *         "dollar_99_4h": 10387.922939726,
                     *         "dollar_99_7d": 68727.6699577,
                     *         "es_95_24h": 6.119786972,
                     *         "es_99_24h": 9.547595311,
                     *         "margin_var_99_pct": 67.811466388,
                     *         "loss_99_capped_usd": 25089.84398408,
                     *         "volatility_regime": "high",
                     *         "session": null,
                     *         "volatility_forecast": {
                     *           "sigma_1h": 0.456954352,
                     *           "sigma_4h": 0.51006454,
                     *           "sigma_1d": 0.518761198,
                     *           "sigma_7d": 0.521906322,
                     *           "long_run_sigma": 0.382192375
                     *         }
                     *       },
                     *       "oi": {
                     *         "current": 1159456139.777,
                     *         "utilization_pct": 66.663928883,
                     *         "at_cap": false
                     *       },
                     *       "stress": [
                     *         {
                     *           "scenario": "jelly_squeeze",
                     *           "description": "Squeeze of a thin listing (JELLYJELLY, March 2025): +400 % within hours, other listed assets unshocked",
                     *           "funding_cost_pct": 0.4,
                     *           "pnl_pct": 0,
                     *           "pnl_usd": 0,
                     *           "liquidity_cost_pct": 0.023775596,
                     *           "liquidation_distance_pct": 64.67953453,
                     *           "survives": true,
                     *           "died_by": null
                     *         },
                     *         {
                     *           "scenario": "luna_collapse",
                     *           "description": "Collapse of LUNA and UST, May 2022",
                     *           "funding_cost_pct": -0.84,
                     *           "pnl_pct": -23,
                     *           "pnl_usd": -85098.6481152,
                     *           "liquidity_cost_pct": 0.009788219,
                     *           "liquidation_distance_pct": 45.520591215,
                     *           "survives": true,
                     *           "died_by": null
                     *         },
                     *         {
                     *           "scenario": "ftx_crash",
                     *           "description": "Failure of FTX, November 2022",
                     *           "funding_cost_pct": -1.5,
                     *           "pnl_pct": -27,
                     *           "pnl_usd": -99898.4130048,
                     *           "liquidity_cost_pct": 0.007306911,
                     *           "liquidation_distance_pct": 40.924355523,
                     *           "survives": true,
                     *           "died_by": null
                     *         },
                     *         {
                     *           "scenario": "short_squeeze",
                     *           "description": "Rally on ETF inflows, February 2024: shorts squeezed",
                     *           "funding_cost_pct": 0.54,
                     *           "pnl_pct": 25.8,
                     *           "pnl_usd": 95458.48353792,
                     *           "liquidity_cost_pct": 0.005433601,
                     *           "liquidation_distance_pct": 58.283007332,
                     *           "survives": true,
                     *           "died_by": null
                     *         },
                     *         {
                     *           "scenario": "flash_recovery",
                     *           "description": "Flash crash and recovery of 17 August 2023, marked after the recovery",
                     *           "funding_cost_pct": -0.025,
                     *           "pnl_pct": -4.8,
                     *           "pnl_usd": -17759.71786752,
                     *           "liquidity_cost_pct": 0.009788219,
                     *           "liquidation_distance_pct": 59.76555952,
                     *           "survives": true,
                     *           "died_by": null
                     *         },
                     *         {
                     *           "scenario": "black_thursday_2020",
                     *           "description": "Pandemic crash of 12 March 2020",
                     *           "funding_cost_pct": -1.269,
                     *           "pnl_pct": -54.4,
                     *           "pnl_usd": -201276.80249856,
                     *           "liquidity_cost_pct": 0.0418876,
                     *           "liquidation_distance_pct": 24.049196287,
                     *           "survives": true,
                     *           "died_by": null
                     *         },
                     *         {
                     *           "scenario": "may_2021_deleveraging",
                     *           "description": "Deleveraging of 19 May 2021",
                     *           "funding_cost_pct": -0.36,
                     *           "pnl_pct": -33.7,
                     *           "pnl_usd": -124688.01919488,
                     *           "liquidity_cost_pct": 0.019820922,
                     *           "liquidation_distance_pct": 42.391647075,
                     *           "survives": true,
                     *           "died_by": null
                     *         },
                     *         {
                     *           "scenario": "celsius_3ac_2022",
                     *           "description": "Celsius freezes withdrawals, Three Arrows fails, June 2022",
                     *           "funding_cost_pct": -0.72,
                     *           "pnl_pct": -26.7,
                     *           "pnl_usd": -98788.43063808,
                     *           "liquidity_cost_pct": 0.005433601,
                     *           "liquidation_distance_pct": 53.998531074,
                     *           "survives": true,
                     *           "died_by": null
                     *         },
                     *         {
                     *           "scenario": "yen_unwind_2024",
                     *           "description": "Unwinding of yen carry trades, August 2024",
                     *           "funding_cost_pct": -0.2,
                     *           "pnl_pct": -19.5,
                     *           "pnl_usd": -72148.8538368,
                     *           "liquidity_cost_pct": 0.009240142,
                     *           "liquidation_distance_pct": 57.288143958,
                     *           "survives": true,
                     *           "died_by": null
                     *         },
                     *         {
                     *           "scenario": "tariff_shock_feb_2025",
                     *           "description": "Tariff announcements, February 2025",
                     *           "funding_cost_pct": -0.39,
                     *           "pnl_pct": -10.6,
                     *           "pnl_usd": -39219.37695744,
                     *           "liquidity_cost_pct": 0.009240142,
                     *           "liquidation_distance_pct": 62.768478536,
                     *           "survives": true,
                     *           "died_by": null
                     *         },
                     *         {
                     *           "scenario": "october_2025_cascade",
                     *           "description": "Liquidation cascade of 10 October 2025",
                     *           "funding_cost_pct": -0.33,
                     *           "pnl_pct": -16.1,
                     *           "pnl_usd": -59569.05368064,
                     *           "liquidity_cost_pct": 0.0418876,
                     *           "liquidation_distance_pct": 53.154732665,
                     *           "survives": true,
                     *           "died_by": null
                     *         },
                     *         {
                     *           "scenario": "rebound_may_2021",
                     *           "description": "Rebound after the deleveraging of May 2021: shorts lose",
                     *           "funding_cost_pct": 0.56,
                     *           "pnl_pct": 19.8,
                     *           "pnl_usd": 73258.83620352,
                     *           "liquidity_cost_pct": 0.005433601,
                     *           "liquidation_distance_pct": 52.472064863,
                     *           "survives": true,
                     *           "died_by": null
                     *         },
                     *         {
                     *           "scenario": "rally_may_2025",
                     *           "description": "Rally of May 2025, led by ETH: shorts lose",
                     *           "funding_cost_pct": 0.68,
                     *           "pnl_pct": 7.6,
                     *           "pnl_usd": 28119.55329024,
                     *           "liquidity_cost_pct": 0.005433601,
                     *           "liquidation_distance_pct": 48.072537122,
                     *           "survives": true,
                     *           "died_by": null
                     *         }
                     *       ],
                     *       "portfolio_risk": {
                     *         "portfolio_var_99_24h": 24566.004312526,
                     *         "portfolio_es_99_24h": 33568.712000559,
                     *         "position_count": 5,
                     *         "monte_carlo": null,
                     *         "tail_dependence": [
                     *           {
                     *             "asset_a": "BTC",
                     *             "asset_b": "ETH",
                     *             "lambda_lower": 0.507676328,
                     *             "lambda_upper": 0.507676328,
                     *             "pearson_rho": 0.825242955,
                     *             "nu": 3.3708041
                     *           },
                     *           {
                     *             "asset_a": "BTC",
                     *             "asset_b": "SOL",
                     *             "lambda_lower": 0.471062651,
                     *             "lambda_upper": 0.471062651,
                     *             "pearson_rho": 0.718564807,
                     *             "nu": 2.589709889
                     *           }
                     *         ]
                     *       },
                     *       "portfolio_stress": {
                     *         "scenario": "black_thursday_2020",
                     *         "total_pnl_usd": -203603.58674434,
                     *         "total_pnl_pct": -81.427266607,
                     *         "total_funding_cost_pct": -0.549144832,
                     *         "account_survives": true,
                     *         "positions_liquidated": 0,
                     *         "failed_scenarios": []
                     *       },
                     *       "fees": {
                     *         "taker_fee_bps": 4.5,
                     *         "estimated_fee_usd": 22.500815055,
                     *         "fee_pct_of_margin": 0.450016301
                     *       },
                     *       "cost_analysis": {
                     *         "total_entry_cost_bps": 5.419828872,
                     *         "total_round_trip_cost_bps": 10.839657744,
                     *         "breakeven_move_pct": 0.138396577,
                     *         "funding_drag_24h_pct": 0.3,
                     *         "cost_score": 0.292481459
                     *       },
                     *       "sizing": {
                     *         "max_safe_size_usd": 150482.1227096,
                     *         "suggested_size_usd": 90200,
                     *         "size_limit_reason": "margin_headroom"
                     *       },
                     *       "position": {
                     *         "before": {
                     *           "side": "long",
                     *           "size_coin": 5.79584,
                     *           "notional_usd": 319994.12224,
                     *           "leverage": 10,
                     *           "mode": "cross",
                     *           "entry_price": 53555.6,
                     *           "liquidation_price": 13807.509351325227
                     *         },
                     *         "after": {
                     *           "side": "long",
                     *           "size_coin": 6.70145,
                     *           "notional_usd": 369993.75595,
                     *           "leverage": 10,
                     *           "mode": "cross",
                     *           "entry_price": 53779.576531027815,
                     *           "liquidation_price": 19500.78219066437
                     *         }
                     *       },
                     *       "margin": {
                     *         "before": {
                     *           "account_value": 250067.811271,
                     *           "initial": 87747.7719772,
                     *           "maintenance": 13099.4041203,
                     *           "free": 162320.0392938,
                     *           "maintenance_ratio_pct": 5.238340774
                     *         },
                     *         "after": {
                     *           "account_value": 250043.499222676,
                     *           "initial": 92747.7719772,
                     *           "maintenance": 13724.4041203,
                     *           "free": 157295.727245476,
                     *           "maintenance_ratio_pct": 5.488806613
                     *         },
                     *         "delta_initial_usd": 5000,
                     *         "held_usd": 0,
                     *         "held_most_usd": 0,
                     *         "market_move": {
                     *           "down_pct": -81.113704289,
                     *           "up_pct": null
                     *         }
                     *       },
                     *       "admissibility": {
                     *         "verdict": "ok",
                     *         "order_size_coin": 0.90561,
                     *         "order_size_usd": 49999.63371,
                     *         "issues": []
                     *       },
                     *       "open_orders": {
                     *         "source": "derived",
                     *         "held_usd": 0,
                     *         "held_most_usd": 0,
                     *         "exact": true
                     *       },
                     *       "book_before": {
                     *         "probability_24h": 0.00002139,
                     *         "probability_7d": 0.000274679,
                     *         "pool_var_99_usd": 21537.863836296,
                     *         "stress_loss_usd": 176403.58674434,
                     *         "portfolio_var_99_usd": 21537.863836296
                     *       },
                     *       "day": {
                     *         "down_999_pct": -12.756872044,
                     *         "down_99_pct": -6.781146639,
                     *         "down_95_pct": -4.412480678,
                     *         "median_pct": -0.214306346,
                     *         "up_95_pct": 3.801180042,
                     *         "up_99_pct": 7.002720274,
                     *         "up_999_pct": 14.750502336
                     *       },
                     *       "evt": {
                     *         "var_99_9": 12.756872044,
                     *         "expected_shortfall_99_9": 16.812854623
                     *       },
                     *       "greeks": {
                     *         "delta": 6.70145663436634,
                     *         "gamma": 0,
                     *         "vega": -1.68110243e-316,
                     *         "theta": -118.74084934604754,
                     *         "liquidation_gamma": 0.35320465470041057
                     *       },
                     *       "regime": {
                     *         "state": "stressed",
                     *         "confidence": 0.866461722
                     *       },
                     *       "liquidity_regime": "stressed",
                     *       "drawdown": {
                     *         "max_drawdown_pct": 33.700453858,
                     *         "current_drawdown_pct": 32.964599092,
                     *         "peak_equity": 74587.455766592,
                     *         "trough_equity": 49451.144652271,
                     *         "drawdown_duration_hours": 2986,
                     *         "calmar_ratio": -0.660510083,
                     *         "trailing_stop_distance_pct": 5.241133193,
                     *         "suggested_stop_loss_pct": 5.430640426
                     *       },
                     *       "portfolio_attribution": {
                     *         "total_var_99": 24566.004312526,
                     *         "diversification_benefit_pct": 60.60988671,
                     *         "positions": [
                     *           {
                     *             "asset": "BTC",
                     *             "marginal_var": 9904.459895897,
                     *             "component_var": 20294.03896524,
                     *             "component_var_pct": 82.610255649
                     *           },
                     *           {
                     *             "asset": "ETH",
                     *             "marginal_var": -14344.724545363,
                     *             "component_var": -7389.54053515,
                     *             "component_var_pct": -30.08035186
                     *           }
                     *         ]
                     *       },
                     *       "meta": {
                     *         "asset": "BTC",
                     *         "mark_price": 55211,
                     *         "max_leverage": 40,
                     *         "latency_ms": 2.959454,
                     *         "market_age_ms": 722.65776,
                     *         "wallet_age_ms": 22.288576,
                     *         "request_id": "req_06H1RS5DMC000001ETNC0E0SNC",
                     *         "venue": "simulated",
                     *         "venue_notice": null,
                     *         "wallet_role": null,
                     *         "as_of": "2026-11-27T09:44:49.830Z"
                     *       },
                     *       "model_version": {
                     *         "engine_version": "3.0.0",
                     *         "calibration_hash": "624aa7e6eb19e555d763e29313dcc64748ed00e5441927bdd97462d32e5f310d",
                     *         "calibration_name": "fhs-px"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Assessment"] | components["schemas"]["CompactAssessment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            502: components["responses"]["VenueError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["DeadlineExceeded"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    preflight: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Preflight"];
            400: components["responses"]["BadRequest"];
            405: components["responses"]["MethodNotAllowed"];
        };
    };
    validateBatch: {
        parameters: {
            query?: {
                /** @description `true` adds `explanation` to each assessment. */
                explain?: "true" | "false";
                /** @description `compact`: what a language model or a chat needs, in about 1,200 bytes a trade; `explain` has no effect then. */
                view?: "compact";
            };
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "wallet": "0xba11a57000000000000000000000000000000001",
                 *       "trades": [
                 *         {
                 *           "asset": "BTC",
                 *           "action": "long",
                 *           "size": 50000,
                 *           "leverage": 10
                 *         },
                 *         {
                 *           "asset": "ETH",
                 *           "action": "short",
                 *           "size": 20000
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BatchRequest"];
            };
        };
        responses: {
            /** @description One element for each trade. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "risk_score": 7.291,
                     *           "recommendation": "proceed",
                     *           "flags": [
                     *             "concentration_risk",
                     *             "history_loading"
                     *           ],
                     *           "slippage": {
                     *             "bps": 0.181120046,
                     *             "fill_price": 55213,
                     *             "mid_price": 55212,
                     *             "depth_50bps": 62637000.22469,
                     *             "depth_100bps": 115785505.83369,
                     *             "bid_ask_imbalance": 0.094005268
                     *           },
                     *           "liquidation": {
                     *             "price": 19500.78219066437,
                     *             "distance_pct": 64.67953453,
                     *             "margin_used_pct": 3.080334395,
                     *             "effective_leverage": 2.819388683,
                     *             "probability_24h": 0.000029835,
                     *             "probability_7d": 0.000374046,
                     *             "pool_equity_usd": 250043.499222676,
                     *             "loss_at_usd": -239310.476053039,
                     *             "loss_after_usd": -250043.499222676,
                     *             "mode": "cross"
                     *           },
                     *           "funding": {
                     *             "funding_rate": 0.0000125,
                     *             "annualized_pct": 10.95,
                     *             "vs_cex_divergence": 1,
                     *             "direction": "longs_pay",
                     *             "agent_pays": true,
                     *             "cost_24h_usd": 110.998236672
                     *           },
                     *           "impact": {
                     *             "expected_bps": 0.738708825,
                     *             "participation_pct": 0.001666667
                     *           },
                     *           "var": {
                     *             "pct_95_24h": 4.412480678,
                     *             "pct_99_24h": 6.781146639,
                     *             "dollar_95_24h": 16325.919153095,
                     *             "dollar_99_24h": 25089.84398408,
                     *             "lvar_95_24h": 16339.32182361,
                     *             "lvar_99_24h": 25109.947989853,
                     *             "pct_99_4h": 2.8075913414,
                     *             "pct_99_7d": 18.575341019,
                     *             "dollar_99_4h": 10387.922939726,
                     *             "dollar_99_7d": 68727.6699577,
                     *             "es_95_24h": 6.119786972,
                     *             "es_99_24h": 9.547595311,
                     *             "margin_var_99_pct": 67.811466388,
                     *             "loss_99_capped_usd": 25089.84398408,
                     *             "volatility_regime": "high",
                     *             "session": null,
                     *             "volatility_forecast": {
                     *               "sigma_1h": 0.456954352,
                     *               "sigma_4h": 0.51006454,
                     *               "sigma_1d": 0.518761198,
                     *               "sigma_7d": 0.521906322,
                     *               "long_run_sigma": 0.382192375
                     *             }
                     *           },
                     *           "oi": {
                     *             "current": 1159456139.777,
                     *             "utilization_pct": 66.663928883,
                     *             "at_cap": false
                     *           },
                     *           "stress": [
                     *             {
                     *               "scenario": "jelly_squeeze",
                     *               "description": "Squeeze of a thin listing (JELLYJELLY, March 2025): +400 % within hours, other listed assets unshocked",
                     *               "funding_cost_pct": 0.4,
                     *               "pnl_pct": 0,
                     *               "pnl_usd": 0,
                     *               "liquidity_cost_pct": 0.023775596,
                     *               "liquidation_distance_pct": 64.67953453,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "luna_collapse",
                     *               "description": "Collapse of LUNA and UST, May 2022",
                     *               "funding_cost_pct": -0.84,
                     *               "pnl_pct": -23,
                     *               "pnl_usd": -85098.6481152,
                     *               "liquidity_cost_pct": 0.009788219,
                     *               "liquidation_distance_pct": 45.520591215,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "ftx_crash",
                     *               "description": "Failure of FTX, November 2022",
                     *               "funding_cost_pct": -1.5,
                     *               "pnl_pct": -27,
                     *               "pnl_usd": -99898.4130048,
                     *               "liquidity_cost_pct": 0.007306911,
                     *               "liquidation_distance_pct": 40.924355523,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "short_squeeze",
                     *               "description": "Rally on ETF inflows, February 2024: shorts squeezed",
                     *               "funding_cost_pct": 0.54,
                     *               "pnl_pct": 25.8,
                     *               "pnl_usd": 95458.48353792,
                     *               "liquidity_cost_pct": 0.005433601,
                     *               "liquidation_distance_pct": 58.283007332,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "flash_recovery",
                     *               "description": "Flash crash and recovery of 17 August 2023, marked after the recovery",
                     *               "funding_cost_pct": -0.025,
                     *               "pnl_pct": -4.8,
                     *               "pnl_usd": -17759.71786752,
                     *               "liquidity_cost_pct": 0.009788219,
                     *               "liquidation_distance_pct": 59.76555952,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "black_thursday_2020",
                     *               "description": "Pandemic crash of 12 March 2020",
                     *               "funding_cost_pct": -1.269,
                     *               "pnl_pct": -54.4,
                     *               "pnl_usd": -201276.80249856,
                     *               "liquidity_cost_pct": 0.0418876,
                     *               "liquidation_distance_pct": 24.049196287,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "may_2021_deleveraging",
                     *               "description": "Deleveraging of 19 May 2021",
                     *               "funding_cost_pct": -0.36,
                     *               "pnl_pct": -33.7,
                     *               "pnl_usd": -124688.01919488,
                     *               "liquidity_cost_pct": 0.019820922,
                     *               "liquidation_distance_pct": 42.391647075,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "celsius_3ac_2022",
                     *               "description": "Celsius freezes withdrawals, Three Arrows fails, June 2022",
                     *               "funding_cost_pct": -0.72,
                     *               "pnl_pct": -26.7,
                     *               "pnl_usd": -98788.43063808,
                     *               "liquidity_cost_pct": 0.005433601,
                     *               "liquidation_distance_pct": 53.998531074,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "yen_unwind_2024",
                     *               "description": "Unwinding of yen carry trades, August 2024",
                     *               "funding_cost_pct": -0.2,
                     *               "pnl_pct": -19.5,
                     *               "pnl_usd": -72148.8538368,
                     *               "liquidity_cost_pct": 0.009240142,
                     *               "liquidation_distance_pct": 57.288143958,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "tariff_shock_feb_2025",
                     *               "description": "Tariff announcements, February 2025",
                     *               "funding_cost_pct": -0.39,
                     *               "pnl_pct": -10.6,
                     *               "pnl_usd": -39219.37695744,
                     *               "liquidity_cost_pct": 0.009240142,
                     *               "liquidation_distance_pct": 62.768478536,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "october_2025_cascade",
                     *               "description": "Liquidation cascade of 10 October 2025",
                     *               "funding_cost_pct": -0.33,
                     *               "pnl_pct": -16.1,
                     *               "pnl_usd": -59569.05368064,
                     *               "liquidity_cost_pct": 0.0418876,
                     *               "liquidation_distance_pct": 53.154732665,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "rebound_may_2021",
                     *               "description": "Rebound after the deleveraging of May 2021: shorts lose",
                     *               "funding_cost_pct": 0.56,
                     *               "pnl_pct": 19.8,
                     *               "pnl_usd": 73258.83620352,
                     *               "liquidity_cost_pct": 0.005433601,
                     *               "liquidation_distance_pct": 52.472064863,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "rally_may_2025",
                     *               "description": "Rally of May 2025, led by ETH: shorts lose",
                     *               "funding_cost_pct": 0.68,
                     *               "pnl_pct": 7.6,
                     *               "pnl_usd": 28119.55329024,
                     *               "liquidity_cost_pct": 0.005433601,
                     *               "liquidation_distance_pct": 48.072537122,
                     *               "survives": true,
                     *               "died_by": null
                     *             }
                     *           ],
                     *           "portfolio_risk": {
                     *             "portfolio_var_99_24h": 24566.004312526,
                     *             "portfolio_es_99_24h": 33568.712000559,
                     *             "position_count": 5,
                     *             "monte_carlo": null,
                     *             "tail_dependence": [
                     *               {
                     *                 "asset_a": "BTC",
                     *                 "asset_b": "ETH",
                     *                 "lambda_lower": 0.507676328,
                     *                 "lambda_upper": 0.507676328,
                     *                 "pearson_rho": 0.825242955,
                     *                 "nu": 3.3708041
                     *               },
                     *               {
                     *                 "asset_a": "BTC",
                     *                 "asset_b": "SOL",
                     *                 "lambda_lower": 0.471062651,
                     *                 "lambda_upper": 0.471062651,
                     *                 "pearson_rho": 0.718564807,
                     *                 "nu": 2.589709889
                     *               }
                     *             ]
                     *           },
                     *           "portfolio_stress": {
                     *             "scenario": "black_thursday_2020",
                     *             "total_pnl_usd": -203603.58674434,
                     *             "total_pnl_pct": -81.427266607,
                     *             "total_funding_cost_pct": -0.549144832,
                     *             "account_survives": true,
                     *             "positions_liquidated": 0,
                     *             "failed_scenarios": []
                     *           },
                     *           "fees": {
                     *             "taker_fee_bps": 4.5,
                     *             "estimated_fee_usd": 22.500815055,
                     *             "fee_pct_of_margin": 0.450016301
                     *           },
                     *           "cost_analysis": {
                     *             "total_entry_cost_bps": 5.419828872,
                     *             "total_round_trip_cost_bps": 10.839657744,
                     *             "breakeven_move_pct": 0.138396577,
                     *             "funding_drag_24h_pct": 0.3,
                     *             "cost_score": 0.292481459
                     *           },
                     *           "sizing": {
                     *             "max_safe_size_usd": 150482.1227096,
                     *             "suggested_size_usd": 90200,
                     *             "size_limit_reason": "margin_headroom"
                     *           },
                     *           "position": {
                     *             "before": {
                     *               "side": "long",
                     *               "size_coin": 5.79584,
                     *               "notional_usd": 319994.12224,
                     *               "leverage": 10,
                     *               "mode": "cross",
                     *               "entry_price": 53555.6,
                     *               "liquidation_price": 13807.509351325227
                     *             },
                     *             "after": {
                     *               "side": "long",
                     *               "size_coin": 6.70145,
                     *               "notional_usd": 369993.75595,
                     *               "leverage": 10,
                     *               "mode": "cross",
                     *               "entry_price": 53779.576531027815,
                     *               "liquidation_price": 19500.78219066437
                     *             }
                     *           },
                     *           "margin": {
                     *             "before": {
                     *               "account_value": 250067.811271,
                     *               "initial": 87747.7719772,
                     *               "maintenance": 13099.4041203,
                     *               "free": 162320.0392938,
                     *               "maintenance_ratio_pct": 5.238340774
                     *             },
                     *             "after": {
                     *               "account_value": 250043.499222676,
                     *               "initial": 92747.7719772,
                     *               "maintenance": 13724.4041203,
                     *               "free": 157295.727245476,
                     *               "maintenance_ratio_pct": 5.488806613
                     *             },
                     *             "delta_initial_usd": 5000,
                     *             "held_usd": 0,
                     *             "held_most_usd": 0,
                     *             "market_move": {
                     *               "down_pct": -81.113704289,
                     *               "up_pct": null
                     *             }
                     *           },
                     *           "admissibility": {
                     *             "verdict": "ok",
                     *             "order_size_coin": 0.90561,
                     *             "order_size_usd": 49999.63371,
                     *             "issues": []
                     *           },
                     *           "open_orders": {
                     *             "source": "derived",
                     *             "held_usd": 0,
                     *             "held_most_usd": 0,
                     *             "exact": true
                     *           },
                     *           "book_before": {
                     *             "probability_24h": 0.00002139,
                     *             "probability_7d": 0.000274679,
                     *             "pool_var_99_usd": 21537.863836296,
                     *             "stress_loss_usd": 176403.58674434,
                     *             "portfolio_var_99_usd": 21537.863836296
                     *           },
                     *           "day": {
                     *             "down_999_pct": -12.756872044,
                     *             "down_99_pct": -6.781146639,
                     *             "down_95_pct": -4.412480678,
                     *             "median_pct": -0.214306346,
                     *             "up_95_pct": 3.801180042,
                     *             "up_99_pct": 7.002720274,
                     *             "up_999_pct": 14.750502336
                     *           },
                     *           "evt": {
                     *             "var_99_9": 12.756872044,
                     *             "expected_shortfall_99_9": 16.812854623
                     *           },
                     *           "greeks": {
                     *             "delta": 6.70145663436634,
                     *             "gamma": 0,
                     *             "vega": -1.68110243e-316,
                     *             "theta": -118.74084934604754,
                     *             "liquidation_gamma": 0.35320465470041057
                     *           },
                     *           "regime": {
                     *             "state": "stressed",
                     *             "confidence": 0.866461722
                     *           },
                     *           "liquidity_regime": "stressed",
                     *           "drawdown": {
                     *             "max_drawdown_pct": 33.700453858,
                     *             "current_drawdown_pct": 32.964599092,
                     *             "peak_equity": 74587.455766592,
                     *             "trough_equity": 49451.144652271,
                     *             "drawdown_duration_hours": 2986,
                     *             "calmar_ratio": -0.660510083,
                     *             "trailing_stop_distance_pct": 5.241133193,
                     *             "suggested_stop_loss_pct": 5.430640426
                     *           },
                     *           "portfolio_attribution": {
                     *             "total_var_99": 24566.004312526,
                     *             "diversification_benefit_pct": 60.60988671,
                     *             "positions": [
                     *               {
                     *                 "asset": "BTC",
                     *                 "marginal_var": 9904.459895897,
                     *                 "component_var": 20294.03896524,
                     *                 "component_var_pct": 82.610255649
                     *               },
                     *               {
                     *                 "asset": "ETH",
                     *                 "marginal_var": -14344.724545363,
                     *                 "component_var": -7389.54053515,
                     *                 "component_var_pct": -30.08035186
                     *               }
                     *             ]
                     *           },
                     *           "meta": {
                     *             "asset": "BTC",
                     *             "mark_price": 55211,
                     *             "max_leverage": 40,
                     *             "latency_ms": 0.384702,
                     *             "market_age_ms": 735.288445,
                     *             "wallet_age_ms": 34.919261,
                     *             "request_id": "req_06H1RS5DP8000002ETNC0E0SNC",
                     *             "venue": "simulated",
                     *             "venue_notice": null,
                     *             "wallet_role": null,
                     *             "as_of": "2026-11-27T09:44:49.842Z"
                     *           },
                     *           "model_version": {
                     *             "engine_version": "3.0.0",
                     *             "calibration_hash": "624aa7e6eb19e555d763e29313dcc64748ed00e5441927bdd97462d32e5f310d",
                     *             "calibration_name": "fhs-px"
                     *           }
                     *         },
                     *         {
                     *           "risk_score": 6.3139,
                     *           "recommendation": "proceed",
                     *           "flags": [
                     *             "concentration_risk",
                     *             "history_loading"
                     *           ],
                     *           "slippage": {
                     *             "bps": 0.283358363,
                     *             "fill_price": 1764.5,
                     *             "mid_price": 1764.55,
                     *             "depth_50bps": 34117330.24967,
                     *             "depth_100bps": 56025287.75057,
                     *             "bid_ask_imbalance": -0.297301621
                     *           },
                     *           "liquidation": {
                     *             "price": 3805.422644958188,
                     *             "distance_pct": 100,
                     *             "margin_used_pct": 1.589362943,
                     *             "effective_leverage": 2.899479129,
                     *             "probability_24h": 0.000026943,
                     *             "probability_7d": 0.000350373,
                     *             "pool_equity_usd": 250034.499222676,
                     *             "loss_at_usd": -231284.406963114,
                     *             "loss_after_usd": -250034.499222676,
                     *             "mode": "cross"
                     *           },
                     *           "funding": {
                     *             "funding_rate": 0.0000125,
                     *             "annualized_pct": -10.95,
                     *             "vs_cex_divergence": 1,
                     *             "direction": "longs_pay",
                     *             "agent_pays": false,
                     *             "cost_24h_usd": -59.98777128
                     *           },
                     *           "impact": {
                     *             "expected_bps": 0.881499743,
                     *             "participation_pct": 0.001333333
                     *           },
                     *           "var": {
                     *             "pct_95_24h": 5.592443633,
                     *             "pct_99_24h": 9.777109112,
                     *             "dollar_95_24h": 11182.607652462,
                     *             "dollar_99_24h": 19550.232840203,
                     *             "lvar_95_24h": 11193.939676921,
                     *             "lvar_99_24h": 19567.230876892,
                     *             "pct_99_4h": 3.4489547711,
                     *             "pct_99_7d": 16.378829832,
                     *             "dollar_99_4h": 6896.503665531,
                     *             "dollar_99_7d": 32750.983260057,
                     *             "es_95_24h": 8.253641344,
                     *             "es_99_24h": 12.432157101,
                     *             "margin_var_99_pct": 78.216872898,
                     *             "loss_99_capped_usd": 19550.232840203,
                     *             "volatility_regime": "high",
                     *             "session": null,
                     *             "volatility_forecast": {
                     *               "sigma_1h": 0.599844593,
                     *               "sigma_4h": 0.669590638,
                     *               "sigma_1d": 0.692104055,
                     *               "sigma_7d": 0.646747596,
                     *               "long_run_sigma": 0.519609157
                     *             }
                     *           },
                     *           "oi": {
                     *             "current": 1126818018.382,
                     *             "utilization_pct": 66.666666667,
                     *             "at_cap": false
                     *           },
                     *           "stress": [
                     *             {
                     *               "scenario": "jelly_squeeze",
                     *               "description": "Squeeze of a thin listing (JELLYJELLY, March 2025): +400 % within hours, other listed assets unshocked",
                     *               "funding_cost_pct": -0.4,
                     *               "pnl_pct": 0,
                     *               "pnl_usd": 0,
                     *               "liquidity_cost_pct": 0.03100182,
                     *               "liquidation_distance_pct": 100,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "luna_collapse",
                     *               "description": "Collapse of LUNA and UST, May 2022",
                     *               "funding_cost_pct": 0.84,
                     *               "pnl_pct": 30.7,
                     *               "pnl_usd": 61387.4859432,
                     *               "liquidity_cost_pct": 0.014167918,
                     *               "liquidation_distance_pct": 93.009667423,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "ftx_crash",
                     *               "description": "Failure of FTX, November 2022",
                     *               "funding_cost_pct": 1.5,
                     *               "pnl_pct": 33.5,
                     *               "pnl_usd": 66986.344596,
                     *               "liquidity_cost_pct": 0.011334335,
                     *               "liquidation_distance_pct": 83.238431669,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "short_squeeze",
                     *               "description": "Rally on ETF inflows, February 2024: shorts squeezed",
                     *               "funding_cost_pct": -0.54,
                     *               "pnl_pct": -14.5,
                     *               "pnl_usd": -28994.089452,
                     *               "liquidity_cost_pct": 0.008500751,
                     *               "liquidation_distance_pct": 100,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "flash_recovery",
                     *               "description": "Flash crash and recovery of 17 August 2023, marked after the recovery",
                     *               "funding_cost_pct": 0.025,
                     *               "pnl_pct": 3.4,
                     *               "pnl_usd": 6798.6140784,
                     *               "liquidity_cost_pct": 0.014167918,
                     *               "liquidation_distance_pct": 100,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "black_thursday_2020",
                     *               "description": "Pandemic crash of 12 March 2020",
                     *               "funding_cost_pct": 1.269,
                     *               "pnl_pct": 56.8,
                     *               "pnl_usd": 113576.8469568,
                     *               "liquidity_cost_pct": 0.059337656,
                     *               "liquidation_distance_pct": 53.004368992,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "may_2021_deleveraging",
                     *               "description": "Deleveraging of 19 May 2021",
                     *               "funding_cost_pct": 0.36,
                     *               "pnl_pct": 44.5,
                     *               "pnl_usd": 88981.860732,
                     *               "liquidity_cost_pct": 0.028335836,
                     *               "liquidation_distance_pct": 95.230883529,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "celsius_3ac_2022",
                     *               "description": "Celsius freezes withdrawals, Three Arrows fails, June 2022",
                     *               "funding_cost_pct": 0.72,
                     *               "pnl_pct": 30,
                     *               "pnl_usd": 59987.77128,
                     *               "liquidity_cost_pct": 0.008500751,
                     *               "liquidation_distance_pct": 100,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "yen_unwind_2024",
                     *               "description": "Unwinding of yen carry trades, August 2024",
                     *               "funding_cost_pct": 0.2,
                     *               "pnl_pct": 27.6,
                     *               "pnl_usd": 55188.7495776,
                     *               "liquidity_cost_pct": 0.014167918,
                     *               "liquidation_distance_pct": 100,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "tariff_shock_feb_2025",
                     *               "description": "Tariff announcements, February 2025",
                     *               "funding_cost_pct": 0.39,
                     *               "pnl_pct": 34.7,
                     *               "pnl_usd": 69385.8554472,
                     *               "liquidity_cost_pct": 0.014167918,
                     *               "liquidation_distance_pct": 100,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "october_2025_cascade",
                     *               "description": "Liquidation cascade of 10 October 2025",
                     *               "funding_cost_pct": 0.33,
                     *               "pnl_pct": 20.9,
                     *               "pnl_usd": 41791.4806584,
                     *               "liquidity_cost_pct": 0.059337656,
                     *               "liquidation_distance_pct": 100,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "rebound_may_2021",
                     *               "description": "Rebound after the deleveraging of May 2021: shorts lose",
                     *               "funding_cost_pct": -0.56,
                     *               "pnl_pct": -42.8,
                     *               "pnl_usd": -85582.5536928,
                     *               "liquidity_cost_pct": 0.008500751,
                     *               "liquidation_distance_pct": 75.719996862,
                     *               "survives": true,
                     *               "died_by": null
                     *             },
                     *             {
                     *               "scenario": "rally_may_2025",
                     *               "description": "Rally of May 2025, led by ETH: shorts lose",
                     *               "funding_cost_pct": -0.68,
                     *               "pnl_pct": -38.7,
                     *               "pnl_usd": -77384.2249512,
                     *               "liquidity_cost_pct": 0.008500751,
                     *               "liquidation_distance_pct": 63.871837365,
                     *               "survives": true,
                     *               "died_by": null
                     *             }
                     *           ],
                     *           "portfolio_risk": {
                     *             "portfolio_var_99_24h": 23457.87033173,
                     *             "portfolio_es_99_24h": 31744.060434011,
                     *             "position_count": 5,
                     *             "monte_carlo": null,
                     *             "tail_dependence": [
                     *               {
                     *                 "asset_a": "BTC",
                     *                 "asset_b": "ETH",
                     *                 "lambda_lower": 0.507676328,
                     *                 "lambda_upper": 0.507676328,
                     *                 "pearson_rho": 0.825242955,
                     *                 "nu": 3.3708041
                     *               },
                     *               {
                     *                 "asset_a": "BTC",
                     *                 "asset_b": "SOL",
                     *                 "lambda_lower": 0.471062651,
                     *                 "lambda_upper": 0.471062651,
                     *                 "pearson_rho": 0.718564807,
                     *                 "nu": 2.589709889
                     *               }
                     *             ]
                     *           },
                     *           "portfolio_stress": {
                     *             "scenario": "black_thursday_2020",
                     *             "total_pnl_usd": -196787.58674434,
                     *             "total_pnl_pct": -78.704173766,
                     *             "total_funding_cost_pct": -0.498987024,
                     *             "account_survives": true,
                     *             "positions_liquidated": 0,
                     *             "failed_scenarios": []
                     *           },
                     *           "fees": {
                     *             "taker_fee_bps": 4.5,
                     *             "estimated_fee_usd": 9,
                     *             "fee_pct_of_margin": 0.36
                     *           },
                     *           "cost_analysis": {
                     *             "total_entry_cost_bps": 5.664858106,
                     *             "total_round_trip_cost_bps": 11.329716212,
                     *             "breakeven_move_pct": 0.113297162,
                     *             "funding_drag_24h_pct": -0.24,
                     *             "cost_score": 0.246663224
                     *           },
                     *           "sizing": {
                     *             "max_safe_size_usd": 459400.180009903,
                     *             "suggested_size_usd": 367000,
                     *             "size_limit_reason": "margin_headroom"
                     *           },
                     *           "position": {
                     *             "before": {
                     *               "side": "short",
                     *               "size_coin": 101.9888,
                     *               "notional_usd": 179959.2376,
                     *               "leverage": 8,
                     *               "mode": "cross",
                     *               "entry_price": 1817.85,
                     *               "liquidation_price": 4036.174805030267
                     *             },
                     *             "after": {
                     *               "side": "short",
                     *               "size_coin": 113.3234,
                     *               "notional_usd": 199959.1393,
                     *               "leverage": 8,
                     *               "mode": "cross",
                     *               "entry_price": 1812.5139124413224,
                     *               "liquidation_price": 3805.422644958188
                     *             }
                     *           },
                     *           "margin": {
                     *             "before": {
                     *               "account_value": 250043.499222676,
                     *               "initial": 92747.7719772,
                     *               "maintenance": 13724.4041203,
                     *               "free": 157295.727245476,
                     *               "maintenance_ratio_pct": 5.488806613
                     *             },
                     *             "after": {
                     *               "account_value": 250034.499222676,
                     *               "initial": 95247.7719772,
                     *               "maintenance": 14124.4041203,
                     *               "free": 154786.727245476,
                     *               "maintenance_ratio_pct": 5.648982106
                     *             },
                     *             "delta_initial_usd": 2500,
                     *             "held_usd": 0,
                     *             "held_most_usd": 0,
                     *             "market_move": {
                     *               "down_pct": -87.070010965,
                     *               "up_pct": null
                     *             }
                     *           },
                     *           "admissibility": {
                     *             "verdict": "ok",
                     *             "order_size_coin": 11.3346,
                     *             "order_size_usd": 19999.9017,
                     *             "issues": []
                     *           },
                     *           "open_orders": {
                     *             "source": "derived",
                     *             "held_usd": 0,
                     *             "held_most_usd": 0,
                     *             "exact": true
                     *           },
                     *           "book_before": {
                     *             "probability_24h": 0.000029835,
                     *             "probability_7d": 0.000374046,
                     *             "pool_var_99_usd": 24566.004312526,
                     *             "stress_loss_usd": 203603.58674434,
                     *             "portfolio_var_99_usd": 24566.004312526
                     *           },
                     *           "day": {
                     *             "down_999_pct": -14.610847836,
                     *             "down_99_pct": -8.51321871,
                     *             "down_95_pct": -5.714950759,
                     *             "median_pct": -0.131560535,
                     *             "up_95_pct": 5.592443633,
                     *             "up_99_pct": 9.777109112,
                     *             "up_999_pct": 18.710857674
                     *           },
                     *           "evt": {
                     *             "var_99_9": 18.710857674,
                     *             "expected_shortfall_99_9": 22.901438125
                     *           },
                     *           "greeks": {
                     *             "delta": -113.32345570983281,
                     *             "gamma": -4.4624130429400014e-97,
                     *             "vega": -2.6344600724723365e-95,
                     *             "theta": 56.750709505028766,
                     *             "liquidation_gamma": -2.1566577755501206
                     *           },
                     *           "regime": {
                     *             "state": "normal",
                     *             "confidence": 0.672327235
                     *           },
                     *           "liquidity_regime": "normal",
                     *           "drawdown": {
                     *             "max_drawdown_pct": 35.012670676,
                     *             "current_drawdown_pct": 33.015620863,
                     *             "peak_equity": 29857.707509881,
                     *             "trough_equity": 19403.726708075,
                     *             "drawdown_duration_hours": 3026,
                     *             "calmar_ratio": -0.45238291,
                     *             "trailing_stop_distance_pct": 6.615435799,
                     *             "suggested_stop_loss_pct": 7.245276384
                     *           },
                     *           "portfolio_attribution": {
                     *             "total_var_99": 23457.87033173,
                     *             "diversification_benefit_pct": 63.530188066,
                     *             "positions": [
                     *               {
                     *                 "asset": "BTC",
                     *                 "marginal_var": 7938.89718422,
                     *                 "component_var": 19336.861382417,
                     *                 "component_var_pct": 82.432297173
                     *               },
                     *               {
                     *                 "asset": "ETH",
                     *                 "marginal_var": -15452.858526159,
                     *                 "component_var": -7144.122167044,
                     *                 "component_var_pct": -30.455118329
                     *               }
                     *             ]
                     *           },
                     *           "meta": {
                     *             "asset": "ETH",
                     *             "mark_price": 1764.5,
                     *             "max_leverage": 25,
                     *             "latency_ms": 0.767641,
                     *             "market_age_ms": 735.288445,
                     *             "wallet_age_ms": 34.919261,
                     *             "request_id": "req_06H1RS5DP8000002ETNC0E0SNC",
                     *             "venue": "simulated",
                     *             "venue_notice": null,
                     *             "wallet_role": null,
                     *             "as_of": "2026-11-27T09:44:49.842Z"
                     *           },
                     *           "model_version": {
                     *             "engine_version": "3.0.0",
                     *             "calibration_hash": "624aa7e6eb19e555d763e29313dcc64748ed00e5441927bdd97462d32e5f310d",
                     *             "calibration_name": "fhs-px"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BatchAnswer"] | components["schemas"]["CompactBatchAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            502: components["responses"]["VenueError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["DeadlineExceeded"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    size: {
        parameters: {
            query?: {
                /** @description `true` adds `explanation` to each assessment. */
                explain?: "true" | "false";
                /** @description `compact`: what a language model or a chat needs, in about 1,200 bytes a trade; `explain` has no effect then. */
                view?: "compact";
            };
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "asset": "BTC",
                 *       "action": "long",
                 *       "wallet": "0xba11a57000000000000000000000000000000001",
                 *       "target": {
                 *         "max_score": 40
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SizeRequest"];
            };
        };
        responses: {
            /** @description The largest size, its figures, and those of others. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SizeAnswer"] | components["schemas"]["CompactSizeAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            502: components["responses"]["VenueError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["DeadlineExceeded"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    stress: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "wallet": "0xba11a57000000000000000000000000000000001",
                 *       "shocks": {
                 *         "BTC": -20,
                 *         "*": -30
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ShockRequest"];
            };
        };
        responses: {
            /** @description The wallet after the moves. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "wallet": "0xba11a57000000000000000000000000000000001",
                     *       "shocks": {
                     *         "BTC": -20,
                     *         "DOGE": -30,
                     *         "ETH": -30,
                     *         "HYPE": -30,
                     *         "SOL": -30
                     *       },
                     *       "unused": [],
                     *       "pnl_usd": -44520.8073902,
                     *       "account_value_usd": 205547.0038808,
                     *       "account_survives": true,
                     *       "pools": [
                     *         {
                     *           "dex": "",
                     *           "mode": "cross",
                     *           "asset": null,
                     *           "equity_usd": 205547.0038808,
                     *           "maintenance_usd": 9569.57553701,
                     *           "maintenance_ratio_pct": 4.655662869,
                     *           "pnl_usd": -44520.8073902,
                     *           "survives": true,
                     *           "positions_liquidated": 0
                     *         }
                     *       ],
                     *       "positions": [
                     *         {
                     *           "asset": "BTC",
                     *           "notional_usd": 319994.12224,
                     *           "shock_pct": -20,
                     *           "pnl_usd": -63998.824448,
                     *           "liquidated": false
                     *         },
                     *         {
                     *           "asset": "ETH",
                     *           "notional_usd": 179959.2376,
                     *           "shock_pct": -30,
                     *           "pnl_usd": 53987.77128,
                     *           "liquidated": false
                     *         }
                     *       ],
                     *       "meta": {
                     *         "latency_ms": 0.278884,
                     *         "market_age_ms": 741.635236,
                     *         "wallet_age_ms": 41.266052,
                     *         "request_id": "req_06H1RS5DQ0000003ETNC0E0SNC",
                     *         "venue": "simulated",
                     *         "venue_notice": null,
                     *         "wallet_role": null,
                     *         "as_of": "2026-11-27T09:44:49.849Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ShockReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            502: components["responses"]["VenueError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["DeadlineExceeded"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    monitor: {
        parameters: {
            query?: {
                /** @description `compact`: what a language model or a chat needs, in about 1,200 bytes a trade; `explain` has no effect then. */
                view?: "compact";
                /** @description The chance of liquidation within 24 hours that each `action` brings its pool to, at most; fraction. */
                max_probability_24h?: number;
                /** @description Each `action` also lets its pool survive every stress scenario. */
                survive?: boolean;
            };
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path: {
                /**
                 * @description Address of the account.
                 * @example 0xba11a57000000000000000000000000000000001
                 */
                wallet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The wallet as held, never more than 2 s old. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "X-Alert-Fanout": components["headers"]["X-Alert-Fanout"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "wallet": "0xba11a57000000000000000000000000000000001",
                     *       "account_value": 250067.811271,
                     *       "total_margin_used": 87747.7719772,
                     *       "margin": {
                     *         "account_value": 250067.811271,
                     *         "initial": 87747.7719772,
                     *         "maintenance": 13099.4041203,
                     *         "free": 162320.0392938,
                     *         "maintenance_ratio_pct": 5.238340774,
                     *         "held_usd": 0,
                     *         "held_most_usd": 0,
                     *         "market_move": {
                     *           "down_pct": -97.93378151,
                     *           "up_pct": null
                     *         }
                     *       },
                     *       "positions": [
                     *         {
                     *           "asset": "BTC",
                     *           "size": 5.79584,
                     *           "entry_price": 53555.6,
                     *           "mark_price": 55211,
                     *           "unrealized_pnl": 9594.433536,
                     *           "unrealized_pnl_pct": 29.983155531,
                     *           "risk_score": 6.8702,
                     *           "recommendation": "proceed",
                     *           "flags": [
                     *             "history_loading"
                     *           ],
                     *           "liquidation_price": 13807.509351325227,
                     *           "liquidation_distance_pct": 74.991379705,
                     *           "funding_drag_24h_pct": 0.3,
                     *           "probability_24h": 0.00002139,
                     *           "probability_7d": 0.000274679,
                     *           "regime": {
                     *             "state": "stressed",
                     *             "confidence": 0.866461722
                     *           },
                     *           "liquidity_regime": "stressed",
                     *           "var": {
                     *             "pct_95_24h": 4.412480678,
                     *             "pct_99_24h": 6.781146639,
                     *             "dollar_95_24h": 14119.67881416,
                     *             "dollar_99_24h": 21699.270664674,
                     *             "lvar_95_24h": 14131.270284211,
                     *             "lvar_99_24h": 21716.657869751,
                     *             "pct_99_4h": 2.8075913414,
                     *             "pct_99_7d": 18.575341019,
                     *             "dollar_99_4h": 8984.127269022,
                     *             "dollar_99_7d": 59439.999448015,
                     *             "es_95_24h": 6.119786972,
                     *             "es_99_24h": 9.547595311,
                     *             "margin_var_99_pct": 67.811466388,
                     *             "loss_99_capped_usd": 21699.270664674,
                     *             "volatility_regime": "high",
                     *             "session": null,
                     *             "volatility_forecast": {
                     *               "sigma_1h": 0.456954352,
                     *               "sigma_4h": 0.51006454,
                     *               "sigma_1d": 0.518761198,
                     *               "sigma_7d": 0.521906322,
                     *               "long_run_sigma": 0.382192375
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "asset": "ETH",
                     *           "size": -101.9888,
                     *           "entry_price": 1817.85,
                     *           "mark_price": 1764.5,
                     *           "unrealized_pnl": 5441.10248,
                     *           "unrealized_pnl_pct": 24.188155285,
                     *           "risk_score": 5.8246,
                     *           "recommendation": "proceed",
                     *           "flags": [
                     *             "history_loading"
                     *           ],
                     *           "liquidation_price": 4042.416475091421,
                     *           "liquidation_distance_pct": 100,
                     *           "funding_drag_24h_pct": -0.24,
                     *           "probability_24h": 0.00002139,
                     *           "probability_7d": 0.000274679,
                     *           "regime": {
                     *             "state": "normal",
                     *             "confidence": 0.672327235
                     *           },
                     *           "liquidity_regime": "normal",
                     *           "var": {
                     *             "pct_95_24h": 5.592443633,
                     *             "pct_99_24h": 9.777109112,
                     *             "dollar_95_24h": 10064.118925791,
                     *             "dollar_99_24h": 17594.81101775,
                     *             "lvar_95_24h": 10074.317516797,
                     *             "lvar_99_24h": 17610.108904259,
                     *             "pct_99_4h": 3.4489547711,
                     *             "pct_99_7d": 16.378829832,
                     *             "dollar_99_4h": 6206.712711304,
                     *             "dollar_99_7d": 29475.217293639,
                     *             "es_95_24h": 8.253641344,
                     *             "es_99_24h": 12.432157101,
                     *             "margin_var_99_pct": 78.216872898,
                     *             "loss_99_capped_usd": 17594.81101775,
                     *             "volatility_regime": "high",
                     *             "session": null,
                     *             "volatility_forecast": {
                     *               "sigma_1h": 0.599844593,
                     *               "sigma_4h": 0.669590638,
                     *               "sigma_1d": 0.692104055,
                     *               "sigma_7d": 0.646747596,
                     *               "long_run_sigma": 0.519609157
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "open_orders": {
                     *         "source": "derived",
                     *         "held_usd": 0,
                     *         "held_most_usd": 0,
                     *         "exact": true
                     *       },
                     *       "portfolio_risk": {
                     *         "portfolio_var_99_24h": 21537.863836296,
                     *         "portfolio_es_99_24h": 29239.345706109,
                     *         "position_count": 5,
                     *         "monte_carlo": null,
                     *         "tail_dependence": [
                     *           {
                     *             "asset_a": "BTC",
                     *             "asset_b": "ETH",
                     *             "lambda_lower": 0.507676328,
                     *             "lambda_upper": 0.507676328,
                     *             "pearson_rho": 0.825242955,
                     *             "nu": 3.3708041
                     *           },
                     *           {
                     *             "asset_a": "BTC",
                     *             "asset_b": "SOL",
                     *             "lambda_lower": 0.471062651,
                     *             "lambda_upper": 0.471062651,
                     *             "pearson_rho": 0.718564807,
                     *             "nu": 2.589709889
                     *           }
                     *         ]
                     *       },
                     *       "portfolio_stress": {
                     *         "scenario": "black_thursday_2020",
                     *         "total_pnl_usd": -176403.58674434,
                     *         "total_pnl_pct": -70.542300446,
                     *         "total_funding_cost_pct": -0.494191523,
                     *         "account_survives": true,
                     *         "positions_liquidated": 0,
                     *         "failed_scenarios": []
                     *       },
                     *       "meta": {
                     *         "latency_ms": 0.324389,
                     *         "market_age_ms": 743.843951,
                     *         "wallet_age_ms": 43.474767,
                     *         "request_id": "req_06H1RS5DQ8000004ETNC0E0SNC",
                     *         "venue": "simulated",
                     *         "venue_notice": null,
                     *         "wallet_role": null,
                     *         "as_of": "2026-11-27T09:44:49.851Z"
                     *       },
                     *       "model_version": {
                     *         "engine_version": "3.0.0",
                     *         "calibration_hash": "624aa7e6eb19e555d763e29313dcc64748ed00e5441927bdd97462d32e5f310d",
                     *         "calibration_name": "fhs-px"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WalletReport"] | components["schemas"]["CompactWalletReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            502: components["responses"]["VenueError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["DeadlineExceeded"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    alerts: {
        parameters: {
            query?: {
                /** @description `true`: alerts have `since` and `count` of the condition. */
                details?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection is a WebSocket now. */
            101: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            505: components["responses"]["HTTPVersion"];
            default: components["responses"]["Internal"];
        };
    };
    assets: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The assets. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "assets": [
                     *         {
                     *           "name": "BTC",
                     *           "mark_price": 55211,
                     *           "max_leverage": 40,
                     *           "funding_rate_8h": 0.0000125,
                     *           "funding_rate": 0.0000125,
                     *           "oi": 1159456139.77674,
                     *           "volume_24h": 3000000000,
                     *           "change_24h_pct": -1.2167,
                     *           "only_isolated": false,
                     *           "margin_tiers": [
                     *             {
                     *               "lower_bound": 0,
                     *               "max_leverage": 40
                     *             },
                     *             {
                     *               "lower_bound": 150000000,
                     *               "max_leverage": 20
                     *             }
                     *           ],
                     *           "book": {
                     *             "levels": 74,
                     *             "depth_pct": 34.7967,
                     *             "cadence_ms": 538,
                     *             "age_ms": 246,
                     *             "depth_cadence_ms": 5400,
                     *             "depth_age_ms": 644
                     *           },
                     *           "day": {
                     *             "down_999_pct": -12.7569,
                     *             "down_99_pct": -6.7811,
                     *             "down_95_pct": -4.4125,
                     *             "median_pct": -0.2143,
                     *             "up_95_pct": 3.8012,
                     *             "up_99_pct": 7.0027,
                     *             "up_999_pct": 14.7505
                     *           }
                     *         },
                     *         {
                     *           "name": "ETH",
                     *           "mark_price": 1764.5,
                     *           "max_leverage": 25,
                     *           "funding_rate_8h": 0.0000125,
                     *           "funding_rate": 0.0000125,
                     *           "oi": 1126818018.38235,
                     *           "volume_24h": 1500000000,
                     *           "change_24h_pct": 0.8689,
                     *           "only_isolated": false,
                     *           "margin_tiers": [
                     *             {
                     *               "lower_bound": 0,
                     *               "max_leverage": 25
                     *             },
                     *             {
                     *               "lower_bound": 100000000,
                     *               "max_leverage": 15
                     *             }
                     *           ],
                     *           "book": {
                     *             "levels": 62,
                     *             "depth_pct": 41.6791,
                     *             "cadence_ms": 538,
                     *             "age_ms": 246,
                     *             "depth_cadence_ms": 5400,
                     *             "depth_age_ms": 644
                     *           },
                     *           "day": {
                     *             "down_999_pct": -14.6108,
                     *             "down_99_pct": -8.5132,
                     *             "down_95_pct": -5.715,
                     *             "median_pct": -0.1316,
                     *             "up_95_pct": 5.5924,
                     *             "up_99_pct": 9.7771,
                     *             "up_999_pct": 18.7109
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Assets"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    market: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path: {
                /**
                 * @description Ticker, as it is or percent-encoded.
                 * @example BTC
                 */
                asset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The asset. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "asset": "BTC",
                     *       "mark_price": 55211,
                     *       "oracle_price": 55205,
                     *       "mid_price": 55212,
                     *       "spread_bps": 0.36224009273346375,
                     *       "depth": {
                     *         "bids": {
                     *           "usd_10bps": 12922099.33117,
                     *           "usd_50bps": 34262604.11617,
                     *           "usd_100bps": 62786838.56217
                     *         },
                     *         "asks": {
                     *           "usd_10bps": 10649323.191019999,
                     *           "usd_50bps": 28374396.10851999,
                     *           "usd_100bps": 52998667.271519996
                     *         }
                     *       },
                     *       "imbalance": 0.09400526823647307,
                     *       "funding_rate": 0.0000125,
                     *       "open_interest_usd": 1159456139.77674,
                     *       "volume_24h_usd": 3000000000,
                     *       "regime": {
                     *         "state": "stressed",
                     *         "confidence": 0.8664617218579044
                     *       },
                     *       "liquidity_regime": "stressed",
                     *       "volatility_forecast": {
                     *         "sigma_1h": 0.4569543517817148,
                     *         "sigma_4h": 0.5100645397398345,
                     *         "sigma_1d": 0.5187611983200975,
                     *         "sigma_7d": 0.5219063221588096,
                     *         "long_run_sigma": 0.38219237482743657
                     *       },
                     *       "day": {
                     *         "down_999_pct": -12.756872044,
                     *         "down_99_pct": -6.781146639,
                     *         "down_95_pct": -4.412480678,
                     *         "median_pct": -0.214306346,
                     *         "up_95_pct": 3.801180042,
                     *         "up_99_pct": 7.002720274,
                     *         "up_999_pct": 14.750502336
                     *       },
                     *       "ages": {
                     *         "mark_ms": 749,
                     *         "slow_ms": 1429,
                     *         "book_ms": 249,
                     *         "depth_ms": 647,
                     *         "fit_ms": 2689857
                     *       },
                     *       "mids": [
                     *         {
                     *           "at_ms": 1795772688048,
                     *           "mid_price": 55212
                     *         },
                     *         {
                     *           "at_ms": 1795772674109,
                     *           "mid_price": 55212
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["MarketData"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    modelInfo: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The model. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "engine_version": "3.0.0",
                     *       "calibration_name": "fhs-px",
                     *       "calibration_hash": "ada7532eb64af726f6a4e2c32f7472c8ad95f3d992b2239ee3925fbf5f6c60dd",
                     *       "calibrated_assets": 76,
                     *       "calibration_constants": {
                     *         "copula": {
                     *           "default_nu": 4,
                     *           "fewest_points": 180,
                     *           "group_hours": 4,
                     *           "hourly_returns": 8640,
                     *           "max_rho": 0.999,
                     *           "nu_bounds": [
                     *             2.05,
                     *             40
                     *           ],
                     *           "returns_per_unit": 1000000000000
                     *         },
                     *         "drawdown": {
                     *           "bars": 8760,
                     *           "fewest_bars": 30,
                     *           "fewest_calmar": 720,
                     *           "max_calmar": 100,
                     *           "true_range_bars": 14,
                     *           "true_range_hours": 4,
                     *           "year_hours": 8760
                     *         },
                     *         "evt": {
                     *           "fewest_excesses": 10,
                     *           "fewest_outcomes": 2160,
                     *           "fit_xi_bounds": [
                     *             -0.5,
                     *             0.9
                     *           ],
                     *           "pooled_tails": [
                     *             [
                     *               1.614,
                     *               0.136,
                     *               0.688
                     *             ],
                     *             [
                     *               1.666,
                     *               0.182,
                     *               0.64
                     *             ]
                     *           ],
                     *           "quantile_level": 0.95,
                     *           "tail_share": 0.05,
                     *           "xi_bounds": [
                     *             0.05,
                     *             0.5
                     *           ]
                     *         },
                     *         "extreme_share": 0.001,
                     *         "fewest_tail_bars": 24,
                     *         "hmm": {
                     *           "fewest_median": 240,
                     *           "filter_bars": 744,
                     *           "illiquidity_hours": 24,
                     *           "least_density": 1e-300,
                     *           "least_variance": 1e-12,
                     *           "least_volume_usd": 1,
                     *           "mean": [
                     *             [
                     *               -0.37,
                     *               -0.06
                     *             ],
                     *             [
                     *               0.34,
                     *               -0.02
                     *             ],
                     *             [
                     *               0.81,
                     *               0.16
                     *             ]
                     *           ],
                     *           "median_window": 720,
                     *           "prior": [
                     *             0.8,
                     *             0.17,
                     *             0.03
                     *           ],
                     *           "sd": [
                     *             [
                     *               0.36,
                     *               0.4
                     *             ],
                     *             [
                     *               0.17,
                     *               0.5
                     *             ],
                     *             [
                     *               0.22,
                     *               0.5
                     *             ]
                     *           ],
                     *           "threshold_confidence": 0.5,
                     *           "thresholds": [
                     *             0.078,
                     *             0.67
                     *           ],
                     *           "transition": [
                     *             [
                     *               0.99,
                     *               0.0099,
                     *               0.0001
                     *             ],
                     *             [
                     *               0.04,
                     *               0.952,
                     *               0.008
                     *             ],
                     *             [
                     *               0.001,
                     *               0.049,
                     *               0.95
                     *             ]
                     *           ]
                     *         },
                     *         "joint": {
                     *           "between_marks": 0.58,
                     *           "correlation_rows": 2160,
                     *           "default_correlation": 0.6,
                     *           "fewest_paths": 100,
                     *           "filler_beta": 0.6,
                     *           "filler_residual": 0.8,
                     *           "filler_stride": 7919,
                     *           "filler_table": 1009,
                     *           "level": 0.99,
                     *           "mark_hours": 4,
                     *           "max_exponent": 10,
                     *           "max_price_move": 5,
                     *           "min_correlation_rows": 240,
                     *           "min_left": 1e-9,
                     *           "path_scale": [
                     *             1,
                     *             0.95
                     *           ],
                     *           "path_stride": 4,
                     *           "rows": 8761,
                     *           "scale_bounds": [
                     *             0.1,
                     *             10
                     *           ]
                     *         },
                     *         "mc": {
                     *           "density_share": 0.25,
                     *           "draws": 8192,
                     *           "generator": "philox4x32-10",
                     *           "interval": [
                     *             0.025,
                     *             0.975
                     *           ],
                     *           "least_mixing_nu": 2,
                     *           "least_pivot": 1e-12,
                     *           "marginal_nu": 4,
                     *           "match_bounds": [
                     *             0.5,
                     *             2
                     *           ],
                     *           "most_factor": 10,
                     *           "most_log_move": 64,
                     *           "most_move": 5,
                     *           "own_table": 720,
                     *           "paths": 10000,
                     *           "steps_hours": 24,
                     *           "student_bins": 65536,
                     *           "student_nu": 3.66,
                     *           "tail_half": 0.005,
                     *           "tail_rank": 0.99,
                     *           "tail_shares": [
                     *             0.05,
                     *             0.01
                     *           ]
                     *         },
                     *         "pair_hours": 8640,
                     *         "paired_by_interest": 32,
                     *         "vol": {
                     *           "class_names": [
                     *             null,
                     *             null,
                     *             [
                     *               "GOLD",
                     *               "GOLDJM",
                     *               "SILVER",
                     *               "SILVERJM",
                     *               "PLATINUM",
                     *               "PALLADIUM",
                     *               "COPPER",
                     *               "ALUMINIUM",
                     *               "XAU",
                     *               "XAG"
                     *             ],
                     *             [
                     *               "CL",
                     *               "OIL",
                     *               "WTI",
                     *               "USOIL",
                     *               "BRENT",
                     *               "BRENTOIL",
                     *               "NATGAS",
                     *               "GAS",
                     *               "TTF"
                     *             ]
                     *           ],
                     *           "coefficients": [
                     *             [
                     *               0.65,
                     *               0,
                     *               0.06,
                     *               0.08,
                     *               0.06
                     *             ],
                     *             [
                     *               0.55,
                     *               0.14,
                     *               0.08,
                     *               0.03,
                     *               0.08
                     *             ],
                     *             [
                     *               0.47,
                     *               0.19,
                     *               0.08,
                     *               0.08,
                     *               0.08
                     *             ],
                     *             [
                     *               0.24,
                     *               0.3,
                     *               0.03,
                     *               0.17,
                     *               0.22
                     *             ]
                     *           ],
                     *           "crypto_hours": [
                     *             [
                     *               1.76,
                     *               1.12,
                     *               0.9,
                     *               0.81,
                     *               0.79,
                     *               0.77,
                     *               0.85,
                     *               0.92,
                     *               1.09,
                     *               0.95,
                     *               0.98,
                     *               0.98,
                     *               1.37,
                     *               1.54,
                     *               1.65,
                     *               1.4,
                     *               1.53,
                     *               1.03,
                     *               1.04,
                     *               0.98,
                     *               1.05,
                     *               0.92,
                     *               0.99,
                     *               1.01
                     *             ],
                     *             [
                     *               1.41,
                     *               0.81,
                     *               0.65,
                     *               0.58,
                     *               0.62,
                     *               0.64,
                     *               0.58,
                     *               0.58,
                     *               0.73,
                     *               0.63,
                     *               0.7,
                     *               0.69,
                     *               0.78,
                     *               0.73,
                     *               0.81,
                     *               0.8,
                     *               1.1,
                     *               0.75,
                     *               0.63,
                     *               0.57,
                     *               0.63,
                     *               0.7,
                     *               0.74,
                     *               0.77
                     *             ],
                     *             [
                     *               1.16,
                     *               0.75,
                     *               0.59,
                     *               0.57,
                     *               0.57,
                     *               0.53,
                     *               0.55,
                     *               0.48,
                     *               0.67,
                     *               0.66,
                     *               0.7,
                     *               0.7,
                     *               0.88,
                     *               0.76,
                     *               0.9,
                     *               0.81,
                     *               1.09,
                     *               0.71,
                     *               0.64,
                     *               0.69,
                     *               0.78,
                     *               0.87,
                     *               1.15,
                     *               1.01
                     *             ]
                     *           ],
                     *           "decay": [
                     *             0.8571428571428571,
                     *             0.96,
                     *             0.9917355371900827,
                     *             0.9983361064891847
                     *           ],
                     *           "excursion_independent": 3,
                     *           "excursion_shares": [
                     *             0.9,
                     *             0.8,
                     *             0.7,
                     *             0.6,
                     *             0.5,
                     *             0.4,
                     *             0.3,
                     *             0.2,
                     *             0.15,
                     *             0.1,
                     *             0.07,
                     *             0.05,
                     *             0.03,
                     *             0.02,
                     *             0.015,
                     *             0.01,
                     *             0.007,
                     *             0.005,
                     *             0.003,
                     *             0.002,
                     *             0.001
                     *           ],
                     *           "excursion_tail_width": 0.05,
                     *           "excursion_xi": 0.4,
                     *           "fewest_outcomes": 100,
                     *           "floor_sigma": 0.05,
                     *           "horizons_hours": [
                     *             1,
                     *             4,
                     *             24,
                     *             168
                     *           ],
                     *           "kappa2_bounds": [
                     *             0.25,
                     *             4
                     *           ],
                     *           "limited_history_bars": 2160,
                     *           "long_run_window": 8760,
                     *           "max_loss_pct": [
                     *             100,
                     *             500
                     *           ],
                     *           "moving_bars": 720,
                     *           "new_listing_bars": 720,
                     *           "outcome_window": [
                     *             8760,
                     *             8760,
                     *             8760,
                     *             17520
                     *           ],
                     *           "own_outcomes": 1440,
                     *           "pooled_excursions": [
                     *             [
                     *               [
                     *                 0.109,
                     *                 0.218,
                     *                 0.333,
                     *                 0.457,
                     *                 0.596,
                     *                 0.759,
                     *                 0.967,
                     *                 1.248,
                     *                 1.452,
                     *                 1.759,
                     *                 2.04,
                     *                 2.327,
                     *                 2.803,
                     *                 3.232,
                     *                 3.551,
                     *                 4.026,
                     *                 4.53,
                     *                 5.045,
                     *                 6.246,
                     *                 7.394,
                     *                 9.603
                     *               ],
                     *               [
                     *                 0.105,
                     *                 0.209,
                     *                 0.318,
                     *                 0.433,
                     *                 0.564,
                     *                 0.717,
                     *                 0.911,
                     *                 1.186,
                     *                 1.385,
                     *                 1.674,
                     *                 1.935,
                     *                 2.184,
                     *                 2.58,
                     *                 2.927,
                     *                 3.188,
                     *                 3.583,
                     *                 3.95,
                     *                 4.286,
                     *                 4.89,
                     *                 5.38,
                     *                 6.482
                     *               ]
                     *             ],
                     *             [
                     *               [
                     *                 0.104,
                     *                 0.213,
                     *                 0.327,
                     *                 0.442,
                     *                 0.569,
                     *                 0.724,
                     *                 0.913,
                     *                 1.175,
                     *                 1.365,
                     *                 1.67,
                     *                 1.956,
                     *                 2.266,
                     *                 2.917,
                     *                 3.489,
                     *                 3.933,
                     *                 4.449,
                     *                 4.818,
                     *                 5.164,
                     *                 5.709,
                     *                 6.224,
                     *                 8.27
                     *               ],
                     *               [
                     *                 0.098,
                     *                 0.196,
                     *                 0.302,
                     *                 0.418,
                     *                 0.555,
                     *                 0.721,
                     *                 0.919,
                     *                 1.201,
                     *                 1.407,
                     *                 1.697,
                     *                 1.972,
                     *                 2.235,
                     *                 2.698,
                     *                 3.098,
                     *                 3.398,
                     *                 3.889,
                     *                 4.45,
                     *                 5.048,
                     *                 6.383,
                     *                 7.728,
                     *                 10.24
                     *               ]
                     *             ]
                     *           ],
                     *           "pooled_kappa2": [
                     *             1.068,
                     *             1.086,
                     *             1.163,
                     *             1.151
                     *           ],
                     *           "pooled_tails": [
                     *             [
                     *               [
                     *                 [
                     *                   1.534,
                     *                   2.379
                     *                 ],
                     *                 [
                     *                   2.795,
                     *                   3.969
                     *                 ]
                     *               ],
                     *               [
                     *                 [
                     *                   1.49,
                     *                   2.303
                     *                 ],
                     *                 [
                     *                   2.699,
                     *                   3.879
                     *                 ]
                     *               ]
                     *             ],
                     *             [
                     *               [
                     *                 [
                     *                   1.556,
                     *                   2.399
                     *                 ],
                     *                 [
                     *                   2.844,
                     *                   3.946
                     *                 ]
                     *               ],
                     *               [
                     *                 [
                     *                   1.524,
                     *                   2.356
                     *                 ],
                     *                 [
                     *                   2.778,
                     *                   3.909
                     *                 ]
                     *               ]
                     *             ],
                     *             [
                     *               [
                     *                 [
                     *                   1.614,
                     *                   2.41
                     *                 ],
                     *                 [
                     *                   2.874,
                     *                   3.838
                     *                 ]
                     *               ],
                     *               [
                     *                 [
                     *                   1.666,
                     *                   2.462
                     *                 ],
                     *                 [
                     *                   2.857,
                     *                   3.949
                     *                 ]
                     *               ]
                     *             ],
                     *             [
                     *               [
                     *                 [
                     *                   1.525,
                     *                   2.26
                     *                 ],
                     *                 [
                     *                   2.735,
                     *                   3.454
                     *                 ]
                     *               ],
                     *               [
                     *                 [
                     *                   1.714,
                     *                   2.657
                     *                 ],
                     *                 [
                     *                   3.053,
                     *                   4.566
                     *                 ]
                     *               ]
                     *             ]
                     *           ],
                     *           "prior_sigma": 2,
                     *           "range_cap": 36,
                     *           "regime_bars": 24,
                     *           "regime_leave": [
                     *             0.28,
                     *             0.77
                     *           ],
                     *           "regime_normal": [
                     *             0.22,
                     *             0.83
                     *           ],
                     *           "regime_plain": [
                     *             0.25,
                     *             0.8
                     *           ],
                     *           "regime_window": 8760,
                     *           "regime_young": [
                     *             0.4,
                     *             1.1
                     *           ],
                     *           "reopening": [
                     *             0,
                     *             4.94,
                     *             5.05,
                     *             10.24
                     *           ],
                     *           "rest": [
                     *             17,
                     *             113,
                     *             162
                     *           ],
                     *           "seed_bars": 720,
                     *           "session_hours": [
                     *             [
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0,
                     *               0
                     *             ],
                     *             [
                     *               0.33,
                     *               0.34,
                     *               0.6,
                     *               1.18,
                     *               0.82,
                     *               0.76,
                     *               0.66,
                     *               0.71,
                     *               1.08,
                     *               3.06,
                     *               3.39,
                     *               2.62,
                     *               1.76,
                     *               1.73,
                     *               2.42,
                     *               3.13,
                     *               0.85,
                     *               0.29,
                     *               0.91,
                     *               0.54,
                     *               0.86,
                     *               1,
                     *               0.61,
                     *               0.36
                     *             ],
                     *             [
                     *               0.46,
                     *               0.74,
                     *               1.21,
                     *               1.46,
                     *               1.08,
                     *               0.89,
                     *               0.89,
                     *               1.18,
                     *               3.3,
                     *               3.17,
                     *               3.22,
                     *               1.83,
                     *               1.17,
                     *               1.21,
                     *               1.54,
                     *               0.88,
                     *               0.41,
                     *               0.31,
                     *               0.83,
                     *               0.59,
                     *               1.08,
                     *               1.31,
                     *               0.57,
                     *               0.45
                     *             ],
                     *             [
                     *               0.24,
                     *               0.4,
                     *               0.66,
                     *               1.15,
                     *               1.61,
                     *               1.49,
                     *               1.15,
                     *               1.03,
                     *               1.35,
                     *               2.71,
                     *               3.51,
                     *               3.24,
                     *               1.47,
                     *               1.57,
                     *               2.01,
                     *               0.46,
                     *               0.41,
                     *               0.31,
                     *               1.32,
                     *               0.35,
                     *               0.94,
                     *               0.8,
                     *               0.38,
                     *               0.28
                     *             ]
                     *           ],
                     *           "silent_share": 0.5,
                     *           "tail_share": [
                     *             0.05,
                     *             0.01
                     *           ]
                     *         },
                     *         "volume": {
                     *           "month_bars": 720,
                     *           "week_bars": 168
                     *         }
                     *       },
                     *       "weights": {
                     *         "funding": 0.1,
                     *         "impact": 0.05,
                     *         "liquidation": 0.35,
                     *         "oi": 0.15,
                     *         "slippage": 0.1,
                     *         "var": 0.25
                     *       },
                     *       "weights_without_oi": {
                     *         "funding": 0.11764705882352942,
                     *         "impact": 0.05882352941176471,
                     *         "liquidation": 0.4117647058823529,
                     *         "oi": 0,
                     *         "slippage": 0.11764705882352942,
                     *         "var": 0.29411764705882354
                     *       },
                     *       "bands": [
                     *         {
                     *           "recommendation": "proceed",
                     *           "score_up_to": 40
                     *         },
                     *         {
                     *           "recommendation": "proceed_with_caution",
                     *           "score_up_to": 70
                     *         },
                     *         {
                     *           "recommendation": "abort",
                     *           "score_up_to": 100
                     *         }
                     *       ],
                     *       "close_score_cap": 30,
                     *       "scenarios": [
                     *         {
                     *           "id": "jelly_squeeze",
                     *           "description": "Squeeze of a thin listing (JELLYJELLY, March 2025): +400 % within hours, other listed assets unshocked",
                     *           "window_utc": "2025-03-26",
                     *           "shocks": [
                     *             {
                     *               "extreme_pct": 0,
                     *               "final_pct": 0
                     *             },
                     *             {
                     *               "extreme_pct": 0,
                     *               "final_pct": 0
                     *             },
                     *             {
                     *               "extreme_pct": 0,
                     *               "final_pct": 0
                     *             },
                     *             {
                     *               "extreme_pct": 400,
                     *               "final_pct": 73
                     *             }
                     *           ],
                     *           "hours": 8,
                     *           "funding_pct_per_hour": 0.05,
                     *           "spread_multiple": 10,
                     *           "depth_multiple": 0.1,
                     *           "mark_at_final": false
                     *         },
                     *         {
                     *           "id": "luna_collapse",
                     *           "description": "Collapse of LUNA and UST, May 2022",
                     *           "window_utc": "2022-05-08 20h - 05-12 08h",
                     *           "shocks": [
                     *             {
                     *               "extreme_pct": -23,
                     *               "final_pct": -18.8
                     *             },
                     *             {
                     *               "extreme_pct": -30.7,
                     *               "final_pct": -25.3
                     *             },
                     *             {
                     *               "extreme_pct": -45.6,
                     *               "final_pct": -39.4
                     *             },
                     *             {
                     *               "extreme_pct": -55.5,
                     *               "final_pct": -47.7
                     *             }
                     *           ],
                     *           "hours": 84,
                     *           "funding_pct_per_hour": -0.01,
                     *           "spread_multiple": 5,
                     *           "depth_multiple": 0.3,
                     *           "mark_at_final": false,
                     *           "recorded": {
                     *             "AVAX": {
                     *               "extreme_pct": -55.5,
                     *               "final_pct": -47.7
                     *             },
                     *             "BNB": {
                     *               "extreme_pct": -39.1,
                     *               "final_pct": -29.3
                     *             },
                     *             "DOGE": {
                     *               "extreme_pct": -45.2,
                     *               "final_pct": -38.9
                     *             },
                     *             "LINK": {
                     *               "extreme_pct": -45.9,
                     *               "final_pct": -39.9
                     *             },
                     *             "SOL": {
                     *               "extreme_pct": -51.1,
                     *               "final_pct": -42.3
                     *             },
                     *             "XRP": {
                     *               "extreme_pct": -41.4,
                     *               "final_pct": -35.7
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "id": "ftx_crash",
                     *           "description": "Failure of FTX, November 2022",
                     *           "window_utc": "2022-11-06 20h - 11-09 23h",
                     *           "shocks": [
                     *             {
                     *               "extreme_pct": -27,
                     *               "final_pct": -24.9
                     *             },
                     *             {
                     *               "extreme_pct": -33.5,
                     *               "final_pct": -31.6
                     *             },
                     *             {
                     *               "extreme_pct": -35.7,
                     *               "final_pct": -31.6
                     *             },
                     *             {
                     *               "extreme_pct": -63.8,
                     *               "final_pct": -58.8
                     *             }
                     *           ],
                     *           "hours": 75,
                     *           "funding_pct_per_hour": -0.02,
                     *           "spread_multiple": 4,
                     *           "depth_multiple": 0.43,
                     *           "mark_at_final": false,
                     *           "recorded": {
                     *             "AVAX": {
                     *               "extreme_pct": -36.6,
                     *               "final_pct": -32
                     *             },
                     *             "BNB": {
                     *               "extreme_pct": -26.3,
                     *               "final_pct": -24.3
                     *             },
                     *             "DOGE": {
                     *               "extreme_pct": -41.3,
                     *               "final_pct": -38
                     *             },
                     *             "LINK": {
                     *               "extreme_pct": -31.1,
                     *               "final_pct": -25.6
                     *             },
                     *             "SOL": {
                     *               "extreme_pct": -63.8,
                     *               "final_pct": -58.8
                     *             },
                     *             "XRP": {
                     *               "extreme_pct": -34.8,
                     *               "final_pct": -31.2
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "id": "short_squeeze",
                     *           "description": "Rally on ETF inflows, February 2024: shorts squeezed",
                     *           "window_utc": "2024-02-26 12h - 02-28 18h",
                     *           "shocks": [
                     *             {
                     *               "extreme_pct": 25.8,
                     *               "final_pct": 19.7
                     *             },
                     *             {
                     *               "extreme_pct": 14.5,
                     *               "final_pct": 8.6
                     *             },
                     *             {
                     *               "extreme_pct": 14.3,
                     *               "final_pct": 6.3
                     *             },
                     *             {
                     *               "extreme_pct": 45.8,
                     *               "final_pct": 29.1
                     *             }
                     *           ],
                     *           "hours": 54,
                     *           "funding_pct_per_hour": 0.01,
                     *           "spread_multiple": 3,
                     *           "depth_multiple": 0.5,
                     *           "mark_at_final": false,
                     *           "recorded": {
                     *             "AVAX": {
                     *               "extreme_pct": 12.5,
                     *               "final_pct": 5.6
                     *             },
                     *             "BNB": {
                     *               "extreme_pct": 9.7,
                     *               "final_pct": 5.1
                     *             },
                     *             "DOGE": {
                     *               "extreme_pct": 45.8,
                     *               "final_pct": 29.1
                     *             },
                     *             "LINK": {
                     *               "extreme_pct": 14.4,
                     *               "final_pct": 4.3
                     *             },
                     *             "SOL": {
                     *               "extreme_pct": 15.8,
                     *               "final_pct": 12.1
                     *             },
                     *             "XRP": {
                     *               "extreme_pct": 14.3,
                     *               "final_pct": 6.9
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "id": "flash_recovery",
                     *           "description": "Flash crash and recovery of 17 August 2023, marked after the recovery",
                     *           "window_utc": "2023-08-17 18h - 23h",
                     *           "shocks": [
                     *             {
                     *               "extreme_pct": -12.1,
                     *               "final_pct": -4.8
                     *             },
                     *             {
                     *               "extreme_pct": -14.3,
                     *               "final_pct": -3.4
                     *             },
                     *             {
                     *               "extreme_pct": -14.5,
                     *               "final_pct": -6.5
                     *             },
                     *             {
                     *               "extreme_pct": -26.8,
                     *               "final_pct": -12.3
                     *             }
                     *           ],
                     *           "hours": 5,
                     *           "funding_pct_per_hour": -0.005,
                     *           "spread_multiple": 5,
                     *           "depth_multiple": 0.3,
                     *           "mark_at_final": true,
                     *           "recorded": {
                     *             "AVAX": {
                     *               "extreme_pct": -11.4,
                     *               "final_pct": -6.2
                     *             },
                     *             "BNB": {
                     *               "extreme_pct": -6.1,
                     *               "final_pct": -3.6
                     *             },
                     *             "DOGE": {
                     *               "extreme_pct": -15.5,
                     *               "final_pct": -7.2
                     *             },
                     *             "LINK": {
                     *               "extreme_pct": -15.4,
                     *               "final_pct": -6.5
                     *             },
                     *             "SOL": {
                     *               "extreme_pct": -13.6,
                     *               "final_pct": -6.4
                     *             },
                     *             "XRP": {
                     *               "extreme_pct": -26.8,
                     *               "final_pct": -12.3
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "id": "black_thursday_2020",
                     *           "description": "Pandemic crash of 12 March 2020",
                     *           "window_utc": "2020-03-12 00h - 03-13 03h",
                     *           "shocks": [
                     *             {
                     *               "extreme_pct": -54.4,
                     *               "final_pct": -35.1
                     *             },
                     *             {
                     *               "extreme_pct": -56.8,
                     *               "final_pct": -36
                     *             },
                     *             {
                     *               "extreme_pct": -51.4,
                     *               "final_pct": -32.7
                     *             },
                     *             {
                     *               "extreme_pct": -61.5,
                     *               "final_pct": -47
                     *             }
                     *           ],
                     *           "hours": 27,
                     *           "funding_pct_per_hour": -0.047,
                     *           "spread_multiple": 20,
                     *           "depth_multiple": 0.1,
                     *           "mark_at_final": false,
                     *           "recorded": {
                     *             "BNB": {
                     *               "extreme_pct": -61.5,
                     *               "final_pct": -47
                     *             },
                     *             "DOGE": {
                     *               "extreme_pct": -47.9,
                     *               "final_pct": -31.1
                     *             },
                     *             "XRP": {
                     *               "extreme_pct": -51.4,
                     *               "final_pct": -32.7
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "id": "may_2021_deleveraging",
                     *           "description": "Deleveraging of 19 May 2021",
                     *           "window_utc": "2021-05-18 20h - 05-19 15h",
                     *           "shocks": [
                     *             {
                     *               "extreme_pct": -33.7,
                     *               "final_pct": -13.8
                     *             },
                     *             {
                     *               "extreme_pct": -44.5,
                     *               "final_pct": -19.4
                     *             },
                     *             {
                     *               "extreme_pct": -50.9,
                     *               "final_pct": -24.8
                     *             },
                     *             {
                     *               "extreme_pct": -55.8,
                     *               "final_pct": -16.4
                     *             }
                     *           ],
                     *           "hours": 18,
                     *           "funding_pct_per_hour": -0.02,
                     *           "spread_multiple": 10,
                     *           "depth_multiple": 0.2,
                     *           "mark_at_final": false,
                     *           "recorded": {
                     *             "AVAX": {
                     *               "extreme_pct": -50.8,
                     *               "final_pct": -25.7
                     *             },
                     *             "BNB": {
                     *               "extreme_pct": -45.4,
                     *               "final_pct": -26.1
                     *             },
                     *             "DOGE": {
                     *               "extreme_pct": -55.8,
                     *               "final_pct": -16.4
                     *             },
                     *             "LINK": {
                     *               "extreme_pct": -51,
                     *               "final_pct": -29.8
                     *             },
                     *             "SOL": {
                     *               "extreme_pct": -52,
                     *               "final_pct": -16.1
                     *             },
                     *             "XRP": {
                     *               "extreme_pct": -46.2,
                     *               "final_pct": -23.9
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "id": "celsius_3ac_2022",
                     *           "description": "Celsius freezes withdrawals, Three Arrows fails, June 2022",
                     *           "window_utc": "2022-06-12 00h - 06-15 00h",
                     *           "shocks": [
                     *             {
                     *               "extreme_pct": -26.7,
                     *               "final_pct": -23.3
                     *             },
                     *             {
                     *               "extreme_pct": -30,
                     *               "final_pct": -22.2
                     *             },
                     *             {
                     *               "extreme_pct": -24.5,
                     *               "final_pct": -15.4
                     *             },
                     *             {
                     *               "extreme_pct": -28.8,
                     *               "final_pct": -21.9
                     *             }
                     *           ],
                     *           "hours": 72,
                     *           "funding_pct_per_hour": -0.01,
                     *           "spread_multiple": 3,
                     *           "depth_multiple": 0.5,
                     *           "mark_at_final": false,
                     *           "recorded": {
                     *             "AVAX": {
                     *               "extreme_pct": -26.8,
                     *               "final_pct": -17.7
                     *             },
                     *             "BNB": {
                     *               "extreme_pct": -24.4,
                     *               "final_pct": -18.3
                     *             },
                     *             "DOGE": {
                     *               "extreme_pct": -28.8,
                     *               "final_pct": -21.9
                     *             },
                     *             "LINK": {
                     *               "extreme_pct": -24.7,
                     *               "final_pct": -5.4
                     *             },
                     *             "SOL": {
                     *               "extreme_pct": -23.8,
                     *               "final_pct": -13
                     *             },
                     *             "XRP": {
                     *               "extreme_pct": -18.4,
                     *               "final_pct": -11.5
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "id": "yen_unwind_2024",
                     *           "description": "Unwinding of yen carry trades, August 2024",
                     *           "window_utc": "2024-08-04 12h - 08-05 07h",
                     *           "shocks": [
                     *             {
                     *               "extreme_pct": -19.5,
                     *               "final_pct": -13.5
                     *             },
                     *             {
                     *               "extreme_pct": -27.6,
                     *               "final_pct": -19.1
                     *             },
                     *             {
                     *               "extreme_pct": -23.6,
                     *               "final_pct": -16
                     *             },
                     *             {
                     *               "extreme_pct": -30.2,
                     *               "final_pct": -21.8
                     *             }
                     *           ],
                     *           "hours": 20,
                     *           "funding_pct_per_hour": -0.01,
                     *           "spread_multiple": 5,
                     *           "depth_multiple": 0.4,
                     *           "mark_at_final": false,
                     *           "recorded": {
                     *             "AVAX": {
                     *               "extreme_pct": -23.3,
                     *               "final_pct": -15.5
                     *             },
                     *             "BNB": {
                     *               "extreme_pct": -23.9,
                     *               "final_pct": -16.4
                     *             },
                     *             "DOGE": {
                     *               "extreme_pct": -24.4,
                     *               "final_pct": -17.4
                     *             },
                     *             "LINK": {
                     *               "extreme_pct": -30.2,
                     *               "final_pct": -21.8
                     *             },
                     *             "SOL": {
                     *               "extreme_pct": -23.3,
                     *               "final_pct": -14.4
                     *             },
                     *             "XRP": {
                     *               "extreme_pct": -20,
                     *               "final_pct": -13.7
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "id": "tariff_shock_feb_2025",
                     *           "description": "Tariff announcements, February 2025",
                     *           "window_utc": "2025-02-01 12h - 02-03 03h",
                     *           "shocks": [
                     *             {
                     *               "extreme_pct": -10.6,
                     *               "final_pct": -7.8
                     *             },
                     *             {
                     *               "extreme_pct": -34.7,
                     *               "final_pct": -22.3
                     *             },
                     *             {
                     *               "extreme_pct": -37.7,
                     *               "final_pct": -26.3
                     *             },
                     *             {
                     *               "extreme_pct": -40.9,
                     *               "final_pct": -24.6
                     *             }
                     *           ],
                     *           "hours": 39,
                     *           "funding_pct_per_hour": -0.01,
                     *           "spread_multiple": 5,
                     *           "depth_multiple": 0.4,
                     *           "mark_at_final": false,
                     *           "recorded": {
                     *             "AVAX": {
                     *               "extreme_pct": -37.5,
                     *               "final_pct": -29.5
                     *             },
                     *             "BNB": {
                     *               "extreme_pct": -25.5,
                     *               "final_pct": -17.6
                     *             },
                     *             "DOGE": {
                     *               "extreme_pct": -38,
                     *               "final_pct": -28.1
                     *             },
                     *             "LINK": {
                     *               "extreme_pct": -37.9,
                     *               "final_pct": -28.5
                     *             },
                     *             "SOL": {
                     *               "extreme_pct": -22.9,
                     *               "final_pct": -13.2
                     *             },
                     *             "XRP": {
                     *               "extreme_pct": -40.9,
                     *               "final_pct": -24.6
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "id": "october_2025_cascade",
                     *           "description": "Liquidation cascade of 10 October 2025",
                     *           "window_utc": "2025-10-10 12h - 23h",
                     *           "shocks": [
                     *             {
                     *               "extreme_pct": -16.1,
                     *               "final_pct": -7.2
                     *             },
                     *             {
                     *               "extreme_pct": -20.9,
                     *               "final_pct": -11.8
                     *             },
                     *             {
                     *               "extreme_pct": -58.8,
                     *               "final_pct": -19.3
                     *             },
                     *             {
                     *               "extreme_pct": -69.9,
                     *               "final_pct": -26.8
                     *             }
                     *           ],
                     *           "hours": 11,
                     *           "funding_pct_per_hour": -0.03,
                     *           "spread_multiple": 20,
                     *           "depth_multiple": 0.1,
                     *           "mark_at_final": false,
                     *           "recorded": {
                     *             "AAVE": {
                     *               "extreme_pct": -71.2,
                     *               "final_pct": -19.1
                     *             },
                     *             "APT": {
                     *               "extreme_pct": -65.8,
                     *               "final_pct": -25.9
                     *             },
                     *             "ASTER": {
                     *               "extreme_pct": -45.9,
                     *               "final_pct": -19.3
                     *             },
                     *             "AVAX": {
                     *               "extreme_pct": -69.8,
                     *               "final_pct": -26.8
                     *             },
                     *             "BNB": {
                     *               "extreme_pct": -32.3,
                     *               "final_pct": -13.2
                     *             },
                     *             "CRV": {
                     *               "extreme_pct": -75.8,
                     *               "final_pct": -33
                     *             },
                     *             "DOGE": {
                     *               "extreme_pct": -62.1,
                     *               "final_pct": -22.8
                     *             },
                     *             "DOT": {
                     *               "extreme_pct": -78.4,
                     *               "final_pct": -29.6
                     *             },
                     *             "ENA": {
                     *               "extreme_pct": -77.7,
                     *               "final_pct": -21.4
                     *             },
                     *             "HBAR": {
                     *               "extreme_pct": -63.8,
                     *               "final_pct": -23.8
                     *             },
                     *             "LDO": {
                     *               "extreme_pct": -78.4,
                     *               "final_pct": -30.2
                     *             },
                     *             "LINK": {
                     *               "extreme_pct": -64.8,
                     *               "final_pct": -22.8
                     *             },
                     *             "NEAR": {
                     *               "extreme_pct": -54,
                     *               "final_pct": -24.5
                     *             },
                     *             "ONDO": {
                     *               "extreme_pct": -72.8,
                     *               "final_pct": -21.8
                     *             },
                     *             "PENGU": {
                     *               "extreme_pct": -82.3,
                     *               "final_pct": -23.9
                     *             },
                     *             "PUMP": {
                     *               "extreme_pct": -74.4,
                     *               "final_pct": -26.7
                     *             },
                     *             "SEI": {
                     *               "extreme_pct": -71.4,
                     *               "final_pct": -26.2
                     *             },
                     *             "SNX": {
                     *               "extreme_pct": -65.6,
                     *               "final_pct": -29.9
                     *             },
                     *             "SOL": {
                     *               "extreme_pct": -23.7,
                     *               "final_pct": -14.8
                     *             },
                     *             "SUI": {
                     *               "extreme_pct": -83.8,
                     *               "final_pct": -25
                     *             },
                     *             "TAO": {
                     *               "extreme_pct": -68.8,
                     *               "final_pct": -23.8
                     *             },
                     *             "WIF": {
                     *               "extreme_pct": -81.3,
                     *               "final_pct": -36
                     *             },
                     *             "WLD": {
                     *               "extreme_pct": -79.5,
                     *               "final_pct": -31.1
                     *             },
                     *             "XPL": {
                     *               "extreme_pct": -66.1,
                     *               "final_pct": -34
                     *             },
                     *             "XRP": {
                     *               "extreme_pct": -55.5,
                     *               "final_pct": -15.9
                     *             },
                     *             "ZEC": {
                     *               "extreme_pct": -34.9,
                     *               "final_pct": -0.5
                     *             },
                     *             "kPEPE": {
                     *               "extreme_pct": -71,
                     *               "final_pct": -28.5
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "id": "rebound_may_2021",
                     *           "description": "Rebound after the deleveraging of May 2021: shorts lose",
                     *           "window_utc": "2021-05-23 16h - 05-25 23h",
                     *           "shocks": [
                     *             {
                     *               "extreme_pct": 19.8,
                     *               "final_pct": 15.1
                     *             },
                     *             {
                     *               "extreme_pct": 42.8,
                     *               "final_pct": 40.6
                     *             },
                     *             {
                     *               "extreme_pct": 49.5,
                     *               "final_pct": 39
                     *             },
                     *             {
                     *               "extreme_pct": 59.9,
                     *               "final_pct": 45.1
                     *             }
                     *           ],
                     *           "hours": 56,
                     *           "funding_pct_per_hour": 0.01,
                     *           "spread_multiple": 3,
                     *           "depth_multiple": 0.5,
                     *           "mark_at_final": false,
                     *           "recorded": {
                     *             "AVAX": {
                     *               "extreme_pct": 49.4,
                     *               "final_pct": 41.7
                     *             },
                     *             "BNB": {
                     *               "extreme_pct": 59.9,
                     *               "final_pct": 45.1
                     *             },
                     *             "DOGE": {
                     *               "extreme_pct": 31.5,
                     *               "final_pct": 19.8
                     *             },
                     *             "LINK": {
                     *               "extreme_pct": 57.8,
                     *               "final_pct": 57
                     *             },
                     *             "SOL": {
                     *               "extreme_pct": 44.9,
                     *               "final_pct": 30.9
                     *             },
                     *             "XRP": {
                     *               "extreme_pct": 49.5,
                     *               "final_pct": 36.2
                     *             }
                     *           }
                     *         },
                     *         {
                     *           "id": "rally_may_2025",
                     *           "description": "Rally of May 2025, led by ETH: shorts lose",
                     *           "window_utc": "2025-05-08 00h - 05-10 19h",
                     *           "shocks": [
                     *             {
                     *               "extreme_pct": 7.6,
                     *               "final_pct": 6.3
                     *             },
                     *             {
                     *               "extreme_pct": 38.7,
                     *               "final_pct": 38
                     *             },
                     *             {
                     *               "extreme_pct": 21.3,
                     *               "final_pct": 19.2
                     *             },
                     *             {
                     *               "extreme_pct": 39.2,
                     *               "final_pct": 36.8
                     *             }
                     *           ],
                     *           "hours": 68,
                     *           "funding_pct_per_hour": 0.01,
                     *           "spread_multiple": 3,
                     *           "depth_multiple": 0.5,
                     *           "mark_at_final": false,
                     *           "recorded": {
                     *             "AVAX": {
                     *               "extreme_pct": 27.2,
                     *               "final_pct": 25.4
                     *             },
                     *             "BNB": {
                     *               "extreme_pct": 12.7,
                     *               "final_pct": 8.2
                     *             },
                     *             "DOGE": {
                     *               "extreme_pct": 39.2,
                     *               "final_pct": 36.8
                     *             },
                     *             "LINK": {
                     *               "extreme_pct": 23.1,
                     *               "final_pct": 21.6
                     *             },
                     *             "SOL": {
                     *               "extreme_pct": 19.6,
                     *               "final_pct": 16.9
                     *             },
                     *             "XRP": {
                     *               "extreme_pct": 15.2,
                     *               "final_pct": 13.8
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "flags": [
                     *         {
                     *           "name": "stale_market_data",
                     *           "severity": "critical",
                     *           "raised_when": "an input is older than its soft limit",
                     *           "meaning": "an input is older than its soft limit",
                     *           "unit": ""
                     *         },
                     *         {
                     *           "name": "price_divergence",
                     *           "severity": "critical",
                     *           "raised_when": "the mark is more than 5 % from the mid, from the oracle price or from the wallet's own mark",
                     *           "meaning": "prices of one asset contradict each other",
                     *           "unit": "%"
                     *         }
                     *       ],
                     *       "curves": [
                     *         {
                     *           "name": "liquidation.distance_over_var_99_24h",
                     *           "knots": [
                     *             {
                     *               "x": 0,
                     *               "y": 100
                     *             },
                     *             {
                     *               "x": 0.25,
                     *               "y": 92
                     *             }
                     *           ]
                     *         },
                     *         {
                     *           "name": "liquidation.distance_pct",
                     *           "knots": [
                     *             {
                     *               "x": 0,
                     *               "y": 100
                     *             },
                     *             {
                     *               "x": 2,
                     *               "y": 90
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "constants": [
                     *         {
                     *           "name": "max_size_usd",
                     *           "value": 100000000
                     *         },
                     *         {
                     *           "name": "default_leverage",
                     *           "value": 20
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ModelInfo"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    backtest: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path: {
                /**
                 * @description Ticker, percent-encoded.
                 * @example BTC
                 */
                asset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "asset": "BTC",
                     *       "model": "fhs-px",
                     *       "horizon_hours": 24,
                     *       "bars": 4999,
                     *       "from": 1780444800000,
                     *       "to": 1795651200000,
                     *       "status": "warning",
                     *       "results": [
                     *         {
                     *           "side": "long",
                     *           "level": 0.95,
                     *           "n": 177,
                     *           "hits": 12,
                     *           "rate": 0.06779661016949153,
                     *           "kupiec_p": 0.30159634134469804,
                     *           "christoffersen_p": 0.22379573995838564
                     *         },
                     *         {
                     *           "side": "long",
                     *           "level": 0.99,
                     *           "n": 177,
                     *           "hits": 6,
                     *           "rate": 0.03389830508474576,
                     *           "kupiec_p": 0.012126347512487526,
                     *           "christoffersen_p": 0.5151375359763957
                     *         },
                     *         {
                     *           "side": "short",
                     *           "level": 0.95,
                     *           "n": 177,
                     *           "hits": 7,
                     *           "rate": 0.03954802259887006,
                     *           "kupiec_p": 0.5084880207869059,
                     *           "christoffersen_p": 0.25824450255784903
                     *         },
                     *         {
                     *           "side": "short",
                     *           "level": 0.99,
                     *           "n": 177,
                     *           "hits": 2,
                     *           "rate": 0.011299435028248588,
                     *           "kupiec_p": 0.8648424166815645,
                     *           "christoffersen_p": 0.8302157508899327
                     *         }
                     *       ],
                     *       "hit_times": [
                     *         [
                     *           1782432000000,
                     *           1782777600000,
                     *           1783209600000,
                     *           1784505600000,
                     *           1786665600000,
                     *           1788912000000,
                     *           1788998400000,
                     *           1790726400000,
                     *           1792195200000,
                     *           1794528000000,
                     *           1794614400000,
                     *           1795478400000
                     *         ],
                     *         [
                     *           1782777600000,
                     *           1783209600000,
                     *           1788912000000,
                     *           1790726400000,
                     *           1792195200000,
                     *           1795478400000
                     *         ],
                     *         [
                     *           1782172800000,
                     *           1784678400000,
                     *           1784764800000,
                     *           1787875200000,
                     *           1790380800000,
                     *           1792281600000,
                     *           1793664000000
                     *         ],
                     *         [
                     *           1784678400000,
                     *           1787875200000
                     *         ]
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Coverage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    calibrationHealth: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fits. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "breached",
                     *       "model": "fhs-px",
                     *       "assets_calibrated": 76,
                     *       "assets_failed": 0,
                     *       "fit_ms_total": 11657.827,
                     *       "ok": 36,
                     *       "insufficient_data": 7,
                     *       "warning": 30,
                     *       "failing": 3,
                     *       "assets_old": 0,
                     *       "pooled": [
                     *         {
                     *           "side": "long",
                     *           "level": 0.95,
                     *           "n": 12341,
                     *           "hits": 841,
                     *           "rate": 0.06814682764767847,
                     *           "kupiec_p": 1.527394746887249e-18,
                     *           "breached": true
                     *         },
                     *         {
                     *           "side": "long",
                     *           "level": 0.99,
                     *           "n": 12341,
                     *           "hits": 265,
                     *           "rate": 0.02147313831942306,
                     *           "kupiec_p": 1.0824231805132399e-28,
                     *           "breached": true
                     *         },
                     *         {
                     *           "side": "short",
                     *           "level": 0.95,
                     *           "n": 12341,
                     *           "hits": 676,
                     *           "rate": 0.054776760392188636,
                     *           "kupiec_p": 0.016418705017308733,
                     *           "breached": false
                     *         },
                     *         {
                     *           "side": "short",
                     *           "level": 0.99,
                     *           "n": 12341,
                     *           "hits": 150,
                     *           "rate": 0.012154606595899845,
                     *           "kupiec_p": 0.01996609663154563,
                     *           "breached": false
                     *         }
                     *       ],
                     *       "assets": [
                     *         {
                     *           "asset": "BTC",
                     *           "last_bar": 1795766400000,
                     *           "fit_ms": 232.636,
                     *           "fit_error": null,
                     *           "bars": 4999,
                     *           "from": 1780444800000,
                     *           "to": 1795651200000,
                     *           "status": "warning",
                     *           "results": [
                     *             {
                     *               "side": "long",
                     *               "level": 0.95,
                     *               "n": 177,
                     *               "hits": 12,
                     *               "rate": 0.06779661016949153,
                     *               "kupiec_p": 0.30159634134469804,
                     *               "christoffersen_p": 0.22379573995838564
                     *             },
                     *             {
                     *               "side": "long",
                     *               "level": 0.99,
                     *               "n": 177,
                     *               "hits": 6,
                     *               "rate": 0.03389830508474576,
                     *               "kupiec_p": 0.012126347512487526,
                     *               "christoffersen_p": 0.5151375359763957
                     *             },
                     *             {
                     *               "side": "short",
                     *               "level": 0.95,
                     *               "n": 177,
                     *               "hits": 7,
                     *               "rate": 0.03954802259887006,
                     *               "kupiec_p": 0.5084880207869059,
                     *               "christoffersen_p": 0.25824450255784903
                     *             },
                     *             {
                     *               "side": "short",
                     *               "level": 0.99,
                     *               "n": 177,
                     *               "hits": 2,
                     *               "rate": 0.011299435028248588,
                     *               "kupiec_p": 0.8648424166815645,
                     *               "christoffersen_p": 0.8302157508899327
                     *             }
                     *           ]
                     *         },
                     *         {
                     *           "asset": "ETH",
                     *           "last_bar": 1795766400000,
                     *           "fit_ms": 173.976,
                     *           "fit_error": null,
                     *           "bars": 4999,
                     *           "from": 1780444800000,
                     *           "to": 1795651200000,
                     *           "status": "warning",
                     *           "results": [
                     *             {
                     *               "side": "long",
                     *               "level": 0.95,
                     *               "n": 177,
                     *               "hits": 16,
                     *               "rate": 0.0903954802259887,
                     *               "kupiec_p": 0.025971536193047727,
                     *               "christoffersen_p": 0.6635468691044077
                     *             },
                     *             {
                     *               "side": "long",
                     *               "level": 0.99,
                     *               "n": 177,
                     *               "hits": 5,
                     *               "rate": 0.02824858757062147,
                     *               "kupiec_p": 0.045920967333826695,
                     *               "christoffersen_p": 0.5886615677927591
                     *             },
                     *             {
                     *               "side": "short",
                     *               "level": 0.95,
                     *               "n": 177,
                     *               "hits": 5,
                     *               "rate": 0.02824858757062147,
                     *               "kupiec_p": 0.14946623911992324,
                     *               "christoffersen_p": 0.11281210297054603
                     *             },
                     *             {
                     *               "side": "short",
                     *               "level": 0.99,
                     *               "n": 177,
                     *               "hits": 2,
                     *               "rate": 0.011299435028248588,
                     *               "kupiec_p": 0.8648424166815645,
                     *               "christoffersen_p": 0.8302157508899327
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CalibrationHealth"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "ready": true,
                     *       "version": "dev",
                     *       "engine_version": "3.0.0",
                     *       "uptime_s": 31,
                     *       "venue": {
                     *         "name": "sim",
                     *         "kind": "simulated",
                     *         "connected": true,
                     *         "last_message_age_ms": 173,
                     *         "clock_skew_ms": 0,
                     *         "notice": null,
                     *         "last_error": null,
                     *         "wallet_streams": {
                     *           "followed": 1,
                     *           "limit": 8,
                     *           "refused": 0,
                     *           "gap_ms": {
                     *             "p50": null,
                     *             "p90": null
                     *           },
                     *           "confirmed": 0,
                     *           "differed": 0
                     *         }
                     *       },
                     *       "assets": {
                     *         "listed": 76,
                     *         "fresh": 76,
                     *         "calibrated": 76,
                     *         "with_history": 76
                     *       },
                     *       "feed": {
                     *         "leader": null,
                     *         "here": true,
                     *         "weight_per_minute": {
                     *           "wallets": 52,
                     *           "live": 0,
                     *           "tables": 390,
                     *           "histories": 13245,
                     *           "limit": null
                     *         }
                     *       },
                     *       "ages": {
                     *         "oldest_s": 0.323,
                     *         "limit_s": 1.489,
                     *         "last_hour": [
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           null,
                     *           1.645
                     *         ]
                     *       },
                     *       "warmup": {
                     *         "open_interest_share": 1,
                     *         "share_with_history": 1,
                     *         "ready_in_s": 0,
                     *         "complete_in_s": 0
                     *       },
                     *       "alerts": {
                     *         "connections": 0,
                     *         "subscriptions": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["BadRequest"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            /** @description Not ready. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            505: components["responses"]["HTTPVersion"];
        };
    };
    live: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": "ok";
                };
            };
            400: components["responses"]["BadRequest"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They will. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": "ok";
                };
            };
            400: components["responses"]["BadRequest"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Text format 0.0.4. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; version=0.0.4; charset=utf-8": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    mcp: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "jsonrpc": "2.0",
                 *       "id": 1,
                 *       "method": "tools/call",
                 *       "params": {
                 *         "name": "list_markets",
                 *         "arguments": {
                 *           "limit": 5
                 *         }
                 *       }
                 *     }
                 */
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The answer to a request. To a tool call the service's refusals are answered here too (`rate_limited`, `overloaded` and others): a result with `isError`, and `retry_after_s` in it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description A notification was taken; no body. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No message of JSON-RPC, or one that breaks a rule of the protocol: `error` is an object. HTTP that two readers may read differently: `error` is `bad_request`, with `detail`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The page with the script that called is of another origin than `--cors-origin` names. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpError"];
                };
            };
            /** @description No such method, from version 2026-07-28 of the protocol on. Earlier ones: 200. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpError"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            /** @description The key or the address may ask again after `Retry-After`; also in `error.data.retry_after_s`. Not for a tool call, which gets a result. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpError"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            /** @description As 429: too many requests, or something has not been loaded yet. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpError"];
                };
            };
            504: components["responses"]["DeadlineExceeded"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description `ETag` of a copy that you have. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["JSONDocument"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    asyncapi: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description `ETag` of a copy that you have. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["JSONDocument"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    llms: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description `ETag` of a copy that you have. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TextDocument"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    llmsFull: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description `ETag` of a copy that you have. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TextDocument"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    operationsPage: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description `ETag` of a copy that you have. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TextDocument"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    console: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description `ETag` of a copy that you have. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Page"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    docs: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description `ETag` of a copy that you have. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Page"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    docsScript: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description `ETag` of a copy that you have. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript; charset=utf-8": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            505: components["responses"]["HTTPVersion"];
        };
    };
}
