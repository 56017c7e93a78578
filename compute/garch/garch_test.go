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
	f.LastVariance = f.Omega / (1 - f.Alpha - f.Beta)
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

// free is a bound of alpha+beta without effect: the reference fits are free.
const free = 1.5

var truth = Fit{Omega: 0.0016 * 0.05, Alpha: 0.10, Beta: 0.85}

// The fit of a long simulated series recovers the parameters.
func TestFitRecoversParameters(t *testing.T) {
	heavy := truth
	heavy.Nu = 5
	for _, c := range []struct {
		truth Fit
		fit   func([]float64) (Fit, error)
	}{{truth, StationaryGaussian}, {heavy, StationaryStudent}} {
		r := simulate(1, 20000, c.truth)
		f, err := c.fit(r)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(f.Alpha-c.truth.Alpha) > 0.03 || math.Abs(f.Beta-c.truth.Beta) > 0.03 ||
			math.Abs(f.Nu-c.truth.Nu) > 0.5 || math.Abs(f.Omega/c.truth.Omega-1) > 0.3 {
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

// On a series whose volatility only ever grows the fit stops at its bound, and its likelihood is almost as
// high as that of a free fit.
func TestStationary(t *testing.T) {
	r := simulate(8, 800, truth)
	for i := range r {
		r[i] *= math.Exp(float64(i) / 300)
	}
	for _, student := range []bool{false, true} {
		wide, err1 := fit(r, student, free)
		bound, err2 := fit(r, student, stationary)
		if err1 != nil || err2 != nil || wide.Alpha+wide.Beta < 1 || bound.Alpha+bound.Beta >= 1 ||
			bound.Alpha+bound.Beta < 0.99 || wide.NLL >= bound.NLL || bound.NLL > wide.NLL+5 {
			t.Errorf("free %+v, stationary %+v, %v, %v", wide, bound, err1, err2)
		}
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
		for _, fit := range []func([]float64) (Fit, error){StationaryGaussian, StationaryStudent} {
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
		for _, fit := range []func([]float64) (Fit, error){StationaryGaussian, StationaryStudent} {
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
