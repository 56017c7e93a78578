// Draws the alerts of a wallet, and the form of their thresholds.

import { type Child, h, headed, icon } from "../dom";
import { clock, count } from "../format";
import { alertHead, alertReason, type Group, type Groups, lasting, type Threshold, thresholds } from "./alertgroups";
import type { SocketState } from "./alertsocket";

const shownOnPhone = 2;

const minute = (at: number) => clock(new Date(at).toISOString()).slice(0, 5);

function entry(g: Group, at: number, more: boolean): HTMLElement {
  const shape = g.alert.severity === "critical" ? "stop" : "caution";
  return h(
    "li",
    { class: more ? "alert more" : "alert", "data-key": g.key },
    h(
      "div",
      { class: "row" },
      icon(shape, 16, shape),
      h("b", { class: "grow" }, alertHead(g.alert)),
      h("span", { class: "tag", title: "times told" }, `× ${count(g.count)}`),
    ),
    h("div", { class: "small t2" }, alertReason(g)),
    h("div", { class: "small t3" }, `since ${clock(new Date(g.since).toISOString())}, ${lasting(at - g.since)}`),
  );
}

/** The standing conditions, then those that have ended. at is the time of the figures, ms since 1970; all: a phone
 * shows all of them. */
export function alertsCard(
  groups: Groups,
  socket: SocketState,
  at: number,
  notice: Child,
  all: boolean,
): HTMLElement {
  const { standing, ended } = groups;
  const silent = socket.kind === "open" ? "No alert stands." : "";
  return h(
    "section",
    { class: "card alerts", "aria-labelledby": "alerts-title" },
    headed(
      h(
        "div",
        { class: "row" },
        h("h2", { id: "alerts-title" }, "Alerts"),
        standing.length > 0
          ? h(
              "span",
              { class: `tag ${standing.some((g) => g.alert.severity === "critical") ? "stop" : "caution"}` },
              `${standing.length} standing`,
            )
          : null,
      ),
      notice,
    ),
    standing.length > 0
      ? h("ol", {}, ...standing.map((g, i) => entry(g, at, !all && i >= shownOnPhone)))
      : h("p", { class: "small t2" }, silent),
    !all && standing.length > shownOnPhone
      ? h(
          "button",
          { type: "button", class: "link onphone", "data-more": "" },
          `${standing.length - shownOnPhone} more`,
        )
      : null,
    socket.kind === "open"
      ? null
      : h("p", { class: socket.kind === "connecting" ? "small t3" : "small caution" }, socketText(socket)),
    ended.length > 0
      ? h(
          "details",
          { class: "ended" },
          h("summary", { class: "small t3" }, `${ended.length} ended`),
          h(
            "ol",
            {},
            ...ended.map((g) =>
              h(
                "li",
                { class: "row small t3" },
                h("span", { class: "grow" }, alertHead(g.alert)),
                h("span", {}, `${minute(g.since)} to ${minute(g.last)}`),
              ),
            ),
          ),
        )
      : null,
  );
}

const secondsTo = (at: number) => Math.max(1, Math.ceil((at - performance.now()) / 1000));

export function socketText(s: SocketState): string {
  switch (s.kind) {
    case "connecting":
      return "alert socket is being opened";
    case "open":
      return `alert socket open, ${Math.max(1, Math.round(s.afterMs))} ms`;
    case "closed":
      return `The alert socket is closed; again in ${secondsTo(s.at)} s. Alerts until then are lost.`;
    case "refused":
      return `The alert socket refuses this: ${s.why}`;
  }
}

/** The form of the thresholds; change is called with a parameter and what was typed. */
export function thresholdForm(
  values: Record<Threshold["field"], number>,
  change: (t: Threshold, text: string) => void,
  reset: () => void,
): HTMLElement {
  return h(
    "section",
    { class: "card thresholds" },
    headed("Tell me when", h("button", { type: "button", class: "link small", click: reset }, "Defaults")),
    ...thresholds.map((t) => {
      const input = h("input", {
        class: "field low",
        id: `threshold-${t.param}`,
        inputmode: "decimal",
        autocomplete: "off",
        value: String(values[t.field]),
        change: (e: Event) => change(t, (e.target as HTMLInputElement).value),
      });
      return h(
        "div",
        { class: "row threshold" },
        h("label", { class: "grow t2", for: input.id }, t.words),
        h("span", { class: "unitfield" }, input, h("span", { class: "small t3" }, t.unit)),
      );
    }),
    h("p", { class: "note" }, "Saved with the link of this page. They count for this browser."),
  );
}
