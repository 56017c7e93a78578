package risk

import (
	"math"

	"ballast/compute/stats"
	"ballast/marketcache"
)

// Attribution splits the loss of the book after the trade between its positions.
type Attribution struct {
	Known              bool // false for an empty book
	TotalVaR99         float64
	DiversificationPct float64 // how much less than the sum of the positions alone, 0 to 100
	Positions          []PositionVaR
}

// PositionVaR is one position's part of the loss of the book, USD.
type PositionVaR struct {
	Asset        string
	MarginalVaR  float64 // what the book's VaR would fall by without the position
	ComponentVaR float64 // its share; the shares add up to the total; negative: a hedge
	ComponentPct float64
}

// attribute splits the joint VaR. The shares are those of an elliptical distribution with
// today's volatilities and the recorded correlations (Euler allocation); the marginal
// figures replay the recorded hours without the position.
//
// Source: McNeil, Frey, Embrechts, Quantitative Risk Management, 2nd ed., 8.5.
func (e *Engine) attribute(s *Scratch, b *book) Attribution {
	k := len(b.legs)
	out := Attribution{Known: k > 0, TotalVaR99: b.var99, Positions: s.attribution[:0]}
	if k == 0 {
		return out
	}
	s.vector = append(s.vector[:0], make([]float64, 2*k)...)
	spread, share := s.vector[:k], s.vector[k:]
	for i := range b.legs {
		m := b.legs[i].in.Model
		spread[i] = b.legs[i].signed * math.Sqrt(m.Variance[marketcache.H24]*m.Kappa2[marketcache.H24])
	}
	if k > 1 {
		eulerShares(share, spread, e.correlations(s, b.legs))
	} else if spread[0] != 0 {
		share[0] = 1
	}

	if len(s.loss) > 0 && k > 2 {
		s.replay.without.Prepare(s.loss, jointLevel, k)
	}
	alone := 0.0
	for i := range b.legs {
		l := &b.legs[i]
		p := PositionVaR{Asset: l.name}
		if b.var99 > 0 {
			p.ComponentVaR, p.ComponentPct = b.var99*share[i], pctPerUnit*share[i]
		}
		own, without := l.withAndWithout(e, s, b, i)
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

// withAndWithout returns the VaR of leg i alone and that of the book without it, USD.
func (l *leg) withAndWithout(e *Engine, s *Scratch, b *book, i int) (own, without float64) {
	rows := s.In.Rows
	if rows == nil || len(rows.Z24.Values) == 0 { // what stands in for a replay adds up
		own, _ = l.aloneOffRecord()
		return own, b.var99 - own
	}
	if len(b.legs) == 1 {
		return b.var99, 0
	}
	o := e.outcomes(rows, l.in.Model)
	own, _ = l.alone(o)
	switch len(b.legs) {
	case 2: // the other one, alone
		other := &b.legs[1-i]
		without, _ = other.alone(e.outcomes(rows, other.in.Model))
	default:
		// What the others lose is what all lose less what this one does.
		without = max(0, s.replay.without.Quantile(-l.scale(), o.z, o.best[tailSide(sign(l.signed))]))
	}
	return own, without
}

// eulerShares writes each position's share of the standard deviation of a book, which
// under an elliptical distribution is its share of any quantile. spread holds the signed
// standard deviations of the positions [k], correlation is [k*k]. The shares add up to 1;
// they are 0 when nothing moves.
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
