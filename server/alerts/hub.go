package alerts

import (
	"context"
	"log/slog"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"

	"ballast/internal/supervise"
	"ballast/marketcache"
)

// Client is the client that opened a socket. The hub's limits are shared between clients.
type Client struct {
	Name  string // id of the API key, or the address
	Keyed bool   // the client has sent an API key that was valid
}

// Hub holds the alert sockets of this process and their subscriptions. Create it with NewHub.
// All methods may be called from any goroutine.
type Hub struct {
	upgrader   websocket.FastHTTPUpgrader
	started    time.Time
	revoked    func(keyID string) bool
	owner      func(marketcache.Wallet) (account marketcache.Wallet, is bool)
	refusing   atomic.Bool
	stats      Stats
	supervisor *supervise.Supervisor
	shards     [shardCount]shard
	writers    writers
	subscribed atomic.Int64   // wallets, over all sockets
	goroutines sync.WaitGroup // all goroutines of the hub

	mu      sync.Mutex // guards the fields below
	sockets map[*socket]struct{}
	closed  bool // no socket may join any more
}

// NewHub returns a hub that accepts sockets. revoked reports whether an API key was revoked, owner whether a
// wallet is known as an API wallet, and of which account.
func NewHub(log *slog.Logger, revoked func(keyID string) bool,
	owner func(marketcache.Wallet) (account marketcache.Wallet, is bool)) *Hub {
	h := &Hub{supervisor: supervise.New(log), started: time.Now(), revoked: revoked, owner: owner,
		sockets: map[*socket]struct{}{}}
	for i := range h.shards {
		h.shards[i].audiences = map[marketcache.Wallet]*audience{}
	}
	h.writers.hub, h.writers.max = h, runtime.GOMAXPROCS(0)
	h.upgrader = websocket.FastHTTPUpgrader{
		ReadBufferSize:  1,              // the library's connection reads and writes nothing
		WriteBufferPool: new(sync.Pool), // empty: keeps the library from allocating a write buffer
		CheckOrigin:     func(*fasthttp.RequestCtx) bool { return true },
		Error:           func(*fasthttp.RequestCtx, int, error) {}, // the caller of Upgrade answers
	}
	return h
}

// now returns the nanoseconds since the hub's start on a monotonic clock, at least 1.
func (h *Hub) now() int64 { return int64(time.Since(h.started)) + 1 }

// SetAccepting sets whether Upgrade accepts new sockets or refuses them. Open sockets stay open.
func (h *Hub) SetAccepting(accepting bool) { h.refusing.Store(!accepting) }

// Counts returns the open sockets and the wallets subscribed to on all of them.
func (h *Hub) Counts() (connections, subscriptions int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.sockets), int(h.subscribed.Load())
}

// Stats are the hub's counters, which only grow.
type Stats struct {
	Refused        atomic.Uint64 // invalid handshakes, and handshakes while the hub did not accept sockets
	Delivered      atomic.Uint64 // alerts written to sockets
	SlowConsumers  atomic.Uint64 // sockets closed or dropped because they did not keep up
	InvalidConfigs atomic.Uint64 // messages that were not a valid configuration
	CrowdedOut     atomic.Uint64 // sockets closed because a wallet had too many distinct thresholds
}

// Stats returns the counters.
func (h *Hub) Stats() *Stats { return &h.stats }

// Panics returns the number of panics of sockets.
func (h *Hub) Panics() uint64 { return h.supervisor.Panics() }

// CloseAll closes the sockets that are open now, after their queued packets. It does not wait.
// The reason has at most 123 bytes.
func (h *Hub) CloseAll(code int, reason string) { h.closeEach(h.all(false), code, reason) }

// keyRevoked is the reason why a socket is closed when its key was revoked.
const keyRevoked = "the API key was revoked"

// CloseRevoked closes the sockets whose API key was revoked, after their queued packets. It does not wait.
func (h *Hub) CloseRevoked() {
	sockets := slices.DeleteFunc(h.all(false), func(s *socket) bool { return !h.lostKey(s) })
	h.closeEach(sockets, websocket.ClosePolicyViolation, keyRevoked)
}

func (h *Hub) lostKey(s *socket) bool { return s.client.Keyed && h.revoked(s.client.Name) }

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
	h.closeEach(h.all(true), websocket.CloseGoingAway, "shutting down")
	stop := context.AfterFunc(ctx, func() {
		for _, s := range h.all(true) {
			s.drop()
		}
	})
	h.goroutines.Wait()
	if stop() {
		return nil
	}
	return ctx.Err()
}

// join registers a socket and starts its reader. When the hub accepts no sockets, join returns
// the close frame to send instead: a socket whose handshake ran during CloseAll, CloseRevoked or Shutdown
// would otherwise stay open.
func (h *Hub) join(s *socket) (refusal []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return closeFrame(websocket.CloseGoingAway, "shutting down")
	}
	if h.refusing.Load() {
		return closeFrame(websocket.CloseTryAgainLater, notAccepting)
	}
	if h.lostKey(s) {
		return closeFrame(websocket.ClosePolicyViolation, keyRevoked)
	}
	h.sockets[s] = struct{}{}
	now := h.now()
	s.pingAt = now + int64(firstPing+rand.N(pingSpread))
	s.configBy = now + int64(configWait)
	s.setReadDeadline()
	h.goroutines.Go(s.run)
	return nil
}

// leave removes a socket.
func (h *Hub) leave(s *socket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sockets, s)
}

// all returns the sockets that are open now. If last is true, no socket may join afterwards.
func (h *Hub) all(last bool) []*socket {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = h.closed || last
	return slices.Collect(maps.Keys(h.sockets))
}
