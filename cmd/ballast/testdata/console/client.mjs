// Walks through the console in Chromium: node client.mjs BROWSER URL KEY WALLET. Ends with
// status 0 when everything was as it should be.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [path, url, key, wallet] = process.argv.slice(2);
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: path, args: ["--no-sandbox"] });
const faults = [];
const check = (ok, what) => ok || faults.push(what);

async function open(options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on("pageerror", (e) => faults.push(`script: ${e.message}`));
  page.on("console", (m) => m.type() === "error" && !/^(Failed to load resource|WebSocket connection to)/.test(m.text()) && faults.push(m.text()));
  page.on("request", (r) => new URL(r.url()).protocol !== "data:" && check(r.url().startsWith(url), `asked elsewhere: ${r.url()}`));
  await page.goto(url);
  return page;
}

async function giveKey(page) {
  await page.getByLabel("API key", { exact: true }).and(page.locator("input")).fill(key);
  await page.getByRole("button", { name: "Use key" }).click();
  await page.locator("tbody tr").first().waitFor();
}

const goTo = (page, hash) => page.goto(url + "#" + hash);

async function fill(page, fields) {
  for (const [name, value] of Object.entries(fields)) await page.locator(`[name=${name}]`).fill(value);
}

/** Checks that axe-core finds nothing serious or critical, and that nothing is wider than the window. */
async function usable(page, where) {
  const session = await page.context().newCDPSession(page); // the page's Content-Security-Policy blocks added scripts
  await session.send("Runtime.evaluate", { expression: axe });
  const { result } = await session.send("Runtime.evaluate", { expression: "axe.run().then((r) => JSON.stringify(r.violations))", awaitPromise: true, returnByValue: true });
  for (const v of JSON.parse(result.value)) {
    check(!["serious", "critical"].includes(v.impact), `${where}: ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join(" | ")}`);
  }
  const [width, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  check(width <= window, `${where}: ${width} wide in a window of ${window}`);
}

/** Checks that an ambiguous number is rejected beside its field without a request, and that commas between groups of three digits are accepted. */
async function numbers(page, name) {
  const asked = [], note = (r) => r.url().includes("/v1/validate") && asked.push(r.postDataJSON());
  page.on("request", note);
  const assess = async (fields) => {
    await fill(page, fields);
    await page.getByRole("button", { name: "Assess" }).click();
    await page.locator("#validate-title ~ .answer > :first-child").waitFor();
  };
  await page.locator("[name=action]").selectOption("long");
  for (const text of ["2,5", "1.000,50", "0x10", "1,00", "12,3456", "0,500", "1 000", "1,000.000,5", "50.000", "ten"]) {
    await assess({ asset: "ETH", size: "100", leverage: text });
    check((await page.locator("#hint-leverage").textContent()).includes(`“${text}”`), `${name}: nothing beside a leverage of ${text}`);
    check(await page.locator("[name=leverage][aria-invalid]").count() === 1, `${name}: ${text} is not marked`);
  }
  check((await page.locator("#hint-leverage").textContent()).includes("1000.50"), `${name}: no way to write a number`);
  await assess({ size: "1.000,50", leverage: "2,5" });
  check(await page.locator(".error li").count() === 2, `${name}: two numbers that cannot be read, and not two problems`);
  check(asked.length === 0, `${name}: asked for ${JSON.stringify(asked)}`);
  for (const [text, value] of [["1,000.50", 1000.5], ["1000.50", 1000.5], ["1,000,000", 1e6], ["2e3", 2000], [" 2500 ", 2500], ["-1", -1]]) {
    asked.length = 0;
    await assess({ size: text, leverage: "2.5" });
    check(asked[0]?.size === value && asked[0].leverage === 2.5, `${name}: ${text} was asked as ${JSON.stringify(asked)}`);
  }
  page.off("request", note);
}

/** Checks every screen in one window size and colour scheme. */
async function walk(name, options) {
  const page = await open(options);
  await page.getByText("API key", { exact: true }).waitFor();
  await usable(page, `${name}, without a key`);
  await page.evaluate(() => document.querySelector("form[aria-label=Trade]").requestSubmit());
  await page.locator(".key .error", { hasText: "none has been typed" }).waitFor();
  check(!(await page.locator(".key").textContent()).includes("revoked"), `${name}: a key that nobody typed is called revoked`);
  await usable(page, `${name}, asked without a key`);
  await giveKey(page);
  await page.getByText("SIMULATED VENUE").or(page.getByText(": live")).first().waitFor();
  await usable(page, `${name}, markets`);

  await goTo(page, `validate?asset=ETH&size=9000000&leverage=20&wallet=${wallet}`);
  await page.getByRole("button", { name: "Assess" }).click();
  await page.locator(".verdict.abort").waitFor();
  check(await page.locator(".chart canvas").isVisible(), `${name}: no chart`);
  check((await page.locator("pre").first().textContent()).includes("$KEY"), `${name}: no curl to copy`);
  check(!(await page.content()).includes(key), `${name}: the key stands in the page`);
  await usable(page, `${name}, abort`);

  await page.locator("[name=action]").selectOption("close");
  await fill(page, { size: "100" });
  await page.getByText("The form has changed").waitFor();
  await page.getByRole("button", { name: "Assess" }).click();
  await page.locator(".verdict.proceed").waitFor();

  await fill(page, { asset: "eth", size: "-1" });
  await page.getByRole("button", { name: "Assess" }).click();
  await page.locator(".error").waitFor();
  check(await page.locator("[name=size]").getAttribute("aria-invalid") === "true", `${name}: the wrong field is not marked`);
  check(await page.locator(".verdict").count() === 0, `${name}: an old verdict beside an error`);
  await usable(page, `${name}, error`);
  await fill(page, { size: "100" });
  await page.getByRole("button", { name: "Assess" }).click();
  await page.getByText("Try: ETH").first().waitFor();
  await numbers(page, name);

  await goTo(page, `wallet?address=${wallet}`);
  await page.getByRole("heading", { name: "Positions" }).waitFor({ timeout: 5000 }); // at once, not after a polling interval
  await page.locator(".alerts li").first().waitFor();
  const [, own = "", book = "", why] = /on their own ([\d,.]+) USD; the book as a whole ([\d,.]+) USD, (less|more)/.exec(await page.locator("main").textContent()) ?? [];
  const amount = (text) => Number(text.replaceAll(",", ""));
  check(why === (amount(book) < amount(own) ? "less" : "more"), `${name}: the book's loss of ${book} is called ${why} than ${own}`);
  await usable(page, `${name}, wallet`);
  await goTo(page, "evidence");
  await page.getByText("Each asset", { exact: true }).waitFor();
  await page.getByRole("button", { name: "BTC", exact: true }).click();
  await page.getByRole("heading", { name: "BTC over time" }).waitFor();
  check(await page.locator(".chart canvas").count() === 2, `${name}: no chart of the breaches`);
  await usable(page, `${name}, evidence`);
  await goTo(page, "health");
  await page.getByRole("heading", { name: "Service: " }).waitFor();
  await usable(page, `${name}, health`);
  return page;
}

/** Checks that the page reopens an alert socket that was cut, and subscribes again. */
async function socketIsCut() {
  const page = await open(light), sockets = [];
  await page.routeWebSocket(/\/v1\/alerts\/ws/, (socket) => (socket.connectToServer(), sockets.push(socket)));
  await giveKey(page);
  await goTo(page, `wallet?address=${wallet}`);
  await page.getByText(`Subscribed to ${wallet}`).waitFor();
  await sockets[0].close({ code: 1013 });
  await page.getByText("Alerts until then are lost").waitFor();
  await page.getByText(`Subscribed to ${wallet}`).waitFor();
  check(sockets.length === 2, `${sockets.length} sockets`);
  await page.context().close();
}

/** Checks that the page says that the service is gone, and recovers when it is back. */
async function serviceIsRestarted() {
  const page = await open(light);
  await giveKey(page);
  await goTo(page, `wallet?address=${wallet}`);
  await page.locator(".alerts li").first().waitFor();
  await page.getByText(`Subscribed to ${wallet}`).waitFor();
  console.log("ready for restart");
  await page.getByText("Alerts until then are lost").waitFor();
  await page.getByText(`Subscribed to ${wallet}`).waitFor({ timeout: 60_000 });
  await page.locator(".venue:not(.bad)", { hasText: ": live" }).waitFor({ timeout: 60_000 });
  const heard = await page.locator(".alerts li").count();
  await page.waitForFunction((n) => document.querySelectorAll(".alerts li").length > n, heard, { timeout: 30_000 }); // alerts of the next monitor call
  check(await page.locator(".error").count() === 0, "an error stands there after the restart");
  await page.context().close();
}

/** Checks that the keyboard alone leads from the opened page to a verdict. */
async function keyboardOnly() {
  const page = await open({});
  const tabTo = async (selector) => {
    for (let i = 0; i < 400; i++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate((s) => document.activeElement.matches(s), selector)) return;
    }
    throw new Error(`the keyboard does not reach ${selector}`);
  };
  await tabTo("#key");
  await page.keyboard.type(key);
  await page.keyboard.press("Enter");
  await page.locator("tbody tr").first().waitFor();
  await tabTo("th[aria-sort] button");
  await page.keyboard.press("Enter");
  check(await page.locator("th[aria-sort=ascending]").count() === 1, "the keyboard does not sort");
  await tabTo("tbody a");
  await page.keyboard.press("Enter");
  await page.locator("[name=asset]").waitFor();
  await tabTo("[name=size]");
  await page.keyboard.type("100");
  await tabTo("[name=wallet]");
  await page.keyboard.type(wallet);
  await page.keyboard.press("Enter");
  await page.locator(".verdict").waitFor();
  await page.context().close();
}

const light = { viewport: { width: 1280, height: 900 }, colorScheme: "light" };
try {
  const page = await walk("light", light);
  await page.context().close();
  await (await walk("dark", { ...light, colorScheme: "dark" })).context().close();
  await (await walk("phone", { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true })).context().close();
  await keyboardOnly();
  await socketIsCut();
  await serviceIsRestarted();

  const begun = performance.now();
  const last = await open(light);
  await giveKey(last);
  await last.getByText(": live").first().waitFor();
  const live = performance.now() - begun;
  console.log(`live after ${live.toFixed(0)} ms`);
  check(live < 3000, `live after ${live} ms`); // 1 s on a machine that does nothing else
  const tasks = async (session) => (await session.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value;
  const session = await last.context().newCDPSession(last);
  await session.send("Performance.enable");
  await last.waitForTimeout(5000);
  const before = await tasks(session);
  await last.waitForTimeout(5000);
  const share = (await tasks(session) - before) / 5;
  console.log(`the table of ${await last.locator("tbody tr").count()} markets takes ${(100 * share).toFixed(1)} % of a core`);
  check(share < 0.2, `the table takes ${share} of a core`); // 0.1 on a machine that does nothing else
  console.log("ready for silence");
  await last.getByText(/The venue (has been silent|is not connected)/).waitFor({ timeout: 60_000 });
  console.log("ready for revocation");
  await last.locator(".key .error", { hasText: "invalid API key" }).waitFor({ timeout: 30_000 });
  check(await last.locator("#key").isVisible(), "no field for another key");
  check(!(await last.locator("tbody").first().isVisible()), "figures stand there without a key");
  await usable(last, "a revoked key");
} catch (cause) {
  faults.push(cause.stack);
}
await browser.close();
for (const f of faults) console.log(f);
process.exit(faults.length > 0 ? 1 : 0);
