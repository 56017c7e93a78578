// The result of reducing some positions of a wallet by one percentage, one order after the other. Nothing is sent.

import { ask, type CompactAssessment, Failure } from "../api";
import { type Child, h, headed, icon, scrollBox, table, tr } from "../dom";
import { age, chance, distance, exactCoins, pct, price, usd } from "../format";
import { scenarioName } from "../names";
import { link } from "../route";
import type { Context, Poll } from "../screen";
import { Answer } from "../store";
import { type Held, notional } from "./walletmath";

/** The reduction that the address names: the assets in their order, and percent. */
export interface Reduction {
  assets: string[];
  by: number;
}

type Result = CompactAssessment | { error: string };

const againMs = 4000,
  goneMs = 15_000,
  softMs = 2000;

/** Reads plan=ETH,SOL and by=76.3 from the address; null without both. */
export function reductionOf(p: URLSearchParams): Reduction | null {
  const assets = (p.get("plan") ?? "").split(",").filter(Boolean).slice(0, 50),
    by = Number(p.get("by") ?? "");
  return assets.length > 0 && by > 0 && by <= 100 ? { assets, by } : null;
}

/** What the wallet has then, and what it still does not survive. */
function afterwards(last: Result): string {
  if ("error" in last) return "";
  const m = last.margin_after,
    worst = last.worst_stress;
  const dies = worst && !worst.survives ? ` It still does not survive ${scenarioName(worst.scenario)}.` : "";
  return ` Then ${usd(m.free)} USD are free, the maintenance ratio is ${pct(m.maintenance_ratio_pct)}.${dies}`;
}

/** An order of the plan, with what it comes to. */
interface Order {
  held: Held;
  coins: number;
}

/** Asks about the plan every few seconds while it is open. */
export class Plan {
  private readonly answer = new Answer<Result[]>(goneMs);
  private orders: Order[] = []; // of the answer
  private failure: string | null = null;
  private readonly poll: Poll;

  constructor(
    ctx: Context,
    private readonly wallet: string,
    readonly reduction: Reduction,
    private readonly positions: () => readonly Held[],
    changed: () => void,
  ) {
    this.poll = ctx.poll(
      againMs,
      async (signal) => {
        await this.ask(signal);
        changed();
      },
      (cause) => {
        this.failure = cause instanceof Failure ? cause.message : String(cause);
        changed();
      },
    );
  }

  end() {
    this.poll.stop();
  }

  private async ask(signal: AbortSignal) {
    const { assets, by } = this.reduction;
    const orders = assets
      .map((name) => this.positions().find((p) => p.asset === name))
      .filter((p): p is Held => p !== undefined)
      .map((held) => ({ held, coins: (Math.abs(held.size) * by) / 100 }));
    if (orders.length === 0) return;
    const trades = orders.map((o) => ({ asset: o.held.asset, action: "close", size_coin: o.coins }));
    const { results } = await ask<{ results: Result[] }>("/v1/validate/batch?view=compact&record=false", {
      body: { wallet: this.wallet, trades },
      signal,
    });
    const metas = results.flatMap((r) => ("meta" in r ? [r.meta] : []));
    const none = metas.length > 0 ? 0 : Infinity,
      oldest = (of: (m: (typeof metas)[number]) => number) => Math.max(none, ...metas.map(of));
    this.orders = orders;
    this.failure = null;
    this.answer.set(results, [
      { name: "market", ageMs: oldest((m) => m.market_age_ms), softMs },
      { name: "wallet", ageMs: oldest((m) => m.wallet_age_ms), softMs },
    ]);
  }

  /** The card; before is the pool's chance of liquidation as held, close the address without the plan. */
  card(before: number | null, close: string): HTMLElement {
    const { assets, by } = this.reduction,
      state = this.answer.state(),
      what = assets.length === 1 ? assets[0]! : assets.length === 2 ? "both" : `all ${assets.length}`;
    return h(
      "section",
      { class: `card plan${state === "stale" ? " stale" : ""}`, "data-key": "plan" },
      headed(
        `Reduce ${what} by ${pct(by)}`,
        "as if sent one after the other; Ballast sends nothing",
        h("a", { class: "button", href: close }, "Close"),
      ),
      ...(state === "gone" ? [this.missing()] : this.result(before, state === "stale")),
    );
  }

  private missing(): HTMLElement {
    const text = this.failure ?? (this.orders.length > 0 ? "No answer younger than 15 s." : "Asking.");
    return h("p", { class: "t2" }, text);
  }

  private result(before: number | null, stale: boolean): Child[] {
    const results = this.answer.value!,
      last = results.at(-1)!,
      after = "error" in last ? null : last.probability_24h;
    const heads = ["Order", "USD", "Chance then", "Away", "Liquidation", "Costs, USD", "Venue"];
    const sentence = stale
      ? h("p", { class: "caution" }, icon("clock", 14), ` ${age(this.answer.age())} old: asking again.`)
      : h(
          "p",
          {},
          "Chance of liquidation within 24 h: ",
          h("b", {}, before === null ? "unknown" : chance(before)),
          " now, ",
          h("b", {}, after === null ? "unknown" : chance(after)),
          ` after the last order.${afterwards(last)}`,
        );
    return [
      sentence,
      scrollBox(
        "Orders of the plan",
        table("Orders of the plan", heads, results.map((r, i) => this.row(r, this.orders[i]!))),
      ),
    ];
  }

  private row(r: Result, o: Order): HTMLElement {
    const { held } = o,
      size = (notional(held) * o.coins) / Math.abs(held.size),
      to = link("trade", { a: held.asset, d: "close", coin: o.coins, w: this.wallet });
    const name = h("a", { href: to }, `Close ${exactCoins(Number(o.coins.toPrecision(6)))} ${held.asset}`);
    const cells: Child[] =
      "error" in r
        ? ["–", "–", "–", "–", r.error]
        : [
            r.probability_24h === null ? "unknown" : h("b", {}, chance(r.probability_24h)),
            r.liquidation_price === null ? "nowhere" : distance(r.liquidation_distance_pct),
            r.liquidation_price === null ? "–" : price(r.liquidation_price),
            usd((size * r.entry_cost_bps) / 1e4),
            r.admissibility.verdict === "ok" ? "takes it" : r.admissibility.verdict.replaceAll("_", " "),
          ];
    return tr({ "data-key": held.asset }, name, usd(size), ...cells);
  }
}
