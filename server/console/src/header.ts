// The header: places, pills of venue and age, key, theme, shortcuts; and the bar at the bottom of phones.

import { type Health, hasKey } from "./api";
import { fill, h, icon, setText } from "./dom";
import { age } from "./format";
import { shortcuts } from "./keys";
import { link } from "./route";
import type { Screen } from "./screen";
import { Answer, now, since } from "./store";

const silentMs = 5000; // after this time without a message the venue counts as silent
const find = <E extends HTMLElement>(selector: string) => document.querySelector<E>(selector)!;

const icons: Record<string, string> = {
  trade: "pen",
  wallet: "bell",
  markets: "search",
  evidence: "target",
  health: "pulse",
};
const venues: Record<string, [string, string, string]> = {
  // pill, the same on a phone, start of the title
  simulated: ["SIMULATED VENUE · no real market", "SIMULATED", "SIM "],
  "hyperliquid-testnet": ["TESTNET · no real money", "TESTNET", "TESTNET "],
  custom: ["CUSTOM VENUE", "CUSTOM", "CUSTOM "],
};

export interface Header {
  mark(name: string, title: string): void;
  watch(answer: Answer<unknown> | null): void;
  venue(kind: string): void;
  health(h: Health | null): void;
  heard(ok: boolean): void;
  key(state: "none" | "accepted" | "refused"): void;
  tick(): void;
  toggleTheme(): void;
  toggleShortcuts(): void;
  closeMenu(): boolean; // whether it was open
}

const storedTheme = "ballast-theme";
const systemDark = matchMedia("(prefers-color-scheme: dark)");

function applyTheme() {
  const theme = localStorage.getItem(storedTheme) ?? (systemDark.matches ? "dark" : "light");
  document.documentElement.dataset.theme = theme;
  document.dispatchEvent(new Event("theme")); // for canvases, which have no style sheet
  return theme;
}

/** Says what the age pill says: the text, its form on a phone, and how grave it is. */
function ageText(seen: {
  watched: Answer<unknown> | null;
  health: Answer<Health>;
  lost: ReturnType<typeof now> | null;
}): [string, string, string] {
  const { watched, health, lost } = seen;
  if (lost) return [`no connection to the service ${age(since(lost))}`, `no service ${age(since(lost))}`, "stop"];
  const v = health.value?.venue,
    silence = (v?.last_message_age_ms ?? 0) + since(health.received);
  if (v && (!v.connected || silence > silentMs)) {
    const text = v.last_message_age_ms === null ? "venue not connected" : `venue silent ${age(silence)}`;
    return [text, text.replace("venue ", ""), "caution"];
  }
  if (health.value?.status === "starting") {
    const share = `${Math.floor(100 * (health.value.warmup.open_interest_share ?? 0))} %`;
    return [`loading history ${share}`, `loading ${share}`, "caution"];
  }
  if (!watched?.value) return v ? ["live", "live", ""] : ["…", "…", "none"];
  const oldest = age(watched.age("market"));
  if (watched.state() === "fresh") return [`prices ${oldest}`, oldest, ""];
  const w = watched.worst();
  return [`${w.name} ${age(w.ageMs)} old`, age(w.ageMs), "caution"];
}

export function header(screens: Screen[], forgetKey: () => void): Header {
  const bar = find(".bar"),
    tabs = find(".tabs");
  const listed = screens.filter((s) => !s.hidden);
  const places = h(
    "nav",
    { class: "places", "aria-label": "Screens" },
    ...listed.map((s) => h("a", { href: link(s.name), "data-name": s.name }, s.title)),
  );
  const venuePill = h("span", { class: "pill sim", hidden: true });
  const dot = h("span", { class: "dot" }),
    pillText = h("span");
  const agePill = h("a", { class: "pill", href: link("health") }, dot, pillText);
  const keyDot = h("span", { class: "dot" });
  const tool = (name: string, label: string, click: (e: Event) => void, ...more: HTMLElement[]) =>
    h("button", { type: "button", class: "tool", title: label, "aria-label": label, click }, icon(name), ...more);
  const themeTool = tool("moon", "Dark or light (x)", () => toggleTheme());
  const menu = h("div", { class: "card menu", hidden: true, tabindex: -1 });
  let opened = "",
    kind = "",
    title = "",
    opener: Element | null = null;

  const open = (name: string, ...content: (Node | string)[]) => {
    if (opened === name) return closeMenu();
    opened = name;
    opener = document.activeElement;
    fill(menu, ...content);
    menu.hidden = false;
    (menu.querySelector<HTMLElement>("a, button") ?? menu).focus();
  };
  const closeMenu = () => {
    if (opened === "") return false;
    opened = "";
    menu.hidden = true;
    if (opener instanceof HTMLElement) opener.focus();
    return true;
  };
  const keyPart = () =>
    hasKey()
      ? h(
          "div",
          { class: "grid" },
          h("p", {}, "A key is in use. It stays in this tab."),
          h("button", { type: "button", class: "button", click: () => (closeMenu(), forgetKey()) }, "Forget it"),
        )
      : h("p", {}, "No key yet: paste one in the card.");
  const list = () =>
    h(
      "table",
      {},
      h("caption", { class: "off" }, "Shortcuts"),
      h(
        "tbody",
        {},
        ...shortcuts.map(([k, what]) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, ...k.split(" ").flatMap((x) => [h("span", { class: "kbd" }, x), " "])),
            h("td", { class: "word" }, what),
          ),
        ),
      ),
    );
  const toggleShortcuts = () => open("shortcuts", h("h2", {}, "Keys"), list());
  const toggleTheme = () => {
    localStorage.setItem(storedTheme, document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    showTheme();
  };
  const showTheme = () => themeTool.replaceChildren(icon(applyTheme() === "dark" ? "moon" : "sun"));
  const more = () =>
    open(
      "more",
      h(
        "nav",
        { class: "grid", "aria-label": "More screens" },
        ...listed.slice(4).map((s) => h("a", { href: link(s.name), click: closeMenu }, s.title)),
        h("button", { type: "button", class: "button", click: toggleTheme }, "Dark or light"),
        keyPart(),
      ),
    );

  bar.replaceChildren(
    h("a", { class: "brand", href: link("trade") }, icon("logo", 22), "Ballast"),
    places,
    h("span", { class: "grow" }),
    venuePill,
    agePill,
    tool("key", "API key", () => open("key", h("h2", {}, "API key"), keyPart()), keyDot),
    themeTool,
    tool("help", "Shortcuts (?)", toggleShortcuts),
    menu,
  );
  tabs.replaceChildren(
    ...listed
      .slice(0, 4)
      .map((s) => h("a", { href: link(s.name), "data-name": s.name }, icon(icons[s.name] ?? "chart", 20), s.title)),
    h("button", { type: "button", click: more }, icon("down", 20), "More"),
  );
  document.addEventListener("pointerdown", (e) => {
    if (opened !== "" && e.target instanceof Node && !bar.contains(e.target) && !tabs.contains(e.target)) closeMenu();
  });
  systemDark.addEventListener("change", showTheme);
  showTheme();

  const seen = {
    watched: null as Answer<unknown> | null,
    health: new Answer<Health>(Infinity),
    lost: null as ReturnType<typeof now> | null,
  };
  const narrow = matchMedia("(max-width: 899px)");
  const tick = () => {
    const [wide, small, kindOfAge] = ageText(seen);
    setText(pillText, narrow.matches ? small : wide);
    dot.className = "dot " + kindOfAge;
    agePill.className = "pill " + (kindOfAge === "none" ? "" : kindOfAge);
  };
  const retitle = () => {
    document.title = `${venues[kind]?.[2] ?? ""}${title} · Ballast`;
    setText(venuePill, venues[kind]?.[narrow.matches ? 1 : 0] ?? "");
  };
  narrow.addEventListener("change", () => (retitle(), tick()));
  return {
    mark(name, t) {
      for (const a of document.querySelectorAll<HTMLElement>(".places a, .tabs a")) {
        a.dataset.name === name ? a.setAttribute("aria-current", "page") : a.removeAttribute("aria-current");
      }
      title = t;
      retitle();
      closeMenu();
    },
    watch: (answer) => ((seen.watched = answer), tick()),
    venue(k) {
      kind = k;
      venuePill.hidden = !(k in venues);
      bar.classList.toggle("sim", k in venues);
      retitle();
    },
    health(state) {
      if (state) seen.health.set(state, []);
      tick();
    },
    heard(ok) {
      if (ok) seen.lost = null;
      else seen.lost ??= now();
      tick();
    },
    key(state) {
      keyDot.hidden = state === "none";
      keyDot.className = state === "refused" ? "dot stop" : "dot";
    },
    tick,
    toggleTheme,
    toggleShortcuts,
    closeMenu,
  };
}
