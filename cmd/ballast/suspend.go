package main

import (
	"context"
	"log/slog"
	"time"

	"ballast/marketcache"
)

// suspendCheck is how often watchSuspension looks for a suspension of the machine.
const suspendCheck = 100 * time.Millisecond

// watchSuspension adds the time for which the machine was suspended to the age of all data, until ctx ends.
// total returns how long the machine has been suspended since it was booted, or a little less.
func watchSuspension(ctx context.Context, total func() time.Duration, log *slog.Logger) {
	known := total()
	each(ctx, suspendCheck, func() {
		if d := total() - known; d >= time.Millisecond {
			known += d
			marketcache.AddSuspended(d)
			log.Warn("the machine was suspended, all data are older by that", "for", d)
		}
	})
}

// each calls f after each interval until ctx ends.
func each(ctx context.Context, interval time.Duration, f func()) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			f()
		}
	}
}
