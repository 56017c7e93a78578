package transport

import (
	"context"
	"errors"
	"net"
	"os"
	"time"
)

// How a service ends, in order: Transport.Drain lets requests arrive that are on their way, closes the
// listeners and sets the time by which requests must have arrived whole. Then the server closes what is idle,
// which Conn.Close refuses for a connection with an unread request, and waits for the other connections.
const (
	// DrainGrace is the longest time that idle connections stay open when the service ends. A client may
	// have sent a request before it could know; each answer says Connection: close.
	DrainGrace = 250 * time.Millisecond
	// acceptGrace is how long listeners stay open at least. When they are closed, the connections accepted
	// last have as long to send their requests.
	acceptGrace = 20 * time.Millisecond
	// backlogTime is how long a closing listener waits at most for Accept to take the connections that are made.
	backlogTime = time.Second
	// drainReceive is how long a request that has begun to arrive may take after that.
	drainReceive = 2 * time.Second
	// lateRead is the time in which a busy service reads what had arrived when the time for that passed.
	lateRead = 100 * time.Millisecond
)

// ErrDraining is returned by Listen after Drain.
var ErrDraining = errors.New("server is shutting down")

// Drain ends the arrival of requests. It returns as soon as the server may close idle connections. A further
// call returns at once.
func (t *Transport) Drain(ctx context.Context) {
	t.mu.Lock()
	again := t.draining
	t.draining = true
	t.mu.Unlock()
	if again {
		return
	}
	t.letArrive(ctx)
	for _, ln := range t.listeners { // Listen adds no more
		ln.Close()
	}
	if t.Listed() > 0 {
		time.Sleep(acceptGrace)
	}
	until := time.Now().Add(drainReceive)
	t.receiveUntil.Store(&until)
	t.conns.setReadDeadlines(until)
}

// letArrive waits for requests that are on their way.
func (t *Transport) letArrive(ctx context.Context) {
	for started := time.Now(); ctx.Err() == nil; time.Sleep(time.Millisecond) {
		waited := time.Since(started)
		if waited >= DrainGrace || waited >= acceptGrace && t.Listed() == 0 {
			return
		}
	}
}

// closeListener closes a listener as soon as Accept has taken the connections that clients have made: the
// kernel would reset them.
func closeListener(ln net.Listener) error {
	fd := descriptor(ln)
	for limit := time.Now().Add(backlogTime); readable(fd) && time.Now().Before(limit); {
		time.Sleep(100 * time.Microsecond)
	}
	return ln.Close()
}

// setReadDeadlines sets the read deadline of the connections that carry requests.
func (c *connections) setReadDeadlines(deadline time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.list {
		if !conn.closed.Load() { // Close may be waiting for what the client still sends
			conn.Conn.SetReadDeadline(deadline)
		}
	}
}

// mustAnswer reports whether another goroutine than the connection's own is closing it although a request
// waits on it. Its own goroutine reads the request, answers, and closes.
func (c *Conn) mustAnswer() bool {
	return c.plain && c.receiveUntil.Load() != nil && !c.released.Load() && c.reading.Load() && readable(c.fd)
}

// SetReadDeadline implements net.Conn. While the service drains, no deadline of a connection that carries
// requests is later than receiveUntil.
func (c *Conn) SetReadDeadline(deadline time.Time) error {
	until := c.receiveUntil.Load()
	if until != nil && (deadline.IsZero() || deadline.After(*until)) && !c.released.Load() {
		deadline = *until
	}
	return c.Conn.SetReadDeadline(deadline)
}

// readLate reports whether a read that failed at the drain's deadline is to be repeated, because there is data
// that this service has been too busy to read. The next such deadline is final.
func (c *Conn) readLate(err error) bool {
	if c.late || c.receiveUntil.Load() == nil || !errors.Is(err, os.ErrDeadlineExceeded) || !readable(c.fd) {
		return false
	}
	c.late = true
	c.Conn.SetReadDeadline(time.Now().Add(lateRead))
	return true
}
