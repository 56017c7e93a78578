// The three panels below the charts: what changes, what history would do, what it costs.

import type { Assessment, Market } from "../api";
import { type Child, h, icon, s } from "../dom";
import {
  bps,
  chance,
  coins,
  fixed,
  known,
  large,
  lotDecimals,
  none,
  pct,
  price,
  priceChange,
  signedUSD,
  times,
  usd,
} from "../format";
import { scenarioName } from "../names";
import { distanceInDays } from "./answers";
import { measure } from "./measure";

type Row = { name: string; before: string; after: string; change: string; kind?: string };

function row(r: Row): HTMLElement {
  const same = r.before === r.after;
  return h(
    "tr",
    { class: same ? "same" : "" },
    h("th", { scope: "row" }, r.name),
    h("td", { class: "t2" }, same ? "" : r.before),
    h("td", { class: r.kind ?? "" }, same ? r.after : h("b", {}, r.after)),
    h("td", { class: "t3" }, same ? "unchanged" : r.change),
  );
}

/** A row of one kind of figure. */
function figures(
  name: string,
  before: number | null | undefined,
  after: number | null | undefined,
  say: (x: number) => string,
  kind?: string,
): Row {
  const text = (x: number | null | undefined) => (known(x) ? say(x) : none),
    change = known(before) && known(after) ? after - before : null;
  const shown = change === null ? "" : say(change).replace(/ %$|×$/, "");
  return {
    name,
    before: text(before),
    after: text(after),
    change: change !== null && change > 0 && /[1-9]/.test(shown) ? "+" + shown : shown,
    kind,
  };
}

export function diff(a: Assessment): HTMLElement[] {
  const { before: b, after: c } = a.position,
    m = a.margin,
    days = distanceInDays(a),
    hot = c !== null && a.liquidation.price > 0 && days !== null && days < 1;
  const lot = Math.max(lotDecimals(a.admissibility.order_size_coin), lotDecimals(b?.size_coin ?? 0));
  const liquidation = (p: typeof b) => p?.liquidation_price || null;
  const prices = (name: string, x: number | null | undefined, y: number | null | undefined, kind?: string): Row => ({
    name,
    before: known(x) ? price(x) : none,
    after: known(y) ? price(y) : none,
    change: priceChange(x, y),
    kind,
  });
  const flipped = b !== null && c !== null && b.side !== c.side;
  const position: Row[] = [
    ...(flipped ? [{ name: "Side", before: b.side, after: c.side, change: "turned" }] : []),
    figures(`Size, ${a.meta.asset}`, b?.size_coin ?? 0, c?.size_coin ?? 0, (x) => coins(x, lot)),
    figures("Notional", b?.notional_usd ?? 0, c?.notional_usd ?? 0, usd),
    prices("Entry", b?.entry_price, c?.entry_price),
    prices("Liquidation", liquidation(b), liquidation(c), hot ? "stop" : ""),
    figures("Leverage", b?.leverage, c?.leverage, times),
    { name: "Mode", before: b?.mode ?? none, after: c?.mode ?? none, change: "" },
  ];
  const account: Row[] = [
    figures("Value", m.before.account_value, m.after.account_value, usd),
    figures("Margin used", m.before.initial, m.after.initial, usd),
    figures(
      "Free",
      m.before.free,
      m.after.free,
      usd,
      m.after.free === 0 && a.margin.delta_initial_usd > 0 ? "stop" : "",
    ),
    figures(
      "Maintenance ratio",
      m.before.maintenance_ratio_pct,
      m.after.maintenance_ratio_pct,
      (x) => fixed(x, 1) + " %",
    ),
  ];
  return [
    h(
      "table",
      { class: "diff" },
      h("caption", { class: "off" }, "Before and after the order"),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, `${a.meta.asset} position`),
          ...["before", "after", "change"].map((t) => h("th", { scope: "col" }, t)),
        ),
      ),
      h("tbody", {}, ...position.map(row)),
      h(
        "tbody",
        {},
        h("tr", { class: "group" }, h("th", { scope: "rowgroup", colspan: 4 }, "Account, USD")),
        ...account.map(row),
      ),
    ),
    h("p", { class: "note" }, "The venue liquidates at a ratio of 100 %."),
  ];
}

/** What history would do to the position, the worst first. */
export function history(a: Assessment, width: number, stale: string): HTMLElement[] {
  const rows = a.stress.slice().sort((x, y) => x.pnl_usd - y.pnl_usd),
    rowHeight = 25,
    names = 148,
    figure = 92;
  const lo = Math.min(0, ...rows.map((r) => r.pnl_usd)),
    hi = Math.max(0, ...rows.map((r) => r.pnl_usd)),
    span = hi - lo || 1;
  const room = Math.max(40, width - names - figure),
    x = (v: number) => names + ((v - lo) / span) * room;
  const drawn: SVGElement[] = [];
  rows.forEach((r, i) => {
    const y = i * rowHeight,
      dead = !r.survives,
      from = x(Math.min(0, r.pnl_usd)),
      to = x(Math.max(0, r.pnl_usd)),
      text = r.pnl_usd === 0 ? "0" : signedUSD(r.pnl_usd);
    const other = dead && r.died_by !== a.meta.asset ? r.died_by : null,
      named = scenarioName(r.scenario);
    const cause =
      other !== null && measure(named, 12, i === 0) + measure(other, 11, false) + 16 < names ? other : null; // else in the tooltip
    drawn.push(
      s(
        "g",
        {},
        s("title", {}, `${r.scenario}: ${r.description}${other === null ? "" : `; ended by ${other}`}`),
        s("text", { class: i === 0 ? "bold" : "t2", x: 0, y: y + 16 }, named),
        s("rect", {
          class: dead ? "loss dead" : r.pnl_usd > 0 ? "gain" : "loss",
          x: from,
          y: y + 5,
          width: Math.max(1, to - from),
          height: rowHeight - 10,
          rx: 1.5,
        }),
        s(
          "text",
          { class: `${i === 0 ? "bold" : ""} ${dead ? "stop" : ""}`, x: width - 18, y: y + 16, "text-anchor": "end" },
          text,
        ),
        cause !== null && s("text", { class: "t3 tick", x: names - 6, y: y + 16, "text-anchor": "end" }, cause),
        dead &&
          s(
            "svg",
            { class: "icon stop", x: width - 14, y: y + 6, width: 13, height: 13, viewBox: "0 0 24 24" },
            s("use", { href: "#i-stop" }),
          ),
      ),
    );
  });
  const height = rows.length * rowHeight;
  drawn.push(s("path", { class: "axis", d: `M${x(0)} 0V${height}` }));
  const dead = rows.filter((r) => !r.survives),
    equity = a.liquidation.pool_equity_usd,
    label = `${dead.length} of ${rows.length} scenarios liquidate the position; the worst: ${scenarioName(rows[0]?.scenario ?? "")}.`;
  const isolated = a.position.after?.mode === "isolated";
  const note =
    stale !== ""
      ? stale
      : a.position.after === null
        ? "No position is left to lose."
        : dead.length === 0
          ? "All survive. Hollow: a gain. Bars turn red where the account or the position dies."
          : `Red: the position is liquidated${isolated && equity !== null && equity > 0 ? `, its margin of ${usd(equity)} is gone` : ""}.${rows.some((r) => !r.survives && r.died_by !== a.meta.asset) ? " A name: that position ends the pool." : ""}`;
  return [
    h(
      "div",
      {},
      s(
        "svg",
        {
          class: "chart scenarios",
          width,
          height,
          viewBox: `0 0 ${width} ${height}`,
          role: "img",
          "aria-label": label,
        },
        ...drawn,
      ),
    ),
    h("p", { class: "note" }, note),
  ];
}

export const historyResult = (a: Assessment) => {
  const dead = a.stress.filter((r) => !r.survives).length;
  return dead === 0 ? `survives all ${a.stress.length}` : `${dead} of ${a.stress.length} liquidate`;
};

/** What the order costs, and the book that takes it. */
export function costs(a: Assessment, market: Market | null, width: number): HTMLElement[] {
  const c = a.cost_analysis,
    size = a.admissibility.order_size_usd,
    of = (b: number) => fixed((b * size) / 1e4, Math.abs((b * size) / 1e4) < 9999.995 ? 2 : 0);
  const cost = (name: string, b: number, strong = false, digits?: string) =>
    h(
      "tr",
      { class: strong ? "strong" : "" },
      h("th", { scope: "row" }, name),
      h("td", {}, digits ?? bps(b)),
      h("td", {}, of(b)),
    );
  const funding = a.funding.cost_24h_usd,
    exits = a.order ?? null;
  const sum = (name: string, text: string) =>
    h("tr", {}, h("th", { scope: "row" }, name), h("td", {}), h("td", {}, text));
  return [
    h(
      "table",
      {},
      h("caption", { class: "off" }, "Costs of the order"),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, h("span", { class: "off" }, "Cost")),
          h("th", { scope: "col" }, "bps"),
          h("th", { scope: "col" }, "USD"),
        ),
      ),
      h(
        "tbody",
        {},
        cost("Taker fee", a.fees.taker_fee_bps),
        cost(`Slippage, fill ${price(a.slippage.fill_price)}`, a.slippage.bps),
        cost("Impact", a.impact.expected_bps),
        cost("In and out", c.total_round_trip_cost_bps, true),
        funding === null
          ? null
          : sum("Funding of 24 h, whole position", fixed(funding, Math.abs(funding) < 9999.995 ? 2 : 0)),
        sum("Breaks even at", (c.breakeven_move_pct > 0 ? "+" : "") + fixed(c.breakeven_move_pct, 3) + " %"),
        exits?.stop_loss ? sum("Stopped, all costs included", signedUSD(exits.stop_loss.pnl_usd)) : null,
        exits?.p_stop_first != null ? sum("Chance of the stop within 24 h", chance(exits.p_stop_first)) : null,
        exits?.take_profit ? sum("Profit taken, all costs included", signedUSD(exits.take_profit.pnl_usd)) : null,
      ),
    ),
    ...depth(a, market, width),
  ];
}

/** Whether the order takes from the asks. */
function buys(a: Assessment): boolean {
  const { before, after } = a.position,
    of = (p: typeof before) => (p === null ? 0 : p.side === "short" ? -p.size_coin : p.size_coin);
  return of(after) >= of(before);
}

/** The book on both sides within 10, 50 and 100 bps, on one scale, with the order's reach. */
function depth(a: Assessment, market: Market | null, width: number): HTMLElement[] {
  const book = market?.depth;
  if (!book) return [];
  const side = buys(a) ? "asks" : "bids",
    size = a.admissibility.order_size_usd,
    middle = width / 2,
    gap = 30;
  const rows = [
    ["100 bps", "usd_100bps"],
    ["50 bps", "usd_50bps"],
    ["10 bps", "usd_10bps"],
  ] as const;
  const most = Math.max(1, ...rows.flatMap(([, k]) => [book.bids[k], book.asks[k]])),
    room = middle - gap - 56,
    w = (v: number) => (v / most) * room;
  const drawn: SVGElement[] = [
    s("text", { class: "t3 tick", x: middle - gap, y: 10, "text-anchor": "end" }, "bids"),
    s("text", { class: "t3 tick", x: middle + gap, y: 10 }, "asks"),
  ];
  rows.forEach(([name, k], i) => {
    const y = 16 + i * 24;
    for (const of of ["bids", "asks"] as const) {
      const v = book[of][k],
        dir = of === "bids" ? -1 : 1,
        from = middle + dir * gap,
        length = w(v);
      drawn.push(
        s("rect", {
          class: of === side ? "depth taken" : "depth",
          x: Math.min(from, from + dir * length),
          y,
          width: length,
          height: 13,
          rx: 1,
        }),
      );
      if (of === side)
        drawn.push(
          s("rect", {
            class: "reach",
            x: Math.min(from, from + dir * Math.min(w(size), length)),
            y: y - 2,
            width: Math.max(2, Math.min(w(size), length)),
            height: 17,
          }),
        );
      drawn.push(
        s(
          "text",
          { class: "t2 tick", x: from + dir * (length + 5), y: y + 11, "text-anchor": dir < 0 ? "end" : "start" },
          large(v),
        ),
      );
    }
    drawn.push(s("text", { class: "t3 tick", x: middle, y: y + 11, "text-anchor": "middle" }, name));
  });
  const near = book[side].usd_10bps,
    share =
      size > 10 * near
        ? "more than all"
        : pct((100 * size) / near).replace(/\.\d+ /, (m) => m.slice(0, 2) + " ");
  return [
    h(
      "div",
      { class: "book" },
      s(
        "svg",
        {
          class: "chart",
          width,
          height: 90,
          viewBox: `0 0 ${width} 90`,
          role: "img",
          "aria-label": `Order is ${share} of the ${side} within 10 bps`,
        },
        ...drawn,
      ),
    ),
    h(
      "p",
      { class: "note" },
      h("b", { class: "accent" }, "your order"),
      ` is ${share} of the ${side} within 10 bps.`,
    ),
  ];
}

export const costResult = (a: Assessment) => `${bps(a.cost_analysis.total_round_trip_cost_bps)} bps in and out`;

export const diffResult = (a: Assessment) => `free margin ${usd(a.margin.before.free)} → ${usd(a.margin.after.free)}`;

export const curveResult = (a: Assessment, leverage: string) =>
  a.sizing.suggested_size_usd > 0
    ? `up to ${usd(Math.floor(a.sizing.suggested_size_usd))} proceeds`
    : `no size proceeds${leverage}`;

/** A card, on a phone folded, with its result in the closed row. */
export function panel(
  o: { id: string; title: string; note: Child; result: string; narrow: boolean; open: Set<string> },
  ...content: Child[]
): HTMLElement {
  if (!o.narrow)
    return h(
      "section",
      { class: "card panel-" + o.id },
      h("div", { class: "head" }, h("h2", {}, o.title), o.note && h("span", { class: "small" }, o.note)),
      ...content,
    );
  const box: HTMLDetailsElement = h(
    "details",
    {
      class: "card fold panel-" + o.id,
      open: o.open.has(o.id),
      toggle: () => (box.open ? o.open.add(o.id) : o.open.delete(o.id)),
    },
    h(
      "summary",
      { "data-focus": "fold-" + o.id },
      h("h2", { class: "grow" }, o.title),
      h("span", { class: "small t2" }, o.result),
      icon("down", 16, "t3"),
    ),
    ...content,
  );
  return box;
}
