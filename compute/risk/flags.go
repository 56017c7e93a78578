package risk

import (
	"math"
	"strings"

	mc "ballast/marketcache"
)

// Severity of a flag.
type Severity uint8

const (
	Critical Severity = iota
	Warning
	Info
)

// String returns critical, warning or info.
func (s Severity) String() string { return [...]string{"critical", "warning", "info"}[s] }

// Flag names one concern. Answers list flags in this order.
type Flag uint8

const (
	FlagStaleMarketData Flag = iota
	FlagKillSwitch
	FlagPolicyViolation
	FlagPriceDivergence
	FlagExtremeSlippage
	FlagNearLiquidation
	FlagNearBackstop
	FlagLikelyLiquidation
	FlagFundingLiquidates
	FlagNegativeAccountEquity
	FlagOtherPoolAtRisk
	FlagLeavesBookAtRisk
	FlagInsufficientMargin
	FlagUntradeableCost
	FlagThinMarket
	FlagOIAtCap
	FlagThinBook
	FlagHighSlippage
	FlagHighLeverage
	FlagFundingAnomaly
	FlagFundingExpensive
	FlagCEXFundingDivergence
	FlagHighImpact
	FlagLowVolume
	FlagHighVaR
	FlagHighPortfolioVaR
	FlagOINearCap
	FlagLikelyWithinWeek
	FlagConcentrationRisk
	FlagCorrelatedExposure
	FlagAccountFailsStress
	FlagTierLeverageExceeded
	FlagNoAccountEquity
	FlagAccountModeEstimated
	FlagMarginModeDiffers
	FlagSettingNotRead
	FlagVenuePostOnly
	FlagPositionsNotFollowed
	FlagStopBeyondLiquidation
	FlagOutsideSession
	FlagHistoryLoading
	FlagLimitedHistory
	FlagNewListing
	FlagSizeExceedsPosition
	FlagNoOpenPosition
	FlagUnprotectedPosition
	FlagMarginModeKept
	FlagCount
)

// FlagInfo describes a flag.
type FlagInfo struct {
	Name     string
	Severity Severity
	Raised   string // the rule in words
	Meaning  string // short, without figures
	// Unit is the unit of the figure and the threshold, "" for a flag without them.
	Unit string
	// Percent is the threshold, in percent, of a flag's second rule, for a flag whose Unit is
	// not percent; 0 without a second rule.
	Percent float64
}

// FlagTable describes every flag, indexed by Flag.
var FlagTable = [FlagCount]FlagInfo{
	{"stale_market_data", Critical,
		"an input is older than its soft limit",
		"an input is older than its soft limit", "", 0},
	{"kill_switch", Critical,
		"an operator has turned the kill switch on, and the trade does not only reduce",
		"the kill switch is on: nothing may be increased", "", 0},
	{"policy_violation", Critical,
		"the operator's policy denies what is assessed, or a figure that it needs is not known",
		"the operator's policy does not allow this", "rules", 0},
	{"price_divergence", Critical,
		"the mark is more than 5 % from the mid, from the oracle price or from the wallet's own mark",
		"prices of one asset contradict each other", "%", 0},
	{"extreme_slippage", Critical, "slippage.bps > 100", "the fill is far from the mid price", "bps", 0},
	{"near_liquidation", Critical,
		"liquidation.distance_pct < max(5, 0.75*var.pct_99_24h, 1.07*var.pct_99_4h)",
		"the liquidation price is near", "%", 0},
	{"near_backstop", Critical,
		"equity after the 1 h 99 % move < 2/3 of the maintenance margin",
		"a 99 % hour ends in the venue's backstop liquidation", "", 0},
	{"likely_liquidation", Critical,
		"liquidation.probability_24h > 0.10",
		"liquidation within 24 h is likely", "fraction", 0},
	{"funding_liquidates", Critical,
		"a day's funding takes more than 0.5 of the room to liquidation",
		"funding alone may bring liquidation within days", "share of the room", 0},
	{"negative_account_equity", Critical,
		"the account's equity is negative, or gone while positions are open",
		"the account's equity is gone", "USD", 0},
	{"other_pool_at_risk", Critical,
		"another pool with a position has a liquidation probability within 24 h > 0.10, or no equity",
		"another pool of the wallet is close to liquidation", "pools", 0},
	{"leaves_book_at_risk", Critical,
		"a trade that only reduces leaves probability_24h > 0.10, or a cross pool that dies in a scenario and did not" +
			" before, or a book whose 99 % loss is > 1.25 of before and > 0.25 of the account",
		"what the trade leaves is at risk", "", 0},
	{"insufficient_margin", Critical,
		"free margin too small for the initial margin of the increase",
		"free margin does not cover the initial margin", "USD", 0},
	{"untradeable_cost", Critical,
		"cost_analysis.total_round_trip_cost_bps > 200 of an increase",
		"the round trip costs too much", "bps", 0},
	{"thin_market", Critical,
		"impact.participation_pct > 100 of an increase",
		"the trade is larger than a day's volume", "%", 0},
	{"oi_at_cap", Critical,
		"the asset is at the venue's open-interest cap",
		"the venue takes no increase of open interest", "", 0},
	{"thin_book", Warning,
		"trade > 0.5 of its side's depth within 100 bps, or beyond the visible book",
		"the book near the mid price cannot take this size", "USD", 0},
	{"high_slippage", Warning, "slippage.bps > 25", "the fill is away from the mid price", "bps", 0},
	{"high_leverage", Warning,
		"effective leverage > 0.5 of the asset's maximum, or var.pct_99_24h times the scored leverage > 100 %",
		"the leverage leaves little room", "x", highMarginVaRPct},
	{"funding_anomaly", Warning,
		"|robust z-score of the funding rate| > 3",
		"funding is far from its usual rate", "deviations", 0},
	{"funding_expensive", Warning,
		"the requester pays more than 50 % a year",
		"the position pays much funding", "% a year", 0},
	{"cex_funding_divergence", Warning,
		"rates differ by > 10 % a year, and |ratio to centralised exchanges| > 3 or opposite signs of material rates",
		"funding differs from centralised exchanges", "times", 0},
	{"high_impact", Warning, "impact.expected_bps > 25", "the trade moves the price", "bps", 0},
	{"low_volume", Warning,
		"24 h volume < 1,000,000 USD, or participation > 5 %",
		"the market trades little", "USD", highParticipationPct},
	{"high_var", Warning,
		"var.pct_99_24h > 15, or its USD > 0.5 of the account",
		"a bad day costs much", "USD", highVaRPct},
	{"high_portfolio_var", Warning,
		"99 % loss of the book > 0.8 of the account",
		"a bad day of the whole book costs much", "USD", 0},
	{"oi_near_cap", Warning, "oi.utilization_pct > 80, not at the cap", "open interest is near its cap", "%", 0},
	{"likely_within_week", Warning,
		"liquidation.probability_7d > 0.15",
		"liquidation within a week is likely", "fraction", 0},
	{"concentration_risk", Warning,
		"two or more positions and one asset > 50 % of gross",
		"one asset is most of the book", "USD", 0},
	{"correlated_exposure", Warning,
		"another position of >= 5 % of gross with signed correlation > 0.7",
		"another position moves with this one", "correlation", 0},
	{"account_fails_stress", Warning,
		"a cross pool, or nine tenths of the wallet, does not survive a scenario",
		"the account does not survive a scenario", "", 0},
	{"tier_leverage_exceeded", Warning,
		"leverage above the maximum of the margin tier at the resulting notional",
		"the venue allows less leverage at this size", "x", 0},
	{"no_account_equity", Warning,
		"the wallet has no equity; initial margin assumed for an opening trade",
		"the wallet is empty; opening a position assumes its initial margin", "", 0},
	{"account_mode_estimated", Warning,
		"the account's collateral could not be read exactly",
		"the account's collateral is estimated", "", 0},
	{"margin_mode_differs", Warning,
		"a new position whose requested mode is not the wallet's setting of the asset",
		"the venue opens in the mode that the wallet has set", "", 0},
	{"setting_not_read", Warning,
		"the wallet's setting of a new position without leverage or mode in the request, or the leverage of an open " +
			"isolated position, could not be read",
		"the venue's default of leverage or mode is assumed", "", 0},
	{"venue_post_only", Warning,
		"the venue takes post-only orders alone",
		"the venue refuses orders that would fill at once", "", 0},
	{"positions_not_followed", Warning,
		"the wallet has positions on a dex that is not followed, or in an asset that the venue does not list",
		"some positions are known by their own marks only", "positions", 0},
	{"stop_beyond_liquidation", Warning,
		"order.stop_loss_price lies beyond the liquidation price after the trade",
		"liquidation comes before the stop", "USD", 0},
	{"outside_session", Warning,
		"the asset's oracle rests, or will within 24 h",
		"the price is the venue's own book's, and may jump when the market reopens", "", 0},
	{"history_loading", Info,
		"bars, paid funding or pairs of an asset are still to be read or fitted",
		"some history is still being read", "inputs", 0},
	{"limited_history", Info, "fewer than 2,160 hourly bars", "little price history", "bars", 0},
	{"new_listing", Info, "fewer than 720 hourly bars", "very little price history", "bars", 0},
	{"size_exceeds_position", Info, "close of more than the position", "the close is larger than the position", "USD",
		0},
	{"no_open_position", Info,
		"close, or a reduce-only order, without a position", "there is no position to close", "", 0},
	{"unprotected_position", Info,
		"resting orders were read, and no reduce-only stop, nor the request's, covers the position after the trade",
		"no stop order covers the position", "% covered", 0},
	{"margin_mode_kept", Info,
		"the open position keeps its margin mode; the request named another",
		"the open position keeps its margin mode", "", 0},
}

// String returns the flag's public name.
func (f Flag) String() string { return FlagTable[f].Name }

const (
	extremeSlippageBps   = 100
	highSlippageBps      = 25
	nearLiquidationPct   = 5
	nearLiquidationTimes = 0.75 // of the 24 h 99 % move
	nearLiquidation4h    = 1.07 // of the 4 h 99 % move
	likelyLiquidation    = 0.10
	likelyWithinWeek     = 0.15
	fundingOfRoom        = 0.5 // share of the room to liquidation
	untradeableCostBps   = 200
	thinMarketPct        = 100 // of a day's volume
	riskierBookTimes     = 1.25
	riskyBookShare       = 0.25
	restsSoonHours       = 24
	highPortfolioShare   = 0.8
	divergencePctYear    = 10
	thinDepthShare       = 0.5
	thinDepthBps         = 100
	highLeverageShare    = 0.5
	highMarginVaRPct     = 100
	anomalySigmas        = 3
	expensiveFundingPct  = 50
	divergenceTimes      = 3
	highImpactBps        = 25
	lowVolumeUSD         = 1e6
	highParticipationPct = 5
	highVaRPct           = 15
	highVaRShare         = 0.5
	nearCapPct           = 80
	concentrationShare   = 0.5
	highCorrelation      = 0.7
	limitedHistoryBars   = 2160
	newListingBars       = 720
)

// raiseFlags fills the flag set from the finished blocks.
func (v *view) raiseFlags(in *Input, acct *account, out *Assessment, b *portfolio, pools []PoolState) {
	f, t, mk := &out.Flags, &v.plan, &v.market
	f.when(FlagStaleMarketData, in.Stale || in.Target.StoodIn)
	f.above(FlagPriceDivergence, in.Divergence.Pct, mc.DivergingPct)
	if !out.Explanation.PoolUnread {
		v.raisePoolFlags(acct, out)
	}
	f.above(FlagOtherPoolAtRisk, float64(otherPoolsAtRisk(pools)), 0)
	if t.increaseUSD > 0 {
		v.raiseIncreaseFlags(acct, out)
	} else if t.kind == reduces && out.BookBefore.Known {
		x := &out.Explanation
		before := exitRisk{load: x.LoadBefore, portfolioVaR: out.BookBefore.PortfolioVaR99USD}
		after := exitRisk{out.Liquidation.Probability24h, x.LoadAfter, b.var99}
		f.when(FlagLeavesBookAtRisk, leavesBookAtRisk(before, after, acct.value))
	}
	mk.raiseCostFlags(f, v.priced, out)
	f.above(FlagHighLeverage, out.Liquidation.EffectiveLeverage, highLeverageShare*mk.asset.MaxLeverage)
	f.above(FlagHighLeverage, out.Explanation.Raw[ComponentVaR][0], highMarginVaRPct)
	mk.raiseFundingFlags(f, &out.Funding)
	f.above(FlagHighVaR, out.VaR.Pct99_24h, highVaRPct)
	if acct.value >= minEquity {
		f.above(FlagHighVaR, out.VaR.Dollar99_24h, highVaRShare*acct.value)
		f.above(FlagHighPortfolioVaR, b.var99, highPortfolioShare*acct.value)
	}
	if b.count >= minPortfolioPositions {
		largest := b.largest
		if t.kind == held { // the flag stands on the position that it means
			largest = t.valueAfter
		}
		f.above(FlagConcentrationRisk, largest, concentrationShare*b.gross)
		f.above(FlagCorrelatedExposure, b.correlated, highCorrelation)
	}
	f.above(FlagPositionsNotFollowed, float64(in.Account.NotFollowed), 0)
	f.when(FlagNoAccountEquity, acct.empty)
	f.when(FlagAccountModeEstimated, acct.estimated)
	f.when(FlagMarginModeDiffers, t.differs)
	f.when(FlagSettingNotRead, t.notRead || acct.assumed)
	f.when(FlagMarginModeKept, t.kept)
	f.when(FlagVenuePostOnly, postOnly(out.Meta.VenueNotice))
	mk.raiseDataFlags(f, in, out)
	if t.exceeds {
		f.raise(FlagSizeExceedsPosition, in.Trade.SizeUSD, math.Abs(t.before)*t.mark)
	}
	f.when(FlagNoOpenPosition, t.kind == noFill && t.before == 0)
	if out.Order.StopBeyondLiquidation {
		f.raise(FlagStopBeyondLiquidation, out.Order.StopLoss.Price, out.Liquidation.Price)
	}
	if x := &out.Order; x.StopLoss.Price == 0 || x.StopBeyondLiquidation {
		v.raiseProtectionFlag(f, &out.OpenOrders)
	}
}

// raisePoolFlags raises the flags of the position and its pool that need the pool's equity.
func (v *view) raisePoolFlags(acct *account, out *Assessment) {
	f, liq := &out.Flags, &out.Liquidation
	if v.plan.after != 0 {
		near := max(nearLiquidationPct, nearLiquidationTimes*out.VaR.Pct99_24h, nearLiquidation4h*out.VaR.Pct99_4h)
		if liq.DistancePct < near {
			f.raise(FlagNearLiquidation, liq.DistancePct, near)
		}
		f.when(FlagNearBackstop, liq.NearBackstop)
	}
	// With no position left these are of the pool that the trade leaves.
	f.above(FlagLikelyLiquidation, liq.Probability24h, likelyLiquidation)
	f.above(FlagLikelyWithinWeek, liq.Probability7d, likelyWithinWeek)
	f.above(FlagFundingLiquidates, out.Explanation.FundingShare, fundingOfRoom)
	if acct.negative {
		f.raise(FlagNegativeAccountEquity, min(acct.crossEquity, acct.value), minEquity)
	}
	f.when(FlagAccountFailsStress, !out.PortfolioStress.AccountSurvives && !v.after.assumed)
}

// exitRisk is the risk that a trade which only reduces finds or leaves.
type exitRisk struct {
	probability24h float64 // of the trade's pool
	load           float64 // of its cross pool: the largest share of the room that a scenario takes
	portfolioVaR   float64 // joint 24 h loss at 99 % of all positions, USD
}

// leavesBookAtRisk reports whether a reduction leaves a pool that is likely to be liquidated, a pool that
// dies in a scenario and did not before, or a book that has become much riskier and is no small one.
func leavesBookAtRisk(before, after exitRisk, accountValue float64) bool {
	return after.probability24h > likelyLiquidation ||
		after.load >= 1 && before.load < 1 ||
		after.portfolioVaR > max(riskierBookTimes*before.portfolioVaR, riskyBookShare*accountValue)
}

// otherPoolsAtRisk counts the pools at risk except the trade's.
func otherPoolsAtRisk(pools []PoolState) (n int) {
	for i := range pools {
		p := &pools[i]
		if !p.tradesHere && (p.EquityUSD <= 0 || p.HasProbability && p.Probability24h > likelyLiquidation) {
			n++
		}
	}
	return n
}

// raiseIncreaseFlags raises the flags that only a trade that adds exposure can have.
func (v *view) raiseIncreaseFlags(acct *account, out *Assessment) {
	f, t, after := &out.Flags, &v.plan, &v.after
	if after.marginShort {
		f.raise(FlagInsufficientMargin, after.needed, after.available)
	}
	f.above(FlagUntradeableCost, out.Cost.RoundTripBps, untradeableCostBps)
	f.above(FlagThinMarket, out.Impact.ParticipationPct, thinMarketPct)
	f.above(FlagTierLeverageExceeded, t.asked, t.tierMax)
}

// raiseCostFlags raises the flags of the order's execution and of the market that takes it.
func (mk *marketView) raiseCostFlags(f *FlagSet, priced *tradePlan, out *Assessment) {
	f.above(FlagExtremeSlippage, out.Slippage.Bps, extremeSlippageBps)
	if units, usd := priced.taking(); units > 0 {
		depth := mk.side(priced.direction).depthUSD(thinDepthBps, mk.book.TwoSided())
		f.above(FlagThinBook, usd, thinDepthShare*depth)
		f.when(FlagThinBook, out.Slippage.BeyondVisible)
	}
	f.above(FlagHighSlippage, out.Slippage.Bps, highSlippageBps)
	f.above(FlagHighImpact, out.Impact.ExpectedBps, highImpactBps)
	if v := mk.in.Market.Context.DayVolumeUSD; v < lowVolumeUSD {
		f.raise(FlagLowVolume, v, lowVolumeUSD)
	}
	f.above(FlagLowVolume, out.Impact.ParticipationPct, highParticipationPct)
	f.when(FlagOIAtCap, out.OpenInterest.AtCap)
	if !out.OpenInterest.AtCap {
		f.above(FlagOINearCap, out.OpenInterest.UtilizationPct, nearCapPct)
	}
}

// raiseDataFlags raises the flags of the history behind the answer and of the hours of the market.
func (mk *marketView) raiseDataFlags(f *FlagSet, in *Input, out *Assessment) {
	if s := &out.VaR.Session; s.Known {
		f.when(FlagOutsideSession, s.Resting || s.RestsAtMs-in.AsOfUnixMs < restsSoonHours*hourMs)
	}
	f.above(FlagHistoryLoading, float64(len(out.Explanation.Loading)), 0)
	if l := mk.in.Market.Loading; l != nil && l.Candles {
		return // the bars held so far do not tell how old the listing is
	}
	if bars := float64(mk.model.Bars); bars < limitedHistoryBars {
		f.raise(FlagLimitedHistory, bars, limitedHistoryBars)
		if bars < newListingBars {
			f.raise(FlagNewListing, bars, newListingBars)
		}
	}
}

// raiseProtectionFlag raises a flag when the wallet's resting orders are known and do not protect the
// position after the trade.
func (v *view) raiseProtectionFlag(f *FlagSet, orders *OpenOrders) {
	t := &v.plan
	if !orders.Read || t.after == 0 {
		return
	}
	covered := 0.0
	for i := range orders.Positions {
		if p := &orders.Positions[i]; p.Asset == t.asset.Name {
			if p.Protected {
				return
			}
			covered = p.CoveredPct
		}
	}
	f.raise(FlagUnprotectedPosition, covered, pctPerUnit)
}

// postOnly reports whether a notice of the venue says that it takes post-only orders alone.
func postOnly(notice string) bool {
	return containsFold(notice, "post") && containsFold(notice, "only")
}

// containsFold reports whether text contains word in any case.
func containsFold(text, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		if strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

func (mk *marketView) raiseFundingFlags(f *FlagSet, fund *Funding) {
	if !fund.Known {
		return
	}
	if z, ok := mk.fundingScore(); ok && math.Abs(z) > anomalySigmas {
		f.raise(FlagFundingAnomaly, z, math.Copysign(anomalySigmas, z))
	}
	if fund.AgentPays {
		f.above(FlagFundingExpensive, fund.AnnualizedPct, expensiveFundingPct)
	}
	if !fund.CEXKnown || math.Abs(fund.RateHourly-fund.CEXRate)*hoursPerYear*pctPerUnit <= divergencePctYear {
		return // a small difference counts for nothing, whatever the ratio
	}
	if math.Abs(fund.VsCEXDivergence) > divergenceTimes {
		f.raise(FlagCEXFundingDivergence, fund.VsCEXDivergence, math.Copysign(divergenceTimes, fund.VsCEXDivergence))
	}
	material := math.Abs(fund.RateHourly) > materialFunding && math.Abs(fund.CEXRate) > materialFunding
	f.when(FlagCEXFundingDivergence, material && fund.RateHourly*fund.CEXRate < 0)
}
