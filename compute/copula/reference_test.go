package copula

import (
	_ "embed"
	"encoding/json"
	"math"
	"testing"
)

//go:embed testdata/synthetic.json
var syntheticJSON []byte

// Compares fits of pairs of series with testdata/reference.py.
func TestAgainstReference(t *testing.T) {
	var g struct {
		Cases []struct {
			A, B                                  []float64
			Tau, Rho, Pearson, Nu, LogLik, Lambda float64
		}
	}
	if err := json.Unmarshal(syntheticJSON, &g); err != nil {
		t.Fatal(err)
	}
	f := NewFitter()
	for i, c := range g.Cases {
		got, ok := f.FitSeries(Prepare(c.A), Prepare(c.B))
		if !ok || got.Points != len(c.A) {
			t.Fatalf("case %d: %+v", i, got)
		}
		tau := 2 / math.Pi * math.Asin(got.RhoTau)
		if !within(tau, c.Tau, 0, 1e-13) || !within(got.RhoTau, c.Rho, 0, 1e-13) ||
			!within(got.Pearson, c.Pearson, 0, 1e-13) {
			t.Errorf("case %d: tau %v, %+v, want %v, %v, %v", i, tau, got, c.Tau, c.Rho, c.Pearson)
		}
		// The likelihood is flat at its maximum, so nu has only about the square root of the
		// likelihood's relative accuracy.
		if !within(got.LogLik, c.LogLik, 1e-9, 0) || !within(got.Nu, c.Nu, 1e-5, 0) ||
			!within(got.Lambda, c.Lambda, 1e-5, 0) {
			t.Errorf("case %d: %+v, want nu %v, log likelihood %v, lambda %v", i, got, c.Nu, c.LogLik, c.Lambda)
		}
	}
}
