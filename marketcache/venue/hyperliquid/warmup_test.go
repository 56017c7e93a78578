package hyperliquid

import (
	"math"
	"slices"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// TestWarmUp: with half of the venue's limits, all 180 assets can be assessed 16 minutes after the
// first start, the assets that carry 80 % of the open interest after two minutes, and all at once
// after a restart.
func TestWarmUp(t *testing.T) {
	takesLong(t)
	(&warmUp{n: 180}).play(t)
}

// TestWarmUpOfDexes: the same for 178 assets of the main dex and 148 of four others, whose tables
// and wallets take more weight, within half an hour.
func TestWarmUpOfDexes(t *testing.T) {
	takesLong(t)
	(&warmUp{n: 326, dexes: []string{"xyz", "para", "mkts", "io"}}).play(t)
}

// TestSecondPass also waits for complete histories.
func TestSecondPass(t *testing.T) {
	takesLong(t)
	(&warmUp{n: 12, whole: 30 * time.Minute}).play(t)
}

// warmUp loads n assets with half of the venue's limits while two wallets are read every two
// seconds. It waits up to whole for complete histories (0: it does not wait), and restarts.
type warmUp struct {
	n     int
	whole time.Duration
	dexes []string

	dir   string
	ran   time.Duration // of the runs so far
	began time.Time     // of the present run
}

func (w *warmUp) play(t *testing.T) {
	w.dir = t.TempDir()
	play(t, w.setup, w.start)
	play(t, w.setup, w.restart)
}

func (w *warmUp) setup(v *fakeVenue, cfg *Config) {
	time.Sleep(w.ran)
	v.assets, v.every = many(w.n), 2*time.Second
	v.dexes, cfg.Dexes = w.dexes, []string{AllDexes}
	for i := range v.assets {
		if i >= 178 && len(w.dexes) > 0 {
			v.assets[i] = w.dexes[max(0, i-286)/10] + ":" + v.assets[i]
		}
	}
	cfg.Share, cfg.Budget, cfg.DataDir, v.limit = 0.5, 0, w.dir, 600
	// Nine assets carry 80 % of the open interest; they are not the first nine in the list.
	v.interest = func(i int) float64 { return 1e8 * math.Pow(float64(1+i*97%w.n), -1.6) }
	v.tells("candleSnapshot", func(q infoRequest) string { return v.candles(q, 5000) })
}

// follow reads two wallets all the time and waits for the universe.
func (w *warmUp) follow(s scene) {
	w.began = time.Now()
	for i := range byte(2) {
		go func() {
			time.Sleep(time.Duration(i) * 20 * time.Second)
			for s.Context().Err() == nil && s.f.life.Err() == nil {
				name := marketcache.Wallet{1 + i}
				_, err := s.f.LoadAccount(s.Context(), name, marketcache.NoAsset)
				_, age, known := s.cache.Account(&name, marketcache.Now(), marketcache.Forever)
				old := !known || age > 5*time.Second
				// a cold start uses up its first minute
				if old && s.f.life.Err() == nil && time.Since(w.began) > time.Minute {
					s.Errorf("wallet after %v: %v old, %v", time.Since(w.began), age, err)
				}
				time.Sleep(2 * time.Second)
			}
		}()
	}
	s.within(30*time.Second, "the universe", func() bool { return len(s.f.ranks.Load().IDs) == w.n })
}

// answerable reports whether the first assets in the order of open interest can be assessed.
func (s scene) answerable(first int) bool {
	for _, id := range s.f.ranks.Load().IDs[:first] {
		if _, through := s.cache.Bars(id); through == 0 || s.cache.FundingStats(id) == nil {
			return false
		}
	}
	return true
}

func (w *warmUp) start(s scene) {
	limit := 16 * time.Minute
	if len(w.dexes) > 0 {
		limit = 30 * time.Minute
	}
	w.follow(s)
	head := s.f.ranks.Load().Head
	if w.n > 100 && head > 20 {
		s.Errorf("%d assets in the head", head)
	}
	s.within(2*time.Minute-time.Since(w.began), "80 % of the open interest", func() bool { return s.answerable(head) })
	s.Logf("%d assets with 80 %% of the open interest after %v", head, time.Since(w.began))
	s.within(limit-time.Since(w.began), "every asset", func() bool { return s.answerable(w.n) })
	s.Logf("all %d after %v, at most %d weight a minute", w.n, time.Since(w.began), s.v.busiest())
	if w.whole > 0 {
		w.secondPass(s)
	}
	if st := s.f.Stats(); st.Refused != 0 || st.RequestFailures != 0 {
		s.Errorf("%+v", st)
	}
	w.ran = time.Since(w.began) + 10*time.Minute
}

// secondPass waits for complete histories.
func (w *warmUp) secondPass(s scene) {
	began := time.Now()
	expected := s.loading(w.n)
	if expected <= 0 {
		s.Errorf("after the first pass the second is expected to take %v", expected)
	}
	s.within(w.whole, "complete histories", func() bool {
		time.Sleep(time.Second)
		return s.f.history.Phase() == feed.Warm
	})
	took := time.Since(began)
	s.Logf("complete after %v, at most %d weight a minute", took, s.v.busiest())
	if expected < took/2 || expected > 2*took {
		s.Errorf("the second pass took %v, expected were %v", took, expected)
	}
	for _, id := range s.f.ranks.Load().IDs {
		if l := s.cache.Loading(id); l != nil {
			s.Errorf("asset %d still loads: %+v", id, l)
		}
		bars, _ := s.cache.Bars(id)
		if rows := s.cache.FundingRows(id).View(); len(bars) < candleRows || len(rows) < 720 {
			s.Fatalf("asset %d has %d bars, %d rows", id, len(bars), len(rows))
		}
		for i := range bars[1:] {
			if bars[i+1].OpenMs-bars[i].OpenMs != hourMs {
				s.Fatalf("asset %d: gap at bar %d", id, i)
			}
		}
	}
}

func (w *warmUp) restart(s scene) {
	depth := 90 * time.Second
	if len(w.dexes) > 0 {
		depth = 150 * time.Second
	}
	w.follow(s)
	s.within(90*time.Second-time.Since(w.began), "every asset", func() bool { return s.answerable(w.n) })
	s.Logf("all %d after a restart and %v", w.n, time.Since(w.began))
	// Books that were never read come before the histories of the second pass.
	s.within(depth-time.Since(w.began), "the depth of every book", func() bool {
		return !slices.ContainsFunc(s.f.ranks.Load().IDs, func(id marketcache.AssetID) bool {
			m := s.market(id)
			return m.Book == nil || m.DepthAge < 0
		})
	})
	s.Logf("the depth of all after %v", time.Since(w.began))
	// Histories that were incomplete on disk are still incomplete, and are completed; the
	// others are not requested again.
	if want := map[bool]feed.Phase{true: feed.SecondPass, false: feed.Warm}[w.whole == 0]; s.f.history.Phase() != want {
		s.Errorf("phase %v after a restart, want %v", s.f.history.Phase(), want)
	}
	complete := 0
	for _, id := range s.f.ranks.Load().IDs {
		if bars, _ := s.cache.Bars(id); len(bars) >= candleRows {
			complete++
		}
	}
	if w.whole == 0 && complete == 0 || w.whole != 0 && complete != w.n {
		s.Errorf("%d assets have all bars", complete)
	}
}

// loading waits until the ends of all loads can be told and returns the last of them. Every asset but those of
// the first pass that got whole histories lacks older bars, and every asset lacks its funding.
func (s scene) loading(n int) (last time.Duration) {
	s.within(time.Minute, "estimates", func() bool {
		older, unpaid := 0, 0
		last = 0
		for _, id := range s.f.ranks.Load().IDs {
			l := s.cache.Loading(id)
			if l == nil || l.Funding && l.FundingReadyIn < 0 || l.Candles && l.CandlesReadyIn < 0 {
				return false
			}
			last = max(last, l.FundingReadyIn, l.CandlesReadyIn)
			if bars, _ := s.cache.Bars(id); l.Candles != (len(bars) < candleRows) {
				s.Errorf("asset %d has %d bars: %+v", id, len(bars), l)
			}
			if l.Candles {
				older++
			}
			if l.Funding {
				unpaid++
			}
		}
		return older >= n-5 && unpaid >= n-1 // one may be complete by now
	})
	return last
}

// busiest returns the largest weight in any minute.
func (v *fakeVenue) busiest() (weight int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	sum, first := 0, 0
	for _, s := range v.spent {
		for sum += s.weight; s.at.Sub(v.spent[first].at) > time.Minute; first++ {
			sum -= v.spent[first].weight
		}
		weight = max(weight, sum)
	}
	return weight
}

// TestUnreadBooksComeBeforeHistories: after a restart during the second pass of histories, which
// would use a small budget for an hour, books that no stream carries are read first.
func TestUnreadBooksComeBeforeHistories(t *testing.T) {
	takesLong(t)
	dir, ran := t.TempDir(), time.Duration(0)
	setup := func(v *fakeVenue, cfg *Config) {
		time.Sleep(ran)
		v.assets, v.every = many(40), 2*time.Second
		cfg.Share, cfg.Budget, cfg.DataDir, v.limit = 0.05, 200, dir, 200
	}
	play(t, setup, func(s scene) {
		began := time.Now()
		s.within(30*time.Minute, "the first pass", func() bool {
			time.Sleep(time.Second)
			return s.f.history.Pending() == 0
		})
		ran = time.Since(began) + 5*time.Minute
	})
	play(t, setup, func(s scene) {
		began := time.Now()
		s.within(2*time.Minute, "32 books", func() bool { time.Sleep(time.Second); return s.f.Stats().BookReads >= 32 })
		s.Logf("32 books after %v", time.Since(began))
		if s.f.history.Phase() != feed.SecondPass {
			s.Error("no history was to be read: the test shows nothing")
		}
	})
}
