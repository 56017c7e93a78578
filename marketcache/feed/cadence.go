package feed

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Cadence is how often the messages of one kind of stream come: as declared until enough of
// them have been seen, then as measured, so that a venue that slows down is neither called
// stale for ever nor fresh for longer than it is. Safe for concurrent use.
type Cadence struct {
	longest time.Duration
	every   atomic.Int64 // in force, ns

	mu        sync.Mutex
	intervals [cadenceSample]time.Duration // the newest, a ring
	seen      int
}

const (
	// cadenceSample is of how many intervals the median counts; from minCadenceSample on it
	// does, and is taken anew at every eighth.
	cadenceSample    = 64
	minCadenceSample = 8
)

// NewCadence returns a cadence that is declared at first and never said to be longer than
// longest: what comes more seldom than that is missing, not slow.
func NewCadence(declared, longest time.Duration) *Cadence {
	c := &Cadence{longest: longest}
	c.every.Store(int64(declared))
	return c
}

// Every returns the interval in force.
func (c *Cadence) Every() time.Duration { return time.Duration(c.every.Load()) }

// Observe takes in the interval between two messages of one stream.
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
