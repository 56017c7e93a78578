// Short names of what answers call by ids. The id stands in the tooltip.

import type { RaisedFlag } from "./api";
import { count, fixed, pct, price, times, usd, words } from "./format";

const scenarios: Record<string, string> = {
  black_thursday_2020: "Black Thursday 2020",
  may_2021_deleveraging: "May 2021 deleveraging",
  ftx_crash: "FTX crash 2022",
  celsius_3ac_2022: "Celsius / 3AC 2022",
  luna_collapse: "LUNA collapse 2022",
  yen_unwind_2024: "Yen unwind 2024",
  october_2025_cascade: "October 2025 cascade",
  tariff_shock_feb_2025: "Tariffs Feb 2025",
  flash_recovery: "Flash crash Aug 2023",
  jelly_squeeze: "JELLY squeeze 2025",
  short_squeeze: "ETF squeeze 2024",
  rebound_may_2021: "Rebound May 2021",
  rally_may_2025: "Rally May 2025",
};

export const scenarioName = (id: string) => scenarios[id] ?? words(id);

const drivers: Record<string, string> = {
  liquidation: "liquidation",
  var: "bad day",
  oi: "open interest",
  slippage: "slippage",
  funding: "funding",
  impact: "impact",
  portfolio: "whole book",
  interaction: "several at once",
  regime: "stressed market",
};

export const driverName = (id: string) => drivers[id] ?? words(id);

const flags: Record<string, string> = {
  stale_market_data: "An input is old",
  kill_switch: "The kill switch is on",
  policy_violation: "Over the operator's limits",
  price_divergence: "Prices contradict each other",
  extreme_slippage: "The fill is far away",
  near_liquidation: "Liquidation is near",
  near_backstop: "A bad hour ends in the backstop",
  likely_liquidation: "Liquidation within 24 h is likely",
  funding_liquidates: "Funding alone may liquidate it",
  negative_account_equity: "The account's equity is gone",
  other_pool_at_risk: "Another pool is close to liquidation",
  leaves_book_at_risk: "What stays is at risk",
  insufficient_margin: "Margin does not cover it",
  untradeable_cost: "The round trip costs too much",
  thin_market: "Larger than a day's volume",
  oi_at_cap: "Open interest is at its cap",
  thin_book: "The book is thin for this size",
  high_slippage: "The fill is away from the mid",
  high_leverage: "Leverage leaves little room",
  funding_anomaly: "Funding is unusual",
  funding_expensive: "Funding is expensive",
  cex_funding_divergence: "Funding differs from other venues",
  high_impact: "The trade moves the price",
  low_volume: "The market trades little",
  high_var: "A bad day costs much",
  high_portfolio_var: "Bad day of the whole book",
  oi_near_cap: "Open interest is near its cap",
  likely_within_week: "Liquidation within 7 days is likely",
  concentration_risk: "One asset is most of the book",
  correlated_exposure: "Another position moves with it",
  account_fails_stress: "A scenario of history ends the account",
  tier_leverage_exceeded: "Leverage over this size's tier",
  no_account_equity: "The wallet is empty",
  account_mode_estimated: "Collateral is estimated",
  margin_mode_differs: "The venue opens in the wallet's own mode",
  setting_not_read: "The venue's default is assumed",
  venue_post_only: "Only post-only orders are taken",
  positions_not_followed: "Positions on dexes not followed",
  outside_session: "Outside the asset's session",
  history_loading: "History is still loading",
  limited_history: "Little price history",
  new_listing: "A new listing",
  size_exceeds_position: "Larger than the position",
  no_open_position: "No position to close",
  unprotected_position: "No stop covers the position",
  margin_mode_kept: "The position keeps its margin mode",
  stop_beyond_liquidation: "The stop lies beyond liquidation",
};

export const flagName = (id: string) => flags[id] ?? words(id);

/** The figures of a flag in "has, needs" form; empty for a rule without a figure. */
export function flagFigures(f: RaisedFlag): string {
  const { value: v, threshold: t } = f;
  switch (f.name as string) {
    case "near_liquidation":
      return `${pct(v)} away, needs ${pct(t)}`;
    case "insufficient_margin":
      return `has ${usd(t)}, needs ${usd(v)} USD`;
    case "size_exceeds_position":
      return `${usd(v)}, position ${usd(t)} USD`;
    case "unprotected_position":
      return `${pct(v)} covered`;
    case "limited_history":
    case "new_listing":
      return `${count(v)} hours, needs ${count(t)}`;
    case "negative_account_equity":
      return `${usd(v)} USD`;
    case "history_loading":
    case "kill_switch":
      return "";
    case "policy_violation":
      return v === 1 ? "one rule" : `${count(v)} rules`;
    case "other_pool_at_risk":
      return `${count(v)} of them`;
    case "positions_not_followed":
      return count(v);
  }
  const limit = (say: (x: number) => string) => `${say(v)}, limit ${say(t)}`;
  switch (f.unit) {
    case "":
      return "";
    case "USD":
      return limit(usd) + " USD";
    case "%":
      return limit(pct);
    case "x":
      return limit(times);
    case "fraction":
      return limit((x) => pct(100 * x).replace(/\.0+ %/, " %"));
    case "bps":
      return limit((x) => fixed(x, x < 100 ? 1 : 0)) + " bps";
    case "share of the room":
      return limit((x) => (x > 10 ? "over 1,000 %" : pct(100 * x).replace(/\.0+ %/, " %"))) + " of the room";
    case "% a year":
      return limit((x) => fixed(x, 0) + " %") + " a year";
  }
  return `${limit((x) => price(x).replace(/(\.\d\d)\d+$/, "$1"))} ${f.unit}`;
}

/** What a hard rule holds against a trade, in the words of the answers. */
export const ruleWords: Record<string, string> = {
  H1: "liquidation is near for a move of 4 hours",
  H2: "open interest at the cap",
  H3: "free margin too small",
  H4: "slippage",
  H5: "leverage over the margin tier's",
  H6: "loss of the whole book",
  H7: "chance of liquidation within 24 h",
  H7b: "chance of liquidation within 7 days",
  H8: "a stress scenario ends the pool",
  H9: "no equity left",
  H10: "cost of a round trip",
  H11: "size against a day's volume",
  H12: "a large deposit is assumed",
  H13: "prices contradict each other",
  H14: "funding takes the room to liquidation",
};

export const verdicts: Record<string, { word: string; kind: "ok" | "caution" | "stop" }> = {
  proceed: { word: "Proceed", kind: "ok" },
  proceed_with_caution: { word: "Caution", kind: "caution" },
  abort: { word: "Abort", kind: "stop" },
};
