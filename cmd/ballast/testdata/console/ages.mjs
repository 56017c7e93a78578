// How soon figures stand on each screen, and that no figure outlives its limit without a mark. The page's clock
// stands still unless a test moves it, so that both are exact on any machine.
import { check, giveKey, goTo, open, url, wallet } from "./page.mjs";

const noon = Date.parse("2026-11-27T12:00:00Z"),
  second = 1000;
const soft = { trade: 5 * second, prices: 4.5 * second }; // soft limit and a missed round

/** Each screen: its figures, the mark of stale ones, after how long they get it, and when they are gone; and how many
 * requests follow one another until they stand. */
const screens = {
  trade: {
    address: `trade?a=BTC&d=long&usd=5000&x=10&w=0xba11a57000000000000000000000000000000001`,
    figures: ".facts .figure",
    mark: ".verdict.v-old",
    softMs: soft.trade,
    goneMs: 30 * second,
    rounds: 1,
  },
  wallet: {
    address: `wallet?w=${wallet}`,
    figures: ".walletstrip .figure",
    mark: ".staleline",
    softMs: soft.prices,
    goneMs: 15 * second,
    rounds: 2, // after its alert socket
  },
  markets: {
    address: "markets",
    figures: "tr[data-name] .c-mark",
    mark: ".staleline",
    softMs: soft.prices,
    goneMs: 30 * second,
    rounds: 1,
  },
  market: {
    address: "market/BTC",
    figures: ".strip .figure",
    mark: ".staleline",
    softMs: soft.prices,
    goneMs: 30 * second,
    rounds: 1,
  },
  evidence: {
    address: "evidence",
    figures: ".pooled tbody td",
    mark: ".staleline",
    softMs: 123 * second,
    goneMs: 24 * 3600 * second,
    rounds: 1,
  },
  health: {
    address: "health",
    figures: ".thirds td",
    mark: ".staleline",
    softMs: 5 * second,
    goneMs: 30 * second,
    rounds: 1,
  },
};

/** An answer of which every part is as young as the answer itself. */
function young(x) {
  if (Array.isArray(x)) return x.filter((v) => (v?.name ?? v) !== "stale_market_data").map(young);
  if (x === null || typeof x !== "object") return x;
  const age = (name) => /(^|_)age_ms$|^(mark|book|depth|slow)_ms$/.test(name);
  return Object.fromEntries(Object.entries(x).map(([k, v]) => [k, age(k) && v !== null ? 0 : young(v)]));
}

/** Opens a screen whose clock stands still, and waits for its figures. Returns what a test may do with it. */
async function standing(options, screen) {
  const asked = [],
    held = [], // requests that the service does not answer
    place = new Map(); // of each request among those that follow one another
  let rounds = 0,
    refused = 0, // requests that the service could not answer yet
    silent = false;
  const page = await open(options, screen.address, async (page) => {
    await page.clock.install({ time: noon });
    await page.clock.pauseAt(noon + second);
    const counts = (r) => r.resourceType() === "fetch" && !r.url().endsWith("/v1/kill-switch"); // which no figure awaits
    page.on("request", (r) => counts(r) && place.set(r, rounds + 1));
    page.on("requestfinished", (r) => (rounds = Math.max(rounds, place.get(r) ?? 0)));
    await page.route(/\/(v1\/|health)/, async (route) => {
      asked.push(route.request().url());
      if (silent) return void held.push(route);
      try {
        const response = await route.fetch();
        if (!response.ok()) refused++;
        const json = young(await response.json());
        if (silent) return void held.push(route); // it fell silent meanwhile
        await route.fulfill({ response, json });
      } catch {} // the page is closed
    });
  });
  const figures = page.locator(screen.figures).filter({ visible: true }),
    marks = page.locator(screen.mark).filter({ visible: true }),
    marked = async () => (await marks.count()) > 0,
    shown = async () => (await figures.count()) > 0;
  for (let i = 0; i < 400 && !(await shown()); i++) {
    if (refused > 0) await page.clock.runFor(second); // it is asked again after a pause
    await page.waitForTimeout(50);
  }
  check(await shown(), `${screen.address}: no figure`);
  const before = refused > 0 ? 0 : rounds;
  silent = true;
  /** Lets the service answer again until figures are fresh. */
  const recover = async () => {
    silent = false;
    for (const route of held.splice(0)) await route.abort().catch(() => {});
    await page.clock.runFor(62 * second);
    for (let i = 0; i < 400 && (!(await shown()) || (await marked())); i++) {
      await page.waitForTimeout(50);
      if (i % 40 === 39) await page.clock.runFor(3 * second); // an answer that came late is asked for again
    }
    check((await shown()) && !(await marked()), `${screen.address}: no fresh figures when the service is back`);
    silent = true;
    await page.waitForTimeout(200); // what was answered before arrives
  };
  return { page, asked, rounds: before, marked, shown, recover };
}

/** Checks that figures come without a pause, by few requests one after another; that they are marked when the service
 * falls silent, and go. */
async function fallsSilent(name, s) {
  const screen = screens[name],
    run = (ms) => s.page.clock.runFor(ms);
  check(s.rounds <= screen.rounds, `${name}: ${s.rounds} requests one after another before the first figure`);
  check(!(await s.marked()), `${name}: a mark on fresh figures`);
  await run(screen.softMs - 100);
  check((await s.shown()) && !(await s.marked()), `${name}: marked before its limit`);
  await run(1100);
  check(await s.marked(), `${name}: no mark ${screen.softMs + second} ms after the last answer`);
  await s.page.clock.fastForward(screen.goneMs - screen.softMs - 1100);
  check((await s.marked()) || !(await s.shown()), `${name}: figures without a mark`);
  await run(1200);
  check(!(await s.shown()), `${name}: figures ${screen.goneMs + second} ms after the last answer`);
}

/** Checks that a laptop that wakes marks its figures, whichever of its clocks stood still, and shows none later. */
async function wakes(name, s, clock) {
  const screen = screens[name];
  const sleep = (ms) =>
    s.page.evaluate(
      ([clock, ms]) => {
        const of = clock === "wall" ? Date : performance,
          real = of.now.bind(of);
        of.now = () => real() + ms;
      },
      [clock, ms],
    );
  await sleep(screen.softMs + second);
  await s.page.clock.runFor(second);
  check(await s.marked(), `${name}: no mark after a sleep in which the ${clock} clock went on`);
  await sleep(screen.goneMs);
  await s.page.clock.runFor(second);
  check(!(await s.shown()), `${name}: figures after a night in which the ${clock} clock went on`);
}

/** Checks that a hidden tab asks nothing, and shows no figure from before when it comes back. */
async function comesBack(name, s) {
  const show = (visible) =>
    s.page.evaluate((hidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event("visibilitychange"));
    }, !visible);
  await show(false);
  const before = s.asked.length;
  await s.page.clock.runFor(6 * second);
  check(s.asked.length === before, `${name}: a hidden tab asks ${s.asked.slice(before)}`);
  await show(true);
  check(!(await s.shown()), `${name}: figures of before when the tab comes back`);
}

/** Checks the ages of every screen. */
export async function ages(options) {
  for (const name of Object.keys(screens)) {
    const s = await standing(options, screens[name]);
    await fallsSilent(name, s);
    for (const clock of ["wall", "monotonic"]) {
      await s.recover();
      await wakes(name, s, clock);
    }
    await s.recover();
    await comesBack(name, s);
    await s.page.context().close();
  }
}

/** Checks that figures come soon after the page was opened: the processor time of the page alone, and the time in all
 * beside that of the page without figures, which a busy machine lengthens in the same way. */
export async function soon(options) {
  const timed = async (address, selector, typed = false) => {
    let session;
    const page = await open(options, typed ? undefined : address, async (page) => {
      session = await page.context().newCDPSession(page);
      await session.send("Performance.enable", { timeDomain: "threadTicks" });
    });
    if (typed) {
      await giveKey(page);
      await goTo(page, address);
    }
    await page.locator(selector).filter({ visible: true }).first().waitFor();
    const ms = await page.evaluate(() => performance.now()),
      { metrics } = await session.send("Performance.getMetrics");
    await page.context().close();
    return { ms, processor: 1000 * metrics.find((m) => m.name === "TaskDuration").value };
  };
  const bare = await timed("nowhere", ".bar a"),
    all = Object.entries(screens).map(([name, s]) => [name, s, false]);
  for (const [name, { address, figures }, typed] of [...all, ["markets, key to be given", screens.markets, true]]) {
    const t = await timed(address, figures, typed);
    console.log(
      `${name}: figures after ${t.ms.toFixed(0)} ms, ${t.processor.toFixed(0)} ms of processor time; ` +
        `without figures ${bare.ms.toFixed(0)} ms, ${bare.processor.toFixed(0)} ms`,
    );
    check(t.processor < 700, `${name}: ${t.processor} ms of processor time before the figures`);
    check(t.ms < Math.max(1000, 10 * bare.ms), `${name}: figures after ${t.ms} ms`);
  }
}
