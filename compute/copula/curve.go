package copula

import (
	"math"
	"sync"

	"ballast/compute/stats"
)

// nodes is the number of values of nu at which likelihoods are evaluated. As a function of ln nu
// the likelihood is analytic up to a distance of about pi from the real axis, so the interpolation
// error falls about threefold with each node; with 24 nodes it is close to rounding error.
const nodes = 24

// nodeAt returns the position of node k in [-1, 1]: Chebyshev points of the second kind, ascending,
// including both ends.
func nodeAt(k int) float64 { return -math.Cos(math.Pi * float64(k) / (nodes - 1)) }

// nuAt returns the degrees of freedom at position s in [-1, 1]; ln nu is linear in s.
func nuAt(s float64) float64 {
	switch s {
	case -1:
		return MinNu
	case 1:
		return MaxNu
	}
	low, high := math.Log(MinNu), math.Log(MaxNu)
	return math.Exp(0.5 * ((high + low) + float64((high-low)*s)))
}

// A curve is the lower half of a Student quantile function divided by sqrt(nu), as a function of
// the depth t = ln((1-p)/p) of a probability p up to 0.5. It consists of polynomials of degree 5
// that match value, slope and curvature at the knots. As a function of depth the quantile is
// smooth: odd at 0, and exponential for large depth.
type curve struct {
	nu     float64
	pieces [curveKnots - 1][6]float64
}

const (
	knotsPerUnit = 32
	curveKnots   = 14*knotsPerUnit + 1 // up to p = 1e-6; quantiles of smaller p are computed directly
)

// curves returns the curves of all nodes, computed once per process from about 10,000 quantiles.
var curves = sync.OnceValue(func() *[nodes]curve {
	all := new([nodes]curve)
	for k := range all {
		all[k].build(nuAt(nodeAt(k)))
	}
	return all
})

func (c *curve) build(nu float64) {
	c.nu = nu
	const h = 1.0 / knotsPerUnit
	var x, slope, bend [curveKnots]float64 // values and derivatives by t, times h and h^2
	for j := range curveKnots {
		p := atDepth(h * float64(j))
		q := stats.StudentQuantile(p, nu)
		// dp/dt = -p*(1-p), d(ln density)/dx = -(nu+1)*x/(nu+x^2)
		d := -p * (1 - p) / stats.StudentPDF(q, nu)
		dd := d*d*(nu+1)*q/(nu+q*q) - (1-2*p)*d
		x[j], slope[j], bend[j] = q/math.Sqrt(nu), h*d/math.Sqrt(nu), h*h*dd/math.Sqrt(nu)
	}
	for j := range c.pieces {
		rise := x[j+1] - x[j]
		d0, d1, s0, s1 := slope[j], slope[j+1], bend[j], bend[j+1]
		c.pieces[j] = [6]float64{
			x[j], d0, 0.5 * s0,
			10*rise - 6*d0 - 4*d1 - 0.5*(3*s0-s1),
			-15*rise + 8*d0 + 7*d1 + 0.5*(3*s0-2*s1),
			6*rise - 3*(d0+d1) - 0.5*(s0-s1),
		}
	}
}

// atDepth returns the probability at a depth.
func atDepth(t float64) float64 { return 1 / (1 + math.Exp(t)) }

// at returns the quantile at depth t >= 0, divided by sqrt(nu).
func (c *curve) at(t float64) float64 {
	u := t * knotsPerUnit
	j := int(u)
	if j >= len(c.pieces) {
		return stats.StudentQuantile(atDepth(t), c.nu) / math.Sqrt(c.nu)
	}
	u -= float64(j)
	p := &c.pieces[j]
	v := float64(p[5]*u) + p[4]
	v = float64(v*u) + p[3]
	v = float64(v*u) + p[2]
	v = float64(v*u) + p[1]
	return float64(v*u) + p[0]
}

// A table holds, for series of n points, what the likelihood needs for each possible rank at each
// node: the quantile and the margin.
type table struct {
	n int
	// quantile[g][c] holds the Student quantiles of the pseudo-observation rank/(n+1), divided by
	// sqrt(nu), for the rank in cell c and the four nodes from 4*g on.
	quantile [nodes / 4][]four
	// margin[k][c] is ln(1+quantile^2) at node k; untied[k] is its sum over the n ranks of a series without ties.
	margin [nodes][]float64
	untied [nodes]float64

	depth []float64 // working memory of fill
}

// four is a value at four neighbouring nodes. The likelihood computes them together: they are
// adjacent in memory, and their sums do not depend on each other.
type four [4]float64

// fill computes the table for n points and reuses its memory.
func (t *table) fill(n int) {
	t.n = n
	// The lower half of the ranks; the upper half follows by symmetry.
	t.depth = stats.AtLeast(t.depth, n)
	for doubled := 2; doubled <= n; doubled++ {
		t.depth[doubled-2] = math.Log(float64(2*(n+1)-doubled) / float64(doubled))
	}
	middle := cell(int32(n+1), n)
	for k := range nodes {
		c := &curves()[k]
		t.quantile[k/4] = stats.AtLeast(t.quantile[k/4], 2*n-1)
		t.margin[k] = stats.AtLeast(t.margin[k], 2*n-1)
		q, m := t.quantile[k/4], t.margin[k]
		for doubled := 2; doubled <= n; doubled++ {
			low, high := cell(int32(doubled), n), cell(int32(2*(n+1)-doubled), n)
			x := c.at(t.depth[doubled-2])
			// Log1p is not needed: this is a term of a sum, so only its absolute error matters
			l := math.Log(1 + float64(x*x))
			q[low][k%4], q[high][k%4] = x, -x
			m[low], m[high] = l, l
		}
		q[middle][k%4], m[middle] = 0, 0
		t.untied[k] = stats.Sum(m[:n])
	}
}

// margins returns the sum of the margins of a series at node k.
func (t *table) margins(s *Series, k int) float64 {
	m := t.margin[k]
	sum := t.untied[k]
	for _, g := range s.ties {
		sum += float64(float64(g.high-g.low)*m[g.cell]) - stats.Sum(m[g.low:g.high])
	}
	return sum
}
