// What the Decisions screen says of a recorded decision.

import { capital, chance, fixed, heldChance, price, short, signedUSD, times, usd } from "../format";
import { violation } from "../limits/rules";
import { flagName, verdicts } from "../names";
import type { Decision } from "../api";

/** Whom the key is for that asked: the name in its address, or its id. */
export const byWhom = (d: Decision) => d.key_email?.split("@")[0] ?? short(d.key_id);

/** Its name in lists: a batch has several under one request. */
export const keyOf = (d: Decision) => (d.index ? `${d.request_id}~${d.index}` : d.request_id);

export const isStale = (d: Decision) => d.flags.includes("stale_market_data");

/** Whether it went to the venue although the answer was abort. */
export const sentAnyway = (d: Decision) => d.recommendation === "abort" && d.gate?.did === "allowed";

export const refused = (d: Decision) => d.gate?.did === "refused";

/** The order in words: long 450,000, close 300,000. */
export const orderText = (d: Decision) =>
  d.action === "" ? (d.gate?.type ?? "") : `${d.action} ${d.size_usd > 0 ? usd(d.size_usd) : "all"}`;

export const leverageText = (d: Decision) => (d.leverage > 0 && d.action !== "close" ? times(d.leverage) : "");

/** The mark of a verdict: word, colour, icon. */
export function verdictOf(d: Decision): { word: string; kind: string; icon: string } {
  if (d.recommendation === "") return { word: "not judged", kind: "", icon: "" };
  if (isStale(d)) return { word: "Stale", kind: "", icon: "clock" };
  const v = verdicts[d.recommendation];
  return v ? { ...v, icon: v.kind } : { word: d.recommendation, kind: "", icon: "" };
}

/** A broken rule in words; of rules that are lists the record has no asset of their own. */
export function brokenText(d: Decision, v: { rule: string; limit: number | null; value: number | null }): string {
  const list = v.rule === "allowed_assets" || v.rule === "denied_assets";
  return violation({ rule: v.rule as "halt", limit: v.limit, value: list ? d.asset : v.value });
}

/** What actions through the gate do that are not assessed. */
const classes: Record<string, string> = {
  never_enlarges: "Cannot enlarge a position",
  margin: "Moves margin",
  funds: "Moves funds",
  signers: "Changes who may sign",
  abstraction: "Changes how collateral is pooled",
  cost: "Costs the account a fee",
};

/** The chance that was told: none only where nothing would be held. */
export const chanceText = (d: Decision) => (d.position_usd ? heldChance : chance)(d.probability_24h);

/** Milliseconds since 1970. */
export const timeOf = (d: Decision) => Date.parse(d.at);

/** Why it was told so, in one line. */
export function reasonOf(d: Decision): string {
  const broken = d.policy?.violations?.[0];
  if (broken) return capital(brokenText(d, broken));
  const first = d.venue_issues?.[0] ?? d.flags.find((f) => f !== "stale_market_data") ?? d.flags[0];
  if (refused(d) && !first) return d.gate!.reason;
  if (d.gate && d.recommendation === "") return classes[d.gate.class] ?? "";
  if (d.action === "close") return "Exit";
  const what = {
    batch: `Trade ${(d.index ?? 0) + 1} of a plan`,
    size: "Asked for a size",
    gate: "",
    validate: "",
  }[d.kind];
  return [what, first ? flagName(first) : ""].filter(Boolean).join(" · ");
}

/** What was done: word and colour; tagged when it stands out. */
export function thenOf(d: Decision): { word: string; kind: string; tag: boolean } {
  const g = d.gate;
  if (sentAnyway(d)) return { word: "sent anyway", kind: "caution", tag: true };
  if (!g) return { word: "asked only", kind: "t3", tag: false };
  if (g.did === "refused") return { word: "gate refused", kind: "stop", tag: true };
  if (g.venue_status >= 400) return { word: `venue answered ${g.venue_status}`, kind: "caution", tag: true };
  return { word: g.did === "passed" ? "passed" : "sent", kind: "t2", tag: false };
}

/** What is known of the outcome, a sentence each; none while nothing is known. */
export function outcomeTexts(d: Decision): string[] {
  const o = d.outcome;
  if (!o) return [];
  const market = ([name, m]: [string, typeof o.after_24h]) => {
    if (m === null) return "";
    if (m.status === "unknown") return `${name}: not known, prices of the venue are missing.`;
    const told = [
      m.liquidated ? `liquidated at ${price(m.end_price)}` : "not liquidated",
      m.pnl_usd === null ? "" : `${signedUSD(m.pnl_usd)} USD`,
      m.var_exceeded ? "worse than the bad day" : "",
    ];
    return `${name}: ${told.filter(Boolean).join(", ")}.`;
  };
  const reports = o.reported.map(
    (r) => `Reported: ${r.liquidated ? "liquidated, " : ""}${signedUSD(r.pnl_usd)} USD, out at ${price(r.exit_price)}.`,
  );
  const rows: [string, typeof o.after_24h][] = [
    ["24 hours", o.after_24h],
    ["7 days", o.after_7d],
  ];
  return [...rows.map(market), ...reports].filter(Boolean);
}

/** Decisions that a screen asked again and again: the newest of them, and how many they are. */
export interface Group {
  newest: Decision;
  oldestAt: string;
  count: number;
}

const pauseMs = 10_000; // between two of a group

/** What was asked and told; of who asked for a size, the size is the answer. */
const question = (d: Decision) => {
  const size = d.kind === "size" ? "" : Math.round(d.size_usd);
  return [d.kind, d.key_id, d.wallet, d.asset, d.action, size, d.leverage, d.recommendation].join(" ");
};

/** Puts the same question, asked only, again within seconds and told the same, into one row. Newest first. */
export function grouped(list: readonly Decision[]): Group[] {
  const out: Group[] = [],
    open = new Map<string, Group>();
  for (const d of list) {
    const alone = d.gate !== null || d.kind === "batch",
      key = question(d),
      held = alone ? undefined : open.get(key);
    if (held && Date.parse(held.oldestAt) - Date.parse(d.at) <= pauseMs) {
      held.count++;
      held.oldestAt = d.at;
      continue;
    }
    const group = { newest: d, oldestAt: d.at, count: 1 };
    out.push(group);
    if (!alone) open.set(key, group);
  }
  return out;
}

export type Verdict = "" | "proceed" | "proceed_with_caution" | "abort";
export type Then = "" | "refused" | "sent" | "stale";

export interface Filter {
  text: string; // part of wallet, asset, key or request id
  verdict: Verdict;
  then: Then;
}

const thens: Record<Exclude<Then, "">, (d: Decision) => boolean> = { refused, sent: sentAnyway, stale: isStale };

export function passes(d: Decision, f: Filter): boolean {
  if (f.verdict !== "" && d.recommendation !== f.verdict) return false;
  if (f.then !== "" && !thens[f.then](d)) return false;
  const text = f.text.toLowerCase();
  return text === "" || [d.wallet, d.asset, d.request_id, d.key_id, d.key_email ?? ""].some((x) => x.toLowerCase().includes(text));
}

export interface Counts {
  all: number;
  verdicts: Record<string, number>;
  sent: number;
  lastSent: Decision | null;
  keys: number;
  wallets: number;
}

export function countsOf(list: readonly Decision[]): Counts {
  const c: Counts = { all: list.length, verdicts: {}, sent: 0, lastSent: null, keys: 0, wallets: 0 };
  for (const d of list) {
    c.verdicts[d.recommendation] = (c.verdicts[d.recommendation] ?? 0) + 1;
    if (!sentAnyway(d)) continue;
    c.sent++;
    c.lastSent ??= d;
  }
  c.keys = new Set(list.map((d) => d.key_id)).size;
  c.wallets = new Set(list.map((d) => d.wallet)).size;
  return c;
}

/** A share of a count in percent; empty of none. */
export const shareText = (n: number, all: number) => (all > 0 ? `${fixed((100 * n) / all, 1)} %` : "");

/** The request of a decision, to be asked again; null where it cannot be. */
export function askAgain(d: Decision): Record<string, unknown> | null {
  if (d.asset === "" || d.wallet === "" || d.action === "") return null;
  const recorded = (d.request ?? {}) as { mode?: unknown; order?: unknown };
  const body: Record<string, unknown> = { asset: d.asset, action: d.action, wallet: d.wallet };
  if (d.size_usd > 0) body.size = d.size_usd;
  if (d.leverage > 0 && d.action !== "close") body.leverage = d.leverage;
  if (d.kind !== "gate" && recorded.mode !== undefined) body.mode = recorded.mode;
  if (d.kind === "validate" && recorded.order !== undefined) body.order = recorded.order;
  return body;
}

/** Time until a moment, or the word for one that is over: in 23 h 59 min. */
export function until(ms: number): string {
  if (ms <= 0) return "due";
  const minutes = Math.ceil(ms / 60_000),
    hours = Math.floor(minutes / 60);
  if (hours >= 48) return `in ${Math.floor(hours / 24)} days`;
  return hours > 0 ? `in ${hours} h ${minutes % 60} min` : `in ${minutes} min`;
}
