package asm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Rows and attempts are those of one pair after the other, bit by bit.
func TestNormalRows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for round := range 400 {
		var p Philox
		p.Schedule(r.Uint32(), r.Uint32())
		p.C2, p.C3 = r.Uint32(), r.Uint32()
		n := r.IntN(40)
		if round%20 == 0 {
			n = 1000 + r.IntN(9)
		}
		stride, block, first := n+r.IntN(5), r.Uint32(), r.Uint32()
		if round%3 == 0 {
			first = math.MaxUint32 - 5 // the number of the pair wraps
		}
		bothWays(func(name string) {
			rows, check := guarded(t, 4*stride)
			p.NormalRows(rows, stride, block, first, n)
			check(name + " NormalRows")
			x, checkX := guarded(t, n)
			u, checkU := guarded(t, n)
			p.Attempts(x, u, block, first)
			checkX(name + " Attempts, x")
			checkU(name + " Attempts, u")
			for b := range stride {
				w0, w1, w2, w3 := p.Block(block, first+uint32(b))
				var want [4]float64
				want[0], want[1] = Normals(w0, w1)
				want[2], want[3] = Normals(w2, w3)
				for row, v := range want {
					if b >= n {
						v = guard
					}
					if got := rows[row*stride+b]; math.Float64bits(got) != math.Float64bits(v) {
						t.Fatalf("%s, n %d: row %d, pair %d: %v, want %v", name, n, row, b, got, v)
					}
				}
				if b < n && (math.Float64bits(x[b]) != math.Float64bits(want[0]) || math.Float64bits(u[b]) != math.Float64bits(Uniform(w2, w3))) {
					t.Fatalf("%s, n %d: attempt %d: %v and %v", name, n, b, x[b], u[b])
				}
			}
		})
	}
}

func BenchmarkNormalRows(b *testing.B) {
	var p Philox
	p.Schedule(1, 2)
	rows := make([]float64, 4*1024)
	bothWays(func(name string) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p.NormalRows(rows, 1024, 3, 0, 1024)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/normal")
		})
	})
}
