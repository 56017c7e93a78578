package alerts

import (
	"slices"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
)

// One goroutine sends the pings and enforces the deadlines of all sockets. The pings of
// different sockets are spread over the ping interval to avoid bursts.
const (
	pingInterval = 15 * time.Second
	// missedPings is the number of pings without a pong after which a socket is dropped when the
	// next ping is due: 30 s after the first unanswered ping.
	missedPings = 2
	configWait  = 30 * time.Second // for the first valid configuration
	writeWait   = 5 * time.Second  // for a client to take what is written
	closeWait   = 2 * time.Second  // for a client to answer a close frame

	// A ping takes some microseconds, during which requests wait. The tick is short, so that few
	// pings are sent per tick.
	tick      = 25 * time.Millisecond
	slotCount = int64(pingInterval / tick)
	// Sockets that connect at the same time get their first pings spread over two thirds of the
	// interval, from 5 s to 14 s after they joined. So a sweeper that is less than 1 s late does
	// not ping a socket that has just joined.
	firstPing = slotCount / 3
	lastPing  = slotCount - int64(time.Second/tick)
)

// registry holds all open sockets, by the tick at which they are pinged.
type registry struct {
	mu      sync.Mutex
	slots   [slotCount][]*socket
	turn    int64 // counter that spreads sockets that connect at the same time
	count   int
	watched []*socket // sockets with a deadline before their next ping
	closed  bool      // no socket may join any more
	empty   chan struct{}
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
	s.slot = int((h.now()/int64(tick) + firstPing + r.turn) % slotCount)
	r.turn = (r.turn + 1) % (lastPing - firstPing)
	r.slots[s.slot] = append(r.slots[s.slot], s)
	r.count++
	r.watch(s) // until it has sent a configuration
	h.goroutines.Go(s.run)
	return nil
}

// leave removes a socket from the registry.
func (h *Hub) leave(s *socket) {
	r := &h.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.slots[s.slot], s)
	r.slots[s.slot] = slices.Delete(r.slots[s.slot], i, i+1)
	r.count--
	if r.closed && r.count == 0 {
		close(r.empty)
	}
}

// watch makes the sweeper check a socket at every tick while the socket has a deadline.
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

// all returns the sockets that are open now. If last is true, no socket may join afterwards.
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
	next := int64(0) // the next tick
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

// pingDue pings the sockets of the ticks from next to now. It returns the next tick and the
// scratch slice for reuse.
func (h *Hub) pingDue(next, now int64, scratch []*socket) (int64, []*socket) {
	last := now / int64(tick)
	// After a long stop of the process each socket is pinged only once, because the client could
	// not have answered the pings that were due during the stop.
	for next = max(next, last-slotCount+1); next <= last; next++ {
		scratch = h.pingSlot(next%slotCount, scratch[:0])
	}
	return next, scratch
}

// pingSlot pings the sockets of a slot. It returns the scratch slice for reuse.
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

// checkWatched enforces the deadlines of the watched sockets, and stops watching sockets without
// a deadline.
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

// hasDeadline reports whether the socket has a deadline now.
func (s *socket) hasDeadline() bool {
	s.mu.Lock()
	dropped := s.dropped
	s.mu.Unlock()
	return !dropped && (!s.subscribed.Load() || s.blocked.Load() != 0 || s.lingers.Load() != 0)
}

// check enforces the socket's deadlines that have passed.
func (s *socket) check(now int64) {
	passed := func(since int64, wait time.Duration) bool { return since != 0 && now-since >= int64(wait) }
	switch {
	case passed(s.lingers.Load(), closeWait):
		s.drop()
	case passed(s.blocked.Load(), writeWait):
		s.hub.stats.SlowConsumers.Add(1)
		s.drop()
	case !s.subscribed.Load() && passed(s.joined, configWait):
		s.close(websocket.ClosePolicyViolation, "no valid configuration within 30 s")
	}
}
