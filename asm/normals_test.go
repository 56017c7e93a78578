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

// Tests moments, a histogram, the correlation between the two outputs and with the next block, and
// the tails up to five standard deviations.
func TestNormals(t *testing.T) {
	pairs := uint32(1 << 21)
	if testing.Short() {
		pairs = 1 << 15
	}
	g := Philox{C2: 2}
	g.Schedule(11, 0)
	const bins = 200
	var edge [bins]float64
	for i := range edge {
		edge[i] = math.Sqrt2 * math.Erfinv(2*float64(i+1)/bins-1)
	}
	var cells [bins]int
	var moment [5]float64
	var cross [4]float64 // products with the other output of the block and with the block before
	var beyond [6][2]int // counts beyond whole standard deviations, lower and upper tail
	var last float64
	n := 0
	for pair := range pairs {
		w0, w1, w2, w3 := g.Block(0, pair)
		a, b := Normals(w0, w1)
		c, d := Normals(w2, w3)
		cross[0] += a * b
		cross[1] += b * c
		cross[2] += (a*a - 1) * (d*d - 1) / 2
		cross[3] += last * a
		last = d
		for _, z := range [4]float64{a, b, c, d} {
			p := z
			for m := 1; m <= 4; m++ {
				moment[m] += p
				p *= z
			}
			low, high := 0, bins-1
			for low < high {
				if mid := (low + high) / 2; z < edge[mid] {
					high = mid
				} else {
					low = mid + 1
				}
			}
			cells[low]++
			for k := 1; k <= 5; k++ {
				if z < -float64(k) {
					beyond[k][0]++
				} else if z > float64(k) {
					beyond[k][1]++
				}
			}
			n++
		}
	}
	N := float64(n)
	for m, want := range []float64{0, 0, 1, 0, 3} {
		variance := []float64{1, 1, 2, 15, 96}[m]
		if m > 0 && math.Abs(moment[m]/N-want) > 5*math.Sqrt(variance/N) {
			t.Errorf("moment %d: %v", m, moment[m]/N)
		}
	}
	for i, s := range cross {
		if r := s / math.Sqrt(float64(pairs)); math.Abs(r) > 5 {
			t.Errorf("correlation %d: %.1f standard errors", i, r)
		}
	}
	if s := chiSquare(cells[:]); math.Abs(s) > 5 {
		t.Errorf("bins: chi-square %.1f standard deviations from its mean", s)
	}
	for k := 1; k <= 5; k++ {
		want := N * math.Erfc(float64(k)/math.Sqrt2) / 2
		for side, got := range beyond[k] {
			if math.Abs(float64(got)-want) > 5*math.Sqrt(want)+1 {
				t.Errorf("beyond %d deviations, side %d: %d, want %.1f", k, side, got, want)
			}
		}
	}
}

// Tests rows in the order in which they are drawn: neither the normals nor their squares are
// correlated with those of nearby pairs, which other lanes and groups compute, nor with those of
// other blocks.
func TestNormalRowsAreIndependent(t *testing.T) {
	n, blocks := 1<<15, 8
	if testing.Short() {
		n, blocks = 1<<12, 3
	}
	g := Philox{C2: 2, C3: 5}
	g.Schedule(3, 4)
	all := make([][]float64, 0, 4*blocks)
	for block := range blocks {
		rows := make([]float64, 4*n)
		g.NormalRows(rows, n, uint32(block), 1<<31-100, n)
		for row := range 4 {
			all = append(all, rows[row*n:][:n])
		}
	}
	tested, worst := 0, 0.0
	for i, x := range all {
		for j, y := range all[:i+1] {
			for lag := range 10 {
				if i == j && lag == 0 {
					continue
				}
				var plain, squares float64
				for b := range n - lag {
					u, v := x[b], y[b+lag]
					plain += u * v
					squares += (u*u - 1) * (v*v - 1) / 2
				}
				root := math.Sqrt(float64(n - lag))
				for _, r := range []float64{plain / root, squares / root} {
					tested, worst = tested+1, max(worst, math.Abs(r))
				}
			}
		}
	}
	// The largest of 10,000 standard normals exceeds 5.5 in absolute value once in 2,500 runs.
	if worst > 5.5 {
		t.Errorf("of %d correlations one is %.1f standard errors", tested, worst)
	} else {
		t.Logf("the largest of %d correlations is %.1f standard errors", tested, worst)
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
