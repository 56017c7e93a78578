// What the Trade screen says where the operator's limits do not allow an order.

import type { Assessment, PolicyViolation } from "../api";
import { capital, lowered } from "../format";
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

/** A broken limit in the words of the verdict: "one order 100,000 USD". */
function over(v: PolicyViolation): string {
  const r = ruleOf(v.rule);
  if (!r || typeof v.limit !== "number" || typeof v.value !== "number" || v.halted_at) return violation(v);
  return `${lowered(r.name)} ${limitText(r, v.limit)}`;
}

/** The remedy, or null where the limits allow the order. offers are orders that pass, the best first. */
export function limitRemedy(a: Assessment, offers: Offer[]): Remedy | null {
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
  const known = first.value !== null && ruleOf(first.rule) !== undefined && !first.halted_at;
  const others = rest.slice(1).map(violation),
    beyond = ruleOf(first.rule)?.least ? "Below the operator's limit" : "Over the operator's limit";
  return {
    ...base,
    headline: known ? `${beyond}: ${over(first)}.` : `${capital(over(first))}.`,
    text: [...(known ? [violation(first)] : []), ...others].map((x) => capital(x) + ".").join(" "),
    offers: offers.slice(0, 1),
    link: to,
  };
}

/** The wallet of the form, which stands in the address. */
const policyWallet = () => new URLSearchParams(location.hash.split("?")[1] ?? "").get("w");
