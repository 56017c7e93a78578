package hyperliquid

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ballast/internal/store"
)

// TestRestart: a second run reads the histories of the first from disk before it contacts the
// venue, and then requests only what is missing.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	first := func(v *fakeVenue, cfg *Config) { cfg.DataDir, cfg.Name, v.every = dir, "venue", 8*time.Second }
	play(t, first, func(s scene) {
		time.Sleep(20 * time.Minute)
	})
	again := func(extra func(v *fakeVenue, cfg *Config), script func(s scene)) {
		t.Helper()
		play(t, func(v *fakeVenue, cfg *Config) {
			first(v, cfg)
			if extra != nil {
				extra(v, cfg)
			}
		}, script)
	}
	again(func(v *fakeVenue, _ *Config) { v.down = true }, func(s scene) {
		bars, through := s.cache.Bars(1)
		if len(bars) != 200 || through == 0 || s.cache.FundingStats(1) == nil || s.cache.InterestStats(1).MaxUSD180d == 0 {
			s.Errorf("%d bars through %d, funding %v, interest %v", len(bars), through, s.cache.FundingStats(1), s.cache.InterestStats(1))
		}
		if s.bookAge(1) >= 0 || s.contextAge(1) >= 0 {
			s.Error("a book or a context came from disk")
		}
	})
	// Restart at the same time: nothing is missing.
	again(nil, func(s scene) {
		time.Sleep(10 * time.Second)
		if n := s.v.count("candleSnapshot") + s.v.count("fundingHistory"); n != 0 || s.f.history.Pending() != 0 {
			s.Errorf("%d questions for histories that are complete, %d pending", n, s.f.history.Pending())
		}
	})
	// Three hours later: three bars are missing.
	again(func(v *fakeVenue, _ *Config) { time.Sleep(3 * time.Hour) }, func(s scene) {
		time.Sleep(10 * time.Second)
		bars, _ := s.cache.Bars(2)
		if len(bars) != 203 {
			s.Errorf("%d bars", len(bars))
		}
		if n := s.v.count("candleSnapshot"); n != 3 || s.f.queue.Used() > 250 {
			s.Errorf("%d questions, %d weight", n, s.f.queue.Used())
		}
	})
	// A different history under the same name: the data on disk is dropped.
	again(func(v *fakeVenue, _ *Config) {
		time.Sleep(5 * time.Hour)
		v.info = func(kind string, req infoRequest) (int, string, map[string]string) {
			if kind != "candleSnapshot" {
				return 0, "", nil
			}
			hour := v.now().Truncate(time.Hour)
			var rows []string
			for i := 300; i >= 0; i-- {
				if open := hour.Add(-time.Duration(i) * time.Hour).UnixMilli(); open >= req.Req.StartTime {
					rows = append(rows, candleJSON(req.Req.Coin, open, 5000))
				}
			}
			return 200, "[" + strings.Join(rows, ",") + "]", nil
		}
	}, func(s scene) {
		time.Sleep(10 * time.Second)
		bars, _ := s.cache.Bars(2)
		if len(bars) != 300 || bars[0].Close != 5000 {
			s.Errorf("%d bars, first %+v", len(bars), bars[0])
		}
	})
	// Damage to the universe and to one history.
	h, _, err := store.OpenHistory(dir, "venue")
	if err != nil {
		t.Fatal(err)
	}
	parts, err := h.Load("asset C")
	for part, value := range parts {
		parts[part] = value[:len(value)/2+3]
	}
	if err != nil || len(parts) < 3 || h.Save("asset C", parts) != nil || h.Save("tables", map[string][]byte{"universe": []byte("garbage")}) != nil {
		t.Fatal(parts, err)
	}
	h.Close()
	again(func(v *fakeVenue, _ *Config) { time.Sleep(5 * time.Hour) }, func(s scene) {
		if len(s.cache.Universe().Assets) != 0 {
			s.Error("a damaged universe was used")
		}
		time.Sleep(10 * time.Second)
		s.fresh(9*time.Second, 0, 1, 2)
		if n := s.f.history.Pending(); n != 0 {
			s.Errorf("%d pending", n)
		}
	})
	// A file that is no database is set aside. What was spent is unknown then, and half of the weight counts as spent.
	if err := os.WriteFile(filepath.Join(dir, store.HistoryFile), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	again(func(v *fakeVenue, cfg *Config) { cfg.Budget = 1200; time.Sleep(5 * time.Hour) }, func(s scene) {
		if bars, _ := s.cache.Bars(2); len(bars) != 0 || s.f.queue.Used() < 600 {
			s.Errorf("%d bars, %d weight", len(bars), s.f.queue.Used())
		}
		time.Sleep(3 * time.Minute)
		s.fresh(9*time.Second, 0, 1, 2)
		if n := s.f.history.Pending(); n != 0 {
			s.Errorf("%d pending", n)
		}
	})
	if b, err := os.ReadFile(filepath.Join(dir, store.HistoryFile+".damaged")); string(b) != "garbage" {
		t.Errorf("set aside: %q %v", b, err)
	}
}
