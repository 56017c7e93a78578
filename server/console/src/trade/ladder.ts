// The largest size that proceeds, for some leverages, as bars; a click takes both.

import { h } from "../dom";
import { times, usdDown } from "../format";
import type { Rung } from "../api";

/** At most seven rungs: the ends, yours, and those between. */
export function chosenRungs(all: Rung[], leverage: number | null): Rung[] {
  const list = all.slice().sort((a, b) => a.leverage - b.leverage);
  if (list.length <= 7) return list;
  const best = list.reduce((m, r) => (r.size_usd > m.size_usd ? r : m), list[0]!);
  const kept = new Set<Rung>([list[0]!, list.at(-1)!, best]),
    own = list.find((r) => r.leverage === leverage);
  if (own) kept.add(own);
  const step = (list.length - 1) / 6;
  for (let i = 0; i < 7 && kept.size < 7; i++) kept.add(list[Math.round(i * step)]!);
  return list.filter((r) => kept.has(r));
}

export function ladder(all: Rung[], leverage: number | null, stale: boolean, take: (r: Rung) => void): HTMLElement {
  const rungs = chosenRungs(all, leverage),
    most = Math.max(1, ...rungs.map((r) => r.size_usd));
  return h(
    "div",
    { class: "ladder" + (stale ? " stale" : "") },
    h("h3", {}, "Largest that proceeds, by leverage"),
    ...rungs.map((r) => {
      const fill = h("i", { class: "moves" }),
        yours = r.leverage === leverage;
      fill.style.width = `${(100 * r.size_usd) / most}%`;
      return h(
        "button",
        {
          type: "button",
          class: `rung${yours ? " yours" : ""}${r.size_usd > 0 ? "" : " empty"}`,
          disabled: stale || r.size_usd <= 0,
          "data-focus": "rung" + r.leverage,
          click: () => take(r),
          "aria-label": `${times(r.leverage)}: ${r.size_usd > 0 ? usdDown(r.size_usd) + " USD" : "none"}`,
        },
        h("span", {}, times(r.leverage)),
        h("span", { class: "track" }, fill),
        h("span", {}, r.size_usd > 0 ? usdDown(r.size_usd) : "none"),
      );
    }),
  );
}
