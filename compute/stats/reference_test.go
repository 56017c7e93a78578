package stats

import (
	_ "embed"
	"encoding/json"
	"slices"
	"testing"
)

//go:embed testdata/synthetic.json
var syntheticJSON []byte

// Correlation and shrinkage against testdata/reference.py.
func TestAgainstReference(t *testing.T) {
	var g struct {
		Series                [][]float64
		Pearson               [][]float64
		Shrinkage             float64
		Cov                   [][]float64
		StandardisedShrinkage float64     `json:"standardised_shrinkage"`
		StandardisedCov       [][]float64 `json:"standardised_cov"`
	}
	if err := json.Unmarshal(syntheticJSON, &g); err != nil {
		t.Fatal(err)
	}
	k := len(g.Series)
	equal := func(name string, got []float64, want [][]float64) {
		t.Helper()
		for i, w := range slices.Concat(want...) {
			if !near(got[i], w, 1e-11) {
				t.Errorf("%s[%d][%d]: %v, want %v", name, i/k, i%k, got[i], w)
			}
		}
	}
	var pearson []float64
	demeaned, standardised := make([][]float64, k), make([][]float64, k)
	for i, a := range g.Series {
		for _, b := range g.Series {
			pearson = append(pearson, Pearson(a, b))
		}
		for _, v := range a {
			demeaned[i] = append(demeaned[i], v-Mean(a))
		}
		standardised[i] = slices.Clone(a)
		Standardise(standardised[i], standardised[i])
	}
	equal("pearson", pearson, g.Pearson)
	c := make([]float64, k*k)
	if s := LedoitWolf(c, demeaned); !near(s, g.Shrinkage, 1e-11) {
		t.Errorf("shrinkage %v, want %v", s, g.Shrinkage)
	}
	equal("cov", c, g.Cov)
	if s := LedoitWolf(c, standardised); !near(s, g.StandardisedShrinkage, 1e-11) {
		t.Errorf("standardised shrinkage %v, want %v", s, g.StandardisedShrinkage)
	}
	equal("standardised cov", c, g.StandardisedCov)
}
