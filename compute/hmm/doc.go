// Package hmm tells which of three states an asset's market is in: normal,
// stressed or crisis. It is a Gaussian hidden Markov filter (Hamilton 1989) with
// fixed constants, the same for all assets (docs/model.md).
//
// Two features enter each hour:
//
//	x1 = ln(sigma_6h / sigma_25d)          from the memories of package vol
//	x2 = ln(I / median of the last 720 I)  I = sum |r| / sum of USD volume over 24 h
//
// x2 measures how far a dollar of volume moves the price (Amihud 2002). A bar
// without it is judged on x1 alone; before the first bar that has it, and for an
// asset younger than 744 bars, the state comes from thresholds on x1.
//
// Candles lag the book. The overlay that raises the state when spread or depth break down is
// not in this package, because it needs the market snapshot of a request.
package hmm
