package risk

import (
	"math"

	"ballast/compute/joint"
	mc "ballast/marketcache"
)

// replay applies recorded hours to today's wallet. For each recorded hour, every leg takes its asset's
// outcome of that hour, at its current volatility. Joint extremes are those that occurred, so no
// correlation matrix is needed. The legs beside the trade's position are summed once, so that another
// trade size costs only the trade's own terms.
//
// Source: Barone-Adesi, Giannopoulos, Vosper 1999, on several assets.
type replay struct {
	recorded bool // false when BTC has no outcomes to replay
	// separate: pools other than the trade's have legs. Otherwise whole serves for all three.
	separate bool
	whole    joint.Losses // all legs
	inPool   joint.Losses // the legs of the trade's cross pool
	// limited has the legs of the trade's pool, and each other pool with a loss of at most its equity.
	limited      joint.Losses
	limitedReady bool
	limit        float64 // equity of the cross pool in limited, when the trade's pool is isolated

	paths      joint.Paths // the legs of the trade's cross pool
	pathsReady bool
	leg        joint.PathLeg // the trade's
	other      joint.Paths   // another pool

	// Of a wallet as held: the number of legs, of those in the trade's cross pool, and the VaR of all.
	legs, crossLegs int
	heldVaR         float64
	heldChance      [mc.ExcursionHorizons]float64 // of the trade's cross pool; negative: not computed
	heldLimited     float64                       // limitedLoss of a cross position; negative: not computed

	models []*mc.AssetModel // working memory
	usd    []float64
}

// replays reports whether a fit has moves at the recorded hours. It has none while BTC has no outcomes.
func replays(m *mc.AssetModel) bool { return m != nil && m.Joint != nil && len(m.Joint.PriceMoves) > 0 }

// sumReplay sums the legs of the wallet beside the trade's position; of a wallet as held, all legs.
func (s *Scratch) sumReplay(t *tradePlan) {
	r, a, in := &s.replay, &s.account, &s.In
	r.recorded = replays(in.Rows)
	r.limitedReady, r.pathsReady = false, false
	r.heldChance, r.heldLimited = [mc.ExcursionHorizons]float64{-1, -1}, -1
	except := t.leftOut()
	r.whole.Reset()
	legs, inPool := 0, 0
	a.eachLeg(allPools, except, func(_ int, l *position) {
		r.recorded = r.recorded && replays(l.in.Model)
		legs++
		if l.poolIndex() == a.pool {
			inPool++
		}
	})
	r.legs, r.crossLegs = legs, inPool
	if t.mode == Isolated {
		inPool = 0
	}
	r.separate = legs > inPool
	if !r.recorded || legs == 0 {
		return
	}
	a.eachLeg(allPools, except, func(_ int, l *position) { r.whole.Add(l.in.Model, l.signed()) })
	r.whole.Sum(in.Rows)
	if r.separate && t.mode == Cross {
		r.inPool.Reset()
		a.eachLeg(a.pool, except, func(_ int, l *position) { r.inPool.Add(l.in.Model, l.signed()) })
		r.inPool.Sum(in.Rows)
	}
}

// heldPosition prepares the replay of a wallet as held for another of its positions.
func (r *replay) heldPosition(m Mode) {
	r.limitedReady = false
	r.separate = r.legs > 1
	if m == Cross {
		r.separate = r.legs > r.crossLegs
	}
}

// sumPaths sums the recorded paths of the legs of the trade's cross pool, once.
func (r *replay) sumPaths(s *Scratch) {
	if r.pathsReady {
		return
	}
	r.pathsReady = true
	r.paths.Reset()
	a := &s.account
	a.eachLeg(a.pool, s.view.plan.leftOut(), func(_ int, l *position) { r.paths.Add(l.pathLeg()) })
	r.paths.Sum(s.In.Rows)
}

// portfolioLoss returns the joint 24 h loss of the wallet with p in the trade's place, USD, floored at
// 0: the type-7 99 % quantile, and the mean of the losses beyond it. Without recorded hours the losses
// of the legs alone add up.
func (s *Scratch) portfolioLoss(p *position) (var99, es99 float64) {
	return s.lossOf(&s.replay.whole, allPools, p)
}

// mostLoss is an upper bound of portfolioLoss's quantile, and of limitedLoss, where hours are replayed.
func (s *Scratch) mostLoss(p *position) float64 {
	return max(0, s.replay.whole.Bound(p.in.Model, p.signed())) * (1 + roundingSlack)
}

// poolVaR returns the joint 24 h VaR at 99 % of the trade's pool with p in the trade's place, USD.
func (s *Scratch) poolVaR(mode Mode, p *position) (var99 float64) {
	switch {
	case mode == Isolated:
		if p.units != 0 {
			var99, _ = s.aloneLoss(p)
		}
	case !s.replay.separate:
		var99, _ = s.portfolioLoss(p)
	default:
		var99, _ = s.lossOf(&s.replay.inPool, s.account.pool, p)
	}
	return var99
}

// lossOf returns VaR and ES of a sum of legs, those of pool k, and p. Of a wallet as held the sum has every
// position already.
func (s *Scratch) lossOf(l *joint.Losses, k int, p *position) (var99, es99 float64) {
	t := &s.view.plan
	own := p.units != 0 && t.kind != held
	if !s.replay.recorded {
		add := func(_ int, l *position) {
			v, es := l.aloneOffRecord()
			var99, es99 = var99+v, es99+es
		}
		s.account.eachLeg(k, t.leftOut(), add)
		if own {
			add(0, p)
		}
		return var99, es99
	}
	switch {
	case l.Len() > 0 && own:
		var99, es99 = l.Tail(p.in.Model, p.signed())
	case l.Len() > 0:
		var99, es99 = l.Tail(nil, 0)
	case own:
		return s.aloneLoss(p)
	}
	return max(0, var99), max(0, es99)
}

// aloneLoss returns the 24 h VaR and ES of a leg alone, USD.
func (s *Scratch) aloneLoss(p *position) (var99, es99 float64) {
	if !s.replay.recorded || !replays(p.in.Model) {
		return p.aloneOffRecord()
	}
	var99, es99 = joint.Alone(p.in.Model, p.signed())
	return max(0, var99), max(0, es99)
}

// aloneOffRecord replaces aloneLoss when there are no recorded hours: it returns the VaR and ES of the
// asset's own forecast. Summing them treats the positions as perfectly correlated.
func (p *position) aloneOffRecord() (var99, es99 float64) {
	side, m := tailSide(p.side()), p.in.Model
	_, var99 = lossPct24h(m, side)
	es99 = max(m.Tail[mc.H24][side][mc.P99].PctES, var99)
	usd := p.notional() / pctPerUnit
	return usd * var99, usd * es99
}

// limitedLoss is what the wallet after the trade loses at 99 % within a day when each pool but the trade's
// loses at most its equity, USD. var99 is the portfolio's VaR, which it is with one pool.
func (s *Scratch) limitedLoss(o *outcome, var99 float64) float64 {
	r := &s.replay
	if !r.separate {
		return var99
	}
	if o.plan.kind == held && o.plan.mode == Cross {
		if r.heldLimited < 0 {
			r.heldLimited = s.limited(o)
		}
		return r.heldLimited
	}
	return s.limited(o)
}

// limited is limitedLoss of a wallet with several pools.
func (s *Scratch) limited(o *outcome) float64 {
	r, t, p := &s.replay, &o.plan, &o.position
	if !r.recorded {
		return s.limitedOffRecord(o)
	}
	limit := max(o.after.counted, 0)
	if !r.limitedReady {
		s.sumLimited(t)
	}
	if t.mode == Isolated && r.limit != limit {
		r.limit = limit
		r.limited.Limit(limit)
	}
	loss := 0.0
	if p.units != 0 && !(t.kind == held && t.mode == Cross) {
		loss, _ = r.limited.Tail(p.in.Model, p.signed())
	} else {
		loss, _ = r.limited.Tail(nil, 0)
	}
	return max(0, loss)
}

// sumLimited sums the legs of the trade's cross pool and, each with its limit, the other pools. For an
// isolated position, the limit of the cross pool is set afterwards; the position itself is left out.
func (s *Scratch) sumLimited(t *tradePlan) {
	r, a := &s.replay, &s.account
	r.limitedReady, r.limit = true, math.NaN()
	r.limited.Reset()
	except := t.index
	if t.kind == held && t.mode == Cross {
		except = -1
	}
	for k := range a.pools {
		p := &a.pools[k]
		if p.position >= 0 && p.position == t.index {
			continue
		}
		r.models, r.usd = r.models[:0], r.usd[:0]
		a.eachLeg(k, except, func(_ int, l *position) {
			r.models, r.usd = append(r.models, l.in.Model), append(r.usd, l.signed())
		})
		switch {
		case k == a.pool && t.mode == Cross:
			for i, m := range r.models {
				r.limited.Add(m, r.usd[i])
			}
		case k == a.pool:
			r.limited.AddVaried(r.models, r.usd)
		default:
			r.limited.AddLimited(r.models, r.usd, max(p.equity, 0))
		}
	}
	r.limited.Sum(s.In.Rows)
	clear(r.models)
}

// limitedOffRecord is limitedLoss without recorded hours.
func (s *Scratch) limitedOffRecord(o *outcome) (loss float64) {
	a, t := &s.account, &o.plan
	for k := range a.pools {
		q := &a.pools[k]
		if q.position >= 0 && q.position == t.index {
			continue
		}
		sum := 0.0
		a.eachLeg(k, t.index, func(_ int, l *position) {
			v, _ := l.aloneOffRecord()
			sum += v
		})
		switch {
		case k != a.pool:
			sum = min(sum, max(q.equity, 0))
		case t.mode == Isolated:
			sum = min(sum, max(o.after.counted, 0))
		}
		loss += sum
	}
	if o.position.units != 0 {
		v, _ := o.position.aloneOffRecord()
		loss += v
	}
	return loss
}
