package server

import (
	"context"
	"sync"

	"ballast/marketcache"
)

const (
	refreshWorkers = 4
	refreshQueue   = 64
	// refreshPerKey is the maximum number of queued wallets of one key.
	refreshPerKey = refreshQueue / 4
)

// refresher reads wallets again in the background, with at most one read per wallet at a time. When its
// queue is full it drops requests: the wallet will be requested again.
type refresher struct {
	s    *Server
	jobs chan refresh
	wg   sync.WaitGroup

	mu sync.Mutex
	// busy are the wallets queued or being read, at most refreshQueue+refreshWorkers, with the time since
	// which the venue has been asked for them.
	busy  map[marketcache.Wallet]marketcache.Instant
	byKey map[string]int // number of busy wallets per key
}

// refresh is a wallet to read, and the key whose request queued it.
type refresh struct {
	wallet marketcache.Wallet
	caller string
}

func newRefresher(s *Server) *refresher {
	r := &refresher{
		s: s, jobs: make(chan refresh, refreshQueue),
		busy: make(map[marketcache.Wallet]marketcache.Instant, refreshQueue+refreshWorkers), byKey: map[string]int{},
	}
	for range refreshWorkers {
		r.wg.Go(r.run)
	}
	return r
}

// request queues a wallet on behalf of the request's key, unless the wallet is already queued, the key has
// too many queued wallets, or the queue is full. since is when the venue was first asked for the wallet.
func (r *refresher) request(x *exchange, w marketcache.Wallet, since marketcache.Instant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, is := r.busy[w]; is {
		return
	}
	caller := r.s.caller(x)
	if r.byKey[caller] >= refreshPerKey {
		return
	}
	select {
	case r.jobs <- refresh{w, caller}:
		r.busy[w] = since
		r.byKey[caller]++
	default:
	}
}

// takesLong reports whether the venue has been asked for a wallet for longer than a request waits.
func (r *refresher) takesLong(w marketcache.Wallet, now marketcache.Instant) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	since, is := r.busy[w]
	return is && now.Sub(since) >= staleWait
}

func (r *refresher) run() {
	for {
		select {
		case <-r.s.life.Done():
			return
		case job := <-r.jobs:
			r.s.guarded("wallet refresh", func() {
				ctx, cancel := context.WithTimeout(r.s.life, r.s.cfg.RequestTimeout)
				defer cancel()
				_, _, young := r.s.cfg.Cache.Account(&job.wallet, marketcache.Now(), r.s.cfg.Engine.Ages().WalletSoft)
				// A failure is only counted: the wallet will be requested again.
				_, _ = r.s.load(ctx, job.wallet, marketcache.NoAsset, marketcache.Caller{ID: job.caller, Ahead: young})
			})
			r.done(job)
		}
	}
}

func (r *refresher) done(job refresh) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.busy, job.wallet)
	if r.byKey[job.caller]--; r.byKey[job.caller] == 0 {
		delete(r.byKey, job.caller)
	}
}
