package stats

import (
	"math"
	"slices"
)

// EigenFloor is the smallest eigenvalue allowed in a correlation matrix (docs/model.md).
const EigenFloor = 1e-8

// Standardise writes x to dst, shifted to mean 0 and scaled to standard deviation 1 (divisor n). A constant
// x becomes all zero. dst must be as long as x and may be x.
func Standardise(dst, x []float64) {
	dst = dst[:len(x)]
	m := Mean(x)
	for i, v := range x {
		dst[i] = v - m
	}
	v := MeanSquare(dst)
	if v == 0 {
		return
	}
	sd := math.Sqrt(v)
	for i := range dst {
		dst[i] /= sd
	}
}

// Pearson returns the sample correlation of x and y in [-1, 1]; 0 when either
// is constant or empty. It panics when the lengths differ.
func Pearson(x, y []float64) float64 {
	if len(x) != len(y) {
		panic("BUG: stats.Pearson of unequal lengths")
	}
	mx, my := Mean(x), Mean(y)
	var xx, yy, xy [4]float64
	for i, v := range x {
		a, b := v-mx, y[i]-my
		xx[i&3] += float64(a * a)
		yy[i&3] += float64(b * b)
		xy[i&3] += float64(a * b)
	}
	d := math.Sqrt(lanes(xx)) * math.Sqrt(lanes(yy))
	if d == 0 {
		return 0
	}
	return max(-1, min(1, lanes(xy)/d))
}

func lanes(s [4]float64) float64 { return (s[0] + s[1]) + (s[2] + s[3]) }

// LedoitWolf writes the shrunk covariance of k series into dst and returns the shrinkage intensity s in
// [0, 1]:
//
//	dst = (1-s)*S + s*mu*I,  S the sample covariance (divisor n), mu = trace(S)/k
//
// series holds k slices of n values each, with mean 0; dst is [k*k] row-major and symmetric. All-zero
// series give a zero matrix and intensity 0. It panics if the lengths of the series differ.
//
// Source: Ledoit and Wolf, J. Multivariate Analysis 2004; the same formula as scikit-learn's ledoit_wolf.
func LedoitWolf(dst []float64, series [][]float64) (shrinkage float64) {
	k := len(series)
	dst = dst[:k*k]
	if k == 0 || len(series[0]) == 0 {
		clear(dst)
		return 0
	}
	n := float64(len(series[0]))
	for i := range k {
		for j := 0; j <= i; j++ {
			c := Dot(series[i], series[j]) / n
			dst[i*k+j], dst[j*k+i] = c, c
		}
	}
	return Shrink(dst, k, n, fourthMoment(series))
}

// Shrink is LedoitWolf for a known sample covariance s, [k*k] row-major and symmetric, of n rows, which
// it shrinks in place. fourth is the sum over rows of |row|^4, or equally the sum over all pairs i, j of
// sum(x_i^2*x_j^2).
func Shrink(s []float64, k int, n, fourth float64) (shrinkage float64) {
	p := float64(k)
	var trace, frobenius float64 // trace of s; sum of its squared entries
	for i := range k {
		for j := 0; j <= i; j++ {
			c := s[i*k+j]
			if i == j {
				trace += c
				frobenius += float64(c * c)
			} else {
				frobenius += float64(2 * c * c)
			}
		}
	}
	mu := trace / p

	beta := (fourth/n - frobenius) / (p * n)
	delta := (frobenius - float64(2*mu*trace) + float64(p*mu*mu)) / p
	beta = min(beta, delta)
	if beta <= 0 || delta <= 0 {
		return 0
	}
	shrinkage = beta / delta
	for i := range s[:k*k] {
		s[i] *= 1 - shrinkage
	}
	for i := range k {
		s[i*k+i] += float64(shrinkage * mu)
	}
	return shrinkage
}

// fourthMoment returns the sum of |row|^4 over all rows; element t of every series forms row t.
func fourthMoment(series [][]float64) float64 {
	var s [4]float64
	for t := range series[0] {
		var row float64
		for _, x := range series {
			row += float64(x[t] * x[t])
		}
		s[t&3] += float64(row * row)
	}
	return lanes(s)
}

// UnitDiagonal rescales the covariance c, [k*k] row-major, to a correlation matrix in place. A variable
// without variance becomes uncorrelated with all others.
func UnitDiagonal(c []float64, k int) {
	for i := range k {
		d := c[i*k+i]
		scale := 0.0
		if d > 0 {
			scale = 1 / math.Sqrt(d)
		}
		for j := range k {
			c[i*k+j] *= scale
			c[j*k+i] *= scale
		}
		c[i*k+i] = 1
	}
}

// RepairCorrelation makes the correlation matrix c, [k*k] row-major, positive definite in place and
// reports whether that was necessary. If the smallest eigenvalue is below EigenFloor, eigenvalues are
// raised to it and the diagonal is rescaled to 1 (docs/model.md). work is scratch of at least k*k. A
// matrix that needs no repair is unchanged, without allocation.
func RepairCorrelation(c []float64, k int, work []float64) bool {
	if eigenvaluesAbove(EigenFloor, c, k, work[:k*k]) {
		return false
	}
	q, values, scratch := work[:k*k], make([]float64, k), make([]float64, k)
	copy(q, c)
	symmetricEigen(q, k, values, scratch)
	if slices.Min(values) >= EigenFloor {
		return false // the Cholesky test and the eigenvalues differ by rounding
	}
	for i := range k {
		for j := 0; j <= i; j++ {
			var s float64
			for m, v := range values {
				s += float64(max(v, EigenFloor) * float64(q[i*k+m]*q[j*k+m]))
			}
			c[i*k+j], c[j*k+i] = s, s
		}
	}
	UnitDiagonal(c, k)
	return true
}

// eigenvaluesAbove reports whether all eigenvalues of the symmetric c exceed floor. They do if and only if
// c - floor*I has a Cholesky factor. l is scratch, [k*k].
func eigenvaluesAbove(floor float64, c []float64, k int, l []float64) bool {
	for i := range k {
		for j := 0; j <= i; j++ {
			s := c[i*k+j]
			if i == j {
				s -= floor
			}
			for m := range j {
				s -= float64(l[i*k+m] * l[j*k+m])
			}
			if i != j {
				l[i*k+j] = s / l[j*k+j]
				continue
			}
			if !(s > 0) {
				return false
			}
			l[i*k+i] = math.Sqrt(s)
		}
	}
	return true
}
