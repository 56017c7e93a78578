// What the Health screen says, from the answer of /health.

import type { Health } from "../api";
import { age, count, pct } from "../format";
import { lasting } from "./alertgroups";
import type { Kind } from "./parts";

const silentMs = 5000;
export const readyShare = 0.8; // of the open interest

export interface Headline {
  kind: Kind | "clock";
  title: string;
  sentence: string;
}

const within = (s: number | null, what: string) =>
  s === null ? "" : s === 0 ? "" : ` ${what} in ${s < 60 ? `${s} s` : `${Math.ceil(s / 60)} min`}.`;

/** Is it well, and if not until when. */
export function headline(s: Health): Headline {
  const v = s.venue,
    a = s.assets,
    w = s.warmup,
    silence = v.last_message_age_ms;
  const share = pct(Math.floor(1000 * w.share_with_history) / 10);
  const loaded =
    `${count(a.with_history)} of ${count(a.listed)} assets have their history: ` + `${share} of the open interest.`;
  if (s.status === "draining")
    return { kind: "caution", title: "The service is shutting down", sentence: "Ask another replica." };
  if (!v.connected || silence === null) {
    return {
      kind: "stop",
      title: "No connection to the venue",
      sentence: v.last_error
        ? `${v.last_error.text} (${v.last_error.at.slice(11, 19)} UTC).`
        : "Answers need prices; without them every question is refused.",
    };
  }
  if (silence > silentMs)
    return {
      kind: "stop",
      title: `The venue has been silent for ${age(silence)}`,
      sentence: "Answers are marked stale, and refused from 30 s on. An exit needs no answer.",
    };
  if (s.status === "starting")
    return {
      kind: "clock",
      title: "Starting",
      sentence:
        `${loaded} Requests wait or are refused until ${100 * readyShare} % have a fit.` +
        within(w.ready_in_s, "Ready"),
    };
  if (s.status === "degraded") {
    const why =
      a.fresh < 0.9 * a.listed
        ? `Only ${count(a.fresh)} of ${count(a.listed)} assets have fresh prices.`
        : Math.abs(v.clock_skew_ms) > 2000
          ? `The venue's clock and this machine's differ by ${age(Math.abs(v.clock_skew_ms))}.`
          : "The venue, keys, database or other replicas cannot be reached as they should be: the log says which.";
    return { kind: "caution", title: s.ready ? "Degraded" : "Not ready", sentence: why };
  }
  if (w.complete_in_s !== 0) {
    return {
      kind: "clock",
      title: "Ready; history is still loading",
      sentence: `${loaded} The rest answers with a flag.${within(w.complete_in_s, "All of it")}`,
    };
  }
  return {
    kind: "ok",
    title: "All is well",
    sentence: `${count(a.fresh)} of ${count(a.listed)} assets have fresh prices, all have their history.`,
  };
}

/** How long the service has been up. */
export const upFor = (s: Health, sinceMs: number) => lasting(1000 * s.uptime_s + sinceMs);

const kinds: Record<string, string> = {
  wallets: "wallets",
  live: "live data",
  tables: "tables",
  histories: "history",
};

/** Request weight of the last minute: the sum, its limit, and its kinds, largest first. */
export function weights(s: Health): { sum: number; limit: number | null; kinds: [string, number][] } | null {
  const w = s.feed?.weight_per_minute;
  if (!w) return null;
  const list = Object.entries(w).filter((e): e is [string, number] => e[0] !== "limit" && e[1] !== null);
  return {
    sum: list.reduce((a, [, x]) => a + x, 0),
    limit: w.limit && w.limit > 0 ? w.limit : null,
    kinds: list
      .map(([k, x]): [string, number] => [kinds[k] ?? k.replaceAll("_", " "), x])
      .sort((a, b) => b[1] - a[1]),
  };
}
