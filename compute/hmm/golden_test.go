package hmm

import (
	"math"
	"strconv"
	"testing"

	"ballast/internal/reference"
)

func TestGoldenConstants(t *testing.T) {
	var g struct {
		Fixed struct {
			Mu, SD [States][2]float64
			P      [States][States]float64
			Pi     [States]float64
		}
	}
	reference.Golden(t, "hmm", &g)
	if g.Fixed.Mu != Mean || g.Fixed.SD != SD || g.Fixed.P != Transition || g.Fixed.Pi != Prior {
		t.Error("constants differ from the reference")
	}
}

// Compares the recursion with statsmodels, for one feature with fitted parameters.
func TestGoldenStatsmodels(t *testing.T) {
	var g struct {
		Check struct {
			Y         []float64
			Means     [States]float64
			Variances [States]float64
			P         [States][States]float64 `json:"P_rows_from"`
			LogLik    float64
			Filtered  map[string][States]float64
		} `json:"statsmodels_check"`
		Tolerance struct {
			Prob float64 `json:"prob_abs"`
		}
	}
	reference.Golden(t, "hmm", &g)
	c := g.Check
	expected := [States]float64{1, 0, 0}
	for range 100_000 {
		expected = predict(expected, &c.P) // converges to the stationary distribution
	}
	loglik := 0.0
	for i, y := range c.Y {
		var density [States]float64
		likelihood := 0.0
		for j := range States {
			density[j] = normalDensity(y, c.Means[j], math.Sqrt(c.Variances[j]))
			likelihood += expected[j] * density[j]
		}
		loglik += math.Log(likelihood)
		alpha := update(expected, density)
		if want, ok := c.Filtered[strconv.Itoa(i)]; ok {
			for j := range States {
				if !near(alpha[j], want[j], g.Tolerance.Prob) {
					t.Errorf("row %d, state %d: %v, want %v", i, j, alpha[j], want[j])
				}
			}
		}
		expected = predict(alpha, &c.P)
	}
	if !near(loglik, c.LogLik, 1e-6*c.LogLik) {
		t.Errorf("log likelihood %v, want %v", loglik, c.LogLik)
	}
}
