package feed

import (
	"slices"
	"sync"
	"time"

	"ballast/marketcache"
)

// Clock sets a VenueClock: it measures the offset between the venue's clock and our monotonic clock, so that
// a constant error of the venue's clock does not make data look late. Safe for concurrent use.
//
// It has three sources, best first:
//
//	status  the venue's answer to a request for its time: exact to half a round trip
//	stamps  the median of (time stamp of a message - arrival): exact to a message's usual delay
//	date    the Date header of any answer: exact to a second. The web server writes it, and
//	        keeps running when the matching engine stops
//
// Status and stamps are used only within DateTolerance of the date: in an outage that serves old
// data both stop, and would make that data look fresh. Both come from the matching engine and are
// late: the venue's status is 0.2 s old when it is sent. So when the date proves them late by up to
// engineLate, the date wins. A larger difference is an error of the web server's clock.
type Clock struct {
	*marketcache.VenueClock

	mu     sync.Mutex
	status interval
	date   interval
	lags   [lagSamples]int64 // ring of (time stamp - arrival), ns
	seen   int               // total number of stamps
}

const (
	DateTolerance = 10 * time.Second
	statusMaxAge  = 5 * time.Minute         // an older status is not used
	dateMaxAge    = 15 * time.Minute        // an older Date header is not used
	dateUnsure    = 250 * time.Millisecond  // an offset corrected by a Date header is at most this far above date.lo
	engineLate    = time.Second             // maximum delay of the matching engine's time
	mayBeBehind   = 8                       // late readings that are ignored in a row
	stepAtOnce    = 2500 * time.Millisecond // a larger step needs a second reading
	clockDriftPPM = 200                     // maximum drift between two clocks, parts per million
	lagSamples    = 256
	minLagSamples = 8
)

// interval bounds an offset: it was between lo and hi (ns) at an Instant.
type interval struct {
	lo, hi int64
	at     marketcache.Instant // 0: no reading yet
	agreed int                 // consecutive readings that agree
	doubt  [2]int64            // a reading far away, not used until a second reading confirms it
	behind int                 // consecutive readings ignored because they are late
}

// narrow intersects the interval with the reading [lo, hi]. A reading outside the interval means
// that a clock has stepped, and replaces the interval. A step larger than stepAtOnce needs a second
// reading that agrees, because one wrong answer must not shift all ages.
func (v *interval) narrow(lo, hi int64, at marketcache.Instant) {
	if v.at != 0 {
		drift := int64(at.Sub(v.at)) / 1e6 * clockDriftPPM
		l, h := max(lo, v.lo-drift), min(hi, v.hi+drift)
		if l > hi && l-hi <= int64(engineLate) && v.behind < mayBeBehind {
			v.behind++
			return
		}
		switch {
		case l <= h:
			lo, hi = l, h
			v.agreed++
		case l-h > int64(stepAtOnce) && (max(lo, v.doubt[0])-min(hi, v.doubt[1]) > int64(stepAtOnce) ||
			v.doubt[1] == 0):
			v.doubt = [2]int64{lo, hi}
			return
		default:
			v.agreed = 1
		}
	}
	v.lo, v.hi, v.at, v.doubt, v.behind = lo, hi, at, [2]int64{}, 0
}

func (v *interval) mid() int64 { return v.lo + (v.hi-v.lo)/2 }

func (v *interval) known(now marketcache.Instant, maxAge time.Duration) bool {
	return v.at != 0 && now.Sub(v.at) <= maxAge
}

// Verified reports whether at least two of the venue's readings agree.
func (c *Clock) Verified() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status.agreed > 0 || c.date.agreed > 0 || c.seen >= minLagSamples
}

// Lateness returns the time between the venue's stamp timeMs on a message and its arrival, 0 for
// a stamp in the future.
func (c *Clock) Lateness(timeMs int64, arrival marketcache.Instant) time.Duration {
	return max(0, time.Duration(c.VenueNs(arrival)-timeMs*1e6))
}

// ObserveStatus records the venue's time in the answer to a request.
func (c *Clock) ObserveStatus(timeMs int64, sent, received marketcache.Instant) {
	c.observe(&c.status, timeMs*1e6, time.Millisecond, sent, received)
}

// ObserveDate records a Date header, which is truncated to the second.
func (c *Clock) ObserveDate(date time.Time, sent, received marketcache.Instant) {
	c.observe(&c.date, date.UnixNano(), time.Second, sent, received)
}

// observe records that the venue's time was in [ns, ns+cut) at some moment between two Instants.
func (c *Clock) observe(v *interval, ns int64, cut time.Duration, sent, received marketcache.Instant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v.narrow(ns-int64(received), ns+int64(cut)-int64(sent), received)
	c.choose(received)
}

// ObserveStamp records the time stamp of a message and the message's arrival.
func (c *Clock) ObserveStamp(timeMs int64, arrival marketcache.Instant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lags[c.seen%lagSamples] = timeMs*1e6 - int64(arrival)
	c.seen++
	if c.seen%32 == 0 || c.seen == minLagSamples {
		c.choose(arrival)
	}
}

// choose sets the offset from the best source that is valid.
func (c *Clock) choose(now marketcache.Instant) {
	offset, known := c.engine(now)
	if c.date.known(now, dateMaxAge) {
		switch {
		case !known:
			offset, known = c.date.mid(), true
		case c.date.lo > offset && c.date.lo-offset <= int64(engineLate):
			offset = min(c.date.mid(), c.date.lo+int64(dateUnsure))
		}
	}
	if known {
		c.Set(offset, 0)
	}
}

// engine returns the offset by the matching engine's clock: from the status, or else from the stamps.
func (c *Clock) engine(now marketcache.Instant) (offset int64, known bool) {
	trusted := func(offset int64) bool {
		return !c.date.known(now, dateMaxAge) ||
			offset >= c.date.lo-int64(DateTolerance) && offset <= c.date.hi+int64(DateTolerance)
	}
	if c.status.known(now, statusMaxAge) && trusted(c.status.mid()) {
		return c.status.mid(), true
	}
	if c.seen >= minLagSamples {
		m := c.medianLag()
		return m, trusted(m)
	}
	return 0, false
}

func (c *Clock) medianLag() int64 {
	lags := c.lags
	known := lags[:min(c.seen, lagSamples)]
	slices.Sort(known)
	return known[len(known)/2]
}
