package copula

const (
	// HourlyReturns is the number of hourly returns that are looked at, the newest.
	HourlyReturns = 8640
	groupHours    = 4
	// returnsPerUnit is the reciprocal of the rounding of a 4-hour return. Returns of low-priced assets
	// tie, and without rounding the last bit of a sum would decide which do.
	returnsPerUnit = 1e12

	// MinPoints is the number of common points that a pair needs.
	MinPoints = 180

	// MinNu and MaxNu bound the degrees of freedom.
	MinNu, MaxNu = 2.05, 40
	// DefaultNu is the pooled nu of a book without any pair.
	DefaultNu = 4
	maxRho    = 0.999 // of |rho|
)

// Constants returns every number above by name, for the digest of the model.
func Constants() map[string]any {
	return map[string]any{
		"hourly_returns": HourlyReturns, "group_hours": groupHours, "returns_per_unit": returnsPerUnit,
		"fewest_points": MinPoints, "nu_bounds": [2]float64{MinNu, MaxNu},
		"default_nu": DefaultNu, "max_rho": maxRho,
	}
}
