package feed

import (
	"math/rand/v2"
	"testing"
	"time"

	"ballast/marketcache"
)

func newClock() *Clock { return &Clock{VenueClock: &marketcache.VenueClock{}} }

const second = marketcache.Instant(time.Second)

// venueMs returns the venue's time in ms. The venue's clock is 1e18 ns plus skew ahead of Instants.
func venueMs(at marketcache.Instant, skew time.Duration) int64 {
	return (1e18 + int64(at) + int64(skew)) / 1e6
}

func (c *Clock) errorAt(at marketcache.Instant, skew time.Duration) time.Duration {
	return time.Duration(c.VenueMs(at)-venueMs(at, skew)) * time.Millisecond
}

func TestClockHalvesTheRoundTrip(t *testing.T) {
	c := newClock()
	r := rand.New(rand.NewPCG(1, 1))
	at := 100 * second
	for range 20 {
		out, back := time.Duration(r.Int64N(int64(100*time.Millisecond))),
			time.Duration(r.Int64N(int64(100*time.Millisecond)))
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
	c := newClock()
	at := 100 * second
	c.ObserveDate(date(at, 0), at, at.Add(10*time.Millisecond))
	if e := c.errorAt(at, 0).Abs(); e > 600*time.Millisecond {
		t.Errorf("by date alone off by %v", e)
	}
	// Books of many assets arrive after 0.1 s, one book in ten after a minute.
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
		t.Errorf("a status that stands still is used: off by %v", e)
	}
	if late := c.Lateness(venueMs(stopped, 0), at); late < 39*time.Second {
		t.Errorf("data that is 40 s old is %v late", late)
	}
	if c.Lateness(venueMs(at, time.Hour), at) != 0 {
		t.Error("a future time is late")
	}
}

// The venue's status is 0.2 s old when it is sent, and would make all data look younger by that.
func TestStatusThatIsLate(t *testing.T) {
	for _, late := range []time.Duration{0, 200 * time.Millisecond, 700 * time.Millisecond} {
		c := newClock()
		r := rand.New(rand.NewPCG(2, 2))
		at := 100 * second
		for i := range 200 {
			out, back := time.Duration(r.Int64N(int64(20*time.Millisecond))),
				time.Duration(r.Int64N(int64(20*time.Millisecond)))
			answered := at.Add(out)
			// of the web server's clock, in 3 of 7 readings
			behind := time.Duration(i%7%2) * time.Duration(r.Int64N(int64(300*time.Millisecond)))
			c.ObserveDate(time.UnixMilli(venueMs(answered, -behind)).Truncate(time.Second), at, at.Add(out+back))
			c.ObserveStatus(venueMs(answered, -late), at, at.Add(out+back))
			if e := c.errorAt(at, 0); i >= 10 && (e < -90*time.Millisecond || e > 90*time.Millisecond) {
				t.Fatalf("status late by %v: after %d readings off by %v", late, i+1, e)
			}
			at = at.Add(clockGap(i))
		}
	}
	// A status 5 s behind the date is not late: the two clocks differ, and the status is used.
	c := newClock()
	at := 100 * second
	for range 20 {
		c.ObserveDate(time.UnixMilli(venueMs(at, 0)).Truncate(time.Second), at, at.Add(10*time.Millisecond))
		c.ObserveStatus(venueMs(at, -5*time.Second), at, at.Add(10*time.Millisecond))
		at = at.Add(3100 * time.Millisecond)
	}
	if e := c.errorAt(at, -5*time.Second).Abs(); e > 20*time.Millisecond {
		t.Errorf("clock with a skew: off by %v", e)
	}
}

// clockGap is the time between two readings: many at the start, then few.
func clockGap(i int) time.Duration {
	if i < 10 {
		return 110 * time.Millisecond
	}
	return 7300 * time.Millisecond
}

func TestOneWrongTime(t *testing.T) {
	c := newClock()
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
