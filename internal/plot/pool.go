package plot

import (
	"fmt"
	"image/color"

	"ballast/compute/backtest"
)

// Pool draws the share of liquidated pools against the forecast chance, a colour a horizon. Vertical lines reach from
// the share at hourly closes to the share with every leg at its worst of each hour.
func Pool(r *backtest.PoolResult) Picture {
	p := Panel{Across: shares("forecast, %"), Up: shares("liquidated, %"), Series: asForecast()}
	for i, h := range r.Horizons {
		s := Series{Color: [2]color.RGBA{blue, orange}[i], Name: fmt.Sprintf(
			"share that was liquidated within %d h, at hourly closes to the worst of each hour", h.Hours)}
		if i == 0 { // the bins of the other horizon lie close by
			s.Name += "; above it the number of cases"
		}
		for _, b := range h.Reliability {
			if b.N > 0 {
				share := func(k int) float64 { return inside(float64(k) / float64(b.N)) }
				at := Point{X: inside(b.MeanProbability), Y: share(b.Liquidated), Low: share(b.Closes),
					High: share(b.Worst)}
				if i == 0 {
					at.Label = thousands(b.N)
				}
				s.Points = append(s.Points, at)
			}
		}
		p.Series = append(p.Series, s)
	}
	return Picture{fmt.Sprintf("%s: what the chance that a cross pool is liquidated was worth", assets(r.File)),
		fmt.Sprintf("%s cases, a forecast every %d h, %s to %s. Pools of one forecast are not independent.",
			thousands(r.Cases), r.EveryHours, day(r.FromMs), day(r.ToMs)), []Panel{p}}
}
