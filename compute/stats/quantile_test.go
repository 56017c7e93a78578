package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// sortedQuantile computes the type-7 quantile from a sorted copy.
func sortedQuantile(x []float64, p float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	at := 1 + float64(len(s)-1)*p
	lo := int(math.Floor(at))
	if lo >= len(s) {
		return s[len(s)-1]
	}
	g := at - math.Floor(at)
	if g == 0 {
		return s[lo-1]
	}
	return s[lo-1] + float64(g*(s[lo]-s[lo-1]))
}

// orders holds input orders that are hard for selection: each function returns n values.
var orders = map[string]func(n int, r *rand.Rand) []float64{
	"random": func(n int, r *rand.Rand) []float64 { return fill(n, func(int) float64 { return r.NormFloat64() }) },
	"rising": func(n int, _ *rand.Rand) []float64 { return fill(n, func(i int) float64 { return float64(i) }) },
	"falling": func(n int, _ *rand.Rand) []float64 {
		return fill(n, func(i int) float64 { return float64(-i) })
	},
	"constant": func(n int, _ *rand.Rand) []float64 { return fill(n, func(int) float64 { return 3 }) },
	"two values": func(n int, r *rand.Rand) []float64 {
		return fill(n, func(int) float64 { return float64(r.IntN(2)) })
	},
	"mostly zero": func(n int, r *rand.Rand) []float64 {
		return fill(n, func(int) float64 { return float64(max(0, r.IntN(20)-17)) })
	},
	"organ pipe": func(n int, _ *rand.Rand) []float64 {
		return fill(n, func(i int) float64 { return float64(min(i, n-i)) })
	},
	"saw": func(n int, _ *rand.Rand) []float64 { return fill(n, func(i int) float64 { return float64(i % 63) }) },
	"heavy tails": func(n int, r *rand.Rand) []float64 {
		return fill(n, func(int) float64 { return math.Exp(20 * r.NormFloat64()) })
	},
}

func fill(n int, f func(int) float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = f(i)
	}
	return x
}

func TestQuantileEqualsSorting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, order := range orders {
		for _, n := range []int{1, 2, 3, 4, 5, 47, 48, 49, 50, 100, 721, 8761} {
			x := order(n, r)
			for _, p := range []float64{0, 0.001, 0.01, 0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1} {
				want := sortedQuantile(x, p)
				if got := Quantile(slices.Clone(x), p); got != want {
					t.Errorf("%s, n %d, p %v: %v, sorting gives %v", name, n, p, got, want)
				}
				s := slices.Clone(x)
				slices.Sort(s)
				if got := QuantileSorted(s, p); got != want {
					t.Errorf("%s, n %d, p %v: sorted %v, want %v", name, n, p, got, want)
				}
			}
		}
	}
}

func TestSelectOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Map(rapid.IntRange(-3, 3), func(i int) float64 { return float64(i) })
		x := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-1, 1), whole), 1, 400).Draw(t, "x")
		k := rapid.IntRange(0, len(x)-1).Draw(t, "k")
		sorted := slices.Clone(x)
		slices.Sort(sorted)
		got := Select(x, k)
		if got != sorted[k] || x[k] != sorted[k] {
			t.Fatalf("rank %d: %v, want %v", k, got, sorted[k])
		}
		for i, v := range x {
			if (i < k && v > got) || (i > k && v < got) {
				t.Fatalf("element %d (%v) on the wrong side of rank %d (%v)", i, v, k, got)
			}
		}
		slices.Sort(x)
		if !slices.Equal(x, sorted) {
			t.Fatal("selection lost an element")
		}
	})
}

// A NaN has no rank, but selection must still end.
func TestSelectEndsWithNaN(t *testing.T) {
	x := fill(500, func(i int) float64 { return math.NaN() })
	Select(x, 250)
	x = fill(500, func(i int) float64 { return []float64{math.NaN(), float64(i)}[i%2] })
	Select(x, 100)
}

// upperTailMean is the mean of the observations from q on, in index order.
func upperTailMean(x []float64, q float64) float64 {
	return Mean(slices.DeleteFunc(slices.Clone(x), func(v float64) bool { return v < q }))
}

// A lower tail has the index order, and the two ways to compute its mean give the same bits.
func TestLowerTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 1, 300).Draw(t, "x")
		q := rapid.Float64Range(-1e3, 1e3).Draw(t, "q")
		want := slices.DeleteFunc(slices.Clone(x), func(v float64) bool { return v > q })
		if tail := AppendLowerTail(nil, x, q); !slices.Equal(tail, want) || LowerTailMean(x, q) != Mean(want) {
			t.Fatalf("%v with mean %v, want %v", tail, LowerTailMean(x, q), want)
		}
	})
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{{nil, 0}, {[]float64{4}, 4}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 2}, 2}, {[]float64{8, 6, 2, 0}, 4}} {
		s := slices.Sorted(slices.Values(c.x))
		if a, b := Median(slices.Clone(c.x)), MedianSorted(s); a != c.want || b != c.want {
			t.Errorf("median of %v: %v, sorted %v, want %v", c.x, a, b, c.want)
		}
	}
}
