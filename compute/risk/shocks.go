package risk

import (
	"math"

	"ballast/compute/vol"
	mc "ballast/marketcache"
)

// Columns of the scenario table (Scenario.Shocks).
const (
	tierBTC = iota
	tierETH
	tierLiquid
	tierOther
	tierCount
)

const (
	liquidVolumeUSD = 25e6 // a day, 7-day average
	liquidBars      = 4320 // 180 days
	maxShockSigmas  = 20   // a tier's shock is at most this many daily standard deviations, except of BTC and ETH
	maxFundingPctH  = 4    // the venue's cap on funding, percent an hour
	// Assets of a builder's dex move by builderSigmas daily standard deviations, at least by the move of
	// their class, and at most as the last tier.
	builderSigmas      = 6
	builderLeastEquity = 0.20 // fraction of price
	builderLeastMetal  = 0.10
	builderLeastEnergy = 0.20
)

// builderLeast is the least move of a builder's asset by class, a fraction of price.
var builderLeast = [mc.ClassCount]float64{
	mc.ClassEquity: builderLeastEquity,
	mc.ClassMetal:  builderLeastMetal,
	mc.ClassEnergy: builderLeastEnergy,
}

// stressRule selects an asset's shocks: a column, and a bound on those moves that are not its own.
type stressRule struct {
	column   *shockColumn
	maxShock float64 // fraction of price, either direction
}

// shockColumn holds the moves of all scenarios, as fractions of price.
type shockColumn struct {
	moves [ScenarioCount]struct{ extreme, mark float64 }
	// own has bit i set when the move of scenario i was recorded for the asset itself: no bound applies.
	own     uint32
	largest float64 // the largest move in either direction
}

func stressRuleOf(in *AssetInput) stressRule {
	a, m := in.Market.Asset, in.Model
	tier, maxShock := tierOther, math.Inf(1)
	if m != nil && m.VolumeUSD7d/7 >= liquidVolumeUSD && m.Bars >= liquidBars {
		tier = tierLiquid
	}
	switch {
	case a != nil && a.Dex != "":
		tier = tierOther
		if m != nil {
			maxShock = max(builderSigmas*math.Sqrt(m.AverageVariance[mc.H24]), builderLeast[m.Class])
		}
		return stressRule{&tierColumns[tier], maxShock}
	case a != nil && a.Name == "BTC":
		return stressRule{&tierColumns[tierBTC], maxShock}
	case a != nil && a.Name == "ETH":
		return stressRule{&tierColumns[tierETH], maxShock}
	case m != nil && !vol.AtFloor(mc.H24, m.AverageVariance[mc.H24]): // the price moves
		maxShock = maxShockSigmas * math.Sqrt(m.AverageVariance[mc.H24])
	}
	if a != nil {
		if columns := recordedColumns[a.Name]; columns != nil {
			return stressRule{&columns[tier-tierLiquid], maxShock}
		}
	}
	return stressRule{&tierColumns[tier], maxShock}
}

// shock returns an asset's fractional extreme move in scenario i, and the move at which its P&L
// is marked.
func (r *stressRule) shock(i int) (extreme, mark float64) {
	move := &r.column.moves[i]
	extreme, mark = move.extreme, move.mark
	if r.maxShock < r.column.largest && r.column.own>>i&1 == 0 {
		extreme, mark = bounded(extreme, r.maxShock), bounded(mark, r.maxShock)
	}
	return extreme, mark
}

// bounded is x, of a size of at most limit.
func bounded(x, limit float64) float64 {
	if math.Abs(x) > limit {
		return math.Copysign(limit, x)
	}
	return x
}

func (c *shockColumn) set(i int, s Shock) {
	move := &c.moves[i]
	move.extreme, move.mark = s.Extreme/pctPerUnit, s.Extreme/pctPerUnit
	if Scenarios[i].MarkAtFinal {
		move.mark = s.Final / pctPerUnit
	}
	c.largest = 0
	for _, x := range c.moves {
		c.largest = max(c.largest, math.Abs(x.extreme), math.Abs(x.mark))
	}
}

// tierColumns are the columns of the scenario table.
var tierColumns = func() (columns [tierCount]shockColumn) {
	for i := range Scenarios {
		for tier := range columns {
			columns[tier].set(i, Scenarios[i].Shocks[tier])
		}
	}
	return columns
}()

// recordedColumns are, for each asset with recorded moves, the columns of tierLiquid and tierOther with these
// moves in their place.
var recordedColumns = func() map[string]*[tierCount - tierLiquid]shockColumn {
	all := map[string]*[tierCount - tierLiquid]shockColumn{}
	for i := range Scenarios {
		for name, s := range Scenarios[i].Recorded {
			if all[name] == nil {
				columns := [tierCount - tierLiquid]shockColumn(tierColumns[tierLiquid:])
				all[name] = &columns
			}
			for k := range all[name] {
				c := &all[name][k]
				c.set(i, s)
				c.own |= 1 << i
			}
		}
	}
	return all
}()

// fundingOf is the funding of each scenario as a fraction of a long position.
var fundingOf = func() (share [ScenarioCount]float64) {
	for i := range Scenarios {
		share[i] = Scenarios[i].FundingPct() / pctPerUnit
	}
	return share
}()
