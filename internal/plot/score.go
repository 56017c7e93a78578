package plot

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
	"time"

	"ballast/compute/backtest"
	"ballast/internal/chart"
)

// Colours of the recommendations proceed, proceed_with_caution and abort.
var verdicts = [3]color.RGBA{{0x6f, 0xb4, 0x8a, 0xff}, {0xe9, 0xb8, 0x5b, 0xff}, {0xd9, 0x6b, 0x5c, 0xff}}

var (
	blue     = color.RGBA{0x12, 0x5a, 0x9c, 0xff}
	paleBlue = color.RGBA{0xea, 0xf2, 0xfa, 0xff}
	orange   = color.RGBA{0xc2, 0x6a, 0x14, 0xff}
)

var (
	diagonalPen = chart.Pen{Color: chart.Grey, Width: 1, Dash: [2]float64{5, 3}}
	point       = chart.Disc(blue, 4)
	weekPoint   = chart.Square(orange, 7)
	forecast    = chart.Ring(whisker(chart.Ink), 4)
)

func whisker(c color.RGBA) chart.Pen { return chart.Pen{Color: c, Width: 1.2} }

// none marks the upper end of the interval of a share of 0.
func none(c color.RGBA) chart.Mark { return chart.Triangle(c, -4.5) }

// Ends of the logarithmic axes, percent. Their coordinates are decimal logarithms.
const minPct, maxPct = 0.005, 100

// factor is how far the liquidated share of a bin may be from the forecast in the tests of package backtest.
const factor = 1.35

// Score draws two diagrams: the share of liquidated positions against the forecast probability, of 24 hours
// and of 7 days, with Wilson intervals, and the share within 24 hours by score. Axes of shares are
// logarithmic, in percent.
func Score(r *backtest.ScoreResult) func(chart.Canvas) {
	const share = "share that was liquidated, 95 % Wilson interval"
	title := fmt.Sprintf("%s, model %s: what the chance of liquidation and the score were worth", assets(r.File),
		r.Model)
	below := fmt.Sprintf("%s positions of 24 h, long and short at %d to %dx, %s to %s; "+
		"Brier %.4f (base rate %.4f), AUC %.4f, of the score %.4f. Those of one day are not independent.",
		thousands(r.Cases), r.Leverages[0], r.Leverages[len(r.Leverages)-1], day(r.FromMs), day(r.ToMs),
		r.Brier, r.BrierBase, r.AUC, r.AUCScore)
	columns := [][]chart.Entry{
		{
			{Text: share + "; beside it the number of positions", Sign: point},
			{Text: "none was: the upper end of the interval", Sign: none(blue)},
			{Text: fmt.Sprintf("as forecast, and within a factor of %.2f", factor), Sign: chart.Line(diagonalPen)},
		},
		{
			{Text: "proceed, score up to 40", Sign: chart.Area(verdicts[0], chart.Pen{Color: verdicts[0]})},
			{Text: "proceed_with_caution, up to 70", Sign: chart.Area(verdicts[1], chart.Pen{Color: verdicts[1]})},
			{Text: "abort", Sign: chart.Area(verdicts[2], chart.Pen{Color: verdicts[2]})},
		},
		{
			{Text: "mean of the chance that was forecast", Sign: forecast},
			{Text: share, Sign: chart.Whisker(whisker(chart.Ink))},
			{Text: "left: the same within 7 days, by probability_7d", Sign: weekPoint},
		},
	}
	return func(c chart.Canvas) {
		chart.Head(c, title, below, columns...)
		left := chart.NewFrame(c, 0, 2, shares("probability as forecast, %"),
			shares("liquidated within 24 h, or 7 days, %"))
		diagonal(left)
		reliability(left, r.Reliability)
		weekly(left, r.Reliability7d)
		score := chart.Axis{Label: "risk_score", High: 100}
		for v := 0; v <= 100; v += 10 {
			score.Ticks = append(score.Ticks, chart.Tick{At: float64(v), Text: strconv.Itoa(v)})
		}
		deciles(chart.NewFrame(c, 1, 2, score, shares("liquidated within 24 h, %")), r.Deciles)
	}
}

// shares returns a logarithmic axis of shares in percent, with text at powers of ten.
func shares(label string) chart.Axis {
	a := chart.Axis{Label: label, Low: math.Log10(minPct), High: math.Log10(maxPct)}
	for exponent := -3; exponent <= 2; exponent++ {
		for digit := 1; digit <= 9; digit++ {
			t := chart.Tick{At: math.Log10(float64(digit)) + float64(exponent)}
			if t.At < a.Low-1e-9 || t.At > a.High+1e-9 {
				continue
			}
			if digit == 1 {
				t.Text = strconv.FormatFloat(math.Pow10(exponent), 'g', -1, 64)
			}
			a.Ticks = append(a.Ticks, t)
		}
	}
	return a
}

// inside returns the coordinate of a share, limited to the ends of the axis.
func inside(share float64) float64 { return math.Log10(max(minPct, min(maxPct, 100*share))) }

// diagonal draws where shares are as forecast, and the band within factor of it.
func diagonal(f *chart.Frame) {
	low, high, off := math.Log10(minPct), math.Log10(maxPct), math.Log10(factor)
	f.Fill(paleBlue, f.At(low, low), f.At(low+off, low), f.At(high, high-off), f.At(high, high),
		f.At(high-off, high), f.At(low, low+off))
	f.Rows()
	f.Columns()
	f.Stroke(diagonalPen, f.At(low, low), f.At(high, high))
}

// interval draws the confidence interval of the share k/n at x.
func interval(f *chart.Frame, x float64, k, n int, pen chart.Pen) {
	low, high := backtest.Wilson(k, n)
	f.Stroke(pen, chart.Point{X: x, Y: f.Y(inside(low))}, chart.Point{X: x, Y: f.Y(inside(high))})
	for _, end := range []float64{low, high} {
		if 100*end >= minPct {
			chart.Serif(f, pen, chart.Point{X: x, Y: f.Y(inside(end))})
		}
	}
}

// reliability draws the liquidated share of each bin of forecast probabilities.
func reliability(f *chart.Frame, bins []backtest.Bin) {
	for _, b := range bins {
		if b.N == 0 {
			continue
		}
		at := f.At(inside(b.MeanProbability), inside(float64(b.Liquidated)/float64(b.N)))
		if b.Liquidated == 0 {
			_, high := backtest.Wilson(0, b.N)
			at.Y = f.Y(inside(high))
			none(blue)(f, at)
		} else {
			interval(f, at.X, b.Liquidated, b.N, whisker(blue))
			point(f, at)
		}
		label, beside := chart.Text{Size: 8, Color: chart.Grey}, chart.Point{X: at.X + 9, Y: at.Y}
		if b.MeanProbability > 0.2 { // no room to the right
			label.Align, beside.X = chart.Right, at.X-9
		}
		f.Write(label, beside, thousands(b.N))
	}
}

// weekly draws the share liquidated within 7 days of each bin of forecast probabilities.
func weekly(f *chart.Frame, bins []backtest.Bin) {
	for _, b := range bins {
		if b.N == 0 || b.Liquidated == 0 {
			continue
		}
		at := f.At(inside(b.MeanProbability), inside(float64(b.Liquidated)/float64(b.N)))
		interval(f, at.X, b.Liquidated, b.N, chart.Pen{Color: orange, Width: 1})
		weekPoint(f, at)
	}
}

// deciles draws bars by score.
func deciles(f *chart.Frame, rows []backtest.Decile) {
	f.Rows()
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
		left, right, low := float64(d.From)+1, float64(d.To)-1, math.Log10(minPct)
		f.Fill(verdict, f.At(left, low), f.At(right, low), f.At(right, inside(share)), f.At(left, inside(share)))
		middle := f.X((left + right) / 2)
		interval(f, middle, d.Liquidated, d.N, whisker(chart.Ink))
		forecast(f, f.At(left+(right-left)/4, inside(d.MeanProbability)))
		_, high := backtest.Wilson(d.Liquidated, d.N)
		above := f.Y(inside(max(high, d.MeanProbability))) - 10
		f.Write(chart.Text{Size: 8, Color: chart.Ink, Align: chart.Centre},
			chart.Point{X: middle, Y: max(above, f.Top+4)}, strconv.FormatFloat(100*share, 'g', 3, 64)+" %")
	}
}

func day(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.DateOnly) }

// asset returns the asset's name in a file name.
func asset(file string) string {
	name, _, _ := strings.Cut(file, ".")
	name, _, _ = strings.Cut(name, "-")
	return name
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
