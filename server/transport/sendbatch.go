package transport

import (
	"runtime"
	"sync/atomic"
)

// SendBatch sends the answers to requests that are ready together along together: each is read
// and assessed, then all answers go out. The kernel's network code, most of which is that of
// sending, and ours do not fit beside each other into what a processor has nearest; so they
// take turns once a batch, not once a request. A goroutine that yields is behind all that are
// ready, which is what keeps the steps together. A nil SendBatch does nothing.
type SendBatch struct {
	// state counts the requests so far, in steps of oneAnswered, and below that the answers
	// that wait for others to be ready: one write to memory that all share, not two.
	state       atomic.Uint64
	yieldCredit atomic.Int64 // fruitless yields left before we stop trying; 0: requests arrive one at a time
	size        uint64       // answers held at most
}

const (
	oneHeld     = 1
	oneAnswered = 1 << 16 // more than can be held

	// Yielding costs some tenths of a microsecond, and more where it wakes another processor:
	// after fruitlessYields times in vain it is tried with one in tryEvery requests only.
	fruitlessYields = 16
	tryEvery        = 16
)

// yieldBeforeSend precedes the sending of an answer: what else is ready is answered first.
func (c *SendBatch) yieldBeforeSend() {
	if c == nil {
		return
	}
	before := c.state.Add(oneAnswered + oneHeld)
	left := c.yieldCredit.Load()
	yields := (left > 0 || before/oneAnswered%tryEvery == 0) && before%oneAnswered <= c.size
	if yields {
		runtime.Gosched()
	}
	after := c.state.Add(^uint64(oneHeld - 1)) // one less
	if !yields {
		return
	}
	switch inVain := after/oneAnswered == before/oneAnswered; {
	case !inVain && left != fruitlessYields:
		c.yieldCredit.Store(fruitlessYields)
	case inVain && left > 0:
		c.yieldCredit.Store(left - 1)
	}
}

// FlushHeld precedes long work: the answers that are held go out first.
func (c *SendBatch) FlushHeld() {
	if c != nil && c.state.Load()%oneAnswered > 0 {
		runtime.Gosched()
	}
}
