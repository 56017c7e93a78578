// The recorded decisions of a range of time, newest first: the newest page is read again and again, older ones when
// they are asked for.

import { ask, type Decision, type Decisions } from "../api";
import { keyOf, timeOf } from "./decision";

const newestRows = 50, // read again and again
  pageRows = 500,
  readAtFirst = 1000, // for the counts
  mostKept = 5000;

export class Log {
  list: Decision[] = [];
  complete = false; // everything of the range was read
  private readonly known = new Map<string, Decision>();
  private cursor: string | null = null; // of the page after the oldest that was read
  private from = "";

  /** hours: how far back the list goes from now. */
  constructor(private readonly hours: number) {}

  private oldest = () => Date.now() - 3_600_000 * this.hours;

  /** Reads what is new; at the first time the newest pages. */
  async read(signal: AbortSignal) {
    const first = this.from === "";
    if (first) this.from = new Date(this.oldest()).toISOString();
    let page = await this.page(null, first ? pageRows : newestRows, signal);
    const gap = !first && page.decisions.length > 0 && !page.decisions.some((d) => this.known.has(keyOf(d)));
    if (gap && this.list.length > 0) {
      this.known.clear(); // more is new than one page has
      this.cursor = null;
      this.complete = false;
    }
    this.take(page, first || gap);
    while ((first || gap) && this.cursor !== null && this.known.size < readAtFirst) {
      page = await this.page(this.cursor, pageRows, signal);
      this.take(page, true);
    }
    this.order();
  }

  /** Reads the next older page. Returns whether there was one. */
  async more(): Promise<boolean> {
    if (this.cursor === null || this.known.size >= mostKept) return false;
    this.take(await this.page(this.cursor, pageRows), true);
    this.order();
    return true;
  }

  private page(cursor: string | null, rows: number, signal?: AbortSignal): Promise<Decisions> {
    const query = new URLSearchParams({ from: this.from, limit: String(rows) });
    if (cursor !== null) query.set("cursor", cursor);
    return ask<Decisions>("/v1/decisions?" + query, { signal });
  }

  private take(page: Decisions, oldest: boolean) {
    for (const d of page.decisions) this.known.set(keyOf(d), d);
    if (!oldest) return;
    this.cursor = page.next_cursor ?? null;
    this.complete = this.cursor === null;
  }

  private order() {
    const oldest = this.oldest();
    for (const [key, d] of this.known) if (timeOf(d) < oldest) this.known.delete(key);
    this.list = [...this.known.values()].sort((a, b) => timeOf(b) - timeOf(a) || (keyOf(a) < keyOf(b) ? 1 : -1));
  }

  find(key: string): Decision | undefined {
    return this.known.get(key);
  }

  /** Asks for a decision that is not in the list. */
  async fetch(key: string): Promise<Decision> {
    const [, id = key, index = "0"] = /^(.*)~(\d+)$/.exec(key) ?? [];
    const found = await ask<Decision>("/v1/decisions/" + encodeURIComponent(id));
    return found.batch?.find((d) => String(d.index ?? 0) === index) ?? found;
  }
}
