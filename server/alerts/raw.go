package alerts

import (
	"net"
	"syscall"
)

// rawConn returns the raw connection for direct writes. It returns nil for a connection that
// transforms the bytes (TLS) or has no descriptor.
func rawConn(c net.Conn) syscall.RawConn {
	if sc, ok := c.(syscall.Conn); ok {
		raw, _ := sc.SyscallConn() // nil with an error
		return raw
	}
	return nil
}

// writeNow writes as many bytes as the kernel accepts without blocking. Descriptors of package
// net are non-blocking.
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

// shutdownWrite closes the sending direction of the connection, if raw is not nil.
func shutdownWrite(raw syscall.RawConn) {
	if raw != nil {
		_ = raw.Control(func(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_WR) })
	}
}
