package pool

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// niceness of a worker: requests go first.
const niceness = 10

// settle makes the calling goroutine's thread that of worker i for good: pinned to a
// processor of its own, counted from the last one, and of low priority. What the system
// does not allow is left as it is.
func settle(i int) {
	Background()
	var allowed, one unix.CPUSet
	if unix.SchedGetaffinity(0, &allowed) != nil || allowed.Count() == 0 {
		return
	}
	left := i % allowed.Count()
	for cpu := len(allowed)*64 - 1; cpu >= 0; cpu-- {
		if !allowed.IsSet(cpu) {
			continue
		}
		if left == 0 {
			one.Set(cpu)
			_ = unix.SchedSetaffinity(0, &one)
			return
		}
		left--
	}
}

// Background locks the calling goroutine to its thread and lowers its priority for good:
// the thread ends with the goroutine. It is for long work that nobody waits for.
func Background() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), niceness)
}
