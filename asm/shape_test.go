package asm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// testCurve returns a curve close to the tail of t(2), which is 1/2 - t/(2*sqrt(2+t^2)), in
// slightly bent segments.
func testCurve() *TailCurve {
	c := &TailCurve{}
	tail := func(v float64) float64 { t := v - 1; return 0.5 - 0.5*t/math.Sqrt(2+t*t) }
	for i := range c.Cell {
		from, to := TailKnot(i), TailKnot(i+1)
		h := to - from
		c.Cell[i] = [4]float64{tail(from), (tail(to) - tail(from)) / (to - from), 1e-3 * tail(to) / (h * h), -1e-3 *
			tail(to) / (h * h * h)}
		c.Last = tail(to)
	}
	return c
}

// The kernel's outcomes equal the formula bit by bit, for draws of every size, at the ends of
// segments and far outside, and for tables of every length. Nothing outside the outcomes is
// written.
func TestShape(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	c := testCurve()
	for round := range 2000 {
		n := r.IntN(30)
		if round%200 == 0 {
			n = 4*shapeBlock + r.IntN(50)
		}
		table := fuzzed(r, 1+r.IntN(40))
		if round%10 == 0 {
			table = fuzzed(r, 8761)
		}
		slices.Sort(table)
		last := float64(len(table) - 1)
		draws := fuzzed(r, n)
		for i := range draws {
			switch r.IntN(10) {
			case 0:
				draws[i] = TailKnot(r.IntN(len(c.Cell)+20)) - 1
			case 1:
				draws[i] = math.Inf(1 - 2*r.IntN(2))
			case 2:
				draws[i] = -math.Exp(20 * r.Float64())
			}
		}
		want := make([]float64, 0, 2*n)
		for _, d := range draws {
			at := float64(last * c.At(d))
			low, high := Interpolate(table, at), Interpolate(table, last-at)
			if !math.Signbit(d) {
				low, high = high, low
			}
			want = append(want, low, high)
		}
		bothWays(func(name string) {
			z, check := guarded(t, 2*n)
			copy(z, draws)
			c.Shape(z, table)
			check(name)
			if !sameBits(z, want) {
				t.Fatalf("%s, %d draws, table of %d: %v, want %v", name, n, len(table), z, want)
			}
		})
	}
}

func BenchmarkShape(b *testing.B) {
	r := rand.New(rand.NewPCG(6, 6))
	c, table := testCurve(), make([]float64, 8761)
	for i := range table {
		table[i] = r.NormFloat64()
	}
	slices.Sort(table)
	z, draws := make([]float64, 8192), make([]float64, 4096)
	for i := range draws {
		draws[i] = r.NormFloat64()
	}
	bothWays(func(name string) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				copy(z, draws)
				c.Shape(z, table)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/draw")
		})
	})
}
