package vol

import mc "ballast/marketcache"

// The functions of this file serve readers of a published fit, which has outcomes but no State.

// FirstOutcome is the index k of the first outcome of any history.
const FirstOutcome = seedBars

// TailWindow returns the maximum number of newest outcomes that the tail of horizon h (an index) uses.
func TailWindow(h int) int { return window[h] + 1 }

// TailShare returns 1-level for a level (an index): 0.05 or 0.01.
func TailShare(level int) float64 { return tailShare[level] }

// MixedQuantile returns the quantile of s*z that a forecast of horizon h uses: own, the quantile
// of its n outcomes, mixed with the pooled quantile while n is small.
func MixedQuantile(h, n int, own float64, side, level int) float64 {
	return mix(OwnWeight(n), own, -pooled[h][side][level].quantile)
}

// LossPct returns the loss of a side in percent of notional, limited to the range of a VaR: 0 to 100
// long, 0 to 500 short. signedZ is s*z: the log return in standard deviations sd, times -1 for a short.
func LossPct(signedZ float64, side int, sd float64) float64 {
	return max(0, min(maxLossPct[side], pctLoss(signedZ, side, sd)))
}

// KnotWeight returns the weight of n outcomes in knot j of horizon h (Excursion24h or Excursion168h).
func KnotWeight(h, n, j int) float64 { return knotWeight(n, mc.Horizons[excursionHorizons[h]], j) }
