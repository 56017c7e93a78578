package plot

import (
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ballast/compute/backtest"
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

// check draws a picture: every series has pixels of its colour, nothing is cut off at the edge of the picture, and its
// texts contain some.
func (p Picture) check(t *testing.T, texts ...string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.png")
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil || picture.Bounds().Size() != (image.Point{X: 2100, Y: 1050}) {
		t.Fatal(picture.Bounds(), err)
	}
	seen, edge := map[color.RGBA]int{}, image.Rect(8, 8, 2092, 1042)
	for y := range 1050 {
		for x := range 2100 {
			c := color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA)
			if seen[c]++; !(image.Point{X: x, Y: y}).In(edge) && c != (color.RGBA{0xff, 0xff, 0xff, 0xff}) {
				t.Fatalf("a pixel at the edge, %d %d: something is cut off", x, y)
			}
		}
	}
	said := p.Title + p.Below
	for _, panel := range p.Panels {
		said += panel.Across.Label + panel.Up.Label
		for _, s := range panel.Series {
			said += s.Name
			for _, point := range s.Points {
				said += point.Label
			}
			if n := seen[s.Color]; n < 20 {
				t.Errorf("%d pixels of %s", n, s.Name)
			}
		}
	}
	for _, text := range texts {
		if !strings.Contains(said, text) {
			t.Errorf("no %q in the picture:\n%s", text, said)
		}
	}
}

func TestVaR(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	bars := market(backtest.MinBars + 24*700)
	for i := backtest.MinBars + 24*300; i < len(bars); i++ { // one extreme day, which the axis must not include
		b := &bars[i]
		if i > backtest.MinBars+24*300 {
			b.Open *= 9
			b.Low *= 9
		}
		b.High, b.Close = 9*b.High, 9*b.Close
	}
	VaR(judged(t, bars)).check(t, "MADE, model fhs-px", "24 h return, %", "within 95 % VaR",
		"of 701 days, 7.0 expected", "of 701 days, 35.1 expected", "+8")
	VaR(judged(t, market(backtest.MinBars+19))).check(t, "of 1 days, 0.1 expected")
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
	if a, b := limits(r); b > 1.7*high || b < high || a < 1.7*low {
		t.Errorf("%v to %v, without the outlier %v to %v", a, b, low, high)
	}
}

func TestScore(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	run, err := backtest.RunScore(market(backtest.MinBars+24*200), "MADE-UP-1h.csv.gz", nil)
	if err != nil {
		t.Fatal(err)
	}
	r := backtest.PoolScores(run)
	Score(r).check(t, "MADE", "4,020 positions", "probability as forecast, %", "by probability_7d", "risk_score",
		"Wilson", "proceed_with_caution", thousands(r.Reliability[7].N))
	nothing := Score(backtest.PoolScores(&backtest.ScoreRun{File: "a"}))
	if err := nothing.Save(filepath.Join(t.TempDir(), "no case.png")); err != nil {
		t.Error(err)
	}
}

func TestPool(t *testing.T) {
	outcomes := func(n, closes, liquidated, worst int, mean float64) backtest.PoolBin {
		return backtest.PoolBin{PoolOutcomes: backtest.PoolOutcomes{N: n, Closes: closes, Liquidated: liquidated,
			Worst: worst, MeanProbability: mean}}
	}
	Pool(&backtest.PoolResult{
		File: "SOL-1h-2020-2026.csv.gz,XRP-1h-2020-2026.csv.gz,BNB-1h.csv", EveryHours: 120, Cases: 89_856,
		Horizons: []backtest.PoolHorizon{
			{Hours: 24, Reliability: []backtest.PoolBin{outcomes(434, 0, 0, 0, 0.0007), {},
				outcomes(5409, 121, 148, 324, 0.0335), outcomes(6974, 3008, 3605, 4642, 0.526)}},
			{Hours: 168, Reliability: []backtest.PoolBin{outcomes(8376, 4087, 4347, 5126, 0.528)}},
		},
	}).check(t, "SOL, XRP, BNB", "89,856 cases", "within 24 h", "within 168 h", "worst of each hour", "6,974", "434")
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
