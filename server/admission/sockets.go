package admission

import (
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// socketQueue is the queue of requests that wait in their sockets for a goroutine and a processor. This
// process does not see them; the kernel knows when the data of a socket arrived.
type socketQueue struct {
	detector overloadDetector
	nextLook atomic.Int64 // marketcache.Instant of the next check of a socket
	mean     average      // service time of the requests of all kinds that do not queue
}

// overloaded records the request's wait and reports whether the sockets are overloaded.
func (q *socketQueue) overloaded(t *Ticket, arrival Arrival) bool {
	if !q.detector.overloaded.Load() && (arrival.Pipelined() || !q.mayLook(t.arrived)) {
		return false
	}
	var waited time.Duration
	if !arrival.Pipelined() {
		waited = arrival.SinceLastByte()
	}
	c, service := t.controller, q.mean.get()
	overloaded := q.detector.observe(&observation{
		at: t.arrived, waited: waited, excess: waited - max(c.cfg.MaxWait, longQueue*service),
		queued: waited >= c.cfg.MaxWait, length: c.cfg.Unread,
		// Growth below this length is ignored: the queue is served within 2*MaxWait.
		minLength: int(2 * int64(c.cfg.MaxWait) * c.processors / max(1, int64(service))),
	})
	t.arrived = t.arrived.Add(-waited)
	return overloaded
}

// mayLook reports whether the next check of a socket is due, and schedules the check after it.
func (q *socketQueue) mayLook(now marketcache.Instant) bool {
	next := q.nextLook.Load()
	return int64(now) >= next && q.nextLook.CompareAndSwap(next, int64(now.Add(lookInterval)))
}
