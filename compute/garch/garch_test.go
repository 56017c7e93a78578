package garch

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// simulate returns n returns of a known model with a standard deviation of 4 %.
func simulate(seed uint64, n int, f Fit) []float64 {
	rng := rand.New(rand.NewPCG(seed, 4))
	f.LastVariance, _ = f.LongRunVariance()
	r := make([]float64, n)
	for i := range r {
		e := rng.NormFloat64()
		if f.Nu > 0 { // Student's t = normal/sqrt(chi-square/nu), for integer nu
			var c float64
			for range int(f.Nu) {
				v := rng.NormFloat64()
				c += v * v
			}
			e *= math.Sqrt((f.Nu - 2) / c)
		}
		r[i] = math.Sqrt(f.Next()) * e
		f = f.After(r[i])
	}
	return r
}

var truth = Fit{Omega: 0.0016 * 0.05, Alpha: 0.10, Beta: 0.85}

// The fit of a long simulated series recovers the parameters.
func TestFitRecoversParameters(t *testing.T) {
	heavy := truth
	heavy.Nu = 5
	for _, c := range []struct {
		truth Fit
		fit   func([]float64) (Fit, error)
	}{{truth, FitGaussian}, {heavy, FitStudent}} {
		r := simulate(1, 20000, c.truth)
		f, err := c.fit(r)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(f.Alpha-c.truth.Alpha) > 0.03 || math.Abs(f.Beta-c.truth.Beta) > 0.03 || math.Abs(f.Nu-c.truth.Nu) > 0.5 ||
			math.Abs(f.Omega/c.truth.Omega-1) > 0.3 {
			t.Errorf("%+v, want %+v", f, c.truth)
		}
		again, _ := c.fit(r)
		if again != f {
			t.Errorf("a second fit differs: %+v, %+v", f, again)
		}
		// The fit does not depend on the unit of the returns.
		percent := make([]float64, len(r))
		for i := range r {
			percent[i] = 100 * r[i]
		}
		p, err := c.fit(percent)
		if err != nil || math.Abs(p.Alpha-f.Alpha) > 1e-6 || math.Abs(p.Beta-f.Beta) > 1e-6 ||
			math.Abs(p.Omega/f.Omega-1e4) > 0.1 || math.Abs(p.NLL-f.NLL-float64(len(r))*math.Log(100)) > 1e-6 {
			t.Errorf("in percent %+v, in fractions %+v, %v", p, f, err)
		}
	}
}

// On a series of normal returns the Student fit nearly equals the normal fit.
func TestStudentOfNormal(t *testing.T) {
	r := simulate(2, 3000, truth)
	g, err := FitGaussian(r)
	if err != nil {
		t.Fatal(err)
	}
	s, err := FitStudent(r)
	if err != nil || s.Nu < 20 || s.NLL > g.NLL+1 || math.Abs(s.Next()/g.Next()-1) > 0.02 {
		t.Errorf("student %+v, normal %+v, %v", s, g, err)
	}
}

// The gradient equals central differences of the likelihood.
func TestGradient(t *testing.T) {
	for _, student := range []bool{false, true} {
		l := likelihood{x: simulate(3, 300, truth), student: student, maxPersistence: stationary}
		for i := range l.x {
			l.x[i] /= 0.04
		}
		u := []float64{-3, -2, 1.5, -3}[:l.dim()]
		l.evaluate(u)
		gradient := l.gradient
		for i := range u {
			const step = 1e-5
			ends := [2]float64{}
			for end, sign := range []float64{-1, 1} {
				moved := append([]float64(nil), u...)
				moved[i] += sign * step
				ends[end] = l.value(moved)
			}
			if d := (ends[1] - ends[0]) / (2 * step); math.Abs(d-gradient[i]) > 1e-4*(1+math.Abs(d)) {
				t.Errorf("student %v, coordinate %d: gradient %v, differences %v", student, i, gradient[i], d)
			}
		}
	}
}

// On a series without a finite long-run variance the stationary fit stops at its bound, and its
// likelihood is almost as high as that of the free fit.
func TestStationary(t *testing.T) {
	r := simulate(8, 800, truth)
	for i := range r {
		r[i] *= math.Exp(float64(i) / 300) // volatility that only ever grows
	}
	for _, fits := range [][2]func([]float64) (Fit, error){{FitGaussian, StationaryGaussian}, {FitStudent, StationaryStudent}} {
		free, err1 := fits[0](r)
		bound, err2 := fits[1](r)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if _, ok := free.LongRunVariance(); ok || free.NLL >= bound.NLL {
			t.Errorf("free %+v, stationary %+v", free, bound)
		}
		if _, ok := bound.LongRunVariance(); !ok || bound.Alpha+bound.Beta < 0.99 || bound.NLL > free.NLL+5 {
			t.Errorf("stationary %+v, free %+v", bound, free)
		}
	}
}

// The likelihood of three returns, computed by hand.
func TestLikelihoodByHand(t *testing.T) {
	l := likelihood{x: []float64{1, -2, 0.5}}
	l.params = params{omega: 0.1, alpha: 0.2, beta: 0.5}
	h1 := 0.1 + 0.2 + 0.5
	h2 := 0.1 + 0.2*1 + 0.5*h1
	h3 := 0.1 + 0.2*4 + 0.5*h2
	normal := func(x, h float64) float64 { return math.Log(2*math.Pi*h)/2 + x*x/(2*h) }
	nll, last, _ := l.gaussian()
	if want := normal(1, h1) + normal(-2, h2) + normal(0.5, h3); math.Abs(nll-want) > 1e-12 || math.Abs(last-h3) > 1e-15 {
		t.Errorf("normal %v, want %v; last variance %v, want %v", nll, want, last, h3)
	}
	// Student's t with 4 degrees of freedom: density 3/8 (1+t^2/4)^(-5/2), variance 2.
	student := func(x, h float64) float64 {
		y := x * math.Sqrt2 / math.Sqrt(h)
		return -math.Log(0.375*math.Pow(1+y*y/4, -2.5)) - math.Log(math.Sqrt2/math.Sqrt(h))
	}
	l.nu = 4
	nll, last, _ = l.studentT()
	if want := student(1, h1) + student(-2, h2) + student(0.5, h3); math.Abs(nll-want) > 1e-12 || math.Abs(last-h3) > 1e-15 {
		t.Errorf("student %v, want %v; last variance %v, want %v", nll, want, last, h3)
	}
}

func TestForecast(t *testing.T) {
	f := Fit{Omega: 1, Alpha: 0.1, Beta: 0.8, LastVariance: 20, LastReturn: 3}
	path := f.Forecast(3)
	want := []float64{1 + 0.9 + 16, 1 + 0.9*17.9, 1 + 0.9*(1+0.9*17.9)}
	for i := range want {
		if math.Abs(path[i]-want[i]) > 1e-12 {
			t.Errorf("step %d: %v, want %v", i, path[i], want[i])
		}
	}
	if v, ok := f.LongRunVariance(); !ok || math.Abs(v-10) > 1e-12 {
		t.Error(v, ok)
	}
	if far := f.Forecast(500); math.Abs(far[499]-10) > 1e-9 {
		t.Error("forecast does not end at the long run:", far[499])
	}
	if g := f.After(2); g.LastVariance != f.Next() || g.LastReturn != 2 || g.Omega != 1 {
		t.Errorf("%+v", g)
	}
	f.Beta = 0.95
	if _, ok := f.LongRunVariance(); ok {
		t.Error("a long run where there is none")
	}
	if len(f.Forecast(0)) != 0 || len(f.Forecast(-1)) != 0 {
		t.Error("no steps")
	}
}

func TestRefuses(t *testing.T) {
	series := func(n int, at func(int) float64) []float64 {
		r := make([]float64, n)
		for i := range r {
			r[i] = at(i)
		}
		return r
	}
	noise := simulate(5, 1000, truth)
	for name, r := range map[string][]float64{
		"nothing":       nil,
		"too short":     noise[:minReturns-1],
		"no movement":   series(500, func(int) float64 { return 0 }),
		"constant":      series(500, func(int) float64 { return 0.01 }),
		"not a number":  series(500, func(i int) float64 { return noise[i] + map[int]float64{17: math.NaN()}[i] }),
		"without bound": series(500, func(i int) float64 { return noise[i] + map[int]float64{17: math.Inf(1)}[i] }),
	} {
		for _, fit := range []func([]float64) (Fit, error){FitGaussian, FitStudent, StationaryGaussian, StationaryStudent} {
			if f, err := fit(r); !errors.Is(err, ErrSeries) {
				t.Errorf("%s: %+v, %v", name, f, err)
			}
		}
	}
}

// For every series, a returned fit is finite and has a positive variance.
func TestHardSeries(t *testing.T) {
	noise := simulate(6, 1000, truth)
	for name, at := range map[string]func(int) float64{
		"one jump in silence": func(i int) float64 { return map[int]float64{500: 0.3}[i] },
		"alternating":         func(i int) float64 { return float64(i%2)*0.02 - 0.01 },
		"mostly frozen":       func(i int) float64 { return noise[i] * float64(i/900) },
		"a crash last":        func(i int) float64 { return noise[i] * (1 + 30*float64(i/999)) },
		"tiny":                func(i int) float64 { return noise[i] * 1e-12 },
		"huge":                func(i int) float64 { return noise[i] * 1e12 },
		"growing":             func(i int) float64 { return noise[i] * math.Exp(float64(i)/100) },
	} {
		r := make([]float64, 1000)
		for i := range r {
			r[i] = at(i)
		}
		for _, fit := range []func([]float64) (Fit, error){FitGaussian, FitStudent, StationaryGaussian, StationaryStudent} {
			f, err := fit(r)
			if err != nil {
				if !errors.Is(err, ErrSeries) {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			for _, v := range []float64{f.Next(), f.LastVariance, f.Omega, f.Alpha, f.Beta} {
				if !(v >= 0) || math.IsInf(v, 0) {
					t.Errorf("%s: %+v", name, f)
				}
			}
			if !(f.Next() > 0) || math.IsNaN(f.NLL) {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

func BenchmarkFitStudent(b *testing.B) {
	r := simulate(7, 1000, truth)
	for b.Loop() {
		FitStudent(r)
	}
}
