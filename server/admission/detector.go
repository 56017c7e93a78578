package admission

import (
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// overloadDetector tells a queue to which more comes than can be served from one that a
// burst or a pause of the machine has filled and that empties again. The sign is the least
// length of an interval, not the highest or the mean. A queue that has become far too long,
// or that grows while it is worked off, needs no whole interval.
//
// Source: Nichols and Jacobson, Controlling Queue Delay (2012); the last sentence is ours.
type overloadDetector struct {
	overloaded atomic.Bool

	mu     sync.Mutex
	newest marketcache.Instant // newest observation
	// While not overloaded:
	tooLongSince marketcache.Instant // every observation since then was too long; 0: the newest was not
	paused       time.Duration       // longest pause since then
	counted      marketcache.Instant // when the queue was counted last
	length       int                 // how many it had then
	neverEmpty   bool                // every observation since then has found a queue
	grew         bool                // from the count before to that one
	// While overloaded:
	end      marketcache.Instant // of the interval under observation
	observed int                 // observations in it
	refused  int                 // refusals in it
}

// observation is what one request sees of the queue.
type observation struct {
	at     marketcache.Instant
	waited time.Duration // how long this request has waited; 0: not known
	excess time.Duration // by how much the wait is too long; below 0: it is not
	queued bool          // somebody waits
	// length counts those who wait; it is called once in growthInterval at most.
	length func() int
	// minLength is how many must wait for growth to count.
	minLength int
}

// observe takes an observation into account and reports whether the queue is overloaded.
func (d *overloadDetector) observe(o *observation) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	gap := o.at.Sub(d.newest) // below 0 for a request that was overtaken
	d.newest = max(d.newest, o.at)
	if d.overloaded.Load() {
		return d.stillOverloaded(o.at)
	}
	if grows, stands := d.grows(o, gap), d.stands(o, gap); !grows && !stands {
		return false
	}
	d.tooLongSince, d.neverEmpty, d.grew = 0, false, false
	d.end, d.observed, d.refused = o.at.Add(overloadInterval), 1, 0
	d.overloaded.Store(true)
	return true
}

// stands reports whether the queue has been too long for long enough. To work off what a
// pause has left takes twice as long as the pause.
func (d *overloadDetector) stands(o *observation, gap time.Duration) bool {
	if o.excess < 0 {
		d.tooLongSince = 0
		return false
	}
	if d.tooLongSince == 0 || gap > longSilence {
		d.tooLongSince, d.paused = o.at, 0
	}
	if pause := min(gap, o.waited); pause > minPause {
		d.paused = max(d.paused, pause)
	}
	lasted, workedOff := o.at.Sub(d.tooLongSince), 2*d.paused
	return lasted >= growthInterval && (lasted >= overloadInterval+workedOff || o.excess >= farTooLong+workedOff)
}

// grows reports whether the queue has grown from count to count twice in a row: one long
// request among short ones makes it grow once. A burst, or what a pause has left, only gets
// shorter.
func (d *overloadDetector) grows(o *observation, gap time.Duration) bool {
	if !o.queued || gap > longSilence {
		d.neverEmpty = false
	}
	if !o.queued || o.at.Sub(d.counted) < growthInterval {
		return false
	}
	before, comparable, again := d.length, d.neverEmpty, d.grew
	d.length, d.counted, d.neverEmpty = o.length(), o.at, true
	d.grew = comparable && d.length >= before+before/minGrowth+minGrowth
	return d.grew && again && d.length >= o.minLength
}

// stillOverloaded reports whether an overloaded queue is so at a further observation. It is
// as long as many are refused: few are a burst that refusing would go on refusing for ever.
func (d *overloadDetector) stillOverloaded(at marketcache.Instant) bool {
	if late := at.Sub(d.end); late >= 0 {
		nobodyCame := late >= overloadInterval
		if nobodyCame || refusedShare*d.refused < d.observed {
			d.overloaded.Store(false)
			return false
		}
		d.end, d.observed, d.refused = at.Add(overloadInterval), 0, 0
	}
	d.observed++
	return true
}

// refuse notes that an observed request was refused.
func (d *overloadDetector) refuse() {
	d.mu.Lock()
	d.refused++
	d.mu.Unlock()
}
