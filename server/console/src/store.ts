// An answer with the time of its arrival, and how fresh its figures are now.

/** A moment on two clocks, because one of the two stops while a laptop sleeps. */
export interface Moment {
  wall: number;
  mono: number;
}

export const now = (): Moment => ({ wall: Date.now(), mono: performance.now() });

/** Milliseconds since m. */
export const since = (m: Moment, t = now()) => Math.max(0, t.wall - m.wall, t.mono - m.mono);

/** An input of an answer: how old it was in the answer, and from which age on it is stale. */
export interface Input {
  name: string; // "market", "wallet"
  ageMs: number;
  softMs: number;
}

/** The inputs of an assessment, by its meta. */
export const inputsOf = (meta: { market_age_ms: number; wallet_age_ms: number }, marketSoftMs = 2000): Input[] => [
  { name: "market", ageMs: meta.market_age_ms, softMs: marketSoftMs },
  { name: "wallet", ageMs: meta.wallet_age_ms, softMs: 2000 },
];

export type State = "fresh" | "stale" | "gone";

const missedRoundMs = 3000; // one round of the venue's data may be missed

/** What the page knows: an answer, the question it belongs to, when it came. */
export class Answer<T> {
  value: T | null = null;
  question = "";
  received: Moment = { wall: 0, mono: 0 };
  private inputs: Input[] = [];
  private flagged = false; // the service itself calls it stale

  /** goneMs: from this age on no figure is shown. */
  constructor(readonly goneMs = 30_000) {}

  set(value: T, inputs: Input[], flagged = false, question = "", at = now()) {
    this.value = value;
    this.inputs = inputs;
    this.flagged = flagged;
    this.question = question;
    this.received = at;
  }

  clear() {
    this.value = null;
    this.inputs = [];
  }

  /** Age of an input now, or of the oldest one. */
  age(name?: string, t = now()): number {
    const of = this.inputs.filter((i) => name === undefined || i.name === name);
    return Math.max(0, ...of.map((i) => i.ageMs)) + since(this.received, t);
  }

  /** The input that is farthest beyond its limit, or nearest to it. */
  worst(t = now()): { name: string; ageMs: number; softMs: number } {
    const gone = since(this.received, t);
    const all = this.inputs.map((i) => ({ name: i.name, ageMs: i.ageMs + gone, softMs: i.softMs }));
    return (
      all.sort((a, b) => b.ageMs / b.softMs - a.ageMs / a.softMs)[0] ?? { name: "answer", ageMs: gone, softMs: 2000 }
    );
  }

  state(t = now()): State {
    if (this.value === null || this.age(undefined, t) > this.goneMs) return "gone";
    const gone = since(this.received, t);
    if (this.flagged || this.inputs.some((i) => i.ageMs + gone > i.softMs + missedRoundMs)) return "stale";
    return "fresh";
  }
}
