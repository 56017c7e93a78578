package stats

import (
	"math"
)

// NormalCDF returns the probability that a standard normal variable is at most x, with full relative
// accuracy in the lower tail. For the upper tail call NormalCDF(-x).
func NormalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// NormalPDF returns the density of the standard normal distribution at x.
func NormalPDF(x float64) float64 {
	return math.Exp(-0.5*x*x) * (0.5 * math.Sqrt2 / math.SqrtPi)
}
