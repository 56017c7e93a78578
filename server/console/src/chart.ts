// The charts, drawn by uPlot: loss distribution of an assessment, VaR breaches over time.

import uPlot from "uplot";
import type { Assessment, Coverage, CoverageRow } from "./api";
import { day, pct, plain, price } from "./format";
import { h, table } from "./dom";

interface Chart {
  element: HTMLElement;
  draw: () => void; // to be called once the element is on the page
  stop: () => void;
}

const height = 230; // px
const widthOf = (box: HTMLElement) => Math.max(240, box.clientWidth);
const colorOf = (box: HTMLElement, name: string) => getComputedStyle(box).getPropertyValue(name).trim();
const axisOf = (box: HTMLElement) => ({ stroke: colorOf(box, "--text"), grid: { stroke: colorOf(box, "--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui" });

/** Keeps a chart as wide as its box and in the colours of the scheme. */
function live(element: HTMLElement, box: HTMLElement, make: () => uPlot): Chart {
  let chart: uPlot | undefined;
  const draw = () => {
    chart?.destroy();
    chart = make();
  };
  const resized = new ResizeObserver(() => chart?.setSize({ width: widthOf(box), height }));
  resized.observe(box);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", draw);
  return { element, draw, stop: () => (resized.disconnect(), scheme.removeEventListener("change", draw), chart?.destroy()) };
}

/** A loss in percent of notional, and the chance in percent of losing at least that within 24 h. */
type Point = [loss: number, chance: number];

/** Returns the points of the loss distribution that the answer contains. */
export function quantiles(a: Assessment): { model: Point[]; simulated: Point[] } {
  const model: Point[] = [[a.var.pct_95_24h, 5], [a.var.pct_99_24h, 1]];
  if (a.evt) model.push([a.evt.var_99_9, 0.1]);
  const m = a.monte_carlo;
  const simulated: Point[] = m ? [[-m.median_return, 50], [m.var_95, 5], [-m.confidence_interval[0], 2.5], [m.var_99, 1], [-m.worst_case, 100 / m.simulations]] : [];
  return { model, simulated };
}

/** Draws the loss distribution and the distance to liquidation. */
export function lossChart(a: Assessment): Chart {
  const { model, simulated } = quantiles(a);
  const box = h("div", { class: "chart", "aria-hidden": "true" });
  const after = a.position.after;
  const reach = a.liquidation.price > 0 && after ? a.liquidation.distance_pct : null;
  const largest = Math.max(...[...model, ...simulated].map(([loss]) => loss), 1);
  // The chart reaches the liquidation price only if that is within three times the largest
  // loss; otherwise the curve would be squeezed.
  const right = Math.max(largest, reach !== null && reach < 3 * largest ? reach : 0) * 1.08;
  const rows = (name: string, points: Point[]) => points.map(([loss, chance]) => [name, pct(loss), pct(chance)]);
  const element = h("div", {},
    h("p", {}, "Chance of losing at least so much within 24 h, in percent of the position. The points are what the answer states; the lines only join them."),
    box,
    h("p", { class: "legend" },
      h("span", { class: "key-model" }, "model (VaR, extreme tail)"),
      simulated.length > 0 && h("span", { class: "key-simulated" }, `simulation (${plain(a.monte_carlo!.simulations, 0)} paths)`),
      reach !== null && h("span", { class: "key-liquidation" }, `liquidation at ${price(a.liquidation.price)} USD, ${pct(reach)} away${reach > right ? ", beyond this chart" : ""}`)),
    reach === null && h("p", { class: "quiet" }, after ? "The position has no liquidation price." : "Nothing is left to liquidate."),
    h("details", {}, h("summary", {}, "The points as a table"),
      table("Loss distribution, 24 h", ["From", "Loss", "Chance of at least that"], [...rows("model", model), ...rows("simulation", simulated)])));

  const [xs, ...series] = uPlot.join([columnsOf(model), columnsOf(simulated)]);
  return live(element, box, () => {
    const color = (name: string) => colorOf(box, name), axis = axisOf(box);
    const line = (label: string, stroke: string, dash: number[]) => ({ label, stroke, width: 2, dash, spanGaps: true, points: { show: true, size: 7, fill: stroke } });
    return new uPlot({
      width: widthOf(box), height, cursor: { show: false }, legend: { show: false },
      scales: { x: { time: false, range: [Math.min(0, ...[...model, ...simulated].map(([loss]) => loss)), right] }, y: { distr: 3, range: [0.005, 100] } },
      axes: [
        { ...axis, values: (_, ticks) => ticks.map((t) => plain(t, t % 1 === 0 ? 0 : 1) + " %"), label: "loss", labelSize: 20, labelFont: axis.font, size: 34 },
        { ...axis, values: (_, ticks) => ticks.map((t) => ([100, 10, 1, 0.1, 0.01].some((x) => Math.abs(t / x - 1) < 1e-6) ? t + " %" : "")), size: 58 },
      ],
      series: [{}, line("model", color("--accent"), []), line("simulation", color("--second"), [5, 4])],
      hooks: {
        draw: [(u) => {
          if (reach === null || reach > right) return;
          const x = u.valToPos(reach, "x", true), ctx = u.ctx;
          ctx.save();
          ctx.strokeStyle = color("--bad");
          ctx.lineWidth = 2 * devicePixelRatio;
          ctx.setLineDash([6, 4]);
          ctx.beginPath();
          ctx.moveTo(x, u.bbox.top);
          ctx.lineTo(x, u.bbox.top + u.bbox.height);
          ctx.stroke();
          ctx.restore();
        }],
      },
    }, [xs, series[0], series[1]] as uPlot.AlignedData, box);
  });
}

/** Draws the cumulative breaches of one VaR level over time, long and short, beside the expected number. */
export function coverageChart(c: Coverage, level: number): Chart | null {
  const { from, to } = c;
  const rows = c.results.map((r, i): [CoverageRow, number[]] => [r, c.hit_times[i]!]).filter(([r]) => r.level === level);
  if (from === null || to === null || to === from) return null;
  const box = h("div", { class: "chart", "aria-hidden": "true" });
  const wanted = (1 - level) * rows[0]![0].n;
  const element = h("div", {},
    h("h3", {}, `Breaches of the ${pct(100 * level, 0)} VaR since ${day(from)}`), box,
    h("p", { class: "legend" }, h("span", { class: "key-model" }, `long: ${rows[0]![0].hits}`), h("span", { class: "key-simulated" }, `short: ${rows[1]![0].hits}`), h("span", { class: "key-wanted" }, `wanted: ${plain(wanted, 1)}`)),
    h("details", {}, h("summary", {}, "The days as a table"),
      table(`Days after whose 00:00 UTC the loss exceeded the ${pct(100 * level, 0)} VaR`, ["Side", "Days"], rows.map(([r, times]) => [r.side, { text: times.map(day).join(", ") || "none", class: "text" }]))));
  // Steps: a line rises by one at each breach.
  const stepped = rows.map(([, times]) => [[from, ...times, to], [0, ...times.map((_, i) => i + 1), times.length]] as uPlot.AlignedData);
  const data = uPlot.join([...stepped, [[from, to], [0, wanted]] as uPlot.AlignedData]);
  return live(element, box, () => {
    const axis = axisOf(box), steps = uPlot.paths.stepped!({ align: 1 });
    const line = (label: string, color: string, dash: number[]) => ({ label, stroke: colorOf(box, color), width: 2, dash, spanGaps: true, points: { show: false } });
    return new uPlot({
      width: widthOf(box), height, ms: 1, cursor: { show: false }, legend: { show: false },
      axes: [{ ...axis, space: 100, values: (_, ticks) => ticks.map(day) }, { ...axis, incrs: [1, 2, 5, 10, 20, 50, 100, 200] }],
      series: [{}, { ...line("long", "--accent", []), paths: steps }, { ...line("short", "--second", [5, 4]), paths: steps }, line("wanted", "--quiet", [2, 3])],
    }, data, box);
  });
}

/** Returns points in uPlot's form: rising losses, then their chances. Of equal losses, which a
 * simulation with capped losses has, it keeps the largest chance. */
function columnsOf(points: Point[]): uPlot.AlignedData {
  const best = new Map<number, number>();
  for (const [loss, chance] of points) best.set(loss, Math.max(chance, best.get(loss) ?? 0));
  const xs = [...best.keys()].sort((a, b) => a - b);
  return [xs, xs.map((x) => best.get(x)!)];
}
