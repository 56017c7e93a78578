// Small helpers that build elements. Text always goes in as text, never as HTML.

export type Child = Node | string | null | undefined | false;
type Properties = Record<string, string | number | boolean | ((e: never) => void) | null | undefined>;

function give(e: Element, properties: Properties, children: Child[]) {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") e.addEventListener(name, value as EventListener);
    else if (value === true) e.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) e.setAttribute(name, String(value));
  }
  e.append(...present(children));
}

/** Makes an element. A function becomes a listener for the event of that name; false, null and undefined are
 * left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  give(e, properties, children);
  return e;
}

/** Makes an element of SVG. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  give(e, properties, children);
  return e;
}

export function present(children: Child[]): (Node | string)[] {
  return children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false);
}

/** Replaces the children of e. */
export function fill(e: Element, ...children: Child[]) {
  e.replaceChildren(...present(children));
}

/** Sets the text of an element if it differs. The element must contain only text. */
export function setText(e: Element, text: string) {
  const node = e.firstChild;
  if (node === null) {
    if (text !== "") e.append(text);
  } else if (node.nodeValue !== text) node.nodeValue = text;
}

/** An icon of the sprite in index.html, by its name there. */
export function icon(name: string, size = 16, kind = ""): SVGElement {
  return s(
    "svg",
    { class: `icon ${kind}`, width: size, height: size, viewBox: "0 0 24 24", "aria-hidden": "true" },
    s("use", { href: "#i-" + name }),
  );
}

/** A box that can be scrolled by keyboard too. */
export function scrollBox(label: string, ...children: Child[]): HTMLElement {
  return h("div", { class: "scroll", role: "region", "aria-label": label, tabindex: 0 }, ...children);
}

/** The head of a card: its title, and a small note at the right of it. Elements stand there as they are. */
export function headed(title: string | Element, ...notes: Child[]): HTMLElement {
  const small = (note: Child) => (note && !(note instanceof Element) ? h("span", { class: "small" }, note) : note);
  return h("div", { class: "head" }, title instanceof Element ? title : h("h2", {}, title), ...notes.map(small));
}

/** A title with a note beside it. */
export const withNote = (title: string, note: Child) =>
  h("div", {}, h("h2", {}, title), " ", h("span", { class: "small t3" }, note));

/** A card with its head. */
export const card = (title: string, note: Child, ...children: Child[]): HTMLElement =>
  h("section", { class: "card" }, headed(title, note), ...children);

const cell = (tag: "td" | "th", of: Child, properties: Properties = {}) =>
  of instanceof HTMLTableCellElement ? of : h(tag, properties, of);

/** A row of a table: its head, then its cells. One that needs properties is given as a cell. */
export const tr = (properties: Properties, head: Child, ...cells: Child[]): HTMLTableRowElement =>
  h("tr", properties, cell("th", head, { scope: "row" }), ...cells.map((c) => cell("td", c)));

/** A table, whose caption is for who does not see it. A head that needs properties is given as a cell. */
export function table(caption: string, heads: Child[], rows: Child[], name?: string): HTMLTableElement {
  const head = heads.map((t) => cell("th", t, { scope: "col" }));
  return h(
    "table",
    { class: name },
    h("caption", { class: "off" }, caption),
    head.length > 0 && h("thead", {}, h("tr", {}, ...head)),
    h("tbody", {}, ...rows),
  );
}

/** A sum of money, with its unit. */
export const inUSD = (sum: string) => h("span", {}, sum, h("span", { class: "small t3" }, " USD"));

/** A head for who does not see the table. */
export const unseen = (text: string) => h("th", {}, h("span", { class: "off" }, text));

/** What went wrong, said at once to screen readers. */
export const faultLine = (text: string) =>
  h("p", { class: "fault", role: "alert" }, icon("stop", 14), h("span", { class: "grow" }, text));

/** Marks a field whose text is wrong, or is not any more. */
export const setInvalid = (field: Element, wrong: boolean) =>
  wrong ? field.setAttribute("aria-invalid", "true") : field.removeAttribute("aria-invalid");

/** A text in a picture. */
export const label = (kind: string, x: number, y: number, text: string, anchor?: "middle" | "end" | "start") =>
  s("text", { class: kind, x, y, "text-anchor": anchor }, text);

/** A picture of so many pixels. */
export const plot = (name: string, width: number, height: number, words: string, ...parts: Child[]) => {
  const e = picture(name, width, height, words, ...parts);
  e.setAttribute("width", String(width));
  e.setAttribute("height", String(height));
  return e;
};

/** The width of a picture in a card: all of the page on a phone, so that its texts keep their size, else wide. */
export function pictureWidth(wide: (page: number) => number): number {
  const page = document.documentElement.clientWidth;
  return page < 900 ? page - 52 : wide(page);
}

/** A picture, with what it says in words, as wide as its place. */
export const picture = (name: string, width: number, height: number, words: string, ...parts: Child[]) =>
  s(
    "svg",
    { class: `chart ${name}`.trim(), viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words },
    ...parts,
  );

/** Copies a text. Returns whether the browser allowed it. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
