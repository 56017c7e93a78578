// What moves, what is unusual: all assets in one table, renewed each second.

import { ask } from "../api";
import { fill, h, icon, setText } from "../dom";
import { age } from "../format";
import { patch } from "../patch";
import { link } from "../route";
import type { Context, Screen } from "../screen";
import { Answer, since } from "../store";
import {
  type Column,
  columns,
  comparison,
  dexes,
  type Filter,
  type Listed,
  note,
  passes,
  priceAge,
  standardSort,
} from "./marketlist";
import { Row } from "./marketrow";
import { LastKnown, onClick, searchField, segments, Stage } from "./parts";

const readEvery = 1000,
  resortEvery = 5000; // ms; rows do not move each second
const virtualFrom = 100,
  overscan = 12; // rows beyond the window that are kept ready
const storedStars = "ballast-stars";
const narrow = matchMedia("(max-width: 899px)");

export const markets: Screen = {
  name: "markets",
  title: "Markets",
  mount(root, ctx) {
    const table = new Table(root, ctx);
    return () => table.end();
  },
};

function readStars(): Set<string> {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(storedStars) ?? "[]");
    return new Set(Array.isArray(list) ? list.filter((x): x is string => typeof x === "string") : []);
  } catch {
    return new Set();
  }
}

const lateMs = 1500; // without an answer for so long the rows age by the clock
const priceSoftMs = 1500;

/** An age that nine of ten assets are younger than: one that lags does not make the table old. */
export function typicalAge(assets: readonly Listed[]): number | null {
  const ages = assets
    .map(priceAge)
    .filter((x): x is number => x !== null)
    .sort((a, b) => a - b);
  return ages.length === 0 ? null : ages[Math.floor(0.9 * (ages.length - 1))]!;
}

/** The head of a column: a button that sorts by it. */
const headOf = (c: Column) =>
  c.id === "spark"
    ? c.head
    : h("button", { type: "button", class: "sorter", title: c.title, "data-sort": c.id }, c.head);

function notes(): HTMLElement {
  const key = (k: string) => h("span", { class: "kbd" }, k);
  return h(
    "div",
    { class: "row wrap note" },
    h(
      "span",
      { class: "grow" },
      "A bad day: 1 in 100 ends lower, 1 in 100 higher. ",
      "Funding: positive, longs pay; amber over 50 % a year.",
    ),
    h("span", { class: "nophone" }, key("↑"), key("↓"), " move ", key("↵"), " open ", key("t"), " trade it"),
  );
}

class Table {
  private readonly answer = new Answer<Listed[]>();
  private readonly rows = new Map<string, Row>();
  private readonly byName = new Map<string, Listed>();
  private readonly stars = readStars();
  private readonly body = h("tbody");
  private readonly above = h("tr", { class: "spacer", "aria-hidden": "true" });
  private readonly below = h("tr", { class: "spacer", "aria-hidden": "true" });
  private readonly heads: HTMLElement[];
  private readonly search: ReturnType<typeof searchField>;
  private readonly filters = h("div", { class: "row wrap filters" });
  private readonly youngest = h("span", { class: "small t2 youngest" });
  private readonly shownCount = h("p", { class: "note", role: "status" });
  private readonly table: HTMLTableElement;
  private readonly choice: HTMLSelectElement; // of the order, on a phone
  private readonly stage: Stage<Listed[]>;
  private readonly ended = new AbortController();
  private readonly lastKnown = new LastKnown();
  private order: string[] = [];
  private sortedAt = 0;
  private first = 0;
  private scale = 20; // percent of the day's widest move

  constructor(
    root: HTMLElement,
    private readonly ctx: Context,
  ) {
    this.search = searchField(ctx, "market-search", "Find a market", "Find a market", () => this.arrange(true));
    this.heads = columns.map((c) => h("th", { scope: "col", class: "c-" + c.id }, headOf(c)));
    this.table = h(
      "table",
      { class: "markettable" },
      h("caption", { class: "off" }, "Markets"),
      h("thead", {}, h("tr", {}, ...this.heads)),
      this.body,
    );
    this.choice = h(
      "select",
      { class: "field low sortselect", "aria-label": "Order", change: () => this.sortBy(this.choice.value) },
      ...columns.filter((c) => c.id !== "spark").map((c) => h("option", { value: c.id }, `by ${c.head}`)),
    );
    const card = h("section", { class: "card marketscard" }, this.table);
    this.stage = new Stage(ctx, this.answer, h("div", {}, card, this.shownCount, notes()), "the markets");
    const bar = h("div", { class: "row wrap marketbar" }, this.search.element, this.filters, this.choice, this.youngest);
    fill(root, h("h1", { class: "off" }, "Markets"), bar, this.stage.element);
    this.listen(root);
    ctx.poll(
      readEvery,
      (signal) => this.read(signal),
      (f) => this.stage.failed(f),
    );
    ctx.onTick(() => this.tick());
    ctx.onParams(() => {
      this.search.input.value = ctx.params().get("q") ?? "";
      this.arrange(true);
    });
  }

  end() {
    this.ended.abort();
    this.stage.end();
  }

  private listen(root: HTMLElement) {
    const { signal } = this.ended;
    addEventListener("scroll", () => this.place(), { signal, passive: true });
    addEventListener("resize", () => this.place(), { signal });
    onClick(root, "data-sort", (b) => this.sortBy(b.dataset.sort!));
    onClick(this.filters, "data-value", (b) => {
      const name = b.dataset.name!,
        now = this.ctx.params().get(name),
        value = b.dataset.value!;
      this.ctx.setParams({ [name]: name === "only" && now === value ? null : value === "all" ? null : value });
      this.arrange(true);
    });
    this.body.addEventListener("click", (e) => {
      const at = e.target instanceof Element ? e.target : null,
        star = at?.closest<HTMLElement>("[data-star]");
      if (star) this.toggleStar(star.dataset.star!);
      else if (!at?.closest("a"))
        location.hash = link("market/" + (at?.closest<HTMLElement>("tr")?.dataset.name ?? ""));
    });
    this.search.input.addEventListener("keydown", (e) => {
      if (e.key === "Enter" && this.order[0] !== undefined) location.hash = link("market/" + this.order[0]);
      else if (e.key === "ArrowDown") this.focus(0);
      else if (e.key === "Escape") this.search.input.blur();
      else return;
      e.preventDefault();
    });
    const move = (by: number) => () => this.focus(this.focused() + by);
    this.ctx.keys({
      "/": () => this.search.input.focus(),
      j: move(1),
      k: move(-1),
      ArrowDown: move(1),
      ArrowUp: move(-1),
      t: () => (location.hash = link("trade", { a: this.order[Math.max(0, this.focused())] })),
    });
  }

  private focused(): number {
    const name = document.activeElement?.closest<HTMLElement>("tr")?.dataset.name;
    return name === undefined ? -1 : this.order.indexOf(name);
  }

  /** Moves the focus to a row, which is scrolled into the window first. */
  private focus(to: number) {
    const at = Math.max(0, Math.min(this.order.length - 1, to)),
      height = this.rowHeight();
    if (at < 0) return;
    const top = this.body.getBoundingClientRect().top + at * height;
    if (top < 110) scrollBy(0, top - 110);
    else if (top + height > innerHeight - 70) scrollBy(0, top + height - innerHeight + 70);
    this.place();
    this.rows.get(this.order[at]!)?.link.focus({ preventScroll: true });
  }

  private async read(signal: AbortSignal) {
    const { assets } = await ask<{ assets: Listed[] }>("/v1/assets", { signal });
    const changed = assets.length !== this.byName.size || assets.some((a) => !this.byName.has(a.name));
    this.byName.clear();
    for (const a of assets) this.byName.set(a.name, a);
    note(assets, Date.now());
    const ageMs = this.lastKnown.age(typicalAge(assets));
    this.answer.set(assets, [{ name: "market", ageMs, softMs: priceSoftMs }]);
    this.scale = Math.max(
      5,
      ...assets
        .map((a) => (a.day ? Math.max(a.day.up_99_pct, -a.day.down_99_pct) : 0))
        .sort((a, b) => a - b)
        .slice(0, Math.ceil(0.97 * assets.length)),
    );
    this.ctx.watch(this.answer);
    this.stage.arrived();
    this.arrange(changed);
    this.write();
    this.tick();
  }

  private sort(): { id: string; falling: boolean } {
    const id = this.ctx.params().get("sort") ?? standardSort,
      column = columns.find((c) => c.id === id) ?? columns.find((c) => c.id === standardSort)!;
    const dir = this.ctx.params().get("dir");
    return { id: column.id, falling: dir === null ? !column.rising : dir === "down" };
  }

  private sortBy(id: string) {
    const now = this.sort(),
      column = columns.find((c) => c.id === id)!;
    const falling = now.id === id ? !now.falling : !column.rising;
    this.ctx.setParams({
      sort: id === standardSort ? null : id,
      dir: falling === !column.rising ? null : falling ? "down" : "up",
    });
    this.arrange(true);
  }

  private filter(): Filter {
    const p = this.ctx.params(),
      dex = p.get("dex");
    return {
      text: p.get("q") ?? "",
      dex: dex === null ? null : dex === "main" ? "" : dex,
      only: p.get("only") ?? "",
    };
  }

  /** Chooses and orders the rows. Unless the reader asks, at most every 5 s and not with the focus in the table. */
  private arrange(asked: boolean) {
    if (!asked && (performance.now() - this.sortedAt < resortEvery || this.body.contains(document.activeElement)))
      return;
    this.sortedAt = performance.now();
    const { id, falling } = this.sort(),
      f = this.filter(),
      all = [...this.byName.values()];
    this.order = all
      .filter((a) => passes(a, f, this.stars))
      .sort(comparison(id, falling))
      .map((a) => a.name);
    this.heads.forEach((head, i) =>
      columns[i]!.id === id
        ? head.setAttribute("aria-sort", falling ? "descending" : "ascending")
        : head.removeAttribute("aria-sort"),
    );
    this.choice.value = id;
    this.search.input.placeholder = `Find one of ${all.length} markets`;
    const chosen = f.dex === null ? "all" : f.dex === "" ? "main" : f.dex,
      found = dexes(all);
    patch(
      this.filters,
      h(
        "div",
        { class: "segmentscroll" },
        segments(
          "dex",
          "Dex",
          [
            ["all", `All ${all.length}`],
            ...found.map(([d, n]): [string, string] => [d || "main", `${d || "Main"} ${n}`]),
          ],
          chosen,
        ),
      ),
      segments(
        "only",
        "Only",
        [
          ["starred", h("span", { title: "starred" }, icon("star", 14), h("span", { class: "off" }, "starred"))],
          ["stressed", "stressed"],
          ["cap", "at cap"],
        ],
        f.only,
      ),
    );
    setText(this.shownCount, this.order.length === 0 && all.length > 0 ? "No market is like that." : "");
    this.place();
  }

  private rowHeight = () => (narrow.matches ? 52 : 27);

  /** Puts the rows into the table that are in the window, or near it. */
  private place() {
    const n = this.order.length,
      height = this.rowHeight();
    let from = 0,
      to = n;
    if (n >= virtualFrom) {
      const top = this.body.getBoundingClientRect().top;
      from = Math.max(0, Math.min(n, Math.floor(-top / height) - overscan));
      to = Math.max(from, Math.min(n, Math.ceil((innerHeight - top) / height) + overscan));
    }
    this.first = from;
    const wanted = this.order.slice(from, to).map((name) => this.row(name).element);
    const now = [...this.body.children].slice(1, -1);
    if (now.length !== wanted.length || wanted.some((e, i) => e !== now[i])) {
      const focus = document.activeElement;
      this.body.replaceChildren(this.above, ...wanted, this.below);
      if (focus instanceof HTMLElement && focus !== document.activeElement && this.body.contains(focus))
        focus.focus({ preventScroll: true });
      this.write();
    }
    this.above.style.height = `${from * height}px`;
    this.below.style.height = `${(n - to) * height}px`;
    this.table.setAttribute("aria-rowcount", String(n + 1));
  }

  private row(name: string): Row {
    let row = this.rows.get(name);
    if (!row) this.rows.set(name, (row = new Row(name)));
    return row;
  }

  private write() {
    const late = since(this.answer.received),
      at = Date.now();
    [...this.body.children].slice(1, -1).forEach((e, i) => {
      const name = this.order[this.first + i]!,
        a = this.byName.get(name);
      if (a && e === this.rows.get(name)?.element)
        this.rows.get(name)!.write(a, late, this.scale, this.stars.has(name), at);
    });
  }

  private tick() {
    if (since(this.answer.received) > lateMs) this.write(); // else an answer has just done so
    const assets = this.answer.value;
    if (!assets) return setText(this.youngest, "");
    const late = since(this.answer.received),
      ages = assets.map((a): [number | null, string] => [priceAge(a), a.name]);
    const oldest = ages.reduce<[number, string]>(
      (m, [ms, name]) => (ms !== null && ms > m[0] ? [ms, name] : m),
      [0, ""],
    );
    const missing = ages.filter(([ms]) => ms === null).length;
    setText(
      this.youngest,
      `oldest price ${age(oldest[0] + late)}` +
        (oldest[0] > 3000 ? ` (${oldest[1]})` : "") +
        (missing > 0 ? `, ${missing} without a price` : ""),
    );
  }

  private toggleStar(name: string) {
    if (!this.stars.delete(name)) this.stars.add(name);
    localStorage.setItem(storedStars, JSON.stringify([...this.stars]));
    this.write();
    if (this.filter().only === "starred") this.arrange(true);
  }
}
