// Package plot draws the results of a backtest, as PNG of 2,100 by 1,050 pixels: returns against VaR (VaR), and
// realised liquidations against the score and the forecast probability (Score, Pool).
package plot

import (
	"bytes"
	"image/color"
	"os"
)

// Picture has a title, a line below it, and diagrams beside each other.
type Picture struct {
	Title, Below string
	Panels       []Panel
}

// Panel is a diagram. Its series are drawn in their order, so that a later one covers an earlier one.
type Panel struct {
	Across, Up Axis
	Series     []Series
}

// Axis is a labelled axis from Low to High. A value beyond an end is drawn at that end.
type Axis struct {
	Label     string
	Low, High float64
	Ticks     []Tick
}

// Tick is a mark on an axis; one without text is shorter and has no line across the diagram.
type Tick struct {
	At   float64
	Text string
}

// Shape is how the points of a series are drawn.
type Shape uint8

const (
	Dots  Shape = iota // a disc at X and Y, and a line from Low to High if they differ
	Boxes              // a box from X to X+Wide and from Low to High
	Area               // the boxes as one area; without Wide its edges go from point to point
	Line               // a line from point to point
)

// Series are points of one colour.
type Series struct {
	Name   string // in the legend; "": it is not there
	Color  color.RGBA
	Shape  Shape
	Size   float64 // of dots: their radius (4)
	Points []Point
}

// Point is a point of a series, with a text above it.
type Point struct {
	X, Y, Low, High, Wide float64
	Label                 string
}

var (
	ink    = color.RGBA{0x1f, 0x29, 0x33, 0xff}
	grey   = color.RGBA{0x7b, 0x87, 0x94, 0xff}
	grid   = color.RGBA{0xe4, 0xe7, 0xeb, 0xff}
	blue   = color.RGBA{0x12, 0x5a, 0x9c, 0xff}
	orange = color.RGBA{0xc2, 0x6a, 0x14, 0xff}
)

const (
	margin   = 15
	top      = 98 // of the axes, below title and legend
	textSize = 10
	thin     = 0.6 // a line
)

// Save writes the picture to a file.
func (p Picture) Save(path string) error {
	r := newRaster()
	r.write(text{size: 14, color: ink}, place{margin, 20}, p.Title)
	r.write(text{size: textSize, color: grey}, place{margin, 39}, p.Below)
	r.legend(p.Panels)
	for i := range p.Panels {
		newFrame(r, &p.Panels[i], i, len(p.Panels)).draw()
	}
	var b bytes.Buffer
	if err := r.encode(&b); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// legend names the series in columns of three.
func (r *raster) legend(panels []Panel) {
	const rows, sign = 3, 21
	x, wide, n := float64(margin), 0.0, 0
	for _, panel := range panels {
		for _, s := range panel.Series {
			if s.Name == "" {
				continue
			}
			if n > 0 && n%rows == 0 {
				x, wide = x+sign+6+wide+20, 0
			}
			y := 57 + 12.5*float64(n%rows)
			switch s.Shape {
			case Dots:
				r.disc(s.Color, place{x + sign/2, y}, s.radius())
			case Line:
				r.line(s.Color, 1.2, place{x, y}, place{x + sign, y})
			default:
				r.box(s.Color, place{x, y - 4.5}, place{x + sign, y + 4.5})
			}
			r.write(text{size: textSize, color: ink}, place{x + sign + 6, y}, s.Name)
			wide = max(wide, textWidth(s.Name, textSize))
			n++
		}
	}
}

func (s *Series) radius() float64 {
	if s.Size == 0 {
		return 4
	}
	return s.Size
}

// frame is a diagram's part of the picture.
type frame struct {
	*raster
	*Panel
	left, right, bottom float64
}

// newFrame returns the frame of diagram number i of n.
func newFrame(r *raster, p *Panel, i, n int) *frame {
	share := (width - 2*margin) / float64(n)
	left, wide := margin+share*float64(i), 0.0
	if i > 0 {
		left += margin
	}
	for _, t := range p.Up.Ticks {
		wide = max(wide, textWidth(t.Text, textSize))
	}
	return &frame{r, p, left + textSize + 6 + wide + 10, margin + share*float64(i+1) - margin, height - 52}
}

// at returns where a point of the diagram lies in the picture.
func (f *frame) at(x, y float64) place {
	share := func(a *Axis, v float64) float64 { return (max(a.Low, min(a.High, v)) - a.Low) / (a.High - a.Low) }
	return place{f.left + share(&f.Across, x)*(f.right-f.left), f.bottom - share(&f.Up, y)*(f.bottom-top)}
}

// draw draws axes, lines across the diagram, and the series.
func (f *frame) draw() {
	areas := 0 // which lie under the lines across
	for ; areas < len(f.Series) && f.Series[areas].Shape == Area; areas++ {
		f.series(&f.Series[areas])
	}
	f.axes()
	for i := areas; i < len(f.Series); i++ {
		f.series(&f.Series[i])
	}
}

func (f *frame) axes() {
	label := text{size: textSize, color: ink, align: 1}
	f.write(label, place{(f.left + f.right) / 2, height - 20}, f.Across.Label)
	for _, t := range f.Across.Ticks {
		x, long := f.at(t.At, 0).x, 4.0
		if t.Text != "" {
			long = 8
			f.line(grid, thin, place{x, top}, place{x, f.bottom})
		}
		f.line(ink, thin, place{x, f.bottom}, place{x, f.bottom + long})
		f.write(label, place{x, f.bottom + 15}, t.Text)
	}
	label.align = 2
	widest := 0.0
	for _, t := range f.Up.Ticks {
		y, long := f.at(0, t.At).y, 4.0
		if t.Text != "" {
			long = 8
			f.line(grid, thin, place{f.left, y}, place{f.right, y})
		}
		f.line(ink, thin, place{f.left - long, y}, place{f.left, y})
		f.write(label, place{f.left - 10, y}, t.Text)
		widest = max(widest, textWidth(t.Text, textSize))
	}
	label.align, label.upright = 1, true
	f.write(label, place{f.left - 16 - widest - textSize/2, (top + f.bottom) / 2}, f.Up.Label)
	f.line(ink, thin, place{f.left, top}, place{f.left, f.bottom})
	f.line(ink, thin, place{f.left, f.bottom}, place{f.right, f.bottom})
}

func (f *frame) series(s *Series) {
	var under []place // the lower edge of an area, from right to left
	var over []place
	for i, p := range s.Points {
		at := f.at(p.X, p.Y)
		switch s.Shape {
		case Boxes:
			f.box(s.Color, f.at(p.X, p.Low), f.at(p.X+p.Wide, p.High))
		case Area:
			over = append(over, f.at(p.X, p.High), f.at(p.X+p.Wide, p.High))
			under = append([]place{f.at(p.X+p.Wide, p.Low), f.at(p.X, p.Low)}, under...)
		case Line:
			if i > 0 {
				f.line(s.Color, 1.2, f.at(s.Points[i-1].X, s.Points[i-1].Y), at)
			}
		case Dots:
			f.line(s.Color, 1.2, f.at(p.X, p.Low), f.at(p.X, p.High))
			f.disc(s.Color, at, s.radius())
		}
		f.write(text{size: 8, color: ink, align: 1}, place{at.x, min(at.y, f.at(p.X, p.High).y) - 9}, p.Label)
	}
	f.polygon(s.Color, append(over, under...)...)
}
