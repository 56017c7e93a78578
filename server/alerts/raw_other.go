//go:build !unix

package alerts

import (
	"errors"
	"net"
	"syscall"
)

// Without descriptors that can be written to without waiting each socket with something
// queued has a goroutine for it.

func rawConn(net.Conn) syscall.RawConn { return nil }

func writeNow(uintptr, []byte) (int, error) { return 0, errors.ErrUnsupported }

func shutdownWrite(syscall.RawConn) {}
