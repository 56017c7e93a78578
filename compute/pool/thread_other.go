//go:build !linux

package pool

import "runtime"

func settle(int) { Background() }

// Background locks the calling goroutine to its thread for good; priorities are for the
// operating systems that give them to threads.
func Background() { runtime.LockOSThread() }
