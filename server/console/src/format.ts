// Formats numbers. A missing number is a dash.

type Number = number | null | undefined;
const none = "–";
const formats = new Map<number, Intl.NumberFormat>();

function fixed(x: number, digits: number): string {
  let f = formats.get(digits);
  if (!f) formats.set(digits, (f = new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })));
  return f.format(x === 0 ? 0 : x).replace("-", "−");
}

const known = (x: Number): x is number => x !== null && x !== undefined;

/** Decimals that give about five significant digits. */
const digitsFor = (x: number) => (x === 0 ? 0 : Math.max(0, Math.min(8, 4 - Math.floor(Math.log10(Math.abs(x))))));

export const price = (x: Number) => (known(x) ? fixed(x, x >= 1000 ? 1 : digitsFor(x)) : none);
export const plain = (x: Number, digits = 2) => (known(x) ? fixed(x, digits) : none);
export const pct = (x: Number, digits = 2) => (known(x) ? fixed(x, digits) + " %" : none);
export const signedPct = (x: Number) => (known(x) ? (x > 0 ? "+" : "") + pct(x) : none);
export const usd = (x: Number) => (known(x) ? fixed(x, Math.abs(x) < 1000 ? 2 : 0) : none);
export const coins = (x: Number) => (known(x) ? fixed(x, Math.min(6, digitsFor(x))) : none);
export const times = (x: Number) => (known(x) ? fixed(x, x % 1 === 0 ? 0 : 2) + "×" : none);

/** USD in thousands, millions or billions. */
export function shortUSD(x: Number): string {
  if (!known(x)) return none;
  const a = Math.abs(x);
  for (const [unit, name] of [[1e9, "B"], [1e6, "M"], [1e3, "k"]] as const) {
    if (a >= unit) return fixed(x / unit, a >= 100 * unit ? 0 : a >= 10 * unit ? 1 : 2) + " " + name;
  }
  return fixed(x, 0);
}

/** A fraction as percent; below 0.01 % as "< 0.01 %". */
export function chance(x: Number): string {
  if (!known(x)) return none;
  return x > 0 && x < 0.0001 ? "< 0.01 %" : pct(100 * x);
}

/** Milliseconds, in seconds below 2 min, in minutes below 2 h, else in hours. */
export function age(ms: Number): string {
  if (!known(ms) || ms < 0) return none;
  const s = Math.floor(ms / 1000);
  if (s < 1) return "< 1 s";
  if (s < 120) return s + " s";
  return s < 7200 ? Math.floor(s / 60) + " min" : Math.floor(s / 3600) + " h";
}

export const day = (ms: Number) => (known(ms) ? new Date(ms).toISOString().slice(0, 10) : none);
export const clock = (iso: string) => iso.replace("T", " ").replace(/\.\d+Z$|Z$/, " UTC");
export const words = (name: string) => name.replaceAll("_", " ");
export const verdictWords: Record<string, string> = { proceed: "Proceed", proceed_with_caution: "Proceed with caution", abort: "Abort" };
