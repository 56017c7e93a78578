//go:build evidence

package vol

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"ballast/internal/reference"
	mc "ballast/marketcache"
)

// candles returns the hourly bars of a file with gaps filled, from the first row for which begin
// returns true.
func candles(t testing.TB, file string, begin func(time.Time) bool) (bars []mc.Bar) {
	t.Helper()
	for _, row := range reference.Candles(t, file, begin) {
		var err error
		if bars, err = AppendFilled(bars, mc.Bar(row)); err != nil {
			t.Fatal(err)
		}
	}
	return bars
}

// firstFullDay reports whether a walk-forward file may start at this time.
func firstFullDay(at time.Time) bool {
	return at.Year() >= 2020 && at.Hour() == 0
}

func TestEvidenceFHS(t *testing.T) {
	var g struct {
		Tolerance struct {
			Memories float64 `json:"E_rel"`
			Variance float64 `json:"V_rel"`
			Quantile float64 `json:"var_rel"`
		}
		Files map[string]string
		Cases []map[string]any
	}
	reference.Golden(t, "vol_fhs", &g)
	for asset, file := range g.Files {
		bars := candles(t, file, firstFullDay)
		s, w := NewState(mc.ClassCrypto), &Scratch{}
		for _, c := range g.Cases {
			if c["asset"] != asset {
				continue
			}
			pushAll(t, s, bars[s.Bars():int(c["index"].(float64))+1])
			memories, variances, quantiles := s.Memories(), reference.Fields{}, reference.Fields{}
			for h, f := range s.Forecasts(w) {
				variances[horizonNames[h]] = reference.Fields{"V": f.Variance, "n_z": f.Outcomes}
				levels := reference.Fields{}
				for side := range mc.SideCount {
					for level, q := range f.Tail[side] {
						levels[sideNames[side]+"_"+levelNames[level]] = reference.Fields{
							"z_q": q.ZQ, "z_es": q.ZES, "pct_var": q.PctVaR, "pct_es": q.PctES,
						}
					}
				}
				quantiles[horizonNames[h]] = reference.Fields{"kappa2": f.Kappa2, "levels": levels}
			}
			reference.Tolerance{}.Match(t, c, reference.Fields{
				"bar_open": time.UnixMilli(s.Last().OpenMs).UTC().Format("2006-01-02 15:04"), "close": s.Last().Close,
			})
			reference.Tolerance{Rel: g.Tolerance.Memories}.Match(t, c, reference.Fields{"E": memories[:]})
			reference.Tolerance{Rel: g.Tolerance.Variance}.Match(t, c, reference.Fields{
				"mean_sq_1y": s.LongRunVariance(), "long_run_sigma": math.Sqrt(s.LongRunVariance() * hoursPerYear),
				"horizons": variances,
			})
			reference.Tolerance{Rel: g.Tolerance.Quantile}.Match(t, c, reference.Fields{"horizons": quantiles})
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
		s := NewState(mc.ClassCrypto)
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
			if !within(s.average[mc.H24], v24[i], 1e-9, 1e-15) || !within(r, rank[i], 1e-9, 1e-15) {
				t.Errorf("%s, %d bars: V24 %v, rank %v, want %v, %v", c.Name, n, s.average[mc.H24], r, v24[i], rank[i])
			}
		}
	}
	if compared == 0 {
		t.Error("nothing compared")
	}
}

func TestEvidenceExcursions(t *testing.T) {
	goldenExcursions(t, func(file string) []mc.Bar { return candles(t, file, nil) })
}
