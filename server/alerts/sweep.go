package alerts

import (
	"slices"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
)

// One goroutine looks after the time of all sockets. Their pings are spread over the
// interval, so that thousands of sockets make no burst.
const (
	pingInterval = 15 * time.Second
	// missedPings is after how many pings without a pong a socket is dropped at the time
	// of the next: 30 s after the first.
	missedPings = 2
	configWait  = 30 * time.Second // for the first valid configuration
	writeWait   = 5 * time.Second  // for a client to take what is written
	closeWait   = 2 * time.Second  // for a client to answer a close frame

	// A ping takes some microseconds, which requests wait for: a tick is so short that the
	// pings of one are few.
	tick      = 25 * time.Millisecond
	slotCount = int64(pingInterval / tick)
	// Sockets that come at once have their first pings spread over two thirds of the
	// interval, not before 5 s and not after 14: a sweeper that is late by less than a
	// second does not take a new socket for one that is due.
	firstPing = slotCount / 3
	lastPing  = slotCount - int64(time.Second/tick)
)

// registry is all sockets, by the tick at which they are pinged.
type registry struct {
	mu      sync.Mutex
	slots   [slotCount][]*socket
	turn    int64 // spreads sockets that come at once
	count   int
	watched []*socket // with a deadline that is nearer than their next ping
	closed  bool      // nobody may join
	empty   chan struct{}
}

// join registers a socket and starts its reader. When none are accepted it returns the close
// frame to send instead: a socket that was on its way while those that were open were closed
// would never be told.
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
	s.slot = int((h.now()/int64(tick) + firstPing + r.turn) % slotCount)
	r.turn = (r.turn + 1) % (lastPing - firstPing)
	s.at = len(r.slots[s.slot])
	r.slots[s.slot] = append(r.slots[s.slot], s)
	r.count++
	r.watch(s) // until it has sent a configuration
	h.goroutines.Go(s.run)
	return nil
}

// leave forgets a socket.
func (h *Hub) leave(s *socket) {
	r := &h.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	slot := r.slots[s.slot]
	last := slot[len(slot)-1]
	slot[s.at], last.at = last, s.at
	slot[len(slot)-1] = nil
	r.slots[s.slot] = slot[:len(slot)-1]
	r.count--
	if r.closed && r.count == 0 {
		close(r.empty)
	}
}

// watch makes the sweeper look at a socket at every tick, as long as it has a reason to.
func (h *Hub) watch(s *socket) {
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	h.registry.watch(s)
}

func (r *registry) watch(s *socket) {
	if !s.watched {
		s.watched = true
		r.watched = append(r.watched, s)
	}
}

// all returns the sockets of the moment, after closing the door when last is set.
func (r *registry) all(last bool) []*socket {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last && !r.closed {
		r.closed = true
		if r.count == 0 {
			close(r.empty)
		}
	}
	sockets := make([]*socket, 0, r.count)
	for _, slot := range r.slots {
		sockets = append(sockets, slot...)
	}
	return sockets
}

// sweep pings and enforces deadlines until the hub has ended.
func (h *Hub) sweep() {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	var scratch []*socket
	next := int64(0) // the tick to come
	for {
		select {
		case <-h.quit:
			return
		case <-ticker.C:
			now := h.now()
			next, scratch = h.pingDue(next, now, scratch)
			scratch = h.checkWatched(now, scratch[:0])
		}
	}
}

// pingDue pings the sockets of the ticks from next to now, and returns the tick to come
// and the scratch.
func (h *Hub) pingDue(next, now int64, scratch []*socket) (int64, []*socket) {
	last := now / int64(tick)
	// After a long stop of the process nobody is pinged more than once: it could not
	// have answered.
	for next = max(next, last-slotCount+1); next <= last; next++ {
		scratch = h.pingSlot(next%slotCount, scratch[:0])
	}
	return next, scratch
}

// pingSlot pings the sockets of a slot. The scratch is returned.
func (h *Hub) pingSlot(slot int64, scratch []*socket) []*socket {
	defer h.supervisor.Recover("alert sweeper")
	r := &h.registry
	r.mu.Lock()
	scratch = append(scratch, r.slots[slot]...)
	r.mu.Unlock()
	for _, s := range scratch {
		if s.unanswered.Load() >= missedPings {
			s.drop()
			continue
		}
		s.unanswered.Add(1)
		s.send(pingPacket)
	}
	clear(scratch)
	return scratch
}

// checkWatched enforces the deadlines of the watched sockets and stops watching those
// that have none.
func (h *Hub) checkWatched(now int64, scratch []*socket) []*socket {
	defer h.supervisor.Recover("alert sweeper")
	r := &h.registry
	r.mu.Lock()
	r.watched = slices.DeleteFunc(r.watched, func(s *socket) bool {
		s.watched = s.hasDeadline()
		if s.watched {
			scratch = append(scratch, s)
		}
		return !s.watched
	})
	r.mu.Unlock()
	for _, s := range scratch {
		s.check(now)
	}
	clear(scratch)
	return scratch
}

// hasDeadline reports whether time matters to the socket now.
func (s *socket) hasDeadline() bool {
	s.mu.Lock()
	dropped := s.dropped
	s.mu.Unlock()
	return !dropped && (!s.subscribed.Load() || s.blocked.Load() != 0 || s.lingers.Load() != 0)
}

// check enforces what has run out.
func (s *socket) check(now int64) {
	passed := func(since int64, wait time.Duration) bool { return since != 0 && now-since >= int64(wait) }
	switch {
	case passed(s.lingers.Load(), closeWait):
		s.drop()
	case passed(s.blocked.Load(), writeWait):
		s.hub.stats.slow.Add(1)
		s.drop()
	case !s.subscribed.Load() && passed(s.joined, configWait):
		s.close(websocket.ClosePolicyViolation, "no valid configuration within 30 s")
	}
}
