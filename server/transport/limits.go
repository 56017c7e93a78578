package transport

import (
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
)

// Limits bounds how many connections may be open, and how many of those may have shown no key yet.
// A negative limit of keyless ones is none.
type Limits struct {
	MaxConns               int // of all clients
	MaxKeylessConns        int // of one address without a key, alert sockets included
	MaxKeylessSockets      int // alert sockets without a key, of all addresses
	MaxKeylessSocketsPerIP int // the same of one address
}

// Refusal says why there is no room for a connection or an alert socket; the zero value: there is.
type Refusal uint8

const (
	HasRoom                    Refusal = iota
	TooManyConns                       // MaxConns are open
	TooManyKeylessConns                // MaxKeylessConns of the same address are
	TooManyKeylessSockets              // MaxKeylessSockets are
	TooManyKeylessSocketsPerIP         // MaxKeylessSocketsPerIP of the same address are
)

// Refusals are the reasons to refuse.
var Refusals = [...]Refusal{TooManyConns, TooManyKeylessConns, TooManyKeylessSockets, TooManyKeylessSocketsPerIP}

// String is the kind of the refusal, for metrics.
func (r Refusal) String() string {
	return [...]string{
		HasRoom: "", TooManyConns: "all", TooManyKeylessConns: "address",
		TooManyKeylessSockets: "sockets", TooManyKeylessSocketsPerIP: "sockets_of_address",
	}[r]
}

// connAddr is what connections are counted by; IPv6 by /64.
type connAddr = netip.Prefix

func addrOf(c net.Conn) connAddr {
	tcp, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return connAddr{}
	}
	addr := tcp.AddrPort().Addr().Unmap()
	prefix, _ := addr.Prefix(min(64, addr.BitLen()))
	return prefix
}

// connections counts the connections that are open, and lists those that requests may come on.
type connections struct {
	limits  Limits
	open    atomic.Int64
	refused [len(Refusals) + 1]atomic.Int64 // by Refusal

	mu             sync.Mutex
	keyless        map[connAddr]int // connections without a key
	sockets        map[connAddr]int // alert sockets among them
	keylessSockets int              // the sum of sockets
	list           []*Conn          // that requests may come on
	polled         int              // where in list unread goes on
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

// enter counts a connection, which has shown no key yet, if there is room for it.
func (c *connections) enter(addr connAddr) Refusal {
	if c.open.Add(1) > int64(c.limits.MaxConns) {
		c.open.Add(-1)
		return c.refuse(TooManyConns)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if reached(c.keyless[addr], c.limits.MaxKeylessConns) {
		c.open.Add(-1)
		return c.refuse(TooManyKeylessConns)
	}
	c.keyless[addr]++
	return HasRoom
}

// reached reports whether so many are as many as a limit allows.
func reached(n, limit int) bool { return limit >= 0 && n >= limit }

// refuse counts a refusal.
func (c *connections) refuse(r Refusal) Refusal {
	c.refused[r].Add(1)
	return r
}

// leave forgets a connection.
func (c *connections) leave(one *Conn) {
	c.open.Add(-1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !one.keyed {
		lessOne(c.keyless, one.addr)
	}
	if one.keylessSocket {
		lessOne(c.sockets, one.addr)
		c.keylessSockets--
	}
}

func lessOne(count map[connAddr]int, addr connAddr) {
	if count[addr]--; count[addr] == 0 {
		delete(count, addr)
	}
}

// showedKey notes that a key was accepted on a connection.
func (c *connections) showedKey(one *Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !one.keyed {
		one.keyed = true
		lessOne(c.keyless, one.addr)
	}
}

// enterSocket counts a connection as an alert socket without a key, if there is room for it.
func (c *connections) enterSocket(one *Conn) Refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case one.keylessSocket: // an earlier handshake failed
		return HasRoom
	case reached(c.sockets[one.addr], c.limits.MaxKeylessSocketsPerIP):
		return c.refuse(TooManyKeylessSocketsPerIP)
	case reached(c.keylessSockets, c.limits.MaxKeylessSockets):
		return c.refuse(TooManyKeylessSockets)
	}
	one.keylessSocket = true
	c.sockets[one.addr]++
	c.keylessSockets++
	return HasRoom
}
