// What the breaches of the forecasts say. The verdict is that of the pooled rows, whatever the state of the fits.

import type { CalibrationHealth } from "../api";
import { count, fixed } from "../format";
import type { Kind } from "./parts";

export type Rate = Pick<CalibrationHealth["pooled"][number], "side" | "level" | "n" | "hits" | "rate" | "kupiec_p">;
export type Row = CalibrationHealth["assets"][number]["results"][number];
export type AssetRecord = CalibrationHealth["assets"][number];

const fewest = 100; // forecasts, below which no test tells anything
export const rejected = 0.01,
  doubted = 0.05; // p-values

/** The share of days on which the loss may exceed the forecast. */
export const wanted = (r: Pick<Rate, "level">) => Math.round(1e6 * (1 - r.level)) / 1e6;
export const oneIn = (r: Pick<Rate, "level">) => `1 in ${fixed(1 / wanted(r), 0)}`;

export interface Judgement {
  kind: Kind;
  word: string;
  low: boolean; // the forecast was too low
}

/** Judges a pooled row by Kupiec's test at 1 %. */
export function judge(r: Rate): Judgement {
  const low = r.rate > wanted(r);
  if (r.n < fewest) return { kind: "", word: "too short to judge", low: false };
  if (r.kupiec_p < rejected) return { kind: "stop", word: low ? "forecast too low" : "forecast too high", low };
  if (r.kupiec_p < doubted) return { kind: "caution", word: low ? "perhaps too low" : "perhaps too high", low };
  return { kind: "ok", word: "as promised", low: false };
}

/** Half the width of the range of chance: 99 % of correct forecasts have a share within it. */
export const withinChance = (r: Rate) => 2.576 * Math.sqrt((wanted(r) * (1 - wanted(r))) / Math.max(1, r.n));

const share = (x: number) => fixed(100 * x, 2).replace(/\.?0+$/, "") + " %";
const sentenceOf = (r: Rate) =>
  `The ${oneIn(r).replaceAll(" ", "-")} loss of a ${r.side} was exceeded on ${count(r.hits)} of ${count(r.n)} days, ` +
  `wanted ${count(r.n * wanted(r))} (${fixed(100 * r.rate, 2)} % instead of ${share(wanted(r))}).`;

export interface Verdict {
  kind: Kind;
  title: string;
  sentence: string;
}

/** The verdict on all assets together: that of the worst pooled row, in words. */
export function verdictOf(pooled: readonly Rate[]): Verdict {
  const seen = pooled.filter((r) => r.n >= fewest);
  if (seen.length === 0)
    return { kind: "", title: "Too short to judge", sentence: `No forecast has ${fewest} days behind it yet.` };
  const ratio = (r: Rate) => Math.abs(Math.log(Math.max(r.rate, 1e-6) / wanted(r)));
  const bad = (kind: Kind, low: boolean) =>
    seen.filter((r) => judge(r).kind === kind && judge(r).low === low).sort((a, b) => ratio(b) - ratio(a));
  const whose = (rows: Rate[]) => (new Set(rows.map((r) => r.side)).size > 1 ? "" : ` of ${rows[0]!.side}s`);
  const other = (rows: Rate[]) => {
    const fine = (["long", "short"] as const).filter(
      (side) => seen.some((r) => r.side === side) && seen.every((r) => r.side !== side || judge(r).kind === "ok"),
    );
    return rows.length > 0 && fine.length === 1 ? ` Losses of ${fine[0]}s are as promised.` : "";
  };
  for (const [kind, low, title] of [
    ["stop", true, "come too often"],
    ["stop", false, "come too rarely: the forecasts are too high"],
    ["caution", true, "may come too often"],
    ["caution", false, "may come too rarely"],
  ] as const) {
    const rows = bad(kind, low);
    if (rows.length > 0)
      return {
        kind,
        title: `Bad days${whose(rows)} ${title}`,
        sentence: `${sentenceOf(rows[0]!)}${other(rows)} The verdict is that of the worst row below.`,
      };
  }
  const worst = seen.slice().sort((a, b) => a.kupiec_p - b.kupiec_p)[0]!;
  return {
    kind: "ok",
    title: "Bad days come as often as promised",
    sentence: `${sentenceOf(worst)} That is within chance, and the other rows are nearer still.`,
  };
}

export interface CellJudgement {
  kind: Kind;
  test: string; // which test rejects: "count", "clusters"
  p: number;
}

/** Judges a cell of an asset: which of its two tests rejects it, and how clearly. */
export function judgeCell(r: Row): CellJudgement {
  const p = Math.min(r.kupiec_p, r.christoffersen_p),
    test = r.kupiec_p <= r.christoffersen_p ? "count" : "clusters";
  const kind = r.n < fewest ? "" : p < rejected ? "stop" : p < doubted ? "caution" : "";
  return { kind, test: kind === "" ? "" : test, p };
}

export const rowName = (r: Pick<Row, "side" | "level">) => `${r.side} ${oneIn(r)}`;

/** A p-value with two significant digits. */
export const pValue = (p: number) =>
  p < 1e-6 ? "< 0.000001" : p.toPrecision(2).replace(/e-(\d+)$/, (_, n: string) => `e−${n}`);

/** The result that a test rejects most clearly; undefined when no test rejects one. */
export const clearestRejection = (results: readonly Row[]) =>
  results
    .map((r) => ({ r, j: judgeCell(r) }))
    .filter((x) => x.j.kind !== "")
    .sort((x, y) => x.j.p - y.j.p)[0];

/** The clearest rejection of an asset in words; empty when no test rejects. */
export function rejectedBy(a: AssetRecord): string {
  const worst = clearestRejection(a.results);
  if (!worst) return a.status === "insufficient_data" ? `${count(a.results[0]?.n ?? 0)} days: too short` : "";
  const { r, j } = worst;
  const hits = j.test === "count" ? `count ${count(r.hits)} of ${fixed(r.n * wanted(r), 1)}` : "clusters";
  return `${rowName(r)}, ${hits}, p ${pValue(j.p)}`;
}

const rank: Record<string, number> = { failing: 0, warning: 1, ok: 2, insufficient_data: 3 };
const clearest = (a: AssetRecord) =>
  Math.min(1, ...a.results.filter((r) => r.n >= fewest).map((r) => judgeCell(r).p));

/** Assets, those whose forecasts are rejected most clearly first, or by name. */
export function sorted(assets: readonly AssetRecord[], byName: boolean): AssetRecord[] {
  return assets
    .slice()
    .sort((a, b) =>
      byName
        ? a.asset.localeCompare(b.asset)
        : (rank[a.status] ?? 4) - (rank[b.status] ?? 4) ||
          clearest(a) - clearest(b) ||
          a.asset.localeCompare(b.asset),
    );
}

/** A share of an asset's days, in percent. */
export const cellText = (r: Row) => (r.n === 0 ? "–" : fixed(100 * r.rate, 1) + " %");
