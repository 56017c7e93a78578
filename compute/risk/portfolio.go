package risk

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"ballast/compute/stats"
	"ballast/marketcache"
)

// leg is one position of the book after the trade.
type leg struct {
	id       marketcache.AssetID
	name     string
	signed   float64 // notional, USD, signed
	in       *AssetInput
	isTarget bool
	isolated bool
}

// bookAfter is the wallet's book after the trade as far as the score and the flags need
// it.
type bookAfter struct {
	legs  []leg
	gross float64 // sum of |notional|, cross and isolated, USD
	// var99 is the 24 h 99 % VaR of the whole book, USD, correlations as recorded; only
	// set for two or more positions.
	var99      float64
	largestUSD float64
	// correlated is the highest s_i*s_j*rho between the trade's position and another one
	// of at least 5 % of gross; -1 when there is none.
	correlated float64
}

const (
	// jointRows is how many hours of joint history the simulation replays.
	jointRows  = 8761
	jointLevel = 0.99
	// An asset that has no outcome of its own at an hour moves with BTC by fillerBeta
	// and by a residual of its own.
	fillerBeta     = 0.6
	fillerResidual = 0.8 // sqrt(1-0.6^2)
	fillerStride   = 7919
	fillerTable    = 1009

	significantShare = 0.05
)

// portfolio builds the book after the trade and its joint risk.
func (e *Engine) portfolio(s *Scratch, t *tradePlan) bookAfter {
	b := bookAfter{legs: s.legs[:0], correlated: -1}
	add := func(l leg) {
		b.legs = append(b.legs, l)
		b.gross += math.Abs(l.signed)
		b.largestUSD = max(b.largestUSD, math.Abs(l.signed))
	}
	for i := range s.account.holdings {
		h := &s.account.holdings[i]
		if i == t.index {
			if t.after != 0 {
				add(leg{id: h.id, name: h.name, signed: t.after * t.mark, in: &s.In.Target, isTarget: true})
			}
			continue
		}
		add(leg{id: h.id, name: h.name, signed: h.units * h.mark, in: h.in, isolated: h.isolated})
	}
	if t.index < 0 && t.after != 0 {
		add(leg{id: t.asset.ID, name: t.asset.Name, signed: t.after * t.mark, in: &s.In.Target, isTarget: true})
	}
	s.legs = b.legs
	if len(b.legs) >= 2 {
		b.var99 = s.jointVaR99(b.legs)
		if t.after != 0 {
			b.correlated = e.highestCorrelation(s, &b)
		}
	}
	return b
}

// jointVaR99 replays the recorded hours: each asset's own standardised 24 h outcome of
// that hour, scaled by its volatility of today. No correlation matrix enters; joint
// extremes are the recorded ones. The answer is the type-7 99 % quantile of the loss,
// USD, floored at 0.
//
// Source: Barone-Adesi, Giannopoulos, Vosper 1999, on several assets.
func (s *Scratch) jointVaR99(legs []leg) float64 {
	rows := lastRows(s.In.Rows)
	if len(rows.Values) == 0 {
		sum := 0.0
		for i := range legs {
			l := &legs[i]
			side := tailSide(sign(l.signed))
			tail := &l.in.Model.Tail
			pct := max(tail[marketcache.H24][side][marketcache.P99].PctVaR,
				tail[marketcache.H4][side][marketcache.P99].PctVaR,
				tail[marketcache.H24][side][marketcache.P95].PctVaR)
			sum += math.Abs(l.signed) * pct / pctPerUnit
		}
		return sum
	}
	n := len(rows.Values)
	loss := s.loss[:n]
	clear(loss)
	for i := range legs {
		l := &legs[i]
		scale := -l.signed * math.Sqrt(l.in.Model.Variance[marketcache.H24])
		addOutcomes(loss, &rows, l.in.Model, scale)
	}
	return max(0, stats.Quantile(loss, jointLevel))
}

// lastRows is the series of hours that the simulation replays.
func lastRows(m *marketcache.AssetModel) marketcache.HourlySeries {
	if m == nil {
		return marketcache.HourlySeries{}
	}
	z := m.Z24
	cut := max(0, len(z.Values)-jointRows)
	return marketcache.HourlySeries{FirstHour: z.FirstHour + int64(cut), Values: z.Values[cut:]}
}

// addOutcomes adds scale times the asset's outcome of each row's hour, filling hours it
// has none for.
func addOutcomes(loss []float64, rows *marketcache.HourlySeries, m *marketcache.AssetModel, scale float64) {
	own := &m.Z24
	n := int64(len(rows.Values))
	// Row i is own value i+shift: inside [first, last) the asset has an outcome.
	shift := rows.FirstHour - own.FirstHour
	first := min(max(-shift, 0), n)
	last := min(max(int64(len(own.Values))-shift, first), n)
	if len(own.Values) == 0 {
		first, last = n, n
	}
	for i := range first {
		loss[i] += scale * filler(rows, own, i)
	}
	if first < last {
		z := own.Values[first+shift : last+shift]
		// The same products and sums, element by element, as a plain loop.
		blas64.Axpy(scale, blas64.Vector{N: len(z), Data: z, Inc: 1}, blas64.Vector{N: len(z), Data: loss[first:last], Inc: 1})
	}
	for i := last; i < n; i++ {
		loss[i] += scale * filler(rows, own, i)
	}
}

// filler stands in for the outcome that an asset does not have at row i: part of BTC's
// of that hour plus a residual drawn from the asset's own outcomes, or from a Student t
// with 4 degrees of freedom scaled to unit variance when it has none. The draw depends
// on the hour alone, so that the same history gives the same answer.
func filler(rows, own *marketcache.HourlySeries, i int64) float64 {
	hour := rows.FirstHour + i
	var g float64
	if n := int64(len(own.Values)); n > 0 {
		g = own.Values[hour*fillerStride%n]
	} else {
		u := (float64(hour*fillerStride%fillerTable) + 0.5) / fillerTable
		g = studentT4Quantile(u) / math.Sqrt2
	}
	return fillerBeta*rows.Values[i] + fillerResidual*g
}

// studentT4Quantile is the quantile function of Student's t with 4 degrees of freedom,
// which has a closed form (Shaw 2006).
func studentT4Quantile(p float64) float64 {
	alpha := 4 * p * (1 - p)
	root := math.Sqrt(alpha)
	q := math.Cos(math.Acos(root)/3) / root
	return math.Copysign(2*math.Sqrt(max(q-1, 0)), p-0.5)
}

// highestCorrelation returns the highest signed correlation between the trade's position
// and another significant one.
func (e *Engine) highestCorrelation(s *Scratch, b *bookAfter) float64 {
	matrix := e.correlations(s, b.legs)
	k := len(b.legs)
	target := slices.IndexFunc(b.legs, func(l leg) bool { return l.isTarget })
	best := -1.0
	for j := range b.legs {
		if j == target || math.Abs(b.legs[j].signed) < significantShare*b.gross {
			continue
		}
		signs := sign(b.legs[target].signed) * sign(b.legs[j].signed)
		best = max(best, signs*matrix[target*k+j])
	}
	return best
}
