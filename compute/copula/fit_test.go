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

// The likelihoods at the nodes equal the direct formula, with and without ties.
func TestNodesAreTheLikelihood(t *testing.T) {
	f := NewFitter()
	for _, rho := range []float64{-0.99, 0, 0.7, 0.999} {
		a, b := draw(181, rho, 4, 1)
		for _, size := range []float64{0, 0.01, 0.05} {
			if size > 0 {
				a, b = tick(a, size), tick(b, size/2)
			}
			f.likelihoods(Prepare(a), Prepare(b), rho)
			for k := range nodes {
				nu := curves()[k].nu
				if want := directLogLik(a, b, rho, nu); !within(f.nodal[k], want, 1e-11, 1e-9) {
					t.Errorf("rho %v, tick %v, nu %v: %v, want %v", rho, size, nu, f.nodal[k], want)
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
	inner := 0
	for seed := range uint64(2) {
		for _, rho := range []float64{-0.8, 0.05, 0.6, 0.95} {
			a, b := draw(600, rho, 4, seed)
			if seed == 1 {
				a, b = tick(a, 0.01), tick(b, 0.01)
			}
			p, _ := f.FitSeries(Prepare(a), Prepare(b))
			if want := directLogLik(a, b, p.RhoTau, p.Nu); !within(p.LogLik, want, 1e-10, 1e-9) {
				t.Errorf("loglik %v, want %v", p.LogLik, want)
			}
			if p.Nu < 1.1*MinNu || p.Nu > MaxNu/1.1 {
				continue
			}
			inner++
			if want := directNu(a, b, p.RhoTau, p.Nu); !within(p.Nu, want, 1e-7, 0) {
				t.Errorf("rho %v, seed %d: %v, want %v", rho, seed, p.Nu, want)
			}
		}
	}
	if inner < 4 {
		t.Errorf("%d compared", inner)
	}
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
		if p, _ := f.FitSeries(Prepare(a), Prepare(b)); p.Nu == MaxNu {
			normal++
		}
		if p, _ := f.FitSeries(Prepare(c), Prepare(d)); p.Nu == MinNu {
			heavy++
		}
	}
	if normal == 0 || heavy != 6 {
		t.Errorf("normal samples at the upper end: %d of 6, heavy ones at the lower: %d", normal, heavy)
	}
}

func sane(p Pair) bool {
	for _, v := range []float64{p.RhoTau, p.Pearson, p.Nu, p.LogLik, p.Lambda} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return math.Abs(p.RhoTau) <= maxRho && math.Abs(p.Pearson) <= 1 && p.Nu >= MinNu && p.Nu <= MaxNu &&
		p.Lambda >= 0 && p.Lambda <= 1
}

func TestDegenerateSeries(t *testing.T) {
	f := NewFitter()
	a, _ := draw(300, 0, 4, 5)
	const n = 300
	opposite, frozen, oneMove, twoValues := make([]float64, n), make([]float64, n), make([]float64, n),
		make([]float64, n)
	oneMove[77] = 0.1
	for i, v := range a {
		opposite[i] = -v
		if v > 0 {
			twoValues[i] = 0.01
		}
	}
	all := map[string][]float64{
		"heavy tails": a, "opposite": opposite, "frozen": frozen, "one move": oneMove, "two values": twoValues,
	}
	for n1, x := range all {
		for n2, y := range all {
			p, ok := f.FitSeries(Prepare(x), Prepare(y))
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
	if Lambda(1, 4) != 1 || Lambda(-1, 4) != 0 {
		t.Errorf("at the ends %v, %v", Lambda(1, 4), Lambda(-1, 4))
	}
	if p, _ := f.FitSeries(Prepare(a), Prepare(a)); p.RhoTau != maxRho || p.Pearson < 1-1e-15 || p.Lambda < 0.9 {
		t.Errorf("a series with itself: %+v", p)
	}
	if p, _ := f.FitSeries(Prepare(a), Prepare(opposite)); p.RhoTau != -maxRho || p.Pearson > -1+1e-15 ||
		p.Lambda > 1e-3 {
		t.Errorf("a series and its opposite: %+v", p)
	}
	if _, ok := f.FitSeries(Prepare(a[:MinPoints-1]), Prepare(a[:MinPoints-1])); ok {
		t.Error("179 points are too few")
	}
	if _, ok := f.FitSeries(Prepare(a[:MinPoints]), Prepare(opposite[:MinPoints])); !ok {
		t.Error("180 points are enough")
	}
}

func TestFitProperties(t *testing.T) {
	f, other := NewFitter(), NewFitter()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(MinPoints, 260).Draw(t, "n")
		rho, nu := rapid.Float64Range(-1, 1).Draw(t, "rho"), rapid.IntRange(1, 40).Draw(t, "nu")
		a, b := draw(n, rho, float64(nu), rapid.Uint64().Draw(t, "seed"))
		a = tick(a, rapid.SampledFrom([]float64{1e-12, 0.001, 0.01, 0.03, 1}).Draw(t, "tick"))
		p, ok := f.FitSeries(Prepare(a), Prepare(b))
		if !ok || !sane(p) || p.Points != n {
			t.Fatalf("%+v", p)
		}
		if q, _ := other.FitSeries(Prepare(b), Prepare(a)); q != p {
			t.Fatalf("%+v, the other way %+v", p, q)
		}
		// The fit depends on ranks only, except for Pearson's correlation.
		shifted := slices.Clone(b)
		for i, v := range b {
			shifted[i] = math.Cbrt(v)
		}
		q, _ := f.FitSeries(Prepare(a), Prepare(shifted))
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

// A fit does not depend on earlier fits of the same Fitter.
func TestFitIsPure(t *testing.T) {
	f := NewFitter()
	var want []Pair
	series := [][2]*Series{}
	for i := range 12 {
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
