//go:build evidence

package backtest

import (
	"maps"
	"math"
	"slices"
	"sync"
	"testing"

	"ballast/internal/reference"
	"ballast/marketcache"
)

type goldenRow struct {
	Asset string
	Row
}

type goldenFile struct {
	Files     map[string]string
	Rows      []goldenRow
	Tolerance struct {
		Hits       int     `json:"hits_abs"`
		Pinball    float64 `json:"pinball_rel"`
		McNeilFrey float64 `json:"mcneil_frey_p_abs"`
	}
}

func golden(t testing.TB) (g goldenFile) {
	t.Helper()
	reference.Golden(t, "backtest", &g)
	return g
}

// candles returns the bars of a candle file; missing hours stay missing.
func candles(t testing.TB, file string) (bars []marketcache.Bar) {
	t.Helper()
	for _, row := range reference.Candles(t, file, nil) {
		bars = append(bars, marketcache.Bar(row))
	}
	return bars
}

// resultsOf are the results by model and asset, made once.
var resultsOf = map[Model]map[string]*Result{}

// runAll runs a model on all reference files at the same time and returns the results by asset.
func runAll(t *testing.T, g goldenFile, m Model) map[string]*Result {
	t.Helper()
	if resultsOf[m] != nil {
		return resultsOf[m]
	}
	results := map[string]*Result{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for asset, file := range g.Files {
		bars := candles(t, file)
		wg.Go(func() {
			r, err := Run(bars, Options{File: file, Model: m})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Errorf("%s %s: %v", asset, m, err)
				return
			}
			results[asset] = r
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	resultsOf[m] = results
	return results
}

func inOrder(results map[string]*Result) (out []*Result) {
	for _, asset := range slices.Sorted(maps.Keys(results)) {
		out = append(out, results[asset])
	}
	return out
}

// TestEvidenceBacktest runs eight assets over four to six years with the code of the service, and
// compares the results with the values stated in docs/model.md.
func TestEvidenceBacktest(t *testing.T) {
	g := golden(t)
	results := runAll(t, g, FHSPX)
	for _, want := range g.Rows {
		side := slices.Index(Sides[:], want.Side)
		level := slices.Index(Levels[:], want.Level)
		got := results[want.Asset].Row(side, level)
		if got.N != want.N || max(got.Hits-want.Hits, want.Hits-got.Hits) > g.Tolerance.Hits {
			t.Errorf("%s %s %v: %d hits in %d, want %d in %d",
				want.Asset, want.Side, want.Level, got.Hits, got.N, want.Hits, want.N)
		}
		near := func(what string, got, want0, rel, abs float64) {
			t.Helper()
			if math.Abs(got-want0) > rel*math.Abs(want0)+abs {
				t.Errorf("%s %s %v: %s %v, want %v", want.Asset, want.Side, want.Level, what, got, want0)
			}
		}
		near("pinball", got.Pinball, want.Pinball, g.Tolerance.Pinball, 0)
		near("pinball ratio", got.PinballRatio, want.PinballRatio, g.Tolerance.Pinball, 0)
		if got.Hits != want.Hits {
			continue
		}
		near("rate", got.Rate, want.Rate, 1e-15, 0)
		near("Kupiec", got.KupiecLR, want.KupiecLR, 1e-6, 1e-12)
		near("Kupiec p", got.KupiecP, want.KupiecP, 1e-6, 0)
		near("Christoffersen", got.ChristoffersenLR, want.ChristoffersenLR, 1e-6, 1e-12)
		near("Christoffersen p", got.ChristoffersenP, want.ChristoffersenP, 1e-6, 0)
		near("ES residual", got.ESResidual, want.ESResidual, 1e-6, 1e-12)
		near("McNeil-Frey p", got.McNeilFreyP, want.McNeilFreyP, 0, g.Tolerance.McNeilFrey)
		near("FZ0", got.FZ0, want.FZ0, 1e-6, 0)
	}
	bounds := [marketcache.LevelCount]struct{ low, high, ratio float64 }{{0.047, 0.056, 0.92}, {0.0085, 0.0125, 0.88}}
	for level, bound := range bounds {
		s := Summarise(inOrder(results))[level]
		t.Logf("%+v", s)
		if s.Sides != 16 || s.Rate < bound.low || s.Rate > bound.high || s.KupiecPasses < 14 ||
			s.ChristoffersenPasses < 14 ||
			s.ESPasses < 13 || s.PinballRatio > bound.ratio {
			t.Errorf("below the bar: %+v, want %+v", s, bound)
		}
	}
}

// The service's model scores better than its alternatives, at both levels and by both scores.
func TestEvidenceBetterThan(t *testing.T) {
	g := golden(t)
	ours := Summarise(inOrder(runAll(t, g, FHSPX)))
	for _, m := range Models[1:] {
		theirs := Summarise(inOrder(runAll(t, g, m)))
		for level := range Levels {
			t.Logf("%s %+v", m, theirs[level])
			if ours[level].PinballRatio >= theirs[level].PinballRatio || ours[level].FZ0 >= theirs[level].FZ0 {
				t.Errorf("level %v: tick loss %v, FZ0 %v; %s has %v, %v", Levels[level],
					ours[level].PinballRatio, ours[level].FZ0, m, theirs[level].PinballRatio, theirs[level].FZ0)
			}
		}
	}
}

// The coverage computed from a published fit agrees with the backtest, breach by breach, on the
// days that both cover.
func TestEvidenceCoverage(t *testing.T) {
	g := golden(t)
	for _, asset := range []string{"BTC", "SOL"} {
		checkCoverage(t, asset, full(candles(t, g.Files[asset])))
	}
}
