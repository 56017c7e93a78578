package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// gcPercent is the garbage allowed, in percent of the live heap. Most of the live heap is
	// long-lived history, and requests allocate nothing, so collections are rare although little
	// garbage is allowed. The whole heap is 1.15 times the live heap, instead of twice with Go's
	// default of 100.
	gcPercent = 15
	// roomyHeap is the heap size in bytes, live and garbage together, below which no collection
	// starts. In a small heap gcPercent is reached quickly, and with thousands of subscribers, whose
	// stacks are scanned, a collection takes tens of milliseconds that slow requests down.
	roomyHeap = 128 << 20
	// maxGarbage is the maximum percentage, because the heap grows while a service starts.
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
