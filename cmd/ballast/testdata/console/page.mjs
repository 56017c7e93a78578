// The browser, its pages, and what every page is checked for.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

export const [path, url, key, wallet, operator] = process.argv.slice(2);
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: path, args: ["--no-sandbox"] });

export const faults = [];
export const fault = (what) => (faults.push(what), console.log(`fault: ${what}`));
export const check = (ok, what) => ok || fault(what);
/** Tells how far the walk is. */
export const step = (what) => console.log(`${(performance.now() / 1000).toFixed(0)} s: ${what}`);
export const done = () => browser.close();

/** Opens the page in a window of its own: without a key, or with it at an address. prepare is called before. */
export async function open(options, address, prepare = () => {}) {
  const context = await browser.newContext(options);
  if (address !== undefined) await context.addInitScript((k) => sessionStorage.setItem("ballast-key", k), key);
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on("pageerror", (e) => fault(`script: ${e.message}`));
  page.on(
    "console",
    (m) =>
      m.type() === "error" && !/^(Failed to load resource|WebSocket connection to)/.test(m.text()) && fault(m.text()),
  );
  page.on(
    "request",
    (r) => new URL(r.url()).protocol !== "data:" && check(r.url().startsWith(url), `asked elsewhere: ${r.url()}`),
  );
  await prepare(page);
  await page.goto(address === undefined ? url : `${url}#/${address}`);
  return page;
}

export async function giveKey(page, given = key) {
  await page.locator("#key").fill(given);
  await page.getByRole("button", { name: "Use key" }).click();
  await page.locator("#key").waitFor({ state: "detached" });
}

/** Opens the page with the key in use. */
export async function freshPage(options, given = key) {
  const page = await open(options);
  await giveKey(page, given);
  return page;
}

export const goTo = (page, address) => page.evaluate((a) => (location.hash = "#/" + a), address);

/** What of the page is drawn too small, or stands askew. */
function unsightly() {
  const faults = [],
    phone = innerWidth < 900,
    box = (e) => e.getBoundingClientRect();
  for (const text of document.querySelectorAll("svg.chart text")) {
    const size = parseFloat(getComputedStyle(text).fontSize) * Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b);
    if (box(text).width > 0 && size < 10) faults.push(`“${text.textContent}” is ${size.toFixed(1)} px high`);
  }
  for (const head of document.querySelectorAll("table:not(.off) > thead > tr")) {
    const row = head.closest("table").querySelector("tbody > tr");
    if (!row || box(head).height < 2 || box(head.parentElement).width < 2) continue;
    if (Math.abs(box(head).width - box(row).width) > 2) faults.push(`a head is not over its columns: ${head.textContent}`);
  }
  for (const e of document.querySelectorAll(".bar > a, .bar > button, .tabs > *"))
    if (phone && box(e).height > 0 && box(e).height < 40) faults.push(`${box(e).height} px to touch: ${e.textContent}`);
  return faults;
}

/** Checks that axe-core finds nothing serious or critical, that nothing is wider than the window or unsightly. */
export async function usable(page, where) {
  const session = await page.context().newCDPSession(page); // the page's Content-Security-Policy blocks added scripts
  await session.send("Runtime.evaluate", { expression: axe });
  const { result } = await session.send("Runtime.evaluate", {
    expression: "axe.run().then((r) => JSON.stringify(r.violations))",
    awaitPromise: true,
    returnByValue: true,
  });
  for (const v of JSON.parse(result.value)) {
    check(
      !["serious", "critical"].includes(v.impact),
      `${where}: ${v.id}: ${v.help}: ${v.nodes
        .slice(0, 3)
        .map((n) => n.html.slice(0, 160))
        .join(" | ")}`,
    );
  }
  for (const f of await page.evaluate(unsightly)) fault(`${where}: ${f}`);
  const [width, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  check(width <= window, `${where}: ${width} wide in a window of ${window}`);
}
