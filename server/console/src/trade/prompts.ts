// What stands in place of an answer while the form is not complete, or has faults.

import { card, h } from "../dom";
import { capital } from "../format";
import type { Faults, Field, Question } from "./question";

const account = (n: number) => "0xba11a5700000000000000000000000000000000" + n; // of the simulated venue
const examples: [string, Partial<Question>][] = [
  ["BTC long 50,000 10×", { asset: "BTC", action: "long", size: "50000", leverage: "10", wallet: account(1) }],
  ["ETH long 450,000 20×", { asset: "ETH", action: "long", size: "450000", leverage: "20", wallet: account(2) }],
  ["Close ETH of …0006", { asset: "ETH", action: "close", size: "300000", leverage: "", wallet: account(6) }],
];
const names: Partial<Record<Field, string>> = { asset: "market", take: "take profit" };
const nameOf = (field: Field) => names[field] ?? field;

const stillMissing = (missing: Field[]) => `Still missing: ${missing.map((m) => "a " + nameOf(m)).join(", ")}.`;

/** What a question needs; with examples to try where the accounts of a simulated venue are there. */
export function emptyCard(missing: Field[], demo: boolean, use: (q: Partial<Question>) => void): HTMLElement {
  const button = ([text, q]: (typeof examples)[number]) =>
    h("button", { type: "button", class: "button", click: () => use({ unit: "usd", ...q }) }, text);
  return h(
    "section",
    { class: "card empty grid" },
    h("h1", {}, "What would you like to do?"),
    h("p", { class: "t2" }, `${stillMissing(missing)} The answer appears while you type.`),
    demo && h("div", { class: "row wrap" }, ...examples.map(button)),
    demo && h("p", { class: "small t3" }, "Examples on the simulated venue. Nothing is sent."),
  );
}

/** What is wrong with each field; edit opens the form, where it is not in view. */
export function mendCard(faults: Faults, missing: Field[], edit: (() => void) | null): HTMLElement {
  return card(
    "Something in the form can be mended",
    null,
    ...Object.entries(faults).map(([field, fault]) =>
      h("p", { class: "t2" }, `${capital(nameOf(field as Field))}: ${fault.text}`),
    ),
    missing.length > 0 && h("p", { class: "t2" }, stillMissing(missing)),
    edit && h("button", { type: "button", class: "button main ask", click: edit }, "Edit the order"),
  );
}
