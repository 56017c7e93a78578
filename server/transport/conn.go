package transport

import (
	"container/list"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	// Closing a connection with unread bytes makes the kernel reset it, which may lose the
	// answer. So after a malformed request the rest is read and discarded, within these bounds.
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 1 << 20

	// maxRequest bounds the bytes of a request, because fasthttp bounds no chunk extensions. A body in
	// chunks of one byte takes six times its size.
	maxRequest = 4 << 20
)

var errTooLarge = errors.New("request too large")

// Conn is an accepted connection. Its state about the current request is valid from one TakeUp
// to the next, and only for the goroutine that serves the connection.
type Conn struct {
	net.Conn
	fd    int32 // descriptor of the embedded Conn, -1 without a descriptor
	all   *connections
	addr  netip.Addr // ClientAddr of the embedded Conn
	plain bool       // no TLS on top
	Apart bool       // of a listener that ListenApart has wrapped
	// Guarded by all.mu:
	number        uint64        // in the order of acceptance
	key           string        // id of the API key that it has shown last; "" if none, or if that was refused
	in            *list.List    // of its key, or of its address in all.keyless; nil: an alert socket without a key
	place         *list.Element // in that list
	keylessSocket bool          // it is counted as an alert socket without a key
	uncounted     bool          // it is in no list and no count any more

	linger atomic.Bool
	// reading: the connection's goroutine is in Read, so a Close comes from another goroutine.
	reading      atomic.Bool
	receiveUntil *atomic.Pointer[time.Time] // of the Transport
	closed       atomic.Bool
	released     atomic.Bool // the connection carries no more requests

	// Refusal is why the key that was shown last may not hold this connection too.
	Refusal Refusal
	// State is the server's own state for the connection.
	State any
	// Signer is what the gate knows of who signs the connection's actions.
	Signer any

	pipelined bool // the current request came whole in a read of one before it
	late      bool // readLate has extended the drain's deadline
	received  int  // bytes read since the last TakeUp
	Insistence
	// heldBack collects the head of an answer until the body follows; nil at other times.
	heldBack []byte
}

// TakeUp starts a request, at an instant in nanoseconds: Pipelined and Insists now refer to that request.
func (c *Conn) TakeUp(at int64) {
	c.pipelined = c.received == 0
	c.received = 0
	if c.pipelined {
		return
	}
	if c.refusedAt != 0 {
		at -= int64(c.SinceLastByte())
	}
	c.Came(at)
}

// Pipelined implements admission.Arrival.
func (c *Conn) Pipelined() bool { return c.pipelined }

// descriptor returns the file descriptor of a connection or listener, -1 without a descriptor.
func descriptor(c any) int32 {
	number := int32(-1)
	if sc, ok := c.(syscall.Conn); ok {
		if raw, err := sc.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) { number = int32(fd) })
		}
	}
	return number
}

// SyscallConn returns the raw connection; the alert sockets write to it.
func (c *Conn) SyscallConn() (syscall.RawConn, error) {
	if sc, ok := c.Conn.(syscall.Conn); ok {
		return sc.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// Close closes the connection. After Linger it first reads and discards what the client still
// sends. While the service drains, it leaves a connection with an unread request open.
func (c *Conn) Close() error {
	if c.mustAnswer() {
		return nil
	}
	if c.closed.Swap(true) {
		return net.ErrClosed
	}
	defer c.all.leave(c)
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && c.linger.Load() {
		half.CloseWrite()
		c.Conn.SetReadDeadline(time.Now().Add(lingerTime))
		io.CopyN(io.Discard, c.Conn, lingerBytes)
	}
	return c.Conn.Close()
}

// ConnOf returns the Conn on which a request arrived, nil if the request has another connection.
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

// Linger makes Close read and discard what the client still sends. Closing with unread bytes
// makes the kernel reset the connection, which may lose the answer.
func (c *Conn) Linger() { c.linger.Store(true) }

// Read implements net.Conn. It fails when a request is too large.
func (c *Conn) Read(b []byte) (int, error) {
	c.reading.Store(true)
	n, err := c.Conn.Read(b)
	if err != nil && c.readLate(err) {
		n, err = c.Conn.Read(b)
	}
	c.reading.Store(false)
	if c.received += n; c.received > maxRequest && !c.released.Load() {
		return n, errTooLarge
	}
	return n, err
}

// Write implements net.Conn. While an answer's head is held back, it appends b to the head.
func (c *Conn) Write(b []byte) (int, error) {
	if c.heldBack != nil {
		c.heldBack = append(c.heldBack, b...)
		return len(b), nil
	}
	return c.Conn.Write(b)
}
