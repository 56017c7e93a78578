package main

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"ballast/compute/backtest"
	"ballast/marketcache"
)

// Size of the picture and its resolution: 2,100 by 1,050 pixels.
const (
	plotWidth, plotHeight = 14 * vg.Inch, 7 * vg.Inch
	plotDPI               = 150
)

var (
	ink      = color.RGBA{0x1f, 0x29, 0x33, 0xff}
	grey     = color.RGBA{0x7b, 0x87, 0x94, 0xff}
	gridGrey = color.RGBA{0xe4, 0xe7, 0xeb, 0xff}
	// By level: the band between the VaR of both sides, its edge, and breaches.
	fills = [marketcache.LevelCount]color.Color{color.RGBA{0xcf, 0xe3, 0xf5, 0xff}, color.RGBA{0xfa, 0xe3, 0xdf, 0xff}}
	edges = [marketcache.LevelCount]color.Color{color.RGBA{0x8f, 0xbb, 0xe0, 0xff}, color.RGBA{0xe8, 0xab, 0xa1, 0xff}}
	marks = [marketcache.LevelCount]color.Color{color.RGBA{0x12, 0x5a, 0x9c, 0xff}, color.RGBA{0xb8, 0x22, 0x14, 0xff}}
)

// plotBacktest draws what the market did against what the model had said: 24-hour
// returns as bars, VaR of both sides as bands, breaches as marks. Above 0 a short loses,
// below it a long.
func plotBacktest(r *backtest.Result, path string) error {
	p := plot.New()
	p.Title.Text = plotTitle(r)
	p.Title.TextStyle.Font = sans(15)
	p.Title.TextStyle.Color = ink
	p.Title.Padding = vg.Points(8)
	p.Y.Label.Text = "24 h return, %  (closer together far from 0)"
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Tick.Label.Font = sans(11), sans(11)
		a.LineStyle.Color, a.Tick.Color = ink, ink
		a.Padding = 0
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.TextStyle.Font = sans(11)
	p.Legend.ThumbnailWidth = vg.Points(24)
	p.Legend.Padding = vg.Points(3)
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(10), -vg.Points(6)

	// Back to front: bands, the wider first, returns, breaches.
	for level := marketcache.LevelCount - 1; level >= 0; level-- {
		band, err := plotter.NewPolygon(bandOf(r, level))
		if err != nil {
			return err
		}
		band.Color = fills[level]
		band.LineStyle = draw.LineStyle{Color: edges[level], Width: vg.Points(0.5)}
		p.Add(band)
		p.Legend.Add(fmt.Sprintf("within %.0f %% VaR of long and short", 100*backtest.Levels[level]), band)
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = gridGrey, gridGrey
	moves := dayMoves(r.Days[marketcache.Long][marketcache.P95])
	p.Add(grid, moves)
	p.Legend.Add("24 h return", moves)
	for level, c := range marks {
		beyond, err := plotter.NewScatter(breachesOf(r, level))
		if err != nil {
			return err
		}
		beyond.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(2 + 0.8*float64(level)), Shape: draw.CircleGlyph{}}
		p.Add(beyond)
		p.Legend.Add(fmt.Sprintf("beyond %.0f %% VaR: %d times", 100*backtest.Levels[level], beyond.XYs.Len()), beyond)
	}
	timeAxis(p, r)
	height := p.Y.Max - p.Y.Min
	p.Y.Min -= 0.04 * height
	p.Y.Max += 0.28 * height // room for the legend
	p.Y.Tick.Marker = percentTicks{}

	canvas := vgimg.NewWith(vgimg.UseWH(plotWidth, plotHeight), vgimg.UseDPI(plotDPI), vgimg.UseBackgroundColor(color.White))
	margin := vg.Points(14)
	p.Draw(draw.Crop(draw.New(canvas), margin, -2*margin, margin, -margin))
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func sans(points float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: font.Length(points)}
}

// place is where a log return stands on the y axis: the root of its distance from 0, so
// that a quiet day and a crash can be seen on one axis.
func place(logReturn float64) float64 {
	return math.Copysign(math.Sqrt(math.Abs(logReturn)), logReturn)
}

// plotTitle says what is shown and how it ended.
func plotTitle(r *backtest.Result) string {
	rates := func(level int) string {
		return fmt.Sprintf("%.0f %% VaR breached on %.2f %% of days long, %.2f %% short", 100*backtest.Levels[level],
			100*r.Row(marketcache.Long, level).Rate, 100*r.Row(marketcache.Short, level).Rate)
	}
	asset, _, _ := strings.Cut(r.File, ".")
	return fmt.Sprintf("%s, model %s: %d forecasts of 24 h, %s to %s\n%s; %s",
		asset, r.Model, r.Rows[0].N, day(r.FromMs), day(r.ToMs), rates(marketcache.P95), rates(marketcache.P99))
}

// seconds is the x coordinate of a forecast.
func seconds(ms int64) float64 { return float64(ms) / 1000 }

// dayMoves draws each day's return as a thin line from 0.
type dayMoves []backtest.Day

func (m dayMoves) style() draw.LineStyle { return draw.LineStyle{Color: grey, Width: vg.Points(0.6)} }

// Plot implements plot.Plotter.
func (m dayMoves) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, d := range m {
		at := x(seconds(d.TimeMs))
		c.StrokeLine2(m.style(), at, y(0), at, y(place(-d.Loss)))
	}
}

// DataRange implements plot.DataRanger.
func (m dayMoves) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = seconds(m[0].TimeMs), seconds(m[len(m)-1].TimeMs)
	for _, d := range m {
		ymin, ymax = min(ymin, place(-d.Loss)), max(ymax, place(-d.Loss))
	}
	return xmin, xmax, ymin, ymax
}

// Thumbnail implements plot.Thumbnailer.
func (m dayMoves) Thumbnail(c *draw.Canvas) {
	for _, share := range []float64{0.3, 0.5, 0.7} {
		x := c.Min.X + vg.Length(share)*(c.Max.X-c.Min.X)
		c.StrokeLine2(m.style(), x, c.Min.Y, x, c.Max.Y)
	}
}

// bandOf returns the outline of the returns within VaR: along the short side's and back
// along the long side's. A forecast holds until the next.
func bandOf(r *backtest.Result, level int) plotter.XYs {
	edge := func(side int) (line plotter.XYs) {
		for _, d := range r.Days[side][level] {
			y := place(returnAt(side, d.VaR))
			line = append(line, plotter.XY{X: seconds(d.TimeMs), Y: y}, plotter.XY{X: seconds(d.TimeMs) + 86400, Y: y})
		}
		return line
	}
	back := edge(marketcache.Long)
	slices.Reverse(back)
	return append(edge(marketcache.Short), back...)
}

// breachesOf returns the returns beyond VaR, of both sides.
func breachesOf(r *backtest.Result, level int) plotter.XYs {
	var beyond plotter.XYs
	for side := range backtest.Sides {
		for _, d := range r.Days[side][level] {
			if d.Breach() {
				beyond = append(beyond, plotter.XY{X: seconds(d.TimeMs), Y: place(returnAt(side, d.Loss))})
			}
		}
	}
	return beyond
}

// returnAt is the log return at which a position of this side loses a log loss.
func returnAt(side int, loss float64) float64 {
	if side == marketcache.Short {
		return loss
	}
	return -loss
}

// timeAxis puts ticks at the first of months: few enough to be read.
func timeAxis(p *plot.Plot, r *backtest.Result) {
	from, to := time.UnixMilli(r.FromMs).UTC(), time.UnixMilli(r.ToMs).UTC()
	months := int(to.Sub(from).Hours()/24/30) + 1
	step := 1
	for _, s := range []int{1, 3, 6, 12, 24, 60} {
		if step = s; months/s <= 14 {
			break
		}
	}
	var ticks plot.ConstantTicks
	for at := time.Date(from.Year(), 1, 1, 0, 0, 0, 0, time.UTC); !at.After(to); at = at.AddDate(0, step, 0) {
		if !at.Before(from) {
			ticks = append(ticks, plot.Tick{Value: seconds(at.UnixMilli()), Label: at.Format("Jan 2006")})
		}
	}
	if months < 2 { // too short for months
		ticks = nil
		for _, at := range []time.Time{from, to} {
			ticks = append(ticks, plot.Tick{Value: seconds(at.UnixMilli()), Label: at.Format(time.DateOnly)})
		}
	}
	p.X.Tick.Marker = ticks
	p.X.Tick.Label.XAlign = text.XCenter
}

// percentTicks are round returns in percent that stand apart.
type percentTicks struct{}

// Ticks implements plot.Ticker.
func (percentTicks) Ticks(low, high float64) []plot.Tick {
	const apart = 0.04 // of the axis
	ticks := []plot.Tick{{Value: 0, Label: "0"}}
	for _, sign := range []float64{1, -1} {
		last := 0.0
		for _, pct := range []float64{1, 5, 10, 20, 40, 80, 150, 300, 600, 1200, 5000} {
			if pct *= sign; pct <= -100 {
				break
			}
			at := place(math.Log1p(pct / 100))
			if at < low || at > high || math.Abs(at-last) < apart*(high-low) {
				continue
			}
			last = at
			ticks = append(ticks, plot.Tick{Value: at, Label: fmt.Sprintf("%+.0f", pct)})
		}
	}
	return ticks
}
