package load

import (
	"errors"
	"fmt"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// connectAll makes all connections before the first arrival is due.
func (l *loop) connectAll() error {
	deadline := l.now() + int64(connectTime)
	for i := range l.conns {
		l.dial(&l.conns[i])
		if i%64 == 63 { // a listener's queue is short
			if err := l.wait(0); err != nil {
				return err
			}
		}
	}
	for l.free.n < len(l.conns) {
		now := l.now()
		if now > deadline {
			return fmt.Errorf("%d of %d connections could be made within %v", l.free.n, len(l.conns), connectTime)
		}
		if l.interrupt.Load() {
			return errors.New("interrupted while connecting")
		}
		if err := l.wait(now + int64(patrol)); err != nil {
			return err
		}
	}
	clear(l.tally.lost) // failures before the start
	l.tally.reconnects = 0
	return nil
}

// dial begins a connection.
func (l *loop) dial(c *conn) {
	c.life++
	fd, err := unix.Socket(l.family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		l.refused(c)
		return
	}
	c.fd, c.state, c.until = fd, connecting, l.now()+int64(connectTime)
	unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	err = unix.Connect(fd, l.address)
	if err != nil && err != unix.EINPROGRESS {
		l.refused(c)
		return
	}
	// Edge-triggered: added once, never changed. Whether the connection stands comes as an event too.
	event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET, Fd: c.index, Pad: c.life}
	if unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, fd, &event) != nil {
		l.refused(c)
	}
}

// refused counts a connection that could not be made; it is tried again later.
func (l *loop) refused(c *conn) {
	l.tally.lost[lostConnect]++
	if c.fd >= 0 {
		unix.Close(c.fd)
		c.fd = -1
	}
	c.state, c.until = down, l.now()+int64(reconnectPause)
}

// connected looks at how an attempt to connect ended.
func (l *loop) connected(c *conn) {
	if failed, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR); err != nil || failed != 0 {
		l.refused(c)
		return
	}
	c.state = idle
	l.free.push(c.index)
}

// lose ends a connection that failed, and the request on it.
func (l *loop) lose(c *conn, why string, now int64) {
	if c.state == busy {
		l.flying--
		l.failed.Add(1)
		if c.measure {
			l.tally.lose(c.kind, why, now-c.due)
		}
	}
	l.drop(c)
}

// drop ends a connection and begins another in its place.
func (l *loop) drop(c *conn) {
	if c.state == idle {
		l.free.remove(c.index)
	}
	unix.Close(c.fd)
	c.fd, c.state = -1, down
	l.tally.reconnects++
	l.dial(c)
}

func (l *loop) closeAll() {
	for i := range l.conns {
		if l.conns[i].fd >= 0 {
			unix.Close(l.conns[i].fd)
		}
	}
	unix.Close(l.epoll)
}

// wait sleeps until a time, or until something happens, and handles what happened.
func (l *loop) wait(until int64) error {
	now := l.now()
	if now >= l.patrols {
		l.look(now)
		l.patrols = now + int64(patrol)
	}
	var events [64]unix.EpollEvent
	if l.cfg.Spin {
		until = now
	}
	n, err := sleep(l.epoll, events[:], time.Duration(until-now))
	if err != nil && err != unix.EINTR {
		return fmt.Errorf("epoll: %w", err)
	}
	for i := range max(n, 0) {
		c := &l.conns[events[i].Fd]
		if c.life != events[i].Pad {
			continue // of a socket that is closed
		}
		if c.state == connecting {
			l.connected(c)
			continue
		}
		if c.state == busy && len(c.unsent) > 0 && events[i].Events&unix.EPOLLOUT != 0 {
			l.write(c)
		}
		const ends = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
		if c.life == events[i].Pad && events[i].Events&(unix.EPOLLIN|ends) != 0 {
			l.read(c, events[i].Events&ends != 0)
		}
	}
	return nil
}

// look acts on connections whose time has come.
func (l *loop) look(now int64) {
	for i := range l.conns {
		c := &l.conns[i]
		switch {
		case c.state == idle || now < c.until:
		case c.state == busy:
			l.lose(c, lostTimeout, now)
		case c.state == connecting:
			l.refused(c)
		case c.state == down:
			l.dial(c)
		}
	}
}

// sleep waits for events, to the nanosecond where the kernel can.
func sleep(epoll int, events []unix.EpollEvent, d time.Duration) (int, error) {
	d = min(max(d, 0), longestWait)
	if d == 0 {
		return unix.EpollWait(epoll, events, 0)
	}
	t := unix.NsecToTimespec(int64(d))
	n, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(epoll), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)),
		uintptr(unsafe.Pointer(&t)), 0, 0)
	switch errno {
	case 0:
		return int(n), nil
	case unix.ENOSYS: // before Linux 5.11 in milliseconds: the last of them is spent asking
		return unix.EpollWait(epoll, events, int(d/time.Millisecond))
	}
	return 0, errno
}

// reason names an error of a socket.
func reason(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return lostReset
	case errors.Is(err, syscall.ETIMEDOUT):
		return lostTimeout
	}
	return lostOther
}
