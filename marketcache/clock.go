package marketcache

import (
	"sync/atomic"
	"time"
)

// Instant is a point on the process's monotonic clock, which also counts suspensions of the machine, ns since
// an arbitrary epoch. The zero Instant means "never".
type Instant int64

// epoch lies a day before the start, so that data up to a day old at the start has an Instant above
// zero.
var epoch = time.Now().Add(-24 * time.Hour)

// suspended is how long the machine has been suspended since the start: time.Now's monotonic reading omits it.
var suspended atomic.Int64

// AddSuspended records that the machine was suspended for d, so that all data are older by d.
func AddSuspended(d time.Duration) { suspended.Add(int64(d)) }

// Now returns the current Instant.
func Now() Instant { return InstantOf(time.Now()) }

// InstantOf converts a time that carries a monotonic reading, such as time.Now().
func InstantOf(t time.Time) Instant { return Instant(int64(t.Sub(epoch)) + suspended.Load()) }

// Sub returns the duration from earlier to t, Add returns t moved by d.
func (t Instant) Sub(earlier Instant) time.Duration { return time.Duration(t - earlier) }
func (t Instant) Add(d time.Duration) Instant       { return t + Instant(d) }

// VenueClock tells the venue's time at an Instant. It adds a measured offset to the Instant, so that a step of
// our wall clock changes nothing. Before the first Set it returns the time of our wall clock.
type VenueClock struct {
	offset atomic.Int64 // venue time minus Instant, ns; 0: not yet measured
}

// Set records that the venue's time is ns, since 1970 UTC, at t.
func (c *VenueClock) Set(ns int64, t Instant) { c.offset.Store(ns - int64(t)) }

// VenueNs returns the venue's time at t in ns since 1970 UTC, VenueMs in ms.
func (c *VenueClock) VenueNs(t Instant) int64 {
	if offset := c.offset.Load(); offset != 0 {
		return offset + int64(t)
	}
	now := time.Now()
	return now.Add(t.Sub(InstantOf(now))).UnixNano()
}
func (c *VenueClock) VenueMs(t Instant) int64 { return c.VenueNs(t) / 1e6 }

// SkewMs returns the venue's clock minus our wall clock, in ms.
func (c *VenueClock) SkewMs() int64 {
	now := time.Now()
	return (c.VenueNs(InstantOf(now)) - now.UnixNano()) / 1e6
}

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
