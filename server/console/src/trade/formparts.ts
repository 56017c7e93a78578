// Parts of the form of the Trade screen.

import type { Asset } from "../api";
import { type Child, h } from "../dom";
import { chartPrice, fixed, known, none, signedPct } from "../format";
import { readNumber } from "../number";
import { type Question, unitOf } from "./question";
import type { Mark } from "./slider";

/** The largest leverage that the margin tier allows at a size. */
export function maxLeverage(asset: Asset | undefined, size: number | null): number | null {
  if (!asset) return null;
  const tier = asset.margin_tiers.filter((t) => t.lower_bound <= (size ?? 0)).at(-1) ?? asset.margin_tiers[0];
  return Math.min(asset.max_leverage, tier?.max_leverage ?? asset.max_leverage);
}

/** Size of the question in USD, as far as it can be told. */
export function sizeUSD(q: Question, mark: number | null): number | null {
  const { value } = readNumber(q.size, q.unit === "usd"),
    unit = unitOf(q);
  if (value === undefined || value <= 0 || unit === null) return null;
  return unit === "usd" ? value : mark === null ? null : value * mark;
}

/** A typed number with its commas; what has a unit, or cannot be read, stays as typed. pointsGroup: see readNumber. */
export function withCommas(text: string, pointsGroup = false): string {
  const r = readNumber(text, pointsGroup),
    digits = String(r.value);
  if (r.value === undefined || r.unit !== undefined || /[kmb]\s*$/i.test(text) || digits.includes("e")) return text;
  return fixed(r.value, (digits.split(".")[1] ?? "").length);
}

export function radios<T extends string>(
  label: string,
  id: string,
  options: [T, Child][],
  chosen: (v: T) => void,
  tall = false,
) {
  const buttons = options.map(([value, text]) =>
    h(
      "button",
      {
        type: "button",
        role: "radio",
        "data-focus": id + value,
        click: () => chosen(value),
        keydown: (e: KeyboardEvent) => {
          const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
          if (!by) return;
          e.preventDefault();
          const next = (options.findIndex(([v]) => v === value) + by + options.length) % options.length;
          buttons[next]!.focus();
          chosen(options[next]![0]);
        },
      },
      text,
    ),
  );
  const element = h(
    "div",
    { class: "segments" + (tall ? " tall" : ""), role: "radiogroup", "aria-label": label },
    ...buttons,
  );
  return {
    element,
    buttons,
    set: (v: string) =>
      options.forEach(([value], i) => {
        buttons[i]!.setAttribute("aria-checked", String(value === v));
        buttons[i]!.tabIndex = value === v || (v === "" && i === 0) ? 0 : -1;
      }),
  };
}

/** Marks of the leverage slider, with a tick where a tier changes. */
export function leverageMarks(max: number, at: (x: number) => number, x: Asset | undefined): Mark[] {
  const tiers = (x?.margin_tiers ?? []).map((t) => t.max_leverage),
    list = [1, 2, 5, 10, 20, ...tiers].filter((v) => v < max);
  const shown: Mark[] = [];
  for (const v of [...new Set(list)].sort((a, b) => a - b)) {
    if (1 - at(v) < 0.26 && v !== 1) continue; // no room beside the largest
    if (shown.length > 0 && at(v) - shown.at(-1)!.at < 0.12) continue;
    shown.push({ at: at(v), text: `${v}×` });
  }
  return [...shown, { at: 1, text: `${max}× max` }];
}

/** Markets for the list: names first, then those of other dexes. */
export function rows(assets: Asset[], typed: string) {
  const t = typed.toLowerCase(),
    rank = (name: string) => {
      const ticker = name.split(":").pop()!.toLowerCase();
      return (
        (ticker === t || name.toLowerCase() === t ? 0 : ticker.startsWith(t) ? 1 : 2) + (name.includes(":") ? 0.5 : 0)
      );
    };
  return assets
    .filter((x) => x.name.toLowerCase().includes(t))
    .sort((a, b) => rank(a.name) - rank(b.name))
    .map((x) => ({
      value: x.name,
      row: [
        h("b", { class: "grow" }, x.name),
        h("span", { class: "t2" }, known(x.mark_price) ? chartPrice(x.mark_price) : none),
        h("span", { class: "t3 change" }, signedPct(x.change_24h_pct)),
      ],
    }));
}
