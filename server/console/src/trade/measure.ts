// Widths of chart texts, as the browser draws them.

import type { Measure } from "./labels";

let context: CanvasRenderingContext2D | null = null;
const known = new Map<string, number>();

export const measure: Measure = (text, size, bold) => {
  const key = `${size}${bold}${text}`;
  const had = known.get(key);
  if (had !== undefined) return had;
  context ??= document.createElement("canvas").getContext("2d")!;
  context.font = `${bold ? 600 : 400} ${size}px "Segoe UI", Roboto, "Helvetica Neue", Arial, system-ui, sans-serif`;
  const width = context.measureText(text).width;
  if (known.size > 2000) known.clear();
  known.set(key, width);
  return width;
};
