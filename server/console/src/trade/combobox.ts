// A field with a list to choose from: arrows, Enter and Escape work it.

import { fill, h, icon } from "../dom";

export interface Option {
  value: string;
  row: (Node | string)[];
}

export interface Combobox {
  element: HTMLElement;
  input: HTMLInputElement;
  list(): void; // opens the list
  refresh(): void; // the options changed
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

export function combobox(o: ComboboxSpec): Combobox {
  let active = -1,
    shown: Option[] = [],
    open = false,
    fresh = true; // fresh: nothing typed since it was opened
  const list = h("ul", {
    class: "options",
    role: "listbox",
    id: o.id + "-list",
    "aria-label": o.label,
    hidden: true,
  });
  const input = h("input", {
    id: o.id,
    role: "combobox",
    "aria-expanded": "false",
    "aria-controls": list.id,
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: o.placeholder,
    "aria-label": o.label,
    "aria-describedby": o.id + "-fault",
    "data-focus": o.id,
    input: () => {
      fresh = false;
      o.typed(input.value.trim());
      show();
    },
    keydown: (e: KeyboardEvent) => keys(e),
    blur: () => close(),
  });
  const mark = () => {
    [...list.children].forEach((li, i) => li.setAttribute("aria-selected", String(i === active)));
    const li = list.children[active];
    li?.scrollIntoView({ block: "nearest" });
    li ? input.setAttribute("aria-activedescendant", li.id) : input.removeAttribute("aria-activedescendant");
  };
  const render = () => {
    shown = o.options(fresh ? "" : input.value.trim()).slice(0, 60);
    fill(
      list,
      ...shown.map((x, i) =>
        h(
          "li",
          { role: "option", id: `${o.id}-${i}`, pointerdown: (e: Event) => (e.preventDefault(), choose(i)) },
          ...x.row,
        ),
      ),
    );
    list.hidden = !open || shown.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    active = Math.min(active, shown.length - 1);
    mark();
  };
  const show = () => {
    open = true;
    active = input.value === "" || fresh ? -1 : 0;
    render();
  };
  const close = () => {
    open = false;
    fresh = true;
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = (i: number) => {
    const x = shown[i];
    close();
    if (x) o.chosen(x.value);
  };
  const keys = (e: KeyboardEvent) => {
    if (e.key === "Escape" && open) {
      e.stopPropagation();
      return close();
    }
    if (e.key === "Enter" && open && active >= 0) {
      e.preventDefault();
      e.stopPropagation();
      return choose(active);
    }
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!by) return;
    e.preventDefault();
    e.stopPropagation();
    if (!open) return show();
    active = (active + by + shown.length) % Math.max(1, shown.length);
    mark();
  };
  const element = h(
    "div",
    { class: "combo" },
    h(
      "div",
      {
        class: "field " + o.class,
        pointerdown: (e: PointerEvent) => {
          if (e.target !== input) e.preventDefault();
          input.focus();
          open ? close() : show();
        },
      },
      input,
      ...o.beside,
      icon("down", 14),
    ),
    list,
  );
  return { element, input, list: () => (input.focus(), input.select(), show()), refresh: () => open && render() };
}
