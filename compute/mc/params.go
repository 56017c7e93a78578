package mc

const (
	// Paths and Steps are the size of a position's simulation: antithetic pairs of hourly
	// steps. The kernel accepts any even number of paths, but always this number of steps.
	Paths, Steps = 10_000, 24
	// Draws is the number of scenarios of several positions, in antithetic pairs.
	Draws = 8192

	// OwnTable is the minimum number of hourly outcomes for an asset's own table of innovations. With fewer,
	// innovations are Student with StudentNu degrees of freedom (a pooled fit), scaled to variance 1.
	OwnTable  = 720
	StudentNu = 3.66

	// minMatch and maxMatch are the bounds of the factor that MomentMatch returns.
	minMatch, maxMatch = 0.5, 2

	// marginalNu is the degrees of freedom of the marginal of an asset without outcomes.
	marginalNu = 4
	// maxMove: the move of a position's price counts as at most this fraction of it.
	maxMove = 5
	// tailRank and tailHalf select the scenarios around the 99 % loss: those of rank
	// round(tailRank*(n-1)) +- floor(tailHalf*n).
	tailRank, tailHalf = 0.99, 0.005
	// minPivot: a squared Cholesky pivot of the correlation matrix up to this value counts as 0.
	minPivot = 1e-12
	// maxFactor is the maximum factor by which contributions are rescaled to sum to the VaR.
	maxFactor = 10
)

// Constants returns the constants that a result depends on, by name, for the digest of the model.
func Constants() map[string]any {
	return map[string]any{
		"generator": "philox4x32-10",
		"paths":     Paths, "steps_hours": Steps, "draws": Draws,
		"own_table": OwnTable, "student_nu": StudentNu, "student_bins": studentBins,
		"match_bounds": [2]float64{minMatch, maxMatch},
		"marginal_nu":  marginalNu,
		"most_move":    maxMove,
		"tail_rank":    tailRank, "tail_half": tailHalf,
		"least_pivot": minPivot, "most_factor": maxFactor,
		"interval":      [2]float64{lowerShare, upperShare},
		"tail_shares":   [2]float64{share95, share99},
		"density_share": densityShare,
		"most_log_move": maxLogMove, "least_mixing_nu": minMixingNu,
	}
}
