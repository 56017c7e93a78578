// One decision: what was asked, told and done, and what came of it.

import { ask, type CompactAssessment, Failure, type Decision } from "../api";
import { type Child, copy, faultLine, fill, h, icon, s, table, tr } from "../dom";
import { age, clock, price, score, short, usd } from "../format";
import { flagName } from "../names";
import { link } from "../route";
import {
  askAgain,
  brokenText,
  byWhom,
  chanceText,
  isStale,
  keyOf,
  leverageText,
  orderText,
  outcomeTexts,
  reasonOf,
  thenOf,
  until,
  verdictOf,
} from "./decision";

const hour = 3_600_000;

export const verdictTag = (d: Decision) => {
  const v = verdictOf(d);
  return h("span", { class: `tag ${v.kind}` }, v.icon !== "" && icon(v.icon, 12), v.word);
};

/** The address of a decision. */
export const permalink = (d: Decision) => `${location.origin}${location.pathname}${link("decisions/" + keyOf(d))}`;

function row(name: string, ...value: Child[]): HTMLElement {
  return h("div", {}, h("dt", {}, name), h("dd", {}, ...value));
}

/** What the operator's limits said. */
function policyRow(d: Decision): HTMLElement | null {
  const p = d.policy;
  if (!p) return null;
  const broken = (p.violations ?? []).map((v) => brokenText(d, v));
  const kind = p.verdict === "pass" ? "ok" : "stop",
    word = { pass: "kept", deny: "denied", unknown: "not judged" }[p.verdict] ?? p.verdict;
  return row(
    "Limits",
    h("span", { class: `tag ${kind}` }, word),
    ` ${[p.revision ? `revision ${p.revision}` : "", ...broken].filter(Boolean).join(", ")}`,
  );
}

function gateRow(d: Decision): HTMLElement {
  const g = d.gate;
  if (!g) return row("Gate", h("span", { class: "t2" }, "not through the gate"));
  const then = thenOf(d),
    what = [g.type, g.reason].filter(Boolean).join(": "),
    more = [what, g.venue_status ? `venue ${g.venue_status}` : ""].filter(Boolean).join(", ");
  return row(
    "Gate",
    h("span", { class: `tag ${g.did === "refused" ? "stop" : then.kind}` }, then.word),
    ` ${more}`,
  );
}

function facts(d: Decision): HTMLElement {
  const told = [
    d.risk_score === null ? "" : score(d.risk_score),
    d.probability_24h === null ? "" : `chance ${chanceText(d)}`,
  ];
  const flags = d.flags.map((f) => h("div", { title: f }, flagName(f)));
  return h(
    "dl",
    {},
    row("Asked", `${clock(d.at)} UTC, ${d.at.slice(0, 10)}`, byWhom(d) !== "" && ` by ${byWhom(d)}`),
    row("Wallet", h("span", { class: "mono", title: d.wallet }, short(d.wallet))),
    row("Told", verdictTag(d), ` ${told.filter(Boolean).join(", ")}`),
    d.liquidation_price !== null && row("Liquidated at", price(d.liquidation_price)),
    d.position_usd !== null &&
      row(
        "Position after",
        `${d.side} ${usd(d.position_usd)} USD`,
        d.margin_usd !== null && `, margin ${usd(d.margin_usd)}`,
      ),
    d.var_99_24h_usd !== null && row("A bad day costs", `${usd(-d.var_99_24h_usd)} USD`),
    flags.length > 0 && row("Flags", ...flags),
    (d.venue_issues ?? []).length > 0 && row("Venue", `would refuse: ${d.venue_issues!.map(flagName).join(", ")}`),
    policyRow(d),
    gateRow(d),
    d.market_age_ms !== null &&
      row("Data", `market ${age(d.market_age_ms)}, wallet ${age(d.wallet_age_ms ?? 0)} old`),
    row(
      "Versions",
      `engine ${d.engine_version}`,
      d.calibration_hash !== "" &&
        h("span", { class: "mono", title: d.calibration_hash }, `, ${d.calibration_hash.slice(0, 8)}`),
    ),
    d.photographed && row("Replay", h("code", {}, `ballast replay --request-id ${d.request_id}`)),
  );
}

/** The rail from the answer over 24 hours to 7 days, and what the market has said. */
function outcome(d: Decision): HTMLElement {
  const waited = Date.now() - Date.parse(d.at),
    dayOver = waited >= 24 * hour,
    weekOver = waited >= 168 * hour;
  const gone = weekOver
    ? 1
    : dayOver
      ? 0.5 + (0.5 * (waited - 24 * hour)) / (144 * hour)
      : (0.5 * Math.max(0, waited)) / (24 * hour);
  const x = (part: number) => 6 + 376 * part,
    milestone = (part: number, done: boolean) =>
      s("circle", { class: `milestone ${done ? "done" : ""}`, cx: x(part), cy: 8, r: 5 });
  const picture = s(
    "svg",
    { class: "chart outcome", viewBox: "0 0 388 16", "aria-hidden": "true" },
    s("path", { class: "rail", d: `M${x(0)} 8H${x(1)}` }),
    s("path", { class: "gone", d: `M${x(0)} 8H${x(Math.max(0.01, gone))}` }),
    milestone(0, true),
    milestone(0.5, dayOver),
    milestone(1, weekOver),
  );
  const line = (...texts: string[]) => h("div", { class: "ends tiny" }, ...texts.map((t) => h("span", {}, t)));
  const touched = d.liquidation_price === null || d.outcome ? "" : `did it touch ${price(d.liquidation_price)}?`;
  return h(
    "div",
    {},
    h("h3", {}, "What came of it"),
    line(
      "answered",
      dayOver ? "24 h" : `24 h: ${until(24 * hour - waited)}`,
      dayOver && !weekOver ? `7 days: ${until(168 * hour - waited)}` : "7 days",
    ),
    picture,
    line(d.mark_price === null ? "" : `mark ${price(d.mark_price)}`, touched, ""),
    ...outcomeTexts(d).map((text) => h("p", { class: "small" }, text)),
    h("p", { class: "note" }, ...cameOf(d, waited)),
  );
}

/** What is to come of the outcome, or where it counts. */
function cameOf(d: Decision, waited: number): Child[] {
  const known = d.outcome?.after_24h;
  if (!known && (d.mark_price === null || (d.liquidation_price === null && d.var_99_24h_usd === null)))
    return ["Nothing to wait for: neither a liquidation price nor a bad day was given."];
  if (!known && waited > 25 * hour) return ["The market's answer waits for prices of the venue."];
  if (!known) return ["The market answers, whoever sends the order: after 24 hours and after 7 days."];
  return ["The market has answered: it counts under ", h("a", { href: link("evidence") }, "Evidence"), "."];
}

/** The same question asked now, beside what was told then. */
async function again(d: Decision, place: HTMLElement) {
  const body = askAgain(d);
  if (!body) return;
  fill(place, h("span", { class: "skeleton line" }));
  try {
    const now = await ask<CompactAssessment>("/v1/validate?view=compact", { body });
    const pair = (name: string, then: string, is: string) =>
      tr({ class: then === is ? "same" : null }, name, h("td", { class: "t2" }, then), h("b", {}, is));
    const told = { ...d, recommendation: now.recommendation, flags: now.flags.map((f) => f.name) };
    fill(
      place,
      h("h3", {}, "Asked again"),
      table("Then and now", [h("th", {}, ""), "then", `${clock(now.meta.as_of)} UTC`], [
        pair("Verdict", verdictOf(d).word, verdictOf(told).word),
        pair("Score", score(d.risk_score), score(now.risk_score)),
        pair("Chance 24 h", chanceText(d), chanceText({ ...d, probability_24h: now.probability_24h })),
        pair("Liquidated at", price(d.liquidation_price), price(now.liquidation_price)),
        pair("A bad day costs, USD", usd(d.var_99_24h_usd), usd(now.var_99_24h_usd)),
      ]),
    );
  } catch (cause) {
    const text = cause instanceof Failure ? cause.message : String(cause);
    fill(place, faultLine(text));
  }
}

/** The card of a decision. back takes the place of the list on a phone. */
export function detailCard(d: Decision, back: () => void, say: (s: string) => void): HTMLElement {
  const title = [d.asset, orderText(d)].filter(Boolean).join(" "),
    place = h("div", { "aria-live": "polite" });
  const copied = h("button", { type: "button", class: "button" }, icon("link", 14), "Copy link");
  copied.addEventListener("click", () => {
    void copy(permalink(d)).then((ok) => {
      fill(copied, icon("link", 14), ok ? "Copied" : "Not allowed");
      if (ok) say("Copied.");
    });
  });
  const trade = link("trade", {
    a: d.asset,
    d: d.action,
    usd: d.size_usd > 0 ? d.size_usd : null,
    x: d.leverage > 0 && d.action !== "close" ? d.leverage : null,
    w: d.wallet,
  });
  const asks = askAgain(d) !== null;
  return h(
    "section",
    { class: "card decisiondetail", "aria-label": "Decision" },
    h("button", { type: "button", class: "button back", click: back }, "Back to the list"),
    h(
      "div",
      { class: "row wrap" },
      h("h2", { class: "grow title" }, title, " ", h("span", { class: "t3" }, leverageText(d))),
      copied,
    ),
    h("p", { class: "tiny t3 mono id" }, link("decisions/" + keyOf(d))),
    isStale(d) && h("p", { class: "row caution small" }, icon("clock", 14), "The answer was stale: no verdict."),
    reasonOf(d) !== "" && h("p", { class: "small t2" }, reasonOf(d)),
    facts(d),
    outcome(d),
    place,
    h(
      "div",
      { class: "row acts" },
      asks && h("a", { class: "button", href: trade }, "Open in Trade"),
      asks && h("button", { type: "button", class: "button", click: () => void again(d, place) }, "Ask again now"),
    ),
    h(
      "details",
      { class: "small" },
      h("summary", { class: "accent" }, "JSON"),
      h("pre", { class: "mono" }, JSON.stringify(d, null, 1)),
    ),
  );
}
