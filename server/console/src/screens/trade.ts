// The Trade screen: a question on the left, its answer on the right, while one types.

import { ask, Failure, type Asset, type CompactAssessment, type Health } from "../api";
import { copy, faultLine, fill, h, icon } from "../dom";
import { age, fixed, times, usd } from "../format";
import { link } from "../route";
import { readNumber } from "../number";
import { patch } from "../patch";
import type { Context, Screen } from "../screen";
import { type Moment, now, since } from "../store";
import { type AnswerView, drawAnswer } from "../trade/answerview";
import { Asking } from "../trade/asking";
import { leverageOf } from "../trade/answers";
import { tradeForm } from "../trade/form";
import { maxLeverage, sizeUSD } from "../trade/formparts";
import { ladder } from "../trade/ladder";
import {
  type Action,
  type Faults,
  type Field,
  faultsOf,
  fromAddress,
  type Question,
  read,
  type Request,
  toAddress,
  unitOf,
} from "../trade/question";
import { emptyCard, mendCard } from "../trade/prompts";
import { spoken } from "../trade/sentences";
import { noAnswerCard, skeletonCard } from "../trade/verdict";
import { isWallet } from "../walletaddress";
import { onClick } from "./parts";

const phone = matchMedia("(max-width: 899px)");
const path = "/v1/validate?explain=true";
const listEvery = 3000, // ms; a price of the list is shown until it is older than priceMs
  priceMs = 5000;

const lastWallet = "ballast-last-wallet"; // of this browser session

class Trade {
  private q: Question;
  private assets: Asset[] = [];
  private listedAt: Moment = { wall: 0, mono: 0 };
  private health: Health | null = null;
  private serverFaults: Faults = {};
  private readonly undo: Question[] = [];
  private readonly asking = new Asking(() => this.render());
  private readonly unfolded = new Set<string>();
  private readonly line = h("div", { class: "card question" });
  private readonly answer = h("div", { class: "answer grid" });
  private readonly foot = h("footer", { class: "foot" });
  private readonly form = tradeForm({
    change: (c, done) => this.change(c, done),
    enter: () => (this.sheet(false), this.ask(true)),
    close: () => this.sheet(false),
    copy: (what) =>
      copy(
        what === "link"
          ? location.href
          : what === "curl"
            ? this.curl()
            : JSON.stringify(this.asking.full.value, null, 1),
      ),
  });
  private view: AnswerView | null = null;
  private drawn = ""; // what kind of card stands there
  private said = "";
  private trial = new AbortController(); // of an order that is not complete
  private recordFault = "";
  private waiting = 0;
  private pressed = false; // a pointer, or the space bar

  constructor(
    private readonly ctx: Context,
    private readonly root: HTMLElement,
  ) {
    this.q = this.opened(ctx.params());
    root.append(this.line, h("div", { class: "columns" }, this.form.element, this.answer), this.foot);
  }

  start(): () => void {
    const { ctx } = this;
    ctx.watch(this.asking.full);
    ctx.onParams(() => {
      this.q = this.opened(ctx.params());
      this.serverFaults = {}; // of another question
      this.ask(false);
    });
    ctx.onTick(() => this.tick());
    ctx.poll(listEvery, async (signal) => {
      this.assets = (await ask<{ assets: Asset[] }>("/v1/assets", { signal })).assets;
      this.listedAt = now();
      this.updateForm();
    });
    ctx.poll(60_000, async (signal) => {
      this.health = await ask<Health>("/health", { signal, fine: [503] });
      this.render();
    });
    ctx.keys(this.keys());
    onClick(this.foot, "data-record", () => void this.record());
    const left = new AbortController();
    this.holdStill(left.signal);
    let width = 0;
    const resized = new ResizeObserver(() => {
      const now = this.root.clientWidth;
      if (now !== width) {
        width = now;
        this.drawn = "";
        this.render();
      }
    });
    resized.observe(this.root);
    this.ask(true); // nobody is typing yet
    return () => {
      left.abort();
      this.trial.abort();
      resized.disconnect();
      clearTimeout(this.waiting);
      this.asking.end();
    };
  }

  /** The question of an address; without a wallet in it, with the last one of this browser session. */
  private opened(params: URLSearchParams): Question {
    const q = fromAddress(params);
    return q.wallet === "" ? { ...q, wallet: sessionStorage.getItem(lastWallet) ?? "" } : q;
  }

  /** Between press and release what is pressed must not be replaced: the click, or the drag, would be lost. */
  private holdStill(signal: AbortSignal) {
    const press = (e: Event) => {
        if (!(e instanceof KeyboardEvent) || e.key === " ") this.pressed = true;
      },
      release = () => {
        if (!this.pressed) return;
        this.pressed = false;
        setTimeout(() => this.render()); // after the click
      };
    for (const part of [this.answer, this.form.ladder])
      for (const name of ["pointerdown", "keydown"]) part.addEventListener(name, press);
    for (const name of ["pointerup", "pointercancel", "keyup", "blur"]) addEventListener(name, release, { signal });
  }

  private held() {
    return this.pressed && this.asking.full.state() === "fresh";
  }

  private keys() {
    const direction = (action: Action) => () => this.change({ action }, true);
    const share = (of: number) => () => this.share(of);
    return {
      "/": () => (phone.matches && this.sheet(true), this.form.openMarkets()),
      l: direction("long"),
      s: direction("short"),
      c: direction("close"),
      "+": () => this.scale(1.1),
      "=": () => this.scale(1.1),
      "-": () => this.scale(1 / 1.1),
      "[": () => this.lever(-1),
      "]": () => this.lever(1),
      1: share(0.25),
      2: share(0.5),
      3: share(0.75),
      4: share(1),
      Enter: () => this.ask(true),
      r: () => this.ask(true),
      u: () => this.back(),
      y: () => void copy(location.href),
      Y: () => void copy(this.curl()),
      Escape: () => this.sheet(false),
    };
  }

  private sheet(open: boolean) {
    const { element } = this.form;
    if (element.classList.toggle("open", open)) element.querySelector<HTMLElement>(".sheet-head button")!.focus();
    else if (element.contains(document.activeElement) && phone.matches) this.line.querySelector("button")!.focus();
  }

  private remember() {
    this.undo.push(this.q);
    if (this.undo.length > 50) this.undo.shift();
  }

  private back() {
    const q = this.undo.pop();
    if (!q) return;
    this.q = q;
    this.ask(true);
  }

  private change(c: Partial<Question>, done: boolean) {
    const next = { ...this.q, ...c };
    this.q = { ...next, unit: unitOf(next) ?? next.unit };
    for (const field of Object.keys(c)) delete this.serverFaults[field as keyof Faults];
    this.ask(false);
    if (done) this.updateForm();
  }

  /** Takes a size, or a size and a leverage; u takes it back. */
  private take(size: number, leverage: number | null) {
    this.remember();
    this.change(
      { size: String(Math.floor(size)), unit: "usd", ...(leverage === null ? {} : { leverage: String(leverage) }) },
      true,
    );
  }

  private mark() {
    const a = this.asking.full.value;
    return a?.meta.asset === this.q.asset ? a.meta.mark_price : (this.asset()?.mark_price ?? null);
  }

  /** Leverage as typed, else that of the answer. */
  private leverage(): number | null {
    const a = this.asking.full.value;
    return readNumber(this.q.leverage).value ?? (a && leverageOf(a));
  }

  private asset() {
    return this.listed().find((x) => x.name === this.q.asset);
  }

  /** The list of assets, without the figures of those whose price is too old. */
  private listed(): Asset[] {
    const late = since(this.listedAt);
    return this.assets.map((x) =>
      (x.mark_age_ms ?? Infinity) + late <= priceMs
        ? x
        : { ...x, mark_price: null, change_24h_pct: null, funding_rate: null, sigma_1d: null },
    );
  }

  private scale(by: number) {
    const r = readNumber(this.q.size, this.q.unit === "usd");
    if (r.value === undefined) return;
    this.remember();
    const v = Number((r.value * by).toPrecision(3));
    this.change({ size: String(v) }, true);
  }

  private lever(by: number) {
    const now = this.leverage() ?? 1;
    const most = maxLeverage(this.asset(), sizeUSD(this.q, this.mark())) ?? 50;
    this.change({ leverage: String(Math.max(1, Math.min(most, Math.round(now) + by))) }, true);
  }

  private share(of: number) {
    const a = this.asking.full.value;
    if (!a) return;
    const whole =
      this.q.action === "close" ? (a.position.before?.notional_usd ?? 0) : a.margin.before.free * (this.leverage() ?? 0);
    if (whole > 0) this.take(whole * of, null);
  }

  private curl(): string {
    const body = JSON.stringify(read(this.q).request ?? {}).replaceAll("'", "'\\''");
    const headers = `-H "Authorization: Bearer $KEY" -H 'Content-Type: application/json'`;
    return `curl '${location.origin}${path}' ${headers} -d '${body}'`;
  }

  /** Asks what the form says; at once after Enter. */
  private ask(atOnce: boolean) {
    const { q } = this,
      { request, given } = read(q);
    this.ctx.setParams(toAddress(q));
    if (q.wallet === "" || isWallet(q.wallet)) sessionStorage.setItem(lastWallet, q.wallet);
    this.recordFault = "";
    if (atOnce) this.serverFaults = {}; // what the service found wrong may be mended by now
    const asked: Request | null = this.faulty() ? null : request;
    this.asking.set(asked, JSON.stringify(asked), atOnce);
    this.trial.abort();
    this.trial = new AbortController();
    if (asked === null && Object.keys(given).length > 1) void this.try(given, this.trial.signal); // more than the action
    this.updateForm();
    this.render();
    clearTimeout(this.waiting);
    this.waiting = window.setTimeout(() => this.render(), 160); // the line of a slow answer
  }

  /** Asks the service what is wrong with an order that is not complete, or has a fault. */
  private async try(given: Partial<Request>, signal: AbortSignal) {
    await new Promise((later) => setTimeout(later, 250)); // after the last key
    if (signal.aborted) return;
    const faulty = this.faulty();
    try {
      await ask("/v1/validate?view=compact&record=false", { body: given, signal });
      this.serverFaults = {};
    } catch (cause) {
      if (signal.aborted || !(cause instanceof Failure) || cause.status !== 400) return;
      this.serverFaults = faultsOf(cause.problems.filter((p) => !/^missing field/i.test(p.detail)));
    }
    if (faulty && !this.faulty()) this.ask(true);
    else this.render();
  }

  /** What is wrong with the fields; not with a market that is being chosen. */
  private faults(): Faults {
    const { asset, ...others } = { ...read(this.q).faults, ...this.serverFaults };
    return asset && !this.form.choosing() ? { asset, ...others } : others;
  }

  private faulty() {
    return Object.keys(this.serverFaults).length > 0;
  }

  private updateForm() {
    const { full, failure, sizes: rungs } = this.asking;
    if (failure?.status === 400) this.serverFaults = faultsOf(failure.problems);
    const a = full.value,
      mine = a !== null && a.meta.asset === this.q.asset,
      state = full.state();
    this.form.update({
      q: this.q,
      faults: this.faults(),
      a: mine && state !== "gone" ? a : null,
      stale: state !== "fresh",
      staleText: mine && state === "stale" ? age(full.worst().ageMs) : "",
      assets: this.listed(),
      demo: this.demo(),
    });
    const list = rungs.value?.ladder,
      gone = rungs.state() === "gone",
      close = this.q.action === "close";
    if (this.held()) return;
    const old = rungs.state() === "stale" || rungs.question !== this.asking.question,
      shown =
        list && !gone && !close && ladder(list, this.leverage(), old, (r) => this.take(r.size_usd, r.leverage));
    keepFocus(this.form.ladder, () => fill(this.form.ladder, shown));
  }

  /** Draws what changed: the form's figures, the answer. */
  private render() {
    this.updateForm();
    this.questionLine();
    if (this.held()) return;
    const { asking } = this,
      { full } = asking,
      state = full.state(),
      r = read(this.q);
    if (full.value === null && asking.failure === null) {
      if (r.request === null || this.faulty()) return this.mend(r.missing);
      if (asking.changedAt !== null && since(asking.changedAt) < 150) return;
      return this.show("loading", () => [skeletonCard()]);
    }
    if (asking.failure?.status === 400 && full.value === null) return this.mend(r.missing);
    if (state === "gone") {
      const silent = full.value === null ? null : full.age();
      return this.show("gone" + asking.nextIn() + silent, () => [
        noAnswerCard(asking.failure, silent, asking.nextIn()),
      ]);
    }
    this.drawn = "answer";
    const other = full.question !== asking.question,
      unasked = r.request === null || this.faulty(),
      slow = other && asking.changedAt !== null && since(asking.changedAt) >= 150;
    this.view = {
      root: this.answer,
      asking,
      action: this.q.action,
      other,
      slow,
      stale: state === "stale" || unasked,
      unasked,
      narrow: phone.matches,
      stop: readNumber(this.q.stop, false).value ?? null,
      take: readNumber(this.q.take, false).value ?? null,
      opened: this.unfolded,
      use: (o) => this.take(o.usd, o.leverage),
      moveStop: (at) => this.change({ stop: String(Number(at.toPrecision(5))) }, false),
    };
    keepFocus(this.answer, () => drawAnswer(this.view!));
    this.speak();
    this.ctx.watch(full);
    this.ctx.venue(full.value!.meta.venue);
    this.footer(unasked);
  }

  /** The accounts of a simulated venue. */
  private demo() {
    return this.health?.demo_wallets ?? [];
  }

  private show(kind: string, content: () => HTMLElement[]) {
    fill(this.foot);
    if (this.drawn === kind) return;
    this.drawn = kind;
    keepFocus(this.answer, () => fill(this.answer, ...content()));
    if (kind.startsWith("gone") && this.said !== "gone") this.ctx.say("No answer.");
    if (kind.startsWith("gone")) this.said = "gone";
  }

  /** Says what is missing or wrong in the form, which a phone does not show. */
  private mend(missing: Field[]) {
    const faults = this.faults(),
      kind = JSON.stringify([faults, missing, this.demo().length]);
    const edit = phone.matches ? () => this.sheet(true) : null;
    this.show(kind, () => [
      Object.keys(faults).length > 0
        ? mendCard(faults, missing, edit)
        : emptyCard(missing, this.demo().length > 0, (q) => this.change(q, true)),
    ]);
  }

  private questionLine() {
    const { q } = this,
      a = this.asking.full.value,
      x = this.leverage(),
      v = sizeUSD(q, this.mark());
    patch(
      this.line,
      h("b", {}, q.asset || "Market"),
      h("span", {}, q.action),
      h("b", {}, v === null ? "size" : usd(v)),
      q.action !== "close" &&
        h(
          "span",
          { class: "t2 grow" },
          `${x ? times(x) : ""} ${q.mode || (a && a.liquidation.mode !== "close" ? a.liquidation.mode : "")}`,
        ),
      h("span", { class: "grow" }),
      h("button", { type: "button", class: "link row", click: () => this.sheet(true) }, icon("pen", 14), "Edit"),
    );
  }

  private footer(unasked: boolean) {
    const { meta, model_version: model } = this.asking.full.value!,
      engine = `engine ${model.engine_version} · ${model.calibration_name}`;
    patch(
      this.foot,
      h("span", {}, `As of ${meta.as_of.slice(11, 23)} UTC`),
      h("span", {}, `${engine} · answered in ${fixed(meta.latency_ms, 1)} ms`),
      h("span", { class: "grow" }),
      h("span", { class: "mono tiny" }, meta.request_id),
      this.recordFault !== "" && faultLine(this.recordFault),
      !unasked && h("button", { type: "button", class: "link", "data-record": "" }, "Record in Decisions"),
    );
  }

  /** Asks once more, for the record: the questions of a screen that asks while one types are no decisions. */
  private async record() {
    const { request } = read(this.q);
    if (request === null) return;
    try {
      const { meta } = await ask<CompactAssessment>("/v1/validate?view=compact", { body: request });
      if (this.foot.isConnected) location.hash = link("decisions/" + meta.request_id);
    } catch (cause) {
      this.recordFault = cause instanceof Error ? cause.message : String(cause);
      this.render();
    }
  }

  /** Tells screen readers when the word of the verdict changes. */
  private speak() {
    const { full } = this.asking,
      a = full.value!,
      stale = full.state() === "stale",
      word = stale ? "stale" : a.recommendation;
    if (full.question !== this.asking.question || word === this.said) return;
    this.said = word;
    this.ctx.say(stale ? "Stale: ask again." : spoken(a));
  }

  /** Once a second: the ages, and what an age changes. */
  private tick() {
    if (this.drawn === "answer" && this.asking.full.state() === "fresh" && !this.view?.stale) this.view?.tick?.();
    else this.render();
  }
}

/** Draws anew and gives the focus back to the element that had it. */
function keepFocus(root: HTMLElement, draw: () => void) {
  const id =
    document.activeElement instanceof HTMLElement && root.contains(document.activeElement)
      ? document.activeElement.dataset.focus
      : undefined;
  draw();
  if (id !== undefined)
    root.querySelector<HTMLElement>(`[data-focus="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
}

export const trade: Screen = {
  name: "trade",
  title: "Trade",
  mount(root, ctx) {
    return new Trade(ctx, root).start();
  },
};
