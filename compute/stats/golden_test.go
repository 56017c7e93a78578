package stats

import (
	"math"
	"slices"
	"testing"
	"time"

	"ballast/internal/reference"
)

// closes returns the hourly closes of a candle file by hour since 1970.
func closes(t *testing.T, file string) map[int64]float64 {
	t.Helper()
	out := map[int64]float64{}
	for _, row := range reference.Candles(t, file, nil) {
		out[row.OpenMs/3_600_000] = row.Close
	}
	return out
}

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

func TestGoldenCovariance(t *testing.T) {
	var g struct {
		Input struct {
			Files    []string
			Frm, To  string
			N        int
			FirstRow []float64 `json:"first_row"`
			LastRow  []float64 `json:"last_row"`
		}
		SampleCov     [][]float64 `json:"sample_cov_biased"`
		LWShrinkage   float64     `json:"lw_shrinkage"`
		LWCov         [][]float64 `json:"lw_cov"`
		LWStandardise struct {
			Shrinkage float64
			Cov       [][]float64
		} `json:"lw_standardised"`
		Pearson   [][]float64
		PSDRepair struct {
			Matrix, Repaired [][]float64
		} `json:"psd_repair"`
		Tolerance struct{ Rel float64 }
	}
	reference.Golden(t, "covariance", &g)
	matrix := func(name string, got []float64, want [][]float64) {
		t.Helper()
		for i, row := range want {
			for j, w := range row {
				if !near(got[i*len(want)+j], w, g.Tolerance.Rel) {
					t.Errorf("%s[%d][%d]: %v, want %v", name, i, j, got[i*len(want)+j], w)
				}
			}
		}
	}

	from, to := hour(t, g.Input.Frm), hour(t, g.Input.To)
	k := len(g.Input.Files)
	series := make([][]float64, k)
	for i, file := range g.Input.Files {
		c := closes(t, file)
		last := c[from-1]
		for h := from; h <= to; h++ {
			now, ok := c[h]
			if !ok {
				now = last // a missing hour is a flat bar
			}
			series[i] = append(series[i], math.Log(now)-math.Log(last))
			last = now
		}
		if len(series[i]) != g.Input.N || !near(series[i][0], g.Input.FirstRow[i], 1e-9) ||
			!near(series[i][g.Input.N-1], g.Input.LastRow[i], 1e-9) {
			t.Fatalf("%s: these are not the rows of the reference", file)
		}
	}

	var pearson []float64
	for i := range k {
		for j := range k {
			pearson = append(pearson, Pearson(series[i], series[j]))
		}
	}
	matrix("pearson", pearson, g.Pearson)

	demeaned := make([][]float64, k)
	for i := range k {
		m := Mean(series[i])
		for _, v := range series[i] {
			demeaned[i] = append(demeaned[i], v-m)
		}
	}
	c := make([]float64, k*k)
	if s := LedoitWolf(c, demeaned); !near(s, g.LWShrinkage, g.Tolerance.Rel) {
		t.Errorf("shrinkage %v, want %v", s, g.LWShrinkage)
	}
	matrix("lw_cov", c, g.LWCov)
	var sample []float64
	for i := range k {
		for j := range k {
			sample = append(sample, Dot(demeaned[i], demeaned[j])/float64(g.Input.N))
		}
	}
	matrix("sample_cov", sample, g.SampleCov)

	for i := range k {
		Standardise(series[i], series[i])
	}
	if s := LedoitWolf(c, series); !near(s, g.LWStandardise.Shrinkage, g.Tolerance.Rel) {
		t.Errorf("standardised shrinkage %v, want %v", s, g.LWStandardise.Shrinkage)
	}
	matrix("lw_standardised", c, g.LWStandardise.Cov)

	var broken []float64
	for _, row := range g.PSDRepair.Matrix {
		broken = append(broken, row...)
	}
	n := len(g.PSDRepair.Matrix)
	if !RepairCorrelation(broken, n, make([]float64, n*n)) {
		t.Error("not repaired")
	}
	matrix("psd_repair", broken, g.PSDRepair.Repaired)
}

func hour(t *testing.T, s string) int64 {
	at, err := time.Parse("2006-01-02 15:04", s)
	if err != nil {
		t.Fatal(err)
	}
	return at.Unix() / 3600
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
		check("normal quantile", NormalQuantile(r.P), r.Q)
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
