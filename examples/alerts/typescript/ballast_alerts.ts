// Prints the risk alerts of wallets, one JSON object a line.
//
//   npm ci && npm run build
//   node dist/ballast_alerts.js [--thresholds JSON] URL[,URL...] WALLET...
//
//   node dist/ballast_alerts.js --thresholds '{"max_risk_score": 60}' \
//       ws://127.0.0.1:8080/v1/alerts/ws 0xba11a57000000000000000000000000000000006
//
// Reconnects by itself, to the next URL when there are several replicas, and subscribes
// again. What happened in between is not sent later: each time this program says
// "watching" on standard error, ask for the state of the wallets
// (GET /v1/monitor/{wallet}). Exit status: 0 after SIGTERM or SIGINT, 1 when the service
// refuses what was asked, 2 for arguments that make no sense.

import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { WebSocket } from "ws";

interface Thresholds {
  max_risk_score?: number; // 0 to 255
  min_liquidation_distance_pct?: number;
  max_portfolio_var_pct?: number;
  max_funding_drag_daily_pct?: number;
}

interface RiskAlert {
  alert_type:
    | "high_risk_score"
    | "liquidation_proximity"
    | "portfolio_var_breach"
    | "funding_drag_excessive"
    | "regime_shift";
  wallet: string;
  asset: string | null; // null: the portfolio
  severity: "warning" | "critical";
  message: string;
  timestamp: string; // of the monitor call, UTC
  current_value: number;
  threshold: number;
}

type Message = RiskAlert | { subscribed: string } | { error: string; detail: string };

interface Watch {
  wallets: string[];
  thresholds: Thresholds | null;
  connected: (url: string) => void; // all wallets are confirmed
  alert: (alert: RiskAlert) => void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_MS = 40_000; // the service pings every 15 s, so this long without a frame is the end
const MAX_PAUSE_MS = 15_000; // between two attempts
// Close codes that say that this program is at fault: doing the same again cannot help.
const OUR_FAULT = new Set([1002, 1003, 1007, 1008, 1009]);

interface End {
  reason: string;
  fatal: boolean; // trying again cannot help
}

let current: WebSocket | undefined;

// listen hands on alerts until the connection ends, and never throws.
function listen(url: string, watch: Watch): Promise<End> {
  return new Promise((resolve) => {
    const ws = new WebSocket(url, { handshakeTimeout: CONNECT_TIMEOUT_MS, perMessageDeflate: false, maxPayload: 1 << 20 });
    current = ws;
    const waiting = new Set(watch.wallets.map((wallet) => wallet.toLowerCase()));
    const end: End = { reason: "connection lost", fatal: false };
    const silence = setTimeout(() => {
      end.reason = `nothing heard for ${SILENCE_MS / 1000} s`;
      ws.terminate();
    }, SILENCE_MS);

    ws.on("open", () => {
      for (const wallet of watch.wallets) {
        ws.send(JSON.stringify({ wallet, thresholds: watch.thresholds }));
      }
    });
    ws.on("ping", () => silence.refresh()); // the library answers it
    ws.on("message", (data) => {
      silence.refresh();
      let message: Message;
      try {
        message = JSON.parse(data.toString());
      } catch (problem) {
        end.reason = `not what this service sends: ${problem}`;
        ws.terminate();
        return;
      }
      if ("alert_type" in message) {
        watch.alert(message);
      } else if ("error" in message) {
        console.error(`${message.error}: ${message.detail}`); // a close frame follows
      } else if (waiting.delete(message.subscribed) && waiting.size === 0) {
        watch.connected(url);
      }
    });
    ws.on("unexpected-response", (_request, response) => {
      const status = response.statusCode ?? 0;
      end.reason = `refused with HTTP ${status}`;
      end.fatal = status >= 400 && status < 500 && status !== 429;
      ws.terminate();
    });
    ws.on("error", (error) => {
      if (end.reason === "connection lost") {
        end.reason += `: ${error.message}`;
      }
    });
    ws.on("close", (code, reason) => {
      clearTimeout(silence);
      const closedByService = code !== 1005 && code !== 1006; // these two are the library's own
      if (closedByService) {
        end.reason = `closed with ${code} ${reason}`;
        end.fatal = OUR_FAULT.has(code);
      }
      resolve(end);
    });
  });
}

function usage(problem: unknown): never {
  console.error(`${problem}\nusage: ballast_alerts [--thresholds JSON] URL[,URL...] WALLET...`);
  process.exit(2);
}

function readArguments(): { urls: string[]; wallets: string[]; thresholds: Thresholds | null } {
  try {
    const { values, positionals } = parseArgs({ options: { thresholds: { type: "string" } }, allowPositionals: true });
    const [urls, ...wallets] = positionals;
    if (!urls || wallets.length === 0) {
      throw new Error("want a URL and a wallet");
    }
    if (!urls.split(",").every((url) => /^wss?:\/\//.test(url) && URL.canParse(url))) {
      throw new Error("want a URL such as ws://host:port/v1/alerts/ws");
    }
    return { urls: urls.split(","), wallets, thresholds: JSON.parse(values.thresholds ?? "null") };
  } catch (problem) {
    usage(problem);
  }
}

const { urls, wallets, thresholds } = readArguments();
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    current?.close(1000);
    process.exit(0);
  });
}

let pause = 1000;
const watch: Watch = {
  wallets,
  thresholds,
  connected: (url) => {
    pause = 1000;
    console.error(`watching ${wallets.length} wallets at ${url}`);
  },
  alert: (alert) => console.log(JSON.stringify(alert)),
};
for (let turn = 0; ; turn++) {
  const end = await listen(urls[turn % urls.length]!, watch);
  console.error(end.reason);
  if (end.fatal) {
    process.exit(1);
  }
  // A random share of a growing pause: after a restart thousands must not come at once.
  await sleep(Math.random() * pause);
  pause = Math.min(2 * pause, MAX_PAUSE_MS);
}
