package joint

import (
	"math"
	"slices"

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
	// row]; each sum is known within slack.
	moves [mc.ExcursionHorizons][mc.StateCount][]float64
	slack [mc.ExcursionHorizons]float64

	shortfall, work []float64 // [every third row]

	coarseWeights []float32
	coarse        [][]int16   // empty between uses: a pool keeps no moves of hours gone by
	terms         [][]float64 // the same
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
		p.slack[h] = 0
		for state := range p.moves[h] {
			p.moves[h][state] = grown(p.moves[h][state], len(rows.Moves[h][state]))
			p.slack[h] = max(p.slack[h], p.sum(h, state))
		}
	}
	clear(p.terms[:cap(p.terms)])
	clear(p.coarse[:cap(p.coarse)])
}

// sum sums one horizon and state and returns how far off the sums may be, USD.
func (p *Pool) sum(h, state int) (slack float64) {
	const few = 4 // up to here exact sums cost less than coarse ones and exact rows
	if len(p.joints) <= few {
		p.terms = p.terms[:0]
		for _, j := range p.joints {
			p.terms = append(p.terms, j.Moves[h][state])
		}
		stats.WeighedSum(p.moves[h][state], p.weights, p.terms)
		return 0
	}
	p.coarseWeights, p.coarse = p.coarseWeights[:0], p.coarse[:0]
	for i, j := range p.joints {
		weight := p.weights[i] * j.Step[h][state]
		p.coarseWeights, p.coarse = append(p.coarseWeights, float32(weight)), append(p.coarse, j.Coarse[h][state])
		slack += math.Abs(weight)
	}
	asm.CoarseSum(p.moves[h][state], p.coarseWeights, p.coarse)
	// Half a step, and what single precision loses.
	return slack * (0.5 + float64(len(p.coarse)+4)/500)
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
			slack += 1e-15 * math.Abs(weight) * math.MaxInt16 * slices.Max(own.Step[h][:])
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
