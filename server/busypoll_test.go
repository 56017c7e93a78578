package server

import (
	"testing"
	"time"

	"ballast/internal/yield"
)

// With busy polling a request is followed by many looks at the network, which end, and the
// next request begins them anew.
func TestBusyPoll(t *testing.T) {
	if !yield.Network {
		t.Skip("this system has no events to wait for")
	}
	f := newFixture(t, func(c *Config) { c.BusyPoll = 20 * time.Millisecond })
	f.warm()
	b := f.s.busyPoll
	asleep := func() bool { return b.asleep.Load() }
	for round := range 3 {
		until(t, "asleep", asleep)
		before := b.looks.Load()
		if r := f.post(trade("BTC")); r.status != 200 {
			t.Fatalf("%d %s", r.status, r.body)
		}
		until(t, "many looks", func() bool { return b.looks.Load() > before+10 })
		until(t, "asleep again", asleep)
		if after := b.looks.Load(); b.looks.Load() != after {
			t.Errorf("round %d: it looks in its sleep", round)
		}
	}
}

func TestNoBusyPoll(t *testing.T) {
	if f := newFixture(t, nil); f.s.busyPoll != nil {
		t.Error("busy polling unasked for")
	}
}
