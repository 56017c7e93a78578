package hyperliquid

import (
	"encoding/binary"
	"testing"
	"time"

	"ballast/marketcache"
)

// TestWantedBesideGreedyKey: after a first start, the histories that callers wait for are read before others, also
// those that were to be read next, while a key asks for new wallets without pause: each within ten seconds.
func TestWantedBesideGreedyKey(t *testing.T) {
	takesLong(t)
	for _, c := range []struct {
		budget int
		greedy bool
		within time.Duration
	}{{600, false, 10 * time.Second}, {600, true, 10 * time.Second}, {1200, true, 10 * time.Second}} {
		play(t, func(v *fakeVenue, cfg *Config) {
			v.assets, v.every = many(326), 2*time.Second
			v.dexes, cfg.Dexes = []string{"xyz", "para", "mkts", "io"}, []string{AllDexes}
			for i := range v.assets[286:] {
				v.assets[286+i] = v.dexes[i/10] + ":" + v.assets[286+i]
			}
			cfg.Share, cfg.Budget, cfg.DataDir, v.limit = float64(c.budget)/venueWeight, 0, t.TempDir(), c.budget
		}, func(s scene) {
			s.within(30*time.Second, "the universe", func() bool { return len(s.f.ranks.Load().IDs) == 326 })
			if c.greedy {
				go func() {
					ctx := marketcache.WithCaller(s.Context(), marketcache.Caller{ID: "greedy"})
					for n := uint64(1); s.f.life.Err() == nil; n++ {
						var w marketcache.Wallet
						binary.BigEndian.PutUint64(w[:], n)
						s.f.LoadAccount(ctx, w, marketcache.NoAsset)
						time.Sleep(25 * time.Millisecond)
					}
				}()
			}
			time.Sleep(2 * time.Second)
			ids := s.f.ranks.Load().IDs
			loaded := func(rank int) bool { _, through := s.cache.Bars(ids[rank]); return through != 0 }
			next := 0
			for loaded(next) {
				next++
			}
			for _, rank := range []int{next + 1, next + 2, next + 3, 300} {
				began := time.Now()
				s.cache.Want(ids[rank])
				s.within(c.within, "bars of a wanted asset", func() bool { return loaded(rank) })
				s.Logf("%+v: rank %d after %v", c, rank, time.Since(began))
			}
		})
	}
}
