package replicas

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ballast/internal/supervise"
)

// ErrDown: the cluster does not answer, because there is no working connection.
var ErrDown = errors.New("replicas: NATS does not answer")

// Config configures a Node.
type Config struct {
	// URL of the cluster, nats://host:4222, or several separated by commas. It may contain credentials and
	// is never logged completely.
	URL string
	// Replicas is the number of its servers that store each stream; 0 means 1.
	Replicas int
	// Log receives what operators should know. Default: slog.Default().
	Log    *slog.Logger
	Timing Timing // zero: the defaults; tests shorten it
}

// Timing holds all durations of the package.
type Timing struct {
	Beat      time.Duration // interval of heartbeats on the bus
	Answer    time.Duration // time limit of one request to the cluster
	Ack       time.Duration // time limit of Publish and Exchange
	Cut       time.Duration // a bus without its own heartbeats for longer is cut
	Stuck     time.Duration // a consumer from which nothing arrives for longer is replaced
	Ping      time.Duration // interval of pings on the connection; two may be lost
	Reconnect time.Duration // minimum wait between attempts; jitter up to doubles it
	Check     time.Duration // interval of comparisons with what the buckets have
}

var defaultTiming = Timing{
	Beat: time.Second, Answer: 2 * time.Second, Ack: 250 * time.Millisecond, Cut: 10 * time.Second,
	Stuck: 3 * time.Second, Ping: time.Second, Reconnect: 250 * time.Millisecond, Check: 250 * time.Millisecond,
}

// Node is one replica's membership of the cluster. It is safe for concurrent use.
type Node struct {
	id         string
	replicas   int
	time       Timing
	log        *slog.Logger
	supervisor *supervise.Supervisor
	nc         *nats.Conn
	js         jetstream.JetStream // calls without a deadline wait for at most Timing.Answer

	opened     time.Time
	contact    atomic.Pointer[time.Time] // the last answer; nil: none yet
	lost       atomic.Pointer[time.Time] // when the connection was lost; nil: connected, zero: never connected yet
	Reconnects atomic.Uint64             // since Open

	mu        sync.Mutex
	reconnect context.Context // ends at the next (re)connection and is then replaced
	wake      context.CancelFunc
}

// Open joins the cluster. It tries each server once, for at most Timing.Answer, succeeds even if none answers,
// and keeps trying in the background; only a malformed URL is an error.
func Open(cfg Config) (*Node, error) {
	var id [8]byte
	rand.Read(id[:])
	n := &Node{
		id:       fmt.Sprintf("%x", id),
		replicas: max(cfg.Replicas, 1),
		time:     cmp.Or(cfg.Timing, defaultTiming),
		log:      cmp.Or(cfg.Log, slog.Default()),
		opened:   time.Now(),
	}
	n.reconnect, n.wake = context.WithCancel(context.Background())
	n.supervisor = supervise.New(n.log)
	n.lost.Store(new(time.Time))
	err := n.dial(cfg.URL)
	if err != nil {
		return nil, err
	}
	if n.js, err = jetstream.New(n.nc, jetstream.WithDefaultTimeout(n.time.Answer)); err != nil {
		n.nc.Close()
		return nil, fmt.Errorf("replicas: %w", err)
	}
	return n, nil
}

// Close ends the connection. All users of the node must have ended before.
func (n *Node) Close() { n.nc.Close() }

// ID returns this replica's name, unique for all time: 16 random hexadecimal digits.
func (n *Node) ID() string { return n.id }

// Conn returns the connection, which the node owns.
func (n *Node) Conn() *nats.Conn { return n.nc }

// Replicas returns the number of servers that store each stream or bucket.
func (n *Node) Replicas() int { return n.replicas }

// Connected reports whether there is a connection. After the other end has vanished that remains true
// until two pings are missed; LastContact is more precise. Connected never blocks, unlike the
// connection's own methods while it is connecting.
func (n *Node) Connected() bool { return n.lost.Load() == nil }

// LastContact returns the time since JetStream last answered, normally at most about Timing.Beat. Before the
// first answer it counts from Open.
func (n *Node) LastContact() time.Duration {
	if at := n.contact.Load(); at != nil {
		return time.Since(*at)
	}
	return time.Since(n.opened)
}

// Trouble describes a problem for health reports, "" if there is none: a cluster that does not answer.
func (n *Node) Trouble() string {
	switch age := n.LastContact(); {
	case n.contact.Load() == nil:
		return "NATS has not answered yet"
	case age > 3*n.time.Beat+n.time.Answer:
		return fmt.Sprintf("NATS has not answered for %.0f s", age.Seconds())
	}
	return ""
}

// Reconnection returns a context that ends at the next connection or reconnection.
func (n *Node) Reconnection() context.Context {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.reconnect
}

// connected records that there is a connection, and wakes those who wait for it.
func (n *Node) connected(nc *nats.Conn, text string) {
	n.log.Info(text, "server", redact(nc.ConnectedUrl()), "version", nc.ConnectedServerVersion())
	n.lost.Store(nil)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.wake()
	n.reconnect, n.wake = context.WithCancel(context.Background())
}

// answered records that JetStream has answered, for LastContact. The bus and the keys ask at least once a second.
func (n *Node) answered() { n.contact.Store(new(time.Now())) }

// every runs f now, at an interval and after each reconnection, until ctx ends. A reconnection also cancels
// the context of a running f, because what f asked for over the old connection may never be answered.
func (n *Node) every(ctx context.Context, interval time.Duration, what string, f func(context.Context)) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for ctx.Err() == nil {
		session, end := context.WithCancel(ctx)
		forget := context.AfterFunc(n.Reconnection(), end)
		n.guard(what, func() { f(session) })
		select {
		case <-session.Done():
		case <-tick.C:
		}
		forget()
		end()
	}
}

// guard runs f and recovers its panic, so that one bad message cannot end the process.
func (n *Node) guard(what string, f func()) {
	defer n.supervisor.Recover(what)
	f()
}

// Panics returns the number of panics recovered in callbacks since Open.
func (n *Node) Panics() uint64 { return n.supervisor.Panics() }

// validName reports whether a name is usable in subjects, keys and headers.
func validName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

// validWallet reports whether s is 0x and 40 lower-case hexadecimal digits.
func validWallet(s string) bool {
	return len(s) == 42 && s[:2] == "0x" && strings.Trim(s[2:], "0123456789abcdef") == ""
}
