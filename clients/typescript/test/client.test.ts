// Tests the client against servers that give the answers of a script.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { BallastError, Client, type ClientOptions } from "../src/index.js";

const wallet = `0x${"a".repeat(40)}`;
const trade = { asset: "BTC", action: "long", size: 50000, wallet } as const;

type Answer = [status: number, headers: Record<string, string>, body: string] | "none";
const overloaded: Answer = [503, { "Retry-After": "0" }, '{"error":"overloaded","detail":"too many"}'];
const score: Answer = [200, {}, '{"risk_score":12.5}'];

// scripted starts a server that gives the answers of a script in order, then repeats the last.
async function scripted(...script: Answer[]) {
  const asked: { target: string; headers: Record<string, unknown>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) {
      body += chunk;
    }
    asked.push({ target: `${request.method} ${request.url}`, headers: request.headers, body });
    const answer = script.length > 1 ? script.shift()! : script[0]!;
    if (answer === "none") {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer[0], { "Content-Type": "application/json", ...answer[1] }).end(answer[2]);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`;
  return { asked, client: (options?: ClientOptions) => new Client(`${url}/`, options) };
}

async function failure(asking: Promise<unknown>): Promise<BallastError> {
  const error = await asking.then(() => assert.fail("answered"), (reason: unknown) => reason);
  assert.ok(error instanceof BallastError, String(error));
  return error;
}

test("a request", async () => {
  const { asked, client } = await scripted(score);
  const c = client({ key: "blst_k" });
  assert.equal((await c.validate(trade, { explain: true })).risk_score, 12.5);
  await c.validate(trade, { view: "compact" });
  await c.plan({ wallet, trades: [] });
  await c.monitor("0x/é");
  await c.market("xyz:TSLA");
  assert.deepEqual(asked.map((request) => request.target), [
    "POST /prefix/v1/validate?explain=true",
    "POST /prefix/v1/validate?view=compact",
    "POST /prefix/v1/validate/batch",
    "GET /prefix/v1/monitor/0x%2F%C3%A9",
    "GET /prefix/v1/market/xyz%3ATSLA",
  ]);
  assert.deepEqual(JSON.parse(asked[0]!.body), trade);
  assert.equal(asked[0]!.headers.authorization, "Bearer blst_k");
  assert.equal(asked[0]!.headers["content-type"], "application/json");
});

test("no number that JSON cannot hold", async () => {
  const { asked, client } = await scripted(score);
  await assert.rejects(client().validate({ ...trade, leverage: NaN }), RangeError);
  assert.equal(asked.length, 0);
});

test("an error", async () => {
  const members = {
    field: "leverage", got: 100, allowed: { min: 1, max: 40 }, suggestion: "40",
    problems: [{ field: "leverage", detail: "d" }],
  };
  const body = JSON.stringify({ error: "validation_error", detail: "leverage 100 exceeds maximum 40", ...members });
  const { client } = await scripted([400, { "X-Request-Id": "req_1" }, body]);
  const error = await failure(client().validate(trade));
  const { status, code, detail, field, got, allowed, suggestion, problems, requestId } = error;
  assert.deepEqual({ field, got, allowed, suggestion, problems }, members);
  assert.deepEqual([status, code, detail, requestId], [400, "validation_error", "leverage 100 exceeds maximum 40", "req_1"]);
  assert.equal(error.message, "validation_error: leverage 100 exceeds maximum 40");
});

test("an error without detail", async () => {
  const { client } = await scripted([401, {}, '{"error":"invalid API key"}']);
  const { status, code, detail, problems } = await failure(client().markets());
  assert.deepEqual([status, code, detail, problems], [401, "invalid API key", "", []]);
});

test("what another server answers", async () => {
  for (const [status, body] of [[502, "<h1>Bad Gateway</h1>"], [500, '"no"'], [503, '{"message":1}'], [200, "<html>"]] as const) {
    const { client } = await scripted([status, {}, body]);
    assert.equal((await failure(client().markets())).code, "not_ballast");
  }
});

test("trying again", async () => {
  const limited: Answer = [429, { "Retry-After": "0" }, '{"error":"rate_limited","detail":"slower"}'];
  const server = await scripted(overloaded, limited, score);
  assert.equal((await server.client().validate(trade)).risk_score, 12.5);
  assert.equal(server.asked.length, 3);

  const busy = await scripted(overloaded);
  const error = await failure(busy.client({ attempts: 2 }).markets());
  assert.deepEqual([error.code, error.retryAfter, busy.asked.length], ["overloaded", 0, 2]);
});

test("not trying again", async () => {
  for (const [status, headers, waits] of [
    [503, { "Retry-After": "60" }, 60], // over maxWait
    [503, {}, undefined],
    [503, { "Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT" }, undefined],
    [500, { "Retry-After": "0" }, 0],
  ] as const) {
    const { asked, client } = await scripted([status, headers, '{"error":"starting","detail":"wait"}']);
    assert.equal((await failure(client().markets())).retryAfter, waits);
    assert.equal(asked.length, 1);
  }
});

test("no answer", async () => {
  const { client } = await scripted("none");
  const { status, code } = await failure(client().markets());
  assert.deepEqual([status, code], [0, "unreachable"]);
});

test("a caller that gives up", async () => {
  const { client } = await scripted([503, { "Retry-After": "9" }, '{"error":"starting","detail":"wait"}']);
  const signal = AbortSignal.timeout(50);
  await assert.rejects(client().markets({ signal }), { name: "TimeoutError" });
});

test("addresses", () => {
  for (const url of ["127.0.0.1:8080", "ftp://host", ""]) {
    assert.throws(() => new Client(url), TypeError);
  }
});
