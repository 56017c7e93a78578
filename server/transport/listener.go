package transport

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// When a connection is closed with bytes of the client unread, the kernel resets it
	// and the answer may be lost with it. So after a broken request the rest is read and
	// thrown away for a while.
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 1 << 20

	minAcceptPause = 5 * time.Millisecond
	maxAcceptPause = time.Second
)

// connAddr is what connections are counted by; IPv6 by /64.
type connAddr = netip.Prefix

// connections bounds how many connections are open.
type connections struct {
	max      int64
	maxPerIP int
	open     atomic.Int64
	refused  atomic.Int64

	mu     sync.Mutex
	perIP  map[connAddr]int // only with maxPerIP
	list   []*Conn          // that requests may come on
	polled int              // where in list unread goes on
}

// add lists a connection that requests may come on.
func (c *connections) add(one *Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one.at = len(c.list)
	c.list = append(c.list, one)
}

// remove takes a connection off the list, where it may not be.
func (c *connections) remove(one *Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one.at >= len(c.list) || c.list[one.at] != one {
		return
	}
	last := len(c.list) - 1
	c.list[one.at], c.list[last].at = c.list[last], one.at
	c.list[last] = nil
	c.list = c.list[:last]
}

// enter counts a connection; false when there is no room.
func (c *connections) enter(addr connAddr) bool {
	if c.open.Add(1) > c.max {
		c.open.Add(-1)
		return false
	}
	if c.maxPerIP == 0 {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.perIP[addr] >= c.maxPerIP {
		c.open.Add(-1)
		return false
	}
	c.perIP[addr]++
	return true
}

func (c *connections) leave(addr connAddr) {
	c.open.Add(-1)
	if c.maxPerIP == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.perIP[addr]--; c.perIP[addr] == 0 {
		delete(c.perIP, addr)
	}
}

// listener counts connections, refuses what is too many, and outlives a shortage of file
// descriptors.
type listener struct {
	net.Listener
	t *Transport

	once     sync.Once
	closeErr error
}

// Close closes the listener; again is no error.
func (l *listener) Close() error {
	l.once.Do(func() { l.closeErr = l.Listener.Close() })
	return l.closeErr
}

// Accept returns the next connection that there is room for.
func (l *listener) Accept() (net.Conn, error) {
	pause := minAcceptPause
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			if !passing(err) {
				return nil, err
			}
			l.t.cfg.Warn("no connection accepted", "error", err.Error())
			time.Sleep(pause)
			pause = min(2*pause, maxAcceptPause)
			continue
		}
		addr := addrOf(c)
		if l.t.conns.enter(addr) {
			return l.t.accept(c, addr), nil
		}
		l.t.conns.refused.Add(1)
		if l.t.cfg.TLS == nil {
			c.SetWriteDeadline(time.Now().Add(time.Millisecond)) // fits an empty send buffer
			io.WriteString(c, l.t.cfg.TooMany)
		}
		c.Close()
	}
}

// passing reports whether a failed accept says nothing about the next one.
func passing(err error) bool {
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func addrOf(c net.Conn) connAddr {
	tcp, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return connAddr{}
	}
	addr := tcp.AddrPort().Addr().Unmap()
	prefix, _ := addr.Prefix(min(64, addr.BitLen()))
	return prefix
}
