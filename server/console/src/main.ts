// The shell: which screen is shown, what it is given, the one timer of 1 s, the API key.
// What a screen is and what it may use: screen.ts. The list of screens: screens.ts.

import { ask, type Health, hasKey, onAnswers, useKey } from "./api";
import { setText } from "./dom";
import { Header } from "./header";
import { keyCard } from "./key";
import { type KeyMap, listenToKeys } from "./keys";
import { poll } from "./poll";
import { change, link, place } from "./route";
import type { Context, Poll, Screen } from "./screen";
import { screens } from "./screens";

const main = document.querySelector<HTMLElement>("main")!,
  said = document.querySelector<HTMLElement>("#said")!;
const top = new Header(screens, () => forgetKey(false));

interface Mounted {
  screen: Screen;
  path: string;
  end(): void;
  ticks: (() => void)[];
  params: (() => void)[];
  keys: KeyMap[];
}

let shown: Mounted | null = null;

let lastSaid = 0,
  toSay = "",
  sayTimer = 0;

/** Says a sentence to screen readers, at most every 5 s, the newest one. */
function say(sentence: string) {
  toSay = sentence;
  if (sayTimer !== 0) return;
  sayTimer = window.setTimeout(
    () => {
      sayTimer = 0;
      lastSaid = performance.now();
      setText(said, toSay);
    },
    Math.max(0, lastSaid === 0 ? 0 : lastSaid + 5000 - performance.now()),
  );
}

function mount(screen: Screen, path: string[]): Mounted {
  const m: Mounted = { screen, path: path.join("/"), end: () => {}, ticks: [], params: [], keys: [] };
  const polls: Poll[] = [];
  const ctx: Context = {
    path,
    hasKey: hasKey(),
    params: () => place().params,
    setParams: change,
    onParams: (f) => m.params.push(f),
    onTick: (f) => m.ticks.push(f),
    poll(ms, task, failed) {
      const p = poll(ms, task, failed);
      polls.push(p);
      return p;
    },
    keys: (map) => m.keys.push(map),
    watch: (answer) => top.watch(answer),
    venue: (name) => top.venue(name),
    say,
  };
  top.watch(null);
  const root = document.createElement("div");
  root.className = "screen " + screen.name;
  main.replaceChildren(root);
  const end = screen.mount(root, ctx);
  m.end = () => {
    for (const p of polls) p.stop();
    end();
  };
  return m;
}

let refused = false; // the service does not know the last key

/** Shows the screen that the address names. */
function show(again = false) {
  const { name, path } = place();
  if (name === "main") return; // the link that skips to the content
  const screen = screens.find((s) => s.name === name) ?? screens[0]!;
  if (!again && shown?.screen === screen && shown.path === path.join("/")) {
    for (const f of shown.params) f();
    return;
  }
  shown?.end();
  shown = null;
  top.mark(screen.under ?? screen.name, screen.title);
  top.key(refused ? "refused" : hasKey() ? "accepted" : "none");
  if (hasKey() || screen.open) {
    shown = mount(screen, path);
    return;
  }
  top.watch(null);
  main.replaceChildren(
    keyCard(
      () => {
        refused = false;
        show(true);
        main.focus();
      },
      refused,
      () => top.key("refused"),
    ),
  );
  main.querySelector<HTMLElement>("#key")?.focus();
}

function forgetKey(wasRefused: boolean) {
  refused = wasRefused;
  useKey("", false);
  show(true);
}

onAnswers(
  () => hasKey() && forgetKey(true),
  (ok) => top.heard(ok),
);

const tick = () => {
  if (document.hidden) return;
  top.tick();
  for (const f of shown?.ticks ?? []) f();
};
setInterval(tick, 1000);
document.addEventListener("visibilitychange", tick);
addEventListener("hashchange", () => show());

const go = (name: string) => () => screens.some((s) => s.name === name) && (location.hash = link(name));
const keys: KeyMap = {
  "g t": go("trade"),
  "g w": go("wallet"),
  "g m": go("markets"),
  "g d": go("decisions"),
  "g p": go("policy"),
  "g e": go("evidence"),
  "g h": go("health"),
  x: () => top.toggleTheme(),
  "?": () => top.toggleShortcuts(),
  Escape: () => top.closeMenu(),
};
listenToKeys(() => [keys, ...(shown?.keys ?? [])]);

poll(
  2000,
  async (signal) => {
    const state = await ask<Health>("/health", { signal, fine: [503] });
    top.health(state);
    top.venue(state.venue.kind);
  },
  () => top.health(null),
);

show();
