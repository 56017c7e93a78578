package risk

import (
	"math"

	"ballast/compute/joint"
	"ballast/compute/vol"
	mc "ballast/marketcache"
)

// excursionHours gives the index in AssetModel.Variance for each horizon of the liquidation probability.
var excursionHours = [mc.ExcursionHorizons]int{mc.Excursion24h: mc.H24, mc.Excursion168h: mc.H168}

// probability fills in the probabilities that the trade's pool is liquidated within 24 and 168 hours after
// the trade. A flat trade has those of the cross pool that it leaves. Expected funding is taken off the
// equity at once. A result that is at most enough may be an upper bound. The later horizon is left out when the
// first is above most.
//
// Nothing is fitted to outcomes of trades; docs/model.md compares the figures with what happened.
func (s *Scratch) probability(o *outcome, enough, most *[mc.ExcursionHorizons]float64) {
	out := &o.liquidation
	if out.HasProbability = s.knowsChance(&o.plan); !out.HasProbability {
		return
	}
	var chance [mc.ExcursionHorizons]float64
	for h := range chance {
		if chance[h] = s.chance(o, h, enough[h]); chance[h] > most[h] {
			break
		}
	}
	day := chance[mc.Excursion24h]
	out.Probability24h, out.Probability7d = day, max(day, chance[mc.Excursion168h])
}

// knowsChance reports whether the pool of a trade could be read.
func (s *Scratch) knowsChance(t *tradePlan) bool {
	return !s.account.pools[s.account.pool].unreadable || t.mode == Isolated
}

// chance is the probability that the trade's pool is liquidated within horizon h after the trade. A result
// that is at most enough may be an upper bound.
func (s *Scratch) chance(o *outcome, h int, enough float64) float64 {
	t, p := &o.plan, &o.position
	switch {
	case t.mode == Isolated && t.after == 0:
		return 0
	case t.mode == Isolated:
		return p.chanceAlone(h, o.after.equity-max(0, p.signed()*p.in.expectedFunding(h)))
	case t.kind == held:
		if s.replay.heldChance[h] < 0 {
			s.replay.heldChance[h] = s.crossChance(h, nil, o.after.counted, 0)
		}
		return s.replay.heldChance[h]
	}
	return s.crossChance(h, p, o.after.counted, enough)
}

// crossChance is the probability that the trade's cross pool is liquidated within horizon h: the rest of
// it and own, which may be nil or flat, with the given equity.
func (s *Scratch) crossChance(h int, own *position, equity, enough float64) float64 {
	a, r := &s.account, &s.account.rest.cross
	if own != nil && own.units == 0 {
		own = nil
	}
	positions, maintenance, funding := r.positions, r.maintenance, r.funding[h]
	if own != nil {
		positions, maintenance = positions+1, maintenance+own.maintenance()
		funding += own.signed() * own.in.expectedFunding(h)
	}
	equity -= max(0, funding)
	switch {
	case positions == 0:
		return 0
	case positions == 1 && r.collateral == 0 && own != nil:
		return own.chanceAlone(h, equity)
	case positions == 1 && r.collateral == 0:
		return a.positions[r.only].chanceAlone(h, equity)
	}
	s.replay.sumPaths(s)
	var leg *joint.PathLeg
	if own != nil {
		s.replay.leg = own.pathLeg()
		leg = &s.replay.leg
	}
	return s.replay.paths.Probability(h, leg, equity-maintenance, enough)
}

// chanceAlone is the probability that a position alone in its pool, of the given equity, is liquidated
// within horizon h: that the price moves as far as the liquidation price, by the distribution of the
// asset's own adverse excursions.
func (p *position) chanceAlone(h int, equity float64) float64 {
	price, distance, _ := p.tiers.distance(equity, 0, p.units, p.mark)
	if distance == 0 {
		return 1
	}
	if price <= 0 {
		return 0
	}
	m := p.in.Model
	d := math.Abs(math.Log(price/p.mark)) / math.Sqrt(m.Variance[excursionHours[h]])
	return vol.TouchProbability(&m.Excursions[h][tailSide(p.side())], d)
}

// pathLeg is the leg in a replay of recorded paths.
func (p *position) pathLeg() joint.PathLeg {
	n := p.notional()
	weight := -p.signed()
	if !p.collateral {
		weight += n * p.tiers.tierFor(n).MaintenanceRate
	}
	return joint.PathLeg{Model: p.in.Model, Weight: weight, Short: p.units < 0}
}

// otherChances fills in the chance of every pool with a position but the trade's, within 24 hours.
func (s *Scratch) otherChances() {
	a := &s.account
	for k := range a.pools {
		p := &a.pools[k]
		if k == a.pool || p.positions == 0 {
			continue
		}
		p.chance[mc.Excursion24h] = s.poolChance(k, p)
	}
}

// poolChance is the probability that a pool of the wallet as held is liquidated within 24 hours.
func (s *Scratch) poolChance(k int, p *marginPool) float64 {
	if p.unreadable {
		return 0
	}
	l := s.sumPool(k)
	return s.chanceOf(&l, p.equity, 0)
}

// poolLegs is what the chance of a pool needs beside its equity. The paths of its legs are in replay.other.
type poolLegs struct {
	positions            int
	alone                *position // the only leg; nil when there are more
	funding, maintenance float64   // expected funding within 24 hours, positive: paid, and the margin, USD
	gross                float64   // sum of the weights in the paths, without signs, USD
}

// sumPool sums the legs of a pool of the wallet as held.
func (s *Scratch) sumPool(k int) (l poolLegs) {
	paths := &s.replay.other
	paths.Reset()
	l = s.legsOf(k, paths)
	if l.alone == nil {
		paths.Sum(s.In.Rows)
	}
	return l
}

// legsOf is sumPool without the sums; it adds the legs to paths, nil for none.
func (s *Scratch) legsOf(k int, paths *joint.Paths) (l poolLegs) {
	collateral := 0
	s.account.eachLeg(k, -1, func(_ int, p *position) {
		switch {
		case p.collateral:
			collateral++
		case p.units == 0:
			return
		default:
			l.positions, l.alone = l.positions+1, p
			l.funding += p.signed() * p.in.expectedFunding(mc.Excursion24h)
			l.maintenance += p.maintenance()
		}
		leg := p.pathLeg()
		l.gross += math.Abs(leg.Weight)
		if paths != nil {
			paths.Add(leg)
		}
	})
	if l.positions != 1 || collateral > 0 {
		l.alone = nil
	}
	return l
}

// chanceOf is the chance of the pool that sumPool summed last, at an equity. A result that is at most enough may be
// an upper bound.
func (s *Scratch) chanceOf(l *poolLegs, equity, enough float64) float64 {
	equity -= max(0, l.funding)
	switch {
	case l.positions == 0:
		return 0
	case l.alone != nil:
		return l.alone.chanceAlone(mc.Excursion24h, equity)
	}
	return s.replay.other.Probability(mc.Excursion24h, nil, equity-l.maintenance, enough)
}

// fundingShare is the share of the room to liquidation of the trade's pool that a day's funding takes.
func (s *Scratch) fundingShare(o *outcome) float64 {
	t, p, r := &o.plan, &o.position, &s.account.rest.cross
	paid, room := 0.0, o.after.equity
	if t.mode == Cross {
		paid, room = r.funding[mc.Excursion24h], room-r.maintenance
	}
	if p.units != 0 && !(t.kind == held && t.mode == Cross) {
		paid += p.signed() * p.in.expectedFunding(mc.Excursion24h)
		room -= p.maintenance()
	}
	switch {
	case paid <= 0:
		return 0
	case room <= 0:
		return maxFundingShare
	}
	return min(paid/room, maxFundingShare)
}

// maxFundingShare bounds fundingShare.
const maxFundingShare = 1000
