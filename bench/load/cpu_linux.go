package load

import (
	"fmt"
	"time"
)

// cpuWindow measures the CPU time of the server's process while arrivals are measured.
type cpuWindow struct {
	pid  int // process of the server, 0: not measured
	open bool
	done bool

	from, to   int64 // ns
	used       time.Duration
	atOpen     time.Duration
	err        error
	bytesAfter int64 // bytes in memory at the end
}

// observe opens the window at time from and closes it at time to.
func (w *cpuWindow) observe(now, from, to int64) {
	switch {
	case !w.open && !w.done && now >= from:
		w.open, w.from = true, now
		if w.pid != 0 {
			w.atOpen, w.err = ProcessCPU(w.pid)
		}
	case w.open && now >= to:
		w.close(now)
	}
}

func (w *cpuWindow) close(now int64) {
	w.open, w.done, w.to = false, true, now
	if w.pid == 0 || w.err != nil {
		return
	}
	used, err := ProcessCPU(w.pid)
	if err == nil {
		w.bytesAfter, err = ProcessMemory(w.pid)
	}
	w.used, w.err = used-w.atOpen, err
}

// finish closes the window of a run that ended early, and returns the error of the measurement.
func (w *cpuWindow) finish(now int64) error {
	if w.open {
		w.close(now)
	}
	if w.err != nil {
		return fmt.Errorf("CPU time of process %d: %w", w.pid, w.err)
	}
	return nil
}
