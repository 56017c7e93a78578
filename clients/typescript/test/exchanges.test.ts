// Tests what a server may do to every client: clients/testdata/exchanges.json.
import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { after, test } from "node:test";
import { BallastError, Client, type ClientOptions } from "../src/index.js";
import { load, trade } from "./data.js";

interface Part {
  raw?: string;
  id?: "own" | "other" | "none" | "twice";
  status?: number;
  header?: string;
  body?: string;
  json?: object;
  drop?: string;
  set?: object;
  pad?: number;
  cut?: number;
  drip?: true;
  hang?: true;
  end?: true;
}

interface Case {
  name: string;
  calls: { change?: true; answers: Part[][]; want: string[]; error?: object; waits?: number }[];
  connections?: number;
  timeout?: number;
  attempts?: number;
}

const assessment = load("answers.json").Assessment;
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

// bytes returns a part of an answer as it is sent to the request with an id.
function bytes(part: Part, id: string): string {
  if (part.raw !== undefined) {
    return part.raw;
  }
  const changed: Record<string, unknown> = { ...assessment, ...(part.id === "other" && { risk_score: 1 }), ...part.set };
  delete changed[part.drop ?? ""];
  const body = " ".repeat(part.pad ?? 0) + (part.body ?? JSON.stringify(part.json ?? changed));
  const ids = { own: [id], other: ["cli_other"], none: [], twice: [id, id] }[part.id ?? "own"];
  const head = `HTTP/1.1 ${part.status ?? 200} OK\r\nContent-Length: ${body.length}\r\n${part.header ?? ""}`;
  return `${head}${ids.map((one) => `X-Request-Id: ${one}\r\n`).join("")}\r\n${body}`.slice(0, part.cut);
}

async function send(socket: Socket, parts: Part[], id: string) {
  for (const part of parts) {
    const text = part.end ? "" : bytes(part, id);
    for (let i = 0; part.drip && i < text.length && !socket.destroyed; i++) {
      socket.write(text[i]!);
      await pause(50);
    }
    if (!part.drip) {
      socket.write(text);
    }
    if (part.cut || part.end) {
      socket.end();
    }
  }
}

// members returns what an error has beside code and detail, by the names of the contract.
function members(error: BallastError, id: string): object {
  const { status, field, got, allowed, suggestion, problems, revision, retryAfter, requestId } = error;
  const all = { status, field, got, allowed, suggestion, revision, retry_after: retryAfter };
  const known = Object.entries(all).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(known), ...(problems.length && { problems }), ...(requestId === id && { request_id: "own" }) };
}

for (const { name, calls, connections, timeout, attempts } of load("exchanges.json").cases as Case[]) {
  test(name, async () => {
    const answers = calls.flatMap((call) => call.answers);
    let [asked, connected, id] = [0, 0, ""];
    const server = createServer((socket) => {
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
          id = header("X-Request-Id");
          void send(socket, answers[Math.min(asked++, answers.length - 1)]!, id);
        }
      });
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    after(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options: ClientOptions = { ...(timeout && { timeoutMs: 1000 * timeout }), ...(attempts && { attempts }) };
    const client = new Client(url, options);
    for (const { change, want, error: wanted, waits } of calls) {
      const start = performance.now();
      const asking = change ? client.putPolicy("0x", {}, { revision: 7 }) : client.validate(trade).then((answer) => answer.risk_score);
      const got = await asking.then(String, (error: BallastError) => {
        assert.deepEqual(members(error, id), wanted ?? members(error, id));
        assert.ok(error.status || error.cause);
        assert.equal(error.message, error.code + (error.detail && `: ${error.detail}`));
        return error.message;
      });
      const wants = want.map((one) => one.replace("{url}", url));
      assert.ok(wants.some((one) => got === one || (one.includes(":") && got.startsWith(one))), `${got}, want one of ${wants}`);
      const seconds = (performance.now() - start) / 1000;
      assert.ok(seconds < 10 && seconds >= (waits ?? 0), `after ${seconds} s`);
      await pause(10); // so that what comes too many has come
    }
    assert.equal(asked, answers.length);
    assert.equal(connected, connections ?? connected);
  });
}
