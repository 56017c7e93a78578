// The card that asks for an API key, and tries it at once.

import { ask, Failure, useKey } from "./api";
import { fill, h, icon, setInvalid } from "./dom";

const unknownKey = "This service does not know that key: a typing error, revoked, or of another service.";

/** Builds the card. given is called with a key that the service took, tried with one that it refused;
 * refused says that the last one was not taken. */
export function keyCard(given: () => void, refused: boolean, tried: () => void): HTMLElement {
  const input = h("input", {
    id: "key",
    class: "field mono grow",
    type: "password",
    required: true,
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "blst_…",
    "aria-describedby": "key-fault",
    input: () => say(""),
  });
  const keep = h("input", { type: "checkbox", id: "keep" });
  const fault = h("p", { id: "key-fault", class: "fault", role: "alert" });
  const button = h("button", { type: "submit", class: "button main tall" }, "Use key");
  const say = (text: string) => {
    fill(fault, text !== "" && icon("stop", 14), text !== "" && h("span", { class: "grow" }, text));
    setInvalid(input, text !== "");
  };
  const submit = async (e: Event) => {
    e.preventDefault();
    const key = input.value.trim();
    if (key === "") {
      say("Type a key.");
      return;
    }
    button.disabled = true;
    try {
      await ask("/v1/model-info", { key });
      useKey(key, keep.checked);
      given();
    } catch (cause) {
      const known = cause instanceof Failure && cause.status !== 401;
      if (!known) tried();
      say(known ? cause.message : unknownKey);
      input.focus();
    } finally {
      button.disabled = false;
    }
  };
  if (refused) say(unknownKey);
  return h(
    "form",
    { class: "card keycard grid", novalidate: true, "aria-labelledby": "key-title", submit },
    h("h1", { id: "key-title" }, "Paste a key to see answers"),
    h(
      "p",
      { class: "t2" },
      "The service printed one when it first started; or run ",
      h("code", {}, "ballast keys issue --email you@example.com"),
    ),
    h("div", { class: "row" }, h("label", { class: "off", for: "key" }, "API key"), input, button),
    fault,
    h("label", { class: "row small t2" }, keep, "keep it until this tab closes"),
  );
}
