// The fields of the Trade form beside size and leverage: market, direction, margin mode, order, wallet.

import { fill, h, icon, setText } from "../dom";
import { fixed, known, price, short, signedPct, usd } from "../format";
import { walletOptions } from "../wallets";
import { Combobox } from "./combobox";
import { radios, rows, withCommas } from "./formparts";
import { below, type FormView, numberField, type Part, put } from "./formview";
import type { Action } from "./question";

/** Funding a year, and who pays it. */
function fundingText(f: FormView): string {
  const { a, asset } = f,
    hourly = asset?.funding_rate;
  const yearly = a ? a.funding.annualized_pct : known(hourly) ? hourly * 24 * 365 * 100 : null;
  if (yearly === null) return "";
  const pays = a ? a.funding.agent_pays : yearly > 0 === (f.q.action !== "short");
  const who = yearly === 0 ? "nobody pays" : pays ? "you pay" : "you get it";
  return `funding ${signedPct(yearly).replace(" %", " %/y")}, ${who}`;
}

export interface MarketField extends Part {
  list(): void; // opens the list
  choosing(): boolean; // from the open list
}

export function marketField(f: FormView): MarketField {
  const mark = h("span", { class: "t2 mark" }),
    change = h("span", { class: "t3 small change" }),
    funding = h("span", {}),
    volatility = h("span", {});
  const box = new Combobox({
    id: "f-asset",
    label: "Market",
    placeholder: "BTC",
    class: "market",
    beside: [h("span", { class: "quote" }, mark, change)],
    options: (typed) => rows(f.state.assets, typed),
    typed: (text) => f.on.change({ asset: named(text) ?? text }, false),
    chosen: (value) => f.on.change({ asset: value }, true),
  });
  const named = (text: string) => f.state.assets.find((x) => x.name.toLowerCase() === text.toLowerCase())?.name;
  box.input.addEventListener("blur", () => f.on.change({}, true)); // nothing is being chosen any more
  const fault = below(f, "asset", box.input, h("div", { class: "pair t3" }, funding, volatility));
  return {
    element: h(
      "div",
      {},
      h("label", { class: "label", for: "f-asset" }, "Market ", h("span", { class: "kbd nophone" }, "/")),
      box.element,
      fault.element,
    ),
    list: () => box.list(),
    choosing: () => box.choosing,
    update() {
      const { a, asset, state } = f,
        sigma = a?.var.volatility_forecast?.sigma_1d ?? asset?.sigma_1d ?? null;
      put(box.input, f.q.asset);
      box.input.size = Math.max(4, box.input.value.length);
      setText(mark, f.mark === null ? "" : price(f.mark));
      mark.classList.toggle("t3", state.stale);
      if (state.stale && state.staleText !== "")
        fill(change, h("span", { class: "tag caution" }, icon("clock", 12), state.staleText));
      else fill(change, known(asset?.change_24h_pct) ? signedPct(asset.change_24h_pct) : "");
      setText(funding, fundingText(f));
      setText(volatility, sigma === null ? "" : `volatility ${fixed(100 * sigma, 0)} %/y`);
      box.refresh();
      fault.update();
    },
  };
}

export function directionField(f: FormView): Part {
  const choice = radios<Action>(
    "Direction",
    "action-",
    [
      ["long", "Long"],
      ["short", "Short"],
      ["close", "Close"],
    ],
    (action) => f.on.change({ action }, true),
    true,
  );
  return { element: choice.element, update: () => choice.set(f.q.action) };
}

/** Why the margin mode cannot be chosen; empty when it can. */
function modeReason(f: FormView): string {
  const { a, asset } = f;
  if (asset?.only_isolated === true) return `isolated: ${f.q.asset} has nothing else`;
  const before = a?.explanation.mode_source === "position" ? a.position.before : null;
  return before === null ? "" : `${before.mode}: the open position keeps it`;
}

export function modeField(f: FormView): Part {
  const choice = radios<"cross" | "isolated">(
    "Margin mode",
    "mode-",
    [
      ["cross", "cross"],
      ["isolated", "isolated"],
    ],
    (mode) => f.on.change({ mode }, true),
  );
  const why = h("p", { class: "small t2" }),
    fault = below(f, "mode", null, null);
  const element = h("div", {}, h("span", { class: "label" }, "Margin mode"), choice.element, why, fault.element);
  return {
    element,
    update() {
      const reason = modeReason(f),
        used = f.a && f.a.liquidation.mode !== "close" ? f.a.liquidation.mode : "";
      element.hidden = f.closing;
      choice.element.hidden = reason !== "";
      why.hidden = reason === "";
      setText(why, reason);
      choice.set(f.q.mode || used);
      fault.update();
    },
  };
}

/** Kind of order, its price, and what closes it. */
export function orderFields(f: FormView): Part {
  let wanted = false; // the take profit was asked for
  const kind = h(
    "select",
    {
      class: "field",
      id: "f-order",
      "data-focus": "f-order",
      change: () => f.on.change({ order: kind.value as "market" | "limit" }, true),
    },
    h("option", { value: "market" }, "Market"),
    h("option", { value: "limit" }, "Limit"),
  );
  const open = () => {
    wanted = true;
    update();
    take.input.focus();
  };
  const button = { type: "button", class: "link", "data-focus": "more-take", click: open },
    more = h("button", button, "and a take profit");
  const labelled = (text: string, input: HTMLElement, under: HTMLElement) =>
    h("div", {}, h("label", { class: "label", for: input.id }, text), input, under);
  const trigger = (name: "price" | "stop" | "take", text: string, usual: HTMLElement | null) => {
    const properties =
      name === "price" ? { class: "field", placeholder: "price" } : { class: "field trigger", placeholder: "none" };
    const input = numberField(f, name, properties),
      fault = below(f, name, input, usual);
    return { input, fault, element: labelled(text, input, fault.element) };
  };
  const stop = trigger("stop", "Stop", more),
    limit = trigger("price", "Price", null),
    take = trigger("take", "Take profit", null);
  function update() {
    const { q, closing } = f,
      taking = wanted || q.take !== "";
    kind.value = q.order;
    limit.element.hidden = q.order !== "limit";
    stop.element.hidden = closing;
    take.element.hidden = !taking || closing;
    more.hidden = taking || closing;
    put(limit.input, withCommas(q.price));
    put(stop.input, withCommas(q.stop));
    put(take.input, withCommas(q.take));
    for (const t of [stop, limit, take]) t.fault.update();
  }
  const orderPart = labelled("Order", kind, h("div", { class: "below tiny" }));
  return { element: h("div", { class: "two" }, orderPart, stop.element, limit.element, take.element), update };
}

export function walletField(f: FormView): Part {
  const box = new Combobox({
    id: "f-wallet",
    label: "Wallet",
    placeholder: "0x…",
    class: "wallet mono",
    beside: [],
    options: (typed) => walletOptions(f.state.demo, typed),
    typed: (text) => f.on.change({ wallet: text }, false),
    chosen: (value) => f.on.change({ wallet: value }, true),
  });
  box.input.addEventListener("focus", () => {
    box.input.value = f.q.wallet;
    box.input.select(); // what is pasted takes its place
  });
  box.input.addEventListener("blur", () => (box.input.value = short(f.q.wallet)));
  const about = h("span", { class: "t3" }),
    forget = () => (f.on.change({ wallet: "" }, true), box.input.focus()),
    clear = h("button", { type: "button", class: "link small", "aria-label": "Clear the wallet", click: forget }, "Clear"),
    demos = h("button", { type: "button", class: "link", "data-focus": "demo", click: () => box.list() }),
    fault = below(f, "wallet", box.input, h("div", { class: "pair" }, about, demos));
  return {
    element: h(
      "div",
      {},
      h("div", { class: "row" }, h("label", { class: "label grow", for: "f-wallet" }, "Wallet"), clear),
      box.element,
      fault.element,
    ),
    update() {
      const { a } = f,
        { demo } = f.state,
        name = demo.find((d) => d.wallet === f.q.wallet.toLowerCase())?.name ?? "";
      put(box.input, short(f.q.wallet));
      clear.hidden = f.q.wallet === "";
      setText(about, a ? `${name && name + ", "}${usd(a.margin.before.account_value)} USD` : name);
      setText(demos, `${demo.length} demo wallets`);
      demos.hidden = demo.length === 0;
      fault.update();
    },
  };
}
