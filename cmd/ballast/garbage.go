package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// gcPercent is how much garbage may build up over what lives. Most of what lives are
	// histories that stay, and a request makes no garbage, so that collecting often is cheap
	// and saves half as much memory again.
	gcPercent = 15
	// roomyHeap is how large what lives may grow together with garbage in any case, bytes. In
	// a small heap gcPercent is soon full, and with thousands of subscribers, each of which
	// has a stack to look at, a collection takes tens of milliseconds that requests feel.
	roomyHeap = 128 << 20
	// mostGarbage bounds the percentage, because the heap of a service that starts grows.
	mostGarbage = 200
)

// gcPercentFor returns the percentage for a heap of which so many bytes live.
func gcPercentFor(live uint64) int {
	if live >= roomyHeap {
		return gcPercent
	}
	return int(min(max(gcPercent, 100*(roomyHeap-live)/max(1, live)), mostGarbage))
}

// tuneGC sets the percentage now and after each collection.
func tuneGC() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	percent := gcPercent
	debug.SetGCPercent(percent)
	type sentinel struct{ _ *byte } // a finalizer wants no tiny allocation
	var collected func(*sentinel)
	collected = func(s *sentinel) {
		metrics.Read(live)
		if p := gcPercentFor(live[0].Value.Uint64()); p != percent { // to set it stops the world
			percent = p
			debug.SetGCPercent(p)
		}
		runtime.SetFinalizer(s, collected)
	}
	runtime.SetFinalizer(new(sentinel), collected)
}
