// Drives the public client @nktkas/hyperliquid against a simulated venue:
//
//   node client.mjs <http base url> <ws url> <wallet>
//
// Every answer and event is fetched through the client's own transports. Then the
// TypeScript compiler checks each of them, written as a literal, against the type that
// the client declares for it: all keys, no other keys, and the types of the values.
// One line per check; exit 1 when any fails.

import { createRequire } from "node:module";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import ts from "typescript";

globalThis.WebSocket = WebSocket; // Node 20 has none
const { HttpTransport, WebSocketTransport, InfoClient, SubscriptionClient } = createRequire(import.meta.url)("@nktkas/hyperliquid");

const [base, socket, user] = process.argv.slice(2);
const now = Date.now();
const hour = 3600_000;

// method of InfoClient, parameters
const requests = [
  ["meta"],
  ["metaAndAssetCtxs"],
  ["metaAndAssetCtxs", { dex: "xyz" }],
  ["allPerpMetas"],
  ["allMids"],
  ["allMids", { dex: "xyz" }],
  ["l2Book", { coin: "BTC" }],
  ["l2Book", { coin: "BTC", nSigFigs: 3 }],
  ["l2Book", { coin: "ETH", nSigFigs: 5, mantissa: 2 }],
  ["l2Book", { coin: "NOPE" }],
  ["candleSnapshot", { coin: "SOL", interval: "1h", startTime: now - 10 * hour }],
  ["candleSnapshot", { coin: "SOL", interval: "1d", startTime: now - 240 * hour }],
  ["fundingHistory", { coin: "BTC", startTime: now - 10 * hour }],
  ["predictedFundings"],
  ["perpsAtOpenInterestCap"],
  ["clearinghouseState", { user }],
  ["clearinghouseState", { user: "0xBA11A57000000000000000000000000000000002" }],
  ["clearinghouseState", { user, dex: "xyz" }],
  ["spotClearinghouseState", { user }],
  ["userAbstraction", { user }],
  ["userFees", { user }],
  ["activeAssetData", { user, coin: "BTC" }],
  ["activeAssetData", { user: "0xba11a57000000000000000000000000000000002", coin: "MEGA" }],
  ["marginTable", { id: 56 }],
  ["perpDexs"],
  ["perpDexLimits", { dex: "xyz" }],
  ["perpDexLimits", { dex: "flx" }],
  ["perpDexStatus", { dex: "xyz" }],
  ["userRateLimit", { user }],
  ["userRole", { user }],
  ["exchangeStatus"],
  ["webData2", { user }],
  ["maxMarketOrderNtls"],
  ["recentTrades", { coin: "BTC" }],
  ["openOrders", { user }],
  ["userFills", { user }],
];

// method of SubscriptionClient, parameters
const subscriptions = [
  ["allMids"],
  ["l2Book", { coin: "BTC" }],
  ["l2Book", { coin: "BTC", nSigFigs: 4 }],
  ["l2Book", { coin: "xyz:TSLA", fast: true }],
  ["bbo", { coin: "ETH" }],
  ["trades", { coin: "BTC" }],
  ["candle", { coin: "BTC", interval: "1h" }],
  ["activeAssetCtx", { coin: "SOL" }],
  ["assetCtxs"],
  ["assetCtxs", { dex: "xyz" }],
  ["allDexsAssetCtxs"],
  ["activeAssetData", { user, coin: "BTC" }],
  ["clearinghouseState", { user }],
  ["allDexsClearinghouseState", { user }],
  ["spotState", { user }],
  ["webData3", { user }],
  ["userFills", { user }],
  ["userEvents", { user }],
  ["openOrders", { user }],
];

// Undoes what the venue has changed since this version of the client: the fee scale has moved
// from the dex to its assets, and the dex has a funding clamp.
const declared = (value) => {
  if (Array.isArray(value)) return value.map(declared);
  if (value === null || typeof value !== "object") return value;
  const { lastFeeScaleChangeTime, deployerFeeScale, assetToFundingClamp, ...rest } = value;
  if (assetToFundingClamp) Object.assign(rest, { deployerFeeScale: "1.0", lastDeployerFeeScaleChangeTime: "" });
  return Object.fromEntries(Object.entries(rest).map(([key, x]) => [key, declared(x)]));
};

let failures = 0;
const report = (what, error) => {
  if (error) failures++;
  console.log(`${error ? "FAIL" : "ok  "} ${what}${error ? `: ${error}` : ""}`);
};
const describe = (kind, [name, parameters]) => `${kind} ${name} ${JSON.stringify(parameters ?? {})}`;

const checks = []; // { what, type, value }
const typeOf = (name, suffix) => name[0].toUpperCase() + name.slice(1) + suffix;

const overHttp = new InfoClient({ transport: new HttpTransport({ apiUrl: base }) });
const transport = new WebSocketTransport({ url: socket });
const overSocket = new InfoClient({ transport });

for (const [kind, client] of [["http", overHttp], ["post", overSocket]]) {
  for (const request of requests) {
    const [name, parameters] = request;
    const what = describe(kind, request);
    try {
      const value = parameters ? await client[name](parameters) : await client[name]();
      checks.push({ what, from: "info", type: typeOf(name, "Response"), value });
    } catch (error) {
      report(what, error);
    }
  }
}

const streams = new SubscriptionClient({ transport });
for (const subscription of subscriptions) {
  const [name, parameters] = subscription;
  const what = describe("socket", subscription);
  try {
    const value = await new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error("no event within 8 s")), 8000).unref();
      const listen = parameters ? streams[name](parameters, resolve) : streams[name](resolve);
      listen.catch(reject);
    });
    checks.push({ what, from: "subscription", type: typeOf(name, "Event"), value });
  } catch (error) {
    report(what, error);
  }
}
await transport.close();

// The client must turn the venue's refusals into errors, not into answers.
for (const [name, parameters] of [["candleSnapshot", { coin: "NOPE", interval: "1h", startTime: 0 }]]) {
  const error = await overHttp[name](parameters).then(() => "answered", () => undefined);
  report(describe("http refusal", [name, parameters]), error);
}

// One source file per check, so that a diagnostic names its answer.
const here = dirname(fileURLToPath(import.meta.url));
const dir = mkdtempSync(join(tmpdir(), "venuesim-types-"));
symlinkSync(join(here, "node_modules"), join(dir, "node_modules"));
writeFileSync(join(dir, "package.json"), '{"type":"module"}');
const files = checks.map(({ from, type, value }, i) => {
  const file = join(dir, `check${i}.ts`);
  writeFileSync(file, `import type { ${type} as T } from "@nktkas/hyperliquid/api/${from}";\nexport const x: T = ${JSON.stringify(declared(value))};\n`);
  return file;
});
const program = ts.createProgram(files, {
  strict: true, noEmit: true, skipLibCheck: true, exactOptionalPropertyTypes: true, types: [],
  target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext,
});
const byFile = new Map();
for (const d of ts.getPreEmitDiagnostics(program)) {
  const text = ts.flattenDiagnosticMessageText(d.messageText, " ");
  if (d.file && !byFile.has(d.file.fileName)) byFile.set(d.file.fileName, text);
  if (!d.file) report("compiler", text);
}
checks.forEach(({ what }, i) => report(what, byFile.get(files[i].replaceAll("\\", "/"))));
rmSync(dir, { recursive: true });
console.log(`${checks.length} answers checked, ${failures} failures`);
process.exit(failures ? 1 : 0);
