package hyperliquid

import (
	"math"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// TestWarmUp: with half of the venue's limits, all 180 assets can be assessed 16 minutes after the
// first start, the assets that carry 80 % of the open interest after two minutes, and all at once
// after a restart.
func TestWarmUp(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, under the race detector a minute")
	}
	warmUp(t, 180, 0)
}

// TestWarmUpOfDexes: the same for 178 assets of the main dex and 148 of four others, whose tables
// and wallets take more weight, within half an hour.
func TestWarmUpOfDexes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, under the race detector a minute")
	}
	warmUp(t, 326, 0, "xyz", "para", "mkts", "io")
}

// TestSecondPass also waits for complete histories.
func TestSecondPass(t *testing.T) { warmUp(t, 12, 30*time.Minute) }

// warmUp loads n assets with half of the venue's limits while two wallets are read every two
// seconds. It waits up to whole for complete histories (0: it does not wait), and restarts.
func warmUp(t *testing.T, n int, whole time.Duration, dexes ...string) {
	limits := smallCache
	defer func() { smallCache = limits }()
	smallCache.Assets = 512
	dir, limit, depth := t.TempDir(), 16*time.Minute, 90*time.Second
	if len(dexes) > 0 {
		limit, depth = 30*time.Minute, 150*time.Second
	}
	var ran time.Duration
	setup := func(v *fakeVenue, cfg *Config) {
		time.Sleep(ran)
		v.assets, v.every = many(n), 2*time.Second
		v.dexes, cfg.Dexes = dexes, []string{AllDexes}
		for i := range v.assets {
			if i >= 178 && len(dexes) > 0 {
				v.assets[i] = dexes[max(0, i-286)/10] + ":" + v.assets[i]
			}
		}
		cfg.Share, cfg.Budget, cfg.DataDir, v.limit = 0.5, 0, dir, 600
		// Nine assets carry 80 % of the open interest; they are not the first nine in the list.
		v.interest = func(i int) float64 { return 1e8 * math.Pow(float64(1+i*97%n), -1.6) }
		v.info = func(kind string, req infoRequest) (int, string, map[string]string) {
			if kind == "candleSnapshot" {
				return 200, v.candles(req.Req.Coin, req.Req.StartTime, 5000), nil
			}
			return 0, "", nil
		}
	}
	began := time.Time{}
	follow := func(s scene) {
		began = time.Now()
		for i := range byte(2) {
			go func() {
				time.Sleep(time.Duration(i) * 20 * time.Second)
				for s.Context().Err() == nil && s.f.life.Err() == nil {
					w := marketcache.Wallet{1 + i}
					_, err := s.f.LoadAccount(s.Context(), w, marketcache.NoAsset)
					_, age, known := s.cache.Account(&w, marketcache.Now(), marketcache.Forever)
					if (!known || age > 5*time.Second) && s.f.life.Err() == nil && time.Since(began) > time.Minute { // a cold start uses up its first minute
						s.Errorf("wallet after %v: %v old, %v", time.Since(began), age, err)
					}
					time.Sleep(2 * time.Second)
				}
			}()
		}
		s.within(30*time.Second, "the universe", func() bool { return len(s.f.ranks.Load().IDs) == n })
	}
	answerable := func(s scene, first int) bool {
		for _, id := range s.f.ranks.Load().IDs[:first] {
			if _, through := s.cache.Bars(id); through == 0 || s.cache.FundingStats(id) == nil {
				return false
			}
		}
		return true
	}
	play(t, setup, func(s scene) {
		follow(s)
		head := s.f.ranks.Load().Head
		if n > 100 && head > 20 {
			s.Errorf("%d assets in the head", head)
		}
		s.within(2*time.Minute-time.Since(began), "80 % of the open interest", func() bool { return answerable(s, head) })
		s.Logf("%d assets with 80 %% of the open interest after %v", head, time.Since(began))
		s.within(limit-time.Since(began), "every asset", func() bool { return answerable(s, n) })
		s.Logf("all %d after %v, at most %d weight a minute", n, time.Since(began), s.v.busiest())
		if whole > 0 {
			began := time.Now()
			expected := s.loading(n)
			if expected <= 0 {
				s.Errorf("after the first pass the second is expected to take %v", expected)
			}
			defer func() {
				if took := time.Since(began); expected < took/2 || expected > 2*took {
					s.Errorf("the second pass took %v, expected were %v", took, expected)
				}
			}()
			s.within(whole, "complete histories", func() bool { time.Sleep(time.Second); return s.f.history.Phase() == feed.Warm })
			s.Logf("complete after %v, at most %d weight a minute", time.Since(began), s.v.busiest())
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
		if st := s.f.Stats(); st.Refused != 0 || st.RequestFailures != 0 {
			s.Errorf("%+v", st)
		}
		ran = time.Since(began) + 10*time.Minute
	})
	play(t, setup, func(s scene) {
		follow(s)
		s.within(90*time.Second-time.Since(began), "every asset", func() bool { return answerable(s, n) })
		s.Logf("all %d after a restart and %v", n, time.Since(began))
		// Books that were never read come before the histories of the second pass.
		s.within(depth-time.Since(began), "the depth of every book", func() bool {
			for _, id := range s.f.ranks.Load().IDs {
				var m marketcache.Market
				if s.cache.Market(id, marketcache.Now(), marketcache.AgeLimits{Market: time.Hour}, &m); m.Book == nil || m.DepthAge < 0 {
					return false
				}
			}
			return true
		})
		s.Logf("the depth of all after %v", time.Since(began))
		// Histories that were incomplete on disk are still incomplete, and are completed; the
		// others are not requested again.
		if want := map[bool]feed.Phase{true: feed.SecondPass, false: feed.Warm}[whole == 0]; s.f.history.Phase() != want {
			s.Errorf("phase %v after a restart, want %v", s.f.history.Phase(), want)
		}
		complete := 0
		for _, id := range s.f.ranks.Load().IDs {
			if bars, _ := s.cache.Bars(id); len(bars) >= candleRows {
				complete++
			}
		}
		if whole == 0 && complete == 0 || whole != 0 && complete != n {
			s.Errorf("%d assets have all bars", complete)
		}
	})
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
		return older == n-4 && unpaid == n
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
	if testing.Short() {
		t.Skip("takes seconds, under the race detector many")
	}
	dir, ran := t.TempDir(), time.Duration(0)
	setup := func(v *fakeVenue, cfg *Config) {
		time.Sleep(ran)
		v.assets, v.every = many(40), 2*time.Second
		cfg.Share, cfg.Budget, cfg.DataDir, v.limit = 0.05, 200, dir, 200
	}
	play(t, setup, func(s scene) {
		began := time.Now()
		s.within(30*time.Minute, "the first pass", func() bool { time.Sleep(time.Second); return s.f.history.Pending() == 0 })
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
