package relay

import (
	"time"

	"ballast/marketcache"
)

// offset maps the holder's clock onto ours. A question that we sent at s and whose answer
// came at r was answered at an instant in between, which the holder's clock called h: so
// ours less the holder's is at least s - h and at most r - h. The best of the last
// readings gives the lower bound that is used, so that what the holder did is taken to
// have happened no later than it did. Neither wall clock takes part.
type offset struct {
	readings [16]reading
	next     int
}

type reading struct {
	low  time.Duration       // ours less the holder's, at least
	at   marketcache.Instant // ours, when it was made; 0: none
	high time.Duration
}

// offsetMaxAge is how long a reading counts: two quartz clocks part by less than 2 ms in
// that time.
const offsetMaxAge = 20 * time.Second

// add takes in a reading. One that contradicts the others comes after a step of one of
// the clocks (a machine that slept), and alone counts.
func (o *offset) add(sent, received, theirs marketcache.Instant) {
	r := reading{time.Duration(sent - theirs), received, time.Duration(received - theirs)}
	for _, old := range o.readings {
		if old.at != 0 && (r.high+time.Millisecond < old.low || old.high+time.Millisecond < r.low) {
			o.readings = [16]reading{}
			break
		}
	}
	o.readings[o.next] = r
	o.next = (o.next + 1) % len(o.readings)
}

// low returns the lower bound in force.
func (o *offset) low(now marketcache.Instant) (d time.Duration, known bool) {
	for _, r := range o.readings {
		if r.at != 0 && now.Sub(r.at) <= offsetMaxAge && (!known || r.low > d) {
			d, known = r.low, true
		}
	}
	return d, known
}
