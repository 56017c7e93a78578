// The charts laid out for random trades: no text meets another, none leaves its picture.
import assert from "node:assert/strict";
import { test } from "node:test";
import { curveLayout } from "../src/trade/curvelayout.ts";
import { overlap, roughly } from "../src/trade/labels.ts";
import { priceLayout } from "../src/trade/pricelayout.ts";
import { endsOf } from "../src/trade/quantiles.ts";

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
function generator(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const box = (t) => {
  const w = roughly(t.text, t.size, t.bold === true),
    x = t.anchor === "start" ? t.x : t.anchor === "end" ? t.x - w : t.x - w / 2;
  return { x, y: t.y - 0.8 * t.size, w, h: 1.05 * t.size };
};

function checkTexts(l, what) {
  const boxes = l.texts.map(box);
  l.texts.forEach((t, i) => {
    const b = boxes[i];
    assert.ok(
      b.x >= -0.5 && b.x + b.w <= l.width + 0.5 && b.y >= -1 && b.y + b.h <= l.height + 1,
      `“${t.text}” is cut: ${what}`,
    );
    for (let j = 0; j < i; j++)
      assert.ok(!overlap(boxes[j], b, -0.5), `“${t.text}” meets “${l.texts[j].text}”: ${what}`);
    assert.ok(!/NaN|undefined|null|Infinity/.test(t.text), `“${t.text}”: ${what}`);
  });
}

function randomTrade(r, width) {
  const mark = 10 ** (-5.7 + 10.7 * r()),
    side = r() < 0.1 ? 0 : r() < 0.5 ? 1 : -1,
    daily = 10 ** (-1 + 2.3 * r());
  const up = 0.8 + 0.6 * r(),
    kind = r(),
    far = kind < 0.4 ? 0.05 + 1.5 * r() : kind < 0.7 ? 1.5 + 12 * r() : null;
  const price = (pct) => Math.max(mark * 1e-4, mark * (1 + pct / 100)),
    bad = daily * (side < 0 ? up : 1);
  const liquidation = side === 0 || far === null ? null : price(-side * far * bad),
    coins = 10 ** (2 + 6 * r()) / mark;
  const at = liquidation === null ? null : coins * Math.abs(mark - liquidation),
    near = r() < 0.5;
  return {
    mark,
    side,
    coins: side === 0 ? 0 : coins,
    bad: { p99: bad, p95: 0.65 * bad },
    day:
      r() < 0.1
        ? null
        : {
            down_999_pct: r() < 0.2 ? null : -1.7 * daily,
            down_99_pct: -daily,
            down_95_pct: -0.65 * daily,
            median_pct: 0.02 * daily,
            up_95_pct: 0.65 * daily * up,
            up_99_pct: daily * up,
            up_999_pct: r() < 0.2 ? null : 1.7 * daily * up,
          },
    liquidation,
    liquidationNotes: near ? ["touched within 24 h: 35 %", "35 % within 24 h"] : ["64.7 % away"],
    before: r() < 0.5 ? price(-20 + 40 * r()) : null,
    entry: side === 0 ? null : price((r() < 0.5 ? 0.5 : 12) * daily * (r() - 0.5)),
    fill: mark * (1 + 0.001 * (r() - 0.5)),
    stop: r() < 0.3 ? price(-(side || 1) * bad * 2.5 * r()) : null,
    take: r() < 0.2 ? price((side || 1) * bad * 2.5 * r()) : null,
    lossAt: at,
    lossAfter: at === null ? null : at * (1 + r()),
    pool: r() < 0.5 ? "all its margin" : "all of its pool",
    width,
    height: width < 500 ? 250 : 330,
  };
}

test("the price panel of 1,000 trades", () => {
  const r = generator(1);
  for (let i = 0; i < 1000; i++) {
    const width = [330, 364, 640, 664, 1068][i % 5],
      p = randomTrade(r, width),
      l = priceLayout(p, roughly),
      what = JSON.stringify(p);
    checkTexts(l, what);
    const marks = l.markers.map((m) => m.id);
    assert.ok(marks.includes("mark"), what);
    if (p.side !== 0 && p.liquidation !== null) {
      assert.ok(marks.includes("liquidation"), `no liquidation: ${what}`);
      assert.ok(
        l.texts.some((t) => t.kind === "stop" && /\d/.test(t.text)),
        `liquidation without its price: ${what}`,
      );
    }
    if (p.side !== 0 && p.liquidation === null)
      assert.ok(
        l.texts.some((t) => t.text.startsWith("no liquidation")),
        what,
      );
    for (const [x, y] of [...l.payoff, ...l.dots, ...l.hill])
      assert.ok(Number.isFinite(x) && Number.isFinite(y) && x > -1 && x < width + 1 && y > 0 && y < p.height, what);
    const scale = l.right - l.left; // the day is never squeezed
    if (p.day) assert.ok((l.x(p.day.up_99_pct) - l.x(p.day.down_99_pct)) / scale > 0.3, what);
  }
});

test("the price panel keeps the order of prices", () => {
  const r = generator(2);
  for (let i = 0; i < 300; i++) {
    const p = randomTrade(r, 664),
      l = priceLayout(p, roughly),
      sorted = [...l.markers].sort((a, b) => a.price - b.price);
    for (let j = 1; j < sorted.length; j++) assert.ok(sorted[j].x >= sorted[j - 1].x - 1e-6, JSON.stringify(p));
  }
});

test("the size curve of 400 questions", () => {
  const r = generator(3);
  for (let i = 0; i < 400; i++) {
    const first = 10 + 90 * r(),
      last = first * 10 ** (1 + 5 * r()),
      points = [];
    let score = r() * 60;
    for (let k = 0; k < 33; k++) {
      score = Math.min(100, score + (r() < 0.1 ? 30 * r() : 2 * r()));
      points.push({ size_usd: first * (last / first) ** (k / 32), risk_score: score, rule: r() < 0.2 ? "H8" : null });
    }
    const fine = points.filter((p) => p.risk_score <= 40).at(-1),
      c = {
        points,
        yours: r() < 0.9 ? { usd: first * 10 ** (6 * r()), score: 100 * r() } : null,
        suggested: fine ? fine.size_usd * (0.5 + 0.5 * r()) : null,
        largest: fine && r() < 0.7 ? fine.size_usd : null,
        barred:
          r() < 0.6
            ? { usd: (last / 3) * r() + first, by: "the operator's limit stops it", rule: r() < 0.5 ? "Order, at most" : "" }
            : null,
        leverage: 20,
        rule: () => "a stress scenario ends the pool",
        width: i % 2 ? 358 : 330,
        height: i % 2 ? 330 : 250,
      };
    const l = curveLayout(c, roughly);
    checkTexts(l, JSON.stringify(c));
    if (c.yours)
      assert.ok(
        l.marks.some((m) => m.id === "yours"),
        JSON.stringify(c),
      );
  }
});

test("the hill is where the quantiles say", () => {
  const day = {
    down_999_pct: -14.6,
    down_99_pct: -8.5,
    down_95_pct: -5.7,
    median_pct: -0.13,
    up_95_pct: 5.6,
    up_99_pct: 9.8,
    up_999_pct: 18.7,
  };
  const ends = endsOf(day);
  for (const [v, p] of [
    [-14.6, 0.001],
    [-8.5, 0.01],
    [-5.7, 0.05],
    [-0.13, 0.5],
    [5.6, 0.95],
    [9.8, 0.99],
    [18.7, 0.999],
  ])
    assert.ok(Math.abs(ends.below(v) - p) < 1e-4, `${v}`);
  let last = 0;
  for (let v = -30; v <= 30; v += 0.05) {
    assert.ok(ends.below(v) >= last - 1e-9 && ends.density(v) >= 0, `at ${v}`);
    last = ends.below(v);
  }
  assert.equal(endsOf({ ...day, up_95_pct: -9 }), null);
  assert.ok(endsOf({ ...day, down_999_pct: null, up_999_pct: null }));
});
