// How much of each limit a wallet uses now, from its monitor answer.

import type { Decision, WalletReport } from "../api";
import { type RuleName, rules } from "./rules";

/** A figure that a limit is compared with. */
export interface Use {
  value: number;
  of: string; // the asset, "" for the account, "today" for what was sent today
}

type Uses = Partial<Record<RuleName, Use>>;
type Facts = Partial<Record<RuleName, number>>;
const counted = new Set<RuleName>(["orders_per_minute", "trades_per_day", "duplicate_window_s"]);
const accounts = new Set<RuleName>(["max_gross_leverage", "max_daily_loss_pct", "max_drawdown_pct"]);

/** The figure of each rule that is nearest to its limit; a rule whose figure is not known is left out. */
export function usesOf(report: WalletReport): Uses {
  const uses: Uses = {};
  const take = (of: string, facts: Facts) => {
    for (const { id, least } of rules) {
      const value = facts[id],
        held = uses[id];
      if (value === undefined || !Number.isFinite(value) || counted.has(id)) continue;
      if (of !== "" && accounts.has(id)) continue;
      if (held === undefined || (least ? value < held.value : value > held.value)) uses[id] = { value, of };
    }
  };
  const notional = (p: WalletReport["positions"][number]) => Math.abs(p.size) * p.mark_price,
    gross = report.positions.reduce((sum, p) => sum + notional(p), 0);
  for (const p of report.positions) {
    take(p.asset, {
      max_position_usd: notional(p),
      max_asset_share_pct: gross > 0 ? (100 * notional(p)) / gross : 0,
      max_score: p.risk_score,
      max_probability_24h: p.probability_24h ?? undefined,
      max_probability_7d: p.probability_7d ?? undefined,
      min_liquidation_distance_pct: p.liquidation_distance_pct,
      ...(p.policy?.facts as Facts | undefined),
    });
  }
  take("", {
    max_gross_leverage: report.account_value > 0 ? gross / report.account_value : undefined,
    ...(report.policy?.facts as Facts | undefined),
  });
  return uses;
}

/** The largest order that the gate let pass, of those decisions; null: none. */
export function largestOrder(list: readonly Decision[]): Use | null {
  const sizes = list.map((d) => d.facts.max_order_usd).filter((x): x is number => x !== undefined);
  return sizes.length === 0 ? null : { value: Math.max(...sizes), of: "today" };
}
