import { exchange } from "#exchange";
import { type AlertOptions, sleep, watch } from "./alerts.js";
import { problem } from "./complete.js";
import type { components } from "./contract.js";
import { BallastError, refusal, wrong } from "./errors.js";
import { byFetch, type Exchange, MAX_ANSWER, type Received } from "./exchange.js";
import { Methods } from "./methods.js";

type Schemas = components["schemas"];

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

/** What a validation may add. */
export interface Deposit {
  /** Adds sizing.deposit_usd, the least deposit with which the order proceeds. */
  deposit?: boolean;
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

export interface Cancel {
  signal?: AbortSignal;
}

// What a call asks for.
interface Call {
  method: string;
  path: string; // with its query
  kind: string; // name of the answer's type in the contract
  body: object | undefined;
  revision: number | undefined; // that is changed
}

/** Client of a Ballast service. */
export class Client extends Methods {
  readonly #exchange: Exchange;
  readonly #url: string;
  readonly #options: ClientOptions;

  /** url: address of the service, such as "http://127.0.0.1:8080". */
  constructor(url: string, options: ClientOptions = {}) {
    super();
    if (!/^https?:$/.test(new URL(url).protocol)) {
      throw new TypeError("want a URL such as http://127.0.0.1:8080");
    }
    this.#url = url.replace(/\/+$/, "");
    this.#options = options;
    this.#exchange = options.fetch ? byFetch(options.fetch) : exchange();
  }

  /**
   * Calls options.onAlert with the alerts of up to 64 wallets until the signal aborts. After a lost
   * connection it reconnects, to the next of options.urls, and subscribes again. Rejects with
   * BallastError if the service rejects the subscription.
   */
  alerts(wallets: string[], options: AlertOptions): Promise<void> {
    return watch(this.#url, this.#options.key, wallets, options);
  }

  protected override async ask(method: string, path: string, answer: keyof Schemas, given: object, body?: object): Promise<never> {
    const { signal, revision, view, ...rest } = given as Cancel & { revision?: number; view?: string };
    const query = parameters({ ...(view === "compact" && { view }), ...rest });
    const kind = view === "compact" ? `Compact${answer}` : answer;
    const call = { method, path: path + (query && `?${query}`), kind, body, revision };
    const { attempts = 3, maxWait = 10, timeoutMs = 15_000 } = this.#options;
    const end = performance.now() + timeoutMs;
    const limit = AbortSignal.timeout(timeoutMs);
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      try {
        return (await this.#once(call, signal ? AbortSignal.any([signal, limit]) : limit)) as never;
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

  async #once({ method, path, kind, body, revision }: Call, signal: AbortSignal): Promise<unknown> {
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
    let received: Received;
    try {
      received = await this.#exchange(this.#url + path, { method, headers, signal, ...text });
    } catch (cause) {
      throw new BallastError(0, "unreachable", `${this.#url}: ${cause}`, {}, undefined, undefined, { cause });
    }
    return answer(received, id, kind, body);
  }
}

// answer returns the answer of a response to what was asked, or throws.
function answer({ status, headers, text }: Received, id: string, kind: string, asked: unknown): unknown {
  const got = headers.get("X-Request-Id");
  // a proxy, and the service when it has too many connections, refuse without an id
  if (got !== id && (got !== null || status === 200)) {
    throw wrong(status, headers, "the response belongs to another request");
  }
  if (text === undefined) {
    throw wrong(status, headers, `the answer has over ${MAX_ANSWER} bytes`);
  }
  if (status !== 200 && !(status === 503 && kind === "Health")) { // of a service that is not ready
    throw refusal(status, headers, text);
  }
  let decoded: unknown;
  let trouble: string;
  try {
    decoded = JSON.parse(text);
    trouble = problem({ ref: kind }, "the answer", decoded) || (kind.endsWith("BatchAnswer") ? planned(decoded, asked) : "");
  } catch (error) {
    trouble = String(error);
  }
  if (trouble) {
    throw status === 200 ? wrong(status, headers, `${trouble}: ${text.slice(0, 200)}`) : refusal(status, headers, text);
  }
  return decoded;
}

// Returns 128 random bits in hexadecimal. crypto.randomUUID exists on pages with TLS only.
function randomText(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(16).padStart(8, "0")).join("");
}

// planned says what is wrong with the answer to a plan, which has one result for each trade; "": nothing.
function planned(answer: unknown, asked: unknown): string {
  const [results, trades] = [(answer as Schemas["BatchAnswer"]).results.length, (asked as Schemas["BatchRequest"]).trades.length];
  return results === trades ? "" : `${results} results for ${trades} trades`;
}

// Throws for NaN and Infinity: JSON would turn them into null, which means that the field is not set.
function finite(name: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new RangeError(`${name} is ${value}`);
  }
  return value;
}

// parameters returns a query of the parameters that are set, by the contract's names: requestId is request_id.
function parameters(given: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) {
      const text = value instanceof Date ? value.toISOString() : String(finite(name, value));
      query.set(name.replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`), text);
    }
  }
  return query.toString();
}
