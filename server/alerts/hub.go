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

// Config is the configuration of a Hub; the zero value works.
type Config struct {
	Log *slog.Logger // slog's default

	// Refuse answers 503 to a client that may not connect now; nil: a plain JSON error.
	Refuse func(ctx *fasthttp.RequestCtx, detail string)
	// BadRequest answers a request that is no WebSocket handshake, with a status of the
	// 4xx; nil: a plain JSON error.
	BadRequest func(ctx *fasthttp.RequestCtx, status int, detail string)
}

// Client is the client that opened a socket. The hub's limits are shared between clients.
type Client struct {
	Name  string // id of the API key, or the address
	Keyed bool   // the client has sent a valid API key
}

// Hub holds the alert sockets of this process and their subscriptions. Create it with NewHub.
// All methods may be called from any goroutine.
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
	goroutines sync.WaitGroup // all goroutines of the hub
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

// now returns the nanoseconds since the hub's start on a monotonic clock, at least 1.
func (h *Hub) now() int64 { return int64(time.Since(h.started)) + 1 }

// SetAccepting sets whether Upgrade accepts new sockets or refuses them. Open sockets stay open.
func (h *Hub) SetAccepting(accepting bool) { h.refusing.Store(!accepting) }

// Counts returns the open sockets and the wallets subscribed to on all of them.
func (h *Hub) Counts() (connections, subscriptions int) {
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	return h.registry.count, int(h.stats.subscriptions.Load())
}

// Stats holds the hub's counters. All except Connections and Subscriptions only grow.
type Stats struct {
	Connections, Subscriptions int // current numbers

	Accepted       uint64 // sockets
	Refused        uint64 // invalid handshakes, and handshakes while the hub did not accept sockets
	Delivered      uint64 // alerts written to sockets
	SlowConsumers  uint64 // sockets closed or dropped because they did not keep up
	InvalidConfigs uint64 // messages that were not a valid configuration
	CrowdedOut     uint64 // sockets closed because a wallet had too many distinct thresholds
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

// CloseAll closes the sockets that are open now, after their queued packets. It does not wait.
// The reason has at most 123 bytes.
func (h *Hub) CloseAll(code int, reason string) { h.closeEach(h.registry.all(false), code, reason) }

func (h *Hub) closeEach(sockets []*socket, code int, reason string) {
	p := closePacket(code, reason)
	for _, s := range sockets {
		s.send(p)
	}
}

// Shutdown ends the hub: it accepts no new sockets, writes the queued packets, and closes each
// socket with code 1001. It returns when all sockets are closed. When ctx ends first, it drops
// the other sockets and returns the error of ctx.
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

// appendError appends the JSON error message for a client.
func appendError(dst []byte, code, detail string) []byte { return api.AppendError(dst, code, detail) }
