// The verdict card: word and score, what would pass, the four facts, the flags.

import type { Assessment, CompactAssessment, Failure, SizeAnswer, WalletReport } from "../api";
import { type Child, h, icon, inUSD } from "../dom";
import {
  age,
  badDays,
  chance,
  clock,
  distance,
  heldChance,
  pct,
  price,
  score,
  signedUSD,
  times,
  unbroken,
  usd,
  usdDown,
} from "../format";
import { forbidden, limitTag } from "../limits/remedy";
import { ruleName } from "../limits/rules";
import { driverName, flagFigures, flagName, verdicts } from "../names";
import type { Answer } from "../store";
import { badDay, distanceInDays, hasLiquidation, leverageOf, parts, reduces } from "./answers";
import type { Deposit } from "./asking";
import type { Action } from "./question";
import { scoreBar } from "./scorebar";
import { madeOf, noAnswer, type Offer, type Remedy, remedy, staleRemedy } from "./sentences";

export interface Shown {
  a: Assessment;
  answer: Answer<Assessment>;
  compact: CompactAssessment | null; // a newer question's, while its full answer is on the way
  stale: boolean;
  unasked: boolean; // the form has a fault or lacks something
  other: boolean; // it belongs to another question
  action: Action;
  sizes: SizeAnswer | null; // of the same question, fresh
  deposit: Deposit | null; // the same
  pools: WalletReport | null; // the same
  failure: Failure | null; // of the last request
  tries: number;
  nextIn: number | null;
  width: number; // of the score bar
  narrow: boolean;
  use(o: Offer): void;
}

/** The ages of the answer's inputs, which count up. */
export function ages(v: Pick<Shown, "answer" | "stale" | "narrow">): HTMLElement {
  if (v.stale) {
    const w = v.answer.worst();
    return h(
      "span",
      { class: "pill caution" },
      icon("clock", 14),
      `${w.name} ${age(w.ageMs)} old, limit ${age(w.softMs)}`,
    );
  }
  if (v.narrow) return h("span", { class: "small t2 nowrap" }, age(v.answer.age()));
  return h(
    "span",
    { class: "small t2 nowrap" },
    h("span", { class: "dot" }),
    ` market ${age(v.answer.age("market"))} · wallet ${age(v.answer.age("wallet"))}`,
  );
}

function drivers(v: Shown): HTMLElement {
  const { a } = v,
    m = madeOf(a),
    points = new Map(parts(a).map((p) => [p.id, p.points]));
  if (v.stale) {
    const word = verdicts[a.recommendation]?.word ?? a.recommendation;
    return h(
      "p",
      { class: "small t2 drivers" },
      "was ",
      h("b", {}, `${word} ${score(a.risk_score)}`),
      ` at ${clock(a.meta.as_of)} UTC, ${age(v.answer.age())} ago. It is not a verdict any more.`,
    );
  }
  const name = (id: string) => `${driverName(id)} ${score(points.get(id)).replace(/^(\d+)$/, "$1.0")}`,
    pieces: Child[] = [];
  for (const id of m.strong) pieces.push(pieces.length ? " · " : null, h("b", {}, name(id)));
  if (!v.narrow || m.lifted === "")
    for (const id of v.narrow ? m.rest.slice(0, 1) : m.rest) pieces.push(" · ", name(id));
  if (pieces.length === 0) pieces.push("nothing: every part is small");
  return h(
    "p",
    { class: "small t2 drivers" },
    h("span", { class: "t3 madeof" }, "made of "),
    ...pieces,
    m.lifted !== "" && h("span", {}, "; ", h("b", {}, m.lifted)),
  );
}

const exitCap = 30; // the highest score of an order that only reduces

function head(v: Shown): HTMLElement {
  const { a, compact } = v,
    now = compact ?? a,
    kind = verdicts[now.recommendation]?.kind ?? "stop";
  const exit = reduces(a, v.action) && compact === null;
  const word = v.stale
    ? [icon("clock", 24), h("span", {}, "Stale: ask again")]
    : [
        icon(kind, 24),
        h("span", {}, verdicts[now.recommendation]?.word ?? now.recommendation),
        h("span", { class: "number" }, score(now.risk_score)),
        h("span", { class: "of small t3" }, "of 100"),
      ];
  const tag = v.stale
    ? null
    : exit
      ? h("span", { class: "tag" }, a.risk_score < exitCap ? "exit" : `exit: capped at ${exitCap}`)
      : forbidden(now)
        ? h("span", { class: "tag stop" }, limitTag(now))
        : a.admissibility.verdict === "will_reject" && compact === null
        ? h("span", { class: "tag stop" }, "venue refuses")
        : null;
  return h(
    "div",
    { class: "said" },
    h(
      "div",
      { class: "row wrap" },
      h("h1", { class: "word" }, ...word),
      tag,
      h("span", { class: "grow" }),
      h("span", { class: "ages" }, ages(v)),
    ),
    scoreBar({
      score: now.risk_score,
      parts: compact ? [] : parts(a),
      lifted: madeOf(a).lifted !== "",
      kind: v.stale ? "t3" : kind,
      width: v.width,
    }),
    drivers(v),
  );
}

/** The right side: what to send, or what would pass. */
function right(v: Shown, r: Remedy): HTMLElement {
  const offer = (o: Offer, i: number) =>
    h(
      "div",
      { class: "offer" },
      h("b", {}, o.title),
      h("span", { class: "t2" }, unbroken(v.narrow ? o.brief : o.about)),
      h(
        "button",
        {
          type: "button",
          class: i === 0 ? "button main" : "button",
          "data-focus": "offer" + i,
          "aria-label": `Use ${o.title}`,
          disabled: v.stale,
          click: () => v.use(o),
        },
        "Use",
      ),
    );
  const room =
    r.room === null
      ? null
      : h(
          "p",
          { class: "small t2" },
          "Room to ",
          h(
            "button",
            {
              type: "button",
              class: "link",
              "data-focus": "room",
              click: () => v.use({ title: "", about: "", brief: "", usd: r.room!, leverage: null }),
            },
            h("b", {}, `${usd(r.room)} USD`),
          ),
          " before the verdict turns. ",
          r.note,
        );
  return h(
    "div",
    { class: "remedy" },
    h("h2", {}, unbroken(r.headline)),
    ...r.offers.map(offer),
    r.text !== "" && h("p", {}, unbroken(r.text)),
    room ?? (r.note !== "" && h("p", { class: "small t2 remark" }, unbroken(r.note))),
    r.link && h("a", { class: "button cure", href: r.link.href, "data-focus": "cure" }, r.link.text),
  );
}

interface Fact {
  label: Child;
  figure: Child;
  kind: string;
  note: string;
}

function liquidated(v: Shown): Fact {
  const { a, compact } = v,
    label = "Liquidated at",
    price24 = compact ? compact.liquidation_price : hasLiquidation(a) ? a.liquidation.price : null;
  const far = compact ? compact.liquidation_distance_pct : a.liquidation.distance_pct,
    days = compact ? null : distanceInDays(a);
  if (price24 === null)
    return {
      label,
      figure: "nowhere",
      kind: "",
      note: a.position.after === null ? "no position is left" : "no liquidation price",
    };
  const away = `${distance(far)} away${v.stale ? " then" : ""}`,
    note =
      far <= 0 ? "already beyond it" : away + (days === null || v.narrow ? "" : ` · ${badDays(days)}`);
  return { label, figure: price(price24), kind: days !== null && days < 1 ? "stop" : "", note };
}

function likely(v: Shown): Fact {
  const { liquidation: l, position } = v.a,
    p = v.compact ? v.compact.probability_24h : l.probability_24h,
    held = position.after !== null;
  const says = (x: number | null) => (x === null ? "unknown" : held ? heldChance(x) : chance(x)),
    rest = !held && p !== null && p > 0 ? " · of what stays" : "";
  return {
    label: v.narrow ? "Within 24 h" : "How likely within 24 h",
    figure: says(p),
    kind: p === null ? "" : p > 0.1 ? "stop" : p > 0.02 ? "caution" : "",
    note: v.compact ? "" : `${says(l.probability_7d)} within 7 days${rest}`,
  };
}

function worstDay(v: Shown): Fact {
  const b = badDay(v.a),
    account = v.a.margin.after.account_value;
  const label = v.narrow
    ? "A bad day costs"
    : h(
        "span",
        { title: "Value-at-Risk 99 %, 24 h: one day in a hundred is worse" },
        "A bad day costs ",
        h("span", { class: "t3" }, "(1 in 100)"),
      );
  if (v.compact) return { label, figure: inUSD(signedUSD(-v.compact.var_99_24h_usd)), kind: "", note: "" };
  if (v.a.position.after === null) return { label, figure: inUSD("0"), kind: "", note: "no position is left" };
  const note = b.takesAll
    ? `${b.usd > 0 ? "all its margin" : "nothing is left"}${v.narrow ? "" : `; ${usd(b.uncapped)} uncapped`}`
    : account > 0
      ? `${pct((100 * b.usd) / account)} of the account`
      : "the account is empty";
  return { label, figure: inUSD(signedUSD(-b.usd)), kind: b.takesAll ? "stop" : "", note };
}

function fine(v: Shown): Fact {
  const label = "Size that is fine",
    suggested = v.compact ? v.compact.suggested_size_usd : v.a.sizing.suggested_size_usd,
    operators = v.compact ? v.compact.size_policy_rule : v.a.sizing.policy_rule,
    at = leverageOf(v.a);
  if (v.stale)
    return {
      label,
      figure: "unknown",
      kind: "",
      note: suggested > 0 ? `was ${usd(suggested)} USD, ${age(v.answer.age())} ago` : "ask again",
    };
  if (reduces(v.a, v.action))
    return v.a.position.before === null
      ? { label, figure: "none", kind: "", note: "nothing to close" }
      : { label, figure: "any", kind: "ok", note: "an exit is never blocked" };
  if (operators !== undefined)
    return {
      label,
      figure: suggested > 0 ? inUSD(usdDown(suggested)) : "none",
      kind: suggested > 0 ? "ok" : "stop",
      note: `limit: ${ruleName(operators)}`,
    };
  const best = (v.sizes?.ladder ?? []).slice().sort((x, y) => y.size_usd - x.size_usd)[0];
  if (suggested > 0)
    return {
      label,
      figure: inUSD(usdDown(suggested)),
      kind: "ok",
      note: `you ask for ${usd(v.a.admissibility.order_size_usd)}`,
    };
  return {
    label,
    figure: at === null ? "none" : `none at ${times(at)}`,
    kind: "stop",
    note: !best
      ? ""
      : best.size_usd > 0
        ? `${usdDown(best.size_usd)} USD at ${times(best.leverage)}`
        : "nor at any other",
  };
}

function facts(v: Shown): HTMLElement {
  return h(
    "dl",
    { class: "facts" + (v.stale ? " hatched" : "") },
    ...[liquidated(v), likely(v), worstDay(v), fine(v)].map(({ label, figure, kind, note }) => {
      const long = typeof figure === "string" && figure.length > 12 ? " long" : "",
        said = h("span", { class: `figure ${v.stale ? "t3" : kind}${long}` }, figure);
      return h("div", {}, h("dt", { class: "small t2" }, label), h("dd", {}, said, h("span", { class: "small t2" }, note)));
    }),
  );
}

const flagKinds: Record<string, string> = { critical: "stop", warning: "caution", info: "help" };

export function flagRows(a: Assessment, only?: (severity: string) => boolean): HTMLElement[] {
  return a.explanation.flags
    .filter((f) => !only || only(f.severity))
    .map((f) => {
      const kind = flagKinds[f.severity] ?? "caution";
      return h(
        "li",
        { class: "flag" },
        icon(kind, 14, kind === "help" ? "t3" : kind),
        h("span", { class: "off" }, f.severity + ": "),
        h("span", { class: "name", title: `${f.name}: ${f.meaning}` }, flagName(f.name)),
        h("span", { class: "t2" }, flagFigures(f)),
      );
    });
}

/** The card of an answer. */
export function verdictCard(v: Shown): HTMLElement {
  const kind = v.stale ? "old" : (verdicts[(v.compact ?? v.a).recommendation]?.kind ?? "stop"),
    rows = v.narrow ? [] : flagRows(v.a);
  const r = v.stale ? staleRemedy(v.answer, v) : remedy(v.a, v.action, v);
  return h(
    "section",
    { class: `card verdict v-${kind}${v.other ? " other" : ""}${v.stale ? " stale" : ""}`, "aria-label": "Verdict" },
    head(v),
    right(v, r),
    facts(v),
    rows.length > 0 &&
      !v.stale &&
      h("ul", { class: "flags" + (rows.length === 1 ? " one" : ""), "aria-label": "Flags" }, ...rows),
  );
}

/** The card where no figure may stand. */
export function noAnswerCard(f: Failure | null, silent: number | null, nextIn: number | null): HTMLElement {
  const { text, note } = noAnswer(f, silent, nextIn);
  return h(
    "section",
    { class: "card verdict v-old bare", "aria-label": "Verdict" },
    h(
      "div",
      { class: "said" },
      h("h1", { class: "word" }, icon("clock", 24), h("span", {}, "No answer")),
      h("p", {}, text),
      h("p", { class: "t2" }, note),
      f && f.requestID !== "" && h("p", { class: "tiny t3 mono" }, f.requestID),
    ),
  );
}

/** The shape of an answer that is on its way. */
export function skeletonCard(): HTMLElement {
  const bone = (kind: string) => h("span", { class: "skeleton " + kind });
  return h(
    "section",
    { class: "card verdict v-none", "aria-label": "Verdict", "aria-busy": "true" },
    h("div", { class: "said" }, bone("s1"), bone("s2"), bone("s3")),
    h("div", { class: "remedy" }, bone("s4"), bone("s3")),
    h(
      "dl",
      { class: "facts" },
      ...[0, 1, 2, 3].map(() => h("div", {}, h("dt", {}, bone("s5")), h("dd", {}, bone("s6")))),
    ),
  );
}
