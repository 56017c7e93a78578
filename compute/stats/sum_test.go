package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

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

func TestPiecewiseLinear(t *testing.T) {
	knots := []Knot{{0, 100}, {2, 90}, {5, 65}, {5, 60}, {10, 0}}
	// At a step, 5, the upper knot applies.
	for x, want := range map[float64]float64{-1: 100, 0: 100, 1: 95, 2: 90, 3.5: 77.5, 5: 60, 7.5: 30, 10: 0,
		1e300: 0} {
		if got := PiecewiseLinear(x, knots); math.Abs(got-want) > 1e-12 {
			t.Errorf("pl(%v) = %v, want %v", x, got, want)
		}
	}
	if PiecewiseLinear(3, nil) != 0 {
		t.Error("no knots is 0")
	}
}
