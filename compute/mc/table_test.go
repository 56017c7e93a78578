package mc

import (
	"math"
	"slices"
	"testing"

	"ballast/compute/stats"
)

func TestInnovationTable(t *testing.T) {
	u := []float64{3, 1, -2, 0, 8}
	table, k2 := InnovationTable(nil, u)
	if k2 != (9+1+4+0+64)/5.0 {
		t.Errorf("k2 %v", k2)
	}
	// Mean 2, variance 15.6 - 4 = 11.6.
	for i, v := range []float64{-4, -2, -1, 1, 6} {
		if want := v / math.Sqrt(11.6); math.Abs(table[i]-want) > 1e-15 {
			t.Errorf("entry %d: %v, want %v", i, table[i], want)
		}
	}
	if !slices.Equal(u, []float64{3, 1, -2, 0, 8}) {
		t.Error("the outcomes were changed")
	}
	again, _ := InnovationTable(u, u)
	if &again[0] != &u[0] || !slices.Equal(again, table) {
		t.Errorf("in place: %v", again)
	}

	still, k2 := InnovationTable(nil, []float64{0.5, 0.5, 0.5})
	if k2 != 0.25 || !slices.Equal(still, []float64{0, 0, 0}) {
		t.Errorf("a constant: %v, k2 %v", still, k2)
	}
	if empty, k2 := InnovationTable(nil, nil); len(empty) != 0 || k2 != 0 {
		t.Errorf("nothing: %v, %v", empty, k2)
	}
}

func TestStudentTable(t *testing.T) {
	table := studentTable()
	if len(table) != studentBins || !slices.IsSorted(table) {
		t.Fatalf("%d entries, sorted %v", len(table), slices.IsSorted(table))
	}
	for i, v := range table {
		if table[studentBins-1-i] != -v {
			t.Fatalf("entry %d is not mirrored", i)
		}
	}
	if m := stats.MeanSquare(table); math.Abs(m-1) > 1e-12 {
		t.Errorf("variance %v", m)
	}
	// Away from the ends a bin is narrow, so its entry must lie between its edges times scale.
	scale := math.Sqrt((StudentNu - 2) / StudentNu)
	for _, i := range []int{1, 2, 10, 655, 3277, 20000, 32000} {
		low := scale * stats.StudentQuantile(float64(i)/studentBins, StudentNu)
		high := scale * stats.StudentQuantile(float64(i+1)/studentBins, StudentNu)
		if table[i] < low || table[i] > high {
			t.Errorf("entry %d: %v outside [%v, %v]", i, table[i], low, high)
		}
	}
	// The outermost bin is approximately a Pareto tail: its root mean square is sqrt(nu/(nu-2))
	// times its edge.
	edge := scale * stats.StudentQuantile(1.0/studentBins, StudentNu)
	if want := edge * math.Sqrt(StudentNu/(StudentNu-2)); math.Abs(table[0]/want-1) > 0.02 {
		t.Errorf("outermost entry %v, about %v expected", table[0], want)
	}
}

func TestMomentMatchByHand(t *testing.T) {
	var coefficients [5]float64
	var decay [4]float64
	hours := evenHours()
	match := func(e [4]float64, lr, k2, g, target float64) float64 {
		return MomentMatch(e, lr, k2, g, target, coefficients, decay, hours)
	}
	// Only the long-run variance: 24 hours of k2*b5*lr each.
	coefficients, decay = [5]float64{4: 0.5}, [4]float64{}
	if got := match([4]float64{9, 9, 9, 9}, 1e-4, 2, 5, 24*1.44e-4); math.Abs(got-1.2) > 1e-15 {
		t.Errorf("constant: %v", got)
	}
	// One variance component that holds only the last hour (lam 0), with g = 1/2 and k2*b1 = 1: s_j
	// = k2*b1*e halves each hour, so the sum is e*(2 - 2^-23).
	coefficients = [5]float64{0.5}
	if got := match([4]float64{1e-4}, 0, 2, 0.5, 1e-4*(2-math.Ldexp(1, -23))*1.21); math.Abs(got-1.1) > 1e-14 {
		t.Errorf("halving: %v", got)
	}
	// Only the first hour, four times as active as an average one, moves the price.
	hours = [Steps]float64{4}
	if got := match([4]float64{1e-4}, 0, 2, 0.5, 4e-4*1.21); math.Abs(got-1.1) > 1e-14 {
		t.Errorf("one active hour: %v", got)
	}
	// The two bounds of the result, and a variance of zero.
	if got := match([4]float64{1e-4}, 0, 2, 0.5, 1); got != maxMatch {
		t.Errorf("upper bound: %v", got)
	}
	if got := match([4]float64{1e-4}, 0, 2, 0.5, 1e-9); got != minMatch {
		t.Errorf("lower bound: %v", got)
	}
	if got := match([4]float64{}, 0, 2, 0.5, 1e-4); got != 1 {
		t.Errorf("nothing moves: %v", got)
	}
}
