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

// BindConn returns a wrapper of conn that is closed when ctx ends, so that no read or write
// outlasts ctx.
func BindConn(ctx context.Context, conn net.Conn) net.Conn {
	return boundConn{conn, context.AfterFunc(ctx, func() { conn.Close() })}
}

// Close closes the connection.
func (c boundConn) Close() error {
	c.unbind()
	return c.Conn.Close()
}
