//go:build evidence

package main

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"ballast/compute/candles"
	"ballast/internal/reference"
	"ballast/marketcache"
)

func evidenceCandles(t *testing.T, file string) []marketcache.Bar {
	t.Helper()
	bars, err := candles.Read(reference.CandleFile(t, file))
	if err != nil {
		t.Fatal(err)
	}
	return bars
}

// decoded converts a value to JSON and back into maps, slices and numbers.
func decoded(t *testing.T, v any) any {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	json.Unmarshal(raw, &out)
	return out
}

// matches compares two JSON values field by field. Fields that only one of them has are ignored.
func matches(t *testing.T, where string, got, want any, rel, abs float64) {
	t.Helper()
	switch g := got.(type) {
	case map[string]any:
		w, ok := want.(map[string]any)
		if !ok {
			t.Errorf("%s: %v, want %v", where, got, want)
			return
		}
		for k, v := range g {
			if w, have := w[k]; have {
				matches(t, where+"."+k, v, w, rel, abs)
			}
		}
	case []any:
		for i, v := range g {
			matches(t, where, v, want.([]any)[i], rel, abs)
		}
	case float64:
		w, ok := want.(float64)
		if !ok || math.Abs(g-w) > rel*math.Abs(w)+abs {
			t.Errorf("%s: %v, want %v", where, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s: %v, want %v", where, got, want)
		}
	}
}

func TestEvidenceCalibrateShortHistory(t *testing.T) {
	var g struct {
		Tolerance struct{ Rel, Abs float64 }
		Cases     []struct {
			Name  string
			Input struct {
				File string
				Bars int
			}
			Output map[string]any
		}
	}
	reference.Golden(t, "short_history", &g)
	for _, c := range g.Cases {
		bars := evidenceCandles(t, c.Input.File)
		end := bars[0].OpenMs + int64(c.Input.Bars)*hourMs
		f := calibrated(t, []string{"x"}, between(bars, moment{}, moment{end, true})).Files[0]
		if f.Bars != c.Input.Bars {
			t.Fatalf("%s: %d bars", c.Name, f.Bars)
		}
		c.Output["last_ts"] = c.Output["last_bar_open_ms"]
		matches(t, c.Name, decoded(t, f), c.Output, g.Tolerance.Rel, g.Tolerance.Abs)
	}
}

func TestEvidenceCalibrateTogether(t *testing.T) {
	var g struct {
		Tolerance struct {
			Rel float64
			Fit float64 `json:"fit_rel"`
		}
		Assets, Files []string
		BarOpen       string `json:"bar_open"`
		Correlation   struct{ Matrix [][]float64 }
		Pairs         []struct {
			A       string  `json:"asset_a"`
			B       string  `json:"asset_b"`
			Pearson float64 `json:"pearson_rho"`
			Nu      float64
			Lambda  float64 `json:"lambda_lower"`
		}
	}
	reference.Golden(t, "portfolio", &g)
	at, err := time.Parse(time.DateTime, g.BarOpen)
	if err != nil {
		t.Fatal(err)
	}
	var bars [][]marketcache.Bar
	for _, file := range g.Files {
		bars = append(bars, between(evidenceCandles(t, file), moment{}, moment{at.UnixMilli() + hourMs, true}))
	}
	c := calibrated(t, g.Assets, bars...)
	matches(t, "correlation", decoded(t, c.Correlation), decoded(t, g.Correlation.Matrix), g.Tolerance.Rel, 0)
	if len(c.TailDependence) != len(g.Pairs) {
		t.Fatalf("%d pairs", len(c.TailDependence))
	}
	for i, p := range c.TailDependence {
		w := g.Pairs[i]
		near := func(got, want, rel float64) bool { return math.Abs(got-want) <= rel*math.Abs(want) }
		if p.A != w.A || p.B != w.B || !near(p.Pearson, w.Pearson, g.Tolerance.Rel) ||
			!near(p.Nu, w.Nu, g.Tolerance.Fit) ||
			!near(p.Lower, w.Lambda, g.Tolerance.Fit) {
			t.Errorf("%+v, want %+v", p, w)
		}
	}
}
