// Numbers as people type them: 50k, 1.2m, $50,000, 50 000, 50k usd, 10x, 0.9 BTC. What can be read in two ways is
// asked, not guessed.

export interface Reading {
  value?: number;
  unit?: string; // what stood beside it: "x", "USD", or a word such as BTC
  problem?: string;
  readings?: string[]; // what it may mean
}

const plain = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const grouped = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;
const spaced = /^[+-]?[1-9]\d{0,2}([ \u00a0\u202f'’_]\d{3})+(\.\d*)?$/;
const decimalComma = /^([+-]?)(\d+),(\d+)$/;
const continental = /^[+-]?[1-9]\d{0,2}(\.\d{3})+,\d+$/; // 1.000,50
const pointsMayGroup = /^[+-]?[1-9]\d{0,2}\.\d{3}$/; // 50.000 is fifty, or fifty thousand
const factors: Record<string, number> = { k: 1e3, m: 1e6, b: 1e9 };
const shape = // sign, dollar, digits, factor, unit
  /^([+-]?)\s*(us\$|\$|usdc?)?\s*([\d.,\s'’_\u00a0\u202f]*\d[\d.,]*(?:e[+-]?\d+(?![\d.]))?)\s*([kmb](?=$|\s|\$|usd))?\s*(.*)$/i;
const unread: Reading = { problem: "Not a number: write it like 1,000.50 or 50k." };

const unitNamed = (word: string) => (/^((us)?\$|usdc?)$/i.test(word) ? "USD" : /^[x×]$/i.test(word) ? "x" : word);

/** Reads a number, or says why it cannot be read. pointsGroup: three digits behind a point may be thousands. */
export function readNumber(typed: string, pointsGroup = true): Reading {
  const [, sign = "", before, digits, short = "", after] = shape.exec(typed.trim()) ?? [];
  if (digits === undefined) return unread;
  const body = sign + digits.trim(),
    factor = factors[short.toLowerCase()],
    [unit, other = unit] = [before, after].filter((w) => w).map((w) => unitNamed(w!));
  if (unit !== undefined && (!/^[a-z][\w:.-]*$/i.test(unit) || /^x\d/i.test(unit))) return unread;
  if (other !== unit) return { problem: `${unit} or ${other}? Write one of them.` };
  const suffix = short + (unit === undefined || unit === "x" ? (unit ?? "") : " " + unit);
  const value = (t: string): Reading => ({
    value: Number((Number(t) * (factor ?? 1)).toPrecision(12)),
    unit,
  });
  const ask = (...r: string[]): Reading => ({
    problem: "Can be read in two ways.",
    unit,
    readings: r.map((t) => t + suffix),
  });
  if (pointsGroup && pointsMayGroup.test(body) && factor === undefined && (unit ?? "USD") === "USD") {
    return ask(String(Number(body)), body.replace(".", ""));
  }
  if (plain.test(body)) return value(body);
  if (grouped.test(body)) return value(body.replaceAll(",", ""));
  if (spaced.test(body)) return value(body.replace(/[\s'’_]/g, ""));
  const comma = decimalComma.exec(body);
  if (comma) return ask(comma[1]! + comma[2]! + "." + comma[3]!, comma[1]! + comma[2]! + comma[3]!);
  if (continental.test(body)) {
    const [whole, part] = body.split(",") as [string, string];
    return ask(whole.replaceAll(".", "") + "." + part, whole.replaceAll(".", "") + part);
  }
  return unread;
}
