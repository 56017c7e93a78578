// What the Trade screen reads from its answers, and the types of what only some versions answer.

import type { Assessment, Position } from "../api";

/** The move of an asset within 24 h, percent of its mark: down ends are negative, up ends positive. */
export interface Day {
  down_999_pct: number;
  down_99_pct: number;
  down_95_pct: number;
  median_pct: number;
  up_95_pct: number;
  up_99_pct: number;
  up_999_pct: number;
}

interface OrderEnd {
  price: number;
  pnl_usd: number | null;
}

/** Fields that an answer may have. */
export interface More {
  day?: Day | null;
  var?: { loss_99_capped_usd?: number };
  liquidation?: { pool_equity_usd?: number | null; loss_at_usd?: number | null; loss_after_usd?: number | null };
  funding?: { cost_24h_usd?: number };
  stress?: { scenario: string; died_by?: string | null }[];
  order?: { stop_loss?: OrderEnd | null; take_profit?: OrderEnd | null; stop_beyond_liquidation?: boolean } | null;
}

export const more = (a: Assessment) => a as unknown as More;

export interface CurvePoint {
  size_usd: number;
  risk_score: number;
  rule?: string | null;
}

export interface Rung {
  leverage: number;
  mode: "cross" | "isolated";
  size_usd: number;
  size_coin: number;
  risk_score: number;
  probability_24h: number | null;
  liquidation_price: number | null;
  binding: string;
}

/** The answer of POST /v1/size. */
export interface SizeAnswer {
  size_usd: number;
  size_coin: number;
  leverage: number;
  binding: string;
  curve?: CurvePoint[];
  venue_limit_usd?: number | null;
  ladder?: Rung[];
  assessment?: Assessment;
}

/** The leverage that an answer is about. */
export const leverageOf = (a: Assessment) => a.position.after?.leverage ?? a.position.before?.leverage ?? null;

/** The pool that carries the position after the fill. */
export function poolOf(a: Assessment) {
  const dex = a.meta.asset.includes(":") ? a.meta.asset.split(":")[0]! : "";
  const own = a.pools?.find((p) => p.mode === "isolated" && p.asset === a.meta.asset);
  if (a.position.after?.mode === "isolated") return own;
  return a.pools?.find((p) => p.mode !== "isolated" && (p.dex === null || p.dex === dex));
}

/** Equity of the position's pool after the fill, USD. */
export const poolEquity = (a: Assessment): number | null =>
  more(a).liquidation?.pool_equity_usd ?? poolOf(a)?.equity_usd ?? null;

/** What a bad day costs: capped by the equity of the pool, and not. */
export function badDay(a: Assessment): { usd: number; uncapped: number; takesAll: boolean } {
  const uncapped = a.var.dollar_99_24h, equity = poolEquity(a);
  const usd = more(a).var?.loss_99_capped_usd ?? (equity === null ? uncapped : Math.min(uncapped, Math.max(0, equity)));
  return { usd, uncapped, takesAll: usd < uncapped * 0.999 };
}

/** Distance of the liquidation price, in bad days of the position. */
export const distanceInDays = (a: Assessment) => (a.var.pct_99_24h > 0 ? a.liquidation.distance_pct / a.var.pct_99_24h : null);

export const hasLiquidation = (a: Assessment) => a.liquidation.price > 0;

/** 1 for a long, -1 for a short. */
export const sideOf = (p: Position) => (p.side === "short" ? -1 : 1);

/** Whether an order only takes away from the position. */
export function reduces(a: Assessment, action: string): boolean {
  const { before, after } = a.position;
  if (action === "close") return true;
  return before !== null && before.side !== action && (after === null || (after.side === before.side && after.size_coin < before.size_coin));
}

/** The parts that the score is made of, largest first. */
export function parts(a: Assessment): { id: string; points: number }[] {
  const e = a.explanation;
  const all = e.components.map((c) => ({ id: c.name as string, points: c.contribution }));
  all.push({ id: "interaction", points: e.interaction }, { id: "portfolio", points: e.portfolio }, { id: "regime", points: e.regime });
  return all.filter((p) => p.points > 0.05).sort((x, y) => y.points - x.points);
}

/** The hard rule that lifts the score above the sum of its parts and out of "proceed", or null. */
export function liftedBy(a: Assessment): string | null {
  const { hard_rules, floor } = a.explanation, sum = parts(a).reduce((t, p) => t + p.points, 0);
  if (a.risk_score <= 40 || floor <= sum + 0.5 || Math.abs(a.risk_score - Math.min(floor, a.risk_score)) > 0.05) return null;
  const rule = Object.entries(hard_rules as Record<string, number>).sort(([, x], [, y]) => y - x)[0];
  return rule && rule[1] > 0 ? rule[0] : null;
}
