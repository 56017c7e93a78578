package sim

import "math"

// margin is a bracket of a position: maintenance = notional*rate - deduction from
// lower USD of notional on.
type margin struct{ lower, rate, deduction float64 }

// margins fills rates and deductions of a margin table: rate 1/(2*maxLeverage),
// maintenance continuous at the bounds.
func margins(tiers []tier) []margin {
	out := make([]margin, len(tiers))
	for i, t := range tiers {
		m := margin{lower: t.lowerBound, rate: 1 / (2 * float64(t.maxLeverage))}
		if i > 0 {
			m.deduction = out[i-1].deduction + m.lower*(m.rate-out[i-1].rate)
		}
		out[i] = m
	}
	return out
}

// maintenance is the maintenance margin of a notional, USD.
func maintenance(ms []margin, notional float64) float64 {
	for i := len(ms) - 1; ; i-- {
		if i == 0 || notional >= ms[i].lower {
			return notional*ms[i].rate - ms[i].deduction
		}
	}
}

// liquidationPrice solves equity = maintenance for the mark x of one position, all
// other marks held:
//
//	equity + q*(x-mark) = others + |q|*x*rate - deduction
//
// in each bracket, and keeps the root whose notional lies in that bracket: the tier
// that counts is the one at the liquidation price. ok is false when there is no
// positive root. equity is the pool's at the present mark, others the maintenance of
// its other positions, q signed base units.
func liquidationPrice(ms []margin, q, mark, equity, others float64) (x float64, ok bool) {
	const slack = 1e-12
	for i, m := range ms {
		x = (others - m.deduction - equity + q*mark) / (q - math.Abs(q)*m.rate)
		notional := math.Abs(q) * x
		above := notional >= m.lower*(1-slack)
		below := i == len(ms)-1 || notional < ms[i+1].lower*(1+slack)
		if x > 0 && above && below {
			return x, true
		}
	}
	return 0, false
}
