package promtext

import (
	"bytes"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"time"
)

var started = time.Now()

// Process writes the process's resource use, with the names of Prometheus' own client libraries.
// Families that need /proc are left out without it.
func (p *Page) Process() {
	p.Gauge("process_start_time_seconds", "When the process was started, seconds since 1970.",
		float64(started.UnixMilli())/1e3)
	p.proc()
	p.Gauge("go_goroutines", "Goroutines that exist.", float64(runtime.NumGoroutine()))
	p.Gauge("go_sched_gomaxprocs_threads", "Processors that run Go code at a time at most.",
		float64(runtime.GOMAXPROCS(0)))
	read := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"},
		{Name: "/gc/heap/goal:bytes"},
		{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/allocs:bytes"},
		{Name: "/cpu/classes/gc/total:cpu-seconds"},
	}
	metrics.Read(read)
	p.Gauge("go_memstats_heap_alloc_bytes", "Bytes of objects on the heap.", float64(read[0].Value.Uint64()))
	p.Gauge("go_memstats_sys_bytes", "Bytes got from the system.", float64(read[1].Value.Uint64()))
	p.Gauge("go_memstats_next_gc_bytes", "Heap size at which the next garbage collection ends.",
		float64(read[2].Value.Uint64()))
	p.Counter("go_gc_cycles_total", "Garbage collections.", float64(read[3].Value.Uint64()))
	p.Counter("go_memstats_alloc_bytes_total", "Bytes allocated on the heap.", float64(read[4].Value.Uint64()))
	p.Counter("go_gc_cpu_seconds_total", "Processor time of the garbage collector, estimated.", read[5].Value.Float64())
}

// ticks is the number of units of processor time per second in /proc.
const ticks = 100

// proc writes the families that come from /proc.
func (p *Page) proc() {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // the first field here is the third of the file
	number := func(i int) float64 {
		v, _ := strconv.ParseFloat(string(fields[i-3]), 64)
		return v
	}
	p.Counter("process_cpu_seconds_total", "Processor time used, user and system.", (number(14)+number(15))/ticks)
	p.Gauge("process_threads", "Threads of the operating system.", number(20))
	p.Gauge("process_virtual_memory_bytes", "Virtual memory.", number(23))
	p.Gauge("process_resident_memory_bytes", "Memory that is in RAM.", number(24)*float64(os.Getpagesize()))
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		p.Gauge("process_open_fds", "File descriptors open.", float64(len(files)))
	}
}
