//go:build evidence

package hmm

import (
	"math"
	"testing"
	"time"

	"ballast/compute/vol"
	"ballast/internal/reference"
	"ballast/marketcache"
)

// candles returns the hourly bars of a file, gaps filled, from the first row that begin
// accepts.
func candles(t testing.TB, file string, begin func(time.Time) bool) (bars []marketcache.Bar) {
	t.Helper()
	for _, row := range reference.Candles(t, file, begin) {
		var err error
		if bars, err = vol.AppendFilled(bars, marketcache.Bar(row)); err != nil {
			t.Fatal(err)
		}
	}
	return bars
}

// follow feeds the bars to the filter as the calibrator does, and calls seen after each return with
// the return's number.
func follow(t *testing.T, bars []marketcache.Bar, seen func(i int, f *Filter)) *Filter {
	t.Helper()
	s, f := vol.NewState(marketcache.ClassCrypto), &Filter{}
	push := func(i int, e [4]float64) {
		b, before := bars[i+1], bars[i]
		f.Push(math.Log(b.Close)-math.Log(before.Close), b.Volume*b.Close, e[0], e[3])
		seen(i, f)
	}
	for n, b := range bars {
		if err := s.Push(b); err != nil {
			t.Fatal(err)
		}
		switch {
		case n == 720 || n == len(bars)-1 && n < 720:
			for i, e := range s.AppendEarlyMemories(nil) {
				push(i, e)
			}
		case n > 720:
			push(n-1, s.RawMemories())
		}
	}
	return f
}

func TestEvidenceFilter(t *testing.T) {
	var g struct {
		Tolerance struct {
			Prob float64 `json:"prob_abs"`
			X    float64 `json:"x_abs"`
		}
		Fixed struct {
			Cases []struct {
				Asset, File string
				Points      []struct {
					BarOpen string `json:"bar_open"`
					X1, X2  float64
					Prob    [States]float64
				}
				Occupancy [States]float64
			}
		}
	}
	reference.Golden(t, "hmm", &g)
	for _, c := range g.Fixed.Cases {
		// The reference reads each file from its first bar at 00:00 UTC.
		bars := candles(t, c.File, func(at time.Time) bool { return at.Hour() == 0 })
		points := map[string]int{}
		for i, p := range c.Points {
			points[p.BarOpen] = i
		}
		found := 0
		var occupancy [States]float64
		first, total := -1, 0.0
		follow(t, bars, func(i int, f *Filter) {
			if f.started {
				if first < 0 {
					first = i
				}
				occupancy[f.likeliest()]++
				total++
			}
			at, ok := points[time.UnixMilli(bars[i+1].OpenMs).UTC().Format("2006-01-02 15:04")]
			if !ok {
				return
			}
			found++
			want := c.Points[at]
			if !near(f.x1, want.X1, g.Tolerance.X) {
				t.Errorf("%s %s: x1 %v, want %v", c.Asset, want.BarOpen, f.x1, want.X1)
			}
			day := f.illiquidity.ring[(f.illiquidity.n-1)%medianWindow]
			if x2 := math.Log(day / f.illiquidity.median()); !near(x2, want.X2, g.Tolerance.X) {
				t.Errorf("%s %s: x2 %v, want %v", c.Asset, want.BarOpen, x2, want.X2)
			}
			for j, p := range f.alpha {
				if !near(p, want.Prob[j], g.Tolerance.Prob) {
					t.Errorf("%s %s: state %d %v, want %v", c.Asset, want.BarOpen, j, p, want.Prob[j])
				}
			}
		})
		if found != len(c.Points) {
			t.Errorf("%s: %d of %d points met", c.Asset, found, len(c.Points))
		}
		if first != 262 {
			t.Errorf("%s: filter starts at return %d, want 262", c.Asset, first)
		}
		for j := range States {
			if got := occupancy[j] / total; !near(got, c.Occupancy[j], 1e-12) {
				t.Errorf("%s: occupancy of state %d %v, want %v", c.Asset, j, got, c.Occupancy[j])
			}
		}
	}
}
