package asm

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Mix gives the same bits as its formula, for full blocks and for partial blocks.
func TestMix(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for round := range 500 {
		k, n := r.IntN(14), 1+r.IntN(MixPairs)
		if round%2 == 0 {
			n = MixPairs
		}
		stride := MixPairs + r.IntN(9)
		normals, root := fuzzed(r, k*MixPairs), fuzzed(r, n)
		factor := make([]float64, k*k)
		for i := range k {
			copy(factor[i*k:], fuzzed(r, i+1))
		}
		bothWays(func(name string) {
			dst, check := guarded(t, k*stride)
			Mix(dst, stride, factor, k, normals, root)
			check(name)
			for i := range k {
				for b := range stride {
					want := guard
					if b < n {
						want = 0
						for m := range i + 1 {
							want += float64(factor[i*k+m] * normals[m*MixPairs+b])
						}
						want *= root[b]
					}
					if got := dst[i*stride+b]; !sameBits([]float64{got}, []float64{want}) {
						t.Fatalf("%s, k %d, n %d: row %d, pair %d: %v, want %v", name, k, n, i, b, got, want)
					}
				}
			}
		})
	}
}

// BenchmarkMix correlates 8,192 draws of k normals.
func BenchmarkMix(b *testing.B) {
	const draws = 8192
	r := rand.New(rand.NewPCG(1, 1))
	for _, k := range []int{10, 50, 200} {
		factor, normals, dst := make([]float64, k*k), make([]float64, k*draws), make([]float64, k*draws)
		for i := range k {
			for j := range i + 1 {
				factor[i*k+j] = r.Float64()
			}
		}
		for i := range normals {
			normals[i] = r.NormFloat64()
		}
		root := make([]float64, MixPairs)
		for i := range root {
			root[i] = 1
		}
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			for b.Loop() {
				for first := 0; first < draws; first += MixPairs {
					Mix(dst[first:], draws, factor, k, normals[first*k:][:k*MixPairs], root)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/draws, "ns/draw")
		})
	}
}
