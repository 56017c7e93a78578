package admission

import (
	"runtime"
	"time"

	"ballast/internal/yield"
	"ballast/marketcache"
)

// Ticket is an admitted request. The zero Ticket stands for no request: its Done does nothing.
// A Ticket is not safe for concurrent use.
type Ticket struct {
	controller *Controller
	kind       Kind
	queue      *workQueue   // queue in which the request is; nil: it needs no turn
	turn       *yield.Point // the turn that the request holds, or nil
	arrived    marketcache.Instant
	started    marketcache.Instant // start of the work, or the end of the last wait for the venue
	progressed marketcache.Instant // end of the last trade, or start of the work
	trades     int32
	left       int32 // trades not assessed yet
	number     int64 // by which the requests of a queue get their turns, in ascending order
	estimated  bool  // it has been estimated when the request will end
	held       bool  // it is not in the system, and is refused if it gets no turn until refusedAt
	refusedAt  marketcache.Instant
	outside    bool // the request waits for the venue
}

// Held reports whether the request is refused unless it soon gets a turn.
func (t *Ticket) Held() bool { return t.held }

// Wait waits for the request's turn. waited reports whether the request had to wait; data read
// before the call has then aged. A request without a queue, or that holds a turn, does not wait.
func (t *Ticket) Wait() (waited bool, refusal Refusal) {
	if t.queue == nil || t.turn != nil {
		return false, Admitted
	}
	if waited, refusal = t.queue.wait(t); refusal == Admitted {
		t.Yield() // a turn may have gone from request to request without a poll of the network
		if !waited && !t.kind.Queued() {
			runtime.Gosched() // the requests that are ready now take the other turns, or are held
		}
		t.started = t.controller.cfg.Now()
		t.progressed = t.started
	}
	return waited, refusal
}

// waitedLong reports whether the request has waited too long to be refused for overload: its client would
// have waited in vain.
func (t *Ticket) waitedLong() bool {
	return t.controller.cfg.Now().Sub(t.arrived) >= overloadInterval
}

// Yield lets newer short requests go first when this request has computed longer than workBudget.
func (t *Ticket) Yield() {
	if t.turn != nil && t.turn.Yield() {
		runtime.Gosched() // continues after all goroutines that are ready now
	}
}

// Progress records that done trades of the request are finished. It returns false when the
// remaining trades, at the same time per trade, need more than hopeless times the time left
// until the timeout. For a request without a turn it returns true.
func (t *Ticket) Progress(done int, now marketcache.Instant) bool {
	if t.turn == nil {
		return true
	}
	t.queue.assessed(now.Sub(t.progressed), t.progressed == t.started)
	t.progressed = now
	t.left--
	perTrade := now.Sub(t.started) / time.Duration(done)
	rest := perTrade * time.Duration(int(t.trades)-done)
	return rest <= hopeless*(t.controller.cfg.Timeout-now.Sub(t.arrived))
}

// Rest gives back the turn while the request waits for another one that needs a turn too. Wait takes one again.
func (t *Ticket) Rest() { t.giveTurn() }

// BeginOutside counts the request as waiting for the venue. It returns false when Capacity/2
// requests already wait for the venue. The request gives back its turn, so that others can run.
func (t *Ticket) BeginOutside() bool {
	t.giveTurn()
	if t.outside {
		return true
	}
	c := t.controller
	if c.outside.Add(1) > max(1, int64(c.cfg.Capacity)/2) {
		c.outside.Add(-1)
		return false
	}
	t.outside = true
	return true
}

// EndOutside ends the wait for the venue that BeginOutside started. The service time counts from then on.
func (t *Ticket) EndOutside() {
	if t.outside {
		t.outside = false
		t.controller.outside.Add(-1)
		t.started = t.controller.cfg.Now()
		t.progressed = t.started
	}
}

// Done ends a request that was served, or given up after work. Its kind's cost learns the time of the work.
func (t *Ticket) Done() {
	// A request that waits, for its turn or for the venue, ends without having worked.
	if c := t.controller; c != nil && !t.outside && (t.queue == nil || t.turn != nil) {
		c.learn(t.kind, c.cfg.Now().Sub(t.started))
	}
	t.Cancel()
}

// Cancel ends a request that was not served, and gives back its turn. Its kind's cost learns nothing.
func (t *Ticket) Cancel() {
	c := t.controller
	if c == nil {
		return
	}
	if t.outside {
		c.outside.Add(-1)
	}
	if t.queue != nil && !t.held {
		t.queue.leave() // before giveTurn: the next request reads inSystem when it gets the turn
	}
	t.giveTurn()
	if !t.held {
		c.inSystem.Add(-1)
	}
	*t = Ticket{}
}

func (t *Ticket) giveTurn() {
	if t.turn != nil {
		t.queue.pass(t.turn, int64(t.left))
		t.turn = nil
	}
}
