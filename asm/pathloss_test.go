package asm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// floats returns n random float32, some of them 0.
func floats(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		if r.IntN(10) > 0 {
			x[i] = float32(r.NormFloat64())
		}
	}
	return x
}

func TestWeightedSum32(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for _, n := range []int{0, 8, 16, 48, 2040, 2048, 2056, 13152} {
		for k := range 12 {
			weights, rows := make([]float64, k), make([][]float32, k)
			for i := range rows {
				weights[i], rows[i] = 1000*r.NormFloat64(), floats(r, n+r.IntN(3))
			}
			want := make([]float64, n)
			for i, row := range rows {
				for b := range want {
					want[b] += float64(weights[i] * float64(row[b]))
				}
			}
			bothWays(func(name string) {
				dst, check := guarded(t, n)
				WeightedSum32(dst, weights, rows)
				if !sameBits(dst, want) {
					t.Fatalf("%s, n %d, %d rows: %v, want %v", name, n, k, dst, want)
				}
				check(name)
			})
		}
	}
}

func TestPathLoss(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	for _, n := range []int{0, 4, 8, 12, 64, 2192} {
		for range 20 {
			others, own, beyond := fuzzed(r, PathMarks*n), floats(r, PathMarks*n), floats(r, n)
			for i, v := range others {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					others[i] = 0
				}
			}
			weight, scale, between := r.NormFloat64(), r.Float64(), r.Float64()
			want := make([]float64, n)
			var ends [4]float64
			for row := range want {
				last, highest, squares := 0.0, 0.0, 0.0
				for mark := range PathMarks {
					i := row/4*24 + mark*4 + row%4
					l := others[i] + float64(weight*float64(own[i]))
					highest, squares, last = max(highest, l), squares+float64((l-last)*(l-last)), l
				}
				want[row] = highest + float64(between*math.Sqrt(squares)) + float64(scale*float64(beyond[row]))
				ends[row%4] += float64(last * last)
			}
			bothWays(func(name string) {
				dst, check := guarded(t, n)
				squares := PathLoss(dst, others, own, weight, beyond, scale, between)
				if !sameBits(dst, want) || squares != (ends[0]+ends[1])+(ends[2]+ends[3]) {
					t.Fatalf("%s, n %d: %v and %v, want %v and %v", name, n, dst, squares, want, ends)
				}
				check(name)
			})
			held, one := floats(r, PathMarks*n), r.NormFloat64()
			sum := make([]float64, PathMarks*n)
			for i, x := range held {
				sum[i] = float64(one * float64(x))
			}
			wantSquares := PathLoss(want, sum, own, weight, beyond, scale, between)
			bothWays(func(name string) {
				dst, check := guarded(t, n)
				squares := PathLossOfTwo(dst, held, one, own, weight, beyond, scale, between)
				if !sameBits(dst, want) || squares != wantSquares {
					t.Fatalf("%s, two legs, n %d: %v and %v, want %v and %v", name, n, dst, squares, want, wantSquares)
				}
				check(name)
			})
		}
	}
}

func BenchmarkPathLoss(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 3))
	const n = 2192
	weights, rows := make([]float64, 39), make([][]float32, 39)
	for i := range rows {
		weights[i], rows[i] = 1, floats(r, n*PathMarks)
	}
	sums, loss := make([]float64, n*PathMarks), make([]float64, n)
	bothWays(func(name string) {
		for _, k := range []int{1, 4, 39} {
			b.Run("sum/"+name+"/"+string(rune('0'+k%10)), func(b *testing.B) {
				for b.Loop() {
					WeightedSum32(sums, weights[:k], rows)
				}
			})
		}
		b.Run("loss/"+name, func(b *testing.B) {
			for b.Loop() {
				PathLoss(loss, sums, rows[0], 1, rows[1], 0.5, 0.2)
			}
		})
		b.Run("two/"+name, func(b *testing.B) {
			for b.Loop() {
				PathLossOfTwo(loss, rows[2], 1, rows[0], 1, rows[1], 0.5, 0.2)
			}
		})
	})
}
