package server

import (
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// lastMinute keeps how long validations took, by what had been counted at each second of the last minute.
type lastMinute struct {
	mu      sync.Mutex
	seconds [61]struct {
		second int64 // since the epoch of Instants; 0: none
		counts latencyCounts
	}
}

// latencyCounts are answers by the bucket of their latency.
type latencyCounts [bucketCount]uint64

// counted returns the answers of a route since the start.
func (m *serverMetrics) counted(route int) (counts latencyCounts) {
	for b := range counts {
		counts[b] = m.sum(func(t *tally) *atomic.Uint64 { return &t.routes[route].latency[b] })
	}
	return counts
}

// see notes what was counted up to now, and returns what was counted in the minute before.
func (l *lastMinute) see(counts latencyCounts, now marketcache.Instant) latencyCounts {
	l.mu.Lock()
	defer l.mu.Unlock()
	second := int64(now) / int64(time.Second)
	if at := &l.seconds[second%int64(len(l.seconds))]; at.second != second {
		at.second, at.counts = second, counts
	}
	since, first := counts, second
	for i := range l.seconds {
		if at := &l.seconds[i]; at.second != 0 && at.second >= second-60 && at.second <= first {
			since, first = at.counts, at.second
		}
	}
	for b := range counts {
		counts[b] -= since[b]
	}
	return counts
}

// quantile returns the latency that a share q of the answers do not exceed, interpolated within its bucket, and how
// many answers there are. The last bucket counts as its lower bound.
func (c *latencyCounts) quantile(q float64) (seconds float64, n uint64) {
	for _, k := range c {
		n += k
	}
	below, rank := 0.0, q*float64(n)
	for b, k := range c {
		lower, count := 0.0, float64(k)
		if b > 0 {
			lower = bucketBounds[b-1]
		}
		if k > 0 && below+count >= rank {
			if b == len(bucketBounds) {
				return lower, n
			}
			return lower + (bucketBounds[b]-lower)*(rank-below)/count, n
		}
		below += count
	}
	return 0, n
}
