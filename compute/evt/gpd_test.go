package evt

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// pareto returns n exceedances of a generalised Pareto distribution with scale 2.
func pareto(n int, xi float64, seed uint64) []float64 {
	if xi == 0 {
		xi = 1e-9
	}
	r := rand.New(rand.NewPCG(seed, 9))
	x := make([]float64, n)
	for i := range x {
		x[i] = 2 * excessAt(1-r.Float64(), xi)
	}
	return x
}

// The derivatives equal numerical differences of the likelihood, both for small xi, where a series
// is used, and elsewhere.
func TestSlopesAreDerivatives(t *testing.T) {
	x := pareto(400, 0.2, 1)
	for _, xi := range []float64{-0.05, -0.009, -1e-6, 0, 1e-9, 1e-4, 0.0099, 0.0101, 0.2, 0.8} {
		b := math.Log(4)
		at := func(xi, b float64) sums {
			s, ok := slopes(x, xi, b)
			if !ok {
				t.Fatalf("xi %v is not possible", xi)
			}
			return s
		}
		const h = 1e-5
		s := at(xi, b)
		left, right, below, above := at(xi-h, b), at(xi+h, b), at(xi, b-h), at(xi, b+h)
		for name, v := range map[string][2]float64{
			"by xi":     {s.byXi, (right.nll - left.nll) / (2 * h)},
			"by b":      {s.byB, (above.nll - below.nll) / (2 * h)},
			"by xi, xi": {s.xiXi, (right.byXi - left.byXi) / (2 * h)},
			"by xi, b":  {s.xiB, (above.byXi - below.byXi) / (2 * h)},
			"by b, b":   {s.bB, (above.byB - below.byB) / (2 * h)},
		} {
			if !within(v[0], v[1], 1e-6, 1e-7) {
				t.Errorf("xi %v, %s: %v, differences give %v", xi, name, v[0], v[1])
			}
		}
	}
}

// The derivatives are continuous where the series for small xi begins.
func TestSlopesAreContinuous(t *testing.T) {
	x := pareto(400, 0.1, 2)
	for _, xi := range []float64{-smallXi, smallXi} {
		in, _ := slopes(x, xi*(1-1e-13), 0.7)
		out, _ := slopes(x, xi*(1+1e-13), 0.7)
		for i, v := range [][2]float64{{in.nll, out.nll}, {in.byXi, out.byXi}, {in.xiXi, out.xiXi},
			{in.xiB, out.xiB}} {
			if !within(v[0], v[1], 1e-10, 1e-12) {
				t.Errorf("xi %v, value %d: %v inside, %v outside", xi, i, v[0], v[1])
			}
		}
	}
}

func TestFitFindsTheTruth(t *testing.T) {
	for _, xi := range []float64{-0.3, 0, 0.2, 0.5} {
		x := pareto(50_000, xi, 3)
		g, err := FitMLE(x)
		if err != nil || math.Abs(g.Xi-xi) > 0.02 || math.Abs(g.Beta-2) > 0.06 {
			t.Errorf("xi %v: %+v, %v", xi, g, err)
		}
	}
}

// The fast fit and the search over the whole range agree, and no neighbouring point has a better
// likelihood.
func TestFitIsTheMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(minExcesses, 300).Draw(t, "n")
		x := pareto(n, rapid.Float64Range(-1, 1.5).Draw(t, "xi"), rapid.Uint64().Draw(t, "seed"))
		if rapid.Bool().Draw(t, "ties") {
			for i := range x {
				x[i] = math.Ceil(x[i]*4) / 4
			}
		}
		g, err := FitMLE(x)
		if err != nil {
			if slices.Max(x) != slices.Min(x) {
				t.Fatal(err)
			}
			return
		}
		if g.Xi < minXi || g.Xi > maxXi {
			t.Fatalf("out of bounds: %+v", g)
		}
		p := profile(x, stats.Mean(x), slices.Max(x))
		if math.Abs(p.Xi-g.Xi) > 1e-9 || !within(p.Beta, g.Beta, 1e-9, 0) {
			t.Fatalf("%+v of %v, the search finds %+v of %v", g, nll(g, x), p, nll(p, x))
		}
		best := nll(g, x)
		for _, d := range []GPD{{1e-3, 0}, {-1e-3, 0}, {0, 1e-3}, {0, -1e-3}, {1e-3, -1e-3}, {-1e-3, 1e-3}} {
			near := GPD{max(minXi, min(maxXi, g.Xi+d.Xi)), g.Beta * (1 + d.Beta)}
			if nll(near, x) < best-1e-9 {
				t.Fatalf("%+v of %v is better than %+v of %v", near, nll(near, x), g, best)
			}
		}
		// Scaling the sample scales beta and leaves xi unchanged.
		for i := range x {
			x[i] *= 1e-3
		}
		small, err := FitMLE(x)
		if err != nil || math.Abs(small.Xi-g.Xi) > 1e-9 || !within(small.Beta, 1e-3*g.Beta, 1e-9, 0) {
			t.Fatalf("%+v, in other units %+v, %v", g, small, err)
		}
	})
}

func TestFitRefuses(t *testing.T) {
	constant := slices.Repeat([]float64{0.3}, 50)
	bad := func(v float64) []float64 { x := pareto(50, 0.2, 4); x[17] = v; return x }
	for name, x := range map[string][]float64{
		"nothing": nil, "too few": pareto(minExcesses-1, 0.2, 4), "constant": constant,
		"NaN": bad(math.NaN()), "infinite": bad(math.Inf(1)), "zero": bad(0), "negative": bad(-1),
	} {
		if g, err := FitMLE(x); !errors.Is(err, ErrNoFit) || g != (GPD{}) {
			t.Errorf("%s: %+v, %v", name, g, err)
		}
	}
}

func TestFitSurvives(t *testing.T) {
	almost := slices.Repeat([]float64{1}, 50)
	almost[3] = math.Nextafter(1, 2)
	far := slices.Repeat([]float64{1}, 50)
	far[3] = 1e9
	twoValues := append(slices.Repeat([]float64{1}, 30), slices.Repeat([]float64{2}, 30)...)
	tiny := pareto(50, 0.2, 5)
	for i := range tiny {
		tiny[i] *= 1e-300
	}
	for name, x := range map[string][]float64{
		"almost constant": almost, "one far out": far, "two values": twoValues, "tiny": tiny,
		"all magnitudes": {1e-200, 1e-100, 1e-50, 1, 1e50, 1e100, 1e150, 1e-7, 3, 1e7, 5},
	} {
		g, err := FitMLE(x)
		if err != nil || !(g.Beta > 0) || math.IsInf(g.Beta, 0) || !(g.Xi >= minXi && g.Xi <= maxXi) ||
			math.IsNaN(nll(g, x)) {
			t.Errorf("%s: %+v of %v, %v", name, g, nll(g, x), err)
		}
	}
}

func TestLossTailBySide(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	z := make([]float64, 4000)
	for i := range z {
		z[i] = r.NormFloat64() / math.Sqrt(r.ExpFloat64()+0.3)
	}
	w := &Scratch{}
	before := slices.Clone(z)
	long := FitLossTail(z, mc.Long, w)
	if !slices.Equal(z, before) {
		t.Fatal("the outcomes were changed")
	}
	for i := range z {
		z[i] = -z[i]
	}
	if short := FitLossTail(z, mc.Short, w); short != long || long.Pooled || long.N != len(z) {
		t.Errorf("%+v, of the mirrored outcomes %+v", long, short)
	}
	if len(w.excess) != len(z)/20 {
		t.Errorf("%d exceedances of %d", len(w.excess), len(z))
	}
	if long.Xi < clipLow || long.Xi > clipHigh {
		t.Errorf("xi %v is not clipped", long.Xi)
	}
}

func TestLossTailIsPooled(t *testing.T) {
	w := &Scratch{}
	frozen := make([]float64, 3000)
	few := make([]float64, 3000)
	copy(few, []float64{-1, -2, -3})
	for name, z := range map[string][]float64{
		"nothing": nil, "short history": pareto(MinOutcomes-1, 0.1, 7), "frozen": frozen, "hardly moved": few,
	} {
		for side := range mc.SideCount {
			got := FitLossTail(z, side, w)
			want := pooled[side]
			want.N = len(z)
			if got != want || !got.Pooled {
				t.Errorf("%s, side %d: %+v, want %+v", name, side, got, want)
			}
		}
	}
	if got := FitLossTail(pareto(MinOutcomes, 0.1, 7), mc.Short, w); got.Pooled {
		t.Errorf("%d outcomes are enough: %+v", MinOutcomes, got)
	}
}

func TestTailByHand(t *testing.T) {
	// At p = TailShare the quantile is the threshold, and the mean excess is beta/(1-xi).
	tail := mc.ExtremeTail{U: 1.5, Xi: 0.25, Beta: 0.6}
	if q, es := Quantile(tail, TailShare); q != 1.5 || !within(es, 1.5+0.6/0.75, 1e-15, 0) {
		t.Errorf("%v, %v", q, es)
	}
	// At p = TailShare/16, because 16^0.25 = 2.
	q, es := Quantile(tail, TailShare/16)
	if !within(q, 1.5+0.6/0.25, 1e-15, 0) || !within(es, (3.9+0.6-0.375)/0.75, 1e-15, 0) {
		t.Errorf("%v, %v", q, es)
	}
}
