package transport

import (
	"testing"
	"time"

	"ballast/internal/yield"
)

// After a request busy polling polls the network many times, then stops; the next request
// starts it again.
func TestBusyPoll(t *testing.T) {
	if !yield.Network {
		t.Skip("busy polling is not available on this system")
	}
	tr := New(Config{Tuning: Tuning{BusyPoll: 20 * time.Millisecond}, Guard: func(_ string, work func()) { work() }})
	defer tr.Close()
	b := tr.poll
	asleep := func() bool { return b.asleep.Load() }
	for round := range 3 {
		until(t, "asleep", asleep)
		before := b.looks.Load()
		tr.NoteRequest(time.Now())
		until(t, "many looks", func() bool { return b.looks.Load() > before+10 })
		until(t, "asleep again", asleep)
		if after := b.looks.Load(); b.looks.Load() != after {
			t.Errorf("round %d: polls while it should be idle", round)
		}
	}
}

// The zero Tuning switches every technique off.
func TestNoTuning(t *testing.T) {
	tr := New(Config{})
	tr.NoteRequest(time.Now())
	tr.Close()
	if tr.poll != nil || tr.Batch != nil {
		t.Error("a technique is on in the zero Tuning")
	}
}
