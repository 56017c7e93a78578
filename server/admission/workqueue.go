package admission

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ballast/internal/yield"
	"ballast/marketcache"
)

// workQueue is the queue of one kind of requests. Long ones always have it, because they would only delay
// each other if all ran at once: first come, first served. While it is overloaded, room requests stay in it
// and further ones are held; one that came shortly before the overload may be refused when its turn comes.
// Short requests have it while the sockets are overloaded, and all are held.
type workQueue struct {
	detector overloadDetector
	refusing *overloadDetector // the one that counts the refusals
	inSystem atomic.Int64      // requests that run or wait for their turn, without those held
	cost     *average          // of the time from getting a turn to giving it back

	maxWait  time.Duration
	capacity int64 // maximum of inSystem
	tooMany  int64 // up to this number of requests is acceptable even when each takes long
	room     int64 // maximum of inSystem while overloaded
	width    int64 // number of turns

	mu       sync.Mutex
	free     []*yield.Point // turns that no request holds
	waiting  []*waiter      // in the order of their numbers; empty while a turn is free
	entered  int64          // number of the newest request that was not held
	running  int64          // trades left to the requests that hold a turn
	perTrade time.Duration  // moving average; 0: not known, as for all kinds but batches
}

// waiter is a request that waits for a turn.
type waiter struct {
	number int64 // see Ticket.number
	trades int64
	turn   chan *yield.Point // receives the turn; has room for it
}

func newWorkQueue(c *Controller, kind Kind, r rule) *workQueue {
	width := r.turns * r.workers
	q := &workQueue{
		cost: &c.costs[kind], maxWait: c.cfg.MaxWait, capacity: max(1, int64(c.cfg.Capacity/r.share)),
		tooMany: int64(longQueue * r.workers), room: int64(roomPerWorker * r.workers), width: int64(width),
	}
	if q.refusing = &q.detector; !kind.Queued() {
		q.refusing = &c.sockets.detector
	}
	for range width {
		q.free = append(q.free, yield.NewPoint(workBudget))
	}
	return q
}

// enter adds a request to the queue, or returns why the request is refused.
func (q *workQueue) enter(t *Ticket, insists bool) Refusal {
	n := q.inSystem.Add(1)
	t.queue = q
	if q.crowded(n, t.arrived) {
		q.inSystem.Add(-1)
		q.hold(t, insists)
		return Admitted
	}
	if n > q.capacity {
		return QueueFull
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.entered = max(q.entered+1, int64(t.arrived.Add(holdTime)))
	t.number = q.entered
	if len(q.free) == 0 && q.tooLate(t, t.arrived) {
		return TooLate
	}
	return Admitted
}

// hold adds a request that is refused if it gets no turn in time. Turns go to those first that are refused
// first.
func (q *workQueue) hold(t *Ticket, insists bool) {
	hold := holdTime
	if insists {
		hold = insistentHold
	}
	t.queue, t.held, t.refusedAt = q, true, t.arrived.Add(hold)
	t.number = int64(t.refusedAt)
}

// crowded reports whether the n-th request in the queue is held because of overload.
func (q *workQueue) crowded(n int64, now marketcache.Instant) bool {
	if q.maxWait <= 0 {
		return false
	}
	each := max(1, q.cost.get()/time.Duration(q.width)) // wait that each request adds
	overloaded := q.detector.observe(&observation{
		at: now, excess: time.Duration(n)*each - max(q.maxWait, time.Duration(q.tooMany)*each),
		queued: n > q.width, full: n == q.capacity, length: func() int { return int(n) },
		minLength: int(2 * q.maxWait / each),
	})
	return overloaded && n > q.room
}

// wait waits for a turn.
func (q *workQueue) wait(t *Ticket) (waited bool, refusal Refusal) {
	w := q.take(t)
	if w == nil {
		return false, q.begin(t)
	}
	recheck, ending := recheckInterval, chan struct{}(nil)
	if t.held {
		recheck, ending = max(0, t.refusedAt.Sub(t.controller.cfg.Now())), t.controller.ending
	}
	timer := time.NewTicker(max(1, recheck))
	defer timer.Stop()
	for {
		select {
		case turn := <-w.turn:
			t.turn = turn
			if !t.held && q.detector.overloaded.Load() && q.inSystem.Load() > q.room && !t.waitedLong() {
				return true, q.refuse(t)
			}
			return true, q.begin(t)
		case <-timer.C:
		case <-ending:
		}
		if t.held && q.remove(w) {
			return true, q.refuse(t)
		}
		if !t.held && q.giveUp(t, w) {
			return true, TooLate
		}
	}
}

// begin counts a held request that has a turn as in the system.
func (q *workQueue) begin(t *Ticket) Refusal {
	if !t.held {
		return Admitted
	}
	t.held = false
	q.inSystem.Add(1)
	if c := t.controller; c.inSystem.Add(1) > int64(c.cfg.Capacity) {
		t.giveTurn()
		return Full
	}
	return Admitted
}

// refuse counts a refusal and returns its reason.
func (q *workQueue) refuse(t *Ticket) Refusal {
	t.giveTurn()
	q.refusing.refuse()
	if t.kind.Queued() {
		return QueueFull
	}
	return Overloaded
}

// take gives the request a free turn and returns nil. If no turn is free it adds the request to the queue, in
// order of arrival.
func (q *workQueue) take(t *Ticket) *waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	if last := len(q.free) - 1; last >= 0 {
		t.turn, q.free = q.free[last], q.free[:last]
		q.running += int64(t.left)
		return nil
	}
	w := &waiter{t.number, int64(t.left), make(chan *yield.Point, 1)}
	at, _ := slices.BinarySearchFunc(q.waiting, w, func(a, b *waiter) int { return cmp.Compare(a.number, b.number) })
	q.waiting = slices.Insert(q.waiting, at, w)
	return w
}

// pass gives a turn to the first waiting request. left is the number of trades that the previous holder of
// the turn has not assessed.
func (q *workQueue) pass(turn *yield.Point, left int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running -= left
	if len(q.waiting) == 0 {
		q.free = append(q.free, turn)
		return
	}
	w := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	q.running += w.trades
	w.turn <- turn
}

// remove removes a waiting request from the queue. It returns false when the request's turn has just come.
func (q *workQueue) remove(w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.Index(q.waiting, w)
	if at >= 0 {
		q.waiting = slices.Delete(q.waiting, at, at+1)
	}
	return at >= 0
}

// giveUp removes a waiting request from the queue if it would miss its timeout, and reports whether it did.
func (q *workQueue) giveUp(t *Ticket, w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.Index(q.waiting, w) // -1: its turn has just come
	if at < 0 || !q.tooLate(t, t.controller.cfg.Now()) {
		return false
	}
	q.waiting = slices.Delete(q.waiting, at, at+1)
	return true
}

// tooLate reports whether a waiting request would miss its timeout. It assumes that the trades that are
// running or ahead share the turns, and that every trade takes perTrade. The first such estimate for a request
// must leave a margin, so that a request that may wait is not refused much later. Callers hold mu.
func (q *workQueue) tooLate(t *Ticket, now marketcache.Instant) bool {
	ahead := q.running
	for _, w := range q.waiting {
		if w.number < t.number {
			ahead += w.trades
		}
	}
	end := now.Add(time.Duration(ahead/q.width+int64(t.left)) * q.perTrade)
	limit := t.controller.cfg.Timeout
	if q.perTrade > 0 && !t.estimated {
		t.estimated = true
		limit -= limit / estimateMargin
	}
	return end.Sub(t.arrived) > limit
}

// assessed records that a request with a turn has finished a trade, and how long the trade took. The first
// trade of a request is left out of the average, because it takes longer than the others.
func (q *workQueue) assessed(took time.Duration, first bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	switch {
	case first:
	case q.perTrade == 0:
		q.perTrade = took
	default:
		q.perTrade += time.Duration(tradeWeight * float64(min(took, maxTrade*q.perTrade)-q.perTrade))
	}
}

// leave removes a request from the queue. When nothing is left, the next requests may be of another size.
func (q *workQueue) leave() {
	if q.inSystem.Add(-1) == 0 {
		q.mu.Lock()
		q.perTrade = 0
		q.mu.Unlock()
	}
}

func (q *workQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, turn := range q.free { // the other turns are held by requests that have not ended
		turn.Close()
	}
	q.free = nil
}
