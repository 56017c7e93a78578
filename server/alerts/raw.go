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
	n, err = syscall.Write(int(fd), p)
	for err == syscall.EINTR {
		n, err = syscall.Write(int(fd), p)
	}
	if err == syscall.EAGAIN {
		err = nil
	}
	return max(n, 0), err
}

// shutdownWrite closes the sending direction of the connection, if raw is not nil.
func shutdownWrite(raw syscall.RawConn) {
	if raw != nil {
		_ = raw.Control(func(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_WR) })
	}
}
