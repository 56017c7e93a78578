//go:build unix

package main

import "syscall"

const (
	// ownDescriptors are kept for what is no client: the venue, NATS, files, metrics.
	ownDescriptors = 192
	minConnections = 64
)

// connectionLimit is how many connections clients may open: as many as wanted, when the process
// may open so many descriptors.
func connectionLimit(wanted int) int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return wanted
	}
	return min(wanted, max(minConnections, int(min(uint64(limit.Cur), 1<<30))-ownDescriptors))
}
