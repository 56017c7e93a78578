package evt

import (
	_ "embed"
	"encoding/json"
	"math"
	"testing"
)

//go:embed testdata/synthetic.json
var syntheticJSON []byte

func within(got, want, rel, abs float64) bool {
	return math.Abs(got-want) <= rel*math.Abs(want)+abs
}

// Compares tails and fits of one sample with testdata/reference.py.
func TestAgainstReference(t *testing.T) {
	type tail struct {
		U             float64
		Excesses      int `json:"n_excess"`
		Xi, Beta, NLL float64
		PWM           [2]float64
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
	for side, want := range [SideCount]tail{Long: g.Long, Short: g.Short} {
		w := &Scratch{}
		got := FitLossTail(g.Z, side, w)
		// The reference's minimiser uses function values only, which limits its accuracy to about
		// 1e-7.
		if got.N != len(g.Z) || got.Pooled || len(w.excess) != want.Excesses || !within(got.U, want.U, 1e-13, 0) ||
			!within(got.XiRaw, want.Xi, 0, 1e-6) || !within(got.Beta, want.Beta, 1e-6, 0) || !within(got.Xi, want.Clipped, 0, 1e-6) {
			t.Errorf("side %d: %+v of %d, want %+v", side, got, len(w.excess), want)
		}
		if nll := (GPD{got.XiRaw, got.Beta}).NLL(w.excess); !within(nll, want.NLL, 0, 1e-9) {
			t.Errorf("side %d: negative log likelihood %v, want %v", side, nll, want.NLL)
		}
		pwm := FitPWM(w.excess)
		if !within(pwm.Xi, want.PWM[0], 0, 1e-11) || !within(pwm.Beta, want.PWM[1], 1e-11, 0) {
			t.Errorf("side %d: moments %+v, want %v", side, pwm, want.PWM)
		}
		exact := Tail{U: want.U, Beta: want.Beta, Xi: want.Clipped}
		if q, es := exact.Quantile(0.001); !within(q, want.Quantile, 1e-10, 0) || !within(es, want.MeanBeyond, 1e-9, 0) {
			t.Errorf("side %d: quantile %v and mean beyond it %v, want %v and %v", side, q, es, want.Quantile, want.MeanBeyond)
		}
	}
}
