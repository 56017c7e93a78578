// Cards beside the limits: what somebody else has saved, who changed what, and what the key may do.

import type { AuditEvent, Policy, PolicyRules } from "../api";
import { card, h, icon, table, tr } from "../dom";
import { short, words } from "../format";
import { differing } from "../limits/draft";
import { anyLimit, moment, ruleName, whoName } from "../limits/rules";
import { everyone } from "./addressfield";

/** What differs between the policy that was changed, the one that somebody saved meanwhile, and the own changes. */
export function conflictCard(
  base: Policy,
  theirs: Policy,
  mine: PolicyRules,
  rebase: () => void,
  discard: () => void,
): HTMLElement {
  const was = base.rules ?? {},
    now = theirs.rules ?? {};
  const names = [...new Set([...differing(was, now), ...differing(was, mine)])];
  const row = (id: keyof PolicyRules) => {
    const own = differing(was, mine).includes(id),
      both = own && differing(was, now).includes(id);
    return tr(
      {},
      ruleName(id),
      h("td", { class: "left t2 wraps" }, anyLimit(id, was)),
      h("td", { class: "left wraps" }, h("b", {}, anyLimit(id, now))),
      own
        ? h("td", { class: "left wraps accent" }, anyLimit(id, mine), both && h("span", { class: "caution" }, " both changed"))
        : h("td", { class: "left t3" }, "not changed"),
    );
  };
  const head = (text: string) => h("th", { scope: "col", class: "left" }, text);
  const who =
    theirs.revision === 0
      ? "Somebody has removed the policy"
      : `${whoName(theirs.who)} has saved revision ${theirs.revision}`;
  return h(
    "section",
    { class: "card edged is-caution verdictcard conflict", "aria-label": "Changed meanwhile" },
    h(
      "div",
      { class: "grow" },
      h("h2", { class: "row caution" }, icon("caution", 16), `${who} meanwhile`),
      h("p", { class: "small t2" }, `Your changes are of revision ${base.revision}. Nothing of them is saved.`),
      table("What changed meanwhile", ["Limit", head("was"), head("is now"), head("yours")], names.map(row)),
      h(
        "div",
        { class: "row wrap note" },
        h("button", { type: "button", class: "button main", click: rebase }, "Keep my changes upon it"),
        h("button", { type: "button", class: "button", click: discard }, "Discard mine"),
      ),
    ),
  );
}

const eventNames: Record<string, string> = { policy_set: "limits set", policy_removed: "limits removed" };

/** What an event of the audit was about: a reason, whom a key is for, or a wallet. */
function about(e: AuditEvent): string {
  if (/^(key|kill_switch)_/.test(e.event)) return e.detail;
  return e.subject === everyone ? "all wallets" : short(e.subject);
}

/** Who changed what, newest first, null when it was not read. more shows further ones, null if there are none. */
export function auditCard(events: AuditEvent[] | null, mayRead: boolean, more: (() => void) | null): HTMLElement {
  const row = (e: AuditEvent) =>
    h(
      "li",
      {},
      h("span", { class: "t3 nowrap" }, moment(e.time).replace(/ UTC$/, "")),
      h("span", { class: "t2 ellipsis", title: e.who }, whoName(e.who)),
      h("b", {}, eventNames[e.event] ?? words(e.event)),
      h("span", { class: "t2 more" }, about(e)),
    );
  const text =
    !mayRead ? "An operator's key sees who changed what." : events ? "Nothing was ever changed." : "Not read yet.";
  return card(
    "Audit",
    "UTC",
    events?.length ? h("ol", { class: "changes small" }, ...events.map(row)) : h("p", { class: "small t2" }, text),
    more && h("button", { type: "button", class: "button", click: more }, "Show more"),
  );
}

/** What the key in use may do here. */
export function keyCard(mayChange: boolean): HTMLElement {
  const [title, text] = mayChange
    ? ["Operator key", "This key changes limits and turns the switch. An agent's key reads them only."]
    : ["Agent key", "This key reads only. A key that changes limits and turns the switch, for a person: "];
  return h(
    "section",
    { class: "card row keynote" },
    icon("key", 16, "t2"),
    h(
      "div",
      {},
      h("h2", {}, title),
      h("p", { class: "small t2" }, text, !mayChange && h("code", {}, "ballast keys issue --role operator")),
    ),
  );
}
