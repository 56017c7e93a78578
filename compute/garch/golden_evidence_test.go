//go:build evidence

package garch

import (
	"math"
	"testing"
	"time"

	"ballast/internal/reference"
)

// dailyPercent returns the log returns, times 100, between the closes of the bars that
// open at 23:00 UTC, bars with from <= open < to.
func dailyPercent(t *testing.T, file, from, to string) (r []float64) {
	t.Helper()
	var closes []float64
	for _, row := range reference.Candles(t, file, nil) {
		at := time.UnixMilli(row.OpenMs).UTC()
		if day := at.Format(time.DateOnly); at.Hour() == 23 && day >= from && day < to {
			closes = append(closes, math.Log(row.Close))
		}
	}
	for i := 1; i < len(closes); i++ {
		r = append(r, 100*(closes[i]-closes[i-1]))
	}
	return r
}

func TestEvidenceGARCH(t *testing.T) {
	var g struct {
		Tolerance struct {
			NLL   float64 `json:"nll_abs"`
			AB    float64 `json:"alpha_beta_abs"`
			Nu    float64 `json:"nu_rel"`
			Sigma float64 `json:"sigma_rel"`
		}
		Cases []struct {
			Asset    string
			Input    struct{ File, From, To string }
			N        int
			CondDist string `json:"cond_dist"`
			FGarch   struct {
				Coef   struct{ Omega, Alpha1, Beta1, Shape float64 }
				LogLik float64
				Sigma  []float64 `json:"sigma_next_7d"`
				Last   float64   `json:"last_h"`
			}
			Other struct {
				Par []float64
				NLL float64
			} `json:"h0_mean_square"`
			Term struct{ Persistence float64 } `json:"term_structure"`
		}
	}
	reference.Golden(t, "garch", &g)
	for _, c := range g.Cases {
		r := dailyPercent(t, c.Input.File, c.Input.From, c.Input.To)
		if len(r) != c.N {
			t.Fatalf("%s: %d returns, want %d", c.Asset, len(r), c.N)
		}
		f, err := fit(r, c.CondDist == "std", free)
		if err != nil {
			t.Fatal(c.Asset, err)
		}
		if f.NLL > -c.FGarch.LogLik+g.Tolerance.NLL || f.NLL > c.Other.NLL+g.Tolerance.NLL {
			t.Errorf("%s %s: NLL %v, want %v", c.Asset, c.CondDist, f.NLL, -c.FGarch.LogLik)
		}
		near := func(what string, got, want, abs float64) {
			t.Helper()
			if math.Abs(got-want) > abs {
				t.Errorf("%s %s: %s %v, want %v", c.Asset, c.CondDist, what, got, want)
			}
		}
		near("alpha", f.Alpha, c.FGarch.Coef.Alpha1, g.Tolerance.AB)
		near("beta", f.Beta, c.FGarch.Coef.Beta1, g.Tolerance.AB)
		near("nu", f.Nu, c.FGarch.Coef.Shape, g.Tolerance.Nu*c.FGarch.Coef.Shape)
		near("last variance", f.LastVariance, c.FGarch.Last, g.Tolerance.Sigma*c.FGarch.Last)
		near("sigma forecast", math.Sqrt(f.Next()), c.FGarch.Sigma[0], g.Tolerance.Sigma*c.FGarch.Sigma[0])
		near("persistence", f.Alpha+f.Beta, c.Term.Persistence, g.Tolerance.AB)
	}
}
