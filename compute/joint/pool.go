package joint

import (
	"math"

	"ballast/asm"
	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// Pool is the cross positions of a wallet, replayed together: how far the pool's equity falls
// short of its maintenance margin on the recorded hours. Coarse moves choose the rows that
// decide; the chances follow from exact moves alone. The zero value is an empty pool; it is
// used again after Reset, by one goroutine at a time.
type Pool struct {
	joints  []*mc.Joint
	weights []float64 // what the pool lacks more when the price rises by a fraction of 1, USD

	// moves is what the positions add to the shortfall, USD, by horizon and state [every third
	// row]; each sum is known within slack. They are parts of sums.
	moves [mc.ExcursionHorizons][mc.StateCount][]float64
	sums  [mc.ExcursionHorizons][]float64
	slack [mc.ExcursionHorizons]float64

	shortfall, work []float64 // [every third row]

	coarse coarse
	terms  [][]float64 // empty between uses: a pool keeps no moves of hours gone by
}

// Reset empties the pool.
func (p *Pool) Reset() {
	clear(p.joints)
	p.joints, p.weights = p.joints[:0], p.weights[:0]
	for h := range p.moves {
		for state := range p.moves[h] {
			p.moves[h][state] = p.moves[h][state][:0]
		}
	}
}

// Add adds a position: its asset's moves, and what the pool lacks more, USD, when the price
// rises by a fraction of 1: maintenance margin less profit.
func (p *Pool) Add(j *mc.Joint, weight float64) {
	p.joints, p.weights = append(p.joints, j), append(p.weights, weight)
}

// Rows returns the number of rows that Sum has summed.
func (p *Pool) Rows() int { return len(p.moves[0][0]) }

// Sum sums the moves of the positions added. rows is the Joint of BTC, which has them all.
func (p *Pool) Sum(rows *mc.Joint) {
	for h := range p.moves {
		n := len(rows.Moves[h][0])
		p.sums[h] = grown(p.sums[h], padded(mc.StateCount*n))
		for state := range p.moves[h] {
			p.moves[h][state] = p.sums[h][state*n:][:n]
		}
		p.slack[h] = p.sum(h)
	}
	clear(p.terms[:cap(p.terms)])
}

// sum sums one horizon and returns how far off the sums may be, USD.
func (p *Pool) sum(h int) (slack float64) {
	const few = 4 // up to here exact sums cost less than coarse ones and exact rows
	if len(p.joints) > few {
		for i, j := range p.joints {
			p.coarse.add(p.weights[i], j.Step[h], j.Coarse[h])
		}
		if slack, ok := p.coarse.sum(p.sums[h]); ok {
			return slack
		}
	}
	for state := range p.moves[h] {
		p.terms = p.terms[:0]
		for _, j := range p.joints {
			p.terms = append(p.terms, j.Moves[h][state])
		}
		stats.WeightedSum(p.moves[h][state], p.weights, p.terms)
	}
	return 0
}

// Probability is the chance that the pool falls short within a horizon. The shortfall of a row
// is the largest, over its three states, of that of the positions added and of one more (own,
// which may be nil, by its weight), plus a constant; gross is the sum of the notionals, USD. A
// chance of at most enough may come out higher, but not above enough.
func (p *Pool) Probability(h int, own *mc.Joint, weight, constant, gross, enough float64) float64 {
	rows := p.Rows()
	p.shortfall, p.work = grown(p.shortfall, rows), grown(p.work, rows)
	moves, slack := &p.moves[h], p.slack[h]
	if own != nil {
		moves = &own.Moves[h]
	} else {
		weight = 0 // of moves that are anything finite
	}
	asm.WorstState(p.shortfall, &p.moves[h], moves, weight, constant)
	if slack > 0 { // and rounding
		slack += 1e-15 * math.Abs(constant)
		if own != nil {
			slack += 1e-15 * math.Abs(weight) * math.MaxInt16 * own.Step[h]
		}
	}
	if bound := MaxShortfallProbability(p.shortfall, slack); bound <= enough {
		return bound
	}
	if slack > 0 {
		Refine(p.shortfall, p.work, slack, func(row int) float64 { return p.exact(row, h, own, weight, constant, slack) })
	}
	return ShortfallProbability(p.shortfall, p.work, gross)
}

// exact is the shortfall of the pool in a row, USD, with nothing coarse but the choice of
// states that may be the worst; the other arguments are those of Probability.
func (p *Pool) exact(row, h int, own *mc.Joint, weight, constant, slack float64) float64 {
	var coarse, trade [mc.StateCount]float64
	for state := range coarse {
		if own != nil {
			trade[state] = float64(weight * own.Moves[h][state][row])
		}
		coarse[state] = p.moves[h][state][row] + trade[state]
	}
	worst, near := math.Inf(-1), max(coarse[0], coarse[1], coarse[2])-2*slack
	for state := range coarse {
		if coarse[state] < near {
			continue
		}
		sum := 0.0
		for i, j := range p.joints {
			sum += float64(p.weights[i] * j.Moves[h][state][row])
		}
		worst = max(worst, sum+trade[state])
	}
	return worst + constant
}
