package risk

import (
	"math"
	"testing"

	mc "ballast/marketcache"
)

// flagCase holds the inputs of raiseFlags.
type flagCase struct {
	in   Input
	acct account
	view // market view of the trade
	out  Assessment
	book portfolio
}

func healthy(t *testing.T) *flagCase {
	t.Helper()
	c := &flagCase{in: newSituation(20_000, ActionLong, 6_000).in}
	s := NewScratch(1)
	assessWith(t, NewEngine(DefaultAges()), s, &c.in)
	c.acct, c.view, c.out = s.account, s.view, s.Out
	c.market = viewOf(&c.in.Target)
	c.book = portfolio{count: 1, gross: 6_000, largest: 6_000, correlated: -1}
	return c
}

func (c *flagCase) flags() *FlagSet {
	c.out.Flags = FlagSet{}
	c.priced = &c.plan
	c.raiseFlags(&c.in, &c.acct, &c.out, &c.book, c.out.Pools)
	return &c.out.Flags
}

func TestHealthyTradeRaisesNothing(t *testing.T) {
	if f := healthy(t).flags(); !f.Empty() {
		t.Errorf("flags %v", raised(f))
	}
}

func next(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }
func prev(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }

// flagRow is a case in which a flag is not raised (nil: the healthy trade) and one in which it is.
type flagRow struct {
	flag    Flag
	name    string
	off, on func(c *flagCase)
}

// edge is the row of a flag that is raised from the number next to a threshold on.
func edge(flag Flag, name string, at float64, beyond func(float64) float64, figure func(*flagCase) *float64) flagRow {
	return flagRow{flag, name, func(c *flagCase) { *figure(c) = at }, func(c *flagCase) { *figure(c) = beyond(at) }}
}

// Every flag exactly at its threshold and just beyond it.
var flagRows = []flagRow{
	{FlagStaleMarketData, "an input past its soft limit", nil, func(c *flagCase) { c.in.Stale = true }},
	edge(FlagPriceDivergence, "5 %", 5, next, func(c *flagCase) *float64 { return &c.in.Divergence.Pct }),
	edge(FlagExtremeSlippage, "100 bps", 100, next, func(c *flagCase) *float64 { return &c.out.Slippage.Bps }),
	edge(FlagNearLiquidation, "5 %", 5, prev, func(c *flagCase) *float64 { return &c.out.Liquidation.DistancePct }),
	{FlagNearLiquidation, "1.07 moves of 4 hours",
		func(c *flagCase) {
			c.out.VaR.Pct99_24h, c.out.VaR.Pct99_4h, c.out.Liquidation.DistancePct = 100, 100, 107
		},
		func(c *flagCase) {
			c.out.VaR.Pct99_24h, c.out.VaR.Pct99_4h, c.out.Liquidation.DistancePct = 100, 100, prev(107)
		}},
	{FlagNearLiquidation, "0.75 daily moves",
		func(c *flagCase) { c.out.VaR.Pct99_24h, c.out.Liquidation.DistancePct = 10, 7.5 },
		func(c *flagCase) { c.out.VaR.Pct99_24h, c.out.Liquidation.DistancePct = 10, prev(7.5) }},
	{FlagNearLiquidation, "not of a flat position",
		func(c *flagCase) { c.plan.after, c.out.Liquidation.DistancePct = 0, 0 },
		func(c *flagCase) { c.out.Liquidation.DistancePct = 0 }},
	{FlagNearBackstop, "not of a flat position",
		func(c *flagCase) { c.plan.after, c.out.Liquidation.NearBackstop = 0, true },
		func(c *flagCase) { c.out.Liquidation.NearBackstop = true }},
	edge(FlagLikelyLiquidation, "10 %", 0.1, next,
		func(c *flagCase) *float64 { return &c.out.Liquidation.Probability24h }),
	{FlagLikelyLiquidation, "of the pool that a flat trade leaves", nil,
		func(c *flagCase) { c.plan.after, c.out.Liquidation.Probability24h = 0, 1 }},
	{FlagLikelyLiquidation, "not of a pool that could not be read",
		func(c *flagCase) { c.out.Liquidation.Probability24h, c.out.Explanation.PoolUnread = 1, true },
		func(c *flagCase) { c.out.Liquidation.Probability24h = 1 }},
	edge(FlagLikelyWithinWeek, "15 %", 0.15, next,
		func(c *flagCase) *float64 { return &c.out.Liquidation.Probability7d }),
	edge(FlagFundingLiquidates, "half of the room", 0.5, next,
		func(c *flagCase) *float64 { return &c.out.Explanation.FundingShare }),
	{FlagOtherPoolAtRisk, "10 %", pools(PoolState{Dex: "xyz", EquityUSD: 1, HasProbability: true,
		Probability24h: 0.1}),
		pools(PoolState{Dex: "xyz", EquityUSD: 1, HasProbability: true, Probability24h: next(0.1)})},
	{FlagOtherPoolAtRisk, "no equity", pools(PoolState{Mode: PoolIsolated, Asset: "BTC", EquityUSD: 0.01}),
		pools(PoolState{Mode: PoolIsolated, Asset: "BTC"})},
	{FlagOtherPoolAtRisk, "not the trade's own", pools(PoolState{EquityUSD: -1, tradesHere: true}),
		pools(PoolState{EquityUSD: -1, tradesHere: true}, PoolState{Mode: PoolIsolated, Asset: "BTC",
			EquityUSD: -1})},
	{FlagLeavesBookAtRisk, "only when nothing is added", func(c *flagCase) { c.out.Liquidation.Probability24h = 1 },
		exits(func(c *flagCase) { c.out.Liquidation.Probability24h = 1 })},
	{FlagLeavesBookAtRisk, "not a pool that died before too",
		exits(func(c *flagCase) { c.out.Explanation.LoadBefore, c.out.Explanation.LoadAfter = 1, 2 }),
		exits(func(c *flagCase) { c.out.Explanation.LoadBefore, c.out.Explanation.LoadAfter = prev(1), 1 })},
	{FlagLeavesBookAtRisk, "not a small book",
		exits(func(c *flagCase) { c.book.var99 = 5_000 }),
		exits(func(c *flagCase) { c.book.var99 = next(5_000) })},
	{FlagLeavesBookAtRisk, "not a book that was as risky",
		exits(func(c *flagCase) { c.out.BookBefore.PortfolioVaR99USD, c.book.var99 = 8_000, 10_000 }),
		exits(func(c *flagCase) { c.out.BookBefore.PortfolioVaR99USD, c.book.var99 = 8_000, next(10_000) })},
	{FlagLeavesBookAtRisk, "not when nothing fills", func(c *flagCase) {
		exits(func(c *flagCase) { c.out.Liquidation.Probability24h = 1 })(c)
		c.plan.kind = noFill
	}, exits(func(c *flagCase) { c.out.Liquidation.Probability24h = 1 })},
	{FlagMarginModeDiffers, "the setting's", nil, func(c *flagCase) { c.plan.differs = true }},
	{FlagSettingNotRead, "needed", nil, func(c *flagCase) { c.plan.notRead = true }},
	{FlagVenuePostOnly, "another notice", func(c *flagCase) { c.out.Meta.VenueNotice = "only maintenance" },
		func(c *flagCase) { c.out.Meta.VenueNotice = "POST_Only mode" }},
	{FlagOutsideSession, "a day before the rest",
		func(c *flagCase) {
			c.in.AsOfUnixMs, c.out.VaR.Session = testWallMs, Session{Known: true, RestsAtMs: testWallMs + 24*hourMs}
		},
		func(c *flagCase) {
			c.in.AsOfUnixMs, c.out.VaR.Session = testWallMs, Session{Known: true, RestsAtMs: testWallMs + 24*hourMs -
				1}
		}},
	{FlagOutsideSession, "no session", nil,
		func(c *flagCase) { c.out.VaR.Session = Session{Known: true, Resting: true, RestsAtMs: math.MaxInt64} }},
	{FlagHistoryLoading, "pairs", nil,
		func(c *flagCase) { c.out.Explanation.Loading = []LoadingPart{{What: "pairs"}} }},
	{FlagUnprotectedPosition, "orders not read",
		func(c *flagCase) { c.out.OpenOrders.Known = true },
		func(c *flagCase) { c.out.OpenOrders.Read = true }},
	{FlagUnprotectedPosition, "protected", func(c *flagCase) {
		c.out.OpenOrders = OpenOrders{Read: true, Positions: []Protection{{Asset: "ETH"},
			{Asset: "BTC", Protected: true}}}
	}, func(c *flagCase) {
		c.out.OpenOrders = OpenOrders{Read: true, Positions: []Protection{{Asset: "ETH", Protected: true},
			{Asset: "BTC", CoveredPct: 60}}}
	}},
	{FlagUnprotectedPosition, "flat",
		func(c *flagCase) { c.out.OpenOrders.Read, c.plan.after = true, 0 },
		func(c *flagCase) { c.out.OpenOrders.Read = true }},
	{FlagNegativeAccountEquity, "whatever the trade", nil,
		func(c *flagCase) { c.acct.negative, c.plan.increaseUSD = true, 0 }},
	{FlagInsufficientMargin, "only when exposure grows",
		func(c *flagCase) { c.after.marginShort, c.plan.increaseUSD = true, 0 },
		func(c *flagCase) { c.after.marginShort = true }},
	edge(FlagUntradeableCost, "200 bps", 200, next, func(c *flagCase) *float64 { return &c.out.Cost.RoundTripBps }),
	{FlagUntradeableCost, "only when exposure grows",
		func(c *flagCase) { c.out.Cost.RoundTripBps, c.plan.increaseUSD = 500, 0 },
		func(c *flagCase) { c.out.Cost.RoundTripBps = 500 }},
	edge(FlagThinMarket, "a day's volume", 100, next,
		func(c *flagCase) *float64 { return &c.out.Impact.ParticipationPct }),
	{FlagThinMarket, "only when exposure grows",
		func(c *flagCase) { c.out.Impact.ParticipationPct, c.plan.increaseUSD = 500, 0 },
		func(c *flagCase) { c.out.Impact.ParticipationPct = 500 }},
	{FlagOIAtCap, "at the cap", nil, func(c *flagCase) { c.out.OpenInterest.AtCap = true }},
	// The asks hold 10 levels of 1e6 USD within 100 bps, slightly more than 1e7 USD at their
	// prices.
	{FlagThinBook, "half the side's depth", func(c *flagCase) {
		_, asks := c.market.depth(100)
		c.plan.notional = asks / 2
	},
		func(c *flagCase) { _, asks := c.market.depth(100); c.plan.notional = next(asks / 2) }},
	{FlagThinBook, "beyond the visible book", nil, func(c *flagCase) { c.out.Slippage.BeyondVisible = true }},
	{FlagThinBook, "not without a trade",
		func(c *flagCase) { c.plan.units, c.out.Slippage.BeyondVisible = 0, true },
		func(c *flagCase) { c.out.Slippage.BeyondVisible = true }},
	edge(FlagHighSlippage, "25 bps", 25, next, func(c *flagCase) *float64 { return &c.out.Slippage.Bps }),
	edge(FlagHighLeverage, "half the asset's maximum", 20, next,
		func(c *flagCase) *float64 { return &c.out.Liquidation.EffectiveLeverage }),
	edge(FlagHighLeverage, "margin VaR of 100 %", 100, next,
		func(c *flagCase) *float64 { return &c.out.Explanation.Raw[ComponentVaR][0] }),
	{FlagFundingAnomaly, "three deviations up", setScore(2.999999), setScore(3.000001)},
	{FlagFundingAnomaly, "three deviations down", setScore(-2.999999), setScore(-3.000001)},
	{FlagFundingAnomaly, "72 rows", func(c *flagCase) {
		setScore(9)(c)
		c.market.in.Market.Funding.Rows = 71
	}, func(c *flagCase) {
		setScore(9)(c)
		c.market.in.Market.Funding.Rows = 72
	}},
	{FlagFundingAnomaly, "no rate known", func(c *flagCase) {
		setScore(9)(c)
		c.out.Funding.Known = false
	}, setScore(9)},
	edge(FlagFundingExpensive, "50 % a year", 50, next,
		func(c *flagCase) *float64 { return &c.out.Funding.AnnualizedPct }),
	{FlagFundingExpensive, "only when paid",
		func(c *flagCase) { c.out.Funding.AnnualizedPct, c.out.Funding.AgentPays = 99, false },
		func(c *flagCase) { c.out.Funding.AnnualizedPct = 99 }},
	{FlagCEXFundingDivergence, "three times", apart(3), apart(next(3))},
	{FlagCEXFundingDivergence, "minus three times", apart(-3), apart(prev(-3))},
	{FlagCEXFundingDivergence, "opposite signs of material rates",
		func(c *flagCase) { c.out.Funding.RateHourly, c.out.Funding.CEXRate = 1e-5, -2e-5 },
		func(c *flagCase) { c.out.Funding.RateHourly, c.out.Funding.CEXRate = next(1e-5), -2e-5 }},
	{FlagCEXFundingDivergence, "opposite signs, theirs material",
		func(c *flagCase) { c.out.Funding.RateHourly, c.out.Funding.CEXRate = -2e-5, 1e-5 },
		func(c *flagCase) { c.out.Funding.RateHourly, c.out.Funding.CEXRate = -2e-5, next(1e-5) }},
	{FlagCEXFundingDivergence, "no exchange known", func(c *flagCase) {
		apart(9)(c)
		c.out.Funding.CEXKnown = false
	}, apart(9)},
	{FlagCEXFundingDivergence, "rates 10 % a year apart, whatever the ratio", // 1.1416e-5 an hour
		func(c *flagCase) {
			c.out.Funding.VsCEXDivergence, c.out.Funding.RateHourly, c.out.Funding.CEXRate = 9, 1.141e-5, 0
		},
		func(c *flagCase) {
			c.out.Funding.VsCEXDivergence, c.out.Funding.RateHourly, c.out.Funding.CEXRate = 9, 1.142e-5, 0
		}},
	edge(FlagHighImpact, "25 bps", 25, next, func(c *flagCase) *float64 { return &c.out.Impact.ExpectedBps }),
	edge(FlagLowVolume, "1 M USD", 1e6, prev,
		func(c *flagCase) *float64 { return &c.market.in.Market.Context.DayVolumeUSD }),
	edge(FlagLowVolume, "5 % of the volume", 5, next,
		func(c *flagCase) *float64 { return &c.out.Impact.ParticipationPct }),
	edge(FlagHighVaR, "15 %", 15, next, func(c *flagCase) *float64 { return &c.out.VaR.Pct99_24h }),
	edge(FlagHighVaR, "half the account", 10_000, next, func(c *flagCase) *float64 { return &c.out.VaR.Dollar99_24h }),
	{FlagHighVaR, "half of nothing does not count",
		func(c *flagCase) { c.acct.value, c.out.VaR.Dollar99_24h = 0.0099, 1 },
		func(c *flagCase) { c.acct.value, c.out.VaR.Dollar99_24h = 0.01, 1 }},
	edge(FlagHighPortfolioVaR, "four fifths of the account", 16_000, next,
		func(c *flagCase) *float64 { return &c.book.var99 }),
	{FlagHighPortfolioVaR, "not without an account",
		func(c *flagCase) { c.acct.value, c.book.var99 = 0.0099, 1 },
		func(c *flagCase) { c.acct.value, c.book.var99 = 0.01, 1 }},
	edge(FlagOINearCap, "80 %", 80, next, func(c *flagCase) *float64 { return &c.out.OpenInterest.UtilizationPct }),
	{FlagOINearCap, "not at the cap",
		func(c *flagCase) { c.out.OpenInterest.UtilizationPct, c.out.OpenInterest.AtCap = 100, true },
		func(c *flagCase) { c.out.OpenInterest.UtilizationPct = 100 }},
	{FlagConcentrationRisk, "half of gross",
		func(c *flagCase) { c.book = portfolio{count: 2, gross: 100, largest: 50} },
		func(c *flagCase) { c.book = portfolio{count: 2, gross: 100, largest: next(50)} }},
	{FlagConcentrationRisk, "two positions, collateral is none",
		func(c *flagCase) { c.book = portfolio{legs: make([]leg, 3), count: 1, gross: 100, largest: 100} },
		func(c *flagCase) { c.book = portfolio{count: 2, gross: 100, largest: 100} }},
	{FlagCorrelatedExposure, "0.7", func(c *flagCase) { c.book = portfolio{count: 2, gross: 100, correlated: 0.7} },
		func(c *flagCase) { c.book = portfolio{count: 2, gross: 100, correlated: next(0.7)} }},
	{FlagAccountFailsStress, "not with an assumed deposit",
		func(c *flagCase) { c.out.PortfolioStress.AccountSurvives, c.after.assumed = false, true },
		func(c *flagCase) { c.out.PortfolioStress.AccountSurvives = false }},
	{FlagAccountFailsStress, "any action", nil,
		func(c *flagCase) { c.out.PortfolioStress.AccountSurvives, c.plan.increaseUSD = false, 0 }},
	{FlagConcentrationRisk, "held: of that asset alone", func(c *flagCase) {
		c.plan.kind, c.plan.valueAfter = held, 20
		c.book = portfolio{count: 2, gross: 100, largest: 80}
	}, func(c *flagCase) {
		c.plan.kind, c.plan.valueAfter = held, 80
		c.book = portfolio{count: 2, gross: 100, largest: 80}
	}},
	{FlagTierLeverageExceeded, "the tier's maximum",
		func(c *flagCase) { c.plan.asked, c.plan.tierMax = 20, 20 },
		func(c *flagCase) { c.plan.asked, c.plan.tierMax = next(20), 20 }},
	{FlagTierLeverageExceeded, "only when exposure grows",
		func(c *flagCase) { c.plan.asked, c.plan.tierMax, c.plan.increaseUSD = 30, 20, 0 },
		func(c *flagCase) { c.plan.asked, c.plan.tierMax = 30, 20 }},
	{FlagNoAccountEquity, "none", nil, func(c *flagCase) { c.acct.empty = true }},
	{FlagPositionsNotFollowed, "one", nil, func(c *flagCase) { c.in.Account.NotFollowed = 1 }},
	{FlagAccountModeEstimated, "estimated", nil, func(c *flagCase) { c.acct.estimated = true }},
	{FlagLimitedHistory, "2,160 bars",
		func(c *flagCase) { c.market.model.Bars = 2160 },
		func(c *flagCase) { c.market.model.Bars = 2159 }},
	{FlagLimitedHistory, "not while bars are read",
		func(c *flagCase) {
			c.market.model.Bars, c.in.Target.Market.Loading = 100, &mc.Loading{Candles: true}
		},
		func(c *flagCase) {
			c.market.model.Bars, c.in.Target.Market.Loading = 100, &mc.Loading{OddCandle: true, Funding: true}
		}},
	{FlagNewListing, "720 bars",
		func(c *flagCase) { c.market.model.Bars = 720 },
		func(c *flagCase) { c.market.model.Bars = 719 }},
	{FlagSizeExceedsPosition, "more than the position", nil, func(c *flagCase) { c.plan.exceeds = true }},
	{FlagMarginModeKept, "named and not used", nil, func(c *flagCase) { c.plan.kept = true }},
	{FlagNoOpenPosition, "nothing to reduce", func(c *flagCase) { c.plan.kind, c.plan.before = noFill, 1 },
		func(c *flagCase) { c.plan.kind = noFill }},
	{FlagStopBeyondLiquidation, "the block says so", func(c *flagCase) { c.out.Order.StopLoss.Price = 1 },
		func(c *flagCase) { c.out.Order.StopBeyondLiquidation = true }},
	{FlagUnprotectedPosition, "a stop of the request",
		func(c *flagCase) { c.out.OpenOrders.Read, c.out.Order.StopLoss.Price = true, 1 },
		func(c *flagCase) {
			c.out.OpenOrders.Read = true
			c.out.Order = OrderExits{StopLoss: ExitLevel{Price: 1}, StopBeyondLiquidation: true}
		}},
}

func TestFlagThresholds(t *testing.T) {
	tested := map[Flag]bool{}
	for _, r := range flagRows {
		tested[r.flag] = true
		t.Run(r.flag.String()+" "+r.name, func(t *testing.T) {
			c := healthy(t)
			if r.off != nil {
				r.off(c)
			}
			if f := c.flags(); f.Has(r.flag) {
				t.Errorf("raised at the threshold: %v against %v", f.Value[r.flag], f.Threshold[r.flag])
			}
			c = healthy(t)
			r.on(c)
			if f := c.flags(); !f.Has(r.flag) {
				t.Errorf("not raised past the threshold: %v", raised(f))
			}
		})
	}
	for f := range FlagCount {
		if !tested[f] && f != FlagKillSwitch && f != FlagPolicyViolation { // nothing of the market raises those
			t.Errorf("%s has no row", f)
		}
	}
}

func TestForbiddenTradesAreFlagged(t *testing.T) {
	for _, row := range []struct {
		killed bool
		rules  int
	}{{false, 0}, {true, 0}, {false, 2}, {true, 1}} {
		var f FlagSet
		f.Forbid(row.killed, row.rules)
		if f.Has(FlagKillSwitch) != row.killed || f.Has(FlagPolicyViolation) != (row.rules > 0) ||
			f.Value[FlagPolicyViolation] != float64(row.rules) {
			t.Errorf("%+v: %v", row, raised(&f))
		}
	}
}

// pools sets the wallet's pools after the trade, a cross one of BTC.
func pools(p ...PoolState) func(c *flagCase) { return func(c *flagCase) { c.out.Pools = p } }

// exits makes the trade one that only reduces a position of a wallet, and changes it further.
func exits(change func(c *flagCase)) func(c *flagCase) {
	return func(c *flagCase) {
		c.plan.kind, c.plan.increaseUSD, c.out.BookBefore.Known = reduces, 0, true
		change(c)
	}
}

// apart sets the ratio to the funding rate of centralised exchanges, with rates more than 10 % a year
// apart.
func apart(ratio float64) func(c *flagCase) {
	return func(c *flagCase) {
		c.out.Funding.VsCEXDivergence, c.out.Funding.RateHourly, c.out.Funding.CEXRate = ratio, 2e-5, 0
	}
}

// setScore sets funding figures whose robust z-score is z: median 0, deviation 1e-5.
func setScore(z float64) func(c *flagCase) {
	return func(c *flagCase) {
		c.market.in.Market.Funding = &mc.FundingStats{Rows: 720, MedianHourly720: 0, MADHourly720: 1e-5 / madToSigma}
		c.market.in.Market.Context.FundingRateHourly = z * 1e-5
	}
}

func TestFundingScoreHasAFloor(t *testing.T) {
	c := healthy(t)
	c.market.in.Market.Funding = &mc.FundingStats{Rows: 720, MedianHourly720: 1e-5}
	c.market.in.Market.Context.FundingRateHourly = 1e-5 + 4e-6
	z, ok := c.market.fundingScore()
	about(t, "score", z, 2, 1e-9)
	if !ok {
		t.Error("no score")
	}
}

// The table is in the order of answers: stale data, then the other critical flags, warnings, infos.
func TestFlagTable(t *testing.T) {
	if FlagTable[0].Name != "stale_market_data" {
		t.Error("stale_market_data is not the first flag")
	}
	names := map[string]bool{}
	for i, f := range FlagTable {
		if i > 0 && f.Severity < FlagTable[i-1].Severity {
			t.Errorf("%s comes after a flag of lower severity", f.Name)
		}
		if f.Name == "" || f.Raised == "" || names[f.Name] {
			t.Errorf("flag %d: %+v", i, f)
		}
		names[f.Name] = true
	}
	for f, want := range map[Flag]string{
		FlagFundingLiquidates: "funding_liquidates", FlagLeavesBookAtRisk: "leaves_book_at_risk",
		FlagLikelyWithinWeek: "likely_within_week", FlagPositionsNotFollowed: "positions_not_followed",
		FlagOutsideSession: "outside_session", FlagMarginModeKept: "margin_mode_kept",
	} {
		if f.String() != want {
			t.Errorf("flag %d is %s, want %s", f, f, want)
		}
	}
	if FlagTable[FlagOutsideSession].Severity != Warning || FlagTable[FlagOutsideSession+1].Severity != Info {
		t.Error("outside_session is not the last warning")
	}
}

func TestRegimeOverlay(t *testing.T) {
	rows := []struct {
		name          string
		state         mc.LiquidityRegime
		prob          [3]float64
		spread, depth float64 // bps, USD within 50 bps
		samples       int
		want          mc.LiquidityRegime
		confidence    float64
	}{
		{"a normal book", 0, [3]float64{0.9, 0.1, 0}, 2, 4e7, 1440, 0, 0.9},
		{"five times the spread", 0, [3]float64{0.9, 0.1, 0}, 10, 4e7, 1440, 0, 0.9},
		{"more than five times", 0, [3]float64{0.9, 0.1, 0}, 10.001, 4e7, 1440, 1, 0.6},
		{"a quarter of the depth", 0, [3]float64{0.9, 0.1, 0}, 2, 1e7, 1440, 0, 0.9},
		{"less than a quarter", 0, [3]float64{0.9, 0.1, 0}, 2, 1e7 - 1, 1440, 1, 0.6},
		{"likely anyway", 1, [3]float64{0.1, 0.2, 0.7}, 99, 4e7, 1440, 2, 0.7},
		{"crisis stays", 2, [3]float64{0, 0.1, 0.9}, 99, 0, 1440, 2, 0.9},
		{"too few samples", 0, [3]float64{0.9, 0.1, 0}, 99, 0, 99, 0, 0.9},
		{"enough samples", 0, [3]float64{0.9, 0.1, 0}, 99, 0, 100, 1, 0.6},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			in := testInput(0, "BTC", 100)
			in.Model.RegimeState, in.Model.RegimeProb, in.Model.RegimeConfidence = r.state, r.prob, r.prob[r.state]
			in.Market.Samples = &mc.SampleStats{N: r.samples, SpreadBpsMedian: 2, Depth50BpsUSDMedian: 4e7}
			book := mc.MergeBooks(
				[][]mc.Level{{{Price: 99.9, Units: (r.depth/2 + 1e-30) / 99.9}}},
				[][]mc.Level{{{Price: 100.1, Units: (r.depth/2 + 1e-30) / 100.1}}}, 0)
			book.SpreadBps = r.spread
			in.Market.Book = book
			mk := viewOf(&in)
			var got regimeView
			mk.regime(&got)
			if got.state != r.want || math.Abs(got.confidence-r.confidence) > 1e-12 || got.prob != r.prob {
				t.Errorf("%+v, want %s at %v", got, r.want, r.confidence)
			}
		})
	}
}

// A reduction leaves an isolated position that a crash would liquidate, before as after: its pool's load is
// no matter.
func TestReducedIsolatedPosition(t *testing.T) {
	s := newSituation(20_000, ActionShort, 30_000)
	s.holds(isolatedAt(holding(0, "BTC", 1, testMark, 3), 20_000))
	a := s.assess(t)
	if a.Flags.Has(FlagLeavesBookAtRisk) || a.Explanation.LoadAfter != 0 {
		t.Errorf("flags %v, load %v to %v", raised(&a.Flags), a.Explanation.LoadBefore, a.Explanation.LoadAfter)
	}
}

// Only a pool that is not the trade's can raise other_pool_at_risk: an isolated ETH long without equity left.
func TestOtherPoolAtRisk(t *testing.T) {
	for _, r := range []struct {
		asset  mc.AssetID
		action Action
		want   bool
	}{
		{0, ActionLong, true}, {0, ActionClose, true}, {1, ActionShort, false}, {1, ActionClose, false},
		{2, ActionLong, true},
	} {
		s := newSituation(20_000, r.action, 300)
		s.holds(holding(0, "BTC", 0.1, testMark, 10)).holds(isolatedAt(holding(1, "ETH", 1, 3_000, 10), 0))
		s.in.Trade.Asset, s.in.Trade.Leverage = r.asset, 0
		switch r.asset {
		case 1:
			s.in.Rows, s.in.Target = s.in.Target.Model, s.in.Held[1]
		case 2:
			s.in.Rows, s.in.Target = s.in.Target.Model, testInput(2, "SOL", 100)
		}
		if a := s.assess(t); a.Flags.Has(FlagOtherPoolAtRisk) != r.want {
			t.Errorf("%s of asset %d: flags %v, pools %+v", r.action, r.asset, raised(&a.Flags), a.Pools)
		}
	}
}
