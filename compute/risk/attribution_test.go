package risk

import (
	"math"
	"math/rand/v2"
	"testing"

	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// What the book loses without each of its positions, against the plain sum of the others
// over all hours: positions that matter little and one that is nearly all, hedges, and
// histories of a few hours and of a year.
func TestWithoutEachPosition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, rows := range []int{3, 200, 1500, jointRows} {
		for _, k := range []int{3, 4, 9, 30} {
			common := make([]float64, rows)
			for i := range common {
				common[i] = r.NormFloat64() / math.Sqrt(0.3+r.Float64())
			}
			e, s := NewEngine(DefaultAges()), NewScratch(k)
			b := book{legs: make([]leg, k)}
			for i := range b.legs {
				z := make([]float64, rows)
				for h := range z {
					z[h] = 0.7*common[h] + r.NormFloat64()/math.Sqrt(0.2+r.Float64())
				}
				signed := 1000 * r.NormFloat64()
				if i == 1 {
					signed *= 20
				}
				b.legs[i] = leg{signed: signed, in: &AssetInput{Model: fit(0.01+r.Float64()/10, 7000, z...)}}
			}
			s.In.Rows = b.legs[0].in.Model
			b.var99, _ = e.jointLoss(s, b.legs)
			out := e.attribute(s, &b)
			for i := range b.legs {
				loss := make([]float64, rows)
				for j := range b.legs {
					if j != i {
						for h, z := range b.legs[j].in.Model.Z24.Values {
							loss[h] += b.legs[j].scale() * z
						}
					}
				}
				want := b.var99 - max(0, stats.Quantile(loss, jointLevel))
				if got := out.Positions[i].MarginalVaR; math.Abs(got-want) > 1e-9*(b.var99+math.Abs(want)) {
					t.Errorf("%d rows, %d positions, position %d of %v: %v, want %v", rows, k, i, b.legs[i].signed, got, want)
				}
			}
		}
	}
}

// The rows of the largest gains are those of a long position's highest outcomes and of a
// short one's lowest.
func TestBestRows(t *testing.T) {
	z := make([]float64, jointRows)
	for i := range z {
		z[i] = float64((i * 4001) % jointRows)
	}
	o := newOutcomes(fit(0.02, 100, z...), fit(0.02, 100, z...))
	for side, first := range [2]float64{mc.Long: jointRows - 1, mc.Short: 0} {
		if len(o.best[side]) != bestRows {
			t.Fatalf("side %d: %d rows", side, len(o.best[side]))
		}
		step := [2]float64{mc.Long: -1, mc.Short: 1}[side]
		for i, row := range o.best[side] {
			if want := first + step*float64(i); z[row] != want {
				t.Fatalf("side %d, row %d: outcome %v, want %v", side, i, z[row], want)
			}
		}
	}
}
