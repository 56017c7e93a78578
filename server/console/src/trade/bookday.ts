// Where the bad day of the whole book comes from: each position's part of the loss.

import type { Assessment } from "../api";
import { h, label, plot, s } from "../dom";
import { pct, signedUSD, usd } from "../format";
import { measure } from "./measure";

const rowHeight = 25,
  mostRows = 13,
  figures = 92; // width of the column of figures

/** The parts of the loss after the order, the largest first; a hedge is hollow. */
export function bookDay(a: Assessment, width: number): HTMLElement[] {
  const book = a.portfolio_attribution;
  if (!book || book.positions.length < 2)
    return [h("p", { class: "t2" }, "After the order one position at most is held: its bad day is that of the book.")];
  const all = book.positions.map((p) => ({ asset: p.asset, usd: -p.component_var })).sort((x, y) => x.usd - y.usd),
    shown = all.slice(0, mostRows),
    height = shown.length * rowHeight;
  const names = Math.min(148, 16 + Math.max(...shown.map((p) => measure(p.asset, 12, true)))),
    room = Math.max(40, width - names - figures);
  const lo = Math.min(0, ...shown.map((p) => p.usd)),
    hi = Math.max(0, ...shown.map((p) => p.usd)),
    x = (v: number) => names + ((v - lo) / (hi - lo || 1)) * room;
  const bar = (p: (typeof shown)[number], i: number) => {
    const y = i * rowHeight,
      own = p.asset === a.meta.asset ? "bold" : "t2",
      from = x(Math.min(0, p.usd)),
      length = Math.max(1, x(Math.max(0, p.usd)) - from);
    return s(
      "g",
      {},
      label(own, 0, y + 16, p.asset),
      s("rect", { class: p.usd > 0 ? "gain" : "loss", x: from, y: y + 5, width: length, height: 15, rx: 1.5 }),
      label(own, width, y + 16, signedUSD(p.usd), "end"),
    );
  };
  const costs = `A bad day of the book costs ${usd(book.total_var_99)} USD`,
    largest = shown[0]!;
  const chart = plot(
    "",
    width,
    height,
    `${costs}, most of it by ${largest.asset}: ${usd(-largest.usd)}.`,
    ...shown.map(bar),
    s("path", { class: "axis", d: `M${x(0)} 0V${height}` }),
  );
  const more = all.length > shown.length ? ` ${all.length - shown.length} more are not drawn.` : "",
    hedged = shown.some((p) => p.usd > 0) ? " Hollow: a position that hedges the others." : "",
    less = `${pct(book.diversification_benefit_pct)} less than each alone`;
  return [
    h("div", {}, chart),
    h("p", { class: "note" }, `Together ${signedUSD(-book.total_var_99)}, ${less}.${hedged}${more}`),
  ];
}
