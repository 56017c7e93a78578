package feed

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Cadence is the interval between messages of one kind of stream: the declared interval at
// first, then the median of measured intervals, up to a bound. So a venue that slows down does not
// look stale for ever, and old data does not look fresh for long. Safe for concurrent use.
type Cadence struct {
	longest time.Duration
	every   atomic.Int64 // current interval, ns

	mu        sync.Mutex
	intervals [cadenceSample]time.Duration // the newest, a ring
	seen      int
}

const (
	// cadenceSample is the number of intervals in the median. The median is computed after every
	// minCadenceSample intervals.
	cadenceSample    = 64
	minCadenceSample = 8
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

// Observe records the interval between two messages of one stream.
func (c *Cadence) Observe(interval time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.intervals[c.seen%cadenceSample] = min(interval, c.longest)
	if c.seen++; c.seen < minCadenceSample || c.seen%minCadenceSample != 0 {
		return
	}
	sorted := c.intervals
	known := sorted[:min(c.seen, cadenceSample)]
	slices.Sort(known)
	c.every.Store(int64(known[len(known)/2]))
}
