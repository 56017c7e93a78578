package asm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The kernel's moves equal the formula bit by bit, for every length and alignment and for products of
// every size. Nothing outside the moves is written.
func TestMoves(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 3000 {
		n := r.IntN(40)
		z, scale, most := fuzzed(r, n), math.Exp(20*r.Float64()-15)*float64(r.IntN(9)), 6*r.Float64()
		want := make([]float64, n)
		for i, v := range z {
			x := float64(scale * v)
			if x > 64 {
				x = 64
			} else if x < -64 {
				x = -64
			}
			want[i] = Exp(x) - 1
			if want[i] > most {
				want[i] = most
			}
		}
		bothWays(func(name string) {
			got, check := guarded(t, n)
			copy(got, z)
			Moves(got, scale, most)
			check(name)
			if !sameBits(got, want) {
				t.Fatalf("%s, scale %v, at most %v, outcomes %v: %v, want %v", name, scale, most, z, got, want)
			}
		})
	}
}

func BenchmarkMoves(b *testing.B) {
	r := rand.New(rand.NewPCG(8, 10))
	outcomes, z := make([]float64, 8192), make([]float64, 8192)
	for i := range outcomes {
		outcomes[i] = r.NormFloat64()
	}
	bothWays(func(name string) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				copy(z, outcomes)
				Moves(z, 0.04, 5)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/8192, "ns/move")
		})
	})
}
