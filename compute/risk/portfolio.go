package risk

import (
	"slices"

	"ballast/compute/joint"
	"ballast/marketcache"
)

// book is the wallet's portfolio after the trade: all positions, then the collateral.
type book struct {
	positions []position // in the wallet's order, a new one last, without a closed one; then collateral
	count     int        // how many of them are positions
	target    int        // index of the trade's position, -1 when it is closed
	before    int        // number of positions before the trade
	gross     float64    // sum of |notional|, cross and isolated, USD
	largest   float64    // the largest |notional|, USD

	// Joint 24 h loss at 99 %, USD, when all positions replay the same recorded hours.
	var99, es99 float64
	// assets are the distinct assets of the legs, of their fits, and asset maps a leg to its asset.
	// matrix is their correlation matrix [k*k], row-major; only for two or more legs.
	assets []*marketcache.AssetModel
	asset  []int
	matrix []float64
	// correlated is the highest signed correlation (rho times both sides, +1 or -1) between the
	// trade's position and another of at least 5 % of gross; -1 when there is none.
	correlated float64
}

const (
	jointLevel       = 0.99
	significantShare = 0.05
)

// bookAfter lists the legs after the trade; p is the trade's position.
func (s *Scratch) bookAfter(b *book, p *position) {
	acct := &s.account
	*b = book{positions: s.positions[:0], target: -1, correlated: -1, before: len(acct.positions), asset: s.legAsset[:0]}
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
	b.count = len(b.positions)
	b.positions = append(b.positions, acct.collateral...)
	s.positions = b.positions
	s.ids, s.fits = s.ids[:0], s.fits[:0]
	for i := range b.positions {
		p := &b.positions[i]
		at := 0 // assets without a fit share one
		for at < len(s.fits) && (s.fits[at] != p.in.Model || s.ids[at] != p.id || p.id == marketcache.NoAsset) {
			at++
		}
		if at == len(s.fits) {
			s.fits, s.ids = append(s.fits, p.in.Model), append(s.ids, p.id)
		}
		b.asset = append(b.asset, at)
	}
	b.assets, s.legAsset = s.fits, b.asset
}

// correlate fills in the correlation matrix of the assets.
func (s *Scratch) correlate(b *book) {
	if len(b.positions) < minPortfolioPositions {
		return
	}
	k := len(b.assets)
	s.matrix = grow(s.matrix, k*k)
	joint.Matrix(s.matrix, s.In.Correlations, b.assets, &s.correlating)
	b.matrix = s.matrix
	b.findCorrelated()
}

// correlation is that of two legs.
func (b *book) correlation(i, j int) float64 { return b.matrix[b.asset[i]*len(b.assets)+b.asset[j]] }

// findCorrelated fills in the highest signed correlation between the trade's position and
// another large position.
func (b *book) findCorrelated() {
	b.correlated = -1
	if b.target < 0 || b.matrix == nil {
		return
	}
	side := b.positions[b.target].side()
	for j := range b.positions[:b.count] {
		if other := &b.positions[j]; j != b.target && other.notional() >= significantShare*b.gross {
			b.correlated = max(b.correlated, side*other.side()*b.correlation(b.target, j))
		}
	}
}

// PortfolioRisk is the joint loss of all positions after the trade, USD over 24 hours.
type PortfolioRisk struct {
	Known         bool // false with fewer than two positions before the trade
	VaR99, ES99   float64
	PositionCount int // before the trade
	// TailDependence has an entry for each pair of assets with enough common history, at most 50: those
	// with the largest tail dependence.
	TailDependence []TailDependence
	Simulation     PortfolioSimulation
}

// TailDependence is the probability, in the limit of extreme quantiles, that one asset's return is
// beyond its quantile given that the other asset's return is. It is the same in both tails.
type TailDependence struct {
	A, B string
	*marketcache.TailPair
}

// maxPairs is the largest number of pairs in an answer.
const maxPairs = 50

func (s *Scratch) portfolioRisk(b *book) PortfolioRisk {
	if b.before < minPortfolioPositions {
		return PortfolioRisk{}
	}
	pairs := s.dependence[:0]
	for i := range s.ids {
		for j := i + 1; j < len(s.ids); j++ {
			if p := s.In.Pairs.Pair(s.ids[i], s.ids[j]); p != nil {
				pairs = append(pairs, TailDependence{b.nameOf(i), b.nameOf(j), p})
			}
		}
	}
	s.dependence = strongest(pairs, &s.lambdas)
	return PortfolioRisk{
		Known: true, VaR99: b.var99, ES99: b.es99, PositionCount: b.before, TailDependence: s.dependence,
	}
}

// nameOf is the name of an asset of the book.
func (b *book) nameOf(asset int) string { return b.positions[slices.Index(b.asset, asset)].name }

// strongest keeps the pairs with the largest tail dependence, the first of equals, in their order.
func strongest(pairs []TailDependence, lambdas *[]float64) []TailDependence {
	if len(pairs) <= maxPairs {
		return pairs
	}
	*lambdas = (*lambdas)[:0]
	for i := range pairs {
		*lambdas = append(*lambdas, pairs[i].Lambda)
	}
	slices.Sort(*lambdas)
	least := (*lambdas)[len(pairs)-maxPairs]
	equal := maxPairs // how many of the least may stay
	for _, lambda := range (*lambdas)[len(pairs)-maxPairs:] {
		if lambda > least {
			equal--
		}
	}
	kept := pairs[:0]
	for i := range pairs {
		switch lambda := pairs[i].Lambda; {
		case lambda > least:
			kept = append(kept, pairs[i])
		case lambda == least && equal > 0:
			equal--
			kept = append(kept, pairs[i])
		}
	}
	return kept
}
