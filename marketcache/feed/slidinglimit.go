package feed

import (
	"sync"
	"time"

	"ballast/marketcache"
)

// SlidingLimit allows a number of events in any 60 s, for venue limits other than request
// weight: messages sent, connections made. Safe for concurrent use.
type SlidingLimit struct {
	mu    sync.Mutex
	times []marketcache.Instant // ring of the newest events; its length is the limit
	next  int
}

// NewSlidingLimit returns a limit of perMinute events; perMinute must be at least 1.
func NewSlidingLimit(perMinute int) *SlidingLimit {
	return &SlidingLimit{times: make([]marketcache.Instant, perMinute)}
}

// PerMinute returns the number of events allowed in a minute.
func (l *SlidingLimit) PerMinute() int { return len(l.times) }

// Acquire counts an event at now and reports true, or returns the time until an event fits.
// It leaves the last reserve events of the limit to other callers.
func (l *SlidingLimit) Acquire(now marketcache.Instant, reserve int) (wait time.Duration, ok bool) {
	return l.take(now, 1, reserve)
}

// AcquireAll counts n events at now and reports true, or counts none. It leaves the last reserve events to others.
func (l *SlidingLimit) AcquireAll(now marketcache.Instant, n, reserve int) bool {
	_, ok := l.take(now, n, reserve)
	return ok
}

func (l *SlidingLimit) take(now marketcache.Instant, n, reserve int) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n == 0 {
		return 0, true
	}
	if wait = l.wait(now, reserve+n-1); wait > 0 {
		return wait, false
	}
	for range n {
		l.times[l.next] = now
		l.next = (l.next + 1) % len(l.times)
	}
	return 0, true
}

// Fits reports whether an event fits now that leaves the last reserve events of the limit to other callers.
func (l *SlidingLimit) Fits(now marketcache.Instant, reserve int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wait(now, reserve) == 0
}

func (l *SlidingLimit) wait(now marketcache.Instant, reserve int) time.Duration {
	limit := len(l.times)
	allowed := limit - reserve
	if allowed <= 0 {
		return time.Minute
	}
	// The event that came `allowed` events ago must be more than a minute old.
	oldest := l.times[(l.next-allowed+limit)%limit]
	if age := now.Sub(oldest); oldest != 0 && age <= time.Minute {
		return time.Minute - age + time.Millisecond
	}
	return 0
}
