package hyperliquid

import (
	"context"
	"fmt"
	"testing"
	"time"

	"ballast/marketcache"
)

// Beside one and three greedy keys, a key that asks each second for one known wallet is never refused, and the wallet
// never older than three seconds. Injects the fault greedy-key of docs/faults.md.
func TestKnownWalletBesideGreedyKeys(t *testing.T) {
	takesLong(t)
	for _, greedy := range []int{1, 3} {
		play(t, func(v *fakeVenue, cfg *Config) {
			v.assets, v.every = many(40), 2*time.Second
			v.dexes, cfg.Dexes = []string{"xyz"}, []string{AllDexes}
			cfg.Share, cfg.Budget, cfg.DataDir, v.limit = 0.5, 0, t.TempDir(), 600
		}, func(s scene) {
			s.within(30*time.Second, "the universe", func() bool { return len(s.f.ranks.Load().IDs) > 0 })
			time.Sleep(5 * time.Minute)
			ctx, cancel := context.WithTimeout(s.Context(), 2*time.Minute)
			defer cancel()
			const none = marketcache.NoAsset
			polling := &poller{scene: s, id: "polling"}
			polling.first(known(1), 15*time.Second)
			repeat(ctx, 300*time.Millisecond, time.Second, func(uint64) { polling.ask(known(1), none) })
			for i := range greedy {
				g := &poller{scene: s, id: fmt.Sprint("greedy ", i)}
				repeat(ctx, time.Duration(i)*31*time.Millisecond, time.Second/5, func(uint64) {
					go g.ask(fresh(), none)
				})
			}
			<-ctx.Done()
			s.Logf("%d greedy: %d served, %d refused, the oldest copy %v old", greedy, polling.served, polling.refused,
				polling.oldest)
			if polling.refused > 0 || polling.oldest > 3*time.Second {
				s.Errorf("refused %d times, or late", polling.refused)
			}
		})
	}
}
