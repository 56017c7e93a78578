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
		s.v.answers(func(infoRequest) reply {
			return reply{429, "null", map[string]string{"Retry-After": retryAfter(s.v.now())}}
		})
		_, err := s.f.LoadAccount(s.Context(), wallet(1), marketcache.NoAsset)
		if wait, ok := marketcache.RetryAfter(err); !errors.Is(err, marketcache.ErrBudget) || !ok ||
			wait < 15*time.Second {
			s.Fatalf("refused with %v, wait %v", err, wait)
		}
		refused := s.f.client.refused.Load()
		s.v.answers(nil)
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
		s.load(2, marketcache.NoAsset) // after Retry-After
	})
}

// Test429ByKind: a Retry-After of an hour pauses requests of the refused kind no longer than a missing
// Retry-After would; then one request is sent as a probe. Other kinds continue.
func Test429ByKind(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) {
		cfg.Budget, cfg.DataDir, v.assets, v.every = 1200, t.TempDir(), many(30), time.Second
	}, func(s scene) {
		refuse := func(kind string) {
			s.v.answers(func(q infoRequest) (a reply) {
				if q.Type == kind {
					a = reply{429, "<html>", map[string]string{"Retry-After": "3600"}}
				}
				return a
			})
		}
		time.Sleep(time.Second)
		refuse("candleSnapshot")
		s.within(70*time.Second, "a refusal", func() bool { return s.f.client.refused.Load() > 0 })
		refused := s.f.client.refused.Load()
		s.load(1, marketcache.NoAsset) // while histories are refused
		time.Sleep(9 * time.Second)
		if n := s.f.client.refused.Load(); n != refused {
			s.Errorf("asked %d times in the pause", n-refused)
		}
		time.Sleep(91 * time.Second)
		if n := s.f.client.refused.Load() - refused; n < 2 || n > 4 {
			s.Errorf("%d probes in 100 s", n)
		}
		refuse("")
		before := s.f.history.Pending()
		s.within(40*time.Second, "a history after the refusal", func() bool { return s.f.history.Pending() < before })

		refuse("clearinghouseState")
		_, err := s.f.LoadAccount(s.Context(), wallet(2), marketcache.NoAsset)
		if wait, ok := marketcache.RetryAfter(err); !errors.Is(err, marketcache.ErrBudget) || !ok ||
			wait > 38*time.Second {
			s.Errorf("refused with %v, wait %v", err, wait)
		}
		refuse("")
		time.Sleep(38 * time.Second)
		s.load(2, marketcache.NoAsset) // 38 s after an hour of Retry-After
	})
}

func TestNotAnAnswer(t *testing.T) {
	for name, a := range map[string]struct {
		status int
		body   string
		want   error
	}{
		"500 null":                     {500, "null", marketcache.ErrVenue},
		"502 HTML":                     {502, "<html>Bad Gateway</html>", marketcache.ErrVenue},
		"200 HTML":                     {200, "<html></html>", marketcache.ErrVenue},
		"200 empty":                    {200, "", marketcache.ErrVenue},
		"200 null":                     {200, "null", marketcache.ErrVenue},
		"422":                          {422, "Failed to deserialize", marketcache.ErrVenue},
		"302":                          {302, "", marketcache.ErrVenue},
		"200 object of something else": {200, `{"error":"x"}`, marketcache.ErrVenue},
		"200 array":                    {200, `[]`, marketcache.ErrVenue},
		"too large":                    {200, "{" + strings.Repeat(" ", maxBody) + "}", marketcache.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, nil, func(s scene) {
				time.Sleep(3 * time.Second)
				s.v.says(a.status, a.body, "clearinghouseState")
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
		s.v.says(502, "<html>")
		for range 5 {
			s.f.LoadAccount(s.Context(), wallet(1), marketcache.NoAsset)
		}
		if !s.cache.Venue.BreakerOpen.Load() {
			s.Fatal("the breaker is closed after five failures")
		}
		_, err := s.f.LoadAccount(s.Context(), first, marketcache.NoAsset)
		if !errors.Is(err, marketcache.ErrUnavailable) {
			s.Errorf("the breaker is open, but the error is %v", err)
		}
		time.Sleep(time.Minute)
		s.fresh(time.Second, 0, 1, 2) // an error of REST does not affect the socket
		s.v.answers(nil)
		time.Sleep(3 * time.Second)
		s.load(2, 1)
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
		if n := s.f.queue.Weight().Sum(); n > 600 {
			s.Errorf("%d spent", n)
		}
	})
}

// TestBreakerOfOneKind: when the venue fails one kind of request, other kinds continue.
func TestBreakerOfOneKind(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) {
		v.says(500, "null", "candleSnapshot", "fundingHistory")
	}, func(s scene) {
		time.Sleep(20 * time.Second)
		if !s.cache.Venue.BreakerOpen.Load() {
			s.Fatal("the breaker is closed after repeated failures")
		}
		for range 20 {
			time.Sleep(3 * time.Second)
			s.load(1, marketcache.NoAsset) // although histories fail
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
				short := errors.Is(err, marketcache.ErrBudget) || errors.Is(err, marketcache.ErrShare)
				switch wait, ok := marketcache.RetryAfter(err); {
				case err == nil:
					good.Add(1)
				case short && ok && wait <= time.Minute:
					refused.Add(1)
				default:
					s.Error(err)
				}
				if took := time.Since(began); took > 9*time.Second { // one at a time waits: the key is alone
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
