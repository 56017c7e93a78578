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
         * @description A validation turned round: the largest order, in whole lots, that the venue would take, that the operator's limits allow and whose assessment meets `target`, as every smaller size that the search tried. The same size sent to `POST /v1/validate` with the leverage of the answer gives the same figures while the data are the same. Nothing is sent to the venue.
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
        post: operations["stressWallet"];
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
    "/v1/policy/{wallet}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The policy of a wallet
         * @description The limits that an operator has set, and those that hold: the narrower of the wallet's own and those of all wallets. A wallet without a policy has revision 0. Every key may ask.
         */
        get: operations["getPolicy"];
        /**
         * Set the policy of a wallet
         * @description Only with a key of the role operator. The body is the whole policy: a rule that is left out does not limit. To change one that exists, `If-Match` names its revision; without `If-Match` it is made, and must not exist yet. On disk when it is answered, in force on every replica within a second.
         */
        put: operations["putPolicy"];
        post?: never;
        /**
         * Remove the policy of a wallet
         * @description Only with a key of the role operator. `If-Match` names the revision that is removed. The answer has the policy that holds now, if there is one of all wallets.
         */
        delete: operations["deletePolicy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policy/{wallet}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a policy on recorded decisions
         * @description Only with a key of the role operator. What the recorded decisions of a time would have been if `rules` were the policy of the wallet, or of `*`: how many pass, and which change. Each is judged by the figures that were recorded with it; of an action of the gate with several orders, by those of the order that was judged last. The kill switch counts as it was. Nothing is changed.
         */
        post: operations["testPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/kill-switch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The kill switch
         * @description While it is on, every trade that increases a position is answered with `abort` and the flag `kill_switch`; reductions and closes go on. Every key may ask.
         */
        get: operations["getKillSwitch"];
        /**
         * Turn the kill switch
         * @description Only with a key of the role operator. On disk when it is answered, in force on every replica within a second, and after a restart. A 503 `not_saved` to `on` says that it is on in this process alone.
         */
        put: operations["putKillSwitch"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/watch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the service watches by itself
         * @description The watches of the key that asks; an operator's key is told those of all keys.
         */
        get: operations["listWatches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/watch/{wallet}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A watch
         * @description The watch that this key has set on the wallet: what is asked for, how the calls and the posts go, what stands.
         */
        get: operations["getWatch"];
        /**
         * Watch a wallet
         * @description From now on the service makes the monitor call for this wallet by itself, so that its alert sockets hear of breaches, and posts what begins, turns critical and ends to the webhook (schema `WatchEvent`). Each key sets watches of its own; the body replaces the one that the key has.
         */
        put: operations["putWatch"];
        post?: never;
        /**
         * Stop watching a wallet
         * @description Ends the watch that this key has set on the wallet. What waits to be posted is dropped.
         */
        delete: operations["deleteWatch"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Recorded decisions
         * @description What was asked, what was answered, and what the gate did: every assessment and every action through the gate, newest first. Errors are not recorded, nor are monitor calls. A key reads its own decisions, a key of the role operator all of them. Each replica has its own. Kept within `--journal-max-bytes` and `--journal-max-age`.
         */
        get: operations["decisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/decisions/{request_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One recorded decision
         * @description By `meta.request_id`, also the header `X-Request-Id`. Of a batch the first assessed trade, with all of them in `batch`. When a client has given one id to several requests, the newest counts.
         */
        get: operations["decision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who changed what
         * @description Only with a key of the role operator. Who issued or revoked which key, changed which policy or turned the kill switch, and when, newest first: what `ballast audit` prints. Each replica has its own, with the changes of policies and switch that were made on the others.
         */
        get: operations["audit"];
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
    "/v1/receipt-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The public key of receipts
         * @description The key that verifies the `receipt` of decisions, of a service that is started with `--receipt-key`; otherwise 404. Needs no key.
         */
        get: operations["receiptKey"];
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
        /**
         * The model: weights, flags, scenarios, curves, constants
         * @description What a program needs to compute a score again from an answer with `explain=true`.
         */
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
        /**
         * How the VaR of an asset has fared
         * @description Which losses exceeded the 24-hour VaR that the service would have forecast each day, with two tests on two sides and two levels.
         */
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
    "/v1/outcome": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report what became of a trade
         * @description Once a trade: the same `trade_id` with the same body has the same answer, with another body 409. Score, probability, asset, action, size, leverage and calibration are taken from the recorded decision. A `request_id` that is not known here, or that another key's answer had, gives `verified: false`: counted, and kept out of every figure.
         */
        post: operations["reportOutcome"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/outcomes/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What became of the trades
         * @description The same answer as `GET /v1/accuracy`.
         */
        get: operations["outcomesStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accuracy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Were the answers right?
         * @description What became of the recorded answers to this key, for an operator's key of those to all keys: closed by the market after 24 hours and 7 days, or reported. Of the newest 400 days. This replica's own.
         */
        get: operations["accuracy"];
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
        /**
         * Health and readiness
         * @description What the process knows of itself, for people and programs: venue, ages of data, warm-up, policies, accuracy. 503 whenever `/readyz` is.
         */
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
        /**
         * The process serves
         * @description For a supervisor: restart the process when it does not answer.
         */
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
        /**
         * Requests will be answered
         * @description For a load balancer: send requests here.
         */
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
         * @description Streamable HTTP without sessions or streams: one message of JSON-RPC 2.0 a request, or in versions of the protocol before 2025-06-18 a batch, whose messages count as requests one by one. Tools: `validate_trade`, `validate_plan`, `size_trade`, `check_wallet`, `list_markets`, `get_market`, `explain_flag`; all of them only read. An error of a tool is a result with `isError`.
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
        /**
         * This contract, OpenAPI 3.1
         * @description `servers` names the address that was asked. `?view=full` leaves out the compact view, for generators without unions.
         */
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
        /**
         * Contract of the alert socket, AsyncAPI 3.0
         * @description Messages, limits and close codes of `/v1/alerts/ws`.
         */
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
        /**
         * What a language model needs to use the service
         * @description In short, under 8 KB: when to ask, and how to read the answer.
         */
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
        /**
         * The same with every field, rule and error, for a language model that has room for it
         * @description `/llms.txt` with the pages on the interface and the alerts.
         */
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
        /**
         * How to run the service, and what to do about each of its Prometheus alerts
         * @description The page of the documentation to which the alerts link.
         */
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
        /**
         * Console: markets, a trade form, wallets, evidence, health. 404 with --no-console
         * @description A page for people. The key stays in its memory and goes to this service only.
         */
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
        /**
         * Reference page
         * @description This contract, to read in a browser.
         */
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
        /**
         * Script of the reference page
         * @description What `/docs` loads to show the contract.
         */
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
export interface webhooks {
    watchEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What the service posts to the webhook of a watch
         * @description Verify the signature, answer within 10 s, and drop repeats by `webhook-id`.
         */
        post: operations["watchEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
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
            /** @description Add simulations to the answer. Left out: false. */
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
            /** @description Add simulations to the answer. Left out: false. */
            monte_carlo?: boolean | null;
            /** @description How the trade is sent. Left out: as a market order that may increase a position. */
            order?: components["schemas"]["Order"] | null;
        };
        /** @description How a trade is sent, and what is to close it. Left out members: a market order. */
        Order: {
            /** @description Left out: `market`. */
            type?: ("market" | "limit") | null;
            /** @description Of a limit order, USD: the worst price at which it fills. Required with `limit`, not allowed with `market`. */
            price?: number | null;
            /** @description What becomes of the part of a limit order that does not fill at once. `gtc` (left out): it rests; `ioc`: it is cancelled; `alo`: it rests, and an order that would fill at once is refused. */
            tif?: ("gtc" | "ioc" | "alo") | null;
            /** @description The order may only reduce a position, by at most the whole of it. Left out: false. */
            reduce_only?: boolean | null;
            /** @description Price at which the position is closed with a gain, over 0, USD: above the mark for a long, below for a short. */
            take_profit_price?: number | null;
            /** @description Price at which the position is closed with a loss, over 0, USD: below the mark for a long, above for a short. */
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
        Flag: "stale_market_data" | "kill_switch" | "policy_violation" | "price_divergence" | "extreme_slippage" | "near_liquidation" | "near_backstop" | "likely_liquidation" | "funding_liquidates" | "negative_account_equity" | "other_pool_at_risk" | "leaves_book_at_risk" | "insufficient_margin" | "untradeable_cost" | "thin_market" | "oi_at_cap" | "thin_book" | "high_slippage" | "high_leverage" | "funding_anomaly" | "funding_expensive" | "cex_funding_divergence" | "high_impact" | "low_volume" | "high_var" | "high_portfolio_var" | "oi_near_cap" | "likely_within_week" | "concentration_risk" | "correlated_exposure" | "account_fails_stress" | "tier_leverage_exceeded" | "no_account_equity" | "account_mode_estimated" | "margin_mode_differs" | "setting_not_read" | "venue_post_only" | "positions_not_followed" | "stop_beyond_liquidation" | "outside_session" | "history_loading" | "limited_history" | "new_listing" | "size_exceeds_position" | "no_open_position" | "unprotected_position" | "margin_mode_kept";
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
            /** @description Largest size within the four limits (book depth, open interest, margin with the loss, market impact) and the operator's, USD; less where the score allows only far smaller sizes. Its own score is not checked: the answer at this size may be `abort`. Send `suggested_size_usd`. */
            max_safe_size_usd: number;
            /** @description The size to send, USD: at this size the answer is `proceed`, unless the market changes. At most `max_safe_size_usd`, and within the operator's limits; 0: there is none. */
            suggested_size_usd: number;
            /**
             * @description The constraint that binds.
             * @enum {string}
             */
            size_limit_reason: "book_depth" | "oi_capacity" | "margin_headroom" | "market_impact";
            /** @description The rule of the operator that keeps the sizes below that constraint, such as `max_order_usd` or `kill_switch`; `policy_unread` while the limits are not known yet. Left out where none does. */
            policy_rule?: string;
            /** @description With `?deposit=true`: the least that must be paid into the trade's cross pool, whole USD, so that the answer is `proceed` and the venue takes the order, limits of an operator aside; 0: it does as it is, null: no deposit up to 100,000,000 helps. */
            deposit_usd?: number | null;
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
            /** @description How many market orders that takes at least: one for each position, more where it is above the venue's largest order. */
            reduce_orders: number | null;
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
        /** @description What becomes of a limit order against the book. The first three, USD at mark, add up to the size of the trade. All other figures are of the whole order filled: what the book does not fill at once, at the order's price. */
        OrderFill: {
            /** @description Filled at once, USD at mark. */
            taker_usd: number;
            /** @description Resting until the price meets it, USD at mark. */
            maker_usd: number;
            /** @description Cancelled or refused by the venue, USD at mark: the rest of an `ioc` order, an `alo` order that would fill at once, an order that may only reduce and finds nothing. */
            unfilled_usd: number;
            /** @description Average price of the filled and the resting part, USD; null when nothing fills. */
            fill_price: number | null;
            /** @description Fee of both parts, the resting one at the wallet's maker rate, USD; negative: a rebate. */
            fee_usd: number;
            /** @description Chance that all of the order has filled within 24 hours, fraction: that the price touches the order's. */
            p_fill_24h: number;
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
            code: "reduce_only_would_increase" | "lot" | "min_notional" | "max_leverage" | "tier_leverage" | "insufficient_margin" | "oi_cap" | "max_market_order" | "no_liquidity" | "leverage_not_whole" | "isolated_leverage_too_low" | "market_post_only" | "venue_notice" | "margin_unknown" | "tick" | "price_too_far" | "would_cross";
            /**
             * @description Field of the request to change.
             * @enum {string}
             */
            field: "action" | "size" | "leverage" | "asset" | "order.price";
            /** @description What the request comes to, in the unit of the rule: USD, or a multiple for leverage; a price for `order.price`; the venue's own text with `market_post_only` and `venue_notice`; null when it is not known. */
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
            /** @description No price was used. */
            market_age_ms: null;
            /** @description No account was used. */
            wallet_age_ms: null;
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
            /** @description What to change: a field of the trade. */
            field?: string;
            /** @description Its value, a text or a number. */
            got?: unknown;
            allowed?: components["schemas"]["Allowed"];
            /** @description A value of the field that would do, or a sentence: what would do, or where to find it. It never changes the unit of the value. */
            suggestion?: unknown;
            /** @description When several fields are wrong: all of them, the first one first. */
            problems?: components["schemas"]["Problem"][];
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
             * @description `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the operator's limits (`policy`) do not allow the trade. A trade that only reduces a position is always `proceed`.
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
            policy?: components["schemas"]["PolicyVerdict"];
            portfolio_risk?: components["schemas"]["PortfolioRisk"];
            portfolio_stress?: components["schemas"]["PortfolioStress"];
            fees: components["schemas"]["Fees"];
            cost_analysis: components["schemas"]["CostAnalysis"];
            sizing: components["schemas"]["Sizing"];
            position: components["schemas"]["PositionChange"];
            margin: components["schemas"]["MarginChange"];
            admissibility: components["schemas"]["Admissibility"];
            order?: components["schemas"]["OrderExits"];
            execution?: components["schemas"]["OrderFill"];
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
            receipt?: components["schemas"]["Receipt"];
        };
        /** @description What the operator's policy of the wallet and the kill switch say; left out when neither applies. `deny` and `unknown` make the recommendation `abort`, with the flag `policy_violation`, or `kill_switch`. A trade that only reduces a position always passes. Of a wallet (`GET /v1/monitor`): what every increase meets, whatever its asset and size. */
        PolicyVerdict: {
            /**
             * @description `unknown`: no rule is known to be broken, but a figure that a rule needs is not known.
             * @enum {string}
             */
            verdict: "pass" | "deny" | "unknown";
            /** @description The newest revision of the policies that hold for the wallet; null when only the kill switch, or a halt, applies. */
            revision: number | null;
            /** @description Rules that are broken or cannot be judged. In a compact view the first four. */
            violations: components["schemas"]["PolicyViolation"][];
            /** @description What the numbers of the policy were compared with, broken or not, by the name of the rule and in its unit; of what is not known none. Left out of compact views. */
            facts?: {
                [key: string]: number;
            };
        };
        /** @description A rule that is broken, or that cannot be judged. */
        PolicyViolation: {
            /**
             * @description The rule's name in the policy, or `kill_switch`.
             * @enum {string}
             */
            rule: "max_leverage" | "max_order_usd" | "max_position_usd" | "max_gross_leverage" | "max_asset_share_pct" | "max_daily_loss_pct" | "max_drawdown_pct" | "max_score" | "max_probability_24h" | "max_probability_7d" | "min_liquidation_distance_pct" | "price_collar_pct" | "orders_per_minute" | "trades_per_day" | "duplicate_window_s" | "allowed_assets" | "denied_assets" | "halt" | "expires_at" | "kill_switch";
            /** @description The limit in the policy, in the unit of the rule; of `expires_at` a time (RFC 3339); null for lists of assets, `halt` and `kill_switch`. */
            limit: unknown;
            /** @description What was compared with it, in the same unit; of a list the asset, of `expires_at` the time of the answer, of `halt` and `kill_switch` true. Null when it is not known. */
            value: unknown;
            /**
             * Format: date-time
             * @description When the loss has set a halt, which stays until an operator lifts it; `limit` and `value` are of then. Left out where it has set none.
             */
            halted_at?: string;
        };
        /** @description A page of recorded decisions, newest first. */
        Decisions: {
            /** @description The decisions. May be none with a `next_cursor`: a search stops after a second. */
            decisions: components["schemas"]["Decision"][];
            /** @description Parameter `cursor` of the next page, null when there is no more. */
            next_cursor: string | null;
            /** @description Blocks, of 256 decisions at most, that are damaged on disk: what they had is missing here. */
            unreadable_blocks: number;
        };
        /** @description What was asked, what was answered, and what the gate did. Figures are those of the answer; null: the answer did not have it. */
        Decision: {
            /** @description Id of the request, `meta.request_id` of its answer. */
            request_id: string;
            /**
             * Format: date-time
             * @description `meta.as_of` of the answer; of the gate without an assessment, when the action arrived, by the venue's clock.
             */
            at: string;
            /**
             * @description What was asked. `size`: the largest size that was answered. `gate`: an action through the gate; its figures are those of the order that was refused, or was assessed last.
             * @enum {string}
             */
            kind: "validate" | "batch" | "size" | "gate";
            /** @description Of a trade of a batch, its place from 0; left out for 0. */
            index?: number;
            /** @description Id of the key that asked; empty for none, as at a gate that asks for no key. */
            key_id: string;
            /** @description Whom the key is for; left out when the key is not known. */
            key_email?: string;
            /** @description Account in lower case; empty if the gate did not learn it. */
            wallet: string;
            /** @description Ticker; empty when nothing was assessed. */
            asset: string;
            /**
             * @description Direction; empty when nothing was assessed.
             * @enum {string}
             */
            action: "long" | "short" | "close" | "";
            /** @description Size of the trade, USD at the mark. */
            size_usd: number;
            /** @description The same in coins of the asset. */
            size_coin: number;
            /** @description Leverage that the assessment used; 0 when nothing was assessed. */
            leverage: number;
            /** @description The request, JSON as it was sent; of a batch the trade in its array, of the gate the action as it was passed on. */
            request: unknown;
            /**
             * @description As answered; empty when nothing was assessed.
             * @enum {string}
             */
            recommendation: "proceed" | "proceed_with_caution" | "abort" | "";
            /** @description Risk score. */
            risk_score: number | null;
            /** @description Probability of liquidation within 24 hours, fraction. */
            probability_24h: number | null;
            /** @description The same within 7 days. */
            probability_7d: number | null;
            /** @description Liquidation price of the position after the trade, USD; null: there is none. */
            liquidation_price: number | null;
            /**
             * @description Side of the position after the trade; empty when nothing was assessed.
             * @enum {string}
             */
            side: "long" | "short" | "flat" | "";
            /** @description Mark price, USD. */
            mark_price: number | null;
            /** @description Value of the position after the trade, USD at the mark. */
            position_usd: number | null;
            /** @description Margin of the trade: its size divided by the leverage, USD. */
            margin_usd: number | null;
            /** @description Loss of the position after the trade that 1 % of days exceed, positive, USD. */
            var_99_24h_usd: number | null;
            /** @description Variance of the log price that the fit forecast for 24 hours of average activity, from ranges: what the alarm of `GET /v1/accuracy` compares the market with. Null in decisions of versions before. */
            variance_24h: number | null;
            /** @description Flags of the answer. */
            flags: components["schemas"]["Flag"][];
            /** @description Codes of `admissibility.issues` of the answer: why the venue would refuse the order. Null: not assessed, or of a version before. */
            venue_issues: string[] | null;
            /** @description Age of the oldest price that was used, ms. Null in decisions of versions before. */
            market_age_ms: number | null;
            /** @description Age of the wallet's state that was used, ms. Null in decisions of versions before. */
            wallet_age_ms: number | null;
            /** @description Figures that rules of a policy are compared with, by the rule's name and in its unit, whether a policy applied or not; a missing one was not known. `duplicate_window_s` is 1000000000 when the same order was not sent before. */
            facts: {
                [key: string]: number;
            };
            /** @description What the operator's limits said; null: none applied. */
            policy: {
                /** @description pass, deny or unknown, as in `PolicyVerdict`. */
                verdict: string;
                /** @description Revision of the policy; 0 when only the kill switch or a halt applied. */
                revision: number;
                /** @description Rules that were broken or could not be judged. */
                violations: {
                    /** @description Its name, as in `PolicyViolation`. */
                    rule: string;
                    /** @description The limit, in the unit of the rule; of `expires_at` ms since 1970; null for a rule without a number. */
                    limit: number | null;
                    /** @description What was compared with it; 1 for a rule without a number. Null: not known, so it could not be judged. */
                    value: number | null;
                }[];
            } | null;
            /** @description What the gate did with the action; null: not through the gate. */
            gate: {
                /**
                 * @description `passed`: it cannot add risk; `allowed`: it was judged and handed on.
                 * @enum {string}
                 */
                did: "passed" | "allowed" | "refused";
                /** @description What the action can do: increase, never_enlarges, margin, funds, signers, abstraction, cost or unknown. */
                class: string;
                /** @description Type of the action, as the venue names it. */
                type: string;
                /** @description Why it was refused, or what of it could not be judged; else empty. */
                reason: string;
                /** @description Address that signed it; empty: not recovered. */
                signer: string;
                /** @description HTTP status of the venue's answer; 0: none, or the decision was on disk before (`--gate-journal strict`). */
                venue_status: number;
            } | null;
            /** @description Version of the model. */
            engine_version: string;
            /** @description `model_version.calibration_hash` of the answer; empty when nothing was assessed. */
            calibration_hash: string;
            /** @description SHA-256, hexadecimal. Of a photographed decision over everything the answer was computed from; of others over what names it: request, time, mark price, calibration hash, the venue's times of wallet and book. Empty when nothing was assessed. */
            inputs_digest: string;
            /** @description SHA-256 of the answer without `meta.latency_ms`, of a photographed decision; else empty. */
            answer_digest: string;
            /** @description What the answer was computed from is kept (`--journal full`): `ballast replay` computes it again. */
            photographed: boolean;
            /** @description What became of it; null: nothing is known yet. */
            outcome: components["schemas"]["DecisionOutcome"] | null;
            /** @description Of `GET /v1/decisions/{request_id}` of a batch: the decisions of all its assessed trades, in order. Left out otherwise. */
            batch?: components["schemas"]["Decision"][];
        };
        /** @description What became of a decision, as it is known when it is asked for. */
        DecisionOutcome: {
            /** @description What the market made of the position within 24 hours; null: they are not over, bars are missing, or the answer promised nothing about a position. */
            after_24h: components["schemas"]["MarketOutcome"] | null;
            /** @description The same within 7 days. */
            after_7d: components["schemas"]["MarketOutcome"] | null;
            /** @description What the key that asked has reported with `POST /v1/outcome`, oldest first, at most 100. */
            reported: components["schemas"]["ReportedOutcome"][];
        };
        /** @description What the venue's hourly bars say, whoever sent the order. The window begins with the first full hour at or after the answer. */
        MarketOutcome: {
            /**
             * @description `unknown`: bars of the window are missing 48 hours after its end; all figures are null.
             * @enum {string}
             */
            status: "closed" | "unknown";
            /**
             * Format: date-time
             * @description End of the window, UTC.
             */
            until: string;
            /** @description A price of the window reached the liquidation price that was given. */
            liquidated: boolean | null;
            /**
             * Format: date-time
             * @description The hour in which it did; null: it did not.
             */
            liquidated_at: string | null;
            /** @description The loss at the end of the day was larger than `var_99_24h_usd`; null after 7 days, and without a VaR. */
            var_exceeded: boolean | null;
            /** @description Last close, or the liquidation price, USD. */
            end_price: number | null;
            /** @description P&L of the position from the mark to `end_price`, USD, without fees and funding. */
            pnl_usd: number | null;
            /** @description The same in percent of the margin, at the margin of the trade. */
            pnl_pct: number | null;
        };
        /** @description A report about the decision, as in `OutcomeReport`. */
        ReportedOutcome: {
            /** @description The client's name of the trade. */
            trade_id: string;
            /**
             * Format: date-time
             * @description When it was recorded, UTC.
             */
            recorded_at: string;
            /** @description USD. */
            entry_price: number;
            /** @description USD. */
            exit_price: number;
            /** @description P&L, USD, negative for a loss. */
            pnl_usd: number;
            /** @description P&L in percent of the margin. */
            pnl_pct: number;
            /** @description Hours from the entry to the exit. */
            holding_period_hours: number;
            /** @description The venue closed the position. */
            liquidated: boolean;
            /** @description USD, negative for a rebate; null: not reported. */
            fees_paid_usd: number | null;
            /** @description USD, negative for funding received; null: not reported. */
            funding_paid_usd: number | null;
        };
        /** @description Who changed which key, policy or kill switch, and when. */
        Audit: {
            /** @description Newest first. */
            events: components["schemas"]["AuditEvent"][];
            /** @description `cursor` of the next page; null: there is none. */
            next_cursor: string | null;
        };
        /** @description A change. */
        AuditEvent: {
            /**
             * Format: date-time
             * @description When, UTC.
             */
            time: string;
            /** @description The user who ran the command, or e-mail address and id of the key; `ballast` for a halt that a loss has set. */
            who: string;
            /** @description key_issued, key_revoked, policy_set, policy_removed, kill_switch_on, kill_switch_off, halt_set or halt_lifted; more may come. */
            event: string;
            /** @description What was changed: the id of a key, a wallet or `*`, or `kill switch`. */
            subject: string;
            /** @description Of a key: whom it is for; of a policy its rules; of the switch the reason. */
            detail: string;
        };
        /** @description A signed receipt of the decision, for another program that must know that this service made it. Left out unless the service is started with `--receipt-key`. What is signed, and how to verify it: docs/api.md, Receipts. */
        Receipt: {
            /**
             * @description The form of what is signed.
             * @constant
             */
            version: "ballast-receipt-v1";
            /** @description Which key of `GET /v1/receipt-key` verifies it. */
            key_id: string;
            /**
             * @description What was asked; `gate` stands in the header `X-Ballast-Receipt` of an answer of the gate.
             * @enum {string}
             */
            kind: "validate" | "batch" | "gate";
            /** @description Which trade of a batch, from 0; otherwise 0. */
            index: number;
            /** @description SHA-256 of the request's body in the canonical form of RFC 8785, hexadecimal. */
            request_digest: string;
            /** @description The wallet; empty where the gate passed an action without looking at its account. */
            account: string;
            /**
             * @description The recommendation; of the gate what it did: `passed` at once, what cannot add risk; `allowed` after it was judged; or `refused`.
             * @enum {string}
             */
            verdict: "proceed" | "proceed_with_caution" | "abort" | "passed" | "allowed" | "refused";
            /** @description Revision of the operator's policy that was applied, 0 without one. */
            policy_revision: number;
            /** @description Semantic version of the risk engine. */
            engine_version: string;
            /** @description As in `meta.request_id`. */
            request_id: string;
            /**
             * Format: date-time
             * @description Moment that the decision is of, by the venue's clock.
             */
            as_of: string;
            /**
             * Format: date-time
             * @description Do not act on the decision after this moment: `as_of` and `--receipt-valid`; of a decision on stale data `as_of`.
             */
            valid_until: string;
            /** @description Ed25519, base64. */
            signature: string;
        };
        /** @description The public key that verifies receipts. */
        ReceiptKey: {
            /** @description The first 16 hexadecimal digits of the SHA-256 of the raw key. */
            key_id: string;
            /**
             * @description RFC 8032.
             * @constant
             */
            algorithm: "Ed25519";
            /** @description PEM, SubjectPublicKeyInfo. */
            pem: string;
            /** @description The 32 bytes of the key, base64. */
            raw: string;
            /**
             * @description The form of what is signed.
             * @constant
             */
            version: "ballast-receipt-v1";
            /** @description How long a receipt holds after its decision, ms. */
            valid_ms: number;
        };
        /** @description What recorded decisions would have been under another policy. */
        PolicyTest: {
            /** @description Whose policy was tried, in lower case; `*`: that of all wallets. */
            wallet: string;
            /**
             * Format: date-time
             * @description The first moment of the decisions.
             */
            from: string;
            /**
             * Format: date-time
             * @description The end of the time, not included.
             */
            to: string;
            /** @description How many decisions were judged again. */
            decisions: number;
            /** @description Actions of the gate without figures, because they were passed on or refused without an assessment; they are not judged. */
            not_assessed: number;
            /** @description Damaged blocks, of 256 decisions at most, which are left out. */
            unreadable_blocks: number;
            before: components["schemas"]["PolicyCounts"];
            after: components["schemas"]["PolicyCounts"];
            /** @description How many have another verdict. */
            changed: number;
            /** @description The first 1,000 of them, oldest first. */
            changes: components["schemas"]["PolicyTestChange"][];
        };
        /** @description A decision with another verdict. */
        PolicyTestChange: {
            /** @description Request id of the decision. */
            request_id: string;
            /** @description Which trade of a batch, from 0; otherwise 0. */
            index: number;
            /**
             * Format: date-time
             * @description Moment of the decision, UTC.
             */
            at: string;
            /**
             * @description What was asked.
             * @enum {string}
             */
            kind: "validate" | "batch" | "size" | "gate";
            /** @description The wallet, lower case. */
            wallet: string;
            /** @description Ticker. */
            asset: string;
            /**
             * @description What was to be done.
             * @enum {string}
             */
            action: "long" | "short" | "close";
            /** @description Size of the trade, USD. */
            size_usd: number;
            /**
             * @description The verdict as recorded.
             * @enum {string}
             */
            before: "pass" | "deny" | "unknown";
            /**
             * @description The verdict under the policy that is tried.
             * @enum {string}
             */
            after: "pass" | "deny" | "unknown";
            /** @description The rules of it that are broken, or that could not be judged. */
            violations: components["schemas"]["PolicyViolation"][];
        };
        /** @description A policy to try on recorded decisions. */
        PolicyTestRequest: {
            rules: components["schemas"]["PolicyRules"];
            /**
             * Format: date-time
             * @description The first moment of the decisions, RFC 3339. Left out: a day before `to`.
             */
            from?: string | null;
            /**
             * Format: date-time
             * @description The end of the time, not included. Left out: now.
             */
            to?: string | null;
        };
        /** @description Decisions by the verdict of the policy. */
        PolicyCounts: {
            /** @description Also those to which no policy applied. */
            pass: number;
            /** @description A rule is broken. */
            deny: number;
            /** @description A figure that a rule needs is not known. */
            unknown: number;
        };
        /** @description What stands for a trade of a batch that breaks a rule: zeros, score 100, `abort`, and the rule in `meta.error`. It changes nothing for the trades behind it. */
        RejectedTrade: {
            /** @description Composite score, 0 (lowest risk) to 100 (highest). */
            risk_score: number;
            /**
             * @description `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the operator's limits (`policy`) do not allow the trade. A trade that only reduces a position is always `proceed`.
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
            /** @description The trade only reduces, and without the cap of such trades its score would be higher. */
            capped: boolean;
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
             * @description `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the operator's limits (`policy`) do not allow the trade. A trade that only reduces a position is always `proceed`.
             * @enum {string}
             */
            recommendation: "proceed" | "proceed_with_caution" | "abort";
            /** @description Concerns raised, critical ones first. */
            flags: components["schemas"]["Flag"][];
            policy?: components["schemas"]["PolicyVerdict"];
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
            policy?: components["schemas"]["PolicyVerdict"];
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
            /** @description The venue's ticker, case-sensitive, as in `GET /v1/assets`. Listed, not delisted. */
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
            /** @description A market order that may increase a position, perhaps with a stop or a take-profit price, which the assessment then has. */
            order?: components["schemas"]["Order"] | null;
            /** @description Only false: sizes are searched without a simulation. */
            monte_carlo?: boolean | null;
            target: components["schemas"]["SizeTarget"];
            /** @description Add `curve`. Left out: true. */
            curve?: boolean | null;
            /** @description Add `ladder`. Left out: true without `leverage`, false with it. */
            ladder?: boolean | null;
        };
        /** @description What the size must meet: exactly one limit. Figures are compared as answers show them. */
        SizeTarget: {
            /** @description Highest `risk_score`, over 0, points; 40 is the highest that proceeds. */
            max_score?: number;
            /** @description Highest `liquidation.probability_24h`, over 0, fraction: 0.05 is 5 %. */
            max_probability_24h?: number;
            /** @description Highest loss of the whole wallet within a day at 99 %, over 0, another pool at most its equity, percent of the account value before the trade: `explanation.portfolio_loss_99` over `explanation.account_value`, times 100. */
            max_loss_99_pct_of_account?: number;
            /** @description Highest `cost_analysis.breakeven_move_pct`, over 0, percent of price. */
            max_breakeven_pct?: number;
        };
        /** @description The largest order that the venue and the operator's limits allow and that meets the target. */
        SizeAnswer: {
            /** @description The largest size, USD at mark; 0 when no order meets the target. */
            size_usd: number;
            /** @description The same in coins, whole lots. */
            size_coin: number;
            /** @description Of the request; without one, the smallest whole leverage with which the size is the largest. */
            leverage: number;
            /** @description What stops one lot more: the name of the target; a rule of the venue, by its code in `admissibility.issues` (`insufficient_margin`, `tier_leverage`, `oi_cap`, `max_market_order`, ...); a rule of the operator, by its name in a policy (`max_order_usd`, `halt`, ...), `kill_switch`, or `policy_unread` while the limits are not known yet; or `max_size`, the largest size of a request. Of a size of 0: what stops the smallest order. */
            binding: string;
            /** @description The smallest order, when `size_usd` is 0; null otherwise. */
            nearest: components["schemas"]["NearestSize"] | null;
            /** @description Size from which on the venue would refuse the order, USD; null when that is above the curve. The curve goes on beyond it. */
            venue_limit_usd: number | null;
            /** @description The smallest size that the operator's limits forbid, USD; null without a curve, or when no size of the curve is forbidden. Points of the curve from that size on have `policy_rule`. */
            policy_limit_usd: number | null;
            /** @description 33 sizes at `leverage`, evenly spaced in their logarithm, from the smallest order to three times the answer; without an answer, to three times the largest order that the venue takes. Empty when not asked for. */
            curve: components["schemas"]["SizePoint"][];
            /** @description The largest order with each of up to twelve of the asset's whole leverages, smallest first; 0 with those that the operator forbids. Empty when not asked for. */
            ladder: components["schemas"]["SizeRung"][];
            /** @description Of the answer; when `size_usd` is 0, of the smallest order, which does not meet the target or which the venue or the operator refuses. */
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
            /** @description What stops one lot more: the name of the target; a rule of the venue, by its code in `admissibility.issues` (`insufficient_margin`, `tier_leverage`, `oi_cap`, `max_market_order`, ...); a rule of the operator, by its name in a policy (`max_order_usd`, `halt`, ...), `kill_switch`, or `policy_unread` while the limits are not known yet; or `max_size`, the largest size of a request. Of a size of 0: what stops the smallest order. */
            binding: string;
            /** @description The smallest order, when `size_usd` is 0; null otherwise. */
            nearest: components["schemas"]["NearestSize"] | null;
            /** @description Size from which on the venue would refuse the order, USD; null when that is above the curve. The curve goes on beyond it. */
            venue_limit_usd: number | null;
            /** @description The smallest size that the operator's limits forbid, USD; null without a curve, or when no size of the curve is forbidden. Points of the curve from that size on have `policy_rule`. */
            policy_limit_usd: number | null;
            /** @description 33 sizes at `leverage`, evenly spaced in their logarithm, from the smallest order to three times the answer; without an answer, to three times the largest order that the venue takes. Empty when not asked for. */
            curve: components["schemas"]["SizePoint"][];
            /** @description The largest order with each of up to twelve of the asset's whole leverages, smallest first; 0 with those that the operator forbids. Empty when not asked for. */
            ladder: components["schemas"]["SizeRung"][];
            /** @description Of the answer; when `size_usd` is 0, of the smallest order, which does not meet the target or which the venue or the operator refuses. */
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
            /** @description The rule of the operator that forbids the size. Left out where none does. */
            policy_rule?: string;
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
            /** @description `stale_market_data` where an input is older than its soft limit; otherwise empty. */
            flags: components["schemas"]["Flag"][];
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
            /** @description How often the best levels are renewed, ms; null when unknown. */
            cadence_ms: number | null;
            /** @description Age of the best levels, ms. */
            age_ms: number;
            /** @description How often the levels behind them are renewed, ms; null when unknown. */
            depth_cadence_ms: number | null;
            /** @description Age of the levels behind them, ms; null when unknown. */
            depth_age_ms: number | null;
        };
        /** @description One listed asset. Live figures are null when nothing fresh is known. */
        Asset: {
            /** @description Ticker. */
            name: string;
            /** @description The asset's number in the venue's orders; null when it is not known. */
            number: number | null;
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
            /** @description Age of the mark price, ms; null when unknown. */
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
            /** @description Bars of the asset are still to be read: until then `liquidity_regime`, `sigma_1d` and `day` rest on the newest ones and on pooled figures. */
            history_loading: boolean;
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
            /** @description Bars of the asset are still to be read: until then the figures of the fit rest on the newest ones and on pooled figures. */
            history_loading: boolean;
            /** @description How old each part is. */
            ages: {
                /** @description Mark price, ms; null when unknown. */
                mark_ms: number | null;
                /** @description Oracle price, funding rate, open interest and volume, ms; null when unknown. */
                slow_ms: number | null;
                /** @description Best levels of the book, ms; null when unknown. */
                book_ms: number | null;
                /** @description Levels behind them, ms; null when unknown. */
                depth_ms: number | null;
                /** @description Close of the newest bar behind regime and forecast, ms; null when unknown. */
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
        /** @description About the answer. */
        CompactRejectedMeta: {
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
            /** @description No price was used. */
            market_age_ms: null;
            /** @description No account was used. */
            wallet_age_ms: null;
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
        /** @description The assessment of one trade in at most 1,200 bytes, with `?view=compact`, in up to 2,000 where the texts of critical flags need it, and `receipt` besides. Numbers have six significant digits at most. */
        CompactAssessment: {
            /** @description Composite score, 0 (lowest risk) to 100 (highest). */
            risk_score: number;
            /**
             * @description `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the operator's limits (`policy`) do not allow the trade. A trade that only reduces a position is always `proceed`.
             * @enum {string}
             */
            recommendation: "proceed" | "proceed_with_caution" | "abort";
            /** @description That the answer is stale, if it is; the margin that the venue wants first, with its remedy; verdict, what drives it, what would be acceptable. */
            summary: string;
            policy?: components["schemas"]["PolicyVerdict"];
            receipt?: components["schemas"]["Receipt"];
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
            /** @description Largest size within the four limits (book depth, open interest, margin with the loss, market impact) and the operator's, USD; less where the score allows only far smaller sizes. Its own score is not checked: the answer at this size may be `abort`. Send `suggested_size_usd`. */
            max_safe_size_usd: number;
            /**
             * @description The constraint that binds.
             * @enum {string}
             */
            size_limit_reason: "book_depth" | "oi_capacity" | "margin_headroom" | "market_impact";
            /** @description `sizing.policy_rule`: the rule of the operator that keeps the sizes below that constraint. Left out where none does. */
            size_policy_rule?: string;
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
                /** @description Net change of the wallet's value when the stop closes the position, USD, negative: a loss; null without a stop or a position. */
                stop_pnl_usd: number | null;
                /** @description The same at the take-profit price. */
                take_profit_pnl_usd: number | null;
                /** @description Chance that the price touches the stop within 24 hours of the fill, before the take-profit price if there is one, fraction; null without a stop or a position. */
                p_stop_first: number | null;
                /** @description Liquidation comes before the stop; left out when it does not. */
                stop_beyond_liquidation?: boolean;
            };
            /** @description What becomes of a limit order; left out for a market order. Parts of 0 USD are left out. */
            execution?: {
                /** @description Chance that all of the order has filled within 24 hours, fraction. */
                p_fill_24h: number;
                /** @description Filled at once, USD at mark. */
                taker_usd?: number;
                /** @description Resting until the price meets it, USD at mark. */
                maker_usd?: number;
                /** @description Cancelled or refused by the venue, USD at mark. */
                unfilled_usd?: number;
                /** @description Average price of the filled and the resting part, USD; null when nothing fills. */
                fill_price: number | null;
                /** @description Fee of both parts, USD; negative: a rebate. */
                fee_usd: number;
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
            meta: components["schemas"]["CompactRejectedMeta"];
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
             * @description `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the operator's limits (`policy`) do not allow the trade. A trade that only reduces a position is always `proceed`.
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
            policy?: components["schemas"]["PolicyVerdict"];
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
            policy?: components["schemas"]["PolicyVerdict"];
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
                 * @description `proceed` for a score up to 40, `proceed_with_caution` up to 70, `abort` above, and where the operator's limits (`policy`) do not allow the trade. A trade that only reduces a position is always `proceed`.
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
                /** @description Connections to the venue that this process has lost since its start. */
                reconnects: number;
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
            /** @description Were the answers right? `GET /v1/accuracy` says more. Null where no outcomes are kept. */
            accuracy?: {
                /** @description Markets move further than told (`volatility`), or a recommendation breaks its promise (`broken_promises`). */
                alarm: boolean;
                /** @description Markets move further than the newest answers forecast. */
                volatility: boolean;
                /** @description Recommendations. */
                broken_promises: ("proceed" | "proceed_with_caution")[];
                /**
                 * Format: date-time
                 * @description Decisions before this time are closed, or wait for missing bars; null before the first look.
                 */
                closed_through: string | null;
                /** @description Decisions that wait for missing bars. */
                open: number;
                /** @description Why outcomes cannot be closed, null if nothing is wrong. */
                trouble: string | null;
            } | null;
            /** @description The kill switch; null while it has not been read. */
            kill_switch: {
                /** @description Nothing may increase. */
                on: boolean;
                /**
                 * Format: date-time
                 * @description When it was turned, null: never.
                 */
                since: string | null;
            } | null;
            /** @description What operators have set; null while it has not been read. */
            policies: {
                /** @description Policies of wallets, that of all wallets included. */
                count: number;
                /** @description Number of the newest change of a policy or the kill switch. */
                revision: number;
                /** @description Why changes made elsewhere may not be known here, null if nothing is wrong. The last known state stays in force. */
                trouble: string | null;
            } | null;
            /** @description The record of decisions. */
            journal: {
                /**
                 * @description What is recorded (`--journal`).
                 * @enum {string}
                 */
                mode: "off" | "verdicts" | "full";
                /** @description The gate hands on what may add risk when its decision is on disk (`--gate-journal strict`). */
                strict: boolean;
                /** @description Decisions recorded since the start. */
                recorded: number;
                /** @description Decisions that could not be recorded since the start. */
                dropped: number;
                /** @description How often a reader met a damaged block since the start. */
                unreadable_blocks: number;
                /**
                 * Format: date-time
                 * @description The oldest decision that is kept, null: there is none.
                 */
                oldest: string | null;
                /** @description Size of what is kept. */
                bytes: number;
                /** @description The newest failure to write or read decisions, null: there was none. */
                last_error: {
                    /** @description What went wrong. */
                    text: string;
                    /**
                     * Format: date-time
                     * @description When.
                     */
                    at: string;
                } | null;
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
                    /** @description Actions and questions that the gate handed on, and its own questions whose signer is whose; 0 without a gate. */
                    clients: number;
                    /** @description For the sum of the five; null for no limit. */
                    limit: number | null;
                } | null;
            };
            /** @description Age of the oldest best price of a listed asset, and of wallets. Assets without any price are not in it: `assets.fresh` is less than `assets.listed`. */
            ages: {
                /** @description Now, seconds; null without a price. */
                oldest_s: number | null;
                /** @description Age from which an answer about that asset has the flag `stale_market_data`, seconds; null without a price. */
                limit_s: number | null;
                /** @description Wallets behind the answers of the last minute. */
                wallets: {
                    /** @description Largest age of a wallet in an answer, seconds; null when no answer used one. */
                    oldest_s: number | null;
                    /** @description Age from which an answer has the flag `stale_market_data`, seconds. */
                    limit_s: number;
                };
                /** @description The last 60 minutes, the oldest first; the last is the present minute. */
                last_hour: (number | null)[];
            };
            /** @description What was asked since the start. */
            answers: {
                /** @description Trades assessed, those of batches too. */
                assessed: number;
                /** @description Requests refused with `overloaded`. */
                overloaded: number;
                /** @description Requests refused with `stale_market_data`. */
                stale: number;
                /** @description `POST /v1/validate` in the last minute: requests that were answered with an assessment, not those that were refused. */
                last_minute?: {
                    validations: number;
                    /** @description What 99 % of them did not exceed, from taking the request up to its answer being ready, microseconds, interpolated in a histogram whose bounds double; null without answers. */
                    p99_us: number | null;
                };
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
            /** @description Wallets that the service watches by itself. */
            watches: {
                /** @description Watches of all keys, on all replicas. */
                count: number;
                /** @description This replica makes their calls and posts. */
                here: boolean;
                /** @description Those whose last monitor call failed: their wallets are not watched. */
                failing: number;
                /** @description Events that wait to be posted. */
                waiting: number;
                /** @description Events that were given up and are still listed. */
                dead: number;
                /** @description What is found cannot be kept, and so is not posted. */
                trouble: boolean;
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
        /** @description What became of a trade. */
        OutcomeReport: {
            /** @description Your name of the trade, with which it is reported once. */
            trade_id: string;
            /** @description `meta.request_id` of the answer about it. */
            request_id: string;
            /** @description Of a trade of a batch: its place, counted from 0. Left out: 0. */
            index?: number | null;
            /** @description USD, more than 0. */
            entry_price: number;
            /** @description USD, more than 0. */
            exit_price: number;
            /** @description P&L, USD, negative for a loss. */
            pnl_usd: number;
            /** @description P&L in percent of the margin, with the sign of `pnl_usd`. */
            pnl_pct: number;
            /** @description Hours from the entry to the exit. */
            holding_period_hours: number;
            /** @description The venue closed the position. */
            liquidated: boolean;
            /** @description USD, negative for a rebate. */
            fees_paid_usd?: number | null;
            /** @description USD, negative for funding received. */
            funding_paid_usd?: number | null;
        };
        /** @description A recorded outcome. What is taken from the decision is null when it is not verified. */
        OutcomeAnswer: {
            /** @description As reported. */
            trade_id: string;
            /** @description As reported. */
            request_id: string;
            /** @description The answer is recorded here, and was this key's. */
            verified: boolean;
            /**
             * @description Who told it.
             * @enum {string}
             */
            source: "reported";
            /**
             * Format: date-time
             * @description When it was recorded first, UTC.
             */
            recorded_at: string;
            /**
             * @description What was recommended.
             * @enum {string|null}
             */
            recommendation: "proceed" | "proceed_with_caution" | "abort" | null;
            /** @description The score. */
            risk_score: number | null;
            /** @description The probability of liquidation within 24 hours, fraction; also null where the answer had none. */
            probability_24h: number | null;
            /** @description The asset. */
            asset: string | null;
            /** @description long, short or close. */
            action: string | null;
            /** @description Size of the trade, USD. */
            size_usd: number | null;
            /** @description Leverage. */
            leverage: number | null;
            /** @description The calibration that the answer came from. */
            calibration_hash: string | null;
        };
        /** @description Figures of some outcomes. */
        AccuracyHeadline: {
            /** @description Outcomes. */
            count: number;
            /** @description Mean squared difference of the probability and the outcome (1: liquidated, 0: not); null without an outcome that has a probability. */
            brier_score: number | null;
            /** @description Mean predicted probability of liquidation, fraction; null without an outcome that has one. */
            predicted_mean: number | null;
            /** @description Share that was liquidated, fraction. */
            liquidated_rate: number | null;
            /** @description Share with a P&L below 0, fraction. */
            loss_rate: number | null;
            /** @description Mean P&L, percent of the margin, negative for a loss. */
            avg_pnl_pct: number | null;
            /** @description Mean P&L, USD, negative for a loss. */
            avg_pnl_usd: number | null;
            /** @description Those with a P&L above 0, percent. */
            profitable_pct: number | null;
        };
        /** @description The outcomes of a range of predicted probability. */
        CalibrationBin: {
            /** @description Bounds, fractions; the lower one belongs to the range. */
            predicted_range: number[];
            /** @description Outcomes. */
            count: number;
            /** @description Mean predicted probability of liquidation, fraction; null without an outcome that has one. */
            predicted_mean: number | null;
            /** @description Share that was liquidated, fraction; null without an outcome. */
            actual_rate: number | null;
            /** @description 95 % interval of the rate (Wilson), fractions, as if the outcomes were independent, which they are not; null without one. */
            wilson_95: number[] | null;
        };
        /** @description The outcomes of a recommendation; figures are null without an outcome that has them. */
        BandStats: {
            /**
             * @description What was recommended.
             * @enum {string}
             */
            recommendation: "proceed" | "proceed_with_caution" | "abort";
            /** @description Outcomes. */
            count: number;
            /** @description Mean predicted probability of liquidation, fraction; null without an outcome that has one. */
            predicted_mean: number | null;
            /** @description Share that was liquidated, fraction. */
            liquidated_rate: number | null;
            /** @description Share with a P&L below 0, fraction. */
            loss_rate: number | null;
            /** @description Mean P&L, percent of the margin, negative for a loss. */
            avg_pnl_pct: number | null;
            /** @description Mean P&L, USD, negative for a loss. */
            avg_pnl_usd: number | null;
            /** @description Those with a P&L above 0, percent. */
            profitable_pct: number | null;
        };
        /** @description The outcomes of a tenth of the score; figures are null without an outcome that has them. */
        ScoreDecile: {
            /** @description Bounds; the lower one belongs to the range, 100 to the last. */
            score_range: number[];
            /** @description Outcomes. */
            count: number;
            /** @description Mean predicted probability of liquidation, fraction; null without an outcome that has one. */
            predicted_mean: number | null;
            /** @description Share that was liquidated, fraction. */
            liquidated_rate: number | null;
            /** @description Share with a P&L below 0, fraction. */
            loss_rate: number | null;
            /** @description Mean P&L, percent of the margin, negative for a loss. */
            avg_pnl_pct: number | null;
            /** @description Mean P&L, USD, negative for a loss. */
            avg_pnl_usd: number | null;
            /** @description Those with a P&L above 0, percent. */
            profitable_pct: number | null;
        };
        /** @description A recommendation and its promise, over the newest 30 days of closed decisions. */
        BandAlarm: {
            /**
             * @description `abort` promises nothing.
             * @enum {string}
             */
            recommendation: "proceed" | "proceed_with_caution";
            /** @description More is liquidated than promised, with 99 % confidence: `p_value` below 0.01. */
            raised: boolean;
            /**
             * @description Newest hours of decisions that were compared.
             * @enum {integer}
             */
            window_hours: 720;
            /** @description Answers that were compared. */
            units: number;
            /** @description Share of them that may be liquidated within 24 hours, fraction: the mean probability that was told, each at least 0.0015. */
            promised_rate: number | null;
            /** @description Share that was, fraction. */
            actual_rate: number | null;
            /** @description Hours of decisions of which some were liquidated. */
            events: number;
            /** @description At most the chance of such an excess at any hour of ten months if the promise is kept. */
            p_value: number;
        };
        /** @description What became of answers. Rates are fractions, null without an outcome that has the figure. */
        Accuracy: {
            /** @description Outcomes of 24 hours, and reported ones. */
            total_outcomes: number;
            /** @description Those whose answer is recorded here: every other figure is about them. */
            verified: number;
            /** @description Who told them. A trade that was closed by the market and reported counts once for each. */
            by_source: {
                /** @description Hourly bars of the venue: did the price reach the liquidation price that was given? */
                market: number;
                /** @description `POST /v1/outcome`, unverified ones included. */
                reported: number;
            };
            /** @description Decisions whose hourly bars never came: in no other figure. */
            unknown: number;
            /** @description Mean squared difference of the probability and the outcome (1: liquidated, 0: not); null without an outcome that has a probability. */
            brier_score: number | null;
            /** @description Mean predicted probability of liquidation, fraction; null without an outcome that has one. */
            predicted_mean: number | null;
            /** @description Share that was liquidated, fraction. */
            liquidated_rate: number | null;
            /** @description Share with a P&L below 0, fraction. */
            loss_rate: number | null;
            /** @description Mean P&L, percent of the margin, negative for a loss. */
            avg_pnl_pct: number | null;
            /** @description Mean P&L, USD, negative for a loss. */
            avg_pnl_usd: number | null;
            /** @description Those with a P&L above 0, percent. */
            profitable_pct: number | null;
            /** @description Predicted and actual rate by `probability_24h`. */
            calibration_curve: components["schemas"]["CalibrationBin"][];
            /** @description By recommendation. */
            band_stats: components["schemas"]["BandStats"][];
            /** @description By `risk_score`. */
            by_score_decile: components["schemas"]["ScoreDecile"][];
            /** @description Was the day's loss larger than the 99 % VaR of the position? Wanted: 1 %. */
            var_99_24h: {
                /** @description Outcomes with a VaR. */
                count: number;
                /** @description Losses beyond it. */
                exceeded: number;
                /** @description Their share, fraction. */
                exceeded_rate: number | null;
                /** @description 95 % interval of the rate (Wilson), fractions, as if the outcomes were independent, which they are not; null without one. */
                wilson_95: number[] | null;
            };
            /** @description Of the newest seven UTC days of closing; null without data. */
            recent_7d: components["schemas"]["AccuracyHeadline"] | null;
            /** @description Outcomes after 7 days, against `probability_7d`; null without one. */
            seven_days: {
                /** @description Outcomes. */
                count: number;
                /** @description Decisions whose hourly bars never came: in no other figure. */
                unknown: number;
                /** @description Mean squared difference of the probability and the outcome (1: liquidated, 0: not); null without an outcome that has a probability. */
                brier_score: number | null;
                /** @description Mean predicted probability of liquidation, fraction; null without an outcome that has one. */
                predicted_mean: number | null;
                /** @description Share that was liquidated, fraction. */
                liquidated_rate: number | null;
                /** @description Share with a P&L below 0, fraction. */
                loss_rate: number | null;
                /** @description Mean P&L, percent of the margin, negative for a loss. */
                avg_pnl_pct: number | null;
                /** @description Mean P&L, USD, negative for a loss. */
                avg_pnl_usd: number | null;
                /** @description Those with a P&L above 0, percent. */
                profitable_pct: number | null;
                /** @description Predicted and actual rate by `probability_7d`. */
                calibration_curve: components["schemas"]["CalibrationBin"][];
                /** @description By recommendation. */
                band_stats: components["schemas"]["BandStats"][];
            } | null;
            /** @description Is what was told wrong? Of the answers to all keys. */
            alarm: {
                /** @description `volatility` rings, or one of `bands`. */
                raised: boolean;
                /** @description Do markets move further than the newest answers forecast? Rings before a day is over. */
                volatility: {
                    /** @description Markets moved further than told, with 99 % confidence: `p_value` is below 0.01. */
                    raised: boolean;
                    /** @description How many of the newest hours are tested together: the number that gives the strongest evidence; 0 without answers. */
                    hours: number;
                    /** @description Mean variance of these hours over the one told; an hour counts at most 2. Null without answers. */
                    variance_ratio: number | null;
                    /** @description At most the chance of such hours at any one time if what was told is right. */
                    p_value: number;
                };
                /** @description Each that promises something. */
                bands: components["schemas"]["BandAlarm"][];
            };
            /**
             * Format: date-time
             * @description Decisions before this time are closed, or wait for missing bars; null before the first look.
             */
            closed_through: string | null;
            /**
             * Format: date-time
             * @description Now, UTC.
             */
            computed_at: string;
        };
        /** @description The limits of a wallet. Every rule is optional; what only reduces a position always passes. */
        PolicyRules: {
            /** @description Leverage of the position after the trade, at most. */
            max_leverage?: number | null;
            /** @description Notional of one trade, USD, at most. */
            max_order_usd?: number | null;
            /** @description Notional of the position in the asset after the trade, USD, at most. */
            max_position_usd?: number | null;
            /** @description Gross notional of the wallet over its account value, at most. */
            max_gross_leverage?: number | null;
            /** @description Share of the asset in the gross notional of the wallet, percent, at most. */
            max_asset_share_pct?: number | null;
            /** @description Loss since the first reading of the UTC day, net of deposits and withdrawals, percent, at most. */
            max_daily_loss_pct?: number | null;
            /** @description Loss from the highest account value, net of deposits and withdrawals, percent, at most. */
            max_drawdown_pct?: number | null;
            /** @description Risk score, at most. */
            max_score?: number | null;
            /** @description Chance of liquidation within 24 hours, fraction, at most. */
            max_probability_24h?: number | null;
            /** @description Chance of liquidation within 7 days, fraction, at most. */
            max_probability_7d?: number | null;
            /** @description Distance of the liquidation price from the mark, percent, at least. */
            min_liquidation_distance_pct?: number | null;
            /** @description Distance of an order's price from the mark, percent, at most. */
            price_collar_pct?: number | null;
            /** @description Orders within a minute, at most. */
            orders_per_minute?: number | null;
            /** @description Trades within a UTC day, at most. */
            trades_per_day?: number | null;
            /** @description Time between two equal orders, s, at least. */
            duplicate_window_s?: number | null;
            /** @description The only assets that may be traded, as the venue writes them; of an empty list none. */
            allowed_assets?: string[] | null;
            /** @description Assets that may not be traded. */
            denied_assets?: string[] | null;
            /** @description True: nothing may increase. */
            halt?: boolean | null;
            /**
             * Format: date-time
             * @description From then on nothing may increase.
             */
            expires_at?: string | null;
        };
        /** @description The policy of a wallet or of all wallets. */
        Policy: {
            /** @description Address in lower case, or `*` for all wallets. */
            wallet: string;
            /** @description Number of the change that made it so, also the `ETag`; no number occurs twice. 0: there is no policy. */
            revision: number;
            /**
             * Format: date-time
             * @description When it was set, null if it was not.
             */
            since: string | null;
            /** @description Who set it: e-mail address and id of the key, or the user who ran the command. */
            who: string | null;
            /** @description Its own rules, null if there is no policy. */
            rules: components["schemas"]["PolicyRules"] | null;
            /** @description The rules that hold: of each rule the narrower of its own and that of all wallets; null: none. */
            effective: components["schemas"]["PolicyRules"] | null;
            /** @description The key of the request may change it: its role is `operator`. */
            may_change: boolean;
        };
        /** @description The kill switch. */
        KillSwitch: {
            /** @description Nothing may increase. */
            on: boolean;
            /** @description Why it was turned, null if nobody said. */
            reason: string | null;
            /**
             * Format: date-time
             * @description When it was turned, null: never.
             */
            since: string | null;
            /** @description Who turned it: e-mail address and id of the key, or the user who ran the command. */
            who: string | null;
            /** @description Number of the change that made it so, also the `ETag`; 0: it was never turned. */
            revision: number;
            /** @description The key of the request may change it: its role is `operator`. */
            may_change: boolean;
        };
        /** @description Turns the kill switch. */
        KillSwitchChange: {
            /** @description True stops every increase. */
            on: boolean;
            /** @description Why, one line of at most 280 characters; required to turn it on. */
            reason?: string | null;
        };
        /** @description What to watch a wallet for. */
        WatchRequest: {
            /** @description Seconds between two monitor calls. Left out: 10. */
            every_s?: number | null;
            /** @description As in the configuration of an alert socket; what is left out has its default. */
            thresholds?: {
                /** @description A position's risk score above it is a breach. 100 and more: never. Left out: 70. */
                max_risk_score?: number | null;
                /** @description A position nearer to liquidation, percent, is a breach. Left out: 5. */
                min_liquidation_distance_pct?: number | null;
                /** @description VaR 99 % over 24 h of the book above this percentage of the account value is a breach. Left out: 50. */
                max_portfolio_var_pct?: number | null;
                /** @description A position that pays more than this percentage of its margin a day is a breach. Left out: 1. */
                max_funding_drag_daily_pct?: number | null;
            } | null;
            /** @description Where to post what begins, turns critical and ends. Left out: nowhere, only the alert sockets hear. */
            webhook?: {
                /** @description `https://` URL of a public host, without user and password. */
                url: string;
                /** @description Signs the posts: `whsec_` and the base64 of 24 to 64 bytes. Left out: the one that is set stays, or one is made and shown once. */
                secret?: string | null;
            } | null;
        };
        /** @description A wallet that the service watches by itself. */
        Watch: {
            /** @description Address in lower case. */
            wallet: string;
            /** @description Id of the key that has set it. */
            key: string;
            /**
             * Format: date-time
             * @description When it was first set, UTC.
             */
            set_at: string;
            /** @description Seconds between two monitor calls. Of several watches of a wallet the shortest counts for all. */
            every_s: number;
            /** @description In full, with what was left out. */
            thresholds: {
                /** @description A position's risk score above it is a breach. 100 and more: never. */
                max_risk_score: number;
                /** @description A position nearer to liquidation, percent, is a breach. */
                min_liquidation_distance_pct: number;
                /** @description VaR 99 % over 24 h of the book above this percentage of the account value is a breach. */
                max_portfolio_var_pct: number;
                /** @description A position that pays more than this percentage of its margin a day is a breach. */
                max_funding_drag_daily_pct: number;
            };
            /** @description Null: nothing is posted. */
            webhook: {
                /** @description Where it is posted. */
                url: string;
                /** @description There is a secret. It is never shown again. */
                secret_set: boolean;
                /** @description Only in the answer to the PUT that had it made. */
                secret?: string;
            } | null;
            /** @description How the monitor calls of this wallet go; on a replica that does not make them up to a minute old. */
            calls: {
                /**
                 * Format: date-time
                 * @description When the last one ended, UTC; null: none was made yet.
                 */
                last_at: string | null;
                /**
                 * Format: date-time
                 * @description When the last one that succeeded ended, UTC; null: none did since the start.
                 */
                succeeded_at: string | null;
                /** @description How many in a row have failed: while it is not 0 the wallet is not watched. */
                failures: number;
                /** @description Error and detail of the last one, null if it did not fail. */
                error: string | null;
            };
            /** @description The breaches that stand by these thresholds, oldest first. */
            standing: {
                /**
                 * @description What is breached.
                 * @enum {string}
                 */
                alert_type: "high_risk_score" | "liquidation_proximity" | "funding_drag_excessive" | "regime_shift" | "portfolio_var_breach" | "stop_removed";
                /** @description Ticker; null for the book as a whole. */
                asset: string | null;
                /**
                 * @description The highest that it has had.
                 * @enum {string}
                 */
                severity: "warning" | "critical";
                /**
                 * Format: date-time
                 * @description `timestamp` of the first result that found it.
                 */
                since: string;
            }[];
            /** @description How the posts go. */
            deliveries: {
                /** @description Events that the receiver has taken. */
                posted: number;
                /** @description Events that wait to be posted, in their order. */
                waiting: number;
                /**
                 * Format: date-time
                 * @description Since when the first of them waits, UTC; null: none waits.
                 */
                waiting_since: string | null;
                /** @description Posts in a row that the receiver did not take. */
                failures: number;
                /** @description Why the last post failed, null if it did not. */
                error: string | null;
                /**
                 * Format: date-time
                 * @description When it is posted again, UTC; null: at once.
                 */
                retry_at: string | null;
                /** @description Events given up: not taken for 24 hours, or more than 1,000 waited. */
                dead_total: number;
                /** @description The newest 20 of these, oldest first. */
                dead: {
                    /** @description Its `webhook-id`. */
                    id: string;
                    /**
                     * @description It is not posted any more.
                     * @enum {string}
                     */
                    status: "dead";
                    /**
                     * @description What it told.
                     * @enum {string}
                     */
                    type: "alert.began" | "alert.critical" | "alert.ended" | "regime.shifted" | "stop.removed";
                    /**
                     * @description Of what.
                     * @enum {string}
                     */
                    alert_type: "high_risk_score" | "liquidation_proximity" | "funding_drag_excessive" | "regime_shift" | "portfolio_var_breach" | "stop_removed";
                    /** @description Ticker; null for the book as a whole. */
                    asset: string | null;
                    /**
                     * Format: date-time
                     * @description When it was found, UTC.
                     */
                    queued_at: string;
                    /**
                     * Format: date-time
                     * @description When it was given up, UTC.
                     */
                    gave_up_at: string;
                    /** @description How often it was posted; 0: those before it were not taken. */
                    attempts: number;
                    /** @description Why it was not taken. */
                    error: string;
                }[];
            };
        };
        /** @description What is posted to the webhook of a watch, with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks. */
        WatchEvent: {
            /**
             * @description What happened to the breach.
             * @enum {string}
             */
            type: "alert.began" | "alert.critical" | "alert.ended" | "regime.shifted" | "stop.removed";
            /**
             * Format: date-time
             * @description The moment that the figures are of, UTC with milliseconds.
             */
            timestamp: string;
            /** @description The alert. */
            data: {
                /**
                 * @description What is breached.
                 * @enum {string}
                 */
                alert_type: "high_risk_score" | "liquidation_proximity" | "funding_drag_excessive" | "regime_shift" | "portfolio_var_breach" | "stop_removed";
                /** @description Address in lower case. */
                wallet: string;
                /** @description Ticker; null for the book as a whole. */
                asset: string | null;
                /**
                 * @description Of an `alert.ended` the highest that it had.
                 * @enum {string}
                 */
                severity: "warning" | "critical";
                /** @description For people; may change. Decide by the other fields. */
                message: string;
                /**
                 * Format: date-time
                 * @description As outside.
                 */
                timestamp: string;
                /** @description The metric now: score in points; distance, funding or VaR in percent; rank of the new regime (0 normal, 1 stressed, 2 crisis); stops left. Null when the position is gone. */
                current_value: number | null;
                /** @description Yours, in the same unit; rank of the previous regime for `regime_shift`; 1 for `stop_removed`. */
                threshold: number;
                /**
                 * Format: date-time
                 * @description `timestamp` of the first call that found the breach.
                 */
                since: string;
            };
        };
        /** @description What the service watches by itself. */
        WatchList: {
            /** @description This replica makes the calls and the posts. */
            here: boolean;
            /** @description By wallet. */
            watches: components["schemas"]["Watch"][];
        };
        /** @description A watch that was removed. */
        WatchRemoved: {
            /** @description Address in lower case. */
            wallet: string;
            /** @description Always true. */
            removed: boolean;
        };
        /** @description A fixed sentence in place of a code, and how to mend the request. */
        Unauthorized: {
            /**
             * @description Which it is.
             * @enum {string}
             */
            error: "missing or invalid Authorization header" | "invalid API key";
            /** @description A sentence. Nothing of the header is repeated. */
            detail: string;
            /**
             * @description The header.
             * @constant
             */
            field: "Authorization";
            /** @description Its form, and where a key comes from. */
            suggestion: string;
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
        /** @description The key has the role agent, and only an operator may do this. */
        Forbidden: {
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
                    error: "forbidden";
                    /** @description A sentence with the offending value. */
                    detail: string;
                    /** @description The header `Authorization`. */
                    field?: string;
                    /** @description How to get such a key. */
                    suggestion?: string;
                };
            };
        };
        /** @description This key has reported another outcome of the trade. Nothing has changed. */
        OutcomeConflict: {
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
                    error: "outcome_conflict";
                    /** @description A sentence with the offending value. */
                    detail: string;
                    /** @description `trade_id`. */
                    field?: string;
                    /** @description Its value. */
                    got?: string;
                    /** @description How to mend it. */
                    suggestion?: string;
                };
            };
        };
        /** @description The revision that `If-Match` names is not the current one: somebody has changed it. Nothing has changed. */
        PreconditionFailed: {
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
                    error: "precondition_failed";
                    /** @description A sentence with the offending value. */
                    detail: string;
                    /** @description The header `If-Match`. */
                    field?: string;
                    /** @description Revision that the policy or the switch has now; 0: there is no policy. */
                    revision?: number;
                };
            };
        };
        /** @description What exists is changed or removed only with its revision in `If-Match`. Nothing has changed. */
        PreconditionRequired: {
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
                    error: "precondition_required";
                    /** @description A sentence with the offending value. */
                    detail: string;
                    /** @description The header `If-Match`. */
                    field?: string;
                    /** @description Revision that the policy or the switch has now; 0: there is no policy. */
                    revision?: number;
                };
            };
        };
        /** @description No such route, no data about that asset, no policy to remove, no watch of this key, or no such decision. */
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
        /** @description Not now: something has not been loaded yet (`starting`), the service was ready and is not now (`not_ready`, of `/readyz` only), an input is older than its hard limit, prices of one asset contradict each other, too many requests, a change could not be kept (`not_saved`), or the venue is out of reach. */
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
                    error: "starting" | "not_ready" | "stale_market_data" | "inconsistent_market_data" | "overloaded" | "not_saved" | "venue_unavailable";
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
        Allow: "GET, HEAD" | "POST" | "GET, HEAD, PUT" | "GET, HEAD, PUT, DELETE";
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
        /** @description Revision of the policy or the switch, for `If-Match`; absent where there is none. */
        Revision: string;
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
        "Access-Control-Allow-Methods": "GET, HEAD" | "GET, HEAD, PUT" | "GET, HEAD, PUT, DELETE" | "POST" | "GET, HEAD, POST, PUT, DELETE";
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
                /** @description `false` keeps the answer out of the decisions, for a screen that asks again and again: it has no outcome, and is not replayed. */
                record?: "true" | "false";
                /** @description `true` adds `sizing.deposit_usd`, which takes as long as forty assessments. No effect with `monte_carlo` or in the compact view. */
                deposit?: "true" | "false";
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
                /** @description `false` keeps the answer out of the decisions, for a screen that asks again and again: it has no outcome, and is not replayed. */
                record?: "true" | "false";
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
                /** @description `false` keeps the answer out of the decisions, for a screen that asks again and again: it has no outcome, and is not replayed. */
                record?: "true" | "false";
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
    stressWallet: {
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
                /** @description Address of the account. */
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
    getPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path: {
                /** @description Address of the account, or `*` for all wallets. */
                wallet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policy. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    ETag: components["headers"]["Revision"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
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
    putPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description Revision of the policy that is replaced, from the `ETag` of GET; left out: there must be none. */
                "If-Match"?: string;
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path: {
                /** @description Address of the account, or `*` for all wallets. */
                wallet: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyRules"];
            };
        };
        responses: {
            /** @description The policy as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    ETag: components["headers"]["Revision"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            428: components["responses"]["PreconditionRequired"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    deletePolicy: {
        parameters: {
            query?: never;
            header: {
                /** @description Revision of the policy that is removed, from the `ETag` of GET. */
                "If-Match": string;
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path: {
                /** @description Address of the account, or `*` for all wallets. */
                wallet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is left. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    ETag: components["headers"]["Revision"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            417: components["responses"]["ExpectationFailed"];
            428: components["responses"]["PreconditionRequired"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    testPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path: {
                /** @description Address of the account, or `*` for all wallets. */
                wallet: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyTestRequest"];
            };
        };
        responses: {
            /** @description What would have been. */
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
                    "application/json": components["schemas"]["PolicyTest"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["DeadlineExceeded"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    getKillSwitch: {
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
            /** @description The kill switch. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    ETag: components["headers"]["Revision"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KillSwitch"];
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
    putKillSwitch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Revision that the switch must have, from the `ETag` of GET; left out: any. */
                "If-Match"?: string;
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
                "application/json": components["schemas"]["KillSwitchChange"];
            };
        };
        responses: {
            /** @description The kill switch as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    ETag: components["headers"]["Revision"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KillSwitch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    listWatches: {
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
            /** @description The watches, by wallet. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WatchList"];
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
    getWatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path: {
                /** @description Address of the account. */
                wallet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The watch. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Watch"];
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
    putWatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path: {
                /** @description Address of the account. */
                wallet: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WatchRequest"];
            };
        };
        responses: {
            /** @description The watch as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Watch"];
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
            503: components["responses"]["Unavailable"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    deleteWatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path: {
                /** @description Address of the account. */
                wallet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is removed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WatchRemoved"];
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
    decisions: {
        parameters: {
            query?: {
                /** @description Only of this account. */
                wallet?: string;
                /** @description Only of this ticker, as in GET /v1/assets. */
                asset?: string;
                /** @description Only with this recommendation (`proceed`, `proceed_with_caution`, `abort`), this verdict of the policy (`pass`, `deny`, `unknown`), or of the gate's actions those that it `passed`, `allowed` or `refused`. */
                verdict?: "proceed" | "proceed_with_caution" | "abort" | "pass" | "deny" | "unknown" | "passed" | "allowed" | "refused";
                /** @description Only of this request; of a batch all its trades. */
                request_id?: string;
                /** @description Only from this time on: RFC 3339, or a date, of which the day begins in UTC. */
                from?: string;
                /** @description Only before this time. */
                to?: string;
                /** @description `next_cursor` of the page before, with the same other parameters. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
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
        requestBody?: never;
        responses: {
            /** @description The decisions. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Decisions"];
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
    decision: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id of yours, echoed, and `meta.request_id` of the answer. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description W3C Trace Context, version 00: echoed, and in the log of a failure. */
                traceparent?: components["parameters"]["Traceparent"];
            };
            path: {
                /** @description Id of the request. */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The decision. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Decision"];
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
    audit: {
        parameters: {
            query?: {
                /** @description Only from this time on: RFC 3339, or a date, of which the day begins in UTC. */
                from?: string;
                /** @description Only before this time. */
                to?: string;
                /** @description `next_cursor` of the page before, with the same other parameters. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
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
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Audit"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
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
    receiptKey: {
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
            /** @description The key. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiptKey"];
                };
            };
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
                /** @description Ticker, as it is or percent-encoded. */
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
                /** @description Ticker, percent-encoded. */
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
    reportOutcome: {
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
                "application/json": components["schemas"]["OutcomeReport"];
            };
        };
        responses: {
            /** @description What was recorded, now or before. */
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
                    "application/json": components["schemas"]["OutcomeAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["OutcomeConflict"];
            413: components["responses"]["BodyTooLarge"];
            414: components["responses"]["URITooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            505: components["responses"]["HTTPVersion"];
        };
    };
    outcomesStats: {
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
            /** @description The outcomes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accuracy"];
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
    accuracy: {
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
            /** @description The outcomes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Traceparent: components["headers"]["Traceparent"];
                    "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Access-Control-Expose-Headers"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accuracy"];
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
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    [name: string]: unknown;
                };
                content: {
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
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
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
    watchEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for each try of an event. */
                "webhook-id": string;
                /** @description Of this try, seconds of Unix time. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, as Standard Webhooks has it. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WatchEvent"];
            };
        };
        responses: {
            /** @description Taken: it is not posted again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken: it is posted again, for 24 hours. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
