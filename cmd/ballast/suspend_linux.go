package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// suspendedSinceBoot returns how long the machine has been suspended since it was booted, or a little less: the
// monotonic clock, which omits suspensions, is read last.
func suspendedSinceBoot() time.Duration {
	var boot, monotonic unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC,
		&monotonic) != nil {
		return 0
	}
	return time.Duration(boot.Nano() - monotonic.Nano())
}
