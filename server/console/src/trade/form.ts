// The form of the Trade screen. It shows a question and the last answer's figures beside it, and tells what changes.

import type { Asset, Assessment } from "../api";
import { type Child, fill, h, icon, setText } from "../dom";
import { coins, fixed, known, price, short, signedPct, times, usd } from "../format";
import { readNumber } from "../number";
import { leverageOf } from "./answers";
import { combobox } from "./combobox";
import { leverageMarks, maxLeverage, radios, rows, sizeUSD } from "./formparts";
import type { Action, Fault, Faults, Field, Question } from "./question";
import { slider } from "./slider";

export interface DemoWallet {
  wallet: string;
  name: string;
  about: string;
}

export interface FormState {
  q: Question;
  faults: Faults;
  a: Assessment | null; // the last answer about this market and wallet
  stale: boolean;
  staleText: string; // beside the mark
  assets: Asset[];
  demo: DemoWallet[];
}

export interface FormEvents {
  change(changes: Partial<Question>, done: boolean): void;
  enter(): void;
  copy(what: "link" | "curl" | "json"): Promise<boolean>;
  close(): void; // of the sheet on a phone
}

export interface Form {
  element: HTMLElement;
  ladder: HTMLElement;
  update(s: FormState): void;
  openMarkets(): void;
}

export function tradeForm(on: FormEvents): Form {
  let state: FormState | null = null;
  const q = () => state!.q,
    asset = () => state?.assets.find((x) => x.name === q().asset);
  const mark = () => state?.a?.meta.mark_price ?? asset()?.mark_price ?? null;
  const lever = () => readNumber(q().leverage).value ?? (state?.a ? leverageOf(state.a) : null) ?? null;
  const faults = new Map<Field, HTMLElement>(),
    below = (field: Field, usual: HTMLElement | null) => {
      const e = h("div", { class: "fault", id: `f-${field}-fault`, role: "alert" });
      faults.set(field, e);
      return h("div", { class: usual ? "below tiny" : "below tiny free" }, e, usual);
    };

  // market
  const markText = h("span", { class: "t2 mark" }),
    change24 = h("span", { class: "t3 small change" });
  const market = combobox({
    id: "f-asset",
    label: "Market",
    placeholder: "BTC",
    class: "market",
    beside: [markText, h("span", { class: "grow" }), change24],
    options: (typed) => rows(state?.assets ?? [], typed),
    typed: (text) => on.change({ asset: text }, false),
    chosen: (value) => on.change({ asset: value }, true),
  });
  const funding = h("span", {}),
    volatility = h("span", {}),
    facts = h("div", { class: "pair t3" }, funding, volatility);

  const action = radios<Action>(
    "Direction",
    "action-",
    [
      ["long", "Long"],
      ["short", "Short"],
      ["close", "Close"],
    ],
    (v) => on.change({ action: v }, true),
    true,
  );

  // size
  const field = (name: Field, placeholder: string) =>
    h("input", {
      class: "field",
      id: "f-" + name,
      inputmode: "decimal",
      autocomplete: "off",
      spellcheck: "false",
      placeholder,
      "data-focus": "f-" + name,
      "aria-describedby": `f-${name}-fault`,
      input: (e: Event) => on.change({ [name]: (e.target as HTMLInputElement).value } as Partial<Question>, false),
      keydown: (e: KeyboardEvent) => e.key === "Enter" && on.enter(),
    });
  const size = field("size", "50,000");
  size.classList.add("size");
  const units = radios<"usd" | "coin">(
    "Unit of the size",
    "unit-",
    [
      ["usd", "USD"],
      ["coin", "coin"],
    ],
    (v) => convert(v),
  );
  const otherUnit = h("span", { class: "other small t3" });
  const needs = h("div", { class: "small needs" });
  const sizeSlider = slider({
    label: "Size, percent of free margin or of the position",
    id: "size-slider",
    marks: [],
    text: (at) => `${fixed(100 * at, 0)} %`,
    step: (at, by) => Math.round(100 * at + by) / 100,
    moved(at, done) {
      const whole = room();
      if (whole !== null) setUSD((whole * Math.round(100 * at)) / 100, done);
    },
  });
  const setUSD = (v: number, done: boolean) => {
    const m = mark(),
      inCoins = q().unit === "coin" && m !== null;
    const text = inCoins
      ? String(Number((v / m!).toPrecision(6)))
      : String(v >= 1000 ? Math.floor(v) : Math.floor(v * 100) / 100);
    on.change({ size: v > 0 ? text : "" }, done);
  };
  const convert = (unit: "usd" | "coin") => {
    const m = mark(),
      v = sizeUSD(q(), m);
    if (v === null || m === null || unit === q().unit) return on.change({ unit }, true);
    on.change({ unit, size: unit === "coin" ? String(Number((v / m).toPrecision(6))) : String(Math.round(v)) }, true);
  };
  /** USD at 100 % of the slider: all free margin at this leverage, or the whole position. */
  const room = () => {
    const a = state?.a,
      x = lever();
    if (!a) return null;
    if (q().action === "close") return a.position.before?.notional_usd ?? null;
    return x === null || a.margin.before.free <= 0 ? null : a.margin.before.free * x;
  };

  // leverage
  const leverText = h("input", {
    class: "leverage",
    id: "f-leverage",
    "aria-label": "Leverage",
    inputmode: "decimal",
    autocomplete: "off",
    "data-focus": "f-leverage",
    "aria-describedby": "f-leverage-fault",
    input: (e: Event) => on.change({ leverage: (e.target as HTMLInputElement).value }, false),
    keydown: (e: KeyboardEvent) => e.key === "Enter" && on.enter(),
  });
  const most = () => maxLeverage(asset(), sizeUSD(q(), mark())) ?? state?.a?.meta.max_leverage ?? 40;
  const atOf = (x: number) => (most() > 1 ? Math.log(x) / Math.log(most()) : 1),
    xOf = (at: number) => Math.max(1, Math.round(most() ** at));
  const leverSlider = slider({
    label: "Leverage",
    id: "leverage-slider",
    marks: [],
    text: (at) => `${xOf(at)}×`,
    step: (at, by) => atOf(Math.max(1, Math.min(most(), xOf(at) + by))),
    moved: (at, done) => on.change({ leverage: String(xOf(at)) }, done),
  });
  const leverPart = h(
    "div",
    {},
    h("div", { class: "row" }, h("label", { class: "label grow", for: "f-leverage" }, "Leverage"), leverText),
    leverSlider.element,
    below("leverage", null),
  );

  // mode, order, wallet
  const mode = radios<"cross" | "isolated">(
    "Margin mode",
    "mode-",
    [
      ["cross", "cross"],
      ["isolated", "isolated"],
    ],
    (v) => on.change({ mode: v }, true),
  );
  const modeReason = h("p", { class: "small t2" }),
    modePart = h(
      "div",
      {},
      h("span", { class: "label" }, "Margin mode"),
      mode.element,
      modeReason,
      below("mode", null),
    );
  const order = h(
    "select",
    {
      class: "field",
      id: "f-order",
      "data-focus": "f-order",
      change: (e: Event) => on.change({ order: (e.target as HTMLSelectElement).value as "market" | "limit" }, true),
    },
    h("option", { value: "market" }, "Market"),
    h("option", { value: "limit" }, "Limit"),
  );
  let opened = false;
  const more = h(
    "button",
    {
      type: "button",
      class: "link",
      "data-focus": "more-take",
      click: () => ((opened = true), render(), take.focus()),
    },
    "and a take profit",
  );
  const stop = field("stop", "none"),
    take = field("take", "none"),
    limit = field("price", "price");
  stop.classList.add("trigger");
  take.classList.add("trigger");
  const labelled = (text: string, input: HTMLElement, fault: HTMLElement) =>
    h("div", {}, h("label", { class: "label", for: input.id }, text), input, fault);
  const stopPart = labelled("Stop", stop, below("stop", more)),
    limitPart = labelled("Price", limit, below("price", null)),
    takePart = labelled("Take profit", take, below("take", null));
  const triggers = h(
    "div",
    { class: "two" },
    labelled("Order", order, h("div", { class: "below tiny" })),
    stopPart,
    limitPart,
    takePart,
  );

  const wallet = combobox({
    id: "f-wallet",
    label: "Wallet",
    placeholder: "0x…",
    class: "wallet mono",
    beside: [],
    options: (typed) =>
      (state?.demo ?? [])
        .filter((d) => typed === "" || `${d.wallet} ${d.name} ${d.about}`.toLowerCase().includes(typed.toLowerCase()))
        .map((d) => ({
          value: d.wallet,
          row: [h("b", {}, `${d.name} …${d.wallet.slice(-4)}`), h("span", { class: "small t2" }, d.about)],
        })),
    typed: (text) => on.change({ wallet: text }, false),
    chosen: (value) => on.change({ wallet: value }, true),
  });
  wallet.input.addEventListener("focus", () => (wallet.input.value = q().wallet));
  wallet.input.addEventListener("blur", () => (wallet.input.value = short(q().wallet)));
  const walletAbout = h("span", { class: "t3" }),
    demoLink = h("button", { type: "button", class: "link", "data-focus": "demo", click: () => wallet.list() });
  const kept = h("span", { class: "t3 grow right nowrap" }, "asks as you type");
  const copied = (what: "link" | "curl" | "json", text: string, ...pre: Child[]) =>
    h(
      "button",
      {
        type: "button",
        class: "link",
        click: async () => {
          setText(kept, (await on.copy(what)) ? "copied" : "the browser forbids it");
          setTimeout(() => setText(kept, "asks as you type"), 1500);
        },
      },
      ...pre,
      text,
    );

  const ladder = h("div", { class: "rungs" });
  const element = h(
    "form",
    {
      class: "card trade-form",
      "aria-label": "Trade",
      novalidate: true,
      submit: (e: Event) => (e.preventDefault(), on.enter()),
    },
    h(
      "div",
      { class: "sheet-head" },
      h("h2", { class: "grow" }, "The order"),
      h("button", { type: "button", class: "button main", click: on.close }, "Done"),
    ),
    h(
      "div",
      {},
      h("label", { class: "label", for: "f-asset" }, "Market ", h("span", { class: "kbd" }, "/")),
      market.element,
      below("asset", facts),
    ),
    action.element,
    h(
      "div",
      {},
      h("div", { class: "row" }, h("label", { class: "label grow", for: "f-size" }, "Size"), units.element),
      h("div", { class: "sized" }, size, otherUnit),
      sizeSlider.element,
      below("size", needs),
    ),
    leverPart,
    modePart,
    triggers,
    h(
      "div",
      {},
      h("label", { class: "label", for: "f-wallet" }, "Wallet"),
      wallet.element,
      below("wallet", h("div", { class: "pair" }, walletAbout, demoLink)),
    ),
    ladder,
    h(
      "div",
      { class: "links" },
      h(
        "div",
        { class: "row small" },
        copied("link", " Copy link", icon("link", 14)),
        copied("curl", "curl"),
        copied("json", "JSON"),
        kept,
      ),
      h("p", { class: "small t3" }, "Ballast sends no order. It answers what this one would do."),
    ),
  );

  const put = (input: HTMLInputElement, text: string) => {
    if (document.activeElement !== input && input.value !== text) input.value = text;
  };
  const spaced = (text: string, pointsGroup = false) => {
    const r = readNumber(text, pointsGroup);
    if (r.value === undefined || r.unit !== undefined || /[kmb]\s*$/i.test(text) || /e/.test(String(r.value))) return text;
    return fixed(r.value, (String(r.value).split(".")[1] ?? "").length);
  };

  function render() {
    const s = state!,
      { a } = s,
      m = mark(),
      x = asset(),
      close = s.q.action === "close",
      usdSize = sizeUSD(s.q, m);
    put(market.input, s.q.asset);
    market.input.size = Math.max(4, market.input.value.length);
    setText(markText, m === null ? "" : price(m));
    markText.classList.toggle("t3", s.stale);
    fill(
      change24,
      s.stale && s.staleText !== ""
        ? h("span", { class: "tag caution" }, icon("clock", 12), s.staleText)
        : known(x?.change_24h_pct)
          ? signedPct(x!.change_24h_pct)
          : "",
    );
    const paid = a ? a.funding.annualized_pct : known(x?.funding_rate) ? x!.funding_rate! * 24 * 365 * 100 : null;
    const pays = a ? a.funding.agent_pays : paid !== null && paid > 0 === (s.q.action !== "short");
    setText(
      funding,
      paid === null
        ? ""
        : `funding ${signedPct(paid).replace(" %", " %/y")}, ${paid === 0 ? "nobody pays" : pays ? "you pay" : "you get it"}`,
    );
    const sigma = a?.var.volatility_forecast?.sigma_1d ?? x?.sigma_1d ?? null;
    setText(volatility, sigma === null ? "" : `volatility ${fixed(100 * sigma, 0)} %/y`);
    market.refresh();
    action.set(s.q.action);
    units.set(s.q.unit);
    setText(units.buttons[1]!, s.q.asset.split(":").pop() || "coin");
    put(size, spaced(s.q.size, s.q.unit === "usd"));
    setText(
      otherUnit,
      usdSize === null || m === null
        ? ""
        : s.q.unit === "usd" && readNumber(s.q.size).unit === undefined
          ? `= ${coins(usdSize / m)} ${s.q.asset.split(":").pop()}`
          : `= ${usd(usdSize)} USD`,
    );
    const whole = room();
    sizeSlider.set(
      whole && usdSize !== null ? usdSize / whole : 0,
      [0, 0.25, 0.5, 0.75, 1].map((v) => ({ at: v, text: v === 1 ? "100 %" : String(100 * v) })),
    );
    needsLine(a, close);
    leverPart.hidden = close;
    const lv = lever();
    put(leverText, lv === null ? "" : times(lv));
    leverSlider.set(lv === null ? 0 : atOf(Math.max(1, lv)), leverageMarks(most(), atOf, x));
    modeLine(a, x, close);
    order.value = s.q.order;
    const limited = s.q.order === "limit",
      taking = opened || s.q.take !== "";
    limitPart.hidden = !limited;
    stopPart.hidden = close;
    takePart.hidden = !taking || close;
    more.hidden = taking || close;
    put(limit, spaced(s.q.price));
    put(stop, spaced(s.q.stop));
    put(take, spaced(s.q.take));
    put(wallet.input, short(s.q.wallet));
    const demo = s.demo.find((d) => d.wallet === s.q.wallet.toLowerCase());
    setText(
      walletAbout,
      a ? `${demo ? demo.name + ", " : ""}${usd(a.margin.before.account_value)} USD` : (demo?.name ?? ""),
    );
    setText(demoLink, `${s.demo.length} demo wallets`);
    demoLink.hidden = s.demo.length === 0;
    for (const [name, e] of faults) showFault(name, e, s.faults[name]);
  }

  function needsLine(a: Assessment | null, close: boolean) {
    const need = a?.margin.delta_initial_usd ?? null,
      free = a?.margin.before.free ?? null;
    const over = need !== null && free !== null && need > free * 1.000001;
    needs.className = "small needs " + (over ? "stop" : state!.stale ? "t3" : "t2");
    if (a === null || need === null || free === null) return setText(needs, "");
    if (close || need <= 0) return setText(needs, need < 0 ? `frees ${usd(-need)} USD of margin` : "needs no margin");
    setText(
      needs,
      `needs ${usd(need)} of ${usd(free)} USD free${over ? `: ${usd(need - free)} short` : free > 0 ? ` (${fixed((100 * need) / free, 1)} %)` : ""}`,
    );
  }

  function modeLine(a: Assessment | null, x: Asset | undefined, close: boolean) {
    modePart.hidden = close;
    const kept = a?.explanation.mode_source === "position" && a.position.before !== null,
      only = x?.only_isolated === true;
    mode.element.hidden = kept || only;
    modeReason.hidden = !kept && !only;
    setText(
      modeReason,
      only
        ? `isolated: ${q().asset} has nothing else`
        : kept
          ? `${a!.position.before!.mode}: the open position keeps it`
          : "",
    );
    mode.set(q().mode || (a && a.liquidation.mode !== "close" ? a.liquidation.mode : ""));
  }

  function showFault(name: Field, e: HTMLElement, fault: Fault | undefined) {
    const input = element.querySelector<HTMLElement>("#f-" + name);
    e.parentElement!.classList.toggle("wrong", fault !== undefined);
    fault ? input?.setAttribute("aria-invalid", "true") : input?.removeAttribute("aria-invalid");
    const key = JSON.stringify(fault ?? null);
    if (e.dataset.key === key) return; // a renewed answer must not make screen readers say it again
    e.dataset.key = key;
    fill(
      e,
      fault && icon("stop", 14),
      fault && h("span", {}, fault.text),
      ...(fault?.suggestions ?? []).map((t) =>
        h(
          "button",
          {
            type: "button",
            class: "button",
            "data-focus": `mend-${name}-${t}`,
            click: () => on.change({ [name]: t } as Partial<Question>, true),
          },
          t,
        ),
      ),
    );
  }

  return {
    element,
    ladder,
    openMarkets: () => market.list(),
    update(s) {
      state = s;
      render();
    },
  };
}

