package mc

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"ballast/asm"
	"ballast/compute/stats"
	"ballast/internal/race"
)

func TestTailCurve(t *testing.T) {
	var c tailCurve
	for _, nu := range []float64{2, 2.05, 2.5, 3, 4, 4.295, 7, 12, 40, 1000} {
		c.prepare(nu)
		worst, at := 0.0, 0.0
		for x := 0.0; x < 3e4; x += 0.0037 * (1 + x) {
			if e := math.Abs(c.At(x) - stats.StudentCDF(-x, nu)); e > worst {
				worst, at = e, x
			}
			if c.At(x) != c.At(-x) {
				t.Fatalf("nu %v: not even at %v", nu, x)
			}
		}
		if worst > 1e-7 {
			t.Errorf("nu %v: off by %v at %v", nu, worst, at)
		}
	}
	c.prepare(4)
	if c.At(0) != 0.5 || !(c.At(1e300) < 1e-9 && c.At(1e300) > 0) || c.At(math.Inf(1)) != c.Last {
		t.Errorf("ends: %v, %v, %v", c.At(0), c.At(1e300), c.At(math.Inf(1)))
	}
}

func TestMixingVariableIsChiSquare(t *testing.T) {
	n := uint32(200_000)
	if testing.Short() {
		n = 10_000
	}
	for _, nu := range []float64{2, 2.05, 4.295, 30} {
		var m mixer
		m.prepare(nu, &[32]byte{3})
		var cells [100]int
		for pair := range n {
			root := m.retry(pair, 0)
			p := mathext.GammaIncReg(nu/2, nu/(root*root)/2)
			cells[min(99, int(100*p))]++
		}
		if s := chiSquare(cells[:]); math.Abs(s) > 5 {
			t.Errorf("nu %v: chi-square %.1f standard deviations from its mean", nu, s)
		}
	}
}

func TestDefaultOutcome(t *testing.T) {
	for _, p := range []float64{1e-9, 1e-5, 0.01, 0.2, 0.4999, 0.5} {
		want := -stats.StudentQuantile(p, 4) / math.Sqrt2
		if got := defaultOutcome(p); math.Abs(got-want) > 1e-7*want+1e-7 {
			t.Errorf("p %v: %v, want %v", p, got, want)
		}
	}
}

// The factor gives back the matrix, also when the last asset is a copy of the first.
func TestCholesky(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	const k = 9
	var rows [k][]float64
	for i := range rows {
		rows[i] = make([]float64, k)
		for j := range i + 1 {
			rows[i][j] = r.NormFloat64()
		}
	}
	for _, singular := range []bool{false, true} {
		if singular {
			rows[k-1] = rows[0]
		}
		c, l := make([]float64, k*k), make([]float64, k*k)
		for i := range c {
			c[i] = stats.Dot(rows[i/k], rows[i%k])
		}
		cholesky(l, c, k)
		for i, want := range c {
			a, b := i/k*k, i%k*k
			if got := stats.Dot(l[a:a+k], l[b:b+k]); math.Abs(got-want) > 1e-9 {
				t.Fatalf("singular %v: entry %d, %d: %v, want %v", singular, i/k, i%k, got, want)
			}
		}
	}
}

// Compares Simulate with its documented formula, computed one pair and one position at a time: the
// same bits, although the kernels compute several at once.
func TestSimulateIsTheFormula(t *testing.T) {
	for _, k := range []int{1, 2, 3, 5, 9} {
		for _, draws := range []int{2, 6, 14, 16, 30, 2*blockPairs + 10, 2 * 5 * blockPairs} {
			p := testBook(k)
			p.Marginals[k-1].Z = [][]float64{nil, {1.5}, {-1, 2}, p.Marginals[k-1].Z}[k%4]
			w := &Workspace{}
			w.Simulate(p, draws)
			factor := make([]float64, k*k)
			cholesky(factor, p.Correlation, k)
			var random generator
			random.seed(&p.Seed, streamNormals)
			var mix mixer
			mix.prepare(p.Nu, &p.Seed)
			var curve tailCurve
			curve.prepare(p.Nu)
			for pair := range uint32(draws / 2) {
				var g []float64
				for block := range uint32(k+3) / 4 {
					w0, w1, w2, w3 := random.Block(block, pair)
					g0, g1 := asm.Normals(w0, w1)
					g2, g3 := asm.Normals(w2, w3)
					g = append(g, g0, g1, g2, g3)
				}
				root := mix.retry(pair, 0)
				var loss [2]float64
				for i, m := range p.Marginals {
					var y float64
					for j := range i + 1 {
						y += float64(factor[i*k+j] * g[j])
					}
					y = float64(y * root)
					share, last := curve.At(y), float64(len(m.Z)-1)
					var z [2]float64
					if len(m.Z) == 0 {
						z[1] = defaultOutcome(share)
						z[0] = -z[1]
					} else {
						at := float64(last * share)
						z[0], z[1] = asm.Interpolate(m.Z, at), asm.Interpolate(m.Z, last-at)
					}
					if y > 0 {
						z[0], z[1] = z[1], z[0]
					}
					for partner := range z {
						x := min(asm.Exp(float64(m.Scale*z[partner]))-1, 5)
						if got := w.Move(i)[2*int(pair)+partner]; got != x {
							t.Fatalf("%d positions, %d draws, pair %d, position %d: %v, want %v", k, draws, pair, i,
								got, x)
						}
						loss[partner] -= float64(m.NotionalUSD * x)
					}
				}
				for partner, want := range loss {
					if got := w.Losses()[2*int(pair)+partner]; got != want {
						t.Fatalf("%d positions, %d draws, pair %d: loss %v, want %v", k, draws, pair, got, want)
					}
				}
			}
		}
	}
}

func TestChooseRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 500 {
		n := 1 + r.IntN(60)
		w := &Workspace{draws: n, loss: make([]float64, n), scratch: make([]float64, n), around: make([]int32, n)}
		for i := range w.loss {
			w.loss[i] = float64(r.IntN(1 + r.IntN(20))) // many ties
		}
		from := r.IntN(n)
		to := from + r.IntN(n-from)
		w.tailScenarios(from, to)
		order := make([]int32, n)
		for i := range order {
			order[i] = int32(i)
		}
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(w.loss[a], w.loss[b]) })
		want := order[from : to+1]
		slices.Sort(want)
		if !slices.Equal(w.around, want) {
			t.Fatalf("losses %v, ranks %d to %d: %v, want %v", w.loss, from, to, w.around, want)
		}
	}
}

// A workspace gives the same results after a larger book, another number of draws and another nu.
func TestWorkspaceIsReusable(t *testing.T) {
	small, large := testBook(3), testBook(12)
	large.Nu = 11
	w := &Workspace{}
	a := fmt.Sprint(w.Simulate(small, 1000))
	w.Simulate(large, 4000)
	if b := fmt.Sprint(w.Simulate(small, 1000)); a != b {
		t.Errorf("%s, then %s", a, b)
	}
}

func TestPortfolioFigures(t *testing.T) {
	p := testBook(6)
	p.Marginals[5].NotionalUSD = 0
	w := &Workspace{}
	r := w.Simulate(p, Draws)
	losses := slices.Clone(w.Losses())
	for s, loss := range losses {
		var want float64
		for i, m := range p.Marginals {
			want -= m.NotionalUSD * w.Move(i)[s]
		}
		if math.Abs(loss-want) > 1e-9 {
			t.Fatalf("scenario %d: loss %v, want %v", s, loss, want)
		}
	}
	slices.Sort(losses)
	if v := stats.QuantileSorted(losses, 0.99); r.VaR99 != v || r.VaR95 != stats.QuantileSorted(losses, 0.95) {
		t.Errorf("VaR99 %v, want %v", r.VaR99, v)
	}
	tail := losses[slices.IndexFunc(losses, func(l float64) bool { return l >= r.VaR99 }):]
	if want := stats.Mean(tail); math.Abs(r.ES99-want) > 1e-9*want {
		t.Errorf("ES99 %v, want %v", r.ES99, want)
	}
	if !(r.VaR95 < r.VaR99 && r.VaR95 <= r.ES95 && r.VaR99 <= r.ES99 && r.ES95 < r.ES99) {
		t.Errorf("out of order: %+v", r)
	}
	if sum := stats.Sum(r.Component); math.Abs(sum-r.VaR99) > 1e-9*r.VaR99 {
		t.Errorf("components add up to %v, VaR %v", sum, r.VaR99)
	}
	if r.Component[2] >= 0 || r.Component[0] <= 0 || r.Component[5] != 0 || r.Marginal[5] != 0 {
		t.Errorf("components %v, marginals %v", r.Component, r.Marginal)
	}
	// The same scenarios without the first position: its notional is set to 0.
	without := testBook(6)
	without.Marginals[5].NotionalUSD, without.Marginals[0].NotionalUSD = 0, 0
	if v := new(Workspace).Simulate(without, Draws).VaR99; math.Abs(r.Marginal[0]-(r.VaR99-v)) > 1e-9*v {
		t.Errorf("marginal %v, want %v", r.Marginal[0], r.VaR99-v)
	}
}

// A long and a short position of the same size in one asset lose nothing, with a correlation of
// exactly 1 or almost 1.
func TestPerfectHedge(t *testing.T) {
	p := testBook(2)
	p.Marginals[1] = p.Marginals[0]
	p.Marginals[1].NotionalUSD *= -1
	for _, rho := range []float64{1, 1 - 1e-13} {
		p.Correlation = []float64{1, rho, rho, 1}
		r := new(Workspace).Simulate(p, Draws)
		if r.VaR99 > 1e-6 || r.ES99 > 1e-6 || math.Abs(r.Component[0]) > 1e3 {
			t.Errorf("rho %v: %+v", rho, r)
		}
		if sum := stats.Sum(r.Component); math.Abs(sum-r.VaR99) > 1e-9 {
			t.Errorf("components add up to %v, VaR %v", sum, r.VaR99)
		}
		if v := new(Workspace).Simulate(testBook(1), Draws).VaR99; math.Abs(r.Marginal[1]+v) > 1e-6 {
			t.Errorf("the marginal VaR of the hedge is %v, want minus %v", r.Marginal[1], v)
		}
	}
}

func TestRescale(t *testing.T) {
	for _, c := range []struct {
		component   []float64
		valueAtRisk float64
		want        []float64
	}{
		{[]float64{3, -1}, 4, []float64{6, -2}},
		{[]float64{3, -1}, 1, []float64{1.5, -0.5}},
		{[]float64{-3, 1}, 0, []float64{0, 0}},
		// A hedged book: components of 1,000 must not be rescaled to a million.
		{[]float64{1000, -999.999}, 1, []float64{1000.4995, -999.4995}},
		{[]float64{1000, -1001}, 1, []float64{1001, -1000}},
	} {
		rescale(c.component, c.valueAtRisk)
		for i, want := range c.want {
			if math.Abs(c.component[i]-want) > 1e-12 {
				t.Errorf("%v, want %v", c.component, c.want)
			}
		}
	}
}

// A book that gains in every scenario has no loss and no contributions to it.
func TestBookThatOnlyGains(t *testing.T) {
	p := testBook(2)
	for i := range p.Marginals {
		p.Marginals[i].Z, p.Marginals[i].NotionalUSD = []float64{1, 2, 3}, 100
	}
	r := new(Workspace).Simulate(p, 1000)
	if r.VaR99 != 0 || r.ES99 != 0 || r.Component[0] != 0 || math.Signbit(r.Component[0]) || r.Marginal[0] != 0 {
		t.Errorf("%+v", r)
	}
}

func TestSmallBooks(t *testing.T) {
	w := &Workspace{}
	w.Simulate(testBook(3), 500)
	r := w.Simulate(&Portfolio{Nu: 4}, 500)
	if r.VaR99 != 0 || len(r.Component) != 0 || len(w.Losses()) != 500 || slices.Max(w.Losses()) != 0 {
		t.Errorf("no position: %+v", r)
	}
	if r := w.Simulate(testBook(3), 0); r.VaR99 != 0 || len(w.Losses()) != 0 || r.Component[0] != 0 {
		t.Errorf("no draws: %+v", r)
	}
	if r := w.Simulate(testBook(3), 2); math.Abs(stats.Sum(r.Component)-r.VaR99) > 1e-9 || r.ES99 < r.VaR99 {
		t.Errorf("two draws: %+v", r)
	}
	// A table with a single outcome, which every draw takes.
	p := testBook(1)
	p.Marginals[0].Z = []float64{-2}
	m := p.Marginals[0]
	r = w.Simulate(p, 500)
	if math.Abs(r.VaR95+m.NotionalUSD*math.Expm1(-2*m.Scale)) > 1e-9 || math.Abs(r.ES99-r.VaR99) > 1e-9 {
		t.Errorf("one outcome: %+v", r)
	}
}

// With Student marginals of the same nu as the copula, outcomes are bivariate t, whose figures are
// known in closed form.
func TestCopula(t *testing.T) {
	const nu, rho, scale, draws = 4, 0.6, 0.01, 40_000
	// Without tables the marginals are t(4)/sqrt(2), and the pair is a bivariate t(4).
	p := &Portfolio{
		Nu: nu, Correlation: []float64{1, rho, rho, 1}, Seed: [32]byte{9},
		Marginals: []Marginal{{Scale: scale, NotionalUSD: 1}, {Scale: scale, NotionalUSD: 1}},
	}
	w := &Workspace{}
	w.Simulate(p, draws)
	var cells [100]int
	same, joint, single := 0, 0, 0
	q := stats.StudentQuantile(0.01, nu) / math.Sqrt2
	losses := make([]float64, draws)
	for s := range losses {
		a, b := math.Log1p(w.Move(0)[s])/scale, math.Log1p(w.Move(1)[s])/scale
		losses[s] = -(a + b)
		if s%2 == 0 { // the antithetic partners fill mirrored cells
			cells[int(100*stats.StudentCDF(a*math.Sqrt2, nu))]++
		}
		if a*b > 0 {
			same++
		}
		if a < q {
			single++
			if b < q {
				joint++
			}
		}
	}
	if s := chiSquare(cells[:]); math.Abs(s) > 5 {
		t.Errorf("marginal: chi-square %.1f standard deviations from its mean", s)
	}
	// An elliptical pair has the same sign with probability 1/2 + asin(rho)/pi. Given that one is beyond its
	// 1 % quantile, both are with a probability near its limit, the tail dependence.
	if got, want := float64(same)/draws, 0.5+math.Asin(rho)/math.Pi; math.Abs(got-want) > 5/math.Sqrt(2*draws) {
		t.Errorf("same sign: %v, want %v", got, want)
	}
	lambda := 2 * stats.StudentCDF(-math.Sqrt((nu+1)*(1-rho)/(1+rho)), nu+1)
	if got := float64(joint) / float64(single); got < lambda-0.03 || got > lambda+0.12 {
		t.Errorf("joint tail %v, tail dependence %v", got, lambda)
	}
	// The sum is t(4) again, with variance 2+2*rho times that of one outcome.
	want := -q * math.Sqrt(2+2*rho)
	if got := stats.Quantile(losses, 0.99); math.Abs(got/want-1) > 12/math.Sqrt(draws) {
		t.Errorf("99 %% loss %v, want %v", got, want)
	}
}

// chiSquare returns the chi-square statistic of equally likely cells, less its mean and divided by
// its standard deviation.
func chiSquare(cells []int) float64 {
	total := 0
	for _, n := range cells {
		total += n
	}
	mean, s := float64(total)/float64(len(cells)), 0.0
	for _, n := range cells {
		s += (float64(n) - mean) * (float64(n) - mean) / mean
	}
	df := float64(len(cells) - 1)
	return (s - df) / math.Sqrt(2*df)
}

func TestPortfolioAllocsNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	p, w := testBook(5), &Workspace{}
	w.Simulate(p, 1000)
	if n := testing.AllocsPerRun(10, func() { w.Simulate(p, 1000) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
