package hyperliquid

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/marketcache"
)

// watch follows a wallet as a server does for a caller that asks every second: it is read again
// from an age of a second on. It fails when an answer would be a refusal or older than 2 s.
func (s scene) watch(caller marketcache.Caller, w marketcache.Wallet, until time.Time) {
	ctx := marketcache.WithCaller(s.Context(), caller)
	for ; time.Now().Before(until); time.Sleep(time.Second) {
		age := func() time.Duration {
			if _, age, held := s.cache.Account(&w, marketcache.Now(), marketcache.Forever); held {
				return age
			}
			return marketcache.Forever
		}
		if age() <= time.Second {
			continue
		}
		if _, err := s.f.LoadAccount(ctx, w, marketcache.NoAsset); err != nil {
			s.Errorf("%v before the end, caller %s, wallet %v old: %v", time.Until(until), caller.ID, age(), err)
		}
		if age() > 2*time.Second {
			s.Errorf("%v before the end, caller %s: wallet %v old", time.Until(until), caller.ID, age())
		}
	}
}

// TestGreedyCallers: whatever some callers ask for, another's wallets stay fresh, and a caller
// that has asked for nothing yet may read its first.
func TestGreedyCallers(t *testing.T) {
	for name, c := range map[string]struct {
		greedy int  // callers
		closes bool // as they say
		again  bool // they read the same wallets again and again
		assets int
		// wallets that the other caller follows; a read weighs 2, every second or two.
		wallets int
		ahead   time.Duration // how long before them the other caller has begun; negative: after
	}{
		"one":                {greedy: 1, assets: 3, wallets: 2, ahead: 30 * time.Second},
		"eight":              {greedy: 8, assets: 3, wallets: 2, ahead: 30 * time.Second},
		"at the same moment": {greedy: 1, assets: 3, wallets: 2},
		"one ahead":          {greedy: 1, assets: 3, wallets: 2, ahead: -30 * time.Second},
		"eight ahead":        {greedy: 8, assets: 3, wallets: 2, ahead: -30 * time.Second},
		"warm-up":            {greedy: 8, assets: 60, wallets: 2, ahead: 30 * time.Second},
		"closes":             {greedy: 1, closes: true, assets: 3, wallets: 1, ahead: 30 * time.Second},
		"many wallets":       {greedy: 1, again: true, assets: 3, wallets: 1, ahead: 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(v *fakeVenue, cfg *Config) {
				cfg.Share, cfg.Budget, v.limit, v.hold = 0.5, 0, 600, 150*time.Millisecond
				v.assets, v.every = many(c.assets), 5*time.Second
			}, func(s scene) {
				time.Sleep(3 * time.Minute)
				ctx := marketcache.WithCaller(s.Context(), marketcache.Caller{ID: "other"})
				for n := range byte(c.wallets) {
					if _, err := s.f.LoadAccount(ctx, wallet(210+n), marketcache.NoAsset); err != nil {
						s.Error(err)
					}
				}
				time.Sleep(2 * time.Minute)
				begin, end := time.Now(), time.Now().Add(2*time.Minute)
				var wg sync.WaitGroup
				for n := range byte(c.wallets) {
					wg.Go(func() {
						time.Sleep(-c.ahead)
						s.watch(marketcache.Caller{ID: "other", Closes: n == 0}, wallet(210+n), end)
					})
				}
				time.Sleep(c.ahead)
				var read, refused, other atomic.Int32
				for g := range c.greedy {
					ctx := marketcache.WithCaller(s.Context(), marketcache.Caller{ID: fmt.Sprint("greedy ", g), Closes: c.closes})
					for i := 0; time.Now().Add(time.Duration(i) * time.Second).Before(end); i++ {
						w := marketcache.Wallet{1, byte(g), byte(i)}
						wg.Go(func() {
							time.Sleep(time.Duration(i) * time.Second)
							for {
								switch _, err := s.f.LoadAccount(ctx, w, marketcache.NoAsset); {
								case err == nil:
									read.Add(1)
								case errors.Is(err, ErrShare):
									refused.Add(1)
									if wait, ok := RetryAfter(err); !ok || wait > time.Minute {
										s.Errorf("refused with %v", err)
									}
								default:
									other.Add(1)
								}
								if time.Sleep(time.Second); !c.again || time.Now().After(end) {
									return
								}
							}
						})
					}
				}
				wg.Go(func() {
					time.Sleep(time.Until(end) - 20*time.Second)
					ctx := marketcache.WithCaller(s.Context(), marketcache.Caller{ID: "new"})
					if _, err := s.f.LoadAccount(ctx, wallet(201), marketcache.NoAsset); err != nil && c.greedy == 1 {
						s.Errorf("a first wallet: %v", err)
					}
				})
				wg.Wait()
				s.Logf("%d read, %d refused, %d otherwise", read.Load(), refused.Load(), other.Load())
				if read.Load() == 0 || int(refused.Load()) < 20*c.greedy {
					s.Error("they were refused too much, or too little")
				}
				s.Logf("%v, at most %d weight a minute", time.Since(begin), s.v.busiest())
			})
		})
	}
}

// TestAnothersRefusal: who waits for a read that is refused because its caller has spent its share
// reads for itself.
func TestAnothersRefusal(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) { cfg.Budget = 1200 }, func(s scene) {
		time.Sleep(90 * time.Second)
		w, l := wallet(1), s.f.accounts
		refused := &flight{caller: marketcache.Caller{ID: "greedy"}, setting: marketcache.NoAsset, done: make(chan struct{}), err: &Error{Kind: ErrShare}}
		l.mu.Lock()
		l.flights[w] = refused
		l.mu.Unlock()
		go func() {
			time.Sleep(time.Second)
			l.mu.Lock()
			delete(l.flights, w)
			l.mu.Unlock()
			close(refused.done)
		}()
		var wg sync.WaitGroup
		for id, want := range map[string]error{"other": nil, "greedy": ErrShare} {
			wg.Go(func() {
				ctx := marketcache.WithCaller(s.Context(), marketcache.Caller{ID: id})
				if _, err := s.f.LoadAccount(ctx, w, marketcache.NoAsset); !errors.Is(err, want) {
					s.Errorf("%s: %v, want %v", id, err, want)
				}
			})
		}
		wg.Wait()
	})
}
