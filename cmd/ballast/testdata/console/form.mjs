// The form of the Trade screen: what is typed, what is wrong with it, and what of it is kept.
import { check, freshPage, goTo, usable, wallet } from "./page.mjs";

const parameters = (page) =>
  page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.split("?")[1] ?? "")));

/** Checks that all that is wrong is named at once, before the form is complete, each with its remedy. */
async function faultsAtOnce(page, name) {
  await goTo(page, "trade?a=TSLA&usd=0.5+btc&stop=9+BTC");
  await page.locator("#f-asset-fault button", { hasText: "xyz:TSLA" }).waitFor({ state: "attached" });
  for (const field of ["size", "stop"])
    check((await page.locator(`#f-${field}[aria-invalid=true]`).count()) === 1, `${name}: ${field} is not marked`);
  await page.getByText("Still missing: a wallet.").waitFor();
  await usable(page, `${name}, faults`);
  await goTo(page, "trade?a=BTC&x=400"); // the service alone knows the most
  await page.locator("#f-leverage-fault button").waitFor({ state: "attached" });
}

/** Checks that a unit beside the size is taken, or refused; and that a size never loses its unit. */
async function units(page) {
  await goTo(page, "trade?a=BTC");
  for (const [typed, wanted] of [
    ["50k usd", { usd: "50000" }],
    ["0.5 btc", { coin: "0.5" }],
    ["$50k", { usd: "50000" }],
    ["0.5 eth", { usd: "0.5 eth" }],
  ]) {
    await page.locator("#f-size").fill(typed);
    const { usd, coin } = await parameters(page);
    check(usd === wanted.usd && coin === wanted.coin, `“${typed}” became ${JSON.stringify({ usd, coin })}`);
  }
  await page.locator("#f-size-fault", { hasText: "neither USD nor BTC" }).waitFor();
}

/** Checks that the wallet stays for this session of the browser until it is cleared. */
async function walletStays(page) {
  await goTo(page, `trade?w=${wallet}`);
  for (const [act, kept] of [
    [() => {}, wallet],
    [() => page.getByRole("button", { name: "Clear the wallet" }).click(), undefined],
  ]) {
    await act();
    await goTo(page, "health");
    await page.locator(".thirds").waitFor();
    await goTo(page, "trade");
    await page.locator("#f-wallet").waitFor();
    const { w } = await parameters(page);
    check(w === kept, `the wallet is ${w} after another screen, not ${kept}`);
  }
}

export async function form(options) {
  const page = await freshPage({ ...options, viewport: { width: 1024, height: 600 } });
  await faultsAtOnce(page, "form");
  const [inside, whole] = await page.evaluate(() => {
    const { clientHeight, scrollHeight } = document.querySelector(".trade-form");
    return [clientHeight, scrollHeight];
  });
  check(whole <= inside, `the form scrolls inside itself: ${whole} in ${inside}`);
  await units(page);
  await walletStays(page);
  await page.context().close();
}
