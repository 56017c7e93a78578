package copula

import (
	"math"
	"testing"

	"ballast/internal/reference"
)

func within(got, want, rel, abs float64) bool {
	return math.Abs(got-want) <= rel*math.Abs(want)+abs
}

func TestGoldenTailDependence(t *testing.T) {
	var g struct {
		Tolerance struct {
			Lambda float64 `json:"lambda_rel"`
		}
		Formula []struct{ Rho, Nu, Lambda float64 }
	}
	reference.Golden(t, "tail_dependence", &g)
	for _, r := range g.Formula {
		if got := Lambda(r.Rho, r.Nu); !within(got, r.Lambda, g.Tolerance.Lambda, 0) {
			t.Errorf("rho %v, nu %v: %v, want %v", r.Rho, r.Nu, got, r.Lambda)
		}
	}
}
