package hyperliquid

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

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
		if n := s.f.queue.Used(); n > 600 {
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
