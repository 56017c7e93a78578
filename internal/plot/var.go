package plot

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"time"

	"ballast/compute/backtest"
	"ballast/internal/chart"
	"ballast/marketcache"
)

// Colours by VaR level: the band between the VaR of both sides, its edge, and breaches.
var (
	fills = [...]color.RGBA{{0xcf, 0xe3, 0xf5, 0xff}, {0xfb, 0xea, 0xe7, 0xff}}
	edges = [...]chart.Pen{{Color: color.RGBA{0x8f, 0xbb, 0xe0, 0xff}, Width: 0.5},
		{Color: color.RGBA{0xe8, 0xab, 0xa1, 0xff}, Width: 0.5}}
	marks = [...]color.RGBA{{0x12, 0x5a, 0x9c, 0xff}, {0xb8, 0x22, 0x14, 0xff}}
)

var movePen = chart.Pen{Color: chart.Grey, Width: 0.6}

const daySeconds = 86_400

// VaR draws returns against forecasts: 24-hour returns as thin bars, VaR of both sides as bands,
// breaches as marks. Above 0 a short loses, below 0 a long. The y axis is linear, in percent; returns
// too large for it are drawn at its end with their values.
func VaR(r *backtest.Result) func(chart.Canvas) {
	days := r.Days[marketcache.Long][marketcache.P95]
	low, high := limits(r)
	title := fmt.Sprintf("%s, model %s: 24 h returns against VaR", asset(r.File), r.Model)
	below := fmt.Sprintf("%s; forecasts: %s, one a day, %s to %s; a red mark is beyond 99 %% and so beyond 95 %% too",
		r.File, thousands(r.Rows[0].N), day(r.FromMs), day(r.ToMs))
	if cut(r, low, high) {
		below += "; bands are cut at the ends of the axis"
	}
	return func(c chart.Canvas) {
		chart.Head(c, title, below, legend(r, low, high)...)
		f := chart.NewFrame(c, 0, 1, chart.Axis{Label: "day of the forecast, UTC", Low: seconds(days[0].TimeMs),
			High: seconds(days[len(days)-1].TimeMs) + daySeconds, Ticks: months(r.FromMs, r.ToMs)},
			chart.Axis{Label: "24 h return, %", Low: low, High: high, Ticks: percentTicks(low, high)})
		// Back to front: bands, the wider first, returns, breaches.
		for level := marketcache.LevelCount - 1; level >= 0; level-- {
			band(f, r, level)
		}
		f.Rows()
		f.Columns()
		for _, d := range days {
			x, y := seconds(d.TimeMs)+daySeconds/2, within(pct(-d.Loss), low, high)
			f.Stroke(movePen, f.At(x, 0), f.At(x, y))
		}
		for level := range marks {
			for side := range backtest.Sides {
				breaches(f, r.Days[side][level], side, level)
			}
		}
		for i, d := range days {
			if x := pct(-d.Loss); x != within(x, low, high) {
				outside(f, r, i, x)
			}
		}
	}
}

// legend returns the columns of the legend.
func legend(r *backtest.Result, low, high float64) [][]chart.Entry {
	columns := [][]chart.Entry{{{Text: "24 h return of a day", Sign: chart.Bars(movePen)}}}
	for level, l := range backtest.Levels {
		says := fmt.Sprintf("within %.0f %% VaR of long and short", 100*l)
		columns[0] = append(columns[0], chart.Entry{Text: says, Sign: chart.Area(fills[level], edges[level])})
	}
	for side, name := range backtest.Sides {
		where := [marketcache.SideCount]string{marketcache.Long: "below 0", marketcache.Short: "above 0"}[side]
		var column []chart.Entry
		for level, l := range backtest.Levels {
			row := r.Row(side, level)
			says := fmt.Sprintf("%s (%s) beyond its %.0f %% VaR: %d of %s days, %.1f expected",
				name, where, 100*l, row.Hits, thousands(row.N), (1-l)*float64(row.N))
			column = append(column, chart.Entry{Text: says, Sign: mark(level)})
		}
		columns = append(columns, column)
	}
	if slices.ContainsFunc(r.Days[marketcache.Long][marketcache.P95], func(d backtest.Day) bool {
		x := pct(-d.Loss)
		return x != within(x, low, high)
	}) {
		const says = "return beyond the end of the axis, with its value, in the colour of a breach"
		columns[1] = append(columns[1], chart.Entry{Text: says, Sign: chart.Triangle(chart.Ink, 4.5)})
	}
	return columns
}

// mark returns the mark for a breach of a level.
func mark(level int) chart.Mark { return chart.Disc(marks[level], 1.9+0.9*float64(level)) }

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

// band draws the returns within VaR: along the short side and back along the long side. Each forecast is
// drawn for one day.
func band(f *chart.Frame, r *backtest.Result, level int) {
	edge := func(side int) (line []chart.Point) {
		for _, d := range r.Days[side][level] {
			y := within(pct(returnAt(side, d.VaR)), f.Up.Low, f.Up.High)
			line = append(line, f.At(seconds(d.TimeMs), y), f.At(seconds(d.TimeMs)+daySeconds, y))
		}
		return line
	}
	outline, back := edge(marketcache.Short), edge(marketcache.Long)
	slices.Reverse(back)
	outline = append(outline, back...)
	f.Fill(fills[level], outline...)
	f.Stroke(edges[level], append(outline, outline[0])...)
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
func breaches(f *chart.Frame, days []backtest.Day, side, level int) {
	for _, d := range days {
		if y := pct(returnAt(side, d.Loss)); d.Breach() && y == within(y, f.Up.Low, f.Up.High) {
			mark(level)(f, f.At(seconds(d.TimeMs)+daySeconds/2, y))
		}
	}
}

// outside draws the return of day i, which is beyond the end of the axis, with its value.
func outside(f *chart.Frame, r *backtest.Result, i int, move float64) {
	colour := chart.Ink
	for level, c := range marks {
		if r.Days[marketcache.Long][level][i].Breach() || r.Days[marketcache.Short][level][i].Breach() {
			colour = c
		}
	}
	at := chart.Point{X: f.X(seconds(r.Days[marketcache.Long][marketcache.P95][i].TimeMs) + daySeconds/2), Y: f.Top + 5}
	radius := 4.5
	if move < 0 {
		at.Y, radius = f.Bottom-5, -radius
	}
	chart.Triangle(colour, radius)(f, at)
	label, beside := chart.Text{Size: 8, Color: chart.Ink}, chart.Point{X: at.X + 6, Y: at.Y}
	if at.X > f.Left+0.9*(f.Right-f.Left) {
		label.Align, beside.X = chart.Right, at.X-6
	}
	f.Write(label, beside, fmt.Sprintf("%+.0f %%", move))
}

// returnAt converts the log loss of a position on a side to the log return of the price.
func returnAt(side int, loss float64) float64 {
	if side == marketcache.Short {
		return loss
	}
	return -loss
}

// months returns ticks at the starts of months, few enough to be legible.
func months(fromMs, toMs int64) (ticks []chart.Tick) {
	from, to := time.UnixMilli(fromMs).UTC(), time.UnixMilli(toMs).UTC()
	count := int(to.Sub(from).Hours()/24/30) + 1
	if count < 2 { // too short for months
		ticks = append(ticks, chart.Tick{At: seconds(fromMs), Text: from.Format(time.DateOnly)})
		if to.Sub(from) > 72*time.Hour {
			ticks = append(ticks, chart.Tick{At: seconds(toMs), Text: to.Format(time.DateOnly)})
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
			ticks = append(ticks, chart.Tick{At: seconds(at.UnixMilli()), Text: at.Format("Jan 2006")})
		}
	}
	return ticks
}

// percentTicks returns the ticks of an axis in percent, with their sign.
func percentTicks(low, high float64) []chart.Tick {
	ticks := chart.RoundTicks(low, high)
	for i, t := range ticks {
		if t.At > 0 {
			ticks[i].Text = "+" + t.Text
		}
	}
	return ticks
}
