package feed

import (
	"math/rand/v2"
	"sync"
	"time"

	"ballast/marketcache"
)

// Breaker stops requests to a venue that keeps failing:
//
//	closed --breakerFailures failures in a row--> open --pause over--> half-open
//	half-open: one request passes; success closes, failure opens again, longer
//
// The pause doubles from 0.5 s to 3 s with jitter, so that a venue that comes back is noticed
// within 5 s. Failures of requests that were sent before the breaker opened do not lengthen the
// pause: they belong to the same outage. When the half-open state's request has no answer after probeFor,
// another passes. Safe for concurrent use.
type Breaker struct {
	mu       sync.Mutex
	failures int
	isOpen   bool
	era      Era
	probe    chan struct{} // closed when the half-open state's one request ends; nil: none is in flight
	probed   marketcache.Instant
	until    marketcache.Instant
	pause    time.Duration
	onChange func(open bool)
}

// Era counts the changes of the breaker's state. A request belongs to the era in which it was allowed.
type Era int

const (
	breakerFailures = 5
	breakerPauseMin = 500 * time.Millisecond
	breakerPauseMax = 3 * time.Second
	probeFor        = 3 * time.Second
)

// NewBreaker returns a closed breaker that calls onChange whenever it opens or closes.
func NewBreaker(onChange func(open bool)) *Breaker {
	return &Breaker{onChange: onChange}
}

// Pause returns for how long no request may be sent, 0 when requests are allowed.
func (b *Breaker) Pause(now marketcache.Instant) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.isOpen {
		return 0
	}
	return max(0, b.until.Sub(now))
}

// Allow reports whether a request may be sent now. If not, it returns how long to wait and, while the
// half-open state's one request is in flight, a channel that is closed when that request ends. For each
// allowed request the caller must call Done once, with the era.
func (b *Breaker) Allow(now marketcache.Instant) (e Era, wait time.Duration, probe <-chan struct{}, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.isOpen {
		return b.era, 0, nil, true
	}
	if now < b.until {
		return 0, b.until.Sub(now), nil, false
	}
	if b.probe != nil && now.Sub(b.probed) < probeFor {
		return 0, breakerPauseMin, b.probe, false
	}
	b.endProbe()
	b.probe, b.probed = make(chan struct{}), now
	b.era++
	return b.era, 0, nil, true
}

// Outcome is how a request ended.
type Outcome int

const (
	Succeeded Outcome = iota // the venue answered, even if it refused the request
	Failed
	NoVerdict // we cancelled the request, or never sent it
)

// Done records how an allowed request ended, and reports whether that closed the breaker.
func (b *Breaker) Done(e Era, o Outcome, now marketcache.Instant) (closed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e == b.era || o == Succeeded {
		b.endProbe()
	}
	switch {
	case o == Succeeded:
		b.failures, b.pause = 0, 0
		if b.isOpen {
			b.isOpen = false
			b.era++
			b.onChange(false)
			return true
		}
	case o == Failed && e == b.era:
		b.failures++
		if b.isOpen || b.failures >= breakerFailures {
			b.pause = min(max(2*b.pause, breakerPauseMin), breakerPauseMax)
			b.until = now.Add(b.pause/2 + time.Duration(rand.Int64N(int64(b.pause/2))))
			if !b.isOpen {
				b.isOpen = true
				b.era++
				b.onChange(true)
			}
		}
	}
	return false
}

// endProbe tells those that wait for the half-open state's request that it has ended.
func (b *Breaker) endProbe() {
	if b.probe != nil {
		close(b.probe)
		b.probe = nil
	}
}

// retry ends the pause: the next request passes.
func (b *Breaker) retry() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.until, b.pause = 0, 0
}

// Breakers has a breaker for each kind of request: histories that cannot be read are no reason to
// refuse wallets. Safe for concurrent use.
type Breakers struct {
	of [kinds]*Breaker

	mu        sync.Mutex
	open      int           // number of open breakers
	recovered chan struct{} // closed and replaced whenever a breaker closes
}

// NewBreakers returns closed breakers. onChange is called when one opens or closes, with true while
// any is open.
func NewBreakers(onChange func(open bool)) *Breakers {
	b := &Breakers{recovered: make(chan struct{})}
	for k := range b.of {
		b.of[k] = NewBreaker(func(open bool) {
			b.mu.Lock()
			defer b.mu.Unlock()
			if open {
				b.open++
			} else {
				b.open--
				close(b.recovered)
				b.recovered = make(chan struct{})
			}
			onChange(b.open > 0)
		})
	}
	return b
}

// Of returns the breaker of a class's kind.
func (b *Breakers) Of(c Class) *Breaker { return b.of[c.kind()] }

// Retry ends the pauses of all breakers, after a sign that the venue is back.
func (b *Breakers) Retry() {
	for _, breaker := range b.of {
		breaker.retry()
	}
}

// Recovered returns a channel that is closed when a breaker next closes.
func (b *Breakers) Recovered() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.recovered
}
