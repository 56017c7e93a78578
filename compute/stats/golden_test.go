package stats

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"ballast/internal/reference"
)

func TestGoldenQuantile(t *testing.T) {
	var g struct {
		X []float64
		Q []struct {
			P, Q          float64
			LowerTailMean float64 `json:"lower_tail_mean"`
		}
		Tolerance struct{ Rel float64 }
	}
	reference.Golden(t, "quantile", &g)
	for _, c := range g.Q {
		q := Quantile(slices.Clone(g.X), c.P)
		if !near(q, c.Q, g.Tolerance.Rel) {
			t.Errorf("p %v: %v, want %v", c.P, q, c.Q)
		}
		if m := LowerTailMean(g.X, q); !near(m, c.LowerTailMean, g.Tolerance.Rel) {
			t.Errorf("p %v: tail mean %v, want %v", c.P, m, c.LowerTailMean)
		}
	}
}

func TestGoldenRepair(t *testing.T) {
	var g struct {
		PSDRepair struct {
			Matrix, Repaired [][]float64
		} `json:"psd_repair"`
		Tolerance struct{ Rel float64 }
	}
	reference.Golden(t, "covariance", &g)
	broken := slices.Concat(g.PSDRepair.Matrix...)
	n := len(g.PSDRepair.Matrix)
	if !RepairCorrelation(broken, n, make([]float64, n*n)) {
		t.Error("not repaired")
	}
	for i, want := range slices.Concat(g.PSDRepair.Repaired...) {
		if !near(broken[i], want, g.Tolerance.Rel) {
			t.Errorf("element %d, %d: %v, want %v", i/n, i%n, broken[i], want)
		}
	}
}

func TestGoldenSpecial(t *testing.T) {
	var g struct {
		Tolerance struct{ Rel, Abs float64 }
		NormalCDF []struct{ X, CDF, PDF float64 } `json:"normal_cdf"`
		NormalQ   []struct{ P, Q float64 }        `json:"normal_quantile"`
		TCDF      []struct {
			Nu, X, CDF, PDF float64
		} `json:"t_cdf"`
		TQ []struct{ Nu, P, Q float64 } `json:"t_quantile"`
		ES []struct {
			Nu, P float64
			VaR   float64 `json:"unit_variance_var"`
			ES    float64 `json:"unit_variance_es"`
		} `json:"es_multiplier"`
	}
	reference.Golden(t, "special", &g)
	rows, worst := 0, 0.0
	check := func(what string, got, want float64) {
		t.Helper()
		rows++
		d := math.Abs(got - want)
		if d > g.Tolerance.Abs {
			worst = max(worst, d/math.Abs(want))
		}
		if !(d <= g.Tolerance.Rel*math.Abs(want)+g.Tolerance.Abs) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	for _, r := range g.NormalCDF {
		check("normal cdf", NormalCDF(r.X), r.CDF)
		check("normal tail", NormalCDF(-r.X), 1-r.CDF)
		check("normal pdf", NormalPDF(r.X), r.PDF)
	}
	for _, r := range g.NormalQ {
		check("normal quantile", distuv.UnitNormal.Quantile(r.P), r.Q)
	}
	for _, r := range g.TCDF {
		check("t cdf", StudentCDF(r.X, r.Nu), r.CDF)
		check("t tail", StudentCDF(-r.X, r.Nu), 1-r.CDF)
		check("t pdf", StudentPDF(r.X, r.Nu), r.PDF)
	}
	for _, r := range g.TQ {
		check("t quantile", StudentQuantile(r.P, r.Nu), r.Q)
	}
	for _, r := range g.ES {
		v, es := StudentTail(r.P, r.Nu)
		check("var multiplier", v, r.VaR)
		check("es multiplier", es, r.ES)
	}
	t.Logf("%d values, worst relative deviation %.1e", rows, worst)
}
