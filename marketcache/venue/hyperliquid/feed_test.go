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
		// Full book of 20 levels, then what the coarse ones add beyond.
		if (*b).Asks.Len() <= 20 || !(*b).TwoSided() {
			s.Errorf("%d asks, mid %v", (*b).Asks.Len(), (*b).MidPrice)
		}
		bars, through := s.cache.Bars(1)
		if len(bars) != 200 || through != time.Now().Truncate(time.Hour).UnixMilli()-hourMs && through != time.Now().Truncate(time.Hour).UnixMilli() {
			s.Errorf("%d bars through %v", len(bars), time.UnixMilli(through).UTC())
		}
		if st := s.cache.FundingStats(2); st == nil || st.Rows != 720 || math.Abs(st.MeanHourly168-0.0000125) > 1e-18 || st.MedianHourly720 != 0.0000125 || st.MADHourly720 != 0 {
			s.Errorf("funding %+v", st)
		}
		var m marketcache.Market
		s.cache.Market(0, marketcache.Now(), marketcache.AgeLimits{Market: time.Minute, CEX: time.Hour}, &m)
		if !m.AtCap || m.CEX == nil || m.CEX.RateHourly != 0.0001 || m.CEX.Venues != 1 || m.Interest == nil || m.Interest.MaxUSD180d < 100_000 {
			s.Errorf("at cap %v, CEX %+v, interest %+v", m.AtCap, m.CEX, m.Interest)
		}
		if n := s.f.history.pending(); n != 0 {
			s.Errorf("%d histories pending", n)
		}
		time.Sleep(3 * time.Minute)
		s.fresh(time.Second, 0, 1, 2)
		if st := s.cache.MinuteSamples(0).View(); len(st) != 3 || st[0].SpreadBps <= 0 || st[0].Depth50BpsUSD <= 0 {
			s.Errorf("samples %+v", st)
		}
		st := s.f.Stats()
		if st.ParseErrors+st.RejectedBooks+st.RejectedContexts+st.Reconnects+st.Resubscribes+st.CrossChecks+st.Panics+st.RequestFailures != 0 {
			s.Errorf("a calm day has %+v", st)
		}
		if st.ContextsFrom != "all" || st.Connections != 7 && st.Connections != bookSockets+1 || st.Subscriptions != 13 {
			s.Errorf("stats %+v", st)
		}
	})
}

func TestBarsFollowTheHour(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) { v.every = 8 * time.Second }, func(s scene) {
		time.Sleep(90 * time.Minute)
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
		for range 5 { // three in the first minute: as many as its connections allow
			s.v.cut()
			time.Sleep(4 * time.Second)
			s.fresh(time.Second, 0, 1, 2)
			time.Sleep(24 * time.Second)
		}
		if n := s.f.stats.reconnects.Load(); n < 5 {
			s.Errorf("%d reconnects", n)
		}
		s.connectsBounded()
	})
}

// connectsBounded checks that no minute saw more than maxConnects new sockets. REST
// connections are among the dials, so the bound is checked on the gate.
func (s scene) connectsBounded() {
	s.Helper()
	w := s.f.gate.window
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, t := range w.times {
		n := 0
		for _, o := range w.times {
			if o != 0 && o <= t && t.Sub(o) <= time.Minute {
				n++
			}
		}
		if n > maxConnects {
			s.Errorf("connection %d is the %d-th of its minute", i, n)
		}
	}
}

func TestHalfOpen(t *testing.T) {
	play(t, nil, func(s scene) {
		time.Sleep(3 * time.Second)
		s.v.script(func() { s.v.silent = true })
		time.Sleep(5500 * time.Millisecond)
		if n := s.f.stats.halfOpen.Load(); n < int64(s.f.Stats().Connections) || n == 0 {
			s.Errorf("%d half-open connections found in 5.5 s", n)
		}
		if a := s.bookAge(0); a < 5*time.Second {
			s.Errorf("book looks %v old on a dead connection", a)
		}
		s.v.script(func() { s.v.silent = false })
		time.Sleep(10 * time.Second)
		s.fresh(time.Second, 0, 1, 2)
	})
}

// TestHalfOpenAfterAPing: the connection dies while a ping is under way, and something
// said before comes after it.
func TestHalfOpenAfterAPing(t *testing.T) {
	play(t, nil, func(s scene) {
		time.Sleep(3 * time.Second)
		s.v.script(func() { s.v.lastWord = true })
		s.within(20*time.Second, "the last word", s.v.isSilent)
		n := int64(s.f.Stats().Connections)
		time.Sleep(5500 * time.Millisecond)
		if found := s.f.stats.halfOpen.Load(); found < n || n == 0 {
			s.Errorf("%d half-open connections of %d found in 5.5 s", found, n)
		}
		s.v.script(func() { s.v.silent = false })
		time.Sleep(10 * time.Second)
		s.fresh(time.Second, 0, 1, 2)
	})
}

func TestVenueDownAtStartAndLater(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) { v.down = true }, func(s scene) {
		time.Sleep(10 * time.Minute)
		if s.cache.Universe().Lookup([]byte("A")) != marketcache.NoAsset || !s.cache.Venue.BreakerOpen.Load() {
			s.Error("what was read, and from whom?")
		}
		if _, err := s.f.LoadAccount(s.Context(), wallet(1), marketcache.NoAsset); !errors.Is(err, ErrUnavailable) {
			s.Errorf("account of a venue that is down: %v", err)
		}
		s.v.script(func() { s.v.down = false })
		s.within(5*time.Second, "books after the start", func() bool { return s.bookAge(0) >= 0 && s.contextAge(0) >= 0 })
		time.Sleep(20 * time.Second)
		s.fresh(time.Second, 0, 1, 2)

		s.v.script(func() { s.v.down = true })
		s.v.cut()
		time.Sleep(time.Hour)
		if s.cache.Venue.Connected.Load() || s.bookAge(0) < 59*time.Minute {
			s.Error("connected to a venue that is down")
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
		if a := s.contextAge(0); a > 5*time.Second {
			s.Errorf("contexts are %v old although REST answers", a)
		}
		if a := s.bookAge(0); a < 9*time.Minute {
			s.Errorf("book is %v old without a socket", a)
		}
		s.v.script(func() { s.v.noSocket = false })
		s.within(6*time.Second, "books back", func() bool {
			return s.bookAge(0) < time.Second && s.bookAge(1) < time.Second && s.bookAge(2) < time.Second
		})
	})
}

func TestSilentSubscription(t *testing.T) {
	play(t, nil, func(s scene) {
		time.Sleep(3 * time.Second)
		asked := s.v.count("l2Book")
		// B's books are no longer pushed, on any socket, not even when subscribed again;
		// the market moves on.
		s.v.script(func() {
			s.v.push = func(coin string, figures int, now time.Time) string {
				if coin == "B" {
					return ""
				}
				return s.v.movingBook(coin, figures, now)
			}
		})
		time.Sleep(9 * time.Second)
		if s.v.count("l2Book") != asked {
			s.Error("asked REST before ten seconds of silence")
		}
		s.fresh(time.Second, 0, 2)
		time.Sleep(4 * time.Second)
		if n := s.v.count("l2Book"); n <= asked {
			s.Error("a silent book was not compared with REST")
		}
		if n := s.f.stats.resubscribes.Load(); n == 0 {
			s.Error("a silent book was not resubscribed")
		}
		// From now on REST is ahead of the stream, so nothing but REST makes it fresh: its
		// age reaches ten seconds between two comparisons, and never falls by a pong.
		worst := time.Duration(0)
		for range 300 {
			time.Sleep(100 * time.Millisecond)
			worst = max(worst, s.bookAge(1))
		}
		if worst < 8*time.Second || worst > 15*time.Second {
			s.Errorf("a stalled book grew %v old at worst", worst)
		}
		s.fresh(time.Second, 0, 2)
	})
}

func TestQuietMarketIsFresh(t *testing.T) {
	var pushed sync.Map
	quiet := func(v *fakeVenue) {
		// B's books are pushed once and then never, also when subscribed again, and its
		// market stands still: REST says the same, with a new time.
		still := func(coin string, figures int, now time.Time) string {
			return precisionJSON(coin, now.UnixMilli(), 100, figures)
		}
		v.push = func(coin string, figures int, now time.Time) string {
			if coin != "B" {
				return v.movingBook(coin, figures, now)
			}
			if _, done := pushed.LoadOrStore(figures, true); done {
				return ""
			}
			return still(coin, figures, now)
		}
		v.info = func(kind string, req infoRequest) (int, string, map[string]string) {
			if kind == "l2Book" && req.Coin == "B" {
				return 200, still("B", req.NSigFigs, v.now()), nil
			}
			return 0, "", nil
		}
	}
	play(t, func(v *fakeVenue, cfg *Config) { quiet(v); cfg.Budget = 1200; v.limit = 1200 }, func(s scene) {
		time.Sleep(15 * time.Second)
		worst := time.Duration(0)
		for range 1200 {
			time.Sleep(100 * time.Millisecond)
			worst = max(worst, s.bookAge(1))
		}
		if worst > 5*time.Second {
			s.Errorf("a quiet book grew %v old", worst)
		}
		b, _, _ := s.cache.Books(1).Latest(marketcache.Now(), marketcache.Forever)
		if (*b).Asks.Len() <= 20 {
			s.Error("quiet coarse books left the merger")
		}
	})
}

// TestSilenceWithoutREST: the stream stalls and REST cannot be asked for books: the age
// counts from the last message, not from the open socket.
func TestSilenceWithoutREST(t *testing.T) {
	play(t, nil, func(s scene) {
		time.Sleep(3 * time.Second)
		s.v.script(func() {
			s.v.push = nil
			s.v.info = func(kind string, _ infoRequest) (int, string, map[string]string) {
				if kind == "l2Book" {
					return 500, "null", nil
				}
				return 0, "", nil
			}
		})
		time.Sleep(60 * time.Second)
		if a := s.bookAge(0); a < 45*time.Second {
			s.Errorf("a stalled book looks %v old after a minute", a)
		}
	})
}

func TestBadBooksAge(t *testing.T) {
	bad := map[string]func(v *fakeVenue, figures int, now time.Time) string{
		"crossed": func(_ *fakeVenue, _ int, now time.Time) string {
			return fmt.Sprintf(`{"coin":"B","time":%d,"levels":[[{"px":"101","sz":"1","n":1}],[{"px":"100","sz":"1","n":1}]]}`, now.UnixMilli())
		},
		"wrong coin": func(v *fakeVenue, figures int, now time.Time) string {
			return v.movingBook("ZZZ", figures, now)
		},
		"garbage": func(_ *fakeVenue, _ int, _ time.Time) string { return `{"coin":"B","time":"x","levels":[]}` },
		"infinite": func(_ *fakeVenue, _ int, now time.Time) string {
			return strings.Replace(bookJSON("B", now.UnixMilli(), 100, 2), `"1.5"`, `"1e999"`, 1)
		},
		"an hour old": func(v *fakeVenue, figures int, now time.Time) string {
			return v.movingBook("B", figures, now.Add(-time.Hour))
		},
	}
	for name, make := range bad {
		t.Run(name, func(t *testing.T) {
			play(t, nil, func(s scene) {
				time.Sleep(3 * time.Second)
				s.v.script(func() {
					s.v.push = func(coin string, figures int, now time.Time) string {
						if coin == "B" {
							return make(s.v, figures, now)
						}
						return s.v.movingBook(coin, figures, now)
					}
					s.v.info = func(kind string, _ infoRequest) (int, string, map[string]string) {
						if kind == "l2Book" {
							return 500, "null", nil
						}
						return 0, "", nil
					}
				})
				time.Sleep(20 * time.Second)
				s.fresh(time.Second, 0, 2)
				// A stream that says nothing of B may be quiet for ten seconds.
				if a := s.bookAge(1); a < 15*time.Second && (name != "wrong coin" || a < 9*time.Second) {
					s.Errorf("the last good book looks %v old", a)
				}
				if st := s.f.Stats(); st.RejectedBooks+st.ParseErrors == 0 {
					s.Error("nothing was counted")
				}
				b, _, _ := s.cache.Books(1).Latest(marketcache.Now(), marketcache.Forever)
				if !(*b).TwoSided() {
					s.Error("the last good book is gone")
				}
				s.v.script(func() { s.v.push = s.v.movingBook })
				time.Sleep(2 * time.Second)
				s.fresh(time.Second, 0, 1, 2)
			})
		})
	}
}

// TestReplayFromTheStart: everything of one asset comes with a time of long ago from the
// first message on.
func TestReplayFromTheStart(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) {
		v.push = func(coin string, figures int, now time.Time) string {
			if coin == "B" {
				now = now.Add(-40 * time.Second)
			}
			return v.movingBook(coin, figures, now)
		}
		v.info = func(kind string, _ infoRequest) (int, string, map[string]string) {
			if kind == "l2Book" {
				return 500, "null", nil
			}
			return 0, "", nil
		}
	}, func(s scene) {
		time.Sleep(20 * time.Second)
		s.fresh(time.Second, 0, 2)
		if a := s.bookAge(1); a < 39*time.Second || a > 42*time.Second {
			s.Errorf("a book of 40 s ago looks %v old", a)
		}
	})
}

// TestWholeVenueReplays: the matching engine stands still and everything, its clock
// included, shows the time of the stop; only the web server's Date goes on.
func TestWholeVenueReplays(t *testing.T) {
	play(t, nil, func(s scene) {
		time.Sleep(5 * time.Second)
		stop := time.Now()
		s.v.script(func() {
			s.v.push = func(coin string, figures int, _ time.Time) string { return s.v.movingBook(coin, figures, stop) }
			s.v.info = func(kind string, req infoRequest) (int, string, map[string]string) {
				switch kind {
				case "exchangeStatus":
					return 200, fmt.Sprintf(`{"time":%d,"specialStatuses":null}`, stop.UnixMilli()), nil
				case "l2Book":
					return 200, s.v.movingBook(req.Coin, req.NSigFigs, stop), nil
				}
				return 0, "", nil
			}
		})
		time.Sleep(2 * time.Minute)
		if a := s.bookAge(0); a < 100*time.Second {
			s.Errorf("a venue that stands still for two minutes looks %v old", a)
		}
	})
}

func TestFutureTime(t *testing.T) {
	play(t, nil, func(s scene) {
		time.Sleep(3 * time.Second)
		var once atomic.Bool
		s.v.script(func() {
			s.v.push = func(coin string, figures int, now time.Time) string {
				if coin == "B" && figures == 0 && !once.Swap(true) {
					now = now.Add(time.Hour)
				}
				return s.v.movingBook(coin, figures, now)
			}
		})
		time.Sleep(5 * time.Second)
		s.fresh(time.Second, 0, 1, 2)
	})
}

func TestSkew(t *testing.T) {
	for _, skew := range []time.Duration{-5 * time.Second, 5 * time.Second} {
		for _, source := range []string{"status", "books", "books without Date"} {
			t.Run(fmt.Sprint(skew, " by ", source), func(t *testing.T) {
				play(t, func(v *fakeVenue, _ *Config) {
					v.skew = skew
					v.noDate = source == "books without Date"
					if source != "status" {
						v.info = func(kind string, _ infoRequest) (int, string, map[string]string) {
							if kind == "exchangeStatus" {
								return 422, "Failed to deserialize", nil
							}
							return 0, "", nil
						}
					}
				}, func(s scene) {
					time.Sleep(time.Minute)
					s.fresh(1100*time.Millisecond, 0, 1, 2)
					if got := time.Duration(s.f.clock.skewMs()) * time.Millisecond; got < skew-600*time.Millisecond || got > skew+600*time.Millisecond {
						s.Errorf("skew %v, want %v", got, skew)
					}
					if got := time.Duration(s.cache.Venue.ClockSkewMs.Load()) * time.Millisecond; got < skew-600*time.Millisecond || got > skew+600*time.Millisecond {
						s.Errorf("published skew %v, want %v", got, skew)
					}
				})
			})
		}
	}
}

func TestContextFallbacks(t *testing.T) {
	for _, c := range []struct{ all, each, want string }{{"silence", "", "each"}, {"error", "", "each"}, {"error", "error", "rest"}, {"silence", "silence", "rest"}} {
		t.Run(c.all+" "+c.each, func(t *testing.T) {
			play(t, func(v *fakeVenue, cfg *Config) {
				v.every = 2 * time.Second
				v.noAll, v.noEach, cfg.Budget, v.limit, cfg.DataDir = c.all, c.each, 1200, 1200, t.TempDir()
			}, func(s scene) {
				time.Sleep(30 * time.Second)
				if got := s.f.Stats().ContextsFrom; got != c.want {
					s.Errorf("contexts from %s, want %s", got, c.want)
				}
				worst := time.Duration(0)
				for range 600 {
					time.Sleep(100 * time.Millisecond)
					worst = max(worst, s.contextAge(0), s.contextAge(2))
				}
				if worst > 4*time.Second {
					s.Errorf("contexts grew %v old", worst)
				}
				s.v.script(func() { s.v.noAll = "" })
				time.Sleep(6 * time.Minute)
				if got := s.f.Stats().ContextsFrom; got != "all" {
					s.Errorf("contexts still from %s", got)
				}
				s.fresh(3*time.Second, 0, 1, 2)
			})
		})
	}
}

func TestMetaMismatch(t *testing.T) {
	play(t, nil, func(s scene) {
		time.Sleep(3 * time.Second)
		// A listing: contexts have one more position before the universe is read again.
		s.v.script(func() { s.v.assets = append(s.v.assets, "D") })
		s.within(5*time.Second, "the new asset", func() bool {
			id := s.cache.Universe().LookupString("D")
			return id != marketcache.NoAsset && s.bookAge(id) >= 0 && s.contextAge(id) >= 0
		})
		if s.f.stats.rejectedContexts.Load() == 0 {
			s.Error("a list of another length was taken")
		}
		// REST answers pairs that do not match, or garbage: the last good one stays.
		s.v.script(func() {
			s.v.info = func(kind string, _ infoRequest) (int, string, map[string]string) {
				if kind == "metaAndAssetCtxs" {
					return 200, strings.Replace(metaJSON("A", "B"), contextJSON(100)+",", "", 1), nil
				}
				return 0, "", nil
			}
		})
		time.Sleep(3 * time.Minute)
		if s.f.Stats().RejectedMetas == 0 || len(s.cache.Universe().Assets) != 4 {
			s.Errorf("%d metas refused, %d assets", s.f.Stats().RejectedMetas, len(s.cache.Universe().Assets))
		}
		s.fresh(time.Second, 0, 1, 2, 3)
	})
}

func Test429(t *testing.T) {
	play(t, func(_ *fakeVenue, cfg *Config) { cfg.Budget, cfg.DataDir = 1200, t.TempDir() }, func(s scene) {
		time.Sleep(3 * time.Second)
		s.v.script(func() {
			s.v.info = func(kind string, _ infoRequest) (int, string, map[string]string) {
				return 429, "null", map[string]string{"Retry-After": "20"}
			}
		})
		_, err := s.f.LoadAccount(s.Context(), wallet(1), marketcache.NoAsset)
		if wait, ok := RetryAfter(err); !errors.Is(err, ErrBudget) || !ok || wait < 15*time.Second {
			s.Fatalf("refused with %v, wait %v", err, wait)
		}
		refused := s.f.client.refused.Load()
		s.v.script(func() { s.v.info = nil })
		_, err = s.f.LoadAccount(s.Context(), wallet(2), marketcache.NoAsset)
		if wait, _ := RetryAfter(err); !errors.Is(err, ErrBudget) || wait < 10*time.Second {
			s.Fatalf("within Retry-After: %v, wait %v", err, wait)
		}
		time.Sleep(19 * time.Second)
		if s.f.client.refused.Load() != refused {
			s.Error("asked again before Retry-After")
		}
		s.fresh(time.Second, 0, 1, 2)
		time.Sleep(8 * time.Second)
		if _, err := s.f.LoadAccount(s.Context(), wallet(2), marketcache.NoAsset); err != nil {
			s.Errorf("after Retry-After: %v", err)
		}
		if c := s.f.budget.capacity(forWallet, marketcache.Now()); c != 600 {
			s.Errorf("capacity %d within a minute of a refusal", c)
		}
		time.Sleep(time.Minute)
		if c := s.f.budget.capacity(forWallet, marketcache.Now()); c != 1200 {
			s.Errorf("capacity %d later", c)
		}
	})
}

func TestNotAnAnswer(t *testing.T) {
	for name, a := range map[string]struct {
		status int
		body   string
		want   error
	}{
		"500 null": {500, "null", ErrVenue}, "502 HTML": {502, "<html>Bad Gateway</html>", ErrVenue}, "200 HTML": {200, "<html></html>", ErrVenue},
		"200 empty": {200, "", ErrVenue}, "200 null": {200, "null", ErrVenue}, "422": {422, "Failed to deserialize", ErrVenue}, "302": {302, "", ErrVenue},
		"200 object of something else": {200, `{"error":"x"}`, ErrVenue}, "200 array": {200, `[]`, ErrVenue}, "too large": {200, "{" + strings.Repeat(" ", maxBody) + "}", ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, nil, func(s scene) {
				time.Sleep(3 * time.Second)
				s.v.script(func() {
					s.v.info = func(kind string, _ infoRequest) (int, string, map[string]string) {
						if kind == "clearinghouseState" {
							return a.status, a.body, nil
						}
						return 0, "", nil
					}
				})
				acc, err := s.f.LoadAccount(s.Context(), wallet(1), marketcache.NoAsset)
				if acc != nil || !errors.Is(err, a.want) {
					s.Errorf("%v, %v", acc, err)
				}
			})
		})
	}
}

func TestBreaker(t *testing.T) {
	play(t, nil, func(s scene) {
		time.Sleep(3 * time.Second)
		s.v.script(func() {
			s.v.info = func(string, infoRequest) (int, string, map[string]string) { return 502, "<html>", nil }
		})
		for range breakerFailures {
			s.f.LoadAccount(s.Context(), wallet(1), marketcache.NoAsset)
		}
		if !s.cache.Venue.BreakerOpen.Load() {
			s.Fatal("closed after a row of failures")
		}
		if _, err := s.f.LoadAccount(s.Context(), wallet(1), marketcache.NoAsset); !errors.Is(err, ErrUnavailable) {
			s.Errorf("open, but %v", err)
		}
		time.Sleep(time.Minute)
		s.fresh(time.Second, 0, 1, 2) // the socket is not the breaker's business
		s.v.script(func() { s.v.info = nil })
		s.within(30*time.Second, "recovery", func() bool {
			_, err := s.f.LoadAccount(s.Context(), wallet(1), marketcache.NoAsset)
			return err == nil
		})
	})
}

func wallet(n byte) (w marketcache.Wallet) {
	w[19] = n
	return w
}

func TestAccount(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) { v.every = 8 * time.Second }, func(s scene) {
		time.Sleep(3 * time.Second)
		a, err := s.f.LoadAccount(s.Context(), wallet(1), 1)
		if err != nil {
			s.Fatal(err)
		}
		if a.Mode != marketcache.ModeDisabled || a.ModeUncertain || a.TakerRate != 0.0004*(1-0.04) || a.CrossAccountValueUSD != 1000 || len(a.Positions) != 1 || a.Positions[0].Asset != 0 || a.SpotUSDC != 0 {
			s.Errorf("%+v", a)
		}
		if l, ok := a.Setting(1); !ok || l.Leverage != 7 {
			s.Errorf("setting %v", a.Settings)
		}
		one := wallet(1)
		if held, _, ok := s.cache.Account(&one, marketcache.Now(), time.Second); !ok || held != a {
			s.Error("not in the cache")
		}
		// Warm: one question of weight 2; with an asset it holds a position in, no setting.
		before := fmt.Sprint(s.v.count("userFees"), s.v.count("userAbstraction"), s.v.count("activeAssetData"))
		time.Sleep(3 * time.Second)
		s.f.LoadAccount(s.Context(), wallet(1), 1)
		s.f.LoadAccount(s.Context(), wallet(1), 0)
		if after := fmt.Sprint(s.v.count("userFees"), s.v.count("userAbstraction"), s.v.count("activeAssetData")); after != before || s.v.count("clearinghouseState") != 3 {
			s.Errorf("a warm read asked %s, then %s", before, after)
		}
		// After ten minutes all is read again; what cannot be read keeps its last value.
		time.Sleep(11 * time.Minute)
		s.v.script(func() {
			s.v.info = func(kind string, _ infoRequest) (int, string, map[string]string) {
				if kind == "userFees" || kind == "userAbstraction" {
					return 500, "null", nil
				}
				return 0, "", nil
			}
		})
		a, err = s.f.LoadAccount(s.Context(), wallet(1), marketcache.NoAsset)
		if err != nil || a.Mode != marketcache.ModeDisabled || a.ModeUncertain || a.TakerRate != 0.0004*(1-0.04) || len(a.Settings) != 0 {
			s.Errorf("%+v %v", a, err)
		}
		a, err = s.f.LoadAccount(s.Context(), wallet(2), marketcache.NoAsset)
		if err != nil || a.Mode != marketcache.ModeDefault || !a.ModeUncertain || a.TakerRate != baseTakerRate {
			s.Errorf("%+v %v", a, err)
		}
		next := byte(10)
		for mode, want := range map[string]marketcache.Account{
			`"unifiedAccount"`: {Mode: marketcache.ModeUnified, SpotUSDC: 77.5}, `"portfolioMargin"`: {Mode: marketcache.ModePortfolioMargin, SpotUSDC: 77.5},
			`"default"`: {Mode: marketcache.ModeDefault}, `"dexAbstraction"`: {Mode: marketcache.ModeDexAbstraction}, `"somethingNew"`: {Mode: marketcache.ModeDefault, ModeUncertain: true},
		} {
			s.v.script(func() {
				s.v.info = func(kind string, _ infoRequest) (int, string, map[string]string) {
					if kind == "userAbstraction" {
						return 200, mode, nil
					}
					return 0, "", nil
				}
			})
			a, err := s.f.LoadAccount(s.Context(), wallet(next), marketcache.NoAsset)
			next++
			if err != nil || a.Mode != want.Mode || a.ModeUncertain != want.ModeUncertain || a.SpotUSDC != want.SpotUSDC {
				s.Errorf("%s: %+v %v", mode, a, err)
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
				if i == 0 { // the one that began it gives up
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
		// Callers that need different settings get theirs, one read after the other.
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

// TestManyWallets asks for far more than the budget: no minute may exceed it, and what
// is refused is refused at once.
func TestManyWallets(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) { cfg.Budget, v.limit = 1200, 1200 }, func(s scene) {
		time.Sleep(90 * time.Second)
		var wg sync.WaitGroup
		var good, refused atomic.Int32
		for i := range 2000 {
			time.Sleep(50 * time.Millisecond)
			wg.Go(func() {
				began := time.Now()
				var w marketcache.Wallet
				w[0], w[1] = byte(i), byte(i>>8)
				_, err := s.f.LoadAccount(s.Context(), w, marketcache.NoAsset)
				if err == nil {
					good.Add(1)
				} else if wait, ok := RetryAfter(err); errors.Is(err, ErrBudget) && ok && wait <= time.Minute {
					refused.Add(1)
				} else {
					s.Error(err)
				}
				if took := time.Since(began); took > 3*time.Second {
					s.Errorf("took %v", took)
				}
			})
		}
		wg.Wait()
		if good.Load() < 20 || refused.Load() < 100 {
			s.Errorf("%d good, %d refused", good.Load(), refused.Load())
		}
		s.fresh(time.Second, 0, 1, 2)
	})
}

func TestWantedComesFirst(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) {
		v.assets = many(40)
		cfg.Budget, v.limit, cfg.DataDir = 1200, 1200, t.TempDir()
		v.every = 8 * time.Second
	}, func(s scene) {
		time.Sleep(3 * time.Second)
		id := s.cache.Universe().LookupString("N39")
		if _, through := s.cache.Bars(id); through != 0 {
			s.Skip("loaded already")
		}
		s.cache.Want(id)
		s.within(5*time.Second, "bars of a wanted asset", func() bool { _, through := s.cache.Bars(id); return through != 0 })
		time.Sleep(10 * time.Minute)
		if n := s.f.history.pending(); n != 0 {
			s.Errorf("%d pending", n)
		}
	})
}

func TestEmptyHistoryIsLoaded(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) {
		v.info = func(kind string, req infoRequest) (int, string, map[string]string) {
			if kind == "candleSnapshot" && req.Req.Coin == "B" {
				return 200, "[]", nil
			}
			return 0, "", nil
		}
	}, func(s scene) {
		s.within(6*time.Second, "an empty history counts as loaded", func() bool { _, through := s.cache.Bars(1); return through > 0 })
		if bars, _ := s.cache.Bars(1); len(bars) != 0 {
			s.Errorf("%d bars", len(bars))
		}
	})
}

// Candles of B that end a day ago although B trades say that the venue is behind, not
// that nothing happened: the history is complete to its last bar and no further.
func TestCandlesBehindAreNotComplete(t *testing.T) {
	behind := func(v *fakeVenue, _ *Config) {
		v.info = func(kind string, req infoRequest) (int, string, map[string]string) {
			if kind != "candleSnapshot" || req.Req.Coin != "B" {
				return 0, "", nil
			}
			hour := v.now().Truncate(time.Hour)
			var rows []string
			for i := 60; i > 24; i-- {
				open := hour.Add(-time.Duration(i) * time.Hour)
				rows = append(rows, candleJSON("B", open.UnixMilli(), v.price("B", open)))
			}
			return 200, "[" + strings.Join(rows, ",") + "]", nil
		}
	}
	play(t, behind, func(s scene) {
		var bars []marketcache.Bar
		var through int64
		s.within(10*time.Second, "B's bars", func() bool {
			bars, through = s.cache.Bars(1)
			return through != 0
		})
		if want := bars[len(bars)-1].OpenMs + hourMs; through != want {
			s.Errorf("complete through %d, want %d: the end of the last bar", through, want)
		}
		_, other := s.cache.Bars(0)
		if other-through < 23*hourMs {
			s.Errorf("B is complete through %d, A through %d", through, other)
		}
	})
}
