import { readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.TESTDATA ?? join(import.meta.dirname, "../../../testdata");

/** Returns a file of clients/testdata. */
export const load = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"));

export const trade = { asset: "BTC", action: "long", size: 50000, wallet: `0x${"a".repeat(40)}` } as const;
