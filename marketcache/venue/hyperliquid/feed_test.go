package hyperliquid

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
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
		if st.ParseErrors+st.RejectedBooks+st.RejectedContexts+st.Reconnects+st.BookReads+st.Panics+st.RequestFailures != 0 || st.Resubscribes > 1 {
			s.Errorf("a day without faults has %+v", st)
		}
		if st.Connections != 7 || st.Subscriptions != 3*int(precisions)+2 {
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
		for range 5 { // 28 s apart, within the limit on new connections
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

func TestHalfOpen(t *testing.T) {
	play(t, nil, func(s scene) {
		time.Sleep(3 * time.Second)
		s.v.script(func() { s.v.silent, s.v.info = true, noBooks })
		time.Sleep(5500 * time.Millisecond)
		if n := s.f.stats.halfOpen.Load(); n < int64(s.f.Stats().Connections) || n == 0 {
			s.Errorf("%d half-open connections found in 5.5 s", n)
		}
		if a := s.bookAge(0); a < 5*time.Second {
			s.Errorf("a book on a dead connection has age %v", a)
		}
		s.v.script(func() { s.v.silent = false })
		time.Sleep(10 * time.Second)
		s.fresh(time.Second, 0, 1, 2)
	})
}

// TestHalfOpenAfterAPing: the connection stops working while a ping is under way, and a frame sent
// before arrives after it.
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
			s.Error("data from a venue that is down, or the breaker is closed")
		}
		if _, err := s.f.LoadAccount(s.Context(), wallet(1), marketcache.NoAsset); !errors.Is(err, marketcache.ErrUnavailable) {
			s.Errorf("account although the venue is down: %v", err)
		}
		s.v.script(func() { s.v.down = false })
		s.within(5*time.Second, "books after the start", func() bool { return s.bookAge(0) >= 0 && s.contextAge(0) >= 0 })
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

// TestSilentSubscription: the fast book of one asset stops on a connection that is otherwise alive.
// Its age counts from its last message, regardless of pongs. The book is subscribed again, and read
// by REST.
func TestSilentSubscription(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) { cfg.DataDir = t.TempDir() }, func(s scene) {
		time.Sleep(30 * time.Second)
		asked := s.v.count("l2Book")
		s.v.script(func() {
			s.v.push = func(coin string, figures int, now time.Time) string {
				if coin == "B" && figures == -1 {
					return ""
				}
				return s.v.movingBook(coin, figures, now)
			}
		})
		frozen := time.Now()
		for range 35 {
			time.Sleep(100 * time.Millisecond)
			// The full book arrives every 5.5 s and may have updated the best levels since.
			if a, whole := s.bookAge(1), s.f.cells[1].age(full, marketcache.Now()); a < min(time.Since(frozen), whole)-100*time.Millisecond {
				s.Fatalf("the book looks %v old, %v after its stream stopped and %v after the full one", a, time.Since(frozen), whole)
			}
		}
		s.fresh(time.Second, 0, 2)
		time.Sleep(30 * time.Second)
		if s.f.stats.resubscribes.Load() == 0 {
			s.Error("a silent book was not subscribed again")
		}
		worst := time.Duration(0)
		for range 300 {
			time.Sleep(100 * time.Millisecond)
			worst = max(worst, s.bookAge(1))
		}
		if worst > minSilence+time.Second {
			s.Errorf("a silent book became %v old, although the full book and REST update it", worst)
		}
		if n := s.v.count("l2Book"); n <= asked {
			s.Error("a silent book was not read by REST")
		}
		s.fresh(time.Second, 0, 2)
	})
}

// TestPongProvesNothing: the books of an asset stop and REST does not answer, while pongs still
// arrive: every part of the book ages.
func TestPongProvesNothing(t *testing.T) {
	play(t, nil, func(s scene) {
		time.Sleep(20 * time.Second)
		frozen := time.Now()
		s.v.script(func() {
			s.v.push = func(coin string, figures int, now time.Time) string {
				if coin == "B" {
					return ""
				}
				return s.v.movingBook(coin, figures, now)
			}
			s.v.info = noBooks
		})
		for range 20 {
			time.Sleep(time.Second)
			var m marketcache.Market
			s.cache.Market(1, marketcache.Now(), marketcache.AgeLimits{Market: time.Hour, CEX: time.Hour}, &m)
			if minAge := time.Since(frozen) - 50*time.Millisecond; m.BookAge < minAge || m.DepthAge < minAge {
				s.Fatalf("%v after the last message the book looks %v old and its depth %v", time.Since(frozen), m.BookAge, m.DepthAge)
			}
		}
		s.fresh(time.Second, 0, 2)
	})
}

// noBooks makes REST fail for books.
func noBooks(kind string, _ infoRequest) (int, string, map[string]string) {
	if kind == "l2Book" {
		return 500, "null", nil
	}
	return 0, "", nil
}

// TestDepthHasItsOwnAge: the deep books of an asset stop while its fast book continues. Mid and
// spread stay fresh, and the depth has its true age, even after it was dropped from the book.
func TestDepthHasItsOwnAge(t *testing.T) {
	play(t, func(_ *fakeVenue, cfg *Config) { cfg.DataDir = t.TempDir() }, func(s scene) {
		time.Sleep(time.Minute) // until the cadences are measured
		market := func() (m marketcache.Market) {
			s.cache.Market(1, marketcache.Now(), marketcache.AgeLimits{Market: time.Hour, CEX: time.Hour}, &m)
			return m
		}
		if m := market(); m.DepthAge < 0 || m.DepthAge > 6*time.Second || m.Book.Cadence != 500*time.Millisecond || m.Book.DepthCadence != 5500*time.Millisecond {
			s.Errorf("depth %v old, renewed every %v, the best levels every %v", m.DepthAge, m.Book.DepthCadence, m.Book.Cadence)
		}
		frozen := time.Now()
		s.v.script(func() {
			s.v.push = func(coin string, figures int, now time.Time) string {
				if coin == "B" && figures != -1 {
					return ""
				}
				return s.v.movingBook(coin, figures, now)
			}
			s.v.info = noBooks
		})
		deep := market().Book.Asks.Len()
		for range 40 {
			time.Sleep(time.Second)
			if m := market(); m.BookAge > time.Second || m.DepthAge < time.Since(frozen)-50*time.Millisecond || m.DepthAge > time.Since(frozen)+6*time.Second {
				s.Fatalf("after %v the best levels are %v old and the depth %v", time.Since(frozen), m.BookAge, m.DepthAge)
			}
		}
		if n := market().Book.Asks.Len(); n != fastLevels || deep <= 20 {
			s.Errorf("%d levels before and %d long after the depth stopped", deep, n)
		}
	})
}

// TestSilenceWithoutREST: the stream stalls and REST does not return books: the age counts from the
// last message, although the socket is open.
func TestSilenceWithoutREST(t *testing.T) {
	play(t, nil, func(s scene) {
		time.Sleep(3 * time.Second)
		s.v.script(func() {
			s.v.push, s.v.info = nil, noBooks
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
					s.v.info = noBooks
				})
				time.Sleep(20 * time.Second)
				s.fresh(time.Second, 0, 2)
				if a := s.bookAge(1); a < 19*time.Second {
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
				time.Sleep(7 * time.Second)
				s.fresh(time.Second, 0, 1, 2)
			})
		})
	}
}

// TestReplayFromTheStart: from the first message on, all messages of one asset have an old time.
func TestReplayFromTheStart(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) {
		v.push = func(coin string, figures int, now time.Time) string {
			if coin == "B" {
				now = now.Add(-40 * time.Second)
			}
			return v.movingBook(coin, figures, now)
		}
		v.info = noBooks
	}, func(s scene) {
		time.Sleep(20 * time.Second)
		s.fresh(time.Second, 0, 2)
		if a := s.bookAge(1); a < 39*time.Second || a > 42*time.Second {
			s.Errorf("a book of 40 s ago looks %v old", a)
		}
	})
}

// TestWholeVenueReplays: the matching engine stops, and all data including the venue's status shows
// the time of the stop. Only the web server's Date header continues.
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
				if coin == "B" && figures == -1 && !once.Swap(true) {
					now = now.Add(time.Hour)
				}
				return s.v.movingBook(coin, figures, now)
			}
		})
		time.Sleep(5 * time.Second)
		s.fresh(time.Second, 0, 1, 2)
	})
}

// A feed begins with the clock that a previous feed, or another replica's, left in the cache.
func TestHeldClock(t *testing.T) {
	cache := marketcache.New(smallCache)
	cache.Venue.Clock.Set(1e18, 0)
	f := New(cache, Config{BaseURL: "http://127.0.0.1:1", Logger: slog.New(slog.DiscardHandler)})
	if ns := f.clock.VenueNs(7); ns != 1e18+7 {
		t.Errorf("%d ns", ns)
	}
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
					if got := time.Duration(s.cache.Venue.Clock.SkewMs()) * time.Millisecond; got < skew-600*time.Millisecond || got > skew+600*time.Millisecond {
						s.Errorf("published skew %v, want %v", got, skew)
					}
				})
			})
		}
	}
}

// TestMarksBySecondSource: while the stream of marks is silent or unreadable, REST is used instead,
// with a few requests per minute, and no value gets a lower age than its true one.
func TestMarksBySecondSource(t *testing.T) {
	for name, break_ := range map[string]func(v *fakeVenue){
		"silence":  func(v *fakeVenue) { v.noMarks = true },
		"not JSON": func(v *fakeVenue) { v.marks = func() string { return `{"A":{"markPx"` } },
		"a list":   func(v *fakeVenue) { v.marks = func() string { return `[]` } },
		"nothing":  func(v *fakeVenue) { v.marks = func() string { return `` } },
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(v *fakeVenue, cfg *Config) {
				cfg.Budget, v.limit, cfg.DataDir = 600, 600, t.TempDir()
			}, func(s scene) {
				time.Sleep(30 * time.Second)
				s.fresh(1100*time.Millisecond, 0, 1, 2)
				s.v.script(func() { break_(s.v) })
				broken := time.Now()
				for range 50 {
					time.Sleep(100 * time.Millisecond)
					if a := s.contextAge(0); a < time.Since(broken)-100*time.Millisecond && s.v.count("metaAndAssetCtxs") == 1 {
						s.Fatalf("marks look %v old, %v after they stopped", a, time.Since(broken))
					}
				}
				before := s.v.count("metaAndAssetCtxs")
				worst := time.Duration(0)
				for range 600 {
					time.Sleep(100 * time.Millisecond)
					worst = max(worst, s.contextAge(0), s.contextAge(2))
				}
				if worst > marksByREST+2*time.Second {
					s.Errorf("marks grew %v old although REST answers", worst)
				}
				if n := s.v.count("metaAndAssetCtxs") - before; n > 8 {
					s.Errorf("REST was asked %d times in a minute", n)
				}
				s.v.script(func() { s.v.noMarks, s.v.marks = false, nil })
				time.Sleep(30 * time.Second)
				s.fresh(1100*time.Millisecond, 0, 1, 2)
			})
		})
	}
}

// TestMarksAreChanges: when a message leaves out an asset, that asset is unchanged. An unreadable
// entry affects only its own asset, until the next entry for it.
func TestMarksAreChanges(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) { v.noLists = true }, func(s scene) {
		time.Sleep(5 * time.Second)
		s.v.script(func() {
			s.v.info = func(kind string, _ infoRequest) (int, string, map[string]string) {
				if kind == "metaAndAssetCtxs" { // the second source of marks
					return 500, "null", nil
				}
				return 0, "", nil
			}
		})
		said := func(text string) { s.v.script(func() { s.v.marks = func() string { return text } }) }
		mark := func(id marketcache.AssetID) float64 {
			c, _, _ := s.cache.Contexts(id).Latest(marketcache.Now(), time.Second)
			if c == nil {
				return -1
			}
			return c.MarkPrice
		}
		said(`{"A":{"markPx":"101.5"},"B":{"midPx":null},"#14880":{"markPx":"1"},"@107":{"midPx":"2"}}`)
		before := mark(2)
		time.Sleep(2 * time.Second)
		if a, b, c := mark(0), mark(1), mark(2); a != 101.5 || b <= 0 || c != before {
			s.Errorf("marks %v %v %v, before %v", a, b, c, before)
		}
		if c, _, _ := s.cache.Contexts(1).Latest(marketcache.Now(), time.Second); c.MidPrice != 0 {
			s.Errorf("a mid that is null is %v", c.MidPrice)
		}
		for _, odd := range []string{`{"markPx":"NaN"}`, `{"markPx":null}`, `{"markPx":"-1"}`, `[]`, `null`, `{"markPx":{}}`, `{"markPx":"1e400"}`} {
			said(`{"A":` + odd + `}`)
			time.Sleep(4 * time.Second)
			s.fresh(1100*time.Millisecond, 1, 2)
			if a := s.contextAge(0); a < 3*time.Second {
				s.Errorf("%s: the mark looks %v old", odd, a)
			}
			said(`{"A":{"markPx":"101"}}`)
			time.Sleep(2 * time.Second)
			if a := mark(0); a != 101 {
				s.Errorf("after %s the mark is %v", odd, a)
			}
		}
	})
}

// TestListsAreProved: a list of contexts without names is ignored if its order or length does not
// match the universe.
func TestListsAreProved(t *testing.T) {
	prices := []float64{100, 110, 118}
	context := func(mark, interest float64) string {
		return strings.Replace(contextJSON(mark), `"1000.0"`, fmt.Sprintf(`"%g"`, interest), 1)
	}
	list := func(order ...int) string {
		var rows []string
		for _, i := range order {
			rows = append(rows, context(prices[i], 1000*float64(i+1)))
		}
		return `{"ctxs":[["",[` + strings.Join(rows, ",") + `]]]}`
	}
	marks := `{"A":{"markPx":"100"},"B":{"markPx":"110"},"C":{"markPx":"118"}}`
	for name, order := range map[string][]int{"reversed": {2, 1, 0}, "swapped": {1, 0, 2}, "rotated": {1, 2, 0}, "short": {0, 1}, "long": {0, 1, 2, 2}} {
		t.Run(name, func(t *testing.T) {
			play(t, func(v *fakeVenue, _ *Config) {
				v.marks = func() string { return marks }
				v.allData = func() string { return list(order...) }
			}, func(s scene) {
				check := func(want float64) {
					s.Helper()
					for id, price := range prices {
						c, _, ok := s.cache.Contexts(marketcache.AssetID(id)).Latest(marketcache.Now(), 2*time.Second)
						if !ok || c.MarkPrice != price || c.OpenInterestUnits != 1000*(1+want*float64(id)) {
							s.Errorf("asset %d has %+v", id, c)
						}
					}
				}
				time.Sleep(40 * time.Second)
				check(0) // the list from REST, which has names
				if s.f.stats.rejectedContexts.Load() == 0 {
					s.Error("no list was refused")
				}
				s.v.script(func() { s.v.allData = func() string { return list(0, 1, 2) } })
				time.Sleep(30 * time.Second)
				check(1)
			})
		})
	}
}

// TestContradictedAnswer: an answer whose contexts are in another order than its names is not used. A
// single row that belongs to another asset is dropped alone.
func TestContradictedAnswer(t *testing.T) {
	answer := func(marks ...float64) string {
		meta := metaJSON("A", "B", "C")
		for _, m := range marks {
			meta = strings.Replace(meta, contextJSON(100), contextJSON(m), 1)
		}
		return meta
	}
	oracle := func(s scene, id marketcache.AssetID) float64 {
		c, _, _ := s.cache.Contexts(id).Latest(marketcache.Now(), marketcache.Forever)
		return c.OraclePrice
	}
	play(t, func(v *fakeVenue, _ *Config) {
		v.noLists = true
		v.marks = func() string { return `{"A":{"markPx":"92"},"B":{"markPx":"105"},"C":{"markPx":"118"}}` }
	}, func(s scene) {
		said := func(marks ...float64) {
			s.v.script(func() {
				s.v.info = func(kind string, _ infoRequest) (int, string, map[string]string) {
					if kind == "metaAndAssetCtxs" {
						return 200, answer(marks...), nil
					}
					return 0, "", nil
				}
			})
			time.Sleep(2 * time.Minute)
		}
		said(92, 105, 118)
		said(105, 92, 118)
		for id, want := range []float64{92, 105, 118} {
			if got := oracle(s, marketcache.AssetID(id)); got != want {
				s.Errorf("exchanged: the oracle price of asset %d is %v", id, got)
			}
		}
		if s.f.stats.rejectedContexts.Load() == 0 {
			s.Error("nothing was refused")
		}
		said(92.1, 104.7, 92)
		for id, want := range []float64{92.1, 104.7, 118} {
			if got := oracle(s, marketcache.AssetID(id)); got != want {
				s.Errorf("one wild row: the oracle price of asset %d is %v, want %v", id, got, want)
			}
		}
	})
}

// TestBadSubscription: the venue closes the connection because of one subscription. That
// subscription is found and set aside, and all others continue.
func TestBadSubscription(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) {
		cfg.DataDir = t.TempDir()
		v.kills = func(sub string) bool { return strings.Contains(sub, `"B"`) && strings.Contains(sub, `"fast"`) }
	}, func(s scene) {
		time.Sleep(2 * time.Minute)
		if n := s.f.Stats().ClosedFor; n != 1 {
			s.Errorf("%d subscriptions set aside, want one", n)
		}
		s.fresh(time.Second, 0, 2)
		if a := s.bookAge(1); a > minSilence+time.Second {
			s.Errorf("the book without a quick stream is %v old", a)
		}
		before := s.f.Stats().Reconnects
		time.Sleep(5 * time.Minute)
		if n := s.f.Stats().Reconnects; n != before {
			s.Errorf("%d connections lost after it was set aside", n-before)
		}
		s.v.script(func() { s.v.kills = nil })
		time.Sleep(12 * time.Minute)
		s.fresh(time.Second, 0, 1, 2)
	})
}

// TestShare: a feed stays within its share of the venue's connections, subscriptions and messages,
// even when all connections are lost, and every asset still has a book.
func TestShare(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	limits := smallCache
	defer func() { smallCache = limits }()
	smallCache.Assets = 512
	play(t, func(v *fakeVenue, cfg *Config) {
		v.assets, v.every = many(326), time.Second
		cfg.Share, cfg.Budget, cfg.DataDir, v.limit = 0.5, 0, t.TempDir(), 600
	}, func(s scene) {
		time.Sleep(5 * time.Minute)
		st := s.f.Stats()
		if st.Connections > 5 || st.Subscriptions != 500 || st.Budget != 600 {
			s.Errorf("%+v", st)
		}
		for range 3 {
			s.v.cut()
			time.Sleep(20 * time.Second)
		}
		time.Sleep(4 * time.Minute) // two minutes' messages are enough to subscribe everything
		scheduled := 0
		for id := range marketcache.AssetID(326) {
			var m marketcache.Market
			s.cache.Market(id, marketcache.Now(), marketcache.AgeLimits{Market: time.Hour, CEX: time.Hour}, &m)
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
		s.fresh(1100*time.Millisecond, 0, 1, 2, 3)
	})
}

func Test429(t *testing.T) {
	t.Run("seconds", func(t *testing.T) { test429(t, func(time.Time) string { return "20" }) })
	t.Run("date", func(t *testing.T) { // by the venue's clock
		test429(t, func(now time.Time) string { return now.Add(21 * time.Second).UTC().Format(http.TimeFormat) })
	})
}

func test429(t *testing.T, retryAfter func(venue time.Time) string) {
	play(t, func(v *fakeVenue, cfg *Config) {
		cfg.Budget, cfg.DataDir, v.noDate, v.skew = 1200, t.TempDir(), true, -time.Hour
	}, func(s scene) {
		time.Sleep(3 * time.Second)
		s.v.script(func() {
			s.v.info = func(kind string, _ infoRequest) (int, string, map[string]string) {
				return 429, "null", map[string]string{"Retry-After": retryAfter(s.v.now())}
			}
		})
		_, err := s.f.LoadAccount(s.Context(), wallet(1), marketcache.NoAsset)
		if wait, ok := marketcache.RetryAfter(err); !errors.Is(err, marketcache.ErrBudget) || !ok || wait < 15*time.Second {
			s.Fatalf("refused with %v, wait %v", err, wait)
		}
		refused := s.f.client.refused.Load()
		s.v.script(func() { s.v.info = nil })
		_, err = s.f.LoadAccount(s.Context(), wallet(2), marketcache.NoAsset)
		if wait, _ := marketcache.RetryAfter(err); !errors.Is(err, marketcache.ErrBudget) || wait < 10*time.Second {
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
	})
}

func TestNotAnAnswer(t *testing.T) {
	for name, a := range map[string]struct {
		status int
		body   string
		want   error
	}{
		"500 null": {500, "null", marketcache.ErrVenue}, "502 HTML": {502, "<html>Bad Gateway</html>", marketcache.ErrVenue}, "200 HTML": {200, "<html></html>", marketcache.ErrVenue},
		"200 empty": {200, "", marketcache.ErrVenue}, "200 null": {200, "null", marketcache.ErrVenue}, "422": {422, "Failed to deserialize", marketcache.ErrVenue}, "302": {302, "", marketcache.ErrVenue},
		"200 object of something else": {200, `{"error":"x"}`, marketcache.ErrVenue}, "200 array": {200, `[]`, marketcache.ErrVenue}, "too large": {200, "{" + strings.Repeat(" ", maxBody) + "}", marketcache.ErrUnavailable},
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
		for range 5 {
			s.f.LoadAccount(s.Context(), wallet(1), marketcache.NoAsset)
		}
		if !s.cache.Venue.BreakerOpen.Load() {
			s.Fatal("the breaker is closed after five failures")
		}
		if _, err := s.f.LoadAccount(s.Context(), wallet(1), marketcache.NoAsset); !errors.Is(err, marketcache.ErrUnavailable) {
			s.Errorf("the breaker is open, but the error is %v", err)
		}
		time.Sleep(time.Minute)
		s.fresh(time.Second, 0, 1, 2) // an error of REST does not affect the socket
		s.v.script(func() { s.v.info = nil })
		time.Sleep(s.f.breakers.Of(feed.ForWallet).Pause(marketcache.Now()))
		// A new wallet takes several requests at once; one is the probe, the others wait for its answer.
		if _, err := s.f.LoadAccount(s.Context(), wallet(2), 1); err != nil {
			s.Errorf("the venue is back, and the pause is over: %v", err)
		}
	})
}

// TestStartAfterMuchWasSpent: another process at the same address has just spent the weight that
// histories may use. The new process still reads the list of assets at once.
func TestStartAfterMuchWasSpent(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) {
		cfg.Budget, cfg.Spent, cfg.SpentAt = 600, 500, marketcache.Now()
	}, func(s scene) {
		s.within(5*time.Second, "books", func() bool { return s.bookAge(0) >= 0 && s.contextAge(0) >= 0 })
		s.within(time.Second, "the assets at their open-interest cap", func() bool {
			_, _, ok := s.cache.Caps(0).Latest(marketcache.Now(), marketcache.Forever)
			return ok
		})
		if n := s.f.budget.Used(); n > 600 {
			s.Errorf("%d spent", n)
		}
	})
}

// TestBreakerOfOneKind: when the venue fails one kind of request, other kinds continue.
func TestBreakerOfOneKind(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) {
		v.info = func(kind string, _ infoRequest) (int, string, map[string]string) {
			if kind == "candleSnapshot" || kind == "fundingHistory" {
				return 500, "null", nil
			}
			return 0, "", nil
		}
	}, func(s scene) {
		time.Sleep(20 * time.Second)
		if !s.cache.Venue.BreakerOpen.Load() {
			s.Fatal("the breaker is closed after repeated failures")
		}
		for range 20 {
			time.Sleep(3 * time.Second)
			if _, err := s.f.LoadAccount(s.Context(), wallet(1), marketcache.NoAsset); err != nil {
				s.Fatalf("histories fail, and so does a wallet: %v", err)
			}
		}
		s.fresh(time.Second, 0, 1, 2)
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
		// When warm, a read is one request of weight 2. For an asset in which the wallet has a
		// position, the leverage setting is not requested.
		before := fmt.Sprint(s.v.count("userFees"), s.v.count("userAbstraction"), s.v.count("activeAssetData"))
		time.Sleep(3 * time.Second)
		s.f.LoadAccount(s.Context(), wallet(1), 1)
		s.f.LoadAccount(s.Context(), wallet(1), 0)
		if after := fmt.Sprint(s.v.count("userFees"), s.v.count("userAbstraction"), s.v.count("activeAssetData")); after != before || s.v.count("clearinghouseState") != 3 {
			s.Errorf("a warm read asked %s, then %s", before, after)
		}
		// After ten minutes everything is read again; values that cannot be read stay unchanged.
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

// TestManyWallets requests far more wallets than the budget allows: no minute may exceed the
// budget, and refusals must be immediate.
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
				} else if wait, ok := marketcache.RetryAfter(err); (errors.Is(err, marketcache.ErrBudget) || errors.Is(err, marketcache.ErrShare)) && ok && wait <= time.Minute {
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
		if n := s.f.history.Pending(); n != 0 {
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

// The candles of B end a day ago although B has trades: the venue's candles are behind. The history
// then counts as complete up to its last bar only.
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
