// Repeats a request while its tab is visible.

import { aborted, Failure } from "./api";
import type { Poll } from "./screen";

/** Runs task at once and then every ms, one run at a time, not in a hidden tab. After a service that
 * does not answer it waits 1, 2, 4, then 8 s, and at least as long as Retry-After says. */
export function poll(ms: number, task: (s: AbortSignal) => Promise<void>, failed?: (f: unknown) => void): Poll {
  const ended = new AbortController();
  let timer = 0,
    busy = false,
    failures = 0,
    notBefore = 0;
  const turn = async () => {
    clearTimeout(timer);
    if (ended.signal.aborted || busy || document.hidden) return;
    const wait = notBefore - performance.now();
    if (wait > 0) {
      timer = window.setTimeout(turn, wait);
      return;
    }
    busy = true;
    const begun = performance.now();
    try {
      await task(ended.signal);
      failures = 0;
    } catch (cause) {
      if (ended.signal.aborted || aborted(cause)) return;
      const pause =
        cause instanceof Failure && cause.retryAfter > 0 ? cause.retryAfter : Math.min(8, 2 ** failures++);
      notBefore = performance.now() + 1000 * pause;
      failed?.(cause);
    } finally {
      busy = false;
    }
    if (!ended.signal.aborted) timer = window.setTimeout(turn, Math.max(0, ms - (performance.now() - begun)));
  };
  document.addEventListener("visibilitychange", turn, { signal: ended.signal });
  void turn();
  return {
    now() {
      notBefore = 0;
      void turn();
    },
    stop() {
      ended.abort();
      clearTimeout(timer);
    },
  };
}
