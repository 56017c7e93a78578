package chart

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image/color"
	"io"

	"golang.org/x/image/font/gofont/goregular"
)

// svg is the body of an SVG file.
type svg struct{ body bytes.Buffer }

func (s *svg) encode(w io.Writer) error {
	_, err := fmt.Fprintf(w, `<?xml version="1.0"?>
<svg width="%dpt" height="%dpt" viewBox="0 0 %[1]d %[2]d" xmlns="http://www.w3.org/2000/svg">
<style>
@font-face { font-family: Go; src: url(data:font/ttf;base64,%s) }
text { font-family: Go, sans-serif }
</style>
%s</svg>
`, Width, Height, base64.StdEncoding.EncodeToString(goregular.TTF), s.body.Bytes())
	return err
}

// Fill implements Canvas.
func (s *svg) Fill(c color.RGBA, corners ...Point) {
	fmt.Fprintf(&s.body, `<path fill="%s" d="%sZ"/>`+"\n", hex(c), path(corners))
}

// Stroke implements Canvas.
func (s *svg) Stroke(p Pen, points ...Point) {
	dash := ""
	if p.Dash[0] > 0 {
		dash = fmt.Sprintf(` stroke-dasharray="%g %g"`, p.Dash[0], p.Dash[1])
	}
	fmt.Fprintf(&s.body, `<path fill="none" stroke="%s" stroke-width="%g"%s d="%s"/>`+"\n", hex(p.Color), p.Width, dash,
		path(points))
}

// Write implements Canvas.
func (s *svg) Write(t Text, at Point, says string) {
	anchor := [...]string{Left: "start", Centre: "middle", Right: "end"}[t.Align]
	turn := 0
	if t.Upright {
		turn = -90
	}
	fmt.Fprintf(&s.body, `<text transform="translate(%.2f %.2f) rotate(%d)" y="%.2f" font-size="%gpx" fill="%s" `+
		`text-anchor="%s">%s</text>`+"\n", at.X, at.Y, turn, capHeight/2*t.Size, t.Size, hex(t.Color), anchor,
		html.EscapeString(says))
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func path(points []Point) string {
	var b bytes.Buffer
	for i, p := range points {
		fmt.Fprintf(&b, "%c%.2f,%.2f", "ML"[min(i, 1)], p.X, p.Y)
	}
	return b.String()
}
