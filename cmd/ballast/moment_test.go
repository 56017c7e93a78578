package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"ballast/marketcache"
)

func TestBetween(t *testing.T) {
	var bars []marketcache.Bar
	for i := range 72 {
		bars = append(bars, marketcache.Bar{OpenMs: int64(i) * hourMs})
	}
	f := func(from, to string, first, n int) {
		t.Helper()
		var a, b moment
		for text, m := range map[string]*moment{from: &a, to: &b} {
			if text != "" {
				if err := m.UnmarshalText([]byte(text)); err != nil {
					t.Fatal(err)
				}
			}
		}
		got := between(bars, a, b)
		if len(got) != n || (n > 0 && got[0].OpenMs != int64(first)*hourMs) {
			t.Errorf("%q to %q: %d bars from %v", from, to, len(got), got)
		}
	}
	f("", "", 0, 72)
	f("1970-01-02", "", 24, 48)
	f("", "1970-01-02", 0, 24)
	f("1970-01-01T02:00:00Z", "1970-01-01T05:30:00Z", 2, 4)
	f("1970-01-01T02:00:00+01:00", "1970-01-01T05:00", 1, 4)
	f("1970-01-01T00:30", "", 1, 71)
	f("1971-01-01", "", 0, 0)
	f("1970-01-03", "1970-01-02", 0, 0)
	for _, bad := range []string{"", "yesterday", "1970-1-2", "1970-02-30", "12:00"} {
		if err := new(moment).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q was accepted as a time", bad)
		}
	}
}

// madeUp returns a random market of n hours from 2022-01-01 05:00 UTC, with some hours missing.
func madeUp(seed uint64, n int) []marketcache.Bar {
	rng := rand.New(rand.NewPCG(seed, 12))
	price, calm := 40.0, 0.0
	var bars []marketcache.Bar
	for i := range n {
		calm = 0.99*calm + 0.08*rng.NormFloat64()
		sd := 0.007 * math.Exp(calm)
		b := marketcache.Bar{OpenMs: 1_641_013_200_000 + int64(i)*hourMs, Open: price, Volume: 1e4 *
			(0.5 + rng.Float64())}
		b.Close = price * math.Exp(sd*rng.NormFloat64())
		b.High = max(price, b.Close) * math.Exp(sd*rng.Float64())
		b.Low = min(price, b.Close) * math.Exp(-sd*rng.Float64())
		price = b.Close
		if i%97 != 50 {
			bars = append(bars, b)
		}
	}
	return bars
}

// writeCandles writes bars to a file and returns its path.
func writeCandles(t *testing.T, name string, bars []marketcache.Bar) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("ts,open,high,low,close,volume\n")
	for _, b := range bars {
		fmt.Fprintf(&text, "%d,%v,%v,%v,%v,%v\n", b.OpenMs, b.Open, b.High, b.Low, b.Close, b.Volume)
	}
	return writeFile(t, filepath.Join(t.TempDir(), name), text.String())
}
