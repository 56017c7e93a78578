//go:build evidence

package copula

import (
	"math"
	"testing"
	"time"

	"ballast/compute/vol"
	"ballast/internal/reference"
)

// candles returns the hourly bars of a file that open before end, gaps filled.
func candles(t testing.TB, file string, end time.Time) (bars []vol.Bar) {
	t.Helper()
	for _, row := range reference.Candles(t, file, nil) {
		if row.OpenMs >= end.UnixMilli() {
			break
		}
		var err error
		if bars, err = vol.AppendFilled(bars, vol.Bar(row)); err != nil {
			t.Fatal(err)
		}
	}
	return bars
}

func TestEvidencePortfolio(t *testing.T) {
	var g struct {
		Tolerance struct {
			Rel    float64
			FitRel float64 `json:"fit_rel"`
		}
		Assets, Files []string
		BarOpen       string `json:"bar_open"`
		Pairs         []struct {
			A       string `json:"asset_a"`
			B       string `json:"asset_b"`
			Kendall float64
			RhoTau  float64 `json:"rho_tau"`
			Pearson float64 `json:"pearson_rho"`
			Nu      float64
			LogLik  float64
			Lambda  float64 `json:"lambda_lower"`
		}
		CopulaNu float64 `json:"copula_nu"`
	}
	reference.Golden(t, "portfolio", &g)
	open, err := time.Parse(time.DateTime, g.BarOpen)
	if err != nil {
		t.Fatal(err)
	}
	series := map[string]*Series{}
	for i, asset := range g.Assets {
		series[asset] = Prepare(FourHourReturns(nil, hourlyReturns(candles(t, g.Files[i], open.Add(time.Hour)))))
	}
	f := NewFitter()
	var pairs []Pair
	for _, want := range g.Pairs {
		got, ok := f.FitSeries(series[want.A], series[want.B])
		if !ok || got.Points != HourlyReturns/4 {
			t.Fatalf("%s %s: %+v", want.A, want.B, got)
		}
		pairs = append(pairs, got)
		tau := 2 / math.Pi * math.Asin(got.RhoTau)
		rel, fit := g.Tolerance.Rel, g.Tolerance.FitRel
		if !within(tau, want.Kendall, rel, 0) || !within(got.RhoTau, want.RhoTau, rel, 0) ||
			!within(got.Pearson, want.Pearson, rel, 0) || !within(got.Nu, want.Nu, fit, 0) ||
			!within(got.LogLik, want.LogLik, fit, 0) || !within(got.Lambda, want.Lambda, fit, 0) {
			t.Errorf("%s %s: %+v, want %+v", want.A, want.B, got, want)
		}
	}
	if got := PooledNu(pairs); !within(got, g.CopulaNu, g.Tolerance.FitRel, 0) {
		t.Errorf("pooled nu %v, want %v", got, g.CopulaNu)
	}
}

// hourlyReturns returns the log returns of bars, oldest first.
func hourlyReturns(bars []vol.Bar) (r []float64) {
	for i := 1; i < len(bars); i++ {
		r = append(r, math.Log(bars[i].Close)-math.Log(bars[i-1].Close))
	}
	return r
}
