package feed

import (
	"slices"
	"time"

	"ballast/marketcache"
)

// clientsShare is the share of a minute's weight that questions of clients may have: one part in clientsShare.
const clientsShare = 4

// SpentOrders counts weight of actions, which wait for nothing. Spent counts what the answers to clients' questions
// weighed more than was taken.
func (q *Queue) SpentOrders(weight int) { q.count(ForOrders, weight) }
func (q *Queue) Spent(weight int)       { q.count(ForClients, weight) }

func (q *Queue) count(c Class, weight int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.charge(c, weight, marketcache.Now())
}

func (q *Queue) charge(c Class, weight int, now marketcache.Instant) {
	q.meter.roll(now)
	q.meter.assume(c, weight, now)
	if q.meter.limit != 0 {
		q.log.spend(weight, time.Now())
	}
}

// Take counts the weight of a client's question and returns 0, or else the time after which to ask again: all
// questions together have a clientsShare of a minute's weight, while none of the service's own reads waits, and leave
// the first read of a wallet.
func (q *Queue) Take(weight int) (wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := marketcache.Now()
	q.meter.roll(now)
	if limit, burst := q.meter.bounds(now); q.meter.limit != 0 {
		switch had := q.meter.counts[ForClients]; {
		case had > 0 && had+weight > limit/clientsShare:
			wait = q.meter.oldest(ForClients, now)
		case slices.ContainsFunc(q.rows, func(w *row) bool { return q.paused(w.Class, now) == 0 }):
			wait = time.Second
		default:
			wait = q.meter.wait(0, weight, min(int(q.First.Load()), burst), false, now)
		}
	}
	if wait == 0 {
		q.charge(ForClients, weight, now)
	}
	return wait
}

// oldest returns the time until the oldest weight of a class is forgotten.
func (m *meter) oldest(c Class, now marketcache.Instant) time.Duration {
	for i := range m.spent {
		if s := m.spent[i]; s.class == c {
			return s.expires(now) + time.Millisecond
		}
	}
	return time.Second
}
