package plot

import (
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ballast/compute/backtest"
	"ballast/internal/chart"
	"ballast/marketcache"
)

// market returns n hours of a random market with changing volatility.
func market(n int) []marketcache.Bar {
	rng := rand.New(rand.NewPCG(5, 15))
	price, calm := 40.0, 0.0
	var bars []marketcache.Bar
	for i := range n {
		calm = 0.99*calm + 0.08*rng.NormFloat64()
		sd := 0.007 * math.Exp(calm)
		b := marketcache.Bar{OpenMs: (456_000 + int64(i)) * 3_600_000, Open: price, Volume: 1e4 * (0.5 + rng.Float64())}
		b.Close = price * math.Exp(sd*rng.NormFloat64())
		b.High = max(price, b.Close) * math.Exp(sd*rng.Float64())
		b.Low = min(price, b.Close) * math.Exp(-sd*rng.Float64())
		price = b.Close
		bars = append(bars, b)
	}
	return bars
}

func judged(t *testing.T, bars []marketcache.Bar) *backtest.Result {
	t.Helper()
	r, err := backtest.Run(bars, backtest.Options{File: "MADE-UP-1h.csv.gz"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// colours draws a picture into a PNG, counts its pixels of each colour, and checks its size.
func colours(t *testing.T, paint func(chart.Canvas)) map[color.RGBA]int {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.png")
	if err := chart.Save(path, paint); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	size := picture.Bounds().Size()
	if size != (image.Point{X: 2100, Y: 1050}) {
		t.Errorf("size %v", size)
	}
	seen := map[color.RGBA]int{}
	edge := 0
	for y := range size.Y {
		for x := range size.X {
			c := color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA)
			seen[c]++
			if (x < 8 || y < 8 || x >= size.X-8 || y >= size.Y-8) && c != (color.RGBA{0xff, 0xff, 0xff, 0xff}) {
				edge++
			}
		}
	}
	if edge > 0 {
		t.Errorf("%d pixels at the edge: something is cut off", edge)
	}
	return seen
}

// says has the texts of a picture, each in angle brackets.
type says struct{ strings.Builder }

func (s *says) Fill(color.RGBA, ...chart.Point)                {}
func (s *says) Stroke(chart.Pen, ...chart.Point)               {}
func (s *says) Write(_ chart.Text, _ chart.Point, text string) { s.WriteString(">" + text + "<") }

func texts(paint func(chart.Canvas)) string {
	var s says
	paint(&s)
	return s.Builder.String()
}

// The picture contains the colours of bands, returns and breaches, nothing is cut off, and the
// legend shows the counts of the backtest.
func TestVaR(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	bars := market(backtest.MinBars + 24*700)
	// One extreme day that the axis must not include.
	for i := backtest.MinBars + 24*300; i < len(bars); i++ {
		b := &bars[i]
		if i > backtest.MinBars+24*300 {
			b.Open *= 9
			b.Low *= 9
		}
		b.High, b.Close = 9*b.High, 9*b.Close
	}
	one := judged(t, market(backtest.MinBars+19))
	for name, r := range map[string]*backtest.Result{"one": one, "years": judged(t, bars)} {
		seen := colours(t, VaR(r))
		for _, c := range slices.Concat(fills[:], marks[:]) {
			if n := seen[c]; n < 20 {
				t.Errorf("%s: %d pixels of %v", name, n, c)
			}
		}
		says := texts(VaR(r))
		want := []string{"MADE, model fhs-px", "24 h return, %", "day of the forecast, UTC", "within 95 % VaR",
			"within 99 % VaR", "24 h return of a day", "2023-01-09"}
		if name == "years" {
			want = append(want, "beyond its 99 % VaR: ", " of 701 days, 7.0 expected", "of 701 days, 35.1 expected",
				"beyond the end of the axis", ">+8")
		} else {
			want = append(want, "of 1 days, 0.1 expected")
		}
		for _, w := range want {
			if !strings.Contains(says, w) {
				t.Errorf("%s: no %q in the picture", name, w)
			}
		}
	}
}

// The axis contains every return, unless a few are far away from all others.
func TestLimits(t *testing.T) {
	r := judged(t, market(backtest.MinBars+24*200))
	low, high := limits(r)
	for _, d := range r.Days[marketcache.Long][marketcache.P95] {
		if x := pct(-d.Loss); x < low || x > high {
			t.Errorf("%v is beyond %v to %v", x, low, high)
		}
	}
	for level := range backtest.Levels { // one day at twenty times the price
		r.Days[marketcache.Long][level][7].Loss, r.Days[marketcache.Short][level][7].Loss = -3, 3
	}
	if a, b := limits(r); b > 1.2*high || b < high || a < 1.2*low {
		t.Errorf("%v to %v, without the outlier %v to %v", a, b, low, high)
	}
}

func scored(t *testing.T) *backtest.ScoreResult {
	t.Helper()
	run, err := backtest.RunScore(market(backtest.MinBars+24*200), "MADE-UP-1h.csv.gz", nil)
	if err != nil {
		t.Fatal(err)
	}
	return backtest.PoolScores(run)
}

func TestScore(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := scored(t)
	seen := colours(t, Score(r))
	for _, c := range append(verdicts[:], blue, paleBlue, orange) {
		if n := seen[c]; n < 200 {
			t.Errorf("%d pixels of %v", n, c)
		}
	}
	says := texts(Score(r))
	for _, want := range []string{
		"MADE", "4,020 positions", "probability as forecast, %", "within 24 h, or 7 days, %", "by probability_7d",
		"liquidated within 24 h, %", "risk_score", "Wilson", "none was", "proceed_with_caution",
		">" + thousands(r.Reliability[7].N) + "<",
	} {
		if !strings.Contains(says, want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	// A result without any case still gives a picture.
	colours(t, Score(backtest.PoolScores(&backtest.ScoreRun{File: "a"})))
}

func TestPercentTicks(t *testing.T) {
	for _, c := range []struct {
		low, high   float64
		first, last string
	}{{-38, 52, "-30", "+50"}, {-1, 1, "-1", "+1"}, {-95, 470, "-50", "+450"}} {
		ticks := percentTicks(c.low, c.high)
		if n := len(ticks); n < 4 || n > 12 || ticks[0].Text != c.first || ticks[n-1].Text != c.last {
			t.Errorf("%v: %v", c, ticks)
		}
	}
}
