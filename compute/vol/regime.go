package vol

import "math"

// Regime classifies today's volatility against the asset's own last year.
type Regime uint8

const (
	RegimeLow Regime = iota
	RegimeNormal
	RegimeHigh
)

// String returns low, normal or high.
func (r Regime) String() string { return [...]string{"low", "normal", "high"}[r] }

// VolatilityRegime returns the regime of docs/model.md. From 720 bars on it uses the rank of
// V0(24), the variance of 24 average hours, among its values of the last year, with hysteresis over
// the last 24 bars. Before that it uses the volatility itself.
func (s *State) VolatilityRegime() Regime {
	if s.bars < seedBars {
		return youngRegime(s.average[H24])
	}
	n := s.day.n
	if n == 0 {
		return plainRegime(0) // the first V0(24) has no other value below it
	}
	rank := func(i int) float64 { return rankOfLast(s.day.from(max(0, i+1-regimeWindow), i+1)) }
	first := max(0, n-1-regimeBars)
	state := plainRegime(rank(first))
	for i := first + 1; i < n; i++ {
		state = state.next(rank(i))
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

func plainRegime(rank float64) Regime {
	switch {
	case rank < plainLow:
		return RegimeLow
	case rank > plainHigh:
		return RegimeHigh
	}
	return RegimeNormal
}

// next returns the regime after one more bar: unchanged while the rank stays within the regime's
// wider band, otherwise by the plain bounds.
func (r Regime) next(rank float64) Regime {
	stays := rank >= leaveNormalLow && rank <= leaveNormalHigh
	switch r {
	case RegimeLow:
		stays = rank <= leaveLow
	case RegimeHigh:
		stays = rank >= leaveHigh
	}
	if stays {
		return r
	}
	return plainRegime(rank)
}

// youngRegime classifies the annual volatility that V0(24) implies, without the factor Kappa2.
func youngRegime(dayVariance float64) Regime {
	switch sigma := math.Sqrt(dayVariance * 365); {
	case sigma < youngLow:
		return RegimeLow
	case sigma > youngHigh:
		return RegimeHigh
	}
	return RegimeNormal
}
