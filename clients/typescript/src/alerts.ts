import { open } from "#socket";
import type { components } from "./alert-contract.js";
import { problem } from "./complete.js";
import { BallastError } from "./errors.js";

export type RiskAlert = components["schemas"]["RiskAlert"];
export type Thresholds = NonNullable<components["schemas"]["AlertConfig"]["thresholds"]>;
type Message = RiskAlert | components["schemas"]["Subscribed"] | components["schemas"]["InvalidConfig"];

export interface AlertOptions {
  /** Called with each alert that a monitor call of any client raises. */
  onAlert: (alert: RiskAlert) => void;
  /** Called when a replica watches all wallets. Earlier alerts are not sent: call monitor for the current state. */
  onWatching?: (url: string) => void;
  /** Called when the connection ends; no wallet is watched until the next onWatching. */
  onLost?: (reason: string) => void;
  thresholds?: Thresholds | null;
  /** Replicas to connect to, in turn; default: the client's own address. */
  urls?: string[];
  signal?: AbortSignal;
}

const SILENCE_MS = 40_000; // without a message for this long, the connection is lost
const PROOF_MS = 15_000; // between two subscriptions, whose answers prove that the connection is alive
const MAX_MESSAGE = 1 << 20; // characters
const MAX_PAUSE_MS = 15_000; // between two connection attempts
// Close codes for a fault of the client, after which reconnecting is pointless.
const OUR_FAULT = new Set([1002, 1003, 1007, 1008, 1009]);

interface End {
  reason: string;
  refusal: BallastError | undefined; // error message that the service sends before it closes the connection
  fatal: boolean; // reconnecting is pointless
}

/** Calls back with alerts until the signal aborts. Rejects with BallastError if the service rejects the subscription. */
export async function watch(url: string, key: string | undefined, wallets: string[], options: AlertOptions): Promise<void> {
  const urls = options.urls ?? [url];
  let pause = 1000;
  for (let turn = 0; !options.signal?.aborted; turn++) {
    const base = urls[turn % urls.length]!.replace(/\/+$/, "");
    const end = await listen(base, key, wallets, options, () => {
      pause = 1000;
      options.onWatching?.(base);
    });
    if (end.fatal) {
      throw end.refusal ?? new BallastError(0, "refused", `${base}: ${end.reason}`);
    }
    if (options.signal?.aborted) {
      return;
    }
    options.onLost?.(end.refusal ? `${end.reason} after ${end.refusal.message}` : end.reason);
    // The pause is random and grows, so that after a restart thousands of clients do not reconnect simultaneously.
    await sleep(Math.random() * pause, options.signal);
    pause = Math.min(2 * pause, MAX_PAUSE_MS);
  }
}

// listen opens one connection and calls back with its alerts until it ends.
function listen(
  base: string,
  key: string | undefined,
  wallets: string[],
  options: AlertOptions,
  watching: () => void,
): Promise<End> {
  return new Promise((resolve, reject) => {
    const socket = open(base.replace(/^http/, "ws") + "/v1/alerts/ws?details=true", key);
    const waiting = new Set(wallets.map((wallet) => wallet.toLowerCase()));
    const subscribe = (wallet: string) => {
      socket.send(JSON.stringify({ wallet, thresholds: options.thresholds ?? null }));
    };
    let refusal: BallastError | undefined;
    let trouble = "";
    let heard = Date.now();
    // WebSocket hides pings from the program. Subscribing again changes nothing, and the service answers it.
    const proof = setInterval(() => {
      if (Date.now() - heard > SILENCE_MS) {
        end(`nothing heard for ${SILENCE_MS / 1000} s`);
      } else if (socket.readyState === socket.OPEN) {
        subscribe(wallets[0]!);
      }
    }, PROOF_MS);
    const leave = () => end("left");
    options.signal?.addEventListener("abort", leave);

    function stop() {
      clearInterval(proof);
      options.signal?.removeEventListener("abort", leave);
      socket.close();
    }
    function end(reason: string, fatal = false) {
      stop();
      resolve({ reason, refusal, fatal });
    }
    socket.addEventListener("open", () => wallets.forEach(subscribe));
    socket.addEventListener("message", (event) => {
      heard = Date.now();
      let message: Message;
      try {
        const text = String(event.data);
        if (text.length > MAX_MESSAGE) {
          throw new RangeError(`a message of over ${MAX_MESSAGE} characters`);
        }
        message = JSON.parse(text);
        const wrong = problem({ ref: "alert_type" in message ? "RiskAlert" : "error" in message ? "InvalidConfig" : "Subscribed" }, "the message", message);
        if (wrong) {
          throw new TypeError(wrong);
        }
      } catch (trouble) {
        end(`not what this service sends: ${trouble}`);
        return;
      }
      try {
        if ("alert_type" in message) {
          options.onAlert(message);
        } else if ("error" in message) {
          const { error, detail, ...members } = message;
          refusal = new BallastError(0, error, detail, members);
        } else if (waiting.delete(message.subscribed) && waiting.size === 0) {
          watching();
        }
      } catch (thrown) {
        stop();
        reject(thrown); // thrown by a callback of the caller
      }
    });
    socket.addEventListener("error", (event) => {
      trouble = "message" in event ? `: ${event.message}` : "";
    });
    socket.addEventListener("close", ({ code, reason }) => {
      const closedByService = code !== 1005 && code !== 1006; // set by this side: no close frame, or one without a code
      end(closedByService ? `closed with ${code} ${reason}` : `connection lost${trouble}`, closedByService && OUR_FAULT.has(code));
    });
  });
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done);
    if (signal?.aborted) {
      done();
    }
  });
}
