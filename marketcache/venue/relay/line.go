package relay

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"

	"ballast/marketcache"
)

// slot is a place for one connection to the venue: the line that it has now, and what it
// is to carry. The first slot always has a line, so that replicas can tell whether the
// venue is there before they want anything.
type slot struct {
	t       *term
	index   int
	topics  map[topic]*carried // guarded by term.mu
	retired map[topic]retired  // guarded by term.mu
	wake    chan struct{}      // one token: something is to be done
}

// line is one connection to the venue.
type line struct {
	id   int64 // of all lines of a tenure
	slot *slot
	conn *websocket.Conn

	lastFrame atomic.Int64 // Instant
	spoken    atomic.Bool  // the venue has said something: only then is the line up

	// Guarded by term.mu.
	pings  []marketcache.Instant // sent, without a pong yet
	proven marketcache.Instant   // everything said before this has been passed on
	asked  bool                  // a replica would like to know that the line lives

	// The keeper's.
	sent     map[string]*carried // subscribed
	lastPing marketcache.Instant
}

// Watchdog times of a line: as the adapter's, a half-open connection ends within 5 s.
const (
	lineTick    = 250 * time.Millisecond
	idlePing    = 1500 * time.Millisecond // after the last frame of any kind
	steadyPing  = 2 * time.Second         // whatever comes: pongs prove quiet streams
	askedPing   = 400 * time.Millisecond  // least time between two pings
	pongTimeout = 2500 * time.Millisecond
	lineWrite   = 3 * time.Second
	maxFrame    = 8 << 20

	backoffMin   = 250 * time.Millisecond
	backoffMax   = 15 * time.Second
	pilotPause   = 3 * time.Second // of the first slot, while no line is up
	settledAfter = 10 * time.Second
)

var (
	errHalfOpen = errors.New("no pong: half-open connection")
	errIdle     = errors.New("nothing to carry")
	errPanic    = errors.New("panic")
)

// lineIDs number the lines of a process, so that no tenure meets another's.
var lineIDs atomic.Int64

// run keeps the slot's line up for as long as there is something to carry.
func (s *slot) run(ctx context.Context) {
	failures := 0
	for ctx.Err() == nil {
		pilot, rising := s.mayDial()
		if !pilot && rising == nil {
			select { // nothing to carry
			case <-s.wake:
			case <-ctx.Done():
			}
			continue
		}
		if !pilot && !s.t.anyUp() {
			select { // the first slot tries for all
			case <-rising:
			case <-ctx.Done():
			}
			continue
		}
		keep := 0
		if s.index == 0 && failures > 1 {
			keep = keepDials
		}
		if wait, ok := s.t.u.dials.take(marketcache.Now(), keep); !ok {
			sleep(ctx, min(wait, time.Second))
			continue
		}
		err := s.connect(ctx, &failures)
		if ctx.Err() != nil || err == errIdle {
			continue
		}
		failures++
		s.t.u.stats.lost.Add(1)
		s.t.u.log.Warn("line to the venue lost", "slot", s.index, "error", err, "failures", failures)
		ceiling := min(backoffMax, backoffMin<<min(failures-1, 8))
		if s.index == 0 {
			ceiling = min(ceiling, pilotPause)
		}
		s.rest(ctx, ceiling/2+rand.N(ceiling/2))
	}
}

// mayDial reports whether the slot is the one that tries whatever happens; otherwise it
// returns the channel that tells of the first line, or nil when there is nothing to carry.
func (s *slot) mayDial() (pilot bool, rising chan struct{}) {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	if s.index == 0 {
		return true, nil
	}
	if len(s.topics) == 0 {
		return false, nil
	}
	return false, s.t.rising
}

func (t *term) anyUp() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.up) > 0
}

// rest waits before the next try, or until the first line is up.
func (s *slot) rest(ctx context.Context, d time.Duration) {
	s.t.mu.Lock()
	rising := s.t.rising
	s.t.mu.Unlock()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-rising:
	case <-ctx.Done():
	}
}

// connect makes a line and works it to its end.
func (s *slot) connect(ctx context.Context, failures *int) error {
	d := websocket.Dialer{
		NetDialContext: s.t.u.cfg.Dial, HandshakeTimeout: connectTimeout, ReadBufferSize: 16 << 10, WriteBufferSize: 4 << 10,
	}
	dialing, cancel := context.WithTimeout(ctx, connectTimeout)
	conn, res, err := d.DialContext(dialing, "ws"+strings.TrimPrefix(s.t.u.cfg.BaseURL, "http")+"/ws", http.Header{})
	cancel()
	if res != nil && res.Body != nil {
		res.Body.Close()
	}
	if err != nil {
		return err
	}
	s.t.u.stats.connects.Add(1)
	conn.SetReadLimit(maxFrame)
	l := &line{id: lineIDs.Add(1), slot: s, conn: conn, sent: map[string]*carried{}}
	began := marketcache.Now()
	l.lastFrame.Store(int64(began))

	// A line must end with its tenure even while it is being written to.
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	ended := make(chan error, 1)
	var reader sync.WaitGroup
	reader.Go(func() {
		err := errPanic
		guard(s.t.u.log, &s.t.u.stats.panics, "line reader", func() { err = l.read() })
		ended <- err
	})
	err = errPanic
	guard(s.t.u.log, &s.t.u.stats.panics, "line keeper", func() { err = l.keep(ctx, ended) })
	conn.Close()
	reader.Wait()
	s.t.lost(l)
	if marketcache.Now().Sub(began) >= settledAfter {
		*failures = 0
	}
	return err
}

// opened tells the replicas of a line before anything that came from it. A connection that
// was taken and then says nothing is no line: virtual sockets would be opened for it, and
// the connections a minute that an adapter allows itself be used up.
func (t *term) opened(l *line) {
	t.mu.Lock()
	t.up[l.id] = l
	if len(t.up) == 1 {
		close(t.rising)
		t.rising = make(chan struct{})
	}
	t.mu.Unlock()
	t.beat()
}

// lost tells them of its end, after the last that came from it.
func (t *term) lost(l *line) {
	if !l.spoken.Load() {
		return
	}
	t.mu.Lock()
	delete(t.up, l.id)
	for _, c := range l.slot.topics {
		c.subscribedAt, c.last, c.lastAt, c.renew = 0, nil, 0, false
	}
	t.mu.Unlock()
	t.beat()
}

// read passes on what comes until the line ends.
func (l *line) read() error {
	size := 4 << 10
	for {
		kind, r, err := l.conn.NextReader()
		if err != nil {
			return err
		}
		arrival := marketcache.Now() // of the first bytes: what trickles in is old
		// A message is kept, so each has a buffer of its own, about as large as the last.
		buf := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
		if _, err := buf.ReadFrom(r); err != nil {
			return err
		}
		data := buf.Bytes()
		size = min(2*len(data), 256<<10)
		l.lastFrame.Store(int64(arrival))
		if !l.spoken.Load() {
			l.slot.t.opened(l)
			l.spoken.Store(true)
			poke(l.slot.wake)
		}
		if kind == websocket.TextMessage {
			l.slot.t.pass(l, data, arrival)
		}
	}
}

// keep writes to the line until it or ctx ends: subscriptions, renewals, pings.
func (l *line) keep(ctx context.Context, ended <-chan error) error {
	tick := time.NewTicker(lineTick)
	defer tick.Stop()
	for {
		if err := l.ping(); err != nil { // at once: a venue need not greet
			return err
		}
		if l.spoken.Load() {
			if err := l.subscribe(); err != nil {
				return err
			}
		}
		if l.slot.index != 0 && len(l.sent) == 0 && l.slot.empty() {
			return errIdle
		}
		select {
		case <-ctx.Done():
			l.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseGoingAway, ""), time.Now().Add(100*time.Millisecond))
			return ctx.Err()
		case err := <-ended:
			return err
		case <-l.slot.wake:
		case <-tick.C:
		}
	}
}

func (s *slot) empty() bool {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	return len(s.topics) == 0
}

// ping sends a ping when one is due and finds a connection that is half open. Pongs carry
// no number: the n-th answers the n-th ping, and one that got lost makes the later ones
// prove less, never more.
func (l *line) ping() error {
	t, now := l.slot.t, marketcache.Now()
	t.mu.Lock()
	due, halfOpen := l.watch(now)
	if halfOpen {
		t.mu.Unlock()
		t.u.stats.halfOpen.Add(1)
		return errHalfOpen
	}
	if !due {
		t.mu.Unlock()
		return nil
	}
	if _, ok := t.u.sends.take(now, 0); !ok {
		t.mu.Unlock()
		return nil
	}
	l.asked = false
	l.lastPing = now
	l.pings = append(l.pings, now) // before it is sent: the pong may be quick
	t.mu.Unlock()
	return l.write(`{"method":"ping"}`)
}

// watch reports whether a ping is due, and whether the connection is half open: a pong is
// missing and nothing else has come for as long, though something may have come after the
// ping. The caller holds term.mu.
func (l *line) watch(now marketcache.Instant) (due, halfOpen bool) {
	silence := now.Sub(marketcache.Instant(l.lastFrame.Load()))
	since := now.Sub(l.lastPing)
	if len(l.pings) > 0 {
		halfOpen = now.Sub(l.pings[0]) >= pongTimeout && silence >= pongTimeout
		return since >= 10*time.Second, halfOpen // frames come but pongs do not
	}
	return since >= steadyPing || since >= idlePing && silence >= idlePing || l.asked && since >= askedPing, false
}

// prove takes in a pong.
func (t *term) prove(l *line) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(l.pings) == 0 {
		return false
	}
	l.proven = l.pings[0]
	l.pings = l.pings[1:]
	if l.asked {
		poke(l.slot.wake)
	}
	return true
}

// change is one frame that brings the line to what is wanted.
type change struct {
	c    *carried
	drop bool
}

// subscribe brings the line to what is wanted, as far as the venue's messages a minute
// allow now.
func (l *line) subscribe() error {
	t := l.slot.t
	var changes []change
	t.mu.Lock()
	for _, c := range l.sent {
		if l.slot.topics[c.topic()] != c {
			changes = append(changes, change{c, true})
		}
	}
	for _, c := range l.slot.topics {
		if l.sent[c.id] != c {
			changes = append(changes, change{c, false})
		}
	}
	var renewals []*carried
	for _, c := range l.slot.topics {
		if c.renew && l.sent[c.id] == c {
			renewals = append(renewals, c)
		}
	}
	t.mu.Unlock()
	// Drops come first: a stream that was let go and is wanted again must not be dropped
	// after it was subscribed.
	for _, ch := range changes {
		if ch.drop {
			if done, err := l.say("unsubscribe", ch.c, keepSubscriptions); !done {
				return err
			}
			delete(l.sent, ch.c.id)
			continue
		}
		if done, err := l.say("subscribe", ch.c, keepSubscriptions); !done {
			return err
		}
		l.sent[ch.c.id] = ch.c
	}
	for _, c := range renewals {
		if done, err := l.say("unsubscribe", c, keepRenewals); !done {
			return err
		}
		t.u.stats.renewals.Add(1)
		if done, err := l.say("subscribe", c, 0); !done {
			delete(l.sent, c.id) // subscribed again with the others
			return err
		}
	}
	return nil
}

// say sends one subscription frame within the limit of messages a minute; done is false
// when it was not sent.
func (l *line) say(method string, c *carried, keep int) (done bool, err error) {
	t, now := l.slot.t, marketcache.Now()
	if _, ok := t.u.sends.take(now, keep); !ok {
		return false, nil
	}
	t.mu.Lock()
	if method == "subscribe" {
		c.subscribedAt, c.renew = now, false
	}
	t.mu.Unlock()
	if err := l.write(`{"method":"` + method + `","subscription":` + c.body() + `}`); err != nil {
		return false, err
	}
	return true, nil
}

func (l *line) write(text string) error {
	l.conn.SetWriteDeadline(time.Now().Add(lineWrite))
	return l.conn.WriteMessage(websocket.TextMessage, []byte(text))
}
