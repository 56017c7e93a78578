package stats

import "math"

// NormalCDF returns the probability that a standard normal variable is at most x, with full relative
// accuracy in the lower tail. For the upper tail call NormalCDF(-x).
func NormalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// NormalPDF returns the density of the standard normal distribution at x.
func NormalPDF(x float64) float64 {
	return math.Exp(-0.5*x*x) * (0.5 * math.Sqrt2 / math.SqrtPi)
}

// NormalQuantile returns the x with NormalCDF(x) = p, to about 16 digits; infinite
// at p = 0 and 1, NaN outside [0, 1].
//
// Source: Wichura, Algorithm AS 241 (PPND16), Applied Statistics 1988.
func NormalQuantile(p float64) float64 {
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		r := 0.180625 - float64(q*q)
		return q * rational(r, &centreNumerator, &centreDenominator)
	}
	tail := p
	if q > 0 {
		tail = 1 - p
	}
	switch {
	case tail == 0:
		return math.Copysign(math.Inf(1), q)
	case !(tail > 0):
		return math.NaN()
	}
	r := math.Sqrt(-math.Log(tail))
	if r <= 5 {
		r = rational(r-1.6, &middleNumerator, &middleDenominator)
	} else {
		r = rational(r-5, &farNumerator, &farDenominator)
	}
	return math.Copysign(r, q)
}

// The coefficients of AS 241, constant term first.
var (
	centreNumerator = [8]float64{
		3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
		4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3,
	}
	centreDenominator = [8]float64{
		1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
		2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3,
	}
	middleNumerator = [8]float64{
		1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
		1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4,
	}
	middleDenominator = [8]float64{
		1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
		1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9,
	}
	farNumerator = [8]float64{
		6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
		2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
	}
	farDenominator = [8]float64{
		1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
		7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15,
	}
)

// rational returns the quotient of two polynomials in x.
func rational(x float64, numerator, denominator *[8]float64) float64 {
	n, d := numerator[7], denominator[7]
	for i := 6; i >= 0; i-- {
		n = float64(n*x) + numerator[i]
		d = float64(d*x) + denominator[i]
	}
	return n / d
}

// NormalTail returns value at risk and expected shortfall of a standard normal return at tail share p in
// (0, 0.5]: losses in standard deviations, positive.
func NormalTail(p float64) (valueAtRisk, shortfall float64) {
	q := NormalQuantile(p)
	return -q, NormalPDF(q) / p
}
