package relay

import (
	"sync"
	"time"

	"ballast/marketcache"
)

// minute counts events in the last minute against one of the venue's limits.
type minute struct {
	mu    sync.Mutex
	limit int
	times []marketcache.Instant // oldest first, at most limit
}

func newMinute(limit int) *minute { return &minute{limit: limit} }

// take counts an event, or says how long to wait until it fits under the limit less keep,
// which others may still use.
func (m *minute) take(now marketcache.Instant, keep int) (wait time.Duration, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(now)
	if over := len(m.times) - (m.limit - keep) + 1; over > 0 {
		if over > len(m.times) {
			return time.Minute, false
		}
		return time.Minute - now.Sub(m.times[over-1]) + time.Millisecond, false
	}
	m.times = append(m.times, now)
	return 0, true
}

// assume counts n events at an instant before now.
func (m *minute) assume(n int, at marketcache.Instant) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := make([]marketcache.Instant, 0, m.limit)
	for range min(n, m.limit) {
		old = append(old, at)
	}
	m.times = append(old, m.times...)
	m.times = m.times[max(0, len(m.times)-m.limit):]
}

// count returns the events of the last minute.
func (m *minute) count(now marketcache.Instant) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(now)
	return len(m.times)
}

func (m *minute) forget(now marketcache.Instant) {
	n := 0
	for n < len(m.times) && now.Sub(m.times[n]) > time.Minute {
		n++
	}
	m.times = m.times[n:]
}
