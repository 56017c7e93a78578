// Pictures of the record: calibration of the chance, days of the breaches.

import { h, label, picture, pictureWidth, s, table, tr } from "../dom";
import { day, fixed } from "../format";

const height = 330,
  left = 52,
  base = height - 40;
const lowest = -4; // the axes begin at a chance of 0.01 %

/** Places a share from 0 to 1 on the two logarithmic axes. */
const across = (p: number, width: number) =>
  left + ((Math.log10(Math.max(p, 10 ** lowest)) - lowest) / -lowest) * (width - left - 26);
const up = (p: number) => base - ((Math.log10(Math.max(p, 10 ** lowest)) - lowest) / -lowest) * (base - 12);

/** Half the width of the 95 % range of a share that n cases gave. */
export const uncertainty = (p: number, n: number) => 1.96 * Math.sqrt((p * (1 - p)) / n);

const mark = (kind: string, x: number, y: number, text: string) => label("tick " + kind, x, y, text, "middle");

/** The two axes, and the line on which all would lie if what happened were what was told. */
function axes(width: number): SVGElement[] {
  const parts: SVGElement[] = [],
    at = (p: number) => across(p, width);
  for (const [p, text] of [
    [1e-4, "0.01 %"],
    [1e-3, "0.1 %"],
    [1e-2, "1 %"],
    [0.1, "10 %"],
    [1, "100 %"],
  ] as const) {
    const d = `M${at(p)} 12V${base}M${left} ${up(p)}H${width - 26}`;
    parts.push(s("path", { class: "gridline", d }), mark("t3", at(p), base + 16, text));
    parts.push(label("tick t3", left - 6, up(p) + 4, text, "end"));
  }
  const turned = `translate(11 ${base / 2 + 30}) rotate(-90)`;
  parts.push(
    s("path", { class: "wanted dashed", d: `M${at(1e-4)} ${up(1e-4)}L${at(1)} ${up(1)}` }),
    mark("t2", at(0.0012), up(0.006), "too optimistic"),
    mark("t2", at(0.12), up(0.006), "too careful"),
    mark("t2", (width + left) / 2, height - 6, "told: chance of liquidation within 24 h"),
    s("text", { class: "tick t2", transform: turned, "text-anchor": "middle" }, "happened"),
  );
  return parts;
}

/** Shares in percent; the range of chance is computed where it is not given. */
export type Bin = readonly [
  name: string,
  n: number,
  happened: number,
  told: number,
  range?: readonly [low: number, high: number],
];

/** Draws for each bin what was told against what happened, with the range of chance; what says it in words. */
export function calibrationPicture(bins: readonly Bin[], what: string): HTMLElement {
  const width = Math.min(560, pictureWidth(() => 402)); // of the style sheet
  const points = bins.flatMap(([, n, happened, told, range]) => {
    const p = happened / 100,
      e = uncertainty(p, n),
      [low, high] = range ? [range[0] / 100, range[1] / 100] : [p - e, p + e],
      x = across(told / 100, width);
    return [
      s("path", { class: "range", d: `M${x} ${up(low)}V${up(high)}` }),
      s("circle", { class: "told", cx: x, cy: up(p), r: 5 }),
    ];
  });
  const rows = bins.map(([name, n, happened, told]) => tr({}, name, fixed(n, 0), `${told} %`, `${happened} %`));
  return h(
    "div",
    {},
    picture("", width, height, what, ...axes(width), ...points),
    h(
      "details",
      {},
      h("summary", { class: "small" }, "as table"),
      table(what, ["Told", "positions", "on average", "liquidated"], rows),
    ),
  );
}

/** Marks the days of breaches between the first and the last forecast. */
export function daysPicture(from: number, to: number, hits: readonly number[], name: string): SVGElement {
  const w = 520,
    x = (t: number) => 2 + ((t - from) / Math.max(1, to - from)) * (w - 4);
  return s(
    "svg",
    {
      class: "chart daysbar",
      viewBox: `0 0 ${w} 16`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `${name}: ${hits.map(day).join(", ") || "no day"}`,
    },
    s("path", { class: "gridline", d: `M0 8H${w}` }),
    s("path", { class: "hit", d: hits.map((t) => `M${x(t).toFixed(1)} 2v12`).join("") }),
  );
}
