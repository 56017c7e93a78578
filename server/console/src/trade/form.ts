// The form of the Trade screen. It shows a question and the last answer's figures beside it, and tells what changes.

import { h, icon, setText } from "../dom";
import { directionField, marketField, modeField, orderFields, walletField } from "./fields";
import { type FormEvents, type FormState, FormView } from "./formview";
import { leverageField, sizeField } from "./sizefields";

export interface Form {
  element: HTMLElement;
  ladder: HTMLElement;
  update(s: FormState): void;
  openMarkets(): void;
  choosing(): boolean; // a market
}

/** The last line: copies of the question in three forms, and what becomes of it. */
function links(on: FormEvents): HTMLElement {
  const usual = "asks as you type",
    said = h("span", { class: "t3 grow right nowrap" }, usual);
  const copy = async (what: "link" | "curl" | "json") => {
    setText(said, (await on.copy(what)) ? "copied" : "the browser forbids it");
    setTimeout(() => setText(said, usual), 1500);
  };
  const button = (what: "link" | "curl" | "json", ...content: (Node | string)[]) =>
    h("button", { type: "button", class: "link", click: () => void copy(what) }, ...content);
  return h(
    "div",
    { class: "links" },
    h(
      "div",
      { class: "row small" },
      button("link", icon("link", 14), " Copy link"),
      button("curl", "curl"),
      button("json", "JSON"),
      said,
    ),
    h("p", { class: "small t3" }, "Ballast sends no order. It answers what this one would do."),
  );
}

export function tradeForm(on: FormEvents): Form {
  const view = new FormView(on),
    market = marketField(view),
    ladder = h("div", { class: "rungs" });
  const parts = [
    market,
    directionField(view),
    sizeField(view),
    leverageField(view),
    modeField(view),
    orderFields(view),
    walletField(view),
  ];
  const element = h(
    "form",
    {
      class: "card trade-form",
      "aria-label": "Trade",
      novalidate: true,
      submit: (e: Event) => (e.preventDefault(), on.enter()),
    },
    h(
      "div",
      { class: "sheet-head" },
      h("h2", { class: "grow" }, "The order"),
      h("button", { type: "button", class: "button main", click: on.close }, "Done"),
    ),
    ...parts.map((p) => p.element),
    ladder,
    links(on),
  );
  return {
    element,
    ladder,
    openMarkets: () => market.list(),
    choosing: () => market.choosing(),
    update(s) {
      view.state = s;
      for (const p of parts) p.update();
    },
  };
}
