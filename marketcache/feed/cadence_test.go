package feed

import (
	"testing"
	"time"

	"ballast/marketcache"
)

func TestCadence(t *testing.T) {
	c := NewCadence(500*time.Millisecond, 8*time.Second)
	now := marketcache.Instant(time.Hour)
	observe := func(n int, d time.Duration) {
		for range n {
			now = now.Add(max(d, c.Every()))
			c.Observe(now, d)
		}
	}
	want := func(d time.Duration) {
		t.Helper()
		if got := c.Every(); got != d {
			t.Errorf("every %v, want %v", got, d)
		}
	}
	want(500 * time.Millisecond)
	observe(minCadenceSample-1, time.Second)
	want(500 * time.Millisecond) // too few observations
	observe(1, time.Second)
	want(time.Second)
	observe(cadenceSample, 2*time.Second) // the venue becomes slower
	want(2 * time.Second)
	observe(cadenceSample/2-1, time.Hour) // a few streams stop and then arrive very late
	want(2 * time.Second)
	observe(cadenceSample, time.Hour)
	want(8 * time.Second)
}

// All books of a socket arrive together: when the machine delays them once, the cadence stays.
func TestCadenceOfStreamsInStep(t *testing.T) {
	c := NewCadence(500*time.Millisecond, 8*time.Second)
	now := marketcache.Instant(time.Hour)
	tick := func(interval time.Duration) {
		now = now.Add(interval)
		for book := range 100 {
			c.Observe(now.Add(time.Duration(book)*time.Millisecond/10), interval)
		}
	}
	for range 3 * minCadenceSample {
		tick(540 * time.Millisecond)
	}
	tick(900 * time.Millisecond)
	if got := c.Every(); got != 540*time.Millisecond {
		t.Errorf("every %v after one late tick", got)
	}
}
