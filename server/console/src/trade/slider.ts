// A slider with marks at their true places.

import { h } from "../dom";

export interface Mark {
  at: number; // 0 to 1
  text: string;
}

export interface SliderSpec {
  label: string;
  id: string;
  text(at: number): string; // for screen readers
  moved(at: number, done: boolean): void;
  step(at: number, by: number): number; // one key further
}

const within = (v: number) => Math.max(0, Math.min(1, v));

export class Slider {
  readonly element: HTMLElement;
  private readonly rail: HTMLElement;
  private readonly done = h("b", { class: "moves" });
  private readonly knob = h("u", { class: "moves" });
  private readonly ticks = h("span", { class: "notches" });
  private readonly under = h("div", { class: "marks tiny t3", "aria-hidden": "true" });
  private at = 0;
  private dragging = false;
  private placed = ""; // the marks

  constructor(private readonly o: SliderSpec) {
    this.rail = h(
      "div",
      {
        class: "rail",
        tabindex: 0,
        role: "slider",
        "aria-label": o.label,
        "data-focus": o.id,
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        pointerdown: (e: PointerEvent) => {
          this.dragging = true;
          this.rail.setPointerCapture(e.pointerId);
          this.follow(e, false);
        },
        pointermove: (e: PointerEvent) => this.dragging && this.follow(e, false),
        pointerup: (e: PointerEvent) => {
          if (this.dragging) this.follow(e, true);
          this.dragging = false;
        },
        keydown: (e: KeyboardEvent) => this.key(e),
      },
      h("i", {}),
      this.done,
      this.ticks,
      this.knob,
    );
    this.element = h("div", { class: "slider" }, this.rail, this.under);
  }

  set(at: number, marks: Mark[]) {
    const now = JSON.stringify(marks);
    if (now !== this.placed) this.place(marks);
    this.placed = now;
    if (!this.dragging) this.show(within(at));
  }

  private show(v: number) {
    this.at = v;
    this.done.style.width = `${100 * v}%`;
    this.knob.style.left = `${100 * v}%`;
    this.rail.setAttribute("aria-valuenow", String(Math.round(100 * v)));
    this.rail.setAttribute("aria-valuetext", this.o.text(v));
  }

  private place(marks: Mark[]) {
    const at = <E extends HTMLElement>(e: E, m: Mark) => {
      e.style.left = `${100 * m.at}%`;
      return e;
    };
    const end = (i: number) => (i === 0 ? "first" : i === marks.length - 1 ? "last" : "");
    this.ticks.replaceChildren(...marks.map((m) => at(h("em", {}), m)));
    this.under.replaceChildren(...marks.map((m, i) => at(h("span", { class: end(i) }, m.text), m)));
  }

  private follow(e: PointerEvent, done: boolean) {
    const r = this.rail.getBoundingClientRect(),
      v = within((e.clientX - r.left) / r.width);
    this.show(v);
    this.o.moved(v, done);
  }

  private key(e: KeyboardEvent) {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 5, PageDown: -5 }[e.key],
      end = { Home: 0, End: 1 }[e.key];
    if (!by && end === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    const v = end ?? within(this.o.step(this.at, by!));
    this.show(v);
    this.o.moved(v, true);
  }
}
