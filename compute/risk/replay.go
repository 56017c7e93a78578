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

	others  int       // positions in base
	base    []float64 // [rows] what they lose, USD
	highest float64   // of base
	// moves is what the cross positions among them add to the shortfall of the pool, USD,
	// by horizon and state [every third row], from the coarse moves: within slack, USD.
	moves [mc.ExcursionHorizons][mc.StateCount][]float64
	slack [mc.ExcursionHorizons]float64
	// joints are those of these cross positions, crossWeights their shortfallWeight.
	joints       []*mc.Joint
	crossWeights []float64
	// whole, of a wallet as held: base and moves hold every position, and pool is the
	// probability that the cross pool is liquidated, by horizon.
	whole bool
	pool  [mc.ExcursionHorizons]float64

	loss      []float64 // [rows] of the book after the trade
	shortfall []float64 // [every third row]
	work      []float64

	without stats.Without
	weights []float64
	terms   [][]float64 // empty between uses: a scratch keeps no outcomes of hours gone by

	coarseWeights []float32
	coarse        [][]int16 // empty between uses
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
	r.joints, r.crossWeights = r.joints[:0], r.crossWeights[:0]
	for i := range positions {
		if i == target {
			continue
		}
		r.others++
		r.recorded = r.recorded && positions[i].in.Model.Joint != nil
		if !positions[i].isolated {
			r.joints = append(r.joints, positions[i].in.Model.Joint)
			r.crossWeights = append(r.crossWeights, positions[i].shortfallWeight())
			r.known = r.known && positions[i].in.Model.Bars > 0
		}
	}
	if r.others == 0 || !r.recorded {
		for h := range r.moves {
			for state := range r.moves[h] {
				r.moves[h][state] = r.moves[h][state][:0]
			}
		}
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
	clear(r.terms)
	for h := range r.moves {
		r.slack[h] = 0
		for state := range r.moves[h] {
			r.moves[h][state] = grow(r.moves[h][state], len(rows.Joint.Moves[h][state]))
			r.slack[h] = max(r.slack[h], r.sumCoarse(h, state))
		}
	}
	clear(r.coarse[:cap(r.coarse)])
}

// sumCoarse sums the coarse moves of the others and returns how far off the sums may be, USD.
func (r *replay) sumCoarse(h, state int) (slack float64) {
	r.coarseWeights, r.coarse = r.coarseWeights[:0], r.coarse[:0]
	for i, j := range r.joints {
		weight := r.crossWeights[i] * j.Step[h][state]
		r.coarseWeights, r.coarse = append(r.coarseWeights, float32(weight)), append(r.coarse, j.Coarse[h][state])
		slack += math.Abs(weight)
	}
	asm.CoarseSum(r.moves[h][state], r.coarseWeights, r.coarse)
	// Half a step, and what single precision loses.
	return slack * (0.5 + float64(len(r.coarse)+4)/500)
}

// exactShortfall is the shortfall of the pool in a row, USD, with nothing coarse but the
// choice of states that may be the worst; the other arguments are those of probability.
func (r *replay) exactShortfall(row, h int, own *mc.Joint, weight, constant, slack float64) float64 {
	var coarse, trade [mc.StateCount]float64
	for state := range coarse {
		if own != nil {
			trade[state] = float64(weight * own.Moves[h][state][row])
		}
		coarse[state] = r.moves[h][state][row] + trade[state]
	}
	worst, near := math.Inf(-1), max(coarse[0], coarse[1], coarse[2])-2*slack
	for state := range coarse {
		if coarse[state] < near {
			continue
		}
		sum := 0.0
		for i, j := range r.joints {
			sum += float64(r.crossWeights[i] * j.Moves[h][state][row])
		}
		worst = max(worst, sum+trade[state])
	}
	return worst + constant
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

// probability is the chance that the cross pool falls short within a horizon. The shortfall of
// a row is the largest, over its three states, of that of the others and of the trade's
// position (own, which may be nil, by its weight), plus a constant; gross is the sum of the
// notionals, USD. A chance of at most enough may come out higher, but not above enough.
func (r *replay) probability(h int, own *mc.Joint, weight, constant, gross, enough float64) float64 {
	rows := len(r.moves[h][mc.StateLow])
	r.shortfall, r.work = grow(r.shortfall, rows), grow(r.work, rows)
	moves, slack := &r.moves[h], math.Abs(constant) // without a position they are anything finite
	if own != nil {
		moves = &own.Moves[h]
		slack += math.Abs(weight) * math.MaxInt16 * slices.Max(own.Step[h][:])
	}
	asm.WorstState(r.shortfall, &r.moves[h], moves, weight, constant)
	slack = r.slack[h] + 1e-15*slack // and rounding
	if bound := joint.MaxShortfallProbability(r.shortfall, slack); bound <= enough {
		return bound
	}
	joint.Refine(r.shortfall, r.work, slack, func(row int) float64 { return r.exactShortfall(row, h, own, weight, constant, slack) })
	return joint.ShortfallProbability(r.shortfall, r.work, gross)
}

// poolAsHeld fills in the pool's probability when base and moves hold every position.
func (r *replay) poolAsHeld(acct *account) {
	r.whole = true
	m := &acct.rest.margin
	for h := range r.pool {
		if r.pool[h] = 0; joint.Weight(len(r.moves[h][mc.StateLow])) > 0 {
			r.pool[h] = r.probability(h, nil, 0, m.crossMaintenance-acct.crossEquity, acct.rest.crossNotional, 0)
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
	case 1:
		return b.var99, 0
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
