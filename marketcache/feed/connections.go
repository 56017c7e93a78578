package feed

import (
	"net"
	"sync"
)

// Connections are the open network connections of a feed. Closing them at the end of a feed
// ends whatever still waits for the network. The zero value is ready. Safe for concurrent use.
type Connections struct {
	mu     sync.Mutex
	open   map[*connection]struct{}
	closed bool
}

type connection struct {
	net.Conn
	owner *Connections
}

// Add takes conn in and returns what to use in its place. After Close it closes conn and
// returns net.ErrClosed.
func (c *Connections) Add(conn net.Conn) (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		conn.Close()
		return nil, net.ErrClosed
	}
	if c.open == nil {
		c.open = map[*connection]struct{}{}
	}
	own := &connection{conn, c}
	c.open[own] = struct{}{}
	return own, nil
}

// Close closes the connection and forgets it.
func (c *connection) Close() error {
	c.owner.mu.Lock()
	delete(c.owner.open, c)
	c.owner.mu.Unlock()
	return c.Conn.Close()
}

// Close closes every connection, and all that are added later.
func (c *Connections) Close() {
	c.mu.Lock()
	c.closed = true
	open := c.open
	c.open = nil
	c.mu.Unlock()
	for conn := range open {
		conn.Conn.Close()
	}
}
