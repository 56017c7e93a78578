package feed

import (
	"time"

	"ballast/marketcache"
)

// keptFor is how long the weight of a refused read is held after the time that its caller was told.
const keptFor = 5 * time.Second

// keeps reports whether a row that is refused stays in the queue, so that its key has the weight when it asks again: a
// wallet's first read, one of each key.
func (q *Queue) keeps(w *row, now marketcache.Instant) bool {
	return w.Class == ForWallet && w.Last == 0 && !w.Spare && w.Patience > 0 && w.key.kept == nil && !q.alone(w) &&
		q.paused(ForWallet, now) == 0
}

// keep leaves a row in the queue until its caller, who was told to wait, asks again.
func (q *Queue) keep(w *row, told time.Duration) {
	w.key.kept = w
	time.AfterFunc(told+keptFor, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if w.key.kept != w || q.closed {
			return
		}
		if g := q.takeKept(w.key); g != nil {
			q.settle(g, g.weight, 0)
		}
		q.serve(marketcache.Now())
	})
}

// takeKept ends the keeping of a key's row and returns its grant, nil if it has none yet.
func (q *Queue) takeKept(k *keyState) *Grant {
	w := k.kept
	k.kept = nil
	if w == nil || q.remove(w) {
		return nil
	}
	return <-w.granted
}

// claim grants a read from what was kept for its key, if that is enough, and otherwise gives that back.
func (q *Queue) claim(w *row, now marketcache.Instant) bool {
	if w.Class != ForWallet || w.Last != 0 || w.Spare {
		return false
	}
	g := q.takeKept(w.key)
	if g == nil {
		return false
	}
	if g.weight < w.Weight {
		q.settle(g, g.weight, 0)
		return false
	}
	q.settle(g, g.weight-w.Weight, 0)
	w.granted <- g
	q.serve(now)
	return true
}
