// Is the service well, and if not until when. Works without a key.

import { ask, type Asset, type CalibrationHealth, type Health, hasKey } from "../api";
import { card, fill, h, headed, label, picture, pictureWidth, s as svg, scrollBox, table, tr } from "../dom";
import { age, count, fixed, none, pct } from "../format";
import { patch } from "../patch";
import type { Screen } from "../screen";
import { Answer, since } from "../store";
import { type Headline, headline, readyShare, upFor, weights } from "./healthwords";
import { meter, Stage, verdictCard } from "./parts";

const skewLimitMs = 2000;
const readMs = 1000, // ages are read so often, and count up when that fails
  fitsEvery = 60_000;

/** An age of the venue's data, with its limit. */
interface Aged {
  name: string;
  ms: number | null;
  limitMs: number;
}

export const health: Screen = {
  name: "health",
  title: "Health",
  open: true,
  mount(root, ctx) {
    const answer = new Answer<Health>(),
      body = h("div", { class: "grid" });
    const stage = new Stage(ctx, answer, body, "the service");
    const listed = new Answer<Asset[]>(),
      fits = new Answer<CalibrationHealth>(Infinity);
    fill(root, stage.element);
    const draw = () => {
      const s = answer.value;
      if (!s || answer.state() === "gone") return;
      const gone = since(answer.received),
        moved = {
          ...s,
          venue: {
            ...s.venue,
            last_message_age_ms: s.venue.last_message_age_ms === null ? null : s.venue.last_message_age_ms + gone,
          },
        };
      patch(
        body,
        top(moved, answer.state() === "fresh" ? headline(moved) : unheard(gone), gone),
        h(
          "div",
          { class: "thirds" },
          venueCard(moved, [
            ...(listed.value ? agesOf(listed.value, Math.max(0, since(listed.received) - readMs)) : []),
            ...walletsOf(s),
          ]),
          weightCard(s),
          serviceCard(s, gone),
        ),
        hourCard(s),
        fits.value && fitsCard(fits.value, fits.state() === "fresh"),
      );
    };
    ctx.poll(
      2000,
      async (signal) => {
        answer.set(await ask<Health>("/health", { signal, fine: [503] }), [
          { name: "service", ageMs: 0, softMs: 2000 },
        ]);
        stage.arrived();
        draw();
      },
      (f) => stage.failed(f),
    );
    if (hasKey()) {
      ctx.poll(readMs, async (signal) => {
        listed.set((await ask<{ assets: Asset[] }>("/v1/assets", { signal })).assets, []);
      });
      ctx.poll(fitsEvery, async (signal) => {
        const found = await ask<CalibrationHealth>("/v1/calibration/health", { signal });
        fits.set(found, [{ name: "fits", ageMs: 0, softMs: 2 * fitsEvery }]);
      });
    }
    ctx.onTick(draw);
    ctx.keys({ r: () => draw() });
    return () => stage.end();
  },
};

const unheard = (gone: number): Headline => ({
  kind: "stop",
  title: "The service does not answer",
  sentence: `What stands here is of ${age(gone)} ago. How the venue is now is not known.`,
});

function top(s: Health, head: Headline, gone: number): HTMLElement {
  const share = s.warmup.share_with_history ?? s.warmup.open_interest_share,
    loading = s.warmup.complete_in_s !== 0 || !s.ready;
  const began = new Date(Date.now() - gone - 1000 * s.uptime_s).toISOString().slice(11, 19);
  const side =
    loading &&
    h(
      "div",
      { class: "warmup" },
      h(
        "div",
        { class: "row small" },
        h("span", { class: "grow" }, "open interest with history"),
        h("b", {}, pct(Math.floor(1000 * share) / 10)),
      ),
      meter(360, share, "caution", readyShare),
      h(
        "div",
        { class: "row tiny t3" },
        h("span", { class: "grow" }, `since ${began} UTC`),
        h("span", {}, `tick: ready at ${100 * readyShare} %`),
      ),
    );
  return verdictCard(head.kind, head.title, head.sentence, side);
}

/** The oldest of each kind of price among all assets. */
function agesOf(list: Asset[], gone: number): Aged[] {
  const oldest = (
    name: string,
    of: (a: Asset) => number | null | undefined,
    cadence: (a: Asset) => number | null | undefined,
    standard: number,
  ): Aged => {
    const known = list.map(of).filter((x): x is number => x !== null && x !== undefined);
    const limit = Math.max(standard, ...list.map((a) => (cadence(a) ?? 0) + 950));
    return { name, ms: known.length === 0 ? null : Math.max(...known) + gone, limitMs: limit };
  };
  return [
    oldest(
      `Best prices, oldest of ${list.length}`,
      (a) => a.book?.age_ms,
      (a) => a.book?.cadence_ms,
      1500,
    ),
    oldest(
      "Mark prices",
      (a) => a.mark_age_ms,
      () => null,
      2000,
    ),
    oldest(
      "Depth",
      (a) => a.book?.depth_age_ms,
      (a) => a.book?.depth_cadence_ms,
      6300,
    ),
  ];
}

/** The oldest wallet behind an answer of the last minute; none while nobody asks. */
function walletsOf({ ages: { wallets: w } }: Health): Aged[] {
  if (w.oldest_s === null) return [];
  return [{ name: "Wallets, oldest of the last minute", ms: 1000 * w.oldest_s, limitMs: 1000 * w.limit_s }];
}

function venueCard(s: Health, ages: Aged[]): HTMLElement {
  const v = s.venue,
    rows: Aged[] = [{ name: "Last message", ms: v.last_message_age_ms, limitMs: 5000 }, ...ages];
  const row = (name: string, value: string, limit: string, fine: boolean) =>
    tr(
      { "data-key": name.replace(/\d+/, "") },
      h("th", { scope: "row" }, h("span", { class: fine ? "dot" : "dot caution" }), " ", name),
      h("td", { class: fine ? "" : "caution" }, h("b", {}, value)),
      h("td", { class: "t3" }, limit),
    );
  const kind =
    v.kind === "simulated" ? h("span", { class: "tag sim" }, "simulated") : h("span", { class: "tag" }, v.kind);
  const e = v.last_error;
  return h(
    "section",
    { class: "card" },
    headed("Venue", kind),
    table("Ages of the venue's data", ["Feed", "age", "limit"], [
      ...rows.map((r) =>
        row(r.name, r.ms === null ? "unknown" : age(r.ms), age(r.limitMs), r.ms !== null && r.ms <= r.limitMs),
      ),
      row(
        "Clock against the venue",
        `${count(v.clock_skew_ms)} ms`,
        age(skewLimitMs),
        Math.abs(v.clock_skew_ms) <= skewLimitMs,
      ),
    ]),
    h(
      "p",
      { class: "note" },
      e === null
        ? "Last error: none since the start."
        : `Last error, ${e.at.slice(0, 10)} ${e.at.slice(11, 19)} UTC: ${e.text}.`,
      ` Connections lost: ${count(v.reconnects)}.`,
    ),
    v.notice !== null && h("p", { class: "note" }, `The venue says: ${v.notice}`),
  );
}

function weightCard(s: Health): HTMLElement | null {
  const w = weights(s),
    streams = s.venue.wallet_streams;
  const rows: [string, string][] = w ? w.kinds.map(([k, x]) => [k, count(x)]) : [];
  if (streams) {
    const { p50, p90 } = streams.gap_ms;
    rows.push(["wallets followed by streams", `${streams.followed} of ${streams.limit}`]);
    if (p50 !== null && p90 !== null)
      rows.push(["time between two of their states: median, 90 %", `${age(p50)}, ${age(p90)}`]);
  }
  return card(
    "Requests to the venue",
    w ? "weight of the last minute" : "",
    w &&
      h(
        "div",
        { class: "row" },
        h("span", { class: "figure" }, count(w.sum)),
        h("span", { class: "t2" }, w.limit === null ? "no limit" : `of ${count(w.limit)}`),
      ),
    w && w.limit !== null && meter(426, w.sum / w.limit, w.sum > 0.9 * w.limit ? "caution" : ""),
    facts(rows),
  );
}

const facts = (rows: [string, string][]) =>
  h("table", {}, h("tbody", {}, ...rows.map(([k, v]) => tr({ "data-key": k }, k, h("b", {}, v)))));

const journalText = ({ journal: j }: Health) =>
  j.mode === "off" ? "not kept" : `${count(j.recorded)}, ${count(j.dropped)}`;

const switchText = ({ kill_switch: k }: Health) =>
  k === null
    ? "not read yet"
    : !k.on
      ? "off"
      : k.since === null
        ? "on"
        : `on since ${k.since.slice(0, 10)} ${k.since.slice(11, 16)} UTC`;

const lastMinute = (m: Health["answers"]["last_minute"]) =>
  m ? count(m.validations) + (m.p99_us === null ? "" : `, p99 ${fixed(m.p99_us / 1000, m.p99_us < 9995 ? 2 : 0)} ms`) : none;

function serviceCard(s: Health, gone: number): HTMLElement {
  const leader = s.feed?.leader,
    leads =
      leader === undefined || leader === null
        ? null
        : typeof leader === "string"
          ? leader
          : leader
            ? "this one"
            : "another replica";
  const rows: [string, string][] = [
    ["Version", s.version],
    ["Engine", s.engine_version],
    ["Up", upFor(s, gone)],
    ...(leads === null ? [] : [["Leads the shared feed", leads] as [string, string]]),
    [
      "Assets listed, fresh, with a fit",
      `${count(s.assets.listed)}, ${count(s.assets.fresh)}, ${count(s.assets.calibrated)}`,
    ],
    ["Validations, last minute", lastMinute(s.answers.last_minute)],
    ["Trades assessed since the start", count(s.answers.assessed)],
    ["Refused: overload, stale data", `${count(s.answers.overloaded)}, ${count(s.answers.stale)}`],
    ["Decisions recorded, lost", journalText(s)],
    ["Alert sockets", `${count(s.alerts.connections)}, ${count(s.alerts.subscriptions)} subscriptions`],
    ["Kill switch", switchText(s)],
  ];
  return card("This service", null, facts(rows));
}

/** The oldest age of each minute of the last hour, with its limit. */
function hourCard(s: Health): HTMLElement | null {
  const a = s.ages;
  if (!a || a.last_hour.length === 0) return null;
  const width = pictureWidth((page) => Math.min(1758, page - 68)),
    height = 96,
    left = 44,
    known = a.last_hour.filter((x): x is number => x !== null),
    limit = a.limit_s ?? 1.5;
  const most = Math.max(limit, ...known) * 1.15,
    x = (i: number) => left + (i / Math.max(1, a.last_hour.length - 1)) * (width - left - 4),
    y = (v: number) => height - 16 - (v / most) * (height - 28);
  let line = "",
    pen = "M";
  a.last_hour.forEach((v, i) => {
    if (v !== null) line += `${pen}${x(i).toFixed(1)} ${y(v).toFixed(1)}`;
    pen = v === null ? "M" : "L";
  });
  const worst = known.length === 0 ? "no minute is known yet" : `the oldest was ${age(1000 * Math.max(...known))}`;
  return card(
    "Last hour",
    "age of the oldest best price, s; the dashed line is the soft limit",
    picture(
      "hour",
      width,
      height,
      `Age of the oldest best price by minute: ${worst}; the limit is ${age(1000 * limit)}`,
      svg("path", { class: "limit", d: `M${left} ${y(limit)}H${width}` }),
      svg("path", { class: "zero", d: `M${left} ${y(0)}H${width}` }),
      label("tick t3", left - 6, y(limit) + 4, age(1000 * limit), "end"),
      y(0) - y(limit) > 14 && label("tick t3", left - 6, y(0) + 4, "0", "end"),
      svg("path", { class: "ages", d: line }),
    ),
  );
}

const hourOf = (at: number) => new Date(at).toISOString().slice(0, 16).replace("T", " ");

function fitsCard(c: CalibrationHealth, fresh: boolean): HTMLElement {
  const failed = c.assets.filter((a) => a.fit_error !== null),
    bars = c.assets.map((a) => a.last_bar).filter((x): x is number => x !== null);
  const newest =
    bars.length === 0
      ? "no asset has history yet"
      : `the oldest fit ends at ${hourOf(Math.min(...bars) + 3_600_000)} UTC`;
  return h(
    "section",
    { class: fresh ? "card" : "card stale" },
    headed("Fits", fresh ? `model ${c.model}` : "as last read; asking again"),
    h(
      "p",
      { class: "t2" },
      `${count(c.assets_calibrated)} assets are fitted, ${count(c.assets_failed)} failed, `,
      `${count(c.assets_old)} old; ${newest}.`,
    ),
    failed.length > 0 &&
      scrollBox(
        "Fits that failed",
        table(
          "Fits that failed; the last good one stands",
          ["Asset", h("th", { scope: "col", class: "left" }, "Why the newest fit failed; the last good one stands")],
          failed.map((a) => tr({}, a.asset, h("td", { class: "left" }, a.fit_error!))),
        ),
      ),
  );
}
