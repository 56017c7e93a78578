package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func sizeName(n int, p float64) string { return fmt.Sprintf("n=%d/p=%v", n, p) }

// The order of summation is fixed: four lanes, element i in lane i mod 4, then (s0+s1)+(s2+s3).
func TestSumOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for n := range 70 {
		x := fill(n, func(int) float64 { return math.Exp(5 * r.NormFloat64()) })
		y := fill(n, func(int) float64 { return r.NormFloat64() })
		var s, d [4]float64
		for i := range n {
			s[i%4] += x[i]
			d[i%4] += float64(x[i] * y[i])
		}
		if got, want := Sum(x), (s[0]+s[1])+(s[2]+s[3]); got != want {
			t.Errorf("sum of %d: %v, want %v", n, got, want)
		}
		if got, want := Dot(x, y), (d[0]+d[1])+(d[2]+d[3]); got != want {
			t.Errorf("dot of %d: %v, want %v", n, got, want)
		}
	}
}

// Shows that lanes are used instead of a running sum: a 1 added to 2^53 is lost, but only in the
// lane that holds 2^53.
func TestSumLanesByHand(t *testing.T) {
	big := math.Ldexp(1, 53)
	// Lane 0: 2^53 + 1 + 1 stays 2^53; lane 1: 3.
	if got := Sum([]float64{big, 1, 0, 0, 1, 1, 0, 0, 1, 1}); got != big+3+1 {
		// 2^53+3 rounds to even: 2^53+4.
		t.Errorf("%v", got-big)
	}
}

func TestMeans(t *testing.T) {
	if Mean(nil) != 0 || MeanSquare(nil) != 0 {
		t.Error("mean of nothing is 0")
	}
	if got := Mean([]float64{1, 2, 3, 6}); got != 3 {
		t.Error(got)
	}
	if got := MeanSquare([]float64{1, -3}); got != 5 {
		t.Error(got)
	}
}

func TestPiecewiseLinear(t *testing.T) {
	knots := []Knot{{0, 100}, {2, 90}, {5, 65}, {5, 60}, {10, 0}}
	f := func(x, want float64) {
		t.Helper()
		if got := PiecewiseLinear(x, knots); math.Abs(got-want) > 1e-12 {
			t.Errorf("pl(%v) = %v, want %v", x, got, want)
		}
	}
	f(-1, 100)
	f(0, 100)
	f(1, 95)
	f(2, 90)
	f(3.5, 77.5)
	f(5, 60) // at a step the upper knot applies
	f(7.5, 30)
	f(10, 0)
	f(1e300, 0)
	if PiecewiseLinear(3, nil) != 0 {
		t.Error("no knots is 0")
	}
}

func BenchmarkSum(b *testing.B) {
	x := fill(8760, func(i int) float64 { return float64(i) })
	for b.Loop() {
		Sum(x)
	}
}
