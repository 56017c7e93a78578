package asm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// testPaths returns a kernel with the parameters of a typical simulation of a position, and a table
// of n draws.
func testPaths(n int) *PathKernel {
	r := rand.New(rand.NewPCG(1, 2))
	draws := make([]float64, n)
	for i := range draws {
		draws[i] = r.NormFloat64() / math.Sqrt(0.3+r.ExpFloat64())
	}
	slices.Sort(draws)
	k := &PathKernel{
		Table: new(PathTable), Random: Philox{C2: 1, C3: 77},
		Decay: [PathMemories]float64{6.0 / 7, 120.0 / 121, 600.0 / 601},
		Base:  2.5e-6, Side: 1, Distance: 0.06, GainPct: 100, LiquidatedPct: -7.25, FundingPct: 0.125,
	}
	k.Table.Set(draws)
	for i := range k.Hour {
		k.Hour[i] = 0.25 + float64(i)/12
	}
	k.Random.Schedule(0x12345678, 0x9abcdef0)
	for i, b := range [PathMemories]float64{0.65, 0.06, 0.08} {
		k.Start[i] = b * 5e-5
		k.Feed[i] = 0.7 * b * (1 - k.Decay[i])
	}
	return k
}

// randomPaths returns a kernel with random parameters, including extreme values.
func randomPaths(r *rand.Rand) *PathKernel {
	// wide returns numbers of all magnitudes down to the smallest denormals, and 0.
	wide := func(lowest, highest float64) float64 {
		switch r.IntN(12) {
		case 0:
			return 0
		case 1:
			return math.Float64frombits(uint64(1 + r.IntN(40))) // the smallest denormals
		}
		return math.Pow(10, lowest+(highest-lowest)*r.Float64())
	}
	usual := r.IntN(3) > 0
	k := &PathKernel{
		Table: new(PathTable), Random: Philox{C2: r.Uint32(), C3: r.Uint32()},
		Side: float64(2*r.IntN(2) - 1), HasBarrier: r.IntN(4) > 0,
		GainPct: 100, LiquidatedPct: -100 * r.Float64(), FundingPct: r.NormFloat64(),
	}
	k.Random.Schedule(r.Uint32(), r.Uint32())
	k.GainPct *= k.Side
	for i := range k.Hour {
		k.Hour[i] = 0.2 + 10*r.Float64()*r.Float64()
	}
	for i := range k.Start {
		k.Decay[i] = r.Float64()
		if usual {
			k.Start[i], k.Feed[i] = 1e-5*r.Float64(), 0.3*r.Float64()*(1-k.Decay[i])
		} else {
			k.Start[i], k.Feed[i] = wide(-320, 20), wide(-10, 8)
		}
	}
	if usual {
		k.Base = 1e-5 * r.Float64()
		k.Distance = 0.2 * r.Float64() * r.Float64()
	} else {
		k.Base = wide(-320, 20)
		k.Distance = math.SmallestNonzeroFloat64 + wide(-320, 3)
	}
	if i := r.IntN(2 * PathMemories); i < PathMemories {
		k.Start[i], k.Feed[i] = 0, 0
	}
	draws := make([]float64, []int{1, 2, 3, 24, 720, 1001, 8760, 1 << 16}[r.IntN(8)])
	for i := range draws {
		draws[i] = r.NormFloat64()
		if r.IntN(50) == 0 {
			draws[i] *= 20
		}
		if !usual && r.IntN(10) == 0 {
			draws[i] = float64(2*r.IntN(2)-1) * wide(-320, 2)
		}
	}
	slices.Sort(draws)
	k.Table.Set(draws)
	return k
}

// same compares the bits of two numbers; all NaNs are equal.
func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// comparePaths runs pairs by the kernel and by Go's loop, and compares the P&L. It also checks that
// nothing before and after the P&L is written.
func comparePaths(t *testing.T, k *PathKernel, first uint32, pairs, offset int) (liquidated int) {
	t.Helper()
	const guard = 0x7FF8DEADBEEF0000
	padded := make([]float64, offset+2*pairs+9)
	for i := range padded {
		padded[i] = math.Float64frombits(guard + uint64(i))
	}
	want := make([]float64, 2*pairs)
	got := padded[offset : offset+2*pairs : offset+2*pairs]
	liquidated = pathsGeneric(k, first, want)
	if n := Paths(k, first, got); n != liquidated {
		t.Errorf("%d liquidated, want %d (%+v, from %d)", n, liquidated, *k, first)
	}
	for i, v := range padded {
		if i -= offset; i < 0 || i >= len(want) {
			if math.Float64bits(v) != guard+uint64(i+offset) {
				t.Fatalf("%d pairs: written at %d", pairs, i)
			}
		} else if !same(v, want[i]) {
			t.Fatalf("path %d of %d: %v, want %v (%+v, from %d)", i, len(want), v, want[i], *k, first)
		}
	}
	return liquidated
}

// A table may be set again with more or fewer draws.
func TestPathTableIsReused(t *testing.T) {
	k := testPaths(8760)
	for _, n := range []int{1000, 8760, 720, 20_000} {
		other := testPaths(n)
		k.Table.Set(other.Table.draws)
		comparePaths(t, k, 1, 50, 1)
		k.Table.Release()
	}
}

func TestPathsAllocNothing(t *testing.T) {
	k := testPaths(1000)
	k.HasBarrier = true
	pnl := make([]float64, 54)
	draws := k.Table.draws
	if n := testing.AllocsPerRun(20, func() {
		k.Table.Set(draws)
		Paths(k, 3, pnl)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func FuzzPaths(f *testing.F) {
	f.Add(uint64(1), uint64(2), uint32(0), uint8(9))
	f.Add(uint64(3), uint64(5), uint32(math.MaxUint32-8), uint8(64))
	f.Add(uint64(8), uint64(1<<63), uint32(12345), uint8(255))
	f.Fuzz(func(t *testing.T, a, b uint64, first uint32, pairs uint8) {
		comparePaths(t, randomPaths(rand.New(rand.NewPCG(a, b))), first, int(pairs), int(a%4))
	})
}

// evenHours returns the factors of hours of average activity.
func evenHours() (f [PathSteps]float64) {
	for i := range f {
		f[i] = 1
	}
	return f
}

// drawnBits returns, for every pair from number first on, the highest bit of the random word of
// every step, as the kernel draws it. It reads the bits off the P&L: with a table of -1 and 1, and
// a variance that falls to a sixteenth at each step, the log price x is a number to base 4 whose
// digits are the draws.
func drawnBits(t *testing.T, first uint32, pairs int, four bool) [][PathSteps]uint {
	k := &PathKernel{Table: new(PathTable), Random: Philox{C2: 9, C3: 1 << 31}, Side: 1, GainPct: 1, Hour: evenHours()}
	k.Table.Set([]float64{-1, 1})
	k.Random.Schedule(11, 12)
	k.Start[0], k.Decay[0] = 1, 1.0/16
	if four {
		k.Start[1], k.Start[0], k.Decay[1] = 0.5, 0.5, 1.0/16
	}
	pnl := make([]float64, 2*pairs)
	Paths(k, first, pnl)
	drawn := make([][PathSteps]uint, pairs)
	for j := range drawn {
		for half := range 2 {
			x := math.Log1p(pnl[2*j+half])
			for i := range PathSteps {
				up := uint(0)
				if x > 0 {
					up = 1
				}
				x -= (2*float64(up) - 1) * math.Ldexp(1, -2*i)
				if half == 0 {
					drawn[j][i] = up
				} else if drawn[j][i] == up {
					t.Fatalf("pair %d, step %d: both partners draw %d", j, i, up)
				}
			}
			if math.Abs(x) > 4e-15 {
				t.Fatalf("pair %d: %v is left of x after its digits", j, x)
			}
		}
	}
	return drawn
}

// For each pair and step the kernel draws the word that belongs to them.
func TestPathsDrawTheirWords(t *testing.T) {
	pairs := 1 << 16
	if testing.Short() {
		pairs = 1 << 12
	}
	g := Philox{C2: 9, C3: 1 << 31}
	g.Schedule(11, 12)
	bothWays(func(name string) {
		const first = 1 << 20
		drawn := drawnBits(t, first, pairs, false)
		if !slices.Equal(drawn, drawnBits(t, first, pairs, true)) {
			t.Errorf("%s: the kernel with four memories draws other words", name)
		}
		for j := range drawn {
			for i := range PathSteps {
				var w [4]uint32
				w[0], w[1], w[2], w[3] = g.Block(uint32(i/4), uint32(first+j))
				if drawn[j][i] != uint(w[i%4]>>31) {
					t.Fatalf("%s: pair %d, step %d: drew %d of word %#x", name, j, i, drawn[j][i], w[i%4])
				}
			}
		}
	})
}

// BenchmarkPaths measures the paths of one simulation in the chunk size of compute/mc, without
// building the table, in assembly and in Go.
func BenchmarkPaths(b *testing.B) {
	for _, c := range []struct {
		name     string
		table    int
		distance float64
		four     bool
	}{
		{"no barrier", 8760, 0, false},
		{"barrier at 50 %", 8760, 0.5, false},
		{"barrier at 20 %", 8760, 0.2, false},
		{"barrier at 6 %", 8760, 0.06, false},
		{"barrier at 2 %", 8760, 0.02, false},
		{"four memories", 8760, 0, true},
		{"student", 1 << 16, 0, false},
	} {
		k := testPaths(c.table)
		k.HasBarrier, k.Distance = c.distance > 0, c.distance
		if c.four {
			k.Start[1], k.Feed[1] = k.Start[2], k.Feed[2]
		}
		pnl := make([]float64, 10_000)
		for _, way := range []struct {
			name string
			run  func(*PathKernel, uint32, []float64) int
		}{{"Paths", Paths}, {"Go", pathsGeneric}} {
			b.Run(c.name+"/"+way.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					for i := 0; i < len(pnl); i += 512 {
						way.run(k, uint32(i/2), pnl[i:min(len(pnl), i+512)])
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(pnl)*PathSteps), "ns/step")
			})
		}
	}
}

func BenchmarkPathTable(b *testing.B) {
	t := testPaths(8760).Table
	for b.Loop() {
		t.Set(t.draws)
	}
}
