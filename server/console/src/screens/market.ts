// One market: how far may it go, can one get out.

import { ask, type Asset, type Coverage, Failure, type Market } from "../api";
import { card, fill, h, headed, icon, table, tr, withNote } from "../dom";
import { age, capital, count, fixed, large, price, signedPct, times, unbroken } from "../format";
import { hold, keep, patch } from "../patch";
import { link } from "../route";
import type { Screen } from "../screen";
import { Answer, since } from "../store";
import { suggested } from "../trade/question";
import { clearestRejection, judgeCell, pValue, rowName, wanted } from "./coverage";
import { bookPicture, PriceChart, rangePicture, volatilityPicture } from "./marketpicture";
import {
  bookWords,
  dexName,
  endsOf,
  fundingWords,
  marginModes,
  type Range,
  rangeText,
  tiers,
  volatilityWord,
} from "./marketwords";
import { withoutPrices } from "./marketlist";
import { fact, LastKnown, onClick, segments, Stage, verdictCard } from "./parts";

const readEvery = 1000,
  listEvery = 10_000;
const priceSoftMs = 1500;
const ringKept = 6 * 3600; // mids of one market
const rings = new Map<string, { at: number; price: number }[]>(); // live on while other screens are shown
const opened = Date.now();
const spans: Record<string, number> = { "1": 60_000, "15": 900_000 };

export const market: Screen = {
  name: "market",
  title: "Markets",
  hidden: true,
  under: "markets",
  mount(root, ctx) {
    const name = ctx.path.join("/"),
      answer = new Answer<Market>(),
      body = h("div", { class: "grid" }),
      top = h("div", { class: "row wrap markethead" });
    const stage = new Stage(ctx, answer, body, name),
      chart = new PriceChart(),
      lastKnown = new LastKnown();
    const listed = new Answer<Asset>();
    let record: Coverage | null = null;
    fill(root, top, stage.element);
    const draw = () => {
      const asset = listed.value && (listed.state() === "fresh" ? listed.value : withoutPrices(listed.value));
      patch(top, ...head(name, asset, answer));
      const m = answer.value;
      if (!m || answer.state() === "gone") return;
      const span = ctx.params().get("span") ?? "1";
      patch(body, ...drawn(m, asset, record, span, oldDepth(m, asset, since(answer.received))));
      hold(body, { chart: chart.element });
      const ring = rings.get(name) ?? [],
        to = Date.now();
      chart.show(ring, span in spans ? to - spans[span]! : Math.min(ring[0]?.at ?? to - 60_000, to - 60_000), to);
    };
    const reading = ctx.poll(
      readEvery,
      async (signal) => {
        const m = await ask<Market>("/v1/market/" + encodeURIComponent(name), { signal });
        collect(name, m);
        answer.set(m, [{ name: "market", ageMs: lastKnown.age(priceAge(m)), softMs: priceSoftMs }]);
        ctx.watch(answer);
        stage.arrived();
        draw();
      },
      (f) => {
        if (!(f instanceof Failure && f.status === 404)) return stage.failed(f);
        reading.stop();
        fill(root, notListed(name, f));
      },
    );
    ctx.poll(listEvery, async (signal) => {
      const { assets } = await ask<{ assets: Asset[] }>("/v1/assets", { signal }),
        found = assets.find((a) => a.name === name);
      if (found)
        listed.set(found, [{ name: "list", ageMs: found.mark_age_ms ?? Infinity, softMs: listEvery + priceSoftMs }]);
      draw();
    });
    void ask<Coverage>("/v1/backtest/" + encodeURIComponent(name)).then(
      (c) => {
        record = c;
        draw();
      },
      () => {},
    );
    onClick(body, "data-value", (b) => {
      ctx.setParams({ span: b.dataset.value === "1" ? null : b.dataset.value! });
      draw();
    });
    ctx.onTick(draw);
    ctx.onParams(draw);
    ctx.keys({
      t: () => (location.hash = link("trade", { a: name })),
      Escape: () => (location.hash = link("markets")),
    });
    draw();
    return () => {
      stage.end();
      chart.end();
    };
  },
};

/** In place of a market that the venue does not have, with the one that may have been meant. */
function notListed(name: string, { body }: Failure): HTMLElement {
  const like = suggested(body.suggestion)[0] ?? "";
  return verdictCard(
    "",
    `${name} is not listed`,
    "The venue has no market of this name.",
    like !== "" && h("a", { class: "button main", href: link("market/" + like) }, like),
    h("a", { class: "button", href: link("markets") }, "All markets"),
  );
}

/** How old the prices of an answer are; null when they are too old to be in it. */
const priceAge = ({ ages: a }: Market) => (a.mark_ms === null ? null : Math.max(a.mark_ms, a.book_ms ?? a.mark_ms));

/** Adds the mids of an answer that are newer than those seen. */
function collect(name: string, m: Market) {
  const ring = rings.get(name) ?? [],
    last = ring.at(-1)?.at ?? 0;
  for (const x of m.mids.slice().reverse()) if (x.at_ms > last) ring.push({ at: x.at_ms, price: x.mid_price });
  if (m.mid_price !== null && ring.at(-1)?.price !== m.mid_price)
    ring.push({ at: Math.max(Date.now() - (m.ages.book_ms ?? 0), (ring.at(-1)?.at ?? 0) + 1), price: m.mid_price });
  if (ring.length > ringKept) ring.splice(0, ring.length - ringKept);
  rings.set(name, ring);
}

function head(name: string, asset: Asset | null, answer: Answer<Market>): (HTMLElement | null)[] {
  const a = answer.value?.ages,
    gone = since(answer.received);
  const each =
    a && answer.state() !== "gone"
      ? (
          [
            ["mark", a.mark_ms],
            ["book", a.book_ms],
            ["depth", a.depth_ms],
            ["funding, interest", a.slow_ms],
            ["fit", a.fit_ms],
          ] as const
        )
          .map(([what, ms]) => unbroken(`${what} ${ms === null ? "unknown" : age(ms + gone)}`))
          .join(" · ")
      : "";
  const kind = { fresh: "", stale: "caution", gone: "none" }[answer.state()];
  return [
    h("a", { href: link("markets") }, "Markets"),
    h("span", { class: "t3" }, "/"),
    h("h1", {}, name),
    h("span", { class: "tag" }, dexName(name)),
    asset && h("span", { class: "tag" }, marginModes(asset)),
    asset?.at_cap === true ? h("span", { class: "tag caution" }, "at cap") : null,
    h("span", { class: "grow small t2 right ages" }, each !== "" && h("span", { class: "dot " + kind }), " ", each),
    h(
      "a",
      { class: "button main tall", href: link("trade", { a: name }) },
      `Trade ${name}`,
      h("span", { class: "kbd onfill nophone" }, "t"),
    ),
  ];
}

/** The age of the levels behind the best where it is over their cadence, a second and a missed round; else null. */
function oldDepth(m: Market, asset: Asset | null, late: number): number | null {
  const ms = (m.ages.depth_ms ?? Infinity) + late;
  return ms > (asset?.book?.depth_cadence_ms ?? 5400) + 950 + 3000 ? ms : null;
}

function drawn(
  m: Market,
  asset: Asset | null,
  record: Coverage | null,
  span: string,
  old: number | null,
): HTMLElement[] {
  const since = `grows while this page is open, since ${new Date(opened).toISOString().slice(11, 16)} UTC`;
  return [
    strip(m, asset),
    h(
      "div",
      { class: "marketcolumns" },
      h(
        "div",
        { class: "grid" },
        h(
          "section",
          { class: "card" },
          headed(
            withNote("Mid price", since),
            segments(
              "span",
              "Time shown",
              [
                ["1", "1 min"],
                ["15", "15 min"],
                ["all", "since open"],
              ],
              span,
            ),
          ),
          keep("chart"),
        ),
        h("div", { class: "halves" }, bookCard(m, old), volatilityCard(m)),
      ),
      h("div", { class: "grid" }, rangeCard(m), asset && tiersCard(asset), record && recordCard(record)),
    ),
  ];
}

function strip(m: Market, asset: Asset | null): HTMLElement {
  const v = m.volatility_forecast,
    f = m.funding_rate,
    mark = m.mark_price,
    change = asset?.change_24h_pct;
  const ends = mark !== null && m.day ? endsOf(mark, m.day) : null;
  return h(
    "div",
    { class: "card strip" },
    fact("Mark", price(mark), `oracle ${price(m.oracle_price)}, mid ${price(m.mid_price)}`),
    fact(
      h("span", {}, "A bad day ", h("span", { class: "t3" }, "(1 in 100)")),
      m.day ? rangeText(m.day) : "unknown",
      ends ? `${price(ends[0])} to ${price(ends[1])}` : "",
    ),
    fact(
      "Volatility, a year",
      v ? fixed(100 * v.sigma_1d, 0) + " %" : "unknown",
      v
        ? `${volatilityWord(v.sigma_1d, v.long_run_sigma)}: long run ${fixed(100 * v.long_run_sigma, 0)} %`
        : "no fit yet",
    ),
    fact(
      "Funding, a year",
      f === null ? "unknown" : signedPct(100 * f * 8760),
      f === null ? "" : fundingWords(f),
      f !== null && Math.abs(f * 8760) > 0.5 ? "caution" : "",
    ),
    fact(
      "Open interest",
      large(m.open_interest_usd),
      asset?.at_cap === true ? "at its cap: nothing can be opened" : "USD, one side",
    ),
    fact(
      "Volume 24 h",
      large(m.volume_24h_usd),
      change === null || change === undefined ? "USD" : `${signedPct(change)} in 24 h`,
    ),
  );
}

function bookCard(m: Market, old: number | null): HTMLElement {
  return h(
    "section",
    { class: old === null ? "card" : "card stale" },
    headed(
      withNote("Order book", "USD within so many bps of the mid"),
      h(
        "span",
        { class: "small" },
        old !== null
          ? h("span", { class: "tag caution" }, icon("clock", 12), `${age(old)} old`)
          : m.spread_bps === null
            ? ""
            : `spread ${fixed(m.spread_bps, m.spread_bps < 10 ? 2 : 1)} bps`,
      ),
    ),
    bookPicture(m),
    h("p", { class: "note" }, bookWords(m)),
  );
}

function volatilityCard(m: Market): HTMLElement {
  const v = m.volatility_forecast,
    r = m.regime;
  return card(
    "Forecast volatility",
    "% a year, by horizon",
    v ? volatilityPicture(v) : h("p", { class: "t2" }, "No fit of this asset yet."),
    v &&
      h(
        "p",
        { class: "note" },
        `${capital(volatilityWord(v.sigma_1d, v.long_run_sigma))} against the long run`,
        r ? "; the liquidity regime of the last fit is " : ".",
        r && h("b", {}, r.state),
        r && ` (${fixed(100 * r.confidence, 0)} %).`,
      ),
  );
}

function rangeCard(m: Market): HTMLElement {
  const ranges = (
    [
      ["4 h", m.four_hours],
      ["24 h", m.day],
      ["7 days", m.week],
    ] as [string, Range | null | undefined][]
  ).filter((x): x is [string, Range] => Boolean(x[1]));
  return card(
    "How far it may go",
    "1 in 100 ends beyond, each side",
    ranges.length === 0 || m.mark_price === null
      ? h("p", { class: "t2" }, "Not known yet.")
      : rangePicture(ranges, m.mark_price),
  );
}

function tiersCard(a: Asset): HTMLElement {
  const rows = tiers(a).map((t) => tr({}, t.upTo, h("b", {}, times(t.leverage)), t.maintenance));
  return card("What the venue allows", null, table("Margin tiers", ["Position, USD", "Leverage", "Maintenance"], rows));
}

function recordCard(c: Coverage): HTMLElement {
  const worst = clearestRejection(c.results),
    days = c.results[0]?.n ?? 0;
  const said = worst
    ? `${worst.r.hits} beyond ${rowName(worst.r)} where ${fixed(worst.r.n * wanted(worst.r), 1)} were wanted: ` +
      `${worst.j.kind === "stop" ? "rejected" : "doubtful"} (${worst.j.test}, p ${pValue(worst.j.p)}).`
    : days < 100
      ? "Too short to judge."
      : "All within chance.";
  const rows = c.results.map((r) => {
    const hits = h("td", { class: judgeCell(r).kind }, h("b", {}, count(r.hits)));
    return tr({}, rowName(r), count(r.n), hits, fixed(r.n * wanted(r), 1));
  });
  return card(
    `How good were the forecasts for ${c.asset}`,
    h("a", { class: "small", href: link("evidence", { a: c.asset }) }, "Evidence"),
    table("Breaches", ["Bad day beyond", "days", "seen", "wanted"], rows),
    h("p", { class: "note" }, `${said} ${count(days)} days tell little.`),
  );
}
