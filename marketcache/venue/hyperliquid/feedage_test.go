package hyperliquid

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ballast/marketcache"
)

// TestSilentSubscription: the fast book of one asset stops on a connection that is otherwise alive.
// Its age counts from its last message, regardless of pongs. The book is subscribed again, and read
// by REST.
func TestSilentSubscription(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) { cfg.DataDir = t.TempDir() }, func(s scene) {
		time.Sleep(30 * time.Second)
		asked := s.v.count("l2Book")
		s.v.pushes("B", func(figures int, now time.Time) string {
			if figures == -1 {
				return ""
			}
			return s.v.movingBook("B", figures, now)
		})
		frozen := time.Now()
		for range 35 {
			time.Sleep(100 * time.Millisecond)
			// The full book arrives every 5.5 s and may have updated the best levels since.
			if a, whole := s.bookAge(1), s.f.cells[1].age(full, marketcache.Now()); a < min(time.Since(frozen),
				whole)-100*time.Millisecond {
				s.Fatalf("the book looks %v old, %v after its stream stopped and %v after the full one", a,
					time.Since(frozen), whole)
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
		s.v.pushes("B", func(int, time.Time) string { return "" })
		s.v.says(500, "null", "l2Book")
		for range 20 {
			time.Sleep(time.Second)
			m := s.market(1)
			if minAge := time.Since(frozen) - 50*time.Millisecond; m.BookAge < minAge || m.DepthAge < minAge {
				s.Fatalf("%v after the last message the book looks %v old and its depth %v", time.Since(frozen),
					m.BookAge, m.DepthAge)
			}
		}
		s.fresh(time.Second, 0, 2)
	})
}

// TestDepthHasItsOwnAge: the deep books of an asset stop while its fast book continues. Mid and
// spread stay fresh, and the depth has its true age, even after it was dropped from the book.
func TestDepthHasItsOwnAge(t *testing.T) {
	play(t, func(_ *fakeVenue, cfg *Config) { cfg.DataDir = t.TempDir() }, func(s scene) {
		time.Sleep(time.Minute) // until the cadences are measured
		if m := s.market(1); m.DepthAge < 0 || m.DepthAge > 6*time.Second || m.Book.Cadence != 500*time.Millisecond ||
			m.Book.DepthCadence != 5500*time.Millisecond {
			s.Errorf("depth %v old, renewed every %v, the best levels every %v", m.DepthAge, m.Book.DepthCadence,
				m.Book.Cadence)
		}
		frozen := time.Now()
		s.v.pushes("B", func(figures int, now time.Time) string {
			if figures != -1 {
				return ""
			}
			return s.v.movingBook("B", figures, now)
		})
		s.v.says(500, "null", "l2Book")
		deep := s.market(1).Book.Asks.Len()
		for range 40 {
			time.Sleep(time.Second)
			if m := s.market(1); m.BookAge > time.Second || m.DepthAge < time.Since(frozen)-50*time.Millisecond ||
				m.DepthAge > time.Since(frozen)+6*time.Second {
				s.Fatalf("after %v the best levels are %v old and the depth %v", time.Since(frozen), m.BookAge,
					m.DepthAge)
			}
		}
		if n := s.market(1).Book.Asks.Len(); n != fastLevels || deep <= 20 {
			s.Errorf("%d levels before and %d long after the depth stopped", deep, n)
		}
	})
}

func TestBadBooksAge(t *testing.T) {
	bad := map[string]func(v *fakeVenue, figures int, now time.Time) string{
		"crossed": func(_ *fakeVenue, _ int, now time.Time) string {
			return fmt.Sprintf(
				`{"coin":"B","time":%d,"levels":[[{"px":"101","sz":"1","n":1}],[{"px":"100","sz":"1","n":1}]]}`,
				now.UnixMilli())
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
	for name, book := range bad {
		t.Run(name, func(t *testing.T) {
			play(t, nil, func(s scene) {
				time.Sleep(3 * time.Second)
				s.v.pushes("B", func(figures int, now time.Time) string { return book(s.v, figures, now) })
				s.v.says(500, "null", "l2Book")
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
		v.pushes("B", func(figures int, now time.Time) string {
			return v.movingBook("B", figures, now.Add(-40*time.Second))
		})
		v.says(500, "null", "l2Book")
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
			s.v.push = func(coin string, figures int, _ time.Time) string {
				return s.v.movingBook(coin, figures, stop)
			}
			s.v.info = func(q infoRequest) reply {
				switch q.Type {
				case "exchangeStatus":
					return reply{status: 200, body: fmt.Sprintf(`{"time":%d,"specialStatuses":null}`, stop.UnixMilli())}
				case "l2Book":
					return reply{status: 200, body: s.v.movingBook(q.Coin, q.NSigFigs, stop)}
				}
				return reply{}
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
		s.v.pushes("B", func(figures int, now time.Time) string {
			if figures == -1 && !once.Swap(true) {
				now = now.Add(time.Hour)
			}
			return s.v.movingBook("B", figures, now)
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
						v.says(422, "Failed to deserialize", "exchangeStatus")
					}
				}, func(s scene) {
					time.Sleep(time.Minute)
					s.fresh(1100*time.Millisecond, 0, 1, 2)
					got := time.Duration(s.cache.Venue.Clock.SkewMs()) * time.Millisecond
					if (got - skew).Abs() > 600*time.Millisecond {
						s.Errorf("published skew %v, want %v", got, skew)
					}
				})
			})
		}
	}
}
