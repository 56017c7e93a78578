package plot

import (
	"fmt"
	"image/color"

	"ballast/compute/backtest"
	"ballast/internal/chart"
)

// horizonColours are the colours of the horizons of 24 h and of 7 days.
var horizonColours = [2]color.RGBA{blue, {0xc4, 0x66, 0x2d, 0xff}}

// Pool draws the share of liquidated pools against the forecast chance, a line a horizon. Vertical lines
// reach from the share at hourly closes to the share with every leg at its worst of each hour.
func Pool(r *backtest.PoolResult) func(chart.Canvas) {
	title := fmt.Sprintf("%s: what the chance that a cross pool is liquidated was worth", assets(r.File))
	below := fmt.Sprintf("%s cases, a forecast every %d h, %s to %s. Pools of one forecast are not independent.",
		thousands(r.Cases), r.EveryHours, day(r.FromMs), day(r.ToMs))
	var lines []chart.Entry
	for i, h := range r.Horizons {
		says := fmt.Sprintf("share that was liquidated within %d h; beside it the number of cases", h.Hours)
		lines = append(lines, chart.Entry{Text: says, Sign: chart.Disc(horizonColours[i], 4)})
	}
	return func(c chart.Canvas) {
		chart.Head(c, title, below, lines, []chart.Entry{
			{Text: "from the hourly closes to the worst of each hour", Sign: chart.Whisker(whisker(chart.Ink))},
			{Text: "none was: the upper end of the 95 % Wilson interval", Sign: none(blue)},
			{Text: fmt.Sprintf("as forecast, and within a factor of %.2f", factor), Sign: chart.Line(diagonalPen)},
		})
		f := chart.NewFrame(c, 0, 1, shares("forecast, %"), shares("liquidated, %"))
		diagonal(f)
		for i, h := range r.Horizons {
			poolLine(f, h.Reliability, i)
		}
	}
}

// poolLine draws the liquidated share of each bin of forecasts of horizon number i.
func poolLine(f *chart.Frame, bins []backtest.PoolBin, i int) {
	pen := whisker(horizonColours[i])
	var points []chart.Point
	for _, b := range bins {
		if b.N == 0 {
			continue
		}
		share := func(k int) float64 { return f.Y(inside(float64(k) / float64(b.N))) }
		at := chart.Point{X: f.X(inside(b.MeanProbability)), Y: share(b.Liquidated)}
		if b.Liquidated == 0 {
			_, high := backtest.Wilson(0, b.N)
			at.Y = f.Y(inside(high))
			none(pen.Color)(f, at)
		} else {
			f.Stroke(pen, chart.Point{X: at.X, Y: share(b.Closes)}, chart.Point{X: at.X, Y: share(b.Worst)})
			chart.Disc(pen.Color, 4)(f, at)
			points = append(points, at)
		}
		label, beside := chart.Text{Size: 8, Color: pen.Color}, chart.Point{X: at.X + 9, Y: at.Y + 3}
		if i == 1 { // the bins of the other horizon lie close by
			label.Align, beside = chart.Right, chart.Point{X: at.X - 9, Y: at.Y - 5}
		}
		f.Write(label, beside, thousands(b.N))
	}
	f.Stroke(pen, points...)
}
