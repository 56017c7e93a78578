package hyperliquid

import (
	"math/rand/v2"
	"sync"
	"time"

	"ballast/marketcache"
)

// breaker stops requests to a REST side that keeps failing:
//
//	closed --breakerFailures failures in a row--> open --pause over--> half-open
//	half-open: one request passes; success closes, failure opens again, longer
//
// The pause doubles from 0.5 s to 3 s with jitter, short enough that a venue that
// comes back is noticed within 5 s.
type breaker struct {
	mu       sync.Mutex
	failures int
	isOpen   bool
	probing  bool
	until    marketcache.Instant
	pause    time.Duration
	closed   chan struct{} // closed and replaced whenever the breaker closes
	onChange func(open bool)
}

const (
	breakerFailures = 5
	breakerPauseMin = 500 * time.Millisecond
	breakerPauseMax = 3 * time.Second
)

func newBreaker(onChange func(open bool)) *breaker {
	return &breaker{closed: make(chan struct{}), onChange: onChange}
}

// allow reports whether a request may go out, and otherwise how long until one may.
// Each request that was allowed must be followed by one call of done.
func (b *breaker) allow(now marketcache.Instant) (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.isOpen {
		return 0, true
	}
	if now < b.until {
		return b.until.Sub(now), false
	}
	if b.probing {
		return breakerPauseMin, false
	}
	b.probing = true
	return 0, true
}

// outcome of a request, as the breaker sees it.
type outcome int

const (
	succeeded outcome = iota
	failed
	noVerdict // cancelled by us, or refused before it was sent
)

func (b *breaker) done(o outcome, now marketcache.Instant) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
	switch o {
	case succeeded:
		b.failures, b.pause = 0, 0
		if b.isOpen {
			b.isOpen = false
			close(b.closed)
			b.closed = make(chan struct{})
			b.onChange(false)
		}
	case failed:
		b.failures++
		if b.isOpen || b.failures >= breakerFailures {
			b.pause = min(max(2*b.pause, breakerPauseMin), breakerPauseMax)
			b.until = now.Add(b.pause/2 + time.Duration(rand.Int64N(int64(b.pause/2))))
			if !b.isOpen {
				b.isOpen = true
				b.onChange(true)
			}
		}
	}
}

// recovered returns a channel that is closed when the breaker next closes.
func (b *breaker) recovered() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}
