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
	over atomic.Bool // it stands

	mu      sync.Mutex
	end     marketcache.Instant // of the window under observation
	short   bool                // the queue has been short in it
	parts   uint                // in which parts of it somebody looked, a bit each
	seen    int                 // how often it was looked at
	refused int                 // how many were refused in it
}

const (
	// standingTime is for how long a queue must be too long to count as standing. Every
	// standingTime it is asked anew whether that is over.
	standingTime = 100 * time.Millisecond
	// standingParts is in how many parts of that time it must have been looked at: after a
	// pause of the machine everybody finds the queue long, for a moment.
	standingParts = 5
	// standingShare is the share of requests that must be refused, one in so many, for a
	// queue that is kept short by that to count as standing. Fewer are a burst, that
	// refusing would go on refusing for ever.
	standingShare = 4
)

// look observes whether a request finds the queue too long, and reports whether it stands.
func (q *standing) look(long bool, now marketcache.Instant) (stands bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if late := now.Sub(q.end); late >= 0 {
		switch {
		case late >= standingTime: // nobody has been here
			q.over.Store(false)
		case q.over.Load():
			q.over.Store(standingShare*q.refused >= q.seen)
		default:
			q.over.Store(q.parts == 1<<standingParts-1 && !q.short)
		}
		q.end, q.short, q.parts, q.seen, q.refused = now.Add(standingTime), false, 0, 0, 0
	}
	// A request may have been taken up before the one that opened the window.
	left := min(q.end.Sub(now), standingTime)
	q.parts |= 1 << (int64(left-1) * standingParts / int64(standingTime))
	q.short = q.short || !long
	q.seen++
	return q.over.Load()
}

// refuse notes that a request that was looked at was refused for the queue's sake.
func (q *standing) refuse() bool {
	q.mu.Lock()
	q.refused++
	q.mu.Unlock()
	return true
}
