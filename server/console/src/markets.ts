// Live table of markets. Rows are made once; each second only cells whose text changed are
// written.

import { type Asset, ask, type Market } from "./api";
import { h, scrollBox, setText } from "./dom";
import { age, pct, price, shortUSD, signedPct } from "./format";
import { poll } from "./poll";

interface Column {
  name: string;
  title: string;
  text: (r: Row) => string;
  value: (r: Row) => number | string | null | undefined; // to sort by
}

interface Row {
  asset: Asset;
  market?: Market; // the asset's fitted model, which is renewed each hour
  readAt: number; // when market was read
  seen: boolean; // the row is on the screen
  element: HTMLTableRowElement;
  cells: HTMLElement[];
}

const columns: Column[] = [
  { name: "Market", title: "Opens the trade form", text: (r) => r.asset.name, value: (r) => r.asset.name },
  { name: "Mark", title: "Mark price, USD", text: (r) => price(r.asset.mark_price), value: (r) => r.asset.mark_price },
  { name: "24 h", title: "Mark price against that of 24 h ago", text: (r) => signedPct(r.asset.change_24h_pct), value: (r) => r.asset.change_24h_pct },
  { name: "Funding", title: "Funding rate an hour; positive: longs pay", text: (r) => (r.asset.funding_rate === null ? "–" : pct(r.asset.funding_rate * 100, 4)), value: (r) => r.asset.funding_rate },
  { name: "Open interest", title: "USD", text: (r) => shortUSD(r.asset.oi), value: (r) => r.asset.oi },
  { name: "Volume 24 h", title: "USD", text: (r) => shortUSD(r.asset.volume_24h), value: (r) => r.asset.volume_24h },
  { name: "Regime", title: "State of the market by the last fit", text: (r) => r.market?.regime?.state ?? "–", value: (r) => r.market?.regime?.state },
  { name: "Volatility", title: "Forecast for a day, annualised", text: (r) => (r.market?.volatility_forecast ? pct(100 * r.market.volatility_forecast.sigma_1d, 1) : "–"), value: (r) => r.market?.volatility_forecast?.sigma_1d },
  { name: "Leverage", title: "Largest that the venue allows", text: (r) => r.asset.max_leverage + "×", value: (r) => r.asset.max_leverage },
  { name: "Book age", title: "Age of the best levels", text: (r) => age(r.asset.book?.age_ms), value: (r) => r.asset.book?.age_ms },
  { name: "Depth age", title: "Age of the levels behind them", text: (r) => age(r.asset.book?.depth_age_ms), value: (r) => r.asset.book?.depth_age_ms },
];

const column = (name: string) => columns.findIndex((c) => c.name === name);
const changeColumn = column("24 h"), regimeColumn = column("Regime"), ageColumn = column("Book age");

const fitsKept = 5 * 60_000; // ms until regime and volatility of a row on the screen are read again
const resortEvery = 5000; // ms between automatic sorts, so that rows do not move each second
const oldMs = 5000; // an older book is marked

export function markets(onNames: (names: string[]) => void) {
  const rows = new Map<string, Row>();
  let sortBy = column("Open interest"), falling = true, sortedAt = 0;
  const filter = h("input", { id: "filter", type: "search", placeholder: "such as BTC", autocomplete: "off", input: () => show() });
  const count = h("p", { class: "quiet", role: "status" });
  const problem = h("div");
  const body = h("tbody");
  const heads = columns.map((c, i) =>
    h("th", { scope: "col" }, h("button", {
      type: "button", title: c.title, click: () => {
        falling = sortBy === i ? !falling : i !== 0 && i !== regimeColumn;
        sortBy = i;
        sort(true);
      },
    }, c.name)));

  // Regime and volatility are not in the list of assets: they are read for the rows on the
  // screen, one after the other.
  const watcher = new IntersectionObserver((entries) => {
    for (const e of entries) {
      const row = rows.get((e.target as HTMLElement).dataset.name!);
      if (row) row.seen = e.isIntersecting;
    }
  });
  const fits = poll(1000, async () => {
    for (const row of rows.values()) {
      if (!row.seen || Date.now() - row.readAt < fitsKept) continue;
      row.market = await ask<Market>("/v1/market/" + encodeURIComponent(row.asset.name), undefined, [404]);
      row.readAt = Date.now();
      write(row);
    }
  });
  const prices = poll(1000, async () => {
    take((await ask<{ assets: Asset[] }>("/v1/assets")).assets);
    problem.replaceChildren();
  }, problem);

  function take(assets: Asset[]) {
    const before = rows.size, gone = new Set(rows.keys());
    for (const asset of assets) {
      gone.delete(asset.name);
      let row = rows.get(asset.name);
      if (row) row.asset = asset;
      else rows.set(asset.name, (row = newRow(asset)));
      write(row);
    }
    for (const name of gone) {
      rows.get(name)!.element.remove();
      rows.delete(name);
    }
    if (rows.size !== before || gone.size > 0) {
      onNames([...rows.keys()]);
      sort(true);
      show();
    } else sort(false);
  }

  function newRow(asset: Asset): Row {
    const link = h("a", { href: "#validate?asset=" + encodeURIComponent(asset.name) });
    const cells = columns.map((_, i) => (i === 0 ? link : h("td")));
    const element = h("tr", { "data-name": asset.name }, h("th", { scope: "row" }, link), ...cells.slice(1));
    watcher.observe(element);
    return { asset, readAt: 0, seen: false, element, cells };
  }

  function write(row: Row) {
    columns.forEach((c, i) => setText(row.cells[i]!, c.text(row)));
    const regime = row.market?.regime?.state;
    mark(row.cells[regimeColumn]!, "warn", regime === "stressed");
    mark(row.cells[regimeColumn]!, "bad", regime === "crisis");
    mark(row.cells[changeColumn]!, "bad", (row.asset.change_24h_pct ?? 0) < 0);
    mark(row.cells[ageColumn]!, "warn", row.asset.book === null || row.asset.book.age_ms > oldMs);
  }

  /** Sorts the rows. Unless asked by the user, at most every 5 s and not while the keyboard focus is in the table. */
  function sort(asked: boolean) {
    if (!asked && (Date.now() - sortedAt < resortEvery || body.contains(document.activeElement))) return;
    sortedAt = Date.now();
    heads.forEach((head, i) => (i === sortBy ? head.setAttribute("aria-sort", falling ? "descending" : "ascending") : head.removeAttribute("aria-sort")));
    const by = columns[sortBy]!, sign = falling ? -1 : 1;
    const ordered = [...rows.values()].sort((a, b) => {
      const x = by.value(a) ?? null, y = by.value(b) ?? null;
      if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1; // missing values come last
      return sign * (typeof x === "string" ? x.localeCompare(String(y)) : x - Number(y));
    });
    if (ordered.some((row, i) => body.children[i] !== row.element)) body.replaceChildren(...ordered.map((r) => r.element));
  }

  function show() {
    const wanted = filter.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows.values()) {
      row.element.hidden = !row.asset.name.toLowerCase().includes(wanted);
      if (!row.element.hidden) shown++;
    }
    setText(count, shown === rows.size ? `${shown} markets` : `${shown} of ${rows.size} markets`);
  }

  const element = h("section", { "aria-labelledby": "markets-title" },
    h("h1", { id: "markets-title" }, "Markets"),
    h("div", { class: "row" }, h("label", {}, "Filter by name ", filter), count),
    problem,
    scrollBox("Markets", h("table", { class: "markets" }, h("thead", {}, h("tr", {}, ...heads)), body)));
  return { element, start: () => (prices.start(), fits.start()), stop: () => (prices.stop(), fits.stop()) };
}

function mark(e: Element, name: string, on: boolean) {
  if (e.classList.contains(name) !== on) e.classList.toggle(name, on);
}
