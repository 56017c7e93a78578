// What the form of the Trade screen shows, and the figures that several of its fields need.

import type { Asset, Assessment, DemoWallet } from "../api";
import { fill, h, icon, setInvalid } from "../dom";
import { readNumber } from "../number";
import { leverageOf } from "./answers";
import { maxLeverage, sizeUSD } from "./formparts";
import { type Fault, type Faults, type Field, fromAddress, type Question } from "./question";

export interface FormState {
  q: Question;
  faults: Faults;
  a: Assessment | null; // the last answer about this market and wallet
  stale: boolean;
  staleText: string; // beside the mark
  assets: Asset[];
  demo: DemoWallet[];
}

export interface FormEvents {
  change(changes: Partial<Question>, done: boolean): void;
  enter(): void;
  copy(what: "link" | "curl" | "json"): Promise<boolean>;
  close(): void; // of the sheet on a phone
}

/** A field of the form, or several that belong together. */
export interface Part {
  element: HTMLElement;
  update(): void; // shows the state of the view
}

/** The state that all parts show, with what follows from it. */
export class FormView {
  state: FormState = {
    q: fromAddress(new URLSearchParams()),
    faults: {},
    a: null,
    stale: false,
    staleText: "",
    assets: [],
    demo: [],
  };

  constructor(readonly on: FormEvents) {}

  get q() {
    return this.state.q;
  }

  get a() {
    return this.state.a;
  }

  get closing() {
    return this.q.action === "close";
  }

  get ticker() {
    return this.q.asset.split(":").pop()!;
  }

  get asset() {
    return this.state.assets.find((x) => x.name === this.q.asset);
  }

  get mark(): number | null {
    return this.a?.meta.mark_price ?? this.asset?.mark_price ?? null;
  }

  get sizeUSD() {
    return sizeUSD(this.q, this.mark);
  }

  /** Leverage as typed, else that of the answer. */
  get leverage(): number | null {
    return readNumber(this.q.leverage).value ?? (this.a && leverageOf(this.a));
  }

  /** The most that the venue allows at this size. */
  get maxLeverage(): number {
    return maxLeverage(this.asset, this.sizeUSD) ?? this.a?.meta.max_leverage ?? 40;
  }

  /** USD at 100 % of the size's slider: all free margin at this leverage, or the whole position. */
  get room(): number | null {
    const { a, leverage } = this;
    if (a === null) return null;
    if (this.closing) return a.position.before?.notional_usd ?? null;
    return leverage === null || a.margin.before.free <= 0 ? null : a.margin.before.free * leverage;
  }

  /** The field's text changed. */
  typed(name: Field, e: Event) {
    this.on.change({ [name]: (e.target as HTMLInputElement).value } as Partial<Question>, false);
  }
}

/** The line under a field: what is wrong with it, with what may have been meant; else what usually stands there. */
export function below(f: FormView, name: Field, input: HTMLElement | null, usual: HTMLElement | null): Part {
  const place = h("div", { class: "fault", id: `f-${name}-fault`, role: "alert" }),
    element = h("div", { class: usual ? "below tiny" : "below tiny free" }, place, usual);
  let shown = "";
  return {
    element,
    update() {
      const fault = f.state.faults[name];
      element.classList.toggle("wrong", fault !== undefined);
      if (input) setInvalid(input, fault !== undefined);
      const now = JSON.stringify(fault ?? null);
      if (shown === now) return; // a renewed answer must not make screen readers say it again
      shown = now;
      fill(place, ...(fault ? faultParts(f, name, fault) : []));
    },
  };
}

function faultParts(f: FormView, name: Field, fault: Fault) {
  const mend = (text: string) =>
    h(
      "button",
      {
        type: "button",
        class: "button",
        "data-focus": `mend-${name}-${text}`,
        click: () => f.on.change({ [name]: text } as Partial<Question>, true),
      },
      text,
    );
  return [icon("stop", 14), h("span", {}, fault.text), ...fault.suggestions.map(mend)];
}

/** A field for a number. */
export function numberField(f: FormView, name: Field, properties: Record<string, string>): HTMLInputElement {
  return h("input", {
    id: "f-" + name,
    inputmode: "decimal",
    autocomplete: "off",
    spellcheck: "false",
    "data-focus": "f-" + name,
    "aria-describedby": `f-${name}-fault`,
    input: (e: Event) => f.typed(name, e),
    keydown: (e: KeyboardEvent) => e.key === "Enter" && f.on.enter(),
    ...properties,
  });
}

/** Shows a text in a field, unless one is typing there. */
export function put(input: HTMLInputElement, text: string) {
  if (document.activeElement !== input && input.value !== text) input.value = text;
}
