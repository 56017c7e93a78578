package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// tailLevels holds the levels of the upper tails tested.
var tailLevels = []float64{0.5, 0.74, 0.76, 0.9, 0.95, 0.975, 0.985, 0.99, 0.995, 0.999, 1}

// The quantile and mean of an upper tail equal those from plain selection, bit by bit.
func TestUpperTail(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for name, order := range orders {
		for _, n := range []int{1, 2, 5, 100, 721, 1023, 1024, 1025, 2500, 8192, 8761} {
			x := order(n, r)
			before := slices.Clone(x)
			scratch := make([]float64, n)
			for _, p := range tailLevels {
				q, mean := UpperTail(x, p, scratch)
				want := sortedQuantile(x, p)
				if wantMean := upperTailMean(x, want); q != want || mean != wantMean {
					t.Errorf("%s, n %d, p %v: %v and %v, want %v and %v", name, n, p, q, mean, want, wantMean)
				}
			}
			sorted := slices.Sorted(slices.Values(x))
			for _, rank := range []int{1, min(2, n), n/200 + 1, n / 20, n / 2, n} {
				if got := UpperRank(x, max(1, rank), scratch); got != sorted[n-max(1, rank)] {
					t.Errorf("%s, n %d, rank %d: %v, want %v", name, n, rank, got, sorted[n-max(1, rank)])
				}
				if got := UpperSorted(x, max(1, rank), scratch); !slices.Equal(got, sorted[n-max(1, rank):]) {
					t.Errorf("%s, n %d: the %d largest are %v, want %v", name, n, rank, got, sorted[n-max(1, rank):])
				}
			}
			if got, want := MedianOf(x, scratch), MedianSorted(sorted); got != want {
				t.Errorf("%s, n %d: median %v, want %v", name, n, got, want)
			}
			for _, p := range []float64{0, 0.01, 0.07, 0.2, 0.6, 1} {
				tail := LowerTail(x, p, scratch)
				inOrder := slices.Clone(tail)
				for _, level := range []float64{p, p / 2, p / 10} {
					if got, want := TailQuantile(tail, n, level), sortedQuantile(x, level); got != want {
						t.Errorf("%s, n %d: quantile at %v of a tail at %v: %v, want %v", name, n, level, p, got, want)
					}
				}
				levels := []float64{p, 0.9 * p, 0.5 * p, 0.45 * p, 0.02 * p, 0}
				TailQuantiles(tail, n, levels)
				for i, share := range []float64{1, 0.9, 0.5, 0.45, 0.02, 0} {
					if want := sortedQuantile(x, share*p); levels[i] != want {
						t.Errorf("%s, n %d: quantile at %v of a tail at %v: %v, want %v", name, n, share*p, p,
							levels[i], want)
					}
				}
				q := sortedQuantile(x, p/2)
				if got, want := LowerTailMean(inOrder, q), LowerTailMean(x, q); got != want {
					t.Errorf("%s, n %d: mean below %v in a tail at %v: %v, want %v", name, n, q, p, got, want)
				}
			}
			if !slices.Equal(x, before) {
				t.Fatalf("%s, n %d: changed", name, n)
			}
		}
	}
	if q, mean := UpperTail(nil, 0.99, nil); q != 0 || mean != 0 {
		t.Errorf("of nothing: %v, %v", q, mean)
	}
}

// The weighted sum equals a plain loop, bit by bit.
func TestWeightedSum(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 3))
	for name, order := range orders {
		for _, n := range []int{0, 1, 5, 721, 1023, 1024, 1537, 8761} {
			weights := []float64{r.NormFloat64(), 30 * r.NormFloat64(), 0}
			terms := [][]float64{order(n, r), order(n, r), order(n, r)}
			x, total := make([]float64, n), make([]float64, n)
			for k := range len(terms) + 1 {
				for i := range x {
					x[i] = 0
					for j := range k {
						x[i] += float64(weights[j] * terms[j][i])
					}
				}
				if WeightedSum(total, weights[:k], terms[:k]); !slices.Equal(total, x) {
					t.Errorf("%s, n %d, %d terms: other sums", name, n, k)
				}
			}
		}
	}
}
