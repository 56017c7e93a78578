package marketcache

import (
	"sync/atomic"
	"time"
)

// Instant is a point on the process's monotonic clock, ns since an arbitrary epoch. The zero Instant
// means "never".
type Instant int64

// epoch lies a day before the start, so that data up to a day old at the start has an Instant above
// zero.
var epoch = time.Now().Add(-24 * time.Hour)

// Now returns the current Instant.
func Now() Instant { return Instant(time.Since(epoch)) }

// InstantOf converts a time that carries a monotonic reading, such as time.Now().
func InstantOf(t time.Time) Instant { return Instant(t.Sub(epoch)) }

// Sub returns the duration from earlier to t, Add returns t moved by d.
func (t Instant) Sub(earlier Instant) time.Duration { return time.Duration(t - earlier) }
func (t Instant) Add(d time.Duration) Instant       { return t + Instant(d) }

// raise sets t to at unless t is already later, and returns the previous value of t. With unset, a t
// of 0 counts as never set, so that any at replaces it.
func raise(t *atomic.Int64, at Instant, unset bool) (before Instant) {
	for {
		before = Instant(t.Load())
		if at <= before && !(unset && before == 0) || t.CompareAndSwap(int64(before), int64(at)) {
			return before
		}
	}
}
