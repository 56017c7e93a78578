// Score against size, drawn from its layout; a click, a drag or the arrow keys take a size.

import type { Assessment } from "../api";
import { h, label, s, tr } from "../dom";
import { axisUSD, score, usd, usdDown } from "../format";
import { type CurveInput, type CurveLayout, curveLayout, type Mark } from "./curvelayout";
import { measure } from "./measure";

function mark(m: Mark, bottom: number): SVGElement {
  return s(
    "g",
    { class: "mark " + m.id },
    s("path", { d: `M${m.x} ${m.y}V${bottom}` }),
    s("circle", { cx: m.x, cy: m.y, r: 5 }),
  );
}

function draw(l: CurveLayout): SVGElement[] {
  const zone = (kind: string, from: number, to: number) =>
    s("rect", { class: kind, x: l.left, y: l.y(to), width: l.right - l.left, height: l.y(from) - l.y(to) });
  const out: SVGElement[] = [zone("zone-stop", 70, 100), zone("zone-caution", 40, 70), zone("zone-ok", 0, 40)];
  if (l.barredAt !== null) {
    out.push(
      s("rect", {
        fill: "url(#hatch-plain)",
        x: l.barredAt,
        y: l.top,
        width: l.right - l.barredAt,
        height: l.bottom - l.top,
      }),
      s("path", { class: "barred", d: `M${l.barredAt} ${l.top}V${l.bottom}` }),
    );
  }
  const points = l.line.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  out.push(
    s("path", { class: "payoff", d: points }),
    s("path", { class: "axis", d: l.ticks.map((x) => `M${x} ${l.bottom}v4`).join("") }),
  );
  out.push(...[...l.marks].reverse().map((m) => mark(m, l.bottom)));
  for (const t of l.texts) out.push(label(`${t.kind ?? ""}${t.bold ? " bold" : ""}`, t.x, t.y, t.text, t.anchor));
  return out;
}

/** A size with two significant digits, as one means it with a pointer. */
export function rounded(v: number): number {
  const unit = 10 ** (Math.floor(Math.log10(v)) - 1);
  return Math.round(v / unit) * unit;
}

/** The curve for those who do not see it. */
function asTable(c: CurveInput): HTMLElement {
  const row = (p: CurveInput["points"][number]) =>
    tr({}, `${axisUSD(p.size_usd)} USD`, score(p.risk_score));
  const some = c.points.filter((_, i) => i % 4 === 0);
  return h("table", { class: "off" }, h("caption", {}, "Score against size"), h("tbody", {}, ...some.map(row)));
}

const keyFactors: Record<string, number> = {
  ArrowRight: 1.1,
  ArrowUp: 1.1,
  ArrowLeft: 1 / 1.1,
  ArrowDown: 1 / 1.1,
  PageUp: 2,
  PageDown: 0.5,
};

/** Draws the curve. take is called with the size that was chosen. */
export function sizeCurve(c: CurveInput, take: (usd: number) => void): HTMLElement {
  const l = curveLayout(c, measure),
    yours = c.yours?.usd ?? null;
  const svg = s(
    "svg",
    {
      class: "chart curve",
      width: c.width,
      height: c.height,
      viewBox: `0 0 ${c.width} ${c.height}`,
      "aria-hidden": "true",
    },
    ...draw(l),
  );
  const at = (e: PointerEvent) => {
    const r = svg.getBoundingClientRect(),
      x = ((e.clientX - r.left) * c.width) / r.width;
    return rounded(l.usd(Math.max(l.left, Math.min(l.right, x))));
  };
  let chosen: number | null = null;
  const box = h(
    "div",
    {
      class: "plot takes",
      tabindex: 0,
      role: "slider",
      "data-focus": "curve",
      "aria-label": "Size, USD, with its score",
      "aria-valuemin": Math.round(l.usd(l.left)),
      "aria-valuemax": Math.round(l.usd(l.right)),
      "aria-valuenow": Math.round(yours ?? l.usd(l.left)),
      "aria-valuetext": yours === null ? "no size" : `${usd(yours)} USD, score ${score(c.yours!.score)}`,
      pointerdown(e: PointerEvent) {
        chosen = at(e);
        box.setPointerCapture(e.pointerId);
      },
      pointermove(e: PointerEvent) {
        if (chosen !== null) chosen = at(e);
      },
      pointerup() {
        if (chosen !== null) take(chosen);
        chosen = null;
      },
      keydown(e: KeyboardEvent) {
        const factor = keyFactors[e.key];
        if (!factor || yours === null) return;
        e.preventDefault();
        e.stopPropagation();
        take(rounded(yours * factor));
      },
    },
    svg,
    asTable(c),
  );
  return box;
}

export const curveResult = (a: Assessment, leverage: string) =>
  a.sizing.suggested_size_usd > 0
    ? `fine up to ${usdDown(a.sizing.suggested_size_usd)}`
    : `no size proceeds${leverage}`;
