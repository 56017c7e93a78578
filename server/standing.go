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
// level of a while, not the highest or the mean. A queue that has grown far too long while
// it was worked off needs no such while.
//
// Source: Nichols and Jacobson, Controlling Queue Delay, 2012; the last sentence is ours.
type standing struct {
	over atomic.Bool // it stands

	mu     sync.Mutex
	looked marketcache.Instant // newest look
	since  marketcache.Instant // every look since then found the queue too long; 0: the newest did not
	paused time.Duration       // longest pause of the machine since then; to work off what it left takes twice as long
	// While it stands:
	end     marketcache.Instant // of the window under observation
	seen    int                 // how often it was looked at in it
	refused int                 // how many were refused in it
}

const (
	// standingTime is for how long a queue must be too long to count as standing. Every
	// standingTime it is asked anew whether that is over.
	standingTime = 100 * time.Millisecond
	// growingTime is the same for one that is too long by farTooLong.
	growingTime = 10 * time.Millisecond
	farTooLong  = 32 * time.Millisecond
	// A pause is a gap longer than that between two looks, for whoever has waited meanwhile.
	// After a gap of longSilence the looks before it say nothing any more.
	pause       = 5 * time.Millisecond
	longSilence = 20 * time.Millisecond
	// standingShare is the share of requests that must be refused, one in so many, for a
	// queue that is kept short by that to count as standing. Fewer are a burst, that
	// refusing would go on refusing for ever.
	standingShare = 4
)

// look observes by how much a request that has waited for so long finds the queue too long,
// below 0 when it does not, and reports whether the queue stands.
func (q *standing) look(excess, waited time.Duration, now marketcache.Instant) (stands bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	gap := now.Sub(q.looked) // below 0 for a request that was taken up before the newest
	q.looked = max(q.looked, now)
	if q.over.Load() {
		return q.goesOn(now)
	}
	if excess < 0 {
		q.since = 0
		return false
	}
	if q.since == 0 || gap > longSilence {
		q.since, q.paused = now, 0
	}
	if p := min(gap, waited); p > pause {
		q.paused = max(q.paused, p)
	}
	lasted, workedOff := now.Sub(q.since), 2*q.paused
	if lasted < growingTime || lasted < standingTime+workedOff && excess < farTooLong+workedOff {
		return false
	}
	q.begin(now)
	return true
}

// begin makes the queue one that stands.
func (q *standing) begin(now marketcache.Instant) {
	q.since = 0
	q.end, q.seen, q.refused = now.Add(standingTime), 1, 0
	q.over.Store(true)
}

// stand is begin for a queue that is known to grow while it is worked off.
func (q *standing) stand(now marketcache.Instant) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.over.Load() {
		q.begin(now)
	}
}

// goesOn reports whether a queue that stood does so at a further look.
func (q *standing) goesOn(now marketcache.Instant) bool {
	if late := now.Sub(q.end); late >= 0 {
		nobodyCame := late >= standingTime
		if nobodyCame || standingShare*q.refused < q.seen {
			q.over.Store(false)
			return false
		}
		q.end, q.seen, q.refused = now.Add(standingTime), 0, 0
	}
	q.seen++
	return true
}

// refuse notes that a request that was looked at was refused for the queue's sake.
func (q *standing) refuse() bool {
	q.mu.Lock()
	q.refused++
	q.mu.Unlock()
	return true
}

// growth tells a queue that grows while it is worked off from a burst, or what a pause has
// left, which only gets shorter. Those who are served say how long the oldest have waited,
// which grows in a burst too; so those who wait are counted.
type growth struct {
	mu      sync.Mutex
	looked  marketcache.Instant // newest look
	counted marketcache.Instant
	count   int
	since   bool // every look since counted has found a queue
	grew    bool // from the count before to that one
}

// leastGrowth is by how many a queue must have grown within growingTime, and a quarter.
const leastGrowth = 4

// look observes whether there is a queue, and reports whether it has grown twice on end, to
// that many at least: one long request among short ones makes it grow once. count says how many wait and is called once in growingTime at most.
func (g *growth) look(queue bool, now marketcache.Instant, least int, count func() int) (grown bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	gap := now.Sub(g.looked)
	g.looked = max(g.looked, now)
	if !queue || gap > longSilence {
		g.since = false
	}
	if !queue || now.Sub(g.counted) < growingTime {
		return false
	}
	before, both, again := g.count, g.since, g.grew
	g.count, g.counted, g.since = count(), now, true
	g.grew = both && g.count >= before+before/4+leastGrowth
	return g.grew && again && g.count >= least
}
