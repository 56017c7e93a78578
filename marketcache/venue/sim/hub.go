package sim

import (
	"maps"
	"slices"
	"sync"
)

// hub knows who listens to what. Its lock is taken before the market's and the ledger's.
type hub struct {
	mu     sync.Mutex
	conns  map[*conn]struct{}
	topics map[string]*topic
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
		h.remove(c, t)
	}
	delete(h.conns, c)
}

// add subscribes a socket and returns the topic shared by all who asked for the same,
// or why the address may not. The lock is held.
func (h *hub) add(c *conn, t *topic) (shared *topic, refusal string) {
	if refusal = h.ledger.subscribe(c.ip, t.sub.User); refusal != "" {
		return nil, refusal
	}
	if shared = h.topics[t.key]; shared == nil {
		shared = t
		h.topics[t.key] = t
	}
	shared.conns[c] = struct{}{}
	c.topics[t.key] = shared
	return shared, ""
}

// drop unsubscribes a socket; false when it was not subscribed.
func (h *hub) drop(c *conn, key string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := c.topics[key]
	if t != nil {
		h.remove(c, t)
	}
	return t != nil
}

// remove does the bookkeeping of leave and drop. The lock is held.
func (h *hub) remove(c *conn, t *topic) {
	delete(c.topics, t.key)
	delete(t.conns, c)
	if len(t.conns) == 0 {
		delete(h.topics, t.key)
	}
	h.ledger.unsubscribe(c.ip, t.sub.User)
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
