// Policy and kill switch: what an agent and an operator see and may do, and what the other screens say of it.
import { check, freshPage, goTo, operator, url, usable, wallet } from "./page.mjs";

const headers = { Authorization: `Bearer ${operator}`, "Content-Type": "application/json" };

/** Asks the service beside the page, with the operator's key. */
async function service(path, init = {}) {
  const answer = await fetch(url.replace(/\/$/, "") + path, { ...init, headers: { ...headers, ...init.headers } });
  return answer.json();
}

/** Sets a policy as somebody else would. */
async function putPolicy(rules) {
  const { revision } = await service(`/v1/policy/${wallet}`);
  const match = revision > 0 ? { "If-Match": `"${revision}"` } : {};
  return service(`/v1/policy/${wallet}`, { method: "PUT", body: JSON.stringify(rules), headers: match });
}

/** Checks that an agent reads the limits and changes none, and that an operator's changes meet those of others. */
export async function limitsAreEdited(name, options) {
  await putPolicy({ max_leverage: 40, max_position_usd: 400000 });
  const agent = await freshPage(options);
  await goTo(agent, `policy?w=${wallet}`);
  await agent.getByRole("heading", { name: "Agent key" }).waitFor();
  check((await agent.locator("#limit-max_leverage").inputValue()) === "40", `${name}: the limit is not shown`);
  check(
    await agent.locator("#limit-max_leverage").evaluate((e) => e.readOnly),
    `${name}: an agent may type a limit`,
  );
  check(await agent.getByRole("button", { name: "Save" }).isHidden(), `${name}: an agent may save`);
  check((await agent.locator("#switch-reason").count()) === 0, `${name}: an agent may stop trading`);
  await agent.locator(".limit .use", { hasText: "ETH" }).first().waitFor();
  await agent.getByText("An operator's key sees who changed what").waitFor();
  await usable(agent, `${name}, limits read by an agent`);
  await agent.context().close();

  const page = await freshPage(options, operator);
  await goTo(page, `policy?w=${wallet}`);
  await page.getByRole("heading", { name: "Operator key" }).waitFor();
  await page.locator("#limit-max_order_usd").fill("2,5");
  await page.locator("#limit-max_order_usd-note", { hasText: "two ways" }).waitFor();
  await page.locator("#limit-max_order_usd").fill("50k");
  await page.locator("#limit-max_order_usd-note", { hasText: "was no limit" }).waitFor();
  await page.locator(".trial", { hasText: "would now be refused" }).waitFor();
  await usable(page, `${name}, limits changed`);
  await putPolicy({ max_leverage: 30, max_position_usd: 400000, max_order_usd: 70000 });
  await page.locator(".conflict").waitFor();
  check(
    await page.getByRole("button", { name: "Save" }).isDisabled(),
    `${name}: it may be saved over another's change`,
  );
  check(/both changed/.test(await page.locator(".conflict").textContent()), `${name}: the conflict is not named`);
  await usable(page, `${name}, limits changed meanwhile`);
  await page.getByRole("button", { name: "Keep my changes" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".saidline", { hasText: "Saved as revision" }).waitFor();
  const { rules } = await service(`/v1/policy/${wallet}`);
  check(rules.max_order_usd === 50000 && rules.max_leverage === 30, `${name}: saved ${JSON.stringify(rules)}`);

  await page.locator("#limit-max_leverage").fill("");
  await page.route(/\/v1\/policy\/0x/, (r) => (r.request().method() === "GET" ? r.abort() : r.continue()));
  await putPolicy({ max_leverage: 20 });
  await page.getByRole("button", { name: "Save" }).click(); // what others saved is not known here
  await page.locator(".saidline.stop").waitFor();
  await usable(page, `${name}, limits not saved`);
  check(
    (await service(`/v1/policy/${wallet}`)).rules.max_leverage === 20,
    `${name}: another's change was overwritten`,
  );
  await putPolicy({});
  await page.unroute(/\/v1\/policy\/0x/);
  await page.locator(".changes li", { hasText: "limits set" }).nth(3).waitFor();
  await page.getByRole("button", { name: "Show more" }).click();
  await page.locator(".changes li", { hasText: "key issued" }).first().waitFor();
  await page.context().close();
}

/** Checks what stops trading and allows it again, and that every screen says so meanwhile. */
export async function switchIsTurned(name, options) {
  const trader = await freshPage(options),
    page = await freshPage(options, operator);
  await goTo(trader, `trade?a=BTC&d=long&usd=5000&x=10&w=${wallet.slice(0, -1)}1`);
  await trader.locator(".verdict .number").first().waitFor();
  await goTo(page, "policy");
  await page.getByRole("heading", { name: "Trading is allowed" }).waitFor();
  check(await page.getByRole("button", { name: "Stop all" }).isDisabled(), `${name}: it stops without a reason`);
  await page.locator("#switch-reason").fill("venue maintenance");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Increases are stopped" }).waitFor();
  await page.locator(".changes li:first-child", { hasText: "kill switch on" }).waitFor();
  await usable(page, `${name}, kill switch on`);
  await trader.locator(".switchbar", { hasText: "venue maintenance" }).waitFor();
  await trader.locator(".remedy h2", { hasText: "Increases are stopped" }).waitFor();
  check((await trader.locator(".verdict.v-stop").count()) === 1, `${name}: a stopped order is no abort`);
  check(
    /none/.test(await trader.locator(".facts").textContent()),
    `${name}: a size is fine while trading is stopped`,
  );
  await usable(trader, `${name}, trade while stopped`);
  for (const screen of ["markets", "health"]) {
    await goTo(trader, screen);
    await trader.locator(".switchbar", { hasText: "Increases are stopped" }).waitFor();
    check(await trader.locator(".switchpill").first().isVisible(), `${name}: no pill on ${screen}`);
  }
  if (!options.isMobile) {
    await trader.setViewportSize({ width: 900, height: 700 }); // the narrowest with all places in the header
    await goTo(trader, "markets");
    await usable(trader, `${name}, narrow`);
  }
  const allow = page.getByRole("button", { name: "Allow increases" });
  check(await allow.isDisabled(), `${name}: the switch is lifted without its word`);
  await page.locator("#switch-word").fill("resume");
  await allow.click();
  await page.getByRole("heading", { name: "Trading is allowed" }).waitFor();
  await trader.locator(".switchbar").waitFor({ state: "hidden" });
  await page.context().close();
  await trader.context().close();
}
