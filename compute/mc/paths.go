package mc

import (
	"sync"

	"ballast/asm"
)

// Path is the input of a position's simulation. It is only read.
type Path struct {
	// Innovations is the asset's table (InnovationTable): ascending, mean 0, variance 1. A
	// table with fewer than OwnTable entries, or nil, is replaced by the Student table.
	Innovations []float64
	// E holds the variance memories: four exponentially weighted averages of variance, with decay
	// factors lam_k in Decay. LongRun is the long-run variance. Both are per hour. With b1..b5 in
	// Coefficients, of which b2 is 0, the variance of an average hour is K2*(b.E + b5*LongRun); hour j has
	// Hours[j] times as much, sig2.
	E            [4]float64
	LongRun      float64
	Coefficients [5]float64
	Decay        [4]float64
	Hours        [Steps]float64
	K2           float64 // mean squared outcome: corrects the bias of the range-based variance
	G            float64 // mean range-based variance over mean squared return: converts a squared return for E
	C            float64 // factor on every hourly return (MomentMatch)

	Side       float64 // +1 long, -1 short
	Barrier    float64 // ln(liquidation price/price)
	HasBarrier bool    // false: the position cannot be liquidated
	Past       bool    // the price is already beyond the barrier: every path is liquidated
	LossPct    float64 // loss of a liquidated path, percent of notional, positive
	FundingPct float64 // subtracted from every path, percent of notional, positive when paid

	Seed [32]byte
}

// chunkPairs is the number of pairs of one call of the kernel, which cannot be preempted: 12 us in
// assembly.
const chunkPairs = 256

// maxLogMove bounds the log move of a path, so that sums of P&L stay finite for any inputs.
const maxLogMove = asm.MaxLogMove

// Compile-time check: a path has the kernel's number of steps.
var _ = [1]struct{}{}[Steps-asm.PathSteps]

// Simulator runs paths. The zero value is ready to use. It belongs to one goroutine; keep it,
// because it holds the memory that a simulation would otherwise allocate.
type Simulator struct{ kernel kernel }

// Paths simulates len(pnl) paths of p and writes the P&L of each, percent of notional, gains
// positive; paths 2j and 2j+1 are an antithetic pair. It returns the number of liquidated paths,
// allocates nothing, and panics on an odd number of paths.
//
// In step i, the first path of pair j draws the innovation u from the table of K entries: entry
// floor((w+1/2)*K/2^32), where w is word i mod 4 of the pair's block i/4 (generator). The second path,
// its partner, draws the entry equally far from the other end. Then, with S = c^2*sig2:
//
//	v   = (A1+(A3+A4)) + A5   A_k = c^2*K2*b_k*E_k, A5 = c^2*K2*b5*LongRun
//	q   = v*(u*u)
//	A_k = lam_k*A_k + (K2*b_k*(1-lam_k)*G)*q
//	S   = v*f                      f of Hours
//	x   = x + sqrt(S)*u
//
// This is r = sqrt(sig2)*u, E_k <- lam_k*E_k + (1-lam_k)*G*r^2/f, x <- x + c*r with the constants
// multiplied out, so that no later step waits for the square root.
//
// With a barrier at a, a path survives the step from x to y with probability
// 1-exp(-2(a-x)(a-y)/S) (Brownian bridge: Glasserman 2004, 6.4), and never when y is at or beyond
// the barrier. The path is liquidated when its one extra uniform number, from words 0 and 1 of
// block 6 (partner: 2 and 3), is not below the product of these probabilities in step order. A
// factor with 2(a-x)(a-y) >= 37.5*S is exactly 1 and may be skipped.
func (s *Simulator) Paths(p *Path, pnl []float64) (liquidated int) {
	if len(pnl)&1 != 0 {
		panic("BUG: mc.Paths of an odd number of paths")
	}
	s.kernel.prepare(p)
	if s.kernel.past {
		for i := range pnl {
			pnl[i] = s.kernel.LiquidatedPct
		}
		return len(pnl)
	}
	for first := 0; first < len(pnl); first += 2 * chunkPairs {
		liquidated += asm.Paths(&s.kernel.PathKernel, uint32(first/2), pnl[first:min(len(pnl), first+2*chunkPairs)])
	}
	s.kernel.own.Release()
	return liquidated
}

// kernel is a Path prepared for the path kernel.
type kernel struct {
	asm.PathKernel
	own  asm.PathTable // the asset's own table, if it has one
	past bool
}

func (k *kernel) prepare(p *Path) {
	k.Side, k.Distance = p.Side, -p.Side*p.Barrier
	k.HasBarrier = p.HasBarrier
	k.past = p.Past || p.HasBarrier && k.Distance <= 0
	k.GainPct, k.FundingPct = 100*p.Side, p.FundingPct
	k.LiquidatedPct = -p.LossPct - p.FundingPct
	if k.past {
		return
	}
	if len(p.Innovations) < OwnTable {
		k.Table = studentPaths()
	} else {
		k.own.Set(p.Innovations)
		k.Table = &k.own
	}
	if p.Coefficients[1] != 0 {
		panic("BUG: mc.Paths with a weight of the second memory, which asm.Paths does not have")
	}
	scale := p.C * p.C * p.K2
	for i, of := range [asm.PathMemories]int{0, 2, 3} {
		b := p.Coefficients[of]
		k.Start[i] = scale * b * p.E[of]
		k.Feed[i] = p.K2 * b * (1 - p.Decay[of]) * p.G
		k.Decay[i] = p.Decay[of]
	}
	k.Base = scale * p.Coefficients[4] * p.LongRun
	k.Hour = p.Hours
	var random generator
	random.seed(&p.Seed, streamPaths)
	k.Random = random.Philox
}

// studentPaths is the table of assets without a table of their own.
var studentPaths = sync.OnceValue(func() *asm.PathTable {
	t := new(asm.PathTable)
	t.Set(studentTable())
	return t
})
