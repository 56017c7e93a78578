// Decisions: the log, its filters, one decision, what is new.
import { check, freshPage, goTo, key, operator, url, usable, wallet } from "./page.mjs";

const at = url.replace(/\/$/, "");
const rows = (page) => page.locator(".decisionlist tbody tr");
const hash = (page) => page.evaluate(() => location.hash);

/** Asks about a trade beside the page, and returns the id of the answer. */
async function ask(trade, as = key) {
  const answer = await fetch(`${at}/v1/validate?view=compact`, {
    method: "POST",
    headers: { Authorization: `Bearer ${as}`, "Content-Type": "application/json" },
    body: JSON.stringify({ action: "long", leverage: 2, wallet: wallet.slice(0, -1) + "1", ...trade }),
  });
  return (await answer.json()).meta.request_id;
}

/** Checks the log with the decisions of the gate in it: filters, a decision, its link, what is new. */
export async function decisionsAreListed(name, options) {
  const narrow = options.viewport.width < 900,
    own = await ask({ asset: "SOL", size: 4321 });
  const page = await freshPage(options, operator);
  await goTo(page, "decisions");
  await page.locator(".decisionlist tbody tr", { hasText: "gate refused" }).first().waitFor();
  await usable(page, `${name}, decisions`);
  const asked = await page.locator(".decisioncounts .figure").first().textContent();
  check(Number(asked.replaceAll(",", "")) >= 3, `${name}: ${asked} decisions`);

  await page.locator(".segments button", { hasText: "Refused" }).click();
  check((await hash(page)).includes("then=refused"), `${name}: the filter is not in the address`);
  const words = await rows(page).locator(".then").allTextContents();
  check(words.length > 0 && words.every((w) => w === "gate refused"), `${name}: refused are ${words}`);
  await page.locator("#decision-search").fill("no such market");
  await page.getByText("No decision passes this filter").waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.locator("#decision-search").fill(own);
  await rows(page).filter({ hasText: "4,321" }).waitFor();
  check((await rows(page).count()) === 1, `${name}: a request id finds ${await rows(page).count()} rows`);
  await page.locator("#decision-search").fill("");

  await ask({ asset: "ETH", size: 7654 });
  const fresh = rows(page).filter({ hasText: "7,654" });
  await fresh.waitFor(); // by itself
  await fresh.locator(".rowlink").click();
  await page.locator(".decisiondetail .title", { hasText: "ETH" }).waitFor();
  check((await hash(page)).includes("o=req_"), `${name}: the open decision is not in the address`);
  check(!narrow || (await page.locator(".decisionlist").isHidden()), `${name}: no room for the decision on a phone`);
  await page.getByRole("button", { name: "Ask again now" }).click();
  await page.locator(".decisiondetail tbody tr", { hasText: "Score" }).waitFor();
  await usable(page, `${name}, a decision`);

  await goTo(page, `decisions/${own}`);
  await page.locator(".decisiondetail .title", { hasText: "SOL" }).waitFor();
  const trade = await page.getByRole("link", { name: "Open in Trade" }).getAttribute("href");
  check(/a=SOL&d=long&usd=4321/.test(trade), `${name}: it opens ${trade}`);
  await goTo(page, "decisions/req_nothing");
  await page.getByRole("heading", { name: "No such decision" }).waitFor();
  await page.getByRole("button", { name: "Back to the list" }).click();
  await rows(page).first().waitFor();
  await page.context().close();

  const agent = await freshPage(options);
  await goTo(agent, `decisions?v=abort&since=1h`);
  await agent.locator(".decisioncounts").waitFor();
  const others = await ask({ asset: "BTC", size: 1111 }, operator);
  await goTo(agent, `decisions/${others}`);
  await agent.getByRole("heading", { name: "No such decision" }).waitFor(); // another key's
  await agent.context().close();
}
