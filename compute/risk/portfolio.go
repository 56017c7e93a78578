package risk

import (
	"math"

	"ballast/compute/joint"
	"ballast/marketcache"
)

// book is the wallet's portfolio: all positions after the trade.
type book struct {
	positions []position // in the wallet's order, a new one last, without a closed one
	target    int        // index of the trade's position, -1 when it is closed
	before    int        // number of positions before the trade
	gross     float64    // sum of |notional|, cross and isolated, USD
	largest   float64    // the largest |notional|, USD

	// Joint 24 h loss at 99 %, USD, when all positions replay the same recorded hours.
	var99, es99 float64
	// matrix is the correlation matrix [k*k], row-major; only for two or more positions.
	matrix []float64
	// correlated is the highest signed correlation (rho times both sides, +1 or -1) between the
	// trade's position and another of at least 5 % of gross; -1 when there is none.
	correlated float64
}

const (
	jointLevel       = 0.99
	significantShare = 0.05
)

// bookAfter lists the positions after the trade; p is the trade's position.
func (s *Scratch) bookAfter(b *book, p *position) {
	acct := &s.account
	*b = book{positions: s.positions[:0], target: -1, correlated: -1, before: len(acct.positions)}
	add := func(p *position) {
		b.positions = append(b.positions, *p)
		n := p.notional()
		b.gross += n
		b.largest = max(b.largest, n)
	}
	for i := range acct.positions {
		switch {
		case i != acct.target:
			add(&acct.positions[i])
		case p.units != 0:
			b.target = len(b.positions)
			add(p)
		}
	}
	if acct.target < 0 && p.units != 0 {
		b.target = len(b.positions)
		add(p)
	}
	s.positions = b.positions
	s.ids = s.ids[:0]
	for i := range b.positions {
		s.ids = append(s.ids, b.positions[i].id)
	}
}

// correlate fills in the correlation matrix.
func (s *Scratch) correlate(b *book) {
	k := len(b.positions)
	if k < minPortfolioPositions {
		return
	}
	s.fits = s.fits[:0]
	for i := range b.positions {
		s.fits = append(s.fits, b.positions[i].in.Model)
	}
	s.matrix = grow(s.matrix, k*k)
	joint.Matrix(s.matrix, s.In.Correlations, s.fits, &s.correlating)
	b.matrix = s.matrix
	b.findCorrelated()
}

// findCorrelated fills in the highest signed correlation between the trade's position and
// another large position.
func (b *book) findCorrelated() {
	b.correlated = -1
	if b.target < 0 || b.matrix == nil {
		return
	}
	k, side := len(b.positions), b.positions[b.target].side()
	for j := range b.positions {
		if other := &b.positions[j]; j != b.target && other.notional() >= significantShare*b.gross {
			b.correlated = max(b.correlated, side*other.side()*b.matrix[b.target*k+j])
		}
	}
}

// scale is the loss of the position for a 24 h return of +1 standard deviation, USD.
func (p *position) scale() float64 {
	return -p.units * p.mark * math.Sqrt(p.in.Model.Variance[marketcache.H24])
}

// alone returns the stand-alone VaR and ES of the position over the recorded hours, USD.
func (p *position) alone() (var99, es99 float64) {
	j, side, scale := p.in.Model.Joint, tailSide(p.side()), math.Abs(p.scale())
	return max(0, scale*j.Quantile[side]), max(0, scale*j.Shortfall[side])
}

// aloneOffRecord replaces alone when there are no recorded hours: it returns the VaR and ES of the
// asset's own forecast. Summing them treats the positions as perfectly correlated.
func (p *position) aloneOffRecord() (var99, es99 float64) {
	side, m := tailSide(p.side()), p.in.Model
	_, var99 = lossPct24h(m, side)
	es99 = max(m.Tail[marketcache.H24][side][marketcache.P99].PctES, var99)
	usd := p.notional() / pctPerUnit
	return usd * var99, usd * es99
}

// PortfolioRisk is the joint loss of all positions after the trade, USD over 24 hours.
type PortfolioRisk struct {
	Known         bool // false with fewer than two positions before the trade
	VaR99, ES99   float64
	PositionCount int // before the trade
	// TailDependence has an entry for each pair of positions with enough common history.
	TailDependence []TailDependence
	Simulation     PortfolioSimulation
}

// TailDependence is the probability, in the limit of extreme quantiles, that one asset's return is
// beyond its quantile given that the other asset's return is. It is the same in both tails.
type TailDependence struct {
	A, B string
	*marketcache.TailPair
	Text marketcache.PairText
}

func (s *Scratch) portfolioRisk(b *book) PortfolioRisk {
	if b.before < minPortfolioPositions {
		return PortfolioRisk{}
	}
	pairs := s.dependence[:0]
	for i := range b.positions {
		for j := i + 1; j < len(b.positions); j++ {
			if p, text := s.In.Pairs.Pair(s.ids[i], s.ids[j]); p != nil {
				pairs = append(pairs, TailDependence{b.positions[i].name, b.positions[j].name, p, *text})
			}
		}
	}
	s.dependence = pairs
	return PortfolioRisk{
		Known: true, VaR99: b.var99, ES99: b.es99, PositionCount: b.before, TailDependence: pairs,
	}
}
