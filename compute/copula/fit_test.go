package copula

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ballast/compute/stats"
)

// draw returns n points of a Student copula with heavy-tailed marginals.
func draw(n int, rho, nu float64, seed uint64) (a, b []float64) {
	r := rand.New(rand.NewPCG(seed, 11))
	for range n {
		x := r.NormFloat64()
		y := rho*x + math.Sqrt(1-rho*rho)*r.NormFloat64()
		chi := 0.0
		for range int(nu) {
			g := r.NormFloat64()
			chi += g * g
		}
		s := math.Sqrt(nu / chi)
		a = append(a, 0.01*x*s)
		b = append(b, 0.02*y*s*math.Abs(y*s))
	}
	return a, b
}

// tick rounds returns to multiples of size, like those of an asset with a coarse price grid.
func tick(x []float64, size float64) []float64 {
	out := slices.Clone(x)
	for i, v := range out {
		out[i] = math.Round(v/size) * size
	}
	return out
}

// directLogLik computes the log likelihood of the copula directly from its formula.
func directLogLik(a, b []float64, rho, nu float64) float64 {
	n := len(a)
	ranks := [2][]float64{make([]float64, n), make([]float64, n)}
	work := make([]int, n)
	stats.AverageRanks(ranks[0], a, work)
	stats.AverageRanks(ranks[1], b, work)
	sum := 0.0
	for i := range a {
		x := stats.StudentQuantile(ranks[0][i]/float64(n+1), nu)
		y := stats.StudentQuantile(ranks[1][i]/float64(n+1), nu)
		q := (x*x + y*y - 2*rho*x*y) / (1 - rho*rho)
		joint := -0.5*(nu+2)*math.Log1p(q/nu) - math.Log(2*math.Pi) - 0.5*math.Log(1-rho*rho)
		sum += joint - math.Log(stats.StudentPDF(x, nu)) - math.Log(stats.StudentPDF(y, nu))
	}
	return sum
}

func TestCurvesAreQuantiles(t *testing.T) {
	for k := range nodes {
		c := &curves()[k]
		if want := nuAt(nodeAt(k)); c.nu != want || (k == 0 && want != MinNu) || (k == nodes-1 && want != MaxNu) {
			t.Fatalf("node %d stands at %v", k, c.nu)
		}
		for depth := 0.0003; depth < 15; depth += 0.00731 {
			want := stats.StudentQuantile(atDepth(depth), c.nu) / math.Sqrt(c.nu)
			if got := c.at(depth); !within(got, want, 1e-13, 2e-16) {
				t.Errorf("nu %v, depth %v: %v, want %v", c.nu, depth, got, want)
			}
		}
	}
}

// The likelihoods at the nodes equal the direct formula, with and without ties.
func TestNodesAreTheLikelihood(t *testing.T) {
	f := NewFitter()
	lengths := []int{180, 181, 500}
	if testing.Short() {
		lengths = lengths[1:2]
	}
	for _, n := range lengths {
		for _, rho := range []float64{-0.99, -0.5, 0, 0.7, 0.999} {
			a, b := draw(n, rho, 4, 1)
			for _, size := range []float64{0, 0.01, 0.05} {
				if size > 0 {
					a, b = tick(a, size), tick(b, size/2)
				}
				f.likelihoods(Prepare(a), Prepare(b), rho)
				for k := range nodes {
					want := directLogLik(a, b, rho, curves()[k].nu)
					if !within(f.nodal[k], want, 1e-11, 1e-9) {
						t.Errorf("%d points, rho %v, tick %v, nu %v: %v, want %v", n, rho, size, curves()[k].nu, f.nodal[k], want)
					}
				}
			}
		}
	}
}

// directNu refines guess by one Newton step on the directly computed likelihood, with derivatives
// from seven points spaced h in ln nu.
func directNu(a, b []float64, rho, guess float64) float64 {
	const h = 0.05 / 3
	var l [7]float64
	for i := range l {
		l[i] = directLogLik(a, b, rho, guess*math.Exp(h*float64(i-3)))
	}
	slope := (45*(l[4]-l[2]) - 9*(l[5]-l[1]) + (l[6] - l[0])) / (60 * h)
	bend := (2*(l[0]+l[6]) - 27*(l[1]+l[5]) + 270*(l[2]+l[4]) - 490*l[3]) / (180 * h * h)
	return guess * math.Exp(-slope/bend)
}

func TestNuIsTheRoot(t *testing.T) {
	f := NewFitter()
	inner, worst := 0, 0.0
	for seed := range uint64(8) {
		for _, nu := range []float64{3, 5, 12} {
			for _, rho := range []float64{-0.8, 0.05, 0.6, 0.95} {
				a, b := draw(600, rho, nu, seed)
				if seed%2 == 1 {
					a, b = tick(a, 0.01), tick(b, 0.01)
				}
				p, _ := f.Fit(a, b)
				if want := directLogLik(a, b, p.RhoTau, p.Nu); !within(p.LogLik, want, 1e-10, 1e-9) {
					t.Errorf("loglik %v, want %v", p.LogLik, want)
				}
				if p.Nu < 1.1*MinNu || p.Nu > MaxNu/1.1 {
					continue
				}
				inner++
				want := directNu(a, b, p.RhoTau, p.Nu)
				worst = max(worst, math.Abs(p.Nu/want-1))
				if !within(p.Nu, want, 1e-7, 0) {
					t.Errorf("rho %v, nu %v, seed %d: %v, want %v", rho, nu, seed, p.Nu, want)
				}
			}
			if testing.Short() {
				break
			}
		}
		if testing.Short() && seed == 1 {
			break
		}
	}
	if inner == 0 {
		t.Error("nothing compared")
	}
	t.Logf("%d roots, worst relative deviation %.1e", inner, worst)
}

// When the likelihood still rises at an end of the range, nu is that end.
func TestNuAtTheEnds(t *testing.T) {
	f := NewFitter()
	normal, heavy := 0, 0
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		var a, b, c, d []float64
		for range 400 {
			x, y := r.NormFloat64(), r.NormFloat64()
			a, b = append(a, x), append(b, 0.9*x+0.43*y)
			// Both values are large at the same time, with independent signs.
			s := math.Pow(r.Float64(), -4)
			c, d = append(c, x*s), append(d, y*s)
		}
		if p, _ := f.Fit(a, b); p.Nu == MaxNu {
			normal++
		}
		if p, _ := f.Fit(c, d); p.Nu == MinNu {
			heavy++
		}
	}
	if normal == 0 || heavy != 6 {
		t.Errorf("normal samples at the upper end: %d of 6, heavy ones at the lower: %d", normal, heavy)
	}
}

func TestFitFindsTheTruth(t *testing.T) {
	a, b := draw(20_000, 0.6, 4, 3)
	p, _ := NewFitter().Fit(a, b)
	if math.Abs(p.RhoTau-0.6) > 0.02 || math.Abs(p.Nu-4) > 0.4 || math.Abs(p.Lambda-Lambda(0.6, 4)) > 0.03 || !(p.LogLik > 0) {
		t.Errorf("%+v", p)
	}
}

func sane(p Pair) bool {
	for _, v := range []float64{p.RhoTau, p.Pearson, p.Nu, p.LogLik, p.Lambda} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return math.Abs(p.RhoTau) <= maxRho && math.Abs(p.Pearson) <= 1 && p.Nu >= MinNu && p.Nu <= MaxNu && p.Lambda >= 0 && p.Lambda <= 1
}

func TestDegenerateSeries(t *testing.T) {
	f := NewFitter()
	a, _ := draw(300, 0, 4, 5)
	opposite, frozen, oneMove, twoValues := make([]float64, 300), make([]float64, 300), make([]float64, 300), make([]float64, 300)
	oneMove[77] = 0.1
	for i, v := range a {
		opposite[i] = -v
		if v > 0 {
			twoValues[i] = 0.01
		}
	}
	all := map[string][]float64{"heavy tails": a, "opposite": opposite, "frozen": frozen, "one move": oneMove, "two values": twoValues}
	for n1, x := range all {
		for n2, y := range all {
			p, ok := f.Fit(x, y)
			if !ok || !sane(p) {
				t.Errorf("%s, %s: %+v", n1, n2, p)
			}
			if n1 == "frozen" || n2 == "frozen" {
				if want := (Pair{Nu: MaxNu, Lambda: Lambda(0, MaxNu), Points: 300}); p != want {
					t.Errorf("%s, %s: %+v, want %+v", n1, n2, p, want)
				}
			}
		}
	}
	if p, _ := f.Fit(a, a); p.RhoTau != maxRho || p.Pearson < 1-1e-15 || p.Lambda < 0.9 {
		t.Errorf("a series with itself: %+v", p)
	}
	if p, _ := f.Fit(a, opposite); p.RhoTau != -maxRho || p.Pearson > -1+1e-15 || p.Lambda > 1e-3 {
		t.Errorf("a series and its opposite: %+v", p)
	}
	if _, ok := f.Fit(a[:MinPoints-1], a[:MinPoints-1]); ok {
		t.Error("179 points are too few")
	}
	if _, ok := f.Fit(a[:MinPoints], opposite[:MinPoints]); !ok {
		t.Error("180 points are enough")
	}
}

func TestFitProperties(t *testing.T) {
	f, other := NewFitter(), NewFitter()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(MinPoints, 260).Draw(t, "n")
		a, b := draw(n, rapid.Float64Range(-1, 1).Draw(t, "rho"), float64(rapid.IntRange(1, 40).Draw(t, "nu")), rapid.Uint64().Draw(t, "seed"))
		a = tick(a, rapid.SampledFrom([]float64{1e-12, 0.001, 0.01, 0.03, 1}).Draw(t, "tick"))
		p, ok := f.Fit(a, b)
		if !ok || !sane(p) || p.Points != n {
			t.Fatalf("%+v", p)
		}
		if q, _ := other.Fit(b, a); q != p {
			t.Fatalf("%+v, the other way %+v", p, q)
		}
		// The fit depends on ranks only, except for Pearson's correlation.
		shifted := slices.Clone(b)
		for i, v := range b {
			shifted[i] = math.Cbrt(v)
		}
		q, _ := f.Fit(a, shifted)
		if q.Pearson = p.Pearson; q != p {
			t.Fatalf("%+v, after a rising map %+v", p, q)
		}
		// Older points that only one asset has are ignored.
		longer := append([]float64{0.3, -0.2, a[5]}, a...)
		if q, ok := f.FitSeries(Prepare(longer), Prepare(b)); !ok || q != p {
			t.Fatalf("%+v, with older points %+v", p, q)
		}
	})
}

// A fit does not depend on earlier fits of the same Fitter, or on what its cache holds.
func TestFitIsPure(t *testing.T) {
	f := NewFitter()
	var want []Pair
	series := [][2]*Series{}
	for i := range 3 * cachedTables {
		a, b := draw(180+i, 0.4, 5, uint64(i))
		series = append(series, [2]*Series{Prepare(a), Prepare(b)})
		p, _ := NewFitter().FitSeries(series[i][0], series[i][1])
		want = append(want, p)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		i := r.IntN(len(series))
		if got, _ := f.FitSeries(series[i][0], series[i][1]); got != want[i] {
			t.Fatalf("%+v, want %+v", got, want[i])
		}
	}
}

func TestFitAllocatesNothing(t *testing.T) {
	a, b := draw(500, 0.5, 4, 9)
	x, y, short := Prepare(a), Prepare(b), Prepare(b[:300])
	f := NewFitter()
	pairs := make([]Pair, 100)
	var dst []float64
	run := func() {
		f.FitSeries(x, y)
		f.FitSeries(x, short)
		f.Fit(a, b)
		PooledNu(pairs)
		dst = FourHourReturns(dst, a)
	}
	run()
	if n := testing.AllocsPerRun(5, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestFourHourReturns(t *testing.T) {
	hourly := []float64{9, 0.1, 0.2, 0.3, 0.4, 1, 2, 3, 4}
	if got := FourHourReturns(nil, hourly); !slices.Equal(got, []float64{1, 10}) {
		t.Errorf("%v", got)
	}
	if got := FourHourReturns([]float64{7, 7}, hourly[:3]); len(got) != 0 {
		t.Errorf("three hours give a group: %v", got)
	}
	if got := FourHourReturns(nil, []float64{1e-13, 1e-13, 1e-13, 1e-13}); got[0] != 0 {
		t.Errorf("not rounded: %v", got)
	}
	long := make([]float64, HourlyReturns+9)
	for i := range long {
		long[i] = float64(i)
	}
	got := FourHourReturns(nil, long)
	if len(got) != HourlyReturns/4 || got[0] != 9+10+11+12 || got[len(got)-1] != 4*float64(len(long)-1)-6 {
		t.Errorf("%d groups from %v to %v", len(got), got[0], got[len(got)-1])
	}
}

func TestLambda(t *testing.T) {
	if Lambda(1, 4) != 1 || Lambda(-1, 4) != 0 {
		t.Errorf("at the ends %v, %v", Lambda(1, 4), Lambda(-1, 4))
	}
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.Float64Range(-1, 1).Draw(t, "rho")
		nu := rapid.Float64Range(MinNu, MaxNu).Draw(t, "nu")
		l := Lambda(rho, nu)
		if !(l >= 0 && l <= 1) {
			t.Fatalf("%v", l)
		}
		if more := Lambda(min(1, rho+0.01), nu); more < l {
			t.Fatalf("falls in rho: %v, %v", l, more)
		}
		if more := Lambda(rho, nu+0.1); more > l {
			t.Fatalf("rises in nu: %v, %v", l, more)
		}
	})
}

func TestPooledNu(t *testing.T) {
	f := func(want float64, pairs ...Pair) {
		t.Helper()
		before := slices.Clone(pairs)
		if got := PooledNu(pairs); got != want || !slices.Equal(pairs, before) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	f(DefaultNu)
	f(DefaultNu, Pair{Nu: 3}, Pair{Nu: 9, LogLik: -5})
	f(9, Pair{Nu: 9, LogLik: 5}, Pair{Nu: 3, LogLik: -50})
	f(3, Pair{Nu: 9, LogLik: 5}, Pair{Nu: 3, LogLik: 5})
	f(6, Pair{Nu: 9, LogLik: 5}, Pair{Nu: 3, LogLik: 4}, Pair{Nu: 6, LogLik: 2})
	many := make([]Pair, 1000)
	for i := range many {
		many[i] = Pair{Nu: 3 + float64(i*617%1000), LogLik: 1}
	}
	f(3+499, many...)
}

func TestConstantsAreNamed(t *testing.T) {
	c := Constants()
	if c["nu_bounds"] != [2]float64{2.05, 40} || c["hourly_returns"] != 8640 || c["max_rho"] != 0.999 {
		t.Errorf("%v", c)
	}
}

func BenchmarkPair(b *testing.B) {
	x, y := draw(HourlyReturns/4, 0.7, 4, 1)
	for name, size := range map[string]float64{"no ties": 0, "ties": 0.001, "many ties": 0.02} {
		u, v := x, y
		if size > 0 {
			u, v = tick(x, size), tick(y, size)
		}
		s, r := Prepare(u), Prepare(v)
		f := NewFitter()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f.FitSeries(s, r)
			}
		})
	}
	s, young := Prepare(x), Prepare(y[:1500])
	f := NewFitter()
	b.Run("a younger asset", func(b *testing.B) {
		for b.Loop() {
			f.FitSeries(s, young)
		}
	})
	b.Run("from returns", func(b *testing.B) {
		for b.Loop() {
			f.Fit(x, y)
		}
	})
}

func BenchmarkParts(b *testing.B) {
	n := HourlyReturns / 4
	x, y := draw(n, 0.7, 4, 1)
	u, v := Prepare(x), Prepare(y)
	f := NewFitter()
	b.Run("prepare", func(b *testing.B) {
		for b.Loop() {
			Prepare(x)
		}
	})
	b.Run("table", func(b *testing.B) {
		t := &table{}
		for b.Loop() {
			t.fill(n)
		}
	})
	b.Run("curves", func(b *testing.B) {
		for b.Loop() {
			c := curve{}
			c.build(3)
		}
	})
	b.Run("kendall", func(b *testing.B) {
		for b.Loop() {
			f.kendall.Tau(&u.ranking, &v.ranking)
		}
	})
	b.Run("likelihoods", func(b *testing.B) {
		for b.Loop() {
			f.likelihoods(u, v, 0.7)
		}
	})
	b.Run("maximum", func(b *testing.B) {
		for b.Loop() {
			f.poly.through(&f.nodal)
			f.poly.highest()
		}
	})
}

// A full universe: 200 assets with complete history and 30 younger assets of different lengths.
func BenchmarkUniverse(b *testing.B) {
	var all []*Series
	for i := range 230 {
		n := HourlyReturns / 4
		if i >= 200 {
			n = 200 + 60*(i-200)
		}
		x, _ := draw(n, 0, 4, uint64(i))
		all = append(all, Prepare(x))
	}
	slices.SortFunc(all, func(a, b *Series) int { return a.Points() - b.Points() })
	for b.Loop() {
		f := NewFitter()
		for i, x := range all {
			for _, y := range all[i+1:] {
				f.FitSeries(x, y)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/(230*229/2), "us/pair")
}
