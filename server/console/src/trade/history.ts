// What history would do to the position.

import type { Assessment } from "../api";
import { h, plot, s } from "../dom";
import { signedUSD, usd } from "../format";
import { scenarioName } from "../names";
import { measure } from "./measure";

type Result = Assessment["stress"][number];

const rowHeight = 25;

/** The width of the column of names, and of all, and the place of an amount. */
type Columns = { names: number; width: number; x: (usd: number) => number };

/** The position that ends the pool, when it is another than the trade's. */
const endedBy = (a: Assessment, r: Result) => (!r.survives && r.died_by !== a.meta.asset ? r.died_by : null);

/** What the scenario does to the position; nothing to one that is closed. */
const amount = (a: Assessment, r: Result) =>
  a.position.after === null ? "" : r.pnl_usd === 0 ? "0" : signedUSD(r.pnl_usd);

/** One scenario: its name, its bar from the zero line, its figure. */
function bar(a: Assessment, r: Result, i: number, { names, width, x }: Columns): SVGElement {
  const y = i * rowHeight,
    dead = !r.survives,
    from = x(Math.min(0, r.pnl_usd)),
    to = x(Math.max(0, r.pnl_usd)),
    name = scenarioName(r.scenario),
    other = endedBy(a, r);
  const fits = other !== null && measure(name, 12, i === 0) + measure(other, 11, false) + 16 < names;
  const kinds = `${i === 0 ? "bold" : ""} ${dead ? "stop" : ""}`,
    figure = { class: kinds, x: width - 18, y: y + 16, "text-anchor": "end" };
  const octagon = { class: "icon stop", x: width - 14, y: y + 6, width: 13, height: 13, viewBox: "0 0 24 24" };
  return s(
    "g",
    {},
    s("title", {}, `${r.scenario}: ${r.description}${other === null ? "" : `; ended by ${other}`}`),
    s("text", { class: i === 0 ? "bold" : "t2", x: 0, y: y + 16 }, name),
    s("rect", {
      class: dead ? "loss dead" : r.pnl_usd > 0 ? "gain" : "loss",
      x: from,
      y: y + 5,
      width: Math.max(1, to - from),
      height: rowHeight - 10,
      rx: 1.5,
    }),
    s("text", figure, amount(a, r)),
    fits && s("text", { class: "t3 tick", x: names - 6, y: y + 16, "text-anchor": "end" }, other), // else in the title
    dead && s("svg", octagon, s("use", { href: "#i-stop" })),
  );
}

/** The sentence under the bars. */
function note(a: Assessment): string {
  const dead = a.stress.filter((r) => !r.survives),
    equity = a.liquidation.pool_equity_usd;
  if (a.position.after === null)
    return `No position in ${a.meta.asset} is left to lose.${dead.length > 0 ? " Red: what stays is liquidated." : ""}`;
  if (dead.length === 0) return "All survive. Hollow: a gain. Bars turn red where the account or the position dies.";
  const isolated = a.position.after.mode === "isolated" && equity !== null && equity > 0;
  const margin = isolated ? `, its margin of ${usd(equity)} is gone` : "",
    other = dead.some((r) => endedBy(a, r) !== null) ? " A name: that position or pool ends first." : "";
  return `Red: the position is liquidated${margin}.${other}`;
}

/** All scenarios, the worst first; stale is said in place of the note. */
export function history(a: Assessment, width: number, stale: string): HTMLElement[] {
  const rows = a.stress.slice().sort((x, y) => x.pnl_usd - y.pnl_usd || Number(x.survives) - Number(y.survives)),
    height = rows.length * rowHeight;
  const widest = (say: (r: Result) => string) => Math.max(0, ...rows.map((r, i) => measure(say(r), 12, i === 0))),
    names = Math.max(148, 10 + widest((r) => scenarioName(r.scenario))),
    figures = Math.max(92, 28 + widest((r) => amount(a, r)));
  const lo = Math.min(0, ...rows.map((r) => r.pnl_usd)),
    hi = Math.max(0, ...rows.map((r) => r.pnl_usd)),
    room = Math.max(40, width - names - figures),
    x = (v: number) => names + ((v - lo) / (hi - lo || 1)) * room;
  const dead = rows.filter((r) => !r.survives).length,
    worst = scenarioName(rows[0]?.scenario ?? "");
  const chart = plot(
    "scenarios",
    width,
    height,
    `${dead} of ${rows.length} scenarios liquidate the position; the worst: ${worst}.`,
    ...rows.map((r, i) => bar(a, r, i, { names, width, x })),
    s("path", { class: "axis", d: `M${x(0)} 0V${height}` }),
  );
  return [h("div", {}, chart), h("p", { class: "note" }, stale || note(a))];
}

export function historyResult(a: Assessment): string {
  const dead = a.stress.filter((r) => !r.survives).length;
  return dead === 0 ? `survives all ${a.stress.length}` : `${dead} of ${a.stress.length} liquidate`;
}
