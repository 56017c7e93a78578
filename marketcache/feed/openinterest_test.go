package feed

import (
	"testing"

	"ballast/marketcache"
)

// The maximum open interest of a day counts for 180 days.
func TestDaysOfInterest(t *testing.T) {
	c := marketcache.New(marketcache.Limits{Assets: 1, Bars: 1, Rows: 1, Samples: 1, Wallets: 1})
	in := NewOpenInterestTracker(c)
	const start = 20_000 * dayMs
	check := func(when string, days int, maximum float64) {
		t.Helper()
		if s := c.InterestStats(0); s == nil || s.Days != days || s.MaxUSD180d != maximum {
			t.Errorf("%s: %+v, want %d days and %v", when, s, days, maximum)
		}
	}
	in.Observe(0, 100, start+1)
	in.Observe(0, 90, start+hourMs)
	check("the first day", 1, 100)
	in.Observe(0, 80, start+3*dayMs)
	in.Publish(start + 3*dayMs + 60_000)
	check("three days later", 2, 100)
	in.Publish(start + 180*dayMs)
	check("when the first day has gone", 1, 80)
	in.Publish(start + 184*dayMs)
	check("when both have", 0, 0)
	c = marketcache.New(c.Limits())
	in = NewOpenInterestTracker(c)
	in.restore(0, &savedHistory{days: []marketcache.DayMaximum{{DayMs: start, USD: 5}, {DayMs: start + dayMs, USD: 6},
		{DayMs: start + 2*dayMs, USD: 4}}}, start+2*dayMs)
	check("from disk", 3, 6)
	// A log that is read from disk late is merged with the days observed in the meantime.
	in.restore(0, &savedHistory{days: []marketcache.DayMaximum{{DayMs: start - dayMs, USD: 7},
		{DayMs: start, USD: 3}}},
		start+2*dayMs)
	check("from disk, late", 4, 7)
	for d := range int64(400) {
		in.Observe(0, 1, start+(3+d)*dayMs)
	}
	in.Publish(start + 402*dayMs)
	check("a year on", 180, 1)

	// A new tracker on the same cache has the days in the cache and the days on its own disk.
	in = NewOpenInterestTracker(c)
	in.restore(0, &savedHistory{days: []marketcache.DayMaximum{{DayMs: start + 300*dayMs, USD: 7}}}, start+402*dayMs)
	in.Observe(0, 1, start+403*dayMs)
	in.Publish(start + 403*dayMs)
	check("another feed", 180, 7)
}
