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

// workQueue is the first-come-first-served queue of one kind of long requests, which would only delay
// each other if all ran at once. While the queue is overloaded, it may hold at most room requests: if it
// holds more, a request is refused when it arrives, or when its turn comes soon after that.
type workQueue struct {
	detector overloadDetector
	inSystem atomic.Int64 // requests that run or wait for their turn
	cost     *average     // of the time from getting a turn to giving it back

	maxWait  time.Duration
	capacity int64 // maximum of inSystem
	tooMany  int64 // up to this number of requests is acceptable even when each takes long
	room     int64 // maximum of inSystem while overloaded
	width    int64 // number of turns

	mu       sync.Mutex
	free     []*yield.Point // turns that no request holds
	waiting  []*waiter      // in order of arrival; empty while a turn is free
	entered  int64          // requests, ever
	running  int64          // trades left to the requests that hold a turn
	perTrade time.Duration  // moving average; 0: not known, as for all kinds but batches
}

// waiter is a request that waits for a turn.
type waiter struct {
	number int64 // of the request, in order of arrival
	trades int64
	turn   chan *yield.Point // receives the turn; has room for it
}

func newWorkQueue(c *Controller, kind Kind, r rule) *workQueue {
	width := r.turns * r.workers
	q := &workQueue{
		cost: &c.costs[kind], maxWait: c.cfg.MaxWait, capacity: max(1, int64(c.cfg.Capacity/r.share)),
		tooMany: int64(longQueue * r.workers), room: int64(roomPerWorker * r.workers), width: int64(width),
	}
	for range width {
		q.free = append(q.free, yield.NewPoint(workBudget))
	}
	return q
}

// enter adds a request to the queue, or returns why the request is refused.
func (q *workQueue) enter(t *Ticket) Refusal {
	n := q.inSystem.Add(1)
	t.queue = q
	if n > q.capacity || q.refuses(n, t.arrived) {
		return QueueFull
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.entered++
	t.number = q.entered
	if len(q.free) == 0 && q.tooLate(t, t.arrived) {
		return TooLate
	}
	return Admitted
}

// refuses reports whether the n-th request in the queue is refused because of overload.
func (q *workQueue) refuses(n int64, now marketcache.Instant) bool {
	if q.maxWait <= 0 {
		return false
	}
	each := max(1, q.cost.get()/time.Duration(q.width)) // wait that each request adds
	overloaded := q.detector.observe(&observation{
		at: now, excess: time.Duration(n)*each - max(q.maxWait, time.Duration(q.tooMany)*each),
		queued: n > q.width, full: n == q.capacity, length: func() int { return int(n) },
		minLength: int(2 * q.maxWait / each),
	})
	if overloaded && n > q.room {
		q.detector.refuse()
		return true
	}
	return false
}

// wait waits for a turn.
func (q *workQueue) wait(t *Ticket) (waited bool, refusal Refusal) {
	w := q.take(t)
	if w == nil {
		return false, Admitted
	}
	recheck := time.NewTicker(recheckInterval)
	defer recheck.Stop()
	for {
		if q.giveUp(t, w) {
			return true, TooLate
		}
		select {
		case turn := <-w.turn:
			if q.detector.overloaded.Load() && q.inSystem.Load() > q.room && !t.waitedLong() {
				q.pass(turn, w.trades)
				q.detector.refuse()
				return true, QueueFull
			}
			t.turn = turn
			return true, Admitted
		case <-recheck.C:
		}
	}
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
