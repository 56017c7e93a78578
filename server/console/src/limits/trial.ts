// What a change of the limits would have done to the decisions of the last day.

import { aborted, ask, Failure, type PolicyRules, type PolicyTest } from "../api";
import { card, fill, h } from "../dom";
import { clock, count, lowered, usd } from "../format";
import { link } from "../route";
import { differing } from "./draft";
import { anyLimit, ruleName, violation } from "./rules";

const afterMs = 700; // since the last key
const listed = 8; // of the decisions that would be refused

export class Trial {
  readonly element = h("div", { "aria-live": "polite" });
  private asked = "";
  private timer = 0;
  private running: AbortController | null = null;

  /** Tries rules in place of the kept ones; null: there is nothing to try. */
  update(wallet: string, base: PolicyRules, rules: PolicyRules | null) {
    const question = rules === null ? "" : wallet + JSON.stringify(rules);
    if (question === this.asked) return;
    this.end();
    this.asked = question;
    fill(this.element);
    if (rules === null) return;
    this.timer = window.setTimeout(() => void this.ask(wallet, base, rules), afterMs);
  }

  end() {
    clearTimeout(this.timer);
    this.running?.abort();
    this.asked = "";
  }

  private async ask(wallet: string, base: PolicyRules, rules: PolicyRules) {
    const running = new AbortController(),
      what = changeWords(base, rules);
    this.running = running;
    fill(this.element, trialCard(what, h("span", { class: "skeleton line" })));
    try {
      const test = await ask<PolicyTest>(`/v1/policy/${wallet}/test`, { body: { rules }, signal: running.signal });
      fill(this.element, trialCard(what, ...result(test)));
    } catch (cause) {
      if (aborted(cause) || running.signal.aborted) return;
      const text = cause instanceof Failure ? cause.message : String(cause);
      fill(this.element, trialCard(what, h("p", { class: "t2" }, `Not known: ${text}`)));
    }
  }
}

/** Leverage of a position 15× → 10×, one order no limit → 100,000 USD. */
export function changeWords(base: PolicyRules, rules: PolicyRules): string {
  const one = (id: keyof PolicyRules) => `${ruleName(id)} ${anyLimit(id, base)} → ${anyLimit(id, rules)}`;
  return differing(base, rules)
    .map(one)
    .map((s, i) => (i === 0 ? s : lowered(s)))
    .join(", ");
}

const trialCard = (what: string, ...children: HTMLElement[]) =>
  card("What this change would have done", null, h("p", { class: "small t2 trialwords" }, what), ...children);

/** How many decisions turn, by what they would become. */
export function turned(t: PolicyTest): { refused: PolicyTest["changes"]; passed: number; other: number } {
  const refused = t.changes.filter((c) => c.before === "pass"),
    passed = t.changes.filter((c) => c.after === "pass").length;
  return { refused, passed, other: t.changes.length - refused.length - passed };
}

function result(t: PolicyTest): HTMLElement[] {
  const { refused, passed } = turned(t),
    more = t.changed > t.changes.length ? " or more" : "";
  const row = (name: string, n: string, kind = "") =>
    h("div", {}, h("dt", {}, name), h("dd", {}, h("b", { class: kind || null }, n)));
  const some = refused.slice(-listed).reverse();
  return [
    h(
      "dl",
      { class: "trial" },
      row("decisions of the last 24 h", count(t.decisions)),
      row("would now be refused", count(refused.length) + more, refused.length > 0 ? "stop" : ""),
      row("would now pass", count(passed) + more),
      row("unchanged", count(t.decisions - t.changed)),
      t.not_assessed > 0 && row("not judged", count(t.not_assessed)),
    ),
    h(
      "details",
      { hidden: some.length === 0, class: "small" },
      h("summary", { class: "accent" }, `See ${some.length === refused.length ? "them" : `the newest ${some.length}`}`),
      h(
        "ol",
        { class: "changes" },
        ...some.map((c) =>
          h(
            "li",
            {},
            h("span", { class: "t3" }, clock(c.at)),
            h("a", { href: link("decisions/" + c.request_id) }, `${c.asset} ${c.action} ${usd(c.size_usd)}`),
            h("span", { class: "t2 more" }, c.violations.map(violation).join("; ")),
          ),
        ),
      ),
    ),
  ];
}
