// The rules of a policy: their names, units and figures in words.

import type { PolicyRules, PolicyViolation } from "../api";
import { count, fixed, lowered, pct, score, times, usd } from "../format";

/** The rules whose limit is a number. */
export type RuleName = Exclude<keyof PolicyRules, "allowed_assets" | "denied_assets" | "halt" | "expires_at">;

export interface Rule {
  id: RuleName;
  name: string;
  unit: "×" | "USD" | "%" | "s" | "";
  max: number;
  least?: boolean; // the figure must be at least the limit
  whole?: boolean;
  fraction?: boolean; // kept as a fraction, shown in percent
}

/** In the order of the screen. */
export const rules: readonly Rule[] = [
  { id: "max_leverage", name: "Leverage of a position", unit: "×", max: 1000 },
  { id: "max_order_usd", name: "One order", unit: "USD", max: 1e12 },
  { id: "max_position_usd", name: "One position", unit: "USD", max: 1e12 },
  { id: "max_gross_leverage", name: "Gross leverage of the account", unit: "×", max: 1000 },
  { id: "max_asset_share_pct", name: "Share of one asset", unit: "%", max: 100 },
  { id: "max_daily_loss_pct", name: "Loss of the UTC day", unit: "%", max: 100 },
  { id: "max_drawdown_pct", name: "Fall from the highest value", unit: "%", max: 100 },
  { id: "max_score", name: "Score", unit: "", max: 100 },
  { id: "max_probability_24h", name: "Chance of liquidation, 24 h", unit: "%", max: 1, fraction: true },
  { id: "max_probability_7d", name: "Chance of liquidation, 7 days", unit: "%", max: 1, fraction: true },
  {
    id: "min_liquidation_distance_pct",
    name: "Distance to liquidation, at least",
    unit: "%",
    max: 100,
    least: true,
  },
  { id: "price_collar_pct", name: "Order's price from the mark", unit: "%", max: 100 },
  { id: "orders_per_minute", name: "Orders a minute", unit: "", max: 1e6, whole: true },
  { id: "trades_per_day", name: "Trades of the UTC day", unit: "", max: 1e6, whole: true },
  { id: "duplicate_window_s", name: "Between equal orders, at least", unit: "s", max: 86400, least: true },
];

const byName = new Map<string, Rule>(rules.map((r) => [r.id, r]));
export const ruleOf = (id: string): Rule | undefined => byName.get(id);

const others: Record<string, string> = {
  allowed_assets: "Allowed markets",
  denied_assets: "Forbidden markets",
  halt: "Halt",
  expires_at: "End of the permission",
  kill_switch: "Kill switch",
  policy_unread: "Limits that are not known yet",
};
export const ruleName = (id: string) => ruleOf(id)?.name ?? others[id] ?? id.replaceAll("_", " ");

/** A figure as it is typed: a number in the unit of the screen. */
export const shownNumber = (r: Rule, v: number) => (r.fraction ? Number((100 * v).toPrecision(12)) : v);
export const keptNumber = (r: Rule, v: number) => (r.fraction ? Number((v / 100).toPrecision(12)) : v);

/** A figure of a rule, as measured. */
export function figure(r: Rule, v: number): string {
  switch (r.unit) {
    case "×":
      return times(v);
    case "USD":
      return usd(v);
    case "%":
      return pct(shownNumber(r, v));
    case "s":
      return `${fixed(v, 0)} s`;
  }
  return r.id === "max_score" ? score(v) : count(v);
}

/** A limit of a rule, as set: 5 %, 2.5 %, 100,000 USD. */
export function limitText(r: Rule, v: number): string {
  const shown = shownNumber(r, v),
    text = Number.isInteger(shown) ? fixed(shown, 0) : fixed(shown, Math.min(6, decimalsOf(shown)));
  return r.unit === "" ? text : r.unit === "×" ? text + "×" : `${text} ${r.unit}`;
}

const decimalsOf = (x: number) => String(x).split(".")[1]?.length ?? 0;

/** A limit of any rule, as set. */
export function anyLimit(id: string, rule: PolicyRules): string {
  const v = rule[id as keyof PolicyRules],
    r = ruleOf(id);
  if (v === undefined || v === null || v === false) return "no limit";
  if (r && typeof v === "number") return limitText(r, v);
  if (Array.isArray(v)) return v.length === 0 ? "none" : v.join(", ");
  if (id === "expires_at") return `${String(v).slice(0, 16).replace("T", " ")} UTC`;
  return v === true ? "on" : String(v);
}

/** Whether a figure breaks a limit. */
export const breaks = (r: Rule, v: number, limit: number) =>
  r.least ? v < limit * (1 - 1e-9) : v > limit * (1 + 1e-9);

/** How much of a limit is used, 1: all of it. */
export const share = (r: Rule, v: number, limit: number) =>
  r.least ? (v > 0 ? limit / v : 9) : limit > 0 ? v / limit : v > 0 ? 9 : 0;

const number = (x: unknown): x is number => typeof x === "number";

/** A violation in words: "one order 119,990 USD, limit 100,000 USD". */
export function violation(v: PolicyViolation): string {
  const r = ruleOf(v.rule),
    name = ruleName(v.rule);
  switch (v.rule) {
    case "kill_switch":
      return "the kill switch is on";
    case "halt":
      return "the wallet is halted";
    case "expires_at":
      return v.limit === null
        ? "the permission to increase has ended"
        : `the permission to increase ended on ${String(v.limit).slice(0, 16).replace("T", " ")} UTC`;
    case "allowed_assets":
      return `${v.value} is not among the allowed markets`;
    case "denied_assets":
      return `${v.value} is a forbidden market`;
  }
  const low = lowered(name),
    limit = r && number(v.limit) ? limitText(r, v.limit) : String(v.limit);
  if (!r || !number(v.value)) return `${low}: ${limit}, and the figure is not known`;
  const halted = v.halted_at ? `, halted since ${v.halted_at.slice(11, 16)} UTC until an operator lifts it` : "";
  return `${low.replace(", at least", "")} ${figure(r, v.value)}, ${r.least ? "needs" : "limit"} ${limit}${halted}`;
}

/** Who made a change: the part of it that people know. */
export const whoName = (who: string | null) => (who ?? "").split(", ")[0]!;

/** A moment of today as 08:47 UTC, else with its day. */
export function moment(iso: string | null, now = Date.now()): string {
  if (iso === null) return "";
  const today = new Date(now).toISOString().slice(0, 10) === iso.slice(0, 10);
  if (today) return `${iso.slice(11, 16)} UTC`;
  const day = new Date(iso).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
  return `${day} ${iso.slice(11, 16)} UTC`;
}
