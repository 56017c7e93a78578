// Alerts by condition: one entry for a wallet, type and asset, however often the service repeats it.

import type { components } from "../../../../clients/typescript/src/alert-contract";
import { fixed, pct, score } from "../format";

export type Alert = components["schemas"]["RiskAlert"];

export interface Group {
  key: string;
  alert: Alert; // the newest one
  first: number; // the value when it began
  since: number; // ms since 1970
  last: number;
  count: number;
  missed: number; // rounds since it was repeated
}

const missedRounds = 3; // after so many rounds without it a condition has ended
const endedKept = 20;
const shifts = "regime_shift"; // told once, not as long as it stands

export class Groups {
  standing: Group[] = [];
  ended: Group[] = [];

  /** Adds an alert. Returns the group if its condition begins, or becomes critical, now. */
  take(alert: Alert): Group | null {
    const key = `${alert.wallet} ${alert.alert_type} ${alert.asset}`,
      at = Date.parse(alert.timestamp);
    const known = this.standing.find((g) => g.key === key);
    if (!known) {
      const since = alert.since === undefined ? at : Date.parse(alert.since);
      const group = { key, alert, first: alert.current_value, since, last: at, count: alert.count ?? 1, missed: 0 };
      this.standing.push(group);
      this.standing.sort((a, b) => order(a) - order(b) || a.since - b.since);
      return group;
    }
    const graver = alert.severity === "critical" && known.alert.severity !== "critical";
    known.count = alert.count ?? known.count + 1;
    if (alert.since !== undefined) known.since = Date.parse(alert.since);
    Object.assign(known, { alert, last: at, missed: 0 });
    if (graver) this.standing.sort((a, b) => order(a) - order(b) || a.since - b.since);
    return graver ? known : null;
  }

  /** Counts a round: a monitor call was answered. What was not repeated for three rounds has ended. */
  round() {
    for (const g of this.standing) g.missed++;
    const over = this.standing.filter((g) => g.missed > missedRounds);
    this.standing = this.standing.filter((g) => g.missed <= missedRounds);
    this.ended = [...over, ...this.ended].slice(0, endedKept);
  }

  clear() {
    this.standing = [];
    this.ended = [];
  }
}

const order = (g: Group) => (g.alert.severity === "critical" ? 0 : g.alert.alert_type === shifts ? 2 : 1);

const ofAccount = (v: number) => (v > 1000 ? "over 10 times the account" : pct(v));
const regimes = ["normal", "stressed", "in crisis"];
const regime = (rank: number) => regimes[rank] ?? "of another regime";

/** What the condition is now: ETH liquidation 9.1 % away. */
export function alertHead(a: Alert): string {
  const of = a.asset ?? "Book",
    v = a.current_value;
  switch (a.alert_type) {
    case "high_risk_score":
      return `${of} score ${score(v)}`;
    case "liquidation_proximity":
      return `${of} liquidation ${pct(v)} away`;
    case "funding_drag_excessive":
      return `${of} funding ${pct(v)} of margin a day`;
    case "regime_shift":
      return `${of} is ${regime(v)} now`;
    case "portfolio_var_breach":
      return `${of}: a bad day costs ${ofAccount(v)}`;
    case "stop_removed":
      return `${of} has no stop any more`;
  }
}

/** The threshold and the value at the beginning: less than 10 %, was 9.3 % when it began. */
export function alertReason(g: Group): string {
  const { alert_type: type, threshold: t, current_value: v } = g.alert;
  const limit = (x: number) => fixed(x, Number.isInteger(x) ? 0 : Number.isInteger(10 * x) ? 1 : 2) + " %";
  const was = (say: (x: number) => string) => (say(g.first) === say(v) ? "" : `, was ${say(g.first)} when it began`);
  switch (type) {
    case "high_risk_score":
      return `above ${score(t)}${was(score)}`;
    case "liquidation_proximity":
      return `less than ${limit(t)}${was(pct)}`;
    case "funding_drag_excessive":
      return `above ${limit(t)}${was(pct)}`;
    case "regime_shift":
      return `was ${regime(t)}`;
    case "portfolio_var_breach":
      return `above ${limit(t)} of the account${was(ofAccount)}`;
    case "stop_removed":
      return "its last stop was cancelled";
  }
}

/** A length of time: 40 s, 7 min 0 s, 2 h 5 min. */
export function lasting(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

/** What a subscriber may be told of, with the words of the form and the defaults of the service. */
export const thresholds = [
  {
    param: "score",
    field: "max_risk_score",
    words: "a score is above",
    unit: "",
    standard: 70,
    max: 255,
    whole: true,
  },
  {
    param: "near",
    field: "min_liquidation_distance_pct",
    words: "liquidation is nearer than",
    unit: "%",
    standard: 5,
    max: 100,
    whole: false,
  },
  {
    param: "day",
    field: "max_portfolio_var_pct",
    words: "a bad day costs more than",
    unit: "%",
    standard: 50,
    max: 1000,
    whole: false,
  },
  {
    param: "fund",
    field: "max_funding_drag_daily_pct",
    words: "funding a day is above",
    unit: "%",
    standard: 1,
    max: 1000,
    whole: false,
  },
] as const;

export type Threshold = (typeof thresholds)[number];

/** The thresholds that the address has, those of the service for what it lacks or what is no threshold. */
export function thresholdsOf(params: URLSearchParams): Record<Threshold["field"], number> {
  const entry = (t: Threshold) => {
    const text = params.get(t.param),
      x = Number(text);
    const good =
      text !== null && text !== "" && Number.isFinite(x) && x >= 0 && x <= t.max && (!t.whole || Number.isInteger(x));
    return [t.field, good ? x : t.standard];
  };
  return Object.fromEntries(thresholds.map(entry)) as Record<Threshold["field"], number>;
}
