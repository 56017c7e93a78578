//go:build unix

package main

import "syscall"

const (
	// ownDescriptors are reserved for uses other than clients: the venue, NATS, files, metrics.
	ownDescriptors = 192
	minConnections = 64
)

// connectionLimit returns how many connections clients may open: wanted, or fewer when the
// process may not open enough descriptors.
func connectionLimit(wanted int) int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return wanted
	}
	return min(wanted, max(minConnections, int(min(uint64(limit.Cur), 1<<30))-ownDescriptors))
}
