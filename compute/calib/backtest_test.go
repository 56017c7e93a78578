package calib

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ballast/compute/stats"
	"ballast/compute/vol"
	"ballast/marketcache"
)

// shared holds the reference values; it stands beside the project and may be
// absent, and then only the tests that read it are skipped.
const shared = "../../../shared"

func golden(t testing.TB, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(shared, "models/golden", name+".json"))
	if os.IsNotExist(err) {
		t.Skip("no reference values beside the project")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

// candles returns the rows of a candle file as the venue would give them, gaps left
// as gaps, from the first row that keep accepts.
func candles(t testing.TB, file string, keep func(time.Time) bool) []marketcache.Bar {
	t.Helper()
	f, err := os.Open(filepath.Join(shared, strings.TrimPrefix(file, "shared/")))
	if err != nil {
		t.Skip("no candles beside the project")
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var bars []marketcache.Bar
	lines := bufio.NewScanner(z)
	lines.Scan() // header
	for lines.Scan() {
		var v [6]float64
		for i, field := range strings.Split(lines.Text(), ",") {
			if v[i], err = strconv.ParseFloat(field, 64); err != nil {
				t.Fatal(err)
			}
		}
		if len(bars) > 0 || keep(time.UnixMilli(int64(v[0])).UTC()) {
			bars = append(bars, marketcache.Bar{OpenMs: int64(v[0]), Open: v[1], High: v[2], Low: v[3], Close: v[4], Volume: v[5]})
		}
	}
	return bars
}

// outcome is one day of one side and level: the forecast and what happened, on log
// losses of the position.
type outcome struct{ loss, valueAtRisk, shortfall, sd, historical float64 }

// walkForward gives one asset's bars to a History one by one and records a 24-hour
// forecast a day, from day 366 to the last day whose outcome the file holds.
func walkForward(t *testing.T, bars []marketcache.Bar) (out [marketcache.SideCount][marketcache.LevelCount][]outcome) {
	t.Helper()
	all := NewHistory()
	if err := all.Extend(bars); err != nil {
		t.Fatal(err)
	}
	total := all.Bars() - 1 // returns

	closes := make([]float64, 0, total+1) // logs, gaps filled
	h, w := NewHistory(), &vol.Scratch{}
	type forecast struct {
		at    int
		model *marketcache.AssetModel
	}
	var forecasts []forecast
	for _, b := range bars {
		for h.Bars() > 0 && h.state.Last().OpenMs+hourMs < b.OpenMs { // missing hours, one by one
			if err := h.FlatThrough(h.state.Last().OpenMs + 2*hourMs); err != nil {
				t.Fatal(err)
			}
			closes = append(closes, math.Log(h.state.Last().Close))
			if at := h.Bars() - 1; at >= 24*366 && at%24 == 0 && at <= total-24 {
				forecasts = append(forecasts, forecast{at, h.Model(0, "", w)})
			}
		}
		if err := h.Extend([]marketcache.Bar{b}); err != nil {
			t.Fatal(err)
		}
		closes = append(closes, math.Log(b.Close))
		if at := h.Bars() - 1; at >= 24*366 && at%24 == 0 && at <= total-24 {
			forecasts = append(forecasts, forecast{at, h.Model(0, "", w)})
		}
	}
	if len(closes) != total+1 {
		t.Fatalf("%d closes, %d bars", len(closes), total+1)
	}
	// The same bars in one go are the same fit: bit for bit.
	if a, b := all.Model(0, "", w), h.Model(0, "", w); a.Digest != b.Digest || !slices.Equal(a.Z24.Values, b.Z24.Values) || a.Z24.FirstHour != b.Z24.FirstHour {
		t.Error("bar by bar and in one go differ")
	}

	days := make([]float64, 365)
	for _, f := range forecasts {
		move := closes[f.at+24] - closes[f.at]
		sd := math.Sqrt(f.model.Variance[marketcache.H24])
		for side := range marketcache.SideCount {
			sign := [...]float64{1, -1}[side]
			for i := range days {
				end := f.at - 24*i
				days[i] = sign * (closes[end] - closes[end-24])
			}
			for level := range marketcache.LevelCount {
				tail := f.model.Tail[marketcache.H24][side][level]
				out[side][level] = append(out[side][level], outcome{
					loss: -sign * move, valueAtRisk: -tail.ZQ * sd, shortfall: -tail.ZES * sd, sd: sd,
					historical: -stats.Quantile(days, []float64{0.05, 0.01}[level]),
				})
			}
		}
	}
	return out
}

// coverage are the statistics of docs/model.md on one side and level.
type coverage struct {
	n, hits                int
	kupiec, christoffersen float64 // likelihood ratios
	residual               float64
	tick, historicalTick   float64
	fz0                    float64
}

func cover(days []outcome, level float64) (c coverage) {
	a := 1 - level
	var from [2][2]float64
	previous := -1
	for _, d := range days {
		hit := 0
		if d.loss > d.valueAtRisk {
			hit = 1
			c.hits++
			c.residual += (d.loss - d.shortfall) / d.sd
		}
		if previous >= 0 {
			from[previous][hit]++
		}
		previous = hit
		y := -d.loss
		c.tick += tick(y, -d.valueAtRisk, a)
		c.historicalTick += tick(y, -d.historical, a)
		v, e := -d.valueAtRisk, -d.shortfall
		if y <= v {
			c.fz0 -= (v - y) / (a * e)
		}
		c.fz0 += v/e + math.Log(-e) - 1
	}
	c.n = len(days)
	n, k := float64(c.n), float64(c.hits)
	c.residual /= k
	c.tick /= n
	c.historicalTick /= n
	c.fz0 /= n
	c.kupiec = -2 * (logLik(n-k, k, a) - logLik(n-k, k, k/n))
	p01, p11 := from[0][1]/(from[0][0]+from[0][1]), from[1][1]/(from[1][0]+from[1][1])
	pooled := (from[0][1] + from[1][1]) / (n - 1)
	c.christoffersen = -2 * (logLik(from[0][0]+from[1][0], from[0][1]+from[1][1], pooled) -
		logLik(from[0][0], from[0][1], p01) - logLik(from[1][0], from[1][1], p11))
	return c
}

func tick(y, q, a float64) float64 {
	if y < q {
		return (a - 1) * (y - q)
	}
	return a * (y - q)
}

// logLik is the log likelihood of misses and hits at a hit probability, 0 ln 0 = 0.
func logLik(misses, hits, p float64) float64 {
	var l float64
	if misses > 0 {
		l += misses * math.Log(1-p)
	}
	if hits > 0 {
		l += hits * math.Log(p)
	}
	return l
}

// chiSquare1 is the upper tail probability of the chi-square distribution with one
// degree of freedom.
func chiSquare1(x float64) float64 { return math.Erfc(math.Sqrt(max(0, x) / 2)) }

// TestGoldenBacktest walks eight assets through four to six years. It is the bar of
// docs/model.md for the very code that the service runs.
func TestGoldenBacktest(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	var g struct {
		Files map[string]string
		Rows  []struct {
			Asset, Side       string
			Level             float64
			N, Hits           int
			KupiecLR          float64 `json:"kupiec_lr"`
			KupiecP           float64 `json:"kupiec_p"`
			ChristoffersenLR  float64 `json:"christoffersen_lr"`
			ChristoffersenP   float64 `json:"christoffersen_p"`
			Residual          float64 `json:"es_residual_mean_z"`
			Pinball           float64
			PinballHistorical float64 `json:"pinball_ratio_to_hs365"`
			FZ0               float64
		}
		Tolerance struct {
			Hits    int     `json:"hits_abs"`
			Pinball float64 `json:"pinball_rel"`
		}
	}
	golden(t, "backtest", &g)
	results := map[string][marketcache.SideCount][marketcache.LevelCount]coverage{}
	for asset, file := range g.Files {
		bars := candles(t, file, func(at time.Time) bool { return at.Year() >= 2020 && at.Hour() == 0 })
		var c [marketcache.SideCount][marketcache.LevelCount]coverage
		for side, levels := range walkForward(t, bars) {
			for level, days := range levels {
				c[side][level] = cover(days, []float64{0.95, 0.99}[level])
			}
		}
		results[asset] = c
	}

	var n, hits, kupiec, christoffersen [marketcache.LevelCount]int
	var ratio [marketcache.LevelCount]float64
	for _, row := range g.Rows {
		side := map[string]int{"long": marketcache.Long, "short": marketcache.Short}[row.Side]
		level := map[float64]int{0.95: marketcache.P95, 0.99: marketcache.P99}[row.Level]
		c := results[row.Asset][side][level]
		n[level] += c.n
		hits[level] += c.hits
		ratio[level] += c.tick / c.historicalTick
		if chiSquare1(c.kupiec) > 0.05 {
			kupiec[level]++
		}
		if chiSquare1(c.christoffersen) > 0.05 {
			christoffersen[level]++
		}
		if c.n != row.N || max(c.hits-row.Hits, row.Hits-c.hits) > g.Tolerance.Hits {
			t.Errorf("%s %s %v: %d hits in %d, want %d in %d", row.Asset, row.Side, row.Level, c.hits, c.n, row.Hits, row.N)
		}
		near := func(what string, got, want, rel float64) {
			t.Helper()
			if math.Abs(got-want) > rel*math.Abs(want)+1e-12 {
				t.Errorf("%s %s %v: %s %v, want %v", row.Asset, row.Side, row.Level, what, got, want)
			}
		}
		near("pinball", c.tick, row.Pinball, g.Tolerance.Pinball)
		near("pinball ratio", c.tick/c.historicalTick, row.PinballHistorical, g.Tolerance.Pinball)
		if c.hits == row.Hits {
			near("Kupiec", c.kupiec, row.KupiecLR, 1e-6)
			near("Kupiec p", chiSquare1(c.kupiec), row.KupiecP, 1e-6)
			near("Christoffersen", c.christoffersen, row.ChristoffersenLR, 1e-6)
			near("Christoffersen p", chiSquare1(c.christoffersen), row.ChristoffersenP, 1e-6)
			near("ES residual", c.residual, row.Residual, 1e-6)
			near("FZ0", c.fz0, row.FZ0, 1e-6)
		}
	}
	sides := float64(len(g.Rows) / marketcache.LevelCount)
	for level, bound := range [marketcache.LevelCount]struct {
		low, high, ratio float64
	}{{0.047, 0.055, 0.93}, {0.0085, 0.0125, 0.89}} {
		rate := float64(hits[level]) / float64(n[level])
		t.Logf("level %d: %d of %d (%.3f %%), Kupiec %d, Christoffersen %d of %.0f, tick loss %.3f of historical simulation",
			level, hits[level], n[level], 100*rate, kupiec[level], christoffersen[level], sides, ratio[level]/sides)
		if rate < bound.low || rate > bound.high {
			t.Errorf("pooled rate %v outside [%v, %v]", rate, bound.low, bound.high)
		}
		if kupiec[level] < 14 || christoffersen[level] < 14 {
			t.Errorf("level %d: %d Kupiec, %d Christoffersen passes, want 14", level, kupiec[level], christoffersen[level])
		}
		if ratio[level]/sides > bound.ratio {
			t.Errorf("level %d: tick loss %v of historical simulation, want at most %v", level, ratio[level]/sides, bound.ratio)
		}
	}
}
