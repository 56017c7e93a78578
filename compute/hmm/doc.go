// Package hmm estimates which of three states an asset's market is in: normal, stressed or crisis.
// It is a Gaussian hidden Markov filter (Hamilton 1989) with fixed constants, the same for all
// assets (docs/model.md).
//
// The filter uses two features each hour:
//
//	x1 = ln(sigma_6h / sigma_25d)          from the 6 h and 25 d averages of package vol
//	x2 = ln(I / median of the last 720 I)  I = sum |r| / sum of USD volume over 24 h
//
// x2 measures the price impact of a dollar of volume (Amihud 2002). For a bar without x2 the filter
// uses x1 alone. Before the first bar with x2, and for an asset with fewer than 744 bars, the state
// comes from thresholds on x1.
//
// Candles lag behind the book. The overlay that raises the state when the spread is wide or the
// depth is low is not in this package, because it needs the market snapshot of a request.
package hmm
