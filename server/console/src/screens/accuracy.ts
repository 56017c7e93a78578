// What became of the service's own answers: closed by the market, or reported. An alarm when a verdict breaks its
// promise.

import { type Accuracy, ask, Failure } from "../api";
import { h, headed, icon, table, tr, unseen } from "../dom";
import { age, count, fixed, signedPct } from "../format";
import { verdicts } from "../names";
import type { Context } from "../screen";
import { Answer } from "../store";
import { alarmWords, ownBins, rate } from "./accuracywords";
import { calibrationPicture } from "./recordpicture";

const readEvery = 60_000,
  goneMs = 24 * 3_600_000; // outcomes come once an hour

export class OwnRecord {
  readonly answer = new Answer<Accuracy>(goneMs);
  private failure = "";

  constructor(ctx: Context, changed: () => void) {
    ctx.poll(
      readEvery,
      async (signal) => {
        this.answer.set(await ask<Accuracy>("/v1/accuracy", { signal }), [
          { name: "outcomes", ageMs: 0, softMs: 2 * readEvery },
        ]);
        this.failure = "";
        changed();
      },
      (f) => {
        this.failure = f instanceof Failure ? f.message : String(f);
        changed();
      },
    );
  }

  /** The card; null before the first answer. */
  card(): HTMLElement | null {
    const a = this.answer.state() === "gone" ? null : this.answer.value;
    if (!a && this.failure === "") return null;
    const old = a !== null && this.answer.state() === "stale";
    return h(
      "section",
      { class: `card calibration own${old ? " stale" : ""}`, "data-key": "own" },
      headed(
        "What became of our own answers?",
        a && a.total_outcomes > 0 && `${count(a.verified)} of ${count(a.total_outcomes)}, 24 h`,
      ),
      ...(a ? this.body(a) : [h("p", { class: "t2" }, `Not known: ${this.failure}`)]),
      a && this.foot(a),
    );
  }

  private body(a: Accuracy): (HTMLElement | null)[] {
    const alarm = alarmWords(a.alarm);
    const promise =
      alarm.kind === ""
        ? h("p", { class: "small t2" }, alarm.sentence)
        : h(
            "p",
            { class: `row small ${alarm.kind === "stop" ? "stop" : "t2"} promise` },
            h("span", { class: `tag ${alarm.kind}` }, icon(alarm.kind, 12), alarm.title),
            h("span", { class: "grow" }, alarm.sentence),
          );
    if (a.verified === 0)
      return [
        h(
          "p",
          {},
          "No answer is closed yet: the market closes each 24 hours after it was given, and again after 7 days.",
        ),
        promise,
      ];
    const bins = ownBins(a.calibration_curve);
    return [
      promise,
      bins.length > 0
        ? calibrationPicture(bins, `Chance told against share liquidated, of ${count(a.verified)} answers`)
        : null,
      h(
        "p",
        { class: "note" },
        a.brier_score === null
          ? ""
          : `Told on average ${rate(a.predicted_mean)}, liquidated ${rate(a.liquidated_rate)}. ` +
              `Brier score ${fixed(a.brier_score, 3)}. `,
        `The bad day (1 in 100) was exceeded ${rate(a.var_99_24h.exceeded_rate)} `,
        `of ${count(a.var_99_24h.count)} times. `,
        `By the market ${count(a.by_source.market)}, reported ${count(a.by_source.reported)}.`,
      ),
      h("h3", {}, "By verdict"),
      bandTable(a),
    ];
  }

  private foot(a: Accuracy): HTMLElement {
    const through = a.closed_through
        ? `Closed through ${a.closed_through.slice(0, 16).replace("T", " ")} UTC. `
        : "",
      seven = a.seven_days
        ? `After 7 days: ${count(a.seven_days.count)}, liquidated ${rate(a.seven_days.liquidated_rate)}. `
        : "";
    return h("p", { class: "note" }, `${seven}${through}Read ${age(this.answer.age())} ago.`);
  }
}

function bandTable(a: Accuracy): HTMLElement {
  return table(
    "Own answers by verdict",
    [unseen("Verdict"), "answers", "told", "liquidated", "gain of margin"],
    a.band_stats.map((b) => {
      const v = verdicts[b.recommendation]!,
        tag = h("span", { class: `tag ${v.kind}` }, icon(v.kind, 12), v.word),
        gain = b.avg_pnl_pct === null ? "–" : signedPct(b.avg_pnl_pct);
      return tr({}, tag, count(b.count), rate(b.predicted_mean), h("b", {}, rate(b.liquidated_rate)), gain);
    }),
  );
}
