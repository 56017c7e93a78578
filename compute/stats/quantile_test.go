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
		x := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-1, 1), rapid.Map(rapid.IntRange(-3, 3), func(i int) float64 { return float64(i) })), 1, 400).Draw(t, "x")
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

func TestTails(t *testing.T) {
	x := []float64{5, -1, 3, -2, 0, 7, -4}
	if got := LowerTailMean(x, 0); got != (-1-2-4+0)/4.0 {
		t.Errorf("tail mean at 0: %v", got)
	}
	if got := LowerTailMean(x, -5); got != 0 {
		t.Errorf("empty tail: %v", got)
	}
	tail := AppendLowerTail(nil, x, 0)
	if !slices.Equal(tail, []float64{-1, -2, 0, -4}) {
		t.Errorf("tail is not in index order: %v", tail)
	}
}

// The two ways to compute a tail mean give the same bits: both add the selected observations to the
// lanes in the order of selection.
func TestTailMeanIsMeanOfTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 1, 300).Draw(t, "x")
		q := rapid.Float64Range(-1e3, 1e3).Draw(t, "q")
		if a, b := LowerTailMean(x, q), Mean(AppendLowerTail(nil, x, q)); a != b {
			t.Fatalf("%v against %v", a, b)
		}
	})
}

func TestTailQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-10, 10), 100, 3000).Draw(t, "x")
		q95 := Quantile(slices.Clone(x), 0.05)
		tail := AppendLowerTail(nil, x, q95)
		if got, want := TailQuantile(slices.Clone(tail), len(x), 0.01), sortedQuantile(x, 0.01); got != want {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func TestMedianAndMAD(t *testing.T) {
	f := func(x []float64, median, mad float64) {
		t.Helper()
		if got := Median(slices.Clone(x)); got != median {
			t.Errorf("median of %v: %v, want %v", x, got, median)
		}
		s := slices.Clone(x)
		slices.Sort(s)
		if got := MedianSorted(s); got != median {
			t.Errorf("median of sorted %v: %v, want %v", s, got, median)
		}
		if m, d := MAD(slices.Clone(x)); m != median || d != mad {
			t.Errorf("MAD of %v: %v, %v, want %v, %v", x, m, d, median, mad)
		}
	}
	f(nil, 0, 0)
	f([]float64{4}, 4, 0)
	f([]float64{4, 1}, 2.5, 1.5)
	f([]float64{9, 1, 2}, 2, 1)
	f([]float64{1, 1, 2, 2, 4, 6, 9}, 2, 1) // the textbook example
	f([]float64{8, 6, 2, 0}, 4, 3)
}

func BenchmarkQuantile(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{720, 8761, 100_000} {
		x := fill(n, func(int) float64 { return r.NormFloat64() })
		scratch := make([]float64, n)
		for _, p := range []float64{0.01, 0.05, 0.5} {
			b.Run(sizeName(n, p), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					copy(scratch, x)
					Quantile(scratch, p)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
			})
		}
	}
}

// The mean of the upper tail of x is minus the mean of the lower tail of -x.
func TestUpperTailMean(t *testing.T) {
	x := []float64{3, -1, 4, 1, -5, 9, 2, -6}
	minus := make([]float64, len(x))
	for i, v := range x {
		minus[i] = -v
	}
	for _, q := range []float64{-10, -5, 0, 2, 2.5, 9} {
		if got, want := UpperTailMean(x, q), -LowerTailMean(minus, -q); got != want {
			t.Errorf("beyond %v: %v, want %v", q, got, want)
		}
	}
	if got := UpperTailMean(x, 4); got != 6.5 {
		t.Errorf("of 4 and 9: %v", got)
	}
	if got := UpperTailMean(x, 10); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}
