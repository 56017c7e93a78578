package hyperliquid

import (
	"context"
	"errors"
	"testing"
	"time"

	"ballast/marketcache"
)

// lone asks for wallets as the server does for the only key.
type lone struct {
	scene
	answers, unread int
}

// ask asks for a wallet and its leverage setting in an asset, and reports whether the setting came.
func (l *lone) ask(w marketcache.Wallet, asset marketcache.AssetID) (read bool) {
	l.Helper()
	held, age, have := l.cache.Account(&w, marketcache.Now(), marketcache.Forever)
	if have && age <= 2*time.Second && !l.f.accounts.lacks(held, asset) {
		l.answers++
		return true
	}
	limit := 10 * time.Second
	if have && age <= 15*time.Second {
		limit = 1500 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(marketcache.WithCaller(l.Context(), marketcache.Caller{ID: "alone"}), limit)
	defer cancel()
	a, err := l.f.LoadAccount(ctx, w, asset)
	if err != nil {
		if a, _, have = l.cache.Account(&w, marketcache.Now(), 15*time.Second); !have {
			l.Fatalf("answer %d is refused: %v", l.answers, err)
		}
		if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, marketcache.ErrShare) {
			l.Errorf("answer %d: %v", l.answers, err)
		}
	}
	l.answers++
	if l.f.accounts.lacks(a, asset) {
		l.unread++
		return false
	}
	return true
}

// TestLoneKey: a key that is alone asks for every asset in turn, without leverage, directly after a start within half
// of the weight. It is never refused, and has all answers within 75 s. A setting that cannot be read at once is read
// later: whoever asks again has it.
func TestLoneKey(t *testing.T) {
	takesLong(t)
	for _, c := range []struct {
		name     string
		wallets  byte
		times    int
		restarts bool
	}{{"two wallets", 2, 1, false}, {"restart, two wallets, each twice", 2, 2, true}} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			setup := func(v *fakeVenue, cfg *Config) {
				v.assets, v.every = many(326), 2*time.Second
				v.dexes, cfg.Dexes = []string{"xyz", "para", "mkts", "io"}, []string{AllDexes}
				for i := range v.assets[286:] {
					v.assets[286+i] = v.dexes[i/10] + ":" + v.assets[286+i]
				}
				cfg.Share, cfg.Budget, cfg.DataDir, v.limit = 0.5, 0, dir, 600
			}
			ready := func(s scene) {
				s.within(30*time.Second, "the universe", func() bool {
					return len(s.f.ranks.Load().IDs) == 326 && s.market(0).CapsAge >= 0
				})
			}
			if c.restarts {
				play(t, setup, func(s scene) { ready(s); time.Sleep(2 * time.Minute) })
			}
			play(t, setup, func(s scene) {
				if c.restarts {
					time.Sleep(3 * time.Minute)
				}
				if ready(s); !c.restarts {
					time.Sleep(time.Minute) // until 80 % of the open interest can be answered
				}
				l, began := &lone{scene: s}, time.Now()
				for id := range marketcache.AssetID(326) {
					for range c.times {
						for n := range c.wallets {
							l.ask(wallet(1+n), id)
						}
					}
				}
				took := time.Since(began)
				s.Logf("%d answers in %v, %d without the setting", l.answers, took, l.unread)
				if took > 75*time.Second {
					s.Errorf("%d answers took %v", l.answers, took)
				}
				s.within(30*time.Second, "the setting of the last asset", func() bool { return l.ask(first, 325) })
			})
		})
	}
}
