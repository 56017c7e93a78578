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
	// state counts the requests so far, in steps of oneAnswered, and below that the answers
	// that wait for others to be ready: one write to memory that all share, not two.
	state   atomic.Uint64
	company atomic.Int64 // how often yielding may still be in vain; 0: requests come one by one
}

const (
	oneHeld     = 1
	oneAnswered = 1 << 16 // more than can be held

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
	before := c.state.Add(oneAnswered + oneHeld)
	left := c.company.Load()
	yields := (left > 0 || before/oneAnswered%tryEvery == 0) && before%oneAnswered <= cohortSize
	if yields {
		runtime.Gosched()
	}
	after := c.state.Add(^uint64(oneHeld - 1)) // one less
	if !yields {
		return
	}
	switch inVain := after/oneAnswered == before/oneAnswered; {
	case !inVain && left != companyLost:
		c.company.Store(companyLost)
	case inVain && left > 0:
		c.company.Store(left - 1)
	}
}

// letOut precedes long work: the answers that are held go out first.
func (c *cohort) letOut() {
	if c.state.Load()%oneAnswered > 0 {
		runtime.Gosched()
	}
}
