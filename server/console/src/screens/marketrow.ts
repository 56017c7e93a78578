// A row of the table of markets. It is built once; then only cells that changed are touched.

import { h, icon, s, setText } from "../dom";
import { link } from "../route";
import { columns, type Listed, priceAge, priceLimit, sparkline, withoutPrices } from "./marketlist";

const sparkWidth = 72,
  sparkHeight = 22,
  dayWidth = 150,
  dayHeight = 22;
const missedRoundMs = 3000,
  goneMs = 30_000; // from this age on no price of a row is shown

export class Row {
  readonly element: HTMLTableRowElement;
  readonly link: HTMLAnchorElement;
  private readonly star = h("button", { type: "button", class: "star" });
  private readonly cells = new Map<string, HTMLElement>();
  private readonly cap = h("span", { class: "tag caution", hidden: true }, "at cap");
  private readonly line = s("path", { d: "" });
  private readonly range = s("rect", { y: 6, height: 10, rx: 2 });

  private turn = false; // the line is drawn every other time

  constructor(readonly name: string) {
    this.link = h("a", { class: "rowlink", href: link("market/" + name) }, name);
    this.star.dataset.star = name;
    const cells = columns.map((c) => {
      if (c.id === "name") return h("th", { scope: "row" }, h("div", { class: "row" }, this.star, this.link));
      const text = h("span");
      this.cells.set(c.id, text);
      if (c.drawn === "spark")
        return h(
          "td",
          { class: "c-spark" },
          s(
            "svg",
            { class: "chart spark", width: sparkWidth, height: sparkHeight, "aria-hidden": "true" },
            this.line,
          ),
        );
      if (c.drawn === "day") {
        return h(
          "td",
          { class: "c-day" },
          s(
            "svg",
            { class: "chart dayrange", viewBox: `0 0 ${dayWidth} ${dayHeight}`, "aria-hidden": "true" },
            this.range,
            s("path", { class: "mark", d: `M${dayWidth / 2} 2v18` }),
          ),
        );
      }
      return h("td", { class: "c-" + c.id }, text, c.id === "oi" ? this.cap : null);
    });
    this.element = h("tr", { "data-name": name }, ...cells);
  }

  /** Brings the row to the asset's figures of now. late is how long ago they came; scale the largest move, percent. */
  write(listed: Listed, late: number, scale: number, starred: boolean, at: number) {
    const age = (priceAge(listed) ?? Infinity) + late,
      a = age > goneMs ? withoutPrices(listed) : listed;
    for (const c of columns) {
      const cell = this.cells.get(c.id);
      if (!cell || c.drawn) continue;
      setText(cell, c.text(a));
      const kind = c.kind?.(a) ?? "";
      if (cell.className !== kind) cell.className = kind;
    }
    if (this.cap.hidden !== (a.at_cap !== true)) this.cap.hidden = a.at_cap !== true;
    this.turn = !this.turn;
    if (this.turn) set(this.line, "d", sparkline(a.name, at, sparkWidth, sparkHeight));
    this.drawDay(a, scale);
    this.element.classList.toggle("stale", age > priceLimit(a) + missedRoundMs);
    if (this.star.getAttribute("aria-pressed") !== String(starred)) {
      this.star.setAttribute("aria-pressed", String(starred));
      this.star.setAttribute("aria-label", `${starred ? "Unstar" : "Star"} ${a.name}`);
      this.star.replaceChildren(icon("star", 14));
    }
  }

  private drawDay(a: Listed, scale: number) {
    const x = (v: number) => dayWidth / 2 + (Math.max(-scale, Math.min(scale, v)) / scale) * (dayWidth / 2 - 2);
    const [from, to] = a.day ? [x(a.day.down_99_pct), x(a.day.up_99_pct)] : [0, 0];
    set(this.range, "x", from.toFixed(1));
    set(this.range, "width", (to - from).toFixed(1));
  }
}

function set(e: Element, name: string, value: string) {
  if (e.getAttribute(name) !== value) e.setAttribute(name, value);
}
