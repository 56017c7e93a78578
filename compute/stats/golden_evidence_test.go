//go:build evidence

package stats

import (
	"math"
	"slices"
	"testing"
	"time"

	"ballast/internal/reference"
)

// returns returns the log returns of the hours from one to another, in hours since 1970, of a candle file.
func returns(t *testing.T, file string, from, to int64) (r []float64) {
	t.Helper()
	closes := map[int64]float64{}
	for _, row := range reference.Candles(t, file, nil) {
		closes[row.OpenMs/3_600_000] = row.Close
	}
	last := closes[from-1]
	for h := from; h <= to; h++ {
		now, ok := closes[h]
		if !ok {
			now = last // a missing hour is a flat bar
		}
		r = append(r, math.Log(now)-math.Log(last))
		last = now
	}
	return r
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
		for i, w := range slices.Concat(want...) {
			if !near(got[i], w, g.Tolerance.Rel) {
				t.Errorf("%s, element %d: %v, want %v", name, i, got[i], w)
			}
		}
	}
	from, to := hour(t, g.Input.Frm), hour(t, g.Input.To)
	k := len(g.Input.Files)
	series := make([][]float64, k)
	for i, file := range g.Input.Files {
		series[i] = returns(t, file, from, to)
		if len(series[i]) != g.Input.N || !near(series[i][0], g.Input.FirstRow[i], 1e-9) ||
			!near(series[i][g.Input.N-1], g.Input.LastRow[i], 1e-9) {
			t.Fatalf("%s: these are not the rows of the reference", file)
		}
	}

	var pearson, sample []float64
	demeaned := make([][]float64, k)
	for i, x := range series {
		for _, v := range x {
			demeaned[i] = append(demeaned[i], v-Mean(x))
		}
	}
	for i := range k {
		for j := range k {
			pearson = append(pearson, Pearson(series[i], series[j]))
			sample = append(sample, Dot(demeaned[i], demeaned[j])/float64(g.Input.N))
		}
	}
	for _, x := range series {
		Standardise(x, x)
	}
	matrix("pearson", pearson, g.Pearson)
	matrix("sample_cov", sample, g.SampleCov)
	c := make([]float64, k*k)
	if s := LedoitWolf(c, demeaned); !near(s, g.LWShrinkage, g.Tolerance.Rel) {
		t.Errorf("shrinkage %v, want %v", s, g.LWShrinkage)
	}
	matrix("lw_cov", c, g.LWCov)
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
