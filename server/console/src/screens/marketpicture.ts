// Pictures of one market: the mid price, the book, the volatility by horizon, how far the price may go.

import uPlot from "uplot";
import type { Market } from "../api";
import { h, label, picture, pictureWidth, s } from "../dom";
import { age, fixed, large, lotDecimals, price } from "../format";
import type { Range } from "./marketwords";

const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The mid price as it was seen on this page, drawn anew when the theme or the width changes. */
export class PriceChart {
  readonly element = h("div", { class: "pricechart", role: "img", "aria-label": "Mid price" });
  private chart: uPlot | undefined;
  private times: number[] = [];
  private prices: number[] = [];
  private readonly ended = new AbortController();
  private readonly resized = new ResizeObserver(() => this.size());
  private readonly height = 226;

  constructor() {
    this.resized.observe(this.element);
    document.addEventListener("theme", () => this.build(), { signal: this.ended.signal });
  }

  end() {
    this.ended.abort();
    this.resized.disconnect();
    this.chart?.destroy();
  }

  /** Shows points; times are seconds before now, so that "now" stands still at the right. */
  show(points: readonly { at: number; price: number }[], from: number, to: number) {
    const inside = points.filter((p) => p.at >= from && p.at <= to);
    this.times = inside.map((p) => (p.at - to) / 1000);
    this.prices = inside.map((p) => p.price);
    const last = inside.at(-1);
    if (last && this.times.at(-1)! < 0) {
      // the last price holds until now
      this.times.push(0);
      this.prices.push(last.price);
    }
    this.element.setAttribute("aria-label", last ? `Mid price, now ${price(last.price)}` : "Mid price: none seen yet");
    const span = (to - from) / 1000;
    if (!this.chart) this.build();
    this.chart?.batch(() => {
      this.chart!.setData([this.times, this.prices], false);
      this.chart!.setScale("x", { min: -span, max: 0 });
      const low = Math.min(...this.prices),
        high = Math.max(...this.prices),
        pad = Math.max((high - low) * 0.12, high * 2e-4);
      if (this.prices.length > 0) this.chart!.setScale("y", { min: low - pad, max: high + pad });
    });
  }

  private size() {
    if (this.chart && this.element.clientWidth > 0)
      this.chart.setSize({ width: this.element.clientWidth, height: this.height });
    else this.build();
  }

  private build() {
    const width = this.element.clientWidth;
    if (width === 0) return;
    this.chart?.destroy();
    const axis = {
      stroke: colour("--text3"),
      grid: { stroke: colour("--line"), width: 1 },
      ticks: { show: false },
      font: "11px system-ui",
    };
    this.chart = new uPlot(
      {
        width,
        height: this.height,
        cursor: { show: false },
        legend: { show: false },
        padding: [8, 12, 0, 0],
        scales: { x: { time: false, auto: false }, y: { auto: false } },
        axes: [
          {
            ...axis,
            grid: { show: false },
            size: 30,
            space: 120,
            values: (_, ticks) => ticks.map((t) => (t === 0 ? "now" : "−" + age(-1000 * t).replace(".0 s", " s"))),
          },
          {
            ...axis,
            size: 70,
            values: (_, ticks, _axis, _space, step) => ticks.map((t) => fixed(t, lotDecimals(step))),
          },
        ],
        series: [{}, { stroke: colour("--text"), width: 2, points: { show: false } }],
      },
      [this.times, this.prices],
      this.element,
    );
  }
}

/** What rests within 10, 50 and 100 bps of the mid, on both sides. */
export function bookPicture(m: Market): SVGElement | null {
  const d = m.depth;
  if (!d) return null;
  const w = pictureWidth(() => 430),
    base = 150,
    middle = w / 2,
    half = middle - 10,
    most = Math.max(d.bids.usd_100bps, d.asks.usd_100bps, 1) * 1.02;
  const y = (v: number) => base - (v / most) * (base - 30),
    parts: SVGElement[] = [];
  const sides: [number, typeof d.bids][] = [
    [-1, d.bids],
    [1, d.asks],
  ];
  for (const [side, depth] of sides) {
    const at = (bp: number) => middle + (side * bp * half) / 100;
    const points: [number, number][] = [
      [0, 0],
      [10, depth.usd_10bps],
      [50, depth.usd_50bps],
      [100, depth.usd_100bps],
    ];
    const line = points
      .map(([bp, v]) => `L${at(bp)} ${y(v).toFixed(1)}`)
      .join("")
      .replace("L", "M");
    parts.push(
      s("path", { class: side < 0 ? "bids" : "asks", d: `${line}V${base}H${middle}Z` }),
      s("path", { class: "outline", d: line }),
    );
    points.slice(1).forEach(([bp, v], i) => {
      const end = i === 2,
        text = large(v);
      parts.push(
        s("circle", { class: "knot", cx: at(bp), cy: y(v), r: 3.5 }),
        label(
          end ? "bold" : "tick t2",
          end ? at(bp) - side * 2 : at(bp) + side * 8,
          end ? y(v) - 10 : y(v) + 5,
          text,
          end === side > 0 ? "end" : "start",
        ),
      );
    });
    for (const bp of [50, 100])
      parts.push(
        label("tick t3", at(bp) - (bp === 100 ? side * 14 : 0), base + 16, `${side < 0 ? "−" : "+"}${bp}`, "middle"),
      );
  }
  parts.push(
    s("path", { class: "mark", d: `M${middle} 12V${base}` }),
    label("tick t3", middle, base + 16, "mid ±10 bps", "middle"),
  );
  const both = (of: "usd_10bps" | "usd_100bps") => `${large(d.bids[of])} and ${large(d.asks[of])}`;
  const words = `USD of bids and asks within 100 bps: ${both("usd_100bps")}; within 10 bps: ${both("usd_10bps")}`;
  return picture("depth", w, 170, words, ...parts);
}

/** The forecast volatility of four horizons, with the long run. */
export function volatilityPicture(v: NonNullable<Market["volatility_forecast"]>): SVGElement {
  const w = pictureWidth(() => 430),
    height = 150,
    left = 34,
    base = height - 26;
  const points: [string, number][] = [
    ["1 h", v.sigma_1h],
    ["4 h", v.sigma_4h],
    ["1 day", v.sigma_1d],
    ["7 days", v.sigma_7d],
  ];
  const all = [...points.map((p) => p[1]), v.long_run_sigma],
    low = Math.min(...all),
    high = Math.max(...all),
    span = Math.max(high - low, 0.02);
  const from = low - 0.25 * span,
    to = high + 0.3 * span,
    y = (x: number) => 14 + ((to - x) / (to - from)) * (base - 18),
    x = (i: number) => left + 40 + (i * (w - left - 150)) / 3; // right of the last one stands the long run's name
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2].find((t) => (to - from) / t <= 5) ?? 5;
  const parts: SVGElement[] = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
    parts.push(
      s("path", { class: "gridline", d: `M${left} ${y(t)}H${w}` }),
      label("tick t3", left - 6, y(t) + 4, fixed(100 * t, 0), "end"),
    );
  }
  const long = y(v.long_run_sigma);
  parts.push(
    s("path", { class: "wanted dashed", d: `M${left} ${long}H${w}` }),
    label("tick t2", w, long - 5, `long run ${fixed(100 * v.long_run_sigma, 0)} %`, "end"),
    s("path", { class: "line", d: points.map((p, i) => `${i ? "L" : "M"}${x(i)} ${y(p[1]).toFixed(1)}`).join("") }),
  );
  points.forEach(([name, sigma], i) =>
    parts.push(
      s("circle", { class: "knot strong", cx: x(i), cy: y(sigma), r: 4 }),
      label("bold", x(i), y(sigma) - 9, `${fixed(100 * sigma, 0)} %`, "middle"),
      label("tick t3", x(i), height - 6, name, "middle"),
    ),
  );
  const said = points.map(([n, sigma]) => `${n} ${fixed(100 * sigma, 0)} %`).join(", ");
  const words = `Forecast volatility a year: ${said}; long run ${fixed(100 * v.long_run_sigma, 0)} %`;
  return picture("", w, height, words, ...parts);
}

/** The prices between which 98 of 100 outcomes lie, by horizon, around the mark. */
export function rangePicture(ranges: readonly [string, Range][], mark: number): SVGElement {
  const w = Math.min(440, pictureWidth(() => 406)), // of the style sheet
    row = 24,
    height = ranges.length * row + 40,
    most = Math.max(1, ...ranges.flatMap(([, r]) => [-r.down_99_pct, r.up_99_pct]));
  const room = w / 2 - 85, // beside it stand the figures, and left of those the horizon
    middle = w / 2 + 28,
    x = (v: number) => middle + (v / most) * room,
    parts: SVGElement[] = [];
  ranges.forEach(([name, r], i) => {
    const y = 10 + i * row;
    parts.push(
      label("t2", 0, y + 13, name),
      s("rect", {
        class: "band",
        x: x(r.down_99_pct),
        y,
        width: x(r.up_99_pct) - x(r.down_99_pct),
        height: 16,
        rx: 2,
      }),
      label("tick bold", x(r.down_99_pct) - 5, y + 12, `${fixed(r.down_99_pct, 1)} %`, "end"),
      label("tick bold", x(r.up_99_pct) + 5, y + 12, `+${fixed(r.up_99_pct, 1)} %`),
    );
  });
  parts.push(
    s("path", { class: "mark", d: `M${middle} 4V${height - 28}` }),
    label("tick t2", middle, height - 12, `mark ${price(mark)}`, "middle"),
  );
  const said = ranges.map(([n, r]) => `${n}: ${fixed(r.down_99_pct, 1)} % to +${fixed(r.up_99_pct, 1)} %`).join("; ");
  return picture("", w, height, `1 in 100 ends beyond, each side. ${said}`, ...parts);
}
