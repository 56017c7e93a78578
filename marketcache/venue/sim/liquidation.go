package sim

import "math"

// margin is a margin tier: from lower USD of notional on, maintenance = notional*rate - deduction.
type margin struct{ lower, rate, deduction float64 }

// margins returns a margin table with rates 1/(2*maxLeverage), and deductions that make maintenance
// continuous at the bounds.
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

// maintenance returns the maintenance margin of a notional, USD.
func maintenance(ms []margin, notional float64) float64 {
	for i := len(ms) - 1; ; i-- {
		if i == 0 || notional >= ms[i].lower {
			return notional*ms[i].rate - ms[i].deduction
		}
	}
}

// liquidationPrice returns the mark x at which one position is liquidated, all other marks unchanged. It
// solves
//
//	equity + q*(x-mark) = others + |q|*x*rate - deduction
//
// for each tier and returns the root whose notional lies in that tier: the tier at the liquidation price
// counts. equity is the pool's at the current mark, others the maintenance margin of its other positions,
// q in signed base units. ok is false without a positive root.
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
