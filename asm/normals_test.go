package asm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The error of Normals stays far below the resolution of its inputs, which is 2^-32 of the
// probability and of a full turn.
func TestNormalsAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 4))
	n := 500_000
	if testing.Short() {
		n = 50_000
	}
	var worst float64
	see := func(radius, angle uint32) {
		square := -2 * math.Log((float64(radius)+0.5)/(1<<32))
		if radius > 1<<31 { // near u = 1 Log loses digits, Log1p does not
			square = -2 * math.Log1p(-(float64(math.MaxUint32-radius)+0.5)/(1<<32))
		}
		sin, cos := math.Sincos(float64(int32(angle)) * (2 * math.Pi / (1 << 32)))
		a, b := Normals(radius, angle)
		far := math.Sqrt(square)
		worst = max(worst, math.Abs(a/far-cos), math.Abs(b/far-sin))
	}
	for range n {
		radius, angle := r.Uint32(), r.Uint32()
		see(radius, angle)
		see(radius>>r.IntN(32), angle>>r.IntN(32))
		see(^(radius >> r.IntN(32)), ^(angle >> r.IntN(32)))
	}
	// Both ends of radius and angle, every power of two and its neighbours, and quarter turns.
	for i := range 33 {
		for _, d := range []uint32{0, math.MaxUint32, 1} {
			edge := uint32(uint64(1)<<i) + d
			for _, quarter := range []uint32{0, 1 << 30, 2 << 30, 3 << 30} {
				see(edge, quarter)
				see(edge, quarter-1)
				see(quarter, edge)
			}
		}
	}
	if worst > 3e-12 || worst == 0 {
		t.Errorf("off by %.3g of the radius", worst)
	}
}

// NormalRows and Attempts give the same bits as computing one pair after another.
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
			first = math.MaxUint32 - 5 // the counter of the pair wraps around
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
				if b < n && (math.Float64bits(x[b]) != math.Float64bits(want[0]) ||
					math.Float64bits(u[b]) != math.Float64bits(Uniform(w2, w3))) {
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
