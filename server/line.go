package server

import (
	"sync/atomic"
	"time"

	"ballast/internal/yield"
	"ballast/marketcache"
)

// line is where requests of a kind that takes long, batches or simulations, wait for their
// turn, first come, first served: together they would only delay each other. While its queue
// stands there is room for few, and those whose turn comes behind that are refused then.
type line struct {
	queue  standing
	growth growth
	here   atomic.Int64 // at work or waiting for it
	held   atomic.Int64 // for how long one is at work lately, ns

	maxWait time.Duration     // as of overload
	most    int64             // that may be here
	tooMany int64             // here are a queue that is too long, however soon each is done
	room    int64             // for so many while the queue stands
	places  chan *yield.Point // that are free
	width   int64             // how many there are
}

const (
	// turnTime is how long one at work computes before what has come meanwhile is looked at,
	// which is answered or refused first.
	turnTime = 500 * time.Microsecond
	// heldShare is the share of one request in the moving mean of what they take.
	heldShare = 1.0 / 16
	// maxHeld bounds what one counts for, ns.
	maxHeld = 100e6
)

// newLine returns a line with room for most, at so many places, which workers workers serve.
func newLine(maxWait time.Duration, most, workers, width int64) *line {
	l := &line{
		maxWait: maxWait, most: most, tooMany: longQueue * workers, room: roomAWorker * workers,
		places: make(chan *yield.Point, width), width: width,
	}
	for range width {
		l.places <- yield.NewPoint(turnTime)
	}
	return l
}

// enter counts one more; false when it must be refused.
func (l *line) enter(now marketcache.Instant) bool {
	n := l.here.Add(1)
	if n > l.most || l.refuses(n, now) {
		l.here.Add(-1)
		return false
	}
	return true
}

// leave uncounts one that has entered.
func (l *line) leave() { l.here.Add(-1) }

// refuses reports whether the n-th should be refused because more come than can be served.
func (l *line) refuses(n int64, now marketcache.Instant) bool {
	if l.maxWait <= 0 {
		return false
	}
	each := time.Duration(max(1, l.held.Load()/l.width)) // that one adds to the wait
	if !l.queue.over.Load() && l.growth.look(n > l.width, now, int(2*l.maxWait/each), func() int { return int(n) }) {
		l.queue.stand(now)
	}
	excess := time.Duration(n)*each - max(l.maxWait, time.Duration(l.tooMany)*each)
	return l.queue.look(excess, 0, now) && n > l.room && l.queue.refuse()
}

// wait takes a place as soon as one is free. It reports whether none was. It returns none to
// one that must be refused, because more wait behind it than a queue that stands has room for,
// and that has left thereby.
func (l *line) wait() (place *yield.Point, waited bool) {
	select {
	case place = <-l.places:
	default:
		place, waited = <-l.places, true
		if l.queue.over.Load() && l.here.Load() > l.room {
			l.queue.refuse()
			l.leave()
			l.places <- place
			return nil, true
		}
	}
	place.Waited()
	return place, waited
}

// give gives a place back that was taken at an instant.
func (l *line) give(place *yield.Point, taken time.Time) {
	l.places <- place
	mean, held := l.held.Load(), min(int64(time.Since(taken)), maxHeld)
	if mean == 0 {
		mean = held
	}
	l.held.Store(mean + int64(heldShare*float64(held-mean)))
}

// close releases what the free places hold. Nobody may enter any more.
func (l *line) close() {
	for range l.width {
		select {
		case p := <-l.places:
			p.Close()
		default:
			return
		}
	}
}
