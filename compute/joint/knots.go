package joint

import (
	"math"

	"ballast/compute/vol"
	"ballast/marketcache"
)

// knotRule says which knots the rows give.
type knotRule struct {
	n    float64 // hours behind the rows
	own  float64 // weight of the rows
	full int     // the last knot that the rows give alone; -1: none
}

func newKnotRule(rows int) knotRule {
	n := pathStride * rows
	k := knotRule{n: float64(n), own: vol.OwnWeight(n), full: -1}
	for j := range vol.ExcursionShares {
		if k.weight(j) == 1 {
			k.full = j
		}
	}
	return k
}

// weight is the weight of the rows in knot j; the pooled knot has the rest.
func (k *knotRule) weight(j int) float64 {
	return vol.KnotWeight(marketcache.Excursion24h, int(k.n), j)
}

// knotTable gives the knots of a pool as an asset, from number first on.
type knotTable struct {
	q         *pathQuery
	k         *knotRule
	rows      int
	first     int
	nu, scale float64 // the pool's net share and standard deviation
}

// depth is a loss in standard deviations.
func (t *knotTable) depth(loss float64) float64 { return logLoss(t.nu, loss/t.q.gross) / t.scale }

// knot is knot j by itself, given the largest losses.
func (t *knotTable) knot(j int, tail []float64) float64 {
	long, short := vol.PooledExcursions[t.q.h][marketcache.Long][j], vol.PooledExcursions[t.q.h][marketcache.Short][j]
	knot := (float64((1+t.nu)/2*long) + float64((1-t.nu)/2*short)) / pathScale[t.q.h]
	if w := t.k.weight(j); w > 0 {
		low, high, g := upperPair(tail, t.rows, 1-vol.ExcursionShares[j])
		a, b := t.depth(low), t.depth(high)
		knot = float64(w*(a+float64(g*(b-a)))) + float64((1-w)*knot)
	}
	return knot
}

// upperPair returns the two order statistics of n observations between which the type-7 quantile at
// level lies, and the weight of the second. tail holds the largest of them, ascending.
func upperPair(tail []float64, n int, level float64) (low, high, weight float64) {
	at := float64(n-1) * level
	floor := math.Floor(at)
	i := len(tail) - n + int(floor)
	if i >= len(tail)-1 {
		return tail[len(tail)-1], tail[len(tail)-1], 0
	}
	return tail[i], tail[i+1], at - floor
}

// logLoss turns a loss, a fraction of the gross notional, into the log move of an asset whose net share
// is nu: 1 if all legs are long, -1 if all are short.
func logLoss(nu, g float64) float64 {
	if math.Abs(nu) < minLeft {
		return g
	}
	return -math.Log1p(-min(nu*g, 1-minLeft)) / nu
}
