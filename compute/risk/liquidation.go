package risk

import mc "ballast/marketcache"

// Liquidation describes how far the position after the fill is from liquidation.
type Liquidation struct {
	Price             float64 // USD; 0 when there is none
	DistancePct       float64 // from mark, 0 to 100
	MarginUsedPct     float64 // initial margin of the trade in percent of free margin, 0 to 1000
	EffectiveLeverage float64 // 0 to 1000
	Mode              LiquidationMode
	NearBackstop      bool
	// Probability24h and Probability7d are the probabilities that the position's pool is liquidated
	// within 24 and 168 hours, 0 to 1; not known of a portfolio-margin account that could not be read.
	Probability24h, Probability7d float64
	HasProbability                bool // the pool could be read
	PoolEquityUSD                 float64
	// PnLAtUSD is the position's P&L from its mark to Price, PnLAfterUSD that when the equity of its pool is gone;
	// negative, 0 without a Price.
	PnLAtUSD, PnLAfterUSD float64
	// MaintenanceRate is the rate of the margin tier at Price; not part of the answer.
	MaintenanceRate float64
}

// LiquidationMode is the position's margin mode, or close for a closing trade.
type LiquidationMode uint8

const (
	LiquidationCross LiquidationMode = iota
	LiquidationIsolated
	LiquidationClose
)

// String returns cross, isolated or close.
func (m LiquidationMode) String() string { return [...]string{"cross", "isolated", "close"}[m] }

const (
	maxMarginUsedPct     = 1000
	maxEffectiveLeverage = 1000
	minEquityUSD         = 1 // floor of the denominator of effective leverage
	// backstopShare is the ratio of equity to maintenance margin below which the venue's
	// liquidator vault takes over.
	backstopShare = 2.0 / 3
)

// distance returns the liquidation price of q units (signed) in a pool and its distance from mark p in
// percent. Without a positive root a long cannot be liquidated (price 0, distance 100), and a short is
// beyond liquidation at every price (price 0, distance 0). Without a position: 0 and 100.
func (t *tierTable) distance(a, mOther, q, p float64) (price, pct float64, tier *mc.Tier) {
	if q == 0 {
		return 0, pctPerUnit, nil
	}
	x, tier, ok := t.liquidationPrice(a, mOther, q, p)
	if !ok {
		return 0, distancePct(0, q, p), nil
	}
	return x, distancePct(x, q, p), tier
}

// distancePct is the distance from mark p to the liquidation price x of q units (signed), in
// percent of the mark, 0 to 100. x is 0 when there is no liquidation price.
func distancePct(x, q, p float64) float64 {
	switch {
	case x > 0:
		return min(max(0, sign(q)*(p-x)/p)*pctPerUnit, pctPerUnit)
	case q > 0:
		return pctPerUnit
	}
	return 0
}

// liquidation returns the block except the probabilities. moveIn1h is the position's 1 h 99 % VaR in
// percent.
func (t *tradePlan) liquidation(acct *account, after *poolAfterFill, moveIn1h float64) Liquidation {
	out := Liquidation{Mode: LiquidationMode(t.mode)}
	if t.action == ActionClose && t.kind != held {
		out.Mode = LiquidationClose
	}
	var tier *mc.Tier
	out.Price, out.DistancePct, tier = t.tiers.distance(after.equity, after.otherMaintenance, t.after, t.mark)
	if tier == nil { // no liquidation price: use the current tier
		tier = t.tiers.tierFor(t.valueAfter)
	}
	out.MaintenanceRate, out.PoolEquityUSD = tier.MaintenanceRate, after.equity
	if out.Price > 0 {
		out.PnLAtUSD, out.PnLAfterUSD = min(0, t.after*(out.Price-t.mark)), min(0, -after.equity)
	}
	switch {
	case after.assumed:
		out.MarginUsedPct = pctPerUnit
	case t.opensExposure():
		out.MarginUsedPct = marginUsedPct(t.deltaInitial(acct, after), acct.freeMargin)
	}
	if t.after == 0 {
		return out
	}
	notional := t.valueAfter + after.otherNotional
	out.EffectiveLeverage = min(notional/max(after.equity, minEquityUSD), maxEffectiveLeverage)

	y := moveIn1h / pctPerUnit
	shocked := t.tiers.maintenance(t.valueAfter * (1 - t.side*y))
	out.NearBackstop = after.equity-t.valueAfter*y < backstopShare*(shocked+after.otherMaintenance)
	return out
}
