package risk

import (
	"weak"

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
	A, B    string
	Lambda  float64 // 0 to 1
	Pearson float64 // correlation of 4-hour returns
	Nu      float64 // degrees of freedom of the copula
}

// portfolioRisk fills the block.
func (e *Engine) portfolioRisk(s *Scratch, b *book) PortfolioRisk {
	if b.before < minPortfolioLegs {
		return PortfolioRisk{}
	}
	out := PortfolioRisk{
		Known: true, VaR99: b.var99, ES99: b.es99, PositionCount: b.before,
	}
	d := &s.dependence
	if !d.isOf(b.legs) {
		d.pairs = d.pairs[:0]
		for i := range b.legs {
			for j := i + 1; j < len(b.legs); j++ {
				x, y := &b.legs[i], &b.legs[j]
				if p := s.In.Pairs.Get(x.id, y.id); p.Known {
					d.pairs = append(d.pairs, TailDependence{x.name, y.name, p.Lambda, p.Pearson, p.Nu})
				}
			}
		}
		d.remember(b.legs)
	}
	out.TailDependence = d.pairs
	return out
}

// dependence is the tail dependence of the last book that a scratch has seen. The pairs of
// many positions are worth keeping: 200 of them have 19,900.
type dependence struct {
	pairs []TailDependence
	fits  []weak.Pointer[marketcache.AssetModel] // of the legs, none of a small book
	names []string
}

// rememberedLegs is the least book whose pairs are kept.
const rememberedLegs = 16

func (d *dependence) isOf(legs []leg) bool {
	if len(d.fits) != len(legs) {
		return false
	}
	for i := range legs {
		if d.names[i] != legs[i].name || d.fits[i].Value() != legs[i].in.Model {
			return false
		}
	}
	return len(legs) > 0
}

func (d *dependence) remember(legs []leg) {
	d.fits, d.names = d.fits[:0], d.names[:0]
	if len(legs) < rememberedLegs {
		return
	}
	for i := range legs {
		d.fits, d.names = append(d.fits, weak.Make(legs[i].in.Model)), append(d.names, legs[i].name)
	}
}
