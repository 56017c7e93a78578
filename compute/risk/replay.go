package risk

import (
	"math"
	"slices"

	"ballast/asm"
	"ballast/compute/joint"
	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// replay replays recorded hours on a wallet: each asset's own standardised outcome of the
// hour, scaled by its volatility of today. No correlation matrix enters; joint extremes are
// the recorded ones. The positions other than the trade's are summed once, so that a trade
// of another size costs only its own terms.
//
// Source: Barone-Adesi, Giannopoulos, Vosper 1999, on several assets.
type replay struct {
	recorded bool // BTC has outcomes: there are hours to replay
	// known: every other cross position has candles, without which no liquidation
	// probability of the pool is given.
	known bool

	others  int        // positions in base
	base    []float64  // [rows] what they lose, USD
	highest float64    // of base
	cross   joint.Pool // the cross positions among them
	// whole, of a wallet as held: base and cross hold every position, and pool is the
	// probability that the cross pool is liquidated, by horizon.
	whole bool
	pool  [mc.ExcursionHorizons]float64

	loss, work []float64 // [rows], loss of the book after the trade
	without    stats.Without
	weights    []float64
	terms      [][]float64 // empty between uses: a scratch keeps no outcomes of hours gone by
}

// none prepares a replay of the trade's position alone.
func (r *replay) none(rows, own *mc.AssetModel) {
	r.recorded = rows != nil && rows.Joint != nil && len(rows.Joint.Z) > 0 && own.Joint != nil
	r.known, r.whole, r.others, r.loss = true, false, 0, r.loss[:0]
}

// sum sums all positions but the one at the index target; own is the fit of the trade's
// asset.
func (r *replay) sum(positions []position, target int, rows, own *mc.AssetModel) {
	r.none(rows, own)
	r.cross.Reset()
	for i := range positions {
		if i == target {
			continue
		}
		r.others++
		r.recorded = r.recorded && positions[i].in.Model.Joint != nil
		if !positions[i].isolated {
			r.cross.Add(positions[i].in.Model.Joint, positions[i].shortfallWeight())
			r.known = r.known && positions[i].in.Model.Bars > 0
		}
	}
	if r.others == 0 || !r.recorded {
		return
	}
	r.weights, r.terms = r.weights[:0], r.terms[:0]
	for i := range positions {
		if i != target {
			r.weights, r.terms = append(r.weights, positions[i].scale()), append(r.terms, positions[i].in.Model.Joint.Z)
		}
	}
	r.base = grow(r.base, len(rows.Joint.Z))
	stats.WeighedSum(r.base, r.weights, r.terms)
	_, r.highest = asm.Extremes(r.base)
	r.cross.Sum(rows.Joint)
	clear(r.terms[:cap(r.terms)])
}

// shortfallWeight is what the pool lacks more, USD, when the price of a cross position
// rises by a fraction of 1: maintenance margin less profit.
func (p *position) shortfallWeight() float64 {
	n := p.notional()
	return n * (p.tiers.tierFor(n).MaintenanceRate - p.side())
}

// bookLoss returns the type-7 99 % quantile of the loss of the others and p together and the
// mean of the losses from there on, USD, floored at 0. With keep, the loss of every row of
// three positions and more stays in r.loss.
func (r *replay) bookLoss(p *position, keep bool) (var99, es99 float64) {
	n := len(r.base)
	r.loss, r.work = grow(r.loss, n), grow(r.work, n)
	r.weights, r.terms = append(r.weights[:0], 1), append(r.terms[:0], r.base)
	if p.units != 0 {
		r.weights, r.terms = append(r.weights, p.scale()), append(r.terms, p.in.Model.Joint.Z)
	}
	if keep {
		stats.WeighedSum(r.loss, r.weights, r.terms)
		var99, es99 = stats.UpperTail(r.loss, jointLevel, r.work)
	} else {
		var99, es99 = stats.UpperTailSum(r.weights, r.terms, jointLevel, r.loss, r.work)
		r.loss = r.loss[:0]
	}
	clear(r.terms)
	return max(0, var99), max(0, es99)
}

// portfolioLoss returns the 24 h loss of the book after a trade at 99 %, USD; p is the
// trade's position.
func (s *Scratch) portfolioLoss(p *position, keep bool) (var99, es99 float64) {
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
	case r.others > 0:
		return r.bookLoss(p, keep)
	case p.units != 0:
		return p.alone()
	}
	return 0, 0
}

// maxPortfolioLoss returns what the quantile of portfolioLoss is never above.
func (s *Scratch) maxPortfolioLoss(p *position) float64 {
	r := &s.replay
	if !r.recorded || r.others == 0 {
		var99, _ := s.portfolioLoss(p, false)
		return var99
	}
	own := 0.0
	if p.units != 0 {
		j := p.in.Model.Joint
		gains := j.Best[tailSide(-p.side())] // of the other side: losses of this one
		if len(gains) == 0 {
			return math.Inf(1)
		}
		own = p.scale() * j.Z[gains[0]]
	}
	return max(0, r.highest+own) * (1 + roundingSlack)
}

// poolAsHeld fills in the pool's probability when base and moves hold every position.
func (r *replay) poolAsHeld(acct *account) {
	r.whole = true
	m := &acct.rest.margin
	for h := range r.pool {
		if r.pool[h] = 0; joint.Weight(r.cross.Rows()) > 0 {
			r.pool[h] = r.cross.Probability(h, nil, 0, m.crossMaintenance-acct.crossEquity, acct.rest.crossNotional, 0)
		}
	}
}

// withAndWithout returns the VaR of position i alone and that of the book without it, USD.
func (r *replay) withAndWithout(b *book, i int) (own, without float64) {
	p := &b.positions[i]
	if !r.recorded { // what stands in for a replay adds up
		own, _ = p.aloneOffRecord()
		return own, b.var99 - own
	}
	own, _ = p.alone()
	switch len(b.positions) {
	case 2: // the other one, alone
		without, _ = b.positions[1-i].alone()
	default:
		// What the others lose is what all lose less what this one does.
		j := p.in.Model.Joint
		without = max(0, r.without.Quantile(-p.scale(), j.Z, j.Best[tailSide(p.side())]))
	}
	return own, without
}

// grow returns a slice of n elements, x itself where that is large enough.
func grow(x []float64, n int) []float64 { return slices.Grow(x[:0], n)[:n] }
