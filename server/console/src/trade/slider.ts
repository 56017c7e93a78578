// A slider with marks at their true places.

import { h } from "../dom";

export interface SliderSpec {
  label: string;
  id: string;
  marks: { at: number; text: string }[]; // at: 0 to 1
  text(at: number): string; // for screen readers
  moved(at: number, done: boolean): void;
  step(at: number, by: number): number; // one key further
}

export interface Slider {
  element: HTMLElement;
  set(at: number | null, marks?: SliderSpec["marks"]): void;
}

export function slider(o: SliderSpec): Slider {
  const done = h("b", { class: "moves" }),
    knob = h("u", { class: "moves" }),
    ticks = h("span", { class: "notches" }),
    under = h("div", { class: "marks tiny t3", "aria-hidden": "true" });
  let at = 0,
    dragging = false;
  const rail = h(
    "div",
    {
      class: "rail",
      tabindex: 0,
      role: "slider",
      "aria-label": o.label,
      "data-focus": o.id,
      "aria-valuemin": 0,
      "aria-valuemax": 100,
    },
    h("i", {}),
    done,
    ticks,
    knob,
  );
  const show = (v: number) => {
    at = v;
    done.style.width = `${100 * v}%`;
    knob.style.left = `${100 * v}%`;
    rail.setAttribute("aria-valuenow", String(Math.round(100 * v)));
    rail.setAttribute("aria-valuetext", o.text(v));
  };
  const place = (marks: SliderSpec["marks"]) => {
    ticks.replaceChildren(
      ...marks.map((m) => {
        const e = h("em", {});
        e.style.left = `${100 * m.at}%`;
        return e;
      }),
    );
    under.replaceChildren(
      ...marks.map((m, i) => {
        const e = h("span", { class: i === 0 ? "first" : i === marks.length - 1 ? "last" : "" }, m.text);
        e.style.left = `${100 * m.at}%`;
        return e;
      }),
    );
  };
  const to = (e: PointerEvent, end: boolean) => {
    const r = rail.getBoundingClientRect(),
      v = Math.max(0, Math.min(1, (e.clientX - r.left) / r.width));
    show(v);
    o.moved(v, end);
  };
  rail.addEventListener("pointerdown", (e) => {
    dragging = true;
    rail.setPointerCapture(e.pointerId);
    to(e, false);
  });
  rail.addEventListener("pointermove", (e) => dragging && to(e, false));
  rail.addEventListener("pointerup", (e) => {
    if (dragging) to(e, true);
    dragging = false;
  });
  rail.addEventListener("keydown", (e) => {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 5, PageDown: -5 }[e.key];
    const v = e.key === "Home" ? 0 : e.key === "End" ? 1 : by ? Math.max(0, Math.min(1, o.step(at, by))) : null;
    if (v === null) return;
    e.preventDefault();
    e.stopPropagation();
    show(v);
    o.moved(v, true);
  });
  place(o.marks);
  let last = "";
  return {
    element: h("div", { class: "slider" }, rail, under),
    set(v, marks) {
      if (marks && JSON.stringify(marks) !== last) {
        last = JSON.stringify(marks);
        place(marks);
      }
      if (!dragging) show(Math.max(0, Math.min(1, v ?? 0)));
    },
  };
}
