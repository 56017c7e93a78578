// What the Trade screen says where the operator's limits do not allow an order.

import type { Assessment, PolicyViolation } from "../api";
import { times, usd } from "../format";
import { link } from "../route";
import type { Offer, Remedy } from "../trade/sentences";
import { killSwitch, sinceWhen } from "./killswitch";
import { limitText, ruleOf, violation } from "./rules";

/** Whether the operator's limits forbid the order. */
export const forbidden = (a: { policy?: Assessment["policy"] }) =>
  a.policy !== undefined && a.policy.verdict !== "pass";

/** The reason in two words. */
export const limitTag = (a: { policy?: Assessment["policy"] }) =>
  a.policy?.violations.some((v) => v.rule === "kill_switch") ? "kill switch" : "operator's limit";

const capital = (s: string) => s.charAt(0).toUpperCase() + s.slice(1);

/** The largest order that the broken limits allow, USD; null where no size does. */
export function allowedUSD(a: Assessment): number | null {
  let most = Infinity;
  for (const v of a.policy?.violations ?? []) {
    const limit = typeof v.limit === "number" && typeof v.value === "number" ? v.limit : null;
    if (v.rule === "max_order_usd" && limit !== null) most = Math.min(most, limit);
    else if (v.rule === "max_position_usd" && limit !== null && a.position.after)
      most = Math.min(most, limit - (a.position.after.notional_usd - a.admissibility.order_size_usd));
    else if (v.rule !== "max_leverage" || limit === null) return null;
  }
  return most <= 0 ? null : most;
}

/** The highest leverage that the broken limits allow, null: they say nothing of it. */
function allowedLeverage(a: Assessment): number | null {
  const v = a.policy?.violations.find((x) => x.rule === "max_leverage" && typeof x.value === "number");
  return v && typeof v.limit === "number" ? Math.floor(v.limit) : null;
}

/** What would keep the limits, as an order to send; null where none would. */
function within(a: Assessment): { text: string; offer: Offer } | null {
  const most = allowedUSD(a),
    leverage = allowedLeverage(a);
  if (most === null || (leverage !== null && leverage < 1)) return null;
  const size = Math.floor(Math.min(most, a.admissibility.order_size_usd)),
    smaller = size < Math.floor(a.admissibility.order_size_usd);
  const parts = [smaller && `send ${usd(size)} USD`, leverage !== null && `use ${times(leverage)}`].filter(Boolean);
  if (parts.length === 0 || size < 1) return null;
  const title = [leverage !== null && times(leverage), `${usd(size)} USD`].filter(Boolean).join(" · ");
  return {
    text: capital(parts.join(", ")) + ".",
    offer: { title, about: "within the limits", brief: "within the limits", usd: size, leverage },
  };
}

/** A broken limit in the words of the verdict: "one order 100,000 USD". */
function over(v: PolicyViolation): string {
  const r = ruleOf(v.rule);
  if (!r || typeof v.limit !== "number" || typeof v.value !== "number" || v.halted_at) return violation(v);
  const name = r.name.charAt(0).toLowerCase() + r.name.slice(1);
  return `${name} ${limitText(r, v.limit)}`;
}

/** The remedy, or null where the limits allow the order. */
export function limitRemedy(a: Assessment): Remedy | null {
  if (!forbidden(a)) return null;
  const all = a.policy!.violations,
    killed = all.some((v) => v.rule === "kill_switch"),
    rest = all.filter((v) => v.rule !== "kill_switch"),
    first = rest[0];
  const base = { note: "", offers: [] as Offer[], room: null };
  if (killed) {
    const also = rest.length > 0 ? ` Beside it: ${rest.map(violation).join("; ")}.` : "";
    return {
      ...base,
      headline: `Increases are stopped${sinceWhen(killSwitch())}`,
      text: `Exits go on. Only an operator lifts it.${also}`,
      link: { text: "Policy", href: link("policy") },
    };
  }
  const to = { text: "Policy", href: link("policy", { w: policyWallet() }) };
  if (!first)
    return { ...base, headline: "The operator's limits are not known yet.", text: "Ask again.", link: to };
  const way = within(a),
    known = first.value !== null && ruleOf(first.rule) !== undefined && !first.halted_at;
  const others = rest.slice(1).map(violation),
    beyond = ruleOf(first.rule)?.least ? "Below your limit" : "Over your limit";
  return {
    ...base,
    headline: known ? `${beyond}: ${over(first)}. ${way?.text ?? ""}`.trimEnd() : `${capital(over(first))}.`,
    text: [...(known ? [violation(first)] : []), ...others].map((x) => capital(x) + ".").join(" "),
    offers: way ? [way.offer] : [],
    link: to,
  };
}

/** The wallet of the form, which stands in the address. */
const policyWallet = () => new URLSearchParams(location.hash.split("?")[1] ?? "").get("w");
