package risk

import (
	"slices"

	"ballast/compute/joint"
	mc "ballast/marketcache"
)

// portfolio is the wallet after the trade: all positions, then the collateral. Its memory is used again.
type portfolio struct {
	legs    []leg   // positions in the wallet's order, a new one last, without a closed one; then collateral
	count   int     // how many of them are positions
	target  int     // index of the trade's position, -1 when it is closed
	before  int     // number of positions before the trade
	gross   float64 // sum of |notional|, cross and isolated, USD
	largest float64 // the largest |notional|, USD

	// Joint 24 h loss at 99 %, USD, when all positions replay the same recorded hours.
	var99, es99 float64
	// models are the fits of the distinct assets, and first the first leg of each. matrix is their correlation
	// matrix [k*k], row-major; only for two or more legs.
	models []*mc.AssetModel
	first  []int
	matrix []float64
	// correlated is the highest signed correlation (rho times both sides, +1 or -1) between the
	// trade's position and another of at least 5 % of gross; -1 when there is none.
	correlated float64
}

// leg is one of the portfolio's legs.
type leg struct {
	position
	asset  int     // index in models
	spread float64 // signed standard deviation of a day, USD
	share  float64 // of the portfolio's standard deviation
}

const (
	jointLevel       = 0.99
	significantShare = 0.05
)

// listLegs lists the legs after the trade; p is the trade's position.
func (s *Scratch) listLegs(b *portfolio, p *position) {
	acct := &s.account
	*b = portfolio{
		legs: b.legs[:0], models: b.models[:0], first: b.first[:0], matrix: b.matrix[:0],
		target: -1, correlated: -1, before: len(acct.positions),
	}
	for i := range acct.positions {
		switch {
		case i != acct.target:
			b.add(&acct.positions[i])
		case p.units != 0:
			b.target = len(b.legs)
			b.add(p)
		}
	}
	if acct.target < 0 && p.units != 0 {
		b.target = len(b.legs)
		b.add(p)
	}
	b.count = len(b.legs)
	for i := range b.legs {
		n := b.legs[i].notional()
		b.gross += n
		b.largest = max(b.largest, n)
	}
	for i := range acct.collateral {
		b.add(&acct.collateral[i])
	}
}

// add adds a leg. Assets without a fit share one.
func (b *portfolio) add(p *position) {
	at := 0
	for at < len(b.models) && (b.models[at] != p.in.Model || b.legs[b.first[at]].id != p.id || p.id == mc.NoAsset) {
		at++
	}
	if at == len(b.models) {
		b.models, b.first = append(b.models, p.in.Model), append(b.first, len(b.legs))
	}
	b.legs = append(b.legs, leg{position: *p, asset: at})
}

// correlate fills in the correlation matrix of the assets.
func (s *Scratch) correlate(b *portfolio) {
	if len(b.legs) < minPortfolioPositions {
		return
	}
	k := len(b.models)
	b.matrix = slices.Grow(b.matrix, k*k)[:k*k]
	joint.Matrix(b.matrix, s.In.Correlations, b.models, &s.correlating)
	b.findCorrelated()
}

// correlation is that of two legs.
func (b *portfolio) correlation(i, j int) float64 {
	return b.matrix[b.legs[i].asset*len(b.models)+b.legs[j].asset]
}

// findCorrelated fills in the highest signed correlation between the trade's position and
// another large position.
func (b *portfolio) findCorrelated() {
	b.correlated = -1
	if b.target < 0 || len(b.matrix) == 0 {
		return
	}
	side := b.legs[b.target].side()
	for j := range b.legs[:b.count] {
		if other := &b.legs[j]; j != b.target && other.notional() >= significantShare*b.gross {
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
	*mc.TailPair
}

// maxPairs is the largest number of pairs in an answer.
const maxPairs = 50

func (s *Scratch) portfolioRisk(b *portfolio) PortfolioRisk {
	if b.before < minPortfolioPositions {
		return PortfolioRisk{}
	}
	pairs := s.dependence[:0]
	for i := range b.first {
		for j := i + 1; j < len(b.first); j++ {
			one, other := &b.legs[b.first[i]], &b.legs[b.first[j]]
			if p := s.In.Pairs.Pair(one.id, other.id); p != nil {
				pairs = append(pairs, TailDependence{one.name, other.name, p})
			}
		}
	}
	s.dependence = strongest(pairs, &s.lambdas)
	return PortfolioRisk{
		Known: true, VaR99: b.var99, ES99: b.es99, PositionCount: b.before, TailDependence: s.dependence,
	}
}

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
