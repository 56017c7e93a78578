package admission

import (
	"sync/atomic"
	"time"

	"ballast/internal/yield"
	"ballast/marketcache"
)

// workQueue is the requests of a kind that takes long, first come, first served: side by side
// they would only delay each other. While it is overloaded there is room for few, and
// requests whose turn comes with more than that behind them are refused then.
type workQueue struct {
	detector      overloadDetector
	inSystem      atomic.Int64 // at work or waiting for their turn
	meanServiceNs atomic.Int64 // from getting a turn to giving it back, of late
	// What is expected of a request at work; freeAt in the past: nothing is.
	freeAt     atomic.Int64 // marketcache.Instant at which it will give back its turn
	perTradeNs atomic.Int64 // how long each of its trades takes

	maxWait  time.Duration
	capacity int64             // most in the system
	tooMany  int64             // more are too long a queue, even when each is quick
	room     int64             // most in the system while overloaded
	width    int64             // number of turns
	turns    chan *yield.Point // that are free
}

func newWorkQueue(c *Controller, r rule, simulators int) *workQueue {
	workers := r.workers(simulators)
	width := r.turns * workers
	q := &workQueue{
		maxWait: c.maxWait, capacity: max(1, c.capacity/int64(r.share)), tooMany: int64(longQueue * workers),
		room: int64(roomPerWorker * workers), width: int64(width), turns: make(chan *yield.Point, width),
	}
	for range width {
		q.turns <- yield.NewPoint(workBudget)
	}
	return q
}

// enter counts one more request, or refuses it.
func (q *workQueue) enter(t *Ticket) Refusal {
	n := q.inSystem.Add(1)
	t.queued = true
	switch {
	case n > q.capacity || q.refuses(n, t.arrived):
		return QueueFull
	case n > q.width && q.tooLate(t, t.arrived):
		return TooLate
	}
	return Admitted
}

// refuses reports whether the n-th request must be refused because more come than can be served.
func (q *workQueue) refuses(n int64, now marketcache.Instant) bool {
	if q.maxWait <= 0 {
		return false
	}
	each := time.Duration(max(1, q.meanServiceNs.Load()/q.width)) // that one adds to the wait
	overloaded := q.detector.observe(&observation{
		at: now, excess: time.Duration(n)*each - max(q.maxWait, time.Duration(q.tooMany)*each),
		queued: n > q.width, length: func() int { return int(n) }, minLength: int(2 * q.maxWait / each),
	})
	if overloaded && n > q.room {
		q.detector.refuse()
		return true
	}
	return false
}

// tooLate reports whether a request that waits would not be done in time: it must wait for the
// one at work, and its trades are taken to last as long as that one's.
func (q *workQueue) tooLate(t *Ticket, now marketcache.Instant) bool {
	end := now
	if freeAt := marketcache.Instant(q.freeAt.Load()); freeAt > now {
		end = freeAt.Add(time.Duration(int64(t.trades) * q.perTradeNs.Load()))
	}
	return end.Sub(t.arrived) > t.controller.timeout
}

// wait waits for a turn.
func (q *workQueue) wait(t *Ticket) (waited bool, refusal Refusal) {
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
			if q.tooLate(t, t.controller.now()) {
				return true, TooLate
			}
		}
	}
}

// served learns from the time for which a request has had its turn.
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
		default: // a request that did not end in time has it
			return
		}
	}
}
