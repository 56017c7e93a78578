package joint

import (
	"math"
	"slices"

	"ballast/asm"
	"ballast/compute/stats"
	"ballast/compute/vol"
	mc "ballast/marketcache"
)

// PathLeg is one leg of a cross pool.
type PathLeg struct {
	Model *mc.AssetModel
	// Weight is what the pool's shortfall below its maintenance margin grows by when the price
	// doubles, USD: |n|*rate - n of a notional n.
	Weight float64
	Short  bool // decides which excursion applies
}

// size is the loss of the leg for a move of one standard deviation over horizon h, USD.
func (l *PathLeg) size(h int) float64 { return math.Abs(l.Weight) * l.Model.Joint.Paths[h].SD }

// beyond returns how much further than its marks the price went against the leg, by row.
func (l *PathLeg) beyond(h int) []float32 {
	if l.Short {
		return l.Model.Joint.Paths[h].Beyond[mc.Short]
	}
	return l.Model.Joint.Paths[h].Beyond[mc.Long]
}

// Paths replays the legs of one cross pool together along the recorded paths of their prices, and gives
// the probability that the pool is liquidated. The zero value is an empty pool; reuse it after Reset.
// Not safe for concurrent use.
type Paths struct {
	legs []PathLeg
	rows int

	horizons [mc.ExcursionHorizons]pathSums
	loss     []float64 // [rows] of the last Probability, USD
	work     []float64 // [rows]

	weights []float64   // empty between uses
	terms   [][]float32 // empty between uses, so that no old paths are kept alive
}

// pathSums are the legs over one horizon.
type pathSums struct {
	ready bool
	marks []float64 // joint loss at the marks, USD, in the order of PathTable.Marks
	poolTotals
}

// poolTotals are the sums over the legs of a pool that do not depend on the row.
type poolTotals struct {
	gross, net float64 // sum of |w| and of -w, USD
	size       float64 // sum of |w|*sd
	squared    float64 // sum of (|w|*sd)^2
	signed     float64 // sum of w*sd
	ends       float64 // sum of |w|*rms of the move at the last mark
	top        PathLeg // the leg with the largest |w|*sd, without a Model if there is none
	topSize    float64
}

// add adds a leg over horizon h.
func (t *poolTotals) add(l *PathLeg, h int) {
	table := &l.Model.Joint.Paths[h]
	w, a := math.Abs(l.Weight), l.size(h)
	t.gross, t.net = t.gross+w, t.net-l.Weight
	t.size, t.squared = t.size+a, t.squared+float64(a*a)
	t.signed += float64(l.Weight * table.SD)
	t.ends += float64(w * table.EndRMS)
	if t.top.Model == nil || a > t.topSize {
		t.top, t.topSize = *l, a
	}
}

// Reset empties the pool.
func (p *Paths) Reset() {
	clear(p.legs)
	p.legs = p.legs[:0]
	for h := range p.horizons {
		p.horizons[h].ready = false
	}
}

// Add adds a leg.
func (p *Paths) Add(leg PathLeg) { p.legs = append(p.legs, leg) }

// Len returns the number of legs.
func (p *Paths) Len() int { return len(p.legs) }

// Sum prepares Probability. rows is BTC's fit, which has every row. Call it once after the legs.
func (p *Paths) Sum(rows *mc.AssetModel) {
	p.rows = 0
	if rows != nil && rows.Joint != nil {
		p.rows = rows.Joint.PathRows
	}
}

// prepare sums the legs over horizon h.
func (p *Paths) prepare(h int) *pathSums {
	s := &p.horizons[h]
	if s.ready {
		return s
	}
	s.ready, s.poolTotals = true, poolTotals{}
	blocks := (p.rows + mc.PathBlock - 1) / mc.PathBlock
	s.marks = grown(s.marks, blocks*mc.PathBlock*mc.PathMarks)
	for i := range p.legs {
		l := &p.legs[i]
		s.add(l, h)
		p.weights, p.terms = append(p.weights, l.Weight), append(p.terms, l.Model.Joint.Paths[h].Marks)
	}
	asm.WeightedSum32(s.marks, p.weights, p.terms)
	clear(p.terms)
	p.weights, p.terms = p.weights[:0], p.terms[:0]
	return s
}

// Probability returns the chance that the pool's loss exceeds room, USD, within horizon h, with one more
// leg: own, nil for none. If the result is not above enough it may be an upper bound.
func (p *Paths) Probability(h int, own *PathLeg, room, enough float64) float64 {
	if room <= 0 {
		return 1
	}
	s := p.prepare(h)
	t := s.poolTotals
	var ownMarks []float32
	ownWeight := 0.0
	if own != nil {
		t.add(own, h)
		ownMarks, ownWeight = own.Model.Joint.Paths[h].Marks, own.Weight
	}
	if t.gross == 0 {
		return 0
	}
	endSquares := 0.0
	if p.rows > 0 {
		if own == nil {
			ownMarks = t.top.Model.Joint.Paths[h].Marks // of weight 0
		}
		// of 0 where no price has moved
		dominance := max(0, 1-(t.size-t.topSize)/max(t.topSize, math.SmallestNonzeroFloat64))
		dominance *= dominance
		p.loss = grown(p.loss, (p.rows+mc.PathBlock-1)/mc.PathBlock*mc.PathBlock)
		endSquares = asm.PathLoss(p.loss, s.marks, ownMarks, ownWeight, t.top.beyond(h),
			dominance*math.Abs(t.top.Weight), (1-dominance)*betweenMarks/math.Sqrt(mc.PathMarks))
		p.loss, p.work = p.loss[:p.rows], grown(p.work, p.rows)
	}
	k := newKnotRule(p.rows)
	share := 0.0
	if p.rows > 0 {
		share = float64(asm.CountAbove(p.loss, math.Nextafter(room, math.Inf(1)))) / float64(p.rows)
	}
	if k.full >= 0 {
		smallest := vol.ExcursionShares[k.full]
		if share >= smallest {
			return share
		}
		if smallest <= enough {
			return smallest
		}
	}
	return p.beyondRows(h, &t, &k, room, endSquares)
}

// knotRule says which knots the rows give.
type knotRule struct {
	n    float64 // hours behind the rows
	own  float64 // weight of the rows
	full int     // the last knot that the rows give alone; -1: none
}

func newKnotRule(rows int) knotRule {
	n := pathStride * rows
	k := knotRule{n: float64(n), own: vol.OwnWeight(n), full: -1}
	for j := range vol.ExcursionShares {
		if k.weight(j) == 1 {
			k.full = j
		}
	}
	return k
}

// weight is the weight of the rows in knot j; the pooled knot has the rest.
func (k *knotRule) weight(j int) float64 {
	return vol.KnotWeight(vol.Excursion24h, int(k.n), j)
}

// beyondRows returns the probability where too few rows lose more than the room: the pool is then an
// asset of its own, with a table of knots mixed from the rows and from the pooled excursions.
func (p *Paths) beyondRows(h int, t *poolTotals, k *knotRule, room, endSquares float64) float64 {
	nu := t.net / t.gross
	if nu*room/t.gross >= 1-minLeft {
		return 0 // more than all longs can lose
	}
	scale := t.scale(p.rows, k, endSquares)
	depth := func(loss float64) float64 { return logLoss(nu, loss/t.gross) / scale }
	d := depth(room)

	// Only the knots from the last one that the rows give alone on matter: the room is beyond it.
	first := max(0, k.full-1)
	var knots [mc.ExcursionKnots]float64
	tail := p.work[:0]
	if k.own > 0 {
		tail = p.tail(stats.UpperCount(p.rows, 1-vol.ExcursionShares[first]))
	}
	highest := 0.0
	for j := first; j < len(knots); j++ {
		long, short := vol.PooledExcursions[h][vol.Long][j], vol.PooledExcursions[h][vol.Short][j]
		knot := (float64((1+nu)/2*long) + float64((1-nu)/2*short)) / pathScale[h]
		if w := k.weight(j); w > 0 {
			low, high, g := upperPair(tail, p.rows, 1-vol.ExcursionShares[j])
			a, b := depth(low), depth(high)
			knot = float64(w*(a+float64(g*(b-a)))) + float64((1-w)*knot)
		}
		highest = max(highest, knot)
		knots[j] = highest
	}
	return vol.TouchProbability(&knots, d)
}

// tail returns the count largest losses, ascending.
func (p *Paths) tail(count int) []float64 {
	least := stats.UpperRank(p.loss, count, p.work)
	tail := p.work[:asm.Above(p.work, p.loss, least)]
	slices.Sort(tail)
	return tail
}

// upperPair returns the two order statistics of n observations between which the type-7 quantile at
// level lies, and the weight of the second. tail holds the largest of them, ascending.
func upperPair(tail []float64, n int, level float64) (low, high, weight float64) {
	at := float64(n-1) * level
	floor := math.Floor(at)
	i := len(tail) - n + int(floor)
	if i >= len(tail)-1 {
		return tail[len(tail)-1], tail[len(tail)-1], 0
	}
	return tail[i], tail[i+1], at - floor
}

// logLoss turns a loss, a fraction of the gross notional, into the log move of an asset whose net share
// is nu: 1 if all legs are long, -1 if all are short.
func logLoss(nu, g float64) float64 {
	if math.Abs(nu) < minLeft {
		return g
	}
	return -math.Log1p(-min(nu*g, 1-minLeft)) / nu
}

// scale returns the standard deviation of the pool as an asset. endSquares is the sum of the squared
// losses at the last mark.
func (t *poolTotals) scale(rows int, k *knotRule, endSquares float64) float64 {
	s := 0.0
	if k.own > 0 && t.ends > 0 {
		s = math.Sqrt(endSquares/float64(rows)) * t.size / (t.gross * t.ends)
	} else {
		s = math.Sqrt(float64(0.4*t.squared)+float64(0.6*float64(t.signed*t.signed))) / t.gross
	}
	return max(s, minLeft)
}
