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

	mu   sync.Mutex
	busy map[marketcache.Wallet]struct{} // queued or under way, refreshQueue+refreshWorkers at most
}

func newRefresher(s *Server) *refresher {
	r := &refresher{
		s: s, jobs: make(chan marketcache.Wallet, refreshQueue),
		busy: make(map[marketcache.Wallet]struct{}, refreshQueue+refreshWorkers),
	}
	for range refreshWorkers {
		r.wg.Go(r.run)
	}
	return r
}

// ask queues a wallet unless it is queued already or there is no room.
func (r *refresher) ask(w marketcache.Wallet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, is := r.busy[w]; is {
		return
	}
	select {
	case r.jobs <- w:
		r.busy[w] = struct{}{}
	default:
	}
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
