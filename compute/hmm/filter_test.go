package hmm

import (
	_ "embed"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

//go:embed testdata/synthetic.json
var syntheticJSON []byte

type hour struct{ r, volume, e6h, e25d float64 }

// syntheticHours generates the same series as testdata/reference.py.
func syntheticHours(n int) []hour {
	seed := uint64(777)
	uniform := func() float64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return float64(seed>>33) / 2147483648.0
	}
	out := make([]hour, n)
	for i := range out {
		a, b, c, d := uniform(), uniform(), uniform(), uniform()
		scale := 1.0
		if i >= 900 && i < 1000 {
			scale = 8
		}
		h := hour{r: (a - 0.5) * 0.02 * scale, volume: 1e6 * (0.5 + b)}
		if i >= 1200 && i < 1240 {
			h.r, h.volume = 0, 0
		}
		h.e6h = 1e-4 * scale * scale * (0.25 + float64(c*c))
		h.e25d = 1e-4 * (0.5 + d)
		out[i] = h
	}
	return out
}

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

func TestAgainstReference(t *testing.T) {
	var want struct {
		Points []struct {
			Return     int
			X1         float64
			State      int
			Prob       [States]float64
			Confidence float64
		}
	}
	if err := json.Unmarshal(syntheticJSON, &want); err != nil {
		t.Fatal(err)
	}
	var f Filter
	hours := syntheticHours(1500)
	for _, p := range want.Points {
		for f.returns <= p.Return {
			h := hours[f.returns]
			f.Push(h.r, h.volume, h.e6h, h.e25d)
		}
		got := f.Regime()
		if !near(f.x1, p.X1, 1e-12) || got.State != p.State || !near(got.Confidence, p.Confidence, 1e-11) {
			t.Errorf("return %d: x1 %v, %+v, want %+v", p.Return, f.x1, got, p)
		}
		for j, v := range got.Probability {
			if !near(v, p.Prob[j], 1e-11) {
				t.Errorf("return %d, state %d: %v, want %v", p.Return, j, v, p.Prob[j])
			}
		}
		if got.Filtered != (p.Return+2 >= 744) {
			t.Errorf("return %d: filtered %v", p.Return, got.Filtered)
		}
	}
}

func TestThresholds(t *testing.T) {
	probability := [States][States]float64{{1, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}}
	for x1, state := range map[float64]int{-1: 0, 0.0779: Normal, 0.078: Stressed, 0.6699: Stressed, 0.670: Crisis,
		3: 2} {
		if got := ThresholdRegime(x1); got != (Regime{State: state, Probability: probability[state],
			Confidence: 0.5}) {
			t.Errorf("x1 %v: %+v", x1, got)
		}
	}
	if got := VolatilityRatio(1e-12, 0); got != 0 { // both at their floor
		t.Errorf("without moves: %v", got)
	}
}

// For an asset that never trades x2 is undefined, so there is no filter; the regime comes from
// fixed thresholds.
func TestFrozenAsset(t *testing.T) {
	var f Filter
	for range 2000 {
		f.Push(0, 0, 0, 0)
	}
	if got := f.Regime(); got.Filtered || got.State != Normal || f.started {
		t.Errorf("%+v", got)
	}
}

// If the densities of all states underflow, the posterior is the predicted distribution.
func TestFeaturesFarFromEveryState(t *testing.T) {
	var f Filter
	f.x1 = -0.37
	f.step(-0.06, true)
	want := predict(f.alpha, &Transition)
	f.x1 = 1e6
	f.step(0, false)
	if !near(f.alpha[0], want[0], 1e-15) || !near(f.alpha[1], want[1], 1e-15) {
		t.Errorf("%v, want %v", f.alpha, want)
	}
}

func TestRollingMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		distinct := rapid.SampledFrom([]int{1, 2, 30, 1 << 30}).Draw(t, "distinct values")
		var m rollingMedian
		var all []float64
		for range 1600 {
			v := float64(r.IntN(distinct))
			m.add(v)
			all = append(all, v)
		}
		w := slices.Clone(all[len(all)-medianWindow:])
		slices.Sort(w)
		if got, want := m.median(), (w[359]+w[360])/2; got != want {
			t.Fatalf("%v, want %v", got, want)
		}
		if !slices.Equal(m.sorted, w) {
			t.Fatal("the values in order are not the newest 720")
		}
	})
}

// For every input the probabilities are in [0, 1] and sum to 1.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		scale := rapid.SampledFrom([]float64{0, 1e-6, 1, 20}).Draw(t, "scale")
		var f Filter
		for range 1000 {
			volume, memory := 1e9*r.Float64()*float64(r.IntN(2)), func() float64 {
				return math.Expm1(scale * r.NormFloat64())
			}
			f.Push(scale*r.NormFloat64(), volume, memory(), memory())
			g := f.Regime()
			sum := g.Probability[0] + g.Probability[1] + g.Probability[2]
			if !near(sum, 1, 1e-12) || min(g.Probability[0], g.Probability[1], g.Probability[2]) < 0 ||
				g.Probability[g.State] > g.Confidence+1e-12 && g.Filtered || !(g.Confidence >= 1.0/3) {
				t.Fatalf("%+v", g)
			}
		}
	})
}
