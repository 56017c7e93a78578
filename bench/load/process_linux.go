package load

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// userHz is the unit of times in /proc/PID/stat: a hundredth of a second, whatever the
// kernel's own clock.
const userHz = 100

// ProcessCPU returns the CPU time that a process has used, in the kernel and outside, by
// all its threads, in steps of 10 ms.
func ProcessCPU(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name of the program, in brackets, may hold anything; the state follows.
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

// ProcessMemory returns how many bytes of a process are in memory.
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
