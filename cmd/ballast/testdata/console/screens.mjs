// Wallet, Markets, one market, Evidence and Health: what they show, their keyboard, their state in the address.
import { check, freshPage, goTo, usable, wallet } from "./page.mjs";

const isolated = "0xba11a57000000000000000000000000000000002";
const parameter = (page, name) => page.evaluate((n) => new URLSearchParams(location.hash.split("?")[1]).get(n), name);
const main = (page) => page.locator("main");

/** Checks what each screen shows, in one window. */
export async function screens(page, name) {
  await goTo(page, "wallet");
  await page.getByRole("heading", { name: "Which wallet?" }).waitFor();
  await usable(page, `${name}, no wallet`);

  await goTo(page, `wallet?w=${wallet}`);
  await page.locator(".positions tbody tr").first().waitFor({ timeout: 8000 }); // at once, not after an interval
  await page.locator(".alert").first().waitFor({ timeout: 8000 }); // those of the first monitor call
  await page.locator(".walletstrip .headline.stop").waitFor(); // red, once the answer is fresh
  check(await page.locator(".room").count() === 2, `${name}: no distance bars`);
  await page.locator(".rowlink").first().click();
  await page.locator("tr.opened").waitFor();
  check((await parameter(page, "o")) !== null, `${name}: the open row is not in the address`);
  await usable(page, `${name}, wallet`);

  await goTo(page, `wallet?w=${isolated}&safe=0.1`);
  await page.locator("[data-copy]:visible").first().waitFor(); // the amount to add
  check((await main(page).textContent()).includes("Reducing an isolated position moves no liquidation price"), `${name}: nothing says that margin cures`);
  check(await page.locator(".poolscard tbody tr").count() === 5, `${name}: not five pools`);

  await goTo(page, "evidence");
  await page.locator(".records tbody tr").first().waitFor();
  const verdict = await page.locator(".verdictcard .headline").textContent();
  check(/bad days|too short/i.test(verdict), `${name}: the verdict on the forecasts is “${verdict}”`);
  await page.locator(".records .rowlink").first().click();
  await page.locator(".daysbar").first().waitFor();
  await usable(page, `${name}, evidence`);

  await goTo(page, "market/BTC");
  await page.locator(".pricechart canvas").waitFor();
  check(await page.locator(".depth").count() === 1 && (await main(page).textContent()).includes("7 days"), `${name}: the market lacks its book or its ranges`);
  await usable(page, `${name}, market`);

  await goTo(page, "market/nothing");
  await page.getByRole("heading", { name: "nothing is not listed" }).waitFor();

  await goTo(page, "health");
  await page.getByText("Requests to the venue").waitFor();
  await page.locator(".verdictcard .headline").waitFor();
  await usable(page, `${name}, health`);
}

/** Checks that what has no place in a phone's bar is reached through its last button. */
export async function more(page, name) {
  for (const [place, seen] of [["Policy", "Limits of"], ["Evidence", "By verdict"], ["Health", "Requests to the venue"]]) {
    await page.getByRole("button", { name: "More", exact: true }).tap();
    await page.getByRole("navigation", { name: "More screens" }).getByRole("link", { name: place }).tap();
    await page.getByText(seen).first().waitFor();
  }
  await page.getByRole("button", { name: "More", exact: true }).tap();
  await usable(page, `${name}, more`);
  await page.keyboard.press("Escape");
}

/** Checks that the socket is subscribed before the wallet is monitored, and that a condition stays one entry. */
export async function alertsAreGrouped(options) {
  const page = await freshPage(options), order = [];
  await page.routeWebSocket(/\/v1\/alerts\/ws/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((m) => (String(m).includes('"subscribed"') && order.push("subscribed"), socket.send(m)));
  });
  page.on("request", (r) => r.url().includes("/v1/monitor/") && order.push("asked"));
  await goTo(page, `wallet?w=${wallet}`);
  await page.locator(".alert").first().waitFor();
  const entries = await page.locator(".alert").count();
  await page.locator(".alert .tag", { hasText: /× ([3-9]|[1-9]\d)/ }).first().waitFor({ timeout: 60_000 });
  check(order[0] === "subscribed", `the wallet was asked about before the socket was subscribed: ${order}`);
  check(await page.locator(".alert").count() <= entries + 2, `${entries} conditions became ${await page.locator(".alert").count()} entries`);
  await page.context().close();
}

/** Checks the table of markets by keyboard alone: search, rows, the one that is opened, the way back. */
export async function marketsByKeyboard(options) {
  const page = await freshPage(options);
  await goTo(page, "markets");
  await page.locator("tr[data-name]").first().waitFor();
  const rows = await page.locator("tr[data-name]").count(), all = Number(await page.locator(".markettable").getAttribute("aria-rowcount")) - 1;
  check(all < 100 || rows < 80, `${rows} rows of ${all} are in the page`);
  await page.keyboard.press("/");
  await page.keyboard.type("eth");
  await page.waitForFunction(() => document.querySelector("tr[data-name]")?.dataset.name.toLowerCase().includes("eth"));
  check(await parameter(page, "q") === "eth", "the search is not in the address");
  await page.keyboard.press("ArrowDown");
  check(await page.evaluate(() => document.activeElement.matches(".rowlink")), "the arrow leads to no row");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/market/"));
  await page.goBack();
  await page.locator("tr[data-name]").first().waitFor();
  check(await page.locator("#market-search").inputValue() === "eth", "the way back forgets the search");
  await goTo(page, "markets?sort=change");
  await page.locator("th[aria-sort=descending] [data-sort=change]").waitFor();
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await page.waitForTimeout(300);
  check(await page.evaluate(() => [...document.querySelectorAll("tr[data-name]")].some((r) => r.getBoundingClientRect().top < innerHeight && r.getBoundingClientRect().bottom > 0)), "the end of the table is blank");
  await page.context().close();
}
