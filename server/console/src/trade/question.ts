// The question of the Trade screen: as typed, in the address, and as a request.

import type { ValidationRequest } from "../api";
import { sentence } from "../format";
import { readNumber } from "../number";
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
  const size = unitOf(q) === null ? q.size : plain(q.size, q.unit === "usd"); // a foreign unit is a fault, which stays
  return {
    a: q.asset,
    d: q.action,
    usd: q.unit === "usd" ? size : null,
    coin: q.unit === "coin" ? size : null,
    x: q.action === "close" ? null : plain(q.leverage),
    m: q.action === "close" ? null : q.mode,
    p: q.order === "limit" ? plain(q.price) : null,
    stop: q.action === "close" ? null : plain(q.stop),
    take: q.action === "close" ? null : plain(q.take),
    w: q.wallet,
  };
}

const ticker = (asset: string) => asset.split(":").pop()!;

/** The unit of the size: the one in its text, $50,000 or 0.5 ETH, else the chosen one; null for any other. */
export function unitOf(q: Question): Question["unit"] | null {
  const { unit = q.unit === "usd" ? "USD" : ticker(q.asset) } = readNumber(q.size);
  if (unit === "USD") return "usd";
  return [ticker(q.asset), q.asset].some((name) => name.toLowerCase() === unit.toLowerCase()) ? "coin" : null;
}

/** The body of POST /v1/validate. */
export type Request = ValidationRequest;

export interface Read {
  request: Request | null; // null: something is missing or wrong
  given: Partial<Request>; // what of it is there and can be read
  faults: Faults;
  missing: Field[];
}

/** Turns a question into a request, or says what is wrong or missing. */
export function read(q: Question): Read {
  const faults: Faults = {},
    missing: Field[] = [],
    close = q.action === "close";
  /** A number in one of the units, or in any; none where the field is empty or wrong. */
  const number = (field: Field, text: string, ...units: (string | undefined)[]): number | undefined => {
    if (text.trim() === "") return undefined;
    const r = readNumber(text, field === "size" && q.unit === "usd"); // prices and coins have decimals
    if (r.value === undefined) faults[field] = { text: r.problem!, suggestions: r.readings ?? [] };
    else if (r.value <= 0) faults[field] = { text: "Must be over 0.", suggestions: [] };
    else if (units.length > 0 && !units.includes(r.unit))
      faults[field] = { text: `“${r.unit}” does not belong here.`, suggestions: [String(r.value)] };
    else return r.value;
    return undefined;
  };
  const unit = unitOf(q),
    size = number("size", q.size);
  if (unit === null && size !== undefined && q.asset !== "")
    faults.size = { text: `“${readNumber(q.size).unit}” is neither USD nor ${ticker(q.asset)}.`, suggestions: [] };
  const leverage = close ? undefined : number("leverage", q.leverage, undefined, "x");
  const price = q.order === "limit" ? number("price", q.price, undefined, "USD") : undefined;
  const stop = close ? undefined : number("stop", q.stop, undefined, "USD");
  const take = close ? undefined : number("take", q.take, undefined, "USD");
  if (q.asset === "") missing.push("asset");
  if (q.size.trim() === "") missing.push("size");
  if (q.wallet === "") missing.push("wallet");
  else if (!isWallet(q.wallet)) faults.wallet = { text: addressFault(q.wallet), suggestions: [] };
  if (q.order === "limit" && q.price.trim() === "") missing.push("price");
  const given: Partial<Request> = { action: q.action };
  if (q.asset !== "") given.asset = q.asset;
  if (isWallet(q.wallet)) given.wallet = q.wallet;
  if (unit !== null && size !== undefined) given[unit === "coin" ? "size_coin" : "size"] = size;
  if (leverage !== undefined) given.leverage = leverage;
  if (q.mode !== "" && !close) given.mode = q.mode;
  if (price !== undefined || stop !== undefined || take !== undefined) {
    given.order = { type: q.order, price, stop_loss_price: stop, take_profit_price: take };
  }
  const whole = missing.length === 0 && Object.keys(faults).length === 0;
  return { request: whole ? (given as Request) : null, given, faults, missing };
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
