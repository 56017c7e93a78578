// Small helpers that build elements. Text always goes in as text, never as HTML.

export type Child = Node | string | null | undefined | false;
type Properties = Record<string, string | number | boolean | EventListener | undefined>;

/** Makes an element. A function property becomes a listener for the event of that name; a false property is left out. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Properties = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") e.addEventListener(name, value);
    else if (value === true) e.setAttribute(name, "");
    else if (value !== false && value !== undefined) e.setAttribute(name, String(value));
  }
  e.append(...present(children));
  return e;
}

export function present(children: Child[]): (Node | string)[] {
  return children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false);
}

/** Sets the text of an element if it differs. The element must contain only text. */
export function setText(e: Element, text: string) {
  const node = e.firstChild;
  if (node === null) {
    if (text !== "") e.append(text);
  } else if (node.nodeValue !== text) node.nodeValue = text;
}

export type Cell = string | { text: Child; class?: string };

/** A table in a box that scrolls sideways. The first cell of a row is its heading; columns from the second on are aligned as numbers. */
export function table(caption: string, heads: string[], rows: Cell[][]): HTMLElement {
  const cell = (c: Cell, i: number) => {
    const { text, class: name } = typeof c === "string" ? { text: c, class: undefined } : c;
    return i === 0 ? h("th", { scope: "row", class: name }, text) : h("td", { class: name }, text);
  };
  const head = (text: string, i: number) => {
    const below = rows[0]?.[i];
    return h("th", { scope: "col", class: typeof below === "object" && below.class === "text" ? "text" : undefined }, text);
  };
  return scrollBox(caption, h("table", {},
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, ...heads.map(head))),
    h("tbody", {}, ...rows.map((r) => h("tr", {}, ...r.map(cell))))));
}

/** A box that can be scrolled by keyboard too. */
export function scrollBox(label: string, ...children: Child[]): HTMLElement {
  return h("div", { class: "scroll", role: "region", "aria-label": label, tabindex: 0 }, ...children);
}

/** A bar filled to a share, 0 to 1. Screen readers skip it, because the text beside it has the value. */
export function bar(share: number, kind = ""): HTMLElement {
  const fill = h("span", { class: "fill " + kind });
  fill.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return h("span", { class: "bar", "aria-hidden": "true" }, fill);
}

/** A bar from the middle to the left for losses, to the right for gains. share is from -1 to 1. */
export function twoSidedBar(share: number): HTMLElement {
  const s = Math.max(-1, Math.min(1, share)), fill = h("span", { class: "fill " + (s < 0 ? "bad" : "good") });
  fill.style.left = `${50 + Math.min(0, s) * 50}%`;
  fill.style.width = `${Math.abs(s) * 50}%`;
  return h("span", { class: "bar two", "aria-hidden": "true" }, fill);
}

/** A button that copies a text, or selects it where the page may not write to the clipboard. */
export function copyButton(label: string, pre: HTMLElement): HTMLElement {
  const said = h("span", { role: "status", class: "quiet" });
  return h("p", {}, h("button", {
    type: "button",
    click: async () => {
      try {
        await navigator.clipboard.writeText(pre.textContent ?? "");
        setText(said, "Copied.");
      } catch {
        getSelection()?.selectAllChildren(pre);
        setText(said, "Selected: copy it with Ctrl+C.");
      }
    },
  }, label), " ", said);
}
