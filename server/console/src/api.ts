// Requests to the service that this page came from, and the types of its answers, from the contract.

import type { components } from "../../../clients/typescript/src/contract";
import { h } from "./dom";

type Schemas = components["schemas"];
export type Assessment = Schemas["Assessment"] & { explanation: Schemas["Explanation"] }; // the page asks for the explanation
export type Asset = Schemas["Asset"];
export type CalibrationHealth = Schemas["CalibrationHealth"];
export type Coverage = Schemas["Coverage"];
export type CoverageRow = Schemas["CoverageRow"];
export type Health = Schemas["Health"];
export type Market = Schemas["MarketData"];
export type Position = Schemas["PositionState"];
export type Problem = Schemas["Problem"];
export type WalletReport = Schemas["WalletReport"];

/** The body of an error, with hints for correcting the request. */
interface ErrorBody {
  error: string;
  detail?: string;
  field?: string;
  got?: string | number;
  allowed?: Schemas["Allowed"];
  suggestion?: string | number | boolean;
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
