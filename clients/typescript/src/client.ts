import { exchange } from "#exchange";
import { type AlertOptions, sleep, watch } from "./alerts.js";
import { problem } from "./complete.js";
import type { components } from "./contract.js";
import { BallastError, refusal, wrong } from "./errors.js";
import { byFetch, type Exchange, MAX_ANSWER, type Received } from "./exchange.js";

type Schemas = components["schemas"];
type Validation = Schemas["ValidationRequest"];
type Batch = Schemas["BatchRequest"];
type SizeQuestion = Schemas["SizeRequest"];

export interface ClientOptions {
  /** The API key. */
  key?: string;
  /**
   * Milliseconds that a call may take, whatever happens: connecting, sending, the answer to its last byte, all
   * attempts; the service's own limit per request is 10 s. Default 15,000.
   */
  timeoutMs?: number;
  /** Maximum attempts of a request; only a 429 or 503 with Retry-After is repeated. Default 3. */
  attempts?: number;
  /** Seconds: a request is not repeated if its Retry-After is longer. Default 10. */
  maxWait?: number;
  fetch?: (request: Request) => Promise<Response>;
}

export interface Full {
  view?: "full";
  /** Adds an explanation of the score. */
  explain?: boolean;
  signal?: AbortSignal;
}

export interface Compact {
  view: "compact";
  signal?: AbortSignal;
}

/** What the actions of a report bring each pool to. */
export interface Target {
  /** Chance of liquidation within 24 hours, a fraction, at most. Default 0.05. */
  maxProbability24h?: number;
  /** The pool survives every stress scenario. Default true. */
  survive?: boolean;
}

/** Which part of a list is wanted. */
export interface Page {
  from?: Date;
  /** Not included. */
  to?: Date;
  /** next_cursor of the page before. */
  cursor?: string;
  /** 1 to 500, default 50. */
  limit?: number;
}

/** Which decisions are wanted. */
export interface DecisionQuery extends Page {
  wallet?: string;
  asset?: string;
  /** A recommendation, a verdict of the policy (pass, deny, unknown), or what the gate did (passed, allowed, refused). */
  verdict?: string;
  requestId?: string;
}

interface Cancel {
  signal?: AbortSignal;
}

// What a call asks for.
interface Call {
  path: string;
  kind: keyof Schemas; // name of the answer's type in the contract
  query?: Record<string, string>;
  body?: unknown;
  method?: "PUT" | "DELETE"; // else GET, or POST with a body
  revision?: number | undefined; // that is changed
}

/** Client of a Ballast service. */
export class Client {
  readonly #exchange: Exchange;
  readonly #url: string;
  readonly #options: ClientOptions;

  /** url: address of the service, such as "http://127.0.0.1:8080". */
  constructor(url: string, options: ClientOptions = {}) {
    if (!/^https?:$/.test(new URL(url).protocol)) {
      throw new TypeError("want a URL such as http://127.0.0.1:8080");
    }
    this.#url = url.replace(/\/+$/, "");
    this.#options = options;
    this.#exchange = options.fetch ? byFetch(options.fetch) : exchange();
  }

  /** Assesses a trade before it is sent. */
  validate(request: Validation, options?: Full): Promise<Schemas["Assessment"]>;
  validate(request: Validation, options: Compact): Promise<Schemas["CompactAssessment"]>;
  validate(request: Validation, options: Full | Compact = {}) {
    const call = { path: "/v1/validate", kind: kind("Assessment", options), query: query(options), body: request };
    return this.#ask(call, options) as never;
  }

  /** Assesses up to 50 trades, each as if those before it had filled. The result of a trade that breaks a rule has meta.error. */
  plan(request: Batch, options?: Full): Promise<Schemas["BatchAnswer"]>;
  plan(request: Batch, options: Compact): Promise<Schemas["CompactBatchAnswer"]>;
  async plan(request: Batch, options: Full | Compact = {}) {
    const call = { path: "/v1/validate/batch", kind: kind("BatchAnswer", options), query: query(options), body: request };
    const answer = (await this.#ask(call, options)) as Schemas["BatchAnswer"];
    const [results, trades] = [answer.results.length, request.trades.length];
    if (results !== trades) {
      throw new BallastError(200, "not_ballast", `HTTP 200: ${results} results for ${trades} trades`);
    }
    return answer as never;
  }

  /** Finds the largest order that meets a target. */
  size(request: SizeQuestion, options?: Full): Promise<Schemas["SizeAnswer"]>;
  size(request: SizeQuestion, options: Compact): Promise<Schemas["CompactSizeAnswer"]>;
  size(request: SizeQuestion, options: Full | Compact = {}) {
    const call = { path: "/v1/size", kind: kind("SizeAnswer", options), query: query(options), body: request };
    return this.#ask(call, options) as never;
  }

  /** Computes what price moves of your own do to a wallet. */
  stress(request: Schemas["ShockRequest"], options: Cancel = {}): Promise<Schemas["ShockReport"]> {
    return this.#ask({ path: "/v1/stress", kind: "ShockReport", body: request }, options) as never;
  }

  /** Assesses the current positions of a wallet. All alert sockets that watch the wallet get its alerts. */
  monitor(wallet: string, options?: Omit<Full, "explain"> & Target): Promise<Schemas["WalletReport"]>;
  monitor(wallet: string, options: Compact & Target): Promise<Schemas["CompactWalletReport"]>;
  monitor(wallet: string, options: (Full | Compact) & Target = {}) {
    const path = `/v1/monitor/${encodeURIComponent(wallet)}`;
    const { view, maxProbability24h: chance, survive } = options;
    const target = {
      ...(chance !== undefined && { max_probability_24h: String(finite("maxProbability24h", chance)) }),
      ...(survive !== undefined && { survive: String(survive) }),
    };
    const call = { path, kind: kind("WalletReport", options), query: { ...query({ ...(view && { view }) }), ...target } };
    return this.#ask(call, options) as never;
  }

  /** All listed assets: price, maximum leverage, funding, open interest. */
  markets(options: Cancel = {}): Promise<Schemas["Assets"]> {
    return this.#ask({ path: "/v1/assets", kind: "Assets" }, options) as never;
  }

  /** One asset in detail: book depth, age of the data, the last mid prices. */
  market(asset: string, options: Cancel = {}): Promise<Schemas["MarketData"]> {
    return this.#ask({ path: `/v1/market/${encodeURIComponent(asset)}`, kind: "MarketData" }, options) as never;
  }

  /** Recorded answers and actions of the gate, newest first: those of the client's key, of an operator's all. */
  decisions(query: DecisionQuery = {}, options: Cancel = {}): Promise<Schemas["Decisions"]> {
    const { wallet, asset, verdict, requestId: request_id, ...page } = query;
    const filter = { wallet, asset, verdict, request_id };
    return this.#ask({ path: "/v1/decisions", kind: "Decisions", query: paged(page, filter) }, options) as never;
  }

  /** The record of one request, by meta.request_id of its answer, and what became of it. */
  decision(requestId: string, options: Cancel = {}): Promise<Schemas["Decision"]> {
    return this.#ask({ path: `/v1/decisions/${encodeURIComponent(requestId)}`, kind: "Decision" }, options) as never;
  }

  /** Who changed which key, policy or kill switch, newest first. For operators' keys. */
  audit(page: Page = {}, options: Cancel = {}): Promise<Schemas["Audit"]> {
    return this.#ask({ path: "/v1/audit", kind: "Audit", query: paged(page) }, options) as never;
  }

  /** The operator's limits for a wallet, or "*" for all wallets. */
  policy(wallet: string, options: Cancel = {}): Promise<Schemas["Policy"]> {
    return this.#ask({ path: policyPath(wallet), kind: "Policy" }, options) as never;
  }

  /**
   * Sets all rules of a wallet, or of "*". revision is that of the policy that is replaced, left out if there must be
   * none: a change upon another one fails with status 412, and its revision is the current one. For operators' keys.
   */
  putPolicy(wallet: string, rules: Schemas["PolicyRules"], options: Cancel & { revision?: number } = {}): Promise<Schemas["Policy"]> {
    const { revision } = options;
    return this.#ask({ path: policyPath(wallet), kind: "Policy", method: "PUT", body: rules, revision }, options) as never;
  }

  /** Removes the policy of a revision. The answer has the rules that still hold. For operators' keys. */
  deletePolicy(wallet: string, revision: number, options: Cancel = {}): Promise<Schemas["Policy"]> {
    return this.#ask({ path: policyPath(wallet), kind: "Policy", method: "DELETE", revision }, options) as never;
  }

  /** Tells what recorded decisions would have been under other rules. For operators' keys. */
  testPolicy(wallet: string, test: Schemas["PolicyTestRequest"], options: Cancel = {}): Promise<Schemas["PolicyTest"]> {
    return this.#ask({ path: `${policyPath(wallet)}/test`, kind: "PolicyTest", body: test }, options) as never;
  }

  /** Whether the kill switch is on. */
  killSwitch(options: Cancel = {}): Promise<Schemas["KillSwitch"]> {
    return this.#ask({ path: "/v1/kill-switch", kind: "KillSwitch" }, options) as never;
  }

  /** Turns the kill switch, on only with a reason. revision: the one that it must have. For operators' keys. */
  setKillSwitch(change: Schemas["KillSwitchChange"], options: Cancel & { revision?: number } = {}): Promise<Schemas["KillSwitch"]> {
    const { revision } = options;
    return this.#ask({ path: "/v1/kill-switch", kind: "KillSwitch", method: "PUT", body: change, revision }, options) as never;
  }

  /** Lets the service make the monitor call of a wallet by itself, for this key. */
  putWatch(wallet: string, watch: Schemas["WatchRequest"] = {}, options: Cancel = {}): Promise<Schemas["Watch"]> {
    return this.#ask({ path: watchPath(wallet), kind: "Watch", method: "PUT", body: watch }, options) as never;
  }

  /** This key's watch of a wallet: the state of its calls, what stands, what was posted. */
  watch(wallet: string, options: Cancel = {}): Promise<Schemas["Watch"]> {
    return this.#ask({ path: watchPath(wallet), kind: "Watch" }, options) as never;
  }

  /** Ends this key's watch of a wallet. */
  deleteWatch(wallet: string, options: Cancel = {}): Promise<Schemas["WatchRemoved"]> {
    return this.#ask({ path: watchPath(wallet), kind: "WatchRemoved", method: "DELETE" }, options) as never;
  }

  /** The watches of this key, of an operator's those of all keys. */
  watches(options: Cancel = {}): Promise<Schemas["WatchList"]> {
    return this.#ask({ path: "/v1/watch", kind: "WatchList" }, options) as never;
  }

  /** Tells what became of a trade, once: the same trade_id with other values fails with status 409. */
  reportOutcome(report: Schemas["OutcomeReport"], options: Cancel = {}): Promise<Schemas["OutcomeAnswer"]> {
    return this.#ask({ path: "/v1/outcome", kind: "OutcomeAnswer", body: report }, options) as never;
  }

  /** How right the answers to this key were; to an operator's those to all keys. */
  accuracy(options: Cancel = {}): Promise<Schemas["Accuracy"]> {
    return this.#ask({ path: "/v1/accuracy", kind: "Accuracy" }, options) as never;
  }

  /** Is accuracy by its other address. */
  outcomeStats(options: Cancel = {}): Promise<Schemas["Accuracy"]> {
    return this.#ask({ path: "/v1/outcomes/stats", kind: "Accuracy" }, options) as never;
  }

  /** The public key of receipts, for verifyReceipt. Get it once, from the service itself, and keep it. */
  receiptKey(options: Cancel = {}): Promise<Schemas["ReceiptKey"]> {
    return this.#ask({ path: "/v1/receipt-key", kind: "ReceiptKey" }, options) as never;
  }

  /**
   * Calls options.onAlert with the alerts of up to 64 wallets until the signal aborts. After a lost
   * connection it reconnects, to the next of options.urls, and subscribes again. Rejects with
   * BallastError if the service rejects the subscription.
   */
  alerts(wallets: string[], options: AlertOptions): Promise<void> {
    return watch(this.#url, this.#options.key, wallets, options);
  }

  async #ask(call: Call, { signal }: Cancel): Promise<unknown> {
    const { attempts = 3, maxWait = 10, timeoutMs = 15_000 } = this.#options;
    const end = performance.now() + timeoutMs;
    const limit = AbortSignal.timeout(timeoutMs);
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      try {
        return await this.#once(call, signal ? AbortSignal.any([signal, limit]) : limit);
      } catch (error) {
        signal?.throwIfAborted();
        if (limit.aborted) {
          const detail = `${this.#url}: no answer within ${timeoutMs / 1000} s`;
          throw new BallastError(0, "unreachable", detail, {}, undefined, undefined, { cause: error });
        }
        const wait = error instanceof BallastError && [429, 503].includes(error.status) ? error.retryAfter : undefined;
        const pause = 1000 * (wait ?? 0) + 250 * Math.random(); // so that clients do not retry simultaneously
        if (wait === undefined || wait > maxWait || attempt >= attempts || performance.now() + pause >= end) {
          throw error;
        }
        await sleep(pause, signal);
      }
    }
  }

  async #once({ path, kind, query, body, method, revision }: Call, signal: AbortSignal): Promise<unknown> {
    const id = `cli_${randomText()}`;
    const { key } = this.#options;
    const headers = {
      Accept: "application/json",
      "X-Request-Id": id,
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(revision !== undefined && { "If-Match": `"${revision}"` }),
    };
    const text = body === undefined ? {} : { body: JSON.stringify(body, finite) };
    const url = this.#url + path + (query && Object.keys(query).length ? `?${new URLSearchParams(query)}` : "");
    let received: Received;
    try {
      const verb = method ?? (body === undefined ? "GET" : "POST");
      received = await this.#exchange(url, { method: verb, headers, signal, ...text });
    } catch (cause) {
      throw new BallastError(0, "unreachable", `${this.#url}: ${cause}`, {}, undefined, undefined, { cause });
    }
    return answer(received, id, kind);
  }
}

// answer returns the answer of a response, or throws.
function answer({ status, headers, text }: Received, id: string, kind: string): unknown {
  const got = headers.get("X-Request-Id");
  // a proxy, and the service when it has too many connections, refuse without an id
  if (got !== id && (got !== null || status === 200)) {
    throw wrong(status, headers, "the response belongs to another request");
  }
  if (text === undefined) {
    throw wrong(status, headers, `the answer has over ${MAX_ANSWER} bytes`);
  }
  if (status !== 200) {
    throw refusal(status, headers, text);
  }
  let decoded: unknown;
  let trouble: string;
  try {
    decoded = JSON.parse(text);
    trouble = problem({ ref: kind }, "the answer", decoded);
  } catch (error) {
    trouble = String(error);
  }
  if (trouble) {
    throw wrong(status, headers, `${trouble}: ${text.slice(0, 200)}`);
  }
  return decoded;
}

// Returns 128 random bits in hexadecimal. crypto.randomUUID exists on pages with TLS only.
function randomText(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(16).padStart(8, "0")).join("");
}

function kind(full: string, { view }: { view?: "full" | "compact" }): keyof Schemas {
  return (view === "compact" ? `Compact${full}` : full) as keyof Schemas;
}

const policyPath = (wallet: string) => `/v1/policy/${encodeURIComponent(wallet)}`;
const watchPath = (wallet: string) => `/v1/watch/${encodeURIComponent(wallet)}`;

// paged returns the parameters of a list that are set.
function paged({ from, to, cursor, limit }: Page, filter: Record<string, string | undefined> = {}): Record<string, string> {
  const all = { ...filter, from: from?.toISOString(), to: to?.toISOString(), limit: limit?.toString(), cursor };
  return Object.fromEntries(Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined));
}

// Throws for NaN and Infinity: JSON would turn them into null, which means that the field is not set.
function finite(name: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new RangeError(`${name} is ${value}`);
  }
  return value;
}

function query({ view, explain }: { view?: "full" | "compact"; explain?: boolean }): Record<string, string> {
  return { ...(view === "compact" && { view }), ...(explain && { explain: "true" }) };
}
