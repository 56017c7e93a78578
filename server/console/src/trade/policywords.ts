// What an operator's limits say of an order, in words.

import type { Assessment } from "../api";
import { chance, clock, count, pct, score, times, usd, usdDown } from "../format";

type Verdict = NonNullable<Assessment["policy"]>;
type Violation = Verdict["violations"][number];

const percent = (x: number) => pct(x);
/** Each rule that compares figures: its name and the form of its figures. */
const compared: Record<string, [string, (x: number) => string]> = {
  max_leverage: ["leverage of the position", times],
  max_order_usd: ["one order, USD", usd],
  max_position_usd: ["the position, USD", usd],
  max_gross_leverage: ["leverage of the wallet", times],
  max_asset_share_pct: ["share of the asset", percent],
  max_daily_loss_pct: ["loss of the day", percent],
  max_drawdown_pct: ["loss from the highest value", percent],
  max_score: ["score", score],
  max_probability_24h: ["chance of liquidation within 24 h", chance],
  max_probability_7d: ["chance of liquidation within 7 days", chance],
  min_liquidation_distance_pct: ["distance to liquidation", percent],
  price_collar_pct: ["price against the mark", percent],
  orders_per_minute: ["orders a minute", count],
  trades_per_day: ["trades of the day", count],
  duplicate_window_s: ["seconds since the same order", count],
};
const said: Record<string, string> = {
  allowed_assets: "the market is not among the allowed ones",
  denied_assets: "the market is denied",
  halt: "increases of this wallet are stopped",
  expires_at: "the policy has expired",
  kill_switch: "the kill switch is on",
};

/** One rule, in has-needs form. */
export function violation(v: Violation): string {
  const rule = compared[v.rule];
  if (!rule) return said[v.rule] ?? v.rule.replaceAll("_", " ");
  const [name, form] = rule,
    figure = (x: unknown) => (typeof x === "number" ? form(x) : "unknown");
  const halted = v.halted_at ? `; stopped since ${clock(v.halted_at)} UTC` : "";
  return `${name} ${figure(v.value)}, limit ${figure(v.limit)}${halted}`;
}

/** The verdict of the operator's limits where they do not let an order pass, else null. */
export const forbidden = (a: Assessment): Verdict | null =>
  a.policy && a.policy.verdict !== "pass" ? a.policy : null;

/** Whether nothing may be increased, whatever the order. */
export const stopped = (v: Verdict) =>
  v.violations.some((x) => ["kill_switch", "halt", "expires_at"].includes(x.rule) || x.halted_at !== undefined);

/** The largest order that the broken rules allow, where they bound nothing else; null otherwise. */
export function allowedSize(v: Verdict): number | null {
  const only = v.violations.length === 1 ? v.violations[0] : undefined;
  return only?.rule === "max_order_usd" && typeof only.limit === "number" ? only.limit : null;
}

/** What the verdict says: a headline, and the rules. */
export function policyWords(v: Verdict): { headline: string; text: string; note: string } {
  const rules = v.violations.map(violation),
    most = allowedSize(v);
  const headline = stopped(v)
    ? "Increases are stopped."
    : v.verdict === "unknown"
      ? "The operator's limits cannot be judged."
      : most !== null
        ? `Over the operator's limit. Send at most ${usdDown(most)} USD.`
        : "Over the operator's limit.";
  const text = rules.length === 0 ? "A figure that they need is not known." : sentence(rules.join("; "));
  return { headline, text, note: "What only reduces always passes; only an operator changes the limits." };
}

const sentence = (s: string) => s.charAt(0).toUpperCase() + s.slice(1) + ".";
