// The kill switch as the service has it: the pill in the header, and the bar on every screen while it is on.

import { ask, type Health, hasKey, type KillSwitch } from "../api";
import { fill, h, icon, setText } from "../dom";
import { age } from "../format";
import { link } from "../route";
import { type Moment, now, since } from "../store";
import { moment, whoName } from "./rules";

const readAgainMs = 10_000; // the reason may change while it is on
const doubtfulMs = 6000; // from then on the bar says how old it is

let known: KillSwitch | null = null;
const listeners = new Set<() => void>();

/** The switch as it was last read, null before. */
export const killSwitch = () => known;

/** Calls f when the switch changes; returns what ends that. */
export function onSwitch(f: () => void): () => void {
  listeners.add(f);
  return () => listeners.delete(f);
}

/** Takes an answer of the service. */
export function takeSwitch(k: KillSwitch) {
  const same = JSON.stringify(k) === JSON.stringify(known);
  known = k;
  if (!same) for (const f of listeners) f();
}

/** Since when it is on, by whom and why: " since 08:47 UTC by ops: “reason”." */
export function sinceWhen(k: KillSwitch | null): string {
  const when = k?.since ? ` since ${moment(k.since)}` : "",
    who = k?.who ? ` by ${whoName(k.who)}` : "";
  return `${when}${who}${k?.reason ? `: “${k.reason}”` : ""}.`;
}

export class SwitchBar {
  readonly pill = h("a", { class: "pill switchpill", "aria-label": "The kill switch is on", href: link("policy"), hidden: true });
  readonly element = h("section", { class: "switchbar", "aria-label": "Kill switch", hidden: true });
  private readonly old = h("span", { class: "t2" });
  private heard: Moment | null = null;
  private read: Moment | null = null;
  private asking = false;

  constructor() {
    onSwitch(() => this.draw());
  }

  /** What /health says of the switch; null: nothing is known. */
  async see(state: Health["kill_switch"]) {
    if (state === null) return;
    this.heard = now();
    const turned = known === null || known.on !== state.on || known.since !== state.since;
    if (turned && !hasKey()) takeSwitch({ ...state, reason: null, who: null, revision: 0 } as KillSwitch);
    if (!hasKey() || this.asking) return;
    if (!turned && !(state.on && (this.read === null || since(this.read) > readAgainMs))) return;
    this.asking = true;
    try {
      takeSwitch(await ask<KillSwitch>("/v1/kill-switch"));
      this.read = now();
    } catch {
      if (turned) takeSwitch({ ...state, reason: null, who: null, revision: 0 } as KillSwitch);
    } finally {
      this.asking = false;
    }
  }

  /** Once a second: how old it is, when it is old. */
  tick() {
    const old = this.heard === null ? 0 : since(this.heard);
    setText(this.old, known?.on && old > doubtfulMs ? `Read ${age(old)} ago.` : "");
  }

  private draw() {
    const on = known?.on === true;
    this.pill.hidden = this.element.hidden = !on;
    this.pill.classList.toggle("stop", on);
    if (!on || !known) return;
    fill(this.pill, icon("stop", 14), h("span", {}, "kill switch on"));
    const when = known.since ? ` since ${moment(known.since)}` : "",
      who = known.who ? `${whoName(known.who)}${known.reason ? ": " : ". "}` : "";
    fill(
      this.element,
      icon("stop", 24, "stop"),
      h(
        "div",
        { class: "grow" },
        h("b", {}, `Increases are stopped${when}`),
        h(
          "p",
          { class: "small t2" },
          who,
          known.reason ? `“${known.reason}”. ` : "",
          "Exits go on. Only an operator lifts it. ",
          this.old,
        ),
      ),
      h("a", { class: "button", href: link("policy") }, "Policy"),
    );
  }
}
