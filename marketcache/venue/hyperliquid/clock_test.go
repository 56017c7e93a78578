package hyperliquid

import (
	"math/rand/v2"
	"testing"
	"time"

	"ballast/marketcache"
)

const second = marketcache.Instant(time.Second)

// venueAt is a venue clock that is 1e18 ns ahead of the Instants.
func venueMs(at marketcache.Instant, skew time.Duration) int64 {
	return (1e18 + int64(at) + int64(skew)) / 1e6
}

func (c *clock) errorAt(at marketcache.Instant, skew time.Duration) time.Duration {
	return time.Duration(c.at(at)-venueMs(at, skew)) * time.Millisecond
}

func TestClockHalvesTheRoundTrip(t *testing.T) {
	var c clock
	r := rand.New(rand.NewPCG(1, 1))
	at := 100 * second
	for range 20 {
		out, back := time.Duration(r.Int64N(int64(100*time.Millisecond))), time.Duration(r.Int64N(int64(100*time.Millisecond)))
		c.readStatus(venueMs(at.Add(out), 0), at, at.Add(out+back))
		at += 30 * second
	}
	if e := c.errorAt(at, 0).Abs(); e > 30*time.Millisecond {
		t.Errorf("off by %v", e)
	}
	// The clock steps by two seconds: one reading is enough to follow.
	c.readStatus(venueMs(at, 2*time.Second), at, at.Add(20*time.Millisecond))
	if e := c.errorAt(at, 2*time.Second).Abs(); e > 50*time.Millisecond {
		t.Errorf("off by %v after a step", e)
	}
}

func TestClockSources(t *testing.T) {
	date := func(at marketcache.Instant, skew time.Duration) time.Time {
		return time.Unix(0, 1e18+int64(at)+int64(skew)).Truncate(time.Second)
	}
	var c clock
	at := 100 * second
	c.readDate(date(at, 0), at, at.Add(10*time.Millisecond))
	if e := c.errorAt(at, 0).Abs(); e > 600*time.Millisecond {
		t.Errorf("by date alone off by %v", e)
	}
	// Books of many assets that are a tenth of a second on the way, one of them a minute.
	for i := range 100 {
		late := 100 * time.Millisecond
		if i%10 == 0 {
			late = time.Minute
		}
		at = at.Add(10 * time.Millisecond)
		c.readBook(venueMs(at.Add(-late), 3*time.Second), at)
	}
	if e := c.errorAt(at, 3*time.Second); e > 0 || e < -150*time.Millisecond {
		t.Errorf("by books off by %v", e)
	}
	c.readStatus(venueMs(at, 3*time.Second), at, at.Add(10*time.Millisecond))
	if e := c.errorAt(at, 3*time.Second).Abs(); e > 20*time.Millisecond {
		t.Errorf("by status off by %v", e)
	}
	// The status stands still: within half a minute the date overrules it, and the books
	// that stand still with it.
	stopped := at
	for range 40 {
		at += second
		for range 32 {
			c.readBook(venueMs(stopped, 3*time.Second), at)
		}
		c.readStatus(venueMs(stopped, 3*time.Second), at, at.Add(10*time.Millisecond))
		c.readDate(date(at, 0), at, at.Add(10*time.Millisecond))
	}
	if e := c.errorAt(at, 0).Abs(); e > 600*time.Millisecond {
		t.Errorf("a clock that stands still is believed: off by %v", e)
	}
	if late := c.lateness(venueMs(stopped, 0), at); late < 39*time.Second {
		t.Errorf("what is 40 s old is %v late", late)
	}
	if c.lateness(venueMs(at, time.Hour), at) != 0 {
		t.Error("a future time is late")
	}
}
