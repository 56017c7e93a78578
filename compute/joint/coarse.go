package joint

import (
	"math"

	"ballast/asm"
)

// coarse sums rows of whole steps by weights of which 16 bits are left. The zero value is
// empty.
type coarse struct {
	rows  [][]int16 // empty between uses: what sums keeps no hours gone by
	steps []float64 // what a step of each row counts, USD

	weights []int16
}

// add adds a row of multiples of step, by its weight.
func (c *coarse) add(weight, step float64, row []int16) {
	c.rows, c.steps = append(c.rows, row), append(c.steps, weight*step)
}

// sum writes the sum of the rows that were added to dst, USD, forgets them and returns how
// far off the sums may be when each element is within half a step; false when it cannot tell.
func (c *coarse) sum(dst []float64) (slack float64, ok bool) {
	defer func() {
		clear(c.rows)
		c.rows, c.steps = c.rows[:0], c.steps[:0]
	}()
	// Weights of four rows have 16 bits together, rounding included.
	const most, group = math.MaxUint16 - 2, 4
	total, unit := 0.0, 0.0
	for i := 0; i < len(c.steps); i += group {
		four := 0.0
		for _, step := range c.steps[i:min(i+group, len(c.steps))] {
			four += math.Abs(step)
			unit = max(unit, math.Abs(step)/math.MaxInt16)
		}
		total, unit = total+four, max(unit, four/most)
	}
	if !(unit > minUnit && total <= maxSlack) {
		return 0, false
	}
	c.weights = grown(c.weights, len(c.steps))
	for i, step := range c.steps {
		weight := math.RoundToEven(step / unit)
		c.weights[i] = int16(weight)
		slack += math.Abs(step-weight*unit) * math.MaxInt16
	}
	shifted := math.Ldexp(unit, asm.CoarseShift(len(c.rows)))
	asm.CoarseSum(dst, shifted, c.weights, c.rows)
	groups := float64((len(c.rows) + group - 1) / group)
	return slack + groups*shifted + total*(0.5+roundingSteps), true
}

const (
	// minUnit is a unit, USD, that is far from what floating point cannot hold.
	minUnit = 1e-250
	// roundingSteps is more than what sums in floating point lose, in steps.
	roundingSteps = 1e-6
)
