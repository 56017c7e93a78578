package plot

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ballast/compute/backtest"
	"ballast/marketcache"
)

// Colours by VaR level: the band between the VaR of both sides, its edge, and breaches.
var (
	fills = [...]color.Color{color.RGBA{0xcf, 0xe3, 0xf5, 0xff}, color.RGBA{0xfb, 0xea, 0xe7, 0xff}}
	edges = [...]color.Color{color.RGBA{0x8f, 0xbb, 0xe0, 0xff}, color.RGBA{0xe8, 0xab, 0xa1, 0xff}}
	marks = [...]color.Color{color.RGBA{0x12, 0x5a, 0x9c, 0xff}, color.RGBA{0xb8, 0x22, 0x14, 0xff}}
)

// VaR draws returns against forecasts: 24-hour returns as thin bars, VaR of both sides as bands,
// breaches as marks. Above 0 a short loses, below 0 a long. The y axis is linear, in percent; returns
// too large for it are drawn at its end with their values.
func VaR(r *backtest.Result, path string) error {
	days := r.Days[marketcache.Long][marketcache.P95]
	low, high := limits(r)
	p := frame("day of the forecast, UTC", "24 h return, %")
	p.Y.Min, p.Y.Max = low, high
	p.X.Min, p.X.Max = seconds(days[0].TimeMs), seconds(days[len(days)-1].TimeMs)+86400

	// Back to front: bands, the wider first, returns, breaches.
	for level := marketcache.LevelCount - 1; level >= 0; level-- {
		band, err := plotter.NewPolygon(bandOf(r, level, low, high))
		if err != nil {
			return err
		}
		band.Color = fills[level]
		band.LineStyle = draw.LineStyle{Color: edges[level], Width: vg.Points(0.5)}
		p.Add(band)
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = gridGrey, gridGrey
	moves := dayMoves{days, low, high}
	p.Add(grid, moves)
	for level := range marks {
		for side := range backtest.Sides {
			p.Add(breaches{r.Days[side][level], side, level, low, high})
		}
	}
	p.Add(outside{r, low, high})
	p.Y.Min, p.Y.Max = low, high // the plotters have widened them
	p.X.Min, p.X.Max = seconds(days[0].TimeMs), seconds(days[len(days)-1].TimeMs)+86400
	p.X.Tick.Marker = months{r.FromMs, r.ToMs}
	p.X.Tick.Label.XAlign = text.XCenter
	p.Y.Tick.Marker = percentTicks{}

	columns := [][]entry{{{"24 h return of a day", moves}}}
	for level, l := range backtest.Levels {
		says := fmt.Sprintf("within %.0f %% VaR of long and short", 100*l)
		columns[0] = append(columns[0], entry{says, boxSign{fills[level], edges[level]}})
	}
	for side, name := range backtest.Sides {
		where := [marketcache.SideCount]string{marketcache.Long: "below 0", marketcache.Short: "above 0"}[side]
		var column []entry
		for level, l := range backtest.Levels {
			row := r.Row(side, level)
			says := fmt.Sprintf("%s (%s) beyond its %.0f %% VaR: %d of %s days, %.1f expected",
				name, where, 100*l, row.Hits, thousands(row.N), (1-l)*float64(row.N))
			column = append(column, entry{says, glyphSign{mark(level)}})
		}
		columns = append(columns, column)
	}
	if beyond := (outside{r, low, high}); beyond.any() {
		const says = "return beyond the end of the axis, with its value, in the colour of a breach"
		columns[1] = append(columns[1], entry{says, glyphSign{beyond.mark(false)}})
	}
	title := fmt.Sprintf("%s, model %s: 24 h returns against VaR", asset(r.File), r.Model)
	below := fmt.Sprintf("%s; forecasts: %s, one a day, %s to %s; a red mark is beyond 99 %% and so beyond 95 %% too",
		r.File, thousands(r.Rows[0].N), day(r.FromMs), day(r.ToMs))
	if cut(r, low, high) {
		below += "; bands are cut at the ends of the axis"
	}
	return save(path, func(c draw.Canvas) error {
		p.Draw(draw.Crop(head(c, title, below, columns...), 0, -0.2*vg.Inch, 0, 0))
		return nil
	})
}

// mark returns the mark for a breach of a level.
func mark(level int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: marks[level], Radius: vg.Points(1.9 + 0.9*float64(level)), Shape: draw.CircleGlyph{}}
}

// pct turns a log return into percent.
func pct(logReturn float64) float64 { return 100 * math.Expm1(logReturn) }

// limits returns the ends of the y axis. All bands and returns are within them, unless a few days would
// make the axis too long to read the others.
func limits(r *backtest.Result) (low, high float64) {
	// The axis ends at lossRoom x the lossShare quantile of losses, or bandRoom x the bandShare quantile of bands.
	const lossShare, lossRoom, bandShare, bandRoom = 0.995, 1.6, 0.95, 1.5
	end := func(side int) float64 {
		var losses, bands []float64
		for i, d := range r.Days[side][marketcache.P99] {
			losses = append(losses, math.Abs(pct(returnAt(side, max(0, d.Loss)))))
			bands = append(bands, math.Abs(pct(returnAt(side, max(d.VaR, r.Days[side][marketcache.P95][i].VaR)))))
		}
		slices.Sort(losses)
		slices.Sort(bands)
		last := float64(len(bands) - 1)
		usual := max(lossRoom*losses[int(lossShare*last)], bandRoom*bands[int(bandShare*last)])
		maxLoss := 1.05 * losses[len(losses)-1]
		if maxLoss < lossRoom*usual { // near enough to include
			usual = max(usual, maxLoss)
		}
		return max(1, min(usual, max(maxLoss, 1.05*bands[len(bands)-1])))
	}
	return -end(marketcache.Long), end(marketcache.Short)
}

// seconds is the x coordinate of a forecast.
func seconds(ms int64) float64 { return float64(ms) / 1000 }

func within(y, low, high float64) float64 { return max(low, min(high, y)) }

// dayMoves draws each day's return as a thin bar from 0.
type dayMoves struct {
	days      []backtest.Day
	low, high float64
}

func (m dayMoves) style() draw.LineStyle { return draw.LineStyle{Color: grey, Width: vg.Points(0.6)} }

// Plot implements plot.Plotter.
func (m dayMoves) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, d := range m.days {
		at := x(seconds(d.TimeMs) + 43200)
		c.StrokeLine2(m.style(), at, y(0), at, y(within(pct(-d.Loss), m.low, m.high)))
	}
}

// Thumbnail implements plot.Thumbnailer.
func (m dayMoves) Thumbnail(c *draw.Canvas) {
	for _, share := range []float64{0.3, 0.5, 0.7} {
		x := c.Min.X + vg.Length(share)*(c.Max.X-c.Min.X)
		c.StrokeLine2(m.style(), x, c.Min.Y, x, c.Max.Y)
	}
}

// bandOf returns the outline of the returns within VaR: along the short side and back along the
// long side. Each forecast is drawn for one day.
func bandOf(r *backtest.Result, level int, low, high float64) plotter.XYs {
	edge := func(side int) (line plotter.XYs) {
		for _, d := range r.Days[side][level] {
			y := within(pct(returnAt(side, d.VaR)), low, high)
			line = append(line, plotter.XY{X: seconds(d.TimeMs), Y: y}, plotter.XY{X: seconds(d.TimeMs) + 86400, Y: y})
		}
		return line
	}
	back := edge(marketcache.Long)
	slices.Reverse(back)
	return append(edge(marketcache.Short), back...)
}

// cut reports whether a band exceeds the axis.
func cut(r *backtest.Result, low, high float64) bool {
	for side := range backtest.Sides {
		for level := range backtest.Levels {
			for _, d := range r.Days[side][level] {
				if y := pct(returnAt(side, d.VaR)); y != within(y, low, high) {
					return true
				}
			}
		}
	}
	return false
}

// breaches draws the days on which a side lost more than its VaR.
type breaches struct {
	days        []backtest.Day
	side, level int
	low, high   float64
}

// Plot implements plot.Plotter.
func (b breaches) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, d := range b.days {
		if at := pct(returnAt(b.side, d.Loss)); d.Breach() && at == within(at, b.low, b.high) {
			c.DrawGlyph(mark(b.level), vg.Point{X: x(seconds(d.TimeMs) + 43200), Y: y(at)})
		}
	}
}

// outside draws the returns beyond the ends of the axis, with their values.
type outside struct {
	r         *backtest.Result
	low, high float64
}

func (o outside) any() bool {
	return slices.ContainsFunc(o.r.Days[marketcache.Long][marketcache.P95], func(d backtest.Day) bool {
		r := pct(-d.Loss)
		return r != within(r, o.low, o.high)
	})
}

func (outside) mark(down bool) draw.GlyphStyle {
	return draw.GlyphStyle{Color: ink, Radius: vg.Points(4.5), Shape: triangle{down}}
}

// Plot implements plot.Plotter.
func (o outside) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, d := range o.r.Days[marketcache.Long][marketcache.P95] {
		r := pct(-d.Loss)
		end := within(r, o.low, o.high)
		if r == end {
			continue
		}
		at := vg.Point{X: x(seconds(d.TimeMs) + 43200), Y: y(end)}
		down := r < 0
		label := style(9, ink)
		label.YAlign = text.YCenter
		offset := vg.Points(-5)
		if down {
			offset = vg.Points(5)
		}
		at.Y += offset
		glyph := o.mark(down)
		for level, c := range marks {
			if o.r.Days[marketcache.Long][level][i].Breach() || o.r.Days[marketcache.Short][level][i].Breach() {
				glyph.Color = c
			}
		}
		c.DrawGlyph(glyph, at)
		beside := vg.Point{X: at.X + vg.Points(6), Y: at.Y}
		if at.X > c.Min.X+0.9*(c.Max.X-c.Min.X) {
			label.XAlign, beside.X = text.XRight, at.X-vg.Points(6)
		}
		c.FillText(label, beside, fmt.Sprintf("%+.0f %%", r))
	}
}

// returnAt converts the log loss of a position on a side to the log return of the price.
func returnAt(side int, loss float64) float64 {
	if side == marketcache.Short {
		return loss
	}
	return -loss
}

// months are ticks at the starts of months, few enough to be legible.
type months struct{ fromMs, toMs int64 }

// Ticks implements plot.Ticker.
func (m months) Ticks(_, _ float64) (ticks []plot.Tick) {
	from, to := time.UnixMilli(m.fromMs).UTC(), time.UnixMilli(m.toMs).UTC()
	count := int(to.Sub(from).Hours()/24/30) + 1
	if count < 2 { // too short for months
		ticks = append(ticks, plot.Tick{Value: seconds(m.fromMs), Label: from.Format(time.DateOnly)})
		if to.Sub(from) > 72*time.Hour {
			ticks = append(ticks, plot.Tick{Value: seconds(m.toMs), Label: to.Format(time.DateOnly)})
		}
		return ticks
	}
	step := 1
	for _, s := range []int{1, 3, 6, 12, 24, 60} {
		if step = s; count/s <= 14 {
			break
		}
	}
	for at := time.Date(from.Year(), 1, 1, 0, 0, 0, 0, time.UTC); !at.After(to); at = at.AddDate(0, step, 0) {
		if !at.Before(from) {
			ticks = append(ticks, plot.Tick{Value: seconds(at.UnixMilli()), Label: at.Format("Jan 2006")})
		}
	}
	return ticks
}

// percentTicks are ticks at multiples of 1, 2 or 5 times a power of ten, with their sign.
type percentTicks struct{}

// Ticks implements plot.Ticker.
func (percentTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	const maxTicks = 12
	step := 0.1
	for i := 0; (high-low)/step > maxTicks; i++ {
		step *= [3]float64{2, 2.5, 2}[i%3]
	}
	for n := int(math.Ceil(low / step)); float64(n)*step <= high; n++ {
		label := strconv.FormatFloat(math.Round(float64(n)*step*10)/10, 'f', -1, 64)
		if n > 0 {
			label = "+" + label
		}
		ticks = append(ticks, plot.Tick{Value: float64(n) * step, Label: label})
	}
	return ticks
}
