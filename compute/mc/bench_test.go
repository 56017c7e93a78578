package mc

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ballast/compute/stats"
)

// testOutcomes returns n outcomes with tails like an asset's. The same n and seed give the same
// slice.
func testOutcomes(n int, seed uint64) []float64 {
	key := [2]uint64{uint64(n), seed}
	if made[key] == nil {
		made[key] = makeOutcomes(n, seed)
	}
	return slices.Clone(made[key])
}

// made caches outcomes by n and seed. Tests do not run in parallel, so it has no lock.
var made = map[[2]uint64][]float64{}

func makeOutcomes(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 17))
	z := make([]float64, n)
	for i := range z {
		z[i] = stats.StudentQuantile((float64(r.Uint32())+0.5)/(1<<32), 4) * 0.75
	}
	return z
}

// testPath returns a long position in an asset with about 70 % volatility per year, and a table of
// n outcomes.
func testPath(n int) *Path {
	p := &Path{
		E: [4]float64{9e-5, 7e-5, 6e-5, 5e-5}, LongRun: 6e-5,
		Coefficients: [5]float64{0.65, 0, 0.06, 0.08, 0.06},
		Decay:        [4]float64{6.0 / 7, 24.0 / 25, 120.0 / 121, 600.0 / 601},
		G:            1.15, C: 1.1, Side: 1, Seed: [32]byte{1, 2, 3},
	}
	for i := range p.Hours {
		p.Hours[i] = 0.5 + 0.04*float64(i)
	}
	p.Innovations, p.K2 = InnovationTable(nil, testOutcomes(n, 1))
	return p
}

func liquidatable(p *Path) *Path {
	p.HasBarrier, p.Barrier, p.LossPct = true, -0.06, 7.25
	return p
}

// testBook returns a book of k positions of which every third is short.
func testBook(k int) *Portfolio {
	p := &Portfolio{Nu: 4.3, Correlation: make([]float64, k*k), Marginals: make([]Marginal, k), Seed: [32]byte{5}}
	for i := range k {
		for j := range k {
			p.Correlation[i*k+j] = 0.7
		}
		p.Correlation[i*k+i] = 1
		z, _ := InnovationTable(nil, testOutcomes(8761, uint64(i%7)))
		p.Marginals[i] = Marginal{Z: z, Scale: 0.03 + 0.001*float64(i%20), NotionalUSD: 10_000}
		if i%3 == 2 {
			p.Marginals[i].NotionalUSD = -8_000
		}
	}
	return p
}

func BenchmarkPortfolio(b *testing.B) {
	for _, k := range []int{2, 10, 50, 200} {
		b.Run(fmt.Sprintf("positions=%d", k), func(b *testing.B) {
			p, w := testBook(k), &Workspace{}
			w.Simulate(p, Draws)
			b.ReportAllocs()
			for b.Loop() {
				w.Simulate(p, Draws)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(Draws*k), "ns/draw-position")
		})
	}
}
