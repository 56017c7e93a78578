// What the page of one market says, from its answer.

import type { Asset, Market } from "../api";
import { fixed, large, pct } from "../format";

export interface Range {
  down_99_pct: number;
  up_99_pct: number;
}

export const marginModes = (a: Asset) => (a.only_isolated ? "isolated only" : "cross and isolated");
export const dexName = (name: string) =>
  name.includes(":") ? `dex ${name.slice(0, name.indexOf(":"))}` : "main dex";

/** How the forecast stands to its long run: high, low, or usual. */
export function volatilityWord(now: number, longRun: number): string {
  const ratio = now / longRun;
  return ratio > 1.25 ? "high" : ratio < 0.8 ? "low" : "usual";
}

/** Who pays the funding, an hour. */
export function fundingWords(hourly: number): string {
  if (hourly === 0) return "nobody pays";
  return `${hourly > 0 ? "longs" : "shorts"} pay ${fixed(100 * Math.abs(hourly), 5)
    .replace(/0+$/, "")
    .replace(/\.$/, "")} % an hour`;
}

/** The margin tiers as rows: the positions, the leverage, the maintenance margin in percent. */
export function tiers(a: Asset): { upTo: string; leverage: number; maintenance: string }[] {
  return a.margin_tiers.map((t, i) => {
    const next = a.margin_tiers[i + 1];
    const upTo = next ? `up to ${large(next.lower_bound)}` : i === 0 ? "any" : `above ${large(t.lower_bound)}`;
    return { upTo, leverage: t.max_leverage, maintenance: fixed(50 / t.max_leverage, 1) + " %" };
  });
}

/** A sentence on the book: which side is deeper, and what 50 bps carry. */
export function bookWords(m: Market): string {
  const d = m.depth;
  if (!d) return "A side of the book is empty.";
  const lean = m.imbalance ?? 0,
    by = `${fixed(100 * Math.abs(lean), 0)} %`;
  const sides =
    Math.abs(lean) < 0.1
      ? `Bids and asks about equal${Math.abs(lean) < 0.005 ? "" : ` (${lean < 0 ? "−" : "+"}${by})`}.`
      : `More ${lean > 0 ? "bids" : "asks"} (${by}).`;
  return `${sides} 50 bps carry a market order of about ${large(Math.min(d.bids.usd_50bps, d.asks.usd_50bps))}.`;
}

/** Both ends of a range of prices around the mark. */
export const endsOf = (mark: number, r: Range): [number, number] => [
  mark * (1 + r.down_99_pct / 100),
  mark * (1 + r.up_99_pct / 100),
];
export const rangeText = (r: Range) => `${pct(r.down_99_pct)} / +${pct(r.up_99_pct)}`;
