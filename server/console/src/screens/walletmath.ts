// What the Wallet screen says, from the answer of a monitor call.

import type { WalletReport } from "../api";
import { heldChance, pct, usd, usdUp } from "../format";
import { link, place } from "../route";
import type { Kind } from "./parts";

export type Held = WalletReport["positions"][number];
export type Pool = NonNullable<WalletReport["pools"]>[number];
/** What cures a pool, of all its positions at once. */
export type Action = NonNullable<Held["action"]>;

const likely = 0.1; // a chance of liquidation within 24 h that is no longer a caution

/** Positions, most likely to be liquidated first; one whose chance nobody knows before all others. */
export const ordered = (positions: readonly Held[]): Held[] =>
  positions
    .slice()
    .sort(
      (a, b) =>
        (b.probability_24h ?? 2) - (a.probability_24h ?? 2) || a.liquidation_distance_pct - b.liquidation_distance_pct,
    );

export const kindOf = (p: number | null, safe: number): Kind =>
  p === null ? "caution" : p > likely ? "stop" : p > safe ? "caution" : "";
export const chanceOf = (p: number | null) => (p === null ? "unknown" : heldChance(p));

/** Room to liquidation: the end of the scale in percent, 20 when the farthest position is nearer than 15. */
export function roomScale(positions: readonly Held[]): number {
  const far = Math.max(
    0,
    ...positions.filter((p) => p.liquidation_price !== null).map((p) => p.liquidation_distance_pct),
  );
  return far < 15 ? 20 : 50;
}

/** How many bad days a position is away from liquidation; null without a liquidation price. */
export const daysAway = (p: Held) =>
  p.liquidation_price === null || !(p.var.pct_99_24h > 0) ? null : p.liquidation_distance_pct / p.var.pct_99_24h;

export const notional = (p: Held) => Math.abs(p.size) * p.mark_price;

/** The pool of a position. Answers leave pools out when there is one only: then null. */
export const poolOf = (p: Held, pools: readonly Pool[]): Pool | null =>
  pools.find((x) => x.asset === p.asset) ??
  pools.find((x) => x.asset === null && (x.dex === null || x.dex === dexOf(p.asset))) ??
  null;

const dexOf = (asset: string) => (asset.includes(":") ? asset.split(":")[0]! : "");

/** The name of a pool: ETH, isolated. */
export function poolName(p: Pool): string {
  if (p.asset !== null) return `${p.asset}, isolated`;
  const dex = p.dex === null ? "All dexes" : p.dex === "" ? "Main" : p.dex;
  return `${dex}, ${p.mode}`;
}

/** What a bad day of the whole wallet costs: at most what it has. */
export function badDay(r: WalletReport): { usd: number; ofAccountPct: number | null; all: boolean } | null {
  const own = r.portfolio_risk?.portfolio_var_99_24h ?? r.positions[0]?.var.dollar_99_24h;
  if (own === undefined) return null;
  const has = Math.max(0, r.account_value),
    loss = Math.min(own, has);
  return { usd: loss, ofAccountPct: has > 0 ? (100 * loss) / has : null, all: own >= has };
}

/** Keeps figures and their units on one line. */
const whole = (need: Need): Need => ({ ...need, sentence: need.sentence.replace(/(\d) (%|h|USD)/g, "$1\u00a0$2") });

export interface Need {
  kind: Kind;
  title: string;
  sentence: string;
}

const counts = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"];
const counted = (n: number) => counts[n] ?? String(n);
/** The reader's limit of the chance, with no more digits than it has: 5 %. */
export const limitOf = (safe: number) => `${Math.round(1e6 * safe) / 1e4} %`;
const limitText = (safe: number) => `your limit is ${limitOf(safe)}`;

/** The positions that an action is about, most likely to be liquidated first. */
export const inPool = (a: Action, positions: readonly Held[]) =>
  ordered(positions.filter((x) => x.action?.pool === a.pool));

/** How the collateral of a position is shared. */
export function modeOf(p: Held, pools: readonly Pool[]): string {
  const pool = p.action?.pool;
  if (pool === undefined) return poolOf(p, pools)?.mode ?? "";
  return pool === p.asset ? "isolated" : pool === "unified" || pool === "portfolio" ? pool : "cross";
}

/** The actions that are more than to hold, each once, of the most likely liquidation first. */
export function remedies(positions: readonly Held[]): { action: Action; held: Held[] }[] {
  const found: { action: Action; held: Held[] }[] = [];
  for (const p of ordered(positions)) {
    const a = p.action;
    if (!a || a.kind === "hold" || found.some((f) => f.action.pool === a.pool)) continue;
    found.push({ action: a, held: inPool(a, positions) });
  }
  return found;
}

/** One sentence on what the wallet needs, for the chance of liquidation within 24 h that the reader calls safe. */
export const needOf = (r: WalletReport, safe: number): Need => whole(sentenceOf(r, safe));

function sentenceOf(r: WalletReport, safe: number): Need {
  const positions = ordered(r.positions),
    worst = positions[0];
  if (!worst) return { kind: "", title: "No position", sentence: "Nothing is held, so nothing can be liquidated." };
  if (r.account_value <= 0)
    return {
      kind: "stop",
      title: "The equity is gone",
      sentence: "The account owes more than it has; the venue may liquidate it at any moment.",
    };
  const p = worst.probability_24h,
    said = `chance of liquidation within 24 h is ${p === null ? "not known" : chanceOf(p)}; ${limitText(safe)}.`,
    nearest = `${worst.asset} is nearest: its ${said}`;
  const needed = remedies(positions),
    first = needed[0];
  if (first) return needFor(first, needed.length, positions, safe);
  if (positions.some((p) => p.action)) {
    return {
      kind: "ok",
      title: "Nothing needed",
      sentence: nearest,
    };
  }
  const kind = kindOf(worst.probability_24h, safe);
  return kind === ""
    ? {
        kind: "ok",
        title: "Within your limit",
        sentence: nearest,
      }
    : {
        kind,
        title: `${worst.asset}: ${chanceOf(worst.probability_24h)} within 24 h`,
        sentence: `Its ${said}`,
      };
}

function needFor(first: { action: Action; held: Held[] }, pools: number, positions: Held[], safe: number): Need {
  const { action: a, held } = first,
    p = held[0]!.probability_24h,
    kind = kindOf(p, safe) || "caution";
  const said = `${chanceOf(p)} chance of liquidation within 24 h; ${limitText(safe)}.`;
  if (pools > 1)
    return { kind, title: `${counted(pools)} pools need something`, sentence: `${held[0]!.asset} first: ${said}` };
  const rest = positions.length - held.length;
  const others = rest === 0 ? "" : ` ${counted(rest)} ${rest === 1 ? "other needs" : "others need"} nothing.`;
  const pool = held.length === 1 ? held[0]!.asset : "the cross pool";
  const whole =
    held.length === 1
      ? ""
      : ` It holds ${held.length === 2 ? "both" : held.length} positions: one action for the pool.`;
  if (kind === "stop" && held.length > 1) {
    return {
      kind,
      title: `${chanceOf(p)} within 24 h`,
      sentence: `chance that ${pool} is liquidated.${whole}${others}`,
    };
  }
  const does =
    a.add_margin_usd !== null
      ? `needs ${usdUp(a.add_margin_usd)} USD`
      : a.reduce_pct !== null
        ? `needs to be smaller by ${pct(a.reduce_pct)}`
        : "cannot be made safe";
  return { kind, title: `${pool.replace("the", "The")} ${does}`, sentence: said + whole + others };
}

/** The words of an action: the button's text, and the parts of a reduction by asset. */
export function reduction(
  a: Action,
  held: readonly Held[],
): { text: string; parts: { asset: string; usd: number }[] } | null {
  if (a.reduce_pct === null || a.reduce_pct <= 0) return null;
  const which = held.length === 1 ? "" : held.length === 2 ? " both" : ` all ${held.length}`;
  const parts = held.map((p) => ({ asset: p.asset, usd: (notional(p) * a.reduce_pct!) / 100 }));
  if (a.reduce_pct >= 99.95) return { text: `Close${which || " it"}`, parts };
  return { text: `Reduce${which} by ${pct(Math.ceil(10 * a.reduce_pct) / 10)}`, parts };
}

/** Where a reduction can be looked at: one position in Trade, several as a plan of the wallet. */
export function reduceLink(wallet: string, a: Action, held: readonly Held[]): string {
  const part = reduction(a, held)?.parts[0];
  if (held.length === 1 && part)
    return link("trade", { a: part.asset, d: "close", usd: Math.ceil(part.usd), w: wallet });
  const here = place(),
    params = new URLSearchParams(here.name === "wallet" ? here.params : "");
  params.set("w", wallet);
  params.set("plan", held.map((p) => p.asset).join(","));
  params.set("by", String(a.reduce_pct));
  return link("wallet", params);
}

/** Compares the sum of the single positions' losses with that of the book. */
export function together(own: number, book: number): string {
  if (usd(own) === usd(book)) return `Together ${usd(book)}, the sum of all.`;
  return book < own
    ? `Together ${usd(book)}, less than the sum of ${usd(own)}: they do not all lose on the same day.`
    : `Together ${usd(book)}, more than the sum of ${usd(own)}.`;
}
