package marketcache

import (
	"testing"
	"time"
)

// Until it is measured, the venue's clock is the wall clock. Then its time depends on the Instant alone.
func TestVenueClock(t *testing.T) {
	var c VenueClock
	now := Now()
	if off := time.Since(time.Unix(0, c.VenueNs(now))).Abs(); off > time.Minute || c.SkewMs() != 0 {
		t.Errorf("not measured: off by %v, skew %d ms", off, c.SkewMs())
	}
	c.Set(1e18, now)
	for _, d := range []time.Duration{0, -time.Hour, 400 * 24 * time.Hour} {
		if ns, ms := c.VenueNs(now.Add(d)), c.VenueMs(now.Add(d)); ns != 1e18+int64(d) || ms != ns/1e6 {
			t.Errorf("%v later: %d ns, %d ms", d, ns, ms)
		}
	}
	c.Set(time.Now().Add(-time.Hour).UnixNano(), Now())
	if skew := time.Duration(c.SkewMs()) * time.Millisecond; (skew + time.Hour).Abs() > time.Minute {
		t.Errorf("an hour behind the wall clock: skew %v", skew)
	}
}

// After a suspension of the machine every age has grown by its length, and the venue's clock has gone on.
func TestSuspended(t *testing.T) {
	const length = time.Hour
	s := newSnapshots[int](1)
	var c VenueClock
	before := Now()
	s.Publish(1, before)
	c.Set(1e18, before)
	AddSuspended(length)
	defer AddSuspended(-length)
	now := Now()
	if _, age, ok := s.Latest(now, time.Minute); ok || age < length {
		t.Errorf("age %v, fresh %v: want over %v, not fresh", age, ok, length)
	}
	if ahead := time.Duration(c.VenueNs(now) - 1e18); ahead < length {
		t.Errorf("the venue's clock went on by %v, want over %v", ahead, length)
	}
	if at := InstantOf(time.Now()); at < now {
		t.Errorf("InstantOf(time.Now()) is %v before Now", now.Sub(at))
	}
}
