package server

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/server/api"
	"ballast/server/auth"
)

const (
	// When a connection is closed with bytes of the client unread, the kernel resets it
	// and the answer may be lost with it. So after a broken request the rest is read and
	// thrown away for a while.
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 1 << 20
)

// connAddr is what connections are counted by; IPv6 by /64.
type connAddr = netip.Prefix

// connections bounds how many connections are open, and how much of that strangers may use up:
// those who show no key.
type connections struct {
	max           int64
	maxKeyless    int // of one address; negative: no limit, here and below
	maxSockets    int // alert sockets without a key
	maxSocketsOf1 int // of one address
	open          atomic.Int64
	refused       [len(connRefusals)]atomic.Int64

	mu      sync.Mutex
	keyless map[connAddr]int // connections without a key
	sockets map[connAddr]int // alert sockets among them
	// keylessSockets is the sum of sockets.
	keylessSockets int
	list           []*conn // that requests may come on
	polled         int     // where in list ready goes on
}

// connRefusals are the reasons to refuse a connection or an alert socket.
var connRefusals = [...]string{"all", "address", "sockets", "sockets_of_address"}

const (
	tooManyAtAll = iota
	tooManyKeyless
	tooManySockets
	tooManySocketsOf1
)

func newConnections(c *Config) *connections {
	return &connections{
		max: int64(c.MaxConns), maxKeyless: c.MaxKeylessConns, maxSockets: c.MaxKeylessSockets, maxSocketsOf1: c.MaxKeylessSocketsPerIP,
		keyless: map[connAddr]int{}, sockets: map[connAddr]int{},
	}
}

// add lists a connection that requests may come on.
func (c *connections) add(one *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one.at = len(c.list)
	c.list = append(c.list, one)
}

// remove takes a connection off the list, where it may not be.
func (c *connections) remove(one *conn) {
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

// enter counts a connection, which has shown no key yet; false when there is no room.
func (c *connections) enter(addr connAddr) bool {
	if c.open.Add(1) > c.max {
		c.open.Add(-1)
		c.refused[tooManyAtAll].Add(1)
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.maxKeyless >= 0 && c.keyless[addr] >= c.maxKeyless {
		c.open.Add(-1)
		c.refused[tooManyKeyless].Add(1)
		return false
	}
	c.keyless[addr]++
	return true
}

// leave forgets a connection.
func (c *connections) leave(one *conn) {
	c.open.Add(-1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !one.keyed {
		lessOne(c.keyless, one.addr)
	}
	if one.socket {
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
func (c *connections) showedKey(one *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !one.keyed {
		one.keyed = true
		lessOne(c.keyless, one.addr)
	}
}

// enterSocket counts a connection that becomes an alert socket without a key, until it is closed.
// It returns the reason why it may not.
func (c *connections) enterSocket(one *conn) (refusal int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case one.socket: // an earlier handshake failed
		return 0, true
	case c.maxSocketsOf1 >= 0 && c.sockets[one.addr] >= c.maxSocketsOf1:
		refusal = tooManySocketsOf1
	case c.maxSockets >= 0 && c.keylessSockets >= c.maxSockets:
		refusal = tooManySockets
	default:
		one.socket = true
		c.sockets[one.addr]++
		c.keylessSockets++
		return 0, true
	}
	c.refused[refusal].Add(1)
	return refusal, false
}

// listener counts connections, refuses what is too many, and outlives a shortage of file
// descriptors.
type listener struct {
	steadyListener

	once     sync.Once
	closeErr error
}

// Close closes the listener; again is no error.
func (l *listener) Close() error {
	l.once.Do(func() { l.closeErr = l.Listener.Close() })
	return l.closeErr
}

// tooMany is the answer on a connection that there is no room for.
var tooMany = func() string {
	body := string(api.AppendError(nil, api.CodeOverloaded, "too many connections are open"))
	return "HTTP/1.1 503 Service Unavailable\r\nServer: " + serverName + "\r\nContent-Type: application/json\r\n" +
		"Retry-After: 1\r\nConnection: close\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}()

// Accept returns the next connection that there is room for.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.steadyListener.Accept()
		if err != nil {
			return nil, err
		}
		addr := addrOf(c)
		if l.s.conns.enter(addr) {
			accepted := &conn{
				Conn: c, stream: newStream(c), fd: descriptor(c), all: l.s.conns, addr: addr, plain: l.plain,
				slack: l.s.cfg.deadlineSlack(),
			}
			accepted.session.Accepted = func() { accepted.all.showedKey(accepted) }
			l.s.conns.add(accepted)
			return accepted, nil
		}
		l.refuse(c)
	}
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

// conn is an accepted connection.
type conn struct {
	net.Conn
	stream stream // of Conn
	fd     int32  // of Conn, -1 when it has none
	at     int    // in the list of all
	all    *connections
	addr   connAddr
	plain  bool // no TLS on top
	keyed  bool // a key was accepted on it; guarded by all.mu
	socket bool // counted as an alert socket; guarded by all.mu
	linger atomic.Bool
	closed atomic.Bool

	read, write deadline
	slack       time.Duration
	arrival     *arrival // nil until asked for
	session     auth.Session
	// fresh tells that something was waited for and read since the last request was taken up.
	// What comes in one read with requests before it waits for those, not for the service; and
	// what lies there when the answer before it has gone out is served out of its turn.
	fresh bool
	begun bool // its first request, which has waited for the connection to be accepted, was taken up
	// heldBack is where the head of an answer waits for the body, otherwise nil.
	heldBack []byte
}

// stream is how a connection is read and written.
type stream interface {
	io.ReadWriter
	// waited reports whether the newest read had to wait for data, false when they lay there.
	waited() bool
}

// ordinary is the stream of a connection that does not tell: every read is one that waited.
type ordinary struct{ net.Conn }

func (ordinary) waited() bool { return true }

// descriptor is the number of a connection's descriptor, -1 when it has none.
func descriptor(c net.Conn) int32 {
	number := int32(-1)
	if sc, ok := c.(syscall.Conn); ok {
		if raw, err := sc.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) { number = int32(fd) })
		}
	}
	return number
}

// SyscallConn gives the alert sockets the descriptor under the connection.
func (c *conn) SyscallConn() (syscall.RawConn, error) {
	if sc, ok := c.Conn.(syscall.Conn); ok {
		return sc.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// Close closes the connection, reading off what the client still sends when asked to.
func (c *conn) Close() error {
	if c.closed.Swap(true) {
		return net.ErrClosed
	}
	defer c.all.leave(c)
	c.all.remove(c)
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && c.linger.Load() {
		half.CloseWrite()
		c.Conn.SetReadDeadline(time.Now().Add(lingerTime))
		io.CopyN(io.Discard, c.Conn, lingerBytes)
	}
	return c.Conn.Close()
}

// connOf returns the accepted connection under a request, nil when there is none.
func connOf(ctx *fasthttp.RequestCtx) *conn {
	nc := ctx.Conn()
	if c, ok := nc.(*conn); ok {
		return c
	}
	if t, ok := nc.(interface{ NetConn() net.Conn }); ok { // TLS
		c, _ := t.NetConn().(*conn)
		return c
	}
	return nil
}

// lingerOn makes the connection of ctx linger when it is closed.
func lingerOn(ctx *fasthttp.RequestCtx) {
	if c := connOf(ctx); c != nil {
		c.linger.Store(true)
	}
}
