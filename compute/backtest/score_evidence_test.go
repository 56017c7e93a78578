//go:build evidence

package backtest

import (
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ballast/internal/reference"
)

// scoreRuns are the runs by the paths of their files, made once because they take half a minute.
var scoreRuns = map[string]*ScoreRun{}

// runScores runs the eight assets at the same time.
func runScores(t *testing.T) map[string]*ScoreRun {
	t.Helper()
	if len(scoreRuns) > 0 {
		return scoreRuns
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, file := range golden(t).Files {
		bars := candles(t, file)
		wg.Go(func() {
			run, err := RunScore(bars, path.Base(file), nil)
			mu.Lock()
			defer mu.Unlock()
			if scoreRuns[file] = run; err != nil {
				t.Errorf("%s: %v", file, err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return scoreRuns
}

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
	runs := runScores(t)
	for path, want := range g.Files {
		if runs[path] == nil {
			t.Fatalf("%s is not one of the eight", path)
		}
		got := PoolScores(runs[path])
		if got.File != want.File || got.Model != want.Model ||
			got.HorizonHours != want.HorizonHours || got.MaxLeverage != want.MaxLeverage ||
			!slices.Equal(got.Leverages, want.Leverages) || got.FromMs != want.FromMs || got.ToMs != want.ToMs ||
			got.Cases != want.Cases {
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
			"brier": {got.Brier, want.Brier}, "base": {got.BrierBase, want.BrierBase},
			"auc": {got.AUC, want.AUC}, "auc of score": {got.AUCScore, want.AUCScore},
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
	var runs []*ScoreRun
	for _, file := range slices.Sorted(maps.Keys(runScores(t))) {
		runs = append(runs, scoreRuns[file])
	}
	r := PoolScores(runs...)
	gate(t, r)
	// n, then shares in percent to three digits: liquidated, predicted, lost half.
	want := map[string][4]float64{
		"score 0-10": {53328, 0.0113, 0.0169, 0.0319}, "score 10-20": {24491, 0.139, 0.127, 0.331},
		"score 20-30": {14033, 0.392, 0.403, 1.21}, "score 30-40": {6751, 0.785, 0.77, 2.04},
		"score 40-50": {18011, 1.44, 1.48, 3.81}, "score 50-60": {18211, 3.4, 3.29, 7.19},
		"score 60-70": {14938, 6.46, 6.14, 10.7}, "score 70-80": {29626, 15.2, 14.7, 19.2},
		"score 80-90": {28427, 34.1, 33.4, 35.8}, "score 90-100": {50224, 66.2, 65.6, 66.4},
		"proceed": {98603, 0.15, 0.151, 0.412}, "proceed_with_caution": {51160, 3.61, 3.49, 7.03},
		"abort": {108277, 43.8, 43.2, 45.5}, "chance 0-0.001": {65792, 0.0243, 0.024, 0},
		"chance 0.001-0.005": {26762, 0.254, 0.256, 0}, "chance 0.005-0.02": {24235, 1.16, 1.1, 0},
		"chance 0.02-0.05": {20007, 3.45, 3.33, 0}, "chance 0.05-0.1": {17318, 7.5, 7.28, 0},
		"chance 0.1-0.2": {20593, 15.1, 14.6, 0}, "chance 0.2-0.4": {27324, 30.1, 29.4, 0},
		"chance 0.4-1": {56009, 63.9, 63.2, 0}, "proceed week": {98201, 3.66, 3.32, 0},
		"proceed_with_caution week": {50947, 31.2, 30, 0}, "abort week": {107932, 74.3, 73.6, 0},
		"week 0-0.001": {16458, 0.00608, 0.0132, 0}, "week 0.001-0.005": {17192, 0.14, 0.271, 0},
		"week 0.005-0.02": {20638, 1.29, 1.17, 0}, "week 0.02-0.05": {18345, 3.94, 3.32, 0},
		"week 0.05-0.1": {15738, 7.96, 7.3, 0}, "week 0.1-0.2": {19612, 15.4, 14.7, 0},
		"week 0.2-0.4": {32352, 32, 30, 0}, "week 0.4-1": {116745, 71.9, 71.4, 0},
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
	for what, v := range map[string][2]float64{
		"Brier": {r.Brier, 0.0873}, "base": {r.BrierBase, 0.1549}, "AUC": {r.AUC, 0.9221}, "AUC of score": {r.AUCScore,
			0.9204},
	} {
		if math.Abs(v[0]-v[1]) > 0.00006 {
			t.Errorf("%s: %v, want %v", what, v[0], v[1])
		}
	}
	begin := time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	if r.FromMs != begin || r.Cases != 258040 || len(strings.Split(r.File, ",")) != 8 {
		t.Errorf("%s: %d cases from %d", r.File, r.Cases, r.FromMs)
	}
}
