package hyperliquid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fasthttp/websocket"

	"ballast/marketcache"
)

// Watchdog times.
const (
	keepTick   = 100 * time.Millisecond
	writeLimit = 3 * time.Second

	subscribesATick = 20 // subscriptions sent in one tick at most
	pingsReserved   = 40 // messages a minute that subscriptions leave for pings
	// A stream is subscribed again after a silence of silentCadences message intervals, but not
	// before minSilence.
	silentCadences = 3
	minSilence     = 5 * time.Second
)

var errHalfOpen = errors.New("no pong: half-open connection")

// keeper writes to a connection: it subscribes, pings, and resubscribes silent streams. When the
// limit of messages is reached it does not wait but continues in a later tick.
type keeper struct {
	s       *socket
	conn    *websocket.Conn
	sent    map[stream]*subscription // streams subscribed on this connection
	watched marketcache.Instant      // when watch last ran
}

// run keeps the connection until it or ctx ends.
func (k *keeper) run(ctx context.Context, ended <-chan error) error {
	tick := time.NewTicker(keepTick)
	defer tick.Stop()
	for {
		now := marketcache.Now()
		for _, do := range []func(marketcache.Instant) error{k.ping, k.subscribe, k.watch} {
			if err := do(now); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			return fmt.Errorf("reader ended: %w", err)
		case <-k.s.changed:
		case <-tick.C:
		}
	}
}

// ping pings an idle connection, and returns an error when an earlier ping went unanswered.
func (k *keeper) ping(now marketcache.Instant) error {
	due, dead := k.s.heartbeat.Check(now)
	if dead {
		k.s.f.stats.halfOpen.Add(1)
		return errHalfOpen
	}
	if !due || !k.mayWrite(now, 1, 0) {
		return nil
	}
	k.s.heartbeat.Ping(now) // recorded before it is sent because the pong may be quick
	return k.write(`{"method":"ping"}`)
}

// mayWrite takes n messages from the limit of messages a minute. It reports false when fewer than
// reserve messages would be left.
func (k *keeper) mayWrite(now marketcache.Instant, n, reserve int) bool {
	for range n {
		if _, ok := k.s.f.sends.Acquire(now, reserve); !ok {
			return false
		}
	}
	return true
}

// ask sends a request to subscribe or unsubscribe a stream, as method says.
func (k *keeper) ask(method string, st stream) error {
	return k.write(`{"method":"` + method + `","subscription":` + st.String() + `}`)
}

// write sends one message.
func (k *keeper) write(text string) error {
	k.conn.SetWriteDeadline(time.Now().Add(writeLimit))
	return k.conn.WriteMessage(websocket.TextMessage, []byte(text))
}

// subscribe sends pending unsubscriptions and up to subscribesATick pending subscriptions.
func (k *keeper) subscribe(now marketcache.Instant) error {
	s := k.s
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
		if !k.mayWrite(now, 1, pingsReserved) {
			return nil
		}
		if err := k.ask("unsubscribe", st); err != nil {
			return err
		}
		delete(k.sent, st)
	}
	add, alone := s.f.suspects.Next(add, k.sent, now)
	// Contexts come first, then marks, then books from fast to coarse.
	slices.SortFunc(add, func(a, b *subscription) int {
		return cmp.Or(int(b.Stream.kind-a.Stream.kind), int(a.Stream.precision-b.Stream.precision))
	})
	for i, sub := range add {
		if i == subscribesATick || alone && i == 1 || !k.mayWrite(now, 1, pingsReserved) {
			break
		}
		if err := k.begin(sub); err != nil {
			return err
		}
	}
	return nil
}

// begin subscribes a stream. It records the request before sending because the answer may be quick.
func (k *keeper) begin(sub *subscription) error {
	sub.Ask(marketcache.Now())
	k.sent[sub.Stream] = sub
	return k.ask("subscribe", sub.Stream)
}

// watch resubscribes streams that have been silent for too long or have lost a message of changes.
func (k *keeper) watch(now marketcache.Instant) error {
	f := k.s.f
	if now.Sub(k.watched) < time.Second {
		return nil
	}
	k.watched = now
	for st, sub := range k.sent {
		if sub.Silence(now) < f.silence(st) && !sub.Broken() {
			continue
		}
		// Half of the messages a minute are reserved for reconnects.
		if !k.mayWrite(now, 2, f.room.messages/2) {
			return nil
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

// silence is how long a stream may be silent before it is resubscribed.
func (f *Feed) silence(st stream) time.Duration {
	return max(minSilence, silentCadences*f.cadence(st).Every())
}
