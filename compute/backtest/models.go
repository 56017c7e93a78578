package backtest

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"ballast/compute/garch"
	"ballast/compute/stats"
	"ballast/compute/vol"
)

// Model is the name of a risk model.
type Model string

// FHSPX is the service's own model. The other models are compared with it; they use daily returns.
const (
	FHSPX  Model = "fhs-px"
	GARCHT Model = "garch-t" // GARCH(1,1), Student-t
	GARCH  Model = "garch"   // GARCH(1,1), Gaussian
	EWMA   Model = "ewma"    // RiskMetrics (1996), Gaussian
	HS     Model = "hs"      // historical simulation
)

const (
	ewmaDecay = 0.94 // RiskMetrics, daily
	refitDays = 7    // days between two fits of a GARCH model
	fitReach  = 1000 // maximum number of returns in a fit
)

// Models lists all models.
var Models = []Model{FHSPX, GARCHT, GARCH, EWMA, HS}

// forecasts returns a forecast for each day from firstDay to the last.
func (m Model) forecasts(h *history) ([]forecast, error) {
	switch m {
	case FHSPX:
		return h.walkService()
	case GARCHT:
		return h.walkGARCH(garch.StationaryStudent)
	case GARCH:
		return h.walkGARCH(garch.StationaryGaussian)
	case EWMA:
		return h.walkEWMA(), nil
	case HS:
		return h.walkHistorical(), nil
	}
	return nil, fmt.Errorf("unknown model %q, want one of %q", m, Models)
}

// walkGARCH refits every week, and between fits updates the variance with each return. It
// uses stationary fits, because they forecast better.
func (h *history) walkGARCH(fit func([]float64) (garch.Fit, error)) ([]forecast, error) {
	var out []forecast
	var f garch.Fit
	var shape innovation
	for day := firstDay; day <= h.lastDay(); day++ {
		if (day-firstDay)%refitDays != 0 {
			f = f.After(h.returns[day-1])
		} else {
			var err error
			if f, err = fit(h.known(day, fitReach)); err != nil {
				return nil, fmt.Errorf("GARCH on the days before %s: %w",
					time.UnixMilli(h.openMs(day)).UTC().Format(time.DateOnly), err)
			}
			shape = newInnovation(f.Nu)
		}
		out = append(out, shape.forecast(math.Sqrt(f.Next())))
	}
	return out, nil
}

// walkEWMA starts at the mean square of the first year, whose weight has decayed to almost 0
// at the first forecast.
func (h *history) walkEWMA() []forecast {
	var out []forecast
	normal := newInnovation(0)
	variance := stats.MeanSquare(h.known(firstDay, firstDay))
	for day := 1; day <= h.lastDay(); day++ {
		r := h.returns[day-1]
		variance = ewmaDecay*variance + (1-ewmaDecay)*r*r
		if day >= firstDay {
			out = append(out, normal.forecast(math.Sqrt(variance)))
		}
	}
	return out
}

// walkHistorical forecasts the quantile and tail mean of the last 365 returns.
func (h *history) walkHistorical() []forecast {
	var out []forecast
	signed, scratch := make([]float64, historicalDays), make([]float64, historicalDays)
	for day := firstDay; day <= h.lastDay(); day++ {
		sample := h.known(day, historicalDays)
		f := forecast{sd: math.Sqrt(stats.MeanSquare(sample))}
		for side := range Sides {
			for i, r := range sample {
				signed[i] = sign[side] * r
			}
			for level := range Levels {
				copy(scratch, signed)
				q := stats.Quantile(scratch, vol.TailShare(level))
				f.loss[side][level], f.shortfall[side][level] = -q, -stats.LowerTailMean(signed, q)
			}
		}
		out = append(out, f)
	}
	return out
}

// innovation holds VaR and ES of a symmetric distribution with variance 1, by level.
type innovation struct{ quantile, shortfall [len(Levels)]float64 }

// newInnovation returns the innovation of the Student-t distribution with nu degrees of
// freedom, or of the normal distribution if nu is 0 (McNeil, Frey, Embrechts 2015, 2.3.4).
func newInnovation(nu float64) (x innovation) {
	for level := range Levels {
		a := vol.TailShare(level)
		if nu == 0 {
			q := distuv.UnitNormal.Quantile(a)
			x.quantile[level], x.shortfall[level] = -q, distuv.UnitNormal.Prob(q)/a
			continue
		}
		x.quantile[level], x.shortfall[level] = stats.StudentTail(a, nu)
	}
	return x
}

func (x innovation) forecast(sd float64) forecast {
	f := forecast{sd: sd}
	for side := range Sides {
		for level := range Levels {
			f.loss[side][level], f.shortfall[side][level] = x.quantile[level]*sd, x.shortfall[level]*sd
		}
	}
	return f
}
