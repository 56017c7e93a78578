// Requests to the service that this page came from, and the types of its answers. They have
// only the fields that the page reads; the full contract is at /docs.

import { h } from "./dom";

export interface Problem {
  field: string;
  detail: string;
}

/** The body of an error, with hints for correcting the request. */
interface ErrorBody {
  error: string;
  detail?: string;
  field?: string;
  got?: string | number;
  allowed?: { type?: string; pattern?: string; exclusive_min?: number; min?: number; max?: number; values?: string[] };
  suggestion?: string;
  problems?: Problem[];
}

export class Failure extends Error {
  constructor(readonly status: number, readonly body: ErrorBody, readonly retryAfter: number, readonly requestID: string) {
    super(body.detail ?? body.error);
  }
}

const storedKey = "ballast-key";
let key = sessionStorage.getItem(storedKey) ?? "";
let refused: (f: Failure) => void = () => {};

export const hasKey = () => key !== "";

/** Sets the API key. With keep, it survives a reload of this tab. */
export function useKey(k: string, keep: boolean) {
  key = k;
  sessionStorage.removeItem(storedKey);
  if (keep && k !== "") sessionStorage.setItem(storedKey, k);
}

/** Sets the function that is called when the service refuses the key. */
export function onRefused(f: typeof refused) {
  refused = f;
}

/** Sends a request and returns the answer. Throws a Failure unless the status is 2xx or one of fine. */
export async function ask<T>(path: string, body?: unknown, fine: number[] = []): Promise<T> {
  const sent = key, headers: Record<string, string> = {};
  if (sent !== "") headers.Authorization = "Bearer " + sent;
  const init: RequestInit = { headers };
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    init.method = "POST";
    init.body = JSON.stringify(body);
  }
  let response: Response, text: string;
  try {
    response = await fetch(path, init);
    text = await response.text();
  } catch {
    throw new Failure(0, { error: "unreachable", detail: "The service does not answer.", suggestion: "check that it runs and that this machine reaches it, then ask again" }, 0, "");
  }
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    answer = { error: `status ${response.status}`, detail: "The answer is not JSON. Is something between this page and the service?" };
  }
  if (response.ok || fine.includes(response.status)) return answer as T;
  const failure = new Failure(response.status, answer as ErrorBody, Number(response.headers.get("Retry-After")) || 0, response.headers.get("X-Request-Id") ?? "");
  if (response.status === 401 && sent === key) refused(failure);
  throw failure;
}

const advice: Record<string, string> = {
  starting: "The service is still loading what this needs. Ask again in a moment.",
  stale_market_data: "The venue has not renewed this for too long. Do not trade on older figures; see Health.",
  inconsistent_market_data: "Prices of this asset contradict each other. Wait until they agree; a close is still answered.",
  overloaded: "The service has more requests than it can serve. Ask again shortly.",
  venue_unavailable: "The venue cannot be reached. See Health.",
  venue_error: "The venue answered with an error. Ask again shortly; see Health.",
  deadline_exceeded: "It took too long. Ask again.",
  internal: "This is a bug of the service: report the request id to its operator.",
  rate_limited: "This key asks too often.",
};

/** Shows an error and how to correct it. */
export function errorBox(cause: unknown): HTMLElement {
  const f = cause instanceof Failure ? cause : new Failure(0, { error: String(cause) }, 0, "");
  const { body } = f;
  const list = (body.problems?.length ?? 0) > 1 ? h("ul", {}, ...body.problems!.map((p) => h("li", {}, p.detail))) : null;
  return h("div", { class: "error", role: "alert" },
    h("p", {}, h("strong", {}, list ? "Several fields are wrong:" : f.message)), list,
    ...mending(body).map((t) => h("p", {}, t)),
    advice[body.error] ? h("p", {}, advice[body.error]) : null,
    f.retryAfter > 0 ? h("p", {}, `Wait ${f.retryAfter} s before asking again.`) : null,
    f.requestID !== "" ? h("p", { class: "quiet" }, `status ${f.status}, request ${f.requestID}`) : null);
}

/** Returns sentences that say how to correct the request. */
export function mending(body: ErrorBody): string[] {
  const said: string[] = [], a = body.allowed;
  if (body.suggestion !== undefined) said.push("Try: " + body.suggestion + ".");
  if (a && (body.problems?.length ?? 0) < 2) {
    if (a.values) said.push("Allowed: " + a.values.join(", ") + ".");
    if (a.min !== undefined || a.exclusive_min !== undefined || a.max !== undefined) {
      const low = a.min !== undefined ? `at least ${a.min}` : a.exclusive_min !== undefined ? `over ${a.exclusive_min}` : "";
      said.push("Allowed: " + [low, a.max !== undefined ? `at most ${a.max}` : ""].filter(Boolean).join(", ") + ".");
    }
  }
  return said;
}

export interface Asset {
  name: string;
  mark_price: number | null;
  max_leverage: number;
  funding_rate: number | null;
  oi: number | null;
  volume_24h: number | null;
  change_24h_pct: number | null;
  book: { age_ms: number; depth_age_ms: number | null } | null;
}

export interface Regime {
  state: string;
  confidence: number;
}

export interface Market {
  regime: Regime | null;
  volatility_forecast: { sigma_1d: number } | null;
}

export interface Position {
  side: string;
  size_coin: number;
  notional_usd: number;
  leverage: number;
  mode: string;
  entry_price: number;
  liquidation_price: number | null;
}

export interface Margin {
  account_value: number;
  initial: number;
  maintenance: number;
  free: number;
  maintenance_ratio_pct: number;
}

export interface Meta {
  venue: string;
  as_of: string;
  request_id: string;
  market_age_ms: number;
  wallet_age_ms: number;
  latency_ms: number;
}

export interface Assessment {
  risk_score: number;
  recommendation: string;
  flags: string[];
  slippage: { bps: number; fill_price: number };
  liquidation: { price: number; distance_pct: number; probability_24h: number | null; probability_7d: number | null };
  funding: { annualized_pct: number };
  impact: { expected_bps: number };
  var: { pct_95_24h: number; pct_99_24h: number; dollar_95_24h: number; dollar_99_24h: number; es_99_24h: number };
  stress: { scenario: string; description: string; pnl_pct: number; pnl_usd: number; survives: boolean }[];
  portfolio_risk?: { portfolio_var_99_24h: number };
  portfolio_attribution?: { total_var_99: number; diversification_benefit_pct: number; positions: { asset: string; component_var: number; component_var_pct: number }[] } | null;
  fees: { taker_fee_bps: number; estimated_fee_usd: number };
  cost_analysis: { total_entry_cost_bps: number; total_round_trip_cost_bps: number; breakeven_move_pct: number; funding_drag_24h_pct: number };
  sizing?: { max_safe_size_usd: number; suggested_size_usd: number; size_limit_reason: string };
  position: { before: Position | null; after: Position | null };
  margin: { before: Margin; after: Margin; delta_initial_usd: number };
  admissibility: { verdict: string; order_size_coin: number; order_size_usd: number; issues: { code: string; got?: number; limit?: number; fix?: number | null; fix_leverage?: number | null }[] };
  monte_carlo?: { simulations: number; var_95: number; var_99: number; median_return: number; worst_case: number; confidence_interval: [number, number] };
  evt: { var_99_9: number } | null;
  regime: Regime | null;
  meta: Meta & { asset: string; mark_price: number };
  model_version: { engine_version: string; calibration_hash: string; calibration_name: string };
  explanation: {
    components: { name: string; score: number; weight: number; contribution: number }[];
    interaction: number;
    portfolio: number;
    regime: number;
    hard_rules: Record<string, number>;
    floor: number;
    oi_cap_estimated: boolean;
    flags: { name: string; severity: string; value: number; threshold: number; unit: string; meaning: string }[];
  };
}

export interface Held {
  asset: string;
  size: number;
  entry_price: number;
  mark_price: number;
  unrealized_pnl: number;
  risk_score: number;
  recommendation: string;
  flags: string[];
  liquidation_price: number | null;
  liquidation_distance_pct: number;
  probability_24h: number | null;
  funding_drag_24h_pct: number;
  regime: Regime | null;
  var: { dollar_99_24h: number };
}

export interface WalletReport {
  wallet: string;
  account_value: number;
  margin: Margin;
  positions: Held[];
  portfolio_risk?: { portfolio_var_99_24h: number; portfolio_es_99_24h: number };
  portfolio_stress?: { scenario: string; total_pnl_usd: number; total_pnl_pct: number; account_survives: boolean; positions_liquidated: number };
  meta: Meta;
}

export interface CoverageRow {
  side: string;
  level: number;
  n: number;
  hits: number;
  rate: number;
  kupiec_p?: number;
  christoffersen_p?: number;
}

/** The backtest of one asset's VaR. */
export interface Coverage {
  asset: string;
  from: number | null;
  to: number | null;
  status: string;
  results: CoverageRow[];
  hit_times: number[][]; // for each result the times of its VaR breaches, ms since 1970
}

export interface CalibrationHealth {
  status: string;
  model: string;
  assets_calibrated: number;
  assets_failed: number;
  ok: number;
  insufficient_data: number;
  warning: number;
  failing: number;
  pooled: CoverageRow[];
  assets: { asset: string; last_bar: number | null; fit_ms: number; fit_error: string | null; bars: number; from: number | null; to: number | null; status: string; results: CoverageRow[] }[];
}

export interface Health {
  status: string;
  ready: boolean;
  version: string;
  engine_version: string;
  uptime_s: number;
  venue: { name: string; connected: boolean; last_message_age_ms: number | null; clock_skew_ms: number };
  assets: { listed: number; fresh: number; calibrated: number };
  alerts: { connections: number; subscriptions: number };
}
