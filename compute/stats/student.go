package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

func student(nu float64) distuv.StudentsT { return distuv.StudentsT{Sigma: 1, Nu: nu} }

// StudentCDF returns the probability that a Student variable with nu > 0 degrees of freedom (variance
// nu/(nu-2), not scaled to 1) is at most x. In the lower tail the relative error is below 1e-12 for nu up
// to 400. For the upper tail call StudentCDF(-x, nu).
func StudentCDF(x, nu float64) float64 {
	if math.Abs(x) < 1 {
		return 0.5 + math.Copysign(studentCentre(x, nu), x) // distuv loses digits near 0
	}
	return student(nu).CDF(x)
}

// studentCentre returns P(0 < T < |x|) for a finite x.
func studentCentre(x, nu float64) float64 {
	return 0.5 * mathext.RegIncBeta(0.5, 0.5*nu, x*x/(nu+x*x))
}

// StudentPDF returns the density at x of a Student variable with nu > 0 degrees of
// freedom (not scaled to unit variance).
func StudentPDF(x, nu float64) float64 { return student(nu).Prob(x) }

// StudentQuantile returns the x with StudentCDF(x, nu) = p, with a relative error below 1e-12 for nu from
// 2 to 400; infinite at p = 0 and 1, NaN outside [0, 1] or for nu <= 0. It uses Newton's method, because
// near the centre the quantiles of distuv have a relative error of up to 1e-8.
func StudentQuantile(p, nu float64) float64 {
	switch {
	case !(p >= 0 && p <= 1 && nu > 0):
		return math.NaN()
	case p == 0.5:
		return 0
	case p > 0.5:
		return upperStudent(1-p, p-0.5, nu)
	}
	return -upperStudent(p, 0.5-p, nu)
}

// upperStudent returns the x > 0 with P(T > x) = tail and P(0 < T < x) = centre. The two add up to 0.5;
// both are given because the smaller one determines the accuracy.
func upperStudent(tail, centre, nu float64) float64 {
	density := student(nu)
	var x float64
	if tail < 0.2 {
		// The power law of the tail is above it, and from x^2 = 1e17*nu on equal to it.
		x = math.Exp((density.LogProb(0) + 0.5*(nu-1)*math.Log(nu) - math.Log(tail)) / nu)
		if x*x > 1e17*nu {
			return x
		}
	} else {
		x = centre / density.Prob(0)
	}
	for range 100 {
		var step float64 // of ln x
		if tail < 0.2 {
			// The log of the tail is concave in ln x: the steps approach the root from above.
			t := StudentCDF(-x, nu)
			step = math.Log(t/tail) * t / (x * density.Prob(x))
		} else {
			// Near the centre the probability itself is concave and nearly linear: from below.
			step = math.Log1p((centre - studentCentre(x, nu)) / (x * density.Prob(x)))
		}
		x *= math.Exp(step)
		// Newton's method squares the error of each step, so the remaining error is below double precision.
		if math.Abs(step) < 1e-9 {
			break
		}
	}
	return x
}

// StudentTail returns value at risk and expected shortfall at tail share p in (0, 0.5] of a Student
// return with nu > 2 degrees of freedom, scaled to variance 1: losses in standard deviations, positive.
func StudentTail(p, nu float64) (valueAtRisk, shortfall float64) {
	scale := math.Sqrt((nu - 2) / nu)
	q := StudentQuantile(p, nu)
	mean := StudentPDF(q, nu) / p * (nu + float64(q*q)) / (nu - 1)
	return -scale * q, scale * mean
}
