package backtest

import (
	"math"

	"ballast/compute/risk"
	"ballast/compute/stats"
)

func scoreOf(v *forecastView, side int, l, distance, probability float64) (float64, risk.Recommendation) {
	pl := func(x float64, k ...float64) float64 {
		var ks []stats.Knot
		for i := 0; i < len(k); i += 2 {
			ks = append(ks, stats.Knot{X: k[i], Y: k[i+1]})
		}
		return stats.PiecewiseLinear(x, ks)
	}
	rho := distance / max(v.pct99Day[side], 0.5)
	liq := max(pl(rho, 0, 100, 0.25, 92, 0.5, 80, 1, 55, 1.5, 35, 2.5, 15, 5, 0), pl(distance, 0, 100, 2, 90, 5, 65, 10, 35, 20, 15, 50, 0))
	va := pl(v.pct99Day[side]*l, 0, 0, 25, 15, 50, 35, 100, 65, 200, 90, 400, 100)
	b := (0.35*liq + 0.25*va) / 0.85
	e1, e2 := max(0, (liq-50)/50), max(0, (va-50)/50)
	i := 20 * min(1, e1*e2/3)
	g := 3*(v.regime[1]+v.regime[2]) + 5*v.regime[2]
	h1 := pl(distance/max(v.pct994[side], 0.25), 0, 98, 0.5, 90, 1, 75, 1.25, 60, 1.5, 0)
	h7 := pl(probability, 0.005, 0, 0.02, 41, 0.1, 71, 0.3, 85, 0.6, 95)
	raw := min(100, max(b+i+g, h1, h7))
	s := math.Floor(raw*1e4+0.5) / 1e4
	switch {
	case s <= 40:
		return s, risk.Proceed
	case s <= 70:
		return s, risk.ProceedWithCaution
	}
	return s, risk.Abort
}
