package stats

import "math"

// StudentCDF returns the probability that a Student variable with nu > 0 degrees of freedom (variance
// nu/(nu-2), not scaled to 1) is at most x. The relative error is below 1e-10 in the lower tail for nu
// up to 1e6. For the upper tail call StudentCDF(-x, nu).
func StudentCDF(x, nu float64) float64 {
	switch {
	case math.IsInf(nu, 1):
		return NormalCDF(x)
	case x < 0:
		return studentTail(-x, nu)
	case x == 0:
		return 0.5
	}
	return 1 - studentTail(x, nu) // also for NaN
}

// studentTail returns P(T > x) for x >= 0: half the regularised incomplete beta
// function I_w(nu/2, 1/2) at w = nu/(nu+x^2), whose prefactor is x times the density.
func studentTail(x, nu float64) float64 {
	square := x * x
	if nearCentre(square, nu) {
		return 0.5 - studentCentre(x, nu)
	}
	if square > powerLawFrom*nu {
		return math.Exp(logStudentPower(nu) - nu*math.Log(x))
	}
	return x * StudentPDF(x, nu) / nu * betaFraction(0.5*nu, 0.5, nu/(nu+square))
}

// studentCentre returns P(0 < T < x) for x >= 0: half of I_{1-w}(1/2, nu/2), with w as in studentTail.
func studentCentre(x, nu float64) float64 {
	square := x * x
	if !nearCentre(square, nu) {
		return 0.5 - studentTail(x, nu)
	}
	return x * StudentPDF(x, nu) * betaFraction(0.5, 0.5*nu, square/(nu+square))
}

// nearCentre reports whether the continued fraction of P(0 < T < x) converges faster than that of P(T > x).
// The other of the two is then 0.5 minus the first, and for nu >= 1 it is at least 0.04.
func nearCentre(square, nu float64) bool {
	return square*(nu+2) < 3*nu
}

// betaFraction returns the continued fraction of the incomplete beta function,
//
//	I_x(a, b) = x^a (1-x)^b / (a B(a, b)) * betaFraction(a, b, x)
//
// for x below (a+1)/(a+b+2), by the modified Lentz method (Press et al., Numerical Recipes, 6.4).
func betaFraction(a, b, x float64) float64 {
	const tiny = 1e-300
	away := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/away(1-(a+b)*x/(a+1))
	h := d
	for m := 1.0; m < 10_000; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d = 1 / away(1+even*d)
		c = away(1 + even/c)
		h *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / away(1+odd*d)
		c = away(1 + odd/c)
		h *= d * c
		if math.Abs(d*c-1) < 1e-15 {
			break
		}
	}
	return h
}

// logStudentFactor returns ln of Gamma((nu+1)/2)/(sqrt(pi)*Gamma(nu/2)), which is
// the density at 0 times sqrt(nu).
func logStudentFactor(nu float64) float64 {
	half := 0.5 * nu
	if half > 40 {
		// The difference of two large logs loses digits; the ratio has a series in
		// 1/half (Tricomi and Erdelyi 1951).
		i := 1 / half
		s := 1 + i*(-1.0/8+i*(1.0/128+i*(5.0/1024+i*(-21.0/32768+i*(-399.0/262144+i*(869.0/4194304))))))
		return 0.5*math.Log(half/math.Pi) + math.Log(s)
	}
	a, _ := math.Lgamma(half + 0.5)
	b, _ := math.Lgamma(half)
	return a - b - 0.5*math.Log(math.Pi)
}

// powerLawFrom is the value of x^2/nu from which the tail equals its power law to full precision. The
// density may underflow long before the tail does.
const powerLawFrom = 1e17

// logStudentPower returns ln C of the power law of the tail: P(T > x) is C*x^-nu with a relative error
// of order nu/x^2.
func logStudentPower(nu float64) float64 {
	return logStudentFactor(nu) + (0.5*nu-1)*math.Log(nu)
}

// StudentPDF returns the density at x of a Student variable with nu > 0 degrees of
// freedom (not scaled to unit variance).
func StudentPDF(x, nu float64) float64 {
	if math.IsInf(nu, 1) {
		return NormalPDF(x)
	}
	square := x * x
	if math.IsInf(square, 1) {
		return math.Exp(logStudentFactor(nu) + 0.5*nu*math.Log(nu) - (nu+1)*math.Log(math.Abs(x)))
	}
	return math.Exp(logStudentFactor(nu)-0.5*(nu+1)*math.Log1p(square/nu)) / math.Sqrt(nu)
}

// StudentQuantile returns the x with StudentCDF(x, nu) = p, with a relative error below 1e-10; infinite
// at p = 0 and 1, NaN outside [0, 1] or for nu <= 0. It uses Newton's method on the distribution
// function, starting at Hill's approximation (Communications of the ACM, Algorithm 396, 1970).
func StudentQuantile(p, nu float64) float64 {
	switch {
	case !(p >= 0 && p <= 1 && nu > 0):
		return math.NaN()
	case p == 0.5:
		return 0
	case math.IsInf(nu, 1):
		return NormalQuantile(p)
	case p > 0.5:
		return upperStudent(1-p, p-0.5, nu)
	}
	return -upperStudent(p, 0.5-p, nu)
}

// upperStudent returns the x > 0 with P(T > x) = tail and P(0 < T < x) = centre. The two add up to 0.5;
// both are given because the smaller one determines the accuracy.
func upperStudent(tail, centre, nu float64) float64 {
	if tail == 0 {
		return math.Inf(1)
	}
	x := math.Exp((logStudentPower(nu) - math.Log(tail)) / nu)
	if x*x > powerLawFrom*nu {
		return x
	}
	if nu >= 1 {
		x = hill(2*tail, nu)
	}
	for range 100 {
		var factor float64
		if tail < 0.2 {
			// The log of the tail is concave in ln x. Newton's method from an x that is too large
			// approaches the root; from an x that is too small, one step leads to an x that is too
			// large.
			t := studentTail(x, nu)
			step := (math.Log(t) - math.Log(tail)) * t / (x * StudentPDF(x, nu))
			factor = math.Exp(max(-50, min(50, step)))
		} else {
			// Near the centre the probability itself is concave and nearly linear.
			step := (centre - studentCentre(x, nu)) / (x * StudentPDF(x, nu))
			factor = 1 + max(-0.5, step)
		}
		x *= factor
		// Newton's method squares the error of each step, so the remaining error is below double precision.
		if math.Abs(factor-1) < 1e-9 {
			break
		}
	}
	return x
}

// hill returns Hill's approximation to the x > 0 with P(|T| > x) = p, for p in (0, 1) and nu >= 1. For
// nu < 1 the result may be arbitrary.
func hill(p, nu float64) float64 {
	a := 1 / (nu - 0.5)
	b := 48 / (a * a)
	c := ((20700*a/b-98)*a-16)*a + 96.36
	d := ((94.5/(b+c)-3)/b + 1) * math.Sqrt(a*math.Pi/2) * nu
	y := math.Pow(d*p, 2/nu)
	if y > 0.05+a {
		x := NormalQuantile(0.5 * p)
		y = x * x
		if nu < 5 {
			c += 0.3 * (nu - 4.5) * (x + 0.6)
		}
		c = (((0.05*d*x-5)*x-7)*x-2)*x + b + c
		y = (((((0.4*y+6.3)*y+36)*y+94.5)/c-y-3)/b + 1) * x
		y = math.Expm1(a * y * y)
	} else {
		y = ((1/(((nu+6)/(nu*y)-0.089*d-0.822)*(nu+2)*3)+0.5/(nu+4))*y-1)*(nu+1)/(nu+2) + 1/y
	}
	return math.Sqrt(nu * y)
}

// StudentTail returns value at risk and expected shortfall at tail share p in (0, 0.5] of a Student
// return with nu > 2 degrees of freedom, scaled to variance 1: losses in standard deviations, positive.
func StudentTail(p, nu float64) (valueAtRisk, shortfall float64) {
	if math.IsInf(nu, 1) {
		return NormalTail(p)
	}
	scale := math.Sqrt((nu - 2) / nu)
	q := StudentQuantile(p, nu)
	mean := StudentPDF(q, nu) / p * (nu + float64(q*q)) / (nu - 1)
	return -scale * q, scale * mean
}
