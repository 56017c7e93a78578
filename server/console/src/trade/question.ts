// The question of the Trade screen: as typed, in the address, and as a request.

import type { ValidationRequest } from "../api";
import { sentence } from "../format";
import { type Reading, readNumber } from "../number";
import { addressFault, isWallet } from "../walletaddress";

export type Action = ValidationRequest["action"];

/** As typed; an empty text is a field left empty. */
export interface Question {
  asset: string;
  action: Action;
  size: string;
  unit: "usd" | "coin";
  leverage: string;
  mode: "" | "cross" | "isolated";
  order: "market" | "limit";
  price: string;
  stop: string;
  take: string;
  wallet: string;
}

export type Field = "asset" | "size" | "leverage" | "price" | "stop" | "take" | "wallet" | "mode";

/** What is wrong with a field, with what may have been meant. */
export interface Fault {
  text: string;
  suggestions: string[];
}

export type Faults = Partial<Record<Field, Fault>>;

const actions: readonly string[] = ["long", "short", "close"];

/** Reads the address. What it does not know is left out; a bad number stays as typed, and becomes a fault of its
 * field. */
export function fromAddress(p: URLSearchParams): Question {
  const get = (name: string) => (p.get(name) ?? "").slice(0, 64);
  const action = get("d"),
    mode = get("m");
  return {
    asset: get("a"),
    action: actions.includes(action) ? (action as Action) : "long",
    size: p.has("coin") ? get("coin") : get("usd"),
    unit: p.has("coin") ? "coin" : "usd",
    leverage: get("x"),
    mode: mode === "cross" || mode === "isolated" ? mode : "",
    order: p.has("p") ? "limit" : "market",
    price: get("p"),
    stop: get("stop"),
    take: get("take"),
    wallet: get("w"),
  };
}

/** The parameters of the address that say the same. Numbers stand without commas and units. */
export function toAddress(q: Question): Record<string, string | null> {
  const plain = (text: string, pointsGroup = false) => {
    const { value } = readNumber(text, pointsGroup);
    return value === undefined ? text : String(value);
  };
  return {
    a: q.asset,
    d: q.action,
    usd: q.unit === "usd" ? plain(q.size, true) : null,
    coin: q.unit === "coin" ? plain(q.size) : null,
    x: q.action === "close" ? null : plain(q.leverage),
    m: q.action === "close" ? null : q.mode,
    p: q.order === "limit" ? plain(q.price) : null,
    stop: q.action === "close" ? null : plain(q.stop),
    take: q.action === "close" ? null : plain(q.take),
    w: q.wallet,
  };
}

/** The unit of the size: the one in its text, $50,000 or 0.5 ETH, else the chosen one. */
export function unitOf(q: Question): Question["unit"] {
  const unit = readNumber(q.size).unit?.toLowerCase();
  if (q.size.includes("$") || unit === "usd" || unit === "usdc") return "usd";
  return unit !== undefined && unit === q.asset.split(":").pop()!.toLowerCase() ? "coin" : q.unit;
}

/** The body of POST /v1/validate. */
export type Request = ValidationRequest;

export interface Read {
  request: Request | null; // null: something is missing or wrong
  faults: Faults;
  missing: Field[];
}

/** Turns a question into a request, or says what is wrong or missing. */
export function read(q: Question): Read {
  const faults: Faults = {},
    missing: Field[] = [];
  const number = (field: Field, text: string, allowed: (r: Reading) => boolean): number | undefined => {
    if (text.trim() === "") return undefined;
    const r = readNumber(text, field === "size" && q.unit === "usd"); // prices and coins have decimals
    if (r.value === undefined) faults[field] = { text: r.problem!, suggestions: r.readings ?? [] };
    else if (r.value <= 0) faults[field] = { text: "Must be over 0.", suggestions: [] };
    else if (!allowed(r))
      faults[field] = { text: `“${r.unit}” does not belong here.`, suggestions: [String(r.value)] };
    else return r.value;
    return undefined;
  };
  const noUnit = (r: Reading) => r.unit === undefined || /^usdc?$/i.test(r.unit);
  const ticker = q.asset.split(":").pop()!.toLowerCase();
  const size = number("size", q.size, (r) => noUnit(r) || r.unit!.toLowerCase() === ticker);
  const leverage =
    q.action === "close" ? undefined : number("leverage", q.leverage, (r) => noUnit(r) || r.unit === "x");
  const price = q.order === "limit" ? number("price", q.price, noUnit) : undefined;
  const stop = q.action === "close" ? undefined : number("stop", q.stop, noUnit);
  const take = q.action === "close" ? undefined : number("take", q.take, noUnit);
  if (q.asset === "") missing.push("asset");
  if (q.size.trim() === "") missing.push("size");
  if (q.wallet === "") missing.push("wallet");
  else if (!isWallet(q.wallet)) faults.wallet = { text: addressFault(q.wallet), suggestions: [] };
  if (q.order === "limit" && q.price.trim() === "") missing.push("price");
  if (missing.length > 0 || Object.keys(faults).length > 0) return { request: null, faults, missing };
  const request: Request = { asset: q.asset, action: q.action, wallet: q.wallet };
  if (unitOf(q) === "coin") request.size_coin = size;
  else request.size = size;
  if (leverage !== undefined) request.leverage = leverage;
  if (q.mode !== "" && q.action !== "close") request.mode = q.mode;
  if (price !== undefined || stop !== undefined || take !== undefined) {
    request.order = { type: q.order, price, stop_loss_price: stop, take_profit_price: take };
  }
  return { request, faults, missing };
}

/** The same question without its size, for POST /v1/size: the curve at this leverage, the ladder of all. */
export function sizeQuestion(r: Request, leverage: number) {
  const { asset, action, wallet, mode } = r;
  return { asset, action, wallet, mode, leverage, target: { max_score: 40 }, curve: true, ladder: true };
}

const fieldOf: Record<string, Field> = {
  asset: "asset",
  size: "size",
  size_coin: "size",
  leverage: "leverage",
  mode: "mode",
  wallet: "wallet",
  order: "price",
  "order.price": "price",
  "order.stop_loss_price": "stop",
  "order.take_profit_price": "take",
};

/** The faults that an answer of status 400 names. */
export function faultsOf(problems: { field: string; detail: string; suggestion?: unknown }[]): Faults {
  const faults: Faults = {};
  for (const p of problems) {
    const field = fieldOf[p.field] ?? "asset";
    faults[field] ??= { text: mended(p.detail), suggestions: suggested(p.suggestion) };
  }
  return faults;
}

/** What a suggestion of the service names, each for itself: of "nearest names: TON, TIA; all are ..." TON and TIA. */
export function suggested(suggestion: unknown): string[] {
  const names = String(suggestion ?? "").replace(/^nearest names: |(^|; )all are listed.*$/g, "");
  return names.split(/, | or /).filter((x) => x !== "" && !x.includes(" "));
}

/** Texts of the service as they read beside a field. */
function mended(given: string): string {
  const detail = given.replace(/^size_coin [\d.]+: /i, "");
  if (/^invalid asset/i.test(detail)) return "Not listed under this name.";
  return sentence(detail);
}
