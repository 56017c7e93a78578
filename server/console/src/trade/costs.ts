// What the order costs, and the book that takes it.

import type { Assessment, Market } from "../api";
import { h, label, plot, s, table, tr } from "../dom";
import { bps, chance, fixed, large, price, signedUSD } from "../format";

/** USD, with cents below 10,000. */
const cents = (usd: number) => fixed(usd, Math.abs(usd) < 9999.995 ? 2 : 0);

export function costs(a: Assessment, market: Market | null, width: number): HTMLElement[] {
  const c = a.cost_analysis,
    size = a.admissibility.order_size_usd,
    funding = a.funding.cost_24h_usd,
    exits = a.order ?? null;
  const row = (name: string, first: string, second: string, kind = "") =>
    tr({ class: kind }, name, first, second);
  const cost = (name: string, b: number, kind = "") => row(name, bps(b), cents((b * size) / 1e4), kind);
  const rows = [
    cost("Taker fee", a.fees.taker_fee_bps),
    cost(`Slippage, fill ${price(a.slippage.fill_price)}`, a.slippage.bps),
    cost("Impact", a.impact.expected_bps),
    cost(outOnly(a) ? "Out" : "In and out", c.total_round_trip_cost_bps, "strong"),
    funding !== null && a.position.after !== null && row("Funding of 24 h, whole position", "", cents(funding)),
    !outOnly(a) && row("Breaks even at", "", `${c.breakeven_move_pct > 0 ? "+" : ""}${fixed(c.breakeven_move_pct, 3)} %`),
    exits?.stop_loss && row("Stopped, all costs included", "", signedUSD(exits.stop_loss.pnl_usd)),
    exits?.p_stop_first != null && row("Chance of the stop within 24 h", "", chance(exits.p_stop_first)),
    exits?.take_profit && row("Profit taken, all costs included", "", signedUSD(exits.take_profit.pnl_usd)),
  ];
  const heads = [h("span", { class: "off" }, "Cost"), "bps", "USD"];
  return [table("Costs of the order", heads, rows), ...(market?.depth ? depth(a, market.depth, width) : [])];
}

/** Whether the order only leads out of a position. */
const outOnly = ({ cost_analysis: c }: Assessment) => c.total_round_trip_cost_bps === c.total_entry_cost_bps;

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

/** How much the order takes of its side of the book, within 10 bps. */
export function shareOfBook(a: Assessment, book: Depth): { side: Side; part: string } {
  const side: Side = buys(a) ? "asks" : "bids",
    share = a.admissibility.order_size_usd / book[side].usd_10bps;
  const part = share < 0.001 ? "under 0.1 %" : share > 10 ? "more than all" : `${fixed(100 * share, 1)} %`;
  return { side, part };
}

/** The book on both sides within 10, 50 and 100 bps, on one scale, with the order's reach. */
function depth(a: Assessment, book: Depth, width: number): HTMLElement[] {
  const { side: taken, part: share } = shareOfBook(a, book),
    size = a.admissibility.order_size_usd,
    middle = width / 2;
  const most = Math.max(1, ...levels.flatMap(([, k]) => [book.bids[k], book.asks[k]])),
    length = (usd: number) => (usd / most) * (middle - gap - figure);
  const side = (of: Side, usd: number, y: number) => {
    const sign = of === "bids" ? -1 : 1,
      from = middle + sign * gap,
      to = from + sign * length(usd),
      reach = Math.min(length(size), length(usd));
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
      label("t2 tick", to + sign * 5, y + 11, large(usd), sign < 0 ? "end" : "start"),
    ];
  };
  const words = `Order is ${share} of the ${taken} within 10 bps`;
  const chart = plot(
    "",
    width,
    90,
    words,
    label("t3 tick", middle - gap, 10, "bids", "end"),
    label("t3 tick", middle + gap, 10, "asks"),
    ...levels.flatMap(([name, k], i) => {
      const y = 16 + i * 24;
      return [
        ...side("bids", book.bids[k], y),
        ...side("asks", book.asks[k], y),
        label("t3 tick", middle, y + 11, name, "middle"),
      ];
    }),
  );
  const yours = h("b", { class: "accent" }, "your order");
  return [
    h("div", { class: "book" }, chart),
    h("p", { class: "note" }, yours, ` is ${share} of the ${taken} within 10 bps.`),
  ];
}

export const costResult = (a: Assessment) => 
  `${bps(a.cost_analysis.total_round_trip_cost_bps)} bps ${outOnly(a) ? "out" : "in and out"}`;
