package plot

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ballast/compute/backtest"
)

// horizonColours are the colours of the horizons of 24 h and of 7 days.
var horizonColours = [2]color.Color{blue, color.RGBA{0xc4, 0x66, 0x2d, 0xff}}

// Pool draws the share of liquidated pools against the forecast chance, a line a horizon. Vertical lines
// reach from the share at hourly closes to the share with every leg at its worst of each hour.
func Pool(r *backtest.PoolResult, path string) error {
	title := fmt.Sprintf("%s: what the chance that a cross pool is liquidated was worth", assets(r.File))
	below := fmt.Sprintf("%s cases, a forecast every %d h, %s to %s. Pools of one forecast are not independent.",
		thousands(r.Cases), r.EveryHours, day(r.FromMs), day(r.ToMs))
	var lines []entry
	for i, h := range r.Horizons {
		says := fmt.Sprintf("share that was liquidated within %d h; beside it the number of cases", h.Hours)
		lines = append(lines, entry{says, glyphSign{horizonPoint(i)}})
	}
	p := shares("forecast, %", "liquidated, %")
	p.Add(poolLines(r.Horizons))
	return save(path, func(c draw.Canvas) error {
		c = head(c, title, below, lines, []entry{
			{"from the hourly closes to the worst of each hour", barSign{}},
			{"none was: the upper end of the 95 % Wilson interval", glyphSign{none}},
			{fmt.Sprintf("as forecast, and within a factor of %.2f", factor), lineSign{diagonalLine}},
		})
		p.Draw(draw.Crop(c, 0, -0.2*vg.Inch, 0, 0))
		return nil
	})
}

// horizonPoint is the glyph of a horizon.
func horizonPoint(i int) draw.GlyphStyle {
	g := point
	g.Color = horizonColours[i%len(horizonColours)]
	return g
}

// poolLines draws the liquidated share of each bin of forecasts.
type poolLines []backtest.PoolHorizon

// Plot implements plot.Plotter.
func (horizons poolLines) Plot(c draw.Canvas, p *plot.Plot) {
	diagonal(&c, p)
	x, y := p.Transforms(&c)
	for i, h := range horizons {
		glyph := horizonPoint(i)
		line := draw.LineStyle{Color: glyph.Color, Width: vg.Points(1.2)}
		var points []vg.Point
		for _, b := range h.Reliability {
			if b.N == 0 {
				continue
			}
			share := func(k int) vg.Length { return y(inside(float64(k) / float64(b.N))) }
			at := vg.Point{X: x(inside(b.MeanProbability)), Y: share(b.Liquidated)}
			label, beside := style(9, glyph.Color), vg.Point{X: vg.Points(9), Y: -vg.Points(6)}
			if i%2 == 1 { // the bins of the other horizon lie close by
				label.XAlign, beside = text.XRight, vg.Point{X: -vg.Points(9), Y: vg.Points(2)}
			}
			if b.Liquidated == 0 {
				_, high := backtest.Wilson(0, b.N)
				at.Y = y(inside(high))
				empty := none
				empty.Color = glyph.Color
				c.DrawGlyph(empty, at)
			} else {
				c.StrokeLine2(line, at.X, share(b.Closes), at.X, share(b.Worst))
				c.DrawGlyph(glyph, at)
				points = append(points, at)
			}
			c.FillText(label, at.Add(beside), thousands(b.N))
		}
		c.StrokeLines(line, points)
	}
}
