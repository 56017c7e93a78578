package risk

import (
	"math"

	"ballast/compute/joint"
	"ballast/compute/vol"
	mc "ballast/marketcache"
)

// probability fills in the chances that the position after the fill is liquidated within the
// first of the horizons of 24 and 168 hours: how often, on the recorded hours, the price ran
// as far against it. A position that shares its pool with other cross positions is replayed
// together with them. A chance of at most enough may come out higher, but not above enough.
//
// Nothing is fitted to outcomes of trades; docs/model.md says how often the figures were
// right.
func (s *Scratch) probability(out *Liquidation, mk *marketView, t *tradePlan, after *poolAfterFill, horizons int, enough float64) {
	out.HasProbability = mk.model.Bars > 0 && (after.alone || s.replay.known)
	if !out.HasProbability || t.after == 0 {
		return
	}
	var p [mc.ExcursionHorizons]float64
	move := mk.logMove(out)
	for h := range horizons {
		p[h] = mk.probabilityAlone(h, t.side, move)
		if !after.alone && out.DistancePct > 0 {
			p[h] = s.replay.liquidation(h, p[h], mk, t, after, enough)
		}
	}
	out.Probability24h, out.Probability7d = p[mc.Excursion24h], max(p[mc.Excursion24h], p[mc.Excursion168h])
}

// excursionHours is the index into arrays by horizon of each horizon of the probability.
var excursionHours = [mc.ExcursionHorizons]int{mc.Excursion24h: mc.H24, mc.Excursion168h: mc.H168}

// logMove is how far the log price is from liquidation: 0 when it is there, infinite when
// there is no liquidation price.
func (mk *marketView) logMove(liq *Liquidation) float64 {
	switch {
	case liq.DistancePct == 0:
		return 0
	case liq.Price <= 0:
		return math.Inf(1)
	}
	return math.Abs(math.Log(liq.Price / mk.mark))
}

// probabilityAlone is the chance that the log price moves that far against a side within a
// horizon, from the asset's own excursions.
func (mk *marketView) probabilityAlone(h int, side, move float64) float64 {
	d := move / math.Sqrt(mk.model.Variance[excursionHours[h]])
	return vol.TouchProbability((*[mc.ExcursionKnots]float64)(&mk.model.Excursions[h][tailSide(side)]), d)
}

// liquidation is the chance that the cross pool is liquidated within a horizon: what the
// joint replay says, mixed with the chance of the position alone.
func (r *replay) liquidation(h int, alone float64, mk *marketView, t *tradePlan, after *poolAfterFill, enough float64) float64 {
	share := joint.Weight(r.cross.Rows())
	if share == 0 {
		return alone
	}
	pool := r.pool[h]
	if !r.whole {
		tier := t.tiers.tierFor(t.valueAfter)
		constant := after.otherMaintenance + t.valueAfter*tier.MaintenanceRate - tier.DeductionUSD - after.equity
		pool = r.cross.Probability(h, mk.model.Joint, t.valueAfter*(tier.MaintenanceRate-t.side), constant,
			t.valueAfter+after.otherNotional, (enough-(1-share)*alone)/share)
	}
	return share*pool + (1-share)*alone
}
