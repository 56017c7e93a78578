package plot

import (
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// Lengths are in points of 1/72 inch, from the picture's top left corner. perPoint is the number of pixels of a point.
const (
	width, height = 1008, 504
	perPoint      = 150.0 / 72
)

// place is a point of the picture.
type place struct{ x, y float64 }

// raster is a picture of pixels.
type raster struct {
	pixels *image.RGBA
	shape  vector.Rasterizer
}

// newRaster returns a white picture.
func newRaster() *raster {
	r := &raster{pixels: image.NewRGBA(image.Rect(0, 0, width*perPoint, height*perPoint))}
	r.box(color.RGBA{0xff, 0xff, 0xff, 0xff}, place{}, place{width, height})
	return r
}

func (r *raster) encode(w io.Writer) error { return png.Encode(w, r.pixels) }

// polygon fills an outline.
func (r *raster) polygon(c color.RGBA, corners ...place) {
	var shape sfnt.Segments
	for i, p := range corners {
		segment := sfnt.Segment{Op: sfnt.SegmentOpLineTo, Args: [3]fixed.Point26_6{pixels(p)}}
		if i == 0 {
			segment.Op = sfnt.SegmentOpMoveTo
		}
		shape = append(shape, segment)
	}
	r.fill(c, shape)
}

// box fills the rectangle between two corners.
func (r *raster) box(c color.RGBA, a, b place) { r.polygon(c, a, place{b.x, a.y}, b, place{a.x, b.y}) }

// line draws a straight line.
func (r *raster) line(c color.RGBA, thick float64, a, b place) {
	length := math.Hypot(b.x-a.x, b.y-a.y)
	if length == 0 {
		return
	}
	nx, ny := -(b.y-a.y)/length*thick/2, (b.x-a.x)/length*thick/2
	r.polygon(c, place{a.x + nx, a.y + ny}, place{b.x + nx, b.y + ny}, place{b.x - nx, b.y - ny},
		place{a.x - nx, a.y - ny})
}

// disc fills a circle.
func (r *raster) disc(c color.RGBA, at place, radius float64) {
	const corners = 32 // look round at the size of a mark
	outline := make([]place, corners)
	for i := range outline {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		outline[i] = place{at.x + radius*cos, at.y + radius*sin}
	}
	r.polygon(c, outline...)
}

// text is how a text is written: its middle line at a place, and align halves of it left of the place. Upright text
// runs upwards.
type text struct {
	size    float64
	color   color.RGBA
	align   int
	upright bool
}

// capHeight is the height of a capital letter of the font, of its size.
const capHeight = 0.723

func (r *raster) write(t text, at place, s string) {
	var buffer sfnt.Buffer
	em := fixed.Int26_6(math.Round(64 * perPoint * t.size))
	down := pixels(place{0, capHeight / 2 * t.size}).Y
	along := -pixels(place{textWidth(s, t.size) * float64(t.align) / 2, 0}).X
	origin := pixels(at)
	var shape sfnt.Segments
	for _, letter := range s {
		g := glyph(&buffer, letter)
		for _, segment := range must(typeface().LoadGlyph(&buffer, g, em, nil)) {
			for i, p := range segment.Args {
				x, y := along+p.X, down+p.Y
				if t.upright {
					x, y = y, -x
				}
				segment.Args[i] = origin.Add(fixed.Point26_6{X: x, Y: y})
			}
			shape = append(shape, segment)
		}
		along += must(typeface().GlyphAdvance(&buffer, g, em, font.HintingNone))
	}
	r.fill(t.color, shape)
}

// textWidth returns the width of a text in the unit of its size.
func textWidth(s string, size float64) (total float64) {
	const em = 2048
	var buffer sfnt.Buffer
	for _, letter := range s {
		advance := must(typeface().GlyphAdvance(&buffer, glyph(&buffer, letter), fixed.I(em), font.HintingNone))
		total += float64(advance) / 64
	}
	return size * total / em
}

var typeface = sync.OnceValue(func() *sfnt.Font { return must(sfnt.Parse(goregular.TTF)) })

func glyph(b *sfnt.Buffer, letter rune) sfnt.GlyphIndex {
	return must(typeface().GlyphIndex(b, letter))
}

// must returns a value of the font, which is part of the program and so has no error.
func must[T any](value T, err error) T {
	if err != nil {
		panic("BUG: the font: " + err.Error())
	}
	return value
}

func pixels(p place) fixed.Point26_6 {
	const unit = 64 * perPoint
	return fixed.Point26_6{X: fixed.Int26_6(math.Round(unit * p.x)), Y: fixed.Int26_6(math.Round(unit * p.y))}
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
