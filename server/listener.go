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
	list   []*conn          // that requests may come on
	polled int              // where in list ready goes on
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
	s     *Server
	plain bool // no TLS: a refusal may be written, and deadlines are set by one goroutine

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
	pause := minAcceptPause
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			if !passing(err) {
				return nil, err
			}
			l.s.warn("no connection accepted", "error", err.Error())
			time.Sleep(pause)
			pause = min(2*pause, maxAcceptPause)
			continue
		}
		addr := addrOf(c)
		if l.s.conns.enter(addr) {
			accepted := &conn{
				Conn: c, stream: newStream(c), fd: descriptor(c), all: &l.s.conns, addr: addr, plain: l.plain,
				slack: l.s.cfg.deadlineSlack(),
			}
			l.s.conns.add(accepted)
			return accepted, nil
		}
		l.s.conns.refused.Add(1)
		if l.plain {
			c.SetWriteDeadline(time.Now().Add(time.Millisecond)) // fits an empty send buffer
			io.WriteString(c, tooMany)
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

// conn is an accepted connection.
type conn struct {
	net.Conn
	stream stream // of Conn
	fd     int32  // of Conn, -1 when it has none
	at     int    // in the list of all
	all    *connections
	addr   connAddr
	plain  bool // no TLS on top
	linger atomic.Bool
	closed atomic.Bool

	read, write deadline
	slack       time.Duration
	arrival     *arrival // nil until asked for
	session     auth.Session
	// readBlocked tells that a read had to wait since the last request was taken up. A request
	// that came in one read with others has waited for those, not for the service; and one that
	// lay there when the answer before it went out is served out of its turn.
	readBlocked bool
	servedOne   bool // its first request, which has waited for the connection to be accepted, was taken up
	blocked     bool // readBlocked as it was for the request at work
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

// takeUp begins a request.
func (c *conn) takeUp() {
	c.blocked = c.readBlocked || !c.servedOne
	c.readBlocked, c.servedOne = false, true
}

// ReadBlocked implements admission.Arrival.
func (c *conn) ReadBlocked() bool { return c.blocked }

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
	defer c.all.leave(c.addr)
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
