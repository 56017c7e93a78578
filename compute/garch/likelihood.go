package garch

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/optimize"
)

// Bounds of the degrees of freedom. Below 2 the variance is infinite; above 200 the distribution
// cannot be distinguished from a normal one.
const nuLow, nuHigh = 2.01, 200

// stationary bounds alpha+beta, just below a unit root.
const stationary = 0.9999

const (
	logTwoPi = 1.8378770664093454835606594728112
	logPi    = 1.1447298858494001741434273513531
)

// params are the parameters on the scaled series.
type params struct{ omega, alpha, beta, nu float64 }

// likelihood is the negative log-likelihood of a series with mean square 1.
type likelihood struct {
	x              []float64
	student        bool
	maxPersistence float64 // bound of alpha+beta

	// The optimiser requests value and gradient of the same point separately, so the last point is
	// kept.
	at   [4]float64
	done bool
	point
	gradient [4]float64 // with respect to the unbounded coordinates
}

// point is the likelihood at one set of parameters.
type point struct {
	params
	nll  float64
	last float64 // variance of the last return
}

// dim returns the number of parameters.
func (l *likelihood) dim() int {
	if l.student {
		return 4
	}
	return 3
}

// bounded returns the parameters at unbounded coordinates: omega, alpha and beta > 0,
// alpha+beta and nu within their bounds.
func (l *likelihood) bounded(u []float64) params {
	sum, share := l.maxPersistence*logistic(u[1]), logistic(u[2])
	p := params{omega: math.Exp(u[0]), alpha: sum * share, beta: sum * (1 - share)}
	if l.student {
		p.nu = nuLow + (nuHigh-nuLow)*logistic(u[3])
	}
	return p
}

// unbounded is the inverse of bounded.
func (l *likelihood) unbounded(p params) []float64 {
	sum := p.alpha + p.beta
	u := []float64{math.Log(p.omega), logit(sum / l.maxPersistence), logit(p.alpha / sum)}
	if l.student {
		u = append(u, logit((p.nu-nuLow)/(nuHigh-nuLow)))
	}
	return u
}

func logistic(u float64) float64 { return 1 / (1 + math.Exp(-u)) }
func logit(p float64) float64    { return math.Log(p / (1 - p)) }

// starts holds the possible starting points of a search, for a series of mean square 1.
var starts = func() (s []params) {
	for _, ab := range [][2]float64{{0.03, 0.95}, {0.05, 0.90}, {0.10, 0.85}, {0.10, 0.70}, {0.20, 0.60},
		{0.05, 0.50}} {
		for _, nu := range []float64{3, 5, 10} {
			s = append(s, params{omega: 1 - ab[0] - ab[1], alpha: ab[0], beta: ab[1], nu: nu})
		}
	}
	return s
}()

// searches is the number of searches, one from each of the best starts.
const searches = 2

// maximise searches the maximum of the likelihood. The same series always gives the same result; ok
// is false when no search ended at a finite value.
func (l *likelihood) maximise() (best point, ok bool) {
	type start struct {
		u   []float64
		nll float64
	}
	var from []start
	for _, p := range starts {
		if !l.student && p.nu != starts[0].nu {
			continue
		}
		u := l.unbounded(p)
		from = append(from, start{u, l.value(u)})
	}
	slices.SortStableFunc(from, func(a, b start) int {
		if a.nll < b.nll {
			return -1
		}
		return 1
	})
	best.nll = math.Inf(1)
	for _, s := range from[:searches] {
		if p, found := l.descend(s.u, &optimize.BFGS{}); found && p.nll < best.nll {
			best, ok = p, true
		}
	}
	if !ok {
		best, ok = l.descend(from[0].u, &optimize.NelderMead{})
	}
	return best, ok
}

// descend runs one search. An optimiser error caused by convergence at rounding level is not a failure.
func (l *likelihood) descend(from []float64, method optimize.Method) (point, bool) {
	problem := optimize.Problem{
		Func: l.value,
		Grad: func(gradient, u []float64) { l.evaluate(u); copy(gradient, l.gradient[:]) },
	}
	result, _ := optimize.Minimize(problem, from, &optimize.Settings{
		GradientThreshold: 1e-6, MajorIterations: 500, FuncEvaluations: 2000,
		Converger: &optimize.FunctionConverge{Absolute: 1e-9, Iterations: 10},
	}, method)
	if result == nil || !(result.F < math.MaxFloat64) {
		return point{}, false
	}
	l.evaluate(result.X)
	return l.point, true
}

func (l *likelihood) value(u []float64) float64 {
	l.evaluate(u)
	return l.nll
}

// evaluate computes the negative log-likelihood and its gradient at unbounded coordinates. If it
// overflows, the value is the largest float64 and the gradient is 0.
func (l *likelihood) evaluate(u []float64) {
	var at [4]float64
	copy(at[:], u)
	if l.done && at == l.at {
		return
	}
	l.at, l.done = at, true
	l.params = l.bounded(u)
	var g params
	if l.student {
		l.nll, l.last, g = l.studentT()
	} else {
		l.nll, l.last, g = l.gaussian()
	}
	p := l.params
	sum := p.alpha + p.beta
	l.gradient = [4]float64{
		g.omega * p.omega,
		(g.alpha*p.alpha + g.beta*p.beta) * (1 - sum/l.maxPersistence),
		(g.alpha - g.beta) * p.alpha * p.beta / sum,
		g.nu * (p.nu - nuLow) * (nuHigh - p.nu) / (nuHigh - nuLow),
	}
	for _, v := range append(l.gradient[:l.dim():l.dim()], l.nll) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			l.nll, l.gradient = math.MaxFloat64, [4]float64{}
			return
		}
	}
}

// recursion is the variance of one step and its derivatives by omega, alpha and beta.
type recursion struct{ h, omega, alpha, beta float64 }

// first is the variance of the first return of a series with mean square 1.
func (p params) first() recursion {
	return recursion{h: p.omega + p.alpha + p.beta, omega: 1, alpha: 1, beta: 1}
}

// next returns the variance after a return with this square.
func (p params) next(r recursion, square float64) recursion {
	return recursion{
		h:     p.omega + p.alpha*square + p.beta*r.h,
		omega: 1 + p.beta*r.omega, alpha: square + p.beta*r.alpha, beta: r.h + p.beta*r.beta,
	}
}

// gaussian returns the sum of (ln 2 pi + ln h + x^2/h)/2, the last variance, and the gradient.
func (l *likelihood) gaussian() (nll, last float64, g params) {
	r := l.first()
	for i, x := range l.x {
		square := x * x
		nll += math.Log(r.h) + square/r.h
		slope := (1 - square/r.h) / (2 * r.h)
		g.omega += slope * r.omega
		g.alpha += slope * r.alpha
		g.beta += slope * r.beta
		if i < len(l.x)-1 {
			r = l.next(r, square)
		}
	}
	return (nll + float64(len(l.x))*logTwoPi) / 2, r.h, g
}

// studentT returns the same three values for the t density with variance 1. The terms of the sum are
//
//	lnG(nu/2) - lnG((nu+1)/2) + ln(pi (nu-2))/2 + ln(h)/2 + (nu+1)/2 ln(1 + x^2/((nu-2) h))
func (l *likelihood) studentT() (nll, last float64, g params) {
	n, nu := float64(len(l.x)), l.nu
	power := (nu + 1) / 2
	r := l.first()
	var logH, logQ float64
	for i, x := range l.x {
		square := x * x
		q := square / ((nu - 2) * r.h)
		logTerm := math.Log(1 + q) // an absolute error of 1e-16 does not matter here
		logH += math.Log(r.h)
		logQ += logTerm
		pull := power * q / (1 + q)
		slope := (0.5 - pull) / r.h
		g.omega += slope * r.omega
		g.alpha += slope * r.alpha
		g.beta += slope * r.beta
		g.nu += logTerm/2 - pull/(nu-2)
		if i < len(l.x)-1 {
			r = l.next(r, square)
		}
	}
	upper, _ := math.Lgamma(power)
	lower, _ := math.Lgamma(nu / 2)
	nll = n*(lower-upper+(logPi+math.Log(nu-2))/2) + logH/2 + power*logQ
	g.nu += n * (mathext.Digamma(nu/2)/2 - mathext.Digamma(power)/2 + 1/(2*(nu-2)))
	return nll, r.h, g
}
