package risk

import (
	"crypto/sha256"
	"encoding/json"

	"ballast/compute/stats"
)

// Constant is one number of the model with its published name.
type Constant struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Constants lists every number used in a formula, threshold or bound of this package, besides
// the weights, curves and scenarios. docs/model.md has the sources. A change of any number
// changes the calibration hash.
func Constants() []Constant { return constants }

var constants = []Constant{
	{"max_size_usd", MaxSizeUSD},
	{"default_leverage", defaultLeverage},
	{"flat_usd", flatUSD},
	{"min_equity_usd", minEquity},
	{"empty_below_usd", emptyBelowUSD},
	{"min_order_usd", minOrderUSD},
	{"bound_slack", boundSlack},

	{"max_slippage_bps", maxSlippageBps},
	{"max_book_offset", maxOffset},
	{"rounding_slack", roundingSlack}, {"max_lot_slack", maxLotSlack}, {"max_cent_slack", maxCentSlack},

	{"max_margin_used_pct", maxMarginUsedPct},
	{"max_effective_leverage", maxEffectiveLeverage},
	{"min_leverage_equity_usd", minEquityUSD},
	{"max_maintenance_ratio_pct", maxMaintenanceRatioPct},
	{"backstop_share", backstopShare},
	{"portfolio_margin_limit", portfolioMarginLimit},
	{"available_for_s", availableFor.Seconds()},
	{"max_common_rise", maxRise},

	{"min_spread_samples", minSpreadSamples},
	{"spread_multiple_95", spreadMultiple95},
	{"spread_multiple_99", spreadMultiple99},

	{"funding_persistence", fundingPersistence},
	{"resting_funding_hourly", restingFunding},
	{"negligible_funding_hourly", negligibleFunding},
	{"max_divergence", maxDivergence},
	{"material_funding_hourly", materialFunding},
	{"min_funding_rows", minFundingRows},
	{"mad_to_sigma", madToSigma},
	{"min_funding_deviance", minFundingDeviance},

	{"lasting_impact_share", lastingShare},
	{"max_impact_bps", maxImpactBps},
	{"max_participation_pct", maxParticipationPct},
	{"quiet_day_share", quietDayShare},
	{"min_participation_usd", minParticipationUSD},
	{"min_volume_usd", minVolumeUSD},

	{"cap_over_maximum", capOverMaximum},
	{"cap_over_volume", capOverVolume},
	{"min_cap_usd", minCapUSD},
	{"observed_days", observedDays},

	{"cost_scale_bps", costScaleBps},

	{"liquid_volume_usd", liquidVolumeUSD},
	{"liquid_bars", liquidBars},
	{"builder_sigmas", builderSigmas},
	{"builder_least_equity", builderLeastEquity},
	{"builder_least_metal", builderLeastMetal},
	{"builder_least_energy", builderLeastEnergy},
	{"max_shock_sigmas", maxShockSigmas},
	{"max_funding_pct_per_hour", maxFundingPctH},
	{"max_liquidity_cost_pct", maxLiquidityCost},
	{"hedge_haircut", hedgeHaircut},
	{"max_stress_load", maxLoad},
	{"max_funding_share", maxFundingShare},
	{"dead_share", deadShare},
	{"min_left_usd", minLeftUSD},

	{"overlay_spread_times", overlaySpreadTimes},
	{"overlay_depth_times", overlayDepthTimes},
	{"overlay_confidence", overlayConfidence},

	{"safe_slippage_bps", safeSlippageBps},
	{"safe_depth_share", safeDepthShare},
	{"safe_depth_bps", safeDepthBps},
	{"safe_oi_share", safeOIShare},
	{"safe_room_share", safeRoomShare},
	{"safe_margin_share", safeMarginShare},
	{"safe_distance_times", safeDistanceTimes},
	{"safe_loss_share", safeLossShare},
	{"safe_impact_bps", safeImpactBps},
	{"size_probes", sizeProbes},
	{"size_tolerance", sizeTolerance},
	{"max_size_halvings", maxSizeHalving},

	{"joint_level", jointLevel},
	{"significant_share", significantShare},
	{"max_pairs", maxPairs},

	{"holding_days", holdingDays},
	{"days_per_year", daysPerYear},
	{"far_log", farLog},
	{"chandelier_atrs", chandelierATRs},
	{"min_trailing_pct", minTrailingPct},
	{"max_trailing_pct", maxTrailingPct},
	{"stop_sigmas", stopSigmas},
	{"stop_cost_times", stopCostTimes},
	{"stop_reach_margin", stopReachMargin},

	{"proceed_up_to", proceedUpTo},
	{"caution_up_to", cautionUpTo},
	{"reduce_cap", reduceCap},
	{"max_score", maxScore},
	{"score_at_cap", scoreAtCap},
	{"min_daily_move_pct", minDailyMovePct},
	{"min_4h_move_pct", min4hMovePct},
	{"interaction_from", interactionFrom},
	{"interaction_scale", interactionScale},
	{"interaction_pairs", interactionPairs},
	{"max_interaction", maxInteraction},
	{"stressed_points", stressedPoints},
	{"crisis_points", crisisPoints},
	{"floor_at_cap", floorAtCap},
	{"floor_margin_short", floorMarginShort},
	{"floor_tier_leverage", floorTierLeverage},
	{"floor_negative_equity", floorNegative},
	{"floor_big_deposit", floorBigDeposit},
	{"floor_divergence", floorDivergence},
	{"max_assumed_margin_usd", maxAssumedMarginUSD},
	{"hedge_share", hedgeShare},
	{"harmless_probability_24h", harmless24h},
	{"harmless_probability_7d", harmless7d},
	{"score_digits", scoreDigits},
	{"min_portfolio_positions", minPortfolioPositions},
	{"min_ratio_usd", minRatioUSD},

	{"extreme_slippage_bps", extremeSlippageBps},
	{"high_slippage_bps", highSlippageBps},
	{"near_liquidation_pct", nearLiquidationPct},
	{"near_liquidation_times", nearLiquidationTimes},
	{"near_liquidation_times_4h", nearLiquidation4h},
	{"likely_liquidation", likelyLiquidation},
	{"likely_within_week", likelyWithinWeek},
	{"funding_of_room", fundingOfRoom},
	{"untradeable_cost_bps", untradeableCostBps},
	{"thin_market_pct", thinMarketPct},
	{"riskier_book_times", riskierBookTimes},
	{"risky_book_share", riskyBookShare},
	{"rests_soon_hours", restsSoonHours},
	{"high_portfolio_share", highPortfolioShare},
	{"divergence_pct_year", divergencePctYear},
	{"thin_depth_share", thinDepthShare},
	{"thin_depth_bps", thinDepthBps},
	{"high_leverage_share", highLeverageShare},
	{"high_margin_var_pct", highMarginVaRPct},
	{"anomaly_sigmas", anomalySigmas},
	{"expensive_funding_pct", expensiveFundingPct},
	{"divergence_times", divergenceTimes},
	{"high_impact_bps", highImpactBps},
	{"low_volume_usd", lowVolumeUSD},
	{"high_participation_pct", highParticipationPct},
	{"high_var_pct", highVaRPct},
	{"high_var_share", highVaRShare},
	{"near_cap_pct", nearCapPct},
	{"concentration_share", concentrationShare},
	{"high_correlation", highCorrelation},
	{"limited_history_bars", limitedHistoryBars},
	{"new_listing_bars", newListingBars},
}

// Curve is one of the score's piecewise linear curves: straight lines between knots, constant outside.
type Curve struct {
	Name  string       `json:"name"`
	Knots []stats.Knot `json:"knots"`
}

// Curves lists the curves of the score's components, of its portfolio term, and of the continuous hard
// rules.
func Curves() []Curve {
	return []Curve{
		{"liquidation.distance_over_var_99_24h", curveRho}, {"liquidation.distance_pct", curveDistance},
		{"var.margin_var_99_pct", curveMarginVaR},
		{"oi.utilization_pct", curveUtilization}, {"oi.increase_pct_of_oi", curveIncrease},
		{"slippage.bps", curveSlippage},
		{"funding.funding_drag_24h_pct", curveDrag}, {"funding.annualized_pct", curveAnnualized},
		{"impact.expected_bps", curveImpact},
		{"portfolio.loss_99_pct_of_account", curvePortfolio},
		{"H1.distance_over_var_99_4h", curveH1}, {"H4.slippage_bps", curveH4}, {"H6.loss_99_over_account", curveH6},
		{"H7.probability_24h", curveH7}, {"H7b.probability_7d", curveH7b}, {"H8.stress_load", curveH8},
		{"H10.round_trip_bps", curveH10}, {"H11.participation_pct", curveH11}, {"H14.funding_share", curveH14},
	}
}

// ConstantsDigest is the SHA-256 of the canonical JSON of all numbers of this package.
func ConstantsDigest() [32]byte {
	b, err := json.Marshal(struct {
		Constants []Constant
		Curves    any
		Scenarios any
		Suggested any
		Weights   any
	}{
		Constants(),
		Curves(),
		Scenarios, suggestedShare, Weights,
	})
	if err != nil {
		panic("BUG: constants do not encode: " + err.Error())
	}
	return sha256.Sum256(b)
}
