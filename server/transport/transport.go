// Package transport accepts connections up to a limit, reads and writes them, and sends head and body
// of an answer in one write. It does not look into requests.
//
// Every technique beyond ordinary socket I/O has a field in Tuning, a value that switches it off, and
// tests with it on and off. A technique is on by default only if it slows down no processor in PERF.md,
// and at least one of these processors misses a performance goal without it.
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

// Tuning selects the techniques. The zero value switches all of them off.
type Tuning struct {
	// SendBatch is the maximum number of answers held back until the other ready requests are
	// assessed; then all answers are sent. 0: each answer is sent at once. Invariant: an answer
	// waits only for requests that are ready now, never for a timer. Beyond 64 answers their
	// buffers no longer fit into the processor's caches.
	// Measured: time per answer divided by that of a static answer, 64 connections: Zen 3 1.43 to 1.66
	// instead of 1.85 to 2.04; Zen 4 1.72 to 1.76 instead of 1.76 to 2.11. On by default: Zen 3 misses the
	// goal of 1.7 without it.
	SendBatch int
	// BusyPoll is how long after each request a processor stays awake and polls the network for the next
	// request (Linux); 0: not at all. Invariant: it polls between the runs of other goroutines, never in
	// place of them. Its cost: the processor is never idle while requests arrive. Measured: Zen 4,
	// 20,000 requests per second on a quiet host, p99 0.51 ms instead of 1.45 ms; worse on a shared
	// processor. Off by default.
	BusyPoll time.Duration
}

// DefaultTuning returns the default Tuning of the service.
func DefaultTuning() Tuning { return Tuning{SendBatch: 64} }

// Config is the configuration of a Transport.
type Config struct {
	Tuning  Tuning
	Limits  Limits
	TLS     *tls.Config // nil: plain TCP
	TooMany string      // text written to a refused plain connection
	// Warn logs a warning; it must limit the rate of repeated messages.
	Warn func(msg string, args ...any)
	// Guard runs the work of a goroutine and recovers its panic.
	Guard func(what string, work func())
}

// Transport holds the connections of one server. Create it with New.
type Transport struct {
	cfg   Config
	conns connections
	// Batch is nil when Tuning.SendBatch is 0.
	Batch *SendBatch
	poll  *busyPoll
	// receiveUntil is the time by which requests must have arrived whole while the service drains; nil before.
	receiveUntil atomic.Pointer[time.Time]

	mu        sync.Mutex
	draining  bool
	listeners []net.Listener // for Drain to close
}

// New returns a Transport. With BusyPoll it starts a goroutine, which Close ends.
func New(cfg Config) *Transport {
	t := &Transport{cfg: cfg, conns: connections{
		limits: cfg.Limits, list: map[*Conn]struct{}{}, keyless: map[netip.Addr]*list.List{},
		sockets: map[netip.Addr]int{}, keys: map[string]*holding{},
	}}
	if cfg.Tuning.SendBatch > 0 {
		t.Batch = &SendBatch{size: uint64(cfg.Tuning.SendBatch)}
	}
	t.poll = newBusyPoll(cfg.Tuning.BusyPoll, cfg.Guard)
	return t
}

// Close ends the goroutine that New started. Call it when no connection is served any more.
func (t *Transport) Close() { t.poll.close() }

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

// NoteRequest records that a request was taken up at an instant.
func (t *Transport) NoteRequest(at time.Time) { t.poll.note(at) }
