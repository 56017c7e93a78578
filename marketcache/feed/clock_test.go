package feed

import (
	"math/rand/v2"
	"testing"
	"time"

	"ballast/marketcache"
)

const second = marketcache.Instant(time.Second)

// venueMs returns the venue's time in ms. The venue's clock is 1e18 ns plus skew ahead of Instants.
func venueMs(at marketcache.Instant, skew time.Duration) int64 {
	return (1e18 + int64(at) + int64(skew)) / 1e6
}

func (c *Clock) errorAt(at marketcache.Instant, skew time.Duration) time.Duration {
	return time.Duration(c.VenueMs(at)-venueMs(at, skew)) * time.Millisecond
}

func TestClockHalvesTheRoundTrip(t *testing.T) {
	var c Clock
	r := rand.New(rand.NewPCG(1, 1))
	at := 100 * second
	for range 20 {
		out, back := time.Duration(r.Int64N(int64(100*time.Millisecond))), time.Duration(r.Int64N(int64(100*time.Millisecond)))
		c.ObserveStatus(venueMs(at.Add(out), 0), at, at.Add(out+back))
		at += 30 * second
	}
	if e := c.errorAt(at, 0).Abs(); e > 30*time.Millisecond {
		t.Errorf("off by %v", e)
	}
	// The venue's clock jumps by two seconds: one reading is enough to follow.
	c.ObserveStatus(venueMs(at, 2*time.Second), at, at.Add(20*time.Millisecond))
	if e := c.errorAt(at, 2*time.Second).Abs(); e > 50*time.Millisecond {
		t.Errorf("off by %v after a step", e)
	}
}

func TestClockSources(t *testing.T) {
	date := func(at marketcache.Instant, skew time.Duration) time.Time {
		return time.Unix(0, 1e18+int64(at)+int64(skew)).Truncate(time.Second)
	}
	var c Clock
	at := 100 * second
	c.ObserveDate(date(at, 0), at, at.Add(10*time.Millisecond))
	if e := c.errorAt(at, 0).Abs(); e > 600*time.Millisecond {
		t.Errorf("by date alone off by %v", e)
	}
	// Books of many assets arrive after 0.1 s, one of them after a minute.
	for i := range 100 {
		late := 100 * time.Millisecond
		if i%10 == 0 {
			late = time.Minute
		}
		at = at.Add(10 * time.Millisecond)
		c.ObserveStamp(venueMs(at.Add(-late), 3*time.Second), at)
	}
	if e := c.errorAt(at, 3*time.Second); e > 0 || e < -150*time.Millisecond {
		t.Errorf("by books off by %v", e)
	}
	c.ObserveStatus(venueMs(at, 3*time.Second), at, at.Add(10*time.Millisecond))
	if e := c.errorAt(at, 3*time.Second).Abs(); e > 20*time.Millisecond {
		t.Errorf("by status off by %v", e)
	}
	// The venue's status stops changing: within 30 s the Date header overrules both the status and
	// the books, which have stopped too.
	stopped := at
	for range 40 {
		at += second
		for range 32 {
			c.ObserveStamp(venueMs(stopped, 3*time.Second), at)
		}
		c.ObserveStatus(venueMs(stopped, 3*time.Second), at, at.Add(10*time.Millisecond))
		c.ObserveDate(date(at, 0), at, at.Add(10*time.Millisecond))
	}
	if e := c.errorAt(at, 0).Abs(); e > 600*time.Millisecond {
		t.Errorf("a clock that stands still is believed: off by %v", e)
	}
	if late := c.Lateness(venueMs(stopped, 0), at); late < 39*time.Second {
		t.Errorf("what is 40 s old is %v late", late)
	}
	if c.Lateness(venueMs(at, time.Hour), at) != 0 {
		t.Error("a future time is late")
	}
}

func TestOneWrongTime(t *testing.T) {
	var c Clock
	at := 100 * second
	for range 3 {
		c.ObserveDate(time.Unix(0, 1e18+int64(at)), at, at)
		c.ObserveStatus(venueMs(at, 0), at, at)
		at += 10 * second
	}
	for _, wrong := range []time.Duration{time.Hour, -time.Hour, 24 * time.Hour, 4 * time.Second, -8 * time.Second} {
		c.ObserveDate(time.Unix(0, 1e18+int64(at)+int64(wrong)), at, at)
		c.ObserveStatus(venueMs(at, wrong), at, at)
		if e := c.errorAt(at, 0).Abs(); e > time.Second {
			t.Errorf("one answer moved the clock by %v", e)
		}
		at += 10 * second
		c.ObserveDate(time.Unix(0, 1e18+int64(at)), at, at)
		c.ObserveStatus(venueMs(at, 0), at, at)
		at += 10 * second
	}
	for range 2 {
		c.ObserveDate(time.Unix(0, 1e18+int64(at)+int64(time.Hour)), at, at)
		c.ObserveStatus(venueMs(at, time.Hour), at, at)
		at += 10 * second
	}
	if e := c.errorAt(at, time.Hour).Abs(); e > time.Second {
		t.Errorf("a clock that has stepped is off by %v", e)
	}
}
