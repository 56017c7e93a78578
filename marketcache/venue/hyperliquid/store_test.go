package hyperliquid

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"ballast/internal/store"
)

// restarts plays a feed again and again on one virtual disk.
type restarts struct {
	*testing.T
	dir string
}

// again plays a script against a new feed, some time after the last one.
func (r restarts) again(after time.Duration, change func(v *fakeVenue, cfg *Config), script func(s scene)) {
	r.Helper()
	play(r.T, func(v *fakeVenue, cfg *Config) {
		time.Sleep(after)
		cfg.DataDir, cfg.Name, v.every = r.dir, "venue", 8*time.Second
		if change != nil {
			change(v, cfg)
		}
	}, script)
}

// loaded waits and checks that books are fresh and no history is pending.
func (s scene) loaded(wait time.Duration) {
	s.Helper()
	time.Sleep(wait)
	s.fresh(9*time.Second, 0, 1, 2)
	if n := s.f.history.Pending(); n != 0 {
		s.Errorf("%d pending", n)
	}
}

// TestRestart: a second run reads the histories of the first from disk before it contacts the
// venue, and then requests only what is missing.
func TestRestart(t *testing.T) {
	r := restarts{t, t.TempDir()}
	r.again(0, nil, func(s scene) { time.Sleep(20 * time.Minute) })
	r.again(0, func(v *fakeVenue, _ *Config) { v.down = true }, func(s scene) {
		bars, through := s.cache.Bars(1)
		if len(bars) != 200 || through == 0 || s.cache.FundingStats(1) == nil ||
			s.cache.InterestStats(1).MaxUSD180d == 0 {
			s.Errorf("%d bars through %d, funding %v, interest %v", len(bars), through, s.cache.FundingStats(1),
				s.cache.InterestStats(1))
		}
		if s.bookAge(1) >= 0 || s.contextAge(1) >= 0 {
			s.Error("a book or a context came from disk")
		}
	})
	// Restart at the same time: nothing is missing.
	r.again(0, nil, func(s scene) {
		time.Sleep(10 * time.Second)
		if n := s.v.count("candleSnapshot") + s.v.count("fundingHistory"); n != 0 || s.f.history.Pending() != 0 {
			s.Errorf("%d questions for histories that are complete, %d pending", n, s.f.history.Pending())
		}
	})
	// Three hours later: three bars are missing.
	r.again(3*time.Hour, nil, func(s scene) {
		time.Sleep(10 * time.Second)
		bars, _ := s.cache.Bars(2)
		if len(bars) != 203 {
			s.Errorf("%d bars", len(bars))
		}
		if n := s.v.count("candleSnapshot"); n != 3 || s.f.queue.Weight().Sum() > 250 {
			s.Errorf("%d questions, %d weight", n, s.f.queue.Weight().Sum())
		}
	})
	// A different history under the same name: the data on disk is dropped.
	r.again(5*time.Hour, func(v *fakeVenue, _ *Config) {
		v.tells("candleSnapshot", func(q infoRequest) string {
			return regexp.MustCompile(`"[ohlc]":"[0-9.]+"`).ReplaceAllStringFunc(v.candles(q, 300),
				func(price string) string {
					return price[:4] + `"300"`
				})
		})
	}, func(s scene) {
		time.Sleep(10 * time.Second)
		if bars, _ := s.cache.Bars(2); len(bars) != 300 || bars[0].Close != 300 {
			s.Errorf("%d bars, first %+v", len(bars), bars[0])
		}
	})
}

// TestDamagedDisk: what is damaged on disk is read again from the venue.
func TestDamagedDisk(t *testing.T) {
	r := restarts{t, t.TempDir()}
	r.again(0, nil, func(s scene) { s.loaded(20 * time.Minute) })
	// Damage to the universe and to one history.
	h, _, err := store.OpenHistory(r.dir, "venue")
	if err != nil {
		t.Fatal(err)
	}
	parts, err := h.Load("asset C")
	for part, value := range parts {
		parts[part] = value[:len(value)/2+3]
	}
	if err != nil || len(parts) < 3 || h.Save("asset C", parts) != nil ||
		h.Save("tables", map[string][]byte{"universe": []byte("garbage")}) != nil {
		t.Fatal(parts, err)
	}
	h.Close()
	r.again(5*time.Hour, nil, func(s scene) {
		if len(s.cache.Universe().Assets) != 0 {
			s.Error("a damaged universe was used")
		}
		s.loaded(10 * time.Second)
	})
	// A file that is no database is set aside. What was spent is unknown then, and half of the weight counts as spent.
	if err := os.WriteFile(filepath.Join(r.dir, store.HistoryFile), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.again(5*time.Hour, func(_ *fakeVenue, cfg *Config) { cfg.Budget = 1200 }, func(s scene) {
		if bars, _ := s.cache.Bars(2); len(bars) != 0 || s.f.queue.Weight().Sum() < 600 {
			s.Errorf("%d bars, %d weight", len(bars), s.f.queue.Weight().Sum())
		}
		s.loaded(3 * time.Minute)
	})
	if b, err := os.ReadFile(filepath.Join(r.dir, store.HistoryFile+".damaged")); string(b) != "garbage" {
		t.Errorf("set aside: %q %v", b, err)
	}
}
