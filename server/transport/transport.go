// Package transport is bytes in, bytes out: connections are accepted up to a limit, read and
// written, and answers leave in one write each. It knows nothing of what requests mean.
//
// What goes beyond the ordinary way of a connection is a trick with a name in Tuning, an off
// value, and tests with it on and off. A trick is on by default only if it loses on neither of
// the processors that PERF.md knows, and a goal is missed on one of them without it.
package transport

import (
	"crypto/tls"
	"net"
	"net/netip"
	"sync/atomic"
	"time"
)

// Tuning is the tricks. The zero value has them all off.
type Tuning struct {
	// SendBatch is how many answers at most are held until the others that are ready are
	// assessed, then all are sent; 0: each is sent at once. Invariant: nothing is held while
	// its goroutine has anything else to do, so an answer waits for requests that are ready
	// now, never for time. Beyond 64, memory of its own for each no longer stays in the
	// caches.
	// Measured: Zen 3, 64 connections, 1.43 to 1.66 of static instead of 1.85 to 2.04; Zen 4,
	// no difference. On by default: the goal of 1.7 is missed on Zen 3 without it.
	SendBatch int
	// RawSockets reads and writes TCP connections without telling the scheduler of the calls
	// (Linux, not under the race detector). Invariant: the descriptor is nonblocking, so that
	// no call blocks a processor; what computes for long yields by itself.
	// Measured: Zen 4, 27.3 us instead of 31.4 of processor time an answer at half the
	// capacity, and 1.51 of static instead of 1.55 in a closed loop, but a longer p90 in
	// busy rounds. Off by default: not measured by itself on Zen 3.
	RawSockets bool
	// BusyPoll is for how long after each request a processor is kept awake, looking for the
	// next one (Linux); 0: not at all. Invariant: it looks between other goroutines, never
	// instead of them. Its price is the processor's idle time while requests come.
	// Measured: Zen 4, 20,000 requests a second on a quiet host, p99 0.51 ms instead of
	// 1.45; worse where others want the processor. Off unless asked for.
	BusyPoll time.Duration
}

// DefaultTuning is how a service runs that is not told otherwise.
func DefaultTuning() Tuning { return Tuning{SendBatch: 64} }

// Config is what a Transport is made of.
type Config struct {
	Tuning  Tuning
	Limits  Limits
	TLS     *tls.Config // nil: plain TCP
	TooMany string      // written to a plain connection for which there is no room
	// Warn logs what may come in floods.
	Warn func(msg string, args ...any)
	// Guard runs the work of a goroutine and survives its panic.
	Guard func(what string, work func())
}

// Transport is the connections of one server. Create it with New.
type Transport struct {
	cfg   Config
	conns connections
	// Batch is nil when Tuning.SendBatch is 0.
	Batch *SendBatch
	poll  *busyPoll
	// draining tells that idle connections are being closed.
	draining atomic.Bool
}

// New returns a Transport. It may start a goroutine, which Close ends.
func New(cfg Config) *Transport {
	t := &Transport{cfg: cfg, conns: connections{limits: cfg.Limits, keyless: map[connAddr]int{}, sockets: map[connAddr]int{}}}
	if cfg.Tuning.SendBatch > 0 {
		t.Batch = &SendBatch{size: uint64(cfg.Tuning.SendBatch)}
	}
	t.poll = newBusyPoll(cfg.Tuning.BusyPoll, cfg.Guard)
	return t
}

// Drain tells that whoever serves the connections closes those that are idle from now on: one on
// which a request has just come is not closed until that is answered.
func (t *Transport) Drain() { t.draining.Store(true) }

// Close ends what New started. Nothing is served any more.
func (t *Transport) Close() { t.poll.close() }

// Listen wraps a listener: what it accepts are the transport's connections, under TLS if it has
// that.
func (t *Transport) Listen(ln net.Listener) net.Listener {
	if t.cfg.TLS == nil {
		return &listener{steadyListener: t.newSteadyListener(ln, t.cfg.TooMany), t: t}
	}
	return tls.NewListener(&listener{steadyListener: t.newSteadyListener(ln, ""), t: t}, t.cfg.TLS)
}

// Steady wraps a plain listener that outlives a shortage of file descriptors. What it accepts is
// not counted.
func (t *Transport) Steady(ln net.Listener) net.Listener {
	return t.newSteadyListener(ln, t.cfg.TooMany)
}

// accept makes a connection that was counted one that requests come on.
func (t *Transport) accept(c net.Conn, addr connAddr) *Conn {
	conn := &Conn{Conn: c, stream: t.newStream(c), fd: descriptor(c), draining: &t.draining, all: &t.conns, addr: addr, plain: t.cfg.TLS == nil}
	t.conns.add(conn)
	return conn
}

// Accept makes c one of the transport's connections, which must have room.
func (t *Transport) Accept(c net.Conn) *Conn {
	addr := addrOf(c)
	t.conns.enter(addr)
	return t.accept(c, addr)
}

func (t *Transport) newStream(c net.Conn) stream {
	if t.cfg.Tuning.RawSockets {
		return rawStream(c)
	}
	return ordinary{c}
}

// Open returns how many connections are open.
func (t *Transport) Open() int { return int(t.conns.open.Load()) }

// Refused returns how many connections or alert sockets were refused for a reason.
func (t *Transport) Refused(r Refusal) int { return int(t.conns.refused[r].Load()) }

// Listed returns how many connections requests may come on.
func (t *Transport) Listed() int {
	t.conns.mu.Lock()
	defer t.conns.mu.Unlock()
	return len(t.conns.list)
}

// Unread returns on how many connections something lies that was not read, of many connections
// an estimate; 0 where the system does not tell.
func (t *Transport) Unread() int { return t.conns.unread() }

// NoteRequest tells of a request taken up at an instant.
func (t *Transport) NoteRequest(at time.Time) { t.poll.note(at) }

// ClientAddr is what connections of a client are counted by: its address, of IPv6 the first 64
// bits.
func ClientAddr(c net.Conn) netip.Addr { return addrOf(c).Addr() }
