package plot

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
	"time"

	"ballast/compute/backtest"
)

// verdicts have the names and colours of the recommendations, and the score up to which each goes.
var verdicts = [3]struct {
	name  string
	upTo  int
	color color.RGBA
}{
	{"proceed, score up to 40", 40, color.RGBA{0x6f, 0xb4, 0x8a, 0xff}},
	{"proceed_with_caution, up to 70", 70, color.RGBA{0xe9, 0xb8, 0x5b, 0xff}},
	{"abort", 100, color.RGBA{0xd9, 0x6b, 0x5c, 0xff}},
}

// Ends of the logarithmic axes, percent. Their coordinates are decimal logarithms.
const minPct, maxPct = 0.005, 100

// factor is how far the liquidated share of a bin may be from the forecast in the tests of package backtest.
const factor = 1.35

// Score draws two diagrams: the share of liquidated positions against the forecast probability, of 24 hours and of 7
// days, and the share within 24 hours by score, each with its Wilson interval.
func Score(r *backtest.ScoreResult) Picture {
	const share = "share that was liquidated, 95 % Wilson interval"
	left := Panel{Across: shares("probability as forecast, %"), Up: shares("liquidated within 24 h, or 7 days, %"),
		Series: append(asForecast(), reliability(share+"; above it the number of positions", blue, r.Reliability, true),
			reliability("the same within 7 days, by probability_7d", orange, r.Reliability7d, false))}
	right := Panel{Across: Axis{Label: "risk_score", High: 100}, Up: shares("liquidated within 24 h, %")}
	for v := 0; v <= 100; v += 10 {
		right.Across.Ticks = append(right.Across.Ticks, Tick{float64(v), strconv.Itoa(v)})
	}
	intervals := Series{Color: ink, Size: 1.2}
	forecast := Series{Name: "mean of the chance that was forecast", Color: grey}
	for from, v := range verdicts {
		bars := Series{Name: v.name, Color: v.color, Shape: Boxes}
		for _, d := range r.Deciles {
			if d.N == 0 || d.From >= v.upTo || from > 0 && d.From < verdicts[from-1].upTo {
				continue
			}
			at := float64(d.Liquidated) / float64(d.N)
			low, high := backtest.Wilson(d.Liquidated, d.N)
			middle := float64(d.From+d.To) / 2
			bars.Points = append(bars.Points, Point{X: float64(d.From) + 1, Wide: float64(d.To-d.From) - 2,
				Low: math.Log10(minPct), High: inside(at)})
			intervals.Points = append(intervals.Points, Point{X: middle, Y: inside(at), Low: inside(low),
				High: inside(high), Label: strconv.FormatFloat(100*at, 'g', 3, 64) + " %"})
			expected := inside(d.MeanProbability)
			forecast.Points = append(forecast.Points, Point{X: middle - 2, Y: expected, Low: expected, High: expected})
		}
		right.Series = append(right.Series, bars)
	}
	right.Series = append(right.Series, intervals, forecast)
	return Picture{
		fmt.Sprintf("%s, model %s: what the chance of liquidation and the score were worth", assets(r.File), r.Model),
		fmt.Sprintf("%s positions of 24 h, long and short at %d to %dx, %s to %s; "+
			"Brier %.4f (base rate %.4f), AUC %.4f, of the score %.4f. Those of one day are not independent.",
			thousands(r.Cases), r.Leverages[0], r.Leverages[len(r.Leverages)-1], day(r.FromMs), day(r.ToMs),
			r.Brier, r.BrierBase, r.AUC, r.AUCScore), []Panel{left, right}}
}

// reliability is the liquidated share of each bin of forecast probabilities, with its interval.
func reliability(name string, c color.RGBA, bins []backtest.Bin, counts bool) Series {
	s := Series{Name: name, Color: c}
	for _, b := range bins {
		if b.N == 0 {
			continue
		}
		low, high := backtest.Wilson(b.Liquidated, b.N)
		at := Point{X: inside(b.MeanProbability), Y: inside(float64(b.Liquidated) / float64(b.N)), Low: inside(low),
			High: inside(high)}
		if counts {
			at.Label = thousands(b.N)
		}
		s.Points = append(s.Points, at)
	}
	return s
}

// asForecast is where shares are as forecast, and the area within factor of it.
func asForecast() []Series {
	low, high, off := math.Log10(minPct), math.Log10(maxPct), math.Log10(factor)
	near := Series{Color: color.RGBA{0xea, 0xf2, 0xfa, 0xff}, Shape: Area}
	for _, x := range []float64{low, low + off, high - off, high} {
		near.Points = append(near.Points, Point{X: x, Low: x - off, High: x + off})
	}
	return []Series{near, {Name: fmt.Sprintf("as forecast, and within a factor of %.2f", factor), Color: grey,
		Shape: Line, Points: []Point{{X: low, Y: low}, {X: high, Y: high}}}}
}

// shares returns a logarithmic axis of shares in percent, with text at powers of ten.
func shares(label string) Axis {
	a := Axis{Label: label, Low: math.Log10(minPct), High: math.Log10(maxPct)}
	for exponent := -3; exponent <= 2; exponent++ {
		for digit := 1; digit <= 9; digit++ {
			t := Tick{At: math.Log10(float64(digit)) + float64(exponent)}
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
