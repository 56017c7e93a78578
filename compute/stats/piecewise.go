package stats

// Knot is one point of a piecewise linear curve.
type Knot struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// PiecewiseLinear returns the value at x of the curve through knots (ascending in X): linear between
// knots, constant outside, 0 without knots. docs/model.md writes it pl(x; x0:y0, ...).
func PiecewiseLinear(x float64, knots []Knot) float64 {
	if len(knots) == 0 {
		return 0
	}
	if x <= knots[0].X {
		return knots[0].Y
	}
	for i := 1; i < len(knots); i++ {
		a, b := knots[i-1], knots[i]
		if x < b.X {
			return a.Y + float64((b.Y-a.Y)*((x-a.X)/(b.X-a.X)))
		}
	}
	return knots[len(knots)-1].Y
}
