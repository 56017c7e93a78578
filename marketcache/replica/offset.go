package replica

import (
	"time"

	"ballast/marketcache"
)

// offset is our clock minus the leader's: between lo and hi at the Instant at. A request sent at s and
// answered at r was handled in between. If the leader's clock then showed h, the offset is at least
// s-h and at most r-h. Wall clocks are not used.
type offset struct {
	lo, hi time.Duration
	at     marketcache.Instant // ours; 0: unknown
}

const (
	clockDriftPPM = 200              // maximum drift between two clocks, parts per million
	offsetMaxAge  = 20 * time.Second // older measurements are not used
)

// add adds a measurement. If it contradicts earlier ones, a clock has stepped (a machine was
// suspended), and only the new one counts.
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

// min returns the lower bound at now, with which data of the leader cannot look fresher than they are.
func (o *offset) min(now marketcache.Instant) (d time.Duration, known bool) {
	age := now.Sub(o.at)
	return o.lo - driftOver(age), o.at != 0 && age <= offsetMaxAge
}

func driftOver(d time.Duration) time.Duration { return d * clockDriftPPM / 1e6 }
