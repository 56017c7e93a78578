package copula

import (
	"math"

	"ballast/compute/stats"
)

// Pair is the dependence of two assets' 4-hour returns.
type Pair struct {
	RhoTau  float64 // sin(pi*tau/2) of Kendall's tau, in [-0.999, 0.999]
	Pearson float64 // sample correlation, in [-1, 1]
	Nu      float64 // degrees of freedom, in [2.05, 40]
	// LogLik is the log of the copula's density, summed over the points; max(LogLik, 0) is
	// the pair's weight in PooledNu.
	LogLik float64
	Lambda float64 // tail dependence, in [0, 1]
	Points int     // common 4-hour returns
}

// Fitter fits pairs. It holds working memory and the table for the last number of common points, about 1.7 MB
// at 2,160 points. It is for one goroutine at a time. Another number of points needs another table, which
// costs as much time as a few pairs.
//
// The likelihood is evaluated at 24 fixed values of nu, with the quantile of every possible rank
// from a table. The maximum is that of the polynomial through these 24 likelihoods.
type Fitter struct {
	table   table
	kendall stats.KendallScratch
	a, b    Series // working memory for the newest points of a Series
	nodal   [nodes]float64
	poly    polynomial
}

// NewFitter returns a Fitter without a table.
func NewFitter() *Fitter { return &Fitter{} }

// FitSeries fits the newest points that two assets have in common: the last points of both are of
// the same hour. ok is false for fewer than 180 points. The order of the two assets changes no bit
// of the result.
func (f *Fitter) FitSeries(a, b *Series) (Pair, bool) {
	n := min(a.Points(), b.Points())
	if n < MinPoints {
		return Pair{}, false
	}
	if a.Points() > n {
		f.a.setNewest(a, n)
		a = &f.a
	}
	if b.Points() > n {
		f.b.setNewest(b, n)
		b = &f.b
	}
	return f.fit(a, b), true
}

func (f *Fitter) fit(a, b *Series) Pair {
	p := Pair{Points: len(a.returns)}
	if a.constant() || b.constant() {
		// A series of equal returns has no ranks and says nothing about dependence. The likelihood
		// formula would see only points in the middle, and give the smallest nu.
		p.Nu = MaxNu
		p.Lambda = Lambda(0, MaxNu)
		return p
	}
	p.Pearson = stats.Pearson(a.returns, b.returns)
	rho := math.Sin(0.5 * math.Pi * f.kendall.Tau(&a.ranking, &b.ranking))
	p.RhoTau = max(-maxRho, min(maxRho, rho))

	f.likelihoods(a, b, p.RhoTau)
	f.poly.through(&f.nodal)
	at := f.poly.highest()
	p.Nu, p.LogLik = nuAt(at), f.poly.value(at)
	p.Lambda = Lambda(p.RhoTau, p.Nu)
	return p
}

// likelihoods fills f.nodal with the log likelihood at every node.
func (f *Fitter) likelihoods(a, b *Series, rho float64) {
	t := &f.table
	if t.n != len(a.returns) {
		t.fill(len(a.returns))
	}
	n := float64(t.n)
	apart, together := 1/((1-rho)*(1+rho)), 2/(1+rho)
	for g := range t.quantile {
		joint := jointLogs(t.quantile[g], a.cells, b.cells, apart, together)
		for i, sum := range joint {
			k := 4*g + i
			nu := curves()[k].nu
			// ln of the bivariate density minus the logs of the marginal densities. The bivariate
			// density has the factor 1/(2*pi*sqrt(1-rho^2)) for every nu.
			constant := 0.5*math.Log(apart) - math.Log(2*math.Pi) - 2*math.Log(stats.StudentPDF(0, nu))
			margins := t.margins(a, k) + t.margins(b, k)
			f.nodal[k] = float64(n*constant) + float64(0.5*(nu+1)*margins) - float64(0.5*(nu+2)*sum)
		}
	}
}

// jointLogs returns, at four nodes, the sum over the points of ln(1+Q/nu). Q is the squared
// Mahalanobis distance of the two quantiles:
//
//	Q/nu = (x^2 + y^2 - 2*rho*x*y)/(1-rho^2) = (x-y)^2*apart + x*y*together
//
// with x and y divided by sqrt(nu). One logarithm is taken of the product of 24 factors: each
// factor is below 1e12 for any sample that fits into memory, so the product does not overflow.
func jointLogs(quantile []four, a, b []int32, apart, together float64) (sum four) {
	b = b[:len(a)]
	var s [4]four
	for lane := 0; len(a) > 0; lane++ {
		m := min(24, len(a))
		p0, p1, p2, p3 := 1.0, 1.0, 1.0, 1.0
		others := b[:m]
		for i, c := range a[:m] {
			x, y := &quantile[c], &quantile[others[i]]
			p0 *= factor(x[0], y[0], apart, together)
			p1 *= factor(x[1], y[1], apart, together)
			p2 *= factor(x[2], y[2], apart, together)
			p3 *= factor(x[3], y[3], apart, together)
		}
		l := &s[lane&3]
		l[0] += math.Log(p0)
		l[1] += math.Log(p1)
		l[2] += math.Log(p2)
		l[3] += math.Log(p3)
		a, b = a[m:], b[m:]
	}
	for k := range sum {
		sum[k] = (s[0][k] + s[1][k]) + (s[2][k] + s[3][k])
	}
	return sum
}

func factor(x, y, apart, together float64) float64 {
	d := x - y
	return 1 + (float64(float64(d*d)*apart) + float64(float64(x*y)*together))
}
