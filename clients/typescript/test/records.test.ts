// Tests the methods about records against a server that gives valid answers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { BallastError, Client, verifyReceipt } from "../src/index.js";

const folder = process.env.TESTDATA ?? join(import.meta.dirname, "../../../testdata");
const load = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"));

// serving starts a server and returns its client.
async function serving(answer: (request: IncomingMessage, body: string, response: ServerResponse) => void): Promise<Client> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) {
      body += chunk;
    }
    response.setHeader("X-Request-Id", request.headers["x-request-id"]!);
    answer(request, body, response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  after(() => server.close());
  return new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const at = new Date("2026-11-27T10:22:17.191Z");
const outcome = {
  trade_id: "t", request_id: "r", entry_price: 1, exit_price: 2, pnl_usd: 0, pnl_pct: 0, holding_period_hours: 0, liquidated: false,
};
const page = "from=2026-11-27T10%3A22%3A17.191Z&to=2026-11-27T10%3A22%3A17.191Z&limit=5&cursor=1.2";
const calls: [kind: string, want: string, call: (c: Client) => Promise<unknown>][] = [
  ["Decisions", `GET /v1/decisions?wallet=0x&asset=xyz%3AA&verdict=abort&request_id=a%2Fb&${page}`, (c) =>
    c.decisions({ wallet: "0x", asset: "xyz:A", verdict: "abort", requestId: "a/b", from: at, to: at, limit: 5, cursor: "1.2" })],
  ["Decisions", "GET /v1/decisions", (c) => c.decisions()],
  ["Decision", "GET /v1/decisions/a%2Fb", (c) => c.decision("a/b")],
  ["Audit", "GET /v1/audit?limit=2&cursor=7", (c) => c.audit({ limit: 2, cursor: "7" })],
  ["Policy", "GET /v1/policy/*", (c) => c.policy("*")],
  ["Policy", 'PUT /v1/policy/0x {"max_leverage":5}', (c) => c.putPolicy("0x", { max_leverage: 5 })],
  ["Policy", 'PUT /v1/policy/0x "7" {}', (c) => c.putPolicy("0x", {}, { revision: 7 })],
  ["Policy", 'DELETE /v1/policy/0x "7"', (c) => c.deletePolicy("0x", 7)],
  ["PolicyTest", 'POST /v1/policy/0x/test {"rules":{}}', (c) => c.testPolicy("0x", { rules: {} })],
  ["KillSwitch", "GET /v1/kill-switch", (c) => c.killSwitch()],
  ["KillSwitch", 'PUT /v1/kill-switch {"on":true,"reason":"r"}', (c) => c.setKillSwitch({ on: true, reason: "r" })],
  ["KillSwitch", 'PUT /v1/kill-switch "3" {"on":false}', (c) => c.setKillSwitch({ on: false }, { revision: 3 })],
  ["Watch", 'PUT /v1/watch/0x {"every_s":10}', (c) => c.putWatch("0x", { every_s: 10 })],
  ["Watch", "GET /v1/watch/0x", (c) => c.watch("0x")],
  ["WatchRemoved", "DELETE /v1/watch/0x", (c) => c.deleteWatch("0x")],
  ["WatchList", "GET /v1/watch", (c) => c.watches()],
  ["OutcomeAnswer", `POST /v1/outcome ${JSON.stringify(outcome)}`, (c) => c.reportOutcome(outcome)],
  ["Accuracy", "GET /v1/accuracy", (c) => c.accuracy()],
  ["Accuracy", "GET /v1/outcomes/stats", (c) => c.outcomeStats()],
  ["ReceiptKey", "GET /v1/receipt-key", (c) => c.receiptKey()],
];

test("each method asks its endpoint", async () => {
  const valid = load("answers.json");
  for (const [kind, want, call] of calls) {
    let [asked, answer] = ["", JSON.stringify(valid[kind])];
    const client = await serving((request, body, response) => {
      asked = [request.method, request.url, request.headers["if-match"], body].filter(Boolean).join(" ");
      response.end(answer);
    });
    assert.deepEqual(await call(client), valid[kind]);
    assert.equal(asked, want);
    answer = "{}";
    await assert.rejects(call(client), { code: "not_ballast" }, want);
  }
});

test("a refused change tells the revision", async () => {
  const client = await serving((_, __, response) => {
    response.writeHead(412).end('{"error":"precondition_failed","detail":"d","revision":8}');
  });
  await assert.rejects(client.deletePolicy("0x", 7), (error: BallastError) => error.status === 412 && error.revision === 8);
});

test("a change is not sent twice over a connection that ends", async () => {
  const policy = JSON.stringify(load("answers.json").Policy);
  const asked: string[] = [];
  const client = await serving((request, _, response) => {
    if (asked.push(request.method!) === 2) {
      request.socket.destroy();
    } else {
      response.end(policy);
    }
  });
  await client.policy("0x");
  await new Promise((soon) => setTimeout(soon, 10)); // the connection is idle again
  await assert.rejects(client.putPolicy("0x", {}, { revision: 7 }), { code: "unreachable" });
  assert.deepEqual(asked, ["GET", "PUT"]);
});

test("receipts", async () => {
  const { key, request, receipt } = load("receipt.json");
  const until = new Date(receipt.valid_until);
  await verifyReceipt(receipt, request, key, until);
  for (const [want, ...given] of [
    [/not signed/, { ...receipt, verdict: "abort" }, request, key, until],
    [/not signed/, receipt, request, { ...key, raw: load("receipt.json").key.raw.replace(/^./, "7") }, until],
    [/not signed/, receipt, request, { ...key, key_id: "0000000000000000" }, until],
    [/another request/, receipt, { ...request, size: 50001.5 }, key, until],
    [/held until/, receipt, request, key, new Date(until.getTime() + 1)],
  ] as const) {
    await assert.rejects(verifyReceipt(...given), want);
  }
});
