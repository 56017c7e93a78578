package admission

import (
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// overloadDetector distinguishes sustained overload from a burst or a pause of the machine,
// after which the queue empties again. A queue is overloaded when even its minimum delay over
// an interval is too long. A queue whose delay is far too long, or which keeps growing or stays
// full, is overloaded before the interval ends.
//
// Source: Nichols and Jacobson, Controlling Queue Delay (2012); the last sentence's two rules are ours.
type overloadDetector struct {
	overloaded atomic.Bool

	mu     sync.Mutex
	newest marketcache.Instant // instant of the newest observation
	// While not overloaded:
	tooLongSince marketcache.Instant // every wait since then was too long; 0: the newest wait was acceptable
	paused       time.Duration       // longest pause of the machine since tooLongSince
	counted      marketcache.Instant // instant of the last count of the queue
	length       int                 // queue length at the last count
	neverEmpty   bool                // every observation since the last count found a waiting request
	grew         bool                // between the last two counts the queue grew or stayed full
	// While overloaded:
	end      marketcache.Instant // end of the current interval
	observed int                 // observations in the current interval
	refused  int                 // refusals in the current interval
}

// observation is the state of the queue at the arrival of one request.
type observation struct {
	at     marketcache.Instant
	waited time.Duration // how long this request has waited; 0: not known
	excess time.Duration // wait minus the longest acceptable wait; negative: acceptable
	queued bool          // at least one request waits
	full   bool          // the queue has no room for another request
	// length counts the waiting requests; it is called at most once per growthInterval.
	length func() int
	// minLength is the queue length below which growth is ignored.
	minLength int
}

// observe records an observation and reports whether the queue is overloaded.
func (d *overloadDetector) observe(o *observation) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	gap := o.at.Sub(d.newest) // negative when a request that arrived later was observed first
	d.newest = max(d.newest, o.at)
	if d.overloaded.Load() {
		return d.stillOverloaded(o.at)
	}
	if grows, standing := d.grows(o, gap), d.standing(o, gap); !grows && !standing {
		return false
	}
	d.tooLongSince, d.neverEmpty, d.grew = 0, false, false
	d.end, d.observed, d.refused = o.at.Add(overloadInterval), 1, 0
	d.overloaded.Store(true)
	return true
}

// standing reports whether the queue's delay has stayed too long for the time that means overload.
// The backlog of a pause may take twice the length of the pause to clear.
func (d *overloadDetector) standing(o *observation, gap time.Duration) bool {
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

// grows reports whether the queue has grown, or was full, in two growthIntervals in a row. One long
// request among short requests makes it grow in one interval only. The backlog of a burst or of a pause only shrinks.
func (d *overloadDetector) grows(o *observation, gap time.Duration) bool {
	if !o.queued || gap > longSilence {
		d.neverEmpty = false
	}
	if !o.queued || o.at.Sub(d.counted) < growthInterval {
		return false
	}
	before, queuedSince, again := d.length, d.neverEmpty, d.grew
	d.length, d.counted, d.neverEmpty = o.length(), o.at, true
	d.grew = queuedSince && (o.full || d.length >= before+before/minGrowth+minGrowth)
	return d.grew && again && d.length >= o.minLength
}

// stillOverloaded reports whether the queue stays overloaded at a further observation. Overload
// ends after an interval in which less than one in refusedShare requests was refused, or after
// an interval without requests.
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

// refuse counts an observed request as refused.
func (d *overloadDetector) refuse() {
	d.mu.Lock()
	d.refused++
	d.mu.Unlock()
}
