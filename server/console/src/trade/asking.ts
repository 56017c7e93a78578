// Asks while one types: a compact answer first, then the full one, then the sizes (curve and ladder); each
// cancels its predecessor. Asks again every 2 s while the tab is visible. No decision is recorded of any of these.

import { aborted, ask, Failure } from "../api";
import type { Assessment, CompactAssessment, Market, SizeAnswer, WalletReport } from "../api";
import { Answer, inputsOf, now, since, type Moment } from "../store";
import { leverageOf } from "./answers";
import { safeChance } from "./cure";
import { type Request, sizeQuestion } from "./question";
import { passing } from "./sentences";

const softMs = 2000,
  againMs = 2000,
  awayMs = 5000;
const delays = { compact: 120, full: 250, sizes: 400 };
type Kind = keyof typeof delays | "market" | "pools" | "deposit";

/** The least deposit with which the order proceeds; null when none helps. */
export interface Deposit {
  usd: number | null;
}

export class Asking {
  readonly full = new Answer<Assessment>();
  readonly compact = new Answer<CompactAssessment>();
  readonly sizes = new Answer<SizeAnswer>(); // curve and ladder
  readonly deposit = new Answer<Deposit>(); // where no order passes
  readonly pools = new Answer<WalletReport>(); // where no order passes, or an exit leaves danger behind
  readonly market = new Answer<Market>();
  failure: Failure | null = null; // of the last full request
  tries = 0; // failed ones in a row
  notBefore: Moment | null = null; // when the next try is due, and how long that is
  pauseMs = 0;
  changedAt: Moment | null = null; // the form changed then, and no answer has come
  question = "";
  private request: Request | null = null;
  private timers = new Map<string, number>();
  private running = new Map<string, AbortController>();
  private readonly visible = () => this.shown();

  constructor(private readonly changed: () => void) {
    document.addEventListener("visibilitychange", this.visible);
  }

  end() {
    document.removeEventListener("visibilitychange", this.visible);
    this.cancel();
    this.request = null;
  }

  private cancel() {
    for (const t of this.timers.values()) clearTimeout(t);
    this.timers.clear();
    for (const c of this.running.values()) c.abort();
    this.running.clear();
  }

  /** Asks another question, or none. at once: without waiting for more keys. */
  set(request: Request | null, question: string, atOnce = false) {
    if (question === this.question && !atOnce) return;
    this.cancel();
    if (request?.asset !== this.request?.asset) this.market.clear();
    if (question !== this.question) this.changedAt = request === null ? null : now();
    this.question = question;
    this.request = request;
    this.failure = null;
    this.tries = 0;
    this.notBefore = null;
    if (request !== null && !document.hidden) this.start(atOnce);
    this.changed();
  }

  private start(atOnce: boolean) {
    const from = atOnce ? delays.full : 0;
    for (const [kind, ms] of Object.entries(delays) as [keyof typeof delays, number][]) {
      if (atOnce && kind === "compact") continue;
      if (kind === "sizes" && this.request?.action === "close") continue;
      this.later(kind, ms - from);
    }
    this.later("market", 0);
  }

  private later(kind: Kind, ms: number) {
    clearTimeout(this.timers.get(kind));
    if (ms === 0) return void this.run(kind);
    this.timers.set(
      kind,
      window.setTimeout(() => void this.run(kind), ms),
    );
  }

  private async run(kind: Kind) {
    const request = this.request,
      question = this.question;
    if (request === null || document.hidden) return;
    this.running.get(kind)?.abort();
    const c = new AbortController();
    this.running.set(kind, c);
    try {
      await this.answer(kind, request, question, c.signal);
    } catch (cause) {
      if (aborted(cause) || c.signal.aborted) return;
      this.failed(kind, cause instanceof Failure ? cause : new Failure(0, { error: String(cause) }));
    }
    if (this.running.get(kind) === c) this.running.delete(kind);
    this.changed();
  }

  private async answer(kind: Kind, request: Request, question: string, signal: AbortSignal) {
    /** Asks; null for an answer that nobody waits for any more. */
    const get = async <T>(path: string, body?: unknown): Promise<T | null> => {
      const answer = await ask<T>(path, { body, signal });
      return !signal.aborted && question === this.question ? answer : null;
    };
    switch (kind) {
      case "compact": {
        const a = await get<CompactAssessment>("/v1/validate?view=compact&record=false", request);
        if (!a || this.full.question === question) return;
        const stale = a.flags.some((f) => f.name === "stale_market_data");
        return this.compact.set(a, inputsOf(a.meta), stale, question);
      }
      case "full": {
        const a = await get<Assessment>("/v1/validate?explain=true&record=false", request);
        return a && this.answered(a, request, question);
      }
      case "sizes":
        return this.askSizes(request, question, get);
      case "pools": {
        const survive = request.action !== "close", // a scenario that ends the pool lets no order pass
          query = `max_probability_24h=${safeChance}&survive=${survive}`;
        const r = await get<WalletReport>(`/v1/monitor/${request.wallet}?${query}`);
        return r && this.pools.set(r, inputsOf(r.meta), false, question);
      }
      case "deposit": {
        const a = await get<Assessment>("/v1/validate?deposit=true&record=false", request);
        return a && this.deposit.set({ usd: a.sizing.deposit_usd ?? null }, inputsOf(a.meta), false, question);
      }
      case "market": {
        const m = await get<Market>("/v1/market/" + encodeURIComponent(request.asset));
        if (!m) return;
        this.market.set(m, [{ name: "book", ageMs: m.ages.book_ms ?? Infinity, softMs }], false, request.asset);
        this.later("market", againMs);
      }
    }
  }

  private answered(a: Assessment, request: Request, question: string) {
    this.full.set(a, inputsOf(a.meta), a.flags.includes("stale_market_data"), question);
    this.failure = null;
    this.tries = 0;
    this.notBefore = null;
    this.changedAt = null;
    this.later("full", againMs);
    if (request.action === "close" && a.flags.includes("leaves_book_at_risk")) this.later("pools", 0);
  }

  private async askSizes(
    request: Request,
    question: string,
    get: (path: string, body: unknown) => Promise<SizeAnswer | null>,
  ) {
    const full = this.full.question === question ? this.full.value : null,
      leverage = request.leverage ?? (full && leverageOf(full));
    if (leverage === null) return this.later("sizes", delays.full); // that of the full answer, which has not come yet
    const a = await get("/v1/size?record=false", sizeQuestion(request, leverage));
    if (!a) return;
    this.sizes.set(a, inputsOf(a.assessment.meta), a.assessment.flags.includes("stale_market_data"), question);
    this.later("sizes", againMs);
    if (passing(a.ladder).length > 0) return;
    this.later("pools", 0);
    this.later("deposit", 0);
  }

  private failed(kind: Kind, f: Failure) {
    if (kind === "sizes" && f.status !== 400) this.later(kind, 2 * againMs); // the pools are asked for after them
    if (kind === "market" && f.status !== 400) this.later("market", againMs);
    if (kind !== "full") return;
    this.failure = f;
    this.changedAt = null;
    this.tries++;
    if (f.status === 400 || f.status === 401) return;
    this.pauseMs = 1000 * (f.retryAfter || Math.min(8, 2 ** (this.tries - 1)));
    this.notBefore = now();
    this.later("full", this.pauseMs);
  }

  /** Seconds until the next try, or null when none is due. */
  nextIn(): number | null {
    return this.notBefore === null ? null : Math.max(0, Math.ceil((this.pauseMs - since(this.notBefore)) / 1000));
  }

  /** The tab became visible or hidden. An answer from before a long absence is forgotten. */
  private shown() {
    if (document.hidden) {
      this.cancel();
      return;
    }
    if (this.request === null) return;
    if (this.full.value !== null && since(this.full.received) > awayMs) {
      for (const a of [this.full, this.compact, this.sizes, this.deposit, this.pools, this.market]) a.clear();
      this.changedAt = null; // the skeleton stands at once
    }
    this.start(true);
    this.changed();
  }
}
