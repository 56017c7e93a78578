// The trade form and its answer: first the verdict and what drives the score.

import { type Assessment, ask, errorBox, Failure, type Position, type Problem } from "./api";
import { lossChart } from "./chart";
import { bar, type Cell, copyButton, h, setText, table, twoSidedBar } from "./dom";
import { age, chance, clock, coins, pct, plain, price, times, usd, verdictWords, words } from "./format";
import { readNumber } from "./number";

const path = "/v1/validate?explain=true";

export function validate(onVenue: (venue: string) => void) {
  const names = h("datalist", { id: "asset-names" });
  const option = (value: string, text: string) => h("option", { value }, text);
  const fields = {
    asset: h("input", { name: "asset", required: true, list: "asset-names", autocomplete: "off", spellcheck: "false", placeholder: "BTC" }),
    action: h("select", { name: "action" }, option("long", "Long"), option("short", "Short"), option("close", "Close")),
    size: h("input", { name: "size", required: true, inputmode: "decimal", autocomplete: "off", placeholder: "50000" }),
    leverage: h("input", { name: "leverage", inputmode: "decimal", autocomplete: "off", placeholder: "as the position has it" }),
    mode: h("select", { name: "mode" }, option("", "As the wallet is set"), option("cross", "Cross"), option("isolated", "Isolated")),
    wallet: h("input", { name: "wallet", required: true, autocomplete: "off", spellcheck: "false", placeholder: "0x…" }),
  };
  const simulate = h("input", { type: "checkbox", name: "monte_carlo", checked: true });
  const hints = new Map<string, HTMLElement>();
  const label = (name: keyof typeof fields, text: string) => {
    const hint = h("span", { class: "hint", id: `hint-${name}` });
    hints.set(name, hint);
    fields[name].setAttribute("aria-describedby", hint.id);
    return h("label", { class: name }, text, fields[name], hint);
  };
  const button = h("button", { type: "submit", class: "main" }, "Assess");
  const outcome = h("div", { class: "answer", "aria-live": "polite" });
  const changed = h("p", { class: "warn-box", hidden: true }, "The form has changed since this answer. Assess again before you act on it.");
  let stopChart = () => {};
  let running = 0;

  const form = h("form", {
    novalidate: true, "aria-label": "Trade",
    submit: (e) => {
      e.preventDefault();
      void send();
    },
    input: () => {
      changed.hidden = outcome.childElementCount === 0;
    },
  },
    label("asset", "Asset"), label("action", "Action"), label("size", "Size, USD"), label("leverage", "Leverage"), label("mode", "Margin mode"), label("wallet", "Wallet"),
    h("label", { class: "check" }, simulate, " Simulate 10,000 paths"), button, names);

  /** Returns the request in the form, without empty fields, and a problem for each number that cannot be read. */
  function read(): { asked: Record<string, unknown>; problems: Problem[] } {
    const asked: Record<string, unknown> = {}, problems: Problem[] = [];
    for (const [name, field] of Object.entries(fields)) {
      const text = field.value.trim();
      if (text === "") continue;
      asked[name] = text;
      if (name !== "size" && name !== "leverage") continue;
      const { value, problem } = readNumber(text);
      if (problem === undefined) asked[name] = value;
      else problems.push({ field: name, detail: `${name}: ${problem}` });
    }
    if (simulate.checked) asked.monte_carlo = true;
    return { asked, problems };
  }

  async function send() {
    const turn = ++running;
    button.disabled = true;
    setText(button, "Assessing…");
    clearFaults();
    changed.hidden = true;
    stopChart();
    outcome.replaceChildren();
    const { asked, problems } = read();
    try {
      if (problems.length > 0) throw new Failure(0, { error: "validation_error", detail: problems[0]!.detail, field: problems[0]!.field, problems }, 0, "");
      const a = await ask<Assessment>(path, asked);
      if (turn !== running) return;
      onVenue(a.meta.venue);
      const chart = lossChart(a);
      stopChart = chart.stop;
      outcome.replaceChildren(...drawn(a, asked, chart.element));
      chart.draw();
      outcome.querySelector<HTMLElement>("h2")?.focus();
    } catch (cause) {
      if (turn !== running) return;
      outcome.replaceChildren(errorBox(cause));
      if (cause instanceof Failure) showFaults(cause);
    } finally {
      if (turn === running) {
        button.disabled = false;
        setText(button, "Assess");
      }
    }
  }

  function clearFaults() {
    for (const [name, hint] of hints) {
      setText(hint, "");
      fields[name as keyof typeof fields].removeAttribute("aria-invalid");
    }
  }

  /** Shows each problem beside its field, and focuses the first such field. */
  function showFaults(f: Failure) {
    const problems: Problem[] = f.body.problems ?? (f.body.field ? [{ field: f.body.field, detail: f.message, suggestion: f.body.suggestion }] : []);
    for (const p of problems) {
      const hint = hints.get(p.field);
      if (!hint) continue;
      setText(hint, p.detail + (p.suggestion !== undefined ? `. Try: ${p.suggestion}` : ""));
      fields[p.field as keyof typeof fields].setAttribute("aria-invalid", "true");
    }
    form.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }

  const element = h("section", { "aria-labelledby": "validate-title" },
    h("h1", { id: "validate-title" }, "Assess a trade"),
    h("p", { class: "quiet" }, "Nothing is ever sent to the venue: this asks what the order would do."),
    form, changed, outcome);
  return {
    element,
    setNames: (all: string[]) => names.replaceChildren(...all.map((n) => h("option", { value: n }))),
    /** Fills the form from a link such as #validate?asset=BTC. */
    fill(given: URLSearchParams) {
      for (const [name, field] of Object.entries(fields)) {
        const value = given.get(name);
        if (value !== null && value !== field.value) {
          field.value = value;
          changed.hidden = outcome.childElementCount === 0;
        }
      }
    },
    forget() {
      running++;
      button.disabled = false;
      setText(button, "Assess");
      stopChart();
      outcome.replaceChildren();
      changed.hidden = true;
    },
  };
}

function drawn(a: Assessment, asked: Record<string, unknown>, chart: HTMLElement): HTMLElement[] {
  const part = (title: string, ...children: (HTMLElement | false | null)[]) => h("section", { class: "card" }, h("h3", {}, title), ...children);
  return [
    verdict(a),
    h("div", { class: "grid" },
      part("Position", positions(a)), part("Margin of the wallet", margins(a)),
      part("What drives the score", components(a)), part("Costs", costs(a)),
      part("Loss within 24 h", chart), part("Stress", stress(a)),
      attribution(a) && part("Share of the book's VaR", attribution(a)),
      part("The answer itself", raw(a, asked)))];
}

function verdict(a: Assessment): HTMLElement {
  const gauge = h("span", { class: "gauge", role: "img", "aria-label": `Risk score ${plain(a.risk_score, 1)} of 100; proceed up to 40, with caution up to 70` }, h("span", { class: "needle" }));
  (gauge.firstChild as HTMLElement).style.left = `${a.risk_score}%`;
  const { issues, verdict: v, order_size_coin, order_size_usd } = a.admissibility;
  return h("section", { class: "card verdict " + a.recommendation },
    h("h2", { tabindex: -1 }, `${verdictWords[a.recommendation] ?? a.recommendation}: risk score ${plain(a.risk_score, 1)} of 100`),
    gauge,
    h("ul", { class: "drivers" }, ...drivers(a).map((t) => h("li", {}, t))),
    v === "ok" ? h("p", {}, `The venue would take the order: send ${coins(order_size_coin)} ${a.meta.asset} (${usd(order_size_usd)} USD).`) :
      v === "unknown" ? h("p", {}, "Whether the venue would take the order is not known.") :
        h("div", {}, h("p", { class: "bad" }, h("strong", {}, "The venue would refuse the order:")), h("ul", {}, ...issues.map((i) => h("li", {}, issueText(i))))),
    a.sizing ? h("p", {}, a.sizing.max_safe_size_usd > 0 ? `Suggested size ${usd(a.sizing.suggested_size_usd)} USD: the score is asked for it. Up to ${usd(a.sizing.max_safe_size_usd)} USD keeps within the limits of book, open interest, margin and impact (${words(a.sizing.size_limit_reason)} binds), but the score may still say abort.` : `No size can be suggested here (${words(a.sizing.size_limit_reason)}).`) : null,
    a.explanation.flags.length > 0 && h("ul", { class: "flags", "aria-label": "Flags" }, ...a.explanation.flags.map((f) =>
      h("li", { class: f.severity }, h("strong", {}, f.severity), " ", f.meaning, f.unit ? ` (${figure(f.value, f.unit)}, limit ${figure(f.threshold, f.unit)})` : "", " ", h("code", {}, f.name)))),
    h("p", { class: "quiet" }, `As of ${clock(a.meta.as_of)}; market ${age(a.meta.market_age_ms)} old, wallet ${age(a.meta.wallet_age_ms)} old; mark ${price(a.meta.mark_price)} USD; ${a.meta.request_id}`));
}

/** The one or two things that move the score most. */
function drivers(a: Assessment): string[] {
  const e = a.explanation, said: string[] = [];
  const rule = Object.entries(e.hard_rules).find(([, floor]) => floor > 0 && floor === e.floor);
  if (rule && Math.abs(e.floor - a.risk_score) < 0.001) said.push(`Hard rule ${rule[0]} sets the score: ${ruleText[rule[0]] ?? "see the model page"}.`);
  const top = e.components.filter((c) => c.contribution >= 1).sort((x, y) => y.contribution - x.contribution).slice(0, 2);
  if (top.length > 0) said.push(`Largest drivers: ${top.map((c) => `${componentNames[c.name] ?? c.name} (${plain(c.contribution, 1)} points)`).join(", ")}.`);
  if (said.length === 0) said.push("Nothing drives the score: every component is small.");
  const p = a.liquidation.probability_24h;
  if (a.position.after) said.push(a.liquidation.price > 0 ? `Liquidation at ${price(a.liquidation.price)} USD, ${pct(a.liquidation.distance_pct)} away; its chance is ${chance(p)} within 24 h, ${chance(a.liquidation.probability_7d)} within 7 days.` : `The position has no liquidation price; the chance of liquidation within 24 h is ${chance(p)}.`);
  return said;
}

const componentNames: Record<string, string> = { liquidation: "liquidation", var: "Value-at-Risk", oi: "open interest", slippage: "slippage", funding: "funding", impact: "market impact" };

const issueNames: Record<string, string> = {
  min_notional: "the order is below the venue's smallest", lot: "the size rounds to nothing", tick: "the price is not on the venue's grid", insufficient_margin: "free margin is too small",
  max_market_order: "the order is above the venue's largest market order", no_liquidity: "the book has nothing on the order's side", leverage_not_whole: "the leverage is no whole number",
  isolated_leverage_too_low: "the leverage is too low for the margin of the open position", market_post_only: "the venue takes post-only orders alone", venue_notice: "the venue has a notice",
  margin_unknown: "whether the margin is free is not known",
  tier_leverage: "the leverage is over that of the margin tier", oi_cap: "the asset is at its open-interest cap", max_leverage: "the leverage is over the asset's maximum",
};

function issueText(i: Assessment["admissibility"]["issues"][number]): string {
  const leverage = i.code.includes("leverage"), n = (x: number) => (leverage ? times(x) : usd(x) + " USD");
  let text = issueNames[i.code] ?? words(i.code);
  if (typeof i.got === "string") text += ` (${i.got})`;
  else if (i.got !== null && i.limit !== null) text += ` (${n(i.got)}, limit ${n(i.limit)})`;
  const fixes = [i.fix != null ? `with ${leverage ? times(i.fix) : usd(Math.floor(i.fix)) + " USD"}` : "", i.fix_leverage != null ? `at ${times(i.fix_leverage)} leverage` : "", i.fix_deposit_usd != null ? `after a deposit of ${usd(i.fix_deposit_usd)} USD` : ""].filter(Boolean);
  return text + (fixes.length > 0 ? `: it would pass ${fixes.join(", or ")}.` : ".");
}

function figure(x: number, unit: string): string {
  switch (unit) {
    case "%": return pct(x);
    case "USD": return usd(x) + " USD";
    case "x": return times(x);
    case "fraction": return chance(x);
  }
  return plain(x, x % 1 === 0 ? 0 : 2) + " " + unit;
}

function positions(a: Assessment): HTMLElement {
  const { before, after } = a.position;
  const row = (name: string, say: (p: Position) => string): Cell[] => [name, before ? say(before) : "–", after ? say(after) : "–"];
  return table(`Position in ${a.meta.asset}`, ["", "Before", "After"], [
    ["Side", before?.side ?? "flat", after?.side ?? "flat"], row("Margin mode", (p) => p.mode), row(`Size, ${a.meta.asset}`, (p) => coins(p.size_coin)), row("Notional, USD", (p) => usd(p.notional_usd)),
    row("Leverage", (p) => times(p.leverage)), row("Entry price", (p) => price(p.entry_price)), row("Liquidation price", (p) => price(p.liquidation_price || null)),
  ]);
}

function margins(a: Assessment): HTMLElement {
  const { before, after } = a.margin;
  const row = (name: string, k: "account_value" | "initial" | "free" | "maintenance"): Cell[] => [name, usd(before[k]), usd(after[k])];
  return table("Margin, USD; the venue liquidates at a ratio of 100 %", ["", "Before", "After"], [
    row("Account value", "account_value"), row("Initial", "initial"), row("Free", "free"), row("Maintenance", "maintenance"),
    ["Maintenance ratio", pct(before.maintenance_ratio_pct, 1), pct(after.maintenance_ratio_pct, 1)],
  ]);
}

function components(a: Assessment): HTMLElement {
  const e = a.explanation;
  const rows: Cell[][] = e.components.slice().sort((x, y) => y.contribution - x.contribution).map((c) => [
    componentNames[c.name] ?? c.name, { text: bar(c.score / 100, c.score > 70 ? "bad" : c.score > 40 ? "warn" : ""), class: "wide" }, plain(c.score, 0), plain(c.weight), plain(c.contribution)]);
  for (const [name, points] of [["several at once", e.interaction], ["whole portfolio", e.portfolio], ["liquidity regime", e.regime]] as const) {
    if (points > 0) rows.push([name, "", "", "", plain(points)]);
  }
  const rules = Object.entries(e.hard_rules).filter(([, floor]) => floor > 0).sort(([, x], [, y]) => y - x);
  return h("div", {}, table("Components of the score", ["Component", "Score", "of 100", "Weight", "Points"], rows),
    rules.length > 0 && h("p", {}, "Hard rules, each a floor under the score:"),
    rules.length > 0 && h("ul", {}, ...rules.map(([name, floor]) => h("li", {}, `${name}: ${ruleText[name] ?? ""} (at least ${plain(floor, 1)})`))),
    e.oi_cap_estimated && h("p", { class: "quiet" }, "Open interest has no weight here: its cap is a guess."));
}

function costs(a: Assessment): HTMLElement {
  const c = a.cost_analysis;
  return table("Of the trade, and of holding it", ["Cost", "Figure"], [
    ["Fee, taker", `${plain(a.fees.taker_fee_bps)} bps, ${usd(a.fees.estimated_fee_usd)} USD`], ["Slippage", `${plain(a.slippage.bps)} bps, fill at ${price(a.slippage.fill_price)}`], ["Market impact", plain(a.impact.expected_bps) + " bps"],
    ["Entry, all of it", plain(c.total_entry_cost_bps) + " bps"], ["Round trip", plain(c.total_round_trip_cost_bps) + " bps"], ["Move to break even", pct(c.breakeven_move_pct, 3)],
    ["Funding of 24 h, of margin", pct(c.funding_drag_24h_pct, 3)], ["Funding a year (positive: you pay)", pct(a.funding.annualized_pct)],
    ["VaR 95 %, 24 h", `${pct(a.var.pct_95_24h)}, ${usd(a.var.dollar_95_24h)} USD`], ["VaR 99 %, 24 h", `${pct(a.var.pct_99_24h)}, ${usd(a.var.dollar_99_24h)} USD`], ["Expected shortfall 99 %", pct(a.var.es_99_24h)],
  ]);
}

function stress(a: Assessment): HTMLElement {
  const widest = Math.max(1, ...a.stress.map((s) => Math.abs(s.pnl_usd)));
  return table("What history would do to the position", ["Scenario", "", "P&L, USD", "Outcome"], a.stress.slice().sort((x, y) => x.pnl_usd - y.pnl_usd).map((s) => [
    { text: h("span", { title: s.description }, words(s.scenario)) }, { text: twoSidedBar(s.pnl_usd / widest), class: "wide" }, usd(s.pnl_usd), s.survives ? "survives" : { text: "liquidated", class: "bad" }]));
}

function attribution(a: Assessment): HTMLElement | null {
  const p = a.portfolio_attribution;
  if (!p) return null;
  return h("div", {}, table(`Of ${usd(p.total_var_99)} USD, VaR 99 % over 24 h after the trade`, ["Asset", "", "USD", "Share"],
    p.positions.map((x) => [x.asset, { text: twoSidedBar(-x.component_var_pct / 100), class: "wide" }, usd(x.component_var), pct(x.component_var_pct, 1)])),
    h("p", { class: "quiet" }, `Positions offset each other by ${pct(p.diversification_benefit_pct, 1)}. Left: adds risk; right: takes risk away.`));
}

function raw(a: Assessment, asked: Record<string, unknown>): HTMLElement {
  const json = h("pre", { tabindex: 0, "aria-label": "JSON" }, JSON.stringify(a, null, 1));
  const curl = h("pre", { tabindex: 0, "aria-label": "curl" }, `curl '${location.origin}${path}' \\\n  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(asked).replaceAll("'", "'\\''")}'`);
  return h("div", {}, h("p", { class: "quiet" }, `engine ${a.model_version.engine_version}, ${a.model_version.calibration_name} ${a.model_version.calibration_hash.slice(0, 12)}, ${plain(a.meta.latency_ms)} ms`),
    curl, copyButton("Copy curl", curl), h("details", {}, h("summary", {}, "JSON"), copyButton("Copy JSON", json), json));
}

const ruleText: Record<string, string> = {
  H1: "liquidation is near for a move of 4 hours", H2: "open interest at the cap", H3: "free margin too small", H4: "slippage", H5: "leverage over the margin tier's",
  H6: "loss of the whole book", H7: "chance of liquidation within 24 h", H7b: "chance of liquidation within 7 days", H8: "a stress scenario ends the pool", H9: "no equity left",
  H10: "cost of a round trip", H11: "size against a day's volume", H12: "a large deposit is assumed", H13: "prices contradict each other", H14: "funding takes the room to liquidation",
};
