package risk

import (
	"math"
	"slices"

	"ballast/compute/joint"
	mc "ballast/marketcache"
)

// replay applies past returns to today's positions. For each recorded hour, every position takes its
// asset's outcome of that hour (a return in standard deviations) times its current volatility. Joint
// extremes are those that occurred, so no correlation matrix is needed. The positions other than the
// trade's are summed once, so that another trade size costs only the trade's own terms.
//
// Source: Barone-Adesi, Giannopoulos, Vosper 1999, on several assets.
type replay struct {
	recorded bool // false when BTC has no outcomes to replay
	// known: every other cross position has candles. Otherwise no liquidation probability of
	// the pool is given.
	known bool

	book  joint.Book // the other positions, over 24 hours
	cross joint.Pool // the cross positions among them
	// whole: the wallet is assessed as held. book and cross then hold every position, and
	// pool is the probability that the cross pool is liquidated, by horizon.
	whole bool
	pool  [mc.ExcursionHorizons]float64
}

// none prepares a replay of the trade's position alone.
func (r *replay) none(rows, own *mc.AssetModel) {
	r.recorded = rows != nil && rows.Joint != nil && len(rows.Joint.Z) > 0 && own.Joint != nil
	r.known, r.whole = true, false
	r.book.Reset()
}

// sum sums all positions except the one at index target; own is the fit of the trade's asset.
func (r *replay) sum(positions []position, target int, rows, own *mc.AssetModel) {
	r.none(rows, own)
	r.cross.Reset()
	for i := range positions {
		if i == target {
			continue
		}
		r.recorded = r.recorded && positions[i].in.Model.Joint != nil
		r.book.Add(positions[i].in.Model.Joint, positions[i].scale())
		if !positions[i].isolated {
			r.cross.Add(positions[i].in.Model.Joint, positions[i].shortfallWeight())
			r.known = r.known && positions[i].in.Model.Bars > 0
		}
	}
	if r.book.Len() > 0 && r.recorded {
		r.cross.Sum(rows.Joint)
		r.book.Sum(rows.Joint) // last, to leave its outcomes in the CPU cache for attribute
	}
}

// shortfallWeight is the change of the pool's shortfall, USD, per fractional rise in the price
// of a cross position: maintenance margin minus profit.
func (p *position) shortfallWeight() float64 {
	n := p.notional()
	return n * (p.tiers.tierFor(n).MaintenanceRate - p.side())
}

// portfolioLoss returns the joint 24 h loss after a trade, USD, floored at 0: the type-7
// 99 % quantile, and the mean of the losses beyond it; p is the trade's position.
func (s *Scratch) portfolioLoss(p *position) (var99, es99 float64) {
	r := &s.replay
	switch {
	case !r.recorded:
		for i := range s.account.positions {
			if i != s.account.target {
				v, es := s.account.positions[i].aloneOffRecord()
				var99, es99 = var99+v, es99+es
			}
		}
		if p.units != 0 {
			v, es := p.aloneOffRecord()
			var99, es99 = var99+v, es99+es
		}
		return var99, es99
	case r.book.Len() > 0:
		if p.units != 0 {
			var99, es99 = r.book.Tail(p.in.Model.Joint, p.scale())
		} else {
			var99, es99 = r.book.Tail(nil, 0)
		}
		return max(0, var99), max(0, es99)
	case p.units != 0:
		return p.alone()
	}
	return 0, 0
}

// maxPortfolioLoss returns an upper bound of portfolioLoss's quantile.
func (s *Scratch) maxPortfolioLoss(p *position) float64 {
	r := &s.replay
	if !r.recorded || r.book.Len() == 0 {
		var99, _ := s.portfolioLoss(p)
		return var99
	}
	own := 0.0
	if p.units != 0 {
		j := p.in.Model.Joint
		gains := j.Best[tailSide(-p.side())] // gains are the losses of the other side
		if len(gains) == 0 {
			return math.Inf(1)
		}
		own = p.scale() * j.Z[gains[0]]
	}
	return max(0, r.book.MaxLoss()+own) * (1 + roundingSlack)
}

// poolAsHeld fills in pool; book and cross must hold every position.
func (r *replay) poolAsHeld(acct *account) {
	r.whole = true
	m := &acct.rest.margin
	for h := range r.pool {
		if r.pool[h] = 0; joint.Weight(r.cross.Rows()) > 0 {
			r.pool[h] = r.cross.Probability(h, nil, 0, m.crossMaintenance-acct.crossEquity, acct.rest.crossNotional, 0)
		}
	}
}

// withAndWithout returns the VaR of position i alone and the VaR of all other positions, USD.
func (r *replay) withAndWithout(b *book, i int) (own, without float64) {
	p := &b.positions[i]
	if !r.recorded { // portfolioLoss then adds up aloneOffRecord
		own, _ = p.aloneOffRecord()
		return own, b.var99 - own
	}
	own, _ = p.alone()
	switch len(b.positions) {
	case 2: // the other position alone
		without, _ = b.positions[1-i].alone()
	default:
		// In each hour the others' loss is the total loss minus this position's loss.
		without = max(0, r.book.Without(p.in.Model.Joint, p.scale(), tailSide(p.side())))
	}
	return own, without
}

// grow returns a slice of n elements, reusing x if it is large enough.
func grow(x []float64, n int) []float64 { return slices.Grow(x[:0], n)[:n] }
