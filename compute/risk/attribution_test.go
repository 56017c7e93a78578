package risk

import (
	"math"
	"math/rand/v2"
	"testing"

	"ballast/compute/joint"
	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// Removes each position of a portfolio in turn and compares the loss of the rest, in prices, with a plain
// sum over all hours: for small positions, one dominant position, hedges, and histories of a few hours and of a
// year.
func TestWithoutEachPosition(t *testing.T) {
	sequential(t)
	r := rand.New(rand.NewPCG(3, 3))
	for _, rows := range []int{3, 200, 1500, joint.Rows} {
		for _, k := range []int{3, 4, 9, 30} {
			common := make([]float64, rows)
			for i := range common {
				common[i] = r.NormFloat64() / math.Sqrt(0.3+r.Float64())
			}
			notional := make([]float64, k)
			fits := make([]*mc.AssetModel, k)
			for i := range fits {
				z := make([]float64, rows)
				for h := range z {
					z[h] = 0.7*common[h] + r.NormFloat64()/math.Sqrt(0.2+r.Float64())
				}
				notional[i] = 1000 * r.NormFloat64()
				if i == 1 {
					notional[i] *= 20
				}
				fits[i] = fit(0.01+r.Float64()/10, 7000, z...)
			}
			s, b := bookOf(fits[0], notional, fits...)
			out := s.attribute(b)
			for i := range fits {
				loss := make([]float64, rows)
				for j, f := range fits {
					if j != i {
						scale := f.Joint.Scale[tailSide(notional[j])]
						for h, z := range f.Z24.Values {
							move := math.Exp(min(math.Sqrt(f.Variance[mc.H24])*z, 10)) - 1
							loss[h] -= notional[j] * scale * min(move, 5)
						}
					}
				}
				want := b.var99 - max(0, stats.Quantile(loss, jointLevel))
				if got := out.Positions[i].MarginalVaR; math.Abs(got-want) > 1e-9*(b.var99+math.Abs(want)) {
					t.Errorf("%d rows, %d positions, position %d of %v: %v, want %v", rows, k, i, notional[i], got,
						want)
				}
			}
		}
	}
}
