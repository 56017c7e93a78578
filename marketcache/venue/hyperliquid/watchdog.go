package hyperliquid

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/fasthttp/websocket"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// Watchdog times.
const (
	keepTick   = 100 * time.Millisecond
	writeLimit = 3 * time.Second

	// subscribesATick is the maximum number of subscriptions per tick, reservedPings the number of
	// messages per minute reserved for pings.
	subscribesATick = 20
	reservedPings   = 40
	// A stream is subscribed again after silentCadences of its cadence without a message, and at
	// least minSilence.
	silentCadences = 3
	minSilence     = 5 * time.Second
)

var errHalfOpen = errors.New("no pong: half-open connection")

// keeper does all writing on a connection: subscriptions, pings, and new subscriptions of silent
// streams. It never waits for the message limit: what exceeds it is sent at a later tick.
type keeper struct {
	s       *socket
	conn    *websocket.Conn
	sent    map[stream]*subscription // subscriptions sent on this connection
	watched marketcache.Instant
}

// ping sends a ping on an idle connection and returns an error for a dead one.
func (f *Feed) ping(h *feed.Heartbeat, conn *websocket.Conn, now marketcache.Instant) error {
	due, dead := h.Check(now)
	if dead {
		f.stats.halfOpen.Add(1)
		return errHalfOpen
	}
	if !due || !f.sends.Acquire(now, 1, 0) {
		return nil
	}
	h.Ping(now) // before sending: the pong may come at once
	return send(conn, `{"method":"ping"}`)
}

// ask sends a subscribe or unsubscribe message for a stream.
func (k *keeper) ask(method string, st stream) error {
	return send(k.conn, `{"method":"`+method+`","subscription":`+st.String()+`}`)
}

// send sends one message. It counts against the limit whether or not it arrives.
func send(conn *websocket.Conn, text string) error {
	conn.SetWriteDeadline(time.Now().Add(writeLimit))
	return conn.WriteMessage(websocket.TextMessage, []byte(text))
}

// subscribe sends some of the pending subscriptions and unsubscriptions. It waits for the connection's first frame:
// a venue that is silent must not use up the messages that all subscriptions need when it is back.
func (k *keeper) subscribe(now marketcache.Instant) error {
	s := k.s
	if !s.heartbeat.Heard() {
		return nil
	}
	s.mu.Lock()
	var add []*subscription
	var drop []stream
	for st, sub := range s.wanted {
		if k.sent[st] != sub {
			add = append(add, sub)
		}
	}
	for st, sub := range k.sent {
		if s.wanted[st] != sub {
			drop = append(drop, st)
		}
	}
	s.mu.Unlock()
	for _, st := range drop {
		if !s.f.sends.Acquire(now, 1, reservedPings) {
			return nil
		}
		if err := k.ask("unsubscribe", st); err != nil {
			return err
		}
		delete(k.sent, st)
	}
	add, alone := s.f.suspects.Next(add, k.sent, now)
	// Contexts first, then marks, then books: fast ones before full and aggregated ones.
	slices.SortFunc(add, func(a, b *subscription) int {
		return cmp.Or(int(b.Stream.kind-a.Stream.kind), int(a.Stream.precision-b.Stream.precision))
	})
	for i, sub := range add {
		if i == subscribesATick || alone && i == 1 || !s.f.sends.Acquire(now, 1, reservedPings) {
			break
		}
		if err := k.begin(sub); err != nil {
			return err
		}
	}
	return nil
}

// begin subscribes a stream. It records the subscription before sending, because the answer may come at once.
func (k *keeper) begin(sub *subscription) error {
	sub.Ask(marketcache.Now())
	k.sent[sub.Stream] = sub
	return k.ask("subscribe", sub.Stream)
}

// watch subscribes again each stream that has been silent for too long or has lost a message.
func (k *keeper) watch(now marketcache.Instant) error {
	f := k.s.f
	if now.Sub(k.watched) < time.Second {
		return nil
	}
	k.watched = now
	for st, sub := range k.sent {
		if sub.Silence(now) < f.silence(st) && !sub.Due() {
			continue
		}
		keep := reservedPings
		if st.kind == bookStream { // half of the messages per minute are reserved for reconnects
			keep = f.room.messages / 2
		}
		if !f.sends.Acquire(now, 2, keep) {
			continue
		}
		f.stats.resubscribes.Add(1)
		if err := k.ask("unsubscribe", st); err != nil {
			return err
		}
		if err := k.begin(sub); err != nil {
			return err
		}
	}
	return nil
}

// silence returns the time without a message after which a stream is subscribed again.
func (f *Feed) silence(st stream) time.Duration {
	return max(minSilence, silentCadences*f.cadence(st).Every())
}
