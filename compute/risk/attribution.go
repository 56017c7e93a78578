package risk

import (
	"ballast/compute/stats"
)

// Attribution splits the joint loss after the trade among the positions.
type Attribution struct {
	Known              bool    // false without any position
	TotalVaR99         float64 // USD
	DiversificationPct float64 // TotalVaR99 is this much below the sum of the stand-alone VaRs, 0 to 100
	Positions          []PositionVaR
}

// PositionVaR is one position's part of the joint loss, USD.
type PositionVaR struct {
	Asset        string
	Collateral   bool    // a balance that counts as collateral, not a position
	MarginalVaR  float64 // decrease of the joint VaR if the position were closed
	ComponentVaR float64 // its share of the joint VaR; shares sum to the total; negative: a hedge
	ComponentPct float64
}

// attribute splits the joint VaR. ComponentVaR is the Euler allocation for an elliptical distribution
// with today's volatilities and historical correlations. For MarginalVaR the recorded
// hours are replayed without the position (see replay).
//
// Source: McNeil, Frey, Embrechts, Quantitative Risk Management, 2nd ed., 8.5.
func (s *Scratch) attribute(b *book) Attribution {
	k := len(b.positions)
	out := Attribution{Known: k > 0, TotalVaR99: b.var99, Positions: s.attribution[:0]}
	switch k {
	case 0:
		return out
	case 1: // its share is the total
		p := PositionVaR{Asset: b.positions[0].name, MarginalVaR: b.var99}
		if b.var99 > 0 {
			p.ComponentVaR, p.ComponentPct = b.var99, pctPerUnit
		}
		out.Positions = append(out.Positions, p)
		s.attribution = out.Positions
		return out
	}
	s.vector = append(s.vector[:0], make([]float64, 2*k)...)
	spread, share := s.vector[:k], s.vector[k:]
	for i := range b.positions {
		p := &b.positions[i]
		spread[i] = p.units * p.mark * p.in.Model.DailySigma
	}
	eulerShares(share, spread, b.matrix)

	if s.replay.recorded && k > 2 {
		s.replay.book.PrepareWithout()
	}
	pairs := s.In.Pairs.Rows(s.pairRows[:0], s.ids)
	s.pairRows = pairs
	alone := 0.0
	for i := range b.positions {
		p := PositionVaR{Asset: b.positions[i].name}
		if b.var99 > 0 {
			p.ComponentVaR, p.ComponentPct = b.var99*share[i], pctPerUnit*share[i]
		}
		s.In.Pairs.Prefetch(pairs[min(i, len(pairs)):]) // portfolioRisk reads them
		own, without := s.replay.withAndWithout(b, i)
		p.MarginalVaR = b.var99 - without
		alone += own
		out.Positions = append(out.Positions, p)
	}
	s.attribution = out.Positions
	if alone > 0 {
		out.DiversificationPct = min(max(pctPerUnit*(1-b.var99/alone), 0), pctPerUnit)
	}
	return out
}

// eulerShares writes each position's share of the portfolio's standard deviation, which under an
// elliptical distribution is its share of any quantile. spread holds the signed standard deviations of
// the positions [k], correlation is [k*k]. The shares sum to 1, or are all 0 when every volatility is 0.
func eulerShares(share, spread, correlation []float64) {
	k := len(spread)
	for i := range share {
		share[i] = spread[i] * stats.Dot(correlation[i*k:(i+1)*k], spread)
	}
	total := stats.Sum(share)
	for i := range share {
		if total > 0 {
			share[i] /= total
		} else {
			share[i] = 0
		}
	}
}
