package transport

import (
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
)

// Limits bounds the number of open connections, and of connections on which no API key was
// accepted yet (keyless). A negative keyless limit means no limit.
type Limits struct {
	MaxConns               int // all connections
	MaxKeylessConns        int // keyless connections per address, alert sockets included
	MaxKeylessSockets      int // keyless alert sockets of all addresses
	MaxKeylessSocketsPerIP int // keyless alert sockets per address
}

// Refusal is the limit that refuses a connection or an alert socket; HasRoom if none does.
type Refusal uint8

const (
	HasRoom                    Refusal = iota
	TooManyConns                       // MaxConns is reached
	TooManyKeylessConns                // MaxKeylessConns is reached for the address
	TooManyKeylessSockets              // MaxKeylessSockets is reached
	TooManyKeylessSocketsPerIP         // MaxKeylessSocketsPerIP is reached for the address
)

// Refusals lists every Refusal except HasRoom.
var Refusals = [...]Refusal{TooManyConns, TooManyKeylessConns, TooManyKeylessSockets, TooManyKeylessSocketsPerIP}

// String returns the refusal's label in metrics.
func (r Refusal) String() string {
	return [...]string{
		HasRoom: "", TooManyConns: "all", TooManyKeylessConns: "address",
		TooManyKeylessSockets: "sockets", TooManyKeylessSocketsPerIP: "sockets_of_address",
	}[r]
}

// connAddr is the address prefix by which connections are counted: the IPv4 address, or the /64
// of an IPv6 address.
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

// connections counts the open connections, and lists the connections that carry requests.
type connections struct {
	limits  Limits
	open    atomic.Int64
	refused [len(Refusals) + 1]atomic.Int64 // by Refusal

	mu             sync.Mutex
	keyless        map[connAddr]int // connections without a key
	sockets        map[connAddr]int // alert sockets without a key
	keylessSockets int              // sum over sockets
	list           []*Conn          // connections that carry requests
	polled         int              // index in list, modulo its length, at which the next unread starts
}

// add adds a connection to the list.
func (c *connections) add(one *Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one.at = len(c.list)
	c.list = append(c.list, one)
}

// remove removes a connection from the list, if the list has it.
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

// enter counts a new connection as open and keyless, unless a limit is reached.
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

// reached reports whether n has reached a limit; a negative limit is never reached.
func reached(n, limit int) bool { return limit >= 0 && n >= limit }

// refuse counts a refusal.
func (c *connections) refuse(r Refusal) Refusal {
	c.refused[r].Add(1)
	return r
}

// leave removes a closed connection from all counts.
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

// ShowedKey records that an API key was accepted on the connection, which no longer counts as keyless.
func (c *Conn) ShowedKey() {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	if !c.keyed {
		c.keyed = true
		lessOne(c.all.keyless, c.addr)
	}
}

// BecomeKeylessSocket counts the connection, until it is closed, as an alert socket without a
// key. If a limit is reached it counts nothing and returns the reason.
func (c *Conn) BecomeKeylessSocket() Refusal {
	all := c.all
	all.mu.Lock()
	defer all.mu.Unlock()
	switch {
	case c.keylessSocket: // counted already, by an earlier handshake that failed
		return HasRoom
	case reached(all.sockets[c.addr], all.limits.MaxKeylessSocketsPerIP):
		return all.refuse(TooManyKeylessSocketsPerIP)
	case reached(all.keylessSockets, all.limits.MaxKeylessSockets):
		return all.refuse(TooManyKeylessSockets)
	}
	c.keylessSocket = true
	all.sockets[c.addr]++
	all.keylessSockets++
	return HasRoom
}
