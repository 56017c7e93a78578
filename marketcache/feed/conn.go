package feed

import (
	"context"
	"net"
)

// boundConn is a connection that is closed when a context ends.
type boundConn struct {
	net.Conn
	unbind func() bool
}

// BindConn returns a connection to use in place of conn. It is closed when ctx ends, so that
// nothing waits for the network for longer.
func BindConn(ctx context.Context, conn net.Conn) net.Conn {
	return boundConn{conn, context.AfterFunc(ctx, func() { conn.Close() })}
}

// Close closes the connection.
func (c boundConn) Close() error {
	c.unbind()
	return c.Conn.Close()
}
