// The card of an order that closes all of a position: what it realises. It stands in place of the price panel, because
// no position is left to draw.

import type { Assessment, Market, Position } from "../api";
import { card, h, inUSD } from "../dom";
import { bps, price, signedPct, signedUSD, usd } from "../format";
import { sideOf } from "./answers";
import { shareOfBook } from "./costs";

type Fact = [label: string, figure: Node | string, note: string];

/** The gain or loss at the expected fill, with the fee paid. */
function result(a: Assessment, { entry_price: entry, size_coin: coins }: Position, side: 1 | -1): Fact {
  const { fill_price: fill } = a.slippage,
    fee = a.fees.estimated_fee_usd;
  if (entry === null || fill <= 0) return ["Realised result", "unknown", "the entry or the fill is not known"];
  const gain = side * coins * (fill - entry) - fee;
  return ["Realised result", inUSD(signedUSD(gain)), `in at ${price(entry)}, out at ${price(fill)}, fee ${usd(fee)}`];
}

export function realisedCard(a: Assessment, held: Position, market: Market | null): HTMLElement {
  const { mark_price: mark } = a.meta,
    { day, cost_analysis: costs } = a,
    share = market?.depth ? shareOfBook(a, market.depth) : null,
    at = (pct: number) => price(mark * (1 + pct / 100)),
    leaving = costs.total_entry_cost_bps;
  const facts: Fact[] = [
    result(a, held, sideOf(held)),
    ["Price now", price(mark), day ? `9 days in 10 end at ${at(day.down_95_pct)} to ${at(day.up_95_pct)}` : ""],
    [
      "Leaving costs",
      inUSD(usd((leaving * a.admissibility.order_size_usd) / 1e4)),
      `${bps(leaving)} bps: fee, slippage, impact`,
    ],
    ["Taken from the book", share?.part ?? "unknown", share ? `of the ${share.side} within 10 bps` : "no fresh book"],
  ];
  const fact = ([label, figure, note]: Fact) =>
    h(
      "div",
      {},
      h("dt", { class: "small t2" }, label),
      h("dd", {}, h("span", { class: "figure" }, figure), h("span", { class: "small t2" }, note)),
    );
  const moved = held.entry_price === null ? null : signedPct(100 * (mark / held.entry_price - 1)) + " since the entry";
  const element = card("What closing brings", moved, h("dl", { class: "facts" }, ...facts.map(fact)));
  element.classList.add("closing");
  return element;
}
