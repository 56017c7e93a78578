package server

import (
	"runtime"
	"sync/atomic"
)

// cohort sends the answers to requests that are ready together along together: each is read
// and assessed, then all answers go out. The kernel's network code, most of which is that of
// sending, and ours do not fit beside each other into what a processor has nearest; so they
// take turns once a cohort, not once a request. A goroutine that yields is behind all that are
// ready, which is what keeps the steps together. A nil cohort does nothing.
type cohort struct {
	answered atomic.Uint64 // requests so far
	company  atomic.Int64  // how often yielding may still be in vain; 0: requests come one by one
	held     atomic.Int64  // answers that wait for others to be ready
}

const (
	// cohortSize bounds the answers that are held: each has memory of its own, and much of it
	// would not stay in the caches either.
	cohortSize = 64
	// Yielding costs some tenths of a microsecond, and more where it wakes another processor:
	// after companyLost times in vain it is tried with one in tryEvery requests only.
	companyLost = 16
	tryEvery    = 16
)

// hold precedes the sending of an answer: what else is ready is answered first.
func (c *cohort) hold() {
	if c == nil {
		return
	}
	n := c.answered.Add(1)
	left := c.company.Load()
	if left == 0 && n%tryEvery != 0 {
		return
	}
	yields := c.held.Add(1) <= cohortSize
	if yields {
		runtime.Gosched()
	}
	c.held.Add(-1)
	if !yields {
		return
	}
	switch inVain := c.answered.Load() == n; {
	case !inVain && left != companyLost:
		c.company.Store(companyLost)
	case inVain && left > 0:
		c.company.Store(left - 1)
	}
}

// letOut precedes long work: the answers that are held go out first.
func (c *cohort) letOut() {
	if c.held.Load() > 0 {
		runtime.Gosched()
	}
}
