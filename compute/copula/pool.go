package copula

import (
	"cmp"
	"math"
	"slices"

	"ballast/compute/stats"
)

// Lambda returns the tail dependence of a Student copula, in [0, 1]: the limit, as p goes to 0, of the
// probability that one asset is in its p-tail given that the other asset is. rho in [-1, 1], nu > 0.
func Lambda(rho, nu float64) float64 {
	return 2 * stats.StudentCDF(-math.Sqrt((nu+1)*(1-rho)/(1+rho)), nu+1)
}

// PooledNu returns the degrees of freedom for a book that holds all the pairs: the weighted median
// of their nu, each with weight max(LogLik, 0), or 4 when all weights are zero. The order of pairs
// is not changed. Nothing is allocated for up to 128 pairs.
func PooledNu(pairs []Pair) float64 {
	var small [128]Pair
	sorted := append(small[:0], pairs...)
	slices.SortFunc(sorted, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(a.Nu, b.Nu), cmp.Compare(a.LogLik, b.LogLik))
	})
	total := 0.0
	for _, p := range sorted {
		total += max(p.LogLik, 0)
	}
	if total == 0 {
		return DefaultNu
	}
	sum := 0.0
	for _, p := range sorted {
		if sum += max(p.LogLik, 0); sum >= 0.5*total {
			return p.Nu
		}
	}
	panic("BUG: half of a positive total is never reached")
}
