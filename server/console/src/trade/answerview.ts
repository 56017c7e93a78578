// Draws an answer: verdict, price panel, size curve, and the panels below.

import type { Assessment, Market, SizeAnswer } from "../api";
import { type Child, fill, h, headed, icon, setText } from "../dom";
import { age, price, times, usd } from "../format";
import type { Answer } from "../store";
import { ruleName } from "../limits/rules";
import { ruleWords } from "../names";
import { hasLiquidation, leverageOf, reduces } from "./answers";
import type { Asking } from "./asking";
import { bookDay } from "./bookday";
import { costResult, costs } from "./costs";
import { curveResult, sizeCurve } from "./curve";
import type { CurveInput } from "./curvelayout";
import { history, historyResult } from "./history";
import { diff, diffResult, fold, panel } from "./panels";
import { pricePanel } from "./pricepanel";
import type { Action } from "./question";
import { realisedCard } from "./realised";
import type { Offer } from "./sentences";
import { ages, flagRows, type Shown, verdictCard } from "./verdict";

export interface AnswerView {
  root: HTMLElement;
  asking: Asking;
  action: Action;
  other: boolean; // the answer belongs to another question
  slow: boolean; // and its own answer takes long
  stale: boolean;
  unasked: boolean; // the form has a fault or lacks something
  narrow: boolean;
  stop: number | null;
  take: number | null;
  opened: Set<string>; // folded panels that are open
  use(o: Offer): void;
  moveStop(at: number): void;
  tick?(): void; // renews the ages
}

/** From which size on nobody may send the order, and who refuses it; null where that is above the curve. */
function barredFrom({ venue_limit_usd: venue, policy_limit_usd: own, curve }: SizeAnswer): CurveInput["barred"] {
  if (own !== null && own <= (venue ?? own)) {
    const rule = curve.find((p) => p.policy_rule)?.policy_rule ?? "";
    return { usd: own, by: "the operator's limit stops it", rule: ruleName(rule) };
  }
  return venue === null ? null : { usd: venue, by: "the venue refuses", rule: "" };
}

/** The size curve's input, or null without a curve. */
function curveInput(v: AnswerView, a: Assessment): Omit<CurveInput, "width" | "height"> | null {
  const { sizes, full } = v.asking,
    c = sizes.value;
  if (
    !c ||
    c.curve.length < 2 ||
    sizes.state() === "gone" ||
    sizes.question !== full.question ||
    reduces(a, v.action)
  )
    return null;
  const asked = a.admissibility.order_size_usd,
    suggested = a.sizing.suggested_size_usd,
    close = suggested > 0.97 * c.size_usd;
  return {
    points: c.curve,
    yours: asked > 0 ? { usd: asked, score: a.risk_score } : null,
    suggested: suggested > 0 ? suggested : null,
    largest: c.size_usd > 0 && !close ? c.size_usd : null,
    barred: barredFrom(c),
    leverage: leverageOf(a),
    rule: (id) => ruleWords[id] ?? id,
  };
}

/** In place of the picture where the fill is the end: of the account, or of the pool; else empty. */
function lostAtOnce(a: Assessment): string {
  const { before, after } = a.margin,
    { price: at, distance_pct: away, pool_equity_usd: equity } = a.liquidation;
  if (after.account_value >= 0)
    return away <= 0 && hasLiquidation(a)
      ? `This order would be liquidated at once: the mark is beyond ${price(at)}, its pool has ${usd(equity)} USD.`
      : "";
  const left = `would leave the account owing ${usd(-after.account_value)} USD.`;
  return before.account_value < 0
    ? `The account owes ${usd(-before.account_value)} USD already. This order ${left}`
    : `This order ${left}`;
}

function pricing(v: AnswerView, a: Assessment, width: number, impossible: string): HTMLElement {
  const high = v.narrow ? 250 : width > 1440 ? 400 : 330,
    legend =
      v.narrow || impossible !== ""
        ? ""
        : "line: change of the position from now, USD · hill: where the price ends";
  const note = h("span", { class: "small reading" }, legend),
    say = (text: string | null) => setText(note, text ?? legend);
  const box = h("div", { class: "drawing" }),
    title = v.narrow ? "Price, next 24 h" : "Price and what it does to you, next 24 h";
  const element = h("section", { class: "card pricing" }, headed(title, note), box);
  if (impossible !== "")
    fill(box, h("p", { class: "owing" }, icon("stop", 16, "stop"), h("span", {}, impossible)));
  else
    later.push(() =>
      fill(box, pricePanel(a, { stop: v.stop, take: v.take }, box.clientWidth, high, say, v.moveStop)),
    );
  return element;
}

/** The size curve, or null without one. */
function curve(v: AnswerView, a: Assessment, width: number): HTMLElement | null {
  const high = v.narrow ? 250 : width > 1440 ? 400 : 330;
  const c = curveInput(v, a),
    old = v.asking.sizes.state() === "stale",
    at = leverageOf(a);
  if (!c) return null;
  const curveBox = h("div", { class: "drawing" }),
    where = at === null ? "" : `at ${times(at)}, ${a.liquidation.mode}`;
  const element = panel(
    {
      id: "curve",
      title: "Score against size",
      note: old ? `${age(v.asking.sizes.age())} old` : `${where}${a.execution ? ", market order" : ""} · click to take a size`,
      result: curveResult(a, at === null ? "" : ` at ${times(at)}`),
      narrow: v.narrow,
      open: v.opened,
    },
    curveBox,
  );
  if (old) element.classList.add("stale");
  const take = (size: number) => v.use({ title: "", about: "", brief: "", usd: size, leverage: null });
  const draw = () =>
    curveBox.clientWidth > 0 && fill(curveBox, sizeCurve({ ...c, width: curveBox.clientWidth, height: high }, take));
  later.push(draw);
  element.addEventListener("toggle", draw);
  return element;
}

let later: (() => void)[] = []; // what needs the widths of the page

/** Leaves the column of changes out of a table that is wider than its card. */
function withoutChange(table: HTMLElement) {
  table.classList.remove("brief");
  table.classList.toggle("brief", table.offsetWidth > (table.nextElementSibling?.clientWidth ?? 0));
}

/** The fresh market of the answer. */
function marketOf({ asking: { market } }: AnswerView, a: Assessment): Market | null {
  return market.state() === "fresh" && market.question === a.meta.asset ? market.value : null;
}

function below(v: AnswerView, a: Assessment, first: HTMLElement | null): HTMLElement {
  const o = (id: string, title: string, note: Child, result: string) => ({
    id,
    title,
    note,
    result,
    narrow: v.narrow,
    open: v.opened,
  });
  const historyBox = h("div", {}),
    costBox = h("div", {}),
    bookBox = h("div", {}),
    market = marketOf(v, a),
    held = a.position.after !== null,
    stale = v.stale ? `${age(v.asking.full.age())} old.` : "";
  const changes = diff(a);
  const draw = () => {
    withoutChange(changes[0]!);
    if (bookBox.clientWidth > 0) fill(bookBox, ...bookDay(a, Math.min(520, bookBox.clientWidth)));
    if (historyBox.clientWidth > 0) fill(historyBox, ...history(a, Math.min(640, historyBox.clientWidth), stale));
    if (costBox.clientWidth > 0) fill(costBox, ...costs(a, market, Math.min(420, costBox.clientWidth)));
  };
  later.push(draw);
  const panels = [
    panel(o("diff", "What the order changes", null, diffResult(a)), ...changes),
    (held || a.stress.some((r) => !r.survives)) &&
      panel(o("history", "If history repeats", held ? "position, USD" : "what stays", historyResult(a)), historyBox),
    panel(o("costs", "Costs and the book", null, costResult(a)), costBox),
    !v.narrow && panel(o("book", "Where the book's bad day comes from", "USD", ""), bookBox), // on wide pages alone
  ];
  for (const p of panels) if (p && p instanceof HTMLDetailsElement) p.addEventListener("toggle", draw);
  return h("div", { class: "panels" }, first, ...panels);
}

/** The flags as a card of their own, on a phone: warnings are folded with their count. */
function flagCard(v: AnswerView, a: Assessment): HTMLElement | null {
  const critical = flagRows(a, (s) => s === "critical"),
    rest = flagRows(a, (s) => s !== "critical");
  if (critical.length + rest.length === 0) return null;
  const warnings = rest.length === 0 ? "" : `${rest.length} warning${rest.length === 1 ? "" : "s"}`,
    alone = critical.length === 0;
  const box = fold(
    "flags",
    v.opened,
    alone ? "card fold" : "fold",
    [
      alone ? h("h2", { class: "grow" }, warnings) : h("span", { class: "small accent" }, warnings),
      icon("down", 16, alone ? "t3" : "accent"),
    ],
    h("ul", { class: "flags" }, ...rest),
  );
  if (alone) return box;
  return h(
    "section",
    { class: "card" },
    headed([`${critical.length} critical`, warnings].filter(Boolean).join(", ")),
    h("ul", { class: "flags" }, ...critical),
    rest.length > 0 && box,
  );
}

/** Draws the answer into its root. */
export function drawAnswer(v: AnswerView) {
  const { asking, root } = v,
    a = asking.full.value!,
    width = root.clientWidth,
    slim = width < 760;
  const compact =
    v.other && asking.compact.question === asking.question && asking.compact.value !== null
      ? asking.compact.value
      : null;
  const fresh = <T>(x: Answer<T>) => (x.question === asking.full.question && x.state() === "fresh" ? x.value : null);
  const shown: Shown = {
    a,
    answer: asking.full,
    compact,
    stale: v.stale,
    unasked: v.unasked,
    other: v.other && compact === null,
    action: v.action,
    sizes: fresh(asking.sizes),
    deposit: fresh(asking.deposit),
    pools: fresh(asking.pools),
    failure: asking.failure,
    tries: asking.tries,
    nextIn: asking.nextIn(),
    width: Math.max(240, slim ? width - 38 : width / 2 - 38),
    narrow: v.narrow,
    use: v.use,
  };
  later = [];
  root.classList.toggle("slim", slim);
  root.classList.toggle("stale", v.stale);
  root.classList.toggle("other", v.other);
  const verdict = verdictCard(shown);
  if (v.slow) verdict.prepend(h("span", { class: "running" }));
  const { before, after } = a.position,
    lost = after ? lostAtOnce(a) : "",
    price = after ? pricing(v, a, width, lost) : before && realisedCard(a, before, marketOf(v, a)),
    curved = curve(v, a, width),
    beside = curved && lost === "";
  const charts = v.narrow ? price : h("div", { class: beside ? "charts" : "charts alone" }, price, curved);
  fill(root, verdict, charts, v.narrow && !v.stale && flagCard(v, a), below(v, a, v.narrow ? curved : null));
  for (const f of later) f();
  later = [];
  v.tick = () => {
    const place = verdict.querySelector(".ages");
    if (place) fill(place, ages(shown));
  };
}
