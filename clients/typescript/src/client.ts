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

// What a call asks for.
interface Call {
  path: string;
  kind: string; // name of the answer's type in the contract
  query?: Record<string, string>;
  body?: unknown;
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
  stress(request: Schemas["ShockRequest"], options: { signal?: AbortSignal } = {}): Promise<Schemas["ShockReport"]> {
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
  markets(options: { signal?: AbortSignal } = {}): Promise<Schemas["Assets"]> {
    return this.#ask({ path: "/v1/assets", kind: "Assets" }, options) as never;
  }

  /** One asset in detail: book depth, age of the data, the last mid prices. */
  market(asset: string, options: { signal?: AbortSignal } = {}): Promise<Schemas["MarketData"]> {
    return this.#ask({ path: `/v1/market/${encodeURIComponent(asset)}`, kind: "MarketData" }, options) as never;
  }

  /**
   * Calls options.onAlert with the alerts of up to 64 wallets until the signal aborts. After a lost
   * connection it reconnects, to the next of options.urls, and subscribes again. Rejects with
   * BallastError if the service rejects the subscription.
   */
  alerts(wallets: string[], options: AlertOptions): Promise<void> {
    return watch(this.#url, this.#options.key, wallets, options);
  }

  async #ask(call: Call, { signal }: { signal?: AbortSignal }): Promise<unknown> {
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

  async #once({ path, kind, query, body }: Call, signal: AbortSignal): Promise<unknown> {
    const id = `cli_${randomText()}`;
    const { key } = this.#options;
    const headers = {
      Accept: "application/json",
      "X-Request-Id": id,
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
    };
    const text = body === undefined ? {} : { body: JSON.stringify(body, finite) };
    const url = this.#url + path + (query && Object.keys(query).length ? `?${new URLSearchParams(query)}` : "");
    let received: Received;
    try {
      received = await this.#exchange(url, { method: body === undefined ? "GET" : "POST", headers, signal, ...text });
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

function kind(full: string, { view }: { view?: "full" | "compact" }): string {
  return view === "compact" ? `Compact${full}` : full;
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
