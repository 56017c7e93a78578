// Tests the client against a service on the simulated venue: node dist/test/service.js URL KEY.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BallastError, Client, type RiskAlert } from "../src/index.js";

const [url, key] = process.argv.slice(2) as [string, string];
const client = new Client(url, { key });
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
