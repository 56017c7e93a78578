package hyperliquid

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// gate decides who may connect when, for all sockets together: at most maxConnects a
// minute. While no socket is up, one of them, the pilot, tries for all, so that an
// outage is probed every few seconds without using up the connections that all will
// need at its end.
type gate struct {
	window    *window
	pilot     chan struct{} // holds the pilot's token
	connected atomic.Int32
	anyUp     *atomic.Bool // kept true while connected > 0

	mu sync.Mutex
	up chan struct{} // closed and replaced when the first socket connects
}

// pilotKeep are the connections a minute that the pilot leaves to the others.
const pilotKeep = bookSockets

// Back-off after a failed or short-lived connection.
const (
	backoffMin     = 250 * time.Millisecond
	backoffMax     = 30 * time.Second
	pilotPause     = 3 * time.Second
	settledAfter   = 10 * time.Second // a connection that lived so long was a success
	connectTimeout = 5 * time.Second
)

func newGate(anyUp *atomic.Bool) *gate {
	return &gate{window: newWindow(maxConnects), pilot: make(chan struct{}, 1), anyUp: anyUp, up: make(chan struct{})}
}

// enter waits for the caller's turn to connect; failures are its own in a row, 1 after
// a connection was lost. pilot tells that it tries for all; it
// must then call leavePilot when it has connected, or has waited after a failure.
func (g *gate) enter(ctx context.Context, failures int) (pilot bool, err error) {
	for {
		keep := 0
		if g.connected.Load() == 0 {
			select {
			case g.pilot <- struct{}{}:
				pilot = true
				if failures > 1 {
					keep = pilotKeep
				}
				if g.connected.Load() > 0 { // in between
					g.leavePilot()
					pilot, keep = false, 0
				}
			case <-g.rising():
				continue
			case <-ctx.Done():
				return false, ctx.Err()
			}
		}
		for {
			wait, ok := g.window.take(marketcache.Now(), keep)
			if ok {
				return pilot, nil
			}
			if err := sleep(ctx, wait); err != nil {
				if pilot {
					g.leavePilot()
				}
				return false, err
			}
		}
	}
}

func (g *gate) leavePilot() { <-g.pilot }

// rising returns a channel that is closed when the first socket connects.
func (g *gate) rising() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.up
}

// opened and closed count the sockets that are up.
func (g *gate) opened() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.connected.Add(1) == 1 {
		g.anyUp.Store(true)
		close(g.up)
		g.up = make(chan struct{})
	}
}

func (g *gate) closed() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.connected.Add(-1) == 0 {
		g.anyUp.Store(false)
	}
}

// backoff returns how long to wait after the n-th failure in a row, n from 1: full
// jitter for a single socket; for the pilot always the same. Sockets take turns as pilot, each
// with failures of its own, and together must stay under their share of the connections.
func backoff(n int, pilot bool) time.Duration {
	if pilot {
		return pilotPause
	}
	ceiling := min(backoffMax, backoffMin<<min(n-1, 10))
	return time.Duration(rand.Int64N(int64(ceiling))) + 10*time.Millisecond
}

// sleep waits, or returns the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
