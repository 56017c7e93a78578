package mailer

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// line is the single connection for a message. The mail library extends deadlines at each step and
// leaves connections open after some failures; line prevents both.
type line struct {
	cfg   *Config
	until time.Time

	mu     sync.Mutex
	conn   net.Conn
	closed bool
}

// dial connects, with TLS from the first byte if configured.
func (l *line) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, l.cfg.address())
	if err != nil {
		return nil, err
	}
	conn = bounded{conn, l.until}
	if err := conn.SetDeadline(l.until); err != nil {
		conn.Close()
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn = conn
	if l.closed {
		conn.Close()
		return nil, net.ErrClosed
	}
	if l.cfg.TLS == ImplicitTLS {
		return tls.Client(conn, l.cfg.tlsConfig()), nil
	}
	return conn, nil
}

// close closes the connection. If dial has not opened it yet, dial then fails.
func (l *line) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.conn != nil {
		l.conn.Close()
	}
}

// bounded is a connection whose deadlines never exceed a fixed time.
type bounded struct {
	net.Conn
	until time.Time
}

func (b bounded) clip(t time.Time) time.Time {
	if t.IsZero() || t.After(b.until) {
		return b.until
	}
	return t
}

func (b bounded) SetDeadline(t time.Time) error      { return b.Conn.SetDeadline(b.clip(t)) }
func (b bounded) SetReadDeadline(t time.Time) error  { return b.Conn.SetReadDeadline(b.clip(t)) }
func (b bounded) SetWriteDeadline(t time.Time) error { return b.Conn.SetWriteDeadline(b.clip(t)) }
