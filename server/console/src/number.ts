// Numbers as people type them: 50k, 1.2m, $50,000, 50 000, 10x, 0.9 BTC. What can be read in two ways is asked,
// not guessed.

export interface Reading {
  value?: number;
  unit?: string; // what stood behind it: "x", or a word such as BTC
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

/** Reads a number, or says why it cannot be read. pointsGroup: three digits behind a point may be thousands. */
export function readNumber(typed: string, pointsGroup = true): Reading {
  const text = typed.trim().replace(/^([+-]?)\s*\$\s*/, "$1");
  const [, digits = "", tail = ""] =
    /^([+-]?[\d.,\s'’_\u00a0\u202f]*\d[\d.,]*(?:e[+-]?\d+(?![\d.]))?)\s*(.*)$/i.exec(text) ?? [];
  const body = digits.trim(),
    word = tail.trim();
  if (body === "") return { problem: "Not a number." };
  const factor = factors[word.toLowerCase()];
  const unit = word === "" || factor !== undefined ? undefined : /^(x|×)$/i.test(word) ? "x" : word;
  if (unit !== undefined && (!/^[x×$a-z][\w:.-]*$/i.test(unit) || /^x\d/i.test(unit)))
    return { problem: "Not a number." };
  const suffix = factor === undefined && unit === undefined ? "" : /^[xkmb×]$/i.test(word) ? word : " " + word;
  const value = (t: string): Reading => ({
    value: Number((Number(t) * (factor ?? 1)).toPrecision(12)),
    unit,
  });
  const ask = (...r: string[]): Reading => ({
    problem: "Can be read in two ways.",
    readings: r.map((t) => t + suffix),
  });
  if (pointsGroup && pointsMayGroup.test(body) && factor === undefined && unit === undefined) {
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
  return { problem: "Not a number: write it like 1,000.50" };
}
