package hyperliquid

import (
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

func TestEmptyHistoryIsLoaded(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) {
		v.tells("candleSnapshot", func(q infoRequest) string { return map[string]string{"B": "[]"}[q.Req.Coin] })
	}, func(s scene) {
		s.within(6*time.Second, "an empty history counts as loaded", func() bool {
			_, through := s.cache.Bars(1)
			return through > 0
		})
		if bars, _ := s.cache.Bars(1); len(bars) != 0 {
			s.Errorf("%d bars", len(bars))
		}
	})
}

// The candles of B end a day ago although B has trades: the venue's candles are behind. The history
// then counts as complete up to its last bar only.
func TestCandlesBehindAreNotComplete(t *testing.T) {
	behind := func(v *fakeVenue, _ *Config) {
		v.tells("candleSnapshot", func(q infoRequest) string {
			if q.Req.Coin != "B" {
				return ""
			}
			hour := v.now().Truncate(time.Hour)
			var rows []string
			for i := 60; i > 24; i-- {
				open := hour.Add(-time.Duration(i) * time.Hour)
				rows = append(rows, candleJSON("B", open.UnixMilli(), v.price("B", open)))
			}
			return "[" + strings.Join(rows, ",") + "]"
		})
	}
	play(t, behind, func(s scene) {
		var bars []marketcache.Bar
		var through, other int64
		s.within(10*time.Second, "the bars of A and B", func() bool {
			_, other = s.cache.Bars(0)
			bars, through = s.cache.Bars(1)
			return through != 0 && other != 0
		})
		if want := bars[len(bars)-1].OpenMs + hourMs; through != want {
			s.Errorf("complete through %d, want %d: the end of the last bar", through, want)
		}
		if other-through < 23*hourMs {
			s.Errorf("B is complete through %d, A through %d", through, other)
		}
	})
}

// TestUndatedAfterReconnecting: before the first book of a new connection, marks and contexts count as late as
// the books of the connections before it.
func TestUndatedAfterReconnecting(t *testing.T) {
	f, at := &Feed{}, marketcache.Instant(time.Hour)
	f.late.Store(int64(600 * time.Millisecond))
	s := &socket{f: f}
	if got := s.undated(at); got != at.Add(-600*time.Millisecond) {
		t.Errorf("no book yet: %v too late", at.Sub(got))
	}
	s.late, s.lateAt = 100*time.Millisecond, at.Add(-time.Second)
	if got := s.undated(at); got != at.Add(-100*time.Millisecond) {
		t.Errorf("a book a second ago: %v too late", at.Sub(got))
	}
}
