package joint

import (
	"math"
	"slices"

	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// Losses is the joint loss of a set of legs over 24 hours on the recorded hours, counted in prices: the
// legs of one asset are netted, and the moves of each asset are scaled so that a book of one position has
// that position's VaR. The zero value is an empty book; reuse it after Reset. Not safe for concurrent use.
type Losses struct {
	legs    []lossLeg
	groups  int       // distinct assets of the limited groups
	group   []lossLeg // working memory of AddLimited
	limited []float64 // [rows] loss of the limited groups, USD; empty without any
	varied  []float64 // [rows] loss of the group whose limit varies, USD; empty without one
	fixed   []float64 // [rows] joint loss of all but that group, USD
	most    float64   // the largest of varied
	limit   float64   // of that group, at most most; NaN: not set

	sums  []float64 // [rows] joint loss of what was added, USD
	bound float64   // see Bound; NaN: not computed
	// The leg added by the last call of Tail (nil: none), and the joint loss including it, USD.
	own  *mc.AssetModel
	usd  float64
	loss []float64 // [rows]; without that leg it is sums
	with []float64 // [rows] memory of loss

	work    []float64   // [rows]
	weights []float64   // empty between uses
	terms   [][]float64 // empty between uses, so that no old moves are kept alive
	without stats.LeaveOneOut
	// prepare: the next Tail prepares without, which spares a pass. prepared: the last Tail did.
	prepare, prepared bool
}

// lossLeg is the net leg of one asset.
type lossLeg struct {
	m   *mc.AssetModel
	usd float64 // signed notional
}

// lossWeight is the loss of a leg for a move of the whole price, USD.
func lossWeight(m *mc.AssetModel, usd float64) float64 {
	if usd < 0 {
		return -usd * m.Joint.Scale[mc.Short]
	}
	return -usd * m.Joint.Scale[mc.Long]
}

// net adds a leg to legs, netted with the leg of the same asset.
func net(legs []lossLeg, m *mc.AssetModel, usd float64) []lossLeg {
	for i := range legs {
		if legs[i].m == m {
			legs[i].usd += usd
			return legs
		}
	}
	return append(legs, lossLeg{m, usd})
}

// Reset empties the book.
func (l *Losses) Reset() {
	clear(l.legs)
	l.legs, l.groups, l.limited, l.varied, l.own = l.legs[:0], 0, l.limited[:0], l.varied[:0], nil
}

// Add adds a leg: the fit of its asset, and its signed notional at the mark, USD. Legs of one asset are
// netted before anything else.
func (l *Losses) Add(m *mc.AssetModel, usd float64) { l.legs = net(l.legs, m, usd) }

// AddLimited adds the loss of a separate group of legs, on each row at most limit, USD.
func (l *Losses) AddLimited(models []*mc.AssetModel, usd []float64, limit float64) {
	if l.work = l.groupLoss(l.work, models, usd); len(l.work) == 0 {
		return
	}
	if len(l.limited) == 0 {
		l.limited = grown(l.limited, len(l.work))
		clear(l.limited)
	}
	for row, v := range l.work {
		l.limited[row] += min(v, limit)
	}
}

// AddVaried adds the one group whose limit may differ between sums: Sum leaves it out, and each call of Limit
// adds it with another limit.
func (l *Losses) AddVaried(models []*mc.AssetModel, usd []float64) {
	l.varied = l.groupLoss(l.varied, models, usd)
}

// groupLoss returns the loss of a separate group of legs in dst, none without a row.
func (l *Losses) groupLoss(dst []float64, models []*mc.AssetModel, usd []float64) []float64 {
	l.group = l.group[:0]
	for i, m := range models {
		l.group = net(l.group, m, usd[i])
	}
	l.groups += len(l.group)
	if len(l.group) == 0 || l.group[0].m.Joint == nil {
		return dst[:0]
	}
	dst = grown(dst, len(l.group[0].m.Joint.PriceMoves))
	l.sum(dst, l.group)
	clear(l.group)
	return dst
}

// Limit lets the group of AddVaried lose at most limit on each row, USD.
func (l *Losses) Limit(limit float64) {
	if len(l.varied) == 0 {
		return
	}
	if limit = min(limit, l.most); limit == l.limit {
		return
	}
	l.limit = limit
	for row, v := range l.varied {
		if v > limit {
			v = limit
		}
		l.sums[row] = l.fixed[row] + v
	}
	l.begin()
}

// sum sets dst to the joint loss of legs, USD.
func (l *Losses) sum(dst []float64, legs []lossLeg) {
	for _, leg := range legs {
		l.weights, l.terms = append(l.weights, lossWeight(leg.m, leg.usd)), append(l.terms, leg.m.Joint.PriceMoves)
	}
	stats.WeightedSum(dst, l.weights, l.terms)
	clear(l.terms)
	l.weights, l.terms = l.weights[:0], l.terms[:0]
}

// Len returns the number of distinct assets added, those of limited groups included.
func (l *Losses) Len() int { return len(l.legs) + l.groups }

// Sum sums the moves of the legs. rows is BTC's fit, which has every row. Call it once after the legs.
func (l *Losses) Sum(rows *mc.AssetModel) {
	n := 0
	if rows != nil && rows.Joint != nil {
		n = len(rows.Joint.PriceMoves)
	}
	l.sums = grown(l.sums, n)
	if n > 0 {
		l.sum(l.sums, l.legs)
	}
	for row, v := range l.limited {
		l.sums[row] += v
	}
	if len(l.varied) > 0 {
		l.fixed = append(l.fixed[:0], l.sums...)
		l.most, l.limit = slices.Max(l.varied), math.NaN()
	}
	l.begin()
}

// begin forgets what was derived from other sums.
func (l *Losses) begin() {
	n := len(l.sums)
	l.bound, l.prepare, l.prepared = math.NaN(), false, false
	l.with, l.work = grown(l.with, n), grown(l.work, n)
	l.loss = l.sums
}

// change returns the weight by which the moves of an asset change the joint loss when usd is added to
// its net leg, which is then at least base.
func (l *Losses) change(m *mc.AssetModel, usd float64) float64 {
	for _, leg := range l.legs {
		if leg.m == m {
			return lossWeight(m, leg.usd+usd) - lossWeight(m, leg.usd)
		}
	}
	return lossWeight(m, usd)
}

// Tail returns the type-7 quantile at Level of the joint loss, and the mean of the losses beyond it, USD,
// with one more leg: own, nil for none. It is netted with the leg of its asset. Without a row both are 0.
func (l *Losses) Tail(own *mc.AssetModel, usd float64) (quantile, mean float64) {
	l.own, l.usd = own, usd
	l.prepare, l.prepared = false, l.prepare
	n := len(l.sums)
	if n == 0 {
		return 0, 0
	}
	l.loss = l.sums
	if own != nil {
		l.loss = l.with
		stats.WeightedSum(l.loss, []float64{1, l.change(own, usd)}, [][]float64{l.sums, own.Joint.PriceMoves})
	}
	if l.prepared {
		return l.without.Prepare(l.loss, Level)
	}
	if own != nil {
		return stats.UpperTail(l.loss, Level, l.work)
	}
	largest := stats.UpperCandidates(l.work, l.sums, stats.UpperCount(n, Level))
	l.bound = stats.UpperRank(largest, boundedRows(n), l.with)
	return stats.UpperTailOf(largest, n, Level, l.with)
}

// Bound returns an upper bound of Tail's quantile, and costs little. The loss of the sums and that of own
// each exceed their part of it on few rows; on all other rows their sum does not exceed it.
func (l *Losses) Bound(own *mc.AssetModel, usd float64) float64 {
	n := len(l.loss)
	if n == 0 {
		return 0
	}
	rank := boundedRows(n)
	if math.IsNaN(l.bound) {
		l.bound = stats.UpperRank(l.sums, rank, l.work)
	}
	bound := l.bound
	if own != nil {
		w := l.change(own, usd)
		best := own.Joint.Best[mc.Long] // the rows of the largest gains of a long have the largest moves
		if w < 0 {
			best = own.Joint.Best[mc.Short]
		}
		bound += w * own.Joint.PriceMoves[best[min(rank, len(best))-1]]
	}
	return bound + 1e-12*math.Abs(bound)
}

// boundedRows is the rank of each bound among n rows: the rows above two such bounds are together no more than
// are beyond the quantile.
func boundedRows(n int) int { return max(1, stats.UpperCount(n, Level)/2) }

// PrepareWithout makes the next Tail prepare Without, which is faster than to prepare it later.
func (l *Losses) PrepareWithout() { l.prepare = true }

// Without returns the quantile of the last Tail with a part of its legs removed, USD: usd of an asset.
// The removed part is not one of a limited group.
func (l *Losses) Without(m *mc.AssetModel, usd float64) float64 {
	if len(l.loss) == 0 {
		return 0
	}
	if !l.prepared {
		l.without.Prepare(l.loss, Level)
		l.prepared = true
	}
	before := 0.0 // net notional in the last Tail
	for _, leg := range l.legs {
		if leg.m == m {
			before = leg.usd
		}
	}
	if m == l.own {
		before += l.usd
	}
	change := lossWeight(m, before-usd) - lossWeight(m, before)
	best := m.Joint.Best[mc.Long] // the rows of the largest gains of a long have the largest moves
	if change < 0 {
		best = m.Joint.Best[mc.Short]
	}
	return l.without.Quantile(change, m.Joint.PriceMoves, best)
}

// Alone returns quantile and mean as Tail does for one leg alone.
func Alone(m *mc.AssetModel, usd float64) (quantile, mean float64) {
	side := mc.Long
	if usd < 0 {
		side = mc.Short
	}
	if m.Joint == nil {
		return 0, 0
	}
	return math.Abs(usd) * m.Joint.MoveVaR[side], math.Abs(usd) * m.Joint.MoveES[side]
}
