package sim

import (
	"sync"
)

// hub knows who listens to what. Its lock is taken before the market's.
type hub struct {
	mu     sync.Mutex
	conns  map[*conn]struct{}
	topics map[string]*topic
	// per address, over all its connections
	subs   map[string]int
	users  map[string]map[string]int // address -> user -> subscriptions
	closed bool
	// sockets counts those that have joined and not ended. It grows under mu and only
	// while closed is false, so that waiting after shut is safe.
	sockets sync.WaitGroup
}

func newHub() *hub {
	return &hub{
		conns: map[*conn]struct{}{}, topics: map[string]*topic{},
		subs: map[string]int{}, users: map[string]map[string]int{},
	}
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

// The errors of the venue for too many subscriptions.
const (
	errTooManyChannels = "Cannot subscribe to more than %d channels."
	errTooManyUsers    = "Cannot track more than %d total users."
	errTooManyMessages = "Cannot send more than %d messages per minute."
)

// verdict says why a subscription was refused.
type verdict uint8

const (
	accepted verdict = iota
	already
	tooManyChannels
	tooManyUsers
)

// add subscribes a socket within the limits of its address (0: none) and returns the
// topic shared by all who asked for the same.
func (h *hub) add(c *conn, t *topic, maxSubs, maxUsers int) (*topic, verdict) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.topics[t.key] != nil {
		return nil, already
	}
	if maxSubs > 0 && h.subs[c.ip] >= maxSubs {
		return nil, tooManyChannels
	}
	if user := t.sub.User; user != "" {
		users := h.users[c.ip]
		if users == nil {
			users = map[string]int{}
			h.users[c.ip] = users
		}
		if maxUsers > 0 && users[user] == 0 && len(users) >= maxUsers {
			return nil, tooManyUsers
		}
		users[user]++
	}
	h.subs[c.ip]++
	if shared := h.topics[t.key]; shared != nil {
		t = shared
	} else {
		h.topics[t.key] = t
	}
	t.conns[c] = struct{}{}
	c.topics[t.key] = t
	return t, accepted
}

// drop unsubscribes a socket; false when it was not subscribed.
func (h *hub) drop(c *conn, key string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := c.topics[key]
	if t == nil {
		return false
	}
	h.remove(c, t)
	return true
}

// remove does the bookkeeping of leave and drop. The lock is held.
func (h *hub) remove(c *conn, t *topic) {
	delete(c.topics, t.key)
	delete(t.conns, c)
	if len(t.conns) == 0 {
		delete(h.topics, t.key)
	}
	if h.subs[c.ip]--; h.subs[c.ip] == 0 {
		delete(h.subs, c.ip)
	}
	if user := t.sub.User; user != "" {
		users := h.users[c.ip]
		if users[user]--; users[user] == 0 {
			delete(users, user)
		}
	}
}

// shut refuses new sockets and returns those open.
func (h *hub) shut() []*conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	return h.list()
}

// list returns the open sockets. The lock is held.
func (h *hub) list() []*conn {
	out := make([]*conn, 0, len(h.conns))
	for c := range h.conns {
		out = append(out, c)
	}
	return out
}

// size returns the open sockets and subscriptions.
func (h *hub) size() (conns, subs int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range h.subs {
		subs += n
	}
	return len(h.conns), subs
}
