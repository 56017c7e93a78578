// What the screens beside Trade say, from answers alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";
import { alertHead, alertReason, Groups, lasting, thresholdsOf } from "../src/screens/alertgroups.ts";
import { judge, judgeCell, pValue, rejectedBy, sorted, verdictOf } from "../src/screens/coverage.ts";
import { headline, weights } from "../src/screens/healthwords.ts";
import { comparison, dexes, note, passes, priceLimit, sparkline } from "../src/screens/marketlist.ts";
import { bookWords, fundingWords, tiers, volatilityWord } from "../src/screens/marketwords.ts";
import { addressFault } from "../src/walletaddress.ts";
import * as wallet from "../src/screens/walletmath.ts";
import { cureOf } from "../src/trade/cure.ts";
import { remedy, staleRemedy } from "../src/trade/sentences.ts";
import { Failure } from "../src/api.ts";
import { Answer } from "../src/store.ts";

const alert = (more) => ({
  alert_type: "liquidation_proximity",
  wallet: "0x1",
  asset: "ETH",
  severity: "warning",
  message: "m",
  timestamp: "2026-11-27T14:02:16.000Z",
  current_value: 9.3,
  threshold: 10,
  ...more,
});

test("a condition is one entry, and ends when three rounds pass without it", () => {
  const g = new Groups();
  assert.ok(g.take(alert()), "it begins");
  g.round();
  assert.equal(
    g.take(alert({ current_value: 9.1, timestamp: "2026-11-27T14:02:20.000Z" })),
    null,
    "it stands already",
  );
  g.round();
  assert.equal(g.standing.length, 1);
  assert.equal(g.standing[0].count, 2);
  assert.equal(alertHead(g.standing[0].alert), "ETH liquidation 9.10 % away");
  assert.equal(alertReason(g.standing[0]), "less than 10 %, was 9.30 % when it began");
  assert.ok(g.take(alert({ severity: "critical", current_value: 1 })), "it becomes critical");
  assert.equal(g.take(alert({ severity: "critical", current_value: 1 })), null);
  assert.ok(g.take(alert({ asset: "SOL" })));
  for (let i = 0; i < 3; i++) g.round();
  assert.equal(g.standing.length, 2);
  g.round();
  assert.deepEqual([g.standing.length, g.ended.length], [0, 2]);
  assert.ok(g.take(alert()), "it begins anew");
  assert.equal(g.take(alert({ count: 43, since: "2026-11-27T13:00:00.000Z" })), null);
  assert.equal(g.standing[0].count, 43, "the service's own count wins");
  assert.equal(lasting(Date.parse("2026-11-27T13:07:00Z") - g.standing[0].since), "7 min 0 s");
});

test("times last in words, thresholds come from the address", () => {
  assert.deepEqual([3000, 183_000, 7_500_000].map(lasting), ["3 s", "3 min 3 s", "2 h 5 min"]);
  const of = (query) => thresholdsOf(new URLSearchParams(query));
  assert.deepEqual(of(""), {
    max_risk_score: 70,
    min_liquidation_distance_pct: 5,
    max_portfolio_var_pct: 50,
    max_funding_drag_daily_pct: 1,
  });
  assert.equal(of("score=40").max_risk_score, 40);
  for (const bad of ["score=40.5", "score=x", "score=-1", "score=300", "score="])
    assert.equal(of(bad).max_risk_score, 70, bad);
});

const action = (more) => ({
  pool: "ETH",
  kind: "hold",
  reduce_pct: null,
  reduce_usd: null,
  add_margin_usd: null,
  assets: null,
  ...more,
});
const position = (asset, p, more) => ({
  asset,
  size: 10,
  mark_price: 1000,
  probability_24h: p,
  probability_7d: p,
  liquidation_price: 900,
  liquidation_distance_pct: 9.1,
  unrealized_pnl: 0,
  var: { pct_99_24h: 9.9, dollar_99_24h: 990 },
  action: action({ pool: asset }),
  ...more,
});
const report = (positions, more) => ({ account_value: 30_000, positions, margin: {}, ...more });

test("a wallet's need is one sentence", () => {
  const need = (r, safe = 0.01) => wallet.needOf(r, safe);
  const add = position("ETH", 0.034, {
    action: action({ kind: "add_margin", add_margin_usd: 849.2, assets: ["ETH"] }),
  });
  const n = need(report([position("XRP", 0.0037), add]));
  assert.deepEqual([n.kind, n.title], ["caution", "ETH needs 850 USD"]);
  assert.equal(
    n.sentence.replaceAll("\u00a0", " "),
    "3.4 % chance of liquidation within 24 h; your limit is 1 %. One other needs nothing.",
  );
  assert.deepEqual(need(report([position("XRP", 0.0037)])).title, "Nothing needed");
  assert.equal(need(report([])).title, "No position");
  assert.equal(need(report([position("XRP", 0.1)], { account_value: -1500 })).kind, "stop");
  const pool = action({
    pool: "main",
    kind: "reduce",
    reduce_pct: 76.25,
    add_margin_usd: 40_270,
    assets: ["ETH", "SOL"],
  });
  const both = [
    position("SOL", 0.97, { action: pool }),
    position("ETH", 0.97, { action: pool, liquidation_distance_pct: 0.4 }),
  ];
  const cross = need(report(both));
  assert.deepEqual([cross.kind, cross.title], ["stop", "97 % within 24 h"]);
  assert.ok(cross.sentence.includes("It holds both positions: one action for the pool."), cross.sentence);
  const [remedy, ...others] = wallet.remedies(both);
  assert.equal(others.length, 0, "a pool has one action");
  assert.deepEqual(wallet.reduction(remedy.action, remedy.held), {
    text: "Reduce both by 76.3 %",
    parts: [
      { asset: "ETH", usd: 7625 },
      { asset: "SOL", usd: 7625 },
    ],
  });
  const older = need(report([{ ...position("ETH", 0.97), action: undefined }]));
  assert.deepEqual([older.kind, older.title], ["stop", "ETH: 97 % within 24 h"]);
  assert.equal(need(report([position("ETH", null, { action: null })])).kind, "caution");
});

test("where no order passes, the pool's deposit or reduction is told", () => {
  globalThis.location = { hash: "#/trade" };
  const until = { max_probability_24h: 0.05, survive: true },
    of = (asset, ...positions) => cureOf({ meta: { asset } }, { wallet: "0xab", positions });
  const pool = action({
    pool: "main",
    kind: "reduce",
    reduce_pct: 76.25,
    add_margin_usd: 40_269.5,
    assets: ["ETH", "SOL"],
    until,
  });
  const both = [position("ETH", 0.97, { action: pool }), position("SOL", 0.97, { action: pool })];
  const own = position("XRP", 0.2, {
    action: action({
      pool: "XRP",
      kind: "add_margin",
      add_margin_usd: 850,
      assets: ["XRP"],
      until: { ...until, survive: false },
    }),
  });
  const cross = of("ETH", ...both, own);
  assert.equal(cross.deposit, "40,270 USD");
  assert.deepEqual(cross.reduce, {
    text: "Reduce both by 76.3 %",
    href: "#/wallet?w=0xab&plan=ETH,SOL&by=76.25",
  });
  assert.match(cross.brings, /at most 5 %, and it survives every scenario/);
  const isolated = of("XRP", ...both, own);
  assert.deepEqual([isolated.deposit, isolated.reduce], ["850 USD to the margin of XRP", null]);
  assert.doesNotMatch(isolated.brings, /survives/);
  assert.equal(of("BTC", ...both, own).deposit, "40,270 USD", "the pool that is most likely to be liquidated");
  assert.equal(of("ETH", position("ETH", 0.001)), null);
  const whole = action({ pool: "ETH", kind: "reduce", reduce_pct: 100, assets: ["ETH"], until });
  assert.deepEqual(of("ETH", position("ETH", 0.97, { action: whole })).reduce, {
    text: "Close it",
    href: "#/trade?a=ETH&d=close&usd=10000&w=0xab",
  });
});

test("where no order passes, the deposit is that with which this one does", () => {
  const pool = action({
    pool: "main",
    kind: "reduce",
    reduce_pct: 40,
    add_margin_usd: 900,
    assets: ["ETH"],
    until: { max_probability_24h: 0.05, survive: false },
  });
  const a = {
      meta: { asset: "ETH" },
      recommendation: "abort",
      risk_score: 90,
      position: { before: null, after: {} },
      admissibility: { verdict: "ok", issues: [], order_size_usd: 1000 },
      sizing: { suggested_size_usd: 0 },
    },
    sizes = { ladder: [{ leverage: 5, size_usd: 0, risk_score: null }], nearest: { size_usd: 10, risk_score: 88 } },
    pools = { wallet: "0xab", positions: [position("ETH", 0.97, { action: pool })] };
  const of = (deposit, more = {}) => remedy(a, "long", { sizes, deposit, pools, ...more });
  const r = of({ usd: 40_269.2 });
  assert.equal(r.headline, "No order in ETH passes from this wallet. Add 40,270 USD, and this one does.");
  assert.match(r.text, /^What is held is in danger itself: reducing or adding 900 USD .* Even 10\.00 USD scores 88\.$/);
  assert.equal(r.link.text, "Reduce it by 40.0 %".replace("it ", ""));
  assert.match(of({ usd: null }).text, /No deposit makes this order proceed\./);
  assert.match(of(null, { pools: null }).text, /Try a smaller or another order\.$/);
  a.meta.asset = "xyz:TSLA";
  assert.match(of({ usd: 1_234_561 }).headline, / Move 1,234,570 USD to xyz, and this one does\.$/);
});

test("an order over the limits is answered with the size that the service offers", () => {
  const a = {
      meta: { asset: "BTC" },
      recommendation: "abort",
      risk_score: 20,
      position: { before: null, after: { leverage: 10 } },
      admissibility: { verdict: "ok", issues: [], order_size_usd: 120_000 },
      sizing: { suggested_size_usd: 5000, policy_rule: "max_order_usd" },
      policy: { verdict: "deny", violations: [{ rule: "max_order_usd", limit: 5000, value: 120_000 }] },
    },
    rung = (leverage, usd) => ({ leverage, size_usd: usd, risk_score: 12, probability_24h: 0, liquidation_price: null });
  const of = (ladder) => remedy(a, "long", { sizes: ladder && { ladder }, deposit: null, pools: null });
  for (const [ladder, usd, leverage] of [
    [null, 5000, null], // not answered yet
    [[rung(5, 4990), rung(10, 4990), rung(20, 0)], 4990, 10],
  ]) {
    const r = of(ladder);
    assert.equal(r.headline, "Over the operator's limit: one order 5,000 USD.");
    assert.deepEqual([r.offers.length, r.offers[0].usd, r.offers[0].leverage], [1, usd, leverage]);
  }
  a.sizing.suggested_size_usd = 0;
  assert.deepEqual(of([rung(5, 0)]).offers, []);
});

test("a stale answer says why: the service, or what it reads", () => {
  const value = { meta: { as_of: "2026-11-27T14:09:16.000Z" }, explanation: { flags: [] } };
  const of = (waited, inAnswer, failure = null, name = "market", unasked = false) => {
    const a = new Answer();
    a.set(value, [{ name, ageMs: inAnswer, softMs: 2000 }], false, "q", {
      wall: Date.now() - waited,
      mono: performance.now() - waited,
    });
    return staleRemedy(a, { failure, tries: 0, nextIn: null, unasked }).text;
  };
  assert.match(of(12_000, 600, null, "market", true), /^Nothing is asked until the form is complete and right\. /);
  assert.match(of(12_000, 600), /^No newer answer has come for 12 s\. What you see is of 14:09:16\. Asking again\.$/);
  const gone = new Failure(0, { error: "x", detail: "the service is gone" });
  assert.match(of(12_000, 600, gone), /^The service is gone\. /);
  assert.match(of(100, 12_000), /^The venue has been silent for 12 s\. /);
  assert.match(of(100, 12_000, null, "wallet"), /^The wallet has been silent for 12 s\. /);
});

test("positions are ordered by chance, distances have one scale, a bad day takes no more than there is", () => {
  const list = [position("A", 0.001), position("B", null), position("C", 0.2)];
  assert.deepEqual(
    wallet.ordered(list).map((p) => p.asset),
    ["B", "C", "A"],
  );
  assert.equal(wallet.roomScale(list), 20);
  assert.equal(wallet.roomScale([position("A", 0, { liquidation_distance_pct: 46 })]), 50);
  assert.equal(wallet.roomScale([position("A", 0, { liquidation_price: null, liquidation_distance_pct: 100 })]), 20);
  assert.deepEqual(wallet.badDay(report([position("A", 0)], { account_value: 500 })), {
    usd: 500,
    ofAccountPct: 100,
    all: true,
  });
  assert.equal(wallet.badDay(report([position("A", 0)])).usd, 990);
  assert.equal(wallet.badDay(report([])), null);
  assert.equal(wallet.poolName({ asset: null, dex: "", mode: "cross" }), "Main, cross");
  assert.match(wallet.together(6220, 3319), /less than the sum of 6,220/);
});

test("an address that is none says why", () => {
  assert.equal(addressFault("0x" + "a1".repeat(20)), "");
  assert.match(addressFault("0x12"), /these are 2/);
  assert.match(addressFault("a1".repeat(20)), /begins with 0x/);
  assert.match(addressFault("0x" + "g".repeat(40)), /a to f only/);
});

const pooled = (side, level, hits, p, n = 12_514) => ({ side, level, n, hits, rate: hits / n, kupiec_p: p });
const record = (...p) => [
  pooled("long", 0.95, ...p[0]),
  pooled("long", 0.99, ...p[1]),
  pooled("short", 0.95, ...p[2]),
  pooled("short", 0.99, ...p[3]),
];

test("the verdict on the forecasts is that of the worst row", () => {
  const fine = [626, 0.99],
    bad = record([760, 1e-9], [222, 1e-12], [627, 0.95], [122, 0.78]);
  const v = verdictOf(bad);
  assert.deepEqual([v.kind, v.title], ["stop", "Bad days of longs come too often"]);
  assert.match(
    v.sentence,
    /^The 1-in-100 loss of a long was exceeded on 222 of 12,514 days, wanted 125 \(1.77 % instead of 1 %\)\. Losses of shorts are as promised\./,
  );
  assert.equal(verdictOf(record(fine, [125, 0.99], fine, [125, 0.99])).kind, "ok");
  assert.deepEqual(
    [verdictOf(record([500, 1e-6], [125, 0.9], fine, [125, 0.9])).title],
    ["Bad days of longs come too rarely: the forecasts are too high"],
  );
  assert.equal(verdictOf(record(fine, [145, 0.03], fine, [125, 0.9])).kind, "caution");
  assert.equal(verdictOf(record([3, 0.5, 50], [1, 0.5, 50], [2, 0.5, 50], [0, 0.5, 50])).title, "Too short to judge");
  assert.equal(judge(bad[0]).word, "forecast too low");
  assert.equal(judge(bad[3]).word, "as promised");
});

test("a red cell names the test that rejects it", () => {
  const row = (more) => ({
    side: "long",
    level: 0.99,
    n: 177,
    hits: 2,
    rate: 2 / 177,
    kupiec_p: 0.9,
    christoffersen_p: 0.0091,
    ...more,
  });
  assert.deepEqual(judgeCell(row()), { kind: "stop", test: "clusters", p: 0.0091 });
  assert.equal(judgeCell(row({ n: 50 })).kind, "");
  const asset = (name, status, ...results) => ({ asset: name, status, results });
  const gold = asset("xyz:GOLD", "failing", row()),
    eth = asset("ETH", "warning", row({ hits: 5, kupiec_p: 0.046, christoffersen_p: 0.6 }));
  assert.equal(rejectedBy(eth), "long 1 in 100, count 5 of 1.8, p 0.046");
  assert.equal(rejectedBy(gold), "long 1 in 100, clusters, p 0.0091");
  assert.deepEqual(
    sorted([eth, gold], false).map((a) => a.asset),
    ["xyz:GOLD", "ETH"],
  );
  assert.deepEqual(
    sorted([gold, eth], true).map((a) => a.asset),
    ["ETH", "xyz:GOLD"],
  );
  assert.equal(pValue(1e-9), "< 0.000001");
});

const asset = (name, more) => ({
  name,
  mark_price: 100,
  funding_rate: 0.0000125,
  volume_24h: 1e6,
  max_leverage: 25,
  at_cap: false,
  liquidity_regime: "normal",
  margin_tiers: [
    { lower_bound: 0, max_leverage: 25 },
    { lower_bound: 1e8, max_leverage: 15 },
  ],
  book: { cadence_ms: 540 },
  mark_age_ms: 200,
  ...more,
});

test("markets are filtered and ordered, what is missing comes last", () => {
  const list = [
    asset("BTC", { volume_24h: 3e9 }),
    asset("xyz:TSLA", { volume_24h: null }),
    asset("ETH", { volume_24h: 1e9, liquidity_regime: "stressed", at_cap: true }),
  ];
  const none = new Set();
  assert.deepEqual(
    list
      .slice()
      .sort(comparison("volume", true))
      .map((a) => a.name),
    ["BTC", "ETH", "xyz:TSLA"],
  );
  assert.deepEqual(
    list
      .slice()
      .sort(comparison("volume", false))
      .map((a) => a.name),
    ["ETH", "BTC", "xyz:TSLA"],
  );
  const left = (f, stars = none) =>
    list
      .filter((a) => passes(a, { text: "", dex: null, only: "", ...f }, stars))
      .map((a) => a.name)
      .join();
  assert.equal(left({ text: "tS" }), "xyz:TSLA");
  assert.equal(left({ dex: "" }), "BTC,ETH");
  assert.equal(left({ only: "stressed" }), "ETH");
  assert.equal(left({ only: "cap" }), "ETH");
  assert.equal(left({ only: "starred" }, new Set(["BTC"])), "BTC");
  assert.deepEqual(dexes(list), [
    ["", 2],
    ["xyz", 1],
  ]);
  assert.equal(priceLimit(asset("X", { book: { cadence_ms: 4000 } })), 4950);
  note([asset("Q", { mark_price: 1 })], 0);
  note([asset("Q", { mark_price: 2 })], 30_000);
  assert.equal(sparkline("Q", 30_000, 72, 22), "M36.0 21.0L72.0 1.0");
  note([asset("Q", { mark_price: 3 })], 95_000);
  assert.equal(sparkline("Q", 95_000, 72, 22), "", "older than a minute");
});

test("a market in words", () => {
  assert.deepEqual(
    tiers(asset("ETH")).map((t) => [t.upTo, t.leverage, t.maintenance]),
    [
      ["up to 100 M", 25, "2.0 %"],
      ["above 100 M", 15, "3.3 %"],
    ],
  );
  assert.equal(fundingWords(0.0000125), "longs pay 0.00125 % an hour");
  assert.equal(fundingWords(-0.001), "shorts pay 0.1 % an hour");
  assert.deepEqual(
    [volatilityWord(0.81, 0.52), volatilityWord(0.5, 0.52), volatilityWord(0.3, 0.52)],
    ["high", "usual", "low"],
  );
  const side = (usd) => ({ usd_10bps: usd / 4, usd_50bps: usd, usd_100bps: 2 * usd });
  assert.equal(
    bookWords({ imbalance: -0.03, depth: { bids: side(15.7e6), asks: side(16.7e6) } }),
    "Bids and asks about equal (−3 %). 50 bps carry a market order of about 15.7 M.",
  );
  assert.equal(bookWords({ imbalance: null, depth: null }), "A side of the book is empty.");
});

test("the service's health is one headline", () => {
  const state = (more = {}) => ({
    status: "ok",
    ready: true,
    uptime_s: 60,
    venue: { connected: true, last_message_age_ms: 200, clock_skew_ms: 0, last_error: null, ...more.venue },
    assets: { listed: 76, fresh: 76, calibrated: 76, with_history: 31 },
    warmup: { open_interest_share: 1, share_with_history: 0.84, ready_in_s: 0, complete_in_s: 660, ...more.warmup },
    ...more.top,
  });
  const of = (more) => headline(state(more));
  assert.equal(of().title, "Ready; history is still loading");
  assert.match(
    of().sentence,
    /^31 of 76 assets have their history: 84.0 % of the open interest\..* All of it in 11 min\.$/,
  );
  assert.equal(of({ warmup: { complete_in_s: 0 } }).kind, "ok");
  assert.equal(of({ venue: { last_message_age_ms: 12_000 } }).title, "The venue has been silent for 12 s");
  assert.match(
    of({ venue: { connected: false, last_error: { text: "no such host", at: "2026-11-27T14:02:16Z" } } }).sentence,
    /no such host \(14:02:16 UTC\)/,
  );
  assert.equal(of({ top: { status: "starting", ready: false }, warmup: { ready_in_s: 23 } }).title, "Starting");
  assert.equal(
    of({ top: { status: "degraded", assets: { listed: 76, fresh: 10, calibrated: 76 } } }).sentence,
    "Only 10 of 76 assets have fresh prices.",
  );
  const w = weights({
    feed: { weight_per_minute: { wallets: 84, live: 28, tables: 0, histories: 300, limit: 600 } },
  });
  assert.deepEqual([w.sum, w.limit, w.kinds[0]], [412, 600, ["history", 300]]);
});
