package calib

import (
	"testing"
	"time"

	"ballast/internal/reference"
	"ballast/marketcache"
)

// candles returns the rows of a candle file as the venue would give them, gaps left
// as gaps, from the first row that begin accepts.
func candles(t testing.TB, file string, begin func(time.Time) bool) (bars []marketcache.Bar) {
	t.Helper()
	for _, row := range reference.Candles(t, file, begin) {
		bars = append(bars, marketcache.Bar(row))
	}
	return bars
}
