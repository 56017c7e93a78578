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

// Acquire counts n events at now, or none if not all fit. It leaves the last reserve events of the limit to others.
func (l *SlidingLimit) Acquire(now marketcache.Instant, n, reserve int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n == 0 {
		return true
	}
	if !l.fits(now, n, reserve) {
		return false
	}
	for range n {
		l.times[l.next] = now
		l.next = (l.next + 1) % len(l.times)
	}
	return true
}

// Fits reports whether an event fits now that leaves the last reserve events of the limit to others.
func (l *SlidingLimit) Fits(now marketcache.Instant, reserve int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fits(now, 1, reserve)
}

func (l *SlidingLimit) fits(now marketcache.Instant, n, reserve int) bool {
	limit := len(l.times)
	allowed := limit - reserve - n + 1
	if allowed <= 0 {
		return false
	}
	// The event that came `allowed` events ago must be more than a minute old.
	oldest := l.times[(l.next-allowed+limit)%limit]
	return oldest == 0 || now.Sub(oldest) > time.Minute
}
