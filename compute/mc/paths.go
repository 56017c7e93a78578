package mc

import (
	"sync"
	"sync/atomic"

	"ballast/asm"
)

// Path is what the simulation of one position needs. It is only read.
type Path struct {
	// Innovations is the asset's table (InnovationTable): ascending, mean 0, variance
	// 1. One of fewer than OwnTable entries, or nil, is replaced by the Student table.
	Innovations []float64
	// E are the memories of variance and LongRun the long run as read, variances an
	// hour. With Coefficients b1..b5 of the hourly variance and Decay lam_k of the
	// memories: sig2 = K2*(b.E + b5*LongRun).
	E            [4]float64
	LongRun      float64
	Coefficients [5]float64
	Decay        [4]float64
	K2           float64 // mean squared outcome: unbiases the range measure
	G            float64 // range to return: what a squared return adds to the memories
	C            float64 // second-moment match (MomentMatch)

	Side       float64 // +1 long, -1 short
	Barrier    float64 // ln(liquidation price/price)
	HasBarrier bool    // false: nothing liquidates the position
	Past       bool    // the price is already past the barrier: every path is liquidated
	LossPct    float64 // what a liquidated path loses, percent of notional, positive
	FundingPct float64 // taken from every path, percent of notional, positive when paid

	Seed [32]byte
}

// chunkPairs is how many pairs a worker takes at a time: some microseconds of assembly,
// a fraction of a millisecond of Go, so that the last one is not waited for long.
const chunkPairs = 256

// maxLogMove bounds the log move of a path, so that sums of P&L stay finite whatever
// the inputs.
const maxLogMove = asm.MaxLogMove

// A path has as many steps as the kernel's.
var _ = [1]struct{}{}[Steps-asm.PathSteps]

// Simulator runs paths. The zero value is ready. It belongs to one goroutine, and is
// meant to be kept: it is what a simulation would otherwise allocate.
type Simulator struct {
	kernel     kernel
	pnl        []float64
	next       atomic.Int64
	liquidated atomic.Int64
}

// Paths simulates len(pnl) paths of p and writes the P&L of each, percent of
// notional, gains positive; paths 2j and 2j+1 are an antithetic pair. It returns how
// many were liquidated. workers goroutines, the caller's among them, share the work;
// the result does not depend on their number, and with one nothing is allocated. It
// panics on an odd number of paths.
//
// Path pair j, step i, draws word w = word i mod 4 of block i/4 (generator): entry
// floor((w+1/2)*K/2^32) of the table of K, its partner the entry as far from the
// other end. Then, S being c^2*sig2:
//
//	S   = ((A1+A2)+(A3+A4)) + A5   A_k = c^2*K2*b_k*E_k, A5 = c^2*K2*b5*LongRun
//	q   = S*(u*u)
//	A_k = lam_k*A_k + (K2*b_k*(1-lam_k)*G)*q
//	x   = x + sqrt(S)*u
//
// which is r = sqrt(sig2)*u, E_k <- lam_k*E_k + (1-lam_k)*G*r^2, x <- x + c*r with the
// constants multiplied out and the root off the critical chain. A memory whose
// coefficient is 0 stays exactly 0 and may be left out.
//
// With a barrier, a path survives the step from x to y with probability
// 1-exp(-2(a-x)(a-y)/S) (the Brownian bridge: Glasserman 2004, 6.4), and not when y
// is at or past the barrier; it is liquidated when its one extra uniform, words 0 and
// 1 of block 6 (partner: 2 and 3), is not below the product over the steps in order.
// A factor with 2(a-x)(a-y) >= 37.5*S is exactly 1 and may be left out.
func (s *Simulator) Paths(p *Path, pnl []float64, workers int) (liquidated int) {
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
	s.pnl = pnl
	s.liquidated.Store(0)
	share(s, (*Simulator).chunk, (len(pnl)+2*chunkPairs-1)/(2*chunkPairs), workers, &s.next)
	s.pnl = nil
	s.kernel.own.Release()
	return int(s.liquidated.Load())
}

// chunk simulates one chunk of the pairs.
func (s *Simulator) chunk(_, item int) {
	first := item * chunkPairs
	if n := s.kernel.run(uint32(first), s.pnl[2*first:min(len(s.pnl), 2*(first+chunkPairs))]); n > 0 {
		s.liquidated.Add(int64(n))
	}
}

// kernel is a Path made ready.
type kernel struct {
	asm.PathKernel
	own  asm.PathTable // of the asset, when it has one
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
	scale := p.C * p.C * p.K2
	for i, b := range p.Coefficients[:4] {
		k.Start[i] = scale * b * p.E[i]
		k.Feed[i] = p.K2 * b * (1 - p.Decay[i]) * p.G
	}
	k.Base = scale * p.Coefficients[4] * p.LongRun
	k.Decay = p.Decay
	var random generator
	random.seed(&p.Seed, streamPaths)
	k.Random = random.Philox
}

// studentPaths is the table of an asset without one of its own.
var studentPaths = sync.OnceValue(func() *asm.PathTable {
	t := new(asm.PathTable)
	t.Set(studentTable())
	return t
})

// run simulates the pairs from number first on, two paths each, and returns the
// number liquidated.
func (k *kernel) run(first uint32, pnl []float64) (liquidated int) {
	return asm.Paths(&k.PathKernel, first, pnl)
}
