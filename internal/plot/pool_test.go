package plot

import (
	"strings"
	"testing"

	"ballast/compute/backtest"
)

func TestPool(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	outcomes := func(n, closes, liquidated, worst int, mean float64) backtest.PoolOutcomes {
		return backtest.PoolOutcomes{N: n, Closes: closes, Liquidated: liquidated, Worst: worst, MeanProbability: mean}
	}
	r := &backtest.PoolResult{
		File: "SOL-1h-2020-2026.csv.gz,XRP-1h-2020-2026.csv.gz,BNB-1h.csv", EveryHours: 120, Cases: 89_856,
		Horizons: []backtest.PoolHorizon{
			{Hours: 24, Reliability: []backtest.PoolBin{
				{PoolOutcomes: outcomes(434, 0, 0, 0, 0.0007)}, {},
				{PoolOutcomes: outcomes(5409, 121, 148, 324, 0.0335)},
				{PoolOutcomes: outcomes(6974, 3008, 3605, 4642, 0.526)},
			}},
			{Hours: 168, Reliability: []backtest.PoolBin{
				{PoolOutcomes: outcomes(5556, 179, 192, 302, 0.0335)},
				{PoolOutcomes: outcomes(8376, 4087, 4347, 5126, 0.528)},
			}},
		},
	}
	seen := colours(t, Pool(r))
	for _, c := range append(horizonColours[:], paleBlue) {
		if n := seen[c]; n < 200 {
			t.Errorf("%d pixels of %v", n, c)
		}
	}
	says := texts(Pool(r))
	for _, want := range []string{
		"SOL, XRP, BNB", "89,856 cases", "within 24 h", "within 168 h", "none was", "worst of each hour", ">8,376<",
		">434<",
	} {
		if !strings.Contains(says, want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	// A result without any case still gives a picture.
	empty := &backtest.PoolResult{File: "a", Horizons: []backtest.PoolHorizon{{Hours: 24}}}
	colours(t, Pool(empty))
}
