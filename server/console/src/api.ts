// Requests to the service that this page came from, and the types of its answers, from the contract.

import type { components } from "../../../clients/typescript/src/contract";

type Schemas = components["schemas"];
/** The page asks for the explanation. */
export type Assessment = Schemas["Assessment"] & { explanation: Schemas["Explanation"] };
export type CompactAssessment = Schemas["CompactAssessment"];
export type Asset = Schemas["Asset"];
export type Audit = Schemas["Audit"];
export type AuditEvent = Schemas["AuditEvent"];
export type CalibrationHealth = Schemas["CalibrationHealth"];
export type Coverage = Schemas["Coverage"];
export type Accuracy = Schemas["Accuracy"];
export type Decision = Schemas["Decision"] & { batch?: Schemas["Decision"][] };
export type Decisions = Schemas["Decisions"];
export type Day = Schemas["DayMove"];
export type Health = Schemas["Health"];
export type DemoWallet = NonNullable<Health["demo_wallets"]>[number];
export type Issue = Schemas["Issue"];
export type KillSwitch = Schemas["KillSwitch"];
export type Market = Schemas["MarketData"];
export type Policy = Schemas["Policy"];
export type PolicyRules = Schemas["PolicyRules"];
export type PolicyTest = Schemas["PolicyTest"];
export type PolicyViolation = Schemas["PolicyViolation"];
export type Position = Schemas["PositionState"];
export type Problem = Schemas["Problem"];
export type RaisedFlag = Schemas["RaisedFlag"];
export type SizeAnswer = Schemas["SizeAnswer"];
export type SizePoint = Schemas["SizePoint"];
export type Rung = Schemas["SizeRung"];
export type ValidationRequest = Schemas["ValidationRequest"];
export type WalletReport = Schemas["WalletReport"];

/** The body of an error, with hints for correcting the request. */
export interface ErrorBody {
  error: string;
  detail?: string;
  field?: string;
  got?: string | number;
  allowed?: Schemas["Allowed"];
  suggestion?: string | number | boolean;
  problems?: Problem[];
}

export class Failure extends Error {
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
    readonly retryAfter = 0,
    readonly requestID = "",
  ) {
    super((body.detail ?? body.error).replace(/^[a-z]/, (c) => c.toUpperCase()));
  }

  /** What is wrong with each field. */
  get problems(): Problem[] {
    const { problems, field, suggestion } = this.body;
    if (problems && problems.length > 0) return problems;
    return field ? [{ field, detail: this.message, suggestion } as Problem] : [];
  }
}

const storedKey = "ballast-key";
let key = sessionStorage.getItem(storedKey) ?? "";
let refused: (f: Failure) => void = () => {};
let heard: (ok: boolean) => void = () => {};

export const hasKey = () => key !== "";

/** Sets the API key. With keep, it survives a reload of this tab. */
export function useKey(k: string, keep: boolean) {
  key = k;
  sessionStorage.removeItem(storedKey);
  if (keep && k !== "") sessionStorage.setItem(storedKey, k);
}

/** Sets what is called when the service refuses the key, and after each request with whether the service answered. */
export function onAnswers(whenRefused: typeof refused, whenHeard: typeof heard) {
  refused = whenRefused;
  heard = whenHeard;
}

export interface Options {
  body?: unknown;
  method?: "PUT"; // in place of GET, or POST with a body
  match?: number; // revision that is replaced
  signal?: AbortSignal;
  fine?: number[]; // other statuses that are no failure
  key?: string; // in place of the key in use
}

const patienceMs = 20_000; // longer than the service takes for any answer

/** Sends a request and returns the answer. Throws a Failure unless the status is 2xx or a fine one; an AbortError
 * when its signal ends it. */
export async function ask<T>(path: string, o: Options = {}): Promise<T> {
  const sent = o.key ?? key,
    headers: Record<string, string> = {};
  if (sent !== "") headers.Authorization = "Bearer " + sent;
  if (o.match !== undefined) headers["If-Match"] = `"${o.match}"`;
  const ending = new AbortController(),
    end = () => ending.abort(),
    timer = setTimeout(end, patienceMs); // a connection may have died while a laptop slept
  o.signal?.addEventListener("abort", end);
  if (o.signal?.aborted) end();
  const init: RequestInit = { headers, signal: ending.signal };
  if (o.body !== undefined) {
    headers["Content-Type"] = "application/json";
    init.method = o.method ?? "POST";
    init.body = JSON.stringify(o.body);
  }
  let response: Response, text: string;
  try {
    response = await fetch(path, init);
    text = await response.text();
  } catch (cause) {
    if (o.signal?.aborted) throw cause;
    heard(false);
    throw new Failure(0, { error: "unreachable", detail: "The service does not answer." });
  } finally {
    clearTimeout(timer);
    o.signal?.removeEventListener("abort", end);
  }
  heard(true);
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    answer = {
      error: `status ${response.status}`,
      detail: "The answer is not JSON. Is something between this page and the service?",
    };
    if (response.ok) throw new Failure(response.status, answer as ErrorBody);
  }
  if (response.ok || o.fine?.includes(response.status)) return answer as T;
  const after = Number(response.headers.get("Retry-After")) || 0;
  const failure = new Failure(
    response.status,
    answer as ErrorBody,
    after,
    response.headers.get("X-Request-Id") ?? "",
  );
  if (response.status === 401 && sent === key && o.key === undefined) refused(failure);
  throw failure;
}

export const aborted = (cause: unknown) => cause instanceof DOMException && cause.name === "AbortError";

const advice: Record<string, string> = {
  starting: "The service is still loading what this needs.",
  stale_market_data: "The venue has not renewed this for too long. Do not trade on older figures.",
  inconsistent_market_data: "Prices of this asset contradict each other. A close is still answered.",
  overloaded: "The service has more requests than it can serve.",
  venue_unavailable: "The venue cannot be reached.",
  venue_error: "The venue answered with an error.",
  deadline_exceeded: "It took too long.",
  internal: "This is a bug of the service: report the request id to its operator.",
  rate_limited: "This key asks too often.",
  unreachable: "Check that the service runs and that this machine reaches it.",
};

/** A sentence on what an error means, beside its own text. */
export const adviceOn = (f: Failure) => advice[f.body.error] ?? "";
