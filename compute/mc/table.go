package mc

import (
	"math"
	"slices"
	"sync"

	"ballast/compute/stats"
)

// InnovationTable writes the innovations of the hourly outcomes u (returns in forecast standard
// deviations) into dst and returns it: demeaned, variance 1 (1/n), ascending. k2 is the mean
// square of u before that, the factor that corrects the forecast variance. If all outcomes are
// equal, the table is all zeros. dst may be u.
//
// An asset with fewer than OwnTable entries draws from a Student distribution instead, and uses
// the forecast's k2.
func InnovationTable(dst, u []float64) (table []float64, k2 float64) {
	k2 = stats.MeanSquare(u)
	table = append(dst[:0], u...)
	stats.Standardise(table, table)
	slices.Sort(table)
	return table, k2
}

// MomentMatch returns c, the factor on every hourly return of a path that makes the variance of the
// 24-hour log return equal to target (a squared fraction):
//
//	c = clip(sqrt(target / sum of f_j*s_j), 0.5, 2),  s_j = k2*(b.e + b5*longRun)
//
// Here b is coefficients[:4], b5 is coefficients[4], lam is decay, f is hours, and f_j*s_j is the
// expected variance of hour j. After each hour the averages e change by e_k <- lam_k*e_k + (1-lam_k)*g*s_j. The
// result is exact: innovations have mean 0 and variance 1 given the past, so the variances add up,
// and their expected values follow this linear recursion. It returns 1 when all variances are 0.
//
// Source: Glasserman, Monte Carlo Methods in Financial Engineering, 2004, 4.5.
func MomentMatch(
	e [4]float64, longRun, k2, g, target float64, coefficients [5]float64, decay [4]float64, hours [Steps]float64,
) float64 {
	var sum float64
	for _, f := range hours {
		s := float64(coefficients[0]*e[0]) + float64(coefficients[1]*e[1])
		s += float64(coefficients[2]*e[2]) + float64(coefficients[3]*e[3])
		s = float64(k2 * (s + float64(coefficients[4]*longRun)))
		sum += float64(f * s)
		for k, lam := range decay {
			e[k] = float64(lam*e[k]) + float64((1-lam)*float64(g*s))
		}
	}
	if sum == 0 {
		return 1
	}
	return max(minMatch, min(maxMatch, math.Sqrt(target/sum)))
}

// studentBins is the number of equally likely values that represent the Student distribution.
// A simulation makes 240,000 draws and uses each value about four times.
const studentBins = 1 << 16

// studentTable returns the innovations of an asset without its own table: the signed root mean square of
// each of studentBins equally likely parts of the Student distribution. Mean and variance are exactly 0
// and 1 and the table is symmetric. It is computed once, in some tens of milliseconds.
var studentTable = sync.OnceValue(makeStudentTable)

func makeStudentTable() []float64 {
	table := make([]float64, studentBins)
	var below float64
	for i := range studentBins / 2 {
		upTo := 0.5
		if i+1 < studentBins/2 {
			upTo = studentSquares(float64(i+1) / studentBins)
		}
		u := math.Sqrt(max(0, upTo-below) * studentBins)
		table[i], table[studentBins-1-i] = -u, u
		below = upTo
	}
	return table
}

// studentSquares returns the mean of u^2 over the part of the Student distribution (scaled to
// variance 1) below its quantile at p < 0.5, times p. The result is p - x*(1 + x^2/nu)*f(x), with x
// the unscaled quantile and f the density; differentiating by x confirms it.
func studentSquares(p float64) float64 {
	x := stats.StudentQuantile(p, StudentNu)
	return p - float64(x*(1+float64(x*x)/StudentNu)*stats.StudentPDF(x, StudentNu))
}
