// What was asked, told and done; who disobeyed. The log is read again every 2 s, newest first.

import { type Decision } from "../api";
import { copy, faultLine, fill, h, table } from "../dom";
import { age, clock, count, score } from "../format";
import {
  type Counts,
  countsOf,
  type Filter,
  type Group,
  grouped,
  byWhom,
  chanceText,
  keyOf,
  leverageText,
  orderText,
  passes,
  reasonOf,
  shareText,
  thenOf,
  type Then,
  type Verdict,
} from "../decisions/decision";
import { Log } from "../decisions/log";
import { detailCard, permalink, verdictTag } from "../decisions/detail";
import { patch } from "../patch";
import { link } from "../route";
import type { Context, Poll, Screen } from "../screen";
import { Answer } from "../store";
import { onClick, searchField, segments, Stage, stepRows } from "./parts";

const whose = "A key sees its own decisions, an operator's key all, the gate's too.";
const readEvery = 2000,
  rowsStep = 30;
const ranges: [string, string, number][] = [
  ["1h", "last hour", 1],
  ["24h", "last 24 h", 24],
  ["7d", "last 7 days", 168],
  ["30d", "last 30 days", 720],
];
const standardRange = "24h";
const verdictChoices: [string, string][] = [
  ["", "All"],
  ["proceed", "Proceed"],
  ["proceed_with_caution", "Caution"],
  ["abort", "Abort"],
];
const thenChoices: [string, string][] = [
  ["refused", "Refused"],
  ["sent", "Sent anyway"],
  ["stale", "Stale"],
];

export const decisions: Screen = {
  name: "decisions",
  title: "Decisions",
  mount(root, ctx) {
    const screen = new DecisionsScreen(root, ctx);
    return () => screen.end();
  },
};

class DecisionsScreen {
  private readonly answer = new Answer<readonly Decision[]>();
  private readonly stage: Stage<readonly Decision[]>;
  private readonly search: ReturnType<typeof searchField>;
  private readonly range: HTMLSelectElement;
  private readonly filters = h("div", { class: "row wrap" });
  private readonly live = h("span", { class: "pill" });
  private readonly strip = h("div");
  private readonly list = h("section", { class: "card decisionlist", "aria-label": "Log" });
  private readonly detail = h("div");
  private readonly columns: HTMLElement;
  private log: Log;
  private poll: Poll;
  private rows = rowsStep;
  private shown: Group[] = []; // those that pass the filter, newest first
  private chosen: Decision | null = null;
  private wanted = ""; // whose detail is asked for

  constructor(
    root: HTMLElement,
    private readonly ctx: Context,
  ) {
    const hint = "wallet, asset, request id";
    this.search = searchField(ctx, "decision-search", "Find a decision", hint, () => this.draw());
    this.range = h(
      "select",
      { class: "field low", "aria-label": "Time", change: () => this.changeRange() },
      ...ranges.map(([value, text]) => h("option", { value }, text)),
    );
    this.columns = h("div", { class: "decisioncolumns" }, this.list, this.detail);
    const body = h("div", { class: "grid" }, this.strip, this.columns);
    this.stage = new Stage(ctx, this.answer, body, "the log");
    fill(root, h("h1", { class: "off" }, "Decisions"), this.bar(), this.stage.element);
    this.range.value = this.rangeNow()[0];
    this.log = new Log(this.rangeNow()[2]);
    this.listen(root);
    this.poll = this.begin();
    void this.open();
  }

  private bar(): HTMLElement {
    return h(
      "div",
      { class: "row wrap decisionbar" },
      this.search.element,
      this.filters,
      this.range,
      h("span", { class: "grow" }),
      this.live,
      h("button", { type: "button", class: "button", click: () => this.download() }, "Export JSON"),
    );
  }

  private listen(root: HTMLElement) {
    onClick(root, "data-name", (b) => {
      const name = b.dataset.name!,
        value = b.dataset.value!;
      this.ctx.setParams({ [name]: this.ctx.params().get(name) === value ? null : value });
      this.rows = rowsStep;
      this.draw();
    });
    onClick(this.list, "data-decision", (row) => this.choose(row.dataset.decision!));
    onClick(this.list, "data-older", () => void this.older());
    onClick(this.list, "data-clear", () => {
      this.search.input.value = "";
      this.ctx.setParams({ q: null, v: null, then: null });
      this.draw();
    });
    const step = (by: number) => () => stepRows(this.list, by);
    this.ctx.keys({
      "/": () => this.search.input.focus(),
      r: () => this.poll.now(),
      j: step(1),
      k: step(-1),
      ArrowDown: step(1),
      ArrowUp: step(-1),
      y: () => this.chosen && void copy(permalink(this.chosen)).then((ok) => ok && this.ctx.say("Copied.")),
    });
    this.ctx.onParams(() => {
      this.search.input.value = this.ctx.params().get("q") ?? "";
      if (this.range.value !== this.rangeNow()[0]) {
        this.range.value = this.rangeNow()[0];
        this.again();
      }
      void this.open();
      this.draw();
    });
    this.ctx.onTick(() => this.tick());
  }

  end() {
    this.stage.end();
  }

  private rangeNow(): (typeof ranges)[number] {
    const name = this.ctx.params().get("since") ?? standardRange;
    return ranges.find(([x]) => x === name) ?? ranges[1]!;
  }

  private changeRange() {
    this.ctx.setParams({ since: this.range.value === standardRange ? null : this.range.value });
    this.again();
  }

  /** Reads another range from its start. */
  private again() {
    this.poll.stop();
    this.log = new Log(this.rangeNow()[2]);
    this.answer.clear();
    this.rows = rowsStep;
    this.poll = this.begin();
  }

  private begin(): Poll {
    const log = this.log;
    return this.ctx.poll(
      readEvery,
      async (signal) => {
        await log.read(signal);
        if (log !== this.log) return;
        this.answer.set(log.list, [{ name: "log", ageMs: 0, softMs: 2 * readEvery }]);
        this.stage.arrived();
        this.draw();
      },
      (f) => this.stage.failed(f),
    );
  }

  private async older() {
    this.rows += rowsStep;
    this.draw();
    if (this.rows > this.shown.length && (await this.log.more().catch(() => false))) this.draw();
  }

  private filter(): Filter {
    const p = this.ctx.params();
    return {
      text: p.get("q") ?? "",
      verdict: (p.get("v") ?? "") as Verdict,
      then: (p.get("then") ?? "") as Then,
    };
  }

  private choose(key: string) {
    const now = this.ctx.params().get("o") === key ? null : key;
    if (this.ctx.path[0] && now === null) location.hash = link("decisions", this.ctx.params());
    else this.ctx.setParams({ o: now });
    void this.open();
    this.draw();
  }

  private close() {
    if (this.ctx.path[0]) location.hash = link("decisions", this.ctx.params());
    else this.ctx.setParams({ o: null });
    void this.open();
    this.draw();
  }

  /** Shows the decision that the address names; one that is not in the log is asked for. */
  private async open() {
    const key = this.ctx.params().get("o") ?? this.ctx.path[0] ?? "";
    this.wanted = key;
    if (key === "") return this.show(null);
    const known = this.log.find(key);
    if (known) return this.show(known);
    fill(this.detail, h("section", { class: "card" }, h("span", { class: "skeleton line" })));
    this.columns.classList.add("chosen");
    try {
      const found = await this.log.fetch(key);
      if (this.wanted === key) this.show(found);
    } catch (cause) {
      if (this.wanted === key) this.lost(key, cause);
    }
  }

  private lost(key: string, cause: unknown) {
    const text = cause instanceof Error ? cause.message : String(cause);
    fill(
      this.detail,
      h(
        "section",
        { class: "card decisiondetail" },
        h("h2", {}, "No such decision"),
        h("p", { class: "tiny t3 mono id" }, key),
        faultLine(text),
        h(
          "div",
          { class: "row acts" },
          h("button", { type: "button", class: "button", click: () => this.close() }, "Back to the list"),
        ),
      ),
    );
  }

  private show(d: Decision | null) {
    const same = d !== null && JSON.stringify(d) === JSON.stringify(this.chosen);
    this.chosen = d;
    this.columns.classList.toggle("chosen", d !== null);
    if (d === null) fill(this.detail);
    else if (!same || !this.detail.firstChild)
      fill(
        this.detail,
        detailCard(
          d,
          () => this.close(),
          (x) => this.ctx.say(x),
        ),
      );
  }

  private download() {
    const filter = this.filter(),
      text = JSON.stringify(
        this.log.list.filter((d) => passes(d, filter)),
        null,
        1,
      ),
      url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    const a = h("a", { href: url, download: `decisions-${new Date().toISOString().slice(0, 16)}.json` });
    a.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  private tick() {
    const state = this.answer.state();
    if (state === "gone") return;
    const kind = state === "fresh" ? "" : "caution";
    fill(
      this.live,
      h("span", { class: `dot ${kind}` }),
      state === "fresh" ? "live" : `read ${age(this.answer.age())} ago`,
    );
  }

  private draw() {
    this.tick();
    const { verdict, then } = this.filter();
    patch(
      this.filters,
      segments("v", "Verdict", verdictChoices, verdict),
      segments("then", "What was done", thenChoices, then),
    );
    if (this.answer.value === null) return;
    const filter = this.filter();
    this.shown = grouped(this.log.list.filter((d) => passes(d, filter)));
    const newer = this.chosen && this.log.find(keyOf(this.chosen));
    if (newer) this.show(newer);
    patch(this.strip, this.counts(countsOf(this.log.list), filter));
    patch(this.list, ...this.table(filter));
  }

  private counts(c: Counts, f: Filter): HTMLElement {
    const over = this.log.complete ? this.rangeNow()[1].replace("last ", "") : `newest ${count(c.all)}`;
    const fact = (
      label: string,
      n: number,
      below: string,
      kind: string,
      name: string,
      value: string,
      on: boolean,
    ) =>
      h(
        "button",
        { type: "button", "data-name": name, "data-value": value, "data-key": label, "aria-pressed": String(on) },
        h("span", { class: "small t2" }, label),
        h("div", { class: `figure ${n > 0 ? kind : ""}` }, count(n)),
        h("span", { class: "small t2" }, below),
      );
    const part = (id: Exclude<Verdict, "">, label: string, kind: string) => {
      const n = c.verdicts[id] ?? 0;
      return fact(label, n, shareText(n, c.all), kind, "v", id, f.verdict === id);
    };
    const last = c.lastSent ? `${c.lastSent.asset}, ${byWhom(c.lastSent)}, ${clock(c.lastSent.at)}` : "none";
    return h(
      "section",
      { class: "card decisioncounts", "aria-label": "Counts" },
      h(
        "div",
        { "data-key": "asked" },
        h("span", { class: "small t2" }, `Asked, ${over}`),
        h("div", { class: "figure" }, count(c.all)),
        h("span", { class: "small t2" }, `${plural(c.keys, "key")}, ${plural(c.wallets, "wallet")}`),
      ),
      part("proceed", "Proceed", "ok"),
      part("proceed_with_caution", "Caution", "caution"),
      part("abort", "Abort", "stop"),
      fact("Sent although abort", c.sent, last, "caution", "then", "sent", f.then === "sent"),
    );
  }

  private table(f: Filter): HTMLElement[] {
    if (this.shown.length === 0) return [this.nothing(f)];
    const head = (text: string, name: string) => h("th", { scope: "col", class: name }, text);
    const heads = [
      head("Time, UTC", "time left"),
      head("Order", "left"),
      head("Wallet", "left wallet"),
      head("Verdict", "left"),
      head("Score", "scorecell"),
      head("Chance 24 h", "chancecell"),
      head("Then", "left"),
    ];
    const some = this.shown.slice(0, this.rows),
      more = this.shown.length > some.length || !this.log.complete;
    const log = table("Decisions, newest first", heads, some.map((g) => this.row(g)));
    log.dataset.key = "log";
    return [
      log,
      h(
        "div",
        { class: "row note", "data-key": "foot" },
        h(
          "span",
          { class: "grow" },
          `${count(some.length)} of ${count(this.shown.length)}${this.log.complete ? "" : " read"}. ${whose}`,
        ),
        more && h("button", { type: "button", class: "link", "data-older": "" }, "Older"),
      ),
    ];
  }

  private row({ newest: d, oldestAt, count: times }: Group): HTMLElement {
    const key = keyOf(d),
      open = this.chosen !== null && keyOf(this.chosen) === key,
      then = thenOf(d),
      why = reasonOf(d);
    const today = d.at.slice(0, 10) === new Date().toISOString().slice(0, 10);
    return h(
      "tr",
      { "data-key": key, "data-decision": key, class: open ? "chosen" : null },
      h(
        "td",
        { class: "time left mono" },
        !today && h("span", { class: "t3" }, d.at.slice(5, 10) + " "),
        new Date(d.at).toISOString().slice(11, 23),
      ),
      h(
        "td",
        { class: "left order" },
        h(
          "button",
          { type: "button", class: "link rowlink", "aria-expanded": String(open) },
          h("b", {}, d.asset),
          " ",
          orderText(d),
          " ",
          h("span", { class: "t3" }, leverageText(d)),
        ),
        why !== "" && h("div", { class: "small t2" }, why),
        times > 1 && h("div", { class: "small t3" }, `asked ${count(times)} times since ${clock(oldestAt)}`),
      ),
      h(
        "td",
        { class: "left wallet" },
        h("span", { class: "mono", title: d.wallet }, `${d.wallet.slice(0, 6)}…${d.wallet.slice(-4)}`),
        h("div", { class: "small t3", title: d.key_email ?? d.key_id }, byWhom(d)),
      ),
      h("td", { class: "left verdict" }, verdictTag(d)),
      h("td", { class: "scorecell" }, h("b", {}, score(d.risk_score))),
      h("td", { class: "chancecell" }, chanceText(d)),
      h("td", { class: "left then" }, h("span", { class: then.tag ? `tag ${then.kind}` : then.kind }, then.word)),
    );
  }

  /** What stands there without a row: what the log is for, or how to see more. */
  private nothing(f: Filter): HTMLElement {
    const filtered = f.text !== "" || f.verdict !== "" || f.then !== "";
    if (filtered)
      return h(
        "div",
        { class: "row wrap", "data-key": "none" },
        h("p", { class: "grow" }, "No decision passes this filter."),
        h("button", { type: "button", class: "button", "data-clear": "" }, "Show all"),
      );
    return h(
      "div",
      { "data-key": "empty" },
      h("h2", {}, `Nothing was asked in the ${this.rangeNow()[1]}.`),
      h(
        "p",
        { class: "t2" },
        "What agents ask, what they send through the gate, and what you record in Trade stands here: ",
        "what was asked, told and done, and what came of it. ",
        h("a", { href: link("trade") }, "Ask about a trade"),
        `. ${whose}`,
      ),
    );
  }
}

const plural = (n: number, one: string) => `${count(n)} ${one}${n === 1 ? "" : "s"}`;
