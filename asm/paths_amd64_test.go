//go:build amd64 && !purego && !noasm

package asm

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestPathsAreThoseOfGo(t *testing.T) {
	if !avx2 {
		t.Skip("no AVX2 here")
	}
	k := testPaths(8760)
	for pairs := range 71 { // every length and alignment
		k.HasBarrier = pairs%3 > 0
		comparePaths(t, k, uint32(3*pairs), pairs, pairs%5)
	}
	for _, distance := range []float64{1e-300, 1e-9, 1e-3, 0.01, 0.02, 0.04, 0.06, 0.1, 0.2, 0.5, 40} {
		for _, side := range []float64{1, -1} {
			k.HasBarrier, k.Distance, k.Side, k.GainPct = true, distance, side, 100*side
			comparePaths(t, k, math.MaxUint32-700, 2000, 0) // the counter of the pair wraps around
		}
	}
	r := rand.New(rand.NewPCG(7, 7))
	n := 1000
	if testing.Short() {
		n = 300
	}
	var noneHit, hit int
	for range n {
		k := randomPaths(r)
		pairs := 1 + r.IntN(100)
		switch l := comparePaths(t, k, r.Uint32(), pairs, r.IntN(4)); {
		case k.HasBarrier && l == 0:
			noneHit++
		case l > 0 && l < 2*pairs:
			hit++
		}
	}
	if noneHit < n/20 || hit < n/10 {
		t.Errorf("of %d kernels %d liquidate none, %d some", n, noneHit, hit)
	}
}
