// Walks through the console in Chromium: node client.mjs BROWSER URL KEY WALLET. Ends with
// status 0 when everything was as it should be.
import { ages, soon } from "./ages.mjs";
import { form } from "./form.mjs";
import { check, done, fault, faults, freshPage, giveKey, goTo, key, open, step, usable, wallet } from "./page.mjs";
import { alertsAreGrouped, marketsByKeyboard, more, screens } from "./screens.mjs";
import { keyboard, listComesLate, live, randomTrades, trade } from "./trade.mjs";

const desktop = { viewport: { width: 1440, height: 900 } };
const light = { ...desktop, colorScheme: "light" },
  dark = { ...desktop, colorScheme: "dark" };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: "dark" };

/** Checks the card that asks for a key: a wrong one is told at once, a right one opens the screen. */
async function keyCard(name, page) {
  await page.getByRole("heading", { name: "Paste a key" }).waitFor();
  await usable(page, `${name}, without a key`);
  await page.locator("#key").fill("blst_wrong");
  await page.getByRole("button", { name: "Use key" }).click();
  await page.getByText("This service does not know that key").waitFor();
  check((await page.locator("#key").inputValue()) === "blst_wrong", `${name}: the wrong key is gone from its field`);
  await usable(page, `${name}, wrong key`);
  await giveKey(page);
}

/** Checks every screen in one window size and colour scheme. */
async function walk(name, options) {
  const page = await open(options);
  await keyCard(name, page);
  await page.getByText("What would you like to do?").waitFor();
  await page.getByText("CUSTOM").first().waitFor(); // a venue at an address of its own
  check((await page.title()).startsWith("CUSTOM "), `${name}: the title is ${await page.title()}`);
  await usable(page, `${name}, empty form`);
  await trade(page, name);
  await screens(page, name);
  if (options.isMobile) await more(page, name);
  check(!(await page.content()).includes(key), `${name}: the key stands in the page`);
  await page.context().close();
}

/** Checks that the page opens an alert socket that was cut anew, and subscribes again. */
async function socketIsCut() {
  const page = await freshPage(light),
    sockets = [],
    sent = [];
  await page.routeWebSocket(/\/v1\/alerts\/ws/, (socket) => {
    const server = socket.connectToServer();
    sockets.push(socket);
    socket.onMessage((m) => (sent.push(m), server.send(m)));
  });
  await goTo(page, `wallet?w=${wallet}`);
  await page.getByText("Alerts", { exact: true }).first().waitFor();
  while (sent.length < 1) await page.waitForTimeout(50);
  await sockets[0].close({ code: 1013 });
  for (let i = 0; sent.length < 2 && i < 400; i++) await page.waitForTimeout(50);
  check(sockets.length === 2 && sent.length >= 2, `${sockets.length} sockets, ${sent.length} subscriptions`);
  await page.context().close();
}

/** Checks that the page says that the service is gone, and recovers when it is back. */
async function serviceIsRestarted() {
  const page = await freshPage(light);
  await goTo(page, `trade?a=BTC&d=long&usd=50000&x=10&w=${wallet}`);
  await page.locator(".verdict .word").waitFor();
  const health = await open(light, "health");
  await health.getByText("All is well").waitFor();
  console.log("ready for its end");
  await page.locator(".pill.stop", { hasText: "no connection to the service" }).waitFor({ timeout: 60_000 });
  await page.locator(".verdict.v-old").waitFor({ timeout: 60_000 }); // its figures aged meanwhile
  await health.getByRole("heading", { name: "The service does not answer" }).waitFor({ timeout: 20_000 });
  await health.context().close();
  console.log("ready for its start");
  await page.locator(".verdict:not(.v-old) .number").waitFor({ timeout: 90_000 });
  await page.locator(".pill.stop").waitFor({ state: "detached" }); // the header asks every two seconds
  await page.context().close();
}

/** Checks that a screen marks its figures while the venue is silent, and then shows none. */
async function screenIsSilent(name, page, figures) {
  await page.locator(".staleline").waitFor({ timeout: 60_000 });
  await page.getByRole("heading", { name: "No answer" }).waitFor({ timeout: 60_000 });
  check((await page.locator(figures).filter({ visible: true }).count()) === 0, `${name}: figures where no answer is`);
}

/** Checks what the screens do when the venue falls silent, and when the key is revoked. */
async function venueIsSilent(page) {
  const others = [];
  for (const [address, figures] of [
    ["markets", "tr[data-name] .c-mark"],
    ["market/BTC", ".strip .figure"],
    [`wallet?w=${wallet}`, ".walletstrip .figure"],
    ["health", ".thirds td"],
  ]) {
    const page = await open(light, address);
    await page.locator(figures).filter({ visible: true }).first().waitFor();
    others.push([address, page, figures]);
  }
  await goTo(page, `trade?a=BTC&d=long&usd=50000&x=10&w=${wallet}`);
  await page.locator(".verdict:not(.v-old) .number").waitFor();
  console.log("ready for silence");
  const marked = others.map(([address, page, figures]) =>
    address === "health"
      ? page.locator(".verdictcard.is-stop").waitFor({ timeout: 60_000 })
      : screenIsSilent(address, page, figures),
  );
  await page.getByRole("heading", { name: "Stale: ask again" }).waitFor({ timeout: 60_000 });
  check((await page.locator(".facts .figure:not(.t3)").count()) === 0, "a figure of a stale answer has a colour");
  check(
    (await page.locator(".offer button:not([disabled]), .rung:not([disabled])").count()) === 0,
    "a size of a stale answer can be taken",
  );
  await page.locator(".pill.caution").first().waitFor();
  await usable(page, "stale");
  await page.getByRole("heading", { name: "No answer" }).waitFor({ timeout: 60_000 });
  check((await page.locator(".facts, .charts, .panels").count()) === 0, "figures stand where no answer is");
  await Promise.all(marked);
  for (const [, page] of others) await page.context().close();
}

try {
  for (const [name, act] of Object.entries({
    light: () => walk("light", light),
    dark: () => walk("dark", dark),
    phone: () => walk("phone", phone),
    "small phone": () => walk("small phone", { ...phone, viewport: { width: 320, height: 640 }, colorScheme: "light" }),
    keyboard: () => keyboard(dark),
    form: () => form(light),
    "a late list": () => listComesLate(dark),
    "markets by keyboard": () => marketsByKeyboard(dark),
    alerts: () => alertsAreGrouped(dark),
    live: () => live(light),
    soon: () => soon(light),
    ages: () => ages(light),
    "random trades": () => randomTrades("wide", dark, 40), // many more are laid out by the tests of server/console
    "random trades on a phone": () => randomTrades("phone", phone, 40),
    "cut socket": socketIsCut,
    restart: serviceIsRestarted,
  })) {
    step(name);
    await act();
  }

  const last = await open(light, "markets");
  await last.locator("main").getByText("BTC").first().waitFor();
  const session = await last.context().newCDPSession(last);
  await session.send("Performance.enable", { timeDomain: "threadTicks" }); // processor time, also on a busy machine
  const tasks = async () =>
    (await session.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value;
  await last.waitForTimeout(5000);
  const before = await tasks();
  await last.waitForTimeout(5000);
  const share = ((await tasks()) - before) / 5;
  console.log(`the table of markets takes ${(100 * share).toFixed(1)} % of a core`);
  check(share < 0.1, `the table takes ${share} of a core`);
  await venueIsSilent(last);
  console.log("ready for revocation");
  await last.getByText("This service does not know that key").waitFor({ timeout: 60_000 });
  check((await last.locator(".facts").count()) === 0, "figures stand there without a key");
} catch (e) {
  fault(e.stack);
}
await done();
process.exit(faults.length > 0 ? 1 : 0);
