// The list of markets as data: columns, filters, order, the marks seen while the page is open.

import type { Asset } from "../api";
import { fixed, known, large, none, price, signedPct, times } from "../format";

export type Listed = Asset;

const hoursAYear = 8760;
export const dearFunding = 0.5; // a year, from which funding is marked

export const dexOf = (name: string) => (name.includes(":") ? name.slice(0, name.indexOf(":")) : "");
export const fundingAYear = (a: Asset) => (a.funding_rate === null ? null : a.funding_rate * hoursAYear);
const signedOne = (x: number | null) => (x === null ? none : (x >= 0.05 ? "+" : "") + fixed(x, 1));

export interface Column {
  id: string; // in the address
  head: string;
  title: string;
  text: (a: Listed) => string;
  kind?: (a: Listed) => string; // class of the cell
  value: (a: Listed) => number | string | null; // to sort by
  rising?: boolean; // the first click sorts upwards
  drawn?: "spark" | "day"; // a picture in place of text
}

const moved = (x: number | undefined) => (x === undefined ? null : x);

export const columns: Column[] = [
  { id: "name", head: "Market", title: "Ticker", text: (a) => a.name, value: (a) => a.name, rising: true },
  {
    id: "mark",
    head: "Mark",
    title: "Mark price, USD",
    text: (a) => price(a.mark_price),
    kind: () => "bold",
    value: (a) => a.mark_price,
  },
  {
    id: "change",
    head: "24 h",
    title: "Mark price against that of 24 h ago",
    text: (a) => signedPct(a.change_24h_pct),
    value: (a) => a.change_24h_pct,
  },
  {
    id: "spark",
    head: "last minute",
    title: "Mark price while this page is open",
    text: () => "",
    value: () => null,
    drawn: "spark",
  },
  {
    id: "day",
    head: "A bad day, down and up",
    title: "1 day in 100 ends lower, 1 in 100 higher; one scale for all",
    text: () => "",
    value: (a) => dayWidth(a),
    drawn: "day",
  },
  {
    id: "down",
    head: "down %",
    title: "1 day in 100 ends lower",
    text: (a) => signedOne(moved(a.day?.down_99_pct)),
    value: (a) => moved(a.day?.down_99_pct),
    rising: true,
  },
  {
    id: "up",
    head: "up %",
    title: "1 day in 100 ends higher",
    text: (a) => signedOne(moved(a.day?.up_99_pct)),
    value: (a) => moved(a.day?.up_99_pct),
  },
  {
    id: "vol",
    head: "Volatility /y",
    title: "Forecast for a day, a year's equivalent",
    text: (a) => (a.sigma_1d === null ? none : fixed(100 * a.sigma_1d, 0) + " %"),
    value: (a) => a.sigma_1d,
  },
  {
    id: "regime",
    head: "Regime",
    title: "Liquidity regime by the last fit",
    text: (a) => a.liquidity_regime ?? none,
    kind: (a) => (a.liquidity_regime === "normal" ? "t3" : a.liquidity_regime === "crisis" ? "bold caution" : "bold"),
    value: (a) => ["normal", "stressed", "crisis"].indexOf(a.liquidity_regime ?? ""),
  },
  {
    id: "funding",
    head: "Funding /y",
    title: "Positive: longs pay. Amber over 50 % a year",
    text: (a) => (a.funding_rate === null ? none : signedOne(100 * fundingAYear(a)!) + " %"),
    kind: (a) => (Math.abs(fundingAYear(a) ?? 0) > dearFunding ? "bold caution" : ""),
    value: (a) => a.funding_rate,
  },
  { id: "volume", head: "Volume 24 h", title: "USD", text: (a) => large(a.volume_24h), value: (a) => a.volume_24h },
  { id: "oi", head: "Open interest", title: "USD, one side", text: (a) => large(a.oi), value: (a) => a.oi },
  {
    id: "spread",
    head: "Spread bps",
    title: "Best ask less best bid, basis points of the mid",
    text: (a) => (known(a.spread_bps) ? fixed(a.spread_bps, 1) : none),
    value: (a) => a.spread_bps,
    rising: true,
  },
  {
    id: "book",
    head: "Book ±10 bps",
    title: "What rests within 10 bps of the mid on the thinner side, USD",
    text: (a) => large(a.depth_10bps_usd),
    value: (a) => a.depth_10bps_usd,
  },
  {
    id: "max",
    head: "Max",
    title: "Largest leverage that the venue allows",
    text: (a) => times(a.max_leverage),
    value: (a) => a.max_leverage,
  },
];

export const standardSort = "volume";

function dayWidth(a: Listed): number | null {
  return a.day ? a.day.up_99_pct - a.day.down_99_pct : null;
}

export interface Filter {
  text: string;
  dex: string | null; // null: all, "": main
  only: string; // "", starred, stressed, cap
}

/** Whether an asset passes the filter. */
export function passes(a: Listed, f: Filter, stars: ReadonlySet<string>): boolean {
  if (f.dex !== null && dexOf(a.name) !== f.dex) return false;
  if (f.only === "starred" && !stars.has(a.name)) return false;
  if (f.only === "stressed" && (a.liquidity_regime === "normal" || a.liquidity_regime === null)) return false;
  if (f.only === "cap" && a.at_cap !== true) return false;
  return a.name.toLowerCase().includes(f.text.trim().toLowerCase());
}

/** Compares by a column; what is missing comes last, equals by volume. */
export function comparison(id: string, falling: boolean): (a: Listed, b: Listed) => number {
  const value = (columns.find((c) => c.id === id) ?? columns.find((c) => c.id === standardSort)!).value,
    sign = falling ? -1 : 1;
  return (a, b) => {
    const x = value(a),
      y = value(b);
    if (x === null || y === null) return x === y ? (b.volume_24h ?? 0) - (a.volume_24h ?? 0) : x === null ? 1 : -1;
    const order = typeof x === "string" ? x.localeCompare(String(y)) : x - Number(y);
    return sign * order || (b.volume_24h ?? 0) - (a.volume_24h ?? 0) || a.name.localeCompare(b.name);
  };
}

/** The dexes with the number of their assets, main first, then the largest. */
export function dexes(assets: readonly Listed[]): [string, number][] {
  const found = new Map<string, number>();
  for (const a of assets) found.set(dexOf(a.name), (found.get(dexOf(a.name)) ?? 0) + 1);
  return [...found].sort(([a, n], [b, m]) => Number(a !== "") - Number(b !== "") || m - n || a.localeCompare(b));
}

/** How old the prices of a row are, ms; null when nothing is known. */
export const priceAge = (a: Asset) =>
  a.mark_age_ms === null ? null : Math.max(a.mark_age_ms, a.book?.age_ms ?? a.mark_age_ms);
/** A row without what an asset has no fresh prices for; fits stay. */
export const withoutPrices = (a: Listed): Listed => ({
  ...a,
  mark_price: null,
  change_24h_pct: null,
  funding_rate: null,
  volume_24h: null,
  oi: null,
  at_cap: null,
  spread_bps: null,
  depth_10bps_usd: null,
});
/** From which age on the prices of a row are stale: its own cadence and a second. */
export const priceLimit = (a: Asset) => Math.max(1500, (a.book?.cadence_ms ?? 550) + 950);

const seenMs = 60_000;
const seen = new Map<string, { at: number; price: number }[]>();

/** Notes the marks of now; they are kept for a minute, also while another screen is shown. */
export function note(assets: readonly Asset[], at: number) {
  for (const a of assets) {
    if (a.mark_price === null) continue;
    const list = seen.get(a.name) ?? [];
    list.push({ at, price: a.mark_price });
    while (list.length > 0 && list[0]!.at < at - seenMs) list.shift();
    seen.set(a.name, list);
  }
}

/** The line of the last minute's marks in a box. */
export function sparkline(name: string, at: number, width: number, height: number): string {
  const list = seen.get(name) ?? [];
  if (list.length < 2) return "";
  const prices = list.map((p) => p.price),
    low = Math.min(...prices),
    high = Math.max(...prices),
    span = high - low;
  return list
    .map((p, i) => {
      const x = width - ((at - p.at) / seenMs) * width,
        y = span === 0 ? height / 2 : 1 + (1 - (p.price - low) / span) * (height - 2);
      return `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join("");
}
