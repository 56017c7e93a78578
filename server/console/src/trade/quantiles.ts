// Where the price ends within 24 h, from the quantiles of an answer.

import type { Day } from "../api";

/** The normal quantiles of 0.1, 1, 5, 50, 95, 99, 99.9 %. */
const levels = [-3.0902, -2.3263, -1.6449, 0, 1.6449, 2.3263, 3.0902];

/** The standard normal distribution function (Abramowitz and Stegun 26.2.17). */
export function phi(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail =
    (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z > 0 ? 1 - tail : tail;
}

export interface Ends {
  below(pct: number): number; // chance that the day ends below this move
  density(pct: number): number; // of the move, per percent
}

/** A monotone curve through the quantiles, in units of the normal distribution (Fritsch and Carlson). */
export function endsOf(d: Day): Ends | null {
  const all = [d.down_999_pct, d.down_99_pct, d.down_95_pct, d.median_pct, d.up_95_pct, d.up_99_pct, d.up_999_pct];
  const given = all
    .map((v, i) => [v, levels[i]!] as const)
    .filter((p): p is readonly [number, number] => p[0] !== null);
  const x = given.map(([v]) => v),
    normal = given.map(([, z]) => z),
    n = x.length;
  if (n < 3 || x.some((v, i) => i > 0 && v <= x[i - 1]!)) return null;
  const slope = x.slice(1).map((v, i) => (normal[i + 1]! - normal[i]!) / (v - x[i]!));
  const m = x.map((_, i) =>
    i === 0 ? slope[0]! : i === n - 1 ? slope[n - 2]! : (2 * slope[i - 1]! * slope[i]!) / (slope[i - 1]! + slope[i]!),
  );
  const at = (v: number): [number, number] => {
    if (v <= x[0]!) return [normal[0]! + (v - x[0]!) * m[0]!, m[0]!];
    if (v >= x[n - 1]!) return [normal[n - 1]! + (v - x[n - 1]!) * m[n - 1]!, m[n - 1]!];
    const i = x.findIndex((q) => q > v) - 1,
      h = x[i + 1]! - x[i]!,
      t = (v - x[i]!) / h;
    const [a, b, c, e] = [normal[i]!, normal[i + 1]!, m[i]! * h, m[i + 1]! * h];
    const z =
      a * (2 * t ** 3 - 3 * t * t + 1) +
      c * (t ** 3 - 2 * t * t + t) +
      b * (3 * t * t - 2 * t ** 3) +
      e * (t ** 3 - t * t);
    const dz =
      a * (6 * t * t - 6 * t) + c * (3 * t * t - 4 * t + 1) + b * (6 * t - 6 * t * t) + e * (3 * t * t - 2 * t);
    return [z, Math.max(0, dz / h)];
  };
  return {
    below: (v) => phi(at(v)[0]),
    density(v) {
      const [z, dz] = at(v);
      return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * dz;
    },
  };
}
