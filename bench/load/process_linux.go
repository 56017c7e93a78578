package load

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// userHz is the unit of times in /proc/PID/stat, in ticks per second: 100 on every Linux, whatever
// the frequency of the kernel's clock.
const userHz = 100

// ProcessCPU returns the CPU time that all threads of a process have used, in user and kernel mode,
// with a resolution of 10 ms.
func ProcessCPU(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The program name, in brackets, may contain any character, so the parsing starts after the
	// last bracket, at the state.
	at := bytes.LastIndexByte(text, ')')
	fields := strings.Fields(string(text[at+1:]))
	if at < 0 || len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat has another form", pid)
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * time.Second / userHz, err
}

// ProcessMemory returns the resident memory of a process in bytes.
func ProcessMemory(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0, fmt.Errorf("/proc/%d/statm has another form", pid)
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize()), err
}
