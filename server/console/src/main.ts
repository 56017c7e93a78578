// The console. The hash of the URL selects the screen; all share one API key and a line on the venue.

import { ask, errorBox, type Health, hasKey, onRefused, useKey } from "./api";
import { h, setText } from "./dom";
import { evidence } from "./evidence";
import { age } from "./format";
import { health } from "./health";
import { markets } from "./markets";
import { poll } from "./poll";
import { validate } from "./validate";
import { wallet } from "./wallet";

const silentMs = 5000; // after this time without a message the venue counts as silent

const find = <E extends HTMLElement>(selector: string) => document.querySelector<E>(selector)!;
const main = find("main"), nav = find("nav"), keyBox = find(".key"), banner = find(".banner"), venueLine = find(".venue");

function showVenue(venue: string) {
  if (venue !== "simulated") return;
  banner.hidden = false;
  setText(banner, "SIMULATED VENUE: no figure here is of a real market.");
}

interface Screen {
  element: HTMLElement;
  start?(): void;
  stop?(): void;
  fill?(given: URLSearchParams): void;
  open?: boolean; // needs no key
}

const form = validate(showVenue), held = wallet(showVenue);
const screens: Record<string, Screen> = {
  markets: markets(form.setNames), validate: form, wallet: held, evidence: evidence(), health: { ...health(), open: true },
};
for (const [name, s] of Object.entries(screens)) {
  s.element.hidden = true;
  main.append(s.element);
  nav.append(h("a", { href: "#" + name }, name[0]!.toUpperCase() + name.slice(1)));
}

let shown = "";
function show() {
  const [name, query] = location.hash.slice(1).split("?");
  const next = name! in screens ? name! : "markets";
  if (name === "main") return; // #main is the link that skips to the content
  if (next !== shown) {
    screens[shown]?.stop?.();
    shown = next;
    for (const [n, s] of Object.entries(screens)) s.element.hidden = n !== next;
    for (const a of nav.children) a.getAttribute("href") === "#" + next ? a.setAttribute("aria-current", "page") : a.removeAttribute("aria-current");
    document.title = `Ballast: ${next}`;
  }
  const screen = screens[next]!;
  main.classList.toggle("locked", !hasKey() && !screen.open);
  if (hasKey() || screen.open) screen.start?.();
  else screen.stop?.();
  if (hasKey()) screen.fill?.(new URLSearchParams(query));
}
addEventListener("hashchange", show);

/** Shows the form for an API key if none is set. cause says why a key, or another key, is needed. */
function showKeyForm(cause?: HTMLElement) {
  if (!hasKey()) {
    const input = h("input", { type: "password", id: "key", required: true, autocomplete: "off", spellcheck: "false", placeholder: "blst_…" });
    const keep = h("input", { type: "checkbox", id: "keep" });
    keyBox.replaceChildren(h("form", {
      submit: (e) => {
        e.preventDefault();
        useKey(input.value.trim(), keep.checked);
        showKeyForm();
        show();
        main.focus();
      },
    },
      cause ?? null,
      h("label", {}, "API key ", input), h("label", { class: "check" }, keep, " Keep it until this tab is closed"), h("button", { type: "submit", class: "main" }, "Use key"),
      h("p", { class: "quiet" }, "The key stays in this tab. Whoever runs the service makes one with ", h("code", {}, "ballast keys issue --email you@example.com"), "; on the simulated venue the first start prints one.")));
    if (cause) input.focus();
    return;
  }
  keyBox.replaceChildren(h("p", {}, "A key is in use. ", h("button", { type: "button", click: () => forgetKey() }, "Forget it")));
}

/** Forgets the key and what was read with it. cause says why another key is needed. */
function forgetKey(cause?: HTMLElement) {
  useKey("", false);
  held.forget();
  form.forget();
  showKeyForm(cause);
  show();
}

onRefused((cause) => forgetKey(hasKey() ?
  h("div", {}, errorBox(cause), h("p", {}, "The key was never issued here, or it has been revoked. Type another one.")) :
  h("p", { class: "error", role: "alert" }, "This needs an API key, and none has been typed. Below stands where one comes from.")));

poll(2000, async () => {
  let text: string, bad = true;
  try {
    const s = await ask<Health>("/health", undefined, [503]);
    const silence = s.venue.last_message_age_ms;
    if (s.venue.name === "sim") showVenue("simulated");
    if (!s.venue.connected) text = "The venue is not connected";
    else if (silence === null || silence > silentMs) text = `The venue has been silent for ${age(silence)}`;
    else {
      text = s.status === "ok" ? `${s.venue.name}: live` : `${s.venue.name}: ${s.status}`;
      bad = s.status !== "ok";
    }
  } catch {
    text = "The service does not answer";
  }
  setText(venueLine, text);
  venueLine.classList.toggle("bad", bad);
}).start();

showKeyForm();
show();
