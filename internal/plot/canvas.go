package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Size of a picture and the resolution of a PNG: 2,100 by 1,050 pixels.
const (
	width, height = 14 * vg.Inch, 7 * vg.Inch
	dpi           = 150

	headHeight = 1.15 * vg.Inch // title and legend
	margin     = 0.2 * vg.Inch
)

var (
	ink      = color.RGBA{0x1f, 0x29, 0x33, 0xff}
	grey     = color.RGBA{0x7b, 0x87, 0x94, 0xff}
	gridGrey = color.RGBA{0xe4, 0xe7, 0xeb, 0xff}
)

// Check returns an error for a file name of an unknown picture format, before the picture is computed.
func Check(path string) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png", ".svg":
		return nil
	}
	return fmt.Errorf("%q: the name must end in .png or .svg, which says the kind of picture", path)
}

// save draws a picture and writes it.
func save(path string, paint func(draw.Canvas) error) error {
	if err := Check(path); err != nil {
		return err
	}
	var surface vg.CanvasSizer
	var encode io.WriterTo
	if strings.EqualFold(filepath.Ext(path), ".svg") {
		c := vgsvg.NewWith(vgsvg.UseWH(width, height), vgsvg.EmbedFonts(true))
		surface, encode = c, c
	} else {
		c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))
		surface, encode = c, vgimg.PngCanvas{Canvas: c}
	}
	c := draw.New(surface)
	c.FillPolygon(color.White, corners(c.Rectangle))
	if err := paint(draw.Crop(c, margin, -margin, margin, -margin)); err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := encode.WriteTo(&b); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}

func sans(points float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: font.Length(points)}
}

func style(points float64, c color.Color) text.Style {
	return text.Style{Color: c, Font: sans(points), Handler: plot.DefaultTextHandler}
}

// entry is one line of a legend.
type entry struct {
	text string
	sign plot.Thumbnailer
}

// head draws a title, a line below it and the columns of a legend at the top of a canvas, and returns
// the rest of the canvas.
func head(c draw.Canvas, title, below string, columns ...[]entry) draw.Canvas {
	c.FillText(style(15, ink), vg.Point{X: c.Min.X, Y: c.Max.Y - 0.17*vg.Inch}, title)
	c.FillText(style(11, grey), vg.Point{X: c.Min.X, Y: c.Max.Y - 0.40*vg.Inch}, below)
	x := c.Min.X
	for _, column := range columns {
		l := plot.NewLegend()
		l.TextStyle = style(11, ink)
		l.Top, l.Left = true, true
		l.ThumbnailWidth, l.Padding = 0.3*vg.Inch, 0.035*vg.Inch
		wide := vg.Length(0)
		for _, e := range column {
			l.Add(e.text, e.sign)
			wide = max(wide, l.TextStyle.Width(e.text))
		}
		part := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: c.Max.Y - headHeight}, Max: vg.Point{X: c.Max.X, Y: c.Max.Y - 0.5*vg.Inch},
		}}
		l.Draw(part)
		x += wide + 0.5*vg.Inch
	}
	return draw.Crop(c, 0, 0, 0, -headHeight)
}

// frame returns a plot in the common style.
func frame(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Tick.Label.Font = sans(11), sans(11)
		a.Label.TextStyle.Color, a.Tick.Label.Color = ink, ink
		a.LineStyle.Color, a.Tick.Color = ink, ink
		a.Padding = 0
	}
	p.X.Label.Padding, p.Y.Label.Padding = vg.Points(4), vg.Points(4)
	return p
}

// boxSign is a filled box in a legend.
type boxSign struct{ fill, edge color.Color }

// Thumbnail implements plot.Thumbnailer.
func (b boxSign) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(b.fill, corners(c.Rectangle))
	c.StrokeLines(draw.LineStyle{Color: b.edge, Width: vg.Points(0.5)}, append(corners(c.Rectangle), c.Rectangle.Min))
}

// glyphSign draws a glyph as a legend entry.
type glyphSign struct{ draw.GlyphStyle }

// Thumbnail implements plot.Thumbnailer.
func (g glyphSign) Thumbnail(c *draw.Canvas) { c.DrawGlyph(g.GlyphStyle, c.Center()) }

// lineSign is a line in a legend.
type lineSign struct{ draw.LineStyle }

// Thumbnail implements plot.Thumbnailer.
func (l lineSign) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	c.StrokeLine2(l.LineStyle, c.Min.X, y, c.Max.X, y)
}

// triangle is a filled triangle that points up, or down.
type triangle struct{ down bool }

// DrawGlyph implements draw.GlyphDrawer.
func (t triangle) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	r := style.Radius
	if t.down {
		r = -r
	}
	c.FillPolygon(style.Color, []vg.Point{{X: at.X - r, Y: at.Y - r/2}, {X: at.X + r, Y: at.Y - r/2},
		{X: at.X, Y: at.Y + r}})
}

// ring is a circle that is not filled.
type ring struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (ring) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	var p vg.Path
	p.Move(vg.Point{X: at.X + style.Radius, Y: at.Y})
	p.Arc(at, style.Radius, 0, 2*3.14159265)
	p.Close()
	c.SetLineWidth(vg.Points(1.2))
	c.SetLineDash(nil, 0)
	c.SetColor(style.Color)
	c.Stroke(p)
}

func day(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.DateOnly) }

// asset returns the asset's name in a file name.
func asset(file string) string {
	name, _, _ := strings.Cut(file, ".")
	name, _, _ = strings.Cut(name, "-")
	return name
}
