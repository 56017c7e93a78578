//go:build !unix

package alerts

import (
	"errors"
	"net"
	"syscall"
)

// This system has no non-blocking write to a descriptor, so each socket with queued packets
// gets a goroutine for writing.

func rawConn(net.Conn) syscall.RawConn { return nil }

func writeNow(uintptr, []byte) (int, error) { return 0, errors.ErrUnsupported }

func shutdownWrite(syscall.RawConn) {}
