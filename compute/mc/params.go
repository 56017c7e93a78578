package mc

const (
	// Paths and Steps make one simulation of a position: antithetic pairs of hourly
	// steps. The kernel runs with any even number of paths, always with these steps.
	Paths, Steps = 10_000, 24
	// Draws is the number of scenarios of a book, antithetic pairs too.
	Draws = 8192

	// OwnTable is the number of hourly outcomes from which an asset draws from its own
	// table. Before, innovations are Student with StudentNu degrees of freedom, scaled
	// to unit variance (pooled fit).
	OwnTable  = 720
	StudentNu = 3.66

	// minMatch and maxMatch bound the second-moment match c.
	minMatch, maxMatch = 0.5, 2

	// marginalNu is the Student distribution of an asset without outcomes.
	marginalNu = 4
	// tailRank and tailHalf choose the scenarios that stand for the 99 % loss: those of
	// rank round(tailRank*(n-1)) +- floor(tailHalf*n).
	tailRank, tailHalf = 0.99, 0.005
	// minPivot is the least squared pivot of a correlation matrix that counts.
	minPivot = 1e-12
	// maxFactor is the largest factor that rescales contributions to the VaR.
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
