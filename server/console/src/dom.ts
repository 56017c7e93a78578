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

/** A card with its title; note stands at the right of it. */
export function card(title: string, note: Child, ...children: Child[]): HTMLElement {
  return h(
    "section",
    { class: "card" },
    h("div", { class: "head" }, h("h2", {}, title), note && h("span", { class: "small" }, note)),
    ...children,
  );
}

/** Copies a text. Returns whether the browser allowed it. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
