package asm

import "math"

const (
	// PathSteps is the number of steps of a path.
	PathSteps = 24
	// MaxLogMove bounds the log move of a path, so that sums of P&L stay finite
	// whatever the inputs: e^64 times the price.
	MaxLogMove = 64
	// PathMemories is the number of memories of the variance.
	PathMemories = 3
	// BridgeReach: for every t of at least this value, 1-Exp(-t) is exactly 1.
	BridgeReach = 37.5
)

// PathKernel holds the parameters of a simulation of one position, which are the same for all
// paths. Paths only reads it, so several goroutines may share it.
type PathKernel struct {
	Table  *PathTable // innovations
	Random Philox     // blocks 0-5: steps 4b..4b+3 of a pair; block 6: the uniforms that decide its liquidations

	// The variance of an average hour is Base plus three components, the memories, which decay at different
	// rates; that of a step is Hour times as large. Start and Base are variances per hour, not negative.
	Hour  [PathSteps]float64
	Start [PathMemories]float64
	Base  float64
	Decay [PathMemories]float64
	Feed  [PathMemories]float64 // weight of S*u*u/Hour in each memory

	Side       float64 // +1 long, -1 short
	Distance   float64 // log distance to the liquidation barrier, above 0
	HasBarrier bool

	GainPct       float64 // P&L if the price doubles (e^x-1 = 1), percent
	LiquidatedPct float64 // P&L of a liquidated path, percent
	FundingPct    float64 // funding subtracted from the P&L of every other path, percent
}

// PathTable is an ascending table of innovations, prepared for Paths.
type PathTable struct {
	draws []float64
	pairs []float64 // [2*len(draws)] each entry, then its partner: the entry as far from the other end
}

// Set prepares the table for draws, which has 1 to 2^31-1 elements. The table keeps draws and
// only reads it. The next Set reuses the table's own memory.
func (t *PathTable) Set(draws []float64) {
	t.draws = draws
	setPairs(t)
}

// Release drops the reference to the draws and keeps the table's own memory.
func (t *PathTable) Release() { t.draws = nil }

// Paths simulates the antithetic pairs from number first on, and returns the number of liquidated
// paths. Elements 2j and 2j+1 of pnl, which has even length, are a pair. 256 pairs take about 12 us
// in assembly and 100 us in Go.
//
// In step i, the first path of a pair draws u: entry floor((w+1/2)*K/2^32) of the K table entries, with w
// word i mod 4 of block i/4; its partner draws the entry as far from the other end. From x = 0 and A = Start:
//
//	v   = (A1+(A2+A3)) + Base
//	q   = v*(u*u)
//	A_k = Decay_k*A_k + Feed_k*q
//	S   = v*Hour_i
//	x   = x + sqrt(S)*u
//
// The P&L is GainPct*(e^x-1) - FundingPct, x within +-64. With a barrier at a, a path survives the step
// from x to y with probability 1-exp(-2(a-x)(a-y)/S), and never when y is at or past a. It is liquidated
// when its one uniform, from words 0 and 1 of block 6 (partner: 2 and 3), is not below the product of
// these probabilities in step order. A factor with 2(a-x)(a-y) >= 37.5*S is exactly 1.
//
// No value of k may be NaN. The caller guarantees valid Table, Random and Side.
func Paths(k *PathKernel, first uint32, pnl []float64) (liquidated int) {
	return paths(k, first, pnl)
}

// pathTrack holds, for each step of one path, x after the step and the variance S of the step. While
// walk runs, x first holds the innovation of the step.
type pathTrack struct {
	x, s [PathSteps]float64
}

// pathsGeneric is the reference: the assembly returns the same bits.
func pathsGeneric(k *PathKernel, first uint32, pnl []float64) (liquidated int) {
	var words [PathSteps]uint32
	var a, b pathTrack
	for i := 0; i+1 < len(pnl); i += 2 {
		pair := first + uint32(i/2)
		for w := 0; w < PathSteps; w += 4 {
			words[w], words[w+1], words[w+2], words[w+3] = k.Random.Block(uint32(w/4), pair)
		}
		k.walk(&words, &a, &b)
		pnl[i], pnl[i+1] = k.pct(&a), k.pct(&b)
		if !k.HasBarrier {
			continue
		}
		sa, sb := k.survival(&a), k.survival(&b)
		if sa == 1 && sb == 1 {
			continue
		}
		w0, w1, w2, w3 := k.Random.Block(PathSteps/4, pair)
		if Uniform(w0, w1) >= sa {
			pnl[i] = k.LiquidatedPct
			liquidated++
		}
		if Uniform(w2, w3) >= sb {
			pnl[i+1] = k.LiquidatedPct
			liquidated++
		}
	}
	return liquidated
}

// walk computes all steps of a pair. The constants stay in memory, to leave the registers for the
// variables.
func (k *PathKernel) walk(words *[PathSteps]uint32, a, b *pathTrack) {
	table := k.Table.draws
	count, half, last := uint64(len(table)), uint64(len(table))>>1, len(table)-1
	a0, a1, a2 := k.Start[0], k.Start[1], k.Start[2]
	b0, b1, b2 := a0, a1, a2
	for i, w := range words {
		// (2w+1)*K/2^33 is never whole, so the partner's floor((1-U)*K) is K-1-floor(U*K).
		at := int((uint64(w)*count + half) >> 32)
		u := table[at]
		s := (a0 + (a1 + a2)) + k.Base
		q := float64(s * float64(u*u))
		a0 = float64(k.Decay[0]*a0) + float64(k.Feed[0]*q)
		a1 = float64(k.Decay[1]*a1) + float64(k.Feed[1]*q)
		a2 = float64(k.Decay[2]*a2) + float64(k.Feed[2]*q)
		a.s[i], a.x[i] = float64(s*k.Hour[i]), u

		u = table[last-at]
		s = (b0 + (b1 + b2)) + k.Base
		q = float64(s * float64(u*u))
		b0 = float64(k.Decay[0]*b0) + float64(k.Feed[0]*q)
		b1 = float64(k.Decay[1]*b1) + float64(k.Feed[1]*q)
		b2 = float64(k.Decay[2]*b2) + float64(k.Feed[2]*q)
		b.s[i], b.x[i] = float64(s*k.Hour[i]), u
	}
	var x, y float64
	for i := range PathSteps {
		x += float64(math.Sqrt(a.s[i]) * a.x[i])
		a.x[i] = x
		y += float64(math.Sqrt(b.s[i]) * b.x[i])
		b.x[i] = y
	}
}

// pct returns the P&L of a path that was not liquidated.
func (k *PathKernel) pct(t *pathTrack) float64 {
	x := max(-MaxLogMove, min(MaxLogMove, t.x[PathSteps-1]))
	return float64(k.GainPct*(Exp(x)-1)) - k.FundingPct
}

// survival returns the probability that the path does not reach the barrier, including between
// the hourly steps.
func (k *PathKernel) survival(t *pathTrack) float64 {
	survival, d := 1.0, k.Distance
	for i, s := range t.s {
		next := k.Distance + float64(k.Side*t.x[i])
		if next <= 0 {
			return 0
		}
		if m := float64(2 * float64(d*next)); m < float64(BridgeReach*s) {
			survival *= 1 - Exp(-m/s)
		}
		d = next
	}
	return survival
}
