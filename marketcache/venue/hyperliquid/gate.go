package hyperliquid

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// gate decides who may connect when, for all sockets together: at most room.connects a
// minute. While no socket is up, or none has heard anything lately, one of them, the pilot,
// tries for all, so that an outage is probed every few seconds without using up the connections
// that all will need at its end.
type gate struct {
	window    *window
	keep      int                 // connections a minute that the pilot leaves to the others
	pilot     chan struct{}       // holds the pilot's token
	tried     marketcache.Instant // the last pilot's; guarded by the token
	connected atomic.Int32
	venue     *marketcache.VenueStatus // Connected is kept true while connected > 0

	mu sync.Mutex
	up chan struct{} // closed and replaced when a socket connects while none was heard on, and soon after
}

// Back-off after a failed or short-lived connection.
const (
	backoffMin     = 250 * time.Millisecond
	backoffMax     = 30 * time.Second
	pilotPause     = 3 * time.Second        // between two tries of pilots
	pilotLook      = 100 * time.Millisecond // how often one that waits looks for a sign of life
	deafAfter      = 5 * time.Second
	settledAfter   = 10 * time.Second // a connection that lived so long was a success
	connectTimeout = 5 * time.Second
)

func newGate(venue *marketcache.VenueStatus, r room) *gate {
	return &gate{window: newWindow(r.connects), keep: r.connections, pilot: make(chan struct{}, 1), venue: venue, up: make(chan struct{})}
}

// alive reports whether a socket is up and the venue has said something lately.
func (g *gate) alive() bool {
	last := marketcache.Instant(g.venue.LastMessage.Load())
	return g.connected.Load() > 0 && last != 0 && marketcache.Now().Sub(last) <= deafAfter
}

// enter waits for the caller's turn to connect; failures are its own in a row, 1 after
// a connection was lost. pilot tells that it tries for all; it
// must then call leavePilot when it has connected, or has waited after a failure.
func (g *gate) enter(ctx context.Context, failures int) (pilot bool, err error) {
	keep := 0
	if pilot = g.takePilot(ctx); pilot && failures > 1 {
		keep = g.keep
	}
	for err = ctx.Err(); err == nil; {
		wait, ok := g.window.take(marketcache.Now(), keep)
		if ok {
			return pilot, nil
		}
		err = sleep(ctx, wait)
	}
	if pilot {
		g.leavePilot()
	}
	return false, err
}

// takePilot waits until the venue is alive, or it is the caller's turn to try for all.
func (g *gate) takePilot(ctx context.Context) bool {
	for !g.alive() && ctx.Err() == nil {
		select {
		case g.pilot <- struct{}{}:
			if now := marketcache.Now(); g.tried == 0 || now.Sub(g.tried) >= pilotPause {
				g.tried = now
				return true
			}
			g.leavePilot()
		default:
		}
		sleep(ctx, pilotLook)
	}
	return false
}

func (g *gate) leavePilot() { <-g.pilot }

// rising returns a channel that is closed when it makes sense to try again.
func (g *gate) rising() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.up
}

func (g *gate) wake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.up)
	g.up = make(chan struct{})
}

// opened and closed count the sockets that are up.
func (g *gate) opened() {
	quiet := !g.alive()
	g.mu.Lock()
	g.connected.Add(1)
	g.venue.Connected.Store(true)
	g.mu.Unlock()
	if quiet { // all others come to wait for what this one hears; and those that are deaf, when they find out
		g.wake()
		time.AfterFunc(deafAfter, g.wake)
	}
}

func (g *gate) closed() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.connected.Add(-1) == 0 {
		g.venue.Connected.Store(false)
	}
}

// backoff returns how long to wait after the n-th failure in a row, n from 1: full
// jitter for a single socket; the pilots' pace is the gate's.
func backoff(n int, pilot bool) time.Duration {
	if pilot {
		return backoffMin
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
