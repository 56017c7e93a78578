//go:build amd64 && !purego && !noasm

package asm

import "slices"

var _ = register("Paths")

// setPairs puts each entry of a table beside its partner, so that one load of 16 bytes fetches both.
func setPairs(t *PathTable) {
	if !avx2 {
		return
	}
	n := len(t.draws)
	t.pairs = slices.Grow(t.pairs[:0], 2*n)[:2*n]
	done := n &^ 3
	if done > 0 {
		pathPairsAVX2(&t.pairs[0], &t.draws[0], uint64(n))
	}
	for i := done; i < n; i++ {
		t.pairs[2*i], t.pairs[2*i+1] = t.draws[i], t.draws[n-1-i]
	}
}

// pathLanes is the number of pairs that run side by side.
const pathLanes = 4

// maxPathGroups bounds a call of assembly, which is not preempted, to some tens of microseconds.
const maxPathGroups = 256

// pathPairsAVX2 sets the pairs of the first n&^3 of n draws.
//
//go:noescape
func pathPairsAVX2(pairs, draws *float64, n uint64)

// pathArguments holds the arguments of the assembly, which reads them by offset; _avo/pathkernel
// has the same list.
type pathArguments struct {
	pairs       *float64
	count, half uint64 // entries of the table, and half of them
	random      pathWords
	start       [PathMemories]float64
	decay       [PathMemories]float64
	feed        [PathMemories]float64
	base        float64
	side        float64
	distance    float64
	gain        float64
	liquidated  float64
	funding     float64
	hasBarrier  uint64
	hour        [PathSteps]float64
}

// pathWords holds the intermediate results of Philox that are the same for all pairs.
type pathWords struct {
	first uint64
	block [PathSteps/4 + 1][4]uint64
	key   [philoxRounds][2]uint64
}

// prepare computes the part of the first three rounds that does not depend on the pair number; only
// two of the six products of these rounds depend on that number.
func (w *pathWords) prepare(p *Philox) {
	const low = 1<<32 - 1
	key := &p.Key
	p1 := uint64(p.C2) * philoxM1
	w.first = p1>>32 ^ uint64(key[0][0])
	for b := range w.block {
		p0 := uint64(b) * philoxM0
		second := (p0>>32 ^ uint64(p.C3^key[0][1])) * philoxM1
		c0 := second>>32 ^ p1&low ^ uint64(key[1][0])
		third := c0 * philoxM0
		w.block[b] = [4]uint64{
			p0&low ^ uint64(key[1][1]),
			second&low ^ uint64(key[2][0]),
			third>>32 ^ uint64(key[2][1]),
			third & low,
		}
	}
	for r, k := range key {
		w.key[r] = [2]uint64{uint64(k[0]), uint64(k[1])}
	}
}

//go:noescape
func pathsAVX2(a *pathArguments, first uint64, pnl *float64, groups uint64) (liquidated uint64)

func paths(k *PathKernel, first uint32, pnl []float64) (liquidated int) {
	groups := len(pnl) / (2 * pathLanes)
	if !avx2 || groups == 0 {
		return pathsGeneric(k, first, pnl)
	}
	n := len(k.Table.draws)
	a := pathArguments{
		pairs: &k.Table.pairs[:2*n][0], count: uint64(n), half: uint64(n) >> 1,
		start: k.Start, decay: k.Decay, feed: k.Feed, base: k.Base,
		side: k.Side, distance: k.Distance,
		gain: k.GainPct, liquidated: k.LiquidatedPct, funding: k.FundingPct, hour: k.Hour,
	}
	a.random.prepare(&k.Random)
	if k.HasBarrier {
		a.hasBarrier = 1
	}
	for groups > 0 {
		n := min(groups, maxPathGroups)
		liquidated += int(pathsAVX2(&a, uint64(first), &pnl[0], uint64(n)))
		groups, first, pnl = groups-n, first+uint32(n*pathLanes), pnl[2*n*pathLanes:]
	}
	return liquidated + pathsGeneric(k, first, pnl)
}
