package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

func TestGCPercentFor(t *testing.T) {
	const mb = 1 << 20
	for _, row := range []struct {
		live uint64
		want int
	}{{0, 200}, {10 * mb, 200}, {64 * mb, 100}, {96 * mb, 33}, {115 * mb, 15}, {128 * mb, 15}, {129 * mb, 15},
		{4096 * mb, 15}} {
		if got := gcPercentFor(row.live); got != row.want {
			t.Errorf("%d MB: %d, want %d", row.live/mb, got, row.want)
		}
	}
}

// The garbage collector's percentage follows the size of the live heap, up and down.
func TestTuneGC(t *testing.T) {
	defer debug.SetGCPercent(100)
	percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	reached := func(want func(percent uint64) bool) bool {
		deadline := time.Now().Add(10 * time.Second)
		for ; time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			runtime.GC()
			metrics.Read(percent)
			if want(percent[0].Value.Uint64()) {
				return true
			}
		}
		return false
	}
	tuneGC()
	if !reached(func(p uint64) bool { return p > 2*gcPercent }) {
		t.Error("the percentage is low for a small heap")
	}
	histories := make([]byte, roomyHeap)
	if !reached(func(p uint64) bool { return p == gcPercent }) {
		t.Error("the percentage is high for a large heap")
	}
	runtime.KeepAlive(histories)
	histories = nil
	if !reached(func(p uint64) bool { return p > 2*gcPercent }) {
		t.Error("the percentage stays low after the heap shrank")
	}
}
