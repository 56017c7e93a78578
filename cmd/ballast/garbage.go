package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// gcPercent is the garbage allowed in a large heap, in percent of the live heap. Most of the
	// live heap is long-lived history, and requests allocate nothing, so collections are rare
	// although little garbage is allowed. The whole heap is 1.15 times the live heap, instead of
	// twice with Go's default of 100.
	gcPercent = 15
	// roomyHeap is the size in bytes, live and garbage together, to which a smaller heap may grow
	// before a collection. With gcPercent, a small heap would be collected often, and with thousands
	// of subscribers, whose stacks are scanned, a collection slows requests for tens of milliseconds.
	roomyHeap = 128 << 20
	// maxGarbage limits the percentage, because a very small live heap, as at a start, soon grows.
	maxGarbage = 200
)

// gcPercentFor returns the percentage for a number of live bytes.
func gcPercentFor(live uint64) int {
	if live >= roomyHeap {
		return gcPercent
	}
	return int(min(max(gcPercent, 100*(roomyHeap-live)/max(1, live)), maxGarbage))
}

// tuneGC sets the percentage now and again after each collection.
func tuneGC() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	percent := gcPercent
	debug.SetGCPercent(percent)
	type sentinel struct{ _ *byte } // a pointer field, because finalizers need a non-tiny allocation
	var collected func(*sentinel)
	collected = func(s *sentinel) {
		metrics.Read(live)
		if p := gcPercentFor(live[0].Value.Uint64()); p != percent { // setting it stops the world
			percent = p
			debug.SetGCPercent(p)
		}
		runtime.SetFinalizer(s, collected)
	}
	runtime.SetFinalizer(new(sentinel), collected)
}
