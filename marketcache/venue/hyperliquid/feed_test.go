package hyperliquid

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/marketcache"
)

func TestFollows(t *testing.T) {
	play(t, nil, func(s scene) {
		time.Sleep(3 * time.Second)
		s.fresh(time.Second, 0, 1, 2)
		if !s.cache.Venue.Connected.Load() || s.cache.LastMessageAge(marketcache.Now()) > time.Second {
			s.Error("not connected")
		}
		b, _, _ := s.cache.Books(0).Latest(marketcache.Now(), time.Second)
		// The 20 levels of the finest book, and the levels that the coarser books add beyond.
		if (*b).Asks.Len() <= 20 || !(*b).TwoSided() {
			s.Errorf("%d asks, mid %v", (*b).Asks.Len(), (*b).MidPrice)
		}
		bars, through := s.cache.Bars(1)
		if len(bars) != 200 || through != time.Now().Truncate(time.Hour).UnixMilli()-hourMs &&
			through != time.Now().Truncate(time.Hour).UnixMilli() {
			s.Errorf("%d bars through %v", len(bars), time.UnixMilli(through).UTC())
		}
		if st := s.cache.FundingStats(2); st == nil || st.Rows != 720 || math.Abs(st.MeanHourly168-0.0000125) > 1e-18 ||
			st.MedianHourly720 != 0.0000125 || st.MADHourly720 != 0 {
			s.Errorf("funding %+v", st)
		}
		m := s.market(0)
		if !m.AtCap || m.CEX == nil || m.CEX.RateHourly != 0.0001 || m.CEX.Venues != 1 || m.Interest == nil ||
			m.Interest.MaxUSD180d < 100_000 {
			s.Errorf("at cap %v, CEX %+v, interest %+v", m.AtCap, m.CEX, m.Interest)
		}
		if n := s.f.history.Pending(); n != 0 {
			s.Errorf("%d histories pending", n)
		}
		time.Sleep(3 * time.Minute)
		s.fresh(time.Second, 0, 1, 2)
		if st := s.cache.MinuteSamples(0).View(); len(st) != 3 || st[0].SpreadBps <= 0 || st[0].Depth50BpsUSD <= 0 {
			s.Errorf("samples %+v", st)
		}
		st := s.f.Stats()
		// One repeated subscription is allowed: contexts that came before any mark.
		if st.ParseErrors+st.RejectedBooks+st.RejectedContexts+st.Reconnects+st.BookReads+st.Panics != 0 ||
			st.RequestFailures != 0 || st.Resubscribes > 1 {
			s.Errorf("a day without faults has %+v", st)
		}
		if st.Connections != 7 || st.Subscriptions != 3*int(precisions)+2 {
			s.Errorf("stats %+v", st)
		}
	})
}

func TestBarsFollowTheHour(t *testing.T) {
	takesLong(t)
	play(t, func(v *fakeVenue, _ *Config) { v.every = 8 * time.Second }, func(s scene) {
		time.Sleep(65 * time.Minute)
		for id := range marketcache.AssetID(3) {
			bars, through := s.cache.Bars(id)
			if want := s.v.started.Truncate(time.Hour).Add(time.Hour); len(bars) != 201 || through != want.UnixMilli() {
				s.Errorf("asset %d: %d bars through %v", id, len(bars), time.UnixMilli(through).UTC())
			}
			for i := 1; i < len(bars); i++ {
				if bars[i].OpenMs != bars[i-1].OpenMs+hourMs {
					s.Fatalf("asset %d: bar %d out of order", id, i)
				}
			}
		}
		if n := s.v.count("candleSnapshot"); n > 9 {
			s.Errorf("%d candle requests for three assets and one hour", n)
		}
	})
}

func TestReconnects(t *testing.T) {
	play(t, nil, func(s scene) {
		time.Sleep(3 * time.Second)
		for range 5 { // 28 s apart, within the limit on new connections
			s.v.cut()
			time.Sleep(4 * time.Second)
			s.fresh(time.Second, 0, 1, 2)
			time.Sleep(24 * time.Second)
		}
		if n := s.f.cache.Venue.Reconnects.Load(); n < 5 {
			s.Errorf("%d reconnects", n)
		}
		s.connectsBounded()
	})
}

// connectsBounded checks that in no minute the venue received more attempts to open a socket than
// the feed's share allows.
func (s scene) connectsBounded() {
	s.Helper()
	s.v.mu.Lock()
	defer s.v.mu.Unlock()
	first := 0
	for i, t := range s.v.connects {
		for t.Sub(s.v.connects[first]) > time.Minute {
			first++
		}
		if n := i - first + 1; n > s.f.room.connects {
			s.Errorf("connection %d is the %d-th of its minute, of %d", i, n, s.f.room.connects)
		}
	}
}

// TestHalfOpen: connections stop working, at rest or while a ping is under way: then a frame sent before arrives after
// the ping.
func TestHalfOpen(t *testing.T) {
	for _, lastWord := range []bool{false, true} {
		play(t, nil, func(s scene) {
			time.Sleep(3 * time.Second)
			s.v.says(500, "null", "l2Book")
			s.v.script(func() { s.v.silent, s.v.lastWord = !lastWord, lastWord })
			s.within(20*time.Second, "silence", s.v.isSilent)
			n := int64(s.f.Stats().Connections)
			time.Sleep(5500 * time.Millisecond)
			if found := s.f.stats.halfOpen.Load(); found < n || n == 0 {
				s.Errorf("last word %v: %d half-open connections of %d found in 5.5 s", lastWord, found, n)
			}
			if a := s.bookAge(0); a < 5*time.Second {
				s.Errorf("a book on a dead connection has age %v", a)
			}
			s.v.script(func() { s.v.silent = false })
			time.Sleep(10 * time.Second)
			s.fresh(time.Second, 0, 1, 2)
		})
	}
}

func TestVenueDownAtStartAndLater(t *testing.T) {
	takesLong(t)
	play(t, func(v *fakeVenue, _ *Config) { v.down = true }, func(s scene) {
		time.Sleep(10 * time.Minute)
		if s.cache.Universe().Lookup([]byte("A")) != marketcache.NoAsset || !s.cache.Venue.BreakerOpen.Load() {
			s.Error("data from a venue that is down, or the breaker is closed")
		}
		_, err := s.f.LoadAccount(s.Context(), first, marketcache.NoAsset)
		if !errors.Is(err, marketcache.ErrUnavailable) {
			s.Errorf("account although the venue is down: %v", err)
		}
		s.v.script(func() { s.v.down = false })
		s.within(5*time.Second, "books after the start", func() bool {
			return s.bookAge(0) >= 0 && s.contextAge(0) >= 0
		})
		time.Sleep(20 * time.Second)
		s.fresh(time.Second, 0, 1, 2)

		s.v.script(func() { s.v.down = true })
		s.v.cut()
		time.Sleep(time.Hour)
		if s.cache.Venue.Connected.Load() || s.bookAge(0) < 59*time.Minute {
			s.Error("connected although the venue is down")
		}
		s.connectsBounded()
		s.v.script(func() { s.v.down = false })
		s.within(5*time.Second, "books after an hour", func() bool {
			return s.bookAge(0) < time.Second && s.bookAge(1) < time.Second && s.bookAge(2) < time.Second
		})
	})
}

func TestOnlySocketsDown(t *testing.T) {
	play(t, nil, func(s scene) {
		time.Sleep(3 * time.Second)
		s.v.script(func() { s.v.noSocket = true })
		s.v.cut()
		time.Sleep(10 * time.Minute)
		s.connectsBounded()
		if a := s.contextAge(0); a > marksByREST+2*time.Second {
			s.Errorf("contexts are %v old although REST answers", a)
		}
		if a := s.bookAge(0); a > minSilence+2*time.Second {
			s.Errorf("book is %v old although REST answers", a)
		}
		s.v.script(func() { s.v.noSocket = false })
		s.within(6*time.Second, "books back", func() bool {
			return s.bookAge(0) < time.Second && s.bookAge(1) < time.Second && s.bookAge(2) < time.Second
		})
	})
}

// TestShare: a feed stays within its share of the venue's connections, subscriptions and messages,
// even when all connections are lost, and every asset still has a book.
func TestShare(t *testing.T) {
	takesLong(t)
	play(t, func(v *fakeVenue, cfg *Config) {
		v.assets, v.every = many(326), time.Second
		cfg.Share, cfg.Budget, cfg.DataDir, v.limit = 0.5, 0, t.TempDir(), 600
	}, func(s scene) {
		time.Sleep(5 * time.Minute)
		st := s.f.Stats()
		if st.Connections > 5 || st.Subscriptions != 500 || st.Weight.Limit != 600 {
			s.Errorf("%+v", st)
		}
		for range 3 {
			s.v.cut()
			time.Sleep(20 * time.Second)
		}
		time.Sleep(4 * time.Minute) // two minutes' messages are enough to subscribe everything
		scheduled := 0
		for id := range marketcache.AssetID(326) {
			m := s.market(id)
			if m.Book == nil || m.BookAge > 3*time.Second || m.Book.DepthCadence > maxDepthCadence {
				s.Fatalf("asset %d: best levels %v old, depth renewed every %v", id, m.BookAge, m.Book.DepthCadence)
			}
			// Books read on a schedule have low priority during the warm-up: some have not been
			// read yet, or long ago.
			if m.Book.DepthCadence == maxDepthCadence {
				scheduled++
			} else if m.DepthAge < 0 || m.DepthAge > m.Book.DepthCadence+time.Second {
				s.Fatalf("asset %d: depth %v old, renewed every %v", id, m.DepthAge, m.Book.DepthCadence)
			}
		}
		if scheduled != 326-172 {
			s.Errorf("%d books are read by schedule", scheduled)
		}
		s.v.script(func() {
			for i, at := range s.v.framesAt {
				n := 0
				for _, o := range s.v.framesAt[:i+1] {
					if at.Sub(o) <= time.Minute {
						n++
					}
				}
				if n > 1000 {
					s.Fatalf("%d messages in a minute", n)
				}
			}
		})
		s.connectsBounded()
	})
}

func TestListing(t *testing.T) {
	play(t, nil, func(s scene) {
		time.Sleep(3 * time.Second)
		// A new listing: lists have one more entry before the universe is read again.
		s.v.script(func() { s.v.assets = append(s.v.assets, "D") })
		s.within(20*time.Second, "the new asset", func() bool {
			id := s.cache.Universe().LookupString("D")
			return id != marketcache.NoAsset && s.bookAge(id) >= 0 && s.contextAge(id) >= 0
		})
		if s.f.stats.rejectedContexts.Load() == 0 {
			s.Error("a list of another length was taken")
		}
		// REST returns a universe and contexts of different lengths, or invalid data: the last valid value stays.
		s.v.says(200, strings.Replace(metaJSON("A", "B"), contextJSON(100)+",", "", 1), "metaAndAssetCtxs")
		time.Sleep(3 * time.Minute)
		if s.f.Stats().RejectedMetas == 0 || len(s.cache.Universe().Assets) != 4 {
			s.Errorf("%d metas refused, %d assets", s.f.Stats().RejectedMetas, len(s.cache.Universe().Assets))
		}
		s.fresh(1100*time.Millisecond, 0, 1, 2, 3)
	})
}

func TestAccount(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) { v.every = 8 * time.Second }, func(s scene) {
		time.Sleep(3 * time.Second)
		a := s.load(1, 1)
		if a.Mode != marketcache.ModeDisabled || a.ModeUncertain || a.TakerRate != 0.0004*(1-0.04) ||
			a.CrossAccountValueUSD != 1000 || len(a.Positions) != 1 || a.Positions[0].Asset != 0 || a.SpotUSDC != 0 {
			s.Errorf("%+v", a)
		}
		if l, ok := a.Setting(1); !ok || l.Leverage != 7 {
			s.Errorf("setting %v", a.Settings)
		}
		if held, _, ok := s.cache.Account(&first, marketcache.Now(), time.Second); !ok || held != a {
			s.Error("not in the cache")
		}
		// When warm, a read is one request of weight 2. For an asset in which the wallet has a
		// position, the leverage setting is not requested.
		before := fmt.Sprint(s.v.count("userFees"), s.v.count("userAbstraction"), s.v.count("activeAssetData"))
		time.Sleep(3 * time.Second)
		s.load(1, 1)
		s.load(1, 0)
		if after := fmt.Sprint(s.v.count("userFees"), s.v.count("userAbstraction"),
			s.v.count("activeAssetData")); after != before || s.v.count("clearinghouseState") != 3 {
			s.Errorf("a warm read asked %s, then %s", before, after)
		}
		// After ten minutes everything is read again; values that cannot be read stay unchanged.
		time.Sleep(11 * time.Minute)
		s.v.says(500, "null", "userFees", "userAbstraction")
		a = s.load(1, marketcache.NoAsset)
		if a.Mode != marketcache.ModeDisabled || a.ModeUncertain || a.TakerRate != 0.0004*(1-0.04) ||
			len(a.Settings) != 0 {
			s.Errorf("%+v", a)
		}
		a = s.load(2, marketcache.NoAsset)
		if a.Mode != marketcache.ModeDefault || !a.ModeUncertain || a.TakerRate != baseTakerRate || !a.FeesDoubted {
			s.Errorf("%+v", a)
		}
		next := byte(10)
		for mode, want := range map[string]marketcache.Account{
			`"unifiedAccount"`:  {Mode: marketcache.ModeUnified, ModeUncertain: true, SpotUSDC: 77.5},
			`"portfolioMargin"`: {Mode: marketcache.ModePortfolioMargin, SpotUSDC: 77.5},
			`"default"`:         {Mode: marketcache.ModeDefault},
			`"dexAbstraction"`:  {Mode: marketcache.ModeDexAbstraction},
			`"somethingNew"`:    {Mode: marketcache.ModeDefault, ModeUncertain: true},
		} {
			s.v.says(200, mode, "userAbstraction")
			a := s.load(next, marketcache.NoAsset)
			next++
			if a.Mode != want.Mode || a.ModeUncertain != want.ModeUncertain || a.SpotUSDC != want.SpotUSDC {
				s.Errorf("%s: %+v", mode, a)
			}
		}
	})
}

func TestSingleFlight(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) { v.hold = time.Second }, func(s scene) {
		time.Sleep(30 * time.Second)
		var wg sync.WaitGroup
		var good, cancelled atomic.Int32
		for i := range 100 {
			wg.Go(func() {
				ctx, cancel := context.WithCancel(s.Context())
				defer cancel()
				if i == 0 { // the caller that started the read gives up
					time.AfterFunc(300*time.Millisecond, cancel)
				} else {
					time.Sleep(10 * time.Millisecond)
				}
				_, err := s.f.LoadAccount(ctx, wallet(9), marketcache.NoAsset)
				switch {
				case err == nil:
					good.Add(1)
				case errors.Is(err, context.Canceled):
					cancelled.Add(1)
				default:
					s.Error(err)
				}
			})
		}
		wg.Wait()
		if good.Load() != 99 || cancelled.Load() != 1 {
			s.Errorf("%d good, %d cancelled", good.Load(), cancelled.Load())
		}
		for _, kind := range []string{"clearinghouseState", "userAbstraction", "userFees"} {
			if n := s.v.count(kind); n != 1 {
				s.Errorf("%d reads of %s", n, kind)
			}
		}
		// Callers that need the settings of different assets each get theirs, one read after
		// another.
		s.v.script(func() { s.v.hold = 100 * time.Millisecond })
		for id := range marketcache.AssetID(3) {
			wg.Go(func() {
				a, err := s.f.LoadAccount(s.Context(), wallet(8), id)
				if err != nil {
					s.Error(err)
				} else if _, ok := a.Setting(id); !ok && a.PositionIn(id) < 0 {
					s.Errorf("no setting of %d", id)
				}
			})
		}
		wg.Wait()
	})
}
