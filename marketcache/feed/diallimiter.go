package feed

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// DialLimiter decides which socket may connect when, for all sockets of a feed together. It
// keeps to a number of connections a minute. While no socket is up, or no socket has received
// anything for deafAfter, one socket at a time, the prober, tries every ProbeEvery for all, so
// that an outage does not use up the connections that all sockets need at its end.
type DialLimiter struct {
	limit     *SlidingLimit
	sockets   int                 // connections a minute that the prober leaves to the other sockets
	prober    chan struct{}       // holds the prober's token
	probed    marketcache.Instant // the last probe; guarded by the token
	connected atomic.Int32
	venue     *marketcache.VenueStatus // Connected is kept true while connected > 0

	mu      sync.Mutex
	firstUp chan struct{} // see FirstUp
}

// Times of connecting.
const (
	ProbeEvery     = 3 * time.Second        // between two probes
	SettledAfter   = 10 * time.Second       // a connection that lived so long was a success
	ConnectTimeout = 5 * time.Second        // of one attempt
	proberPoll     = 100 * time.Millisecond // how often a waiting socket looks for a sign of life
	deafAfter      = 5 * time.Second
)

// NewDialLimiter returns a limiter of a number of connections a minute for a number of sockets.
// It keeps venue.Connected, and reads venue.LastMessage.
func NewDialLimiter(venue *marketcache.VenueStatus, perMinute, sockets int) *DialLimiter {
	return &DialLimiter{limit: NewSlidingLimit(perMinute), sockets: sockets, prober: make(chan struct{}, 1), venue: venue, firstUp: make(chan struct{})}
}

// alive reports whether a socket is up and the venue has said something lately.
func (d *DialLimiter) alive() bool {
	last := marketcache.Instant(d.venue.LastMessage.Load())
	return d.connected.Load() > 0 && last != 0 && marketcache.Now().Sub(last) <= deafAfter
}

// Acquire waits for the caller's turn to connect. failures is how often the caller has failed
// in a row, 1 after it lost a connection. A prober must call ReleaseProber when it has
// connected, or has waited after a failure. The error is the context's.
func (d *DialLimiter) Acquire(ctx context.Context, failures int) (prober bool, err error) {
	prober = d.acquireProber(ctx)
	for err = ctx.Err(); err == nil; {
		reserve := 0
		if prober && failures > 1 && !d.alive() {
			reserve = d.sockets
		}
		wait, ok := d.limit.Acquire(marketcache.Now(), reserve)
		if ok {
			return prober, nil
		}
		err = Sleep(ctx, min(wait, proberPoll)) // the venue may come back meanwhile
	}
	if prober {
		d.ReleaseProber()
	}
	return false, err
}

// acquireProber waits until the venue is alive, or the caller becomes the prober.
func (d *DialLimiter) acquireProber(ctx context.Context) bool {
	for !d.alive() && ctx.Err() == nil {
		select {
		case d.prober <- struct{}{}:
			if now := marketcache.Now(); d.probed == 0 || now.Sub(d.probed) >= ProbeEvery {
				d.probed = now
				return true
			}
			d.ReleaseProber()
		default:
		}
		Sleep(ctx, proberPoll)
	}
	return false
}

// ReleaseProber lets another socket probe.
func (d *DialLimiter) ReleaseProber() { <-d.prober }

// FirstUp returns a channel that is closed when a socket connects while the venue is not
// alive, and again deafAfter later: a socket that waits to retry should retry then.
func (d *DialLimiter) FirstUp() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.firstUp
}

func (d *DialLimiter) wake() {
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.firstUp)
	d.firstUp = make(chan struct{})
}

// Connected returns the number of sockets that are up.
func (d *DialLimiter) Connected() int { return int(d.connected.Load()) }

// Opened records that a socket is up.
func (d *DialLimiter) Opened() {
	quiet := !d.alive()
	d.mu.Lock()
	d.connected.Add(1)
	d.venue.Connected.Store(true)
	d.mu.Unlock()
	if quiet { // the second wake is for sockets that find out later that they are half-open
		d.wake()
		time.AfterFunc(deafAfter, d.wake)
	}
}

// Closed records that a socket is down.
func (d *DialLimiter) Closed() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.connected.Add(-1) == 0 {
		d.venue.Connected.Store(false)
	}
}

// Bounds of Backoff.
const (
	BackoffMin = 250 * time.Millisecond
	backoffMax = 30 * time.Second
)

// Backoff returns how long to wait after the n-th failure in a row, n from 1: up to
// BackoffMin * 2^(n-1), at most 30 s, with full jitter.
func Backoff(n int) time.Duration {
	ceiling := min(backoffMax, BackoffMin<<min(n-1, 10))
	return time.Duration(rand.Int64N(int64(ceiling))) + 10*time.Millisecond
}

// Sleep waits for d, or returns the context's error when that ends first.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
