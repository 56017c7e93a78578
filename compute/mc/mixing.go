package mc

import (
	"math"

	"ballast/compute/stats"
)

// leastMixingNu is the least degrees of freedom a book is simulated with: below it an
// outcome would have no variance.
const leastMixingNu = 2

// mixer draws the variable that turns correlated normals into a t copula.
type mixer struct {
	nu, d, c float64
	random   generator
}

func (m *mixer) prepare(nu float64, seed *[32]byte) {
	m.nu = nu
	m.d = float64(0.5*nu) - 1.0/3
	m.c = 1 / math.Sqrt(9*m.d)
	m.random.seed(seed, streamMixing)
}

// root returns sqrt(nu/chi2) of a pair of draws, chi2 with nu degrees of freedom. It
// is a rejection method, so each attempt has its own block: words 0 and 1 a normal,
// 2 and 3 the uniform that accepts. This part stays scalar next to a vector kernel.
//
// Source: Marsaglia and Tsang, "A simple method for generating gamma variables", ACM
// TOMS 2000.
func (m *mixer) root(pair uint32) float64 {
	for attempt := uint32(0); ; attempt++ {
		w0, w1, w2, w3 := m.random.block(attempt, pair)
		x, _ := normals(w0, w1)
		v := 1 + float64(m.c*x)
		if v <= 0 {
			continue
		}
		v = float64(v * float64(v*v))
		u, square := uniform(w2, w3), float64(x*x)
		if u < 1-float64(0.0331*float64(square*square)) ||
			u > 0 && log(u) < float64(0.5*square)+float64(m.d*((1-v)+log(v))) {
			return math.Sqrt(m.nu / float64(2*float64(m.d*v)))
		}
	}
}

// tailCurve is the tail of a Student distribution as a table: cubics with the right
// value and slope at both ends of each cell, in t, cells growing with 1+|t|. Its
// absolute error is below 1e-7 for nu >= 2.
type tailCurve struct {
	nu   float64
	cell [tailOctaves * tailCells][4]float64
	last float64 // beyond the cells
}

const (
	tailCells   = 1 << tailBits // to an octave of 1+|t|
	tailBits    = 5
	tailOctaves = 14 // to |t| = 16,383
)

// prepare fills the table; one that it holds already costs nothing.
func (c *tailCurve) prepare(nu float64) {
	if c.nu == nu {
		return
	}
	c.nu = nu
	c.fill(
		func(t float64) float64 { return stats.StudentCDF(-t, nu) },
		func(t float64) float64 { return stats.StudentPDF(t, nu) },
	)
}

// fill makes the cubics of a tail P(T > t) and its density.
func (c *tailCurve) fill(tail, density func(t float64) float64) {
	value, slope := 0.5, -density(0)
	for i := range c.cell {
		from, to := tailKnot(i), tailKnot(i+1)
		h := to - from
		endValue, endSlope := tail(to-1), -density(to-1)
		rise := (endValue - value) / h
		c.cell[i] = [4]float64{
			value, slope,
			(float64(3*rise) - float64(2*slope) - endSlope) / h,
			(slope + endSlope - float64(2*rise)) / float64(h*h),
		}
		value, slope = endValue, endSlope
	}
	c.last = value
}

// tailKnot returns 1+|t| at the start of cell i.
func tailKnot(i int) float64 {
	return fromBits(exponentOne + uint64(i)<<(52-tailBits))
}

// at returns the probability of an outcome beyond |t| on one side.
func (c *tailCurve) at(t float64) float64 {
	v := 1 + math.Abs(t)
	bits := toBits(v)
	i := (bits - exponentOne) >> (52 - tailBits)
	if i >= uint64(len(c.cell)) {
		return c.last
	}
	p := &c.cell[i]
	d := v - fromBits(bits&^(1<<(52-tailBits)-1))
	return p[0] + float64(d*(p[1]+float64(d*(p[2]+float64(d*p[3])))))
}
