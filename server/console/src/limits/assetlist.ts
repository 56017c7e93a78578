// A list of markets as a field: each a button that takes it out, and a field to add one.

import { fill, h, icon } from "../dom";

export class AssetList {
  readonly element: HTMLElement;
  private readonly box = h("div", { class: "assetlist field" });
  private readonly names: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly note: HTMLElement;
  private readonly choice: HTMLElement | null;
  private chosen: string[] | null = [];
  private listed: string[] = [];
  private readOnly = false;

  /** optional: the list may be absent, which is everything; otherwise an empty one is none. */
  constructor(
    id: string,
    private readonly label: string,
    private readonly optional: boolean,
    private readonly changed: (list: string[] | null) => void,
  ) {
    const names = `limit-${id}-names`,
      note = `limit-${id}-note`;
    this.names = h("datalist", { id: names });
    this.note = h("p", { class: "small stop", id: note, role: "status" });
    this.input = h("input", {
      id: `limit-${id}`,
      list: names,
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": `${label}: add one`,
      "aria-describedby": note,
      keydown: (e: KeyboardEvent) => this.key(e),
      change: () => this.add(),
    });
    this.choice = optional ? h("div", { class: "segments", role: "group", "aria-label": label }) : null;
    this.element = h(
      "div",
      {},
      h(
        "div",
        { class: "row assethead" },
        h("label", { class: "label grow", for: `limit-${id}` }, label),
        this.choice,
      ),
      this.box,
      this.names,
      this.note,
    );
  }

  /** The assets that the venue lists. */
  list(assets: string[]) {
    this.listed = assets;
    fill(this.names, ...assets.map((value) => h("option", { value })));
  }

  set(list: string[] | null, readOnly: boolean) {
    this.chosen = list && [...list];
    this.readOnly = readOnly;
    this.draw();
  }

  fault(text: string) {
    if (text !== "" || !this.note.textContent?.startsWith("Not listed")) fill(this.note, text);
  }

  private key(e: KeyboardEvent) {
    if (e.key === "Enter" || e.key === ",") {
      e.preventDefault();
      this.add();
    } else if (e.key === "Backspace" && this.input.value === "" && this.chosen?.length) {
      this.take(this.chosen.slice(0, -1));
    }
  }

  private add() {
    const typed = this.input.value.trim();
    if (typed === "") return;
    const name = this.listed.find((a) => a.toLowerCase() === typed.toLowerCase());
    if (!name && this.listed.length > 0) return fill(this.note, `Not listed under this name: ${typed}.`);
    this.input.value = "";
    fill(this.note);
    const list = this.chosen ?? [];
    if (!list.includes(name ?? typed)) this.take([...list, name ?? typed]);
    this.input.focus();
  }

  private take(list: string[] | null) {
    this.chosen = list;
    this.draw();
    this.changed(list);
  }

  private draw() {
    const { chosen: list, optional, readOnly } = this;
    const chip = (name: string) =>
      readOnly
        ? h("span", { class: "tag" }, name)
        : h(
            "button",
            {
              type: "button",
              class: "tag chip",
              "aria-label": `${this.label}: take ${name} out`,
              click: () => {
                this.take(list!.filter((x) => x !== name));
                this.input.focus();
              },
            },
            name,
            " ×",
          );
    const empty =
      list === null
        ? h("span", { class: "t3" }, "all that the venue lists")
        : list.length > 0
          ? null
          : optional
            ? h("span", { class: "caution row" }, icon("caution", 14), "none: nothing may increase")
            : readOnly && h("span", { class: "t3" }, "none");
    const add = !readOnly && list !== null;
    this.input.placeholder = list?.length === 0 && !optional ? "none; add one" : "add";
    fill(this.box, ...(list ?? []).map(chip), empty, add && this.input);
    if (!this.choice) return;
    const option = (text: string, pressed: boolean, to: string[] | null) =>
      h(
        "button",
        {
          type: "button",
          "aria-pressed": String(pressed),
          disabled: readOnly,
          click: () => pressed || this.take(to),
        },
        text,
      );
    fill(this.choice, option("all", list === null, null), option("only these", list !== null, []));
  }
}
