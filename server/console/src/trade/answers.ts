// What the Trade screen reads from its answers.

import type { Assessment, Position } from "../api";

/** The leverage that an answer is about. */
export const leverageOf = (a: Assessment) => a.position.after?.leverage ?? a.position.before?.leverage ?? null;

/** What a bad day costs: capped by the equity of the pool, and not. */
export function badDay(a: Assessment): { usd: number; uncapped: number; takesAll: boolean } {
  const uncapped = a.var.dollar_99_24h,
    usd = a.var.loss_99_capped_usd ?? uncapped; // null: an equity that could not be read
  return { usd, uncapped, takesAll: usd < uncapped * 0.999 };
}

/** Distance of the liquidation price, in bad days of the position. */
export const distanceInDays = (a: Assessment) =>
  a.var.pct_99_24h > 0 ? a.liquidation.distance_pct / a.var.pct_99_24h : null;

export const hasLiquidation = (a: Assessment) => a.liquidation.price > 0;

/** 1 for a long, -1 for a short. */
export const sideOf = (p: Position) => (p.side === "short" ? -1 : 1);

/** Whether an order only takes away from the position. */
export function reduces(a: Assessment, action: string): boolean {
  const { before, after } = a.position;
  if (action === "close") return true;
  return (
    before !== null &&
    before.side !== action &&
    (after === null || (after.side === before.side && after.size_coin < before.size_coin))
  );
}

/** The parts that the score is made of, largest first. */
export function parts(a: Assessment): { id: string; points: number }[] {
  const e = a.explanation;
  const all = e.components.map((c) => ({ id: c.name as string, points: c.contribution }));
  all.push(
    { id: "interaction", points: e.interaction },
    { id: "portfolio", points: e.portfolio },
    { id: "regime", points: e.regime },
  );
  return all.filter((p) => p.points > 0.05).sort((x, y) => y.points - x.points);
}

/** The hard rule that lifts the score above the sum of its parts and out of "proceed", or null. */
export function liftedBy(a: Assessment): string | null {
  const { hard_rules, floor } = a.explanation,
    sum = parts(a).reduce((t, p) => t + p.points, 0);
  if (a.risk_score <= 40 || floor <= sum + 0.5 || Math.abs(a.risk_score - Math.min(floor, a.risk_score)) > 0.05)
    return null;
  const rule = Object.entries(hard_rules as Record<string, number>).sort(([, x], [, y]) => y - x)[0];
  return rule && rule[1] > 0 ? rule[0] : null;
}
