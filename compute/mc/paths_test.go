package mc

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"ballast/asm"
	"ballast/internal/race"
)

func simulate(p *Path, n int) ([]float64, int) {
	pnl := make([]float64, n)
	var s Simulator
	return pnl, s.Paths(p, pnl)
}

// normalTable returns a table of k normal quantiles, standardised.
func normalTable(k int) []float64 {
	z := make([]float64, k)
	for i := range z {
		z[i] = distuv.UnitNormal.Quantile((float64(i) + 0.5) / float64(k))
	}
	table, _ := InnovationTable(z, z)
	return table
}

// gaussian returns a path with the constant hourly variance variance/Steps.
func gaussian(variance float64) *Path {
	return &Path{
		Innovations: normalTable(8192), LongRun: variance / Steps, Coefficients: [5]float64{4: 1},
		K2: 1, C: 1, Side: 1, Seed: [32]byte{42}, Hours: evenHours(),
	}
}

// evenHours returns the factors of hours of average activity.
func evenHours() (f [Steps]float64) {
	for i := range f {
		f[i] = 1
	}
	return f
}

// logMoves converts P&L without funding back into log price changes.
func logMoves(p *Path, pnl []float64) []float64 {
	x := make([]float64, len(pnl))
	for i, v := range pnl {
		x[i] = math.Log1p(p.Side * v / 100)
	}
	return x
}

func bitsOf(x []float64) string {
	h := sha256.New()
	var b [8]byte
	for _, v := range x {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		h.Write(b[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// These bits are fixed: every kernel, processor and order of the work must give them. A change here
// changes every simulated answer and needs a new engine version.
func TestContractBits(t *testing.T) {
	// A table of simple fractions, so that the test depends on the kernel only.
	table := make([]float64, 1001)
	for i := range table {
		v := float64(i-500) / 500
		table[i] = 1.25 * v * (1 + float64(v*v/2))
	}
	p := &Path{
		Innovations: table,
		E:           [4]float64{9e-5, 7e-5, 6e-5, 5e-5}, LongRun: 6e-5,
		Coefficients: [5]float64{0.65, 0, 0.06, 0.08, 0.06},
		Decay:        [4]float64{6.0 / 7, 24.0 / 25, 120.0 / 121, 600.0 / 601},
		K2:           1.0625, G: 1.125, C: 1.0625, Side: -1,
		HasBarrier: true, Barrier: 0.0625, LossPct: 7.5, FundingPct: 0.03125,
	}
	for i := range p.Seed {
		p.Seed[i] = byte(i)
	}
	for i := range p.Hours {
		p.Hours[i] = float64(6+i) / 16
	}
	pnl, liquidated := simulate(p, Paths)
	if got := fmt.Sprint(bitsOf(pnl), " ", liquidated); got != "ad2f2a7eb2bf60bdecef9f55 1099" {
		t.Errorf("paths: %s", got)
	}
	// bench/yardstick/path.c, an independent implementation in C, prints this sum.
	var sum uint64
	for _, v := range pnl {
		sum += math.Float64bits(v)
	}
	if sum != 0xf710db1945389974 {
		t.Errorf("paths: sum of the bits %x", sum)
	}
	book := &Portfolio{Nu: 4, Seed: p.Seed, Correlation: make([]float64, 36)}
	for i := range 6 {
		for j := range 6 {
			book.Correlation[6*i+j] = 0.25
		}
		book.Correlation[7*i] = 1
		book.Marginals = append(book.Marginals, Marginal{Z: table, Scale: 0.03125,
			NotionalUSD: float64(4096 * (i - 2))})
	}
	// The tail curve is that of t(2), which has a closed form without logarithms: math.Log gives
	// different bits on different processors.
	w := &Workspace{}
	w.curve.nu = book.Nu
	w.curve.fill(
		func(t float64) float64 { return 0.5 * (1 - t/math.Sqrt(2+float64(t*t))) },
		func(t float64) float64 { return 1 / ((2 + float64(t*t)) * math.Sqrt(2+float64(t*t))) },
	)
	w.Simulate(book, Draws)
	if got := bitsOf(w.Losses()); got != "3262017489cc451a5cbd33d2" {
		t.Errorf("book: %s", got)
	}
}

// The paths have the same bits for any division into chunks and any order of the chunks, and a longer
// simulation begins with the same paths.
func TestPathsDoNotDependOnChunks(t *testing.T) {
	const n = 5*2*chunkPairs + 38
	for name, p := range map[string]*Path{
		"own": testPath(8760), "barrier": liquidatable(testPath(900)), "student": liquidatable(testPath(0)),
	} {
		want, liquidated := simulate(p, n)
		if got, _ := simulate(p, 2*n); !slices.Equal(got[:n], want) {
			t.Errorf("%s: a longer simulation changes the first paths", name)
		}
		var k kernel
		k.prepare(p)
		for _, pairs := range []int{1, 7, 100, n} {
			got, l := make([]float64, n), 0
			for first := (n/2 - 1) / pairs * pairs; first >= 0; first -= pairs {
				l += asm.Paths(&k.PathKernel, uint32(first), got[2*first:min(n, 2*(first+pairs))])
			}
			if !slices.Equal(got, want) || l != liquidated {
				t.Errorf("%s: chunks of %d in reverse order give other bits", name, pairs)
			}
		}
	}
}

func TestPastTheBarrier(t *testing.T) {
	for name, change := range map[string]func(*Path){
		"said so":            func(p *Path) { p.Past = true },
		"without a barrier":  func(p *Path) { p.Past, p.HasBarrier = true, false },
		"barrier above long": func(p *Path) { p.Barrier = 0.01 },
		"barrier here":       func(p *Path) { p.Barrier = 0 },
		"barrier below short": func(p *Path) {
			p.Side, p.Barrier = -1, -0.01
		},
	} {
		p := liquidatable(testPath(8760))
		p.FundingPct = 0.5
		change(p)
		pnl, liquidated := simulate(p, 100)
		if liquidated != 100 || slices.Max(pnl) != -7.75 || slices.Min(pnl) != -7.75 {
			t.Errorf("%s: %d liquidated, P&L %v to %v", name, liquidated, slices.Min(pnl), slices.Max(pnl))
		}
	}
}

func TestNothingMoves(t *testing.T) {
	for name, change := range map[string]func(*Path){
		"K2 is 0":        func(p *Path) { p.K2 = 0 },
		"no variance":    func(p *Path) { p.E, p.LongRun = [4]float64{}, 0 },
		"table of zeros": func(p *Path) { clear(p.Innovations) },
		"C is 0":         func(p *Path) { p.C = 0 },
	} {
		p := liquidatable(testPath(1000))
		p.FundingPct, p.Barrier = 0.125, -1e-200
		if name == "table of zeros" {
			p.Barrier = -10 // the bridge may cross a near barrier even when the hourly price stands still
		}
		change(p)
		pnl, liquidated := simulate(p, 200)
		if liquidated != 0 || slices.Min(pnl) != -0.125 || slices.Max(pnl) != -0.125 {
			t.Errorf("%s: %d liquidated, P&L %v to %v", name, liquidated, slices.Min(pnl), slices.Max(pnl))
		}
	}
}

func TestShortTablesAreStudent(t *testing.T) {
	p := testPath(8760)
	p.Innovations = nil
	want, _ := simulate(p, 500)
	for _, n := range []int{1, 2, OwnTable - 1} {
		p.Innovations = normalTable(n)
		if got, _ := simulate(p, 500); !slices.Equal(got, want) {
			t.Errorf("a table of %d was used", n)
		}
	}
	p.Innovations = normalTable(OwnTable)
	if got, _ := simulate(p, 500); slices.Equal(got, want) {
		t.Errorf("a table of %d was not used", OwnTable)
	}
}

// For every input the results are finite.
func TestPathsStayFinite(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 200 {
		p := testPath(1000)
		for k := range p.E {
			p.E[k] = math.Exp(60 * (r.Float64() - 0.7))
		}
		p.LongRun, p.K2, p.G = p.E[r.IntN(4)], 10*r.Float64(), 100*r.Float64()
		p.HasBarrier, p.Barrier = r.IntN(2) == 0, -math.Exp(20*(r.Float64()-0.8))
		if r.IntN(2) == 0 {
			p.Side, p.Barrier = -1, -p.Barrier
		}
		pnl, _ := simulate(p, 20)
		s := Summarise(pnl, make([]float64, len(pnl)))
		for _, v := range append(pnl, s.ES95, s.ES99, s.SE99, s.Upper) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%+v: %v", s, v)
			}
		}
	}
}

func TestPathsOfNoneAndOdd(t *testing.T) {
	if _, n := simulate(testPath(1000), 0); n != 0 {
		t.Errorf("%d of no paths liquidated", n)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for an odd number of paths")
		}
	}()
	simulate(testPath(1000), 3)
}

// Compares both paths of a pair with the recursion as it is defined, without optimisations.
func TestPathsAgainstPlainRecursion(t *testing.T) {
	for _, side := range []float64{1, -1} {
		p := liquidatable(testPath(8760))
		p.FundingPct, p.Side, p.Barrier = 0.1, side, -side*0.06
		const pairs = 500
		got, liquidated := simulate(p, 2*pairs)
		count := 0
		for i, v := range got {
			want, reached := plainPath(p, uint32(i/2), i%2)
			if reached {
				count++
			}
			if math.Abs(v-want) > 1e-10*math.Abs(want)+1e-12 {
				t.Fatalf("side %v, path %d of pair %d: %v, want %v", side, i%2, i/2, v, want)
			}
		}
		if count != liquidated || count == 0 || count == 2*pairs {
			t.Errorf("side %v: %d liquidated, want %d", side, liquidated, count)
		}
	}
}

// plainPath returns the P&L of one of the two paths of a pair, and whether it was liquidated.
func plainPath(p *Path, pair uint32, half int) (pnl float64, liquidated bool) {
	var g generator
	g.seed(&p.Seed, streamPaths)
	w0, w1, w2, w3 := g.Block(Steps/4, pair)
	extra := [2]float64{asm.Uniform(w0, w1), asm.Uniform(w2, w3)}[half]
	e, x, survival := p.E, 0.0, 1.0
	for j := range uint32(Steps) {
		var w [4]uint32
		w[0], w[1], w[2], w[3] = g.Block(j/4, pair)
		u01 := (float64(w[j%4]) + 0.5) / (1 << 32)
		if half == 1 {
			u01 = 1 - u01
		}
		u := p.Innovations[int(u01*float64(len(p.Innovations)))]
		sig2 := p.Coefficients[4] * p.LongRun
		for k := range e {
			sig2 += p.Coefficients[k] * e[k]
		}
		sig2 *= p.K2 * p.Hours[j]
		r := math.Sqrt(sig2) * u
		for k, lam := range p.Decay {
			e[k] = lam*e[k] + (1-lam)*p.G*r*r/p.Hours[j]
		}
		y := x + p.C*r
		if p.Side*(y-p.Barrier) <= 0 {
			survival = 0
		} else {
			survival *= 1 - math.Exp(-2*(p.Barrier-x)*(p.Barrier-y)/(p.C*p.C*sig2))
		}
		x = y
	}
	if extra >= survival {
		return -p.LossPct - p.FundingPct, true
	}
	return 100*p.Side*(math.Exp(x)-1) - p.FundingPct, false
}

// A simulation allocates nothing on the heap.
func TestPathsAllocNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	p := liquidatable(testPath(8760))
	pnl, scratch := make([]float64, 1000), make([]float64, 1000)
	var s Simulator
	if n := testing.AllocsPerRun(10, func() {
		s.Paths(p, pnl)
		Summarise(pnl, scratch)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
