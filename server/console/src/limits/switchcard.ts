// The card of the kill switch: its state, who turned it, when and why; and what turns it.

import { ask, Failure, type KillSwitch } from "../api";
import { fill, h, icon } from "../dom";
import { sinceWhen, takeSwitch } from "./killswitch";
import { moment, whoName } from "./rules";

const liftWord = "resume";

export class SwitchCard {
  readonly element = h("section", { class: "card edged verdictcard switchcard", "aria-label": "Kill switch" });
  private readonly said = h("div", { class: "grow" });
  private readonly side = h("div", { class: "switchside" });
  private readonly reason: HTMLInputElement;
  private readonly word: HTMLInputElement;
  private readonly fault = h("p", { class: "fault", id: "switch-fault", role: "alert" });
  private readonly button = h("button", { type: "submit", class: "button tall" });
  private state: KillSwitch | null = null;
  private shown = "";

  constructor(private readonly say: (sentence: string) => void) {
    const field = (id: string, label: string) =>
      h("input", {
        id,
        class: "field",
        autocomplete: "off",
        maxlength: 280,
        placeholder: label,
        "aria-label": label,
        "aria-describedby": "switch-fault",
        input: () => this.ready(),
      });
    this.reason = field("switch-reason", "reason, required");
    this.word = field("switch-word", `type ${liftWord}`);
    this.word.maxLength = 20;
    fill(this.element, this.said, this.side);
  }

  /** Puts the focus on the field of the reason. */
  focus() {
    this.reason.focus();
  }

  update(k: KillSwitch, mayChange: boolean) {
    this.state = k;
    const state = JSON.stringify([k, mayChange, new Date().toISOString().slice(0, 10)]);
    if (state === this.shown) return;
    const turned = this.shown === "" || !this.shown.startsWith(`[{"on":${k.on}`);
    this.shown = state;
    this.element.className = `card edged verdictcard switchcard is-${k.on ? "stop" : "ok"}`;
    fill(
      this.said,
      h(
        "h1",
        { class: `headline row ${k.on ? "stop" : ""}` },
        icon(k.on ? "stop" : "ok", 20, k.on ? "" : "ok"),
        k.on ? "Increases are stopped" : "Trading is allowed",
      ),
      h(
        "p",
        { class: "small t2" },
        k.on ? `${sinceWhen(k).trim().replace("since", "Since")} Exits go on.` : lifted(k),
      ),
    );
    if (turned) {
      this.reason.value = this.word.value = "";
      fill(this.fault);
    }
    fill(
      this.side,
      mayChange ? this.form(k.on) : h("p", { class: "small t2" }, "Only an operator's key turns the kill switch."),
    );
    this.ready();
  }

  private form(on: boolean): HTMLElement {
    const label = on ? "reason" : "reason, required";
    this.reason.placeholder = label;
    this.reason.setAttribute("aria-label", label);
    this.button.className = on ? "button tall" : "button tall danger";
    fill(this.button, !on && icon("stop", 16), on ? "Allow increases" : "Stop all increases");
    const note = on
      ? `Lifts it on every replica: type ${liftWord}.`
      : "Stops every increase on every replica within a second, until a person lifts it.";
    return h(
      "form",
      {
        class: "switchform",
        submit: (e: Event) => {
          e.preventDefault();
          void this.turn(!on);
        },
      },
      h("p", { class: "small t2 right" }, note),
      this.reason,
      on && this.word,
      this.button,
      this.fault,
    );
  }

  private ready() {
    const on = this.state?.on === true,
      typed = this.word.value.trim().toLowerCase() === liftWord;
    this.button.disabled = on ? !typed : this.reason.value.trim() === "";
  }

  private async turn(on: boolean) {
    if (this.button.disabled) return;
    this.button.disabled = true;
    const reason = this.reason.value.trim();
    const body = reason === "" ? { on } : { on, reason };
    try {
      const now = await ask<KillSwitch>("/v1/kill-switch", { method: "PUT", body });
      takeSwitch(now);
      this.say(on ? "Increases are stopped." : "Increases are allowed.");
    } catch (cause) {
      const text = cause instanceof Failure ? cause.message : String(cause),
        unheard = cause instanceof Failure && cause.status === 0;
      const known = unheard ? `${text} Whether increases are ${on ? "stopped" : "allowed"} is not known.` : text;
      fill(this.fault, icon("stop", 14), h("span", { class: "grow" }, known));
      this.ready();
    }
  }
}

/** Since when increases are allowed, and who lifted the switch. */
function lifted(k: KillSwitch): string {
  if (k.since === null) return "The kill switch was never on. Exits are never stopped.";
  const why = k.reason ? `: “${k.reason}”` : "";
  return `Kill switch off since ${moment(k.since)}, lifted by ${whoName(k.who)}${why}. Exits are never stopped.`;
}
