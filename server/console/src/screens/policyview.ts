// Cards beside the limits: what somebody else has saved, who changed what last, and what the key may do.

import type { KillSwitch, Policy, PolicyRules } from "../api";
import { card, h, icon, table, tr } from "../dom";
import { short } from "../format";
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

interface Change {
  at: string;
  who: string | null;
  what: string;
  more: string;
}

/** The newest change of each thing on the screen. */
export function changesCard(
  wallet: string,
  own: Policy,
  all: Policy | null,
  turned: KillSwitch | null,
): HTMLElement {
  const list: Change[] = [];
  const name = wallet === everyone ? "all wallets" : short(wallet);
  if (own.since) list.push({ at: own.since, who: own.who, what: `revision ${own.revision}`, more: name });
  if (all?.since)
    list.push({ at: all.since, who: all.who, what: `revision ${all.revision}`, more: "all wallets" });
  if (turned?.since)
    list.push({
      at: turned.since,
      who: turned.who,
      what: `kill switch ${turned.on ? "on" : "off"}`,
      more: turned.reason ?? "",
    });
  list.sort((a, b) => (a.at < b.at ? 1 : -1));
  const row = (c: Change) =>
    h(
      "li",
      {},
      h("span", { class: "t3 nowrap" }, moment(c.at).replace(/ UTC$/, "")),
      h("span", { class: "t2 ellipsis", title: c.who }, whoName(c.who)),
      h("b", {}, c.what),
      h("span", { class: "t2 more" }, c.more),
    );
  const element = card(
    "Last changes",
    "UTC",
    list.length > 0
      ? h("ol", { class: "changes small" }, ...list.map(row))
      : h("p", { class: "small t2" }, "Nothing was ever limited or stopped."),
    h("p", { class: "note" }, "Every change, with who and when: ", h("code", {}, "ballast audit"), "."),
  );
  element.classList.add("changescard");
  return element;
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
