// The current positions of a wallet, and its alerts from the alert socket.

import type { components } from "../../../clients/typescript/src/alert-contract";
import { ask, errorBox, type WalletReport } from "./api";
import { type Cell, h, setText, table, twoSidedBar } from "./dom";
import { age, chance, clock, coins, pct, plain, price, usd, verdictWords, words } from "./format";
import { poll } from "./poll";

const monitorEvery = 10_000; // ms; the service checks a wallet for alerts only on a monitor call
const maxAlerts = 200; // shown

type Alert = components["schemas"]["RiskAlert"];

export function wallet(onVenue: (venue: string) => void) {
  const address = h("input", { name: "address", required: true, autocomplete: "off", spellcheck: "false", placeholder: "0x…" });
  const report = h("div");
  const problem = h("div");
  const state = h("p", { class: "quiet", role: "status" }, "No wallet is watched.");
  const list = h("ol", { class: "alerts", "aria-label": "Alerts, newest first" });
  const none = h("p", { class: "quiet" }, "No alert yet.");
  let watched = "";

  const monitor = poll(monitorEvery, async () => {
    const of = watched;
    if (of === "") return;
    try {
      const answer = await ask<WalletReport>("/v1/monitor/" + encodeURIComponent(of));
      if (of !== watched) return;
      onVenue(answer.meta.venue);
      problem.replaceChildren();
      report.replaceChildren(...drawn(answer));
    } catch (cause) {
      if (of !== watched) return;
      problem.replaceChildren(errorBox(cause));
      report.replaceChildren(); // show no old figures beside an error
      throw cause;
    }
  });
  const socket = alertSocket((said) => setText(state, said), (a) => {
    none.remove();
    list.prepend(h("li", { class: a.severity }, h("time", {}, clock(a.timestamp)), " ", h("strong", {}, a.severity), " ", a.message));
    while (list.childElementCount > maxAlerts) list.lastElementChild!.remove();
  });

  /** Watches this wallet instead of the previous one; "": none. */
  function watch(of: string) {
    watched = of;
    list.replaceChildren();
    alerts.append(none);
    report.replaceChildren();
    problem.replaceChildren();
    socket.watch(of);
    monitor.stop();
    if (of !== "") monitor.start();
  }

  const alerts = h("section", { class: "card" }, h("h2", {}, "Alerts"), state, list, none);
  const form = h("form", {
    "aria-label": "Wallet", novalidate: true, submit: (e) => {
      e.preventDefault();
      watch(address.value.trim());
    },
  }, h("label", { class: "wallet" }, "Address", address), h("button", { type: "submit", class: "main" }, "Watch"));
  const element = h("section", { "aria-labelledby": "wallet-title" },
    h("h1", { id: "wallet-title" }, "Wallet"),
    h("p", { class: "quiet" }, `While this screen is open the wallet is assessed each ${monitorEvery / 1000} s; every breach comes over the alert socket.`),
    form, problem, report, alerts);
  return {
    element,
    start: monitor.start,
    stop: monitor.stop,
    fill(given: URLSearchParams) {
      const of = given.get("address");
      if (of === null || of === watched) return;
      address.value = of;
      watch(of);
    },
    forget: () => watch(""),
  };
}

function drawn(w: WalletReport): HTMLElement[] {
  const facts: [string, string][] = [
    ["Account value", usd(w.account_value) + " USD"], ["Initial margin", usd(w.margin.initial) + " USD"], ["Free margin", usd(w.margin.free) + " USD"],
    ["Maintenance ratio", pct(w.margin.maintenance_ratio_pct, 1)],
  ];
  if (w.portfolio_risk) facts.push(["VaR 99 %, 24 h", usd(w.portfolio_risk.portfolio_var_99_24h) + " USD"], ["Expected shortfall 99 %", usd(w.portfolio_risk.portfolio_es_99_24h) + " USD"]);
  if (w.portfolio_stress) {
    const s = w.portfolio_stress;
    facts.push(["Worst scenario", `${words(s.scenario)}: ${usd(s.total_pnl_usd)} USD, ${s.account_survives ? "survives" : "does not survive"}`]);
  }
  const own = w.positions.reduce((sum, p) => sum + p.var.dollar_99_24h, 0);
  const riskiest = w.positions.slice().sort((a, b) => b.var.dollar_99_24h - a.var.dollar_99_24h);
  return [
    h("dl", { class: "facts" }, ...facts.map(([k, v]) => h("div", {}, h("dt", {}, k), h("dd", {}, v)))),
    h("section", { class: "card" }, h("h2", {}, "Positions"),
      w.positions.length === 0 ? h("p", {}, "The wallet has no open position.") :
        table("Positions as held", ["Asset", "Score", "Verdict", "Size", "Entry", "Mark", "P&L, USD", "Liquidation", "Away", "Chance, 24 h", "Funding, 24 h", "Regime", "Flags"],
          w.positions.map((p): Cell[] => [
            p.asset, { text: plain(p.risk_score, 1), class: p.recommendation }, { text: verdictWords[p.recommendation] ?? p.recommendation, class: p.recommendation }, coins(p.size).replace(/^(?=\d)/, "+"), price(p.entry_price), price(p.mark_price),
            { text: usd(p.unrealized_pnl), class: (p.unrealized_pnl ?? 0) < 0 ? "bad" : "" }, p.liquidation_price === null ? "none" : price(p.liquidation_price), pct(p.liquidation_distance_pct), chance(p.probability_24h),
            pct(p.funding_drag_24h_pct), p.regime?.state ?? "–", { text: p.flags.map(words).join(", ") || "–", class: "text" }]))),
    ...(w.positions.length === 0 ? [] : [h("section", { class: "card" }, h("h2", {}, "Where the risk is"),
      table("VaR 99 % over 24 h of each position on its own", ["Asset", "", "USD", "Share"], riskiest.map((p): Cell[] => [
        p.asset, { text: twoSidedBar(own > 0 ? -p.var.dollar_99_24h / own : 0), class: "wide" }, usd(p.var.dollar_99_24h), own > 0 ? pct((100 * p.var.dollar_99_24h) / own, 1) : "–"])),
      w.portfolio_risk ? h("p", { class: "quiet" }, together(own, w.portfolio_risk.portfolio_var_99_24h)) : null)]),
    h("p", { class: "quiet" }, `As of ${clock(w.meta.as_of)}; market ${age(w.meta.market_age_ms)} old, wallet ${age(w.meta.wallet_age_ms)} old; ${w.meta.request_id}`),
  ];
}

/** Compares the sum of the single positions' losses with the loss of the whole book, in USD. The book's loss is linear in log returns, so for long positions it can be the larger. */
function together(own: number, book: number): string {
  const why = book < own ? "less, since they do not all lose at once" : "more: it is counted in log moves, in which a fall weighs more than in prices";
  return `Sum of the positions on their own ${usd(own)} USD; the book as a whole ${usd(book)} USD` + (usd(own) === usd(book) ? "." : `, ${why}.`);
}

/** The alert socket of one wallet. It reconnects after a growing pause and subscribes again. */
function alertSocket(say: (text: string) => void, deliver: (a: Alert) => void) {
  const shortest = 1000, longest = 30_000; // ms before another try
  let wanted = "", ws: WebSocket | undefined, pause = shortest, timer = 0;
  const connect = () => {
    const mine = (ws = new WebSocket(location.origin.replace(/^http/, "ws") + "/v1/alerts/ws"));
    say("Connecting to the alert socket…");
    let refused = "";
    mine.onopen = () => mine.send(JSON.stringify({ wallet: wanted }));
    mine.onmessage = (e) => {
      const m = JSON.parse(e.data) as Partial<Alert> & { subscribed?: string; error?: string; detail?: string };
      if (m.subscribed !== undefined) {
        pause = shortest;
        say(`Subscribed to ${m.subscribed}.`);
      } else if (m.error !== undefined) refused = m.detail ?? m.error;
      else deliver(m as Alert);
    };
    mine.onclose = () => {
      if (mine !== ws) return;
      if (refused !== "") {
        say(`The alert socket refused the wallet: ${refused}.`);
        return;
      }
      say(`The alert socket is closed; another try in ${pause / 1000} s. Alerts until then are lost.`);
      timer = window.setTimeout(connect, pause);
      pause = Math.min(longest, 2 * pause);
    };
  };
  return {
    /** Watches this wallet instead of the previous one; "": none. */
    watch(of: string) {
      wanted = of;
      clearTimeout(timer);
      const before = ws;
      ws = undefined;
      before?.close();
      pause = shortest;
      if (of === "") say("No wallet is watched.");
      else connect();
    },
  };
}
