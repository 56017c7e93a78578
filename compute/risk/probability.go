package risk

import (
	"math"

	"ballast/compute/joint"
	"ballast/compute/vol"
	mc "ballast/marketcache"
)

// probability fills in the chances that the position after the fill is liquidated within 24
// and 168 hours: how often, on the recorded hours, the price ran as far against it. A
// position that shares its pool with other cross positions is replayed together with them.
//
// Nothing is fitted to outcomes of trades; docs/model.md says how often the figures were
// right.
func (s *Scratch) probability(out *Liquidation, mk *marketView, t *tradePlan, after *poolAfterFill) {
	out.HasProbability = mk.model.Bars > 0 && (after.alone || s.replay.known)
	if !out.HasProbability || t.after == 0 {
		return
	}
	if out.DistancePct == 0 {
		out.Probability24h, out.Probability7d = 1, 1
		return
	}
	p := [mc.ExcursionHorizons]float64{}
	for h := range p {
		p[h] = mk.touchProbability(h, t.side, out.Price)
	}
	if !after.alone {
		s.replay.liquidation(&p, mk, t, after)
	}
	out.Probability24h, out.Probability7d = p[mc.Excursion24h], max(p[mc.Excursion24h], p[mc.Excursion168h])
}

// excursionHours is the index into arrays by horizon of each horizon of the probability.
var excursionHours = [mc.ExcursionHorizons]int{mc.Excursion24h: mc.H24, mc.Excursion168h: mc.H168}

// touchProbability is the chance that the price reaches a liquidation price within a
// horizon, from the asset's own excursions. A price of 0 is never reached.
func (mk *marketView) touchProbability(h int, side, price float64) float64 {
	if price <= 0 {
		return 0
	}
	d := math.Abs(math.Log(price/mk.mark)) / math.Sqrt(mk.model.Variance[excursionHours[h]])
	return vol.TouchProbability((*[mc.ExcursionKnots]float64)(&mk.model.Excursions[h][tailSide(side)]), d)
}

// liquidation mixes p with what the joint replay of the pool says. A row's shortfall is the
// largest, over its three states, of maintenance margin less equity of the cross pool.
func (r *replay) liquidation(p *[mc.ExcursionHorizons]float64, mk *marketView, t *tradePlan, after *poolAfterFill) {
	tier := t.tiers.tierFor(t.valueAfter)
	weight := t.valueAfter * (tier.MaintenanceRate - t.side)
	constant := after.otherMaintenance + t.valueAfter*tier.MaintenanceRate - tier.DeductionUSD - after.equity
	gross := t.valueAfter + after.otherNotional
	for h := range p {
		rows := len(r.moves[h][mc.StateLow])
		v := joint.Weight(rows)
		if v == 0 {
			continue
		}
		pool := r.pool[h]
		if !r.whole {
			r.shortfall, r.work = grow(r.shortfall, rows), grow(r.work, rows)
			r.worstState(h, mk.model.Joint, weight, constant)
			pool = joint.ShortfallProbability(r.shortfall, r.work, gross)
		}
		p[h] = v*pool + (1-v)*p[h]
	}
}
