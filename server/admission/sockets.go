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
	detector      overloadDetector
	nextLook      atomic.Int64  // marketcache.Instant of the next check of a socket
	meanServiceNs atomic.Int64  // moving average of the plain requests' service time
	late          atomic.Uint64 // requests that had waited too long
	working       atomic.Int64  // requests admitted while overloaded and not done
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
	c, service := t.controller, time.Duration(q.meanServiceNs.Load())
	excess := waited - max(c.cfg.MaxWait, longQueue*service)
	if !q.detector.observe(&observation{
		at: t.arrived, waited: waited, excess: excess, queued: waited >= c.cfg.MaxWait, length: c.cfg.Unread,
		// Growth below this length is ignored: the queue is served within 2*MaxWait.
		minLength: int(2 * int64(c.cfg.MaxWait) * c.processors / max(1, int64(service))),
	}) {
		return true
	}
	if late := excess >= 0; late && !q.admitAnyway() || !q.begin(c.processors) {
		q.detector.refuse()
		return false
	}
	t.counted = true
	// All requests that are ready now are admitted or refused before this request's work starts.
	runtime.Gosched()
	t.started = t.controller.cfg.Now()
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
func (q *socketQueue) admitAnyway() bool {
	every := 1 + (uint64(q.meanServiceNs.Load())+refusalCostNs-1)/refusalCostNs
	return q.late.Add(1)%every == 0
}

// begin counts a request as working. It returns false when too many requests are working.
func (q *socketQueue) begin(processors int64) bool {
	if q.working.Add(1) > q.room(processors) {
		q.working.Add(-1)
		return false
	}
	return true
}

// room returns how many requests may be working while the sockets are overloaded.
func (q *socketQueue) room(processors int64) int64 {
	return processors * max(1, workAheadNs/max(1, q.meanServiceNs.Load()))
}

// served adds the service time of a plain request to the moving average.
func (q *socketQueue) served(took time.Duration) {
	mean := q.meanServiceNs.Load()
	q.meanServiceNs.Store(mean + int64(plainWeight*float64(int64(min(took, maxPlainNs))-mean)))
}
