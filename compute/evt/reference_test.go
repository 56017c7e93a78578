package evt

import (
	_ "embed"
	"encoding/json"
	"math"
	"testing"

	mc "ballast/marketcache"
)

//go:embed testdata/synthetic.json
var syntheticJSON []byte

func within(got, want, rel, abs float64) bool {
	return math.Abs(got-want) <= rel*math.Abs(want)+abs
}

// nll returns the negative log likelihood of a sample.
func nll(g GPD, excess []float64) float64 {
	s, ok := slopes(excess, g.Xi, math.Log(g.Beta))
	if !ok {
		return math.Inf(1)
	}
	return float64(len(excess)) * s.nll
}

// Compares tails and fits of one sample with testdata/reference.py.
func TestAgainstReference(t *testing.T) {
	type tail struct {
		U             float64
		Excesses      int `json:"n_excess"`
		Xi, Beta, NLL float64
		Clipped       float64
		Quantile      float64
		MeanBeyond    float64 `json:"mean_beyond"`
	}
	var g struct {
		Z           []float64
		Long, Short tail
	}
	if err := json.Unmarshal(syntheticJSON, &g); err != nil {
		t.Fatal(err)
	}
	for side, want := range [mc.SideCount]tail{mc.Long: g.Long, mc.Short: g.Short} {
		w := &Scratch{}
		got := FitLossTail(g.Z, side, w)
		// The reference's minimiser uses function values only, which limits its accuracy to about
		// 1e-7.
		if got.N != len(g.Z) || got.Pooled || len(w.excess) != want.Excesses || !within(got.U, want.U, 1e-13, 0) ||
			!within(got.XiRaw, want.Xi, 0, 1e-6) || !within(got.Beta, want.Beta, 1e-6, 0) ||
			!within(got.Xi, want.Clipped, 0, 1e-6) {
			t.Errorf("side %d: %+v of %d, want %+v", side, got, len(w.excess), want)
		}
		if got := nll(GPD{got.XiRaw, got.Beta}, w.excess); !within(got, want.NLL, 0, 1e-9) {
			t.Errorf("side %d: negative log likelihood %v, want %v", side, got, want.NLL)
		}
		exact := mc.ExtremeTail{U: want.U, Beta: want.Beta, Xi: want.Clipped}
		q, es := Quantile(exact, 0.001)
		if !within(q, want.Quantile, 1e-10, 0) || !within(es, want.MeanBeyond, 1e-9, 0) {
			t.Errorf("side %d: quantile %v, mean beyond it %v, want %v, %v", side, q, es, want.Quantile,
				want.MeanBeyond)
		}
	}
}
