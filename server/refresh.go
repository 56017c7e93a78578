package server

import (
	"context"
	"sync"

	"ballast/marketcache"
)

const (
	refreshWorkers = 4
	refreshQueue   = 64
)

// refresher reads wallets anew in the background, each at most once at a time. When it
// is busy it forgets what it is asked: the wallet will be asked for again.
type refresher struct {
	s    *Server
	jobs chan marketcache.Wallet
	wg   sync.WaitGroup

	mu sync.Mutex
	// busy are those queued or under way, refreshQueue+refreshWorkers at most, each with the
	// instant from which on the venue has been asked for it.
	busy map[marketcache.Wallet]marketcache.Instant
}

func newRefresher(s *Server) *refresher {
	r := &refresher{
		s: s, jobs: make(chan marketcache.Wallet, refreshQueue),
		busy: make(map[marketcache.Wallet]marketcache.Instant, refreshQueue+refreshWorkers),
	}
	for range refreshWorkers {
		r.wg.Go(r.run)
	}
	return r
}

// ask queues a wallet unless it is queued already or there is no room.
func (r *refresher) ask(w marketcache.Wallet) { r.askSince(w, marketcache.Now()) }

// askSince is ask for a wallet for which the venue has been asked since then already.
func (r *refresher) askSince(w marketcache.Wallet, since marketcache.Instant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, is := r.busy[w]; is {
		return
	}
	select {
	case r.jobs <- w:
		r.busy[w] = since
	default:
	}
}

// takesLong reports whether the venue has been asked for a wallet for longer than a request
// would wait.
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
		case w := <-r.jobs:
			r.s.guarded("wallet refresh", func() { r.read(w) })
			r.mu.Lock()
			delete(r.busy, w)
			r.mu.Unlock()
		}
	}
}

func (r *refresher) read(w marketcache.Wallet) {
	ctx, cancel := context.WithTimeout(r.s.life, r.s.cfg.RequestTimeout)
	defer cancel()
	if _, err := r.s.cfg.LoadAccount(ctx, w, marketcache.NoAsset); err != nil && r.s.life.Err() == nil {
		r.s.metrics.loadErrors.Inc()
	}
}

func (r *refresher) wait() { r.wg.Wait() }
