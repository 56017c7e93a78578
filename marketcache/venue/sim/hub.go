package sim

import (
	"maps"
	"slices"
	"sync"
)

// hub knows the open sockets. Its lock is taken before the market's and the ledger's.
type hub struct {
	mu     sync.Mutex
	conns  map[*conn]struct{}
	ledger *ledger
	closed bool
	// sockets counts those that have joined and not ended. It grows under mu and only
	// while closed is false, so that waiting after shut is safe.
	sockets sync.WaitGroup
}

// join registers a socket; false when the exchange is shutting down.
func (h *hub) join(c *conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.conns[c] = struct{}{}
	h.sockets.Add(1)
	return true
}

// leave forgets a socket and its subscriptions. Its goroutines may still be ending:
// they call sockets.Done.
func (h *hub) leave(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range c.topics {
		h.ledger.unsubscribe(c.ip, t.sub.User)
	}
	clear(c.topics)
	delete(h.conns, c)
}

// unsubscribe ends a subscription; false when there was none.
func (h *hub) unsubscribe(c *conn, key string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := c.topics[key]
	if t != nil {
		h.ledger.unsubscribe(c.ip, t.sub.User)
		delete(c.topics, key)
	}
	return t != nil
}

// shut refuses new sockets.
func (h *hub) shut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
}

// list returns the open sockets.
func (h *hub) list() []*conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.conns))
}
