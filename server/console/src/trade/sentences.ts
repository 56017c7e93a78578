// The words of the verdict: its headline, the first sentence, what would pass instead.

import type { Assessment, Failure, Issue, Rung, SizeAnswer, WalletReport } from "../api";
import { adviceOn } from "../api";
import { age, badDays, chance, clock, exactCoins, heldChance, price, score, sentence, times, usd, usdDown, usdUp } from "../format";
import { ruleWords, verdicts } from "../names";
import { limitRemedy } from "../limits/remedy";
import { ruleName } from "../limits/rules";
import { type Answer, since } from "../store";
import { distanceInDays, hasLiquidation, leverageOf, liftedBy, parts, reduces } from "./answers";
import { limitOf } from "../screens/walletmath";
import type { Deposit } from "./asking";
import { type Cure, cureOf, safeChance } from "./cure";
import type { Action } from "./question";

/** An order that passes, offered with a button. */
export interface Offer {
  title: string; // 6× · 119,990 USD
  about: string; // score 38, liquidation 1,504.8, chance 0.72 %
  brief: string; // the same on a phone
  usd: number;
  leverage: number | null;
}

/** What stands at the right of the verdict. */
export interface Remedy {
  headline: string;
  text: string;
  note: string;
  offers: Offer[];
  room: number | null; // suggested size, where it is more than what is asked
  link: { text: string; href: string } | null; // a remedy that stands elsewhere
}

const passes = 40;

/** What would mend the venue's refusal, as an order to the user; empty where nothing would. */
export function mend(i: Issue, asset: string): string {
  const dex = asset.includes(":") ? asset.split(":")[0] : null;
  switch (i.code) {
    case "insufficient_margin": {
      const ways: string[] = [];
      if (i.fix_deposit_usd != null && dex) ways.push(`move ${usdUp(i.fix_deposit_usd)} USD to ${dex}`);
      if (i.fix != null && i.fix > 0) ways.push(`lower the size to ${usdDown(i.fix)}`);
      if (i.fix_leverage != null) ways.push(`use ${times(i.fix_leverage)}`);
      if (ways.length === 0 && i.fix_deposit_usd != null) ways.push(`add ${usdUp(i.fix_deposit_usd)} USD`);
      return ways.join(", or ");
    }
    case "min_notional":
      return i.limit === null ? "" : `send at least ${usd(i.limit)} USD`;
    case "lot":
      return "send a larger size";
    case "max_market_order":
      return i.limit === null ? "send less" : `send at most ${usdDown(i.limit)} USD at a time`;
    case "max_leverage":
    case "tier_leverage":
      return i.limit === null ? "use less leverage" : `use at most ${times(i.limit)}`;
    case "leverage_not_whole":
      return i.allowed ? `use ${times(i.allowed[0])} or ${times(i.allowed[1])}` : "use a whole number as leverage";
    case "isolated_leverage_too_low":
      return i.limit === null ? "use more leverage" : `use at least ${times(i.limit)}`;
    case "oi_cap":
      return "wait: nothing can be opened while open interest is at its cap";
    case "market_post_only":
      return "wait: the venue takes post-only orders alone";
    case "no_liquidity":
      return "wait: nothing rests on that side of the book";
    case "reduce_only_would_increase":
      return "take reduce-only off";
  }
  return "";
}

/** Why the venue refuses, in has-needs form. */
export function refusal(i: Issue): string {
  const both = typeof i.got === "number" && i.limit !== null;
  switch (i.code) {
    case "insufficient_margin":
      return both
        ? `needs ${usd(i.got as number)} of margin, has ${usd(i.limit)} (${usd((i.got as number) - i.limit!)} short)`
        : "margin does not cover it";
    case "margin_unknown":
      return "whether margin covers it is not known";
    case "min_notional":
      return both ? `is ${usd(i.got as number)} USD, needs ${usd(i.limit)}` : "is too small";
    case "max_leverage":
    case "tier_leverage":
      return both ? `asks ${times(i.got as number)}, allows ${times(i.limit)}` : "leverage is too high";
    case "max_market_order":
      return both ? `is ${usd(i.got as number)} USD, allows ${usd(i.limit)}` : "is too large";
    case "venue_notice":
      return `says “${i.got}”`;
    case "oi_cap":
      return "open interest is at its cap";
  }
  return i.code.replaceAll("_", " ");
}

/** Whether the venue's refusal alone makes the verdict: the parts of the score would let it pass. */
function refusedOnly(a: Assessment): boolean {
  if (a.admissibility.verdict !== "will_reject" || a.risk_score <= passes) return false;
  const sum = parts(a).reduce((t, p) => t + p.points, 0),
    venueRules = new Set(["H2", "H3", "H5"]);
  const others = Object.entries(a.explanation.hard_rules as Record<string, number>).filter(
    ([r]) => !venueRules.has(r),
  );
  return sum <= passes && others.every(([, v]) => v <= passes);
}

/** Whether the order's dex has no collateral of its own: every figure says so, and moving some there mends it. */
function unfunded(a: Assessment): boolean {
  const lacks = a.admissibility.issues[0]?.code === "insufficient_margin" && a.meta.asset.includes(":");
  return lacks && a.admissibility.verdict === "will_reject" && (a.liquidation.pool_equity_usd ?? 1) <= 0;
}

/** The rungs of the ladder that proceed. */
export const passing = (ladder: Rung[]) =>
  ladder.filter((r) => r.size_usd > 0 && r.risk_score !== null && r.risk_score <= passes);

/** Up to two orders of the ladder that pass: the largest, and the one nearest to the leverage that was asked. */
export function offersOf(ladder: Rung[] | null, a: Assessment, asked: number): Offer[] {
  const leverage = leverageOf(a) ?? 1,
    good = passing(ladder ?? []);
  const largest = good
    .slice()
    .sort((x, y) => y.size_usd - x.size_usd || Math.abs(x.leverage - leverage) - Math.abs(y.leverage - leverage))[0];
  if (!largest) {
    const s = a.sizing.suggested_size_usd;
    if (s <= 0 || s >= asked) return [];
    return [
      {
        title: `${leverage ? times(leverage) + " · " : ""}${usd(s)} USD`,
        about: `score at most ${passes}`,
        brief: `score at most ${passes}`,
        usd: s,
        leverage: null,
      },
    ];
  }
  const nearest = good
    .filter((r) => usdDown(r.size_usd) !== usdDown(largest.size_usd)) // else it offers nothing more
    .sort((x, y) => Math.abs(Math.log(x.leverage / leverage)) - Math.abs(Math.log(y.leverage / leverage)))[0];
  return [largest, ...(nearest ? [nearest] : [])].map((r) => ({
    title: `${times(r.leverage)} · ${usdDown(r.size_usd)} USD`,
    about: [
      `score ${score(r.risk_score)}`,
      r.liquidation_price ? `liquidation ${price(r.liquidation_price)}` : "",
      `chance ${chance(r.probability_24h)}`,
    ]
      .filter(Boolean)
      .join(", "),
    brief: `score ${score(r.risk_score)} · chance ${chance(r.probability_24h)}`,
    usd: r.size_usd,
    leverage: r.leverage,
  }));
}

const none: Remedy = { headline: "", text: "", note: "", offers: [], room: null, link: null };

/** Why an answer is stale: no newer one came, or the input was old in it already. */
function whyStale(a: Answer<Assessment>, failure: Failure | null): string {
  const { name, ageMs, softMs } = a.worst(),
    waited = since(a.received);
  if (failure && waited > softMs) return failure.message.replace(/\.?$/, ".");
  if (ageMs - waited <= softMs && waited > softMs) return `No newer answer has come for ${age(waited)}.`;
  if (ageMs > 5000) return `The ${name === "wallet" ? "wallet" : "venue"} has been silent for ${age(ageMs)}.`;
  const flag = a.value!.explanation.flags.find((f) => f.name === "stale_market_data");
  return flag ? sentence(flag.meaning) : "An input is old.";
}

/** What a stale answer says at the right. */
export function staleRemedy(
  a: Answer<Assessment>,
  asking: { failure: Failure | null; tries: number; nextIn: number | null; unasked?: boolean },
): Remedy {
  const { failure, tries, nextIn } = asking;
  const retry =
    tries > 0 ? `Asking again, try ${tries + 1}${nextIn === null ? "" : `, next in ${nextIn} s`}.` : "Asking again.";
  return {
    ...none,
    headline: "Open or increase nothing on these figures.",
    text: asking.unasked
      ? `Nothing is asked until the form is complete and right. What you see is of ${clock(a.value!.meta.as_of)}.`
      : `${whyStale(a, failure)} What you see is of ${clock(a.value!.meta.as_of)}. ${retry}`,
    note: "An exit needs no answer: send what only reduces.",
  };
}

/** What else was asked about the same question; null for what has not come. */
export interface Known {
  sizes: SizeAnswer | null;
  deposit: Deposit | null;
  pools: WalletReport | null;
}

/** What the verdict says at the right, by the first case that holds. */
export function remedy(a: Assessment, action: Action, known: Known): Remedy {
  const { sizes, pools } = known;
  const ask = a.admissibility,
    issue = ask.issues[0],
    asset = a.meta.asset,
    asked = ask.order_size_usd || 0;
  const ladder = sizes?.ladder ?? null;
  if (reduces(a, action)) return exit(a, pools);
  const offers = offersOf(ladder, a, asked),
    limited = limitRemedy(a, offers);
  if (limited) return limited;
  if ((refusedOnly(a) || unfunded(a)) && issue) return refusedOnlyBy(issue, asset, known.deposit);
  const refused = ask.verdict === "will_reject" && issue ? `The venue would refuse it too: ${refusal(issue)}.` : "";
  if (a.recommendation !== "proceed") {
    if (offers.length > 0)
      return {
        ...none,
        headline:
          a.recommendation === "abort" ? "Not like this. What would pass:" : "What would pass without caution:",
        offers,
        note: refused,
      };
    if (ladder === null) return { ...none, headline: "Not like this.", text: reason(a), note: refused };
    return { ...nothingPasses(a, known), note: refused };
  }
  if (ask.verdict === "will_reject" && issue) {
    return {
      ...none,
      headline: sentence(mend(issue, asset) || "the venue would refuse it"),
      text: `The venue would refuse it: ${refusal(issue)}.`,
    };
  }
  return proceed(a, sizes);
}

/** Where the venue's refusal is all that is wrong, or leads: what mends it, and more where that lets it not proceed. */
function refusedOnlyBy(issue: Issue, asset: string, deposit: Deposit | null): Remedy {
  const least = issue.fix_deposit_usd ?? null,
    then = issue.fix_deposit_probability_24h ?? null,
    text = `The venue would refuse it: ${refusal(issue)}.`;
  if (least !== null && deposit && deposit.usd !== null && deposit.usd > least + 1) {
    const likely = then === null ? "" : `: chance of liquidation within 24 h ${chance(then)}`,
      taken = `With ${usdUp(least)} USD the venue would take it, but it would not proceed yet${likely}.`;
    return { ...none, headline: sentence(transfer(deposit.usd, asset) + ", and it proceeds"), text, note: taken };
  }
  const way = mend(issue, asset);
  return {
    ...none,
    headline: way === "" ? "The venue would refuse it." : sentence(way),
    text,
    note: then === null ? "" : `With ${usdUp(least)} USD more the chance of liquidation within 24 h is ${chance(then)}.`,
  };
}

/** A deposit as an order to the user: add 850 USD, move 251 USD to xyz. */
const transfer = (usd: number, asset: string) =>
  asset.includes(":") ? `move ${usdUp(usd)} USD to ${asset.split(":")[0]}` : `add ${usdUp(usd)} USD`;

/** Where no size passes with any leverage: what the wallet needs first. */
function nothingPasses(a: Assessment, { sizes, deposit, pools }: Known): Remedy {
  const { asset } = a.meta,
    cure = pools && cureOf(a, pools),
    usd = deposit?.usd ?? null;
  const add = usd === null || usd <= 0 ? "" : ` ${sentence(transfer(usd, asset) + ", and this one does")}`,
    alone = deposit && usd === null ? "No deposit makes this order proceed." : "",
    said = [poolNeeds(cure, add !== ""), alone, smallest(sizes)]; // the remedy before the reason
  return {
    ...none,
    headline: `No order in ${asset} passes from this wallet.${add}`,
    text: (cure ? said : said.reverse()).filter(Boolean).join(" "),
    link: cure?.reduce ?? null,
  };
}

/** What brings the pool of the wallet to safety. That alone lets no order pass. */
function poolNeeds(cure: Cure | null, enough: boolean): string {
  if (!cure) return enough ? "" : "Try a smaller or another order.";
  const ways = [cure.reduce && "reducing", cure.deposit !== "" && `adding ${cure.deposit}`].filter(Boolean);
  if (ways.length === 0) return "";
  return `What is held is in danger itself: ${ways.join(" or ")} brings it to safety: ${cure.brings}.`;
}

/** What even the smallest order scores. */
function smallest(sizes: SizeAnswer | null): string {
  const n = sizes?.nearest;
  return n ? `Even ${usd(n.size_usd)} USD scores ${score(n.risk_score)}.` : "";
}

/** In words, what lifts the score most. */
export function reason(a: Assessment): string {
  const rule = liftedBy(a);
  return rule ? sentence(ruleWords[rule] ?? rule) : "";
}

function proceed(a: Assessment, sizes: SizeAnswer | null): Remedy {
  const ask = a.admissibility,
    most = sizes?.size_usd ?? 0,
    dead = a.stress.filter((s) => !s.survives);
  const takes = ask.verdict === "ok" ? "The venue would take it." : "Whether the venue would take it is not known.";
  const history =
    dead.length === 0
      ? `The position survives all ${a.stress.length} scenarios of history`
      : `${dead.length} of ${a.stress.length} scenarios of history would liquidate it`;
  const days = distanceInDays(a),
    away = hasLiquidation(a) && days !== null ? `; liquidation is ${badDays(days)} away.` : ".";
  const more = most > ask.order_size_usd * 1.01 && !a.execution; // the sizes are those of a market order
  return {
    ...none,
    headline: `Send ${exactCoins(ask.order_size_coin)} ${a.meta.asset}.`,
    text: `${takes} ${history}${away}`,
    room: more ? Math.floor(most) : null,
    note: more ? above(a, sizes!) : "",
  };
}

/** What the curve says lies over the largest size. */
function above(a: Assessment, sizes: SizeAnswer): string {
  const next = sizes.curve.find((p) => p.size_usd > sizes.size_usd * 1.0001),
    rule = next?.rule ?? a.explanation.size_rule;
  if (next?.policy_rule) return `Above that the operator's limit stops it: ${ruleName(next.policy_rule)}.`;
  if (rule === "H8") return "Above that a scenario of history would end its pool.";
  return rule && rule in ruleWords ? `Above that: ${ruleWords[rule]}.` : "";
}

/** A chance in a sentence, as a figure. */
const inText = (p: number) => (p >= 1 ? "100 %" : heldChance(p));

function exit(a: Assessment, pools: WalletReport | null): Remedy {
  const { before, after } = a.position,
    ask = a.admissibility,
    name = a.meta.asset;
  if (before === null)
    return { ...none, headline: "There is no position to close.", text: `This wallet holds nothing in ${name}.` };
  const was = a.book_before?.probability_24h ?? null,
    is = a.liquidation.probability_24h;
  const what =
    after === null
      ? `Closing all of ${usd(before.notional_usd)} USD in ${name}`
      : `Closing ${usd(ask.order_size_usd)} of ${usd(before.notional_usd)} USD in ${name}`;
  const effect =
    was === null || is === null
      ? ""
      : after === null && a.liquidation.price === 0 && is === 0
        ? " ends its chance of liquidation"
        : Math.abs(was - is) < 0.005
          ? ` leaves the chance of liquidation at ${inText(is)}`
          : ` ${is < was ? "lowers" : "raises"} the chance of liquidation from ${inText(was)} to ${inText(is)}`;
  const first =
    ask.verdict === "will_reject" && ask.issues[0] ? `The venue would refuse it: ${refusal(ask.issues[0])}. ` : "";
  const risky = a.flags.includes("leaves_book_at_risk"),
    cure = risky && pools ? cureOf(a, pools)?.reduce : null;
  const instead = cure ? ` For a chance of ${limitOf(safeChance)}, from what is held now:` : "";
  return {
    ...none,
    headline: `${what}${effect}.`,
    text: first + "An exit is never blocked.",
    note: risky ? `What stays is still dangerous.${instead}` : "",
    link: cure ?? null,
  };
}

/** The line under the score bar: what the score is made of. strong ones first. */
export function madeOf(a: Assessment): { strong: string[]; rest: string[]; lifted: string } {
  const rule = liftedBy(a),
    list = parts(a);
  return {
    strong: list.slice(0, 2).map((p) => p.id),
    rest: list.slice(2, 5).map((p) => p.id),
    lifted: rule ? `raised to ${score(a.risk_score)}: ${ruleWords[rule] ?? rule}` : "",
  };
}

/** The sentence for screen readers. */
export function spoken(a: Assessment): string {
  const l = a.liquidation,
    likely = chance(l.probability_24h).replace("%", "percent");
  const where = hasLiquidation(a)
    ? ` Liquidation ${price(l.price)}, ${usd(l.distance_pct)} percent away, ${likely} within 24 hours.`
    : " No liquidation price.";
  return `${verdicts[a.recommendation]?.word ?? a.recommendation}, ${score(a.risk_score)}.${where}`;
}

/** What "No answer" says: why, and what happens next. */
export function noAnswer(
  f: Failure | null,
  silent: number | null,
  nextIn: number | null,
): { text: string; note: string } {
  const again = nextIn === null ? "" : nextIn > 0 ? `Asking again in ${nextIn} s. ` : "Asking again. ";
  const note = again + "An exit needs no answer.";
  if (f && f.body.error !== "stale_market_data") {
    return { text: f.message + (/[.!?]$/.test(f.message) ? "" : ".") + (adviceOn(f) ? " " + adviceOn(f) : ""), note };
  }
  if (silent !== null)
    return { text: `The venue has been silent for ${age(silent)}; answers need prices younger than 30 s.`, note };
  return { text: f ? sentence(f.message) : "No answer has come.", note };
}
