package chart

import (
	"image/color"
	"math"
	"strconv"
)

// Colours of what every picture has.
var (
	Ink  = color.RGBA{0x1f, 0x29, 0x33, 0xff}
	Grey = color.RGBA{0x7b, 0x87, 0x94, 0xff}
	grid = Pen{Color: color.RGBA{0xe4, 0xe7, 0xeb, 0xff}, Width: 0.6}
	rule = Pen{Color: Ink, Width: 0.6}
)

const (
	margin    = 15
	top       = 98 // of the axes, below title and legend
	textSize  = 10
	signWidth = 21 // of a mark in a legend
)

// Entry is a line of a legend.
type Entry struct {
	Text string
	Sign Mark
}

// Head draws a title, a line below it and the columns of a legend.
func Head(c Canvas, title, below string, columns ...[]Entry) {
	c.Write(Text{Size: 14, Color: Ink}, Point{margin, 20}, title)
	c.Write(Text{Size: textSize, Color: Grey}, Point{margin, 39}, below)
	x := float64(margin)
	for _, column := range columns {
		wide := 0.0
		for i, e := range column {
			y := 57 + 12.5*float64(i)
			e.Sign(c, Point{x + signWidth/2, y})
			c.Write(Text{Size: textSize, Color: Ink}, Point{x + signWidth + 6, y}, e.Text)
			wide = max(wide, width(e.Text, textSize))
		}
		x += signWidth + 6 + wide + 20
	}
}

// Axis is a labelled axis from Low to High.
type Axis struct {
	Label     string
	Low, High float64
	Ticks     []Tick
}

// Tick is a mark on an axis; one without text is shorter.
type Tick struct {
	At   float64
	Text string
}

// RoundTicks returns ticks at multiples of 1, 2 or 5 times a power of ten, 0.1 at least.
func RoundTicks(low, high float64) (ticks []Tick) {
	const maxTicks = 12
	step := 0.1
	for i := 0; (high-low)/step > maxTicks; i++ {
		step *= [3]float64{2, 2.5, 2}[i%3]
	}
	for n := int(math.Ceil(low / step)); float64(n)*step <= high; n++ {
		text := strconv.FormatFloat(math.Round(float64(n)*step*10)/10, 'f', -1, 64)
		ticks = append(ticks, Tick{At: float64(n) * step, Text: text})
	}
	return ticks
}

// Frame is the part of a picture between two axes.
type Frame struct {
	Canvas
	Left, Top, Right, Bottom float64
	Across, Up               Axis
}

// NewFrame draws the axes of diagram number i of n beside each other.
func NewFrame(c Canvas, i, n int, across, up Axis) *Frame {
	share := (Width - 2*margin) / float64(n)
	left := margin + share*float64(i)
	wide := 0.0
	for _, t := range up.Ticks {
		wide = max(wide, width(t.Text, textSize))
	}
	if i > 0 {
		left += margin
	}
	label := Text{Size: textSize, Color: Ink, Align: Centre}
	f := &Frame{Canvas: c, Left: left + textSize + 6 + wide + 10, Top: top, Right: margin + share*float64(i+1) - margin,
		Bottom: Height - 52, Across: across, Up: up}
	c.Stroke(rule, Point{f.Left, f.Top}, Point{f.Left, f.Bottom})
	c.Stroke(rule, Point{f.Left, f.Bottom}, Point{f.Right, f.Bottom})
	c.Write(label, Point{(f.Left + f.Right) / 2, Height - 20}, across.Label)
	for _, t := range across.Ticks {
		c.Stroke(rule, Point{f.X(t.At), f.Bottom}, Point{f.X(t.At), f.Bottom + t.length()})
		c.Write(label, Point{f.X(t.At), f.Bottom + 15}, t.Text)
	}
	label.Align = Right
	for _, t := range up.Ticks {
		c.Stroke(rule, Point{f.Left - t.length(), f.Y(t.At)}, Point{f.Left, f.Y(t.At)})
		c.Write(label, Point{f.Left - 10, f.Y(t.At)}, t.Text)
	}
	label.Align, label.Upright = Centre, true
	c.Write(label, Point{left + textSize/2, (f.Top + f.Bottom) / 2}, up.Label)
	return f
}

func (t Tick) length() float64 {
	if t.Text == "" {
		return 4
	}
	return 8
}

// X returns the place of a value on the horizontal axis.
func (f *Frame) X(v float64) float64 {
	return f.Left + (v-f.Across.Low)/(f.Across.High-f.Across.Low)*(f.Right-f.Left)
}

// Y returns the place of a value on the vertical axis.
func (f *Frame) Y(v float64) float64 {
	return f.Bottom - (v-f.Up.Low)/(f.Up.High-f.Up.Low)*(f.Bottom-f.Top)
}

// At returns the place of a pair of values.
func (f *Frame) At(x, y float64) Point { return Point{f.X(x), f.Y(y)} }

// Rows draws lines across the frame at the labelled ticks of the vertical axis.
func (f *Frame) Rows() {
	for _, t := range f.Up.Ticks {
		if t.Text != "" {
			f.Stroke(grid, Point{f.Left, f.Y(t.At)}, Point{f.Right, f.Y(t.At)})
		}
	}
}

// Columns draws lines up the frame at the labelled ticks of the horizontal axis.
func (f *Frame) Columns() {
	for _, t := range f.Across.Ticks {
		if t.Text != "" {
			f.Stroke(grid, Point{f.X(t.At), f.Top}, Point{f.X(t.At), f.Bottom})
		}
	}
}
