// Which position dies first, how likely, and what to do. The alert socket is subscribed first; then
// the wallet is monitored, which also makes the service judge and alert.

import { ask, Failure, type WalletReport } from "../api";
import { type Child, fill, h, icon, setText } from "../dom";
import { hold, keep, patch } from "../patch";
import { link } from "../route";
import type { Context, Poll, Screen } from "../screen";
import { Answer, inputsOf, since } from "../store";
import { isWallet } from "../walletaddress";
import { demoWallets, remember } from "../wallets";
import { addressField, type AddressField } from "./addressfield";
import { type Alert, alertHead, Groups, thresholds, thresholdsOf } from "./alertgroups";
import { alertsCard, socketText, thresholdForm } from "./alertsview";
import { AlertSocket } from "./alertsocket";
import { agesLine, onClick, Stage, stepRows } from "./parts";
import { Plan, reductionOf } from "./plan";
import { badDay, needOf } from "./walletmath";
import { foot, poolsCard, positionsCard, type Seen, sourcesCard, strip } from "./walletview";

const monitorEvery = 3000; // ms; with the age of an answer below the limit of its inputs and one missed round
const goneMs = 15_000; // from this age on no figure of a wallet is shown
const marketSoftMs = 1500;
const socketPatience = 3000; // ms until the wallet is monitored without its socket
const standardSafe = 0.05;

export const wallet: Screen = {
  name: "wallet",
  title: "Wallet",
  mount(root, ctx) {
    const demos = demoWallets();
    let watched: Watch | null = null;
    const place = h("div");
    const field = addressField(
      { id: "wallet", label: "Wallet", placeholder: "0x…", class: "mono", name: "walletfield" },
      demos,
      (w) => {
        ctx.setParams({ w, o: null });
        watch(w);
      },
    );
    const state = h("span", { class: "small t2" }),
      ages = h("span", { class: "grow right" });
    const nothing = (w: string) =>
      empty(
        "Nothing is held",
        "A position stands here within seconds of its fill. Ask what an order would do before it is sent:",
        demos,
        h("a", { class: "button main ask", href: link("trade", { w }) }, "Ask about a trade"),
      );
    const watch = (w: string) => {
      if (watched?.wallet === w) return;
      watched?.end();
      watched = null;
      field.set(w);
      fill(state);
      fill(ages);
      if (isWallet(w)) {
        remember(w);
        watched = new Watch(ctx, w, place, field, state, ages, nothing(w));
      } else
        fill(
          place,
          empty(
            "Which wallet?",
            "Type an address: its positions are judged while this screen is open, and every breach of a threshold is told.",
            demos,
          ),
        );
    };
    fill(
      root,
      h("h1", { class: "off" }, "Wallet"),
      h("div", { class: "row walletrow" }, field.element, state, ages),
      place,
    );
    const fromAddress = () => {
      watch((ctx.params().get("w") ?? "").toLowerCase());
      watched?.draw();
    };
    ctx.onParams(fromAddress);
    ctx.keys({
      "/": () => root.querySelector<HTMLElement>("#wallet")?.focus(),
      r: () => watched?.now(),
      j: () => stepRows(root, 1),
      k: () => stepRows(root, -1),
    });
    fromAddress();
    return () => watched?.end();
  },
};

/** Says what an empty place is for, with wallets to click. */
function empty(title: string, text: string, demos: ReturnType<typeof demoWallets>, ...more: Child[]): HTMLElement {
  const list = h("div", { class: "demos" });
  demos.then(
    (found) =>
      fill(
        list,
        ...found.map((d) =>
          h(
            "a",
            { class: "demo", href: link("wallet", { w: d.wallet }) },
            h("b", {}, d.name),
            h("span", { class: "mono small" }, ` …${d.wallet.slice(-4)}`),
            h("div", { class: "small t3" }, d.about),
          ),
        ),
        found.length > 0 && h("p", { class: "small t3" }, "Accounts of the simulated venue."),
      ),
    () => {},
  );
  return h("section", { class: "card" }, h("h2", {}, title), h("p", { class: "t2" }, text), ...more, list);
}

/** One wallet that is watched: its socket, its monitor calls, and what is drawn of them. */
class Watch {
  private readonly answer = new Answer<WalletReport>(goneMs);
  private readonly groups = new Groups();
  private readonly body = h("div", { class: "grid walletbody" });
  private readonly alerts = h("div");
  private readonly planned = h("div");
  private readonly stage: Stage<WalletReport>;
  private readonly socket: AlertSocket;
  private readonly safeField: HTMLElement;
  private readonly form: HTMLElement;
  private monitor: Poll | null = null;
  private scenarios: number | null = null;
  private askedAt = 0;
  private all = false; // alerts, on a phone
  private ended = false;
  private plan: Plan | null = null;
  private drawn: readonly unknown[] = []; // what the body was drawn from

  constructor(
    private readonly ctx: Context,
    readonly wallet: string,
    place: HTMLElement,
    private readonly field: AddressField,
    private readonly state: HTMLElement,
    private readonly ages: HTMLElement,
    private readonly nothing: HTMLElement,
  ) {
    this.stage = new Stage(ctx, this.answer, this.body, "this wallet");
    this.safeField = this.buildSafeField();
    this.form = thresholdForm(
      thresholdsOf(ctx.params()),
      (t, text) => {
        const x = Number(text.trim().replace("%", ""));
        const good =
          text.trim() !== "" && Number.isFinite(x) && x >= 0 && x <= t.max && (!t.whole || Number.isInteger(x));
        this.form.querySelector(`#threshold-${t.param}`)?.setAttribute("aria-invalid", String(!good));
        if (good) this.rethink({ [t.param]: x === t.standard ? null : String(x) });
      },
      () => {
        for (const t of thresholds) {
          const input = this.form.querySelector<HTMLInputElement>(`#threshold-${t.param}`)!;
          input.value = String(t.standard);
          input.removeAttribute("aria-invalid");
        }
        this.rethink(Object.fromEntries(thresholds.map((t) => [t.param, null])));
      },
    );
    fill(place, this.stage.element);
    this.socket = new AlertSocket(
      wallet,
      thresholdsOf(ctx.params()),
      () => this.socketChanged(),
      (a) => this.alert(a),
    );
    setTimeout(() => this.begin(), socketPatience); // figures come also without a socket
    onClick(this.body, "data-open", (row) => this.toggle(row.dataset.open!));
    onClick(
      this.body,
      "data-copy",
      (b) =>
        void navigator.clipboard?.writeText(b.dataset.copy!).then(
          () => this.ctx.say("Copied."),
          () => {},
        ),
    );
    onClick(this.body, "data-more", () => {
      this.all = true;
      this.draw();
    });
    onClick(this.body, "data-notify", () => void Notification.requestPermission().then(() => this.draw()));
    ctx.onTick(() => this.draw());
    void ask<{ scenarios: unknown[] }>("/v1/model-info").then(
      (m) => {
        this.scenarios = m.scenarios.length;
        this.draw();
      },
      () => {},
    );
  }

  end() {
    this.ended = true;
    this.socket.close();
    this.monitor?.stop();
    this.plan?.end();
    this.stage.end();
  }

  now() {
    this.monitor?.now();
  }

  private rethink(changes: Record<string, string | null>) {
    this.ctx.setParams(changes);
    this.groups.clear();
    this.socket.subscribe(thresholdsOf(this.ctx.params()));
    this.now();
  }

  private socketChanged() {
    if (this.socket?.state.kind === "open") {
      this.begin();
      this.now(); // what stood while nobody listened
    }
    this.draw();
  }

  private begin() {
    if (this.ended || this.monitor) return;
    this.monitor = this.ctx.poll(
      monitorEvery,
      (signal) => this.ask(signal),
      (cause) => {
        const wrong = cause instanceof Failure && cause.status === 400; // said at the field
        this.stage.element.hidden = wrong;
        if (wrong)
          this.field.fault(
            cause.message,
            typeof cause.body.suggestion === "string" ? cause.body.suggestion : undefined,
          );
        this.stage.failed(cause);
        this.draw();
      },
    );
  }

  private async ask(signal: AbortSignal) {
    this.askedAt = performance.now();
    const safe = this.safe();
    const report = await ask<WalletReport>(`/v1/monitor/${this.wallet}?max_probability_24h=${safe}&survive=false`, {
      signal,
    });
    if (this.ended) return;
    const stale =
      report.positions.length > 0 &&
      report.positions.every((p) => (p.flags as string[]).includes("stale_market_data"));
    this.answer.set(report, inputsOf(report.meta, marketSoftMs), stale);
    this.groups.round();
    this.ctx.watch(this.answer);
    this.ctx.venue(report.meta.venue);
    this.stage.element.hidden = false;
    this.stage.arrived();
    const need = needOf(report, safe),
      day = badDay(report);
    this.ctx.say(`${need.title}. ${need.sentence}${day ? ` A bad day costs ${Math.round(day.usd)} USD.` : ""}`);
    this.draw();
  }

  private alert(a: Alert) {
    const begins = this.groups.take(a);
    if (begins) this.notify(a);
    this.draw();
  }

  private notify(a: Alert) {
    this.ctx.say(alertHead(a));
    if (!("Notification" in window) || Notification.permission !== "granted") return;
    new Notification(alertHead(a), { body: a.message, tag: `${a.wallet} ${a.alert_type} ${a.asset}` });
    if (a.severity === "critical") beep();
  }

  private toggle(asset: string) {
    this.ctx.setParams({ o: this.ctx.params().get("o") === asset ? null : asset });
    this.draw();
  }

  private safe(): number {
    const x = Number(this.ctx.params().get("safe") ?? "");
    return x > 0 && x < 100 ? x / 100 : standardSafe;
  }

  private buildSafeField(): HTMLElement {
    const input = h("input", {
      class: "field low",
      id: "safe",
      inputmode: "decimal",
      autocomplete: "off",
      value: String(Math.round(1e6 * this.safe()) / 1e4),
      change: () => {
        const x = Number(input.value.trim().replace("%", ""));
        input.setAttribute("aria-invalid", String(!(x > 0 && x < 100)));
        if (!(x > 0 && x < 100)) return;
        this.ctx.setParams({ safe: x === 100 * standardSafe ? null : String(x) });
        this.draw();
        this.now();
      },
    });
    return h(
      "label",
      { class: "row small t2 safefield" },
      "safe means: chance within 24 h at most",
      h("span", { class: "unitfield" }, input, h("span", { class: "small t3" }, "%")),
    );
  }

  private notice(): HTMLElement | null {
    if (!("Notification" in window) || Notification.permission !== "default") return null;
    return h("button", { type: "button", class: "button", "data-notify": "" }, icon("bell", 14), "Notify me");
  }

  /** Keeps the plan that the address names. */
  private currentPlan(): Plan | null {
    const wanted = reductionOf(this.ctx.params());
    if (JSON.stringify(wanted) === JSON.stringify(this.plan?.reduction ?? null)) return this.plan;
    this.plan?.end();
    const held = () => this.answer.value?.positions ?? [];
    this.plan = wanted && new Plan(this.ctx, this.wallet, wanted, held, () => this.draw());
    return this.plan;
  }

  /** The card of the plan, or null without one. */
  private planCard(report: WalletReport): HTMLElement | null {
    const plan = this.currentPlan(),
      rest = new URLSearchParams(this.ctx.params());
    rest.delete("plan");
    rest.delete("by");
    const first = report.positions.find((p) => p.asset === plan?.reduction.assets[0]);
    return plan && plan.card(first?.probability_24h ?? null, link("wallet", rest));
  }

  draw() {
    if (this.ended || !this.socket) return;
    const left = Math.max(0, Math.ceil((this.askedAt + monitorEvery - performance.now()) / 1000));
    setText(this.state, this.answer.value ? `watched every ${monitorEvery / 1000} s, next in ${left} s` : "");
    const report = this.answer.value;
    fill(this.ages, report && agesLine(this.answer, ["market", "wallet"]));
    if (!report || this.answer.state() === "gone") return;
    const seen: Seen = {
      report,
      safe: this.safe(),
      opened: this.ctx.params().get("o") ?? "",
      scenarios: this.scenarios,
      stale: this.answer.state() === "stale",
    };
    const at = Date.parse(report.meta.as_of) + since(this.answer.received),
      socket = socketText(this.socket.state),
      plan = this.planCard(report);
    patch(this.alerts, alertsCard(this.groups, this.socket.state, at, this.notice(), this.all));
    patch(this.planned, plan);
    const from = [...Object.values(seen), socket, plan === null];
    if (from.every((x, i) => x === this.drawn[i])) return;
    this.drawn = from;
    const held = report.positions.length > 0;
    patch(
      this.body,
      strip(seen),
      plan && keep("plan"),
      h(
        "div",
        { class: "walletcolumns" },
        h(
          "div",
          { class: "grid" },
          held ? positionsCard(seen, keep("safe")) : keep("nothing"),
          held && h("div", { class: "halves" }, poolsCard(seen), sourcesCard(seen)),
        ),
        h("div", { class: "grid" }, keep("alerts"), keep("form")),
      ),
      foot(report, socket),
    );
    const { safeField: safe, planned, alerts, form, nothing } = this;
    hold(this.body, { safe, plan: planned, alerts, form, nothing });
  }
}

/** A short tone. */
function beep() {
  const audio = new AudioContext(),
    tone = audio.createOscillator();
  tone.frequency.value = 880;
  tone.connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.2);
  tone.onended = () => void audio.close();
}
