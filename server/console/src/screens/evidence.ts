// Can the forecasts be believed: how often they were exceeded, all assets together and each.

import { ask, type CalibrationHealth, type Coverage, type Health } from "../api";
import { card, type Child, fill, h, headed, icon, s, table, tr, unseen, withNote } from "../dom";
import { age, count, day, fixed } from "../format";
import { verdicts } from "../names";
import { patch } from "../patch";
import type { Context, Screen } from "../screen";
import { Answer } from "../store";
import { OwnRecord } from "./accuracy";
import {
  type AssetRecord,
  cellText,
  judge,
  judgeCell,
  oneIn,
  type Rate,
  rejectedBy,
  rowName,
  sorted,
  verdictOf,
  wanted,
  withinChance,
} from "./coverage";
import { onClick, segments, Stage, stepRows, verdictCard } from "./parts";
import { bins, brier, byVerdict } from "./record";
import { calibrationPicture, daysPicture } from "./recordpicture";

const readEvery = 60_000,
  goneMs = 24 * 3_600_000; // the record changes once a day
const shownFirst = 16; // assets, before the reader asks for all

interface Seen {
  record: CalibrationHealth;
  simulated: boolean;
  byName: boolean;
  all: boolean;
  opened: Coverage | null;
  openName: string;
  at: number; // ms since 1970
  own: HTMLElement | null; // what became of the service's own answers
}

export const evidence: Screen = {
  name: "evidence",
  title: "Evidence",
  mount(root, ctx) {
    const answer = new Answer<CalibrationHealth>(goneMs),
      body = h("div", { class: "grid" });
    const stage = new Stage(ctx, answer, body, "the record");
    let simulated = false,
      opened: Coverage | null = null,
      openName = "";
    fill(root, stage.element);
    const own: OwnRecord = new OwnRecord(ctx, () => draw());
    const draw = () => {
      if (answer.value)
        patch(
          body,
          ...drawn({
            record: answer.value,
            simulated,
            byName: ctx.params().get("sort") === "name",
            all: ctx.params().get("all") === "1",
            opened,
            openName,
            at: Date.now(),
            own: own.card(),
          }),
        );
    };
    const open = async (asset: string) => {
      openName = asset;
      opened = null;
      draw();
      if (asset === "") return;
      try {
        const c = await ask<Coverage>("/v1/backtest/" + encodeURIComponent(asset));
        if (openName === asset) opened = c;
      } catch {
        if (openName === asset) openName = "";
      }
      draw();
    };
    ctx.poll(
      readEvery,
      async (signal) => {
        answer.set(await ask<CalibrationHealth>("/v1/calibration/health", { signal }), [
          { name: "record", ageMs: 0, softMs: 2 * readEvery },
        ]);
        stage.arrived();
        draw();
        ctx.say(verdictOf(answer.value!.pooled).title);
      },
      (f) => stage.failed(f),
    );
    void ask<Health>("/health", { fine: [503] }).then(
      (x) => {
        simulated = x.venue.kind === "simulated";
        draw();
      },
      () => {},
    );
    controls(body, ctx, draw, open);
    const fromAddress = () => void open(ctx.params().get("a") ?? "");
    ctx.onParams(fromAddress);
    ctx.onTick(draw);
    fromAddress();
    return () => stage.end();
  },
};

function controls(body: HTMLElement, ctx: Context, draw: () => void, open: (asset: string) => Promise<void>) {
  onClick(body, "data-value", (b) => {
    ctx.setParams({ sort: b.dataset.value === "name" ? "name" : null });
    draw();
  });
  onClick(body, "data-all", () => {
    ctx.setParams({ all: "1" });
    draw();
  });
  onClick(body, "data-open", (row) => {
    const asset = ctx.params().get("a") === row.dataset.open ? null : row.dataset.open!;
    ctx.setParams({ a: asset });
    void open(asset ?? "");
  });
  ctx.keys({ j: () => stepRows(body, 1), k: () => stepRows(body, -1) });
}

function drawn(x: Seen): HTMLElement[] {
  const v = verdictOf(x.record.pooled);
  const tag =
    x.simulated &&
    h(
      "div",
      { class: "right small" },
      h("span", { class: "tag sim" }, "history of the simulator"),
      h("div", { class: "t3" }, "says nothing about mainnet"),
    );
  return [
    verdictCard(v.kind, v.title, v.sentence, tag),
    h(
      "div",
      { class: "evidencecolumns" },
      h("div", { class: "grid" }, pooledCard(x), assetsCard(x)),
      h("div", { class: "grid" }, calibrationCard(), x.own),
    ),
  ];
}

/** A rate on a scale around what was wanted, with the range of chance. */
function rateBar(r: Rate): SVGElement {
  const w = 300,
    want = wanted(r),
    half = withinChance(r),
    most = Math.max(2.4 * want, 1.1 * r.rate, want + 1.2 * half),
    x = (v: number) => (Math.max(0, v) / most) * w;
  return s(
    "svg",
    { class: "chart ratebar", viewBox: `0 0 ${w} 20`, width: w, height: 20, "aria-hidden": "true" },
    s("rect", { class: "track", y: 7, width: w, height: 6, rx: 2 }),
    s("rect", { class: "band", x: x(want - half), y: 3, width: x(want + half) - x(want - half), height: 14 }),
    s("path", { class: "wanted", d: `M${x(want)} 1v18` }),
    r.n > 0 ? s("circle", { class: `point ${judge(r).kind}`, cx: x(r.rate), cy: 10, r: 5 }) : null,
  );
}

const tagOf = (kind: string, word: Child) => h("span", { class: `tag ${kind}` }, kind !== "" && icon(kind, 12), word);

function pooledCard({ record: c, at }: Seen): HTMLElement {
  const most = Math.max(0, ...c.assets.map((a) => a.results[0]?.n ?? 0)),
    bars = c.assets.map((a) => a.last_bar).filter((t): t is number => t !== null);
  const newest =
    bars.length === 0 ? "" : `, newest bar closed ${age(Math.max(0, at - Math.max(...bars) - 3_600_000))} ago`;
  const fits =
    c.assets_failed > 0
      ? `${count(c.assets_failed)} failed`
      : c.assets_old > 0
        ? `${count(c.assets_old)} old`
        : `all ${count(c.assets_calibrated)} fine`;
  return card(
    "Was the loss exceeded as often as promised?",
    `all assets, 24 h, one forecast a day, up to ${count(most)} days`,
    table(
      "Breaches of all assets together",
      [
        ...["Forecast", "exceeded", "wanted", "share", ""],
        h("th", { scope: "col", class: "left wide" }, "shaded: within chance (99 %)"),
        unseen("Verdict"),
      ],
      c.pooled.map((r) => {
        const j = judge(r);
        return tr(
          {},
          `${r.side === "long" ? "Long" : "Short"}, ${oneIn(r)}`,
          count(r.hits),
          h("td", { class: "t3" }, count(r.n * wanted(r))),
          h("td", { class: j.kind === "ok" ? "" : j.kind }, h("b", {}, fixed(100 * r.rate, 2) + " %")),
          h("td", { class: "t3" }, fixed(100 * wanted(r), 0) + " %"),
          h("td", { class: "left wide" }, rateBar(r)),
          h("td", { class: "left judgement" }, tagOf(j.kind, j.word)),
        );
      }),
      "pooled",
    ),
    h(
      "p",
      { class: "note" },
      `Days of different assets fall together: the true band is wider than the shaded one. Fits: ${fits}${newest}.`,
    ),
  );
}

function assetRow(a: AssetRecord, x: Seen): HTMLElement[] {
  const open = x.openName === a.asset;
  const row = tr(
    { "data-key": a.asset, "data-open": a.asset, class: open ? "chosen" : null },
    h("button", { type: "button", class: "link rowlink", "aria-expanded": String(open) }, a.asset),
    ...a.results.map((r) => {
      const j = judgeCell(r);
      return h(
        "td",
        { class: j.kind },
        h("span", { class: j.kind === "" ? "" : "bold" }, cellText(r)),
        j.test !== "" && h("span", { class: "tiny t3" }, " " + j.test),
      );
    }),
    h("td", { class: "left small t2 why" }, rejectedBy(a)),
  );
  return open ? [row, daysRow(a, x)] : [row];
}

const dates = (times: number[]) => h("td", { class: "left wraps" }, times.map(day).join(", ") || "none");

function daysRow(a: AssetRecord, x: Seen): HTMLElement {
  const c = x.opened?.asset === a.asset ? x.opened : null;
  const line = (r: Coverage["results"][number], i: number) =>
    h(
      "div",
      { class: "row small t2 days" },
      h("span", { class: "dayname" }, `${rowName(r)}: ${count(r.hits)} of ${count(r.n)} days`),
      daysPicture(c!.from!, c!.to!, c!.hit_times[i]!, rowName(r)),
    );
  return h(
    "tr",
    { class: "opened", "data-key": a.asset + " opened" },
    h(
      "td",
      { colspan: 6, class: "left" },
      c === null
        ? h("span", { class: "skeleton line" })
        : c.from === null || c.to === null
          ? "No forecast yet."
          : h(
              "div",
              {},
              ...c.results.map(line),
              h(
                "p",
                { class: "small t3" },
                `${day(c.from)} to ${day(c.to)}; each mark is a day whose loss was larger than the forecast.`,
              ),
              h(
                "details",
                {},
                h("summary", { class: "small" }, "The days as a table"),
                h("table", {}, h("tbody", {}, ...c.results.map((r, i) => tr({}, rowName(r), dates(c.hit_times[i]!))))),
              ),
            ),
    ),
  );
}

function assetsCard(x: Seen): HTMLElement {
  const c = x.record,
    list = sorted(c.assets, x.byName),
    shown = x.all ? list : list.slice(0, shownFirst);
  const more = list.length - shown.length;
  if (x.openName !== "" && !shown.some((a) => a.asset === x.openName))
    shown.push(...list.filter((a) => a.asset === x.openName));
  return h(
    "section",
    { class: "card" },
    headed(
      withNote(
        "Each asset",
        `of ${count(list.length)}: ${count(c.ok)} within chance, ${count(c.warning)} doubtful, ` +
          `${count(c.failing)} rejected, ${count(c.insufficient_data)} too short. ` +
          "Eight tests each: a third of right models is doubted.",
      ),
      segments(
        "sort",
        "Order of the assets",
        [
          ["worst", "worst first"],
          ["name", "name"],
        ],
        x.byName ? "name" : "worst",
      ),
    ),
    table(
      "Breaches of each asset",
      [
        ...["Asset", "long 1 in 20", "long 1 in 100", "short 1 in 20", "short 1 in 100"],
        h("th", { scope: "col", class: "left why" }, "rejected by"),
      ],
      shown.flatMap((a) => assetRow(a, x)),
      "records",
    ),
    more > 0 &&
      h("p", { class: "note" }, h("button", { type: "button", class: "link", "data-all": "" }, `${more} more`)),
    h(
      "p",
      { class: "note" },
      h("b", {}, "count"),
      ": too many or too few (Kupiec); ",
      h("b", {}, "clusters"),
      ": they come together (Christoffersen). Amber: rejected at 5 %, red: at 1 %.",
    ),
  );
}

function calibrationCard(): HTMLElement {
  const named = bins.find(([name]) => name === "20-40 %")!,
    total = bins.reduce((a, b) => a + b[1], 0),
    few = (v: number) => (v < 1 ? fixed(v, 2) : fixed(v, 1)) + " %";
  return h(
    "section",
    { class: "card calibration" },
    headed("Did “35 %” mean 35 %?", `${count(total)} positions`),
    calibrationPicture(bins, "Chance told against share liquidated, in eight bins: all lie near the diagonal"),
    h(
      "p",
      { class: "note" },
      `Recorded prices of 8 assets, 2021 to 2026: of positions told 20 to 40 %, ${fixed(named[2], 1)} % were `,
      `liquidated (told on average ${fixed(named[3], 1)}). Brier score ${fixed(brier.chance, 3)} against `,
      `${fixed(brier.constant, 3)} of a constant.`,
    ),
    h("h3", {}, "By verdict"),
    table(
      "By verdict",
      [unseen("Verdict"), "positions", "told", "liquidated"],
      byVerdict.map(([id, n, happened, told]) =>
        tr({}, tagOf(verdicts[id]!.kind, verdicts[id]!.word), count(n), few(told), h("b", {}, few(happened))),
      ),
    ),
    h("p", { class: "note" }, "On the worst days one Proceed in ten was liquidated: all assets fall together."),
  );
}
