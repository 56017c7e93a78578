// The price panel: what the next day may do to the position, drawn from its layout.

import type { Assessment } from "../api";
import { h, label, plot, s, tr } from "../dom";
import { chance, chartPrice, distance, price, signedPct, signedUSD, usd } from "../format";
import { badDay, hasLiquidation, sideOf } from "./answers";
import { measure } from "./measure";
import { type Marker, priceLayout, type PriceInput, type PriceLayout } from "./pricelayout";

export interface Triggers {
  stop: number | null;
  take: number | null;
}

export function priceInput(a: Assessment, t: Triggers, width: number, height: number): PriceInput {
  const { before, after } = a.position,
    mark = a.meta.mark_price,
    side = after ? sideOf(after) : 0;
  const liquidation = after && hasLiquidation(a) ? a.liquidation.price : null;
  const near = liquidation !== null && a.liquidation.distance_pct < 2.6 * a.var.pct_99_24h;
  const likely = chance(a.liquidation.probability_24h),
    away = distance(a.liquidation.distance_pct) + " away";
  const isolated = after?.mode === "isolated",
    { loss_at_usd: lossAt, loss_after_usd: gone } = a.liquidation;
  return {
    mark,
    side: side as 1 | -1 | 0,
    coins: after?.size_coin ?? 0,
    day: a.day,
    bad: { p99: a.var.pct_99_24h || 5, p95: a.var.pct_95_24h || 3.5 },
    liquidation,
    liquidationNotes: near ? [`touched within 24 h: ${likely}`, `${likely} within 24 h`] : [away],
    before: before?.liquidation_price || null,
    entry: after?.entry_price ?? null,
    fill: a.slippage.fill_price > 0 ? a.slippage.fill_price : null,
    stop: t.stop,
    take: t.take,
    lossAt: lossAt === null ? null : -lossAt,
    lossAfter: gone === null ? null : -gone,
    pool: isolated ? "all its margin" : "all of its pool",
    width,
    height,
  };
}

const markerKinds: Record<Marker["id"], string> = {
  liquidation: "liquidation",
  mark: "now",
  stop: "yours",
  take: "yours",
  before: "old",
  entry: "old",
};

function marker(m: Marker): SVGElement {
  const hollow = m.id === "before" || m.id === "entry";
  return s(
    "g",
    { class: "marker " + markerKinds[m.id] },
    s("title", {}, `${m.id === "before" ? "liquidation before" : m.id} ${price(m.price)}`),
    s("path", { d: `M${m.x} ${m.y + 5}V${m.to}` }),
    s("circle", { cx: m.x, cy: m.y, r: hollow ? 4 : 4.5 }),
  );
}

const path = (points: [number, number][]) =>
  points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

function draw(l: PriceLayout): SVGElement[] {
  const out: SVGElement[] = l.rects.map((r) => s("rect", { class: r.kind, x: r.x, y: r.y, width: r.w, height: r.h }));
  for (const r of l.rects)
    if (r.kind === "beyond")
      out.push(s("rect", { fill: "url(#hatch-stop)", x: r.x, y: r.y, width: r.w, height: r.h }));
  for (const g of l.grid)
    out.push(s("path", { class: g.zero ? "zero" : "gridline", d: `M${l.left} ${g.y}H${l.right}` }));
  for (const x of l.edges) out.push(s("path", { class: "edge", d: `M${x} ${l.top}V${l.axis}` }));
  if (l.hill.length > 0) out.push(s("path", { class: "hill", d: `${path(l.hill)}L${l.right} ${l.axis}H${l.left}Z` }));
  out.push(
    s("path", { class: "axis", d: `M0 ${l.axis}H${l.width}${l.ticks.map((x) => `M${x} ${l.axis}v4`).join("")}` }),
  );
  for (const x of l.breaks)
    out.push(
      s("path", { class: "gap", d: `M${x} ${l.axis}h8` }),
      s("path", { class: "axis", d: `M${x} ${l.axis + 6}l4 -12 4 12 4 -12` }),
    );
  out.push(s("path", { class: "payoff", d: path(l.payoff) }));
  for (const [x, y] of l.dots) out.push(s("circle", { class: "dotted", cx: x, cy: y, r: 4 }));
  const rank: Marker["id"][] = ["entry", "before", "take", "stop", "mark", "liquidation"];
  out.push(...[...l.markers].sort((a, b) => rank.indexOf(a.id) - rank.indexOf(b.id)).map(marker));
  if (l.arrow) {
    const { from, to, y } = l.arrow,
      d = Math.sign(to - from);
    out.push(
      s("path", {
        class: "arrow",
        d: `M${from} ${y}H${to}M${to - 5 * d} ${y - 4}L${to} ${y}L${to - 5 * d} ${y + 4}`,
      }),
    );
  }
  for (const t of l.texts) {
    const kind = [t.kind ?? "", t.bold ? "bold" : "", t.size === 11 ? "tick" : ""].join(" ").trim();
    out.push(label(kind, t.x, t.y, t.text, t.anchor));
  }
  return out;
}

/** One sentence that says what the picture shows. */
function sentence(a: Assessment, p: PriceInput): string {
  const d = p.day,
    parts = [`Mark ${price(p.mark)}.`];
  if (p.side === 0) parts.push("No position is left.");
  else if (p.liquidation === null) parts.push("No liquidation price.");
  else parts.push(`Liquidation at ${price(p.liquidation)}, ${distance(a.liquidation.distance_pct)} away.`);
  const at = (pct: number) => price(p.mark * (1 + pct / 100));
  if (d) parts.push(`1 day in 100 ends below ${at(d.down_99_pct)}, 1 in 100 above ${at(d.up_99_pct)}.`);
  if (p.side !== 0) parts.push(`A bad day costs ${usd(badDay(a).usd)} USD.`);
  return parts.join(" ");
}

/** What a price says, as text beside the panel's title. */
function reading(l: PriceLayout, p: PriceInput, v: number): string {
  const cliff =
    p.liquidation !== null &&
    (p.side > 0 ? p.mark * (1 + v / 100) <= p.liquidation : p.mark * (1 + v / 100) >= p.liquidation);
  const change = p.side === 0 ? "" : cliff ? " · liquidated" : ` · ${signedUSD(l.pnl(v))} USD`;
  const share = l.ends
    ? v < 0
      ? ` · ${chance(l.ends.below(v))} end below`
      : ` · ${chance(1 - l.ends.below(v))} end above`
    : "";
  return `${chartPrice(p.mark * (1 + v / 100))} · ${signedPct(v)}${change}${share}`;
}

let crossAt: number | null = null; // percent, kept while answers renew the picture

/** Draws the panel. Says what the pointer or the arrow keys read; calls moved when the stop is dragged. */
export function pricePanel(
  a: Assessment,
  t: Triggers,
  width: number,
  height: number,
  say: (text: string | null) => void,
  moved: (stop: number) => void,
): HTMLElement {
  const p = priceInput(a, t, width, height),
    l = priceLayout(p, measure);
  const cross = s("path", { class: "cross" });
  const svg = plot("price", width, height, sentence(a, p), ...draw(l), cross);
  const show = (v: number | null) => {
    crossAt = v;
    if (v === null) {
      cross.removeAttribute("d");
      say(null);
      return;
    }
    const at = Math.max(l.pct(l.left), Math.min(l.pct(l.right), v));
    cross.setAttribute("d", `M${l.x(at)} ${l.top}V${l.axis}`);
    say(reading(l, p, at));
  };
  const pctAt = (e: PointerEvent) =>
    l.pct(((e.clientX - svg.getBoundingClientRect().left) * width) / svg.getBoundingClientRect().width);
  let dragging = false;
  const stop = l.markers.find((m) => m.id === "stop");
  const box = h(
    "div",
    {
      class: "plot",
      tabindex: 0,
      role: "group",
      "data-focus": "price",
      "aria-label": "Price panel: arrow keys read it",
      pointermove(e: PointerEvent) {
        const v = pctAt(e);
        show(v);
        if (dragging) moved(p.mark * (1 + v / 100));
      },
      pointerdown(e: PointerEvent) {
        if (!stop || Math.abs(l.x(pctAt(e)) - stop.x) > 10) return;
        dragging = true;
        box.setPointerCapture(e.pointerId);
      },
      pointerup: () => (dragging = false),
      pointerleave: () => show(null),
      blur: () => show(null),
      keydown(e: KeyboardEvent) {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
        if (!step) return;
        e.preventDefault();
        e.stopPropagation();
        show((crossAt ?? 0) + (step * (l.pct(l.right) - l.pct(l.left))) / (e.shiftKey ? 20 : 100));
      },
    },
    svg,
    table(a, p),
  );
  if (crossAt !== null) show(crossAt);
  return box;
}

/** The same as a table, for who does not see the picture. */
function table(a: Assessment, p: PriceInput): HTMLElement {
  const d = p.day,
    at = (v: number) => price(p.mark * (1 + v / 100));
  const rows: [string, string][] = [
    ["mark", price(p.mark)],
    ["liquidation", p.liquidation === null ? "none" : price(p.liquidation)],
  ];
  if (p.stop !== null) rows.push(["stop", price(p.stop)]);
  if (p.entry !== null) rows.push(["entry", price(p.entry)]);
  if (d) {
    for (const [name, v] of [
      ["1 day in 100 ends below", d.down_99_pct],
      ["1 in 20 below", d.down_95_pct],
      ["1 in 20 above", d.up_95_pct],
      ["1 in 100 above", d.up_99_pct],
    ] as const) {
      rows.push([name, at(v)]);
    }
  }
  rows.push(["a bad day costs, USD", usd(badDay(a).usd)]);
  return h(
    "table",
    { class: "off" },
    h("caption", {}, "The price panel as table"),
    h("tbody", {}, ...rows.map(([k, v]) => tr({}, k, v))),
  );
}
