package joint

import "ballast/marketcache"

// Constants of docs/model.md. [A] marks our own assumption, neither measured nor published. A
// change here changes calibration_hash.
const (
	// Rows is the maximum number of hours that are replayed.
	Rows = 8761
	// Level is the confidence level of loss quantiles and of mean losses beyond them.
	Level = 0.99
	// bestRows is the number of best hours kept for a position in an asset, per side. The worst
	// hours of a portfolio without that position are searched among these hours and the worst
	// hours of the whole portfolio.
	bestRows = 512

	// An asset's missing outcome is replaced by fillerBeta [A] times BTC's outcome plus
	// fillerResidual times a residual. The hour selects the residual.
	fillerBeta     = 0.6
	fillerResidual = 0.8  // sqrt(1-0.6^2)
	fillerStride   = 7919 // hour*fillerStride modulo the number of residuals is the residual's index
	fillerTable    = 1009 // number of residuals for an asset without outcomes

	// The move of a price within 24 hours counts as at most maxPriceMove, and the log return behind it as
	// at most maxExponent. The factor by which an asset's moves give a position its own VaR is limited [A].
	maxPriceMove, maxExponent = 5, 10
	minScale, maxScale        = 0.1, 10

	// pathStride is the distance in hours between two recorded paths, markHours that between two marks of
	// a path. An asset with fewer than minPaths paths of its own takes its residuals from BTC's.
	pathStride, markHours = 4, 4
	minPaths              = 100
	// betweenMarks is the constant of a barrier that is watched at intervals (Broadie, Glasserman, Kou
	// 1997): what a price does between two marks, in root mean squares of its moves between marks.
	betweenMarks = 0.58
	// minLeft is the least share of a price that a loss leaves, and the least net share and standard
	// deviation of a pool.
	minLeft = 1e-9

	correlationRows    = 2160 // maximum hours used
	minCorrelationRows = 240
	// DefaultCorrelation is used for a pair without enough common history [A].
	DefaultCorrelation = 0.6
	// maxWindows bounds the windows of a table. Each serves the assets listed by its first hour,
	// so this many listings within 90 days are covered.
	maxWindows = 32
)

// pathScale is the factor on the standard deviation over a horizon by which a recorded day is scaled: a
// week's path has the shape of a day's, and excursions of seven days are that much smaller.
var pathScale = [marketcache.ExcursionHorizons]float64{marketcache.Excursion24h: 1, marketcache.Excursion168h: 0.95}

// Constants returns every number above that a figure depends on, by name, for the digest of the model.
func Constants() map[string]any {
	return map[string]any{
		"rows": Rows, "level": Level,
		"filler_beta": fillerBeta, "filler_residual": fillerResidual, "filler_stride": fillerStride,
		"filler_table":   fillerTable,
		"max_price_move": maxPriceMove, "max_exponent": maxExponent, "scale_bounds": [2]float64{minScale, maxScale},
		"path_stride": pathStride, "mark_hours": markHours, "fewest_paths": minPaths, "between_marks": betweenMarks,
		"path_scale": pathScale, "min_left": minLeft,
		"correlation_rows": correlationRows, "min_correlation_rows": minCorrelationRows,
		"default_correlation": DefaultCorrelation,
	}
}
