// The backtest of the 24-hour VaR: each day's forecast compared with the actual loss.

import { ask, type CalibrationHealth, type Coverage, type CoverageRow, errorBox } from "./api";
import { coverageChart } from "./chart";
import { bar, type Cell, h, setText, table } from "./dom";
import { day, pct, plain, words } from "./format";

export function evidence() {
  const body = h("div");
  const said = h("p", { class: "quiet", role: "status" });
  const load = async () => {
    setText(said, "Reading…");
    try {
      body.replaceChildren(...drawn(await ask<CalibrationHealth>("/v1/calibration/health"), (asset) => void overTime(asset)));
    } catch (cause) {
      body.replaceChildren(errorBox(cause));
    }
    setText(said, "");
  };
  // The breaches of one asset over time.
  const single = h("div", { tabindex: -1 });
  let charts: ReturnType<typeof coverageChart>[] = [];
  const overTime = async (asset: string) => {
    charts.forEach((c) => c?.stop());
    charts = [];
    try {
      const c = await ask<Coverage>("/v1/backtest/" + encodeURIComponent(asset));
      charts = [0.99, 0.95].map((level) => coverageChart(c, level));
      single.replaceChildren(h("section", { class: "card" }, h("h2", {}, `${asset} over time: ${words(c.status)}`),
        ...(charts[0] ? charts.map((c) => c!.element) : [h("p", {}, "It has no forecast whose day is over: that needs a year of hours.")])));
      charts.forEach((c) => c?.draw());
    } catch (cause) {
      single.replaceChildren(errorBox(cause));
    }
    single.focus();
    single.scrollIntoView({ block: "start" });
  };
  const element = h("section", { "aria-labelledby": "evidence-title" },
    h("h1", { id: "evidence-title" }, "Evidence"),
    h("p", {}, "The loss of a day should exceed the 95 % VaR on 5 days of 100, and the 99 % VaR on 1 of 100. More: the forecast was too low; fewer: too high."),
    h("div", { class: "row" }, h("button", { type: "button", click: load }, "Read again"), said), single, body);
  return { element, start: () => void load(), stop: () => charts.forEach((c) => c?.stop()) };
}

type Rate = Pick<CoverageRow, "side" | "level" | "hits" | "n" | "rate">;
const want = (r: Rate) => 1 - r.level;
const title = (r: Rate) => `${r.side} ${pct(100 * r.level, 0)}`;
const order = ["failing", "warning", "ok", "insufficient_data"];

/** A bar of the breach rate. Its full width is three times the expected rate, which has a mark. */
function breachBar(r: Rate): HTMLElement {
  const filled = bar(r.rate / (3 * want(r)));
  filled.append(h("span", { class: "target" }));
  return filled;
}

function drawn(c: CalibrationHealth, open: (asset: string) => void): HTMLElement[] {
  const rate = (r: CoverageRow): Cell => {
    const p = Math.min(r.kupiec_p ?? 1, r.christoffersen_p ?? 1);
    return { text: r.n === 0 ? "–" : h("span", { title: `${r.hits} of ${r.n} days; Kupiec p ${plain(r.kupiec_p)}, Christoffersen p ${plain(r.christoffersen_p)}` }, pct(100 * r.rate)), class: r.n >= 100 && p < 0.01 ? "bad" : r.n >= 100 && p < 0.05 ? "warn" : "" };
  };
  const assets = c.assets.slice().sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status) || a.asset.localeCompare(b.asset));
  return [
    h("section", { class: "card" }, h("h2", {}, `All assets together: ${words(c.status)}`),
      table(`Breaches of the model ${c.model}`, ["Forecast", "", "Breaches", "Wanted", "Days"], c.pooled.map((r) => [title(r), { text: breachBar(r), class: "wide" }, { text: h("span", { title: `Kupiec p ${plain(r.kupiec_p)}` }, pct(100 * r.rate)), class: r.breached ? "bad" : "" }, pct(100 * want(r), 0), plain(r.n, 0)])),
      h("p", { class: "quiet" }, `${c.ok} assets ok, ${c.warning} warned of, ${c.failing} failing, ${c.insufficient_data} with under 100 days. Each asset has eight tests, so of correct models about a third is warned of.`)),
    h("section", { class: "card" }, h("h2", {}, "Each asset"),
      table("Breaches; orange: rejected at 5 %, red: at 1 %", ["Asset", "Status", ...(c.assets[0]?.results ?? []).map(title), "Days", "From", "To"], assets.map((a): Cell[] => [
        { text: h("button", { type: "button", class: "link", title: "Draws the breaches over time", click: () => open(a.asset) }, a.asset) }, { text: words(a.status), class: a.status === "failing" ? "bad" : a.status === "warning" ? "warn" : "" }, ...a.results.map(rate), plain(a.results[0]?.n ?? 0, 0), day(a.from), day(a.to)]))),
  ];
}
