package risk

import (
	"math"
	"slices"

	"ballast/marketcache"
)

// StressResult is what one scenario would do to the position after the fill. Its
// scenario is the one of the same index in Scenarios.
type StressResult struct {
	PnLPct                 float64 // percent of position, signed
	PnLUSD                 float64
	FundingCostPct         float64 // percent of position, positive: paid
	LiquidityCostPct       float64 // percent of position
	LiquidationDistancePct float64 // at the shocked price
	Survives               bool
}

// tier of an asset in the scenario table.
type stressTier uint8

const (
	tierBTC stressTier = iota
	tierETH
	tierLiquid
	tierOther
	tierBuilder // builder-deployed: six daily sigmas, at most tierOther
)

const (
	liquidVolumeUSD  = 25e6 // a day, 7-day average
	liquidBars       = 4320 // 180 days
	builderSigmas    = 6
	maxFundingPctH   = 4 // the venue's cap on funding, percent an hour
	maxLiquidityCost = 50
)

func stressTierOf(in *AssetInput) stressTier {
	a, m := in.Market.Asset, in.Model
	switch {
	case a != nil && a.Dex != "":
		return tierBuilder
	case a != nil && a.Name == "BTC":
		return tierBTC
	case a != nil && a.Name == "ETH":
		return tierETH
	case m != nil && m.VolumeUSD7d/7 >= liquidVolumeUSD && m.Bars >= liquidBars:
		return tierLiquid
	}
	return tierOther
}

// shock returns the fractional extreme and final moves of an asset in a scenario.
func (sc *Scenario) shock(in *AssetInput, tier stressTier) (extreme, final float64) {
	if tier != tierBuilder {
		s := &sc.Shocks[tier]
		return s.Extreme / pctPerUnit, s.Final / pctPerUnit
	}
	s := &sc.Shocks[tierOther]
	sigma := builderSigmas * math.Sqrt(in.Model.Variance[marketcache.H24])
	bounded := func(pct float64) float64 {
		return math.Copysign(min(sigma, math.Abs(pct)/pctPerUnit), pct)
	}
	return bounded(s.Extreme), bounded(s.Final)
}

// other is another position of the cross pool in the stress test.
type other struct {
	h    *holding
	tier stressTier
}

// appendOthers appends the cross positions other than the trade's.
func (a *account) appendOthers(dst []other, t *tradePlan) []other {
	for i := range a.holdings {
		if h := &a.holdings[i]; i != t.index && !h.isolated {
			dst = append(dst, other{h: h, tier: stressTierOf(h.in)})
		}
	}
	return dst
}

// stress runs every scenario over the position after the fill. others are the cross
// positions that share its pool; they are left out when the position stands alone.
func (mk *marketView) stress(out *[ScenarioCount]StressResult, t *tradePlan, pos *position, others []other) {
	if t.after == 0 {
		for i := range out {
			out[i] = StressResult{LiquidationDistancePct: pctPerUnit, Survives: true}
		}
		return
	}
	if pos.alone {
		others = nil
	}
	// A position cannot lose more than the collateral that carries it.
	collateral := pos.equity
	if t.mode == Cross {
		collateral = max(pos.equity, t.valueAfter/t.leverage)
	}
	lowestPct := -pctPerUnit * max(collateral, 0) / t.valueAfter
	tier := stressTierOf(mk.in)
	var exits [ScenarioCount]float64 // bps, by the first scenario of that depth
	for i := range Scenarios {
		sc, first := &Scenarios[i], sameDepth[i]
		if first == i {
			exits[i] = mk.exitOf(t.side, math.Abs(t.after)/sc.DepthTimes)
		}
		mk.stressOne(&out[i], sc, tier, t, pos, others, lowestPct, exits[first])
	}
}

// sameDepth is, for each scenario, the first one with its multiple of depth: exits from the
// book cost the same in both.
var sameDepth = func() (first [ScenarioCount]int) {
	for i := range Scenarios {
		first[i] = slices.IndexFunc(Scenarios[:], func(sc Scenario) bool { return sc.DepthTimes == Scenarios[i].DepthTimes })
	}
	return first
}()

// stressOne runs one scenario. lowestPct is the P&L at which the collateral is gone, exit
// the slippage of the way out in bps.
func (mk *marketView) stressOne(out *StressResult, sc *Scenario, tier stressTier, t *tradePlan, pos *position, others []other, lowestPct, exit float64) {
	extreme, final := sc.shock(mk.in, tier)
	move := extreme
	if sc.MarkAtFinal {
		move = final
	}
	n := t.valueAfter
	out.PnLPct = max(pctPerUnit*t.side*move, lowestPct)
	out.PnLUSD = out.PnLPct / pctPerUnit * n
	out.FundingCostPct = t.side * sc.fundingPct()
	out.LiquidityCostPct = min((exit+(sc.SpreadTimes-1)*mk.spreadBps/2)/pctPerUnit, maxLiquidityCost)

	shocked := t.mark * (1 + extreme)
	equity := pos.equity + t.after*(shocked-t.mark)
	maintenance := 0.0
	funding := out.FundingCostPct / pctPerUnit * n
	for _, o := range others {
		x, _ := sc.shock(o.h.in, o.tier)
		notional := o.h.notional()
		equity += o.h.units * o.h.mark * x
		maintenance += o.h.tiers.maintenance(notional * (1 + x))
		funding += sign(o.h.units) * sc.fundingPct() / pctPerUnit * notional
	}
	_, out.LiquidationDistancePct, _ = t.tiers.distance(equity, maintenance, t.after, shocked)
	own := t.tiers.maintenance(math.Abs(t.after) * shocked)
	out.Survives = equity-max(0, funding) > own+maintenance
}

// fundingPct is the funding of the whole scenario in percent of a long position.
func (sc *Scenario) fundingPct() float64 {
	limit := maxFundingPctH * sc.Hours
	return min(max(sc.FundingPctHour*sc.Hours, -limit), limit)
}
