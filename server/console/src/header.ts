// The header: places, pills of venue and age, key, theme, shortcuts; and the bar at the bottom of phones.

import { type Health, hasKey } from "./api";
import { fill, h, icon, setText, table } from "./dom";
import { age } from "./format";
import { shortcuts } from "./keys";
import { SwitchBar } from "./limits/killswitch";
import { link } from "./route";
import type { Screen } from "./screen";
import { Answer, type Moment, now, since } from "./store";

const silentMs = 5000, // after this time without a message the venue counts as silent
  unheardMs = 7000; // the same for the service, which is asked every 2 s
const find = <E extends HTMLElement>(selector: string) => document.querySelector<E>(selector)!;

const icons: Record<string, string> = {
  trade: "pen",
  wallet: "bell",
  markets: "search",
  decisions: "list",
  policy: "shield",
  evidence: "target",
  health: "pulse",
};
const venues: Record<string, [string, string, string]> = {
  // pill, the same on a phone, start of the title
  simulated: ["SIMULATED VENUE · no real market", "SIMULATED", "SIM "],
  "hyperliquid-testnet": ["TESTNET · no real money", "TESTNET", "TESTNET "],
  custom: ["CUSTOM VENUE", "CUSTOM", "CUSTOM "],
};

const storedTheme = "ballast-theme";
const systemDark = matchMedia("(prefers-color-scheme: dark)");

function applyTheme() {
  const theme = localStorage.getItem(storedTheme) ?? (systemDark.matches ? "dark" : "light");
  document.documentElement.dataset.theme = theme;
  document.dispatchEvent(new Event("theme")); // for canvases, which have no style sheet
  return theme;
}

/** What the age pill tells of. */
interface Seen {
  watched: Answer<unknown> | null;
  health: Answer<Health>;
  lost: Moment | null; // the service does not answer since then
}

/** The age pill: its text, the same on a phone, and how grave it is. */
function ageText(seen: Seen): [string, string, string] {
  const { watched, health } = seen,
    lost = seen.lost ?? (health.value && since(health.received) > unheardMs ? health.received : null);
  if (lost) return [`no connection to the service ${age(since(lost))}`, `no service ${age(since(lost))}`, "stop"];
  const v = health.value?.venue,
    silence = (v?.last_message_age_ms ?? 0) + since(health.received);
  const newer = watched?.state() === "fresh" && since(watched.received) < since(health.received); // it has prices
  if (v && !newer && (!v.connected || silence > silentMs)) {
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

const tool = (name: string, label: string, click: (e: Event) => void, ...more: HTMLElement[]) =>
  h("button", { type: "button", class: "tool", title: label, "aria-label": label, click }, icon(name), ...more);

const tight = matchMedia("(max-width: 1399px)"); // no room for long names
const onBottomBar = 4; // places in the bar of a phone; the others are under "More"

export class Header {
  private readonly bar = find(".bar");
  private readonly tabs = find(".tabs");
  private readonly listed: Screen[];
  private readonly turned = new SwitchBar();
  private readonly venuePill = h("span", { class: "pill sim", hidden: true });
  private readonly dot = h("span", { class: "dot" });
  private readonly pillText = h("span");
  private readonly agePill = h("a", { class: "pill", href: link("health") }, this.dot, this.pillText);
  private readonly keyDot = h("span", { class: "dot" });
  private readonly themeTool = tool("moon", "Dark or light (x)", () => this.toggleTheme());
  private readonly menu = h("div", { class: "card menu", hidden: true, tabindex: -1 });
  private readonly seen: Seen = { watched: null, health: new Answer<Health>(Infinity), lost: null };
  private opened = ""; // which menu
  private opener: Element | null = null; // had the focus before
  private venueKind = "";
  private title = "";

  constructor(
    screens: Screen[],
    private readonly forgetKey: () => void,
  ) {
    this.listed = screens.filter((s) => !s.hidden);
    this.fillBar();
    this.fillTabs();
    document.addEventListener("pointerdown", (e) => {
      const inside = e.target instanceof Node && (this.bar.contains(e.target) || this.tabs.contains(e.target));
      if (!inside) this.closeMenu();
    });
    systemDark.addEventListener("change", () => this.showTheme());
    tight.addEventListener("change", () => {
      this.retitle();
      this.tick();
    });
    this.bar.after(this.turned.element);
    this.showTheme();
  }

  private fillBar() {
    const places = this.listed.map((s) => h("a", { href: link(s.name), "data-name": s.name }, s.title));
    fill(
      this.bar,
      h("a", { class: "brand", href: link("trade") }, icon("logo", 22), "Ballast"),
      h("nav", { class: "places", "aria-label": "Screens" }, ...places),
      h("span", { class: "grow" }),
      this.turned.pill,
      this.venuePill,
      this.agePill,
      tool("key", "API key", () => this.open("key", h("h2", {}, "API key"), this.keyPart()), this.keyDot),
      this.themeTool,
      tool("help", "Shortcuts (?)", () => this.toggleShortcuts()),
      this.menu,
    );
  }

  private fillTabs() {
    const place = (s: Screen) =>
      h("a", { href: link(s.name), "data-name": s.name }, icon(icons[s.name] ?? "chart", 20), s.title);
    fill(
      this.tabs,
      ...this.listed.slice(0, onBottomBar).map(place),
      h("button", { type: "button", click: () => this.more() }, icon("down", 20), "More"),
    );
  }

  private open(name: string, ...content: (Node | string)[]) {
    if (this.opened === name) return void this.closeMenu();
    this.opened = name;
    this.opener = document.activeElement;
    fill(this.menu, ...content);
    this.menu.hidden = false;
    (this.menu.querySelector<HTMLElement>("a, button") ?? this.menu).focus();
  }

  /** Returns whether a menu was open. */
  closeMenu(): boolean {
    if (this.opened === "") return false;
    this.opened = "";
    this.menu.hidden = true;
    if (this.opener instanceof HTMLElement) this.opener.focus();
    return true;
  }

  private keyPart(): HTMLElement {
    if (!hasKey()) return h("p", {}, "No key yet: paste one in the card.");
    const forget = () => {
      this.closeMenu();
      this.forgetKey();
    };
    return h(
      "div",
      { class: "grid" },
      h("p", {}, "A key is in use. It stays in this tab."),
      h("button", { type: "button", class: "button", click: forget }, "Forget it"),
    );
  }

  private more() {
    const places = this.listed
      .slice(onBottomBar)
      .map((s) => h("a", { href: link(s.name), click: () => this.closeMenu() }, s.title));
    const theme = h("button", { type: "button", class: "button", click: () => this.toggleTheme() }, "Dark or light");
    this.open("more", h("nav", { class: "grid", "aria-label": "More screens" }, ...places, theme, this.keyPart()));
  }

  toggleShortcuts() {
    const row = ([keys, what]: readonly [string, string]) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, ...keys.split(" ").flatMap((x) => [h("span", { class: "kbd" }, x), " "])),
        h("td", { class: "word" }, what),
      );
    const list = table("Shortcuts", [], shortcuts.map(row));
    this.open("shortcuts", h("h2", {}, "Keys"), list);
  }

  toggleTheme() {
    localStorage.setItem(storedTheme, document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    this.showTheme();
  }

  private showTheme() {
    fill(this.themeTool, icon(applyTheme() === "dark" ? "moon" : "sun"));
  }

  private retitle() {
    const words = venues[this.venueKind];
    document.title = `${words?.[2] ?? ""}${this.title} · Ballast`;
    setText(this.venuePill, words?.[tight.matches ? 1 : 0] ?? "");
  }

  /** Marks the place of the screen that is shown. */
  mark(name: string, title: string) {
    for (const a of document.querySelectorAll<HTMLElement>(".places a, .tabs a")) {
      if (a.dataset.name === name) a.setAttribute("aria-current", "page");
      else a.removeAttribute("aria-current");
    }
    this.title = title;
    this.retitle();
    this.closeMenu();
  }

  /** Shows the ages of this answer. */
  watch(answer: Answer<unknown> | null) {
    this.seen.watched = answer;
    this.tick();
  }

  venue(kind: string) {
    this.venueKind = kind;
    this.venuePill.hidden = !(kind in venues);
    this.bar.classList.toggle("sim", kind in venues);
    this.retitle();
  }

  health(state: Health | null) {
    if (state) {
      this.seen.health.set(state, []);
      void this.turned.see(state.kill_switch);
    }
    this.tick();
  }

  /** Whether the service answered a request. */
  heard(ok: boolean) {
    if (ok) this.seen.lost = null;
    else this.seen.lost ??= now();
    this.tick();
  }

  key(state: "none" | "accepted" | "refused") {
    this.keyDot.hidden = state === "none";
    this.keyDot.className = state === "refused" ? "dot stop" : "dot";
  }

  /** Once a second: the ages. */
  tick() {
    this.turned.tick();
    const [wide, small, kind] = ageText(this.seen);
    setText(this.pillText, tight.matches ? small : wide);
    this.dot.className = "dot " + kind;
    this.agePill.className = "pill " + (kind === "none" ? "" : kind);
  }
}
