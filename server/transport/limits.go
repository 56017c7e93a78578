package transport

import (
	"container/list"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
)

// Limits bounds the number of open connections, and of connections on which no API key was
// accepted yet (keyless). A negative keyless limit means no limit.
type Limits struct {
	MaxConns               int // all connections
	MaxKeylessConnsPerIP   int // keyless connections per address, beside its alert sockets
	MaxKeylessSockets      int // keyless alert sockets of all addresses
	MaxKeylessSocketsPerIP int // keyless alert sockets per address
}

// Refusal is the limit that refuses a connection or an alert socket; HasRoom if none does.
type Refusal uint8

const (
	HasRoom                    Refusal = iota
	TooManyConns                       // MaxConns is reached, and no connection is keyless
	TooManyKeylessSockets              // MaxKeylessSockets is reached
	TooManyKeylessSocketsPerIP         // MaxKeylessSocketsPerIP is reached for the address
)

// Refusals lists every Refusal except HasRoom.
var Refusals = [...]Refusal{TooManyConns, TooManyKeylessSockets, TooManyKeylessSocketsPerIP}

// String returns the refusal's label in metrics.
func (r Refusal) String() string {
	return [...]string{
		HasRoom: "", TooManyConns: "all",
		TooManyKeylessSockets: "sockets", TooManyKeylessSocketsPerIP: "sockets_of_address",
	}[r]
}

// ClientAddr returns the address by which a client's connections are counted: the IPv4 address, or the
// first 64 bits of an IPv6 address, whose others a client may choose. It is invalid for an in-memory connection.
func ClientAddr(c net.Conn) netip.Addr {
	tcp, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	addr := tcp.AddrPort().Addr().Unmap()
	prefix, _ := addr.Prefix(min(64, addr.BitLen()))
	return prefix.Addr()
}

// connections counts the open connections, and lists the connections that carry requests.
type connections struct {
	limits   Limits
	open     atomic.Int64
	refused  [len(Refusals) + 1]atomic.Int64 // by Refusal
	replaced atomic.Int64                    // keyless connections closed in favour of a newer one

	mu             sync.Mutex
	keyless        map[netip.Addr]*list.List // keyless connections that carry requests, oldest first
	sockets        map[netip.Addr]int        // alert sockets without a key
	keylessSockets int                       // sum over sockets
	list           map[*Conn]struct{}        // connections that carry requests
	accepted       uint64                    // connections ever counted
}

// enter counts and lists a new connection, which is keyless. At the limit of its address or of all
// connections it closes the oldest keyless one, so that clients without a key lock nobody out.
func (c *connections) enter(conn *Conn) Refusal {
	oldest, refusal := c.add(conn)
	if oldest != nil {
		c.replaced.Add(1)
		oldest.closed.Store(true)
		oldest.Conn.Close() // not Close, which may be reading what the client still sends
	}
	return refusal
}

// add counts and lists a new connection. It returns the keyless connection to close in its favour, which
// counts no more.
func (c *connections) add(conn *Conn) (oldest *Conn, refusal Refusal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	full := c.open.Load() >= int64(c.limits.MaxConns)
	conns := c.keyless[conn.addr]
	switch {
	case conns != nil && reached(conns.Len(), c.limits.MaxKeylessConnsPerIP):
		oldest = oldestIdle(conns)
	case full:
		if oldest = c.oldestKeyless(); oldest == nil {
			return nil, c.refuse(TooManyConns)
		}
	}
	if oldest != nil {
		c.uncount(oldest)
	}
	if conns = c.keyless[conn.addr]; conns == nil {
		conns = list.New()
		c.keyless[conn.addr] = conns
	}
	conn.keyless = conns.PushBack(conn)
	c.accepted++
	conn.number = c.accepted
	c.list[conn] = struct{}{}
	c.open.Add(1)
	return oldest, HasRoom
}

// sampledConns is the number of connections of an address among which oldestIdle looks for an idle one.
const sampledConns = 8

// oldestIdle returns the oldest connection of a list that waits for its client. The others wait for this
// service: what they have sent may show a key. If none of the oldest waits for its client, the first is returned.
func oldestIdle(conns *list.List) *Conn {
	for i, e := 0, conns.Front(); i < sampledConns && e != nil; i, e = i+1, e.Next() {
		if c := e.Value.(*Conn); c.closed.Load() || c.reading.Load() && !readable(c.fd) {
			return c
		}
	}
	return conns.Front().Value.(*Conn)
}

// sampledAddrs is the number of addresses among which oldestKeyless chooses.
const sampledAddrs = 16

// oldestKeyless returns the oldest keyless connection of the address that has the most of them, in a
// random sample of addresses; of several such addresses, the oldest of all. It returns nil if there is none.
func (c *connections) oldestKeyless() (oldest *Conn) {
	most, sampled := 0, 0
	for _, conns := range c.keyless { // begins at a random address
		if conns.Len() >= most {
			if first := oldestIdle(conns); conns.Len() > most || first.number < oldest.number {
				most, oldest = conns.Len(), first
			}
		}
		if sampled++; sampled == sampledAddrs {
			break
		}
	}
	return oldest
}

// notKeyless removes a connection from the keyless ones. Callers hold mu.
func (c *connections) notKeyless(conn *Conn) {
	if conn.keyless == nil {
		return
	}
	conns := c.keyless[conn.addr]
	conns.Remove(conn.keyless)
	conn.keyless = nil
	if conns.Len() == 0 {
		delete(c.keyless, conn.addr)
	}
}

// unlist removes a connection from the lists, if they have it. Callers hold mu.
func (c *connections) unlist(conn *Conn) {
	c.notKeyless(conn)
	delete(c.list, conn)
}

// reached reports whether n has reached a limit; a negative limit is never reached.
func reached(n, limit int) bool { return limit >= 0 && n >= limit }

// refuse counts a refusal.
func (c *connections) refuse(r Refusal) Refusal {
	c.refused[r].Add(1)
	return r
}

// uncount removes a connection from the lists and from all counts. Callers hold mu.
func (c *connections) uncount(conn *Conn) {
	c.unlist(conn)
	if conn.uncounted {
		return
	}
	conn.uncounted = true
	c.open.Add(-1)
	if !conn.keylessSocket {
		return
	}
	c.keylessSockets--
	if c.sockets[conn.addr]--; c.sockets[conn.addr] == 0 {
		delete(c.sockets, conn.addr)
	}
}

// leave removes a closed connection from the lists and from all counts.
func (c *connections) leave(conn *Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uncount(conn)
}

// ShowedKey records that an API key was accepted on the connection, which is no longer keyless.
func (c *Conn) ShowedKey() {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	c.all.notKeyless(c)
}

// BecomeKeylessSocket counts the connection, until it is closed, as an alert socket without a
// key. If a limit is reached it counts nothing and returns the reason.
func (c *Conn) BecomeKeylessSocket() Refusal {
	all := c.all
	all.mu.Lock()
	defer all.mu.Unlock()
	switch {
	case c.keylessSocket || c.uncounted: // counted already, by an earlier handshake that failed; or closed meanwhile
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
