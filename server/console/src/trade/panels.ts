// What the order changes, and the card of a panel below the charts.

import type { Assessment } from "../api";
import { type Child, h, headed, icon, table, tr } from "../dom";
import { coins, fixed, known, lotDecimals, none, price, priceChange, times, usd, usdUp } from "../format";
import { distanceInDays } from "./answers";

type Row = { name: string; before: string; after: string; change: string; kind?: string };

function row(r: Row): HTMLElement {
  const same = r.before === r.after;
  return tr(
    { class: same ? "same" : "" },
    r.name,
    h("td", { class: "t2" }, same ? "" : r.before),
    h("td", { class: r.kind ?? "" }, same ? r.after : h("b", {}, r.after)),
    h("td", { class: "t3" }, same ? "unchanged" : r.change),
  );
}

/** A row of one kind of figure. */
function figures(
  name: string,
  before: number | null | undefined,
  after: number | null | undefined,
  say: (x: number) => string,
  kind?: string,
): Row {
  const text = (x: number | null | undefined) => (known(x) ? say(x) : none),
    change = known(before) && known(after) ? after - before : null;
  const shown = change === null ? "" : say(change).replace(/ %$|×$/, "");
  return {
    name,
    before: text(before),
    after: text(after),
    change: change !== null && change > 0 && /[1-9]/.test(shown) ? "+" + shown : shown,
    kind,
  };
}

export function diff(a: Assessment): HTMLElement[] {
  const { before: b, after: c } = a.position,
    m = a.margin,
    days = distanceInDays(a),
    hot = c !== null && a.liquidation.price > 0 && days !== null && days < 1;
  const lot = Math.max(lotDecimals(a.admissibility.order_size_coin), lotDecimals(b?.size_coin ?? 0));
  const liquidation = (p: typeof b) => p?.liquidation_price || null;
  const prices = (name: string, x: number | null | undefined, y: number | null | undefined, kind?: string): Row => ({
    name,
    before: known(x) ? price(x) : none,
    after: known(y) ? price(y) : none,
    change: priceChange(x, y),
    kind,
  });
  const flipped = b !== null && c !== null && b.side !== c.side;
  const position: Row[] = [
    ...(flipped ? [{ name: "Side", before: b.side, after: c.side, change: "turned" }] : []),
    figures(`Size, ${a.meta.asset}`, b?.size_coin ?? 0, c?.size_coin ?? 0, (x) => coins(x, lot)),
    figures("Notional, USD", b?.notional_usd ?? 0, c?.notional_usd ?? 0, usd),
    prices("Entry", b?.entry_price, c?.entry_price),
    prices("Liquidation", liquidation(b), liquidation(c), hot ? "stop" : ""),
    figures("Leverage", b?.leverage, c?.leverage, times),
    { name: "Mode", before: b?.mode ?? none, after: c?.mode ?? none, change: "" },
  ];
  const account: Row[] = [
    figures("Value", m.before.account_value, m.after.account_value, usd),
    figures("Margin used", m.before.initial, m.after.initial, usd),
    figures(
      "Free",
      m.before.free,
      m.after.free,
      usd,
      m.after.free === 0 && a.margin.delta_initial_usd > 0 ? "stop" : "",
    ),
    figures(
      "Maintenance ratio",
      m.before.maintenance_ratio_pct,
      m.after.maintenance_ratio_pct,
      (x) => (x >= 1000 ? "over 1,000 %" : fixed(x, 1) + " %"), // answers give no more
    ),
  ];
  const changes = table(
    "Before and after the order",
    [`${a.meta.asset} position`, "before", "after", "change"],
    position.map(row),
    "diff",
  );
  const group = h("tr", { class: "group" }, h("th", { scope: "rowgroup", colspan: 4 }, "Account, USD"));
  changes.append(h("tbody", {}, group, ...account.map(row)));
  const short = a.admissibility.issues.find((i) => i.code === "insufficient_margin")?.fix_deposit_usd ?? 0,
    paid = short > 0 && m.after.account_value > m.before.account_value + 0.5 * short;
  const assumed = paid ? ` After: as if the ${usdUp(short)} USD of margin that it lacks were paid in.` : "";
  return [
    changes,
    h("p", { class: "note" }, `The venue liquidates at a maintenance ratio of 100\u00a0%.${assumed}`),
  ];
}

export const diffResult = (a: Assessment) => `free margin ${usd(a.margin.before.free)} → ${usd(a.margin.after.free)}`;

/** A card, on a phone folded, with its result in the closed row. */
export function panel(
  o: { id: string; title: string; note: Child; result: string; narrow: boolean; open: Set<string> },
  ...content: Child[]
): HTMLElement {
  if (!o.narrow)
    return h(
      "section",
      { class: "card panel-" + o.id },
      headed(o.title, o.note),
      ...content,
    );
  return fold(
    o.id,
    o.open,
    "card fold panel-" + o.id,
    [
      h("h2", { class: "grow" }, o.title),
      h("span", { class: "small t2" }, o.result),
      icon("down", 16, "t3"),
    ],
    ...content,
  );
}

/** A part that is folded, and stays as the reader leaves it. */
export function fold(id: string, open: Set<string>, name: string, summary: Child[], ...content: Child[]) {
  const box: HTMLDetailsElement = h(
    "details",
    { class: name, open: open.has(id), toggle: () => (box.open ? open.add(id) : open.delete(id)) },
    h("summary", { "data-focus": "fold-" + id }, ...summary),
    ...content,
  );
  return box;
}
