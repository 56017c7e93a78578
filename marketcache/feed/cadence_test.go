package feed

import (
	"testing"
	"time"
)

func TestCadence(t *testing.T) {
	c := NewCadence(500*time.Millisecond, 8*time.Second)
	observe := func(n int, d time.Duration) {
		for range n {
			c.Observe(d)
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
