// What the order costs, and the book that takes it.

import type { Assessment, Market } from "../api";
import { h, s } from "../dom";
import { bps, chance, fixed, large, pct, price, signedUSD } from "../format";

/** USD, with cents below 10,000. */
const cents = (usd: number) => fixed(usd, Math.abs(usd) < 9999.995 ? 2 : 0);

export function costs(a: Assessment, market: Market | null, width: number): HTMLElement[] {
  const c = a.cost_analysis,
    size = a.admissibility.order_size_usd,
    funding = a.funding.cost_24h_usd,
    exits = a.order ?? null;
  const row = (name: string, first: string, second: string, kind = "") =>
    h("tr", { class: kind }, h("th", { scope: "row" }, name), h("td", {}, first), h("td", {}, second));
  const cost = (name: string, b: number, kind = "") => row(name, bps(b), cents((b * size) / 1e4), kind);
  const heads = [h("span", { class: "off" }, "Cost"), "bps", "USD"].map((x) => h("th", { scope: "col" }, x));
  const rows = [
    cost("Taker fee", a.fees.taker_fee_bps),
    cost(`Slippage, fill ${price(a.slippage.fill_price)}`, a.slippage.bps),
    cost("Impact", a.impact.expected_bps),
    cost("In and out", c.total_round_trip_cost_bps, "strong"),
    funding !== null && row("Funding of 24 h, whole position", "", cents(funding)),
    row("Breaks even at", "", `${c.breakeven_move_pct > 0 ? "+" : ""}${fixed(c.breakeven_move_pct, 3)} %`),
    exits?.stop_loss && row("Stopped, all costs included", "", signedUSD(exits.stop_loss.pnl_usd)),
    exits?.p_stop_first != null && row("Chance of the stop within 24 h", "", chance(exits.p_stop_first)),
    exits?.take_profit && row("Profit taken, all costs included", "", signedUSD(exits.take_profit.pnl_usd)),
  ];
  const table = h(
    "table",
    {},
    h("caption", { class: "off" }, "Costs of the order"),
    h("thead", {}, h("tr", {}, ...heads)),
    h("tbody", {}, ...rows),
  );
  return [table, ...(market?.depth ? depth(a, market.depth, width) : [])];
}

/** Whether the order takes from the asks. */
function buys(a: Assessment): boolean {
  const { before, after } = a.position,
    of = (p: typeof before) => (p === null ? 0 : p.side === "short" ? -p.size_coin : p.size_coin);
  return of(after) >= of(before);
}

type Depth = NonNullable<Market["depth"]>;
type Side = "bids" | "asks";

const levels = [
  ["100 bps", "usd_100bps"],
  ["50 bps", "usd_50bps"],
  ["10 bps", "usd_10bps"],
] as const;
const gap = 30, // half of the column of names between the sides
  figure = 56; // width of an amount

/** The book on both sides within 10, 50 and 100 bps, on one scale, with the order's reach. */
function depth(a: Assessment, book: Depth, width: number): HTMLElement[] {
  const taken: Side = buys(a) ? "asks" : "bids",
    size = a.admissibility.order_size_usd,
    middle = width / 2;
  const most = Math.max(1, ...levels.flatMap(([, k]) => [book.bids[k], book.asks[k]])),
    length = (usd: number) => (usd / most) * (middle - gap - figure);
  const near = book[taken].usd_10bps,
    part = pct((100 * size) / near).replace(/\.\d+ /, (m) => m.slice(0, 2) + " "),
    share = size > 10 * near ? "more than all" : part;
  const side = (of: Side, usd: number, y: number) => {
    const sign = of === "bids" ? -1 : 1,
      from = middle + sign * gap,
      to = from + sign * length(usd),
      reach = Math.min(length(size), length(usd));
    const text = { class: "t2 tick", x: to + sign * 5, y: y + 11, "text-anchor": sign < 0 ? "end" : "start" };
    return [
      s("rect", {
        class: of === taken ? "depth taken" : "depth",
        x: Math.min(from, to),
        y,
        width: length(usd),
        height: 13,
        rx: 1,
      }),
      of === taken &&
        s("rect", {
          class: "reach",
          x: Math.min(from, from + sign * reach),
          y: y - 2,
          width: Math.max(2, reach),
          height: 17,
        }),
      s("text", text, large(usd)),
    ];
  };
  const chart = s(
    "svg",
    {
      class: "chart",
      width,
      height: 90,
      viewBox: `0 0 ${width} 90`,
      role: "img",
      "aria-label": `Order is ${share} of the ${taken} within 10 bps`,
    },
    s("text", { class: "t3 tick", x: middle - gap, y: 10, "text-anchor": "end" }, "bids"),
    s("text", { class: "t3 tick", x: middle + gap, y: 10 }, "asks"),
    ...levels.flatMap(([name, k], i) => {
      const y = 16 + i * 24;
      return [
        ...side("bids", book.bids[k], y),
        ...side("asks", book.asks[k], y),
        s("text", { class: "t3 tick", x: middle, y: y + 11, "text-anchor": "middle" }, name),
      ];
    }),
  );
  const yours = h("b", { class: "accent" }, "your order");
  return [
    h("div", { class: "book" }, chart),
    h("p", { class: "note" }, yours, ` is ${share} of the ${taken} within 10 bps.`),
  ];
}

export const costResult = (a: Assessment) => `${bps(a.cost_analysis.total_round_trip_cost_bps)} bps in and out`;
