// Package chart draws pictures with axes, as PNG of 2,100 by 1,050 pixels.
package chart

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"os"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Size of a picture. Lengths are in points of 1/72 inch, from the picture's top left corner.
const Width, Height = 1008, 504

// Point is a place in a picture.
type Point struct{ X, Y float64 }

// Pen is how a line is drawn. Dash is the length of a dash and of the gap after it; without, the line is solid.
type Pen struct {
	Color color.RGBA
	Width float64
	Dash  [2]float64
}

// Text is how a text is drawn. Its middle line is at the given point's height, and its left end, or
// as Align says its middle or right end, at the point. Upright text runs upwards, with its middle at the point.
type Text struct {
	Size    float64
	Color   color.RGBA
	Align   Align
	Upright bool
}

// Align is how many halves of a text are left of its point.
type Align int

// Alignments.
const (
	Left Align = iota
	Centre
	Right
)

// Canvas is what a picture is drawn on.
type Canvas interface {
	Fill(c color.RGBA, corners ...Point)
	Stroke(p Pen, points ...Point)
	Write(t Text, at Point, s string)
}

// Save writes what paint draws, on white, to a PNG file.
func Save(path string, paint func(Canvas)) error {
	c := newRaster()
	c.Fill(color.RGBA{0xff, 0xff, 0xff, 0xff}, box(0, 0, Width, Height)...)
	paint(c)
	var b bytes.Buffer
	if err := png.Encode(&b, c.pixels); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

func box(left, top, right, bottom float64) []Point {
	return []Point{{left, top}, {right, top}, {right, bottom}, {left, bottom}}
}

// circle returns corners so close that they look round at the size of a mark.
func circle(at Point, radius float64) []Point {
	const corners = 32
	points := make([]Point, corners)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		points[i] = Point{at.X + radius*cos, at.Y + radius*sin}
	}
	return points
}

// capHeight is the height of a capital letter of the font, of its size.
const capHeight = 0.723

var typeface = sync.OnceValue(func() *sfnt.Font {
	f, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		panic(err) // the font is part of the program
	}
	return f
})

// width returns the width of a text; size is in any unit, and so is the width.
func width(s string, size float64) float64 {
	const em = 2048
	var buffer sfnt.Buffer
	total := 0.0
	for _, r := range s {
		total += float64(advance(&buffer, glyph(&buffer, r), fixed.I(em))) / 64
	}
	return size * total / em
}

func glyph(b *sfnt.Buffer, r rune) sfnt.GlyphIndex {
	i, err := typeface().GlyphIndex(b, r)
	if err != nil {
		panic(err)
	}
	return i
}

func advance(b *sfnt.Buffer, g sfnt.GlyphIndex, em fixed.Int26_6) fixed.Int26_6 {
	a, err := typeface().GlyphAdvance(b, g, em, font.HintingNone)
	if err != nil {
		panic(err)
	}
	return a
}
