package joint

import (
	"math"

	"ballast/asm"
	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// Pool replays the cross-margin positions of a wallet together. It computes the shortfall of their
// common equity below the maintenance margin on the recorded hours. Rounded moves select the rows that matter; the
// probabilities use exact moves only. The zero value is an empty pool; reuse it after Reset. Not
// safe for concurrent use.
type Pool struct {
	joints  []*mc.Joint
	weights []float64 // change of the shortfall per fractional price rise, USD

	// moves is the positions' part of the shortfall, USD, by horizon and state [every third
	// row]; each value is exact within slack. They share the memory of sums.
	moves [mc.ExcursionHorizons][mc.StateCount][]float64
	sums  [mc.ExcursionHorizons][]float64
	slack [mc.ExcursionHorizons]float64

	shortfall, work []float64 // [every third row]

	coarse coarse
	terms  [][]float64 // empty between uses, so that no old moves are kept alive
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

// Add adds a position: its asset's moves, and the change of the pool's shortfall in USD per
// fractional price rise (maintenance margin minus profit).
func (p *Pool) Add(j *mc.Joint, weight float64) {
	p.joints, p.weights = append(p.joints, j), append(p.weights, weight)
}

// Rows returns the number of rows summed.
func (p *Pool) Rows() int { return len(p.moves[0][0]) }

// Sum sums the moves of the positions. rows is BTC's Joint, which has every row.
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

// sum sums one horizon and returns the error bound of the sums, USD.
func (p *Pool) sum(h int) (slack float64) {
	const few = 4 // up to this number exact sums are cheaper
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

// Probability returns the probability of a shortfall within horizon h. A row's shortfall is the largest
// of its three states; in each, it is the sum over all positions and one more (own, with its weight as in
// Add; nil for none), plus the argument constant. gross is the sum of notionals, USD. If the result is not
// above the argument enough, it may be an upper bound of the probability.
func (p *Pool) Probability(h int, own *mc.Joint, weight, constant, gross, enough float64) float64 {
	rows := p.Rows()
	p.shortfall, p.work = grown(p.shortfall, rows), grown(p.work, rows)
	moves, slack := &p.moves[h], p.slack[h]
	if own != nil {
		moves = &own.Moves[h]
	} else {
		weight = 0 // the moves are finite, so weight 0 ignores them
	}
	asm.WorstState(p.shortfall, &p.moves[h], moves, weight, constant)
	if slack > 0 { // plus rounding
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

// exact returns the exact shortfall of the pool in a row, USD; rounded moves only select the states
// that may be the worst. The other arguments are those of Probability.
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
