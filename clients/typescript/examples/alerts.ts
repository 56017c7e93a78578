// Prints the risk alerts of wallets, one JSON object a line.
//
//   npm ci && npm run build
//   node dist/examples/alerts.js [--thresholds JSON] URL[,URL...] WALLET...
//
// Each time it prints "watching" on standard error, get the current state of the wallets with
// GET /v1/monitor/{wallet}: alerts raised earlier are not sent again. Exit status: 0 after
// SIGTERM or SIGINT, 1 when the service rejects the subscription, 2 for invalid arguments.

import { parseArgs } from "node:util";
import { BallastError, Client } from "../src/index.js";

function usage(problem: unknown): never {
  console.error(`${problem}\nusage: alerts [--thresholds JSON] URL[,URL...] WALLET...`);
  process.exit(2);
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({ options: { thresholds: { type: "string" } }, allowPositionals: true });
    const [list, ...wallets] = positionals;
    if (!list || wallets.length === 0) {
      throw new Error("want a URL and a wallet");
    }
    const urls = list.split(",");
    return { client: new Client(urls[0]!), urls, wallets, thresholds: JSON.parse(values.thresholds ?? "null") };
  } catch (problem) {
    usage(problem);
  }
}

const { client, urls, wallets, thresholds } = readArguments();
const leaving = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => leaving.abort());
}
try {
  await client.alerts(wallets, {
    urls,
    thresholds,
    signal: leaving.signal,
    onAlert: (alert) => console.log(JSON.stringify(alert)),
    onWatching: (url) => console.error(`watching ${wallets.length} wallets at ${url}`),
    onLost: (reason) => console.error(reason),
  });
} catch (error) {
  console.error(error instanceof BallastError ? error.message : error);
  process.exitCode = 1;
}
