// Package transport accepts connections up to a limit, reads and writes them, and sends head and body
// of an answer in one write. It does not look into requests.
package transport

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Config is the configuration of a Transport.
type Config struct {
	Limits  Limits
	TLS     *tls.Config // nil: plain TCP
	TooMany string      // text written to a refused plain connection
	// Warn logs a warning; it must limit the rate of repeated messages.
	Warn func(msg string, args ...any)
}

// Transport holds the connections of one server. Create it with New.
type Transport struct {
	cfg   Config
	conns connections
	Batch SendBatch
	// receiveUntil is the time by which requests must have arrived whole while the service drains; nil before.
	receiveUntil atomic.Pointer[time.Time]

	mu        sync.Mutex
	draining  bool
	listeners []net.Listener // for Drain to close
}

// New returns a Transport.
func New(cfg Config) *Transport {
	return &Transport{cfg: cfg, conns: connections{
		limits: cfg.Limits, list: map[*Conn]struct{}{}, keyless: map[netip.Addr]*list.List{},
		sockets: map[netip.Addr]int{}, keys: map[string]*holding{},
	}}
}

// Listen wraps a listener so that accepted connections are counted and limited. With Config.TLS they are TLS
// connections. It fails after Drain.
func (t *Transport) Listen(ln net.Listener) (net.Listener, error) { return t.listen(ln, false) }

// ListenApart is Listen for connections whose Conn is marked as Apart.
func (t *Transport) ListenApart(ln net.Listener) (net.Listener, error) { return t.listen(ln, true) }

func (t *Transport) listen(ln net.Listener, apart bool) (net.Listener, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.draining {
		return nil, ErrDraining
	}
	refusal := t.cfg.TooMany
	if t.cfg.TLS != nil {
		refusal = "" // it would have to be encrypted
	}
	counted := &listener{steadyListener: t.newSteadyListener(ln, refusal), t: t, apart: apart}
	counted.close = sync.OnceValue(func() error { return closeListener(ln) })
	t.listeners = append(t.listeners, counted)
	if t.cfg.TLS == nil {
		return counted, nil
	}
	return tls.NewListener(counted, t.cfg.TLS), nil
}

// newConn returns a Conn for an accepted connection.
func (t *Transport) newConn(c net.Conn) *Conn {
	return &Conn{
		Conn: c, fd: descriptor(c), addr: ClientAddr(c), plain: t.cfg.TLS == nil,
		receiveUntil: &t.receiveUntil, all: &t.conns,
	}
}

// Open returns the number of open connections.
func (t *Transport) Open() int { return int(t.conns.open.Load()) }

// Refused returns the number of connections of keys, or of alert sockets, refused for reason r.
func (t *Transport) Refused(r Refusal) int { return int(t.conns.refused[r].Load()) }

// Replaced returns the number of connections closed in favour of a newer one.
func (t *Transport) Replaced() int { return int(t.conns.replaced.Load()) }

// Listed returns the number of connections that carry requests.
func (t *Transport) Listed() int {
	t.conns.mu.Lock()
	defer t.conns.mu.Unlock()
	return len(t.conns.list)
}

// Unread returns the number of connections with unread data, an estimate if there are many
// connections; 0 where the system cannot tell.
func (t *Transport) Unread() int { return t.conns.unread() }
