// The score from 0 to 100, one segment for each of its parts, with marks where the verdict turns.

import { h, label, plot, s } from "../dom";
import { score } from "../format";

export interface ScoreInput {
  score: number;
  parts: { id: string; points: number }[];
  lifted: boolean; // a hard rule sets the score above the sum of the parts
  kind: string; // ok, caution, stop, or t3 for a stale one
  width: number;
}

const shades = [1, 0.78, 0.58, 0.42, 0.3, 0.22, 0.18];

export function scoreBar(b: ScoreInput): HTMLElement {
  const w = b.width,
    x = (v: number) => (Math.max(0, Math.min(100, v)) / 100) * w,
    drawn: SVGElement[] = [];
  let at = 0;
  b.parts.forEach((p, i) => {
    if (at >= b.score) return;
    const end = Math.min(at + p.points, b.score);
    drawn.push(
      s("rect", {
        class: "part",
        x: x(at),
        y: 16,
        width: Math.max(1, x(end) - x(at) - 1),
        height: 14,
        opacity: shades[Math.min(i, 6)],
      }),
    );
    at = end;
  });
  if (b.score > at + 0.05 && (b.lifted || b.parts.length === 0)) {
    drawn.push(
      s("rect", {
        fill: "url(#hatch-current)",
        class: "raised-part",
        x: x(at),
        y: 16,
        width: x(b.score) - x(at),
        height: 14,
      }),
    );
  }
  const tick = (v: number, word: string) => [
    s("path", { class: "gap", d: `M${x(v)} 12v22` }),
    s("path", { class: "tickline", d: `M${x(v)} 12v22` }),
    label("t2 tick", x(v), 9, `${v} ${word}`, "middle"),
  ];
  const words = `score ${score(b.score)} of 100; caution above 40, abort above 70`;
  const svg = plot(
    `scorebar ${b.kind}`,
    w,
    36,
    words,
    s("rect", { class: "track", x: 0, y: 16, width: w, height: 14, rx: 2 }),
    ...drawn,
    label("t3 tick", 0, 9, "0"),
    ...tick(40, "caution"),
    ...tick(70, "abort"),
    label("t3 tick", w, 9, "100", "end"),
  );
  return h("div", { class: "scores" }, svg);
}
