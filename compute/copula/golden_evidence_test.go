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

func parse(t testing.TB, layout, s string) time.Time {
	t.Helper()
	at, err := time.Parse(layout, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestEvidenceTailDependence(t *testing.T) {
	var g struct {
		Tolerance struct {
			Tau    float64 `json:"tau_abs"`
			Rho    float64 `json:"rho_abs"`
			Nu     float64 `json:"nu_rel"`
			LogLik float64 `json:"loglik_rel"`
		}
		Pair struct {
			Input struct {
				Files    []string
				From, To string
			}
			N                                    int
			Pearson, Kendall, Nu, LogLik, Lambda float64
			Rho                                  float64 `json:"rho_from_tau"`
		}
	}
	reference.Golden(t, "tail_dependence", &g)

	// The reference uses the closes of the last hour of every four-hour block, where both files
	// have that bar.
	c, tol := g.Pair, g.Tolerance
	from := parse(t, time.DateOnly, c.Input.From)
	var closes [2]map[int64]float64
	for i, file := range c.Input.Files {
		closes[i] = map[int64]float64{}
		for _, b := range candles(t, file, parse(t, time.DateOnly, c.Input.To)) {
			if b.OpenMs >= from.UnixMilli() && b.Hour()%4 == 3 && b.Volume > 0 {
				closes[i][b.Hour()] = b.Close
			}
		}
	}
	var series [2][]float64
	var last [2]float64
	for hour := from.Unix() / 3600; hour <= from.Unix()/3600+24*366*3; hour++ {
		a, ok1 := closes[0][hour]
		b, ok2 := closes[1][hour]
		if !ok1 || !ok2 {
			continue
		}
		for i, v := range [2]float64{a, b} {
			if last[i] > 0 {
				series[i] = append(series[i], math.Round((math.Log(v)-math.Log(last[i]))*1e12)/1e12)
			}
			last[i] = v
		}
	}
	got, ok := NewFitter().Fit(series[0], series[1])
	if !ok || got.Points != c.N {
		t.Fatalf("%d points, want %d", got.Points, c.N)
	}
	if !within(got.Pearson, c.Pearson, 0, 1e-12) || !within(got.RhoTau, c.Rho, 0, tol.Rho) || !within(got.Nu, c.Nu, tol.Nu, 0) ||
		!within(got.LogLik, c.LogLik, tol.LogLik, 0) || !within(got.Lambda, c.Lambda, tol.Nu, 0) {
		t.Errorf("%+v, want %+v", got, c)
	}
	if tau := 2 / math.Pi * math.Asin(got.RhoTau); !within(tau, c.Kendall, 0, tol.Tau) {
		t.Errorf("tau %v, want %v", tau, c.Kendall)
	}
	t.Logf("relative deviations: nu %.1e, loglik %.1e, lambda %.1e", got.Nu/c.Nu-1, got.LogLik/c.LogLik-1, got.Lambda/c.Lambda-1)
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
	end := parse(t, time.DateTime, g.BarOpen).Add(time.Hour)
	series := map[string]*Series{}
	for i, asset := range g.Assets {
		series[asset] = Prepare(FourHourReturns(nil, hourlyReturns(candles(t, g.Files[i], end))))
	}
	f := NewFitter()
	var pairs []Pair
	var worst struct{ rho, nu, loglik, lambda float64 }
	for _, want := range g.Pairs {
		got, ok := f.FitSeries(series[want.A], series[want.B])
		if !ok || got.Points != HourlyReturns/4 {
			t.Fatalf("%s %s: %+v", want.A, want.B, got)
		}
		pairs = append(pairs, got)
		tau := 2 / math.Pi * math.Asin(got.RhoTau)
		rel, fit := g.Tolerance.Rel, g.Tolerance.FitRel
		if !within(tau, want.Kendall, rel, 0) || !within(got.RhoTau, want.RhoTau, rel, 0) || !within(got.Pearson, want.Pearson, rel, 0) ||
			!within(got.Nu, want.Nu, fit, 0) || !within(got.LogLik, want.LogLik, fit, 0) || !within(got.Lambda, want.Lambda, fit, 0) {
			t.Errorf("%s %s: %+v, want %+v", want.A, want.B, got, want)
		}
		worst.rho = max(worst.rho, math.Abs(got.RhoTau/want.RhoTau-1), math.Abs(got.Pearson/want.Pearson-1))
		worst.nu = max(worst.nu, math.Abs(got.Nu/want.Nu-1))
		worst.loglik = max(worst.loglik, math.Abs(got.LogLik/want.LogLik-1))
		worst.lambda = max(worst.lambda, math.Abs(got.Lambda/want.Lambda-1))
		if again, ok := f.Fit(series[want.A].returns, series[want.B].returns); !ok || again != got {
			t.Errorf("%s %s: %+v prepared, %+v not", want.A, want.B, got, again)
		}
	}
	if got := PooledNu(pairs); !within(got, g.CopulaNu, g.Tolerance.FitRel, 0) {
		t.Errorf("pooled nu %v, want %v", got, g.CopulaNu)
	}
	t.Logf("worst relative deviations: %+.1e", worst)
}

// hourlyReturns returns the log returns of bars, oldest first.
func hourlyReturns(bars []vol.Bar) (r []float64) {
	for i := 1; i < len(bars); i++ {
		r = append(r, math.Log(bars[i].Close)-math.Log(bars[i-1].Close))
	}
	return r
}
