package risk

import (
	"math"
	"slices"

	"ballast/compute/stats"
	"ballast/marketcache"
)

// leg is one position of the book after the trade.
type leg struct {
	id       marketcache.AssetID
	name     string
	units    float64 // signed
	mark     float64 // USD
	signed   float64 // notional, USD, signed
	leverage float64
	in       *AssetInput
	tiers    tierTable
	stress   stressTier
	isTarget bool
	isolated bool
	equity   float64 // USD, of an isolated position alone
}

// book is the wallet's book after the trade.
type book struct {
	legs      []leg
	gross     float64 // sum of |notional|, cross and isolated, USD
	largest   float64 // the largest |notional|, USD
	crossPool float64 // equity of the cross pool after the trade, top-up included, USD
	value     float64 // AV: account value before the trade, USD
	before    int     // positions open before the trade

	// 24 h loss of the whole book at 99 %, USD, correlations as recorded.
	var99, es99 float64
	// correlated is the highest s_i*s_j*rho between the trade's position and another one
	// of at least 5 % of gross; -1 when there is none.
	correlated float64
}

const (
	// jointRows is how many hours of joint history the simulation replays.
	jointRows  = 8761
	jointLevel = 0.99
	// An asset that has no outcome of its own at an hour moves with BTC by fillerBeta
	// and by a residual of its own.
	fillerBeta     = 0.6
	fillerResidual = 0.8 // sqrt(1-0.6^2)
	fillerStride   = 7919
	fillerTable    = 1009

	significantShare = 0.05
)

// bookAfter lists the positions after the trade in the wallet's order, a new one last.
func (s *Scratch) bookAfter(t *tradePlan, pos *position) book {
	acct := &s.account
	b := book{legs: s.legs[:0], correlated: -1, crossPool: pos.crossPool, value: acct.value, before: len(acct.holdings)}
	add := func(l leg) {
		l.signed = l.units * l.mark
		l.stress = stressTierOf(l.in)
		b.legs = append(b.legs, l)
		b.gross += math.Abs(l.signed)
		b.largest = max(b.largest, math.Abs(l.signed))
	}
	target := leg{
		id: t.asset.ID, name: t.asset.Name, units: t.after, mark: t.mark, leverage: t.leverage,
		in: &s.In.Target, tiers: t.tiers, isTarget: true, isolated: t.mode == Isolated, equity: pos.equity,
	}
	for i := range acct.holdings {
		h := &acct.holdings[i]
		switch {
		case i != t.index:
			l := leg{
				id: h.id, name: h.name, units: h.units, mark: h.mark, leverage: h.leverage,
				in: h.in, tiers: h.tiers, isolated: h.isolated,
			}
			if h.isolated {
				l.equity = h.isolatedEquity()
			}
			add(l)
		case t.after != 0:
			add(target)
		}
	}
	if t.index < 0 && t.after != 0 {
		add(target)
	}
	s.legs = b.legs
	return b
}

// measure fills in the joint loss of the book and its highest correlation. Of three
// positions and more it leaves the loss of every row in s.loss.
func (e *Engine) measure(s *Scratch, b *book) {
	b.var99, b.es99 = e.jointLoss(s, b.legs)
	e.correlate(s, b)
}

// correlate fills in the highest correlation of the trade's position with another one.
func (e *Engine) correlate(s *Scratch, b *book) {
	if len(b.legs) >= 2 && slices.ContainsFunc(b.legs, func(l leg) bool { return l.isTarget }) {
		b.correlated = e.highestCorrelation(s, b)
	}
}

// jointLoss replays the recorded hours: each asset's own standardised 24 h outcome of
// that hour, scaled by its volatility of today. No correlation matrix enters; joint
// extremes are the recorded ones. It returns the type-7 99 % quantile of the loss and the
// mean of the losses from there on, USD, floored at 0.
//
// Source: Barone-Adesi, Giannopoulos, Vosper 1999, on several assets.
func (e *Engine) jointLoss(s *Scratch, legs []leg) (var99, es99 float64) {
	s.loss = s.loss[:0]
	if s.In.Rows == nil || len(s.In.Rows.Z24.Values) == 0 {
		for i := range legs {
			v, es := legs[i].aloneOffRecord()
			var99, es99 = var99+v, es99+es
		}
		return var99, es99
	}
	switch len(legs) {
	case 0:
		return 0, 0
	case 1:
		o := e.outcomes(s.In.Rows, legs[0].in.Model)
		return legs[0].alone(o)
	}
	n := min(len(s.In.Rows.Z24.Values), jointRows)
	s.loss, s.work = slices.Grow(s.loss[:0], n)[:n], slices.Grow(s.work[:0], n)[:n]
	r := &s.replay
	r.scale, r.z = r.scale[:0], r.z[:0]
	for i := range legs {
		r.scale = append(r.scale, legs[i].scale())
		r.z = append(r.z, e.outcomes(s.In.Rows, legs[i].in.Model).z)
	}
	var q, mean float64
	if len(legs) == 2 { // nobody asks again what the rows lose
		q, mean = stats.UpperTailSum(r.scale, r.z, jointLevel, s.loss, s.work)
	} else {
		stats.WeighedSum(s.loss, r.scale, r.z)
		q, mean = stats.UpperTail(s.loss, jointLevel, s.work)
	}
	clear(r.z) // a scratch must not keep the outcomes of hours gone by
	return max(0, q), max(0, mean)
}

// replay is the working memory of the joint simulation.
type replay struct {
	scale   []float64   // [legs]
	z       [][]float64 // [legs][rows]; empty between uses
	without stats.Without
}

// scale is the loss of the leg per unit of its standardised outcome, USD.
func (l *leg) scale() float64 {
	return -l.signed * math.Sqrt(l.in.Model.Variance[marketcache.H24])
}

// alone returns the loss of the leg by itself on the recorded hours, USD.
func (l *leg) alone(o *outcomes) (var99, es99 float64) {
	side, scale := tailSide(sign(l.signed)), math.Abs(l.scale())
	return max(0, scale*o.quantile[side]), max(0, scale*o.shortfall[side])
}

// aloneOffRecord stands in where no hour is recorded: the leg's own VaR and ES, which add
// up as if all fell together.
func (l *leg) aloneOffRecord() (var99, es99 float64) {
	tail := &l.in.Model.Tail
	side := tailSide(sign(l.signed))
	v := max(tail[marketcache.H24][side][marketcache.P99].PctVaR,
		tail[marketcache.H4][side][marketcache.P99].PctVaR,
		tail[marketcache.H24][side][marketcache.P95].PctVaR)
	es := max(tail[marketcache.H24][side][marketcache.P99].PctES, v)
	usd := math.Abs(l.signed) / pctPerUnit
	return usd * v, usd * es
}

// highestCorrelation returns the highest signed correlation between the trade's position
// and another significant one.
func (e *Engine) highestCorrelation(s *Scratch, b *book) float64 {
	matrix := e.correlations(s, b.legs)
	k := len(b.legs)
	target := slices.IndexFunc(b.legs, func(l leg) bool { return l.isTarget })
	best := -1.0
	for j := range b.legs {
		if j == target || math.Abs(b.legs[j].signed) < significantShare*b.gross {
			continue
		}
		signs := sign(b.legs[target].signed) * sign(b.legs[j].signed)
		best = max(best, signs*matrix[target*k+j])
	}
	return best
}
