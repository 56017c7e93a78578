// Written by gen.mjs from the contract in server/spec. Do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Tell me about this wallet. A further message adds a wallet, or replaces the thresholds of one that is subscribed. */
        AlertConfig: {
            /** @description Address: `0x` and 40 hexadecimal digits, compared without case. */
            wallet: string;
            /** @description When this subscriber wants to be told; what is left out has its default. A value that equals its threshold does not breach it. */
            thresholds?: {
                /**
                 * @description A position's risk score above it raises `high_risk_score`. 100 and more: never.
                 * @default 70
                 */
                max_risk_score?: number | null;
                /**
                 * @description A position nearer to liquidation, percent, raises `liquidation_proximity`. 0 and less: never; over 100: always.
                 * @default 5
                 */
                min_liquidation_distance_pct?: number | null;
                /**
                 * @description VaR 99 % over 24 h of the book above this percentage of the account value raises `portfolio_var_breach`.
                 * @default 50
                 */
                max_portfolio_var_pct?: number | null;
                /**
                 * @description A position that pays more than this percentage of its margin a day raises `funding_drag_excessive`. Below 0: also one that receives.
                 * @default 1
                 */
                max_funding_drag_daily_pct?: number | null;
            } | null;
        };
        /** @description The wallet is watched from now on. */
        Subscribed: {
            /** @description Its address in lower case. */
            subscribed: string;
        };
        /** @description A breach that a monitor call has found: every call emits for every breach that stands, and `regime_shift` is told once. `stop_removed` is told once, when the gate has seen the cancellation of a position's last stop. */
        RiskAlert: {
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
             * @description `critical` from a risk score of 85, below a liquidation distance of 2 %, and for a shift to crisis.
             * @enum {string}
             */
            severity: "warning" | "critical";
            /** @description For people; may change. Decide by the other fields. */
            message: string;
            /**
             * Format: date-time
             * @description The moment that the figures are of, UTC with milliseconds: `meta.as_of` of the monitor call; for `stop_removed` when the venue listed no stop any more.
             */
            timestamp: string;
            /** @description The metric: score in points; distance, funding or VaR in percent; rank of the new regime (0 normal, 1 stressed, 2 crisis); for `stop_removed` the stops left, 0. */
            current_value: number;
            /** @description Yours, in the same unit; rank of the previous regime for `regime_shift`; 1 for `stop_removed`. */
            threshold: number;
            /**
             * Format: date-time
             * @description With `?details=true` only: `timestamp` of the first of the results in a row that found this breach by these thresholds, on this replica, while a socket with details watched the wallet with them or had done so within ten minutes. The moment of the alert for `regime_shift` and `stop_removed`.
             */
            since?: string;
            /** @description With `?details=true` only: how many results in a row have found it since then. 1 for `regime_shift` and `stop_removed`. */
            count?: number;
        };
        /** @description The message before was no configuration; the connection closes with 1008. */
        InvalidConfig: {
            /**
             * @description Stable code.
             * @constant
             */
            error: "invalid_config";
            /** @description A sentence with the offending value. */
            detail: string;
            /** @description What to change, where it is an unknown field: its path; `wallet` for an address that is none, or of an API wallet. */
            field?: string;
            /** @description The address of the API wallet. */
            got?: string;
            /** @description The fields that there are. */
            allowed?: {
                /** @description Their paths. */
                values: string[];
            };
            /** @description The field or address that was probably meant, what an address has, or the account of the API wallet. */
            suggestion?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
