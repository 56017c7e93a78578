//go:build !linux

package main

import "time"

// suspendedSinceBoot is 0 where the system does not tell.
func suspendedSinceBoot() time.Duration { return 0 }
