package admission

import (
	"runtime"
	"time"

	"ballast/internal/yield"
	"ballast/marketcache"
)

// Ticket is an admitted request. The zero Ticket is none, and its Done does nothing. It is not
// safe for concurrent use.
type Ticket struct {
	controller *Controller
	queue      *workQueue   // nil: the request runs at once
	turn       *yield.Point // held, or nil
	arrived    marketcache.Instant
	begun      marketcache.Instant // when the work began, as far as the request has begun
	trades     int32
	queued     bool // counted in queue
	counted    bool // counted as working while the sockets are overloaded
	outside    bool // waits for the venue
	wasOutside bool // has waited for it
}

// Wait waits until it is the request's turn. It reports whether that took time, so that
// what was read before is older now. A request without a queue, or that has its turn, goes on
// at once.
func (t *Ticket) Wait() (waited bool, refusal Refusal) {
	if t.queue == nil || t.turn != nil {
		return false, Admitted
	}
	if waited, refusal = t.queue.wait(t); refusal == Admitted {
		t.begun = t.controller.now()
		t.turn.Waited()
	}
	return waited, refusal
}

// Yield lets short requests go first that came while this one computed for long.
func (t *Ticket) Yield() {
	if t.turn != nil && t.turn.Yield() {
		runtime.Gosched() // behind all that became ready
	}
}

// Progress notes that so many trades of a request that has its turn are done, and reports
// whether the rest can be done in time, if they take as long.
func (t *Ticket) Progress(done int, now marketcache.Instant) bool {
	if t.turn == nil {
		return true
	}
	perTrade := now.Sub(t.begun) / time.Duration(done)
	left := perTrade * time.Duration(int(t.trades)-done)
	t.queue.perTradeNs.Store(int64(perTrade))
	t.queue.freeAt.Store(int64(now.Add(left)))
	return left <= hopeless*(t.controller.timeout-now.Sub(t.arrived))
}

// BeginOutside counts the request as waiting for the venue; false when half of the capacity
// does. It gives back its turn: nobody waits for a request that waits for the venue.
func (t *Ticket) BeginOutside() bool {
	t.giveTurn()
	if t.outside {
		return true
	}
	c := t.controller
	if c.outside.Add(1) > max(1, c.capacity/2) {
		c.outside.Add(-1)
		return false
	}
	t.outside, t.wasOutside = true, true
	return true
}

// EndOutside ends what BeginOutside began.
func (t *Ticket) EndOutside() {
	if t.outside {
		t.outside = false
		t.controller.outside.Add(-1)
	}
}

// Done gives back what the request has, and learns from how long it took when its work
// ended at an instant; an instant before the work began says nothing.
func (t *Ticket) Done(ended marketcache.Instant) {
	c := t.controller
	if c == nil {
		return
	}
	took := ended.Sub(t.begun)
	switch {
	case took <= 0:
	case t.turn != nil:
		t.queue.served(took)
	case t.queue == nil && !t.wasOutside:
		c.sockets.served(took)
	}
	t.EndOutside()
	if t.counted {
		c.sockets.working.Add(-1)
	}
	if t.queued {
		t.queue.inSystem.Add(-1) // before the next gets the turn, and looks at how many there are
	}
	t.giveTurn()
	c.inSystem.Add(-1)
	*t = Ticket{}
}

func (t *Ticket) giveTurn() {
	if t.turn != nil {
		t.queue.freeAt.Store(0)
		t.queue.turns <- t.turn
		t.turn = nil
	}
}
