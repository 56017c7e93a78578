package mc

import (
	"math"

	"ballast/asm"
	"ballast/compute/stats"
)

// minMixingNu is the smallest number of degrees of freedom of the simulated copula; a smaller
// Portfolio.Nu counts as 2. Below 2 the variance of a Student variable is not finite.
const minMixingNu = 2

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

// roots writes the mixing variables of the pairs from number first on. x and u are scratch as long as root.
func (m *mixer) roots(root, x, u []float64, first uint32) {
	m.random.Attempts(x, u, 0, first)
	for b := range root {
		if v, ok := m.accept(x[b], u[b]); ok {
			root[b] = m.of(v)
		} else {
			root[b] = m.retry(first+uint32(b), 1)
		}
	}
}

// retry returns sqrt(nu/chi2) of a pair, chi2 with nu degrees of freedom, by rejection, starting with the
// given attempt. Each attempt has its own block: words 0 and 1 give a normal, words 2 and 3 the uniform
// number for acceptance.
//
// Source: Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 2000.
func (m *mixer) retry(pair, attempt uint32) float64 {
	for ; ; attempt++ {
		w0, w1, w2, w3 := m.random.Block(attempt, pair)
		x, _ := asm.Normals(w0, w1)
		if v, ok := m.accept(x, asm.Uniform(w2, w3)); ok {
			return m.of(v)
		}
	}
}

// accept returns the gamma variable of an attempt, divided by its scale, and whether it is accepted.
func (m *mixer) accept(x, u float64) (v float64, ok bool) {
	v = 1 + float64(m.c*x)
	if v <= 0 {
		return 0, false
	}
	v = float64(v * float64(v*v))
	square := float64(x * x)
	return v, u < 1-float64(0.0331*float64(square*square)) ||
		u > 0 && asm.Log(u) < float64(0.5*square)+float64(m.d*((1-v)+asm.Log(v)))
}

// of converts a gamma variable to the mixing variable, sqrt(nu/chi2).
func (m *mixer) of(v float64) float64 { return math.Sqrt(m.nu / float64(2*float64(m.d*v))) }

// tailCurve tabulates the tail probability of a Student distribution: a cubic per cell matches value
// and slope at both ends of the cell. Its absolute error is below 1e-7 for nu >= 2.
type tailCurve struct {
	nu float64
	asm.TailCurve
}

// prepare fills the table, unless it already holds nu.
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

// fill computes the cubics from a tail P(T > t) and its density.
func (c *tailCurve) fill(tail, density func(t float64) float64) {
	value, slope := 0.5, -density(0)
	for i := range c.Cell {
		from, to := asm.TailKnot(i), asm.TailKnot(i+1)
		h := to - from
		endValue, endSlope := tail(to-1), -density(to-1)
		rise := (endValue - value) / h
		c.Cell[i] = [4]float64{
			value, slope,
			(float64(3*rise) - float64(2*slope) - endSlope) / h,
			(slope + endSlope - float64(2*rise)) / float64(h*h),
		}
		value, slope = endValue, endSlope
	}
	c.Last = value
}
