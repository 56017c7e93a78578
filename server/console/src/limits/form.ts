// The limits of a policy as fields, each with what is used of it. The fields are made once; figures are renewed.

import type { PolicyRules } from "../api";
import { fill, h, icon, setInvalid, setText, table } from "../dom";
import type { Reading } from "../number";
import { meter } from "../screens/parts";
import { AssetList } from "./assetlist";
import { type Draft, typedLimit, typedMoment } from "./draft";
import { breaks, figure, limitText, type Rule, rules, share } from "./rules";
import type { Use, usesOf } from "./uses";

/** What the fields are renewed from. */
export interface Limits {
  base: PolicyRules; // as kept
  rules: PolicyRules; // as edited
  faults: Record<string, Reading>;
  everyones: PolicyRules; // of all wallets, which hold beside those of a wallet
  uses: ReturnType<typeof usesOf> | null; // null: not known
  used: string; // why no use is shown, "" when it is
}

const nearShare = 0.8;

/** The narrower of two limits; undefined: none. */
function narrower(r: Rule, a?: number | null, b?: number | null): number | undefined {
  if (a === null || a === undefined) return b ?? undefined;
  if (b === null || b === undefined) return a;
  return r.least ? Math.max(a, b) : Math.min(a, b);
}

class Row {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  private readonly was = h("td", { class: "left was", id: "" });
  private readonly bar = h("td", { class: "left usebar" });
  private readonly figure = h("td", { class: "use" });
  private shown = "";

  constructor(
    readonly rule: Rule,
    private readonly typed: (text: string) => void,
  ) {
    const id = `limit-${rule.id}`;
    this.was.id = `${id}-note`;
    this.input = h("input", {
      id,
      class: "field low",
      inputmode: "decimal",
      autocomplete: "off",
      spellcheck: "false",
      placeholder: "no limit",
      "aria-describedby": this.was.id,
      input: () => this.typed(this.input.value),
    });
    this.element = h(
      "tr",
      { class: "limit" },
      h("th", { scope: "row" }, h("label", { for: id, title: rule.id }, rule.name)),
      h(
        "td",
        { class: "left" },
        h("span", { class: "unitfield" }, this.input, h("span", { class: "small t3" }, rule.unit)),
      ),
      this.was,
      this.bar,
      this.figure,
    );
  }

  set(text: string, readOnly: boolean) {
    if (this.input.value !== text) this.input.value = text;
    this.input.readOnly = readOnly;
  }

  update(l: Limits) {
    const { rule } = this,
      fault = l.faults[rule.id],
      own = l.rules[rule.id],
      held = l.base[rule.id],
      limit = narrower(rule, own, l.everyones[rule.id]);
    const changed = !fault && (own ?? null) !== (held ?? null);
    const said = JSON.stringify([fault, own, held, limit, l.uses?.[rule.id], l.used]);
    if (said === this.shown) return;
    this.shown = said;
    this.input.classList.toggle("changed", changed);
    setInvalid(this.input, fault !== undefined);
    this.note(fault, changed, held, own, limit);
    this.use(l.uses?.[rule.id], fault ? undefined : limit);
  }

  private note(
    fault: Reading | undefined,
    changed: boolean,
    held?: number | null,
    own?: number | null,
    limit?: number,
  ) {
    const { rule, was } = this;
    if (fault) {
      const take = (text: string) => () => {
        this.input.value = text;
        this.typed(text);
        this.input.focus();
      };
      const ways = (fault.readings ?? []).map((text) =>
        h("button", { type: "button", class: "button", click: take(text) }, text),
      );
      return fill(was, h("span", { class: "fault" }, icon("stop", 14), fault.problem, ...ways));
    }
    if (changed) {
      const before = held === null || held === undefined ? "no limit" : limitText(rule, held);
      return fill(was, h("span", { class: "accent" }, `was ${before}`));
    }
    const narrowed = limit !== undefined && limit !== own;
    fill(was, narrowed && h("span", { class: "t3" }, `all wallets: ${limitText(rule, limit)}`));
  }

  private use(use: Use | undefined, limit: number | undefined) {
    const { rule } = this;
    if (!use) {
      fill(this.bar);
      return fill(this.figure);
    }
    const part = limit === undefined ? null : share(rule, use.value, limit),
      broken = limit !== undefined && breaks(rule, use.value, limit),
      kind = broken ? "stop" : part !== null && part >= nearShare ? "caution" : "";
    fill(this.bar, part !== null && meter(280, Math.min(1, part), kind));
    const of = use.of === "today" ? " today" : use.of ? `, ${use.of}` : "",
      text = figure(rule, use.value) + of,
      over = broken && h("span", { class: "off" }, rule.least ? " below the limit" : " over the limit");
    this.figure.className = `use ${kind}`;
    fill(this.figure, broken && icon("stop", 14), broken && " ", text, over);
  }
}

export class LimitsForm {
  readonly element: HTMLElement;
  private readonly rows: Row[];
  private readonly allowed: AssetList;
  private readonly denied: AssetList;
  private readonly halt: HTMLInputElement;
  private readonly ends: HTMLInputElement;
  private readonly endsNote = h("p", { class: "small t3", id: "limit-ends-note" });
  private readonly usedHead = h("th", { scope: "col", class: "left usebar" });
  private draft: Draft = { numbers: {} };

  constructor(changed: () => void) {
    this.rows = rules.map(
      (r) =>
        new Row(r, (text) => {
          this.draft.numbers[r.id] = text;
          changed();
        }),
    );
    this.allowed = new AssetList("allowed", "Allowed markets", true, (list) => {
      this.draft.allowed = list;
      changed();
    });
    this.denied = new AssetList("denied", "Forbidden markets", false, (list) => {
      this.draft.denied = list ?? [];
      changed();
    });
    this.halt = h("input", {
      type: "checkbox",
      id: "limit-halt",
      change: () => {
        this.draft.halt = this.halt.checked;
        changed();
      },
    });
    this.ends = h("input", {
      id: "limit-ends",
      class: "field",
      autocomplete: "off",
      placeholder: "never; or 2026-12-31 18:00 UTC",
      "aria-describedby": "limit-ends-note",
      input: () => {
        this.draft.ends = this.ends.value;
        changed();
      },
    });
    this.element = this.build();
  }

  private build(): HTMLElement {
    const left = (text: string) => h("th", { scope: "col", class: "left" }, text),
      heads = ["Limit", left("at most"), left(""), this.usedHead, h("span", { class: "off" }, "figure")];
    return h(
      "div",
      { class: "limits" },
      table("Limits and what is used of them", heads, this.rows.map((r) => r.element)),
      h(
        "div",
        { class: "halves limitlists" },
        this.allowed.element,
        this.denied.element,
        h(
          "div",
          {},
          h("label", { class: "label", for: "limit-ends" }, "The permission ends"),
          this.ends,
          this.endsNote,
        ),
        h(
          "label",
          { class: "row small haltfield" },
          this.halt,
          h("span", {}, h("b", {}, "Halt"), ": nothing may increase"),
        ),
      ),
    );
  }

  /** The assets that the venue lists. */
  list(assets: string[]) {
    this.allowed.list(assets);
    this.denied.list(assets);
  }

  /** Shows a policy with a draft of changes. */
  load(base: PolicyRules, draft: Draft, readOnly: boolean) {
    this.draft = draft;
    for (const r of this.rows) r.set(draft.numbers[r.rule.id] ?? typedLimit(r.rule, base[r.rule.id]), readOnly);
    this.allowed.set(draft.allowed !== undefined ? draft.allowed : (base.allowed_assets ?? null), readOnly);
    this.denied.set(draft.denied ?? base.denied_assets ?? [], readOnly);
    this.halt.checked = draft.halt ?? base.halt === true;
    this.halt.disabled = readOnly;
    this.ends.value = draft.ends ?? typedMoment(base.expires_at);
    this.ends.readOnly = readOnly;
  }

  update(l: Limits) {
    setText(this.usedHead, l.used === "" ? "used now" : l.used);
    for (const r of this.rows) r.update(l);
    const { expires_at: fault, allowed_assets, denied_assets } = l.faults;
    this.allowed.fault(allowed_assets?.problem ?? "");
    this.denied.fault(denied_assets?.problem ?? "");
    setInvalid(this.ends, fault !== undefined);
    this.endsNote.className = fault ? "small stop" : "small t3";
    setText(this.endsNote, fault?.problem ?? remaining(l.rules.expires_at));
  }

  /** Puts the focus on the first field that cannot be read. */
  focusFault() {
    this.element.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }
}

/** How long a permission lasts. */
function remaining(iso: string | null | undefined): string {
  if (!iso) return "";
  const ms = Date.parse(iso) - Date.now(),
    days = Math.floor(ms / 86_400_000),
    hours = Math.floor(ms / 3_600_000);
  if (ms <= 0) return "It has ended: nothing may increase.";
  if (days >= 2) return `in ${days} days`;
  return hours >= 1 ? `in ${hours} h` : `in ${Math.ceil(ms / 60_000)} min`;
}
