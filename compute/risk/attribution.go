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
	out := Attribution{Known: b.count > 0, TotalVaR99: b.var99, Positions: s.attribution[:0]}
	switch {
	case b.count == 0:
		return out
	case k == 1: // its share is the total
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
		spread[i] = b.positions[i].signed() * b.positions[i].in.Model.DailySigma
	}
	b.eulerShares(share, spread)
	if s.replay.recorded && k > 2 {
		s.replay.whole.PrepareWithout()
	}
	alone := 0.0
	for i := range b.positions {
		l := &b.positions[i]
		p := PositionVaR{Asset: l.name, Collateral: l.collateral}
		if b.var99 > 0 {
			p.ComponentVaR, p.ComponentPct = b.var99*share[i], pctPerUnit*share[i]
		}
		own, without := s.withAndWithout(b, i)
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

// withAndWithout returns the VaR of leg i alone and the VaR of all other legs, USD.
func (s *Scratch) withAndWithout(b *book, i int) (own, without float64) {
	l := &b.positions[i]
	own, _ = s.aloneLoss(l)
	switch {
	case !s.replay.recorded: // the losses of the legs alone add up
		return own, b.var99 - own
	case len(b.positions) == 2:
		without, _ = s.aloneLoss(&b.positions[1-i])
	default:
		without = max(0, s.replay.whole.Without(l.in.Model, l.signed()))
	}
	return own, without
}

// eulerShares writes each leg's share of the portfolio's standard deviation, which under an elliptical
// distribution is its share of any quantile. spread holds the signed standard deviations of the legs [k].
// The shares sum to 1, or are all 0 when every volatility is 0.
func (b *book) eulerShares(share, spread []float64) {
	for i := range share {
		sum := 0.0
		for j := range spread {
			sum += b.correlation(i, j) * spread[j]
		}
		share[i] = spread[i] * sum
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
