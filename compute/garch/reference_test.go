package garch

import (
	_ "embed"
	"encoding/json"
	"math"
	"testing"
)

//go:embed testdata/synthetic.json
var syntheticJSON []byte

// Compares fits of one series with testdata/reference.py.
func TestAgainstReference(t *testing.T) {
	type fitted struct {
		Omega, Alpha, Beta, Nu, NLL float64
		LastVariance                float64 `json:"last_variance"`
		Forecast                    []float64
	}
	var g struct {
		Returns           []float64
		Gaussian, Student fitted
	}
	if err := json.Unmarshal(syntheticJSON, &g); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		student bool
		want    fitted
	}{"gaussian": {false, g.Gaussian}, "student": {true, g.Student}} {
		f, err := fit(g.Returns, c.student, free)
		if err != nil {
			t.Fatal(name, err)
		}
		near := func(what string, got, want, tolerance float64) {
			t.Helper()
			if !(math.Abs(got-want) <= tolerance) {
				t.Errorf("%s: %s %v, want %v", name, what, got, want)
			}
		}
		// The likelihood is flat at its maximum, so parameters have only about the square root of
		// the likelihood's relative accuracy.
		near("negative log likelihood", f.NLL, c.want.NLL, 1e-6)
		near("omega", f.Omega, c.want.Omega, 1e-3*c.want.Omega)
		near("alpha", f.Alpha, c.want.Alpha, 1e-4)
		near("beta", f.Beta, c.want.Beta, 1e-4)
		near("nu", f.Nu, c.want.Nu, 1e-3*c.want.Nu)
		near("last variance", f.LastVariance, c.want.LastVariance, 1e-3*c.want.LastVariance)
		near("forecast", f.Next(), c.want.Forecast[0], 1e-3*c.want.Forecast[0])
		if next := f.After(0.01); next.LastVariance != f.Next() || next.LastReturn != 0.01 || next.Omega != f.Omega {
			t.Errorf("%s: %+v after a return of 0.01", name, next)
		}
	}
}
