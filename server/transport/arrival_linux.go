package transport

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// SinceLastByte returns the time since the connection's newest data arrived, at the resolution
// of the kernel's coarse clock (some milliseconds); 0 when unknown.
func (c *Conn) SinceLastByte() time.Duration {
	var info unix.TCPInfo // is read up to Last_data_recv
	size := uint32(unsafe.Offsetof(info.Last_data_recv) + unsafe.Sizeof(info.Last_data_recv))
	_, _, err := unix.RawSyscall6(unix.SYS_GETSOCKOPT, uintptr(c.fd), unix.IPPROTO_TCP, unix.TCP_INFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	if err != 0 {
		return 0
	}
	return time.Duration(info.Last_data_recv) * time.Millisecond
}

// maxPolled is the maximum number of connections that unread polls.
const maxPolled = 256

// unread returns the number of connections with unread data. With more than maxPolled
// connections it is an estimate from maxPolled of them.
func (c *connections) unread() int {
	c.mu.Lock()
	all := len(c.list)
	some := make([]unix.PollFd, 0, min(all, maxPolled))
	for conn := range c.list { // begins at a random one
		if len(some) == cap(some) {
			break
		}
		some = append(some, unix.PollFd{Fd: conn.fd, Events: unix.POLLIN})
	}
	c.mu.Unlock()
	// A connection that was closed meanwhile, or whose descriptor was reused, may be miscounted once.
	n, err := unix.Poll(some, 0)
	if err != nil || n == 0 {
		return 0
	}
	return n * all / len(some)
}

// readable reports whether a connection has unread data and its client has not closed it, or whether a
// listener has a connection to accept.
func readable(fd int32) bool {
	fds := [1]unix.PollFd{{Fd: fd, Events: unix.POLLIN}}
	n, err := unix.Poll(fds[:], 0)
	return err == nil && n == 1 && fds[0].Revents&(unix.POLLIN|unix.POLLHUP|unix.POLLRDHUP) == unix.POLLIN
}
