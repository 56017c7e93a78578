package hyperliquid

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// poller asks for wallets as the server does for the requests of one key.
type poller struct {
	scene
	id string

	mu                    sync.Mutex
	fresh, stale, refused int
	last                  string // the last answer that was not fresh
}

// ask asks for a wallet, and for its leverage in an asset unless that is NoAsset. A copy up to two seconds old is
// fresh; when it is older than one second, the wallet is also read again. Any older copy is read again first, and used
// up to the age hard if that fails.
func (p *poller) ask(w marketcache.Wallet, closes bool, setting marketcache.AssetID, hard time.Duration) {
	_, age, have := p.cache.Account(&w, marketcache.Now(), marketcache.Forever)
	young := have && age <= 2*time.Second && setting == marketcache.NoAsset
	var err error
	if !young || age > time.Second {
		_, err = p.f.LoadAccount(marketcache.WithCaller(p.Context(), marketcache.Caller{ID: p.id, Closes: closes, Ahead: young}), w, setting)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case young || err == nil:
		p.fresh++
	case have && age <= hard:
		p.stale++
	default:
		p.refused++
	}
	if !young && err != nil {
		p.last = fmt.Sprintf("%v, %v old", err, age)
	}
}

// One key asks for about a hundred wallets a second: new and known, for validations, closes and monitor calls. Beside it
// a wallet that another key polls each second stays fresh, one monitored every ten seconds is read, and most keys get
// their first wallet. The service restarts with all histories; the greedy key begins 15 s, 55 s or 5 min later.
// Injects the fault greedy-key of docs/faults.md.
func TestPollingBesideGreedyKey(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, under the race detector a minute")
	}
	limits := smallCache
	defer func() { smallCache = limits }()
	smallCache.Assets = 256
	const assets, second = 178, time.Second
	dir, ran := t.TempDir(), time.Duration(0)
	setup := func(v *fakeVenue, cfg *Config) {
		time.Sleep(ran)
		v.assets, v.every = many(assets), 2*time.Second
		v.dexes, cfg.Dexes = []string{"xyz"}, []string{AllDexes}
		for i := range v.assets[150:] {
			v.assets[150+i] = "xyz:" + v.assets[150+i]
		}
		cfg.Share, cfg.Budget, cfg.DataDir, v.limit = 0.5, 0, dir, 600
	}
	play(t, setup, func(s scene) {
		began := time.Now()
		s.within(30*time.Minute, "histories", func() bool {
			time.Sleep(second)
			return len(s.f.ranks.Load().IDs) == assets && s.f.history.Pending() == 0
		})
		ran = time.Since(began) + 5*time.Minute
	})
	for _, after := range []time.Duration{5 * second, 45 * second, 5 * time.Minute} {
		play(t, setup, func(s scene) {
			began := time.Now()
			s.within(30*second, "the universe", func() bool { return len(s.f.ranks.Load().IDs) == assets })
			time.Sleep(after)
			ctx, cancel := context.WithTimeout(s.Context(), 3*time.Minute)
			defer cancel()
			repeat := func(delay, every time.Duration, ask func(n uint64)) {
				go func() {
					feed.Sleep(ctx, delay)
					for n := uint64(0); ctx.Err() == nil; n++ {
						ask(n)
						feed.Sleep(ctx, every)
					}
				}()
			}
			known := func(n uint64) (w marketcache.Wallet) { binary.BigEndian.PutUint64(w[:], n); return w }
			fresh := func() (w marketcache.Wallet) {
				binary.BigEndian.PutUint64(w[8:], uint64(time.Now().UnixNano()))
				return w
			}
			const none, monitor, validate = marketcache.NoAsset, 2 * second, 15 * second
			polling, monitoring, greedy := &poller{scene: s, id: "polling"}, &poller{scene: s, id: "monitoring"}, &poller{scene: s, id: "greedy"}
			var newcomers atomic.Int32
			repeat(300*time.Millisecond, second, func(uint64) { polling.ask(known(1), false, none, validate) })
			repeat(600*time.Millisecond, 3*second, func(uint64) { polling.ask(known(1), true, none, validate) })
			repeat(second, 5*second, func(uint64) { polling.ask(known(1), false, none, monitor) })
			repeat(2*second, 10*second, func(uint64) { monitoring.ask(known(6), false, none, monitor) })
			repeat(20*second, 65*second, func(n uint64) { // a key's first wallet
				newcomer := &poller{scene: s, id: fmt.Sprint("newcomer ", n)}
				if newcomer.ask(fresh(), false, none, validate); newcomer.fresh > 0 {
					newcomers.Add(1)
				}
			})
			for i := range uint64(10) { // from here on the greedy key
				at := 10*second + time.Duration(i)*31*time.Millisecond
				repeat(at, second/3, func(uint64) { greedy.ask(fresh(), false, none, validate) })
				if i >= 4 {
					continue
				}
				repeat(at, second/3, func(uint64) { greedy.ask(fresh(), false, none, monitor) })
				repeat(at, second/3, func(uint64) { greedy.ask(fresh(), true, none, validate) })
				repeat(at, second/4, func(n uint64) { greedy.ask(known(2+(n+i)%11), false, none, monitor) })
				repeat(at, second/4, func(n uint64) { greedy.ask(known(2+(n+i)%11), true, none, validate) })
				repeat(at, second/2, func(n uint64) { greedy.ask(known(2+(n+i)%11), false, s.f.ranks.Load().IDs[n%4], validate) })
			}
			<-ctx.Done()
			for _, p := range []*poller{polling, monitoring, greedy} {
				p.mu.Lock()
				defer p.mu.Unlock()
				s.Logf("after %v: %s: %d fresh, %d stale, %d refused, the last: %s", after, p.id, p.fresh, p.stale, p.refused, p.last)
			}
			s.Logf("after %v: %d newcomers of 3 got a wallet", after, newcomers.Load())
			if polling.stale > polling.fresh/50 || polling.refused > 0 || monitoring.refused > 1 || newcomers.Load() < 2 || greedy.fresh < 60 {
				s.Errorf("after %v: not all were served as they should", after)
			}
			ran += time.Since(began) + 5*time.Minute
		})
	}
}
