// What of the page needs no document: numbers, formats, ages, addresses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeTexts } from "../src/decisions/decision.ts";
import * as format from "../src/format.ts";
import { readNumber } from "../src/number.ts";
import { Answer } from "../src/store.ts";
import { fromAddress, read, suggested, toAddress } from "../src/trade/question.ts";

test("numbers are read as typed, or asked", () => {
  for (const [text, value, unit] of [
    ["50k", 50_000],
    ["1.2m", 1_200_000],
    ["$50,000", 50_000, "USD"],
    ["$50k", 50_000, "USD"],
    ["us$ 50k", 50_000, "USD"],
    ["50k usd", 50_000, "USD"],
    ["50kUSDC", 50_000, "USD"],
    ["50k$", 50_000, "USD"],
    ["usd 50 000", 50_000, "USD"],
    ["50 k", 50_000],
    ["100 kPEPE", 100, "kPEPE"],
    ["100k kPEPE", 100_000, "kPEPE"],
    ["50 000", 50_000],
    ["10x", 10, "x"],
    ["0.9 BTC", 0.9, "BTC"],
    ["1,000.50", 1000.5],
    ["2e3", 2000],
    ["-1", -1],
    [" 2500 ", 2500],
    [".5", 0.5],
    ["1,000,000", 1e6],
    ["0.000002", 0.000002],
  ]) {
    const r = readNumber(text);
    assert.equal(r.value, value, text);
    assert.equal(r.unit, unit, text);
  }
  assert.equal(readNumber("86.747", false).value, 86.747); // a price
  for (const [text, ...readings] of [
    ["2,5", "2.5", "25"],
    ["1.000,50", "1000.50", "100050"],
    ["50.000", "50", "50000"],
    ["2,5x", "2.5x", "25x"],
    ["$2,5", "2.5 USD", "25 USD"],
    ["2,5k usd", "2.5k USD", "25k USD"],
  ]) {
    assert.deepEqual(readNumber(text).readings, readings, text);
  }
  for (const text of ["ten", "0x10", "1,000.000,5", "12,3456,7", "--1", "", "1 00", "€50k", "50k €", "$5 BTC"])
    assert.ok(readNumber(text).problem, text);
});

test("figures have one form each", () => {
  const cases = [
    [format.usd(123456.4), "123,456"],
    [format.usd(99.5), "99.50"],
    [format.usd(0), "0"],
    [format.usd(-2500), "−2,500"],
    [format.usd(99.999), "100"],
    [format.large(1.28e9), "1.28 B"],
    [format.large(476e6), "476 M"],
    [format.large(89_000), "89.0 k"],
    [format.large(999_950), "1.00 M"],
    [format.axisUSD(474_280), "474 k"],
    [format.axisUSD(1_200_000), "1.2 M"],
    [format.price(55387), "55,387.0"],
    [format.price(1744.9), "1,744.9"],
    [format.price(0.000002), "0.000002"],
    [format.price(100_000), "100,000"],
    [format.price(1.5627), "1.5627"],
    [format.chartPrice(55387.4), "55,387"],
    [format.pct(3.424), "3.42 %"],
    [format.pct(64.66), "64.7 %"],
    [format.pct(9.999), "10.0 %"],
    [format.signedPct(-0.001), "0.00 %"],
    [format.chance(0), "none"],
    [format.chance(0.00005), "< 0.01 %"],
    [format.chance(0.0037), "0.37 %"],
    [format.chance(0.034), "3.4 %"],
    [format.chance(0.0999), "10 %"],
    [format.chance(0.349), "35 %"],
    [format.chance(0.997), "> 99 %"],
    [format.chance(1), "certain"],
    [format.priceChange(13834.2, 19551.1), "+5,716.9"],
    [format.age(600), "0.6 s"],
    [format.age(12_300), "12 s"],
    [format.age(240_000), "4 min"],
    [format.times(18.7), "18.7×"],
    [format.times(20), "20×"],
    [format.score(91.14), "91.1"],
    [format.score(30), "30"],
    [format.usd(1_234_567), "1,234,570"],
    [format.usdUp(1_234_561), "1,234,570"],
    [format.usdDown(1_234_569), "1,234,560"],
    [format.usdUp(251.01), "252"],
    [format.usd(null), "–"],
  ];
  for (const [got, want] of cases) assert.equal(got, want);
});

test("an answer ages by the faster of two clocks", () => {
  const a = new Answer(30_000),
    at = { wall: 1e12, mono: 5000 };
  const later = (wall, mono = wall) => ({ wall: at.wall + wall, mono: at.mono + mono });
  assert.equal(a.state(later(0)), "gone");
  a.set(
    {},
    [
      { name: "market", ageMs: 600, softMs: 2000 },
      { name: "wallet", ageMs: 100, softMs: 2000 },
    ],
    false,
    "q",
    at,
  );
  assert.equal(a.state(later(0)), "fresh");
  assert.equal(a.age("wallet", later(1000)), 1100);
  assert.equal(a.state(later(4300)), "fresh");
  assert.equal(a.state(later(4500)), "stale"); // over its limit and one missed round
  assert.equal(a.worst(later(12_000)).name, "market");
  assert.equal(a.state(later(29_500)), "gone");
  assert.equal(a.state(later(60_000, 10)), "gone"); // the laptop slept: one clock stood still
  assert.equal(a.state(later(10, 60_000)), "gone"); // the other one
  assert.equal(a.state(later(-60_000, 100)), "fresh"); // the wall clock was set back
  a.set({}, [{ name: "market", ageMs: 0, softMs: 2000 }], true, "q", at);
  assert.equal(a.state(later(0)), "stale"); // the service says so
  a.set({}, [{ name: "market", ageMs: 29_000, softMs: 2000 }], false, "q", at);
  assert.equal(a.state(later(1500)), "gone"); // its age in the answer counts
});

test("the address holds the question", () => {
  const address = "a=BTC&d=short&usd=50000&x=10&m=cross&stop=51900&w=0x" + "a".repeat(40),
    q = fromAddress(new URLSearchParams(address));
  const back = new URLSearchParams(Object.entries(toAddress(q)).filter(([, v]) => v));
  assert.deepEqual(Object.fromEntries(back), Object.fromEntries(new URLSearchParams(address)));
  assert.deepEqual(read(q).request, {
    asset: "BTC",
    action: "short",
    wallet: "0x" + "a".repeat(40),
    size: 50_000,
    leverage: 10,
    mode: "cross",
    order: { type: "market", price: undefined, stop_loss_price: 51_900, take_profit_price: undefined },
  });
  const close = read(
    fromAddress(new URLSearchParams("a=BTC&d=close&coin=0.5&x=10&m=cross&w=0x" + "b".repeat(40))),
  ).request;
  assert.deepEqual(close, { asset: "BTC", action: "close", wallet: "0x" + "b".repeat(40), size_coin: 0.5 });
  const bad = read(fromAddress(new URLSearchParams("a=BTC&d=sideways&usd=1,5&x=10x&w=12")));
  assert.equal(bad.request, null);
  assert.deepEqual(bad.faults.size.suggestions, ["1.5", "15"]);
  assert.ok(bad.faults.wallet);
  assert.deepEqual(read(fromAddress(new URLSearchParams(""))).missing, ["asset", "size", "wallet"]);
});

test("a unit that is typed counts more than the chosen one", () => {
  const sized = (text) => {
    const { size, size_coin } = read(fromAddress(new URLSearchParams(`a=BTC&w=0x${"a".repeat(40)}&${text}`))).request;
    return [size, size_coin];
  };
  for (const text of ["coin=$50,000", "coin=50000 USD", "usd=50k"]) assert.deepEqual(sized(text), [50_000, undefined]);
  for (const text of ["usd=0.5 BTC", "usd=0.5btc", "coin=0.5"]) assert.deepEqual(sized(text), [undefined, 0.5]);
  for (const text of ["0.5 btc", "5x", "100 kPEPE"])
    for (const unit of ["usd", "coin"]) {
      const q = fromAddress(new URLSearchParams({ a: "ETH", w: "0x" + "a".repeat(40), [unit]: text }));
      assert.equal(read(q).request, null, text);
      assert.ok(read(q).faults.size, text);
      assert.equal(toAddress(q)[unit], text); // never without its unit
    }
});

test("what the service suggests is offered name by name", () => {
  assert.deepEqual(suggested("xyz:TSLA or flx:TSLA"), ["xyz:TSLA", "flx:TSLA"]);
  assert.deepEqual(suggested("nearest names: TON, TIA; all are listed by GET /v1/assets"), ["TON", "TIA"]);
  assert.deepEqual(suggested("all are listed by GET /v1/assets"), []);
  assert.deepEqual([suggested(5), suggested(undefined)], [["5"], []]);
});

test("what came of a decision is said when it is known", () => {
  const closed = { status: "closed", liquidated: false, end_price: 99, pnl_usd: -12.5, var_exceeded: false };
  const reported = [{ liquidated: false, pnl_usd: 20, exit_price: 102.5 }];
  for (const [outcome, ...want] of [
    [null],
    [{ after_24h: closed, after_7d: null, reported: [] }, "24 hours: not liquidated, −12.50 USD."],
    [
      {
        after_24h: { ...closed, var_exceeded: true },
        after_7d: { ...closed, liquidated: true, end_price: 91, pnl_usd: null },
        reported,
      },
      "24 hours: not liquidated, −12.50 USD, worse than the bad day.",
      "7 days: liquidated at 91.000.",
      "Reported: +20.00 USD, out at 102.50.",
    ],
    [
      { after_24h: { status: "unknown" }, after_7d: null, reported: [] },
      "24 hours: not known, prices of the venue are missing.",
    ],
  ])
    assert.deepEqual(outcomeTexts({ outcome }), want);
});
