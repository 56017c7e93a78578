// A policy while it is edited: what was typed, read as rules, and compared with others.

import type { PolicyRules } from "../api";
import { type Reading, readNumber } from "../number";
import { keptNumber, limitText, type Rule, type RuleName, rules, shownNumber } from "./rules";

/** What differs from the policy that was read. Numbers are as typed. */
export interface Draft {
  numbers: Partial<Record<RuleName, string>>;
  allowed?: string[] | null; // null: all
  denied?: string[];
  halt?: boolean;
  ends?: string; // as typed
}

export const emptyDraft = (): Draft => ({ numbers: {} });

const unitsOf: Record<string, RegExp> = { "×": /^x$/, "%": /^%$/, USD: /^USD$/i, s: /^s$/i, "": /^$/ };

/** Reads the limit of a rule; value undefined without a problem: no limit. */
export function readLimit(r: Rule, typed: string): Reading {
  const text = typed.trim().replace(/\s*%$/, "");
  if (text === "") return {};
  const read = readNumber(text, r.unit === "USD");
  if (read.value === undefined) return read;
  if (read.unit !== undefined && !unitsOf[r.unit]!.test(read.unit))
    return { problem: r.unit === "" ? "A number without a unit." : `A number in ${r.unit}.` };
  const value = keptNumber(r, read.value),
    bad = value < 0 || value > r.max,
    most = limitText(r, r.max);
  if (bad) return { problem: `From 0 to ${most}.` };
  if (r.whole && !Number.isInteger(value)) return { problem: "A whole number." };
  return { value };
}

const moments = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?\s*(?:UTC|Z)?$/i;

/** Reads a moment, "" for none. 2026-12-31 is the end of that day. */
export function readMoment(typed: string): { iso?: string | null; problem?: string } {
  const text = typed.trim();
  if (text === "") return { iso: null };
  const [, day, minute, second] = moments.exec(text) ?? [];
  if (day === undefined) return { problem: "Write it like 2026-12-31 18:00, in UTC." };
  const midnight = minute === undefined || minute === "24:00",
    ms = Date.parse(`${day}T${midnight ? "00:00" : minute}${second ?? ":00"}Z`);
  if (!Number.isFinite(ms) || new Date(ms).toISOString().slice(0, 10) !== day) return { problem: "No such day." };
  return { iso: new Date(ms + (midnight ? 86_400_000 : 0)).toISOString() };
}

/** A moment as it is typed. */
export const typedMoment = (iso: string | null | undefined) => (iso ? `${iso.slice(0, 16).replace("T", " ")} UTC` : "");

/** A limit as it is typed. */
export const typedLimit = (r: Rule, v: number | null | undefined) =>
  v === null || v === undefined
    ? ""
    : new Intl.NumberFormat("en-US", { maximumFractionDigits: 12 }).format(shownNumber(r, v));

/** The rules that a draft makes of those that were read, and what of it cannot be read, by the rule's name. */
export function applied(base: PolicyRules, d: Draft): { rules: PolicyRules; faults: Record<string, Reading> } {
  const out: PolicyRules = { ...base },
    faults: Record<string, Reading> = {};
  for (const r of rules) {
    const typed = d.numbers[r.id];
    if (typed === undefined || typed === typedLimit(r, base[r.id])) continue;
    const read = readLimit(r, typed);
    if (read.problem) faults[r.id] = read;
    else if (read.value === undefined) delete out[r.id];
    else out[r.id] = read.value;
  }
  if (d.allowed !== undefined) d.allowed === null ? delete out.allowed_assets : (out.allowed_assets = d.allowed);
  if (d.denied !== undefined) d.denied.length === 0 ? delete out.denied_assets : (out.denied_assets = d.denied);
  if (d.halt !== undefined) d.halt ? (out.halt = true) : delete out.halt;
  if (d.ends !== undefined && d.ends !== typedMoment(base.expires_at)) {
    const { iso, problem } = readMoment(d.ends);
    if (problem) faults.expires_at = { problem };
    else if (iso) out.expires_at = iso;
    else delete out.expires_at;
  }
  return { rules: out, faults };
}

const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
const all = [...rules.map((r) => r.id), "allowed_assets", "denied_assets", "halt", "expires_at"] as const;

/** The names of the rules in which two policies differ. */
export const differing = (a: PolicyRules, b: PolicyRules): (keyof PolicyRules)[] =>
  all.filter((id) => !same(a[id], b[id]));

/** A draft of the rules in which mine differs from base, to be set upon another policy. */
export function rebased(base: PolicyRules, mine: PolicyRules): Draft {
  const d = emptyDraft();
  for (const id of differing(base, mine)) {
    if (id === "allowed_assets") d.allowed = mine.allowed_assets ?? null;
    else if (id === "denied_assets") d.denied = mine.denied_assets ?? [];
    else if (id === "halt") d.halt = mine.halt === true;
    else if (id === "expires_at") d.ends = typedMoment(mine.expires_at);
    else d.numbers[id as RuleName] = typedLimit(rules.find((r) => r.id === id)!, mine[id as RuleName]);
  }
  return d;
}
