//go:build evidence

package risk

import (
	"math"
	"testing"
	"time"

	"ballast/internal/reference"
)

// Every recorded move, and those of BTC and ETH, can be recomputed from the candle files.
func TestEvidenceScenarios(t *testing.T) {
	g := goldenScenarios(t)
	check := func(sc *goldenScenario, asset, file string, want [3]any) {
		t.Helper()
		at := func(text string) time.Time {
			when, err := time.Parse("2006-01-02 15:04", text)
			if err != nil {
				t.Fatal(err)
			}
			return when
		}
		begin, last := at(sc.Start), at(sc.LastBar)
		rows := reference.Candles(t, file, func(open time.Time) bool { return !open.Before(begin) })
		opening, low, high, end := rows[0].Open, math.Inf(1), 0.0, 0.0
		for _, r := range rows {
			if r.OpenMs > last.UnixMilli() {
				break
			}
			low, high, end = min(low, r.Low), max(high, r.High), r.Close
		}
		extreme := 100 * (low/opening - 1)
		if want[0].(float64) > 0 {
			extreme = 100 * (high/opening - 1)
		}
		final := 100 * (end/opening - 1)
		if max(math.Abs(extreme-want[0].(float64)), math.Abs(final-want[1].(float64))) > g.Tolerance.Abs {
			t.Errorf("%s, %s: %.2f/%.2f, want %v", sc.ID, asset, extreme, final, want)
		}
	}
	special := map[string]string{"kPEPE": "1000PEPE", "PUMP": "PUMPFUN"}
	n := 0
	for i := range g.Scenarios {
		sc := &g.Scenarios[i]
		for asset, want := range sc.Assets {
			file := asset + "-1h-2020-2026.csv.gz"
			switch {
			case want[2] == "4h spot":
				file = asset + "-4h-2017-2026.csv.gz"
			case asset == "BTC" || asset == "ETH":
				file = asset + "-1h-2020-2024.csv.gz"
			}
			check(sc, asset, file, want)
			n++
		}
		for asset, want := range sc.More {
			name := asset
			if other := special[asset]; other != "" {
				name = other
			}
			check(sc, asset, name+"-1h-2025-10-crash.csv.gz", want)
			n++
		}
	}
	if n < 110 {
		t.Errorf("only %d moves", n)
	}
}
