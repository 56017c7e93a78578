package vol

import (
	"math"

	mc "ballast/marketcache"
)

// VolatilityRegime returns the regime of docs/model.md. From 720 bars on it uses the rank of
// V0(24), the variance of 24 average hours, among its values of the last year, with hysteresis over
// the last 24 bars. Before that it uses the volatility itself.
func (s *State) VolatilityRegime() mc.VolatilityRegime {
	if s.bars < seedBars {
		return youngRegime(s.average[mc.H24])
	}
	n := s.day.n
	if n == 0 {
		return plainRegime(0) // the first V0(24) has no other value below it
	}
	rank := func(i int) float64 { return rankOfLast(s.day.from(max(0, i+1-regimeWindow), i+1)) }
	first := max(0, n-1-regimeBars)
	state := plainRegime(rank(first))
	for i := first + 1; i < n; i++ {
		state = nextRegime(state, rank(i))
	}
	return state
}

// rankOfLast returns the share of the values that are strictly below the last one.
func rankOfLast(v []float64) float64 {
	last := v[len(v)-1]
	below := 0
	for _, x := range v {
		step := 0
		if x < last {
			step = 1
		}
		below += step
	}
	return float64(below) / float64(len(v))
}

func plainRegime(rank float64) mc.VolatilityRegime {
	switch {
	case rank < plainLow:
		return mc.VolatilityLow
	case rank > plainHigh:
		return mc.VolatilityHigh
	}
	return mc.VolatilityNormal
}

// nextRegime returns the regime after one more bar: unchanged while the rank stays within the regime's
// wider band, otherwise by the plain bounds.
func nextRegime(r mc.VolatilityRegime, rank float64) mc.VolatilityRegime {
	stays := rank >= leaveNormalLow && rank <= leaveNormalHigh
	switch r {
	case mc.VolatilityLow:
		stays = rank <= leaveLow
	case mc.VolatilityHigh:
		stays = rank >= leaveHigh
	}
	if stays {
		return r
	}
	return plainRegime(rank)
}

// youngRegime classifies the annual volatility that V0(24) implies, without the factor Kappa2.
func youngRegime(dayVariance float64) mc.VolatilityRegime {
	switch sigma := math.Sqrt(dayVariance * 365); {
	case sigma < youngLow:
		return mc.VolatilityLow
	case sigma > youngHigh:
		return mc.VolatilityHigh
	}
	return mc.VolatilityNormal
}
