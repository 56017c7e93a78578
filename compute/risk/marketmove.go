package risk

import "math"

const (
	// maxMoveRounds bounds the steps to a root; each lands on the next straight piece.
	maxMoveRounds = 64
	maxRise       = 10 // the largest common rise that is searched, as a fraction
)

// see takes the moves that liquidate one pool: the nearer ones count.
func (m *MarketMove) see(down, up float64) {
	if down > m.DownPct || math.IsNaN(m.DownPct) {
		m.DownPct = down
	}
	if up < m.UpPct || math.IsNaN(m.UpPct) {
		m.UpPct = up
	}
}

// noMove is the move of a wallet without a cross position.
func noMove() MarketMove { return MarketMove{DownPct: math.NaN(), UpPct: math.NaN()} }

// commonMove returns the fall and the rise of all prices at which a cross pool of the given equity is
// liquidated, percent: pool k of the wallet without the position at index except, and with own unless nil.
func (a *account) commonMove(k, except int, own *position, equity float64) (down, up float64) {
	excess := func(m float64) (f, slope float64) { return a.excess(k, except, own, equity, m) }
	if f, _ := excess(0); f <= 0 {
		return 0, 0
	}
	return pctPerUnit * rootFrom(-1, excess), pctPerUnit * rootFrom(maxRise, excess)
}

// rootFrom returns the root of a concave function that is positive at 0, between 0 and the given end; NaN
// when it is positive at the end too. The function is piecewise linear: from beyond the root, each
// tangent meets zero no further out than the root, so that the last one is exact.
func rootFrom(end float64, excess func(float64) (f, slope float64)) float64 {
	m := end
	f, slope := excess(m)
	if f > 0 {
		return math.NaN()
	}
	for range maxMoveRounds {
		next := m - f/slope
		if !(math.Abs(next) < math.Abs(m)) {
			break
		}
		m = next
		if f, slope = excess(m); f >= 0 {
			break
		}
	}
	return m
}

// excess is the equity above the maintenance margin of a cross pool when all prices move by the fraction
// m, and its change per unit of m, USD. Collateral moves with the prices and needs no margin.
func (a *account) excess(k, except int, own *position, equity, m float64) (f, slope float64) {
	f = equity
	add := func(_ int, p *position) {
		signed := p.signed()
		f += m * signed
		slope += signed
		if !p.collateral {
			n := math.Abs(signed)
			tier := p.tiers.tierFor(n * (1 + m))
			f -= n*(1+m)*tier.MaintenanceRate - tier.DeductionUSD
			slope -= n * tier.MaintenanceRate
		}
	}
	a.eachLeg(k, except, add)
	if own != nil {
		add(0, own)
	}
	return f, slope
}

// moveAfter is the common move that liquidates a cross pool of the wallet after the trade. An unreadable
// pool has none.
func (s *Scratch) moveAfter(o *outcome) MarketMove {
	a, out := &s.account, noMove()
	t, p := &o.plan, &o.position
	for k := range a.pools {
		pool := &a.pools[k]
		if pool.position >= 0 || pool.unreadable {
			continue
		}
		positions, equity, except, own := pool.positions, pool.equity, -1, (*position)(nil)
		if k == a.pool {
			positions, equity = a.rest.cross.positions, o.after.counted
			if t.kind != held {
				except = t.index
				if t.mode == Cross && p.units != 0 {
					positions, own = positions+1, p
				}
			}
		}
		if positions > 0 {
			out.see(a.commonMove(k, except, own, equity))
		}
	}
	return out
}
