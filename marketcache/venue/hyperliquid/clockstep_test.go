package hyperliquid

import (
	"testing"
	"time"
)

// TestHistoryAfterAClockStep: what was read while the venue's clock was wrong is right within seconds after
// the clock is, in the cache and on disk, whether it was ahead or behind, at the start or later.
func TestHistoryAfterAClockStep(t *testing.T) {
	takesLong(t)
	for _, c := range []struct {
		start, later time.Duration
	}{{72 * time.Hour, 0}, {-72 * time.Hour, 0}, {365 * 24 * time.Hour, 0}, {0, 30 * time.Hour}, {0, -30 * time.Hour}} {
		t.Run(c.start.String()+" "+c.later.String(), func(t *testing.T) {
			r := restarts{t, t.TempDir()}
			r.again(0, func(v *fakeVenue, _ *Config) { v.skew, v.noDate = c.start, true }, func(s scene) {
				s.loaded(3 * time.Minute)
				if c.later != 0 {
					s.v.script(func() { s.v.skew = c.later })
					time.Sleep(10 * time.Minute)
				}
				s.v.script(func() { s.v.skew = 0 })
				time.Sleep(40 * time.Second)
				s.historyIsRight()
				time.Sleep(2 * time.Minute)
				s.historyIsRight()
			})
			r.again(0, func(v *fakeVenue, _ *Config) { v.down = true }, func(s scene) {
				time.Sleep(time.Second)
				s.historyIsRight()
			})
		})
	}
}

// historyIsRight checks that bars and funding of every asset end with the newest full hour and no open interest is
// of a later day.
func (s scene) historyIsRight() {
	s.Helper()
	now := time.Now()
	hour := now.Truncate(time.Hour)
	for _, a := range s.cache.Universe().Assets {
		bars, through := s.cache.Bars(a.ID)
		if n := len(bars); n < 120 || bars[n-1].OpenMs != hour.Add(-time.Hour).UnixMilli() ||
			through != hour.UnixMilli() {
			s.Errorf("%s: %d bars complete through %v", a.Name, n, time.UnixMilli(through).UTC())
		}
		stats, rows := s.cache.FundingStats(a.ID), s.cache.FundingRows(a.ID).View()
		if n := len(rows); n < 150 || rows[n-1].VenueMs/hourMs != hour.UnixMilli()/hourMs ||
			stats.ThroughVenueMs > now.UnixMilli()+1000 {
			s.Errorf("%s: %d rows, %+v", a.Name, n, stats)
		}
		interest := s.cache.InterestStats(a.ID)
		if interest == nil {
			s.Fatalf("%s: no open interest", a.Name)
		}
		for _, d := range interest.Maxima {
			if d.DayMs > now.UnixMilli() {
				s.Errorf("%s: open interest of %v", a.Name, time.UnixMilli(d.DayMs).UTC())
			}
		}
		if interest.AtCapMs > now.UnixMilli() {
			s.Errorf("%s: at its cap in the future", a.Name)
		}
	}
}
