package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The distribution functions for one (Cauchy), two and four degrees of freedom have closed forms.
func TestStudentClosedForms(t *testing.T) {
	for _, x := range []float64{1e-9, 0.01, 0.3, 1, 1.4, 1.7, 2, 3, 10, 1e3, 1e8} {
		root2, root4 := math.Sqrt(2+x*x), math.Sqrt(4+x*x)
		u := x / root4
		for nu, want := range map[float64]float64{
			1: math.Atan(1/x) / math.Pi,
			2: 1 / (root2 * (root2 + x)),
			// 0.5 - 0.75*(u - u^3/3), written in terms of 1-u to avoid cancellation.
			4: 0.25 * (2 + u) * math.Pow(4/(root4*(root4+x)), 2),
		} {
			if got := StudentCDF(-x, nu); !near(got, want, 1e-13) {
				t.Errorf("P(T_%v < %v) = %v, want %v", nu, -x, got, want)
			}
			if got := StudentCDF(x, nu); !near(got, 1-want, 1e-15) {
				t.Errorf("P(T_%v < %v) = %v, want %v", nu, x, got, 1-want)
			}
		}
	}
	if got := StudentPDF(0, 1); !near(got, 1/math.Pi, 1e-15) {
		t.Errorf("Cauchy density at 0: %v", got)
	}
}

func TestStudentEnds(t *testing.T) {
	inf := math.Inf(1)
	for _, nu := range []float64{0.5, 1, 2.05, 40} {
		if StudentCDF(inf, nu) != 1 || StudentCDF(-inf, nu) != 0 || StudentCDF(0, nu) != 0.5 {
			t.Errorf("nu %v: wrong at the ends or the middle", nu)
		}
		if StudentQuantile(0, nu) != -inf || StudentQuantile(1, nu) != inf || StudentQuantile(0.5, nu) != 0 {
			t.Errorf("nu %v: quantile wrong at the ends or the middle", nu)
		}
		if !math.IsNaN(StudentQuantile(-0.1, nu)) || !math.IsNaN(StudentQuantile(1.1, nu)) {
			t.Errorf("nu %v: quantile outside [0, 1]", nu)
		}
	}
	if !math.IsNaN(StudentQuantile(0.3, 0)) {
		t.Error("no NaN for nu = 0")
	}
}

// For large nu the distribution approaches the normal distribution with an error of order 1/nu.
func TestStudentApproachesNormal(t *testing.T) {
	for _, nu := range []float64{80, 1e3} {
		for _, x := range []float64{-3, -1.7, -0.4} {
			// The first two terms of the expansion in 1/nu (Fisher 1925).
			square := x * x
			first := x * (square + 1) / 4
			second := x * (((3*square-7)*square-5)*square - 3) / 96
			want := NormalCDF(x) - NormalPDF(x)*(first+second/nu)/nu
			if got := StudentCDF(x, nu); math.Abs(got/want-1) > 1000/(nu*nu*nu)+1e-10 {
				t.Errorf("nu %v, x %v: %v, want about %v", nu, x, got, want)
			}
		}
	}
}

func TestQuantileInvertsCDF(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := math.Exp(rapid.Float64Range(-690, math.Log(0.5)).Draw(t, "ln p"))
		nu := math.Exp(rapid.Float64Range(math.Log(2), 6).Draw(t, "ln nu"))
		q := StudentQuantile(p, nu)
		if got := StudentCDF(q, nu); math.Abs(got-p) > 1e-10*p {
			t.Fatalf("T_%v: %v has quantile %v, whose probability is %v", nu, p, q, got)
		}
		if upper := StudentQuantile(1-p, nu); p > 0.01 && math.Abs(upper+q) > 1e-12*math.Abs(q)+1e-15 {
			t.Fatalf("T_%v: quantiles %v and %v are not symmetric", nu, q, upper)
		}
		z := NormalQuantile(p)
		if got := NormalCDF(z); math.Abs(got-p) > 1e-12*p {
			t.Fatalf("normal: %v has quantile %v, whose probability is %v", p, z, got)
		}
	})
}

func TestStudentCDFRises(t *testing.T) {
	for _, nu := range []float64{1, 2.05, 4, 12, 40, 500} {
		last := 0.0
		for x := -20.0; x <= 20; x += 0.01 {
			p := StudentCDF(x, nu)
			if p < last-1e-14 {
				t.Fatalf("nu %v: falls at %v", nu, x)
			}
			last = p
		}
	}
}

// The density is the derivative of the distribution function.
func TestStudentDensityIsSlope(t *testing.T) {
	const h = 1e-5
	for _, nu := range []float64{1, 2.5, 8, 60, 200} {
		for _, x := range []float64{0, 0.2, 1, 1.73, 3, 7} {
			slope := (StudentCDF(-x+h, nu) - StudentCDF(-x-h, nu)) / (2 * h)
			if f := StudentPDF(x, nu); math.Abs(slope-f) > 1e-9+1e-8*f {
				t.Errorf("nu %v, x %v: density %v, slope %v", nu, x, f, slope)
			}
		}
	}
}

// The expected shortfall is the mean of the VaR over the tail.
func TestTailsAverageTheirQuantiles(t *testing.T) {
	for _, nu := range []float64{2.5, 4, 30} {
		for _, p := range []float64{0.001, 0.05, 0.5} {
			v, es := StudentTail(p, nu)
			// The substitution of u^8 for the tail share makes the integrand smooth at the steep
			// end of the tail.
			const steps = 2000
			sum := 0.0
			for i := range steps {
				u := (float64(i) + 0.5) / steps
				q, _ := StudentTail(p*math.Pow(u, 8), nu)
				sum += q * 8 * math.Pow(u, 7)
			}
			if got := sum / steps; !near(got, es, 1e-5) {
				t.Errorf("nu %v, share %v: shortfall %v, mean quantile %v", nu, p, es, got)
			}
			if es <= v {
				t.Errorf("nu %v, share %v: shortfall %v below %v", nu, p, es, v)
			}
		}
	}
}

func TestDistributionsAllocateNothing(t *testing.T) {
	if n := testing.AllocsPerRun(10, func() {
		StudentQuantile(0.01, 3.3)
		NormalQuantile(0.01)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkStudent(b *testing.B) {
	b.Run("cdf", func(b *testing.B) {
		for b.Loop() {
			StudentCDF(-3.3, 4.3)
		}
	})
	b.Run("quantile", func(b *testing.B) {
		for b.Loop() {
			StudentQuantile(0.01, 4.3)
		}
	})
}
