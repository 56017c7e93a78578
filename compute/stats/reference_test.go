package stats

import (
	_ "embed"
	"encoding/json"
	"slices"
	"testing"

	"ballast/internal/reference"
)

//go:embed testdata/synthetic.json
var syntheticJSON []byte

// rowsOf returns the rows of a square matrix.
func rowsOf(c []float64, k int) [][]float64 { return slices.Collect(slices.Chunk(c, k)) }

// shrunk returns the shrunk covariance of series and the shrinkage.
func shrunk(series [][]float64) (c [][]float64, shrinkage float64) {
	k := len(series)
	all := make([]float64, k*k)
	shrinkage = LedoitWolf(all, series)
	return rowsOf(all, k), shrinkage
}

// moments returns the correlations of series, the series without their means, and standardised.
func moments(series [][]float64) (pearson, demeaned, standardised [][]float64) {
	for _, a := range series {
		var row, centred []float64
		for _, b := range series {
			row = append(row, Pearson(a, b))
		}
		for _, v := range a {
			centred = append(centred, v-Mean(a))
		}
		unit := slices.Clone(a)
		Standardise(unit, unit)
		pearson, demeaned, standardised = append(pearson, row), append(demeaned, centred), append(standardised, unit)
	}
	return pearson, demeaned, standardised
}

// Correlation and shrinkage against testdata/reference.py.
func TestAgainstReference(t *testing.T) {
	var want map[string]any
	var g struct{ Series [][]float64 }
	for _, into := range []any{&want, &g} {
		if err := json.Unmarshal(syntheticJSON, into); err != nil {
			t.Fatal(err)
		}
	}
	pearson, demeaned, standardised := moments(g.Series)
	cov, shrinkage := shrunk(demeaned)
	unitCov, unitShrinkage := shrunk(standardised)
	reference.Tolerance{Rel: 1e-11}.Match(t, want, reference.Fields{
		"pearson": pearson, "shrinkage": shrinkage, "cov": cov,
		"standardised_shrinkage": unitShrinkage, "standardised_cov": unitCov,
	})
}
