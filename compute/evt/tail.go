package evt

import (
	"math"
	"slices"

	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// Scratch is the working memory of FitLossTail. The zero value is ready to use. It is for one
// goroutine at a time.
type Scratch struct{ losses, excess []float64 }

// FitLossTail returns the loss tail of one side of a position from the standardised 24-hour
// outcomes z (signed returns in standard deviations): losses are -z for a long, z for a short.
func FitLossTail(z []float64, side int, w *Scratch) mc.ExtremeTail {
	t := pooled[side]
	t.N = len(z)
	if len(z) < MinOutcomes {
		return t
	}
	sign := -1.0
	if side == mc.Short {
		sign = 1
	}
	w.losses = slices.Grow(w.losses[:0], len(z))
	for _, v := range z {
		w.losses = append(w.losses, sign*v)
	}
	u := stats.Quantile(w.losses, quantileLevel) // reorders w.losses
	w.excess = w.excess[:0]
	for _, v := range z {
		if y := sign * v; y > u {
			w.excess = append(w.excess, y-u)
		}
	}
	g, err := FitMLE(w.excess)
	if err != nil {
		return t
	}
	return mc.ExtremeTail{U: u, Beta: g.Beta, Xi: max(clipLow, min(clipHigh, g.Xi)), XiRaw: g.Xi, N: len(z)}
}

// Quantile returns the loss of a tail that a share of all outcomes exceeds and the mean loss beyond it, in
// standard deviations. The share must be in (0, TailShare]: 0.001 is the 99.9 % level.
func Quantile(t mc.ExtremeTail, share float64) (zq, zes float64) {
	zq = t.U + float64(t.Beta*excessAt(share/TailShare, t.Xi))
	return zq, (zq + t.Beta - float64(t.Xi*t.U)) / (1 - t.Xi)
}

// excessAt returns the value that exceedances of scale 1 and shape xi, not 0, are larger than with
// probability p.
func excessAt(p, xi float64) float64 {
	return math.Expm1(-xi*math.Log(p)) / xi
}
