package alerts

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/fasthttp/websocket"
)

// registry holds all open sockets.
type registry struct {
	mu      sync.Mutex
	sockets map[*socket]struct{}
	closed  bool // no socket may join any more
}

// join registers a socket and starts its reader. When the hub accepts no sockets, join returns
// the close frame to send instead: a socket whose handshake ran during CloseAll or Shutdown would
// otherwise stay open.
func (h *Hub) join(s *socket) (refusal []byte) {
	r := &h.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return closeFrame(websocket.CloseGoingAway, "shutting down")
	}
	if h.refusing.Load() {
		return closeFrame(websocket.CloseTryAgainLater, "alert sockets are not accepted now")
	}
	r.sockets[s] = struct{}{}
	now := h.now()
	s.pingAt = now + int64(firstPing+rand.N(pingSpread))
	s.configBy = now + int64(configWait)
	s.setReadDeadline()
	h.goroutines.Go(s.run)
	return nil
}

// leave removes a socket from the registry.
func (h *Hub) leave(s *socket) {
	r := &h.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.sockets, s)
}

// all returns the sockets that are open now. If last is true, no socket may join afterwards.
func (r *registry) all(last bool) []*socket {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = r.closed || last
	return slices.Collect(maps.Keys(r.sockets))
}
