package alerts

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"

	"ballast/internal/supervise"
	"ballast/marketcache"
	"ballast/server/api"
)

// Config is what a Hub is made of; the zero value works.
type Config struct {
	Log *slog.Logger // slog's default

	// Refuse answers 503 to a client that may not connect now; nil: a plain JSON error.
	Refuse func(ctx *fasthttp.RequestCtx, detail string)
	// BadRequest answers a request that is no WebSocket handshake, with a status of the
	// 4xx; nil: a plain JSON error.
	BadRequest func(ctx *fasthttp.RequestCtx, status int, detail string)
}

// Client is who has opened a socket. What sockets may cost is shared between clients.
type Client struct {
	Name  string // id of the key, or the address
	Keyed bool   // it has shown a key
}

// Hub is the alert sockets of this process and who listens to what on them. Create it
// with NewHub; all methods may be called from any goroutine.
type Hub struct {
	cfg        Config
	upgrader   websocket.FastHTTPUpgrader
	started    time.Time
	refusing   atomic.Bool
	stats      counters
	supervisor *supervise.Supervisor
	shards     [shardCount]shard
	registry   registry
	writers    writers
	goroutines sync.WaitGroup // every one of the hub
	quit       chan struct{}  // ends the sweeper
	quitOnce   sync.Once
}

// NewHub returns a hub that accepts sockets. It starts one goroutine, which Shutdown ends.
func NewHub(cfg Config) *Hub {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.Refuse == nil {
		cfg.Refuse = refusePlainly
	}
	if cfg.BadRequest == nil {
		cfg.BadRequest = badRequestPlainly
	}
	h := &Hub{cfg: cfg, supervisor: supervise.New(cfg.Log), started: time.Now(), quit: make(chan struct{})}
	for i := range h.shards {
		h.shards[i].audiences = map[marketcache.Wallet]*audience{}
	}
	h.registry.empty = make(chan struct{})
	h.writers.init(h)
	h.upgrader = h.newUpgrader()
	h.goroutines.Go(h.sweep)
	return h
}

// now returns nanoseconds of a clock that only goes forward, 1 at least.
func (h *Hub) now() int64 { return int64(time.Since(h.started)) + 1 }

// SetAccepting decides whether new sockets are taken; without, Upgrade refuses them.
// Sockets that are open stay.
func (h *Hub) SetAccepting(accepting bool) { h.refusing.Store(!accepting) }

// Counts returns the open sockets and the wallets subscribed to on all of them.
func (h *Hub) Counts() (connections, subscriptions int) {
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	return h.registry.count, int(h.stats.subscriptions.Load())
}

// Stats is what the hub has counted. All but the first two only grow.
type Stats struct {
	Connections, Subscriptions int // now

	Accepted       uint64 // sockets
	Refused        uint64 // handshakes that were faulty or came while not accepting
	Delivered      uint64 // alerts written to sockets
	SlowConsumers  uint64 // sockets closed or dropped because they did not keep up
	InvalidConfigs uint64 // messages that were no configuration
	CrowdedOut     uint64 // sockets closed because one wallet had too many thresholds
	Panics         uint64
}

// Stats returns the counters.
func (h *Hub) Stats() Stats {
	c := &h.stats
	s := Stats{
		Accepted: c.accepted.Load(), Refused: c.refused.Load(), Delivered: c.delivered.Load(),
		SlowConsumers: c.slow.Load(), InvalidConfigs: c.invalid.Load(), CrowdedOut: c.crowdedOut.Load(), Panics: h.supervisor.Panics(),
	}
	s.Connections, s.Subscriptions = h.Counts()
	return s
}

// CloseAll closes the sockets that are open now, after what is queued for them. It does
// not wait. A reason has 123 bytes at most.
func (h *Hub) CloseAll(code int, reason string) { h.closeEach(h.registry.all(false), code, reason) }

func (h *Hub) closeEach(sockets []*socket, code int, reason string) {
	p := closePacket(code, reason)
	for _, s := range sockets {
		s.send(p)
	}
}

// Shutdown ends the hub: no new sockets, what is queued goes out, each socket is closed
// with 1001. It returns when all are gone; at the end of ctx those that are left are cut
// off, and its error is returned.
func (h *Hub) Shutdown(ctx context.Context) error {
	h.SetAccepting(false)
	h.closeEach(h.registry.all(true), websocket.CloseGoingAway, "shutting down")
	var err error
	select {
	case <-h.registry.empty:
	case <-ctx.Done():
		err = ctx.Err()
		for _, s := range h.registry.all(true) {
			s.drop()
		}
	}
	h.quitOnce.Do(func() { close(h.quit) })
	h.goroutines.Wait()
	return err
}

// appendError appends the message that tells a client of a fault.
func appendError(dst []byte, code, detail string) []byte { return api.AppendError(dst, code, detail) }
