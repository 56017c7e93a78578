// Where everything of the size curve stands. It needs no document.

import { axisUSD, score, usd } from "../format";
import type { SizePoint } from "../api";
import { Labels, type Line, type Measure, type Spot, type Text } from "./labels";

export type Point = Pick<SizePoint, "size_usd" | "risk_score" | "rule">;

export interface CurveInput {
  points: Point[];
  yours: { usd: number; score: number } | null;
  suggested: number | null;
  largest: number | null; // that proceeds, where it is another one
  barred: { usd: number; by: string; rule: string } | null; // from here on; rule: of the operator's limits
  leverage: number | null;
  rule(id: string): string;
  width: number;
  height: number;
}

export interface Mark {
  id: "yours" | "suggested" | "largest";
  x: number;
  y: number;
  usd: number;
}

export interface CurveLayout {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  y(score: number): number;
  x(usd: number): number;
  usd(x: number): number;
  line: [number, number][];
  ticks: number[];
  marks: Mark[];
  barredAt: number | null;
  texts: Text[];
}

/** Sizes that the scale shows: two decades below the suggested one to three times the larger of yours and the first
 * that is refused. */
function scale(c: CurveInput): [number, number] {
  const sizes = c.points.map((p) => p.size_usd).filter((v) => v > 0),
    first = Math.min(...sizes),
    last = Math.max(...sizes);
  const around = c.suggested ?? c.largest ?? c.yours?.usd ?? last;
  const from = Math.max(Math.min(around / 100, (c.yours?.usd ?? around) / 2), Math.min(first, around / 100) || 1);
  const to = Math.max(
    3 * Math.max(c.yours?.usd ?? 0, c.barred?.usd ?? 0),
    1.5 * (c.largest ?? c.suggested ?? 0),
    from * 10,
  );
  return [from, to];
}

/** The curve through the points of the scale; where a hard rule sets in with a jump, it is vertical. */
function line(
  c: CurveInput,
  l: CurveLayout,
  from: number,
  to: number,
): { path: [number, number][]; jumps: { at: number; to: Point }[] } {
  const all = [...c.points];
  if (c.yours && c.yours.usd > Math.max(...c.points.map((p) => p.size_usd)))
    all.push({ size_usd: c.yours.usd, risk_score: c.yours.score, rule: null });
  all.sort((a, b) => a.size_usd - b.size_usd);
  const path: [number, number][] = [],
    jumps: { at: number; to: Point }[] = [];
  let previous: Point | null = null;
  for (const p of all) {
    if (p.size_usd < from * 0.999) {
      previous = p;
      continue;
    }
    if (p.size_usd > to * 1.001) break;
    if (previous && path.length === 0) path.push([l.left, l.y(previous.risk_score)]);
    const changed = previous !== null && p.rule !== previous.rule && p.rule !== null;
    if (previous && changed && p.risk_score - previous.risk_score > 5) {
      path.push([l.x(p.size_usd), l.y(previous.risk_score)]);
      jumps.push({ at: l.x(p.size_usd), to: p });
    }
    path.push([l.x(p.size_usd), l.y(p.risk_score)]);
    previous = p;
  }
  return { path, jumps };
}

const tick = (text: string, kind = "t2"): Line => ({ text, size: 11, kind: kind + " tick" });
const bold = (text: string): Line => ({ text, size: 12, bold: true });

/** Spots around a point, left first. */
const around = (x: number, y: number, lines: Line[]): Spot[] => {
  const tall = (lines.length - 1) * 14;
  return (
    [
      [-8, -8 - tall, "end"],
      [8, -8 - tall, "start"],
      [-8, 18, "end"],
      [8, 18, "start"],
      [-10, 4, "end"],
      [10, 4, "start"],
      [-8, -30 - tall, "end"],
      [8, -30 - tall, "start"],
      [-8, -62 - tall, "end"],
    ] as const
  ).map(([dx, dy, anchor]) => ({ x: x + dx, y: y + dy, anchor, lines }));
};

function labels(c: CurveInput, l: CurveLayout, jumps: { at: number; to: Point }[], measure: Measure) {
  const put = new Labels({ x: l.left, y: l.top, w: l.right - l.left, h: l.bottom - l.top }, measure);
  for (let i = 1; i < l.line.length; i++) {
    const [a, b] = [l.line[i - 1]!, l.line[i]!];
    put.avoid({ x1: a[0], y1: a[1], x2: b[0], y2: b[1] });
  }
  for (const m of l.marks) {
    put.avoid({ x1: m.x, y1: m.y, x2: m.x, y2: l.bottom });
    put.block({ x: m.x - 6, y: m.y - 6, w: 12, h: 12 });
  }
  if (l.barredAt !== null) put.avoid({ x1: l.barredAt, y1: l.top, x2: l.barredAt, y2: l.bottom });
  const zone = (text: string, at: number, kind: string) =>
    put.put([
      {
        x: l.left + 6,
        y: l.y(at) + 15,
        anchor: "start",
        lines: [{ text, size: 11, bold: true, kind: kind + " tick" }],
      },
    ]);
  zone("abort", 100, "stop");
  zone("caution", 70, "caution");
  zone("proceed", 40, "ok");
  for (const m of l.marks) {
    const at = m.id === "yours" ? c.yours!.score : null;
    const head = `${m.id} ${axisUSD(m.usd)}`;
    const spots = [
      ...(at === null ? [] : around(m.x, m.y, [bold(head), tick(`score ${score(at)}`)])),
      ...around(m.x, m.y, m.id === "largest" ? [tick(head)] : [bold(head)]),
    ];
    put.put(spots);
  }
  for (const j of jumps) {
    if (!j.to.rule) continue;
    const text = `${score(j.to.risk_score)}: ${c.rule(j.to.rule)}`,
      y = l.y(j.to.risk_score);
    const spots: Spot[] = [[text], halves(text)].flatMap((t) =>
      around(
        j.at,
        y,
        t.map((x) => tick(x)),
      ),
    );
    put.put(spots, true);
  }
  if (c.barred !== null && l.barredAt !== null) {
    const { usd: at, by, rule } = c.barred,
      text = `from ${axisUSD(at)} ${by}`;
    put.put(
      [...(rule ? [`${text}: ${rule}`] : []), text, by].flatMap((t) =>
        (["end", "start"] as const).flatMap((anchor) =>
          [90, 80, 60, 50, 20, 10].map(
            (v): Spot => ({ x: l.barredAt! + (anchor === "end" ? -6 : 6), y: l.y(v), anchor, lines: [tick(t)] }),
          ),
        ),
      ),
      true,
    );
  }
  const lowest = c.points[0];
  if (c.suggested === null && c.largest === null && lowest && lowest.risk_score > 40) {
    const at = c.leverage === null ? "" : `at ${c.leverage}× `,
      lines = [
        tick(`${at}even ${usd(lowest.size_usd)} USD scores ${score(lowest.risk_score)}:`),
        tick("no size proceeds at this leverage"),
      ];
    put.put(
      [l.left, l.barredAt ?? l.left].flatMap((x) =>
        [34, 26, 18, 48, 60, 84].map((v): Spot => ({ x: x + 6, y: l.y(v), anchor: "start", lines })),
      ),
    );
  }
  l.texts.push(...put.texts);
}

/** Splits a text near its middle. */
function halves(text: string): string[] {
  const middle = text.length / 2,
    spaces = [...text.matchAll(/ /g)].map((m) => m.index);
  const at = spaces.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
  return at === undefined ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Marks of the size axis: powers of ten and their parts, as many as fit. */
function ticks(l: CurveLayout, from: number, to: number, measure: Measure) {
  const taken: { x: number; w: number }[] = [];
  for (const factor of [1, 5, 2]) {
    for (let e = Math.floor(Math.log10(from)); e <= Math.log10(to); e++) {
      const v = factor * 10 ** e,
        x = l.x(v),
        text = axisUSD(v),
        w = measure(text, 11, false) / 2;
      if (v < from || v > to || x - w < l.left - 14 || x + w > l.width) continue;
      if (taken.some((t) => Math.abs(t.x - x) < t.w + w + 14)) continue;
      taken.push({ x, w });
      l.ticks.push(x);
      l.texts.push({ ...tick(text), x, y: l.bottom + 16, anchor: "middle" });
    }
  }
}

/** The height of the curve at a size, between two of its points. */
function scoreAt(points: Point[], size: number): number {
  const i = points.findIndex((p) => p.size_usd > size);
  if (i <= 0) return (i === 0 ? points[0] : points.at(-1))!.risk_score;
  const [a, b] = [points[i - 1]!, points[i]!];
  return (
    a.risk_score + ((b.risk_score - a.risk_score) * Math.log(size / a.size_usd)) / Math.log(b.size_usd / a.size_usd)
  );
}

export function curveLayout(c: CurveInput, measure: Measure): CurveLayout {
  const left = 26,
    right = c.width - 6,
    top = 10,
    bottom = c.height - 34,
    [from, to] = scale(c),
    span = Math.log(to / from);
  const l: CurveLayout = {
    width: c.width,
    height: c.height,
    left,
    right,
    top,
    bottom,
    y: (v) => top + ((100 - v) / 100) * (bottom - top),
    x: (v) => left + (Math.log(v / from) / span) * (right - left),
    usd: (x) => from * Math.exp(((x - left) / (right - left)) * span),
    line: [],
    ticks: [],
    marks: [],
    barredAt: null,
    texts: [],
  };
  const { path, jumps } = line(c, l, from, to);
  l.line = path;
  const at = c.barred?.usd ?? 0;
  if (at > 0 && at <= to) l.barredAt = l.x(Math.max(at, from));
  const add = (id: Mark["id"], v: number | null, at: number) =>
    v !== null && v >= from && v <= to && l.marks.push({ id, x: l.x(v), y: l.y(at), usd: v });
  add("yours", c.yours?.usd ?? null, c.yours?.score ?? 0);
  add("suggested", c.suggested, scoreAt(c.points, c.suggested ?? 0));
  add("largest", c.largest, scoreAt(c.points, c.largest ?? 0));
  for (const v of [0, 40, 70, 100])
    l.texts.push({ ...tick(String(v), "t3"), x: left - 6, y: l.y(v) + 4, anchor: "end" });
  ticks(l, from, to, measure);
  l.texts.push({ ...tick("size, USD", "t3"), x: right, y: bottom + 30, anchor: "end" });
  labels(c, l, jumps, measure);
  return l;
}
