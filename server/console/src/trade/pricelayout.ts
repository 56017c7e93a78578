// Where everything of the price panel stands: one horizontal scale for bands, payoff, ending prices and markers.
// It needs no document, so that any trade can be laid out in a test.

import { axisUSD, chartPrice, fixed, signedUSD } from "../format";
import type { Day } from "../api";
import { Labels, type Line, type Measure, type Segment, type Spot, type Text } from "./labels";
import { type Ends, endsOf } from "./quantiles";

export interface PriceInput {
  mark: number;
  side: 1 | -1 | 0; // of the position after the fill, 0: none is left
  coins: number;
  day: Day | null;
  bad: { p99: number; p95: number }; // losing moves of the position, percent, positive: where no day is known
  liquidation: number | null;
  liquidationNotes: string[]; // under its label, the longest first
  before: number | null; // liquidation price before the fill
  entry: number | null;
  fill: number | null;
  stop: number | null;
  take: number | null;
  lossAt: number | null; // at liquidation, USD, positive
  lossAfter: number | null; // what is gone then, USD, positive
  pool: string; // "all its margin"
  width: number;
  height: number;
}

export interface Marker {
  id: "liquidation" | "mark" | "stop" | "take" | "before" | "entry";
  x: number;
  y: number; // of its head
  to: number; // end of its line
  price: number;
}

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
  kind: string;
}

export interface PriceLayout {
  width: number;
  height: number;
  top: number; // of the plot
  axis: number; // y of the axis
  left: number; // the scale reaches from left to right
  right: number;
  x(pct: number): number;
  pct(x: number): number;
  pnl(pct: number): number;
  rects: Rect[];
  edges: number[];
  grid: { y: number; zero: boolean }[];
  payoff: [number, number][];
  dots: [number, number][];
  hill: [number, number][];
  ticks: number[];
  breaks: number[];
  markers: Marker[];
  arrow: { from: number; to: number; y: number } | null;
  texts: Text[];
  ends: Ends | null;
}

const top = 62,
  lanes = [16, 46] as const;

/** The smallest of 1, 2, 4, 5 times a power of ten that is at least x. */
export function nice(x: number): number {
  const unit = 10 ** Math.floor(Math.log10(x));
  return unit * ([1, 2, 4, 5, 10].find((f) => f * unit >= x * 0.999) ?? 10);
}

/** The part of the price axis that is drawn to scale, percent, and which sides are broken. */
export function domain(p: PriceInput): { lo: number; hi: number; breakLeft: boolean; breakRight: boolean } {
  const down = p.day ? p.day.down_99_pct : -p.bad.p99,
    up = p.day ? p.day.up_99_pct : p.bad.p99;
  const base = { lo: Math.min(1.3 * down, -0.05), hi: Math.max(1.3 * up, 0.05) };
  let { lo, hi } = base,
    breakLeft = false,
    breakRight = false;
  for (const price of [p.stop, p.take, p.liquidation]) {
    if (price === null) continue;
    const v = (price / p.mark - 1) * 100;
    if (v < base.lo) v >= 2 * base.lo ? (lo = Math.min(lo, v * 1.08)) : (breakLeft = true);
    if (v > base.hi) v <= 2 * base.hi ? (hi = Math.max(hi, v * 1.08)) : (breakRight = true);
  }
  return { lo: Math.max(lo, -99.9), hi, breakLeft, breakRight };
}

interface Frame {
  p: PriceInput;
  out: PriceLayout;
  measure: Measure;
  losing: number; // the end of the scale where the position loses, percent
  cliff: boolean; // the liquidation stands on the scale
  y(usd: number): number;
  yMax: number;
  yMin: number;
}

const pctOf = (p: PriceInput, price: number) => (price / p.mark - 1) * 100;

function frame(p: PriceInput, measure: Measure): Frame {
  const { lo, hi, breakLeft, breakRight } = domain(p),
    zone = p.width < 520 ? 96 : 152;
  const left = breakLeft ? zone : 0,
    right = p.width - (breakRight ? zone : 8),
    axis = p.height - 36;
  const x = (pct: number) => left + ((pct - lo) / (hi - lo)) * (right - left);
  const pnl = (pct: number) => (p.side * p.coins * p.mark * pct) / 100;
  const losing = p.side < 0 ? hi : lo,
    winning = p.side < 0 ? lo : hi;
  const at = p.liquidation === null ? null : pctOf(p, p.liquidation);
  const cliff = at !== null && at >= lo && at <= hi && p.side !== 0;
  let yMax = Math.max(pnl(winning), 1e-9),
    yMin = Math.min(pnl(losing), -1e-9);
  if (cliff) {
    const gone = Math.max(p.lossAfter ?? 0, p.lossAt ?? 0, Math.abs(pnl(at!)));
    yMin = -1.25 * gone;
    yMax = Math.min(yMax, Math.max(2 * gone, 1e-9));
  }
  const bottom = p.height - 74;
  const out: PriceLayout = {
    width: p.width,
    height: p.height,
    top,
    axis,
    left,
    right,
    x,
    pnl,
    pct: (px) => lo + ((px - left) / (right - left)) * (hi - lo),
    rects: [],
    edges: [],
    grid: [],
    payoff: [],
    dots: [],
    hill: [],
    ticks: [],
    breaks: [],
    markers: [],
    arrow: null,
    texts: [],
    ends: p.day ? endsOf(p.day) : null,
  };
  if (breakLeft) out.breaks.push(left - 14);
  if (breakRight) out.breaks.push(right + 6);
  return {
    p,
    out,
    measure,
    losing,
    cliff,
    yMax,
    yMin,
    y: (v) => top + 6 + ((yMax - v) / (yMax - yMin)) * (bottom - top - 12),
  };
}

/** The bands of the day, and what lies beyond liquidation. */
function areas(f: Frame) {
  const { p, out, losing } = f,
    h = out.axis - top,
    last = (v: number) => Math.max(out.left, Math.min(out.right, out.x(v)));
  const band = (from: number, to: number, kind: string) =>
    out.rects.push({ x: last(from), y: top, w: Math.max(0, last(to) - last(from)), h, kind });
  if (p.day) {
    band(p.day.down_99_pct, p.day.up_99_pct, "b99");
    band(p.day.down_95_pct, p.day.up_95_pct, "b95");
  } else if (p.side !== 0) {
    const s = -p.side,
      of = (v: number) => [Math.min(0, s * v), Math.max(0, s * v)] as const;
    band(...of(p.bad.p99), "b99");
    band(...of(p.bad.p95), "b95");
  }
  if (f.cliff) {
    const from = out.x(pctOf(p, p.liquidation!)),
      to = losing < 0 ? out.left : out.right;
    out.rects.push({ x: Math.min(from, to), y: top, w: Math.abs(to - from), h, kind: "beyond" });
  }
}

/** The change of the position: a line, with a cliff at liquidation. */
function payoff(f: Frame) {
  const { p, out, losing, y } = f;
  if (p.side === 0) return;
  const winning = losing < 0 ? out.pct(out.right) : out.pct(out.left),
    full = out.pnl(winning);
  const end = full > f.yMax ? (winning * f.yMax) / full : winning;
  out.payoff.push([out.x(end), y(Math.min(full, f.yMax))]);
  if (!f.cliff) {
    out.payoff.push([out.x(losing), y(out.pnl(losing))]);
    return;
  }
  const at = out.x(pctOf(p, p.liquidation!)),
    gone = -(p.lossAfter ?? p.lossAt ?? 0);
  out.payoff.push(
    [at, y(out.pnl(pctOf(p, p.liquidation!)))],
    [at, y(gone)],
    [losing < 0 ? out.left : out.right, y(gone)],
  );
}

function hill(f: Frame) {
  const { out } = f;
  if (!out.ends) return;
  const points: [number, number][] = [];
  for (let i = 0; i <= 120; i++) {
    const x = out.left + ((out.right - out.left) * i) / 120;
    points.push([x, out.ends.density(out.pct(x))]);
  }
  const most = Math.max(...points.map(([, d]) => d));
  if (most > 0) out.hill = points.map(([x, d]) => [x, out.axis - (30 * d) / most]);
}

function ticks(f: Frame) {
  const { p, out, measure } = f,
    lo = out.pct(out.left),
    hi = out.pct(out.right),
    perPixel = (hi - lo) / (out.right - out.left);
  const price = (v: number) => chartPrice(p.mark * (1 + v / 100));
  const widest = Math.max(...[lo, hi, 0].map((v) => measure(price(v), 12, false)), measure("−88.88 %", 11, false));
  const step = nice((widest + 16) * perPixel),
    digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  for (let i = Math.ceil(lo / step); i <= Math.floor(hi / step); i++) {
    const v = i * step,
      x = out.x(v),
      move = i === 0 ? "now" : (v > 0 ? "+" : "") + fixed(v, digits) + " %";
    const half = Math.max(measure(price(v), 12, false), measure(move, 11, false)) / 2;
    if (v <= -100 || x - half < 0 || x + half > p.width || out.breaks.some((b) => Math.abs(b + 4 - x) < half))
      continue;
    out.ticks.push(x);
    out.texts.push({ text: price(v), size: 12, kind: "t2", x, y: out.axis + 17, anchor: "middle" });
    out.texts.push({ text: move, size: 11, kind: "t3 tick", x, y: out.axis + 31, anchor: "middle" });
  }
}

/** The markers on the scale, and in true order in the broken parts. */
function markers(f: Frame) {
  const { p, out } = f,
    lo = out.pct(out.left),
    hi = out.pct(out.right);
  const shareLabel = p.entry !== null && Math.abs(out.x(pctOf(p, p.entry)) - out.x(0)) < 60;
  const all: [Marker["id"], number | null, 0 | 1][] = [
    ["liquidation", p.side === 0 ? null : p.liquidation, 0],
    ["mark", p.mark, 0],
    ["stop", p.stop, 1],
    ["take", p.take, 1],
    ["before", p.before !== null && samePrice(p.before, p.liquidation) ? null : p.before, 1],
    ["entry", shareLabel ? null : p.entry, 1],
  ];
  const broken: [Marker[], Marker[]] = [[], []];
  for (const [id, price, lane] of all) {
    if (price === null) continue;
    const v = pctOf(p, price),
      m: Marker = { id, price, x: out.x(v), y: lanes[lane], to: id === "entry" ? top + 26 : out.axis };
    if (v >= lo && v <= hi) out.markers.push(m);
    else if (v < lo && out.left > 0) broken[0].push(m);
    else if (v > hi && out.right < p.width - 8) broken[1].push(m);
  }
  broken.forEach((list, right) => {
    list.sort((a, b) => a.price - b.price);
    const room = (right ? p.width - out.right : out.left) - 60;
    list.forEach((m, i) => {
      const share = list.length === 1 ? 0.5 : i / (list.length - 1);
      m.x = right ? out.right + 44 + room * share : 8 + room * share;
      out.markers.push(m);
    });
  });
  const [to, from] = [out.markers.find((m) => m.id === "liquidation"), out.markers.find((m) => m.id === "before")];
  if (to && from && Math.abs(to.x - from.x) > 24) {
    const s = Math.sign(to.x - from.x);
    out.arrow = { from: from.x + 5 * s, to: to.x - 4 * s, y: top - 4 };
  }
}

const samePrice = (a: number, b: number | null) => b !== null && Math.abs(a - b) < 1e-9 * Math.abs(a);

/** The labels of the markers, in two lanes over the plot; the first ones have the choice. */
function markerLabels(f: Frame) {
  const { p, out } = f,
    labels = new Labels({ x: 0, y: 0, w: p.width, h: top }, f.measure);
  for (const m of out.markers) labels.block({ x: m.x - 4, y: m.y - 6, w: 8, h: top - m.y + 6 });
  const shared =
    p.entry !== null &&
    !out.markers.some((m) => m.id === "entry") &&
    Math.abs(out.x(pctOf(p, p.entry)) - out.x(0)) < 60;
  const second = [
    p.fill !== null ? `fill ${chartPrice(p.fill)}` : "",
    shared ? `entry ${chartPrice(p.entry)}` : "",
  ].filter(Boolean);
  const notes: Record<string, string[]> = {
    liquidation: p.liquidationNotes,
    mark: [second.join(", "), ...second].filter(Boolean),
  };
  const names: Record<string, string> = { take: "take profit" },
    kinds: Record<string, string> = {
      liquidation: "stop",
      stop: "accent",
      take: "accent",
      before: "t2",
      entry: "t2",
    };
  const order: Marker["id"][] = ["liquidation", "mark", "stop", "take", "before", "entry"];
  if (p.side !== 0 && p.liquidation === null) {
    const right = p.side < 0,
      where = { x: right ? p.width : 0, anchor: right ? "end" : "start" } as const;
    labels.put(
      ["no liquidation price", "no liquidation"].flatMap((text) =>
        [20, 50].map((y): Spot => ({ ...where, y, lines: [{ text, size: 12, kind: "t2" }] })),
      ),
    );
  }
  for (const id of order) {
    const m = out.markers.find((x) => x.id === id);
    if (!m) continue;
    const head = (name: string): Line => ({
      text: `${name} ${chartPrice(m.price)}`.trim(),
      size: id === "before" || id === "entry" ? 11 : 12,
      bold: true,
      kind: kinds[id],
    });
    const full = head(names[id] ?? id);
    const sub = (text: string): Line => ({ text, size: 11, kind: id === "liquidation" ? "stop tick" : "t2 tick" });
    const under = notes[id] ?? [],
      variants: Line[][] = [...under.map((t) => [full, sub(t)])];
    if (id === "liquidation") variants.push(...under.slice(-1).map((t) => [head("liq."), sub(t)]));
    variants.push([full]);
    if (id === "liquidation") variants.push([head("liq.")], [head("")]); // it is never left out
    else variants.push([{ ...full, text: names[id] ?? id }]); // the axis has the price
    const spots: Spot[] = variants.flatMap((lines) =>
      (["start", "end"] as const).map((anchor) => ({
        x: m.x + (anchor === "start" ? 8 : -8),
        y: m.y + (lines.length > 1 ? -3 : 4),
        anchor,
        lines,
      })),
    );
    labels.put(spots);
  }
  out.texts.push(...labels.texts);
}

/** Points of the payoff that carry a figure, those with the first choice of a place first. */
function points(f: Frame): { pct: number; text: string }[] {
  const { p, out } = f,
    at = p.liquidation === null ? null : pctOf(p, p.liquidation);
  const alive = (v: number) => at === null || (p.side > 0 ? v > at : v < at);
  const on = (v: number) => v >= out.pct(out.left) && v <= out.pct(out.right) && alive(v) && out.pnl(v) <= f.yMax;
  const list: { pct: number; text: string }[] = [];
  const add = (v: number, tail = "") => on(v) && list.push({ pct: v, text: signedUSD(out.pnl(v)) + tail });
  if (f.cliff) {
    const lost = p.lossAt ?? -out.pnl(at!),
      rest = (p.lossAfter ?? lost) > lost * 1.02;
    list.push({ pct: at!, text: signedUSD(-lost) + (rest ? ", then the rest" : "") });
  }
  if (p.stop !== null) add(pctOf(p, p.stop), " at stop");
  if (p.take !== null) add(pctOf(p, p.take), " at take profit");
  const d = p.day,
    s = p.side;
  if (d)
    for (const v of s > 0 ? [d.down_99_pct, d.up_95_pct, d.down_95_pct] : [d.up_99_pct, d.down_95_pct, d.up_95_pct])
      add(v);
  else for (const v of [p.bad.p99, p.bad.p95]) add(-s * v);
  return list;
}

/** The texts inside the plot: figures on the payoff, what liquidation takes, edges of the day, the grid. */
function plotLabels(f: Frame) {
  const { p, out, y } = f,
    labels = new Labels({ x: 0, y: top + 1, w: p.width, h: out.axis - top - 2 }, f.measure);
  for (const m of out.markers)
    if (m.id !== "before") labels.avoid({ x1: m.x, y1: top, x2: m.x, y2: m.to });
  for (let i = 1; i < out.payoff.length; i++) {
    const [a, b] = [out.payoff[i - 1]!, out.payoff[i]!];
    labels.avoid({ x1: a[0], y1: a[1], x2: b[0], y2: b[1] } satisfies Segment);
  }
  const list = p.side === 0 ? [] : points(f);
  out.dots = list.map(({ pct }) => [out.x(pct), y(out.pnl(pct))]);
  for (const [x, yy] of out.dots) labels.block({ x: x - 5, y: yy - 5, w: 10, h: 10 });
  list.forEach(({ text }, i) => {
    const [x, yy] = out.dots[i]!,
      s = p.side,
      spots = (t: string) =>
        (
          [
            [-9 * s, -4],
            [9 * s, 16],
            [-9 * s, -16],
            [9 * s, 26],
            [9 * s, 4],
            [-9 * s, 5],
          ] as const
        ).map(([dx, dy]): Spot => ({
          x: x + dx,
          y: yy + dy,
          anchor: dx > 0 ? "start" : "end",
          lines: [{ text: t, size: 12, bold: true }],
        }));
    if (!labels.put(spots(text), true)) labels.put(spots(text.split(/,? (then|at) /)[0]!), i > 0);
  });
  if (f.cliff && p.lossAfter !== null && p.lossAfter > 0) {
    const long = f.losing < 0,
      x = long ? out.left + 6 : out.right - 6,
      yy = y(-p.lossAfter),
      anchor = long ? "start" : "end";
    const line = (text: string) => [{ text, size: 12, bold: true, kind: "stop" }],
      sum = signedUSD(-p.lossAfter),
      over = out.x(pctOf(p, p.liquidation!)) + (long ? 8 : -8); // on the other side of the liquidation
    labels.put(
      [`${sum}, ${p.pool}`, sum].flatMap((t): Spot[] => [
        ...[17, -6].map((dy): Spot => ({ x, y: yy + dy, anchor, lines: line(t) })),
        ...[4, 17, 30].map((dy): Spot => ({ x: over, y: yy + dy, anchor, lines: line(t) })),
      ]),
    );
  }
  for (const m of out.markers) if (m.id === "before") labels.avoid({ x1: m.x, y1: top, x2: m.x, y2: out.axis });
  edges(f, labels);
  grid(f, labels);
  out.texts.push(...labels.texts);
}

/** The edges of the bands: at the top where the position loses, over the hill where it gains. */
function edges(f: Frame, labels: Labels) {
  const { p, out } = f,
    d = p.day,
    losingLeft = f.losing < 0;
  const all: [number, string][] = d
    ? [
        [d.down_99_pct, "1 in 100"],
        [d.down_95_pct, "1 in 20"],
        [d.up_95_pct, "1 in 20"],
        [d.up_99_pct, "1 in 100"],
      ]
    : p.side === 0
      ? []
      : [
          [-p.side * p.bad.p99, "1 in 100"],
          [-p.side * p.bad.p95, "1 in 20"],
        ];
  for (const [v, text] of all) {
    const x = out.x(v);
    if (x <= out.left || x >= out.right) continue;
    out.edges.push(x);
    const lose = v < 0 === losingLeft,
      inner = v < 0 ? 1 : -1,
      lines = [{ text, size: 11, kind: "t2 tick" }];
    const ys = lose ? [top + 14, top + 28] : [out.axis - 44, out.axis - 58, top + 14];
    const beside = (side: number) =>
      ys.map((yy): Spot => ({ x: x + 4 * side, y: yy, anchor: side > 0 ? "start" : "end", lines }));
    const first = lose && text === "1 in 100" ? -inner : inner;
    labels.put([...beside(first), ...beside(-first)], true);
  }
}

function grid(f: Frame, labels: Labels) {
  const { p, out, y } = f;
  if (p.side === 0) return;
  const step = nice((f.yMax - f.yMin) / 4.5),
    right = f.losing < 0,
    x = right ? out.right - 2 : out.left + 2;
  for (let i = Math.ceil(f.yMin / step); i <= Math.floor(f.yMax / step); i++) {
    const v = i * step,
      yy = y(v);
    out.grid.push({ y: yy, zero: i === 0 });
    const lines = [
      { text: i === 0 ? "0 USD" : (v > 0 ? "+" : "−") + axisUSD(Math.abs(v)), size: 11, kind: "t3 tick" },
    ];
    labels.put(
      [-3, 12].map((dy): Spot => ({ x, y: yy + dy, anchor: right ? "end" : "start", lines })),
      true,
    );
  }
}

/** Lays the panel out. */
export function priceLayout(p: PriceInput, measure: Measure): PriceLayout {
  const f = frame(p, measure);
  areas(f);
  payoff(f);
  hill(f);
  ticks(f);
  markers(f);
  markerLabels(f);
  plotLabels(f);
  return f.out;
}
