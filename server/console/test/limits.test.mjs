// Policies while they are edited, what is used of limits, and what decisions say.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  byWhom,
  countsOf,
  grouped,
  passes,
  reasonOf,
  sentAnyway,
  thenOf,
  until,
  verdictOf,
} from "../src/decisions/decision.ts";
import {
  applied,
  differing,
  emptyDraft,
  readLimit,
  readMoment,
  rebased,
  typedLimit,
} from "../src/limits/draft.ts";
import { alarmWords, ownBins } from "../src/screens/accuracywords.ts";
import {
  anyLimit,
  breaks,
  limitText,
  moment,
  ruleName,
  ruleOf,
  rules,
  share,
  violation,
} from "../src/limits/rules.ts";
import { largestOrder, usesOf } from "../src/limits/uses.ts";

test("limits are read as typed, in the unit of their rule", () => {
  for (const [id, text, value] of [
    ["max_leverage", "10x", 10],
    ["max_order_usd", "50k", 50_000],
    ["max_order_usd", "100,000", 100_000],
    ["max_probability_24h", "5", 0.05],
    ["max_probability_24h", "0.1 %", 0.001],
    ["max_probability_24h", "7", 0.07],
    ["orders_per_minute", "20", 20],
    ["duplicate_window_s", "2.5", 2.5],
    ["max_score", "70", 70],
  ])
    assert.deepEqual(readLimit(ruleOf(id), text), { value }, `${id} ${text}`);
  assert.deepEqual(readLimit(ruleOf("max_score"), " "), {}); // no limit
  for (const [id, text] of [
    ["max_score", "101"],
    ["max_probability_24h", "101"],
    ["max_leverage", "-1"],
    ["max_leverage", "1001"],
    ["orders_per_minute", "1.5"],
    ["max_leverage", "10 BTC"],
    ["max_score", "70x"],
    ["max_order_usd", "2,5"],
    ["max_order_usd", "ten"],
  ])
    assert.ok(readLimit(ruleOf(id), text).problem, `${id} ${text}`);
  assert.deepEqual(readLimit(ruleOf("max_order_usd"), "2,5").readings, ["2.5", "25"]);
});

test("a limit is typed and said as it is kept", () => {
  for (const r of rules)
    for (const v of [0, 1, r.fraction ? 0.035 : 3, r.max]) {
      const read = readLimit(r, typedLimit(r, v));
      assert.equal(read.value, v, `${r.id}: ${typedLimit(r, v)}`);
    }
  assert.equal(limitText(ruleOf("max_order_usd"), 100_000), "100,000 USD");
  assert.equal(limitText(ruleOf("max_probability_24h"), 0.025), "2.5 %");
  assert.equal(limitText(ruleOf("max_leverage"), 10), "10×");
  assert.equal(limitText(ruleOf("max_score"), 70), "70");
});

test("moments are UTC, and a day ends at midnight", () => {
  assert.equal(readMoment("2026-12-31").iso, "2027-01-01T00:00:00.000Z");
  assert.equal(readMoment("2026-12-31 24:00 UTC").iso, "2027-01-01T00:00:00.000Z");
  assert.equal(readMoment("2026-12-31 18:30").iso, "2026-12-31T18:30:00.000Z");
  assert.equal(readMoment("").iso, null);
  for (const text of ["2026-02-30", "2026-13-01", "tomorrow", "2026-12-31 25:00"])
    assert.ok(readMoment(text).problem, text);
  assert.equal(moment("2026-11-27T08:47:12.000Z", Date.parse("2026-11-27T10:00:00Z")), "08:47 UTC");
  assert.equal(moment("2026-11-25T08:47:12.000Z", Date.parse("2026-11-27T10:00:00Z")), "25 Nov 08:47 UTC");
});

test("a draft changes only what was typed, and moves upon another policy", () => {
  const base = {
    max_leverage: 15,
    max_score: 70,
    allowed_assets: ["BTC"],
    expires_at: "2027-01-01T00:00:00.123Z",
  };
  assert.deepEqual(applied(base, emptyDraft()), { rules: base, faults: {} });
  const draft = { numbers: { max_leverage: "10", max_score: "", max_order_usd: "100k" }, halt: true };
  const { rules: mine, faults } = applied(base, draft);
  assert.deepEqual(faults, {});
  assert.deepEqual(mine, {
    max_leverage: 10,
    max_order_usd: 100_000,
    allowed_assets: ["BTC"],
    halt: true,
    expires_at: base.expires_at,
  });
  assert.deepEqual(differing(base, mine).sort(), ["halt", "max_leverage", "max_order_usd", "max_score"]);
  const theirs = { max_leverage: 12, max_drawdown_pct: 15, max_score: 70, allowed_assets: ["BTC", "ETH"] };
  assert.deepEqual(applied(theirs, rebased(base, mine)).rules, {
    max_leverage: 10,
    max_drawdown_pct: 15,
    max_order_usd: 100_000,
    allowed_assets: ["BTC", "ETH"],
    halt: true,
  });
  assert.deepEqual(applied(base, { numbers: {}, allowed: null, ends: "" }).rules, {
    max_leverage: 15,
    max_score: 70,
  });
  assert.deepEqual(applied(base, { numbers: {}, allowed: [] }).rules.allowed_assets, []); // none, not all
  assert.ok(applied(base, { numbers: { max_leverage: "x" } }).faults.max_leverage);
});

const position = (asset, size, p) => ({
  asset,
  size,
  mark_price: 100,
  risk_score: 20,
  probability_24h: 0.01,
  probability_7d: null,
  liquidation_distance_pct: 40,
  ...p,
});

test("the use of a limit is that of the position nearest to it", () => {
  const report = {
    account_value: 1000,
    positions: [
      position("BTC", 10, { policy: { facts: { max_leverage: 5, duplicate_window_s: 1e9 } } }),
      position("ETH", -30, {
        risk_score: 46,
        liquidation_distance_pct: 12,
        policy: { facts: { max_leverage: 9.2 } },
      }),
    ],
    policy: { facts: { max_daily_loss_pct: 1, orders_per_minute: 1 } },
  };
  const uses = usesOf(report);
  assert.deepEqual(uses.max_leverage, { value: 9.2, of: "ETH" });
  assert.deepEqual(uses.max_position_usd, { value: 3000, of: "ETH" });
  assert.deepEqual(uses.max_asset_share_pct, { value: 75, of: "ETH" });
  assert.deepEqual(uses.min_liquidation_distance_pct, { value: 12, of: "ETH" });
  assert.deepEqual(uses.max_gross_leverage, { value: 4, of: "" });
  assert.deepEqual(uses.max_daily_loss_pct, { value: 1, of: "" });
  for (const id of ["max_probability_7d", "max_drawdown_pct", "orders_per_minute", "duplicate_window_s"])
    assert.equal(uses[id], undefined, id); // not known, or of an order
  const least = ruleOf("min_liquidation_distance_pct");
  assert.ok(breaks(least, 9, 10) && !breaks(least, 10, 10) && !breaks(ruleOf("max_leverage"), 10, 10));
  assert.equal(share(least, 20, 10), 0.5);
});

test("the largest order of the day is that of the log", () => {
  const list = [{ max_order_usd: 10 }, {}, { max_order_usd: 25 }].map((facts) => decision({ facts }));
  assert.deepEqual(largestOrder(list), { value: 25, of: "today" });
  assert.equal(largestOrder([]), null);
});

test("own answers are drawn where there are outcomes, and a broken promise is named", () => {
  const bin = (m, r, w) => ({
    predicted_range: [0, 0.001],
    count: 4,
    predicted_mean: m,
    actual_rate: r,
    wilson_95: w,
  });
  assert.deepEqual(ownBins([bin(null, null, null), bin(0.0002, 0.00123456, [0, 0.02])]), [
    ["0-0.1 %", 4, 0.123, 0.02, [0, 2]],
  ]);
  const band = (recommendation, raised, units) => ({
    recommendation,
    raised,
    units,
    window_hours: 720,
    promised_rate: 0.06,
    actual_rate: 0.11,
  });
  const volatility = { raised: false, hours: 12, variance_ratio: 2.64 };
  assert.equal(alarmWords({ raised: false, volatility, bands: [] }).kind, "");
  assert.equal(alarmWords({ raised: false, volatility, bands: [band("proceed", false, 3)] }).kind, "ok");
  const moved = alarmWords({ raised: true, volatility: { ...volatility, raised: true }, bands: [] });
  assert.match(moved.sentence, /^For 12 hours the variance has been 2\.6 times what answers told/);
  const broken = alarmWords({
    raised: true,
    volatility,
    bands: [band("proceed", false, 3), band("proceed_with_caution", true, 9)],
  });
  assert.equal(broken.title, "Caution broke its promise");
  assert.match(broken.sentence, /^11\.0 % were liquidated .* promised at most 6\.0 %: of 9 answers in 30 days\.$/);
});

test("violations are said in has-needs form", () => {
  for (const [v, want] of [
    [{ rule: "max_order_usd", limit: 100_000, value: 119_990 }, "one order 119,990, limit 100,000 USD"],
    [
      { rule: "min_liquidation_distance_pct", limit: 10, value: 7.41 },
      "distance to liquidation 7.41 %, needs 10 %",
    ],
    [{ rule: "max_score", limit: 70, value: null }, "score: 70, and the figure is not known"],
    [{ rule: "denied_assets", limit: null, value: "DOGE" }, "DOGE is a forbidden market"],
    [{ rule: "kill_switch", limit: null, value: true }, "the kill switch is on"],
    [
      { rule: "max_daily_loss_pct", limit: 5, value: 6, halted_at: "2026-11-27T08:47:00Z" },
      "loss of the UTC day 6.00 %, limit 5 %, halted since 08:47 UTC until an operator lifts it",
    ],
  ])
    assert.equal(violation(v), want);
});

const decision = (d) => ({
  request_id: "req_1",
  at: "2026-11-27T08:47:00.000Z",
  kind: "validate",
  key_id: "key_1",
  wallet: "0x" + "a".repeat(40),
  asset: "BTC",
  action: "long",
  size_usd: 1000,
  leverage: 5,
  recommendation: "proceed",
  flags: [],
  policy: null,
  gate: null,
  ...d,
});

test("a decision says what was told and done", () => {
  const gate = (did, more) => ({
    did,
    class: "increases",
    type: "order",
    reason: "",
    signer: "",
    venue_status: 200,
    ...more,
  });
  const abort = { recommendation: "abort" };
  assert.equal(thenOf(decision({})).word, "asked only");
  assert.equal(thenOf(decision({ ...abort, kind: "gate", gate: gate("refused") })).word, "gate refused");
  assert.equal(thenOf(decision({ ...abort, kind: "gate", gate: gate("allowed") })).word, "sent anyway");
  assert.equal(thenOf(decision({ kind: "gate", gate: gate("allowed") })).word, "sent");
  assert.equal(
    thenOf(decision({ kind: "gate", gate: gate("allowed", { venue_status: 429 }) })).word,
    "venue answered 429",
  );
  assert.equal(thenOf(decision({ recommendation: "", kind: "gate", gate: gate("passed") })).word, "passed");
  assert.ok(sentAnyway(decision({ ...abort, gate: gate("allowed") })) && !sentAnyway(decision(abort)));
  assert.equal(verdictOf(decision({ flags: ["stale_market_data"] })).word, "Stale");
  assert.equal(verdictOf(decision({ recommendation: "" })).word, "not judged");
  const denied = { verdict: "deny", revision: 3, violations: [{ rule: "denied_assets", limit: null, value: 1 }] };
  assert.equal(reasonOf(decision({ policy: denied })), "BTC is a forbidden market");
  assert.equal(reasonOf(decision({ action: "close" })), "Exit");
  const flags = ["near_liquidation", "insufficient_margin"];
  assert.equal(reasonOf(decision({ flags, venue_issues: ["insufficient_margin"] })), "Margin does not cover it");
  assert.equal(reasonOf(decision({ flags, venue_issues: null })), "Liquidation is near");
  assert.equal(byWhom(decision({ key_email: "agent-7@example.com" })), "agent-7");
  assert.equal(byWhom(decision({})), "key_1");
  assert.equal(
    reasonOf(decision({ kind: "batch", index: 1, flags: ["thin_book"] })),
    "Trade 2 of a plan · The book is thin for this size",
  );
});

test("decisions are filtered and counted", () => {
  const list = [
    decision({}),
    decision({ request_id: "req_2", recommendation: "abort", asset: "xyz:TSLA", key_id: "key_2" }),
    decision({ request_id: "req_3", recommendation: "abort", gate: { did: "allowed" } }),
    decision({ request_id: "req_4", gate: { did: "refused" } }),
  ];
  const ids = (f) =>
    list.filter((d) => passes(d, { text: "", verdict: "", then: "", ...f })).map((d) => d.request_id);
  assert.deepEqual(ids({ verdict: "abort" }), ["req_2", "req_3"]);
  assert.deepEqual(ids({ then: "refused" }), ["req_4"]);
  assert.deepEqual(ids({ then: "sent" }), ["req_3"]);
  assert.deepEqual(ids({ text: "tsla" }), ["req_2"]);
  assert.deepEqual(ids({ text: "0xAAAA", verdict: "proceed" }), ["req_1", "req_4"]);
  const c = countsOf(list);
  assert.deepEqual([c.all, c.verdicts.abort, c.verdicts.proceed, c.sent, c.keys, c.wallets], [4, 2, 2, 1, 2, 1]);
  assert.equal(c.lastSent.request_id, "req_3");
  assert.equal(until(86_340_000), "in 23 h 59 min");
  assert.equal(until(6 * 86_400_000), "in 6 days");
  assert.equal(until(-1), "due");
});

test("a question that a screen asks again and again is one row", () => {
  const at = (s) => new Date(Date.parse("2026-11-27T08:47:00Z") - 1000 * s).toISOString();
  const list = [
    decision({ request_id: "a", at: at(0) }),
    decision({ request_id: "b", at: at(2), size_usd: 1000.2 }),
    decision({ request_id: "c", at: at(3), asset: "ETH" }),
    decision({ request_id: "d", at: at(4) }),
    decision({ request_id: "e", at: at(5), recommendation: "abort" }), // told otherwise
    decision({ request_id: "f", at: at(6), gate: { did: "refused" } }),
    decision({ request_id: "g", at: at(60) }), // later again
  ];
  const rows = grouped(list).map((g) => [g.newest.request_id, g.count]);
  assert.deepEqual(rows, [
    ["a", 3],
    ["c", 1],
    ["e", 1],
    ["f", 1],
    ["g", 1],
  ]);
});

test("rows of a conflict and of a trial name rules, not ids", () => {
  assert.equal(anyLimit("max_probability_24h", { max_probability_24h: 0.05 }), "5 %");
  assert.equal(anyLimit("max_order_usd", {}), "no limit");
  assert.equal(anyLimit("allowed_assets", { allowed_assets: [] }), "none");
  assert.equal(anyLimit("halt", { halt: true }), "on");
  assert.equal(anyLimit("expires_at", { expires_at: "2027-01-01T00:00:00Z" }), "2027-01-01 00:00 UTC");
  for (const r of rules) assert.ok(!ruleName(r.id).includes("_"), r.id);
});
