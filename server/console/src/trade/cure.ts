// What a wallet's pool needs: a deposit or a reduction, from the answer of a monitor call.

import type { Assessment, WalletReport } from "../api";
import { usdUp } from "../format";
import { limitOf, reduceLink, reduction, remedies } from "../screens/walletmath";

/** The chance of liquidation within 24 h that pools are brought to. */
export const safeChance = 0.05;

export interface Cure {
  deposit: string; // 850 USD to ETH; empty where none helps
  reduce: { text: string; href: string } | null; // Reduce both by 76.3 %
  brings: string; // what either of them does
}

/** Where a deposit goes, by the pool's name. */
function placeOf(pool: string, asset: string): string {
  if (pool === "main" || pool === "unified" || pool === "portfolio") return "";
  return ` to ${pool === asset || pool.includes(":") ? `the margin of ${pool}` : pool}`;
}

/** The cure of the trade's pool, else of the one that is most likely to be liquidated; null when none needs any. */
export function cureOf(a: Assessment, report: WalletReport): Cure | null {
  const list = remedies(report.positions),
    { asset } = a.meta;
  const found = list.find((r) => r.action.assets?.includes(asset)) ?? list[0];
  if (!found) return null;
  const { action, held } = found,
    less = action.kind === "reduce" ? reduction(action, held) : null;
  const { max_probability_24h: most, survive } = action.until,
    unlikely = `the pool's chance of liquidation within 24 h is at most ${limitOf(most)}`,
    already = survive && (held[0]!.probability_24h ?? 1) <= most,
    history = "it survives every scenario of history";
  return {
    deposit:
      action.add_margin_usd === null
        ? ""
        : `${usdUp(action.add_margin_usd)} USD${placeOf(action.pool, asset)}`,
    reduce: less && { text: less.text, href: reduceLink(report.wallet, action, held) },
    brings: already ? history : survive ? `${unlikely}, and ${history}` : unlikely,
  };
}
