package pool

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// niceness is the priority of workers, lower than that of requests.
const niceness = 10

// pinThread locks the calling goroutine, worker i, to its thread. It pins the thread to a CPU of
// its own, counted from the last CPU, and lowers its priority. A step that the system does not
// permit is skipped.
func pinThread(i int) {
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

// Background locks the calling goroutine to its thread and lowers the thread's priority; the thread ends
// with the goroutine. It is for long computations that nobody waits for.
func Background() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), niceness)
}
