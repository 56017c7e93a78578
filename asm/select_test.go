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
		switch r.IntN(8) {
		case 0:
			threshold = math.Inf(-1)
		case 1:
			threshold = math.Inf(1)
		case 2:
			if n > 0 {
				threshold = x[r.IntN(n)]
			}
		}
		var want, wantBelow, wantSums []float64
		var wantRows []int32
		for i, v := range x {
			if v >= threshold {
				want, wantRows = append(want, v), append(wantRows, int32(i))
			}
			if v <= threshold {
				wantBelow = append(wantBelow, v)
			}
			if v += float64(scale * y[i]); v >= threshold {
				wantSums = append(wantSums, v)
			}
		}
		run := func(name string) {
			before := slices.Clone(x)
			values, check := guarded(t, n)
			if got := Above(values, x, threshold); !sameBits(values[:got], want) {
				t.Fatalf("%s Above, n %d, t %v: %v, want %v", name, n, threshold, values[:got], want)
			}
			check(name + " Above")

			if got := Below(values, x, threshold); !sameBits(values[:got], wantBelow) {
				t.Fatalf("%s Below, n %d, t %v: %v, want %v", name, n, threshold, values[:got], wantBelow)
			}
			check(name + " Below")

			clear(values)
			rows := make([]int32, n+8)
			for i := range rows {
				rows[i] = -7
			}
			if got := AboveRows(values, rows[4:4+n:4+n], x, threshold); !sameBits(values[:got], want) ||
				!slices.Equal(rows[4:4+got], wantRows) {
				t.Fatalf("%s AboveRows, n %d, t %v: %v, %v, want %v, %v", name, n, threshold, values[:got],
					rows[4:4+got], want,
					wantRows)
			}
			check(name + " AboveRows")
			if !slices.Equal(rows[:4], []int32{-7, -7, -7, -7}) || !slices.Equal(rows[4+n:], []int32{-7, -7, -7, -7}) {
				t.Fatalf("%s AboveRows, n %d: wrote beside the rows", name, n)
			}

			clear(values)
			if got := AboveSum(values, x, y, scale, threshold); !sameBits(values[:got], wantSums) {
				t.Fatalf("%s AboveSum, n %d, t %v: %v, want %v", name, n, threshold, values[:got], wantSums)
			}
			check(name + " AboveSum")

			if got := CountAbove(x, threshold); got != len(want) {
				t.Fatalf("%s CountAbove, n %d, t %v: %v, want %v", name, n, threshold, got, len(want))
			}
			next := math.Inf(1)
			for _, v := range x {
				if v > threshold {
					next = min(next, v)
				}
			}
			if got := NextAbove(x, threshold); got != next {
				t.Fatalf("%s NextAbove, n %d, t %v: %v, want %v", name, n, threshold, got, next)
			}
			if n > 0 {
				low, high := Extremes(x)
				if low != slices.Min(x) || high != slices.Max(x) {
					t.Fatalf("%s Extremes, n %d: %v and %v", name, n, low, high)
				}
			}
			if !sameBits(x, before) {
				t.Fatalf("%s, n %d: changed its input", name, n)
			}
			copy(values, x) // in place
			if got := Above(values, values, threshold); !sameBits(values[:got], want) {
				t.Fatalf("%s Above in place, n %d, t %v: %v, want %v", name, n, threshold, values[:got], want)
			}
			copy(values, x)
			if got := AboveSum(values, values, y, scale, threshold); !sameBits(values[:got], wantSums) {
				t.Fatalf("%s AboveSum in place, n %d, t %v", name, n, threshold)
			}
			check(name + " in place")
		}
		bothWays(run)
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
