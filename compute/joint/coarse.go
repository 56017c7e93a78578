package joint

import (
	"math"

	"ballast/asm"
)

// coarse sums rows of int16 multiples of a step, with weights rounded to 16 bits. The zero value is empty.
type coarse struct {
	rows  [][]int16 // empty between uses, so that no old rows are kept alive
	steps []float64 // USD per step of each row

	weights []int16
}

// add adds a row of multiples of step with its weight.
func (c *coarse) add(weight, step float64, row []int16) {
	c.rows, c.steps = append(c.rows, row), append(c.steps, weight*step)
}

// sum writes the sum of the added rows to dst, USD, and removes the rows. slack is the error bound
// when each element is within half a step; ok is false when no bound is known.
func (c *coarse) sum(dst []float64) (slack float64, ok bool) {
	defer func() {
		clear(c.rows)
		c.rows, c.steps = c.rows[:0], c.steps[:0]
	}()
	// The absolute weights of four rows must add up to at most MaxUint16 after rounding.
	const maxUnits, group = math.MaxUint16 - 2, 4
	total, unit := 0.0, 0.0
	for i := 0; i < len(c.steps); i += group {
		four := 0.0
		for _, step := range c.steps[i:min(i+group, len(c.steps))] {
			four += math.Abs(step)
			unit = max(unit, math.Abs(step)/math.MaxInt16)
		}
		total, unit = total+four, max(unit, four/maxUnits)
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
	// maxSlack is an error bound above which sums in single precision may overflow.
	maxSlack = 1e30
	// minUnit is a lower bound of the weight unit, USD, well above the smallest float64.
	minUnit = 1e-250
	// roundingSteps bounds the rounding error of floating-point sums, in steps.
	roundingSteps = 1e-6
)
