package chart

import (
	"image/color"
	"slices"
)

// Mark draws the sign of a value, or of an entry in a legend, around a point.
type Mark func(c Canvas, at Point)

// Disc is a filled circle.
func Disc(fill color.RGBA, radius float64) Mark {
	return func(c Canvas, at Point) { c.Fill(fill, circle(at, radius)...) }
}

// Ring is a circle.
func Ring(p Pen, radius float64) Mark {
	return func(c Canvas, at Point) { c.Stroke(p, closed(circle(at, radius))...) }
}

// Square is a filled square.
func Square(fill color.RGBA, side float64) Mark {
	return func(c Canvas, at Point) {
		c.Fill(fill, box(at.X-side/2, at.Y-side/2, at.X+side/2, at.Y+side/2)...)
	}
}

// Triangle is a filled triangle that points up, with a negative radius down.
func Triangle(fill color.RGBA, radius float64) Mark {
	return func(c Canvas, at Point) {
		c.Fill(fill, Point{at.X - radius, at.Y + radius/2}, Point{at.X + radius, at.Y + radius/2},
			Point{at.X, at.Y - radius})
	}
}

// Area is an area in a legend.
func Area(fill color.RGBA, edge Pen) Mark {
	return func(c Canvas, at Point) {
		corners := box(at.X-signWidth/2, at.Y-4.5, at.X+signWidth/2, at.Y+4.5)
		c.Fill(fill, corners...)
		c.Stroke(edge, closed(corners)...)
	}
}

// Line is a line in a legend.
func Line(p Pen) Mark {
	return func(c Canvas, at Point) {
		c.Stroke(p, Point{at.X - signWidth/2, at.Y}, Point{at.X + signWidth/2, at.Y})
	}
}

// Bars are thin bars in a legend.
func Bars(p Pen) Mark {
	return func(c Canvas, at Point) {
		for _, x := range []float64{-4, 0, 4} {
			c.Stroke(p, Point{at.X + x, at.Y - 4.5}, Point{at.X + x, at.Y + 4.5})
		}
	}
}

// Whisker is an interval in a legend.
func Whisker(p Pen) Mark {
	return func(c Canvas, at Point) {
		c.Stroke(p, Point{at.X, at.Y - 4.5}, Point{at.X, at.Y + 4.5})
		Serif(c, p, Point{at.X, at.Y - 4.5})
		Serif(c, p, Point{at.X, at.Y + 4.5})
	}
}

// Serif is the end of an interval.
func Serif(c Canvas, p Pen, at Point) { c.Stroke(p, Point{at.X - 3, at.Y}, Point{at.X + 3, at.Y}) }

func closed(corners []Point) []Point { return append(slices.Clone(corners), corners[0]) }
