// The fields of the Trade form that say how much: size and leverage.

import { h, setText } from "../dom";
import { coins, fixed, times, usd } from "../format";
import { leverageMarks, radios, withCommas } from "./formparts";
import { below, type FormView, numberField, type Part, put } from "./formview";
import { unitOf } from "./question";
import { Slider } from "./slider";

const coinText = (usd: number, mark: number) => String(Number((usd / mark).toPrecision(6)));

/** Takes a size in USD, in the unit of the field. */
function take(f: FormView, usd: number, done: boolean) {
  const { mark } = f;
  const text =
    f.q.unit === "coin" && mark !== null
      ? coinText(usd, mark)
      : String(usd >= 1000 ? Math.floor(usd) : Math.floor(usd * 100) / 100);
  f.on.change({ size: usd > 0 ? text : "" }, done);
}

/** Changes the unit of the size; the size stays what it is. */
function convert(f: FormView, unit: "usd" | "coin") {
  const { mark, sizeUSD } = f;
  if (sizeUSD === null || mark === null || unit === f.q.unit) return f.on.change({ unit }, true);
  f.on.change({ unit, size: unit === "coin" ? coinText(sizeUSD, mark) : String(Math.round(sizeUSD)) }, true);
}

/** The size in the unit that the field does not have. */
function otherUnit(f: FormView): string {
  const { mark, sizeUSD } = f;
  if (sizeUSD === null || mark === null || f.state.faults.size) return "";
  return unitOf(f.q) === "usd" ? `= ${coins(sizeUSD / mark)} ${f.ticker}` : `= ${usd(sizeUSD)} USD`;
}

/** What the order needs of the free margin, and whether that is more than there is, as the venue counts it. */
function needOf(f: FormView): { text: string; over: boolean } {
  const need = f.a?.margin.delta_initial_usd ?? null,
    free = f.a?.margin.before.free ?? null;
  if (f.a === null || need === null || free === null) return { text: "", over: false };
  const short = f.a.admissibility.issues.find((i) => i.code === "insufficient_margin");
  if (short && typeof short.got === "number" && short.limit !== null)
    return {
      text: `needs ${usd(short.got)}, has ${usd(short.limit)} USD: ${usd(short.got - short.limit)} short`,
      over: true,
    };
  if (f.closing || need <= 0)
    return { text: need < 0 ? `frees ${usd(-need)} USD of margin` : "needs no margin", over: false };
  const share = free > 0 ? ` (${fixed((100 * need) / free, 1)} %)` : "";
  return { text: `needs ${usd(need)} of ${usd(free)} USD free${share}`, over: need > free * 1.000001 };
}

const shares = [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, text: at === 1 ? "100 %" : String(100 * at) }));

export function sizeField(f: FormView): Part {
  const input = numberField(f, "size", { class: "field size", placeholder: "50,000" });
  const units = radios<"usd" | "coin">(
    "Unit of the size",
    "unit-",
    [
      ["usd", "USD"],
      ["coin", "coin"],
    ],
    (unit) => convert(f, unit),
  );
  const other = h("span", { class: "other small t3" }),
    needs = h("div", { class: "small needs" }),
    fault = below(f, "size", input, needs);
  const share = new Slider({
    label: "Size, percent of free margin or of the position",
    id: "size-slider",
    text: (at) => `${fixed(100 * at, 0)} %`,
    step: (at, by) => Math.round(100 * at + by) / 100,
    moved(at, done) {
      const { room } = f;
      if (room !== null) take(f, (room * Math.round(100 * at)) / 100, done);
    },
  });
  const element = h(
    "div",
    {},
    h("div", { class: "row" }, h("label", { class: "label grow", for: "f-size" }, "Size"), units.element),
    h("div", { class: "sized" }, input, other),
    share.element,
    fault.element,
  );
  return {
    element,
    update() {
      const { room, sizeUSD } = f,
        need = needOf(f);
      units.set(f.q.unit);
      setText(units.buttons[1]!, f.ticker || "coin");
      put(input, withCommas(f.q.size, f.q.unit === "usd"));
      setText(other, otherUnit(f));
      share.set(room && sizeUSD !== null ? sizeUSD / room : 0, shares);
      needs.className = "small needs " + (f.state.stale ? "t3" : need.over ? "stop" : "t2");
      setText(needs, need.text);
      fault.update();
    },
  };
}

/** Leverage: the slider is logarithmic, and ends at the most that the size's margin tier allows. */
export function leverageField(f: FormView): Part {
  const input = numberField(f, "leverage", { class: "leverage", "aria-label": "Leverage" }),
    fault = below(f, "leverage", input, null);
  const at = (x: number) => (f.maxLeverage > 1 ? Math.log(x) / Math.log(f.maxLeverage) : 1),
    xOf = (place: number) => Math.max(1, Math.round(f.maxLeverage ** place));
  const bar = new Slider({
    label: "Leverage",
    id: "leverage-slider",
    text: (place) => `${xOf(place)}×`,
    step: (place, by) => at(Math.max(1, Math.min(f.maxLeverage, xOf(place) + by))),
    moved: (place, done) => f.on.change({ leverage: String(xOf(place)) }, done),
  });
  const element = h(
    "div",
    {},
    h("div", { class: "row" }, h("label", { class: "label grow", for: "f-leverage" }, "Leverage"), input),
    bar.element,
    fault.element,
  );
  return {
    element,
    update() {
      const { leverage } = f;
      element.hidden = f.closing;
      put(input, leverage === null ? "" : times(leverage));
      bar.set(leverage === null ? 0 : at(Math.max(1, leverage)), leverageMarks(f.maxLeverage, at, f.asset));
      fault.update();
    },
  };
}
