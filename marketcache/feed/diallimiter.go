package feed

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// DialLimiter decides which socket of a feed may connect, and when, within a number of
// connections a minute. While no socket is up, or none has received anything for deafAfter, the venue is
// silent: only one socket, the prober, tries to connect, every ProbeEvery, half as often while more than half of
// the minute's connections are used. It leaves as many as the other sockets need when the silence ends.
type DialLimiter struct {
	limit     *SlidingLimit
	others    int                 // number of sockets beside the prober
	prober    chan struct{}       // holds the prober's token
	probed    marketcache.Instant // time of the last probe; guarded by the token
	connected atomic.Int32
	venue     *marketcache.VenueStatus // Connected is kept true while connected > 0

	mu   sync.Mutex
	back chan struct{} // see Back
}

// Times of connecting.
const (
	ProbeEvery     = 3 * time.Second        // interval between probes
	SettledAfter   = 10 * time.Second       // a connection that lasted this long counts as a success
	ConnectTimeout = 5 * time.Second        // of one attempt to connect
	proberPoll     = 100 * time.Millisecond // how often a waiting socket checks whether the venue is alive
	deafAfter      = 5 * time.Second
)

// NewDialLimiter returns a limiter of perMinute connections for a number of sockets.
// It maintains venue.Connected and venue.LastMessage.
func NewDialLimiter(venue *marketcache.VenueStatus, perMinute, sockets int) *DialLimiter {
	return &DialLimiter{limit: NewSlidingLimit(perMinute), others: max(0, sockets-1), prober: make(chan struct{}, 1),
		venue: venue, back: make(chan struct{})}
}

// Alive reports whether a socket is up and a message has arrived within deafAfter.
func (d *DialLimiter) Alive() bool {
	last := marketcache.Instant(d.venue.LastMessage.Load())
	return d.connected.Load() > 0 && last != 0 && marketcache.Now().Sub(last) <= deafAfter
}

// Acquire waits until the caller may connect. A prober must call ReleaseProber once it has
// connected, or has waited after a failure. The error is the context's.
func (d *DialLimiter) Acquire(ctx context.Context) (prober bool, err error) {
	prober = d.acquireProber(ctx)
	for err = ctx.Err(); err == nil; {
		reserve := 0
		if prober && !d.Alive() {
			reserve = d.others
		}
		if d.limit.Acquire(marketcache.Now(), 1, reserve) {
			return prober, nil
		}
		err = Sleep(ctx, proberPoll)
	}
	if prober {
		d.ReleaseProber()
	}
	return false, err
}

// acquireProber waits until the venue is alive or the caller becomes the prober.
func (d *DialLimiter) acquireProber(ctx context.Context) bool {
	for !d.Alive() && ctx.Err() == nil {
		select {
		case d.prober <- struct{}{}:
			every, now := ProbeEvery, marketcache.Now()
			if !d.limit.Fits(now, d.limit.PerMinute()/2) {
				every *= 2
			}
			if d.probed == 0 || now.Sub(d.probed) >= every {
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

// ReleaseProber lets another socket become the prober.
func (d *DialLimiter) ReleaseProber() { <-d.prober }

// Back returns a channel that is closed when the venue is no longer silent: sockets that wait to retry should
// retry then.
func (d *DialLimiter) Back() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.back
}

// Received records that a message arrived, and reports whether it ended a silence.
func (d *DialLimiter) Received(at marketcache.Instant) (ended bool) {
	ended = !d.Alive()
	d.venue.LastMessage.Store(int64(at))
	if ended {
		d.mu.Lock()
		defer d.mu.Unlock()
		close(d.back)
		d.back = make(chan struct{})
	}
	return ended
}

// Connected returns the number of sockets that are up.
func (d *DialLimiter) Connected() int { return int(d.connected.Load()) }

// Opened records that a socket is up.
func (d *DialLimiter) Opened() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.connected.Add(1)
	d.venue.Connected.Store(true)
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

// Backoff returns a random wait after the n-th consecutive failure: between 0 and
// BackoffMin * 2^(n-1), at most 30 s.
func Backoff(n int) time.Duration {
	ceiling := min(backoffMax, BackoffMin<<min(max(n-1, 0), 10))
	return time.Duration(rand.Int64N(int64(ceiling))) + 10*time.Millisecond
}

// Sleep waits for d, or returns the context's error if the context ends first.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
