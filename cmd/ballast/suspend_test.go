package main

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ballast/marketcache"
)

// A suspension is added to all ages once, within suspendCheck after its end. One before the start is not, nor is
// the inaccuracy of the reading.
func TestWatchSuspension(t *testing.T) {
	if suspendedSinceBoot() < -time.Second {
		t.Errorf("suspended since boot for %v", suspendedSinceBoot())
	}
	synctest.Test(t, func(t *testing.T) {
		var total atomic.Int64
		total.Store(int64(7 * time.Hour))
		ctx, stop := context.WithCancel(t.Context())
		go watchSuspension(ctx, func() time.Duration {
			return time.Duration(total.Load())
		}, slog.New(slog.DiscardHandler))
		synctest.Wait()
		for _, step := range []struct{ suspended, want time.Duration }{{0, 0}, {-time.Second, 0}, {time.Second, 0},
			{time.Hour, time.Hour}, {0, 0}} {
			total.Add(int64(step.suspended))
			before := marketcache.Now()
			time.Sleep(suspendCheck + time.Nanosecond)
			if got := marketcache.Now().Sub(before) - suspendCheck - time.Nanosecond; got != step.want {
				t.Errorf("ages grew by %v more than the clock, want %v", got, step.want)
			}
		}
		marketcache.AddSuspended(-time.Hour)
		stop()
	})
}
