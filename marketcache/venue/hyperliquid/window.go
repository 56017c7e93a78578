package hyperliquid

import (
	"sync"
	"time"

	"ballast/marketcache"
)

// window counts events in the last minute, for the limits that are not request
// weight: messages sent, connections made, cross-checks.
type window struct {
	mu    sync.Mutex
	limit int
	times []marketcache.Instant // ring of the newest limit events
	next  int
}

func newWindow(limit int) *window {
	return &window{limit: limit, times: make([]marketcache.Instant, limit)}
}

// take counts an event, or says how long to wait until it fits under the limit less
// keep, which others may still use.
func (w *window) take(now marketcache.Instant, keep int) (wait time.Duration, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	allowed := w.limit - keep
	if allowed <= 0 {
		return time.Minute, false
	}
	// The event that must have left the minute is the allowed-th newest.
	oldest := w.times[((w.next-allowed)%w.limit+w.limit)%w.limit]
	if oldest != 0 {
		if age := now.Sub(oldest); age <= time.Minute {
			return time.Minute - age + time.Millisecond, false
		}
	}
	w.times[w.next] = now
	w.next = (w.next + 1) % w.limit
	return 0, true
}
