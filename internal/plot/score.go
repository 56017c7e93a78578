package plot

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ballast/compute/backtest"
)

// Colours of the recommendations proceed, proceed_with_caution and abort.
var verdicts = [3]color.Color{
	color.RGBA{0x6f, 0xb4, 0x8a, 0xff}, color.RGBA{0xe9, 0xb8, 0x5b, 0xff}, color.RGBA{0xd9, 0x6b, 0x5c, 0xff},
}

var (
	blue     = color.RGBA{0x12, 0x5a, 0x9c, 0xff}
	paleBlue = color.RGBA{0xea, 0xf2, 0xfa, 0xff}
	orange   = color.RGBA{0xc2, 0x6a, 0x14, 0xff}
)

// Ends of the logarithmic axes, percent. Their coordinates are decimal logarithms, because the library
// misplaces the name of an axis with its own logarithmic scale.
const minPct, maxPct = 0.005, 100

// factor is how far the liquidated share of a bin may be from the forecast in the tests of package backtest.
const factor = 1.35

// Score draws two diagrams: the share of liquidated positions against the forecast probability, of 24 hours
// and of 7 days, with Wilson intervals, and the share within 24 hours by score. Axes of shares are
// logarithmic, in percent.
func Score(r *backtest.ScoreResult, path string) error {
	const interval = "share that was liquidated, 95 % Wilson interval"
	title := fmt.Sprintf("%s, model %s: what the chance of liquidation and the score were worth", assets(r.File),
		r.Model)
	below := fmt.Sprintf("%s positions of 24 h, long and short at %d to %dx, %s to %s; "+
		"Brier %.4f (base rate %.4f), AUC %.4f, of the score %.4f. Those of one day are not independent.",
		thousands(r.Cases), r.Leverages[0], r.Leverages[len(r.Leverages)-1], day(r.FromMs), day(r.ToMs),
		r.Brier, r.BrierBase, r.AUC, r.AUCScore)
	line := lineSign{diagonalLine}
	columns := [][]entry{
		{
			{interval + "; beside it the number of positions", glyphSign{point}},
			{"none was: the upper end of the interval", glyphSign{none}},
			{fmt.Sprintf("as forecast, and within a factor of %.2f", factor), line},
		},
		{
			{"proceed, score up to 40", boxSign{verdicts[0], verdicts[0]}},
			{"proceed_with_caution, up to 70", boxSign{verdicts[1], verdicts[1]}},
			{"abort", boxSign{verdicts[2], verdicts[2]}},
		},
		{
			{"mean of the chance that was forecast", glyphSign{forecast}},
			{interval, barSign{}},
			{"left: the same within 7 days, by probability_7d", glyphSign{weekPoint}},
		},
	}
	left := shares("probability as forecast, %", "liquidated within 24 h, or 7 days, %")
	left.Add(reliability(r.Reliability), weekly(r.Reliability7d))
	right := shares("risk_score", "liquidated within 24 h, %")
	right.X.Min, right.X.Max = 0, 100
	right.X.Tick.Marker = plot.ConstantTicks(tens())
	right.Add(deciles(r.Deciles))
	return save(path, func(c draw.Canvas) error {
		c = head(c, title, below, columns...)
		half := (c.Max.X - c.Min.X) / 2
		left.Draw(draw.Crop(c, 0, -half-0.15*vg.Inch, 0, 0))
		right.Draw(draw.Crop(c, half+0.15*vg.Inch, -0.2*vg.Inch, 0, 0))
		return nil
	})
}

// shares returns a frame with logarithmic axes of shares in percent.
func shares(x, y string) *plot.Plot {
	p := frame(x, y)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Marker, a.Min, a.Max = shareTicks{}, math.Log10(minPct), math.Log10(maxPct)
	}
	return p
}

// barSign is an interval on the edge of a bar, in a legend.
type barSign struct{}

// Thumbnail implements plot.Thumbnailer.
func (barSign) Thumbnail(c *draw.Canvas) {
	line := draw.LineStyle{Color: ink, Width: vg.Points(1.2)}
	x, wide := c.Center().X, vg.Points(3)
	c.StrokeLine2(line, x, c.Min.Y, x, c.Max.Y)
	c.StrokeLine2(line, x-wide, c.Min.Y, x+wide, c.Min.Y)
	c.StrokeLine2(line, x-wide, c.Max.Y, x+wide, c.Max.Y)
}

var (
	point        = draw.GlyphStyle{Color: blue, Radius: vg.Points(4), Shape: draw.CircleGlyph{}}
	weekPoint    = draw.GlyphStyle{Color: orange, Radius: vg.Points(3.5), Shape: draw.BoxGlyph{}}
	none         = draw.GlyphStyle{Color: blue, Radius: vg.Points(4.5), Shape: triangle{down: true}}
	forecast     = draw.GlyphStyle{Color: ink, Radius: vg.Points(4), Shape: ring{}}
	weekWhisker  = draw.LineStyle{Color: orange, Width: vg.Points(1)}
	whisker      = draw.LineStyle{Color: blue, Width: vg.Points(1.2)}
	diagonalLine = draw.LineStyle{Color: grey, Width: vg.Points(1), Dashes: []vg.Length{vg.Points(5), vg.Points(3)}}
)

// inside returns the coordinate of a share, limited to the ends of the axis.
func inside(share float64) float64 { return math.Log10(max(minPct, min(maxPct, 100*share))) }

// grid draws grid lines at round shares.
func grid(c *draw.Canvas, p *plot.Plot, vertical bool) {
	x, y := p.Transforms(c)
	line := draw.LineStyle{Color: gridGrey, Width: vg.Points(0.6)}
	for _, v := range []float64{-2, -1, 0, 1} {
		c.StrokeLine2(line, c.Min.X, y(v), c.Max.X, y(v))
		if vertical {
			c.StrokeLine2(line, x(v), c.Min.Y, x(v), c.Max.Y)
		}
	}
}

// diagonal draws where shares are as forecast, and the band within factor of it.
func diagonal(c *draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(c)
	low, high, off := math.Log10(minPct), math.Log10(maxPct), math.Log10(factor)
	c.FillPolygon(paleBlue, []vg.Point{
		{X: x(low), Y: y(low)}, {X: x(low + off), Y: y(low)}, {X: x(high), Y: y(high - off)},
		{X: x(high), Y: y(high)}, {X: x(high - off), Y: y(high)}, {X: x(low), Y: y(low + off)},
	})
	grid(c, p, true)
	c.StrokeLine2(diagonalLine, x(low), y(low), x(high), y(high))
}

// interval draws the confidence interval of the share k/n at x.
func interval(c *draw.Canvas, x vg.Length, y func(float64) vg.Length, k, n int, line draw.LineStyle) {
	low, high := backtest.Wilson(k, n)
	const serif = 3
	c.StrokeLine2(line, x, y(inside(low)), x, y(inside(high)))
	for _, at := range []float64{low, high} {
		if 100*at >= minPct {
			c.StrokeLine2(line, x-vg.Points(serif), y(inside(at)), x+vg.Points(serif), y(inside(at)))
		}
	}
}

// reliability draws the liquidated share of each bin of forecast probabilities.
type reliability []backtest.Bin

// Plot implements plot.Plotter.
func (bins reliability) Plot(c draw.Canvas, p *plot.Plot) {
	diagonal(&c, p)
	x, y := p.Transforms(&c)
	for _, b := range bins {
		if b.N == 0 {
			continue
		}
		at := x(inside(b.MeanProbability))
		_, high := backtest.Wilson(b.Liquidated, b.N)
		label, beside := style(9, grey), at+vg.Points(9)
		label.YAlign = text.YCenter
		if b.MeanProbability > 0.2 { // no room to the right
			label.XAlign, beside = text.XRight, at-vg.Points(9)
		}
		if b.Liquidated == 0 {
			c.DrawGlyph(none, vg.Point{X: at, Y: y(inside(high))})
			c.FillText(label, vg.Point{X: beside, Y: y(inside(high))}, thousands(b.N))
			continue
		}
		share := inside(float64(b.Liquidated) / float64(b.N))
		interval(&c, at, y, b.Liquidated, b.N, whisker)
		c.DrawGlyph(point, vg.Point{X: at, Y: y(share)})
		c.FillText(label, vg.Point{X: beside, Y: y(share)}, thousands(b.N))
	}
}

// weekly draws the share liquidated within 7 days of each bin of forecast probabilities.
type weekly []backtest.Bin

// Plot implements plot.Plotter.
func (bins weekly) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, b := range bins {
		if b.N == 0 || b.Liquidated == 0 {
			continue
		}
		at := x(inside(b.MeanProbability))
		interval(&c, at, y, b.Liquidated, b.N, weekWhisker)
		c.DrawGlyph(weekPoint, vg.Point{X: at, Y: y(inside(float64(b.Liquidated) / float64(b.N)))})
	}
}

// deciles draws bars by score.
type deciles []backtest.Decile

// Plot implements plot.Plotter.
func (rows deciles) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	grid(&c, p, false)
	for _, d := range rows {
		if d.N == 0 {
			continue
		}
		verdict := verdicts[0]
		if d.From >= 70 {
			verdict = verdicts[2]
		} else if d.From >= 40 {
			verdict = verdicts[1]
		}
		share := float64(d.Liquidated) / float64(d.N)
		left, right := x(float64(d.From)+1), x(float64(d.To)-1)
		middle := (left + right) / 2
		bottom, top := vg.Point{X: left, Y: y(math.Log10(minPct))}, vg.Point{X: right, Y: y(inside(share))}
		bar := vg.Rectangle{Min: bottom, Max: top}
		c.FillPolygon(verdict, corners(bar))
		line := whisker
		line.Color = ink
		interval(&c, middle, y, d.Liquidated, d.N, line)
		c.DrawGlyph(forecast, vg.Point{X: left + (right-left)/4, Y: y(inside(d.MeanProbability))})
		_, high := backtest.Wilson(d.Liquidated, d.N)
		label := style(9, ink)
		label.XAlign = text.XCenter
		above := y(inside(max(high, d.MeanProbability))) + vg.Points(6)
		at := vg.Point{X: middle, Y: min(above, c.Max.Y-vg.Points(10))}
		c.FillText(label, at, strconv.FormatFloat(100*share, 'g', 3, 64)+" %")
	}
}

func tens() (ticks []plot.Tick) {
	for v := 0; v <= 100; v += 10 {
		ticks = append(ticks, plot.Tick{Value: float64(v), Label: strconv.Itoa(v)})
	}
	return ticks
}

// shareTicks are powers of ten in percent with unlabelled ticks between them.
type shareTicks struct{}

// Ticks implements plot.Ticker.
func (shareTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	for exponent := -3; exponent <= 2; exponent++ {
		for digit := 1; digit <= 9; digit++ {
			v := math.Log10(float64(digit)) + float64(exponent)
			if v < low-1e-9 || v > high+1e-9 {
				continue
			}
			label := ""
			if digit == 1 {
				label = strconv.FormatFloat(math.Pow10(exponent), 'g', -1, 64)
			}
			ticks = append(ticks, plot.Tick{Value: v, Label: label})
		}
	}
	return ticks
}

// assets returns the names of the assets in a comma-separated list of file names.
func assets(files string) string {
	var names []string
	for _, f := range strings.Split(files, ",") {
		names = append(names, asset(f))
	}
	const maxNames = 8
	if len(names) > maxNames {
		return fmt.Sprintf("%d assets", len(names))
	}
	return strings.Join(names, ", ")
}

// thousands formats an integer with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
