// Repeats a request while its screen is shown.

import { errorBox, Failure } from "./api";

export interface Poll {
  start(): void;
  stop(): void;
}

/** Runs task every ms milliseconds from start to stop, one run at a time, not while the tab is
 * hidden. After an answer with Retry-After it waits at least that long. An error is shown in box. */
export function poll(ms: number, task: () => Promise<void>, box?: HTMLElement): Poll {
  let on = false, timer = 0, busy = false, due = false, notBefore = 0;
  const turn = async () => {
    if (!on || document.hidden) return;
    due = busy; // the last run has not ended: the next follows it at once
    if (busy) return;
    clearTimeout(timer);
    const wait = notBefore - performance.now();
    if (wait > 0) {
      timer = window.setTimeout(turn, wait);
      return;
    }
    busy = true;
    const begun = performance.now();
    let pause = ms;
    try {
      await task();
    } catch (cause) {
      box?.replaceChildren(errorBox(cause));
      if (cause instanceof Failure) notBefore = performance.now() + cause.retryAfter * 1000;
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
