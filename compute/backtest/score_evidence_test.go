//go:build evidence

package backtest

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ballast/internal/reference"
)

func TestEvidenceScore(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	var g struct {
		Tolerance struct {
			Count       int     `json:"count_abs"`
			Probability float64 `json:"mean_probability_rel"`
			Judgement   float64 `json:"brier_auc_abs"`
		}
		Files map[string]*ScoreResult
	}
	reference.Golden(t, "score_backtest", &g)
	if len(g.Files) < 2 {
		t.Fatalf("%d files", len(g.Files))
	}
	for path, want := range g.Files {
		begun := time.Now()
		got := PoolScores(runScore(t, candles(t, path), want.File))
		t.Logf("%s: %v", want.File, time.Since(begun))
		if got.File != want.File || got.Model != want.Model || got.HorizonHours != want.HorizonHours || got.MaxLeverage != want.MaxLeverage ||
			!slices.Equal(got.Leverages, want.Leverages) || got.FromMs != want.FromMs || got.ToMs != want.ToMs || got.Cases != want.Cases {
			t.Errorf("%+v\nwant %+v", got, want)
		}
		near := func(what string, got, want int) {
			t.Helper()
			if max(got-want, want-got) > g.Tolerance.Count {
				t.Errorf("%s, %s: %d, want %d", path, what, got, want)
			}
		}
		near("liquidated", got.Liquidated, want.Liquidated)
		near("lost half", got.LostHalf, want.LostHalf)
		rows, wants := rowsOf(got), rowsOf(want)
		if len(rows) != len(wants) {
			t.Fatalf("%s: %d rows, want %d", path, len(rows), len(wants))
		}
		for i, r := range rows {
			w := wants[i]
			if r.name != w.name || math.Abs(r.probability-w.probability) > g.Tolerance.Probability*w.probability {
				t.Errorf("%s: %+v, want %+v", path, r, w)
			}
			near(w.name+" n", r.n, w.n)
			near(w.name+" liquidated", r.liquidated, w.liquidated)
			near(w.name+" lost half", r.lostHalf, w.lostHalf)
		}
		for what, v := range map[string][2]float64{
			"brier": {got.Brier, want.Brier}, "base": {got.BrierBase, want.BrierBase}, "auc": {got.AUC, want.AUC}, "auc of score": {got.AUCScore, want.AUCScore},
		} {
			if !(math.Abs(v[0]-v[1]) <= g.Tolerance.Judgement) {
				t.Errorf("%s, %s: %v, want %v", path, what, v[0], v[1])
			}
		}
	}
}

// The eight assets together give the table of docs/model.md, and pass the checks of gate.
func TestEvidenceScoreOfAll(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute")
	}
	files := golden(t).Files
	runs := make([]*ScoreRun, len(files))
	var wg sync.WaitGroup
	for i, asset := range slices.Sorted(maps.Keys(files)) {
		bars := candles(t, files[asset])
		wg.Go(func() { runs[i], _ = RunScore(bars, asset, nil) })
	}
	wg.Wait()
	if slices.Contains(runs, nil) {
		t.Fatal("a history that cannot be judged")
	}
	r := PoolScores(runs...)
	gate(t, r)
	// n, then shares in percent to three digits: liquidated, predicted, lost half.
	want := map[string][4]float64{
		"score 0-10": {51712, 0.0116, 0.0167, 0.029}, "score 10-20": {25685, 0.132, 0.127, 0.347}, "score 20-30": {21613, 0.481, 0.494, 1.57},
		"score 30-40": {13681, 1.21, 1.21, 3.42}, "score 40-50": {17687, 2.93, 2.94, 6.34}, "score 50-60": {12072, 5.14, 5.51, 9.55},
		"score 60-70": {8636, 8, 8.28, 12.2}, "score 70-80": {26546, 15.5, 15.7, 19.5}, "score 80-90": {29100, 32.9, 33.3, 34.8},
		"score 90-100": {51308, 65.6, 65.6, 65.7},
		"proceed":      {112691, 0.275, 0.279, 0.809}, "proceed_with_caution": {38395, 4.77, 4.95, 8.67}, "abort": {106954, 44.2, 44.4, 45.8},
		"chance 0-0.001": {64367, 0.0186, 0.0242, 0}, "chance 0.001-0.005": {26401, 0.235, 0.254, 0}, "chance 0.005-0.02": {23409, 1.12, 1.1, 0},
		"chance 0.02-0.05": {20111, 3.24, 3.33, 0}, "chance 0.05-0.1": {17662, 7.05, 7.29, 0}, "chance 0.1-0.2": {21012, 14.4, 14.6, 0},
		"chance 0.2-0.4": {27935, 29, 29.4, 0}, "chance 0.4-1": {57143, 63.1, 63.2, 0},
	}
	rows := rowsOf(r)
	if len(rows) != len(want) {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		w := want[row.name]
		n := float64(row.n)
		got := [4]float64{n, 100 * float64(row.liquidated) / n, 100 * row.probability, 100 * float64(row.lostHalf) / n}
		for i := range got {
			slack := 0.006*w[i] + 0.0002 // allows for rounding
			if i == 0 {
				slack = 8
			}
			if math.Abs(got[i]-w[i]) > slack {
				t.Errorf("%s: %v, want %v", row.name, got, w)
				break
			}
		}
	}
	for what, v := range map[string][2]float64{"Brier": {r.Brier, 0.0880}, "base": {r.BrierBase, 0.1549}, "AUC": {r.AUC, 0.9207}, "AUC of score": {r.AUCScore, 0.9194}} {
		if math.Abs(v[0]-v[1]) > 0.00006 {
			t.Errorf("%s: %v, want %v", what, v[0], v[1])
		}
	}
	begin := time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	if r.FromMs != begin || r.Cases != 258040 || len(strings.Split(r.File, ",")) != 8 {
		t.Errorf("%s: %d cases from %d", r.File, r.Cases, r.FromMs)
	}
}
