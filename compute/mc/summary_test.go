package mc

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ballast/compute/stats"
)

// plainSummary computes the summary by its definitions, on a sorted copy.
func plainSummary(pnl []float64) Summary {
	sorted := slices.Clone(pnl)
	slices.Sort(sorted)
	q := func(p float64) float64 { return stats.QuantileSorted(sorted, p) }
	s := Summary{
		VaR95: max(0, -q(0.05)), VaR99: max(0, -q(0.01)),
		Median: stats.MedianSorted(sorted), Worst: sorted[0], Lower: q(0.025), Upper: q(0.975),
	}
	s.ES95 = max(s.VaR95, -stats.LowerTailMean(pnl, q(0.05)))
	s.ES99 = max(s.VaR99, -stats.LowerTailMean(pnl, q(0.01)))
	for _, v := range []struct {
		a  float64
		se *float64
	}{{0.05, &s.SE95}, {0.01, &s.SE99}} {
		f := v.a / 2 / (q(v.a*1.25) - q(v.a*0.75))
		*v.se = math.Sqrt(v.a*(1-v.a)/float64(len(pnl))) / f
	}
	return s
}

func sameSummary(a, b Summary) bool {
	if math.Abs(a.SE95-b.SE95) > 1e-12*b.SE95 || math.Abs(a.SE99-b.SE99) > 1e-12*b.SE99 {
		return false
	}
	a.SE95, a.SE99 = b.SE95, b.SE99
	return a == b
}

func TestSummariseFollowsTheDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 3, 10, 41, 199, 200, 201, 1000, 3001}).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		shape := rapid.IntRange(0, 4).Draw(t, "shape")
		r := rand.New(rand.NewPCG(seed, 1))
		pnl := make([]float64, n)
		for i := range pnl {
			switch z := r.NormFloat64(); shape {
			case 0:
				pnl[i] = z
			case 1: // liquidated paths all lose the same amount
				pnl[i] = max(-1.1, z)
			case 2: // every path gains
				pnl[i] = math.Exp(z)
			case 3: // every path has the same P&L
				pnl[i] = -7.1
			case 4: // few different values
				pnl[i] = math.Round(z)
			}
		}
		before := slices.Clone(pnl)
		got, want := Summarise(pnl, make([]float64, n+5)), plainSummary(pnl)
		if !sameSummary(got, want) {
			t.Fatalf("n %d, shape %d:\n%+v\n%+v", n, shape, got, want)
		}
		if !slices.Equal(pnl, before) {
			t.Fatal("the P&L was reordered")
		}
		if got.ES95 < got.VaR95 || got.ES99 < got.VaR99 || got.VaR95 > got.VaR99 || got.Lower < got.Worst {
			t.Fatalf("out of order: %+v", got)
		}
	})
}

func TestSummariseAtoms(t *testing.T) {
	if s := Summarise(nil, nil); s != (Summary{}) {
		t.Errorf("no paths: %+v", s)
	}
	pnl := make([]float64, 1000)
	for i := range pnl {
		pnl[i] = -7.1
		if i%5 == 0 {
			pnl[i] = float64(i)
		}
	}
	s := Summarise(pnl, make([]float64, 1000))
	if s.VaR95 != 7.1 || s.ES99 < 7.1 || s.ES99 > 7.1+1e-12 || s.SE95 != 0 || s.SE99 != 0 || s.Median != -7.1 {
		t.Errorf("mostly liquidated: %+v", s)
	}
}
