package feed

import (
	"slices"
	"time"

	"ballast/marketcache"
)

// keptFor is how long the weight of a refused read is held after the time that its caller was told.
const keptFor = 5 * time.Second

// keeps reports whether a row that is refused stays in the queue, so that its key has the weight when it asks again: a
// wallet's first read, by a key that would have its equal part of the weight or less with it.
func (q *Queue) keeps(w *row, now marketcache.Instant) bool {
	if w.Class != ForWallet || w.Last != 0 || w.Spare || w.Patience <= 0 || w.key.kept != nil || q.alone(w) ||
		q.paused(ForWallet, now) > 0 {
		return false
	}
	keys, had := 0, w.Weight
	for id := range q.keys {
		if id.class == ForWallet {
			keys++
		}
	}
	for _, s := range w.key.had {
		if now.Sub(s.at) <= budgetWindow {
			had += s.weight
		}
	}
	limit, burst := q.meter.bounds(now)
	return had <= (limit-burst)/keys
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
		if g := q.takeKept(w.key, marketcache.Now()); g != nil {
			q.settle(g, g.weight, 0)
		}
		q.serve(marketcache.Now())
	})
}

// takeKept ends the keeping of a key's row and returns its grant, nil if it has none yet.
func (q *Queue) takeKept(k *keyState, now marketcache.Instant) *Grant {
	w := k.kept
	k.kept = nil
	if w == nil || q.remove(w, now) {
		return nil
	}
	return <-w.granted
}

// claim grants a read from what was kept for its key, if that is enough, and otherwise gives that back.
func (q *Queue) claim(w *row, now marketcache.Instant) bool {
	if w.Class != ForWallet || w.Last != 0 || w.Spare {
		return false
	}
	g := q.takeKept(w.key, now)
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

// count records weight that a key was granted.
func (k *keyState) count(weight int, now marketcache.Instant) {
	k.had = slices.DeleteFunc(k.had, func(s spending) bool { return now.Sub(s.at) > budgetWindow })
	k.had = append(k.had, spending{at: now, weight: weight})
}
