package risk

import (
	"math"
	"sync/atomic"
	"weak"

	"ballast/compute/evt"
	mc "ballast/marketcache"
)

// figures is what an assessment needs of a fit and would compute from it alone: a pure
// function of the fit, with logarithms and powers in it.
type figures struct {
	fit        weak.Pointer[mc.AssetModel]
	forecast   VolatilityForecast
	dailySigma float64           // 24 h volatility as a fraction of price
	extreme    [mc.SideCount]EVT // by side of the position, not yet held to the 99 % VaR
}

// figuresMemo remembers the newest figures of each asset, lock-free. Whoever misses
// computes and stores the same.
type figuresMemo [maxMemoAssets]atomic.Pointer[figures]

// figuresOf returns the figures of a fit.
func (e *Engine) figuresOf(fit *mc.AssetModel) *figures {
	slot := int(fit.Asset) + 1
	if slot < 0 || slot >= maxMemoAssets {
		return newFigures(fit)
	}
	f := e.figures[slot].Load()
	if f == nil || f.fit.Value() != fit {
		f = newFigures(fit)
		e.figures[slot].Store(f)
	}
	return f
}

func newFigures(m *mc.AssetModel) *figures {
	f := &figures{fit: weak.Make(m), dailySigma: math.Sqrt(m.Variance[mc.H24] * m.Kappa2[mc.H24])}
	if m.Bars > 0 {
		sigma := func(h int) float64 {
			return math.Sqrt(m.Variance[h] * m.Kappa2[h] * hoursPerYear / float64(mc.Horizons[h]))
		}
		f.forecast = VolatilityForecast{
			Sigma1h: sigma(mc.H1), Sigma4h: sigma(mc.H4), Sigma1d: sigma(mc.H24), Sigma7d: sigma(mc.H168),
			LongRunSigma: math.Sqrt(m.LongRunVariance * hoursPerYear),
		}
	}
	if m.HasExtreme {
		sd := math.Sqrt(m.Variance[mc.H24])
		for side, s := range [mc.SideCount]float64{mc.Long: 1, mc.Short: -1} {
			zq, zes := evt.Tail(m.Extreme[side]).Quantile(extremeShare)
			f.extreme[side] = EVT{Known: true, VaR999: lossPct(s, zq*sd), ES999: lossPct(s, zes*sd)}
		}
	}
	return f
}
