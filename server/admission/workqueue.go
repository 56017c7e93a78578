package admission

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ballast/internal/yield"
	"ballast/marketcache"
)

// workQueue is the first-come-first-served queue of one kind of long requests, which would only delay
// each other if all ran at once. While the queue is overloaded, it may hold at most room requests: if it
// holds more, a request is refused when it arrives and when its turn comes.
type workQueue struct {
	detector      overloadDetector
	inSystem      atomic.Int64 // requests that run or wait for their turn
	meanServiceNs atomic.Int64 // moving average of the time from getting a turn to giving it back
	// Forecast for the running request that called Progress last.
	freeAt     atomic.Int64 // marketcache.Instant at which the request should give back its turn; 0: no forecast
	perTradeNs atomic.Int64 // time per trade of that request

	mu      sync.Mutex
	number  int64    // of the request that entered last
	waiting []waiter // requests that have not had a turn, in order of arrival

	maxWait  time.Duration
	capacity int64             // maximum of inSystem
	tooMany  int64             // up to this number of requests is acceptable even when each takes long
	room     int64             // maximum of inSystem while overloaded
	width    int64             // number of turns
	turns    chan *yield.Point // the free turns
}

// waiter is a request that waits for its first turn.
type waiter struct {
	number int64
	trades int64
}

func newWorkQueue(c *Controller, r rule) *workQueue {
	width := r.turns * r.workers
	q := &workQueue{
		maxWait: c.cfg.MaxWait, capacity: max(1, int64(c.cfg.Capacity/r.share)), tooMany: int64(longQueue * r.workers),
		room: int64(roomPerWorker * r.workers), width: int64(width), turns: make(chan *yield.Point, width),
	}
	for range width {
		q.turns <- yield.NewPoint(workBudget)
	}
	return q
}

// enter adds a request to the queue, or returns why the request is refused.
func (q *workQueue) enter(t *Ticket) Refusal {
	n := q.inSystem.Add(1)
	t.queued = true
	q.enqueue(t)
	switch {
	case n > q.capacity || q.refuses(n, t.arrived):
		return QueueFull
	case n > q.width && q.tooLate(t, t.arrived):
		return TooLate
	}
	return Admitted
}

// refuses reports whether the n-th request in the queue is refused because of overload.
func (q *workQueue) refuses(n int64, now marketcache.Instant) bool {
	if q.maxWait <= 0 {
		return false
	}
	each := time.Duration(max(1, q.meanServiceNs.Load()/q.width)) // wait that each request adds
	overloaded := q.detector.observe(&observation{
		at: now, excess: time.Duration(n)*each - max(q.maxWait, time.Duration(q.tooMany)*each),
		queued: n > q.width, full: n == q.capacity, length: func() int { return int(n) }, minLength: int(2 * q.maxWait / each),
	})
	if overloaded && n > q.room {
		q.detector.refuse()
		return true
	}
	return false
}

// tooLate reports whether a waiting request would miss its timeout. It assumes that the requests ahead of it
// start when the running request ends and share the turns, and that each trade takes as long as that request's.
func (q *workQueue) tooLate(t *Ticket, now marketcache.Instant) bool {
	end := now
	if freeAt := marketcache.Instant(q.freeAt.Load()); freeAt != 0 {
		trades := q.tradesAhead(t)/q.width + int64(t.trades)
		end = max(now, freeAt).Add(time.Duration(trades * q.perTradeNs.Load()))
	}
	return end.Sub(t.arrived) > t.controller.cfg.Timeout
}

func (q *workQueue) enqueue(t *Ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.number++
	t.number = q.number
	q.waiting = append(q.waiting, waiter{q.number, int64(t.trades)})
}

// dequeue ends the request's wait for its first turn, if it still waits.
func (q *workQueue) dequeue(t *Ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(w waiter) bool { return w.number == t.number })
}

// tradesAhead returns the number of trades of the requests that wait longer than this one.
func (q *workQueue) tradesAhead(t *Ticket) (trades int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range q.waiting {
		if w.number < t.number {
			trades += w.trades
		}
	}
	return trades
}

// wait waits for a turn.
func (q *workQueue) wait(t *Ticket) (waited bool, refusal Refusal) {
	defer q.dequeue(t)
	select {
	case t.turn = <-q.turns:
		return false, Admitted
	default:
	}
	recheck := time.NewTicker(recheckInterval)
	defer recheck.Stop()
	for {
		select {
		case turn := <-q.turns:
			if q.detector.overloaded.Load() && q.inSystem.Load() > q.room {
				q.turns <- turn
				q.detector.refuse()
				return true, QueueFull
			}
			t.turn = turn
			return true, Admitted
		case <-recheck.C:
			if q.tooLate(t, t.controller.cfg.Now()) {
				return true, TooLate
			}
		}
	}
}

// served adds the time for which a request held its turn to the moving average.
func (q *workQueue) served(took time.Duration) {
	mean, value := q.meanServiceNs.Load(), int64(min(took, maxQueuedNs))
	if mean == 0 {
		mean = value
	}
	q.meanServiceNs.Store(mean + int64(queuedWeight*float64(value-mean)))
}

func (q *workQueue) close() {
	for range q.width {
		select {
		case turn := <-q.turns:
			turn.Close()
		default: // the other turns are held by requests that have not ended
			return
		}
	}
}
