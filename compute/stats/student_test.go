package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The distribution functions for one (Cauchy), two and four degrees of freedom have closed forms.
func TestStudentClosedForms(t *testing.T) {
	for _, x := range []float64{1e-9, 0.01, 0.3, 1, 1.4, 1.7, 2, 3, 10, 1e3, 1e8} {
		root2, root4 := math.Sqrt(2+x*x), math.Sqrt(4+x*x)
		u := x / root4
		for nu, want := range map[float64]float64{
			1: math.Atan(1/x) / math.Pi,
			2: 1 / (root2 * (root2 + x)),
			// 0.5 - 0.75*(u - u^3/3), written in terms of 1-u to avoid cancellation.
			4: 0.25 * (2 + u) * math.Pow(4/(root4*(root4+x)), 2),
		} {
			if got := StudentCDF(-x, nu); !near(got, want, 1e-13) {
				t.Errorf("P(T_%v < %v) = %v, want %v", nu, -x, got, want)
			}
			if got := StudentCDF(x, nu); !near(got, 1-want, 1e-15) {
				t.Errorf("P(T_%v < %v) = %v, want %v", nu, x, got, 1-want)
			}
		}
	}
	if got := StudentPDF(0, 1); !near(got, 1/math.Pi, 1e-15) {
		t.Errorf("Cauchy density at 0: %v", got)
	}
}

func TestStudentEnds(t *testing.T) {
	inf := math.Inf(1)
	for _, nu := range []float64{0.5, 1, 2.05, 40} {
		if StudentCDF(inf, nu) != 1 || StudentCDF(-inf, nu) != 0 || StudentCDF(0, nu) != 0.5 {
			t.Errorf("nu %v: wrong at the ends or the middle", nu)
		}
		if StudentQuantile(0, nu) != -inf || StudentQuantile(1, nu) != inf || StudentQuantile(0.5, nu) != 0 {
			t.Errorf("nu %v: quantile wrong at the ends or the middle", nu)
		}
		if !math.IsNaN(StudentQuantile(-0.1, nu)) || !math.IsNaN(StudentQuantile(1.1, nu)) {
			t.Errorf("nu %v: quantile outside [0, 1]", nu)
		}
	}
	if !math.IsNaN(StudentQuantile(0.3, 0)) {
		t.Error("no NaN for nu = 0")
	}
}

func TestQuantileInvertsCDF(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := math.Exp(rapid.Float64Range(-690, math.Log(0.5)).Draw(t, "ln p"))
		nu := math.Exp(rapid.Float64Range(math.Log(2), 6).Draw(t, "ln nu"))
		q := StudentQuantile(p, nu)
		if got := StudentCDF(q, nu); math.Abs(got-p) > 1e-10*p {
			t.Fatalf("T_%v: %v has quantile %v, whose probability is %v", nu, p, q, got)
		}
		if upper := StudentQuantile(1-p, nu); p > 0.01 && math.Abs(upper+q) > 1e-12*math.Abs(q)+1e-15 {
			t.Fatalf("T_%v: quantiles %v and %v are not symmetric", nu, q, upper)
		}
	})
}
