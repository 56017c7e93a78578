// What the outcomes of the service's own answers say.

import type { Accuracy } from "../api";
import { count, fixed } from "../format";
import { verdicts } from "../names";
import type { Bin } from "./recordpicture";

/** A fraction as percent; nothing without a case. */
export const rate = (x: number | null) => (x === null ? "–" : `${fixed(100 * x, 100 * x < 1 && x > 0 ? 2 : 1)} %`);
const verdictWord = (id: string) => verdicts[id]?.word ?? id;

/** The bins that have outcomes, in percent. */
export function ownBins(curve: Accuracy["calibration_curve"]): Bin[] {
  return curve.flatMap((b) => {
    if (b.actual_rate === null || b.predicted_mean === null) return [];
    const [from, to] = b.predicted_range as [number, number],
      range = b.wilson_95 && ([100 * b.wilson_95[0]!, 100 * b.wilson_95[1]!] as const);
    const name = `${Number((100 * from).toPrecision(3))}-${Number((100 * to).toPrecision(3))} %`,
      percent = (x: number) => Number((100 * x).toPrecision(3));
    return [[name, b.count, percent(b.actual_rate), percent(b.predicted_mean), range ?? undefined] as const];
  });
}

/** What the alarm says, in words. */
export function alarmWords(a: Accuracy["alarm"]): { kind: "stop" | "ok" | ""; title: string; sentence: string } {
  const broken = a.bands.filter((b) => b.raised);
  if (broken.length > 0) {
    const b = broken[0]!;
    return {
      kind: "stop",
      title: `${broken.map((x) => verdictWord(x.recommendation)).join(" and ")} broke its promise`,
      sentence:
        `${rate(b.actual_rate)} were liquidated within 24 hours, promised at most ${rate(b.promised_rate)}: ` +
        `of ${count(b.units)} answers in ${b.window_hours / 24} days.`,
    };
  }
  if (a.volatility.raised)
    return {
      kind: "stop",
      title: "Markets move further than told",
      sentence:
        `For ${a.volatility.hours} hours the variance has been ${fixed(a.volatility.variance_ratio!, 1)} times ` +
        "what answers told: their chances of liquidation are too low.",
    };
  if (a.bands.every((b) => b.units === 0))
    return { kind: "", title: "", sentence: "Each verdict's promise is watched from its first outcomes on." };
  return { kind: "ok", title: "as promised", sentence: "No verdict's liquidations lie above its promise." };
}
