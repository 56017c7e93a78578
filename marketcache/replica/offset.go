package replica

import (
	"time"

	"ballast/marketcache"
)

// offset is what is known of our clock less the leader's: between lo and hi as of at. A
// question that was sent at s and whose answer came at r was answered in between, when the
// leader's clock said h: the offset is at least s-h and at most r-h. Wall clocks take no
// part.
type offset struct {
	lo, hi time.Duration
	at     marketcache.Instant // ours; 0: nothing known
}

const (
	clockDriftPPM = 200              // how fast two clocks may part, parts per million
	offsetMaxAge  = 20 * time.Second // an older reading is not used
)

// add takes in an answer. One that contradicts what was known comes after a step of one of
// the clocks (a machine that slept), and alone counts.
func (o *offset) add(sent, received, theirs marketcache.Instant) {
	lo, hi := sent.Sub(theirs), received.Sub(theirs)
	if o.at != 0 {
		drift := driftOver(received.Sub(o.at))
		if l, h := max(lo, o.lo-drift), min(hi, o.hi+drift); l <= h {
			lo, hi = l, h
		}
	}
	o.lo, o.hi, o.at = lo, hi, received
}

// least returns the lower bound at now: with it, whatever the leader did happened no later
// than it did.
func (o *offset) least(now marketcache.Instant) (d time.Duration, known bool) {
	age := now.Sub(o.at)
	return o.lo - driftOver(age), o.at != 0 && age <= offsetMaxAge
}

func driftOver(d time.Duration) time.Duration { return d * clockDriftPPM / 1e6 }
