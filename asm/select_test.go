package asm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// guard is written around every slice that a kernel fills, to detect writes outside.
const guard = -1.2345e300

// guarded returns a slice of n elements with guards on both sides, and a function that checks the
// guards.
func guarded(t *testing.T, n int) (inner []float64, check func(what string)) {
	all := make([]float64, n+16)
	for i := range all {
		all[i] = guard
	}
	return all[8 : 8+n : 8+n], func(what string) {
		t.Helper()
		for i, v := range all {
			if (i < 8 || i >= 8+n) && v != guard {
				t.Fatalf("%s, %d elements: wrote at %d", what, n, i-8)
			}
		}
	}
}

// fuzzed returns n numbers of all kinds that a kernel may receive, at an odd alignment.
func fuzzed(r *rand.Rand, n int) []float64 {
	x := make([]float64, n+3)[r.IntN(4):][:n:n]
	for i := range x {
		switch r.IntN(12) {
		case 0:
			x[i] = 0
		case 1:
			x[i] = math.Copysign(0, -1)
		case 2:
			x[i] = math.Float64frombits(r.Uint64N(1 << 52)) // denormal
		case 3:
			x[i] = math.Trunc(3 * r.NormFloat64()) // equal values
		case 4:
			x[i] = r.NormFloat64() * 1e200
		default:
			x[i] = r.NormFloat64()
		}
	}
	return x
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// selected has what a plain loop selects.
type selected struct {
	above, below, sums []float64
	rows               []int32
	next               float64
}

func selectPlainly(x, y []float64, scale, threshold float64) selected {
	s := selected{next: math.Inf(1)}
	for i, v := range x {
		if v >= threshold {
			s.above, s.rows = append(s.above, v), append(s.rows, int32(i))
		}
		if v <= threshold {
			s.below = append(s.below, v)
		}
		if v > threshold {
			s.next = min(s.next, v)
		}
		if v += float64(scale * y[i]); v >= threshold {
			s.sums = append(s.sums, v)
		}
	}
	return s
}

// Compares every kernel of this file with a plain loop.
func TestSelect(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for round := range 3000 {
		n := r.IntN(70)
		if round%100 == 0 {
			n = 8761 - r.IntN(9)
		}
		x, y, scale := fuzzed(r, n), fuzzed(r, n), r.NormFloat64()
		threshold := r.NormFloat64()
		switch at := r.IntN(8); {
		case at == 0:
			threshold = math.Inf(-1)
		case at == 1:
			threshold = math.Inf(1)
		case at == 2 && n > 0:
			threshold = x[r.IntN(n)]
		}
		want, before := selectPlainly(x, y, scale, threshold), slices.Clone(x)
		bothWays(func(name string) {
			for what, c := range map[string]struct {
				want []float64
				run  func(dst []float64) int
			}{
				"Above":    {want.above, func(dst []float64) int { return Above(dst, x, threshold) }},
				"Below":    {want.below, func(dst []float64) int { return Below(dst, x, threshold) }},
				"AboveSum": {want.sums, func(dst []float64) int { return AboveSum(dst, x, y, scale, threshold) }},
				"Above in place": {want.above, func(dst []float64) int {
					copy(dst, x)
					return Above(dst, dst, threshold)
				}},
				"AboveSum in place": {want.sums, func(dst []float64) int {
					copy(dst, x)
					return AboveSum(dst, dst, y, scale, threshold)
				}},
				"AboveRows": {want.above, func(dst []float64) int {
					rows := slices.Repeat([]int32{-7}, n+8)
					got := AboveRows(dst, rows[4:4+n:4+n], x, threshold)
					outside := slices.Concat(rows[:4], rows[4+n:])
					if !slices.Equal(rows[4:4+got], want.rows) ||
						slices.Max(outside) != -7 || slices.Min(outside) != -7 {
						t.Errorf("%s AboveRows, n %d, t %v: rows %v, want %v", name, n, threshold, rows, want.rows)
					}
					return got
				}},
			} {
				dst, check := guarded(t, n)
				if got := c.run(dst); !sameBits(dst[:got], c.want) {
					t.Fatalf("%s %s, n %d, t %v: %v, want %v", name, what, n, threshold, dst[:got], c.want)
				}
				check(name + " " + what)
			}
			if got := CountAbove(x, threshold); got != len(want.above) {
				t.Fatalf("%s CountAbove, n %d, t %v: %v, want %v", name, n, threshold, got, len(want.above))
			}
			if got := NextAbove(x, threshold); got != want.next {
				t.Fatalf("%s NextAbove, n %d, t %v: %v, want %v", name, n, threshold, got, want.next)
			}
			if n > 0 {
				if low, high := Extremes(x); low != slices.Min(x) || high != slices.Max(x) {
					t.Fatalf("%s Extremes, n %d: %v and %v", name, n, low, high)
				}
			}
			if !sameBits(x, before) {
				t.Fatalf("%s, n %d: changed its input", name, n)
			}
		})
	}
}

func TestWeightedSum(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for round := range 2000 {
		n, k, from := r.IntN(80), r.IntN(12), r.IntN(9)
		if round%100 == 0 {
			n, k = 1000+r.IntN(40), 3
		}
		weights := fuzzed(r, k)
		rows := make([][]float64, k+r.IntN(2))
		for i := range rows {
			rows[i] = fuzzed(r, from+n+r.IntN(3))
		}
		want := make([]float64, n)
		for b := range want {
			for i, w := range weights {
				want[b] += float64(w * rows[i][from+b])
			}
		}
		bothWays(func(name string) {
			dst, check := guarded(t, n)
			WeightedSum(dst, weights, rows, from)
			if !sameBits(dst, want) {
				t.Fatalf("%s, n %d, k %d: %v, want %v", name, n, k, dst, want)
			}
			check(name)
		})
	}
}

func BenchmarkSelect(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float64, 8761), make([]float64, 8761)
	for i := range x {
		x[i], y[i] = r.NormFloat64(), r.NormFloat64()
	}
	values, rows := make([]float64, len(x)), make([]int32, len(x))
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(x)), "ns/elem")
		})
	}
	bothWays(func(name string) {
		run("above/"+name, func() { Above(values, x, 1.9) })
		run("rows/"+name, func() { AboveRows(values, rows, x, 1.9) })
		run("sum/"+name, func() { AboveSum(values, x, y, 0.1, 1.9) })
		run("count/"+name, func() { CountAbove(x, 1.9) })
		run("weighed2/"+name, func() { WeightedSum(values, []float64{1, 2}, [][]float64{x, y}, 0) })
	})
}
