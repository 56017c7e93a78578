package joint

import (
	"math"

	"ballast/asm"
	"ballast/compute/stats"
	"ballast/compute/vol"
	mc "ballast/marketcache"
)

// boundShare is the share of the recorded rows that may lose more than a bound, by horizon: so many that the
// rows of boundLegs bounds are still fewer than what isBelow is asked for.
var boundShare = [mc.ExcursionHorizons]float64{mc.Excursion24h: 0.0023, mc.Excursion168h: 0.018}

const boundLegs = 8

// fullBetween is pathQuery.between without a dominant leg.
var fullBetween = betweenMarks / math.Sqrt(mc.PathMarks)

// boundRank is the rank of the bound among the losses of n rows.
func boundRank(h, n int) int { return 1 + int(boundShare[h]*float64(n)) }

// setBounds fills in the bounds of an asset's table for n rows, the dominant leg's term in full, and the
// term of the moves between marks too.
func setBounds(t *mc.PathTable, h, n int) {
	if n == 0 {
		return
	}
	none, loss, work := make([]float64, len(t.Marks)), make([]float64, len(t.Beyond[0])), make([]float64, n)
	for side, weight := range [mc.SideCount]float64{mc.Long: -1, mc.Short: 1} {
		asm.PathLoss(loss, none, t.Marks, weight, t.Beyond[side], 1, fullBetween)
		t.Bound[side] = stats.UpperRank(loss[:n], boundRank(h, n), work)
	}
}

// bound is the leg's loss, USD, that at most boundShare of the rows exceed.
func (l *PathLeg) bound(h int) float64 {
	side := mc.Long
	if l.Short {
		side = mc.Short
	}
	return math.Abs(l.Weight) * l.Model.Joint.Paths[h].Bound[side]
}

// bound is the same of the pool's legs together, once it is needed.
func (p *Paths) bound(h int) float64 {
	s := p.prepare(h)
	if s.bound < 0 {
		top := &s.top
		p.query.alone = false // its rows are gone
		p.loss, p.work = grown(p.loss, p.padded()), grown(p.work, p.rows)
		asm.PathLoss(p.loss, s.marks, top.Model.Joint.Paths[h].Marks, 0, top.beyond(h), math.Abs(top.Weight),
			fullBetween)
		s.bound = stats.UpperRank(p.loss[:p.rows], boundRank(h, p.rows), p.work)
	}
	return s.bound
}

// isBelow reports whether the probability is certainly at most enough. The loss of a sum of legs is at most
// the sum of their losses with every term in full, so more than the sum of bounds is lost on no more rows
// than the bounds are exceeded on.
func (p *Paths) isBelow(h int, own *PathLeg, room, enough float64) bool {
	k, each := &p.knots, boundRank(h, p.rows)-1
	if k.full < 0 || vol.ExcursionShares[k.full] > enough {
		return false
	}
	room *= 1 - 1e-9 // rounding
	below := func(legs int, most float64) bool {
		return most < room && float64(legs*each) <= enough*float64(p.rows)
	}
	most := 0.0
	if own != nil {
		most = own.bound(h)
	}
	if len(p.legs) < boundLegs {
		sum := most
		for i := range p.legs {
			sum += p.legs[i].bound(h)
		}
		if below(1+len(p.legs), sum) {
			return true
		}
	}
	return len(p.legs) > 1 && below(2, most+p.bound(h))
}
