// Tests the client against a service on the simulated venue, which signs receipts:
// node dist/test/service.js URL KEY OPERATORS-KEY.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BallastError, Client, type RiskAlert, verifyReceipt } from "../src/index.js";

const [url, key, operators] = process.argv.slice(2) as [string, string, string];
const client = new Client(url, { key });
const operator = new Client(url, { key: operators });
const calm = "0xba11a57000000000000000000000000000000001";
const endangered = "0xba11a57000000000000000000000000000000006";
const trade = { asset: "BTC", action: "long", size: 50000, leverage: 10, wallet: calm } as const;

test("validate", async () => {
  const answer = await client.validate({ ...trade, monte_carlo: true }, { explain: true });
  assert.equal(answer.meta.venue, "simulated");
  assert.equal(answer.stress.length, 13);
  assert.ok(answer.monte_carlo && Math.abs(answer.explanation!.raw_score - answer.risk_score) <= 1e-4);
  assert.match((await client.validate(trade, { view: "compact" })).summary, / /);
});

test("plan", async () => {
  const { results } = await client.plan({
    wallet: calm,
    trades: [{ asset: "BTC", action: "long", size: 1000 }, { asset: "btc", action: "long", size: 1000 }],
  });
  assert.deepEqual(results.map(({ meta }) => ("error" in meta ? meta.error : "")), ["", "invalid asset: btc"]);
});

test("monitor and markets", async () => {
  assert.ok((await client.monitor(endangered)).positions.every((position) => position.recommendation === "abort"));
  assert.equal((await client.monitor(calm, { view: "compact" })).wallet, calm);
  assert.ok((await client.markets()).assets.some((asset) => asset.name === "BTC"));
  assert.ok((await client.market("BTC")).mark_price! > 0);
});

test("errors", async () => {
  const asking = client.validate({ ...trade, asset: "btc" });
  await assert.rejects(asking, (error: BallastError) => {
    assert.deepEqual([error.status, error.code, error.field, error.got], [400, "validation_error", "asset", "btc"]);
    assert.match(String(error.suggestion), /BTC/);
    return /^cli_/.test(error.requestId!);
  });
  // @ts-expect-error fields are missing
  await assert.rejects(client.validate({ asset: "BTC", action: "long" }), (error: BallastError) => error.problems.length === 2);
  const stranger = new Client(url, { key: "blst_wrong" });
  await assert.rejects(stranger.markets(), { status: 401, code: "invalid API key" });
});

test("alerts", async () => {
  const leaving = new AbortController();
  const alerts: RiskAlert[] = [];
  await client.alerts([endangered], {
    thresholds: { min_liquidation_distance_pct: 101 },
    signal: leaving.signal,
    onWatching: () => void client.monitor(endangered),
    onAlert: (alert) => {
      alerts.push(alert);
      leaving.abort();
    },
  });
  assert.equal(alerts[0]!.wallet, endangered);
  const refused = client.alerts([endangered], { thresholds: { max_risk_score: 300 }, onAlert: () => {} });
  await assert.rejects(refused, { code: "invalid_config" });
  const misspelt = client.alerts([endangered], { thresholds: { max_score: 30 } as object, onAlert: () => {} });
  await assert.rejects(misspelt, { field: "thresholds.max_score", suggestion: "thresholds.max_risk_score" });
});

test("decisions, outcomes and receipts", async () => {
  const begun = new Date(Date.now() - 60_000);
  const answer = await client.validate(trade);
  const id = answer.meta.request_id;
  const told = await client.decision(id);
  assert.deepEqual([told.asset, told.risk_score, told.outcome], ["BTC", answer.risk_score, null]);
  const report = { entry_price: 100, exit_price: 101, pnl_usd: 500, pnl_pct: 10, holding_period_hours: 1, liquidated: false };
  assert.ok((await client.reportOutcome({ trade_id: `ts-${id}`, request_id: id, ...report })).verified);
  const to = new Date(Date.now() + 60_000);
  const { decisions } = await client.decisions({ wallet: calm, asset: "BTC", requestId: id, from: begun, to, limit: 1 });
  assert.equal(decisions[0]!.outcome!.reported[0]!.trade_id, `ts-${id}`);
  for (const right of [await client.accuracy(), await client.outcomeStats()]) {
    assert.ok(right.by_source.reported > 0);
  }
  assert.equal((await client.backtest("BTC")).asset, "BTC");
  assert.ok((await client.calibrationHealth()).assets_calibrated > 0);
  assert.equal((await client.modelInfo()).engine_version, (await new Client(url).health()).engine_version);
  await verifyReceipt(answer.receipt!, trade, await client.receiptKey());
});

test("limits and audit", async () => {
  const set = await operator.putPolicy(calm, { max_leverage: 5 });
  assert.equal(set.rules!.max_leverage, 5);
  const stale = operator.putPolicy(calm, {}, { revision: set.revision + 1 });
  await assert.rejects(stale, { status: 412, code: "precondition_failed", revision: set.revision });
  const { revision } = await operator.putPolicy(calm, {}, { revision: set.revision });
  assert.deepEqual((await client.policy(calm)).rules, {});
  assert.equal((await operator.testPolicy("*", { rules: { max_leverage: 5 } })).wallet, "*");
  await assert.rejects(client.deletePolicy(calm, revision), { status: 403 });
  assert.equal((await operator.deletePolicy(calm, revision)).rules, null);

  const on = await operator.setKillSwitch({ on: true, reason: "a test" });
  assert.equal((await operator.setKillSwitch({ on: false }, { revision: on.revision })).on, false);
  assert.equal((await client.killSwitch()).on, false);
  const newest = await operator.audit({ limit: 1 });
  assert.equal(newest.events[0]!.event, "kill_switch_off");
  assert.equal((await operator.audit({ limit: 1, cursor: newest.next_cursor! })).events[0]!.detail, "a test");
  await assert.rejects(client.audit(), { status: 403, code: "forbidden" });
});

test("watches", async () => {
  assert.equal((await client.putWatch(calm, { every_s: 60 })).every_s, 60);
  assert.equal((await client.watch(calm)).wallet, calm);
  assert.equal((await client.watches()).watches.length, 1);
  assert.ok((await client.deleteWatch(calm)).removed);
});
