// Brings a part of the page to a new state, touching only what differs.

import { type Child, h, present } from "./dom";

/** Makes the children of root those of next. Kept elements keep their listeners and the focus: what
 * listens must not hold figures, so act on clicks by a listener of root and data attributes. What
 * stands in an element with data-keep is left alone. */
export function patch(root: Element, ...next: Child[]) {
  const wanted = present(next);
  wanted.forEach((to, i) => {
    const at = root.childNodes[i];
    if (at === undefined) root.append(to);
    else patchNode(at, to);
  });
  while (root.childNodes.length > wanted.length) root.lastChild!.remove();
}

function patchNode(at: ChildNode, to: Node | string) {
  if (typeof to === "string") {
    if (at.nodeType !== Node.TEXT_NODE) at.replaceWith(to);
    else if (at.nodeValue !== to) at.nodeValue = to;
    return;
  }
  if (at instanceof Element && to instanceof Element && alike(at, to)) {
    patchAttributes(at, to);
    if (!at.hasAttribute("data-keep")) patch(at, ...to.childNodes);
  } else if (at.nodeType === Node.TEXT_NODE && to.nodeType === Node.TEXT_NODE) {
    if (at.nodeValue !== to.nodeValue) at.nodeValue = to.nodeValue;
  } else at.replaceWith(to);
}

const alike = (a: Element, b: Element) =>
  a.tagName === b.tagName && a.getAttribute("data-key") === b.getAttribute("data-key");

function patchAttributes(at: Element, to: Element) {
  for (const { name, value } of [...to.attributes]) if (at.getAttribute(name) !== value) at.setAttribute(name, value);
  for (const { name } of [...at.attributes]) {
    if (!to.hasAttribute(name) && name !== "open") at.removeAttribute(name); // open is the reader's
  }
}

/** A place in a patched part for an element that is made once; see hold. */
export const keep = (name: string) => h("div", { "data-keep": name, "data-key": name });

/** Puts elements into their places below root, where they are not yet. */
export function hold(root: Element, elements: Record<string, Element>) {
  for (const [name, e] of Object.entries(elements)) {
    const at = root.querySelector(`[data-keep="${name}"]`);
    if (at && at.firstChild !== e) at.replaceChildren(e);
  }
}
