//go:build unix

package alerts

import (
	"net"
	"syscall"
)

// rawConn returns the descriptor of a connection that it can be written to directly, nil
// for connections that do more than pass bytes on (TLS) or have none.
func rawConn(c net.Conn) syscall.RawConn {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

// writeNow writes what the kernel takes without waiting. Descriptors of the net package
// never block.
func writeNow(fd uintptr, p []byte) (n int, err error) {
	for {
		n, err = syscall.Write(int(fd), p)
		switch err {
		case nil:
			return n, nil
		case syscall.EINTR:
		case syscall.EAGAIN:
			return 0, nil
		default:
			return 0, err
		}
	}
}

// shutdownWrite tells the client that nothing more comes, where that can be told.
func shutdownWrite(raw syscall.RawConn) {
	if raw != nil {
		_ = raw.Control(func(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_WR) })
	}
}
