package feed

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// Cadence is the interval between messages of one kind of stream: the declared interval at
// first, then the median of measured intervals, up to a bound. So a venue that slows down does not
// look stale for ever, and old data does not look fresh for long. Safe for concurrent use.
type Cadence struct {
	longest time.Duration
	every   atomic.Int64 // current interval, ns

	mu        sync.Mutex
	newest    marketcache.Instant          // instant of the newest interval's end
	intervals [cadenceSample]time.Duration // the newest, a ring
	seen      int
}

const (
	// cadenceSample is the number of intervals in the median, which counts from minCadenceSample on.
	cadenceSample    = 32
	minCadenceSample = 5
)

// NewCadence returns a cadence with a declared interval. It never exceeds longest: a longer
// interval means that messages are missing, not that the stream is slow.
func NewCadence(declared, longest time.Duration) *Cadence {
	c := &Cadence{longest: longest}
	c.every.Store(int64(declared))
	return c
}

// Every returns the current interval.
func (c *Cadence) Every() time.Duration { return time.Duration(c.every.Load()) }

// Observe records the interval between two messages of one stream; at is the arrival of the second.
// Streams that the venue sends together, such as all books of a socket, count once.
func (c *Cadence) Observe(at marketcache.Instant, interval time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.Sub(c.newest) < c.Every()/2 {
		return
	}
	c.newest = at
	c.intervals[c.seen%cadenceSample] = min(interval, c.longest)
	if c.seen++; c.seen < minCadenceSample {
		return
	}
	sorted := c.intervals
	known := sorted[:min(c.seen, cadenceSample)]
	slices.Sort(known)
	c.every.Store(int64(known[len(known)/2]))
}
