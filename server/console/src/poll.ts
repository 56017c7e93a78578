// Repeats a question while its screen is seen.

import { Failure } from "./api";

export interface Poll {
  start(): void;
  stop(): void;
}

/** Runs task every ms from start to stop, not while the tab is hidden, one at a time. A
 * service that says when to come back is not asked before. */
export function poll(ms: number, task: () => Promise<void>): Poll {
  let on = false, timer = 0, busy = false, due = false;
  const turn = async () => {
    if (!on || document.hidden) return;
    due = busy; // started anew while the last turn still runs: the next follows at once
    if (busy) return;
    clearTimeout(timer);
    busy = true;
    const begun = performance.now();
    let pause = ms;
    try {
      await task();
    } catch (cause) {
      if (cause instanceof Failure) pause = Math.max(pause, cause.retryAfter * 1000);
    }
    busy = false;
    if (due) pause = 0;
    if (on) timer = window.setTimeout(turn, Math.max(0, pause - (performance.now() - begun)));
  };
  document.addEventListener("visibilitychange", turn);
  return {
    start() {
      if (on) return;
      on = true;
      void turn();
    },
    stop() {
      on = false;
      clearTimeout(timer);
    },
  };
}
