package asm

import "math"

// TailCurve tabulates the tail probability of a symmetric distribution, as one cubic per cell of |t|.
// Cells grow with 1+|t|; cell i begins at 1+|t| = TailKnot(i).
type TailCurve struct {
	// Cell holds the coefficients of each cubic in the distance from the start of the cell,
	// lowest power first.
	Cell [tailOctaves * tailCells][4]float64
	Last float64 // tail probability beyond the last cell
}

const (
	tailCells   = 1 << tailBits // cells per octave of 1+|t|
	tailBits    = 5
	tailOctaves = 14 // the cells end at |t| = 16,383
)

// TailKnot returns 1+|t| at the start of cell i.
func TailKnot(i int) float64 {
	return fromBits(exponentOne + uint64(i)<<(52-tailBits))
}

// At returns the probability of an outcome beyond |t| on one side.
func (c *TailCurve) At(t float64) float64 {
	v := 1 + math.Abs(t)
	bits := toBits(v)
	i := (bits - exponentOne) >> (52 - tailBits)
	if i >= uint64(len(c.Cell)) {
		return c.Last
	}
	p := &c.Cell[i]
	d := v - fromBits(bits&^(1<<(52-tailBits)-1))
	return p[0] + float64(d*(p[1]+float64(d*(p[2]+float64(d*p[3])))))
}

// Shape turns the first half of z, n draws of a symmetric distribution, into 2n outcomes: outcome 2j is
// the quantile of the ascending table at the cumulative probability of draw j, outcome 2j+1 the quantile
// at the cumulative probability of -(draw j). With p the probability beyond |t| on one side, and the
// table's entries numbered from 0 to last with linear interpolation, these are the values at last*p and
// at last-last*p. The table has 1 to 2^31-1 entries.
func (c *TailCurve) Shape(z, table []float64) {
	n := len(z) / 2
	last := float64(len(table) - 1)
	if len(table) < 2 || !avx2 {
		c.shapeGeneric(z, table, last, 0, n)
		return
	}
	groups := n / 4
	c.shapeGeneric(z, table, last, 4*groups, n)
	for end := groups; end > 0; end -= shapeBlock {
		shapeAVX2(&z[0], max(0, end-shapeBlock), end, &c.Cell[0], len(c.Cell), c.Last, &table[0], last, len(table)-2)
	}
}

// shapeBlock is the number of groups of four draws per block, which fits the first-level cache.
const shapeBlock = 128

// shapeGeneric processes the draws from..to-1 from the last to the first, so that no draw is
// overwritten before it is read.
func (c *TailCurve) shapeGeneric(z, table []float64, last float64, from, to int) {
	for j := to - 1; j >= from; j-- {
		t := z[j]
		at := float64(last * c.At(t)) // table position of the lower of the two outcomes
		low, high := Interpolate(table, at), Interpolate(table, last-at)
		if !math.Signbit(t) {
			low, high = high, low
		}
		z[2*j], z[2*j+1] = low, high
	}
}

// Interpolate returns the linearly interpolated value of a table at a position, 0 being the first entry.
func Interpolate(table []float64, at float64) float64 {
	lo := int(at)
	if lo >= len(table)-1 {
		return table[len(table)-1]
	}
	a := table[lo]
	return a + float64((at-float64(lo))*(table[lo+1]-a))
}
