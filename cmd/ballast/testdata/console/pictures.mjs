// Draws two pictures of docs: node pictures.mjs BROWSER URL KEY ADDRESS FOLDER REPORT. The report is a file with the
// terminal's text; the console shows what ADDRESS, the part after #, says.
import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";

const [path, url, key, address, folder, report] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: path, args: ["--no-sandbox"] });

/** The terminal's text as HTML: its colours are those of cmd/ballast/colour.go. */
function html(text) {
  const style = { 1: "font-weight:bold", "1;31": "color:#ff6b68;font-weight:bold", "1;32": "color:#4fd67b;font-weight:bold", "1;33": "color:#ffc857;font-weight:bold", 31: "color:#ff6b68", 32: "color:#4fd67b", 33: "color:#ffc857", 34: "color:#6fb3ff" };
  const safe = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("\r", "");
  return safe.replace(/\x1b\[([0-9;]*)m/g, (_, code) => (code === "0" || code === "" ? "</span>" : `<span style="${style[code] ?? ""}">`));
}

const terminal = await browser.newPage({ viewport: { width: 900, height: 800 } });
await terminal.setContent(`<body style="margin:0"><pre style="display:inline-block;margin:0;padding:16px;background:#14171c;color:#d7dae0;font:13px/1.35 'DejaVu Sans Mono',monospace">${html(await readFile(report, "utf8"))}</pre>`);
await terminal.locator("pre").screenshot({ path: `${folder}/report.png` });

const context = await browser.newContext({ viewport: { width: 1440, height: 1240 }, colorScheme: "dark" });
await context.addInitScript((k) => sessionStorage.setItem("ballast-key", k), key);
const page = await context.newPage();
await page.goto(`${url}/#${address}`);
page.setDefaultTimeout(60_000);
for (const part of [".verdict .number", ".panel-curve", ".rung", ".book", ".verdict:not(.v-old):not(.other) .number"])
  await page.locator(part).first().waitFor();
await page.screenshot({ path: `${folder}/console.png` });
await browser.close();
