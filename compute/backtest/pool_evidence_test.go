//go:build evidence

package backtest

import (
	"math"
	"path"
	"testing"
	"time"

	"ballast/internal/reference"
)

// Pools of six files against an independent implementation.
func TestEvidencePool(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	var g struct {
		Tolerance struct {
			Count       int     `json:"count_abs"`
			Probability float64 `json:"mean_probability_rel"`
			Loss        float64 `json:"loss_abs"`
		}
		Files  []string
		Output PoolResult
	}
	reference.Golden(t, "pool_backtest", &g)
	var files []PoolFile
	for _, f := range g.Files {
		files = append(files, PoolFile{path.Base(f), candles(t, f)})
	}
	begun := time.Now()
	got, err := RunPool(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(time.Since(begun))
	want := &g.Output
	if got.File != want.File || got.Model != want.Model || got.EveryHours != want.EveryHours ||
		got.FromMs != want.FromMs ||
		got.ToMs != want.ToMs || got.Cases != want.Cases || len(got.Horizons) != len(want.Horizons) {
		t.Fatalf("%+v\nwant %+v", got, want)
	}
	near := func(what string, got, want PoolOutcomes) {
		t.Helper()
		for _, n := range [][2]int{{got.N, want.N}, {got.Closes, want.Closes}, {got.Liquidated, want.Liquidated},
			{got.Worst, want.Worst}} {
			if max(n[0]-n[1], n[1]-n[0]) > g.Tolerance.Count {
				t.Errorf("%s: %+v, want %+v", what, got, want)
			}
		}
		if math.Abs(got.MeanProbability-want.MeanProbability) > g.Tolerance.Probability*want.MeanProbability {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	for i, h := range got.Horizons {
		w := &want.Horizons[i]
		if h.Hours != w.Hours || len(h.Kinds) != len(w.Kinds) || len(h.Reliability) != len(w.Reliability) {
			t.Fatalf("%+v\nwant %+v", h, w)
		}
		for j, k := range h.Kinds {
			near(k.Kind, k.PoolOutcomes, w.Kinds[j].PoolOutcomes)
			if k.Kind != w.Kinds[j].Kind || math.Abs(k.LogLoss-w.Kinds[j].LogLoss) > g.Tolerance.Loss ||
				math.Abs(k.Brier-w.Kinds[j].Brier) > g.Tolerance.Loss {
				t.Errorf("%d h: %+v, want %+v", h.Hours, k, w.Kinds[j])
			}
		}
		for j, b := range h.Reliability {
			near("bin", b.PoolOutcomes, w.Reliability[j].PoolOutcomes)
			if b.From != w.Reliability[j].From || b.To != w.Reliability[j].To {
				t.Errorf("bin %+v, want %+v", b, w.Reliability[j])
			}
		}
	}
}
