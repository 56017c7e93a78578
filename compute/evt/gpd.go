package evt

import (
	"errors"
	"math"

	"ballast/compute/stats"
)

// ErrNoFit means that a sample has no usable generalised Pareto fit: it has too few values, only
// equal values, or values that are not positive and finite.
var ErrNoFit = errors.New("evt: no generalised Pareto fit")

// GPD is a generalised Pareto distribution of exceedances x >= 0. An exceedance is larger than x
// with probability (1+Xi*x/Beta)^(-1/Xi), or exp(-x/Beta) at Xi = 0.
type GPD struct {
	Xi   float64 // shape, dimensionless
	Beta float64 // scale > 0, in the unit of the sample
}

// FitMLE fits by maximum likelihood with xi in [-0.5, 0.9], converged to about 1e-12, so that the
// result depends on the sample only. The only error is ErrNoFit. It allocates nothing.
func FitMLE(excess []float64) (GPD, error) {
	if len(excess) < minExcesses {
		return GPD{}, ErrNoFit
	}
	smallest, largest := math.Inf(1), 0.0
	for _, x := range excess {
		if !(x > 0) { // true for NaN as well
			return GPD{}, ErrNoFit
		}
		smallest, largest = min(smallest, x), max(largest, x)
	}
	mean := stats.Mean(excess)
	if smallest == largest || !(mean > 0) || math.IsInf(mean, 1) {
		return GPD{}, ErrNoFit
	}
	g, ok := newton(excess, mean, largest)
	if !ok {
		g = profile(excess, mean, largest)
	}
	if !(g.Beta > 0) || math.IsInf(g.Beta, 1) || math.IsNaN(g.Xi) {
		return GPD{}, ErrNoFit
	}
	return g, nil
}

// sums holds the mean negative log likelihood per value, and its derivatives by xi and by b = ln
// beta.
type sums struct {
	nll           float64
	byXi, byB     float64
	xiXi, xiB, bB float64
}

const (
	smallXi = 0.01 // for |xi| below this, terms in 1/xi^2 make the derivatives by xi lose digits
	smallW  = 0.1  // in that case, values with |w| below this use a power series instead
)

// slopes returns the derivatives at (xi, b). It reports false where the likelihood is zero.
//
// With x in units of beta, w = xi*x, r = 1/(1+w) and a = ln(1+w)/xi, a value adds b + (1+xi)*a to the nll.
func slopes(excess []float64, xi, b float64) (s sums, ok bool) {
	scale := math.Exp(-b)
	series := math.Abs(xi) < smallXi
	// Sums of a, its two derivatives by xi, x*r, x*r^2 and (x*r)^2.
	var sa, sa1, sa2, sxr, sxrr, sxxrr [4]float64
	for i, x := range excess {
		x *= scale
		w := float64(xi * x)
		if !(w > -1) {
			return sums{}, false
		}
		r := 1 / (1 + w)
		xr := float64(x * r)
		square := float64(xr * xr)
		lane := i & 3
		sxr[lane] += xr
		sxrr[lane] += float64(xr * r)
		sxxrr[lane] += square
		if series && math.Abs(w) < smallW {
			a, a1, a2 := logSeries(w)
			sa[lane] += float64(x * a)
			sa1[lane] += float64(x * float64(x*a1))
			sa2[lane] += float64(x * float64(x*float64(x*a2)))
			continue
		}
		a := math.Log1p(w) / xi
		a1 := (xr - a) / xi
		sa[lane] += a
		sa1[lane] += a1
		sa2[lane] -= (square + 2*a1) / xi
	}
	n := float64(len(excess))
	mean := func(v *[4]float64) float64 { return ((v[0] + v[1]) + (v[2] + v[3])) / n }
	a, a1, a2, xr, xrr, xxrr := mean(&sa), mean(&sa1), mean(&sa2), mean(&sxr), mean(&sxrr), mean(&sxxrr)
	up := 1 + xi
	return sums{
		nll:  b + float64(up*a),
		byXi: a + float64(up*a1),
		byB:  1 - float64(up*xr),
		xiXi: 2*a1 + float64(up*a2),
		xiB:  float64(up*xxrr) - xr,
		bB:   float64(up * xrr),
	}, true
}

// seriesTerms gives full precision for |w| < smallW.
const seriesTerms = 17

// logSeries returns ln(1+w)/w and its first two derivatives by w, for small w.
func logSeries(w float64) (a, a1, a2 float64) {
	for k := seriesTerms - 1; k >= 0; k-- {
		a2 = float64(a2*w) + 2*a1
		a1 = float64(a1*w) + a
		a = float64(a*w) + alternating[k]
	}
	return a, a1, a2
}

// alternating holds the coefficients (-1)^k/(k+1).
var alternating = func() (c [seriesTerms]float64) {
	sign := 1.0
	for k := range c {
		c[k] = sign / float64(k+1)
		sign = -sign
	}
	return c
}()

// newton searches the minimum inside the bounds, starting from the moments of the sample. It finds
// the minimum of nearly every sample. It reports false when it leaves the bounds of xi, meets a
// saddle point, or does not converge.
func newton(excess []float64, mean, largest float64) (GPD, bool) {
	variance := stats.MeanSquare(excess) - float64(mean*mean)
	xi := max(-0.3, min(0.6, 0.5*(1-float64(mean*mean)/variance)))
	b := math.Log(max(mean*(1-xi), -1.1*xi*largest))
	s, ok := slopes(excess, xi, b)
	for range 40 {
		det := float64(s.xiXi*s.bB) - float64(s.xiB*s.xiB)
		if !ok || !(det > 0 && s.xiXi > 0) {
			return GPD{}, false
		}
		stepXi := (float64(s.xiB*s.byB) - float64(s.bB*s.byXi)) / det
		stepB := (float64(s.xiB*s.byXi) - float64(s.xiXi*s.byB)) / det
		size := max(math.Abs(stepXi), math.Abs(stepB))
		if size < 1e-7 {
			// Newton's method converges quadratically: the error after this step is about the
			// square of the previous error.
			xi, b = xi+stepXi, b+stepB
			if xi < minXi || xi > maxXi {
				return GPD{}, false
			}
			return GPD{Xi: xi, Beta: math.Exp(b)}, true
		}
		// Halve the step until the likelihood improves.
		before := s.nll
		for share := 1.0; ; share *= 0.5 {
			if share < 1e-3 {
				return GPD{}, false
			}
			nextXi, nextB := xi+float64(share*stepXi), b+float64(share*stepB)
			if s, ok = slopes(excess, nextXi, nextB); ok && s.nll <= before+1e-12 {
				xi, b = nextXi, nextB
				break
			}
		}
		if xi < minXi || xi > maxXi {
			return GPD{}, false
		}
	}
	return GPD{}, false
}

// profile searches the whole range of xi, with the best beta for each xi, which is unique for xi
// above -1. A grid finds the interval with the lowest value, and bisection of the derivative finds
// the minimum in it, which may be an end of the range.
func profile(excess []float64, mean, largest float64) GPD {
	const cells = 28 // of width 0.05
	at := func(i int) float64 {
		return minXi + (maxXi-minXi)*float64(i)/cells
	}
	b := math.Log(mean)
	best, lowest := 0, math.Inf(1)
	for i := range cells + 1 {
		var s sums
		if b, s = bestScale(excess, at(i), b, largest); s.nll < lowest {
			best, lowest = i, s.nll
		}
	}
	low, high := at(max(0, best-1)), at(min(cells, best+1))
	slope := func(xi float64) float64 {
		var s sums
		b, s = bestScale(excess, xi, b, largest)
		return s.byXi // at the best scale the derivative by b is 0
	}
	var xi float64
	switch {
	case best == 0 && slope(low) >= 0:
		xi = low
	case best == cells && slope(high) <= 0:
		xi = high
	default:
		for range 60 {
			xi = 0.5 * (low + high)
			if xi == low || xi == high {
				break
			}
			if slope(xi) < 0 {
				low = xi
			} else {
				high = xi
			}
		}
	}
	b, _ = bestScale(excess, xi, b, largest)
	return GPD{Xi: xi, Beta: math.Exp(b)}
}

// bestScale returns the ln beta that minimises the negative log likelihood for a given xi, and the
// derivatives there. It uses Newton's method from b, kept within a bracket.
func bestScale(excess []float64, xi, b, largest float64) (float64, sums) {
	low, high := math.Inf(-1), math.Inf(1)
	if xi < 0 {
		low = math.Log(-xi * largest)
		b = max(b, low+0.1)
	}
	var s sums
	for range 200 {
		var ok bool
		s, ok = slopes(excess, xi, b)
		switch {
		case !ok || s.byB < 0:
			low = b
		default:
			high = b
		}
		next := b - max(-1, min(1, s.byB/s.bB))
		if !ok || !(next > low && next < high) {
			next = 0.5 * (max(low, b-2) + min(high, b+2))
		}
		step := math.Abs(next - b)
		b = next
		if step < 1e-14*max(1, math.Abs(b)) {
			break
		}
	}
	s, _ = slopes(excess, xi, b)
	return b, s
}
