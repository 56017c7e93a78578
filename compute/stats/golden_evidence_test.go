//go:build evidence

package stats

import (
	"math"
	"testing"
	"time"

	"ballast/internal/reference"
)

// closes returns the hourly closes of a candle file, keyed by hours since 1970.
func closes(t *testing.T, file string) map[int64]float64 {
	t.Helper()
	out := map[int64]float64{}
	for _, row := range reference.Candles(t, file, nil) {
		out[row.OpenMs/3_600_000] = row.Close
	}
	return out
}

func TestEvidenceCovariance(t *testing.T) {
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
}

func hour(t *testing.T, s string) int64 {
	at, err := time.Parse("2006-01-02 15:04", s)
	if err != nil {
		t.Fatal(err)
	}
	return at.Unix() / 3600
}
