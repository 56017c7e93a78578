package asm

import (
	"math/rand/v2"
	"testing"
)

// Mix against its formula, bit by bit, for blocks that are full and for those that are not.
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
