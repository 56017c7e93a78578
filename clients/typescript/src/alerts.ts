import { open } from "#socket";
import type { components } from "./alert-contract.js";
import { BallastError } from "./errors.js";

export type RiskAlert = components["schemas"]["RiskAlert"];
export type Thresholds = NonNullable<components["schemas"]["AlertConfig"]["thresholds"]>;
type Message = RiskAlert | components["schemas"]["Subscribed"] | components["schemas"]["InvalidConfig"];

export interface AlertOptions {
  /** What a monitor call has found. */
  onAlert: (alert: RiskAlert) => void;
  /** All wallets are watched from now on. What was found before is not sent: ask monitor. */
  onWatching?: (url: string) => void;
  /** A connection has ended; nobody is watched until the next onWatching. */
  onLost?: (reason: string) => void;
  thresholds?: Thresholds | null;
  /** Several replicas, taken in turn. */
  urls?: string[];
  signal?: AbortSignal;
}

const SILENCE_MS = 40_000; // without any message the connection is dead
const PROOF_MS = 15_000; // between two requests for a sign of life
const MAX_PAUSE_MS = 15_000; // between two attempts
// Close codes that say that this side is at fault: doing the same again cannot help.
const OUR_FAULT = new Set([1002, 1003, 1007, 1008, 1009]);

interface End {
  reason: string;
  refusal: BallastError | undefined; // what the service says before it closes
  fatal: boolean; // trying again cannot help
}

/** Hands on alerts until the signal; rejects with BallastError when the service refuses what is asked. */
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
    // A random share of a growing pause: after a restart thousands must not come at once.
    await sleep(Math.random() * pause, options.signal);
    pause = Math.min(2 * pause, MAX_PAUSE_MS);
  }
}

// listen hands on alerts until the connection ends.
function listen(
  base: string,
  key: string | undefined,
  wallets: string[],
  options: AlertOptions,
  watching: () => void,
): Promise<End> {
  return new Promise((resolve, reject) => {
    const socket = open(base.replace(/^http/, "ws") + "/v1/alerts/ws", key);
    const waiting = new Set(wallets.map((wallet) => wallet.toLowerCase()));
    const subscribe = (wallet: string) => {
      socket.send(JSON.stringify({ wallet, thresholds: options.thresholds ?? null }));
    };
    let refusal: BallastError | undefined;
    let trouble = "";
    let heard = Date.now();
    // The interface shows no pings. To subscribe once more changes nothing and is answered.
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
        message = JSON.parse(String(event.data));
      } catch (problem) {
        end(`not what this service sends: ${problem}`);
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
      } catch (problem) {
        stop();
        reject(problem); // the caller's
      }
    });
    socket.addEventListener("error", (event) => {
      trouble = "message" in event ? `: ${event.message}` : "";
    });
    socket.addEventListener("close", ({ code, reason }) => {
      const closedByService = code !== 1005 && code !== 1006; // these two come from this side
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
