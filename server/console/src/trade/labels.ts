// Places texts in a chart so that none meets another or leaves the picture. No document is needed.

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Line {
  text: string;
  size: number; // px
  bold?: boolean;
  kind?: string; // class of the text
}

export interface Text extends Line {
  x: number; // of the anchor
  y: number; // of the baseline
  anchor: "start" | "middle" | "end";
}

/** Where a label may stand: its anchor, and the baseline of its first line. */
export interface Spot {
  x: number;
  y: number;
  anchor: Text["anchor"];
  lines: Line[];
}

export type Measure = (text: string, size: number, bold: boolean) => number;

/** Widths without a document: none of the system's fonts is wider. */
export const roughly: Measure = (text, size, bold) => text.length * size * (bold ? 0.62 : 0.58);

export const leading = 14; // from one line of a label to the next
const above = 0.8,
  below = 0.25; // of the size: how far a line reaches from its baseline

export const overlap = (a: Box, b: Box, gap = 0) =>
  a.x < b.x + b.w + gap && b.x < a.x + a.w + gap && a.y < b.y + b.h + gap && b.y < a.y + a.h + gap;

/** A segment, for what a label should better not cross. */
export interface Segment {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

/** Whether a segment enters a box. */
export function crosses(s: Segment, b: Box): boolean {
  let from = 0,
    to = 1;
  const clip = (p: number, d: number, lo: number, hi: number) => {
    if (d === 0) return p >= lo && p <= hi;
    const [a, c] = d > 0 ? [(lo - p) / d, (hi - p) / d] : [(hi - p) / d, (lo - p) / d];
    from = Math.max(from, a);
    to = Math.min(to, c);
    return from <= to;
  };
  return clip(s.x1, s.x2 - s.x1, b.x, b.x + b.w) && clip(s.y1, s.y2 - s.y1, b.y, b.y + b.h);
}

export class Labels {
  readonly texts: Text[] = [];
  private readonly taken: Box[] = [];
  private readonly avoided: Segment[] = [];

  constructor(
    private readonly bounds: Box,
    private readonly measure: Measure,
  ) {}

  /** A box that no label may touch. */
  block(b: Box) {
    this.taken.push(b);
  }

  /** A line that a label crosses only where it has no better place. */
  avoid(s: Segment) {
    this.avoided.push(s);
  }

  box(s: Spot): Box {
    const widths = s.lines.map((l) => this.measure(l.text, l.size, l.bold === true));
    const w = Math.max(...widths),
      size = Math.max(...s.lines.map((l) => l.size));
    const x = s.anchor === "start" ? s.x : s.anchor === "end" ? s.x - w : s.x - w / 2;
    return { x, y: s.y - above * size, w, h: (s.lines.length - 1) * leading + (above + below) * size };
  }

  private fits(b: Box): boolean {
    const o = this.bounds;
    if (b.x < o.x || b.y < o.y || b.x + b.w > o.x + o.w || b.y + b.h > o.y + o.h) return false;
    return this.taken.every((t) => !overlap(t, b, 2));
  }

  /** Puts a label at the first spot that crosses nothing, else at the one that crosses least. strict:
   * not at all where it would cross something. Returns whether it was put. */
  put(spots: Spot[], strict = false): boolean {
    let best: Spot | null = null,
      fewest = strict ? 1 : Infinity;
    for (const s of spots) {
      const b = this.box(s);
      if (!this.fits(b)) continue;
      const near = { x: b.x - 2, y: b.y, w: b.w + 4, h: b.h },
        met = this.avoided.filter((l) => crosses(l, near)).length;
      if (met < fewest) [best, fewest] = [s, met];
      if (met === 0) break;
    }
    if (best === null) return false;
    this.taken.push(this.box(best));
    best.lines.forEach((l, i) => this.texts.push({ ...l, x: best.x, y: best.y + i * leading, anchor: best.anchor }));
    return true;
  }
}
