package admission

import (
	"runtime"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// socketQueue is the queue of requests that wait in their sockets for a goroutine and a processor. This
// process does not see them; the kernel knows when the data of a socket arrived.
type socketQueue struct {
	detector overloadDetector
	nextLook atomic.Int64             // marketcache.Instant of the next check of a socket
	mean     average                  // service time of the requests of all kinds that do not queue
	late     [KindCount]atomic.Uint64 // requests that had waited too long, by kind
	working  [KindCount]atomic.Int64  // requests admitted while overloaded and not done, by kind
}

// admit reports whether a request may run, and counts it as working while the sockets are overloaded.
func (q *socketQueue) admit(t *Ticket, arrival Arrival) bool {
	if !q.detector.overloaded.Load() && (arrival.Pipelined() || !q.mayLook(t.arrived)) {
		return true
	}
	var waited time.Duration
	if !arrival.Pipelined() {
		waited = arrival.SinceLastByte()
	}
	c, service := t.controller, q.mean.get()
	excess := waited - max(c.cfg.MaxWait, longQueue*service)
	if !q.detector.observe(&observation{
		at: t.arrived, waited: waited, excess: excess, queued: waited >= c.cfg.MaxWait, length: c.cfg.Unread,
		// Growth below this length is ignored: the queue is served within 2*MaxWait.
		minLength: int(2 * int64(c.cfg.MaxWait) * c.processors / max(1, int64(service))),
	}) {
		return true
	}
	if late := excess >= 0; late && !q.admitAnyway(t.kind, c.Cost(t.kind)) || !q.begin(t) {
		q.detector.refuse()
		return false
	}
	// All requests that are ready now are admitted or refused before this request's work starts.
	runtime.Gosched()
	t.started = c.cfg.Now()
	return true
}

// mayLook reports whether the next check of a socket is due, and schedules the check after it.
func (q *socketQueue) mayLook(now marketcache.Instant) bool {
	next := q.nextLook.Load()
	return int64(now) >= next && q.nextLook.CompareAndSwap(next, int64(now.Add(lookInterval)))
}

// admitAnyway reports whether a request that waited too long is served nevertheless. Refusals
// may take at most half of the processors' time. If they took more, the service would answer
// fewer requests than if it refused none, and hardly sooner.
func (q *socketQueue) admitAnyway(kind Kind, cost time.Duration) bool {
	every := 1 + (uint64(cost)+refusalCostNs-1)/refusalCostNs
	return q.late[kind].Add(1)%every == 0
}

// begin counts a request as working. It returns false when too many requests of its kind are working.
// The requests of a kind that queues are limited by their queue.
func (q *socketQueue) begin(t *Ticket) bool {
	if t.kind.Queued() {
		return true
	}
	working, c := &q.working[t.kind], t.controller
	if working.Add(1) > room(c.processors, c.Cost(t.kind)) {
		working.Add(-1)
		return false
	}
	t.counted = true
	return true
}

// room returns how many requests of a kind may be working while the sockets are overloaded.
func room(processors int64, cost time.Duration) int64 {
	return processors * max(1, workAheadNs/max(1, int64(cost)))
}
