package risk

import (
	"math"

	"ballast/marketcache"
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
	FlagPriceDivergence
	FlagExtremeSlippage
	FlagNearLiquidation
	FlagNearBackstop
	FlagLikelyLiquidation
	FlagNegativeAccountEquity
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
	FlagConcentrationRisk
	FlagCorrelatedExposure
	FlagAccountFailsStress
	FlagTierLeverageExceeded
	FlagNoAccountEquity
	FlagAccountModeEstimated
	FlagPositionsNotFollowed
	FlagLimitedHistory
	FlagNewListing
	FlagSizeExceedsPosition
	FlagNoOpenPosition
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
	{"stale_market_data", Critical, "an input is older than its soft limit", "an input is older than its soft limit", "", 0},
	{"price_divergence", Critical, "the mark is more than 5 % from the mid, from the oracle price or from the wallet's own mark", "prices of one asset contradict each other", "%", 0},
	{"extreme_slippage", Critical, "slippage.bps > 100", "the fill is far from the mid price", "bps", 0},
	{"near_liquidation", Critical, "liquidation.distance_pct < max(5, 0.75*var.pct_99_24h, 1.07*var.pct_99_4h)", "the liquidation price is near", "%", 0},
	{"near_backstop", Critical, "equity after the 1 h 99 % move < 2/3 of the maintenance margin", "a 99 % hour ends in the venue's backstop liquidation", "", 0},
	{"likely_liquidation", Critical, "liquidation.probability_24h > 0.10", "liquidation within 24 h is likely", "fraction", 0},
	{"negative_account_equity", Critical, "the account's equity is negative, or gone while positions are open", "the account's equity is gone", "USD", 0},
	{"insufficient_margin", Critical, "free margin too small for the initial margin of the increase", "free margin does not cover the initial margin", "USD", 0},
	{"untradeable_cost", Critical, "cost_analysis.total_round_trip_cost_bps > 200 of an increase", "the round trip costs too much", "bps", 0},
	{"thin_market", Critical, "impact.participation_pct > 100 of an increase", "the trade is larger than a day's volume", "%", 0},
	{"oi_at_cap", Critical, "the asset is at the venue's open-interest cap", "the venue takes no increase of open interest", "", 0},
	{"thin_book", Warning, "trade > 0.5 of its side's depth within 100 bps, or beyond the visible book", "the book near the mid price cannot take this size", "USD", 0},
	{"high_slippage", Warning, "slippage.bps > 25", "the fill is away from the mid price", "bps", 0},
	{"high_leverage", Warning, "effective leverage > 0.5 of the asset's maximum, or var.pct_99_24h times the scored leverage > 100 %", "the leverage leaves little room", "x", highMarginVaRPct},
	{"funding_anomaly", Warning, "|robust z-score of the funding rate| > 3", "funding is far from its usual rate", "deviations", 0},
	{"funding_expensive", Warning, "the requester pays more than 50 % a year", "the position pays much funding", "% a year", 0},
	{"cex_funding_divergence", Warning, "rates differ by > 10 % a year, and |ratio to centralised exchanges| > 3 or opposite signs of material rates", "funding differs from centralised exchanges", "times", 0},
	{"high_impact", Warning, "impact.expected_bps > 25", "the trade moves the price", "bps", 0},
	{"low_volume", Warning, "24 h volume < 1,000,000 USD, or participation > 5 %", "the market trades little", "USD", highParticipationPct},
	{"high_var", Warning, "var.pct_99_24h > 15, or its USD > 0.5 of the account", "a bad day costs much", "USD", highVaRPct},
	{"high_portfolio_var", Warning, "two or more positions and 99 % loss of the book > 0.8 of the account", "a bad day of the whole book costs much", "USD", 0},
	{"oi_near_cap", Warning, "oi.utilization_pct > 80, not at the cap", "open interest is near its cap", "%", 0},
	{"concentration_risk", Warning, "two or more positions and one asset > 50 % of gross", "one asset is most of the book", "USD", 0},
	{"correlated_exposure", Warning, "another position of >= 5 % of gross with signed correlation > 0.7", "another position moves with this one", "correlation", 0},
	{"account_fails_stress", Warning, "the account does not survive its worst scenario", "the account does not survive its worst scenario", "", 0},
	{"tier_leverage_exceeded", Warning, "leverage above the maximum of the margin tier at the resulting notional", "the venue allows less leverage at this size", "x", 0},
	{"no_account_equity", Warning, "the wallet has no equity; initial margin assumed for an opening trade", "the wallet is empty; opening a position assumes its initial margin", "", 0},
	{"account_mode_estimated", Warning, "the account's collateral could not be read exactly", "the account's collateral is estimated", "", 0},
	{"positions_not_followed", Warning, "the wallet has positions on a dex that is not followed", "positions on other dexes are known by their own marks only", "positions", 0},
	{"limited_history", Info, "fewer than 2,160 hourly bars", "little price history", "bars", 0},
	{"new_listing", Info, "fewer than 720 hourly bars", "very little price history", "bars", 0},
	{"size_exceeds_position", Info, "close of more than the position", "the close is larger than the position", "USD", 0},
	{"no_open_position", Info, "close without a position", "there is no position to close", "", 0},
	{"margin_mode_kept", Info, "the open position keeps its margin mode; the request named another", "the open position keeps its margin mode", "", 0},
}

// String returns the flag's public name.
func (f Flag) String() string { return FlagTable[f].Name }

// FlagSet is a set of flags, with the figure and the threshold of each raised flag.
type FlagSet struct {
	bits      uint64
	Value     [FlagCount]float64
	Threshold [FlagCount]float64
}

// Has reports whether a flag is raised.
func (s *FlagSet) Has(f Flag) bool { return s.bits>>f&1 != 0 }

// Empty reports whether no flag is raised.
func (s *FlagSet) Empty() bool { return s.bits == 0 }

func (s *FlagSet) raise(f Flag, value, threshold float64) {
	s.bits |= 1 << f
	s.Value[f], s.Threshold[f] = value, threshold
}

// above raises a flag when value exceeds threshold.
func (s *FlagSet) above(f Flag, value, threshold float64) {
	if value > threshold && !s.Has(f) {
		s.raise(f, value, threshold)
	}
}

// when raises a flag without a figure if on.
func (s *FlagSet) when(f Flag, on bool) {
	if on && !s.Has(f) {
		s.raise(f, 1, 0)
	}
}

const (
	extremeSlippageBps   = 100
	highSlippageBps      = 25
	nearLiquidationPct   = 5
	nearLiquidationTimes = 0.75 // of the 24 h 99 % move
	nearLiquidation4h    = 1.07 // of the 4 h 99 % move
	likelyLiquidation    = 0.10
	untradeableCostBps   = 200
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
func (v *view) raiseFlags(in *Input, acct *account, out *Assessment, book *book) {
	f, t, mk := &out.Flags, &v.plan, &v.market
	f.when(FlagStaleMarketData, in.Stale || in.Target.StoodIn)
	f.above(FlagPositionsNotFollowed, float64(in.Account.NotFollowed), 0)
	f.above(FlagPriceDivergence, in.Divergence.Pct, marketcache.DivergingPct)
	f.above(FlagExtremeSlippage, out.Slippage.Bps, extremeSlippageBps)
	if t.after != 0 {
		near := max(nearLiquidationPct, nearLiquidationTimes*out.VaR.Pct99_24h, nearLiquidation4h*out.VaR.Pct99_4h)
		if out.Liquidation.DistancePct < near {
			f.raise(FlagNearLiquidation, out.Liquidation.DistancePct, near)
		}
		f.when(FlagNearBackstop, out.Liquidation.NearBackstop)
		f.above(FlagLikelyLiquidation, out.Liquidation.Probability24h, likelyLiquidation)
	}
	if acct.negative {
		f.raise(FlagNegativeAccountEquity, min(acct.crossEquity, acct.value), minEquity)
	}
	if t.increaseUSD > 0 {
		v.raiseIncreaseFlags(acct, out)
	}
	f.when(FlagOIAtCap, out.OpenInterest.AtCap)
	if v.priced.units != 0 {
		bids, asks := mk.depth(thinDepthBps)
		depth := bids
		if v.priced.direction > 0 {
			depth = asks
		}
		f.above(FlagThinBook, v.priced.notional, thinDepthShare*depth)
		f.when(FlagThinBook, out.Slippage.BeyondVisible)
	}
	f.above(FlagHighSlippage, out.Slippage.Bps, highSlippageBps)
	f.above(FlagHighLeverage, out.Liquidation.EffectiveLeverage, highLeverageShare*mk.asset.MaxLeverage)
	f.above(FlagHighLeverage, out.Explanation.Raw[ComponentVaR][0], highMarginVaRPct)
	mk.raiseFundingFlags(f, &out.Funding)
	f.above(FlagHighImpact, out.Impact.ExpectedBps, highImpactBps)
	if v := mk.in.Market.Context.DayVolumeUSD; v < lowVolumeUSD {
		f.raise(FlagLowVolume, v, lowVolumeUSD)
	}
	f.above(FlagLowVolume, out.Impact.ParticipationPct, highParticipationPct)
	f.above(FlagHighVaR, out.VaR.Pct99_24h, highVaRPct)
	if acct.value >= minEquity {
		f.above(FlagHighVaR, out.VaR.Dollar99_24h, highVaRShare*acct.value)
	}
	if !out.OpenInterest.AtCap {
		f.above(FlagOINearCap, out.OpenInterest.UtilizationPct, nearCapPct)
	}
	if len(book.positions) >= minPortfolioPositions {
		if acct.value >= minEquity {
			f.above(FlagHighPortfolioVaR, book.var99, highPortfolioShare*acct.value)
		}
		f.above(FlagConcentrationRisk, book.largest, concentrationShare*book.gross)
		f.above(FlagCorrelatedExposure, book.correlated, highCorrelation)
	}
	f.when(FlagAccountFailsStress, !out.PortfolioStress.AccountSurvives && (t.increaseUSD > 0 || t.kind == held))
	f.when(FlagNoAccountEquity, acct.empty)
	f.when(FlagAccountModeEstimated, acct.estimated)
	if bars := float64(mk.model.Bars); bars < limitedHistoryBars {
		f.raise(FlagLimitedHistory, bars, limitedHistoryBars)
		if bars < newListingBars {
			f.raise(FlagNewListing, bars, newListingBars)
		}
	}
	if t.exceeds {
		f.raise(FlagSizeExceedsPosition, in.Trade.SizeUSD, math.Abs(t.before)*t.mark)
	}
	f.when(FlagNoOpenPosition, t.kind == noFill)
	f.when(FlagMarginModeKept, in.Trade.ModeGiven && t.action != ActionClose && t.mode != t.wanted && t.kind != held)
}

// raiseIncreaseFlags raises the flags that only a trade that adds exposure can have.
func (v *view) raiseIncreaseFlags(acct *account, out *Assessment) {
	f, t, after := &out.Flags, &v.plan, &v.after
	if after.marginShort {
		f.raise(FlagInsufficientMargin, acct.freeMargin+after.lacking, acct.freeMargin)
	}
	f.above(FlagUntradeableCost, out.Cost.RoundTripBps, untradeableCostBps)
	f.above(FlagThinMarket, out.Impact.ParticipationPct, maxParticipation)
	f.above(FlagTierLeverageExceeded, t.asked, t.tierMax)
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
