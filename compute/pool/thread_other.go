//go:build !linux

package pool

import "runtime"

func pinThread(int) { Background() }

// Background locks the calling goroutine to its thread; this system has no priorities per thread.
func Background() { runtime.LockOSThread() }
