package evt

import mc "ballast/marketcache"

const (
	// TailShare is the share of the outcomes beyond the threshold.
	TailShare = 0.05
	// quantileLevel is 1-TailShare as a literal, because the subtraction does not give the nearest
	// double.
	quantileLevel = 0.95
	// MinOutcomes is the minimum number of outcomes for a fit of the asset's own tail; with fewer
	// outcomes the pooled tail is used.
	MinOutcomes = 2160
	// minExcesses is the minimum number of exceedances for a fit. An asset whose price hardly moves
	// has many equal values at the threshold, and may have fewer.
	minExcesses = 10
)

// minXi and maxXi bound xi in the fit; clipLow and clipHigh bound the xi that is used.
const (
	minXi, maxXi      = -0.5, 0.9
	clipLow, clipHigh = 0.05, 0.50
)

// pooled is the tail of the outcomes of eight assets taken together (docs/model.md).
var pooled = [mc.SideCount]mc.ExtremeTail{
	mc.Long:  {U: 1.614, Xi: 0.136, Beta: 0.688, Pooled: true},
	mc.Short: {U: 1.666, Xi: 0.182, Beta: 0.640, Pooled: true},
}

// Pooled returns the tail of a side that stands in for an asset with too few outcomes.
func Pooled(side int) mc.ExtremeTail { return pooled[side] }

// Constants returns every number above by name, for the digest of the model.
func Constants() map[string]any {
	pool := [mc.SideCount][3]float64{}
	for side, t := range pooled {
		pool[side] = [3]float64{t.U, t.Xi, t.Beta}
	}
	return map[string]any{
		"tail_share": TailShare, "quantile_level": quantileLevel,
		"fewest_outcomes": MinOutcomes, "fewest_excesses": minExcesses,
		"fit_xi_bounds": [2]float64{minXi, maxXi}, "xi_bounds": [2]float64{clipLow, clipHigh},
		"pooled_tails": pool,
	}
}
