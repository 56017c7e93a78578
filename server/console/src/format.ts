// Figures in the page's one form each. A missing figure is a dash.

type Figure = number | null | undefined;
export const none = "–";
const formats = new Map<number, Intl.NumberFormat>();

/** A text that begins with a capital letter, or does not. */
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
export const lowered = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
/** A text as a sentence. */
export const sentence = (text: string) => capital(text) + (/[.!?]$/.test(text) ? "" : ".");

/** A number with so many decimals, thousands with commas and a true minus. */
export function fixed(x: number, digits: number): string {
  let f = formats.get(digits);
  if (!f) {
    f = new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
    formats.set(digits, f);
  }
  const text = f.format(x === 0 ? 0 : x);
  return /^-[0.,]*$/.test(text) ? text.slice(1) : text.replace("-", "−");
}

export const known = (x: Figure): x is number => x !== null && x !== undefined && Number.isFinite(x);
const say = (x: Figure, f: (x: number) => string) => (known(x) ? f(x) : none);
const signed = (x: number, text: string) => (x > 0 && /[1-9]/.test(text) ? "+" + text : text);

/** Decimals that give so many significant digits. */
function decimals(x: number, significant: number): number {
  if (x === 0) return 0;
  return Math.max(
    0,
    Math.min(12, significant - 1 - Math.floor(Math.log10(Math.abs(Number(x.toPrecision(significant)))))),
  );
}

/** USD of the user's own: no decimals from 100 on, else two; six digits at most. */
export const usd = (x: Figure) =>
  say(x, (v) => fixed(Number(v.toPrecision(6)), v === 0 || Math.abs(v) >= 99.995 ? 0 : 2));
const whole = (x: Figure, round: (x: number) => number) =>
  say(x, (v) => {
    const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, Math.abs(v)))) - 5);
    return usd(unit * round(v / unit));
  });
/** Whole USD that are enough, and those that are not too much. */
export const usdUp = (x: Figure) => whole(x, Math.ceil);
export const usdDown = (x: Figure) => whole(x, Math.floor);
export const signedUSD = (x: Figure) => say(x, (v) => signed(v, usd(v)));

const units: [number, string][] = [
  [1e9, "B"],
  [1e6, "M"],
  [1e3, "k"],
];

/** USD of the market: 1.28 B, 476 M, 89 k. */
export function large(x: Figure): string {
  if (!known(x)) return none;
  for (const [unit, name] of units) {
    if (Math.abs(x) >= 0.9995 * unit) return `${fixed(x / unit, Math.max(0, decimals(x / unit, 3)))} ${name}`;
  }
  return fixed(x, 0);
}

/** Three significant digits at most, without zeros behind the point. */
const trimmed = (x: number) =>
  fixed(x, decimals(x, 3))
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");

/** A short mark of an axis in USD: 50 k, 1.2 M. */
export function axisUSD(x: number): string {
  for (const [unit, name] of units) {
    if (Math.abs(x) >= 0.9995 * unit) return `${trimmed(x / unit)} ${name}`;
  }
  return trimmed(x);
}

/** A price with the venue's five significant digits, one decimal at least up to 100,000. */
export function price(x: Figure): string {
  return say(x, (v) => {
    const a = Math.abs(v);
    if (a >= 100_000 || a === 0) return fixed(v, 0);
    if (a >= 10_000) return fixed(v, 1);
    const text = fixed(v, decimals(v, 5));
    return a < 1 ? text.replace(/0+$/, "").replace(/\.$/, ".0") : text;
  });
}

/** A price in a chart: whole numbers from 10,000 on. */
export const chartPrice = (x: Figure) => say(x, (v) => (Math.abs(v) >= 10_000 ? fixed(v, 0) : price(v)));

/** The difference of two prices, with the decimals of the prices; in percent below 0.01. */
export function priceChange(from: Figure, to: Figure): string {
  if (!known(from) || !known(to)) return none;
  const at = Math.max(Math.abs(from), Math.abs(to));
  if (at < 0.01 && from !== 0) return signedPct(100 * (to / from - 1));
  return signed(to - from, fixed(to - from, at >= 10_000 ? 1 : decimals(at, 5)));
}

/** Percent: one decimal, two below 10. */
export const pct = (x: Figure) => say(x, (v) => fixed(v, Math.abs(v) < 9.995 ? 2 : 1) + " %");
/** A distance to liquidation, which answers give up to 100 %. */
export const distance = (x: number) => (x >= 100 ? "over 100 %" : pct(x));
export const signedPct = (x: Figure) => say(x, (v) => signed(v, pct(v)));

/** A chance from 0 to 1, never with more than two digits. */
export function chance(x: Figure): string {
  if (!known(x)) return none;
  const v = 100 * x;
  if (x === 0) return "none";
  if (v < 0.01) return "< 0.01 %";
  if (v > 99.5) return x >= 1 ? "certain" : "> 99 %";
  return fixed(v, v < 0.995 ? 2 : v < 9.95 ? 1 : 0) + " %";
}

/** The chance of what is held, which is never none. */
export const heldChance = (x: Figure) => chance(x === 0 ? 1e-9 : x);

/** Coins, with the decimals that the lot has and at most six digits, four from a million on: 6.6771, 102.0 M. */
export function coins(x: Figure, lot?: number): string {
  if (!known(x)) return none;
  for (const [unit, name] of units.slice(0, 2)) {
    if (Math.abs(x) >= unit) return `${fixed(x / unit, decimals(x / unit, 4))} ${name}`;
  }
  return fixed(x, Math.min(lot ?? 8, decimals(x, 6)));
}

/** Coins to the last lot, for an order. */
export const exactCoins = (x: number) => fixed(x, Math.min(12, lotDecimals(x)));

/** Decimals of a size that is a whole number of lots. */
export function lotDecimals(size: number): number {
  const text = String(size);
  if (text.includes("e-")) return Number(text.split("e-")[1]);
  return text.split(".")[1]?.length ?? 0;
}

/** A multiple: 10×, 12.5×. */
export const times = (x: Figure) => say(x, (v) => fixed(v, Math.abs(v - Math.round(v)) < 0.05 ? 0 : 1) + "×");

export const bps = (x: Figure) => say(x, (v) => fixed(v, Math.abs(v) < 9.995 ? 2 : 1));
export const score = (x: Figure) => say(x, (v) => fixed(v, Math.abs(v - Math.round(v)) < 0.05 ? 0 : 1));
export const count = (x: Figure) => say(x, (v) => fixed(v, 0));

/** How many bad days a distance is. */
export const badDays = (x: Figure) =>
  say(x, (v) => `${v > 0 && v < 0.05 ? "< 0.1" : fixed(v, v < 9.95 ? 1 : 0)} bad days`);

/** Milliseconds: 0.6 s, 12 s, 4 min, 3 h. */
export function age(ms: Figure): string {
  if (!known(ms) || ms < 0) return none;
  const s = ms / 1000;
  if (s < 9.95) return fixed(s, 1) + " s";
  if (s < 119.5) return fixed(s, 0) + " s";
  if (s < 7170) return fixed(s / 60, 0) + " min";
  return s < 172_800 ? fixed(s / 3600, 0) + " h" : fixed(s / 86_400, 0) + " days";
}

/** A text whose lines do not break between a figure and its unit, nor after < and >. */
export const unbroken = (text: string) =>
  text.replace(/(\d) (%|s\b|min\b|h\b)/g, "$1\u00a0$2").replace(/([<>]) /g, "$1\u00a0");

/** The time of day in UTC: 14:09:16. */
export const clock = (iso: string) => iso.slice(11, 19);
export const day = (ms: Figure) => say(ms, (v) => new Date(v).toISOString().slice(0, 10));
/** An address or an id, shortened in the middle. */
export const short = (id: string) => (id.length > 16 ? `${id.slice(0, 10)}…${id.slice(-4)}` : id);
export const words = (name: string) => name.replaceAll("_", " ");
