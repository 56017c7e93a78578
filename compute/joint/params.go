package joint

// Constants of docs/model.md. [A] marks an assumption of ours, not a measured or published
// figure. A change here changes calibration_hash.
const (
	// Rows is how many hours of joint history are replayed.
	Rows = 8761
	// Level is the level of the quantile and of the shortfall of one asset's losses.
	Level = 0.99
	// bestRows is how many of its best hours are kept for a position in an asset, for each
	// side. The worst hours of a book without that position are looked for among these and
	// the worst hours of the whole book.
	bestRows = 512
	// moveStride is the distance in hours between two rows of the moves.
	moveStride = 3

	// An asset that has no outcome of its own at an hour moves with BTC by fillerBeta [A]
	// and by a residual of its own, drawn by the hour.
	fillerBeta     = 0.6
	fillerResidual = 0.8 // sqrt(1-0.6^2)
	fillerStride   = 7919
	fillerTable    = 1009 // residuals of an asset without outcomes

	// fullWeight is the number of rows of moves from which the replay stands alone; below
	// minWeight it does not count.
	fullWeight, minWeight = 480, 34
	// The shortfall beyond the rows has a generalised Pareto tail through its quantiles at
	// tailLevel1 and tailLevel2, of shape tailXi [A]; their distance is at least
	// minTailShare of the gross notional.
	tailLevel1, tailLevel2 = 0.99, 0.999
	tailXi                 = 0.4
	minTailShare           = 1e-9

	correlationRows    = 2160 // hours looked back
	minCorrelationRows = 240
	// DefaultCorrelation stands for a pair without enough common history [A].
	DefaultCorrelation = 0.6
	// maxWindows bounds the windows of a table. Each is for the assets listed by its first
	// hour, so that many are as many listings within 90 days.
	maxWindows = 32
)

// Constants returns every number above that a figure depends on, by name, for the digest of
// the model.
func Constants() map[string]any {
	return map[string]any{
		"rows": Rows, "level": Level, "move_stride": moveStride,
		"filler_beta": fillerBeta, "filler_residual": fillerResidual, "filler_stride": fillerStride, "filler_table": fillerTable,
		"full_weight": fullWeight, "min_weight": minWeight,
		"tail_levels": [2]float64{tailLevel1, tailLevel2}, "tail_xi": tailXi, "min_tail_share": minTailShare,
		"correlation_rows": correlationRows, "min_correlation_rows": minCorrelationRows, "default_correlation": DefaultCorrelation,
	}
}
