import createClient, { type Client as FetchClient } from "openapi-fetch";
import { type AlertOptions, sleep, watch } from "./alerts.js";
import type { components, paths } from "./contract.js";
import { BallastError, refusal } from "./errors.js";

type Schemas = components["schemas"];
type Validation = Schemas["ValidationRequest"];
type Batch = Schemas["BatchRequest"];

export interface ClientOptions {
  /** The API key. */
  key?: string;
  /** Milliseconds to wait for an answer; the service's own limit is 10 s. Default 15,000. */
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

interface Answer {
  data?: unknown;
  error?: unknown;
  response: Response;
}

/** Client of a Ballast service. */
export class Client {
  readonly #http: FetchClient<paths>;
  readonly #url: string;
  readonly #options: ClientOptions;

  /** url: address of the service, such as "http://127.0.0.1:8080". */
  constructor(url: string, options: ClientOptions = {}) {
    if (!/^https?:$/.test(new URL(url).protocol)) {
      throw new TypeError("want a URL such as http://127.0.0.1:8080");
    }
    this.#url = url.replace(/\/+$/, "");
    this.#options = options;
    this.#http = createClient<paths>({
      baseUrl: this.#url,
      headers: options.key === undefined ? {} : { Authorization: `Bearer ${options.key}` },
      bodySerializer: (body) => JSON.stringify(body, finite),
      redirect: "error",
      ...(options.fetch && { fetch: options.fetch }),
    });
  }

  /** Assesses a trade before it is sent. */
  validate(request: Validation, options?: Full): Promise<Schemas["Assessment"]>;
  validate(request: Validation, options: Compact): Promise<Schemas["CompactAssessment"]>;
  validate(request: Validation, options: Full | Compact = {}) {
    const params = { query: query(options) };
    return this.#ask((signal) => this.#http.POST("/v1/validate", { params, body: request, signal }), options) as never;
  }

  /** Assesses up to 50 trades, each as if those before it had filled. The result of a trade that breaks a rule has meta.error. */
  plan(request: Batch, options?: Full): Promise<Schemas["BatchAnswer"]>;
  plan(request: Batch, options: Compact): Promise<Schemas["CompactBatchAnswer"]>;
  plan(request: Batch, options: Full | Compact = {}) {
    const params = { query: query(options) };
    return this.#ask((signal) => this.#http.POST("/v1/validate/batch", { params, body: request, signal }), options) as never;
  }

  /** Computes what price moves of your own do to a wallet. */
  stress(request: Schemas["ShockRequest"], options: { signal?: AbortSignal } = {}): Promise<Schemas["ShockReport"]> {
    return this.#ask((signal) => this.#http.POST("/v1/stress", { body: request, signal }), options) as never;
  }

  /** Assesses the current positions of a wallet. All alert sockets that watch the wallet get its alerts. */
  monitor(wallet: string, options?: Omit<Full, "explain">): Promise<Schemas["WalletReport"]>;
  monitor(wallet: string, options: Compact): Promise<Schemas["CompactWalletReport"]>;
  monitor(wallet: string, options: Full | Compact = {}) {
    const { view } = query(options);
    const params = { path: { wallet }, query: view ? { view } : {} };
    return this.#ask((signal) => this.#http.GET("/v1/monitor/{wallet}", { params, signal }), options) as never;
  }

  /** All listed assets: price, maximum leverage, funding, open interest. */
  markets(options: { signal?: AbortSignal } = {}): Promise<Schemas["Assets"]> {
    return this.#ask((signal) => this.#http.GET("/v1/assets", { signal }), options) as never;
  }

  /** One asset in detail: book depth, age of the data, the last mid prices. */
  market(asset: string, options: { signal?: AbortSignal } = {}): Promise<Schemas["MarketData"]> {
    const params = { path: { asset } };
    return this.#ask((signal) => this.#http.GET("/v1/market/{asset}", { params, signal }), options) as never;
  }

  /**
   * Calls options.onAlert with the alerts of up to 64 wallets until the signal aborts. After a lost
   * connection it reconnects, to the next of options.urls, and subscribes again. Rejects with
   * BallastError if the service rejects the subscription.
   */
  alerts(wallets: string[], options: AlertOptions): Promise<void> {
    return watch(this.#url, this.#options.key, wallets, options);
  }

  async #ask(send: (signal: AbortSignal) => Promise<Answer>, { signal }: { signal?: AbortSignal }): Promise<unknown> {
    const { attempts = 3, maxWait = 10 } = this.#options;
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      try {
        return await this.#once(send, signal);
      } catch (error) {
        signal?.throwIfAborted();
        const wait = error instanceof BallastError && [429, 503].includes(error.status) ? error.retryAfter : undefined;
        if (wait === undefined || wait > maxWait || attempt >= attempts) {
          throw error;
        }
        await sleep(1000 * wait + 250 * Math.random(), signal); // so that clients do not retry simultaneously
      }
    }
  }

  async #once(send: (signal: AbortSignal) => Promise<Answer>, signal?: AbortSignal): Promise<unknown> {
    const limit = AbortSignal.timeout(this.#options.timeoutMs ?? 15_000);
    let answer: Answer;
    try {
      answer = await send(signal ? AbortSignal.any([signal, limit]) : limit);
    } catch (cause) {
      if (cause instanceof RangeError) {
        throw cause; // thrown by finite: the caller's request has NaN or Infinity
      }
      const code = cause instanceof SyntaxError ? "not_ballast" : "unreachable";
      throw new BallastError(0, code, `${this.#url}: ${cause}`, {}, undefined, undefined, { cause });
    }
    const { data, error, response } = answer;
    if (response.status !== 200 || typeof data !== "object") {
      throw refusal(response, error ?? data);
    }
    return data;
  }
}

// Throws for NaN and Infinity: JSON would turn them into null, which means that the field is not set.
function finite(name: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new RangeError(`${name} is ${value}`);
  }
  return value;
}

function query({ view, explain }: { view?: "full" | "compact"; explain?: boolean }) {
  return { ...(view === "compact" && { view }), ...(explain && { explain: "true" as const }) };
}
