//go:build evidence

package stats

import (
	"math"
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
	var want map[string]any
	var g struct {
		Input struct {
			Files    []string
			Frm, To  string
			N        int
			FirstRow []float64 `json:"first_row"`
			LastRow  []float64 `json:"last_row"`
		}
		Tolerance reference.Tolerance
	}
	reference.Golden(t, "covariance", &g)
	reference.Golden(t, "covariance", &want)
	from, to := hour(t, g.Input.Frm), hour(t, g.Input.To)
	var series [][]float64
	for i, file := range g.Input.Files {
		x := returns(t, file, from, to)
		if len(x) != g.Input.N || !near(x[0], g.Input.FirstRow[i], 1e-9) ||
			!near(x[g.Input.N-1], g.Input.LastRow[i], 1e-9) {
			t.Fatalf("%s: these are not the rows of the reference", file)
		}
		series = append(series, x)
	}
	pearson, demeaned, standardised := moments(series)
	var sample []float64
	for _, a := range demeaned {
		for _, b := range demeaned {
			sample = append(sample, Dot(a, b)/float64(g.Input.N))
		}
	}
	cov, shrinkage := shrunk(demeaned)
	unitCov, unitShrinkage := shrunk(standardised)
	g.Tolerance.Match(t, want, reference.Fields{
		"pearson": pearson, "sample_cov_biased": rowsOf(sample, len(series)), "lw_cov": cov, "lw_shrinkage": shrinkage,
		"lw_standardised": reference.Fields{"shrinkage": unitShrinkage, "cov": unitCov},
	})
}

func hour(t *testing.T, s string) int64 {
	at, err := time.Parse("2006-01-02 15:04", s)
	if err != nil {
		t.Fatal(err)
	}
	return at.Unix() / 3600
}
