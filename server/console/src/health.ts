// The health of the service: venue, age of data, calibration.

import { ask, type CalibrationHealth, type Health, hasKey } from "./api";
import { type Cell, h, table } from "./dom";
import { age, clock, plain, words } from "./format";
import { poll } from "./poll";

const meaning: Record<string, string> = {
  ok: "Everything is as it should be.",
  starting: "Market and history are still being loaded. Requests wait or are answered 503.",
  degraded: "Something is not as it should be: venue, clock, keys, or too few assets with fresh data. Answers that are given carry their ages.",
  draining: "The service is shutting down.",
};

export function health() {
  const service = h("div"), fits = h("div");
  const services = poll(2000, async () => service.replaceChildren(drawn(await ask<Health>("/health", undefined, [503]))), service);
  const records = poll(60_000, async () => {
    if (hasKey()) fits.replaceChildren(drawnFits(await ask<CalibrationHealth>("/v1/calibration/health")));
  }, fits);
  const element = h("section", { "aria-labelledby": "health-title" }, h("h1", { id: "health-title" }, "Health"), service, fits);
  return { element, start: () => (services.start(), records.start()), stop: () => (services.stop(), records.stop()) };
}

function drawn(s: Health): HTMLElement {
  const facts: [string, string, string?][] = [
    ["Venue", s.venue.name], ["Connection", s.venue.connected ? "connected" : "not connected", s.venue.connected ? "" : "bad"], ["Last message", age(s.venue.last_message_age_ms) + " ago"],
    ["Clock against the venue", plain(s.venue.clock_skew_ms, 0) + " ms"], ["Assets listed", plain(s.assets.listed, 0)],
    ["With fresh data", plain(s.assets.fresh, 0), s.assets.fresh < s.assets.listed ? "warn" : ""], ["Calibrated", plain(s.assets.calibrated, 0), s.assets.calibrated < s.assets.listed ? "warn" : ""],
    ["Alert sockets", plain(s.alerts.connections, 0)], ["Subscriptions", plain(s.alerts.subscriptions, 0)], ["Up for", age(s.uptime_s * 1000)], ["Version", s.version], ["Engine", s.engine_version],
  ];
  return h("section", { class: "card" },
    h("h2", {}, `Service: ${s.status}${s.ready ? "" : ", not ready"}`), h("p", {}, meaning[s.status] ?? ""),
    h("dl", { class: "facts" }, ...facts.map(([k, v, c]) => h("div", {}, h("dt", {}, k), h("dd", { class: c ?? "" }, v)))));
}

function drawnFits(c: CalibrationHealth): HTMLElement {
  const failed = c.assets.filter((a) => a.fit_error !== null);
  const oldest = c.assets.reduce((t, a) => (a.last_bar !== null && a.last_bar < t ? a.last_bar : t), Infinity);
  return h("section", { class: "card" },
    h("h2", {}, `Calibration: ${c.assets_calibrated} assets, ${c.assets_failed} failed`),
    h("p", {}, Number.isFinite(oldest) ? `Model ${c.model}; the oldest fit ends with the hour from ${clock(new Date(oldest).toISOString())}.` : `Model ${c.model}; no asset has history yet.`),
    failed.length > 0 ? table("Fits that failed; the last good one stands", ["Asset", "Error"], failed.map((a): Cell[] => [a.asset, { text: a.fit_error, class: "text" }])) : null,
    h("details", {}, h("summary", {}, "Every fit"), table("Fits", ["Asset", "Last hour", "Hours", "Fitted in", "Record"], c.assets.map((a): Cell[] => [
      a.asset, a.last_bar === null ? "–" : clock(new Date(a.last_bar).toISOString()), plain(a.bars, 0), plain(a.fit_ms, 0) + " ms", words(a.status)]))));
}
