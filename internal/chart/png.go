package chart

import (
	"image"
	"image/color"
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// perPoint is the number of pixels of a point: 150 an inch.
const perPoint = 150.0 / 72

// raster is a picture of pixels.
type raster struct {
	pixels *image.RGBA
	shape  vector.Rasterizer
}

func newRaster() *raster {
	return &raster{pixels: image.NewRGBA(image.Rect(0, 0, Width*perPoint, Height*perPoint))}
}

// Fill implements Canvas.
func (r *raster) Fill(c color.RGBA, corners ...Point) { r.fill(c, outline(nil, corners...)) }

// Stroke implements Canvas. Each piece of the line is a box as wide as the line.
func (r *raster) Stroke(p Pen, points ...Point) {
	var shape sfnt.Segments
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		length := math.Hypot(b.X-a.X, b.Y-a.Y)
		if length == 0 {
			continue
		}
		dx, dy := (b.X-a.X)/length, (b.Y-a.Y)/length
		dash, step := p.Dash[0], p.Dash[0]+p.Dash[1]
		over := 0.0 // fills the outer corner between two pieces
		if dash == 0 {
			dash, step = length, length
			if len(points) > 2 {
				over = p.Width / 2
			}
		}
		nx, ny := -dy*p.Width/2, dx*p.Width/2
		for from := 0.0; from < length; from += step {
			to := min(from+dash, length) + over
			start := Point{a.X + dx*(from-over), a.Y + dy*(from-over)}
			end := Point{a.X + dx*to, a.Y + dy*to}
			shape = outline(shape, Point{start.X + nx, start.Y + ny}, Point{end.X + nx, end.Y + ny},
				Point{end.X - nx, end.Y - ny}, Point{start.X - nx, start.Y - ny})
		}
	}
	r.fill(p.Color, shape)
}

// Write implements Canvas.
func (r *raster) Write(t Text, at Point, s string) {
	var buffer sfnt.Buffer
	em := fixed.Int26_6(math.Round(64 * perPoint * t.Size))
	down := pixels(Point{0, capHeight / 2 * t.Size}).Y
	along := -pixels(Point{width(s, t.Size) * float64(t.Align) / 2, 0}).X
	origin := pixels(at)
	var shape sfnt.Segments
	for _, letter := range s {
		g := glyph(&buffer, letter)
		segments, err := typeface().LoadGlyph(&buffer, g, em, nil)
		if err != nil {
			panic(err) // the font is part of the program
		}
		for _, segment := range segments {
			for i, p := range segment.Args {
				x, y := along+p.X, down+p.Y
				if t.Upright {
					x, y = y, -x
				}
				segment.Args[i] = origin.Add(fixed.Point26_6{X: x, Y: y})
			}
			shape = append(shape, segment)
		}
		along += advance(&buffer, g, em)
	}
	r.fill(t.Color, shape)
}

func pixels(p Point) fixed.Point26_6 {
	const unit = 64 * perPoint
	return fixed.Point26_6{X: fixed.Int26_6(math.Round(unit * p.X)), Y: fixed.Int26_6(math.Round(unit * p.Y))}
}

// outline appends a closed line through the corners.
func outline(to sfnt.Segments, corners ...Point) sfnt.Segments {
	for i, c := range corners {
		segment := sfnt.Segment{Op: sfnt.SegmentOpLineTo, Args: [3]fixed.Point26_6{pixels(c)}}
		if i == 0 {
			segment.Op = sfnt.SegmentOpMoveTo
		}
		to = append(to, segment)
	}
	return to
}

// fill fills outlines, of which those of letters have quadratic curves.
func (r *raster) fill(c color.RGBA, shape sfnt.Segments) {
	b := shape.Bounds()
	area := image.Rect(b.Min.X.Floor(), b.Min.Y.Floor(), b.Max.X.Ceil(), b.Max.Y.Ceil()).Intersect(r.pixels.Rect)
	if area.Empty() {
		return
	}
	at := func(p fixed.Point26_6) (x, y float32) {
		return float32(p.X)/64 - float32(area.Min.X), float32(p.Y)/64 - float32(area.Min.Y)
	}
	r.shape.Reset(area.Dx(), area.Dy())
	for _, s := range shape {
		x, y := at(s.Args[0])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			r.shape.ClosePath()
			r.shape.MoveTo(x, y)
		case sfnt.SegmentOpLineTo:
			r.shape.LineTo(x, y)
		case sfnt.SegmentOpQuadTo:
			endX, endY := at(s.Args[1])
			r.shape.QuadTo(x, y, endX, endY)
		}
	}
	r.shape.ClosePath()
	r.shape.Draw(r.pixels, area, image.NewUniform(c), image.Point{})
}
