// A field with a list to choose from: arrows, Enter and Escape work it.

import { fill, h, icon } from "../dom";

export interface Option {
  value: string;
  row: (Node | string)[];
}

export interface ComboboxSpec {
  id: string;
  label: string;
  placeholder: string;
  class: string;
  beside: Node[]; // in the field, right of what is typed
  options(typed: string): Option[];
  typed(text: string): void;
  chosen(value: string): void;
}

const mostShown = 60;

export class Combobox {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  private readonly options: HTMLElement;
  private shown: Option[] = [];
  private active = -1;
  private open = false;
  private fresh = true; // nothing typed since it was opened
  private entered = false; // Enter was pressed before there was anything to choose from

  constructor(private readonly o: ComboboxSpec) {
    this.options = h("ul", {
      class: "options",
      role: "listbox",
      id: o.id + "-list",
      "aria-label": o.label,
      hidden: true,
    });
    this.input = this.buildInput();
    const press = (e: PointerEvent) => {
      if (e.target !== this.input) e.preventDefault();
      this.input.focus();
      this.open ? this.close() : this.show();
    };
    const field = { class: "field " + o.class, pointerdown: press };
    this.element = h(
      "div",
      { class: "combo" },
      h("div", field, this.input, ...o.beside, icon("down", 14)),
      this.options,
    );
  }

  /** Whether there is something to choose from in the open list. */
  get choosing() {
    return this.open && this.shown.length > 0;
  }

  /** Opens the list. */
  list() {
    this.input.focus();
    this.input.select();
    this.show();
  }

  /** The options changed. */
  refresh() {
    if (!this.open) return;
    this.render();
    if (this.entered && this.shown.length > 0) this.choose(0);
  }

  private buildInput() {
    const { o } = this;
    return h("input", {
      id: o.id,
      role: "combobox",
      "aria-expanded": "false",
      "aria-controls": this.options.id,
      "aria-autocomplete": "list",
      autocomplete: "off",
      spellcheck: "false",
      placeholder: o.placeholder,
      "aria-label": o.label,
      "aria-describedby": o.id + "-fault",
      "data-focus": o.id,
      input: () => {
        this.fresh = this.entered = false;
        o.typed(this.input.value.trim());
        this.show();
      },
      keydown: (e: KeyboardEvent) => this.key(e),
      blur: () => this.close(),
    });
  }

  private show() {
    this.open = true;
    this.active = -1;
    this.render();
    this.options.scrollIntoView({ block: "nearest" });
  }

  private render() {
    const { o, input, options } = this;
    const typed = this.fresh ? "" : input.value.trim(),
      least = typed === "" ? -1 : 0; // of what is typed, the first fits best
    this.shown = o.options(typed).slice(0, mostShown);
    const take = (i: number) => (e: Event) => {
      e.preventDefault();
      this.choose(i);
    };
    const item = (x: Option, i: number) =>
      h("li", { role: "option", id: `${o.id}-${i}`, pointerdown: take(i) }, ...x.row);
    fill(options, ...this.shown.map(item));
    options.hidden = !this.open || this.shown.length === 0;
    input.setAttribute("aria-expanded", String(!options.hidden));
    this.active = Math.min(Math.max(this.active, least), this.shown.length - 1);
    this.mark();
  }

  /** Shows which option Enter would take. */
  private mark() {
    const items = [...this.options.children],
      li = items[this.active];
    items.forEach((x, i) => x.setAttribute("aria-selected", String(i === this.active)));
    li?.scrollIntoView({ block: "nearest" });
    if (li) this.input.setAttribute("aria-activedescendant", li.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  private close() {
    this.open = this.entered = false;
    this.fresh = true;
    this.options.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  private choose(i: number) {
    const x = this.shown[i];
    this.close();
    if (!x) return;
    this.input.value = x.value;
    this.o.chosen(x.value);
  }

  private key(e: KeyboardEvent) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key],
      enter = e.key === "Enter" && this.open,
      takes = enter && this.active >= 0,
      closes = e.key === "Escape" && this.open;
    if (enter && !this.fresh && this.shown.length === 0) this.entered = true;
    if (!by && !takes && !closes) return;
    e.stopPropagation();
    if (closes) return this.close();
    e.preventDefault();
    if (takes) return this.choose(this.active);
    if (!this.open) return this.show();
    this.active = (this.active + by! + this.shown.length) % Math.max(1, this.shown.length);
    this.mark();
  }
}
