package main

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const width, height = 9 * vg.Inch, 5.5 * vg.Inch

// lastPercent is the highest percentile drawn; the rounds are too short for higher ones.
const lastPercent = 99.9

var (
	ink     = color.RGBA{0x1f, 0x29, 0x33, 0xff}
	grid    = color.RGBA{0xe4, 0xe7, 0xeb, 0xff}
	palette = []color.Color{
		color.RGBA{0x12, 0x5a, 0x9c, 0xff}, color.RGBA{0x7b, 0x87, 0x94, 0xff}, color.RGBA{0xb8, 0x22, 0x14, 0xff},
		color.RGBA{0x2e, 0x8b, 0x57, 0xff}, color.RGBA{0xd9, 0x8c, 0x10, 0xff},
	}
	dashes = [][]vg.Length{nil, {vg.Points(6), vg.Points(3)}, {vg.Points(2), vg.Points(2)}, nil,
		{vg.Points(8), vg.Points(2), vg.Points(2), vg.Points(2)}}
)

// line is the latency of one target: X the percentile, Y microseconds.
type line struct {
	target string
	points plotter.XYs
}

// latency returns a line for each target: at each percentile the median of its rounds.
func (r *results) latency() []line {
	at := map[string]map[float64][]float64{}
	var lines []line
	for _, round := range r.Rounds {
		if round.Stage != "latency" {
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
			slices.Sort(us)
			lines[i].points = append(lines[i].points, plotter.XY{X: percent, Y: us[len(us)/2]})
		}
		slices.SortFunc(lines[i].points, func(a, b plotter.XY) int {
			if a.X < b.X {
				return -1
			}
			return 1
		})
	}
	return slices.DeleteFunc(lines, func(l line) bool { return len(l.points) == 0 })
}

// nines returns the position of a percentile on the axis: 90, 99 and 99.9 % are the same distance
// apart.
func nines(percent float64) float64 { return -math.Log10(1 - percent/100) }

func (r *results) drawLatency(lines []line, path string) error {
	p := r.page("Latency at half the capacity of each, from the moment a request is due")
	p.X.Label.Text, p.Y.Label.Text = "percentile", "microseconds"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
	var ticks []plot.Tick
	for _, percent := range []float64{0, 50, 75, 90, 95, 99, 99.5, 99.9} {
		ticks = append(ticks, plot.Tick{Value: nines(percent), Label: fmt.Sprint(percent)})
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	for i, l := range lines {
		points := slices.Clone(l.points)
		for j := range points {
			points[j].X = nines(points[j].X)
		}
		if err := add(p, points, l.target, i, false); err != nil {
			return err
		}
	}
	return p.Save(width, height, path)
}

func (r *results) drawGrowth(path string) error {
	p := r.page("CPU time of the service for a validation, by positions held")
	p.X.Label.Text, p.Y.Label.Text = "positions", "microseconds"
	var points, linear plotter.XYs
	for _, g := range r.Growth {
		points = append(points, plotter.XY{X: float64(g.Positions), Y: g.CPUUs})
	}
	first, last := points[0], points[len(points)-1]
	linear = plotter.XYs{first, last}
	if err := add(p, points, "measured", 0, true); err != nil {
		return err
	}
	if err := add(p, linear, "straight from the first to the last", 1, false); err != nil {
		return err
	}
	p.Y.Min = 0
	return p.Save(width, height, path)
}

// page returns an empty plot with title, axes and style.
func (r *results) page(title string) *plot.Plot {
	p := plot.New()
	sans := func(points float64) font.Font {
		return font.Font{Typeface: "Liberation", Variant: "Sans", Size: font.Points(points)}
	}
	p.Title.Text = fmt.Sprintf("%s\n%s, commit %s, %s", title, r.Machine.CPU, r.Machine.Commit, r.Date)
	p.Title.TextStyle.Font, p.Title.TextStyle.Color = sans(12), ink
	p.Title.Padding = vg.Points(8)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Tick.Label.Font = sans(11), sans(10)
		a.LineStyle.Color, a.Tick.Color = ink, ink
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.TextStyle.Font = sans(10)
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(8), -vg.Points(4)
	p.BackgroundColor = color.White
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = grid, grid
	p.Add(g)
	return p
}

// add draws a line; line number i determines colour and dashes.
func add(p *plot.Plot, points plotter.XYs, name string, i int, marks bool) error {
	l, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	l.Color, l.Width, l.Dashes = palette[i%len(palette)], vg.Points(1.6), dashes[i%len(dashes)]
	p.Add(l)
	p.Legend.Add(name, l)
	if marks {
		dots.Color, dots.Shape, dots.Radius = l.Color, draw.CircleGlyph{}, vg.Points(2.5)
		p.Add(dots)
	}
	return nil
}

// decades returns axis marks at 1, 2 and 5 times each power of ten.
func decades(low, high float64) (ticks []plot.Tick) {
	for power := math.Floor(math.Log10(low)); power <= math.Ceil(math.Log10(high)); power++ {
		for _, digit := range []float64{1, 2, 5} {
			if v := digit * math.Pow(10, power); v >= low && v <= high {
				ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.0f", v)})
			}
		}
	}
	return ticks
}
