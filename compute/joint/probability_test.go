package joint

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ballast/compute/stats"
)

// plainly computes the probability of liquidation as docs/model.md defines it, without
// optimisations.
func plainly(shortfall []float64, gross float64) float64 {
	q1, q2 := stats.Quantile(slices.Clone(shortfall), 0.99), stats.Quantile(slices.Clone(shortfall), 0.999)
	if q2 >= 0 {
		n := 0
		for _, v := range shortfall {
			if v > 0 {
				n++
			}
		}
		return float64(n) / float64(len(shortfall))
	}
	b := 0.4 * max(q2-q1, 1e-9*gross) / (math.Pow(10, 0.4) - 1)
	return 0.01 * math.Pow(1-0.4*q1/b, -2.5)
}

func TestShortfallProbability(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	work := make([]float64, 3000)
	for _, n := range []int{1, 2, 34, 52, 999, 1000, 1001, 1500, 2921} {
		for range 200 {
			level := 8 * (r.Float64() - 0.3)
			x := make([]float64, n)
			for i := range x {
				x[i] = r.NormFloat64() - level
				if r.IntN(3) == 0 {
					x[i] = math.Round(x[i]) // ties and zeros
				}
			}
			before := slices.Clone(x)
			got, want := ShortfallProbability(x, work, 10), plainly(x, 10)
			if math.Abs(got-want) > 1e-12*want {
				t.Fatalf("%d rows at %v: %v, want %v", n, level, got, want)
			}
			if !slices.Equal(x, before) {
				t.Fatal("the shortfalls were changed")
			}
		}
	}
	if ShortfallProbability(nil, nil, 1) != 0 {
		t.Error("a probability above 0 without rows")
	}
	// All rows are equal, so the width of the tail is minTailShare of the gross notional.
	x := slices.Repeat([]float64{-1}, 2921)
	if got, want := ShortfallProbability(x, work, 1e6), plainly(x, 1e6); got != want || got <= 0 {
		t.Errorf("%v, want %v", got, want)
	}
}

// Values known only within a slack, and refined where needed, give the same probability as exact
// values, bit by bit; the bound is never below that probability.
func TestRefine(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	work := make([]float64, 3000)
	for _, n := range []int{1, 2, 34, 480, 1500, 2921} {
		for range 200 {
			level, slack := 8*(r.Float64()-0.3), math.Exp(12*r.Float64()-10)
			exact, x := make([]float64, n), make([]float64, n)
			for i := range x {
				exact[i] = r.NormFloat64() - level
				if r.IntN(3) == 0 {
					exact[i] = math.Round(exact[i])
				}
				x[i] = exact[i] + slack*(2*r.Float64()-1)*(1-1e-12)
			}
			want := ShortfallProbability(exact, work, 10)
			if bound := MaxShortfallProbability(x, slack); bound < want {
				t.Fatalf("%d rows at %v within %v: bound %v of %v", n, level, slack, bound, want)
			}
			asked := 0
			Refine(x, work, slack, func(row int) float64 { asked++; return exact[row] })
			if got := ShortfallProbability(x, work, 10); got != want {
				t.Fatalf("%d rows at %v within %v: %v, want %v", n, level, slack, got, want)
			}
			if n > 1000 && slack < 1e-3 && asked > n/4 {
				t.Fatalf("%d rows at %v within %v: %d computed exactly", n, level, slack, asked)
			}
		}
	}
	x := []float64{math.NaN(), 1, 2}
	Refine(x, work, math.Inf(1), func(row int) float64 { return float64(row) })
	if !slices.Equal(x, []float64{0, 1, 2}) || MaxShortfallProbability(x, math.Inf(1)) != 1 {
		t.Errorf("MaxShortfallProbability without an error is not the probability: %v", x)
	}
}

// A higher equity never gives a higher probability, and the two formulas agree where the quantile
// is zero.
func TestShortfallProbabilityFalls(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	x, work := normals(r, 2921), make([]float64, 2921)
	last := 1.0
	for equity := -4.0; equity < 12; equity += 0.05 {
		rows := make([]float64, len(x))
		for i, v := range x {
			rows[i] = v - equity
		}
		p := ShortfallProbability(rows, work, 1)
		if p > last*(1+1e-9)+0.0004 || !(p > 0) || p > 1 {
			t.Fatalf("equity %v: %v after %v", equity, p, last)
		}
		last = p
	}
}

func TestWeight(t *testing.T) {
	for rows, want := range map[int]float64{0: 0, 33: 0, 34: 34.0 / 480, 240: 0.5, 480: 1, 2921: 1} {
		if got := Weight(rows); got != want {
			t.Errorf("%d rows: %v", rows, got)
		}
	}
}

func TestShortfallProbabilityAllocsNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	x, work := normals(r, 2921), make([]float64, 2921)
	for i := range x {
		x[i] -= 6
	}
	if n := testing.AllocsPerRun(50, func() { ShortfallProbability(x, work, 1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkShortfallProbability(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 1))
	x, work := normals(r, 2921), make([]float64, 2921)
	for name, equity := range map[string]float64{"tail": 6, "share": 1} {
		rows := make([]float64, len(x))
		for i, v := range x {
			rows[i] = v - equity
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				ShortfallProbability(rows, work, 1)
			}
		})
	}
}
