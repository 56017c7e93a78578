// Parses numbers as people type them. If a comma or a point is ambiguous, it asks instead of guessing.

const plain = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const grouped = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;
const pointsMayGroup = /^[+-]?[1-9]\d{0,2}\.\d{3}$/; // 50.000 is fifty, or fifty thousand

/** Reads a number, or says why it cannot be read. */
export function readNumber(text: string): { value: number; problem?: undefined } | { value?: undefined; problem: string } {
  if (pointsMayGroup.test(text)) {
    const x = Number(text);
    return { problem: `“${text}” can be read in two ways: write ${x % 1 === 0 ? x : text + "0"} or ${text.replace(".", "")}` };
  }
  if (!plain.test(text) && !grouped.test(text)) {
    return { problem: `“${text}” is not a number that can be read in one way only: write it like 1000.50, with a point before decimals and commas only between groups of three, as in 1,000,000` };
  }
  return { value: Number(text.replaceAll(",", "")) };
}
