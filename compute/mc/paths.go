package mc

import (
	"math"
	"sync/atomic"
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

const (
	// chunkPairs is how many pairs a worker takes at a time: a fraction of a
	// millisecond, so that the last one is not waited for long.
	chunkPairs = 256
	// mostLogMove bounds the log move of a path, so that sums of P&L stay finite
	// whatever the inputs: e^64 times the price.
	mostLogMove = 64
	// bridgeReach: for t above it, 1-exp(-t) is exactly 1 in float64.
	bridgeReach = 37.5
)

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
			pnl[i] = s.kernel.liquidatedPct
		}
		return len(pnl)
	}
	s.pnl = pnl
	s.liquidated.Store(0)
	share(s, (*Simulator).chunk, (len(pnl)+2*chunkPairs-1)/(2*chunkPairs), workers, &s.next)
	s.pnl = nil
	s.kernel.table = nil
	return int(s.liquidated.Load())
}

// chunk simulates one chunk of the pairs.
func (s *Simulator) chunk(_, item int) {
	first := item * chunkPairs
	if n := s.kernel.run(uint32(first), s.pnl[2*first:min(len(s.pnl), 2*(first+chunkPairs))]); n > 0 {
		s.liquidated.Add(int64(n))
	}
}

// kernel is a Path made ready: all that stays the same along every path.
type kernel struct {
	table []float64
	start [4]float64 // A_k
	base  float64    // A5
	decay [4]float64
	feed  [4]float64 // what q adds to A_k

	side, distance float64 // distance = side*(0-barrier), above 0
	hasBarrier     bool
	past           bool

	gainPct       float64 // P&L of e^x-1 = 1
	liquidatedPct float64
	fundingPct    float64

	random generator
}

func (k *kernel) prepare(p *Path) {
	k.side, k.distance = p.Side, -p.Side*p.Barrier
	k.hasBarrier = p.HasBarrier
	k.past = p.Past || p.HasBarrier && k.distance <= 0
	k.gainPct, k.fundingPct = 100*p.Side, p.FundingPct
	k.liquidatedPct = -p.LossPct - p.FundingPct
	if k.past {
		return
	}
	k.table = p.Innovations
	if len(k.table) < OwnTable {
		k.table = studentTable()
	}
	scale := p.C * p.C * p.K2
	for i, b := range p.Coefficients[:4] {
		k.start[i] = scale * b * p.E[i]
		k.feed[i] = p.K2 * b * (1 - p.Decay[i]) * p.G
	}
	k.base = scale * p.Coefficients[4] * p.LongRun
	k.decay = p.Decay
	k.random.seed(&p.Seed, streamPaths)
}

// track is the way of one path: x after each step (while walk is under way the
// innovation of the step) and S of each step.
type track struct {
	x, s [Steps]float64
}

// run simulates the pairs from number first on, two paths each, and returns the
// number liquidated.
func (k *kernel) run(first uint32, pnl []float64) (liquidated int) {
	var words [Steps]uint32
	var a, b track
	for i := 0; i+1 < len(pnl); i += 2 {
		pair := first + uint32(i/2)
		for w := 0; w < Steps; w += 4 {
			words[w], words[w+1], words[w+2], words[w+3] = k.random.block(uint32(w/4), pair)
		}
		k.walk(&words, &a, &b)
		pnl[i], pnl[i+1] = k.pct(&a), k.pct(&b)
		if !k.hasBarrier {
			continue
		}
		sa, sb := k.survival(&a), k.survival(&b)
		if sa == 1 && sb == 1 {
			continue
		}
		w0, w1, w2, w3 := k.random.block(Steps/4, pair)
		if uniform(w0, w1) >= sa {
			pnl[i] = k.liquidatedPct
			liquidated++
		}
		if uniform(w2, w3) >= sb {
			pnl[i+1] = k.liquidatedPct
			liquidated++
		}
	}
	return liquidated
}

// walk runs a pair through its steps. The constants stay in memory so that the
// registers hold what moves.
func (k *kernel) walk(words *[Steps]uint32, a, b *track) {
	table := k.table
	count, half, last := uint64(len(table)), uint64(len(table))>>1, len(table)-1
	a0, a1, a2, a3 := k.start[0], k.start[1], k.start[2], k.start[3]
	b0, b1, b2, b3 := a0, a1, a2, a3
	for i, w := range words {
		// (2w+1)*K/2^33 is never whole, so the partner's floor((1-U)*K) is K-1-floor(U*K).
		at := int((uint64(w)*count + half) >> 32)
		u := table[at]
		s := ((a0 + a1) + (a2 + a3)) + k.base
		q := float64(s * float64(u*u))
		a0 = float64(k.decay[0]*a0) + float64(k.feed[0]*q)
		a1 = float64(k.decay[1]*a1) + float64(k.feed[1]*q)
		a2 = float64(k.decay[2]*a2) + float64(k.feed[2]*q)
		a3 = float64(k.decay[3]*a3) + float64(k.feed[3]*q)
		a.s[i], a.x[i] = s, u

		u = table[last-at]
		s = ((b0 + b1) + (b2 + b3)) + k.base
		q = float64(s * float64(u*u))
		b0 = float64(k.decay[0]*b0) + float64(k.feed[0]*q)
		b1 = float64(k.decay[1]*b1) + float64(k.feed[1]*q)
		b2 = float64(k.decay[2]*b2) + float64(k.feed[2]*q)
		b3 = float64(k.decay[3]*b3) + float64(k.feed[3]*q)
		b.s[i], b.x[i] = s, u
	}
	var x, y float64
	for i := range Steps {
		x += float64(math.Sqrt(a.s[i]) * a.x[i])
		a.x[i] = x
		y += float64(math.Sqrt(b.s[i]) * b.x[i])
		b.x[i] = y
	}
}

// pct returns the P&L of a path that was not liquidated.
func (k *kernel) pct(t *track) float64 {
	x := max(-mostLogMove, min(mostLogMove, t.x[Steps-1]))
	return float64(k.gainPct*(exp(x)-1)) - k.fundingPct
}

// survival returns the probability that the path stays before the barrier, between
// the hours too.
func (k *kernel) survival(t *track) float64 {
	survival, d := 1.0, k.distance
	for i, s := range t.s {
		next := k.distance + float64(k.side*t.x[i])
		if next <= 0 {
			return 0
		}
		if m := float64(2 * float64(d*next)); m < float64(bridgeReach*s) {
			survival *= 1 - exp(-m/s)
		}
		d = next
	}
	return survival
}
