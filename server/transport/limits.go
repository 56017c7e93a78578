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
	MaxConns               int // all connections, at least 2
	MaxKeylessConnsPerIP   int // keyless connections per address, beside its alert sockets
	MaxKeylessSockets      int // keyless alert sockets of all addresses
	MaxKeylessSocketsPerIP int // keyless alert sockets per address
}

// maxSettled is the number of connections that API keys and keyless alert sockets may hold together. The others
// are left to clients that have not shown a key: probes, and those that are about to show one.
func (l *Limits) maxSettled() int { return l.MaxConns - max(1, l.MaxConns/8) }

// Refusal is the limit that refuses an API key on a connection, or an alert socket; HasRoom if none does.
type Refusal uint8

const (
	HasRoom                    Refusal = iota
	TooManyConns                       // as many connections as may be are settled, each by another key
	TooManyConnsOfKey                  // the same, and no key holds more than this one
	TooManyKeylessSockets              // MaxKeylessSockets is reached
	TooManyKeylessSocketsPerIP         // MaxKeylessSocketsPerIP is reached for the address
)

// Refusals lists every Refusal except HasRoom.
var Refusals = [...]Refusal{TooManyConns, TooManyConnsOfKey, TooManyKeylessSockets, TooManyKeylessSocketsPerIP}

// String returns the refusal's label in metrics.
func (r Refusal) String() string {
	return [...]string{
		HasRoom: "", TooManyConns: "all", TooManyConnsOfKey: "key",
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

// connections counts the open connections, and lists them by key and address.
type connections struct {
	limits   Limits
	open     atomic.Int64
	refused  [len(Refusals) + 1]atomic.Int64 // by Refusal
	replaced atomic.Int64                    // connections closed in favour of a newer one

	mu             sync.Mutex
	keyless        map[netip.Addr]*list.List // keyless connections but alert sockets, oldest first
	keys           map[string]*holding       // by id of the API key
	keyed          int                       // sum over keys
	sockets        map[netip.Addr]int        // alert sockets without a key
	keylessSockets int                       // sum over sockets
	list           map[*Conn]struct{}        // connections that carry requests
	accepted       uint64                    // connections ever counted
}

// holding are the connections of a key, oldest first.
type holding struct{ requests, sockets list.List }

func (h *holding) len() int { return h.requests.Len() + h.sockets.Len() }

// enter counts and lists a new connection, which is keyless. Where all are open it closes the oldest keyless one.
func (c *connections) enter(conn *Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	conns := c.keyless[conn.addr]
	full := c.open.Load() >= int64(c.limits.MaxConns)
	if full && (conns == nil || !reached(conns.Len(), c.limits.MaxKeylessConnsPerIP)) {
		if oldest := c.oldestKeyless(); oldest != nil {
			c.replace(oldest)
		}
	}
	c.accepted++
	conn.number = c.accepted
	c.list[conn] = struct{}{}
	c.open.Add(1)
	c.addKeyless(conn, false)
}

// addKeyless lists a connection as keyless under its address. The oldest is closed first: at the limit of the
// address now. One that has lost its key counts as the oldest.
func (c *connections) addKeyless(conn *Conn, lostKey bool) {
	conns := c.keyless[conn.addr]
	if conns != nil && reached(conns.Len(), c.limits.MaxKeylessConnsPerIP) {
		oldest, _ := oldestIdle(conns)
		c.replace(oldest)
		conns = c.keyless[conn.addr]
	}
	if conns == nil {
		conns = list.New()
		c.keyless[conn.addr] = conns
	}
	conn.key, conn.in = "", conns
	if lostKey {
		conn.place = conns.PushFront(conn)
	} else {
		conn.place = conns.PushBack(conn)
	}
}

// replace closes a connection in favour of another one; it counts no more.
func (c *connections) replace(conn *Conn) {
	c.uncount(conn)
	c.replaced.Add(1)
	conn.closed.Store(true)
	conn.Conn.Close() // not Close, which may be reading what the client still sends
}

// sampledConns is the number of connections of a list among which oldestIdle looks for an idle one.
const sampledConns = 8

// oldestIdle returns the oldest connection of a list that waits for its client. The others wait for this
// service: what they have sent may show a key. If none of the oldest waits for its client, the first is returned;
// nil if the list is empty.
func oldestIdle(conns *list.List) (oldest *Conn, idle bool) {
	for i, e := 0, conns.Front(); i < sampledConns && e != nil; i, e = i+1, e.Next() {
		c := e.Value.(*Conn)
		if c.closed.Load() || c.reading.Load() && !readable(c.fd) {
			return c, true
		}
		if i == 0 {
			oldest = c
		}
	}
	return oldest, false
}

// sampledAddrs is the number of addresses among which oldestKeyless chooses.
const sampledAddrs = 16

// oldestKeyless returns the oldest keyless connection of the address that has the most of them, in a
// random sample of addresses; of several such addresses, the oldest of all. It returns nil if there is none.
func (c *connections) oldestKeyless() (oldest *Conn) {
	most, sampled := 0, 0
	for _, conns := range c.keyless { // begins at a random address
		if conns.Len() >= most {
			if first, _ := oldestIdle(conns); conns.Len() > most || first.number < oldest.number {
				most, oldest = conns.Len(), first
			}
		}
		if sampled++; sampled == sampledAddrs {
			break
		}
	}
	return oldest
}

// unlist removes a connection from its list. Callers hold mu.
func (c *connections) unlist(conn *Conn) {
	if conn.in == nil {
		return
	}
	conn.in.Remove(conn.place)
	conn.in, conn.place = nil, nil
	if conn.key != "" {
		c.keyed--
		if c.keys[conn.key].len() == 0 {
			delete(c.keys, conn.key)
		}
	} else if c.keyless[conn.addr].Len() == 0 {
		delete(c.keyless, conn.addr)
	}
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
	delete(c.list, conn)
	if conn.uncounted {
		return
	}
	conn.uncounted = true
	c.open.Add(-1)
	c.noKeylessSocket(conn)
}

// noKeylessSocket counts a connection no more as an alert socket without a key. Callers hold mu.
func (c *connections) noKeylessSocket(conn *Conn) {
	if !conn.keylessSocket {
		return
	}
	conn.keylessSocket = false
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

// makeRoom lets a key have one connection more. Where as many are settled as may be, it closes one of the key
// that holds the most, this one included. It closes no connection of this key that waits for an answer.
func (c *connections) makeRoom(key string) Refusal {
	if c.keyed+c.keylessSockets < c.limits.maxSettled() {
		return HasRoom
	}
	own := c.keys[key]
	if own == nil {
		own = &holding{}
	}
	most := own
	for _, h := range c.keys {
		if h.len() > most.len() {
			most = h
		}
	}
	from, itself := &most.requests, most.len() <= own.len()+1
	switch {
	case itself && own.len() == 0:
		return c.refuse(TooManyConns)
	case itself:
		from = &own.requests
	case from.Len() == 0:
		from = &most.sockets
	}
	oldest, idle := oldestIdle(from)
	if itself && !idle {
		return c.refuse(TooManyConnsOfKey)
	}
	c.replace(oldest)
	return HasRoom
}

// Show records the API key that the last request has shown, "" if that was refused, and sets Refusal. If the key
// may hold no more connections this one is keyless, and to be closed.
func (c *Conn) Show(key string) {
	all := c.all
	all.mu.Lock()
	defer all.mu.Unlock()
	if c.in == nil || c.key == key {
		return
	}
	lostKey := c.key != ""
	all.unlist(c)
	if key != "" {
		c.Refusal = all.makeRoom(key)
	}
	if key == "" || c.Refusal != HasRoom {
		all.addKeyless(c, lostKey)
		return
	}
	all.noKeylessSocket(c)
	h := all.keys[key]
	if h == nil {
		h = &holding{}
		all.keys[key] = h
	}
	all.keyed++
	c.key, c.in, c.place = key, &h.requests, h.requests.PushBack(c)
}

// DropKeys makes the connections of revoked keys keyless.
func (t *Transport) DropKeys(revoked func(key string) bool) {
	c := &t.conns
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, h := range c.keys {
		if !revoked(key) {
			continue
		}
		for _, conns := range []*list.List{&h.sockets, &h.requests} {
			for e := conns.Back(); e != nil; e = conns.Back() {
				conn := e.Value.(*Conn)
				c.unlist(conn)
				c.addKeyless(conn, true)
			}
		}
	}
}

// Release records that the connection carries no more requests: it is an alert socket.
func (c *Conn) Release() {
	c.released.Store(true)
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	delete(c.all.list, c)
	switch {
	case c.in == nil:
	case c.key == "":
		c.all.unlist(c)
	default:
		h := c.all.keys[c.key]
		c.in.Remove(c.place)
		c.in, c.place = &h.sockets, h.sockets.PushBack(c)
	}
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
	case reached(all.keylessSockets, all.limits.MaxKeylessSockets),
		all.keyed+all.keylessSockets >= all.limits.maxSettled():
		return all.refuse(TooManyKeylessSockets)
	}
	c.keylessSocket = true
	all.sockets[c.addr]++
	all.keylessSockets++
	return HasRoom
}
