package hyperliquid

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// poller asks for wallets as the server does for the requests of one key.
type poller struct {
	scene
	id string

	mu              sync.Mutex
	served, refused int
	oldest          time.Duration // the age of the oldest copy that an answer was made of
}

// ask asks for a wallet, and for its leverage in an asset unless that is NoAsset. A copy up to two seconds old is
// used; when it is older than one second, the wallet is also read again. Any older copy is read again first.
func (p *poller) ask(w marketcache.Wallet, setting marketcache.AssetID) error {
	_, age, have := p.cache.Account(&w, marketcache.Now(), marketcache.Forever)
	young := have && age <= 2*time.Second && setting == marketcache.NoAsset
	var err error
	if !young || age > time.Second {
		caller := marketcache.Caller{ID: p.id, Ahead: young}
		_, err = p.f.LoadAccount(marketcache.WithCaller(p.Context(), caller), w, setting)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case young || err == nil:
		p.served++
	default:
		p.refused++
	}
	if _, age, have = p.cache.Account(&w, marketcache.Now(), marketcache.Forever); have {
		p.oldest = max(p.oldest, age)
	}
	return err
}

// first asks for a wallet that is new to a key: it has it within two seconds, or is told when, within longest, and has
// then at least the copy that was read meanwhile, which is good enough for a validation.
func (p *poller) first(w marketcache.Wallet, longest time.Duration) {
	for try := range 2 {
		began := time.Now()
		err := p.ask(w, marketcache.NoAsset)
		if took := time.Since(began); took > 2*time.Second {
			p.Errorf("%s: the answer took %v: %v", p.id, took, err)
		}
		_, age, have := p.cache.Account(&w, marketcache.Now(), marketcache.Forever)
		if err == nil || p.f.life.Err() != nil || have && age <= 15*time.Second {
			return
		}
		wait, ok := marketcache.RetryAfter(err)
		if !errors.Is(err, marketcache.ErrShare) || !ok || wait > longest || try > 0 {
			p.Errorf("%s: try %d: %v, wait %v", p.id, try, err, wait)
		}
		p.Logf("%s: told to wait %v", p.id, wait)
		time.Sleep(wait.Truncate(time.Second) + time.Second) // Retry-After has whole seconds
	}
}

// repeat asks at an interval until ctx ends.
func repeat(ctx context.Context, delay, every time.Duration, ask func(n uint64)) {
	go func() {
		feed.Sleep(ctx, delay)
		for n := uint64(0); ctx.Err() == nil; n++ {
			ask(n)
			feed.Sleep(ctx, every)
		}
	}()
}

// known returns one of a few wallets, fresh a new one.
func known(n uint64) (w marketcache.Wallet) {
	binary.BigEndian.PutUint64(w[:], n)
	return w
}

func fresh() (w marketcache.Wallet) {
	binary.BigEndian.PutUint64(w[8:], uint64(time.Now().UnixNano()))
	return w
}

// greed asks for about a hundred wallets a second: new and known, with and without a setting.
func (p *poller) greed(ctx context.Context) {
	const second, none = time.Second, marketcache.NoAsset
	for i := range uint64(10) {
		at := time.Duration(i) * 31 * time.Millisecond
		repeat(ctx, at, second/3, func(uint64) { p.ask(fresh(), none) })
		if i >= 4 {
			continue
		}
		repeat(ctx, at, second/3, func(uint64) { p.ask(fresh(), none) })
		repeat(ctx, at, second/3, func(uint64) { p.ask(fresh(), none) })
		repeat(ctx, at, second/4, func(n uint64) { p.ask(known(2+(n+i)%11), none) })
		repeat(ctx, at, second/4, func(n uint64) { p.ask(known(2+(n+i)%11), none) })
		repeat(ctx, at, second/2, func(n uint64) { p.ask(known(2+(n+i)%11), p.f.ranks.Load().IDs[n%4]) })
	}
}

// Beside a greedy key, wallets that another key polls each second are never older than five seconds, one monitored
// every ten seconds is read, and every key gets a new wallet, at once or when it was told. The service restarts with
// all histories; the greedy key begins 5 s or 5 min later. With half of the venue's weight, and with all of it. Injects
// the fault greedy-key of docs/faults.md.
func TestPollingBesideGreedyKey(t *testing.T) {
	takesLong(t)
	t.Run("half of the weight", func(t *testing.T) { pollBesideGreedyKey(t, 600) })
	t.Run("all of it", func(t *testing.T) { pollBesideGreedyKey(t, 1200) })
}

func pollBesideGreedyKey(t *testing.T, budget int) {
	const assets, second, none = 178, time.Second, marketcache.NoAsset
	longest := 18_000 * second / time.Duration(budget) // for a first wallet
	dir, ran := t.TempDir(), time.Duration(0)
	setup := func(v *fakeVenue, cfg *Config) {
		time.Sleep(ran)
		v.assets, v.every = many(assets), 2*time.Second
		v.dexes, cfg.Dexes = []string{"xyz"}, []string{AllDexes}
		for i := range v.assets[150:] {
			v.assets[150+i] = "xyz:" + v.assets[150+i]
		}
		cfg.Share, cfg.Budget, cfg.DataDir, v.limit = float64(budget)/venueWeight, 0, dir, budget
	}
	play(t, setup, func(s scene) {
		began := time.Now()
		s.within(30*time.Minute, "histories", func() bool {
			time.Sleep(second)
			return len(s.f.ranks.Load().IDs) == assets && s.f.history.Pending() == 0
		})
		ran = time.Since(began) + 5*time.Minute
	})
	for _, after := range []time.Duration{5 * second, 5 * time.Minute} {
		play(t, setup, func(s scene) {
			began := time.Now()
			s.within(30*second, "the universe", func() bool { return len(s.f.ranks.Load().IDs) == assets })
			time.Sleep(after)
			ctx, cancel := context.WithTimeout(s.Context(), 3*time.Minute)
			defer cancel()
			first, monitoring := &poller{scene: s, id: "polling"}, &poller{scene: s, id: "monitoring"}
			more, greedy := &poller{scene: s, id: first.id}, &poller{scene: s, id: "greedy"}
			later := &poller{scene: s, id: first.id}
			first.first(known(1), longest)
			monitoring.first(known(6), longest)
			repeat(ctx, 300*time.Millisecond, second, func(uint64) { first.ask(known(1), none) })
			repeat(ctx, 600*time.Millisecond, 3*second, func(uint64) { first.ask(known(1), none) })
			go func() {
				later.first(known(15), 3*longest)
				later.oldest = 0
				repeat(ctx, 400*time.Millisecond, second, func(uint64) { later.ask(known(15), none) })
			}()
			repeat(ctx, 2*second, 10*second, func(uint64) { monitoring.ask(known(6), none) })
			repeat(ctx, 20*second, 25*second, func(n uint64) { // a key's first wallet
				(&poller{scene: s, id: fmt.Sprint("newcomer ", n)}).first(fresh(), longest)
			})
			repeat(ctx, 50*second, 40*second, func(n uint64) { more.first(known(1000+n), 3*longest) })
			greedy.greed(ctx)
			<-ctx.Done()
			for _, p := range []*poller{first, later, monitoring, greedy} {
				p.mu.Lock()
				defer p.mu.Unlock()
				s.Logf("after %v: %s: %d served, %d refused, the oldest copy %v old", after, p.id, p.served, p.refused,
					p.oldest)
			}
			oldest, refused := max(first.oldest, later.oldest), first.refused+later.refused
			if oldest > 5100*time.Millisecond || refused > 40 || monitoring.oldest > 11*second || greedy.served < 100 {
				s.Errorf("after %v: not all were served as they should", after)
			}
			ran += time.Since(began) + 5*time.Minute
		})
	}
}
