package joint

import (
	"math"

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
// the probability that the pool is liquidated. The zero value is an empty pool; reuse it after Reset. Not
// safe for concurrent use.
type Paths struct {
	legs  []PathLeg
	rows  int
	knots knotRule

	horizons [mc.ExcursionHorizons]pathSums
	query    pathQuery // of the last Probability
	loss     []float64 // [rows] of query, USD
	work     []float64 // [rows]

	weights []float64   // empty between uses
	terms   [][]float32 // empty between uses, so that no old paths are kept alive
}

// pathSums are the legs over one horizon.
type pathSums struct {
	ready bool
	marks []float64 // joint loss of two or more legs at the marks, USD, as PathTable.Marks
	bound float64   // see Paths.bound; negative: not computed
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
	p.query = pathQuery{}
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
	if n := float64(pathStride * p.rows); p.knots.n != n || n == 0 {
		p.knots = newKnotRule(p.rows)
	}
}

// prepare sums the legs over horizon h.
func (p *Paths) prepare(h int) *pathSums {
	s := &p.horizons[h]
	if s.ready {
		return s
	}
	s.ready, s.bound, s.poolTotals = true, -1, poolTotals{}
	for i := range p.legs {
		s.add(&p.legs[i], h)
	}
	if len(p.legs) != 1 { // of one, its own marks serve
		s.marks = grown(s.marks, p.padded()*mc.PathMarks)
		p.sum(h, s.marks)
	}
	return s
}

// padded is the number of rows, those that fill up the last block included.
func (p *Paths) padded() int { return (p.rows + mc.PathBlock - 1) / mc.PathBlock * mc.PathBlock }

// sum writes the joint loss at the marks to dst, USD.
func (p *Paths) sum(h int, dst []float64) {
	for i := range p.legs {
		l := &p.legs[i]
		p.weights, p.terms = append(p.weights, l.Weight), append(p.terms, l.Model.Joint.Paths[h].Marks)
	}
	asm.WeightedSum32(dst, p.weights, p.terms)
	clear(p.terms)
	p.weights, p.terms = p.weights[:0], p.terms[:0]
}

// pathQuery is one call of Probability. Without an own leg it serves calls with other rooms, too.
type pathQuery struct {
	poolTotals
	h     int
	sums  *pathSums
	alone bool // without an own leg, and loss holds its rows
	// The moves of the leg that is not in sums, and its weight; without one, any moves and 0.
	own    []float32
	weight float64
	// What the dominant leg adds beyond its marks, by row, and the factors on that and on the moves
	// between marks.
	beyond         []float32
	scale, between float64
	endSquares     float64 // sum of the squared losses at the last mark

	knotted bool // the members below are known
	table   knotTable
	knots   mc.Excursions
}

// Probability returns the chance that the pool's loss exceeds room, USD, within horizon h, with one more
// leg: own, nil for none. If the result is not above enough it may be an upper bound.
func (p *Paths) Probability(h int, own *PathLeg, room, enough float64) float64 {
	if room <= 0 {
		return 1
	}
	if enough > 0 && p.isBelow(h, own, room, enough) {
		return enough
	}
	q := &p.query
	if own != nil || !q.alone || q.h != h {
		p.ask(h, own)
	}
	if q.gross == 0 {
		return 0
	}
	k := &p.knots
	if p.rows > 0 {
		share := p.share(room)
		if k.full >= 0 {
			smallest := vol.ExcursionShares[k.full]
			if share >= smallest {
				return share
			}
			if smallest <= enough {
				return smallest
			}
		}
	}
	return p.beyondRows(q, room)
}

// ask begins a query.
func (p *Paths) ask(h int, own *PathLeg) {
	q := &p.query
	*q = pathQuery{h: h, sums: p.prepare(h), alone: own == nil}
	q.poolTotals = q.sums.poolTotals
	if own != nil {
		q.add(own, h)
		q.own, q.weight = own.Model.Joint.Paths[h].Marks, own.Weight
	}
	if q.gross > 0 && p.rows > 0 {
		q.endSquares = p.replay(q, own)
	}
}

// replay computes the losses of all rows, and returns the sum of the squared losses at the last mark.
func (p *Paths) replay(q *pathQuery, own *PathLeg) (endSquares float64) {
	if own == nil {
		q.own = q.top.Model.Joint.Paths[q.h].Marks
	}
	dominance := 1.0
	if q.topSize > 0 { // a price moves
		dominance = max(0, 1-(q.size-q.topSize)/q.topSize)
	}
	dominance *= dominance
	q.beyond = q.top.beyond(q.h)
	q.scale = dominance * math.Abs(q.top.Weight)
	q.between = (1 - dominance) * betweenMarks / math.Sqrt(mc.PathMarks)
	n := p.padded()
	p.loss = grown(p.loss, n)
	if len(p.legs) == 1 {
		held := &p.legs[0]
		marks := held.Model.Joint.Paths[q.h].Marks
		endSquares = asm.PathLossOfTwo(p.loss, marks, held.Weight, q.own, q.weight, q.beyond, q.scale, q.between)
	} else {
		endSquares = asm.PathLoss(p.loss, q.sums.marks, q.own, q.weight, q.beyond, q.scale, q.between)
	}
	p.loss, p.work = p.loss[:p.rows], grown(p.work, p.rows)
	return endSquares
}

// share returns the share of the rows whose loss exceeds room.
func (p *Paths) share(room float64) float64 {
	return float64(asm.CountAbove(p.loss, math.Nextafter(room, math.Inf(1)))) / float64(p.rows)
}

// beyondRows returns the probability where too few rows lose more than the room: the pool is then an
// asset of its own, with a table of knots mixed from the rows and from the pooled excursions.
func (p *Paths) beyondRows(q *pathQuery, room float64) float64 {
	nu := q.net / q.gross
	if nu*room/q.gross >= 1-minLeft {
		return 0 // more than all longs can lose
	}
	if !q.knotted {
		q.knotted = true
		p.fillKnots(q, nu)
	}
	return vol.TouchProbability(&q.knots, q.table.depth(room))
}

// fillKnots fills in the knots of the pool as an asset from the last one that the rows give alone on: the room is
// beyond it.
func (p *Paths) fillKnots(q *pathQuery, nu float64) {
	k, t := &p.knots, &q.table
	*t = knotTable{q: q, k: k, rows: p.rows, nu: nu, scale: q.deviation(p.rows, k, q.endSquares)}
	t.first = max(0, k.full-1)
	tail := p.work[:0]
	if k.own > 0 {
		tail = stats.UpperSorted(p.loss, stats.UpperCount(p.rows, 1-vol.ExcursionShares[t.first]), p.work)
	}
	highest := 0.0
	for j := t.first; j < len(q.knots); j++ {
		highest = max(highest, t.knot(j, tail))
		q.knots[j] = highest
	}
}

// deviation returns the standard deviation of the pool as an asset. endSquares is the sum of the
// squared losses at the last mark.
func (t *poolTotals) deviation(rows int, k *knotRule, endSquares float64) (sd float64) {
	if k.own > 0 && t.ends > 0 {
		sd = math.Sqrt(endSquares/float64(rows)) * t.size / (t.gross * t.ends)
	} else {
		sd = math.Sqrt(float64(0.4*t.squared)+float64(0.6*float64(t.signed*t.signed))) / t.gross
	}
	return max(sd, minLeft)
}
