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
		if i%64 == 63 { // handles events after every 64 attempts: the server's queue of pending connections is short
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
	clear(l.tally.lost) // failures before the start do not count
	l.tally.reconnects = 0
	return nil
}

// dial starts a connection attempt.
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
	// Edge-triggered: registered once and never changed. The success or failure of the attempt is
	// reported as an event too.
	event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET, Fd: c.index,
		Pad: c.life}
	if unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, fd, &event) != nil {
		l.refused(c)
	}
}

// refused counts a failed attempt to connect and schedules the next one.
func (l *loop) refused(c *conn) {
	l.tally.lost[lostConnect]++
	if c.fd >= 0 {
		unix.Close(c.fd)
		c.fd = -1
	}
	c.state, c.until = down, l.now()+int64(reconnectPause)
}

// connected handles the result of an attempt to connect.
func (l *loop) connected(c *conn) {
	if failed, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR); err != nil || failed != 0 {
		l.refused(c)
		return
	}
	c.state = idle
	l.free.push(c.index)
}

// lose closes a failed connection and counts its request as lost.
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

// drop closes a connection and starts a new one in its place.
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

// wait sleeps until the given time or until an event occurs, and handles the events.
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
			continue // event of a socket that is already closed
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

// look handles connections whose timeout has passed or whose next attempt to connect is due.
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

// sleep waits for events for at most d, with a resolution of nanoseconds if the kernel supports it.
func sleep(epoll int, events []unix.EpollEvent, d time.Duration) (int, error) {
	d = min(max(d, 0), longestWait)
	if d == 0 {
		return unix.EpollWait(epoll, events, 0)
	}
	t := unix.NsecToTimespec(int64(d))
	n, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(epoll), uintptr(unsafe.Pointer(&events[0])),
		uintptr(len(events)),
		uintptr(unsafe.Pointer(&t)), 0, 0)
	switch errno {
	case 0:
		return int(n), nil
	case unix.ENOSYS: // before Linux 5.11: milliseconds, rounded down; the loop polls during the last one
		return unix.EpollWait(epoll, events, int(d/time.Millisecond))
	}
	return 0, errno
}

// reason returns the reason for a socket error, one of the lost constants.
func reason(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return lostReset
	case errors.Is(err, syscall.ETIMEDOUT):
		return lostTimeout
	}
	return lostOther
}
