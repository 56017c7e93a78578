package hyperliquid

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// clock tells the venue's time at an Instant. It never reads the wall clock for that:
// it measures the offset between the venue's clock and our monotonic one, so that a
// step of the local wall clock changes no age, and a venue whose clock is off by a
// constant is not late.
//
// Three sources, best first:
//
//	status  the time of exchangeStatus, read every half minute: exact to half a round trip
//	books   the median of (book time - arrival): exact to the usual delay of a message
//	date    the Date header of any answer: exact to a second, and made by the web
//	        server, which goes on when the matching engine stands still
//
// The first two are believed only within trustDate of the date, because both stand
// still in an outage that serves old data, and would then make that data look fresh.
type clock struct {
	offset atomic.Int64 // venue time less Instant, ns; the one in force

	mu     sync.Mutex
	status interval
	date   interval
	lags   []int64 // ring of book time less arrival, ns
	next   int
	seen   int64 // book samples in total
}

const (
	trustDate     = 10 * time.Second
	statusMaxAge  = 5 * time.Minute  // an older reading of exchangeStatus is not used
	dateMaxAge    = 15 * time.Minute // nor an older Date
	stepAtOnce    = 2500 * time.Millisecond
	clockDriftPPM = 200 // how fast two clocks may part, parts per million
	lagSamples    = 256
	minLagSamples = 8
)

// interval is what is known of an offset: it lies between lo and hi (ns) as of at.
type interval struct {
	lo, hi int64
	at     marketcache.Instant // 0: nothing known
	agreed int                 // readings in a row that fit together
	doubt  [2]int64            // a far reading that a second one has yet to confirm
}

// narrow takes in that the offset lies in [lo, hi]. When that contradicts what was
// known, one of the clocks has stepped, and the new reading alone counts; by more than
// stepAtOnce only with a second one like it, for one wrong answer must not move all ages.
func (v *interval) narrow(lo, hi int64, at marketcache.Instant) {
	if v.at != 0 {
		drift := int64(at.Sub(v.at)) / 1e6 * clockDriftPPM
		l, h := max(lo, v.lo-drift), min(hi, v.hi+drift)
		switch {
		case l <= h:
			lo, hi = l, h
			v.agreed++
		case l-h > int64(stepAtOnce) && (max(lo, v.doubt[0])-min(hi, v.doubt[1]) > int64(stepAtOnce) || v.doubt[1] == 0):
			v.doubt = [2]int64{lo, hi}
			return
		default:
			v.agreed = 1
		}
	}
	v.lo, v.hi, v.at, v.doubt = lo, hi, at, [2]int64{}
}

func (v *interval) mid() int64 { return v.lo + (v.hi-v.lo)/2 }

func (v *interval) known(now marketcache.Instant, maxAge time.Duration) bool {
	return v.at != 0 && now.Sub(v.at) <= maxAge
}

// start takes our own wall clock until the venue has said anything.
func (c *clock) start() {
	now := time.Now()
	c.offset.Store(now.UnixNano() - int64(marketcache.InstantOf(now)))
}

// at returns the venue's time in ms since 1970 UTC.
func (c *clock) at(t marketcache.Instant) int64 { return (c.offset.Load() + int64(t)) / 1e6 }

// verified reports whether the venue has told its time more than once, without contradiction.
func (c *clock) verified() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status.agreed > 0 || c.date.agreed > 0 || c.seen >= minLagSamples
}

// lateness returns how long before arrival the venue made what it stamped timeMs,
// never negative: a time in the future counts as now.
func (c *clock) lateness(timeMs int64, arrival marketcache.Instant) time.Duration {
	return max(0, time.Duration(c.offset.Load()+int64(arrival)-timeMs*1e6))
}

// skewMs returns the venue's clock less ours.
func (c *clock) skewMs() int64 {
	now := time.Now()
	return (c.offset.Load() + int64(marketcache.InstantOf(now)) - now.UnixNano()) / 1e6
}

// readStatus takes in a time that the venue told between two Instants.
func (c *clock) readStatus(timeMs int64, sent, received marketcache.Instant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ns := timeMs * 1e6
	c.status.narrow(ns-int64(received), ns+1e6-int64(sent), received)
	c.choose(received)
}

// readDate takes in a Date header, which is cut to the second.
func (c *clock) readDate(date time.Time, sent, received marketcache.Instant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ns := date.UnixNano()
	c.date.narrow(ns-int64(received), ns+1e9-int64(sent), received)
	c.choose(received)
}

// readBook takes in the time of a book that has just arrived.
func (c *clock) readBook(timeMs int64, arrival marketcache.Instant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lags == nil {
		c.lags = make([]int64, lagSamples)
	}
	c.lags[c.next] = timeMs*1e6 - int64(arrival)
	c.next = (c.next + 1) % lagSamples
	c.seen++
	if c.seen%32 == 0 || c.seen == minLagSamples {
		c.choose(arrival)
	}
}

// choose sets the offset in force.
func (c *clock) choose(now marketcache.Instant) {
	dateKnown := c.date.known(now, dateMaxAge)
	trusted := func(offset int64) bool {
		if !dateKnown {
			return true
		}
		return offset >= c.date.lo-int64(trustDate) && offset <= c.date.hi+int64(trustDate)
	}
	if c.status.known(now, statusMaxAge) && trusted(c.status.mid()) {
		c.offset.Store(c.status.mid())
		return
	}
	if c.seen >= minLagSamples {
		if m := c.medianLag(); trusted(m) {
			c.offset.Store(m)
			return
		}
	}
	if dateKnown {
		c.offset.Store(c.date.mid())
	}
}

func (c *clock) medianLag() int64 {
	var sorted [lagSamples]int64
	n := copy(sorted[:], c.lags[:min(c.seen, lagSamples)])
	slices.Sort(sorted[:n])
	return sorted[n/2]
}
