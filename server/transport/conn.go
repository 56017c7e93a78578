package transport

import (
	"errors"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	// When a connection is closed with bytes of the client unread, the kernel resets it
	// and the answer may be lost with it. So after a broken request the rest is read and
	// thrown away for a while.
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 1 << 20
)

// Conn is an accepted connection. What it knows of the request at work is valid from TakeUp to
// the next TakeUp, for the goroutine that serves it.
type Conn struct {
	net.Conn
	stream stream // of Conn
	fd     int32  // of Conn, -1 when it has none
	at     int    // in the list of all
	all    *connections
	addr   connAddr
	plain  bool // no TLS on top
	// keyed tells that a key was accepted on it, keylessSocket that it is counted as an alert
	// socket without one. Both are guarded by all.mu.
	keyed, keylessSocket bool
	linger               atomic.Bool
	// reading tells that the goroutine of the connection reads, so that a Close is another's.
	reading  atomic.Bool
	draining *atomic.Bool
	closed   atomic.Bool
	released atomic.Bool // no request comes on it any more

	// State is what the server keeps of the connection.
	State any

	arrival *arrival // nil until asked for
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

// TakeUp begins a request.
func (c *Conn) TakeUp() {
	c.blocked = c.readBlocked || !c.servedOne
	c.readBlocked, c.servedOne = false, true
}

// ReadBlocked implements admission.Arrival.
func (c *Conn) ReadBlocked() bool { return c.blocked }

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
func (c *Conn) SyscallConn() (syscall.RawConn, error) {
	if sc, ok := c.Conn.(syscall.Conn); ok {
		return sc.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// Close closes the connection, reading off what the client still sends when asked to.
func (c *Conn) Close() error {
	if c.plain && c.draining.Load() && !c.released.Load() && c.reading.Load() && c.unread() {
		return nil // it is not idle: its goroutine reads the request, answers, and closes
	}
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

// ConnOf returns the accepted connection under a request, nil when there is none.
func ConnOf(ctx *fasthttp.RequestCtx) *Conn {
	nc := ctx.Conn()
	if c, ok := nc.(*Conn); ok {
		return c
	}
	if t, ok := nc.(interface{ NetConn() net.Conn }); ok { // TLS
		c, _ := t.NetConn().(*Conn)
		return c
	}
	return nil
}

// Linger makes the connection read off what its client still sends before it is closed: when
// bytes are unread, the kernel resets it, and the answer may be lost with it.
func (c *Conn) Linger() { c.linger.Store(true) }

// ShowedKey notes that a key was accepted on the connection: it no longer counts as keyless.
func (c *Conn) ShowedKey() { c.all.showedKey(c) }

// BecomeKeylessSocket counts the connection as an alert socket without a key, until it is closed,
// if there is room for one.
func (c *Conn) BecomeKeylessSocket() Refusal { return c.all.enterSocket(c) }

// Release takes the connection off those that requests come on.
func (c *Conn) Release() {
	c.released.Store(true)
	c.all.remove(c)
}

// Read reads what the client sends.
func (c *Conn) Read(b []byte) (int, error) {
	c.reading.Store(true)
	n, err := c.stream.Read(b)
	c.reading.Store(false)
	if n > 0 && c.stream.waited() {
		c.readBlocked = true
	}
	return n, err
}

// Write writes b, or only holds it back for the body that follows.
func (c *Conn) Write(b []byte) (int, error) {
	if c.heldBack != nil {
		c.heldBack = append(c.heldBack, b...)
		return len(b), nil
	}
	return c.stream.Write(b)
}
