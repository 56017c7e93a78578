package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// byTerm returns the indices of the m observations with the largest scale*x, in descending order.
func byTerm(scale float64, x []float64, m int) []int32 {
	rows := make([]int32, len(x))
	for i := range rows {
		rows[i] = int32(i)
	}
	slices.SortFunc(rows, func(a, b int32) int { return -cmp.Compare(scale*x[a], scale*x[b]) })
	return rows[:min(m, len(rows))]
}

// The quantile without one term equals the quantile of the sums without that term, bit by bit: with
// and without the list of the largest terms, for small terms and for a dominant one.
func TestLeaveOneOut(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	heavy := func() float64 { return r.NormFloat64() / math.Sqrt(0.2+r.Float64()) }
	w := &LeaveOneOut{}
	for _, n := range []int{0, 1, 2, 3, 50, 300, 1023, 1024, 2000, 8192, 8761} {
		for _, k := range []int{1, 2, 3, 4, 9, 40} {
			if testing.Short() && k == 40 && n > 300 {
				continue
			}
			scale, terms := make([]float64, k), make([][]float64, k)
			total := make([]float64, n)
			common := fill(n, func(int) float64 { return heavy() })
			for i := range terms {
				scale[i] = r.NormFloat64()
				if i == 1 {
					scale[i] *= 30
				}
				terms[i] = fill(n, func(at int) float64 { return common[at] + heavy() })
				if i == 2 {
					terms[i] = fill(n, func(int) float64 { return float64(r.IntN(3)) }) // equal values
				}
				for at, x := range terms[i] {
					total[at] += float64(scale[i] * x)
				}
			}
			for _, p := range []float64{0.5, 0.95, 0.99, 1} {
				q, mean := w.Prepare(total, p)
				if want, wantMean := UpperTail(total, p, make([]float64, n)); q != want || mean != wantMean {
					t.Fatalf("n %d, k %d, p %v: %v and %v, want %v and %v", n, k, p, q, mean, want, wantMean)
				}
				for i, x := range terms {
					sums := make([]float64, n)
					for at := range sums {
						sums[at] = total[at] + float64(-scale[i]*x[at])
					}
					want := Quantile(sums, p)
					for _, m := range []int{0, 1, 40, 500, n} {
						if got := w.Quantile(-scale[i], x, byTerm(-scale[i], x, m)); got != want {
							t.Fatalf("n %d, k %d, p %v, term %d, %d largest: %v, want %v", n, k, p, i, m, got, want)
						}
					}
				}
			}
		}
	}
}

func TestLeaveOneOutAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	x := fill(8761, func(int) float64 { return r.NormFloat64() })
	w := &LeaveOneOut{}
	w.Prepare(x, 0.99)
	if n := testing.AllocsPerRun(10, func() {
		w.Prepare(x, 0.99)
		w.Quantile(-0.5, x, nil)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
