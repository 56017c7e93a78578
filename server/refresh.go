package server

import (
	"context"
	"sync"

	"ballast/marketcache"
)

const (
	refreshWorkers = 4
	refreshQueue   = 64
	// refreshPerKey is how many of the places one key's wallets may have.
	refreshPerKey = refreshQueue / 4
)

// refresher reads wallets anew in the background, each at most once at a time. When it
// is busy it forgets what it is asked: the wallet will be asked for again.
type refresher struct {
	s    *Server
	jobs chan refresh
	wg   sync.WaitGroup

	mu sync.Mutex
	// busy are those queued or under way, refreshQueue+refreshWorkers at most, each with the
	// instant from which on the venue has been asked for it.
	busy  map[marketcache.Wallet]marketcache.Instant
	byKey map[string]int // how many of them
}

// refresh is a wallet to read, and the key that asked for it last.
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

// ask queues a wallet for the key of a request, unless it is queued already or there is no
// room. The venue has been asked for it since then.
func (r *refresher) ask(x *exchange, w marketcache.Wallet, since marketcache.Instant) {
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
		case job := <-r.jobs:
			r.s.guarded("wallet refresh", func() { r.read(job) })
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

// read reads a wallet; a failure is counted, and the wallet will be asked for again.
func (r *refresher) read(job refresh) {
	ctx, cancel := context.WithTimeout(r.s.life, r.s.cfg.RequestTimeout)
	defer cancel()
	_, _ = r.s.load(ctx, job.wallet, marketcache.NoAsset, marketcache.Caller{ID: job.caller})
}

func (r *refresher) wait() { r.wg.Wait() }
