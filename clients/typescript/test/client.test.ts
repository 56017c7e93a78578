// Tests the client against servers that give the answers of a script.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocket, type Socket } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { BallastError, Client, type ClientOptions } from "../src/index.js";

const wallet = `0x${"a".repeat(40)}`;
const trade = { asset: "BTC", action: "long", size: 50000, wallet } as const;

type Answer = [status: number, headers: Record<string, string>, body: string] | "none";
const overloaded: Answer = [503, { "Retry-After": "0" }, '{"error":"overloaded","detail":"too many"}'];
const score: Answer = [200, {}, ""]; // the valid answer of the endpoint

const folder = process.env.TESTDATA ?? join(import.meta.dirname, "../../../testdata");
const load = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"));
const valid: Record<string, object> = load("answers.json");

// kind names the type of the answer to a request.
function kind(url: string): string {
  const path = url.replace(/^\/prefix\/v1\//, "").replace(/\?.*/, "");
  const kinds: Record<string, string> = {
    validate: "Assessment", "validate/batch": "BatchAnswer", assets: "Assets", market: "MarketData", monitor: "WalletReport",
    size: "SizeAnswer",
  };
  return (url.includes("view=compact") ? "Compact" : "") + (kinds[path] ?? kinds[path.split("/")[0]!]);
}

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
    const headers = { "Content-Type": "application/json", "X-Request-Id": request.headers["x-request-id"], ...answer[1] };
    response.writeHead(answer[0], headers).end(answer[2] || JSON.stringify(valid[kind(request.url!)]));
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
  await assert.rejects(c.plan({ wallet, trades: [{ asset: "BTC", action: "long", size: 1 }] }), /0 results for 1 trades/);
  await c.monitor("0x/é");
  await c.market("xyz:TSLA");
  await c.size({ wallet, asset: "BTC", action: "long", target: { max_score: 40 } });
  assert.deepEqual(asked.map((request) => request.target), [
    "POST /prefix/v1/validate?explain=true",
    "POST /prefix/v1/validate?view=compact",
    "POST /prefix/v1/validate/batch",
    "GET /prefix/v1/monitor/0x%2F%C3%A9",
    "GET /prefix/v1/market/xyz%3ATSLA",
    "POST /prefix/v1/size",
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
  const { client, asked } = await scripted([400, {}, body]);
  const error = await failure(client().validate(trade));
  const { status, code, detail, field, got, allowed, suggestion, problems, requestId } = error;
  assert.deepEqual({ field, got, allowed, suggestion, problems }, members);
  assert.deepEqual([status, code, detail, requestId], [400, "validation_error", "leverage 100 exceeds maximum 40", asked[0]!.headers["x-request-id"]]);
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

interface Part {
  raw?: string;
  id?: "own" | "other" | "none" | "twice";
  status?: number;
  header?: string;
  body?: string;
  drop?: string;
  set?: object;
  pad?: number;
  cut?: number;
  drip?: true;
  hang?: true;
}

interface Case {
  name: string;
  calls: { parts: Part[]; want: string[] }[];
  connections?: number;
  timeout?: number;
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

// bytes returns a part of an answer as it is sent to the request with an id.
function bytes(part: Part, id: string): string {
  if (part.raw !== undefined) {
    return part.raw;
  }
  const assessment: Record<string, unknown> = { ...valid["Assessment"], ...(part.id === "other" && { risk_score: 1 }), ...part.set };
  delete assessment[part.drop ?? ""];
  const body = " ".repeat(part.pad ?? 0) + (part.body ?? JSON.stringify(assessment));
  const ids = { own: [id], other: ["cli_other"], none: [], twice: [id, id] }[part.id ?? "own"];
  const head = `HTTP/1.1 ${part.status ?? 200} OK\r\nContent-Length: ${body.length}\r\n${part.header ?? ""}`;
  return `${head}${ids.map((one) => `X-Request-Id: ${one}\r\n`).join("")}\r\n${body}`.slice(0, part.cut);
}

async function send(socket: Socket, parts: Part[], id: string) {
  for (const part of parts) {
    const text = bytes(part, id);
    for (let i = 0; part.drip && i < text.length && !socket.destroyed; i++) {
      socket.write(text[i]!);
      await pause(50);
    }
    if (!part.drip) {
      socket.write(text);
    }
    if (part.cut) {
      socket.end();
    }
  }
}

// What a server may do to every client: clients/testdata/exchanges.json.
for (const { name, calls, connections, timeout } of load("exchanges.json").cases as Case[]) {
  test(`exchanges: ${name}`, async () => {
    let [asked, connected] = [0, 0];
    const server = createSocket((socket) => {
      connected++;
      after(() => socket.destroy());
      let text = "";
      socket.on("error", () => {}); // the client has closed it
      socket.on("data", (chunk) => {
        text += chunk;
        const head = text.split("\r\n\r\n", 1)[0]!;
        const header = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]?.trim() ?? "";
        if (text.length >= head.length + 4 + Number(header("Content-Length") || Infinity)) {
          text = "";
          void send(socket, calls[Math.min(asked++, calls.length - 1)]!.parts, header("X-Request-Id"));
        }
      });
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    after(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new Client(url, timeout ? { timeoutMs: 1000 * timeout } : {});
    for (const { want } of calls) {
      const start = performance.now();
      const got = await client.validate(trade).then((answer) => String(answer.risk_score), (error: Error) => error.message);
      const wants = want.map((one) => one.replace("{url}", url));
      assert.ok(wants.some((one) => got === one || (one.includes(":") && got.startsWith(one))), `${got}, want one of ${wants}`);
      assert.ok(performance.now() - start < 10_000);
      await pause(10); // so that what comes too many has come
    }
    assert.equal(asked, calls.length);
    assert.equal(connected, connections ?? connected);
  });
}
