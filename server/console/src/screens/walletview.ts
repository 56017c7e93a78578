// Draws the Wallet screen from a monitor answer, its alerts and the clock.

import type { WalletReport } from "../api";
import { card, type Child, h, headed, inUSD, s, table, tr, withNote } from "../dom";
import {
  badDays,
  coins,
  distance,
  lotDecimals,
  pct,
  price,
  score,
  signedPct,
  signedUSD,
  times,
  usd,
  usdUp,
} from "../format";
import { flagName } from "../names";
import { link } from "../route";
import { fact, verdictCard } from "./parts";
import {
  type Action,
  badDay,
  chanceOf,
  daysAway,
  type Held,
  inPool,
  kindOf,
  limitOf,
  modeOf,
  type Need,
  needOf,
  notional,
  ordered,
  type Pool,
  poolName,
  poolOf,
  reduceLink,
  reduction,
  remedies,
  roomScale,
  together,
} from "./walletmath";

export interface Seen {
  report: WalletReport;
  safe: number; // the chance of liquidation within 24 h that is fine
  opened: string; // asset of the row that is open
  scenarios: number | null; // of history; null until it is known
  stale: boolean;
}

const held = (r: WalletReport): Held[] => r.positions;
const pools = (r: WalletReport): Pool[] => r.pools ?? [];

/** In place of a judgement on figures that are too old. */
const staleNeed = (was: Need) => ({
  kind: "clock" as const,
  title: "Stale: asking again",
  sentence: `Open or increase nothing on these figures. It was: ${was.title}.`,
});

/** The need in one sentence, and the key figures; on a phone these are a card of their own, below the positions. */
export function strip({ report: r, safe, stale }: Seen): HTMLElement {
  const need = stale ? staleNeed(needOf(r, safe)) : needOf(r, safe);
  return h(
    "div",
    { class: "card strip walletstrip" },
    verdictCard(need.kind, need.title, need.sentence, remedyList(r, safe)),
    h("div", { class: "keyfigures" }, ...keyFigures(r, safe)),
  );
}

/** How far a liquidation is: 3.42 % away · 0.3 bad days. */
function awayWords(p: Held): string {
  const days = daysAway(p);
  if (p.liquidation_distance_pct <= 0) return "already beyond it";
  return `${distance(p.liquidation_distance_pct)} away${days === null ? "" : ` · ${badDays(days)}`}`;
}

/** The key figures: the answers that Trade gives of an order, in the same words and order, then the account. */
function keyFigures(r: WalletReport, safe: number): HTMLElement[] {
  const day = badDay(r),
    likely = ordered(held(r))[0],
    gains = held(r).map((p) => p.unrealized_pnl),
    sum = gains.reduce<number>((a, x) => a + (x ?? 0), 0);
  const near = likely ? kindOf(likely.probability_24h, safe) : "",
    nearer = likely && (daysAway(likely) ?? 1) < 1 ? near || "caution" : near;
  const where = h("span", {}, "Liquidated at ", h("span", { class: "t3" }, likely?.asset ?? ""));
  return [
    likely && likely.liquidation_price !== null
      ? fact(where, price(likely.liquidation_price), awayWords(likely), nearer)
      : fact(where, "nowhere", likely ? "no liquidation price" : "no position"),
    likely
      ? fact(
          "How likely within 24 h",
          chanceOf(likely.probability_24h),
          `${chanceOf(likely.probability_7d)} within 7 days`,
          near,
        )
      : fact("How likely within 24 h", "none", "no position"),
    day
      ? fact(
          h(
            "span",
            { title: "Value-at-Risk 99 %, 24 h, of all positions together" },
            "A bad day costs ",
            h("span", { class: "t3" }, "(1 in 100)"),
          ),
          inUSD(signedUSD(-day.usd)),
          day.all ? (day.usd > 0 ? "all of it" : "nothing is left") : `${pct(day.ofAccountPct)} of the account`,
          day.all ? "stop" : "",
        )
      : fact("A bad day costs", inUSD("0"), "no position"),
    fact("Account value", inUSD(usd(r.account_value)), `${usd(r.margin.free)} free`),
    fact(
      "Open profit or loss",
      gains.includes(null) ? "unknown" : inUSD(signedUSD(sum)),
      `of ${usd(held(r).reduce((a, p) => a + notional(p), 0))} held`,
    ),
  ];
}

/** The actions one below the other: for the phone, where the table has no column for them. */
function remedyList(r: WalletReport, safe: number): HTMLElement | null {
  const list = remedies(held(r));
  if (list.length === 0) return null;
  const line = (text: string, more: string, button: Child) =>
    h(
      "div",
      { class: "row" },
      h("div", { class: "grow" }, h("b", {}, text), h("div", { class: "small t2" }, more)),
      button,
    );
  return h(
    "div",
    { class: "remedylist" },
    h(
      "p",
      { class: "small t2" },
      `to come down to ${limitOf(safe)}, do one of these${list.length > 1 ? " for each" : ""}`,
    ),
    ...list.flatMap(({ action, held: of }) => {
      const less = reduction(action, of),
        name = of.length === 1 ? of[0]!.asset : "the cross pool";
      return [
        less &&
          line(
            less.text,
            less.parts.map((x) => `${x.asset} by ${usd(x.usd)}`).join(", "),
            h("a", { class: "button main", href: reduceLink(r.wallet, action, of) }, "Check"),
          ),
        action.add_margin_usd !== null &&
          line(`Add ${usdUp(action.add_margin_usd)} USD`, `to ${name}`, copyButton(action)),
      ].filter((x) => x !== false && x !== null);
    }),
  );
}

const copyButton = (a: Action) =>
  h("button", { type: "button", class: "button", "data-copy": String(Math.ceil(a.add_margin_usd!)) }, "Copy");

/** Room to liquidation: the left end is liquidated, the bar's length the distance, the tick a bad day. */
function roomBar(p: Held, safe: number, scale: number): SVGElement | string {
  if (p.liquidation_price === null) return "no liquidation price";
  const width = 232,
    x = (v: number) => (Math.min(v, scale) / scale) * (width - 2),
    d = p.liquidation_distance_pct,
    day = p.var.pct_99_24h;
  const tick = x(day);
  return s(
    "svg",
    {
      class: "chart room",
      viewBox: `0 0 ${width} 26`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `${pct(d)} to liquidation; a bad day is ${pct(day)}`,
    },
    s("rect", { class: "track", y: 7, width, height: 12, rx: 2 }),
    s("rect", {
      class: `fill ${kindOf(p.probability_24h, safe)}`,
      y: 7,
      width: Math.max(2, x(d)),
      height: 12,
      rx: 2,
    }),
    d > scale ? s("path", { class: "cut", d: `M${width - 14} 5l4 16M${width - 8} 5l4 16` }) : null,
    day <= scale ? s("path", { class: "halo", d: `M${tick} 2v22` }) : null,
    day <= scale ? s("path", { class: "mark", d: `M${tick} 2v22` }) : null,
  );
}

/** Coins of a position, with the decimals that its size has. */
const coinText = (size: number) => coins(Math.abs(size), lotDecimals(Math.abs(size)));

const two = (name: string, first: Child, second: Child, kind = "") =>
  h("td", { class: name }, h("div", { class: kind }, first), h("div", { class: "small t3" }, second));

/** What to do about a position: of a pool the first one carries the action. */
function safeCell(p: Held, r: WalletReport, safe: number): HTMLElement {
  const a = p.action;
  if (!a) return h("td", { class: "safe left" });
  if (a.kind === "hold") return two("safe left t2", "Hold", "nothing needed");
  const of = inPool(a, held(r)),
    add = a.add_margin_usd,
    wholly = reduction(a, of);
  const less = add !== null && a.reduce_pct === 100 ? null : wholly; // margin rather than to close
  if (of[0]!.asset !== p.asset) return two("safe left t2", `With ${of[0]!.asset}`, "one action for the pool");
  if (less) {
    const title = less.parts.map((x) => `${x.asset} by ${usd(x.usd)} USD`).join(", ");
    return h(
      "td",
      { class: "safe left" },
      h("a", { class: "button main", href: reduceLink(r.wallet, a, of), title }, less.text),
      h("div", { class: "small t2" }, add === null ? afterwards(safe) : `or add ${usdUp(add)} USD`),
    );
  }
  if (add === null) return two("safe left t2", "Nothing helps", "but to close it");
  const amount = Math.ceil(add);
  return h(
    "td",
    { class: "safe left" },
    h(
      "button",
      { type: "button", class: "button main", "data-copy": String(amount), title: "Copies the amount" },
      `Add ${usd(amount)} USD`,
    ),
    h("div", { class: "small t2" }, wholly ? "or close it" : afterwards(safe)),
  );
}

const afterwards = (safe: number) => `→ chance at most ${limitOf(safe)}`;

function positionRow(p: Held, seen: Seen, scale: number): HTMLElement[] {
  const { report: r, safe, opened } = seen,
    pool = poolOf(p, pools(r)),
    kind = kindOf(p.probability_24h, safe),
    days = daysAway(p);
  const mode = modeOf(p, pools(r));
  const multiple =
    pool?.mode === "isolated" && pool.equity_usd > 0 ? ` · ${times(notional(p) / pool.equity_usd)}` : "";
  const open = opened === p.asset;
  const row = h(
    "tr",
    { "data-key": p.asset, "data-open": p.asset, class: open ? "chosen" : null },
    h(
      "th",
      { scope: "row", class: "asset" },
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", class: "link rowlink", "aria-expanded": String(open) }, p.asset),
        h("span", { class: "tag" }, p.size < 0 ? "short" : "long"),
      ),
      h("div", { class: "small t3" }, mode + multiple),
    ),
    two("held", usd(notional(p)), coinText(p.size)),
    two("gain", signedUSD(p.unrealized_pnl), signedPct(p.unrealized_pnl_pct)),
    two("prices", price(p.mark_price), p.liquidation_price === null ? "none" : price(p.liquidation_price)),
    h("td", { class: "roomcell left" }, roomBar(p, safe, scale)),
    two(
      "away",
      p.liquidation_price === null
        ? "none"
        : h("b", {}, distance(p.liquidation_distance_pct), h("span", { class: "onphone" }, " away")),
      days === null ? "" : badDays(days),
      kind,
    ),
    two(
      "chance",
      h("b", {}, chanceOf(p.probability_24h), h("span", { class: "onphone" }, " in 24 h")),
      `${chanceOf(p.probability_7d)} 7 d`,
      kind,
    ),
    safeCell(p, r, safe),
  );
  return open ? [row, details(p, r.wallet)] : [row];
}

function details(p: Held, w: string): HTMLElement {
  const pair = (name: string, value: string, title = "") =>
    h("div", { title: title || null }, h("dt", { class: "small t3" }, name), h("dd", {}, value));
  const funding = p.funding_drag_24h_pct,
    close = link("trade", { a: p.asset, d: "close", usd: Math.ceil(notional(p)), w });
  return h(
    "tr",
    { class: "opened", "data-key": p.asset + " opened" },
    h(
      "td",
      { colspan: 8, class: "left" },
      h(
        "dl",
        { class: "heldfacts" },
        pair("Score", score(p.risk_score)),
        pair(
          "A bad day costs",
          `${usd(p.var.dollar_99_24h)} USD, ${pct(p.var.pct_99_24h)}`,
          "Value-at-Risk 99 %, 24 h",
        ),
        pair("1 day in 20 costs", `${usd(p.var.dollar_95_24h)} USD`),
        pair("Entry", price(p.entry_price)),
        pair(funding < 0 ? "Funding a day, received" : "Funding a day, paid", `${pct(Math.abs(funding))} of margin`),
        pair("Regime", p.regime?.state ?? "unknown"),
        pair("Flags", p.flags.map(flagName).join(" · ") || "none", p.flags.join(", ")),
      ),
      h("a", { class: "button", href: close }, "Close in Trade"),
      " ",
      h("a", { class: "button", href: link("market/" + p.asset) }, "Market"),
    ),
  );
}

const roomHead = (scale: number) => [
  "Room to liquidation",
  h(
    "div",
    { class: "row ends" },
    h("span", {}, "liquidated"),
    h("span", {}, `${scale / 2} %`),
    h("span", {}, `${scale} % away`),
  ),
];

const over = (first: string, second: string) => [first, h("br"), second];

/** The positions, most likely to be liquidated first. */
export function positionsCard(seen: Seen, safeField: HTMLElement): HTMLElement {
  const list = ordered(held(seen.report)),
    scale = roomScale(list);
  const unmoved = list.some((p) => p.action && p.action.kind === "add_margin");
  const head = (text: Child[], name: string | null = null) => h("th", { scope: "col", class: name }, ...text);
  const heads = [
    "Asset",
    head(over("Notional, USD", "coins")),
    head(over("P&L, USD", "of margin")),
    head(over("Mark", "liquidation"), "prices"),
    head(roomHead(scale), "left roomcell"),
    "Away",
    "Chance 24 h",
    head(["To be safe"], "left safe"),
  ];
  return h(
    "section",
    { class: "card positions" },
    headed(
      withNote("Positions", `${list.length}, most likely to be liquidated first`),
      h("span", { class: "onphone small t3" }, `0 to ${scale} % away · tick: a bad day`),
      safeField,
    ),
    table("Positions as held", heads, list.flatMap((p) => positionRow(p, seen, scale))),
    h(
      "div",
      { class: "row note wrap" },
      h(
        "span",
        { class: "grow" },
        h("span", { class: "tickmark" }),
        " a bad day (1 in 100). A bar that ends before it does not last that day.",
      ),
      unmoved && h("span", {}, "Reducing an isolated position moves no liquidation price; margin does."),
    ),
  );
}

/** How many of the scenarios a pool dies in, as squares and in words. */
function history(died: number, scenarios: number | null): Child[] {
  const says = died === 0 ? "survives all" : `${died} liquidate${died === 1 ? "s" : ""}`;
  const square = (i: number) =>
    s("rect", { class: i < died ? "fill stop" : "track", x: i * 7, y: 1, width: 5, height: 10, rx: 1 });
  const squares =
    scenarios !== null &&
    s(
      "svg",
      { class: "chart squares", width: scenarios * 7, height: 12, "aria-hidden": "true" },
      ...Array.from({ length: scenarios }, (_, i) => square(i)),
    );
  return [squares, h("span", { class: "small t2" }, says)];
}

const words = (parts: Child[]) => parts.map((x) => (x instanceof Element ? x.textContent : "")).join("");

/** What the venue liquidates together. */
export function poolsCard({ report: r, safe, scenarios }: Seen): HTMLElement {
  const row = (name: string, equity: number, ratio: number, p: number | null, last: Child[]) =>
    tr(
      { "data-key": name },
      h("th", { scope: "row" }, name, h("div", { class: "onphone small t2" }, words(last))),
      usd(equity),
      ratio >= 1000 ? "over 1,000 %" : pct(ratio),
      h("td", { class: kindOf(p, safe) }, h("b", {}, chanceOf(p))),
      h("td", { class: "left history" }, ...last),
    );
  const body = pools(r)
    .slice()
    .sort((a, b) => (b.probability_24h ?? 2) - (a.probability_24h ?? 2))
    .map((p) => {
      const last = history(p.failed_scenarios.length, scenarios);
      return row(poolName(p), p.equity_usd, p.maintenance_ratio_pct, p.probability_24h, last);
    });
  if (body.length === 0) {
    const stress = r.portfolio_stress,
      chances = held(r).map((p) => p.probability_24h);
    const last = history(stress?.failed_scenarios.length ?? 0, scenarios);
    const worst = chances.includes(null) ? null : Math.max(...(chances as number[]));
    body.push(row("All positions", r.account_value, r.margin.maintenance_ratio_pct, worst, last));
  }
  const last = scenarios === null ? "History" : `${scenarios} scenarios of history`,
    head = (first: string, second: string) => h("th", { scope: "col" }, ...over(first, second));
  return h(
    "section",
    { class: "card poolscard" },
    headed("Pools", "what the venue liquidates together"),
    table("Pools", ["Pool", head("Equity,", "USD"), head("Maintenance", "ratio"), head("Chance", "24 h"), h("th", { scope: "col", class: "left history" }, last)], body),
  );
}

/** The loss of a bad day of each position alone. */
export function sourcesCard({ report: r }: Seen): HTMLElement {
  const list = held(r)
      .slice()
      .sort((a, b) => b.var.dollar_99_24h - a.var.dollar_99_24h),
    most = Math.max(1e-9, list[0]?.var.dollar_99_24h ?? 0);
  const shown = list.slice(0, 8),
    own = list.reduce((a, p) => a + p.var.dollar_99_24h, 0),
    book = r.portfolio_risk?.portfolio_var_99_24h;
  return card(
    "Where a bad day comes from",
    "99 % loss of 24 h, each alone, USD",
    h(
      "div",
      { class: "sources" },
      ...shown.map((p) =>
        h(
          "div",
          { class: "source", "data-key": p.asset },
          h("span", { class: "small t2" }, p.asset),
          s(
            "svg",
            {
              class: "chart bar1",
              viewBox: "0 0 300 15",
              preserveAspectRatio: "none",
              height: 15,
              "aria-hidden": "true",
            },
            s("rect", { class: "fill", width: Math.max(1, (300 * p.var.dollar_99_24h) / most), height: 15, rx: 2 }),
          ),
          h("span", { class: "small" }, usd(p.var.dollar_99_24h)),
        ),
      ),
    ),
    list.length > shown.length && h("p", { class: "small t3" }, `and ${list.length - shown.length} more`),
    book === undefined ? null : h("p", { class: "small t2" }, together(own, book)),
  );
}

/** The line at the foot: the moment of the figures and the request. */
export function foot(r: WalletReport, socket: string): HTMLElement {
  return h(
    "div",
    { class: "foot" },
    h("span", {}, `As of ${r.meta.as_of.slice(11, 23)} UTC`),
    h("span", {}, socket),
    h("span", { class: "grow" }),
    h("span", { class: "mono tiny" }, r.meta.request_id),
  );
}
