package copula

const (
	// HourlyReturns is the maximum number of hourly returns used; older returns are ignored.
	HourlyReturns = 8640
	groupHours    = 4
	// returnsPerUnit is the reciprocal of the step to which 4-hour returns are rounded. Many
	// returns of low-priced assets are equal; without rounding, the last bit of a sum would decide
	// which of them count as equal.
	returnsPerUnit = 1e12

	// MinPoints is the number of common points that a pair needs.
	MinPoints = 180

	// MinNu and MaxNu bound the degrees of freedom.
	MinNu, MaxNu = 2.05, 40
	// DefaultNu is the pooled nu of a book without any pair.
	DefaultNu = 4
	maxRho    = 0.999 // limit of |rho|
)

// Constants returns every number above by name, for the digest of the model.
func Constants() map[string]any {
	return map[string]any{
		"hourly_returns": HourlyReturns, "group_hours": groupHours, "returns_per_unit": returnsPerUnit,
		"fewest_points": MinPoints, "nu_bounds": [2]float64{MinNu, MaxNu},
		"default_nu": DefaultNu, "max_rho": maxRho,
	}
}
