package garch

import (
	"errors"
	"fmt"
	"math"

	"ballast/compute/stats"
)

// minReturns is the minimum length of a series: a fit of four parameters to fewer returns
// means little.
const minReturns = 100

// ErrSeries is wrapped by the error of a series that cannot be fitted.
var ErrSeries = errors.New("series cannot be fitted")

// Fit is a fitted model with its state after the last return.
type Fit struct {
	Omega, Alpha, Beta float64
	Nu                 float64 // degrees of freedom; 0: Gaussian
	NLL                float64 // negative log-likelihood of the returns it was fitted on
	// LastVariance is h of the last return, LastReturn the last return.
	LastVariance, LastReturn float64
}

// StationaryGaussian fits the model with normal innovations to r, oldest first, with Alpha+Beta below 1:
// after one day of +350 % the variance of a free fit explodes. The error wraps ErrSeries: too short, not
// finite, or constant.
func StationaryGaussian(r []float64) (Fit, error) { return fit(r, false, stationary) }

// StationaryStudent is StationaryGaussian with Student-t innovations scaled to variance 1.
func StationaryStudent(r []float64) (Fit, error) { return fit(r, true, stationary) }

func fit(r []float64, student bool, maxPersistence float64) (Fit, error) {
	if err := check(r); err != nil {
		return Fit{}, err
	}
	// With returns divided by their standard deviation every parameter is of the order of 1.
	scale := math.Sqrt(stats.MeanSquare(r))
	l := likelihood{x: make([]float64, len(r)), student: student, maxPersistence: maxPersistence}
	for i, v := range r {
		l.x[i] = v / scale
	}
	best, ok := l.maximise()
	if !ok {
		return Fit{}, fmt.Errorf("%w: the likelihood has no maximum that could be found", ErrSeries)
	}
	p := best.params
	return Fit{
		Omega: p.omega * scale * scale, Alpha: p.alpha, Beta: p.beta, Nu: p.nu,
		NLL:          best.nll + float64(len(r))*math.Log(scale),
		LastVariance: best.last * scale * scale, LastReturn: r[len(r)-1],
	}, nil
}

func check(r []float64) error {
	if len(r) < minReturns {
		return fmt.Errorf("%w: %d returns, want %d", ErrSeries, len(r), minReturns)
	}
	constant := true
	for i, v := range r {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%w: return %d is %v", ErrSeries, i, v)
		}
		constant = constant && v == r[0]
	}
	if constant {
		return fmt.Errorf("%w: all returns are %v", ErrSeries, r[0])
	}
	return nil
}

// Next returns the variance of the next return.
func (f Fit) Next() float64 {
	return f.Omega + f.Alpha*f.LastReturn*f.LastReturn + f.Beta*f.LastVariance
}

// After returns the fit with r as its last return. The parameters are not fitted again.
func (f Fit) After(r float64) Fit {
	f.LastVariance, f.LastReturn = f.Next(), r
	return f
}
