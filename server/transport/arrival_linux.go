package transport

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// arrival asks the kernel when a connection's newest data arrived. The first SinceLastByte of
// a connection creates it.
type arrival struct {
	raw      syscall.RawConn
	readInfo func(fd uintptr)
	info     unix.TCPInfo
	err      syscall.Errno
}

// SinceLastByte returns the time since the connection's newest data arrived, at the resolution
// of the kernel's coarse clock (some milliseconds); 0 when unknown.
func (c *Conn) SinceLastByte() time.Duration {
	a := c.arrival
	if a == nil {
		raw, err := c.SyscallConn()
		if err != nil {
			return 0
		}
		a = &arrival{raw: raw}
		a.readInfo = a.read
		c.arrival = a
	}
	if a.raw.Control(a.readInfo) != nil || a.err != 0 {
		return 0
	}
	return time.Duration(a.info.Last_data_recv) * time.Millisecond
}

// maxPolled is the maximum number of connections that unread polls.
const maxPolled = 256

// unread returns the number of connections with unread data. With more than maxPolled
// connections it is an estimate from maxPolled of them.
func (c *connections) unread() int {
	c.mu.Lock()
	all := len(c.list)
	some := make([]unix.PollFd, 0, min(all, maxPolled))
	for i := range min(all, maxPolled) {
		some = append(some, unix.PollFd{Fd: c.list[(c.polled+i)%all].fd, Events: unix.POLLIN})
	}
	c.polled += len(some)
	c.mu.Unlock()
	// A connection that was closed meanwhile, or whose descriptor was reused, may be miscounted once.
	n, err := unix.Poll(some, 0)
	if err != nil || n == 0 {
		return 0
	}
	return n * all / len(some)
}

// unread reports whether a connection has unread data and its client has not closed it, or whether a
// listener has a connection to accept.
func unread(fd int32) bool {
	fds := [1]unix.PollFd{{Fd: fd, Events: unix.POLLIN}}
	n, err := unix.Poll(fds[:], 0)
	return err == nil && n == 1 && fds[0].Revents&(unix.POLLIN|unix.POLLHUP|unix.POLLRDHUP) == unix.POLLIN
}

// read reads the kernel's TCP_INFO up to Last_data_recv.
func (a *arrival) read(fd uintptr) {
	size := uint32(unsafe.Offsetof(a.info.Last_data_recv) + unsafe.Sizeof(a.info.Last_data_recv))
	_, _, a.err = unix.RawSyscall6(unix.SYS_GETSOCKOPT, fd, unix.IPPROTO_TCP, unix.TCP_INFO,
		uintptr(unsafe.Pointer(&a.info)), uintptr(unsafe.Pointer(&size)), 0)
}
