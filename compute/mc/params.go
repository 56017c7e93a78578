package mc

const (
	// Paths and Steps are the size of a position's simulation: antithetic pairs of hourly
	// steps. The kernel accepts any even number of paths, but always this number of steps.
	Paths, Steps = 10_000, 24
	// Draws is the number of scenarios of several positions, in antithetic pairs.
	Draws = 8192

	// OwnTable is the number of hourly outcomes from which an asset draws from its own table. Below it,
	// innovations are Student with StudentNu degrees of freedom, scaled to variance 1 (pooled fit).
	OwnTable  = 720
	StudentNu = 3.66

	// minMatch and maxMatch are the bounds of c, the second-moment match.
	minMatch, maxMatch = 0.5, 2

	// marginalNu is the degrees of freedom of the marginal of an asset without outcomes.
	marginalNu = 4
	// tailRank and tailHalf select the scenarios around the 99 % loss: those of rank
	// round(tailRank*(n-1)) +- floor(tailHalf*n).
	tailRank, tailHalf = 0.99, 0.005
	// minPivot is the smallest squared pivot of a correlation matrix not treated as 0.
	minPivot = 1e-12
	// maxFactor is the maximum factor by which contributions are rescaled to sum to the VaR.
	maxFactor = 10
)

// Constants returns every number above by name, for the digest of the model.
func Constants() map[string]any {
	return map[string]any{
		"generator": "philox4x32-10",
		"paths":     Paths, "steps_hours": Steps, "draws": Draws,
		"own_table": OwnTable, "student_nu": StudentNu, "student_bins": studentBins,
		"match_bounds": [2]float64{minMatch, maxMatch},
		"marginal_nu":  marginalNu,
		"tail_rank":    tailRank, "tail_half": tailHalf,
		"least_pivot": minPivot, "most_factor": maxFactor,
		"interval":      [2]float64{lowerShare, upperShare},
		"tail_shares":   [2]float64{share95, share99},
		"density_share": densityShare,
		"most_log_move": maxLogMove, "least_mixing_nu": minMixingNu,
	}
}
