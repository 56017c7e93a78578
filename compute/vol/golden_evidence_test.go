//go:build evidence

package vol

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"ballast/internal/reference"
)

// candles returns the hourly bars of a file with gaps filled, from the first row for which begin
// returns true.
func candles(t testing.TB, file string, begin func(time.Time) bool) (bars []Bar) {
	t.Helper()
	for _, row := range reference.Candles(t, file, begin) {
		var err error
		if bars, err = AppendFilled(bars, Bar(row)); err != nil {
			t.Fatal(err)
		}
	}
	return bars
}

// firstFullDay reports whether a walk-forward file may start at this time.
func firstFullDay(at time.Time) bool {
	return at.Year() >= 2020 && at.Hour() == 0
}

type goldenTail struct {
	ZQ     float64 `json:"z_q"`
	ZES    float64 `json:"z_es"`
	PctVaR float64 `json:"pct_var"`
	PctES  float64 `json:"pct_es"`
}

func TestEvidenceFHS(t *testing.T) {
	var g struct {
		Tolerance struct {
			E float64 `json:"E_rel"`
			V float64 `json:"V_rel"`
			Q float64 `json:"var_rel"`
		}
		Files map[string]string
		Cases []struct {
			Asset        string
			BarOpen      string `json:"bar_open"`
			Index        int
			Close        float64
			E            [4]float64
			MeanSq1y     float64 `json:"mean_sq_1y"`
			LongRunSigma float64 `json:"long_run_sigma"`
			Horizons     map[string]struct {
				V      float64
				NZ     int `json:"n_z"`
				Kappa2 float64
				Levels map[string]goldenTail
			}
		}
	}
	reference.Golden(t, "vol_fhs", &g)
	for asset, file := range g.Files {
		bars := candles(t, file, firstFullDay)
		s, w := NewState(ClassCrypto), &Scratch{}
		for _, c := range g.Cases {
			if c.Asset != asset {
				continue
			}
			pushAll(t, s, bars[s.Bars():c.Index+1])
			check := func(what string, got, want, rel float64) {
				t.Helper()
				if !within(got, want, rel, 0) {
					t.Errorf("%s %s, %s: %v, want %v", c.Asset, c.BarOpen, what, got, want)
				}
			}
			if open := time.UnixMilli(s.Last().OpenMs).UTC().Format("2006-01-02 15:04"); open != c.BarOpen {
				t.Fatalf("index %d is %s, want %s", c.Index, open, c.BarOpen)
			}
			check("close", s.Last().Close, c.Close, 0)
			for k, e := range s.Memories() {
				check("E", e, c.E[k], g.Tolerance.E)
			}
			check("long run", s.LongRunVariance(), c.MeanSq1y, g.Tolerance.V)
			check("long run sigma", math.Sqrt(s.LongRunVariance()*hoursPerYear), c.LongRunSigma, g.Tolerance.V)
			for h, f := range s.Forecasts(w) {
				want := c.Horizons[horizonNames[h]]
				if f.Outcomes != want.NZ {
					t.Errorf("outcomes %d, want %d", f.Outcomes, want.NZ)
				}
				check("V", f.Variance, want.V, g.Tolerance.V)
				check("kappa2", f.Kappa2, want.Kappa2, g.Tolerance.Q)
				for side := range SideCount {
					for level, got := range f.Tail[side] {
						want := want.Levels[sideNames[side]+"_"+levelNames[level]]
						check("z_q", got.ZQuantile, want.ZQ, g.Tolerance.Q)
						check("z_es", got.ZES, want.ZES, g.Tolerance.Q)
						check("pct_var", got.PctVaR, want.PctVaR, g.Tolerance.Q)
						check("pct_es", got.PctES, want.PctES, g.Tolerance.Q)
					}
				}
			}
		}
	}
}

func TestEvidenceRegime(t *testing.T) {
	var g struct {
		Cases []struct {
			Name  string
			Input struct {
				File string
				Bars json.RawMessage // a list of bars for cases with a candle file
			}
			Output map[string]json.RawMessage
		}
	}
	reference.Golden(t, "regime", &g)
	compared := 0
	for _, c := range g.Cases {
		if c.Input.File == "" {
			continue
		}
		decode := func(name string, into any) {
			t.Helper()
			if err := json.Unmarshal(c.Output[name], into); err != nil {
				t.Fatalf("%s, %s: %v", c.Name, name, err)
			}
		}
		var counts []int
		if err := json.Unmarshal(c.Input.Bars, &counts); err != nil {
			t.Fatal(err)
		}
		compared++
		var state []string
		bars := candles(t, c.Input.File, nil)
		var v24, rank []float64
		decode("state", &state)
		decode("V24", &v24)
		decode("rank", &rank)
		s := NewState(ClassCrypto)
		for i, n := range counts {
			pushAll(t, s, bars[s.Bars():n])
			if got := s.VolatilityRegime().String(); got != state[i] {
				t.Errorf("%s, %d bars: %s, want %s", c.Name, n, got, state[i])
			}
			if n == seedBars {
				// The reference ranks the variance of the 720th bar after the final seed, which
				// needs one more bar.
				pushAll(t, s, bars[n:n+1])
				if got := s.day.from(0, 1)[0]; !within(got, v24[i], 1e-9, 1e-15) {
					t.Errorf("%s: first V24 that counts %v, want %v", c.Name, got, v24[i])
				}
				continue
			}
			r := rankOfLast(s.day.newest(regimeWindow))
			if !within(s.average[H24], v24[i], 1e-9, 1e-15) || !within(r, rank[i], 1e-9, 1e-15) {
				t.Errorf("%s, %d bars: V24 %v, rank %v, want %v, %v", c.Name, n, s.average[H24], r, v24[i], rank[i])
			}
		}
	}
	if compared == 0 {
		t.Error("nothing compared")
	}
}

func TestEvidenceExcursions(t *testing.T) {
	goldenExcursions(t, func(file string) []Bar { return candles(t, file, nil) })
}
