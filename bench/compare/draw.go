//go:build linux

package main

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"ballast/internal/chart"
)

// lastPercent is the highest percentile drawn; the rounds are too short for higher ones.
const lastPercent = 99.9

var pens = []chart.Pen{
	{Color: color.RGBA{0x12, 0x5a, 0x9c, 0xff}, Width: 1.6},
	{Color: color.RGBA{0x7b, 0x87, 0x94, 0xff}, Width: 1.6, Dash: [2]float64{6, 3}},
	{Color: color.RGBA{0xb8, 0x22, 0x14, 0xff}, Width: 1.6, Dash: [2]float64{2, 2}},
	{Color: color.RGBA{0x2e, 0x8b, 0x57, 0xff}, Width: 1.6},
	{Color: color.RGBA{0xd9, 0x8c, 0x10, 0xff}, Width: 1.6, Dash: [2]float64{8, 2}},
}

// line is the latency of one target: X the percentile, Y microseconds.
type line struct {
	target string
	points []chart.Point
}

// draw writes two pictures, their names beginning with base: latency by percentile, and CPU time by positions.
// It leaves out a picture whose stage was not measured.
func (r *Result) draw(base string) error {
	if lines := r.latency(); len(lines) > 0 {
		if err := r.drawLatency(lines, base+"-latency.png"); err != nil {
			return err
		}
	}
	if len(r.Growth) > 1 {
		return r.drawGrowth(base + "-growth.png")
	}
	return nil
}

// latency returns a line for each target: at each percentile the median of its rounds.
func (r *Result) latency() (lines []line) {
	at := map[string]map[float64][]float64{}
	for _, round := range r.Rounds {
		if round.Stage != stageLatency {
			continue
		}
		if at[round.Target] == nil {
			at[round.Target] = map[float64][]float64{}
			lines = append(lines, line{target: round.Target})
		}
		for _, p := range round.Report.Curve {
			if p.Percent <= lastPercent && p.Us > 0 {
				at[round.Target][p.Percent] = append(at[round.Target][p.Percent], p.Us)
			}
		}
	}
	for i := range lines {
		for percent, us := range at[lines[i].target] {
			lines[i].points = append(lines[i].points, chart.Point{X: percent, Y: median(us)})
		}
		slices.SortFunc(lines[i].points, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) })
	}
	return slices.DeleteFunc(lines, func(l line) bool { return len(l.points) == 0 })
}

// nines returns the position of a percentile on the axis: 90, 99 and 99.9 % are the same distance
// apart.
func nines(percent float64) float64 { return -math.Log10(1 - percent/100) }

func (r *Result) drawLatency(lines []line, path string) error {
	across := chart.Axis{Label: "percentile", High: nines(lastPercent)}
	for _, percent := range []float64{0, 50, 75, 90, 95, 99, 99.5, 99.9} {
		across.Ticks = append(across.Ticks, chart.Tick{At: nines(percent), Text: fmt.Sprint(percent)})
	}
	up := chart.Axis{Label: "microseconds", Low: math.Inf(1), High: math.Inf(-1)}
	for _, l := range lines {
		for i, p := range l.points {
			l.points[i] = chart.Point{X: nines(p.X), Y: math.Log10(p.Y)}
			up.Low, up.High = min(up.Low, l.points[i].Y), max(up.High, l.points[i].Y)
		}
	}
	up.Ticks = decades(up.Low, up.High)
	return r.picture(path, "Latency at half the capacity of each, from the moment a request is due", across, up, lines)
}

func (r *Result) drawGrowth(path string) error {
	across, up := chart.Axis{Label: "positions"}, chart.Axis{Label: "microseconds"}
	var points []chart.Point
	for _, g := range r.Growth {
		points = append(points, chart.Point{X: float64(g.Positions), Y: g.CPUUs})
		across.High, up.High = max(across.High, float64(g.Positions)), max(up.High, g.CPUUs)
		across.Ticks = append(across.Ticks, chart.Tick{At: float64(g.Positions), Text: fmt.Sprint(g.Positions)})
	}
	up.Ticks = chart.RoundTicks(0, up.High)
	return r.picture(path, "CPU time of the service for a validation, by positions held", across, up, []line{
		{"measured", points},
		{"straight from the first to the last", []chart.Point{points[0], points[len(points)-1]}},
	})
}

// picture draws lines, each with its own pen.
func (r *Result) picture(path, title string, across, up chart.Axis, lines []line) error {
	below := fmt.Sprintf("%s, commit %s, %s", r.Machine.CPU, r.Machine.Commit, r.Date)
	columns := make([][]chart.Entry, 2)
	for i, l := range lines {
		columns[i%2] = append(columns[i%2], chart.Entry{Text: l.target, Sign: chart.Line(pens[i%len(pens)])})
	}
	return chart.Save(path, func(c chart.Canvas) {
		chart.Head(c, title, below, columns...)
		f := chart.NewFrame(c, 0, 1, across, up)
		f.Rows()
		f.Columns()
		for i, l := range lines {
			var places []chart.Point
			for _, p := range l.points {
				places = append(places, f.At(p.X, p.Y))
			}
			c.Stroke(pens[i%len(pens)], places...)
		}
	})
}

// decades returns ticks at 1, 2 and 5 times each power of ten on a logarithmic axis.
func decades(low, high float64) (ticks []chart.Tick) {
	for power := math.Floor(low); power <= math.Ceil(high); power++ {
		for _, digit := range []float64{1, 2, 5} {
			v := digit * math.Pow(10, power)
			if at := math.Log10(v); at >= low && at <= high {
				ticks = append(ticks, chart.Tick{At: at, Text: fmt.Sprintf("%.0f", v)})
			}
		}
	}
	return ticks
}
