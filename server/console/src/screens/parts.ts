// Parts that the screens share: key figures, choices, and what stands there while an answer is missing.

import { adviceOn, Failure } from "../api";
import { type Child, fill, h, icon, s } from "../dom";
import { age } from "../format";
import type { Context } from "../screen";
import { type Answer, now, since } from "../store";

export type Kind = "" | "ok" | "caution" | "stop";

/** A key figure: what it is, the figure, and a line on it. */
export function fact(label: Child, figure: Child, below: Child = "", kind: Kind = ""): HTMLElement {
  return h(
    "div",
    { class: "fact" },
    h("div", { class: "small t2" }, label),
    h("div", { class: `figure ${kind}` }, figure),
    h("div", { class: "small t2" }, below),
  );
}

/** The headline of a page: a judgement in word, shape and colour, with the sentence that explains it. */
export function verdictCard(kind: Kind | "clock", title: string, sentence: Child, ...side: Child[]): HTMLElement {
  const colour = kind === "clock" ? "caution" : kind || "t3";
  return h(
    "section",
    { class: `card edged verdictcard is-${colour}` },
    h(
      "div",
      { class: "grow" },
      h("h1", { class: `headline row ${colour}` }, kind !== "" && icon(kind, 20), title),
      h("p", { class: "t2" }, sentence),
    ),
    ...side,
  );
}

/** A choice of a few; the chosen one is pressed. Clicks carry data-name and data-value. */
export function segments(name: string, label: string, options: [string, Child][], chosen: string): HTMLElement {
  return h(
    "div",
    { class: "segments", role: "group", "aria-label": label },
    ...options.map(([value, text]) =>
      h(
        "button",
        {
          type: "button",
          "data-name": name,
          "data-value": value,
          "data-key": value,
          "aria-pressed": String(value === chosen),
        },
        text,
      ),
    ),
  );
}

/** A horizontal bar filled to a share from 0 to 1; mark is a tick at another share. */
export function meter(width: number, share: number, kind: string, mark?: number): SVGElement {
  const x = (v: number) => Math.max(0, Math.min(1, v)) * width;
  return s(
    "svg",
    {
      class: "chart meter",
      viewBox: `0 0 ${width} 14`,
      preserveAspectRatio: "none",
      height: 14,
      "aria-hidden": "true",
    },
    s("rect", { class: "track", y: 3, width, height: 8, rx: 2 }),
    s("rect", { class: `fill ${kind}`, y: 3, width: x(share), height: 8, rx: 2 }),
    mark === undefined ? null : s("path", { class: "mark", d: `M${x(mark)} 0v14` }),
  );
}

/** Calls act with the element that has the attribute, when it or something in it is clicked. */
export function onClick(root: HTMLElement, attribute: string, act: (e: HTMLElement) => void) {
  root.addEventListener("click", (e) => {
    const at = e.target instanceof Element ? e.target.closest<HTMLElement>(`[${attribute}]`) : null;
    if (at && root.contains(at)) act(at);
  });
}

/** Moves the focus to another row of a table. */
export function stepRows(root: HTMLElement, by: number) {
  const rows = [...root.querySelectorAll<HTMLElement>(".rowlink")],
    at = rows.indexOf(document.activeElement as HTMLElement);
  rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
}

/** The input of a search, which keeps what is typed in the address; and its field, with the key that goes there. */
export function searchField(ctx: Context, id: string, name: string, placeholder: string, changed: () => void) {
  const input = h("input", {
    id,
    class: "field",
    type: "search",
    autocomplete: "off",
    spellcheck: "false",
    placeholder,
    value: ctx.params().get("q") ?? "",
    input: () => {
      ctx.setParams({ q: input.value.trim() || null });
      changed();
    },
  });
  const element = h(
    "label",
    { class: "searchfield" },
    h("span", { class: "off" }, name),
    icon("search", 16),
    input,
    h("span", { class: "kbd nophone" }, "/"),
  );
  return { input, element };
}

function skeleton(): HTMLElement {
  const bar = (name: string) => h("span", { class: "skeleton " + name });
  return h(
    "div",
    { class: "card edged loading", role: "status", "aria-label": "loading" },
    bar("title"),
    bar("line"),
    bar("half"),
    h("div", { class: "four" }, ...[1, 2, 3, 4].map(() => h("div", {}, bar("label"), bar("number")))),
  );
}

/** Seconds until a failed request is sent again, in words. */
function again(f: Failure | null, failedAt: number): string {
  const left = f && f.retryAfter > 0 ? Math.ceil(f.retryAfter - (performance.now() - failedAt) / 1000) : 0;
  return left > 0 ? `Asking again in ${left} s.` : "Asking again.";
}

const returnedMs = 5000; // an older answer is not shown when the tab comes back
const skeletonMs = 150;

/** Shows the body of a screen while its answer may be shown, marked when it is stale; else what is missing. */
export class Stage<T> {
  readonly element: HTMLElement;
  private readonly notice = h("div", { class: "notice" });
  private readonly begun = performance.now();
  private failure: Failure | null = null;
  private failedAt = 0;
  private readonly ended = new AbortController();

  /** name: what the answer is about, in words. */
  constructor(
    ctx: Context,
    private readonly answer: Answer<T>,
    readonly body: HTMLElement,
    private readonly name: string,
  ) {
    this.element = h("div", { class: "stage grid" }, this.notice, body);
    document.addEventListener(
      "visibilitychange",
      () => {
        if (!document.hidden && answer.value !== null && since(answer.received) > returnedMs) answer.clear();
        this.show();
      },
      { signal: this.ended.signal },
    );
    ctx.onTick(() => this.show());
    setTimeout(() => this.show(), skeletonMs);
    this.show();
  }

  arrived() {
    this.failure = null;
    this.show();
  }

  failed(cause: unknown) {
    this.failure = cause instanceof Failure ? cause : new Failure(0, { error: String(cause) });
    this.failedAt = performance.now();
    this.show();
  }

  end() {
    this.ended.abort();
  }

  show() {
    const { answer, failure } = this,
      state = answer.state();
    this.body.hidden = state === "gone";
    this.body.classList.toggle("stale", state === "stale");
    if (state === "fresh") fill(this.notice);
    else if (state === "stale") fill(this.notice, this.stale());
    else if (answer.value !== null || failure) fill(this.notice, this.nothing());
    else if (performance.now() - this.begun < skeletonMs) fill(this.notice);
    else if (!this.notice.querySelector(".loading")) fill(this.notice, skeleton());
    this.notice.hidden = this.notice.childNodes.length === 0;
  }

  private stale(): HTMLElement {
    const w = this.answer.worst();
    const failed = this.failure ? this.failure.message.replace(/\.?$/, ". ") : "";
    const why = `${w.name} ${age(w.ageMs)} old, limit ${age(w.softMs)}. ${failed}${again(this.failure, this.failedAt)}`;
    return h("p", { class: "row caution staleline" }, icon("clock", 16), h("b", {}, "Stale."), h("span", {}, why));
  }

  private nothing(): HTMLElement {
    const f = this.failure;
    const why = f
      ? f.message.replace(/\.?$/, ".")
      : `What is known of ${this.name} is ${age(this.answer.age())} old; ` +
        `no figure is shown from ${age(this.answer.goneMs)} on.`;
    return h(
      "section",
      { class: "card edged gone", role: "status" },
      h("h1", { class: "headline row t2" }, icon("clock", 24), "No answer"),
      h("p", {}, why),
      h(
        "p",
        { class: "t2" },
        [f ? adviceOn(f) : "", again(f, this.failedAt), "An exit needs no answer."].filter(Boolean).join(" "),
      ),
    );
  }
}

/** The age of a figure, also while answers leave it out because it is too old. */
export class LastKnown {
  private seen = now();
  private ms = 0;

  constructor(private readonly hardMs = 30_000) {}

  age(ms: number | null): number {
    if (ms === null) return Math.max(this.hardMs + 1, this.ms + since(this.seen));
    this.seen = now();
    this.ms = ms;
    return ms;
  }
}

/** The ages of an answer's inputs, with a dot: market 0.6 s · wallet 0.1 s. */
export function agesLine(answer: Answer<unknown>, names: string[]): HTMLElement {
  const kind = { fresh: "", stale: "caution", gone: "none" }[answer.state()];
  return h(
    "span",
    { class: "small t2 nowrap" },
    h("span", { class: "dot " + kind }),
    " ",
    names.map((n) => `${n} ${age(answer.age(n))}`).join(" · "),
  );
}
