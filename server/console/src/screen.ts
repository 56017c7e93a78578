// What a screen is, and what the shell gives it. A screen is a function of the address, of its
// answers and of the clock: it keeps nothing else between mounts.

import type { KeyMap } from "./keys";
import type { Answer } from "./store";

export interface Screen {
  name: string; // in the address: #/name
  title: string; // in the header, and in the title of the tab
  open?: boolean; // works without a key
  hidden?: boolean; // has no place of its own in the header
  under?: string; // name of the screen whose place in the header is marked
  /** Builds the screen in an empty root. Returns what ends it; whatever was registered with ctx ends by itself. */
  mount(root: HTMLElement, ctx: Context): () => void;
}

/** What the shell gives a screen from mount to unmount. */
export interface Context {
  /** The parts of the address behind the name: #/market/BTC has ["BTC"]. */
  readonly path: string[];
  /** The parameters of the address now. */
  params(): URLSearchParams;
  /** Changes parameters without an entry in the history; null takes one out. Calls no listener. */
  setParams(changes: Record<string, string | null>): void;
  /** Calls f when a link or the back button changed the parameters of this screen. */
  onParams(f: () => void): void;
  /** Calls f every second while the tab is visible, and when it becomes visible: for ages. */
  onTick(f: () => void): void;
  /** Runs task at once and then every ms, one at a time, not in a hidden tab, later after failures
   * and Retry-After. A Failure goes to failed. */
  poll(ms: number, task: (signal: AbortSignal) => Promise<void>, failed?: (f: unknown) => void): Poll;
  /** Adds single keys of this screen; not called while a field has the keys. */
  keys(map: KeyMap): void;
  /** Tells the header's pill which answer's ages to show. */
  watch(answer: Answer<unknown>): void;
  /** Tells that an answer came from this venue: "simulated", "testnet", "mainnet". */
  venue(name: string): void;
  /** Says a sentence to screen readers, at most every 5 s. */
  say(sentence: string): void;
  /** Whether a key is set. The screen is mounted again when this changes. */
  readonly hasKey: boolean;
}

export interface Poll {
  /** Asks at once. */
  now(): void;
  stop(): void;
}
