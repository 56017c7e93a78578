package risk

import (
	"slices"

	"ballast/marketcache"
)

// PortfolioRisk is the loss of the book after the trade, in USD over 24 hours.
type PortfolioRisk struct {
	Known         bool // false with fewer than two positions before the trade
	VaR99, ES99   float64
	PositionCount int // open before the trade
	// TailDependence has an entry for each pair of positions with enough common history.
	TailDependence []TailDependence
	Simulation     PortfolioSimulation
}

// TailDependence says how two assets fall and rise together: the limit of the probability
// that one is beyond its quantile when the other is, the same in both tails.
type TailDependence struct {
	A, B string
	*marketcache.TailPair
	Text marketcache.PairText
}

// portfolioRisk fills the block.
func (s *Scratch) portfolioRisk(b *book) PortfolioRisk {
	if b.before < minPortfolioPositions {
		return PortfolioRisk{}
	}
	s.ids = s.ids[:0]
	for i := range b.positions {
		s.ids = append(s.ids, b.positions[i].id)
	}
	n := 0
	for i, id := range s.ids {
		n += s.In.Pairs.Texts(id, s.ids[i+1:])
	}
	pairs := slices.Grow(s.dependence[:0], n)
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
