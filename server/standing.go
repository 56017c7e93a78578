package server

import (
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// standing tells a queue that stands from one that comes and goes. A burst, or a pause of
// the machine, fills a queue that empties again: nothing is won by refusing. When more
// comes than can be served, the queue never empties, and everybody waits for it: then what
// is too much must be refused, and the sooner the cheaper. The difference is the least
// level of a while, not the highest or the mean.
//
// Source: Nichols and Jacobson, Controlling Queue Delay, 2012.
type standing struct {
	limit int64       // the level from which a queue is too long; 0: it never is
	over  atomic.Bool // it stands

	mu      sync.Mutex
	end     marketcache.Instant // of the window under observation
	least   int64               // lowest level in it
	seen    int                 // how often it was observed
	refused int                 // how many were refused in it
}

const (
	// standingTime is for how long a level may be too high before the queue counts as
	// standing, and for how long nothing must have been refused for that to be over.
	standingTime = 100 * time.Millisecond
	// standingLooks is how often the level must have been looked at meanwhile.
	standingLooks = 10
)

// look observes the level that a request finds, and reports whether the queue stands.
func (q *standing) look(level int64, now marketcache.Instant) (stands bool) {
	if q.limit <= 0 {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if late := now.Sub(q.end); late >= 0 {
		switch {
		case late >= standingTime: // nobody has been here
			q.over.Store(false)
		case q.over.Load():
			q.over.Store(q.refused > 0)
		default:
			q.over.Store(q.seen >= standingLooks && q.least >= q.limit)
		}
		q.end, q.least, q.seen, q.refused = now.Add(standingTime), level, 0, 0
	}
	q.least = min(q.least, level)
	q.seen++
	return q.over.Load()
}

// refuse notes that a request was refused for the queue's sake: as long as that happens,
// it stands.
func (q *standing) refuse() bool {
	q.mu.Lock()
	q.refused++
	q.mu.Unlock()
	return true
}
