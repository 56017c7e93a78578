// The Trade screen: its verdicts, its form, the keyboard, ages, and its pictures for random trades.
import { check, freshPage, goTo, key, open, url, usable, wallet } from "./page.mjs";

const cross = "0xba11a57000000000000000000000000000000001";
const question = (q) => `trade?${new URLSearchParams(q)}`;
const fresh = (page) => page.locator(".verdict:not(.v-old):not(.other) .number");

/** Checks the verdicts of an order that is safe, one that is not, and an exit; and faults beside their fields. */
export async function trade(page, name) {
  await goTo(page, question({ a: "ETH", d: "long", usd: 9000000, x: 20, w: wallet }));
  await page.locator(".verdict.v-stop").waitFor();
  check(await page.locator("svg.price, .owing").first().isVisible(), `${name}: no price panel`);
  for (const label of ["Liquidated at", "A bad day costs", "Size that is fine"])
    check((await page.locator(".facts", { hasText: label }).count()) === 1, `${name}: no fact ${label}`);
  check((await page.locator(".remedy h2").textContent()) !== "", `${name}: an abort without a remedy`);
  check(!(await page.content()).includes(key), `${name}: the key stands in the page`);
  await usable(page, `${name}, abort`);
  await texts(page, `${name}, abort`);

  await goTo(page, question({ a: "BTC", d: "long", usd: 5000, x: 10, stop: 1000, w: cross }));
  await page.locator(".verdict.v-ok").waitFor();
  await usable(page, `${name}, proceed`);
  await texts(page, `${name}, proceed`);

  await goTo(page, question({ a: "ETH", d: "close", usd: 1000, w: wallet }));
  await page.getByText("exit: capped at 30").waitFor();
  await usable(page, `${name}, close`);
  await goTo(page, question({ a: "ETH", d: "close", usd: 90000000, w: wallet }));
  await page.locator(".closing", { hasText: "Realised result" }).waitFor();
  check((await page.locator("svg.price").count()) === 0, `${name}: a price panel without a position`);
  check(!(await page.locator(".closing").textContent()).includes("not known"), `${name}: the result is not known`);
  await usable(page, `${name}, all closed`);
  await texts(page, `${name}, all closed`);

  await goTo(page, question({ a: "eth", d: "long", usd: "2,5", w: wallet }));
  await page.locator("#f-size-fault", { hasText: "two ways" }).waitFor({ state: "attached" });
  check((await page.locator("#f-size[aria-invalid=true]").count()) === 1, `${name}: 2,5 is not marked`);
  check((await page.locator(".verdict:not(.v-old)").count()) === 0, `${name}: a verdict beside a fault`);
  await goTo(page, question({ a: "eth", d: "long", usd: 1000, w: wallet }));
  await page.locator("#f-asset-fault button", { hasText: "ETH" }).waitFor({ state: "attached" });
  await usable(page, `${name}, fault`);
  await goTo(page, question({ a: "BTC", d: "long", usd: 5000, x: 10, w: cross })); // by a link or the back button
  await fresh(page).waitFor();
  await page.locator("[data-focus=room]").hover();
  const before = page.url();
  await page.mouse.down();
  await page.waitForTimeout(3000); // a newer answer comes
  await page.mouse.up();
  check(page.url() !== before, `${name}: a click is lost when an answer comes between press and release`);
  await page.getByRole("button", { name: "Record in Decisions" }).click();
  await page.locator(".decisiondetail .title", { hasText: "BTC" }).waitFor();
}

/** Checks that the keyboard alone leads from an empty form to a verdict, and what single keys do. */
export async function keyboard(options) {
  const page = await freshPage(options),
    parameter = (name) => page.evaluate((n) => new URLSearchParams(location.hash.split("?")[1]).get(n), name);
  const until = async (name, value) => {
    for (let i = 0; i < 1000 && (await parameter(name)) !== value; i++) await page.waitForTimeout(20);
    check((await parameter(name)) === value, `${name} is ${await parameter(name)}, not ${value}`);
  };
  await page.keyboard.press("/");
  await page.keyboard.type("btc");
  await page.keyboard.press("Enter");
  await until("a", "BTC");
  const tabTo = async (selector) => {
    for (let i = 0; i < 80; i++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate((s) => document.activeElement.matches(s), selector)) return;
    }
    throw new Error(`the keyboard does not reach ${selector}`);
  };
  await tabTo("#f-size");
  await page.keyboard.type("50k");
  await tabTo("#f-wallet");
  await page.keyboard.type(cross);
  await fresh(page).waitFor();
  await page.evaluate(() => document.activeElement.blur());
  for (const [pressed, name, value] of [
    ["s", "d", "short"],
    ["l", "d", "long"],
    ["+", "usd", "55000"],
    ["-", "usd", "50000"],
    ["c", "d", "close"],
    ["l", "d", "long"],
  ]) {
    await page.keyboard.press(pressed);
    await until(name, value);
  }
  const before = Number((await parameter("x")) ?? 0);
  await page.keyboard.press("]");
  await page.waitForFunction((b) => Number(new URLSearchParams(location.hash.split("?")[1]).get("x")) > b, before);
  await fresh(page).waitFor();
  await page.keyboard.press("2");
  await page.waitForFunction(() => new URLSearchParams(location.hash.split("?")[1]).get("usd") !== "50000");
  await page.keyboard.press("u");
  await until("usd", "50000");
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const was = await theme();
  await page.keyboard.press("x");
  check((await theme()) !== was, "x does not switch the theme");
  await page.keyboard.press("?");
  check(await page.locator(".menu").isVisible(), "? shows no list of keys");
  await page.keyboard.press("Escape");
  check(await page.locator(".menu").isHidden(), "Escape does not close the list");
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.waitForFunction(() => location.hash.startsWith("#/health"));
  await page.context().close();
}

/** Checks that Enter takes a market also when the list of markets comes after what is typed, or after Enter. */
export async function listComesLate(options) {
  for (const entered of [false, true]) {
    let comes;
    const asked = new Promise((ok) => (comes = ok));
    const page = await open(options, "markets", (p) => p.route(/\/v1\/assets/, async (r) => (await asked, r.continue())));
    await goTo(page, "trade");
    await page.locator("#f-asset").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("btc");
    if (entered) await page.keyboard.press("Enter");
    comes();
    await page.locator("#f-asset-list [role=option]").first().waitFor({ state: "attached" });
    if (!entered) await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.hash.includes("a=BTC"));
    await page.context().close();
  }
}

/** Checks that the answer follows what one types, and that an answer to an older question is dropped. */
export async function live(options) {
  const page = await freshPage(options);
  await goTo(page, question({ a: "BTC", d: "long", usd: 5000, x: 10, w: cross }));
  await fresh(page).waitFor();
  const sent = async () => (await page.locator(".remedy h2").textContent()).trim();
  const first = await sent();
  let held = 0;
  await page.route(/validate\?explain/, async (route) => {
    // the first answer comes after the second
    if (route.request().postDataJSON().size === 6000 && held++ === 0) await new Promise((ok) => setTimeout(ok, 1500));
    await route.continue().catch(() => {});
  });
  await page.locator("#f-size").fill("6000");
  await page.waitForTimeout(600);
  check((await page.locator(".verdict.other, .running").count()) > 0, "an old verdict stands for a new question");
  const place = await page.evaluate(() => getComputedStyle(document.querySelector(".answer")).position);
  check(place === "static", `an old answer is placed ${place}`);
  await page.locator("#f-size").fill("7000");
  await page.waitForFunction(
    (was) =>
      document.querySelector(".remedy h2")?.textContent.trim() !== was && !document.querySelector(".verdict.other"),
    first,
  );
  const now = await sent();
  await page.waitForTimeout(1500);
  const ratio = Number(/[\d.]+/.exec(now)?.[0]) / Number(/[\d.]+/.exec(first)?.[0]);
  check(Math.abs(ratio - 1.4) < 0.02, `“${now}” after “${first}”`);
  check(held <= 1, "the old question was asked again");
  const asked = [];
  page.on("request", (r) => r.url().includes("explain") && asked.push(performance.now()));
  for (let i = 0; asked.length < 2 && i < 300; i++) await page.waitForTimeout(100);
  check(asked.length >= 2, `asked again ${asked.length} times in 30 s`);
  await page.context().close();
}

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
function generator(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A random answer, made from a real one: price, side, liquidation near, far or none, closes. */
function randomAnswer(r, real, i) {
  const a = structuredClone(real),
    mark = 10 ** (-5.7 + 10.7 * r()),
    usd = 10 ** (2 + 5 * r()),
    flat = r() < 0.1,
    side = r() < 0.5 ? 1 : -1;
  const daily = 10 ** (-0.5 + 1.8 * r()),
    up = daily * (0.8 + 0.6 * r()),
    bad = side > 0 ? daily : up,
    kind = r();
  const distance = flat || kind > 0.75 ? null : Math.min(98, bad * (kind < 0.4 ? 0.05 + 1.2 * r() : 2 + 10 * r()));
  const price = (pct) => Math.max(mark / 1000, mark * (1 + pct / 100)),
    liquidation = distance === null ? 0 : price(-side * distance);
  const equity = ((usd * (distance ?? 50)) / 100) * 1.5,
    p = r() ** 3,
    coins = usd / mark;
  const position = (k) => ({
    side: side > 0 ? "long" : "short",
    size_coin: coins * k,
    notional_usd: usd * k,
    leverage: 1 + Math.floor(39 * r()),
    mode: r() < 0.5 ? "cross" : "isolated",
    entry_price: price((r() - 0.5) * 6 * daily),
    liquidation_price: r() < 0.3 ? null : price(-side * 40 * r()),
  });
  a.meta.mark_price = mark;
  a.meta.request_id = `req_random${i}`;
  a.risk_score = 100 * r();
  a.recommendation = flat || a.risk_score <= 40 ? "proceed" : a.risk_score <= 70 ? "proceed_with_caution" : "abort";
  a.position = {
    before: r() < 0.5 ? position(r()) : null,
    after: flat ? null : { ...position(1), liquidation_price: liquidation || null },
  };
  Object.assign(a.liquidation, {
    price: liquidation,
    distance_pct: distance ?? 100,
    probability_24h: flat ? 0 : p,
    probability_7d: Math.sqrt(p),
    pool_equity_usd: equity,
    loss_at_usd: distance === null ? null : (-usd * distance) / 100,
    loss_after_usd: distance === null ? null : -equity,
  });
  Object.assign(a.var, {
    pct_99_24h: bad,
    pct_95_24h: 0.65 * bad,
    dollar_99_24h: (usd * bad) / 100,
    loss_99_capped_usd: Math.min((usd * bad) / 100, equity),
  });
  a.day = {
    down_999_pct: -1.7 * daily,
    down_99_pct: -daily,
    down_95_pct: -0.65 * daily,
    median_pct: 0,
    up_95_pct: 0.65 * up,
    up_99_pct: up,
    up_999_pct: 1.7 * up,
  };
  Object.assign(a.slippage, { fill_price: mark * (1 + 0.001 * r()), bps: 300 * r() ** 4 });
  a.sizing.suggested_size_usd = r() < 0.4 ? 0 : usd * r();
  Object.assign(a.admissibility, { order_size_usd: usd, order_size_coin: Number(coins.toPrecision(6)) });
  for (const s of a.stress) Object.assign(s, { pnl_usd: usd * (r() - 0.7), survives: r() < 0.6 });
  return a;
}

/** Checks in the page that no text of a chart meets another, is cut, or stands outside; and that no other text is cut. */
async function texts(page, where) {
  const found = await page.evaluate(() => {
    const faults = [],
      inside = (b, o) =>
        b.left >= o.left - 1 && b.right <= o.right + 1 && b.top >= o.top - 1 && b.bottom <= o.bottom + 1;
    for (const svg of document.querySelectorAll(".answer svg.chart")) {
      const frame = svg.getBoundingClientRect(),
        texts = [...svg.querySelectorAll("text")].filter((t) => t.textContent !== "");
      if (frame.width === 0) continue;
      const boxes = texts.map((t) => t.getBoundingClientRect());
      boxes.forEach((b, i) => {
        if (!inside(b, frame)) faults.push(`“${texts[i].textContent}” stands outside its chart`);
        for (let j = 0; j < i; j++) {
          const o = boxes[j],
            w = Math.min(b.right, o.right) - Math.max(b.left, o.left),
            h = Math.min(b.bottom, o.bottom) - Math.max(b.top, o.top);
          if (w > 1 && h > 3) faults.push(`“${texts[i].textContent}” meets “${texts[j].textContent}”`); // a box has room over its letters
        }
      });
    }
    for (const e of document.querySelectorAll(".answer *, .question")) {
      if (!(e instanceof HTMLElement) || e.closest(".off, .scroll, details:not([open])") || e.clientWidth === 0) continue;
      if (getComputedStyle(e).overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1)
        faults.push(`cut: “${e.textContent.slice(0, 80)}”`);
      const card = e.closest(".card");
      if (card && e.getBoundingClientRect().right > card.getBoundingClientRect().right + 1)
        faults.push(`wider than its card: “${e.textContent.slice(0, 80)}”`);
    }
    return faults;
  });
  for (const f of new Set(found)) check(false, `${where}: ${f}`);
}

/** Draws random trades, and checks the texts of each picture. */
export async function randomTrades(name, options, count) {
  const page = await freshPage(options),
    r = generator(7);
  await goTo(page, question({ a: "BTC", d: "long", usd: 50000, x: 10, w: cross }));
  const answer = page.waitForResponse((x) => x.url().includes("explain=true") && x.ok()),
    real = await (await answer).json();
  let next = null;
  await page.route(/\/v1\/validate/, (route) =>
    route.request().url().includes("explain") && next
      ? route.fulfill({ json: next })
      : route.fulfill({ status: 429, json: { error: "rate_limited" } }),
  );
  for (let i = 0; i < count; i++) {
    next = randomAnswer(r, real, i);
    const trigger = () => (r() < 0.3 ? next.meta.mark_price * (0.7 + 0.6 * r()) : "");
    await goTo(
      page,
      question({
        a: "BTC",
        d: next.position.after ? "long" : "close",
        usd: 1000 + i,
        x: 10,
        stop: trigger(),
        take: trigger(),
        w: cross,
      }),
    );
    await page.keyboard.press("Enter");
    await page.locator(".foot", { hasText: `req_random${i}` }).waitFor();
    const unfold = () => document.querySelectorAll(".panels details:not([open])").forEach((d) => (d.open = true));
    await page.evaluate(unfold); // a click may meet a newer answer
    await texts(page, `${name}, trade ${i} at ${next.meta.mark_price}`);
  }
  check(page.url().startsWith(url), "the page was left");
  await page.context().close();
}
